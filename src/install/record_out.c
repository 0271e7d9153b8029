/* SPDX-License-Identifier: MIT
 *
 * record_out.c: the RECORD that is written: what really lies there, sorted, with hash and size for
 * every file but RECORD itself.
 */
#include "install/parts.h"
#include "os/os.h"

enum { MAX_RECORD_OUT = 256 << 20 };

typedef struct row {
	const char *path; /* as seen from site-packages */
	const wp_out_file *file; /* NULL for RECORD */
} row;

static int by_path(const void *x, const void *y)
{
	return strcmp(((const row *)x)->path, ((const row *)y)->path);
}

/* One "../" for each directory of site-packages. */
static const char *way_up(wp_arena *a, const char *site)
{
	const char *up = "../";

	for (; *site; site++)
		if (*site == '/')
			up = wp_sprintf(a, "%s../", up);
	return up;
}

static const char *record_path(const wp_plan *p, const char *path)
{
	const char *in = wp_under(path, p->python.venv_site);

	return in ? in : wp_sprintf(p->a, "%s%s", way_up(p->a, p->python.venv_site), path);
}

wp_str wp_record_text(const wp_plan *p, const wp_in_wheel *w)
{
	row *rows = WP_NEW_ARRAY(p->a, w->n + 1, row);
	wp_buf b;
	size_t i;

	for (i = 0; i < w->n; i++) {
		const wp_out_file *f = &p->files.v[w->first + i];

		rows[i] = (row){record_path(p, f->path), &p->files.v[f->same_as]};
	}
	rows[w->n] = (row){wp_sprintf(p->a, "%s/RECORD", w->wheel.dist_info), NULL};
	qsort(rows, w->n + 1, sizeof *rows, by_path);
	wp_buf_init(&b, MAX_RECORD_OUT);
	for (i = 0; i <= w->n; i++)
		wp_record_line(&b, rows[i].path, rows[i].file ? rows[i].file->sha256 : NULL,
			rows[i].file ? (int64_t)rows[i].file->size : -1);
	return wp_buf_take(&b, p->a);
}

static int put_record(wp_plan *p, uint32_t i, const char *stage, wp_error *e)
{
	const wp_in_wheel *w = &p->wheels[i];
	wp_out_file f = {.wheel = i, .written = true, .same_as = p->files.n};
	os_file *out = NULL;

	f.path = wp_sprintf(p->a, "%s/%s/RECORD", p->python.venv_site, w->wheel.dist_info);
	f.text = wp_record_text(p, w);
	f.size = f.text.n;
	if (os_mkdirs(os_join(p->a, stage, os_dirname(p->a, f.path)), e) ||
		os_open(os_join(p->a, stage, f.path), OS_CREATE_NEW, &out, e))
		return e->code;
	os_pwrite(out, f.text.p, f.text.n, 0, e);
	if (os_close(out, e) || e->code)
		return e->code;
	WP_PUSH(&p->files, f);
	return 0;
}

int wp_record_out(wp_plan *p, const char *stage, wp_error *e)
{
	uint32_t i;

	for (i = 0; i < p->nwheels; i++)
		if (!p->wheels[i].kept && put_record(p, i, stage, e))
			return wp_err_where(e, "'%s'", p->wheels[i].lock->filename);
	return 0;
}

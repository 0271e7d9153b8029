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

static const char *record_path(wp_arena *a, const wp_plan *p, const char *path)
{
	const char *in = wp_under(path, p->python.venv_site);

	return in ? in : wp_sprintf(a, "%s%s", way_up(a, p->python.venv_site), path);
}

wp_str wp_record_text(wp_arena *a, const wp_plan *p, const wp_in_wheel *w)
{
	row *rows = WP_NEW_ARRAY(a, w->n + 1, row);
	wp_buf b;
	size_t i;

	for (i = 0; i < w->n; i++) {
		const wp_out_file *f = &p->files.v[w->first + i];

		rows[i] = (row){record_path(a, p, f->path), &p->files.v[f->same_as]};
	}
	rows[w->n] = (row){wp_sprintf(a, "%s/RECORD", w->wheel.dist_info), NULL};
	qsort(rows, w->n + 1, sizeof *rows, by_path);
	wp_buf_init(&b, MAX_RECORD_OUT);
	for (i = 0; i <= w->n; i++)
		wp_record_line(&b, rows[i].path, rows[i].file ? rows[i].file->sha256 : NULL,
			rows[i].file ? (int64_t)rows[i].file->size : -1);
	return wp_buf_take(&b, a);
}

typedef struct recording {
	wp_plan *p;
	const char *stage;
	size_t *order;
	wp_out_file *files; /* RECORD of each wheel */
} recording;

static int put_record(void *user, size_t i, wp_arena *a, wp_error *e)
{
	recording *r = user;
	const wp_in_wheel *w = &r->p->wheels[r->order[i]];
	wp_out_file *f = &r->files[r->order[i]];
	const char *path;
	os_file *out = NULL;
	wp_str text;

	if (w->kept)
		return 0;
	path = wp_sprintf(a, "%s/%s/%s/RECORD", r->stage, r->p->python.venv_site, w->wheel.dist_info);
	text = wp_record_text(a, r->p, w);
	f->size = text.n;
	if (!os_mkdirs(os_dirname(a, path), e) && !os_open(path, OS_CREATE_NEW, &out, e))
		os_pwrite(out, text.p, text.n, 0, e);
	os_close(out, e);
	return e->code ? wp_err_where(e, "'%s'", w->lock->filename) : 0;
}

int wp_record_out(wp_plan *p, const char *stage, wp_error *e)
{
	recording r = {p, stage, wp_largest_first(p, true), WP_NEW_ARRAY(p->a, p->nwheels, wp_out_file)};
	wp_par par;
	uint32_t i;

	wp_par_for(p->ctx, p->nwheels, put_record, NULL, &r, true, &par, e);
	wp_par_done(&par);
	for (i = 0; i < p->nwheels && !e->code; i++) {
		wp_out_file *f = &r.files[i];

		if (p->wheels[i].kept)
			continue;
		f->wheel = i;
		f->written = true;
		f->same_as = p->files.n;
		f->path = wp_sprintf(p->a, "%s/%s/RECORD", p->python.venv_site, p->wheels[i].wheel.dist_info);
		WP_PUSH(&p->files, *f);
	}
	return e->code;
}

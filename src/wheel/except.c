/* SPDX-License-Identifier: MIT
 *
 * except.c: wheels whose RECORD is wrong about some of their files, as some well-known ones are. Such a file gets a row
 * that says what it is, made when somebody decides to take it or from what was written down then, so that whoever reads
 * members has a row to hold them to.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "wheel/internal.h"

static int path_to_exception(const void *key, const void *x)
{
	return strcmp(key, ((const wp_exception *)x)->path);
}

const wp_exception *wheel_pinned(const wheel_opening *o, const char *name)
{
	const wp_exceptions *x = &o->w->exceptions;

	return x->n ? bsearch(name, x->v, x->n, sizeof *x->v, path_to_exception) : NULL;
}

static void put_row(wheel_opening *o, wp_member *m, const unsigned char sha256[32])
{
	wp_record_row *row = WP_NEW(o->a, wp_record_row);

	*row = (wp_record_row){.path = m->name, .kind = WP_RECORD_SHA256, .size = (int64_t)m->entry->size};
	memcpy(row->digest, sha256, 32);
	m->row = row;
}

int wheel_take_pinned(wheel_opening *o, wp_member *m, const wp_record_row *row, const wp_exception *x)
{
	unsigned char sha256[32];

	if (!wp_unhex(wp_str_of(x->sha256), sha256, sizeof sha256))
		return wp_fail(o->e, WP_E_RECORD, "'%s' is no sha256", x->sha256);
	if (x->size != m->entry->size)
		return wp_fail(o->e, WP_E_RECORD, "size is %llu, %llu was promised", (unsigned long long)m->entry->size,
			(unsigned long long)x->size);
	if (row && row->kind == WP_RECORD_SHA256 && memcmp(row->digest, sha256, sizeof sha256) == 0 &&
		(row->size < 0 || (uint64_t)row->size == x->size))
		return wp_fail(o->e, WP_E_RECORD, "an exception from RECORD that says the same as RECORD");
	put_row(o, m, sha256);
	return 0;
}

/* ---- finding out ---------------------------------------------------------------------------- */

static int tick(void *user, const void *p, size_t n, wp_error *e)
{
	(void)p, (void)n;
	return wp_check_cancel(user, e);
}

static int read_as(wheel_opening *o, wp_member *m, const wp_record_row *row, unsigned char sha256[32], wp_error *e)
{
	m->row = row;
	return wheel_member_read(o->unpacker, &o->w->zip.blob, m, tick, (void *)o->excepting, sha256, e);
}

int wheel_take_found(wheel_opening *o, wp_member *m, const wp_record_row *row)
{
	bool listed = row && (row->size < 0 || (uint64_t)row->size == m->entry->size);
	unsigned char sha256[32];
	char hex[WP_SHA256_HEX + 1];
	wp_error f = {0};

	if (listed && !read_as(o, m, row, sha256, &f))
		return 0;
	if (f.code && f.code != WP_E_RECORD) {
		*o->e = f;
		return f.code;
	}
	if (o->found.n == WP_MAX_EXCEPTIONS)
		return wp_fail(o->e, WP_E_RECORD, "more than %d files are not as RECORD has them", WP_MAX_EXCEPTIONS);
	if (read_as(o, m, NULL, sha256, o->e))
		return o->e->code;
	wp_hex(sha256, sizeof sha256, hex);
	put_row(o, m, sha256);
	WP_PUSH(&o->found, ((wp_exception){m->name, wp_strdup(o->a, hex), m->entry->size}));
	return 0;
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const wp_exception *)x)->path, ((const wp_exception *)y)->path);
}

void wheel_keep_found(wheel_opening *o)
{
	if (o->found.n)
		qsort(o->found.v, o->found.n, sizeof *o->found.v, by_path);
	o->w->exceptions = (wp_exceptions){WP_VEC_COPY(o->a, &o->found), o->found.n};
}

wp_exceptions wp_exceptions_copy(wp_arena *a, const wp_exceptions *x)
{
	wp_exception *v = WP_NEW_ARRAY(a, x->n, wp_exception);
	size_t i;

	for (i = 0; i < x->n; i++)
		v[i] = (wp_exception){wp_strdup(a, x->v[i].path), wp_strdup(a, x->v[i].sha256), x->v[i].size};
	return (wp_exceptions){v, x->n};
}

/* ---- telling -------------------------------------------------------------------------------- */

void wp_exceptions_tell(wp_finding *f, wp_arena *a, const char *filename, const wp_exceptions *x)
{
	const char **files = WP_NEW_ARRAY(a, x->n, const char *);
	size_t i;

	for (i = 0; i < x->n; i++)
		files[i] = x->v[i].path;
	f->why = wp_sprintf(a, "%zu %s of '%s'", x->n, x->n == 1 ? "file" : "files", filename);
	wp_finding_files(f, a, files, x->n);
}

/* "'a', 'b', 'c' and 4 more" */
static const char *some_of(wp_arena *a, const wp_exceptions *x)
{
	enum { SHOWN = 3 };
	const char *text = "";
	size_t i;

	for (i = 0; i < x->n && i < SHOWN; i++)
		text = wp_sprintf(a, "%s%s'%s'", text, i ? ", " : "", x->v[i].path);
	return i < x->n ? wp_sprintf(a, "%s and %zu more", text, x->n - i) : text;
}

void wp_wheel_advise(const wp_ctx *ctx, const char *filename, const wp_blob *blob, wp_names names, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	wp_error ignored = {0};
	wp_wheel w;

	if (!wp_wheel_open_excepting(ctx, a, filename, blob, names, &w, NULL, &ignored) && w.exceptions.n)
		wp_err_next(e, "all that is wrong is what RECORD says of %s: where the wheel is known for that (pip and uv "
			"don't look), take it as it is with --allow-wrong-record %s", some_of(a, &w.exceptions),
			w.name.project);
	wp_arena_free(a);
}

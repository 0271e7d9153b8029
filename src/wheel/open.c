/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "wheel/internal.h"

static int open_steps(wheel_opening *o, const wp_blob *blob, const char *expect_record)
{
	if (wp_wheel_name_parse(o->a, wp_str_of(o->w->filename), &o->w->name, o->e) ||
		wp_zip_read(o->a, blob, &o->w->zip, o->e) || wheel_layout(o) || wheel_collide(o) ||
		wheel_match(o, expect_record))
		return o->e->code;
	return wheel_texts(o);
}

static int open_wheel(wheel_opening *o, const char *filename, const wp_blob *blob, wp_names names, const char *expect_record,
	wp_findings *findings)
{
	int rc;

	o->names = names;
	o->windows = names == WP_NAMES_WINDOWS;
	o->w->filename = wp_strdup(o->a, filename);
	o->scratch = wp_arena_new();
	o->unpacker = wp_unpacker_new();
	rc = open_steps(o, blob, expect_record);
	if (rc)
		wp_err_where(o->e, "'%s'", filename);
	else
		wheel_notes_out(o, findings);
	wp_unpacker_free(o->unpacker);
	WP_VEC_FREE(&o->found);
	wp_arena_free(o->scratch);
	return rc;
}

int wp_wheel_open(wp_arena *a, const char *filename, const wp_blob *blob, wp_names names, const wp_record_pin *pin,
	wp_wheel *out, wp_findings *findings, wp_error *e)
{
	wheel_opening o = {.a = a, .w = out, .e = e};

	*out = (wp_wheel){.exceptions = pin ? pin->exceptions : (wp_exceptions){0}};
	return open_wheel(&o, filename, blob, names, pin ? pin->sha256 : NULL, findings);
}

int wp_wheel_open_excepting(const wp_ctx *ctx, wp_arena *a, const char *filename, const wp_blob *blob, wp_names names,
	wp_wheel *out, wp_findings *findings, wp_error *e)
{
	wheel_opening o = {.a = a, .w = out, .excepting = ctx, .e = e};

	*out = (wp_wheel){0};
	return open_wheel(&o, filename, blob, names, NULL, findings);
}

/* ---- the end of a wheel alone ------------------------------------------------------------- */

/* The last piece that was read, in one go of at least READ bytes: a header, its data and what follows it often
 * come from one request. */
typedef struct ahead {
	const wp_blob *blob;
	unsigned char *p;
	uint64_t start;
	size_t n;
} ahead;

static int read_ahead(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	enum { READ = 64 << 10 };
	ahead *w = self;
	size_t want = n > READ ? n : READ;

	if (off < w->start || off - w->start > w->n || w->n - (off - w->start) < n) {
		if (off > w->blob->size || w->blob->size - off < n)
			return wp_fail(e, WP_E_ZIP, "the file ends before %llu", (unsigned long long)off + n);
		if (want > w->blob->size - off)
			want = (size_t)(w->blob->size - off);
		w->n = 0;
		w->p = wp_xrealloc(w->p, want);
		if (w->blob->read_at(w->blob->self, w->p, want, off, e))
			return e->code;
		w->start = off;
		w->n = want;
	}
	memcpy(buf, w->p + (off - w->start), n);
	return 0;
}

/* The METADATA of the one dist-info that fits the file name. */
static wp_zip_entry *find_metadata(wp_arena *scratch, const wp_zip *z, const wp_wheel_name *name, wp_error *e)
{
	static const char file[] = ".dist-info/METADATA";
	wp_zip_entry *hit = NULL;
	size_t i;

	for (i = 0; i < z->n; i++) {
		wp_str s = wp_str_of(z->entries[i].name);

		if (!wp_str_ends(s, file) || wp_str_find(s, '/') != s.n - strlen("/METADATA") ||
			!wheel_stem_fits(scratch, wp_str_sub(s, 0, s.n - strlen(file)), name))
			continue;
		if (hit) {
			wp_fail(e, WP_E_METADATA, "it has METADATA twice");
			return NULL;
		}
		hit = &z->entries[i];
	}
	if (!hit)
		wp_fail(e, WP_E_METADATA, "it has no METADATA of %s %s", name->project, name->version.norm);
	return hit;
}

static int metadata_steps(wp_arena *a, wp_arena *scratch, const char *filename, const wp_blob *blob, wp_str *out,
	wp_error *e)
{
	wp_wheel_name name;
	wp_zip_entry *en;
	wp_unpacker *u;
	wp_zip z;
	int rc;

	if (wp_wheel_name_parse(scratch, wp_str_of(filename), &name, e) ||
		wp_zip_read_directory(scratch, blob, &z, e))
		return e->code;
	en = find_metadata(scratch, &z, &name, e);
	if (!en || wp_zip_locate(&z, en, e))
		return e->code;
	u = wp_unpacker_new();
	rc = wheel_stream_text(u, a, blob, en, WP_MAX_METADATA, out, e);
	wp_unpacker_free(u);
	return rc ? wp_err_where(e, "'%s'", en->name) : 0;
}

int wp_wheel_metadata(wp_arena *a, const char *filename, const wp_blob *blob, wp_str *out, wp_error *e)
{
	wp_arena *scratch = wp_arena_new();
	ahead w = {.blob = blob};
	wp_blob buffered = {.self = &w, .size = blob->size, .read_at = read_ahead};
	int rc = metadata_steps(a, scratch, filename, &buffered, out, e);

	free(w.p);
	wp_arena_free(scratch);
	return rc ? wp_err_where(e, "'%s'", filename) : 0;
}

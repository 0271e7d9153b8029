/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "wheel/internal.h"

wp_member *wheel_info_member(const wp_wheel *w, const char *file)
{
	size_t n = strlen(w->dist_info), i;

	for (i = 0; i < w->n; i++) {
		const char *name = w->members[i].name;

		if (strncmp(name, w->dist_info, n) == 0 && name[n] == '/' && strcmp(name + n + 1, file) == 0)
			return &w->members[i];
	}
	return NULL;
}

static int read_record(wheel_opening *o, const char *expect, wp_str *text)
{
	wp_wheel *w = o->w;
	const wp_member *m = wheel_info_member(w, "RECORD");
	char hex[WP_SHA256_HEX + 1];

	if (!m)
		return wp_fail(o->e, WP_E_RECORD, "'%s/RECORD' is missing", w->dist_info);
	if (wheel_stream_text(o->unpacker, o->scratch, &w->zip.blob, m->entry, WP_MAX_RECORD, text, o->e))
		return wp_err_where(o->e, "'%s'", m->name);
	wp_sha256_hex(*text, hex);
	w->record_sha256 = wp_strdup(o->a, hex);
	if (expect && !wp_streq(expect, hex)) {
		wp_fail(o->e, WP_E_RECORD, "sha256 is %s, %s was promised", hex, expect);
		return wp_err_where(o->e, "'%s'", m->name);
	}
	return 0;
}

/* The name below dist-info, "" where it lies elsewhere. */
static const char *info_file(const wp_wheel *w, const char *name)
{
	size_t n = strlen(w->dist_info);

	return wp_starts(name, w->dist_info) && name[n] == '/' ? name + n + 1 : "";
}

static int check_row(const wp_wheel *w, const wp_member *m, const wp_record_row *row, wp_error *e)
{
	const char *file = info_file(w, m->name);

	if (wp_streq(file, "RECORD"))
		return row && row->kind ? wp_fail(e, WP_E_RECORD, "RECORD promises a digest of itself") : 0;
	if (!row && (wp_streq(file, "RECORD.jws") || wp_streq(file, "RECORD.p7s")))
		return 0; /* signatures are made after RECORD */
	if (!row)
		return wp_fail(e, WP_E_RECORD, "the file is not listed in RECORD");
	if (!row->kind)
		return wp_fail(e, WP_E_RECORD, "RECORD has no digest for it");
	if (row->size >= 0 && (uint64_t)row->size != m->entry->size)
		return wp_fail(e, WP_E_RECORD, "size is %llu, RECORD promises %lld", (unsigned long long)m->entry->size,
			(long long)row->size);
	return 0;
}

/* RECORD may be wrong about what it has to list, and about nothing else. */
static bool may_differ(const wp_wheel *w, const wp_member *m, const wp_record_row *row)
{
	static const char *const own[] = {"RECORD", "RECORD.jws", "RECORD.p7s"};

	return row ? row->kind != WP_RECORD_NONE : !wp_among(own, 3, info_file(w, m->name));
}

static int match_member(wheel_opening *o, wp_member *m, const wp_record_row *row, size_t *excepted)
{
	bool free = may_differ(o->w, m, row);
	const wp_exception *x = free ? wheel_pinned(o, m->name) : NULL;

	*excepted += x != NULL;
	if (x)
		return wheel_take_pinned(o, m, row, x);
	if (free && o->excepting)
		return wheel_take_found(o, m, row);
	if (check_row(o->w, m, row, o->e))
		return o->e->code;
	m->row = row && row->kind ? row : NULL;
	return 0;
}

static int match_members(wheel_opening *o, bool *used)
{
	wp_wheel *w = o->w;
	size_t i, excepted = 0;

	for (i = 0; i < w->n; i++) {
		wp_member *m = &w->members[i];
		const wp_record_row *row = wp_record_find(&w->record, m->name);

		if (match_member(o, m, row, &excepted))
			return strstr(o->e->where, m->name) ? (int)o->e->code : wp_err_where(o->e, "'%s'", m->name);
		if (row)
			used[row - w->record.rows] = true;
	}
	if (excepted < w->exceptions.n)
		return wp_fail(o->e, WP_E_RECORD, "%zu of %zu exceptions from RECORD are of files that the wheel doesn't have, "
			"or that need none", w->exceptions.n - excepted, w->exceptions.n);
	if (o->excepting)
		wheel_keep_found(o);
	return 0;
}

int wheel_match(wheel_opening *o, const char *expect_record)
{
	wp_wheel *w = o->w;
	wp_str text;
	bool *used;
	size_t i;

	if (read_record(o, expect_record, &text) || wp_record_parse(o->a, text, &w->record, o->e))
		return o->e->code;
	used = WP_NEW_ARRAY(o->scratch, w->record.n, bool);
	if (match_members(o, used))
		return o->e->code;
	for (i = 0; i < w->record.n; i++)
		if (!used[i]) {
			wp_fail(o->e, WP_E_RECORD, "RECORD lists a file that the wheel does not have");
			return wp_err_where(o->e, "RECORD line %d, '%s'", w->record.rows[i].line,
				w->record.rows[i].path);
		}
	for (i = 0; i < w->record.nwarnings; i++)
		wheel_noted(o, NOTE_RECORD, "%s", w->record.warnings[i]);
	return 0;
}

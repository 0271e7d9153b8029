/* SPDX-License-Identifier: MIT */
#include "py/record.h"
#include "base/vec.h"
#include "py/headers.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3, MAX_ROWS = WP_MAX_ZIP_ENTRIES };

typedef struct reader {
	wp_arena *a;
	wp_error *e;
	WP_VEC(wp_record_row) rows;
	WP_VEC(const char *) warnings;
	int line;
	bool lenient; /* of an installed distribution: oddities are warnings, and paths are for the caller to judge */
} reader;

static int fault(reader *r, const char *fmt, ...) WP_PRINTF(2, 3);

static int fault(reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wp_fail(r->e, WP_E_RECORD, "%s", wp_vsprintf(r->a, fmt, ap));
	va_end(ap);
	return wp_err_where(r->e, "RECORD line %d", r->line);
}

static void warn(reader *r, const char *what, const char *path)
{
	const char *text = wp_sprintf(r->a, "RECORD line %d: %s: '%s'", r->line, what, path);

	WP_PUSH(&r->warnings, text);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* Cut one field from *rest, which begins at the field; a doubled quote in quotes is one. */
static bool cut_field(wp_arena *a, wp_str *rest, wp_str *field)
{
	char *out;
	size_t i = 1, n = 0;

	if (rest->n == 0 || rest->p[0] != '"')
		return wp_str_split(rest, ',', field);
	out = wp_alloc(a, rest->n + 1);
	for (; i < rest->n; i++) {
		if (rest->p[i] == '"' && (i + 1 == rest->n || rest->p[i + 1] != '"'))
			break;
		i += rest->p[i] == '"';
		out[n++] = rest->p[i];
	}
	if (i >= rest->n || (i + 1 < rest->n && rest->p[i + 1] != ','))
		return false;
	*field = (wp_str){out, n};
	*rest = i + 1 < rest->n ? wp_str_sub(*rest, i + 2, rest->n) : (wp_str){NULL, 0};
	return true;
}

/* Number of fields, at most COLUMNS + 1; 0 where quotes are wrong. */
static size_t cut_fields(wp_arena *a, wp_str line, wp_str *field)
{
	size_t n = 0;

	while (line.p && n <= COLUMNS)
		if (!cut_field(a, &line, &field[n++]))
			return 0;
	return n;
}

/* ---- base64 --------------------------------------------------------------------------------- */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static int unbase64_letter(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '-' ? 62 : c == '_' ? 63 : -1;
}

/* URL-safe base64 without padding into exactly n bytes. */
static bool unbase64(wp_str s, unsigned char *out, size_t n)
{
	unsigned bits = 0, have = 0;
	size_t i, k = 0;

	if (s.n != (8 * n + 5) / 6)
		return false;
	for (i = 0; i < s.n; i++) {
		int letter = unbase64_letter(s.p[i]);

		if (letter < 0)
			return false;
		bits = (bits << 6 | (unsigned)letter) & 0xffff;
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[k++] = (unsigned char)(bits >> have);
		}
	}
	return (bits & ((1u << have) - 1)) == 0;
}

static void base64_sha256(wp_buf *b, const unsigned char *p)
{
	enum { BYTES = 32, LETTERS = 43 };
	unsigned bits = 0, have = 0;
	char text[LETTERS];
	size_t i, n = 0;

	for (i = 0; i < BYTES; i++) {
		bits = (bits << 8 | p[i]) & 0xffff;
		for (have += 8; have >= 6; have -= 6)
			text[n++] = alphabet[bits >> (have - 6) & 63];
	}
	text[n++] = alphabet[bits << (6 - have) & 63];
	wp_buf_add(b, text, n);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	wp_record_hash kind;
	size_t size;
} hashes[] = {{"sha256", WP_RECORD_SHA256, 32}, {"sha384", WP_RECORD_SHA384, 48}, {"sha512", WP_RECORD_SHA512, 64}};

enum { NHASHES = sizeof hashes / sizeof *hashes };

static int bad_algorithm(reader *r, wp_str name)
{
	static const char *const weak[] = {"md5", "sha1", "sha224", "md4", "ripemd160"};
	const char *text = wp_str_dup(r->a, name);
	size_t i;

	for (i = 0; i < sizeof weak / sizeof *weak; i++)
		if (strcmp(text, weak[i]) == 0)
			return fault(r, "%s is too weak; sha256 or stronger is needed", text);
	return fault(r, "'%s' is not a hash algorithm that is known", text);
}

/* What lenient makes of a digest that is a fault in the RECORD of a wheel. */
static int no_promise(reader *r, wp_record_row *row)
{
	row->kind = WP_RECORD_NONE;
	warn(r, "no digest that can be checked", row->path);
	return 0;
}

static int read_hash(reader *r, wp_str s, wp_record_row *row)
{
	size_t eq = wp_str_find(s, '='), i;
	wp_str name = wp_str_sub(s, 0, eq), digest = wp_str_sub(s, eq + 1, s.n);

	for (i = 0; i < NHASHES && !wp_str_is(name, hashes[i].name); i++)
		;
	if (eq == s.n || i == NHASHES)
		return r->lenient ? no_promise(r, row) : bad_algorithm(r, name);
	if (wp_str_ends(digest, "=")) {
		warn(r, "a digest with '=' behind it", row->path);
		while (wp_str_ends(digest, "="))
			digest.n--;
	}
	row->kind = hashes[i].kind;
	if (unbase64(digest, row->digest, hashes[i].size))
		return 0;
	return r->lenient ? no_promise(r, row) :
		fault(r, "the digest of '%s' is not a %s in URL-safe base64", row->path, hashes[i].name);
}

typedef enum place { ORDINARY, RECORD_ITSELF, SIGNATURE } place;

/* RECORD can't hold its own digest, and signatures are made after it. */
static place place_of(const char *path)
{
	wp_str s = wp_str_of(path), file;
	size_t slash = wp_str_find(s, '/');

	if (!wp_str_ends(wp_str_sub(s, 0, slash), ".dist-info"))
		return ORDINARY;
	file = wp_str_sub(s, slash + 1, s.n);
	if (wp_str_is(file, "RECORD"))
		return RECORD_ITSELF;
	return wp_str_is(file, "RECORD.jws") || wp_str_is(file, "RECORD.p7s") ? SIGNATURE : ORDINARY;
}

static int read_path(reader *r, wp_str s, wp_record_row *row)
{
	const char *name = wp_str_dup(r->a, s), *why;

	row->path = name;
	if (r->lenient)
		return 0;
	if (wp_member_path(r->a, name, false, &row->path, &why) == WP_PATH_REFUSE)
		return fault(r, "%s: '%s'", why, name);
	if (strcmp(name, row->path) != 0)
		warn(r, "a path that is not written plainly", name);
	return 0;
}

static int read_size(reader *r, wp_str s, wp_record_row *row)
{
	uint64_t n;

	row->size = -1;
	if (s.n == 0)
		return 0;
	if (!wp_str_u64(s, &n) || n > INT64_MAX)
		return r->lenient ? 0 : fault(r, "the size '%s' of '%s' is not a number", wp_str_dup(r->a, s), row->path);
	row->size = (int64_t)n;
	return 0;
}

/* Must, and may, this row have a digest? */
static int check_digest(reader *r, wp_str digest, wp_record_row *row)
{
	place where = place_of(row->path);

	if (digest.n && where == RECORD_ITSELF)
		return r->lenient ? no_promise(r, row) : fault(r, "a digest for RECORD itself");
	if (digest.n == 0 && where == ORDINARY && !r->lenient)
		return fault(r, "no digest for '%s'", row->path);
	return digest.n && where != RECORD_ITSELF ? read_hash(r, digest, row) : 0;
}

static int read_row(reader *r, wp_str line)
{
	wp_record_row row = {.line = r->line};
	wp_str field[COLUMNS + 1] = {{0}};
	size_t n = cut_fields(r->a, line, field);

	if (n == 0)
		return fault(r, "a quote that is not closed, or text behind one");
	if (n > COLUMNS || (n < COLUMNS && !r->lenient))
		return fault(r, "%s than three columns", n < COLUMNS ? "fewer" : "more");
	if (r->rows.n == MAX_ROWS)
		return fault(r, "more than %d rows", MAX_ROWS);
	if (read_path(r, field[0], &row) || read_size(r, field[2], &row) || check_digest(r, field[1], &row))
		return r->e->code;
	WP_PUSH(&r->rows, row);
	return 0;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int by_path(const void *a, const void *b)
{
	const wp_record_row *ra = a, *rb = b;
	int c = strcmp(ra->path, rb->path);

	return c ? c : ra->line - rb->line;
}

static bool same_promise(const wp_record_row *a, const wp_record_row *b)
{
	return a->kind == b->kind && memcmp(a->digest, b->digest, sizeof a->digest) == 0 &&
		(a->size < 0 || b->size < 0 || a->size == b->size);
}

/* Rows are sorted: one path's rows are neighbours. */
static int join_rows(reader *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->rows.n; i++) {
		wp_record_row *row = &r->rows.v[i], *before = n ? &r->rows.v[n - 1] : NULL;

		if (!before || strcmp(before->path, row->path) != 0) {
			r->rows.v[n++] = *row;
			continue;
		}
		r->line = row->line;
		if (!same_promise(before, row) && !r->lenient)
			return fault(r, "'%s' has another digest or size in line %d", row->path, before->line);
		if (before->size < 0)
			before->size = row->size;
		warn(r, "a second row", row->path);
	}
	r->rows.n = n;
	return 0;
}

static int parse(wp_arena *a, wp_str text, bool lenient, wp_record *out, wp_error *e)
{
	reader r = {.a = a, .e = e, .lenient = lenient};
	wp_str line;
	int rc;

	*out = (wp_record){0};
	rc = wp_text_check(text, "RECORD", WP_MAX_RECORD, WP_E_RECORD, e);
	while (rc == 0 && wp_str_line(&text, &line)) {
		r.line++;
		if (line.n)
			rc = read_row(&r, line);
	}
	if (rc == 0 && r.rows.n) {
		qsort(r.rows.v, r.rows.n, sizeof *r.rows.v, by_path);
		rc = join_rows(&r);
	}
	out->rows = WP_VEC_COPY(a, &r.rows);
	out->n = r.rows.n;
	out->warnings = WP_VEC_COPY(a, &r.warnings);
	out->nwarnings = r.warnings.n;
	WP_VEC_FREE(&r.rows);
	WP_VEC_FREE(&r.warnings);
	return rc;
}

int wp_record_parse(wp_arena *a, wp_str text, wp_record *out, wp_error *e)
{
	return parse(a, text, false, out, e);
}

int wp_record_parse_installed(wp_arena *a, wp_str text, wp_record *out, wp_error *e)
{
	return parse(a, text, true, out, e);
}

static int path_to_row(const void *key, const void *row)
{
	return strcmp(key, ((const wp_record_row *)row)->path);
}

const wp_record_row *wp_record_find(const wp_record *r, const char *path)
{
	return r->n ? bsearch(path, r->rows, r->n, sizeof *r->rows, path_to_row) : NULL;
}

static void put_quoted(wp_buf *b, const char *path)
{
	wp_buf_putc(b, '"');
	for (; *path; path++) {
		if (*path == '"')
			wp_buf_putc(b, '"');
		wp_buf_putc(b, *path);
	}
	wp_buf_putc(b, '"');
}

void wp_record_line(wp_buf *b, const char *path, const unsigned char *sha256, int64_t size)
{
	if (strpbrk(path, ",\"\r\n"))
		put_quoted(b, path);
	else
		wp_buf_puts(b, path);
	wp_buf_putc(b, ',');
	if (sha256) {
		wp_buf_puts(b, "sha256=");
		base64_sha256(b, sha256);
	}
	wp_buf_putc(b, ',');
	if (sha256 && size >= 0)
		wp_buf_u64(b, (uint64_t)size);
	wp_buf_putc(b, '\n');
}

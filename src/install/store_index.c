/* SPDX-License-Identifier: MIT
 *
 * store_index.c: the index of an entry, as text: a line a file, and the digest of all of it. Who can write there can write
 * a right digest too; what it keeps away are accidents, and those must end in a wheel that is unpacked anew.
 */
#include <inttypes.h>

#include "ext/hash.h"
#include "install/store.h"
#include "os/os.h"
#include "py/record.h"

#define SCHEMA "wheelpack.stored/1"

enum {
	MAX_INDEX = 256 << 20,
	END_LINE = 7 + WP_SHA256_HEX + 1,
	SHORTEST_LINE = 2 + 2 + 2 + WP_SHA256_HEX + 1 + 1 + 1
};

const char *wp_stored_key(wp_arena *a, const char *filename, const char *record_sha256)
{
	char hex[WP_SHA256_HEX + 1];

	wp_sha256_hex(wp_str_of(wp_sprintf(a, "%s\n%s", filename, record_sha256)), hex);
	return wp_strdup(a, hex);
}

bool wp_stored_is_key(const char *name)
{
	unsigned char digest[32];

	return strlen(name) == WP_SHA256_HEX && wp_unhex(wp_str_of(name), digest, 32);
}

/* ---- write ---------------------------------------------------------------------------------- */

static void put_file(wp_buf *b, const wp_stored *f)
{
	char hex[WP_SHA256_HEX + 1];

	wp_hex(f->sha256, 32, hex);
	wp_buf_puts(b, f->executable ? "x " : "- ");
	wp_buf_u64(b, (uint64_t)f->mtime);
	wp_buf_putc(b, ' ');
	wp_buf_u64(b, f->size);
	wp_buf_putc(b, ' ');
	wp_buf_puts(b, hex);
	wp_buf_putc(b, ' ');
	wp_buf_puts(b, f->path);
	wp_buf_putc(b, '\n');
}

wp_str wp_stored_write(wp_arena *a, const wp_stored_wheel *w)
{
	char hex[WP_SHA256_HEX + 1];
	size_t i;
	wp_buf b;

	wp_buf_init(&b, MAX_INDEX);
	wp_buf_printf(&b, SCHEMA "\nwheel %s\nrecord %s\nflushed %s\n", w->filename, w->record, w->flushed ? "yes" : "no");
	for (i = 0; i < w->n; i++)
		put_file(&b, &w->v[i]);
	wp_sha256_hex(wp_buf_view(&b), hex);
	wp_buf_printf(&b, "sha256 %s\n", hex);
	return wp_buf_take(&b, a);
}

/* ---- read ----------------------------------------------------------------------------------- */

static int damaged(wp_error *e)
{
	return wp_fail(e, WP_E_DOCUMENT, "the index is damaged");
}

/* Without its last line, which must be the digest of the others. */
static bool body_of(wp_str text, wp_str *body)
{
	char hex[WP_SHA256_HEX + 1];
	wp_str last;

	if (text.n < END_LINE || text.n > MAX_INDEX || text.p[text.n - 1] != '\n' || memchr(text.p, 0, text.n))
		return false;
	last = wp_str_sub(text, text.n - END_LINE, text.n - 1);
	*body = wp_str_sub(text, 0, text.n - END_LINE);
	wp_sha256_hex(*body, hex);
	return wp_str_starts(last, "sha256 ") && wp_str_is(wp_str_sub(last, 7, last.n), hex);
}

static bool word_line(wp_str *rest, const char *word, wp_str *out)
{
	wp_str line;

	if (!wp_str_line(rest, &line) || !wp_str_starts(line, word))
		return false;
	*out = wp_str_sub(line, strlen(word), line.n);
	return true;
}

static bool read_head(wp_arena *a, wp_str *rest, wp_stored_wheel *out)
{
	wp_str text, filename, record, flushed;

	if (!word_line(rest, SCHEMA, &text) || text.n || !word_line(rest, "wheel ", &filename) ||
		!word_line(rest, "record ", &record) || !word_line(rest, "flushed ", &flushed))
		return false;
	out->filename = wp_str_dup(a, filename);
	out->record = wp_str_dup(a, record);
	out->flushed = wp_str_is(flushed, "yes");
	return wp_utf8_valid(filename) && wp_stored_is_key(out->record) && (out->flushed || wp_str_is(flushed, "no"));
}

/* A member's name as it is when the wheel is opened: tidied. */
static bool is_member(wp_arena *scratch, const char *path)
{
	const char *tidy, *why;

	return wp_member_path(scratch, path, os_is_windows(), &tidy, &why) != WP_PATH_REFUSE && strcmp(tidy, path) == 0;
}

static bool read_file(wp_arena *a, wp_arena *scratch, wp_str line, wp_stored *out)
{
	wp_str mode, mtime, size, hex;
	uint64_t ns;

	if (!wp_str_split(&line, ' ', &mode) || !wp_str_split(&line, ' ', &mtime) || !wp_str_split(&line, ' ', &size) ||
		!wp_str_split(&line, ' ', &hex) || !wp_str_u64(mtime, &ns) || !wp_str_u64(size, &out->size) ||
		hex.n != WP_SHA256_HEX || !wp_unhex(hex, out->sha256, 32))
		return false;
	out->executable = wp_str_is(mode, "x");
	out->mtime = (int64_t)ns;
	out->path = wp_str_dup(a, line);
	return (out->executable || wp_str_is(mode, "-")) && is_member(scratch, out->path);
}

static bool read_files(wp_arena *a, wp_arena *scratch, wp_str rest, wp_stored_wheel *out)
{
	wp_str line;
	size_t i, n = 0;

	for (i = 0; i < rest.n; i++)
		n += rest.p[i] == '\n';
	if (n > rest.n / SHORTEST_LINE)
		return false;
	out->v = WP_NEW_ARRAY(a, n, wp_stored);
	while (wp_str_line(&rest, &line)) {
		wp_stored *f = &out->v[out->n];

		if (out->n == n || !read_file(a, scratch, line, f) || (out->n && strcmp(f[-1].path, f->path) >= 0) ||
			f->size > UINT64_MAX - out->bytes)
			return false;
		out->bytes += f->size;
		out->n++;
	}
	return true;
}

int wp_stored_read(wp_arena *a, wp_str text, wp_stored_wheel *out, wp_error *e)
{
	wp_arena *scratch;
	wp_str body;
	bool good;

	*out = (wp_stored_wheel){0};
	if (!body_of(text, &body) || !read_head(a, &body, out))
		return damaged(e);
	scratch = wp_arena_new();
	good = read_files(a, scratch, body, out);
	wp_arena_free(scratch);
	return good ? 0 : damaged(e);
}

wp_stored *wp_stored_find(const wp_stored_wheel *w, const char *path, size_t *at)
{
	size_t low = 0, high = w->n;

	/* Members of most wheels stand in this order too. */
	if (*at < w->n && strcmp(w->v[*at].path, path) == 0)
		return &w->v[(*at)++];
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strcmp(w->v[mid].path, path);

		if (c == 0) {
			*at = mid + 1;
			return &w->v[mid];
		}
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const char *wp_stored_difference(wp_arena *a, const wp_stored *s, const os_facts *f)
{
	if (f->kind == OS_ABSENT)
		return wp_sprintf(a, "'%s' is missing", s->path);
	if (f->kind != OS_FILE)
		return wp_sprintf(a, "'%s' is no file", s->path);
	if (f->size != s->size)
		return wp_sprintf(a, "'%s' has %" PRIu64 " bytes, not %" PRIu64, s->path, f->size, s->size);
	return f->mtime != s->mtime ? wp_sprintf(a, "'%s' was written to", s->path) : NULL;
}

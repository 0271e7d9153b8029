/* SPDX-License-Identifier: MIT */
#include "fetch/cache.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "ext/hash.h"
#include "os/os.h"

enum { STAMP = 4 + 16 + 1 }; /* "sum HEX\n" */

const char *wp_cache_path(wp_arena *a, const char *dir, const char *kind, const char *key)
{
	if (wp_streq(kind, "pages") || wp_streq(kind, "metadata"))
		return wp_sprintf(a, "%s/%s/%s", dir, kind, key);
	return wp_sprintf(a, "%s/%s/%.2s/%s", dir, kind, key, key);
}

void wp_cache_key(const char *const *parts, size_t n, char out[WP_SHA256_HEX + 1])
{
	wp_hash *h = wp_hash_new(WP_SHA256);
	unsigned char digest[WP_HASH_MAX];
	size_t i;

	for (i = 0; i < n; i++) {
		if (parts[i])
			wp_hash_add(h, parts[i], strlen(parts[i]));
		wp_hash_add(h, "\n", 1);
	}
	wp_hash_end(h, digest);
	wp_hash_free(h);
	wp_hex(digest, WP_SHA256_HEX / 2, out);
}

/* ---- stamps: they tell damage, not malice, and large pages are read in every run ---------- */

typedef struct sum {
	uint64_t h, n;
	unsigned char part[8]; /* bytes of a word that isn't whole yet */
} sum;

static void sum_word(sum *s, const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	s->h = (s->h ^ v) * 0x9e3779b97f4a7c15u;
	s->h ^= s->h >> 29;
}

static void sum_add(sum *s, wp_str text)
{
	const unsigned char *p = (const unsigned char *)text.p, *end = p + text.n;

	while (p < end) {
		if (s->n % 8 == 0 && end - p >= 8) {
			sum_word(s, p);
			p += 8;
			s->n += 8;
			continue;
		}
		s->part[s->n++ % 8] = *p++;
		if (s->n % 8 == 0)
			sum_word(s, s->part);
	}
}

/* "sum HEX\n" of the two, one after the other. */
static void stamp_of(wp_str head, wp_str body, char out[STAMP + 1])
{
	sum s = {.h = 0x243f6a8885a308d3u};

	sum_add(&s, head);
	sum_add(&s, body);
	memset(s.part + s.n % 8, 0, 8 - s.n % 8);
	sum_word(&s, s.part);
	s.h = (s.h ^ s.n) * 0x9e3779b97f4a7c15u;
	snprintf(out, STAMP + 1, "sum %016llx\n", (unsigned long long)(s.h ^ s.h >> 32));
}

/* What stands behind the stamp, if the stamp is that of it. */
static bool stamped(wp_str text, wp_str *out)
{
	char stamp[STAMP + 1];

	*out = wp_str_sub(text, STAMP, text.n);
	stamp_of(*out, (wp_str){0}, stamp);
	return wp_str_starts(text, stamp);
}

bool wp_cache_get(wp_arena *a, const char *dir, const char *kind, const char *key, size_t max, wp_str *out)
{
	const char *path = wp_cache_path(a, dir, kind, key);
	wp_error ignored = {0};
	wp_str text;

	return os_is_file(path) && !os_read_file(a, path, max, &text, &ignored) && stamped(text, out);
}

static int read_heap(const char *path, size_t max, wp_buf *out, wp_error *e)
{
	uint64_t size = 0;
	os_file *f;

	if (os_open(path, OS_READ, &f, e))
		return e->code;
	if (!os_size(f, &size, e) && size > max)
		wp_fail(e, WP_E_TOO_LARGE, "%zu bytes are read at most", max);
	if (!e->code) {
		out->p = wp_xmalloc((size_t)size + 1);
		out->n = (size_t)size;
		out->p[size] = 0;
		os_pread(f, out->p, out->n, 0, e);
	}
	os_close(f, e);
	return e->code;
}

bool wp_cache_load(const char *dir, const char *kind, const char *key, size_t max, wp_buf *file, wp_str *out)
{
	wp_arena *a = wp_arena_new();
	const char *path = wp_cache_path(a, dir, kind, key);
	wp_error ignored = {0};
	bool good;

	*file = (wp_buf){0};
	good = os_is_file(path) && !read_heap(path, max, file, &ignored) && stamped(wp_buf_view(file), out);
	wp_arena_free(a);
	if (!good)
		wp_buf_free(file);
	return good;
}

static int write_parts(os_file *f, wp_str head, wp_str body, wp_error *e)
{
	char stamp[STAMP + 1];

	stamp_of(head, body, stamp);
	if (os_pwrite(f, stamp, STAMP, 0, e) || (head.n && os_pwrite(f, head.p, head.n, STAMP, e)) ||
		(body.n && os_pwrite(f, body.p, body.n, STAMP + head.n, e)))
		return e->code;
	return 0;
}

/* Most often the folder is there. */
static int create(wp_arena *a, const char *path, os_file **out, wp_error *e)
{
	if (!os_open(path, OS_CREATE_NEW, out, e) || e->code != WP_E_NOT_FOUND)
		return e->code;
	*e = (wp_error){0};
	return os_mkdirs(os_dirname(a, path), e) ? (int)e->code : os_open(path, OS_CREATE_NEW, out, e);
}

bool wp_cache_clear(const char *path)
{
	wp_error ignored = {0};
	uint64_t size;
	os_kind kind;

	if (os_stat(path, &kind, &size, &ignored))
		return false;
	if (kind == OS_DIR)
		return !os_rmdir(path, &ignored);
	return (kind == OS_LINK || kind == OS_OTHER) && !os_unlink(path, &ignored);
}

/* What a directory holds may be somebody's: it stays. */
static int put_in_place(const char *from, const char *path, wp_error *e)
{
	wp_error own = {0};

	if (os_rename(from, path, &own) == WP_E_EXISTS) {
		own = (wp_error){0};
		if (wp_cache_clear(path)) {
			os_rename(from, path, &own);
		} else {
			wp_fail(&own, WP_E_EXISTS, "a directory lies where the cache keeps a file");
			wp_err_next(&own, "remove it, or name another cache with --cache-dir");
			wp_err_where(&own, "'%s'", path);
		}
	}
	if (own.code)
		*e = own;
	return own.code;
}

/* Unlike os_write_file this waits for no disk: a torn entry is seen by its stamp. */
int wp_cache_put(const char *dir, const char *kind, const char *key, wp_str head, wp_str body, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	const char *path = wp_cache_path(a, dir, kind, key);
	const char *temp = wp_sprintf(a, "%s.%d-%llx", path, os_pid(), (unsigned long long)(uintptr_t)a);
	wp_error ignored = {0};
	os_file *f;

	if (!create(a, temp, &f, e)) {
		write_parts(f, head, body, e);
		os_close(f, e);
		if (e->code || put_in_place(temp, path, e))
			(void)os_unlink(temp, &ignored);
	}
	wp_arena_free(a);
	return e->code;
}

const char *wp_cache_field(wp_arena *a, wp_str text, const char *word)
{
	size_t n = strlen(word);
	wp_str line;

	while (wp_str_line(&text, &line) && line.n)
		if (line.n > n + 1 && line.p[n] == ' ' && wp_str_starts(line, word) && wp_utf8_valid(line))
			return wp_str_dup(a, wp_str_sub(line, n + 1, line.n));
	return NULL;
}

const char *wp_cache_wheel(wp_arena *a, const char *dir, const char *sha256, uint64_t *size)
{
	const char *path = wp_cache_path(a, dir, "wheels", sha256);
	wp_error ignored = {0};
	os_kind kind;

	return !os_stat(path, &kind, size, &ignored) && kind == OS_FILE ? path : NULL;
}

int wp_cache_keep_wheel(wp_arena *a, const char *dir, const char *from, const char *sha256, const char **path,
	wp_error *e)
{
	*path = wp_cache_path(a, dir, "wheels", sha256);
	return os_mkdirs(os_dirname(a, *path), e) ? (int)e->code : put_in_place(from, *path, e);
}

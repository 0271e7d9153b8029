/* SPDX-License-Identifier: MIT */
/* page.h: what holds for every index page that is read, whatever its form. */
#ifndef WP_TESTS_FUZZ_PAGE_H
#define WP_TESTS_FUZZ_PAGE_H

#include "fetch/packed.h"
#include "fetch/page.h"
#include "fuzz/fuzz.h"
#include "wheelpack/types.h"

static inline bool fuzz_is_digest(const char *hex)
{
	return !hex || (strlen(hex) == WP_SHA256_HEX && strspn(hex, "0123456789abcdef") == WP_SHA256_HEX);
}

static inline bool fuzz_is_text(const char *s)
{
	return !s || wp_utf8_valid(wp_str_of(s));
}

static inline void fuzz_check_file(const wp_file *f)
{
	wp_arena *scratch = wp_arena_new();
	const char *host;

	MUST(f->filename && f->url && wp_streq(f->index, "ordinary"));
	MUST(wp_page_belongs(scratch, f->filename, "torch"));
	MUST(wp_starts(f->url, "https://") || wp_starts(f->url, "http://"));
	host = strstr(f->url, "//") + 2;
	MUST(!strchr(f->url, '#') && !memchr(host, '@', strcspn(host, "/?")));
	MUST(fuzz_is_digest(f->sha256) && fuzz_is_digest(f->metadata_sha256));
	MUST(f->size >= -1 && (f->has_metadata || !f->metadata_sha256));
	MUST(fuzz_is_text(f->filename) && fuzz_is_text(f->url) && fuzz_is_text(f->requires_python) &&
		fuzz_is_text(f->yanked_reason) && fuzz_is_text(f->upload_time));
	wp_arena_free(scratch);
}

static const char fuzz_page_url[] = "https://user:pw@index.test/simple/torch/";

/* The text is gone when the result is looked at: nothing may point into it. */
static inline int fuzz_page_whole(wp_arena *a, const uint8_t *data, size_t n, const char *type, wp_project *out)
{
	char *copy = malloc(n + !n);
	wp_page page = {.text = {copy, n}, .content_type = type, .url = fuzz_page_url};
	wp_error e = {0};
	int bad;

	if (!copy)
		abort();
	memcpy(copy, data, n);
	bad = wp_page_read(a, &page, "torch", "ordinary", out, &e);
	free(copy);
	MUST(bad == (int)e.code && (!bad || bad == WP_E_PAGE || bad == WP_E_TOO_LARGE));
	return bad;
}

/* The same page in pieces of a few bytes. */
static inline int fuzz_page_pieces(wp_arena *a, const uint8_t *data, size_t n, const char *type, wp_project *out)
{
	wp_page_reader *r = wp_page_open(type, fuzz_page_url, "torch");
	wp_error e = {0};
	wp_buf packed = {0};
	size_t at = 0, piece;

	for (; at < n && !e.code; at += piece) {
		piece = 1 + (at * 7 + n) % 13;
		piece = piece < n - at ? piece : n - at;
		wp_page_feed(r, data + at, piece, &e);
	}
	if (!e.code && !wp_page_end(r, &packed, &e))
		MUST(wp_packed_read(a, wp_buf_take(&packed, a), "torch", "ordinary", out));
	wp_page_close(r);
	return (int)e.code;
}

static inline void fuzz_check_same(const wp_file *f, const wp_file *g)
{
	MUST(wp_streq(f->filename, g->filename) && wp_streq(f->url, g->url) && wp_streq(f->sha256, g->sha256));
	MUST(f->size == g->size && f->yanked == g->yanked && wp_streq(f->yanked_reason, g->yanked_reason));
	MUST(wp_streq(f->requires_python, g->requires_python) && wp_streq(f->upload_time, g->upload_time));
	MUST(f->has_metadata == g->has_metadata && wp_streq(f->metadata_sha256, g->metadata_sha256));
}

/* True where the page was read. */
static inline bool fuzz_page(const uint8_t *data, size_t n, const char *type)
{
	wp_arena *a = wp_arena_new();
	wp_project p, q;
	size_t i;
	int bad = fuzz_page_whole(a, data, n, type, &p);

	MUST(fuzz_page_pieces(a, data, n, type, &q) == bad);
	if (!bad) {
		MUST(wp_streq(p.name, "torch") && wp_streq(p.index, "ordinary"));
		MUST(p.nfiles == q.nfiles && p.skipped == q.skipped);
		for (i = 0; i < p.nfiles; i++) {
			fuzz_check_file(&p.files[i]);
			fuzz_check_same(&p.files[i], &q.files[i]);
		}
	}
	wp_arena_free(a);
	return !bad;
}

#endif

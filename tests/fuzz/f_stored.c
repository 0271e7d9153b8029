/* SPDX-License-Identifier: MIT */
#include "ext/hash.h"
#include "fuzz/fuzz.h"
#include "install/store.h"
#include "py/record.h"

/* What is read is what a wheel may have, in order, and is written as it was read. */
static void check(wp_arena *a, wp_str text)
{
	wp_stored_wheel w;
	wp_error e = {0};
	size_t i, at = 0;

	if (wp_stored_read(a, text, &w, &e)) {
		MUST(e.code == WP_E_DOCUMENT);
		return;
	}
	for (i = 0; i < w.n; i++) {
		const char *tidy, *why;

		MUST(i == 0 || strcmp(w.v[i - 1].path, w.v[i].path) < 0);
		MUST(wp_member_path(a, w.v[i].path, false, &tidy, &why) != WP_PATH_REFUSE && strcmp(tidy, w.v[i].path) == 0);
		MUST(wp_stored_find(&w, w.v[i].path, &at) == &w.v[i]);
	}
	for (i = w.n; i > 0; i--)
		MUST(wp_stored_find(&w, w.v[i - 1].path, &at) == &w.v[i - 1]);
	MUST(!wp_stored_read(a, wp_stored_write(a, &w), &w, &e));
}

/* As it is, and with a right digest below it: random bytes never have one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str text = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	char hex[WP_SHA256_HEX + 1];
	wp_buf b;

	check(a, text);
	wp_sha256_hex(text, hex);
	wp_buf_init(&b, SIZE_MAX / 2);
	wp_buf_str(&b, text);
	wp_buf_printf(&b, "sha256 %s\n", hex);
	check(a, wp_buf_view(&b));
	wp_buf_free(&b);
	wp_arena_free(a);
	return 0;
}

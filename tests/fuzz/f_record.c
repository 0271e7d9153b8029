/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "py/record.h"

static void check_paths(wp_arena *a, const char *name)
{
	const char *tidy, *again, *why;
	int windows;

	for (windows = 0; windows < 2; windows++) {
		tidy = NULL;
		if (wp_member_path(a, name, windows, &tidy, &why) == WP_PATH_REFUSE)
			continue;
		MUST(tidy && *tidy && *tidy != '/');
		/* What was tidied is tidy. */
		MUST(wp_member_path(a, tidy, windows, &again, &why) != WP_PATH_REFUSE);
		MUST(strcmp(tidy, again) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str text = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	wp_error e = {0}, lenient = {0};
	wp_record r, installed;
	size_t i;

	if (wp_record_parse(a, text, &r, &e) == 0)
		for (i = 0; i < r.n; i++) {
			MUST(i == 0 || strcmp(r.rows[i - 1].path, r.rows[i].path) < 0);
			MUST(wp_record_find(&r, r.rows[i].path) == &r.rows[i]);
		}
	/* What a wheel may have, an installed distribution may have. */
	wp_record_parse_installed(a, text, &installed, &lenient);
	MUST(!lenient.code || e.code);
	for (i = 1; !lenient.code && i < installed.n; i++)
		MUST(strcmp(installed.rows[i - 1].path, installed.rows[i].path) < 0);
	if (wp_utf8_valid(text))
		check_paths(a, wp_str_dup(a, text));
	wp_arena_free(a);
	return 0;
}

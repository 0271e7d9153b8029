/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "fuzz/page.h"

/* A page that is read file by file is JSON as a whole. */
static void check_json(wp_str text)
{
	wp_arena *a = wp_arena_new();
	wp_error e = {0};
	wp_json j;

	wp_json_init(&j, a, text, WP_E_PAGE, &e);
	wp_json_skip(&j);
	MUST(wp_json_end(&j) == 0);
	wp_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (fuzz_page(data, n, "application/vnd.pypi.simple.v1+json"))
		check_json((wp_str){(const char *)data, n});
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "fuzz/fuzz.h"

/* Pull every value by its kind. */
static void walk(wp_json *j)
{
	wp_str s;
	bool flag;

	switch (wp_json_peek(j)) {
	case WP_JSON_OBJECT:
		wp_json_object(j);
		while (wp_json_key(j, &s)) {
			MUST(wp_utf8_valid(s));
			walk(j);
		}
		break;
	case WP_JSON_ARRAY:
		wp_json_array(j);
		while (wp_json_item(j))
			walk(j);
		break;
	case WP_JSON_STRING:
		if (wp_json_string(j, &s))
			MUST(wp_utf8_valid(s) && s.p[s.n] == 0);
		break;
	case WP_JSON_BOOL:
		wp_json_bool(j, &flag);
		break;
	case WP_JSON_NULL:
		wp_json_null(j);
		break;
	default:
		wp_json_skip(j);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str text = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	wp_error pulled = {0}, skipped = {0};
	wp_json j;

	wp_json_init(&j, a, text, WP_E_PAGE, &pulled);
	walk(&j);
	wp_json_end(&j);
	wp_json_init(&j, a, text, WP_E_PAGE, &skipped);
	wp_json_skip(&j);
	wp_json_end(&j);
	MUST(pulled.code == skipped.code);
	MUST(pulled.code || wp_utf8_valid(text));
	wp_arena_free(a);
	return 0;
}

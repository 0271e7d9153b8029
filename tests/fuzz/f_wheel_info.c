/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "py/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str text = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	wp_wheel_info info = {0};
	wp_error e = {0};
	size_t i;

	if (wp_wheel_info_parse(a, text, &info, &e) == 0) {
		MUST(info.wheel_version && info.major >= 0 && info.minor >= 0);
		for (i = 0; i < info.ntags; i++)
			MUST(info.tags[i] && wp_utf8_valid(wp_str_of(info.tags[i])));
	} else {
		MUST(e.code == WP_E_WHEEL && e.why[0]);
	}
	wp_arena_free(a);
	return 0;
}

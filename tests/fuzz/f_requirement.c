/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "py/requirement.h"

static void check_parts(const wp_requirement *r)
{
	size_t i;

	MUST(r->text && r->name && r->project && r->specifiers.norm);
	MUST(wp_utf8_valid(wp_str_of(r->text)));
	MUST(!r->url || (*r->url && r->specifiers.n == 0));
	for (i = 0; i < r->nextras; i++)
		MUST(i == 0 || strcmp(r->extras[i - 1], r->extras[i]) < 0);
}

/* The normal form reads as the same requirement. */
static void check_again(wp_arena *a, const wp_requirement *r)
{
	const char *norm = wp_requirement_text(a, r);
	wp_requirement again;
	wp_error e = {0};

	MUST(strlen(norm) <= 6 * strlen(r->text) + 16);
	if (strlen(norm) > WP_MAX_MARKER)
		return;
	MUST(wp_requirement_parse(a, wp_str_of(norm), &again, &e) == 0);
	MUST(wp_streq(wp_requirement_text(a, &again), norm));
	MUST(wp_streq(again.project, r->project) && again.nextras == r->nextras);
	MUST(wp_streq(again.url, r->url) && !again.marker == !r->marker);
	MUST(wp_streq(again.specifiers.norm, r->specifiers.norm));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str text = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	wp_requirement strict, lenient;
	wp_error e = {0}, e2 = {0};
	bool repaired;
	int bad = wp_requirement_parse(a, text, &strict, &e);
	int bad2 = wp_requirement_parse_lenient(a, text, &lenient, &repaired, &e2);

	MUST(bad == (int)e.code && bad2 == (int)e2.code && (!bad || bad == WP_E_REQUIREMENT));
	MUST(bad || (!bad2 && !repaired));
	if (!bad) {
		check_parts(&strict);
		check_again(a, &strict);
		MUST(wp_streq(wp_requirement_text(a, &strict), wp_requirement_text(a, &lenient)));
	}
	if (!bad2) {
		check_parts(&lenient);
		check_again(a, &lenient);
	}
	wp_arena_free(a);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "py/version.h"

enum { MAX_LINES = 6, LONGER = 32 }; /* a normal form may add so much: v1c-1 is 1rc0.post1 */

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void check_one(wp_arena *a, const wp_version *v)
{
	wp_version again, bare;

	MUST(wp_utf8_valid(wp_str_of(v->norm)) && strlen(v->norm) <= strlen(v->text) + LONGER);
	MUST(wp_version_cmp(v, v) == 0);
	if (strlen(v->norm) <= WP_MAX_VERSION) {
		MUST(wp_version_parse(a, wp_str_of(v->norm), &again));
		MUST(wp_streq(again.norm, v->norm) && wp_version_cmp(&again, v) == 0);
		MUST(wp_version_prerelease(&again) == wp_version_prerelease(v));
		MUST(wp_version_parse(a, wp_str_of(wp_version_public(a, v)), &bare));
		MUST(!bare.local && sign(wp_version_cmp(&bare, v)) == (v->local ? -1 : 0));
	}
}

/* An order: what holds for two and for three of them. */
static void check_order(const wp_version *v, size_t n)
{
	size_t i, k, m;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			int ik = sign(wp_version_cmp(&v[i], &v[k]));

			MUST(ik == -sign(wp_version_cmp(&v[k], &v[i])));
			for (m = 0; m < n; m++)
				if (ik <= 0 && wp_version_cmp(&v[k], &v[m]) <= 0)
					MUST(wp_version_cmp(&v[i], &v[m]) <= 0);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str rest = {(const char *)data, n}, line;
	wp_version v[MAX_LINES];
	wp_arena *a = wp_arena_new();
	size_t known = 0;

	while (known < MAX_LINES && wp_str_split(&rest, '\n', &line))
		if (wp_version_parse(a, line, &v[known]))
			check_one(a, &v[known++]);
	check_order(v, known);
	wp_arena_free(a);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "py/name.h"
#include "py/tag.h"
#include "wheelpack/lock.h"

static const char *const platforms[] = {"win_amd64", "manylinux_2_28_x86_64", "macosx_11_0_arm64"};

/* Place of the first of the target's tags that the wheel has. */
static size_t rank(const wp_target *t, const char *const *tags, size_t n)
{
	size_t i, k;

	for (i = 0; i < t->ntags; i++)
		for (k = 0; k < n; k++)
			if (strcmp(t->tags[i], tags[k]) == 0)
				return i;
	return SIZE_MAX;
}

static void check_rank(wp_arena *a, const wp_wheel_name *w, const char *const *tags, size_t n)
{
	wp_error e = {0};
	wp_target t;
	size_t i;

	for (i = 0; i < sizeof platforms / sizeof *platforms; i++) {
		MUST(wp_target_make(a, "3.9", platforms[i], NULL, &t, &e) == 0);
		MUST(wp_wheel_rank(w, &t) == rank(&t, tags, n));
	}
}

/* The parts make the name again. */
static void check_again(wp_arena *a, const wp_wheel_name *w, wp_str filename)
{
	const char *text = wp_sprintf(a, "%s-%s%s%s-%s-%s-%s.whl", w->name, w->version.text, w->build ? "-" : "",
		w->build ? w->build : "", w->python, w->abi, w->platform);
	wp_wheel_name again;
	wp_error e = {0};

	MUST(strlen(text) <= filename.n);
	MUST(wp_wheel_name_parse(a, wp_str_of(text), &again, &e) == 0);
	MUST(wp_streq(again.project, w->project) && wp_streq(again.version.norm, w->version.norm));
	MUST(wp_streq(again.build, w->build) && again.build_n == w->build_n);
	MUST(wp_streq(wp_name_normalize(a, wp_str_of(w->project)), w->project));
}

static void check_sdist(wp_arena *a, wp_str filename)
{
	wp_version v;

	if (wp_sdist_name_parse(a, filename, "a-b", &v))
		MUST(v.norm && v.nrelease);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str filename = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	const char *const *tags;
	wp_wheel_name w;
	wp_error e = {0};
	int bad = wp_wheel_name_parse(a, filename, &w, &e);
	size_t ntags;

	MUST(bad == (int)e.code && (!bad || bad == WP_E_WHEEL));
	if (!bad) {
		ntags = wp_wheel_tags(a, &w, &tags);
		MUST(ntags > 0 && ntags <= 4096);
		check_again(a, &w, filename);
		check_rank(a, &w, tags, ntags);
	}
	check_sdist(a, filename);
	wp_arena_free(a);
	return 0;
}

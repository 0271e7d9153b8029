/* SPDX-License-Identifier: MIT */
#include "py/tag.h"
#include "wheelpack/lock.h"
#include "unit/arena.h"

static wp_wheel_name wheel(const char *filename)
{
	wp_wheel_name w;
	wp_error err = {0};

	if (wp_wheel_name_parse(arena, wp_str_of(filename), &w, &err))
		fail_msg("%s", err.why);
	return w;
}

static wp_target target(const char *name)
{
	wp_target t;
	wp_error err = {0};

	if (wp_target_parse(arena, name, &t, &err))
		fail_msg("%s", err.why);
	return t;
}

static const char *joined(const char *platform)
{
	const char *const *tags;
	size_t n = wp_platform_tags(arena, platform, &tags), i;
	const char *all = "";

	for (i = 0; i < n; i++)
		all = wp_sprintf(arena, "%s%s%s", all, i ? " " : "", tags[i]);
	return all;
}

static void a_wheel_name_has_its_parts(void **state)
{
	wp_wheel_name w = wheel("Torch_Vision-0.26.0+cu126-3abc-cp312-cp312-manylinux_2_28_x86_64.linux_x86_64.whl");

	(void)state;
	assert_string_equal(w.name, "Torch_Vision");
	assert_string_equal(w.project, "torch-vision");
	assert_string_equal(w.version.norm, "0.26.0+cu126");
	assert_string_equal(w.build, "3abc");
	assert_int_equal(w.build_n, 3);
	assert_string_equal(w.python, "cp312");
	assert_string_equal(w.abi, "cp312");
	assert_string_equal(w.platform, "manylinux_2_28_x86_64.linux_x86_64");
	assert_null(wheel("a-1-py3-none-any.whl").build);
	assert_int_equal(wheel("black-22.10.0-1fixedarch-py3-none-any.whl").build_n, 1);
	assert_string_equal(wheel("a-1!2.0.01-py3-none-any.whl").version.norm, "1!2.0.1");
}

static void what_is_no_wheel_name_is_refused(void **state)
{
	static const char *const rows[][2] = {{"torch-2.0.tar.gz", "does not end in .whl"},
		{"torch-2.0-cp312-cp312-win_amd64.WHL", "does not end in .whl"},
		{"torch-2.0.whl", "five or six parts"}, {"-1.0-py3-none-any.whl", "not a project name"},
		{"foo__bar-1.0-py3-none-any.whl", "two underscores"},
		{"foo#bar-1.0-py3-none-any.whl", "not a project name"},
		{"../foo-1.0-py3-none-any.whl", "not a project name"},
		{"foo-1.x-py3-none-any.whl", "not a version"}, {"foo-1.0_cu118-py3-none-any.whl", "not a version"},
		{"foo-1.7+arch75+torch222-py3-none-any.whl", "not a version"},
		{"foo-1.0-x1-py3-none-any.whl", "build tag"}, {"foo-1.0-py3-none-.whl", "compatibility tags"},
		{"foo-1.0-py3.-none-any.whl", "compatibility tags"},
		{"foo-0.1.1-2.7.6-none-any.whl", "compatibility tags"},
		{"foo-1.0-1-cp312-cp312-win_amd64-x8664v3.whl", "wheel variants"},
		{"foo-1.0-1-cp312-cp312-win_amd64-a-b.whl", "five or six parts"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		wp_wheel_name w;
		wp_error err = {0};

		assert_int_equal(wp_wheel_name_parse(arena, wp_str_of(rows[i][0]), &w, &err), WP_E_WHEEL);
		if (!strstr(err.why, rows[i][1]))
			fail_msg("%s", err.why);
	}
}

static void names_and_tag_sets_have_limits(void **state)
{
	char *name = wp_alloc(arena, 400);
	wp_wheel_name w;
	wp_error err = {0}, err2 = {0};
	const char *set = "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q";

	(void)state;
	memset(name, 'a', 300);
	memcpy(name + 300, "-1-py3-none-any.whl", 20);
	assert_int_equal(wp_wheel_name_parse(arena, wp_str_of(name), &w, &err), WP_E_WHEEL);
	name = wp_sprintf(arena, "a-1-%s-%s-%s.whl", set, set, set);
	assert_int_equal(wp_wheel_name_parse(arena, wp_str_of(name), &w, &err2), WP_E_WHEEL);
	assert_non_null(strstr(err2.why, "more than 4096"));
}

static void compressed_sets_expand(void **state)
{
	wp_wheel_name w = wheel("a-1-py2.PY3-none-any.whl");
	const char *const *tags;

	(void)state;
	assert_int_equal(wp_wheel_tags(arena, &w, &tags), 2);
	assert_string_equal(tags[0], "py2-none-any");
	assert_string_equal(tags[1], "py3-none-any");
}

static void a_glibc_level_covers_the_older_ones(void **state)
{
	(void)state;
	assert_string_equal(joined("manylinux_2_18_aarch64"),
		"manylinux_2_18_aarch64 manylinux_2_17_aarch64 manylinux2014_aarch64 linux_aarch64");
	assert_string_equal(joined("manylinux_2_6_x86_64"),
		"manylinux_2_6_x86_64 manylinux_2_5_x86_64 manylinux1_x86_64 linux_x86_64");
	assert_string_equal(joined("musllinux_1_2_x86_64"),
		"musllinux_1_2_x86_64 musllinux_1_1_x86_64 musllinux_1_0_x86_64 linux_x86_64");
	assert_string_equal(joined("win_amd64"), "win_amd64");
	assert_string_equal(joined("macosx_10_4_x86_64"),
		"macosx_10_4_x86_64 macosx_10_4_intel macosx_10_4_fat64 macosx_10_4_fat3 macosx_10_4_universal2 "
		"macosx_10_4_universal");
	assert_true(wp_starts(joined("macosx_12_3_arm64"),
		"macosx_12_0_arm64 macosx_12_0_universal2 macosx_11_0_arm64 macosx_11_0_universal2 "
		"macosx_10_16_universal2"));
}

static void tags_are_in_order_of_preference(void **state)
{
	wp_target t = target("cp312-win_amd64");
	static const char *const up[] = {"cp312-cp312-win_amd64", "cp312-abi3-win_amd64", "cp312-none-win_amd64",
		"cp311-abi3-win_amd64", "cp32-abi3-win_amd64", "py312-none-win_amd64", "py3-none-win_amd64",
		"py311-none-win_amd64", "cp312-none-any", "py312-none-any", "py3-none-any", "py30-none-any"};
	size_t i, last = 0;

	(void)state;
	for (i = 0; i < sizeof up / sizeof *up; i++) {
		wp_wheel_name w = wheel(wp_sprintf(arena, "a-1-%s.whl", up[i]));
		size_t rank = wp_wheel_rank(&w, &t);

		assert_true(rank < t.ntags);
		assert_true(i == 0 ? rank == 0 : rank > last);
		last = rank;
	}
	assert_int_equal(last, t.ntags - 1);
}

static void wheels_of_others_have_no_rank(void **state)
{
	static const char *const others[] = {"cp311-cp311-win_amd64", "cp313-abi3-win_amd64", "cp312-cp312-win32",
		"cp312-cp312t-win_amd64", "py2-none-any", "cp312-cp312-linux_x86_64", "cp311-none-any"};
	wp_target t = target("cp312-win_amd64");
	size_t i;

	(void)state;
	for (i = 0; i < sizeof others / sizeof *others; i++) {
		wp_wheel_name w = wheel(wp_sprintf(arena, "a-1-%s.whl", others[i]));

		assert_true(wp_wheel_rank(&w, &t) == SIZE_MAX);
	}
}

static void the_best_tag_of_a_set_counts(void **state)
{
	wp_target t = target("cp312-manylinux_2_28_x86_64");
	wp_wheel_name w = wheel("a-1-cp310-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl");
	size_t with_index = wp_wheel_rank(&w, &t);

	(void)state;
	assert_string_equal(t.tags[with_index], "cp310-abi3-manylinux_2_17_x86_64");
	t.tag_index = NULL;
	assert_int_equal(wp_wheel_rank(&w, &t), with_index);
}

static void free_threaded_builds_take_no_abi3(void **state)
{
	wp_target t = target("cp313t-win_amd64"), newer = target("cp315t-win_amd64");
	wp_wheel_name own = wheel("a-1-cp313-cp313t-win_amd64.whl"), stable = wheel("a-1-cp39-abi3-win_amd64.whl");
	wp_wheel_name stable_t = wheel("a-1-cp315-abi3t-win_amd64.whl"), pure = wheel("a-1-py3-none-any.whl");

	(void)state;
	assert_int_equal(wp_wheel_rank(&own, &t), 0);
	assert_true(wp_wheel_rank(&stable, &t) == SIZE_MAX);
	assert_true(wp_wheel_rank(&pure, &t) < t.ntags);
	assert_true(wp_wheel_rank(&stable_t, &newer) < newer.ntags);
	assert_true(wp_wheel_rank(&stable, &newer) == SIZE_MAX);
}

static void a_source_distribution_has_a_name_too(void **state)
{
	wp_version v;

	(void)state;
	assert_true(wp_sdist_name_parse(arena, WP_LIT("backports.entry-points_selectable-1.1.tar.gz"),
		"backports-entry-points-selectable", &v));
	assert_string_equal(v.norm, "1.1");
	assert_true(wp_sdist_name_parse(arena, WP_LIT("a-2-3.0.zip"), "a-2", &v));
	assert_string_equal(v.norm, "3.0");
	assert_false(wp_sdist_name_parse(arena, WP_LIT("a-1.0.xz"), "a", &v));
	assert_false(wp_sdist_name_parse(arena, WP_LIT("-1.0.zip"), "", &v));
	assert_false(wp_sdist_name_parse(arena, WP_LIT("b-1.0.zip"), "a", &v));
}

static void a_set_of_tags_is_taken_apart(void **state)
{
	static const char *const bad[] = {"", "py3", "py3-none", "py3-none-any-x", "py3.-none-any", "3-none-any", "py3--any"};
	const char *const *tags;
	size_t n, i;

	(void)state;
	assert_true(wp_tag_set(arena, WP_LIT("py2.PY3-none-any"), 2, &tags, &n));
	assert_int_equal(n, 2);
	assert_string_equal(tags[1], "py3-none-any");
	assert_false(wp_tag_set(arena, WP_LIT("py2.py3-none-any"), 1, &tags, &n));
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		if (wp_tag_set(arena, wp_str_of(bad[i]), WP_MAX_TAGS, &tags, &n))
			fail_msg("'%s' was taken", bad[i]);
	assert_true(wp_tag_set_sorted(WP_LIT("py2.py3-none-linux_x86_64.manylinux_2_17_x86_64")));
	assert_false(wp_tag_set_sorted(WP_LIT("py3.py2-none-any")));
	assert_false(wp_tag_set_sorted(WP_LIT("py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wheel_name_has_its_parts),
		cmocka_unit_test(what_is_no_wheel_name_is_refused),
		cmocka_unit_test(names_and_tag_sets_have_limits),
		cmocka_unit_test(compressed_sets_expand),
		cmocka_unit_test(a_glibc_level_covers_the_older_ones),
		cmocka_unit_test(tags_are_in_order_of_preference),
		cmocka_unit_test(wheels_of_others_have_no_rank),
		cmocka_unit_test(the_best_tag_of_a_set_counts),
		cmocka_unit_test(free_threaded_builds_take_no_abi3),
		cmocka_unit_test(a_set_of_tags_is_taken_apart),
		cmocka_unit_test(a_source_distribution_has_a_name_too),
	};

	return cmocka_run_group_tests_name("tag", tests, setup, teardown);
}

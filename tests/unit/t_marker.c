/* SPDX-License-Identifier: MIT */
#include "py/marker.h"
#include "unit/arena.h"

static const wp_markers windows = {.os_name = "nt",
	.sys_platform = "win32",
	.platform_machine = "AMD64",
	.platform_python_implementation = "CPython",
	.platform_release = "",
	.platform_system = "Windows",
	.platform_version = "",
	.python_version = "3.10",
	.python_full_version = "3.10.2",
	.implementation_name = "cpython",
	.implementation_version = "3.10.2"};

static wp_marker *marker(const char *text)
{
	wp_error err = {0};
	wp_marker *m = wp_marker_parse(arena, wp_str_of(text), &err);

	if (!m)
		fail_msg("%s", err.why);
	return m;
}

static bool eval(const char *text, const char *extra)
{
	return wp_marker_eval(marker(text), &windows, &extra, extra ? 1 : 0);
}

static void versions_are_compared_as_versions(void **state)
{
	(void)state;
	assert_true(eval("python_version >= '3.9'", NULL));
	assert_false(eval("python_version < '3.9'", NULL));
	assert_true(eval("'3.9' < python_version", NULL));
	assert_true(eval("python_full_version == '3.10.*'", NULL));
	assert_true(eval("python_version ~= '3.8'", NULL));
	assert_true(eval("python_version in '3.9, 3.10'", NULL));
	assert_true(eval("implementation_version > '3.10.2rc1'", NULL));
}

static void a_build_from_a_source_tree_has_a_version_too(void **state)
{
	wp_markers env = windows;

	(void)state;
	env.python_full_version = "3.14.0+";
	assert_true(wp_marker_eval(marker("python_full_version >= '3.14'"), &env, NULL, 0));
	assert_true(wp_marker_eval(marker("python_full_version < '3.15'"), &env, NULL, 0));
}

static void text_has_no_order(void **state)
{
	wp_markers env = windows;

	(void)state;
	assert_true(eval("platform_system == 'Windows' and platform_machine != 'x86_64'", NULL));
	assert_false(eval("sys_platform < 'zzz'", NULL));
	assert_false(eval("sys_platform > 'aaa'", NULL));
	assert_true(eval("sys_platform >= 'win32'", NULL));
	assert_false(eval("os_name ~= 'nt'", NULL));
	assert_false(eval("os_name === 'nt'", NULL));
	assert_true(eval("'win' in sys_platform", NULL));
	assert_true(eval("sys_platform not in 'linux darwin'", NULL));
	env.platform_release = "6.7.0-gentoo";
	assert_false(wp_marker_eval(marker("platform_release >= '20.0'"), &env, NULL, 0));
	assert_true(wp_marker_eval(marker("platform_release != '20.0'"), &env, NULL, 0));
	assert_true(wp_marker_eval(marker("platform_release == '6.7.0-gentoo'"), &env, NULL, 0));
}

static void and_binds_tighter_than_or(void **state)
{
	(void)state;
	assert_true(eval("os_name == 'nt' or os_name == 'x' and os_name == 'y'", NULL));
	assert_false(eval("(os_name == 'nt' or os_name == 'x') and os_name == 'y'", NULL));
	assert_true(eval("os_name=='x' and os_name=='y' or os_name=='nt'", NULL));
}

static void extras_are_compared_normalised(void **state)
{
	const char *two[] = {"opt-einsum", "optree"};

	(void)state;
	assert_true(eval("extra == 'Opt_Einsum'", "opt-einsum"));
	assert_false(eval("extra == 'opt-einsum'", NULL));
	assert_true(eval("extra != 'opt-einsum'", NULL));
	assert_true(wp_marker_eval(marker("extra == 'optree'"), &windows, two, 2));
	assert_true(wp_marker_eval(marker("'Opt.Einsum' in extras"), &windows, two, 2));
	assert_false(wp_marker_eval(marker("'x' in extras"), &windows, two, 2));
	assert_false(wp_marker_eval(marker("'x' in dependency_groups"), &windows, two, 2));
	assert_true(wp_marker_eval(marker("'x' not in dependency_groups"), &windows, two, 2));
}

static void no_marker_is_true(void **state)
{
	(void)state;
	assert_true(wp_marker_eval(NULL, &windows, NULL, 0));
	assert_false(wp_marker_reads(NULL, "os_name"));
}

static void the_normal_form_keeps_what_parentheses_say(void **state)
{
	static const char *const pairs[][2] = {
		{"os.name=='nt'and python_implementation ==\"CPython\"",
			"os_name == \"nt\" and platform_python_implementation == \"CPython\""},
		{"((os_name == 'a'))", "os_name == \"a\""},
		{"(os_name == 'a' or os_name == 'b') and (extra == 'c')",
			"(os_name == \"a\" or os_name == \"b\") and extra == \"c\""},
		{"((os_name == 'a' or os_name == 'b')) and os_name not  in 'c'",
			"(os_name == \"a\" or os_name == \"b\") and os_name not in \"c\""},
		{"platform_version == '#1 \"x\"'", "platform_version == '#1 \"x\"'"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
		assert_string_equal(wp_marker_text(arena, marker(pairs[i][0])), pairs[i][1]);
}

static void what_a_marker_reads_is_known(void **state)
{
	(void)state;
	assert_true(wp_marker_reads(marker("os_name == 'a' and (extra == 'b' or '1' < platform_release)"),
		"platform_release"));
	assert_false(wp_marker_reads(marker("os_name == 'platform_release'"), "platform_release"));
}

static void faults_say_what_and_where(void **state)
{
	static const char *const rows[][2] = {{"", "a variable or a string in quotes is missing at character 1"},
		{"python_versio >= '3'", "'python_versio' is not a marker variable at character 1"},
		{"python_version >= 3", "'3' is not a marker variable at character 19"},
		{"python_version", "a comparison such as == or in is missing at character 15"},
		{"os_name == 'nt", "the string is not closed at character 12"},
		{"os_name == 'C:\\x'", "backslashes are not allowed in strings at character 12"},
		{"(os_name == 'nt'", "a ')' is missing at character 17"},
		{"os_name == 'nt' os_name", "'and', 'or' or the end was expected at character 17"},
		{"os_name == 'nt'\n", "'and', 'or' or the end was expected at character 16"},
		{"os_name notin 'nt'", "a comparison such as == or in is missing at character 9"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		wp_error err = {0};

		assert_null(wp_marker_parse(arena, wp_str_of(rows[i][0]), &err));
		assert_int_equal(err.code, WP_E_REQUIREMENT);
		if (!strstr(err.why, rows[i][1]))
			fail_msg("%s", err.why);
	}
}

static void depth_and_size_have_limits(void **state)
{
	size_t n = WP_MAX_MARKER + 1;
	char *deep = wp_xmalloc(n);
	wp_error err = {0}, err2 = {0};

	(void)state;
	memset(deep, '(', n);
	assert_null(wp_marker_parse(arena, (wp_str){deep, 1000}, &err));
	assert_non_null(strstr(err.why, "more than 64 parentheses"));
	assert_null(wp_marker_parse(arena, (wp_str){deep, n}, &err2));
	free(deep);
}

static bool judged(const char *text, bool *truth)
{
	static const char *const extras[] = {"gpu"};
	wp_marker_ask ask = {.env = &windows, .extras = {true, extras, 1}};
	wp_error err = {0};

	return wp_marker_judge(marker(text), &ask, truth, &err) == 0;
}

static void what_has_no_meaning_is_a_fault_to_a_judge(void **state)
{
	static const char *const odd[] = {"sys_platform ~= 'win'", "os_name === 'nt'", "extras == 'gpu'", "extra == 'gpu'",
		"'gpu' in dependency_groups", "sys_platform == 'win32' or 'x' not in dependency_groups",
		"python_version ~= 'x'"};
	bool truth;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof odd / sizeof *odd; i++) {
		if (judged(odd[i], &truth))
			fail_msg("%s", odd[i]);
		if (i < 5)
			assert_false(eval(odd[i], NULL));
	}
	assert_true(judged("'GPU' in extras and sys_platform == 'win32'", &truth) && truth);
	assert_true(judged("'cpu' in extras", &truth) && !truth);
	assert_true(judged("'cpu' not in extras", &truth) && truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_compared_as_versions),
		cmocka_unit_test(a_build_from_a_source_tree_has_a_version_too),
		cmocka_unit_test(text_has_no_order),
		cmocka_unit_test(and_binds_tighter_than_or),
		cmocka_unit_test(extras_are_compared_normalised),
		cmocka_unit_test(no_marker_is_true),
		cmocka_unit_test(the_normal_form_keeps_what_parentheses_say),
		cmocka_unit_test(what_a_marker_reads_is_known),
		cmocka_unit_test(faults_say_what_and_where),
		cmocka_unit_test(depth_and_size_have_limits),
		cmocka_unit_test(what_has_no_meaning_is_a_fault_to_a_judge),
	};

	return cmocka_run_group_tests_name("marker", tests, setup, teardown);
}

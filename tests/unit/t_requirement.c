/* SPDX-License-Identifier: MIT */
#include "py/requirement.h"
#include "unit/arena.h"

static wp_requirement requirement(const char *text)
{
	wp_requirement r;
	wp_error err = {0};

	if (wp_requirement_parse(arena, wp_str_of(text), &r, &err))
		fail_msg("%s", err.why);
	return r;
}

static void every_form_has_a_normal_form(void **state)
{
	static const char *const pairs[][2] = {{"torch", "torch"}, {" torch==2.11.0 ", "torch==2.11.0"},
		{"torch >= 2.6 , < 2.8", "torch<2.8,>=2.6"},
		{"nvidia-cublas-cu12 (==12.1.3.1) ; platform_system == \"Linux\" and platform_machine == \"x86_64\"",
			"nvidia-cublas-cu12==12.1.3.1; platform_system == \"Linux\" and platform_machine == \"x86_64\""},
		{"mkl<=2021.4.0,>=2021.1.1 ; platform_system == \"Windows\"",
			"mkl<=2021.4.0,>=2021.1.1; platform_system == \"Windows\""},
		{"cuda-toolkit[nvrtc,cudart,cupti,nvrtc]==13.0.2 ; platform_system == \"Linux\"",
			"cuda-toolkit[cudart,cupti,nvrtc]==13.0.2; platform_system == \"Linux\""},
		{"opt-einsum>=3.3; extra == \"opt-einsum\"", "opt-einsum>=3.3; extra == \"opt-einsum\""},
		{"pillow!=8.3.*,>=5.3.0", "pillow!=8.3.*,>=5.3.0"},
		{"a[]", "a"}, {"a()", "a"}, {"openpyxl>=3.6,", "openpyxl>=3.6"},
		{"en_core @ https://example.com/a;b.whl#sha256=1 ; os_name=='nt'",
			"en_core @ https://example.com/a;b.whl#sha256=1 ; os_name == \"nt\""}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		wp_requirement r = requirement(pairs[i][0]);

		assert_string_equal(wp_requirement_text(arena, &r), pairs[i][1]);
	}
}

static void the_parts_are_told_apart(void **state)
{
	wp_requirement r = requirement("Cuda_Toolkit [ NVRTC , cu.part ] == 13.0.2 ; python_version >= '3.10'");

	(void)state;
	assert_string_equal(r.text, "Cuda_Toolkit [ NVRTC , cu.part ] == 13.0.2 ; python_version >= '3.10'");
	assert_string_equal(r.name, "Cuda_Toolkit");
	assert_string_equal(r.project, "cuda-toolkit");
	assert_int_equal(r.nextras, 2);
	assert_string_equal(r.extras[0], "cu-part");
	assert_string_equal(r.extras[1], "nvrtc");
	assert_int_equal(r.specifiers.n, 1);
	assert_null(r.url);
	assert_non_null(r.marker);
}

static void faults_say_what_and_where(void **state)
{
	static const char *const rows[][2] = {{"", "the name of a project is missing at character 1"},
		{"-torch", "must begin and end with a letter or digit at character 1"},
		{"torch-", "must begin and end with a letter or digit"},
		{"torch=2.6", "'=' is not an operator, '==' is at character 6"},
		{"torch 2.6", "an operator such as == is missing at character 7"},
		{"torch>=2.6 <2.8", "'>=2.6 <2.8' is not a version specifier at character 6"},
		{"torch>=2.6,==", "'==' is not a version specifier at character 12"},
		{"torch>=2.*", "'>=2.*' is not a version specifier"},
		{"torch>=2 #", "is not a version specifier"},
		{"torch (>=2", "a ')' is missing"},
		{"torch (>=2) x", "';' or the end was expected at character 13"},
		{"torch[a,]", "the name of an extra is missing at character 9"},
		{"torch[a b]", "',' or ']' was expected after an extra at character 9"},
		{"torch[a", "',' or ']' was expected"},
		{"torch @ ", "the address behind '@' is missing"},
		{"torch @ https://example.com/; os_name=='nt'", "was expected behind the address"},
		{"torch; os_nam == 'nt'", "'os_nam' is not a marker variable"},
		{"torch\n", "a line break or control character at character 6"},
		{"t\xff", "not UTF-8"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		wp_requirement r;
		wp_error err = {0};

		assert_int_equal(wp_requirement_parse(arena, wp_str_of(rows[i][0]), &r, &err), WP_E_REQUIREMENT);
		if (!strstr(err.why, rows[i][1]))
			fail_msg("%s", err.why);
	}
}

static void a_fault_in_a_marker_names_the_requirement(void **state)
{
	wp_requirement r;
	wp_error err = {0};

	(void)state;
	wp_requirement_parse(arena, WP_LIT("torch; x"), &r, &err);
	assert_string_equal(err.where, "requirement 'torch; x'");
}

static void old_metadata_is_read_as_it_was_meant(void **state)
{
	static const char *const pairs[][2] = {{"torch (>=1.9.*)", "torch>=1.9"}, {"PyYAML (>=5.1.*)", "PyYAML>=5.1"},
		{"pytz>dev", "pytz>0.dev0"}, {"pyzmq !=3.0*", "pyzmq!=3.0.*"}, {"a !=~5.0", "a!=5.0.*"},
		{"a (>=7.2<8)", "a<8,>=7.2"}, {"a>=2.1,<3.0.0'", "a<3.0.0,>=2.1"},
		{"a>=4.0.*; extra == 'b'", "a>=4.0; extra == \"b\""}, {"a~=1.4.*", "a~=1.4"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		wp_requirement r;
		wp_error err = {0}, strict = {0};
		bool repaired = false;

		assert_ok(wp_requirement_parse_lenient(arena, wp_str_of(pairs[i][0]), &r, &repaired, &err));
		assert_true(repaired);
		assert_string_equal(wp_requirement_text(arena, &r), pairs[i][1]);
		assert_int_not_equal(wp_requirement_parse(arena, wp_str_of(pairs[i][0]), &r, &strict), 0);
	}
}

static void good_metadata_is_not_repaired(void **state)
{
	wp_requirement r;
	wp_error err = {0};
	bool repaired = true;

	(void)state;
	assert_ok(wp_requirement_parse_lenient(arena, WP_LIT("a>=1"), &r, &repaired, &err));
	assert_false(repaired);
	assert_int_equal(wp_requirement_parse_lenient(arena, WP_LIT("a>=x"), &r, NULL, &err), WP_E_REQUIREMENT);
	assert_non_null(strstr(err.why, "'>=x' is not a version specifier"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_has_a_normal_form),
		cmocka_unit_test(the_parts_are_told_apart),
		cmocka_unit_test(faults_say_what_and_where),
		cmocka_unit_test(a_fault_in_a_marker_names_the_requirement),
		cmocka_unit_test(old_metadata_is_read_as_it_was_meant),
		cmocka_unit_test(good_metadata_is_not_repaired),
	};

	return cmocka_run_group_tests_name("requirement", tests, setup, teardown);
}

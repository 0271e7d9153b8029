/* SPDX-License-Identifier: MIT */
#include "wheelpack/lock.h"
#include "unit/arena.h"

static wp_target make(const char *python, const char *platform, const char *variant)
{
	wp_target t;
	wp_error err = {0};

	if (wp_target_make(arena, python, platform, variant, &t, &err))
		fail_msg("%s", err.why);
	return t;
}

static void a_name_gives_a_target(void **state)
{
	wp_target t;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_target_parse(arena, "cp312-win_amd64-cu126", &t, &err));
	assert_string_equal(t.name, "cp312-win_amd64-cu126");
	assert_string_equal(t.python, "3.12");
	assert_string_equal(t.python_tag, "cp312");
	assert_int_equal(t.py_minor, 12);
	assert_int_equal(t.py_micro, 0);
	assert_string_equal(t.platform, "win_amd64");
	assert_string_equal(t.variant, "cu126");
	assert_true(t.windows);
	assert_false(t.threaded);
	assert_string_equal(t.tags[0], "cp312-cp312-win_amd64");
}

static void markers_derive_from_the_name(void **state)
{
	wp_target w = make("3.12", "win_amd64", NULL), l = make("3.12.7", "linux_aarch64", NULL);
	wp_target m = make("cp311", "macosx_11_0_arm64", NULL), a = make("cp311", "win_arm64", NULL);

	(void)state;
	assert_string_equal(w.markers.os_name, "nt");
	assert_string_equal(w.markers.sys_platform, "win32");
	assert_string_equal(w.markers.platform_machine, "AMD64");
	assert_string_equal(w.markers.platform_system, "Windows");
	assert_string_equal(w.markers.platform_release, "");
	assert_string_equal(w.markers.platform_version, "");
	assert_string_equal(w.markers.python_version, "3.12");
	assert_string_equal(w.markers.python_full_version, "3.12.0");
	assert_string_equal(w.markers.implementation_name, "cpython");
	assert_string_equal(w.markers.platform_python_implementation, "CPython");
	assert_string_equal(l.markers.os_name, "posix");
	assert_string_equal(l.markers.sys_platform, "linux");
	assert_string_equal(l.markers.platform_machine, "aarch64");
	assert_string_equal(l.markers.platform_system, "Linux");
	assert_string_equal(l.markers.python_full_version, "3.12.7");
	assert_string_equal(l.markers.implementation_version, "3.12.7");
	assert_string_equal(m.markers.sys_platform, "darwin");
	assert_string_equal(m.markers.platform_machine, "arm64");
	assert_string_equal(a.markers.platform_machine, "ARM64");
}

static void everyday_words_have_a_meaning(void **state)
{
	static const char *const rows[][2] = {{"windows", "win_amd64"}, {"Win", "win_amd64"},
		{"linux", "manylinux_2_28_x86_64"}, {"linux_x86_64", "manylinux_2_28_x86_64"},
		{"linux_aarch64", "manylinux_2_28_aarch64"}, {"manylinux2014_x86_64", "manylinux_2_17_x86_64"},
		{"manylinux1_i686", "manylinux_2_5_i686"}, {"manylinux_2_34_x86_64", "manylinux_2_34_x86_64"},
		{"musllinux_1_2_x86_64", "musllinux_1_2_x86_64"}, {"macosx_10_9_x86_64", "macosx_10_9_x86_64"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(make("3.12", rows[i][0], NULL).platform, rows[i][1]);
}

static void python_has_several_spellings(void **state)
{
	wp_target t = make("cp313t", "windows", "CU126");

	(void)state;
	assert_true(t.threaded);
	assert_string_equal(t.name, "cp313t-win_amd64-cu126");
	assert_string_equal(t.python, "3.13");
	assert_string_equal(t.python_tag, "cp313t");
	assert_string_equal(t.tags[0], "cp313-cp313t-win_amd64");
	assert_string_equal(make("3.13t", "windows", NULL).name, "cp313t-win_amd64");
	assert_string_equal(make("3.12.7", "windows", NULL).python, "3.12.7");
	assert_string_equal(make("3.12.7", "windows", NULL).name, "cp312-win_amd64");
	assert_string_equal(make("CP39", "windows", NULL).markers.python_version, "3.9");
}

static void wrong_pythons_and_platforms_are_answered(void **state)
{
	static const struct {
		const char *python, *platform, *why, *next;
	} rows[] = {{"python3.12", "win_amd64", "'python3.12' is not a Python version", "did you mean `3.12`?"},
		{"py312", "win_amd64", "'py312' is not", "did you mean `cp312`?"},
		{"312", "win_amd64", "'312' is not", "did you mean `cp312`?"},
		{"3", "win_amd64", "'3' is not", "write Python as 3.12"},
		{"2.7", "win_amd64", "Python 2 is not supported", "write Python as 3.12"},
		{"3.12.", "win_amd64", "'3.12.' is not", "write Python as"},
		{"", "win_amd64", "'' is not", "write Python as"},
		{"3.5", "win_amd64", "3.5 is too old", ""},
		{"cp312t", "win_amd64", "no free-threaded build", "did you mean `cp312`?"},
		{"3.12", "win64", "'win64' is not a platform", "did you mean `win_amd64`?"},
		{"3.12", "win_amd46", "'win_amd46' is not", "did you mean `win_amd64`?"},
		{"3.12", "macos", "'macos' is not", "did you mean `macosx_11_0_arm64`?"},
		{"3.12", "linux_arm64", "'linux_arm64' is not", "did you mean `linux_aarch64`?"},
		{"3.12", "manylinux_3_1_x86_64", "is not a platform", ""},
		{"3.12", "macosx_10_9_arm64", "is not a platform", ""},
		{"3.12", "beos", "'beos' is not", "platforms are windows, linux"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		wp_target t;
		wp_error err = {0};

		assert_int_equal(wp_target_make(arena, rows[i].python, rows[i].platform, NULL, &t, &err),
			WP_E_TARGET);
		if (!strstr(err.why, rows[i].why) || !strstr(err.next, rows[i].next))
			fail_msg("%s, %s: %s (%s)", rows[i].python, rows[i].platform, err.why, err.next);
	}
}

static void wrong_names_are_answered(void **state)
{
	static const char *const rows[][3] = {{"cp312", "no dash between a Python and a platform", ""},
		{"cp312-win-amd64", "a dash inside its platform", "did you mean `cp312-win_amd64`?"},
		{"cp312-win_amd64-cu126-x", "more than three parts", ""},
		{"cp312-win_amd65", "'win_amd65' is not", "did you mean `win_amd64`?"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		wp_target t;
		wp_error err = {0};

		assert_int_equal(wp_target_parse(arena, rows[i][0], &t, &err), WP_E_TARGET);
		if (!strstr(err.why, rows[i][1]) || !strstr(err.next, rows[i][2]))
			fail_msg("%s (%s)", err.why, err.next);
	}
}

static void long_words_are_refused(void **state)
{
	char *word = wp_alloc(arena, 1001);
	wp_target t;
	wp_error err = {0}, err2 = {0};

	(void)state;
	memset(word, '3', 1000);
	assert_int_equal(wp_target_make(arena, word, "linux", NULL, &t, &err), WP_E_TARGET);
	word[1] = '-';
	assert_int_equal(wp_target_parse(arena, word, &t, &err2), WP_E_TARGET);
}

static void a_variant_has_several_spellings(void **state)
{
	static const char *const rows[][2] = {{"cu126", "cu126"}, {"CU126", "cu126"}, {"12.6", "cu126"},
		{"cuda12.6", "cu126"}, {"cuda-12.6", "cu126"}, {"pytorch-cuda=12.6", "cu126"}, {"12.6.3", "cu126"},
		{"cu11.8", "cu118"}, {"cu999", "cu999"}, {"cpu", "cpu"}, {"CPU", "cpu"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *out;
		wp_error err = {0};

		assert_ok(wp_variant_parse(arena, rows[i][0], &out, &err));
		assert_string_equal(out, rows[i][1]);
	}
}

static void wrong_variants_are_answered(void **state)
{
	static const char *const rows[][2] = {{"cu12x6", "did you mean `cu126`?"}, {"126", "did you mean `cu126`?"},
		{"cpuu", "did you mean `cpu`?"}, {"gpu", "such as cu126"}, {"rocm6.2", "cpu and the CUDA variants"},
		{"cu12", ""}, {"12", ""}, {"", ""}, {"cu026", ""}, {"9.2", ""}, {"1.2.3.4", ""}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *out;
		wp_error err = {0};

		assert_int_equal(wp_variant_parse(arena, rows[i][0], &out, &err), WP_E_VARIANT);
		if (!strstr(err.next, rows[i][1]))
			fail_msg("%s: %s", rows[i][0], err.next);
	}
}

static void a_target_with_a_bad_variant_is_refused(void **state)
{
	wp_target t;
	wp_error err = {0};

	(void)state;
	assert_int_equal(wp_target_parse(arena, "cp312-win_amd64-cuda", &t, &err), WP_E_VARIANT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_gives_a_target),
		cmocka_unit_test(markers_derive_from_the_name),
		cmocka_unit_test(everyday_words_have_a_meaning),
		cmocka_unit_test(python_has_several_spellings),
		cmocka_unit_test(wrong_pythons_and_platforms_are_answered),
		cmocka_unit_test(wrong_names_are_answered),
		cmocka_unit_test(long_words_are_refused),
		cmocka_unit_test(a_variant_has_several_spellings),
		cmocka_unit_test(wrong_variants_are_answered),
		cmocka_unit_test(a_target_with_a_bad_variant_is_refused),
	};

	return cmocka_run_group_tests_name("target", tests, setup, teardown);
}

/* SPDX-License-Identifier: MIT */
#include "py/metadata.h"
#include "unit/arena.h"

static void metadata_gives_what_a_resolver_needs(void **state)
{
	wp_metadata m;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_metadata_parse(arena,
		WP_LIT("Metadata-Version: 2.1\r\nNAME: torch\r\nVersion: 2.11.0+cu126\r\n"
		       "Requires-Python: >=3.10\r\nRequires-Dist: filelock\r\n"
		       "Requires-Dist: mkl<=2021.4.0,>=2021.1.1 ;\r\n  platform_system == \"Windows\"\r\n"
		       "Provides-Extra: Opt_Einsum\r\nProvides-Extra: opt-einsum\r\nUnknown: x\r\n\r\n"
		       "Requires-Dist: not-a-header\r\n"),
		&m, &err));
	assert_string_equal(m.metadata_version, "2.1");
	assert_string_equal(m.name, "torch");
	assert_string_equal(m.version, "2.11.0+cu126");
	assert_string_equal(m.requires_python, ">=3.10");
	assert_int_equal(m.nrequires_dist, 2);
	assert_string_equal(m.requires_dist[1], "mkl<=2021.4.0,>=2021.1.1 ; platform_system == \"Windows\"");
	assert_int_equal(m.nprovides_extra, 1);
	assert_string_equal(m.provides_extra[0], "opt-einsum");
}

/* In time that grows with their number, not with its square. */
static void many_extras_are_read(void **state)
{
	enum { MANY = 150000 };
	wp_metadata m;
	wp_error err = {0};
	wp_buf b;
	int i;

	(void)state;
	wp_buf_init(&b, WP_MAX_METADATA);
	wp_buf_puts(&b, "Name: a\nVersion: 1\n");
	for (i = 0; i < MANY; i++)
		wp_buf_printf(&b, "Provides-Extra: e%d\n", i);
	assert_ok(wp_metadata_parse(arena, wp_buf_view(&b), &m, &err));
	assert_int_equal(m.nprovides_extra, MANY);
	wp_buf_free(&b);
}

static void a_line_that_is_no_header_ends_the_headers(void **state)
{
	wp_metadata m;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_metadata_parse(arena, WP_LIT("Name: a\nVersion: 1\nRequires-Dist: b\nhello\nRequires-Dist: c"),
		&m, &err));
	assert_int_equal(m.nrequires_dist, 1);
	assert_null(m.metadata_version);
	assert_null(m.requires_python);
}

static void bad_metadata_is_refused(void **state)
{
	static const char *const rows[][2] = {{"Name: a\n", "no Version"}, {"Version: 1\n", "no Name"}, {"", "no Name"},
		{"\xef\xbb\xbfName: a\nVersion: 1\n", "byte order mark"},
		{"Name: a\nVersion: 1\nAuthor: \xe9\n", "not UTF-8"},
		{"Name: a\nVersion: one\n", "'one' is not a version"}, {"Name: _\nVersion: 1\n", "not a project name"},
		{"Name: a\nVersion: 1\nVersion: 2\n", "Version twice: '1' and '2'"},
		{"Metadata-Version: 3.0\nName: a\nVersion: 1\n", "Metadata-Version is 3.0"},
		{"Metadata-Version: x\nName: a\nVersion: 1\n", "not two numbers"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		wp_metadata m;
		wp_error err = {0};

		assert_int_equal(wp_metadata_parse(arena, wp_str_of(rows[i][0]), &m, &err), WP_E_METADATA);
		if (!strstr(err.why, rows[i][1]))
			fail_msg("%s", err.why);
	}
}

static void every_metadata_version_of_today_is_taken(void **state)
{
	static const char *const versions[] = {"1.0", "1.1", "1.2", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.9"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof versions / sizeof *versions; i++) {
		const char *text =
			wp_sprintf(arena, "Metadata-Version: %s\nName: a\nVersion: 1\n", versions[i]);
		wp_metadata m;
		wp_error err = {0};

		assert_ok(wp_metadata_parse(arena, wp_str_of(text), &m, &err));
	}
}

static void the_wheel_file_is_read(void **state)
{
	wp_wheel_info w;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_wheel_info_parse(arena,
		WP_LIT("Wheel-Version: 1.9\nGenerator: x\nRoot-Is-Purelib: True\nTag: py2-none-any\n"
		       "Tag: py3-none-any\nBuild: 1\n"),
		&w, &err));
	assert_int_equal(w.major, 1);
	assert_int_equal(w.minor, 9);
	assert_true(w.root_is_purelib && w.has_root);
	assert_int_equal(w.ntags, 2);
	assert_string_equal(w.tags[1], "py3-none-any");
	assert_string_equal(w.build, "1");
	assert_ok(wp_wheel_info_parse(arena, WP_LIT("Wheel-Version: 1.0\n"), &w, &err));
	assert_false(w.root_is_purelib || w.has_root);
}

static void bad_wheel_files_are_refused(void **state)
{
	static const char *const bad[] = {"", "Wheel-Version:\n", "Wheel-Version: 2.0\n", "Wheel-Version: 1.b\n",
		"Wheel-Version: 1\n", "Wheel-Version: 1.0\nX: \xff\n"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		wp_wheel_info w;
		wp_error err = {0};

		assert_int_equal(wp_wheel_info_parse(arena, wp_str_of(bad[i]), &w, &err), WP_E_WHEEL);
	}
}

static void scripts_are_found(void **state)
{
	wp_entry_points e;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_entry_points_parse(arena,
		WP_LIT("# a comment\n[console_scripts]\ntorchrun = torch.distributed.run:main\r\n"
		       "  Lap_Pair.x-1=a.b : c.d [cli]\n; another\n[other]\nanything goes % here\n\n"
		       "[gui_scripts]\n\xc3\xbc-gui = m\xc3\xb6:f\n"),
		&e, &err));
	assert_int_equal(e.n, 3);
	assert_string_equal(e.v[0].name, "torchrun");
	assert_string_equal(e.v[0].module, "torch.distributed.run");
	assert_string_equal(e.v[0].attr, "main");
	assert_false(e.v[0].gui);
	assert_string_equal(e.v[1].name, "Lap_Pair.x-1");
	assert_string_equal(e.v[1].module, "a.b");
	assert_string_equal(e.v[1].attr, "c.d");
	assert_true(e.v[2].gui);
	assert_int_equal(e.nwarnings, 0);
}

static void doubtful_entry_points_are_warned_of(void **state)
{
	wp_entry_points e;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_entry_points_parse(arena,
		WP_LIT("[gui_scripts]\na=x:y\n[console_scripts]\na=b:c\n[console_scripts]\nd=e:f\n"), &e, &err));
	assert_int_equal(e.n, 2);
	assert_string_equal(e.v[0].module, "b");
	assert_false(e.v[0].gui);
	assert_int_equal(e.nwarnings, 2);
	assert_non_null(strstr(e.warnings[0], "line 5"));
	assert_non_null(strstr(e.warnings[1], "the console script counts"));
}

static void bad_entry_points_are_refused(void **state)
{
	static const char *const rows[][2] = {{"a=b:c\n", "before the first group"},
		{"\xef\xbb\xbf[console_scripts]\n", "byte order mark"}, {"[console_scripts]\n\xff=a:b\n", "not UTF-8"},
		{"[console_scripts]\na\n", "has no '='"}, {"[console_scripts]\na: b:c\n", "has no '='"},
		{"[console_scripts]\na=b\n", "not module:attribute"}, {"[console_scripts]\na=\n", "not module:attribute"},
		{"[console_scripts]\na=b:\n", "not module:attribute"},
		{"[console_scripts]\na=b:c;import os\n", "not module:attribute"},
		{"[console_scripts]\na=b-c:d\n", "not module:attribute"},
		{"[console_scripts]\na=b:c..d\n", "not module:attribute"},
		{"[console_scripts]\na=1b:c\n", "not module:attribute"},
		{"[console_scripts]\na b=c:d\n", "may not be the name"},
		{"[console_scripts]\na/b=c:d\n", "may not be the name"},
		{"[console_scripts]\na\\b=c:d\n", "may not be the name"},
		{"[console_scripts]\n..=c:d\n", "may not be the name"}, {"[console_scripts]\n=c:d\n", "may not be the name"},
		{"[console_scripts]\na=b:c\na=d:e\n", "twice in its group"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		wp_entry_points e;
		wp_error err = {0};

		assert_int_equal(wp_entry_points_parse(arena, wp_str_of(rows[i][0]), &e, &err), WP_E_WHEEL);
		if (!strstr(err.why, rows[i][1]))
			fail_msg("%s", err.why);
	}
}

static void a_bad_entry_point_has_a_line(void **state)
{
	wp_entry_points e;
	wp_error err = {0};

	(void)state;
	wp_entry_points_parse(arena, WP_LIT("\n[console_scripts]\na=b\n"), &e, &err);
	assert_string_equal(err.where, "entry_points.txt line 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_gives_what_a_resolver_needs),
		cmocka_unit_test(many_extras_are_read),
		cmocka_unit_test(a_line_that_is_no_header_ends_the_headers),
		cmocka_unit_test(bad_metadata_is_refused),
		cmocka_unit_test(every_metadata_version_of_today_is_taken),
		cmocka_unit_test(the_wheel_file_is_read),
		cmocka_unit_test(bad_wheel_files_are_refused),
		cmocka_unit_test(scripts_are_found),
		cmocka_unit_test(doubtful_entry_points_are_warned_of),
		cmocka_unit_test(bad_entry_points_are_refused),
		cmocka_unit_test(a_bad_entry_point_has_a_line),
	};

	return cmocka_run_group_tests_name("metadata", tests, setup, teardown);
}

/* SPDX-License-Identifier: MIT */
#include "py/core_metadata.h"
#include "unit/arena.h"

static wp_core_metadata parsed(const char *text)
{
	wp_core_metadata m;
	wp_error err = {0};

	assert_ok(wp_core_metadata_parse(arena, wp_str_of(text), &m, &err));
	return m;
}

/* Faults of METADATA that has these lines too, one a line. */
static const char *faults_of(const char *lines)
{
	wp_core_metadata m = parsed(wp_sprintf(arena, "Metadata-Version: 2.6\nName: a\nVersion: 1\n%s", lines));
	const char *const *faults;
	size_t n = wp_core_metadata_check(arena, &m, &faults), i;
	const char *all = "";

	for (i = 0; i < n; i++)
		all = wp_sprintf(arena, "%s%s\n", all, faults[i]);
	return all;
}

static void fields_are_read_as_they_stand(void **state)
{
	wp_core_metadata m = parsed("NAME: Foo\r\nSummary:  two\r\n  lines\r\nKeywords: a, b\nProject-URL: Home, https://x.test\n"
				    "Requires-Dist: b\nRequires-Dist: c\n\nThe text.\n");

	(void)state;
	assert_string_equal(m.field[WP_CORE_NAME].v[0], "Foo");
	assert_string_equal(m.field[WP_CORE_SUMMARY].v[0], "two\r\n  lines");
	assert_int_equal(m.field[WP_CORE_KEYWORD].n, 2);
	assert_string_equal(m.field[WP_CORE_KEYWORD].v[1], "b");
	assert_string_equal(m.field[WP_CORE_PROJECT_URL].v[1], "https://x.test");
	assert_int_equal(m.field[WP_CORE_REQUIRES_DIST].n, 2);
	assert_string_equal(m.field[WP_CORE_DESCRIPTION].v[0], "The text.\n");
	assert_false(m.field[WP_CORE_VERSION].given);
	assert_int_equal(m.nodd, 0);
}

static void what_cannot_be_taken_is_odd(void **state)
{
	wp_core_metadata m = parsed("Name: a\nname: b\nX-Own: 1\nProject-URL: A, 1\nProject-URL: A, 2\nAuthor: \xc0\n");

	(void)state;
	assert_int_equal(m.nodd, 6);
	assert_string_equal(m.odd[0].name, "x-own");
	assert_false(m.field[WP_CORE_NAME].given);
	assert_false(m.field[WP_CORE_AUTHOR].given);
	assert_false(m.field[WP_CORE_PROJECT_URL].given);
	m = parsed("Description: a\n\nb");
	assert_int_equal(m.nodd, 2);
	m = parsed("Content-Type: multipart/mixed; boundary=x\n\n--x\n");
	assert_int_equal(m.nodd, 2);
	assert_null(m.odd[1].value.p);
	m = parsed("no header");
	assert_string_equal(m.field[WP_CORE_DESCRIPTION].v[0], "no header");
}

static void good_metadata_has_no_fault(void **state)
{
	(void)state;
	assert_string_equal(faults_of("Summary: one line\nDescription-Content-Type: text/markdown; charset=UTF-8; variant=GFM\n"
				      "Requires-Python: >=3.9\nRequires-Dist: b>=1; extra == 'x'\nProvides-Extra: x\n"
				      "Dynamic: Classifier\nLicense-Expression: (MIT OR Apache-2.0 WITH LLVM-exception) AND BSD-3-Clause\n"
				      "License-File: licenses/LICENSE\nImport-Name: a.b ; private\nImport-Namespace: c\n"
				      "Author: \xc3\xa9\n\nText"),
		"");
	assert_string_equal(faults_of("Description-Content-Type: TEXT/x-rst; charset=utf-8;\nImport-Name:\n"), "");
}

static void each_fault_has_its_sentence(void **state)
{
	static const char *const pairs[][2] = {{"X-Own: 1\n", "x-own is not a field"}, {"Summary: a\n b\n", "more than one line"},
		{"Summary: a\nSummary: b\n", "may stand once"}, {"Requires-Dist: b >>1\n", "not a requirement"},
		{"Requires-Python: 3.9\n", "not a version specifier"}, {"Provides-Extra: -x\n", "not a name"},
		{"Dynamic: Version\n", "may not be dynamic"}, {"Dynamic: Odd\n", "not a field"},
		{"Description-Content-Type: text/html\n", "is not text/plain"},
		{"Description-Content-Type: text/plain; charset=latin-1\n", "another charset"},
		{"Description-Content-Type: text/plain; {x}\n", "name=value"},
		{"Description-Content-Type: text/markdown; variant=Own\n", "another variant"},
		{"License-Expression: MIT OR\n", "not a licence expression"},
		{"License-Expression: (MIT\n", "not a licence expression"},
		{"License-Expression: MIT Apache-2.0\n", "not a licence expression"},
		{"License-Expression: MIT WITH (x)\n", "not a licence expression"}, {"License-File: ../x\n", "climbs"},
		{"License-File: a\\b\n", "'/'"}, {"License-File: LICEN*\n", "pattern"}, {"License-File: /x\n", "relative"},
		{"License-File: C:/x\n", "relative"}, {"Import-Name: a-b\n", "can import"}, {"Import-Name: a.import\n", "can import"},
		{"Import-Namespace: a; public\n", "other than 'private'"}, {"Import-Namespace:\n", "can import"},
		{"Import-Name: a\nImport-Name:\n", "can import"}, {"License-File:\n", "is empty"},
		{"Description-Content-Type: text/plain;;\n", "name=value"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (!strstr(faults_of(pairs[i][0]), pairs[i][1]))
			fail_msg("%s: %s", pairs[i][0], faults_of(pairs[i][0]));
}

static void what_must_be_there_and_what_is_too_new(void **state)
{
	wp_core_metadata m = parsed("Metadata-Version: 2.1\nName: a\nDynamic: Classifier\n");
	const char *const *faults;

	(void)state;
	assert_int_equal(wp_core_metadata_check(arena, &m, &faults), 2);
	assert_string_equal(faults[0], "version is missing");
	assert_string_equal(faults[1], "dynamic belongs to Metadata-Version 2.2, and this is 2.1");
	m = parsed("Metadata-Version: 9\nName: a_\nVersion: x\n");
	assert_int_equal(wp_core_metadata_check(arena, &m, &faults), 3);
	m = parsed("");
	assert_int_equal(wp_core_metadata_check(arena, &m, &faults), 3);
}

static void faults_and_bytes_have_limits(void **state)
{
	wp_core_metadata m;
	wp_error err = {0};
	const char *const *faults;
	wp_buf b;
	int i;

	(void)state;
	wp_buf_init(&b, SIZE_MAX / 2);
	for (i = 0; i < 300000; i++)
		wp_buf_printf(&b, "X%d: 1\n", i);
	assert_ok(wp_core_metadata_parse(arena, wp_buf_view(&b), &m, &err));
	assert_int_equal(wp_core_metadata_check(arena, &m, &faults), 100);
	while (b.n <= WP_MAX_METADATA)
		wp_buf_puts(&b, "Classifier: one more line of many\n");
	assert_int_equal(wp_core_metadata_parse(arena, wp_buf_view(&b), &m, &err), WP_E_TOO_LARGE);
	wp_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_read_as_they_stand),
		cmocka_unit_test(what_cannot_be_taken_is_odd),
		cmocka_unit_test(good_metadata_has_no_fault),
		cmocka_unit_test(each_fault_has_its_sentence),
		cmocka_unit_test(what_must_be_there_and_what_is_too_new),
		cmocka_unit_test(faults_and_bytes_have_limits),
	};

	return cmocka_run_group_tests_name("core_metadata", tests, setup, teardown);
}

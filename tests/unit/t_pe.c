/* SPDX-License-Identifier: MIT */
#include "bin/pe.h"
#include "unit/arena.h"
#include "unit/binaries.h"

static const char *const imports[] = {"KERNEL32.dll", "c10.dll", "KERNEL32.dll", NULL};

static bool read_pe(wp_arena *a, bytes *b, wp_pe *out, const char **why)
{
	wp_blob blob = bytes_blob(b);

	return wp_pe_read(a, &blob, out, why);
}

static void imports_are_listed_once_in_order(void **state)
{
	bytes b = pe_build(*state, 0x8664, imports);
	const char *why;
	wp_pe pe;

	assert_true(read_pe(*state, &b, &pe, &why));
	assert_int_equal(pe.machine, 0x8664);
	assert_true(pe.pe32plus);
	assert_int_equal(pe.nimports, 2);
	assert_string_equal(pe.imports[0], "KERNEL32.dll");
	assert_string_equal(pe.imports[1], "c10.dll");
	assert_false(pe.truncated);
}

static void a_library_without_imports_is_fine(void **state)
{
	bytes b = pe_build(*state, 0x14c, NULL);
	const char *why;
	wp_pe pe;

	assert_true(read_pe(*state, &b, &pe, &why));
	assert_int_equal(pe.nimports, 0);
}

static void a_cut_file_is_called_truncated(void **state)
{
	bytes b = pe_build(*state, 0x8664, imports);
	const char *why;
	wp_pe pe;

	b.n = 2000;
	assert_true(read_pe(*state, &b, &pe, &why));
	assert_true(pe.truncated);
	assert_int_equal(pe.nimports, 2);
	b.n = 600;
	assert_true(read_pe(*state, &b, &pe, &why));
	assert_true(pe.truncated);
}

static void what_is_no_pe_file_says_why(void **state)
{
	bytes text = {(unsigned char *)"version https", 13}, none = {NULL, 0};
	bytes b = pe_build(*state, 0x8664, imports);
	const char *why;
	wp_pe pe;

	assert_false(read_pe(*state, &text, &pe, &why));
	assert_string_equal(why, "no MZ header");
	assert_false(read_pe(*state, &none, &pe, &why));
	put(&b, 0x3c, 0xfffffff0, 4);
	assert_false(read_pe(*state, &b, &pe, &why));
	assert_string_equal(why, "no PE header");
}

static void damaged_import_tables_are_refused(void **state)
{
	const char *why;
	wp_pe pe;
	bytes b = pe_build(*state, 0x8664, imports);

	put(&b, 64 + 24 + 112 + 8, 0x7fffffff, 4);
	assert_false(read_pe(*state, &b, &pe, &why));
	assert_string_equal(why, "the import table lies outside of the file");
	b = pe_build(*state, 0x8664, imports);
	put(&b, PE_SECTION + 12, 0xffffffff, 4);
	assert_false(read_pe(*state, &b, &pe, &why));
	assert_string_equal(why, "an import has its name outside of the file");
	b = pe_build(*state, 0x8664, imports);
	memset(b.p + PE_SECTION, 0x41, PE_FILE - PE_SECTION);
	assert_false(read_pe(*state, &b, &pe, &why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(imports_are_listed_once_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(a_library_without_imports_is_fine, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cut_file_is_called_truncated, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_pe_file_says_why, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_import_tables_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("pe", tests, NULL, NULL);
}

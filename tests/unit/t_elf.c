/* SPDX-License-Identifier: MIT */
#include "bin/elf.h"
#include "unit/arena.h"
#include "unit/binaries.h"

static const char *const needed[] = {"libc10.so", "libc.so.6", NULL};

static bool read_elf(wp_arena *a, bytes *b, wp_elf *out, const char **why)
{
	wp_blob blob = bytes_blob(b);

	return wp_elf_read(a, &blob, out, why);
}

static void the_dynamic_section_is_read(void **state)
{
	elf_parts p = {.machine = 62, .soname = "libtorch.so", .rpath = "$ORIGIN", .needed = needed,
		.runpath = "$ORIGIN/../lib:/opt", .nodeflib = true};
	bytes b = elf_build(*state, &p);
	const char *why;
	wp_elf elf;

	assert_true(read_elf(*state, &b, &elf, &why));
	assert_int_equal(elf.bits, 64);
	assert_int_equal(elf.machine, 62);
	assert_int_equal(elf.nneeded, 2);
	assert_string_equal(elf.needed[0], "libc10.so");
	assert_string_equal(elf.needed[1], "libc.so.6");
	assert_string_equal(elf.soname, "libtorch.so");
	assert_string_equal(elf.rpath, "$ORIGIN");
	assert_string_equal(elf.runpath, "$ORIGIN/../lib:/opt");
	assert_true(elf.nodeflib);
	assert_false(elf.truncated);
}

static void what_is_absent_is_null(void **state)
{
	elf_parts p = {.machine = 183};
	bytes b = elf_build(*state, &p);
	const char *why;
	wp_elf elf;

	assert_true(read_elf(*state, &b, &elf, &why));
	assert_int_equal(elf.nneeded, 0);
	assert_null(elf.soname);
	assert_null(elf.rpath);
	assert_null(elf.runpath);
}

static void a_cut_file_is_called_truncated(void **state)
{
	elf_parts p = {.machine = 62, .needed = needed};
	bytes b = elf_build(*state, &p);
	const char *why;
	wp_elf elf;

	b.n = 3000;
	assert_true(read_elf(*state, &b, &elf, &why));
	assert_true(elf.truncated);
	assert_int_equal(elf.nneeded, 2);
	b.n = 600;
	assert_true(read_elf(*state, &b, &elf, &why));
	assert_true(elf.truncated);
}

static void what_is_no_elf_file_says_why(void **state)
{
	bytes none = {NULL, 0}, script = {(unsigned char *)"INPUT ( libfoo.so.1 )", 21}, cut;
	elf_parts p = {.machine = 62};
	const char *why;
	wp_elf elf;

	assert_false(read_elf(*state, &none, &elf, &why));
	assert_string_equal(why, "the file is empty");
	assert_false(read_elf(*state, &script, &elf, &why));
	assert_string_equal(why, "no ELF header");
	cut = elf_build(*state, &p);
	cut.n = 20;
	assert_false(read_elf(*state, &cut, &elf, &why));
	assert_string_equal(why, "the file is too short");
}

static void damaged_tables_are_refused(void **state)
{
	elf_parts p = {.machine = 62, .needed = needed};
	bytes b = elf_build(*state, &p);
	const char *why;
	wp_elf elf;

	put(&b, ELF_DYNAMIC + 2 * 16 + 8, UINT64_MAX, 8);
	assert_false(read_elf(*state, &b, &elf, &why));
	assert_string_equal(why, "a name outside of the string table");
	b = elf_build(*state, &p);
	put(&b, ELF_DYNAMIC + 8, UINT64_MAX - 4, 8);
	assert_false(read_elf(*state, &b, &elf, &why));
	b = elf_build(*state, &p);
	put(&b, 64 + 32, UINT64_MAX, 8);
	put(&b, 64 + 8, UINT64_MAX - 100, 8);
	assert_true(read_elf(*state, &b, &elf, &why));
	assert_true(elf.truncated);
}

static void this_machines_own_library_is_read(void **state)
{
	FILE *f = fopen("/proc/self/exe", "rb");
	bytes b = {wp_alloc(*state, 64 << 20), 0};
	const char *why;
	wp_elf elf;
	size_t i;
	bool libc = false;

	if (!f)
		skip();
	b.n = fread(b.p, 1, 64 << 20, f);
	fclose(f);
	assert_true(read_elf(*state, &b, &elf, &why));
	assert_false(elf.truncated);
	for (i = 0; i < elf.nneeded; i++)
		libc = libc || wp_starts(elf.needed[i], "libc.");
	assert_true(libc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_dynamic_section_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_absent_is_null, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cut_file_is_called_truncated, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_elf_file_says_why, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_tables_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(this_machines_own_library_is_read, setup, teardown),
	};

	return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}

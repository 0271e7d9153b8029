/* SPDX-License-Identifier: MIT */
#include "base/zip.h"
#include "unit/zipmake.h"
#include "unit/arena.h"

static wp_error err;
static wp_zip zip;
static mem_blob mem;

static int read_bytes(const void *p, size_t n)
{
	err = (wp_error){0};
	return wp_zip_read(arena, mem_open(&mem, p, n), &zip, &err);
}

static int read_zip(zip_maker *z)
{
	int rc = read_bytes(z->out.p, z->out.n);

	return rc;
}

/* Two entries, "a.txt" = "hello" and "d/b" = "world!", no extras, no comment. */
static void make(zip_maker *z)
{
	zip_begin(z);
	zip_add(z, &(zip_item){.name = "a.txt", .data = "hello", .mode = 0100644});
	zip_add(z, &(zip_item){.name = "d/b", .data = "world!"});
	zip_end(z, false, "");
}

enum { LOCAL_B = 30 + 5 + 5, DIR = LOCAL_B + 30 + 3 + 6, DIR_B = DIR + 46 + 5, END = DIR_B + 46 + 3, ALL = END + 22 };

static void refused(const void *p, size_t n, const char *words)
{
	if (read_bytes(p, n) == 0)
		fail_msg("taken; expected: %s", words);
	assert_int_equal(err.code, WP_E_ZIP);
	if (!strstr(err.why, words))
		fail_msg("expected '%s', got '%s'", words, err.why);
}

static void refused_zip(zip_maker *z, const char *words)
{
	refused(z->out.p, z->out.n, words);
	zip_free(z);
}

/* The two-entry zip with `bytes` of value v at `off`. */
static void refused_patch(size_t off, int bytes, uint64_t v, const char *words)
{
	zip_maker z;

	make(&z);
	assert_int_equal(z.out.n, ALL);
	for (; bytes > 0; bytes--, v >>= 8)
		z.out.p[off++] = (char)(v & 0xff);
	refused_zip(&z, words);
}

static void a_plain_zip_is_read(void **state)
{
	zip_maker z;

	(void)state;
	make(&z);
	assert_ok(read_zip(&z));
	assert_int_equal(zip.n, 2);
	assert_string_equal(zip.entries[0].name, "a.txt");
	assert_int_equal(zip.entries[0].size, 5);
	assert_int_equal(zip.entries[0].data_offset, 35);
	assert_int_equal(zip.entries[0].mode, 0100644);
	assert_int_equal(zip.entries[1].mode, 0);
	assert_memory_equal(z.out.p + zip.entries[1].data_offset, "world!", 6);
	zip_free(&z);
}

static void comments_zip64_and_descriptors_are_fine(void **state)
{
	static const int forms[] = {12, 16, 20, 24};
	char comment[65536];
	zip_maker z;
	size_t i, zip64;

	(void)state;
	memset(comment, 'c', sizeof comment - 1);
	comment[sizeof comment - 1] = 0;
	for (zip64 = 0; zip64 < 2; zip64++) {
		static const size_t lengths[] = {0, 1, 65450, 65500, 65510, 65514, 65515, 65535};

		for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			zip_begin(&z);
			zip_add(&z, &(zip_item){.name = "a", .data = "x"});
			zip_end(&z, zip64, comment + 65535 - lengths[i]);
			assert_ok(read_zip(&z));
			zip_free(&z);
		}
	}
	for (i = 0; i < 4; i++) {
		zip_begin(&z);
		zip_add(&z, &(zip_item){.name = "a", .data = "x", .descriptor = forms[i]});
		zip_add(&z, &(zip_item){.name = "b", .data = "yy", .descriptor = forms[3 - i]});
		zip_end(&z, false, "");
		assert_ok(read_zip(&z));
		zip_free(&z);
	}
	zip_begin(&z);
	zip_end(&z, false, "");
	assert_ok(read_zip(&z));
	assert_int_equal(zip.n, 0);
	zip_free(&z);
}

static void zip64_sizes_come_from_the_extra_field(void **state)
{
	static const char wide[] = "\1\0\20\0\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0";
	wp_str extra = {wide, 20};
	zip_maker z;
	size_t dir;

	(void)state;
	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a", .data = "hello", .local_extra = extra, .central_extra = extra});
	dir = z.out.n;
	zip_end(&z, false, "");
	assert_ok(read_zip(&z)); /* there, but not needed */
	memset(z.out.p + 18, 0xff, 8);
	assert_ok(read_zip(&z));
	memset(z.out.p + dir + 20, 0xff, 8);
	assert_ok(read_zip(&z));
	assert_int_equal(zip.entries[0].size, 5);
	z.out.p[30 + 1 + 4] = 6;
	refused_zip(&z, "differ in the size");
}

static void what_is_no_zip_is_said_to_be_none(void **state)
{
	zip_maker z;

	(void)state;
	refused("", 0, "empty");
	refused("PK", 2, "no zip");
	refused("<html>this is a page and no wheel</html>", 40, "no zip");
	make(&z);
	refused(z.out.p, z.out.n - 1, "cut off");
	refused(z.out.p, z.out.n - 30, "no zip");
	refused(z.out.p + 1, z.out.n - 1, "but the end record stands at");
	zip_free(&z);
}

static void bytes_that_belong_to_nothing_are_refused(void **state)
{
	zip_maker z;

	(void)state;
	make(&z);
	wp_buf_putc(&z.out, 'x');
	refused_zip(&z, "behind the zip's end record");

	zip_begin(&z); /* a script in front, offsets adjusted */
	wp_buf_puts(&z.out, "#!/bin/sh\n");
	zip_add(&z, &(zip_item){.name = "a", .data = "x"});
	zip_end(&z, false, "");
	refused_zip(&z, "10 bytes stand before the first entry");

	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a", .data = "x"});
	wp_buf_puts(&z.out, "gap");
	zip_add(&z, &(zip_item){.name = "b", .data = "x"});
	zip_end(&z, false, "");
	refused_zip(&z, "3 bytes behind the entry belong to none");

	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a", .data = "x"});
	wp_buf_puts(&z.out, "gap");
	zip_end(&z, false, "");
	refused_zip(&z, "3 bytes behind the entry belong to none");

	zip_begin(&z); /* a local entry which the directory doesn't list */
	zip_add(&z, &(zip_item){.name = "hidden", .data = "x"});
	wp_buf_free(&z.dir);
	z.n = 0;
	zip_add(&z, &(zip_item){.name = "b", .data = "x"});
	zip_end(&z, false, "");
	refused_zip(&z, "before the first entry");

	refused_patch(END + 20, 2, 1, "behind the zip's end record");
	refused_patch(END + 12, 4, END - DIR - 1, "but the end record stands at");
	refused_patch(END + 16, 4, DIR - 1, "but the end record stands at");
	refused_patch(END + 10, 2, 1, "one part of an archive");
	refused_patch(END + 8, 4, 1 | 1 << 16, "belong to no entry");
	refused_patch(END + 8, 4, 3 | 3 << 16, "cannot hold"); /* 146 bytes */
}

static void two_end_records_are_refused(void **state)
{
	zip_maker z, inner;

	(void)state;
	make(&inner);
	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a", .data = "x"});
	zip_end(&z, false, "");
	z.out.p[z.out.n - 2] = (char)inner.out.n;
	z.out.p[z.out.n - 1] = (char)(inner.out.n >> 8);
	wp_buf_str(&z.out, wp_buf_view(&inner.out));
	zip_free(&inner);
	refused_zip(&z, "two end records");
}

static void headers_that_disagree_are_refused(void **state)
{
	(void)state;
	refused_patch(30, 1, 'A', "differ in the name");
	refused_patch(26, 2, 4, "differ in the name");
	refused_patch(6, 2, 0x800, "differ in method or flags");
	refused_patch(8, 2, 8, "differ in method or flags");
	refused_patch(14, 4, 1, "differ in the crc");
	refused_patch(18, 4, 1, "differ in the size");
	refused_patch(22, 4, 1, "differ in the size");
	refused_patch(22, 4, 0, "differ in the size");
	refused_patch(0, 4, 1, "no local header");
	refused_patch(DIR, 4, 1, "directory is damaged");
	refused_patch(DIR + 42, 4, 1, "before the first entry");
	refused_patch(DIR_B + 42, 4, LOCAL_B - 1, "overlaps");
	refused_patch(DIR_B + 42, 4, LOCAL_B + 1, "belong to none");
	refused_patch(DIR_B + 42, 4, 0, "overlaps");
	refused_patch(DIR_B + 42, 4, 0x7fffffff, "behind the last entry");
	refused_patch(DIR + 28, 2, 200, "cut off");
	refused_patch(DIR + 34, 2, 1, "several");
	refused_patch(END + 4, 2, 1, "several");
}

static void what_is_not_supported_is_named(void **state)
{
	static const unsigned methods[] = {1, 6, 9, 12, 14, 93, 95, 99}, flags[] = {1, 1 << 5, 1 << 6, 1 << 13};
	zip_maker z;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof methods / sizeof *methods; i++) {
		zip_begin(&z);
		zip_add(&z, &(zip_item){.name = "a", .data = "x", .method = methods[i]});
		zip_end(&z, false, "");
		refused_zip(&z, "compression method");
		assert_string_equal(err.where, "'a'");
	}
	for (i = 0; i < sizeof flags / sizeof *flags; i++) {
		zip_begin(&z);
		zip_add(&z, &(zip_item){.name = "a", .data = "x", .flags = flags[i]});
		zip_end(&z, false, "");
		refused_zip(&z, "encrypted");
	}
	refused_patch(DIR + 24, 4, 6, "cannot unpack to 6");
}

static void names_are_text(void **state)
{
	zip_maker z;

	(void)state;
	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a\0b", .name_n = 3, .data = "x"});
	zip_end(&z, false, "");
	refused_zip(&z, "NUL");
	assert_string_equal(err.where, "entry 1");

	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a\xff", .data = "x"});
	zip_end(&z, false, "");
	refused_zip(&z, "not UTF-8");

	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "", .data = "x"});
	zip_end(&z, false, "");
	refused_zip(&z, "a name of 0 bytes");

	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "folder/", .data = "x"});
	zip_end(&z, false, "");
	refused_zip(&z, "a folder entry with contents");
}

static void extra_fields_are_whole(void **state)
{
	static const wp_str bad[] = {WP_LIT("\1"), WP_LIT("\x99\x99\5\0abcd"), WP_LIT("\x99\x99\0\0\1\0\1")};
	zip_maker z;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		zip_begin(&z);
		zip_add(&z, &(zip_item){.name = "a", .data = "x", .central_extra = bad[i]});
		zip_end(&z, false, "");
		refused_zip(&z, "extra field");
		zip_begin(&z);
		zip_add(&z, &(zip_item){.name = "a", .data = "x", .local_extra = bad[i]});
		zip_end(&z, false, "");
		refused_zip(&z, "extra field of the local header");
	}
	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a", .data = "x", .central_extra = WP_LIT("\x75\x70\6\0\1crc!b")});
	zip_end(&z, false, "");
	refused_zip(&z, "second name");
}

static void a_wrong_descriptor_is_refused(void **state)
{
	zip_maker z;

	(void)state;
	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a", .data = "xyz", .descriptor = 16});
	zip_end(&z, false, "");
	z.out.p[31 + 3 + 4]++;
	refused_zip(&z, "descriptor and the directory differ");

	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a", .data = "xyz", .descriptor = 16});
	z.out.n -= 4;
	zip_end(&z, false, "");
	refused_zip(&z, "differ"); /* 12 bytes: read as a descriptor without its signature */

	zip_begin(&z); /* announced, not there */
	zip_add(&z, &(zip_item){.name = "a", .data = "xyz", .descriptor = 16});
	z.out.n -= 16;
	zip_end(&z, false, "");
	refused_zip(&z, "no data descriptor");
}

static void the_zip64_records_must_agree(void **state)
{
	/* Signature, size, disk, entries, directory size and offset of the record; disk, place, disks of the locator. */
	static const size_t from_end[] = {98, 94, 82, 74, 66, 58, 50, 38, 34, 26};
	zip_maker z;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof from_end / sizeof *from_end; i++) {
		zip_begin(&z);
		zip_add(&z, &(zip_item){.name = "a", .data = "x"});
		zip_end(&z, true, "");
		z.out.p[z.out.n - from_end[i]] += 2;
		assert_int_equal(read_zip(&z), WP_E_ZIP);
		zip_free(&z);
	}
	/* Full fields without the record. */
	refused_patch(END + 16, 4, 0xffffffff, "zip64 end record is missing");
}

static void limits_hold(void **state)
{
	zip_maker z;

	(void)state;
	zip_begin(&z);
	zip_add(&z, &(zip_item){.name = "a", .data = "x"});
	zip_end(&z, true, "");
	memset(z.out.p + z.out.n - 22 - 20 - 32, 0x01, 16); /* both counts */
	memset(z.out.p + z.out.n - 22 + 8, 0xff, 4);
	assert_int_equal(read_zip(&z), WP_E_TOO_LARGE);
	zip_free(&z);
}

static void many_headers_take_few_reads(void **state)
{
	static char big[300000];
	char name[32];
	zip_maker z;
	int i;

	(void)state;
	zip_begin(&z);
	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof name, "d/%d.py", i);
		zip_add(&z, &(zip_item){.name = name, .data = "x = 1\n", .descriptor = i % 2 ? 16 : 0});
		if (i % 300 == 0)
			zip_add(&z, &(zip_item){.name = "big", .data = big, .data_n = sizeof big});
	}
	zip_end(&z, false, "");
	assert_ok(read_zip(&z));
	assert_int_equal(zip.n, 3010);
	if (mem.reads > 40 || mem.bytes > 1000000)
		fail_msg("%zu reads, %zu bytes", mem.reads, mem.bytes);
	mem.reads = mem.bytes = 0;
	assert_ok(wp_zip_read_directory(arena, &mem.blob, &zip, &err));
	assert_int_equal(mem.reads, 2);
	assert_ok(wp_zip_locate(&zip, &zip.entries[5], &err));
	assert_memory_equal(z.out.p + zip.entries[5].data_offset, "x = 1\n", 6);
	zip_free(&z);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_plain_zip_is_read),
		T(comments_zip64_and_descriptors_are_fine),
		T(zip64_sizes_come_from_the_extra_field),
		T(what_is_no_zip_is_said_to_be_none),
		T(bytes_that_belong_to_nothing_are_refused),
		T(two_end_records_are_refused),
		T(headers_that_disagree_are_refused),
		T(what_is_not_supported_is_named),
		T(names_are_text),
		T(extra_fields_are_whole),
		T(a_wrong_descriptor_is_refused),
		T(the_zip64_records_must_agree),
		T(limits_hold),
		T(many_headers_take_few_reads),
	};

	return cmocka_run_group_tests_name("zip", tests, NULL, NULL);
}

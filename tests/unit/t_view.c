/* SPDX-License-Identifier: MIT */
#include "bin/view.h"
#include "unit/arena.h"
#include "unit/binaries.h"

enum { BIG = 700000 };

static bytes pattern(wp_arena *a)
{
	bytes b = {wp_alloc(a, BIG), BIG};
	size_t i;

	for (i = 0; i < BIG; i++)
		b.p[i] = (unsigned char)(i * 7 + i / 251);
	return b;
}

static void reads_across_windows_match_the_bytes(void **state)
{
	bytes b = pattern(*state);
	wp_blob blob = bytes_blob(&b);
	wp_view *v = wp_view_new(*state, &blob);
	unsigned char *out = wp_alloc(*state, BIG);
	static const size_t places[] = {0, 65535, 65536, 131071, 400000, 65530, 699990, 10};
	size_t i;

	for (i = 0; i < sizeof places / sizeof *places; i++) {
		assert_true(wp_view_bytes(v, places[i], out, 10));
		assert_memory_equal(out, b.p + places[i], 10);
	}
	assert_true(wp_view_bytes(v, 0, out, BIG));
	assert_memory_equal(out, b.p, BIG);
}

static void numbers_are_little_endian(void **state)
{
	bytes b = {(unsigned char *)"\x01\x02\x03\x04\x05\x06\x07\x88", 8};
	wp_blob blob = bytes_blob(&b);
	wp_view *v = wp_view_new(*state, &blob);
	uint16_t h;
	uint32_t w;
	uint64_t d;

	assert_true(wp_view_u16(v, 0, &h) && h == 0x0201);
	assert_true(wp_view_u32(v, 1, &w) && w == 0x05040302);
	assert_true(wp_view_u64(v, 0, &d) && d == 0x8807060504030201);
	assert_int_equal(wp_view_size(v), 8);
}

static void nothing_is_read_past_the_end(void **state)
{
	bytes b = {(unsigned char *)"12345678", 8};
	wp_blob blob = bytes_blob(&b);
	wp_view *v = wp_view_new(*state, &blob);
	unsigned char c;
	uint16_t h;
	uint32_t w;
	uint64_t d;

	assert_false(wp_view_u16(v, 7, &h));
	assert_false(wp_view_u32(v, 5, &w));
	assert_false(wp_view_u64(v, 1, &d));
	assert_false(wp_view_u64(v, UINT64_MAX, &d));
	assert_false(wp_view_u64(v, UINT64_MAX - 3, &d));
	assert_false(wp_view_bytes(v, 9, &c, 0));
	assert_true(wp_view_bytes(v, 8, &c, 0));
	assert_null(wp_view_fault(v));
}

static void text_must_end_within_its_limit(void **state)
{
	bytes b = {(unsigned char *)"abc\0def", 7};
	wp_blob blob = bytes_blob(&b);
	wp_view *v = wp_view_new(*state, &blob);

	assert_string_equal(wp_view_cstr(v, *state, 0, 3), "abc");
	assert_null(wp_view_cstr(v, *state, 0, 2));
	assert_null(wp_view_cstr(v, *state, 4, 100));
	assert_null(wp_view_cstr(v, *state, 7, 100));
	assert_null(wp_view_cstr(v, *state, UINT64_MAX, 100));
}

static int refuse(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	(void)self;
	(void)buf;
	(void)n;
	(void)off;
	return wp_fail(e, WP_E_IO, "the disk is gone");
}

static void a_failed_read_is_kept_with_its_words(void **state)
{
	wp_blob blob = {.size = 100, .read_at = refuse};
	wp_view *v = wp_view_new(*state, &blob);
	uint16_t h;

	assert_false(wp_view_u16(v, 0, &h));
	assert_string_equal(wp_view_fault(v), "the disk is gone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_across_windows_match_the_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers_are_little_endian, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_read_past_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(text_must_end_within_its_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_read_is_kept_with_its_words, setup, teardown),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}

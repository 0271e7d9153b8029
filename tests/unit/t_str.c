/* SPDX-License-Identifier: MIT */
#include "unit/test.h"

static void split_keeps_empty_parts(void **state)
{
	wp_str rest = WP_LIT("a,,b"), part;
	int n = 0;

	(void)state;
	while (wp_str_split(&rest, ',', &part))
		n++;
	assert_int_equal(n, 3);
}

static void lines_lose_their_ends(void **state)
{
	wp_str rest = WP_LIT("one\r\ntwo\nthree"), line;

	(void)state;
	assert_true(wp_str_line(&rest, &line) && wp_str_is(line, "one"));
	assert_true(wp_str_line(&rest, &line) && wp_str_is(line, "two"));
	assert_true(wp_str_line(&rest, &line) && wp_str_is(line, "three"));
	assert_false(wp_str_line(&rest, &line));
}

static void numbers_are_digits_that_fit(void **state)
{
	uint64_t v;

	(void)state;
	assert_true(wp_str_u64(WP_LIT("18446744073709551615"), &v));
	assert_true(v == UINT64_MAX);
	assert_false(wp_str_u64(WP_LIT("18446744073709551616"), &v));
	assert_false(wp_str_u64(WP_LIT("+1"), &v));
	assert_false(wp_str_u64(WP_LIT(""), &v));
}

static void utf8_is_strict(void **state)
{
	(void)state;
	assert_true(wp_utf8_valid(WP_LIT("gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x8d")));
	assert_false(wp_utf8_valid(WP_LIT("\xc0\xaf")));
	assert_false(wp_utf8_valid(WP_LIT("\xed\xa0\x80")));
	assert_false(wp_utf8_valid(WP_LIT("a\0b")));
	assert_false(wp_utf8_valid(WP_LIT("\xe2\x82")));
}

static void finding_text_is_searched(void **state)
{
	(void)state;
	assert_int_equal(wp_str_find_str(WP_LIT("aab"), WP_LIT("ab")), 1);
	assert_int_equal(wp_str_find_str(WP_LIT("aab"), WP_LIT("x")), 3);
	assert_int_equal(wp_str_rfind(WP_LIT("a.b.c"), '.'), 3);
	assert_true(wp_str_rfind(WP_LIT("abc"), '.') == SIZE_MAX);
}

static void a_buffer_stops_at_its_cap(void **state)
{
	wp_buf b;

	(void)state;
	wp_buf_init(&b, 5);
	wp_buf_puts(&b, "1234");
	wp_buf_puts(&b, "56");
	assert_true(b.full);
	assert_string_equal(b.p, "1234");
	wp_buf_free(&b);
}

static void the_first_error_wins(void **state)
{
	wp_error err = {0};

	(void)state;
	assert_int_equal(wp_fail(&err, WP_E_DIGEST, "first"), WP_E_DIGEST);
	assert_int_equal(wp_fail(&err, WP_E_IO, "second"), WP_E_DIGEST);
	wp_err_where(&err, "inner");
	wp_err_where(&err, "outer");
	assert_string_equal(err.where, "outer, inner");
	assert_string_equal(err.why, "first");
	assert_int_equal(wp_code_exit(err.code), WP_EXIT_INTEGRITY);
}

static void every_code_has_text_and_advice(void **state)
{
	int c;

	(void)state;
	for (c = 1; c < WP_E_COUNT; c++) {
		assert_true(strlen(wp_code_text((wp_code)c)) > 5);
		assert_true(strlen(wp_code_advice((wp_code)c)) > 5);
		assert_true(wp_starts(wp_code_name((wp_code)c), "WP_E_"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(split_keeps_empty_parts),
		cmocka_unit_test(lines_lose_their_ends),
		cmocka_unit_test(numbers_are_digits_that_fit),
		cmocka_unit_test(utf8_is_strict),
		cmocka_unit_test(finding_text_is_searched),
		cmocka_unit_test(a_buffer_stops_at_its_cap),
		cmocka_unit_test(the_first_error_wins),
		cmocka_unit_test(every_code_has_text_and_advice),
	};

	return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "base/json.h"
#include "ext/json_out.h"
#include "unit/test.h"

static wp_arena *a;
static wp_error err;

static int setup(void **state)
{
	(void)state;
	a = wp_arena_new();
	err = (wp_error){0};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wp_arena_free(a);
	return 0;
}

/* Skip the whole document; the code. */
static int walk(wp_str text)
{
	wp_json j;

	err = (wp_error){0};
	wp_json_init(&j, a, text, WP_E_PAGE, &err);
	wp_json_skip(&j);
	return wp_json_end(&j);
}

static void documents_of_json_are_taken(void **state)
{
	static const char *const good[] = {"null", " true ", "false", "0", "-0", "10", "-1.5e+10", "1E5", "\"\"",
		"\"a\\\"b\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"", "[]", "[ ]", "{}", "{ }", "[1,2]",
		"{\"a\":1,\"b\":[{}]}", "\r\n\t[\"\xc3\xa9\xf0\x9f\x90\x8d\x7f\"]\n", "{\"\":0}"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++)
		if (walk(wp_str_of(good[i])))
			fail_msg("%s: %s", good[i], err.why);
}

static void everything_else_is_refused(void **state)
{
	static const char *const bad[] = {"", " ", "nul", "nulls", "tru", "TRUE", "01", "-", "+1", "1.", ".5", "1e", "1e+",
		"0x1", "NaN", "Infinity", "\"", "\"a", "'a'", "\"\\x\"", "\"\\", "\"\\u12\"", "\"\\u12g4\"",
		"\"\\u0000\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"",
		"\"\x01\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "]",
		"{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{\"a\" 1}", "{\"a\"}",
		"{1:1}", "[}", "{]", "1 2", "{} x", "[]]", "\xef\xbb\xbf{}", "/**/1", "{\"a\":1,\"a\":2}",
		"{\"a\":1,\"\\u0061\":2}", "[{\"x\":{\"y\":1,\"z\":2,\"y\":3}}]"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		if (walk(wp_str_of(bad[i])) != WP_E_PAGE)
			fail_msg("taken: %s", bad[i]);
	assert_int_equal(walk((wp_str){"\"a\0b\"", 5}), WP_E_PAGE);
	assert_int_equal(walk((wp_str){"1\0", 2}), WP_E_PAGE);
	assert_int_equal(walk((wp_str){NULL, 0}), WP_E_PAGE);
}

static void depth_has_a_limit(void **state)
{
	char text[300];

	(void)state;
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	assert_int_equal(walk((wp_str){text, 128}), 0);
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	assert_int_equal(walk((wp_str){text, 130}), WP_E_PAGE);
	assert_non_null(strstr(err.why, "64"));
}

static void many_keys_are_compared_too(void **state)
{
	wp_buf b;
	int i, twice;

	(void)state;
	for (twice = 0; twice < 2; twice++) {
		wp_buf_init(&b, 1 << 20);
		wp_buf_puts(&b, "[");
		for (i = 0; i < 2000; i++) /* two objects of 1000 keys each: keys of one don't count in the other */
			wp_buf_printf(&b, "%s\"k%d\":%d", i % 1000 ? "," : i ? "},{" : "{", i % 1000, i);
		wp_buf_puts(&b, twice ? ",\"k17\":1}]" : "}]");
		assert_int_equal(walk(wp_buf_view(&b)), twice ? WP_E_PAGE : 0);
		wp_buf_free(&b);
	}
	assert_non_null(strstr(err.why, "'k17'"));
}

static void an_object_has_only_so_many_keys(void **state)
{
	wp_buf b;
	int i, n;

	(void)state;
	for (n = 4096; n <= 4097; n++) {
		wp_buf_init(&b, 1 << 20);
		for (i = 0; i < n; i++)
			wp_buf_printf(&b, "%c\"%d\":0", i ? ',' : '{', i);
		wp_buf_puts(&b, "}");
		assert_int_equal(walk(wp_buf_view(&b)), n > 4096 ? WP_E_PAGE : 0);
		wp_buf_free(&b);
	}
	assert_non_null(strstr(err.why, "more than 4096 keys"));
}

static void the_seventeenth_key_may_repeat_none(void **state)
{
	wp_buf b;
	int i;

	(void)state;
	wp_buf_init(&b, 4096);
	for (i = 0; i < 16; i++)
		wp_buf_printf(&b, "%c\"%d\":0", i ? ',' : '{', i);
	wp_buf_puts(&b, ",\"0\":0}");
	assert_int_equal(walk(wp_buf_view(&b)), WP_E_PAGE);
	wp_buf_free(&b);
}

static void values_are_pulled(void **state)
{
	static const char text[] = "{\"name\": \"gr\\u00fcn\", \"n\": -42, \"on\": true, \"none\": null, \"v\": [\"a\", "
				   "\"\\ud83d\\udc0d\"], \"skipped\": {\"x\": [1.5, {}]}, \"k\\n\": \"\"}";
	const char *none = "x", *const *v = NULL;
	wp_str key, name = {0};
	int64_t n = 0;
	bool on = false;
	size_t nv = 0;
	wp_json j;

	(void)state;
	wp_json_init(&j, a, wp_str_of(text), WP_E_DOCUMENT, &err);
	assert_int_equal(wp_json_peek(&j), WP_JSON_OBJECT);
	assert_true(wp_json_object(&j));
	while (wp_json_key(&j, &key)) {
		if (wp_str_is(key, "name"))
			wp_json_string(&j, &name);
		else if (wp_str_is(key, "n"))
			wp_json_i64(&j, &n);
		else if (wp_str_is(key, "on"))
			wp_json_bool(&j, &on);
		else if (wp_str_is(key, "none"))
			wp_json_cstr(&j, &none);
		else if (wp_str_is(key, "v"))
			wp_json_strings(&j, &v, &nv);
		else if (wp_str_is(key, "k\n"))
			wp_json_cstr(&j, &none);
		else
			wp_json_skip(&j);
	}
	assert_ok(wp_json_end(&j));
	assert_string_equal(name.p, "gr\xc3\xbcn");
	assert_int_equal(n, -42);
	assert_true(on);
	assert_string_equal(none, "");
	assert_int_equal(nv, 2);
	assert_string_equal(v[0], "a");
	assert_string_equal(v[1], "\xf0\x9f\x90\x8d");
}

static void a_wrong_kind_is_named_with_its_place(void **state)
{
	wp_json j;
	wp_str s;

	(void)state;
	wp_json_init(&j, a, WP_LIT("[\n  7]"), WP_E_DOCUMENT, &err);
	assert_true(wp_json_array(&j) && wp_json_item(&j));
	assert_false(wp_json_string(&j, &s));
	assert_int_equal(err.code, WP_E_DOCUMENT);
	assert_string_equal(err.where, "line 2 column 3");
	assert_string_equal(err.why, "text expected, a number found");
	assert_false(wp_json_item(&j));
	assert_int_equal(wp_json_end(&j), WP_E_DOCUMENT);
}

static void whole_numbers_fit_or_fault(void **state)
{
	static const char *const bad[] = {"1.0", "1e3", "9223372036854775808", "-9223372036854775809"};
	int64_t v;
	wp_json j;
	size_t i;

	(void)state;
	wp_json_init(&j, a, WP_LIT("9223372036854775807"), WP_E_PAGE, &err);
	assert_true(wp_json_i64(&j, &v) && v == INT64_MAX);
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		err = (wp_error){0};
		wp_json_init(&j, a, wp_str_of(bad[i]), WP_E_PAGE, &err);
		assert_false(wp_json_i64(&j, &v));
	}
}

static void a_big_page_is_walked_quickly(void **state)
{
	wp_buf b;
	clock_t t;
	int i = 0;

	(void)state;
	wp_buf_init(&b, WP_MAX_PAGE);
	wp_buf_puts(&b, "{\"files\": [");
	while (b.n < (size_t)(16 << 20))
		wp_buf_printf(&b,
			"%s{\"filename\": \"demo-%d-py3-none-any.whl\", \"hashes\": {\"sha256\": "
			"\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}, \"yanked\": false}",
			i ? "," : "", i), i++;
	wp_buf_puts(&b, "]}");
	t = clock();
	assert_int_equal(walk(wp_buf_view(&b)), 0);
	t = clock() - t;
	wp_buf_free(&b);
	print_message("16 MB in %.3f s\n", (double)t / CLOCKS_PER_SEC);
	assert_true(t < 3 * CLOCKS_PER_SEC);
}

static void text_is_built_in_order(void **state)
{
	static const char *const strs[] = {"x", "a,b:\"{"};
	wp_jnode *o = wp_jobject(), *list = wp_jarray();
	wp_str text;

	(void)state;
	wp_jput_str(o, "b", "1\n");
	wp_jput_str(o, "left out", NULL);
	wp_jput_str_or_null(o, "nothing", NULL);
	wp_jput_int(o, "big", 9007199254740991);
	wp_jput_bool(o, "flag", true);
	wp_jput_null(o, "null");
	wp_jput_strs(o, "strs", strs, 2);
	wp_jput(o, "empty", wp_jobject());
	wp_jadd(list, wp_jarray());
	wp_jadd_str(list, "\\\"");
	wp_jput(o, "a", list);
	text = wp_jtext(a, o);
	assert_string_equal(text.p,
		"{\n  \"b\": \"1\\n\",\n  \"nothing\": null,\n  \"big\": 9007199254740991,\n"
		"  \"flag\": true,\n  \"null\": null,\n  \"strs\": [\n    \"x\",\n    \"a,b:\\\"{\"\n  ],\n"
		"  \"empty\": {},\n  \"a\": [\n    [],\n    \"\\\\\\\"\"\n  ]\n}\n");
	assert_int_equal(walk(text), 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(documents_of_json_are_taken),
		T(everything_else_is_refused),
		T(depth_has_a_limit),
		T(many_keys_are_compared_too),
		T(the_seventeenth_key_may_repeat_none),
		T(an_object_has_only_so_many_keys),
		T(values_are_pulled),
		T(a_wrong_kind_is_named_with_its_place),
		T(whole_numbers_fit_or_fault),
		T(a_big_page_is_walked_quickly),
		T(text_is_built_in_order),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}

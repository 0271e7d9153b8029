/* SPDX-License-Identifier: MIT */
#include "py/record.h"
#include "unit/arena.h"

/* sha256 of nothing */
#define EMPTY "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"

static wp_record record(const char *text)
{
	wp_record r;
	wp_error err = {0};

	if (wp_record_parse(arena, wp_str_of(text), &r, &err))
		fail_msg("%s: %s", err.where, err.why);
	return r;
}

static void rows_are_sorted_and_found(void **state)
{
	wp_record r = record("b.py," EMPTY ",0\r\n\r\na/x.py," EMPTY ",\r\na-1.dist-info/RECORD,,\r\n");
	const wp_record_row *row = wp_record_find(&r, "b.py");
	char hex[65];

	(void)state;
	assert_int_equal(r.n, 3);
	assert_int_equal(r.nwarnings, 0);
	assert_string_equal(r.rows[0].path, "a-1.dist-info/RECORD");
	assert_int_equal(r.rows[0].kind, WP_RECORD_NONE);
	assert_non_null(row);
	assert_int_equal(row->line, 1);
	assert_int_equal(row->size, 0);
	wp_hex(row->digest, 32, hex);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_int_equal(wp_record_find(&r, "a/x.py")->size, -1);
	assert_null(wp_record_find(&r, "c.py"));
}

static void commas_and_quotes_may_be_in_names(void **state)
{
	wp_record r = record("\"a,\"\"b\"\".py\"," EMPTY ",0\n");

	(void)state;
	assert_string_equal(r.rows[0].path, "a,\"b\".py");
}

static void stronger_hashes_are_taken(void **state)
{
	wp_record r = record("a,sha512=z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg_SpIdNs6c5H0NE8XYXysP-DGNKHfuwvY7kxvUdBeoGlODJ6-Sfa"
			     "Pg,0\nb,sha384=OLBgp1GsljhM2TJ-sbHjaiH9txEUvgdDTAzHv2P24donTt6_529l-9Ua0vFImLlb,0\n");

	(void)state;
	assert_int_equal(r.rows[0].kind, WP_RECORD_SHA512);
	assert_int_equal(r.rows[1].kind, WP_RECORD_SHA384);
}

static void an_installed_record_may_have_what_a_wheels_may_not(void **state)
{
	static const char text[] = "../../bin/x," EMPTY ",0\n/abs,md5=1B2M2Y8AsgTpgAmY7PhCfg,nine\nalone\n"
				   "a-1.dist-info/RECORD," EMPTY ",0\nb.pyc,,\n";
	wp_record r;
	wp_error err = {0};
	size_t i;

	(void)state;
	assert_int_equal(wp_record_parse(arena, wp_str_of(text), &r, &err), WP_E_RECORD);
	err = (wp_error){0};
	assert_ok(wp_record_parse_installed(arena, wp_str_of(text), &r, &err));
	assert_int_equal(r.n, 5);
	for (i = 0; i < r.n; i++)
		assert_int_equal(r.rows[i].kind, strcmp(r.rows[i].path, "../../bin/x") ? WP_RECORD_NONE : WP_RECORD_SHA256);
	assert_int_equal(wp_record_find(&r, "/abs")->size, -1);
}

static void of_two_installed_rows_the_first_counts(void **state)
{
	wp_record r;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_record_parse_installed(arena, wp_str_of("a," EMPTY ",0\na,,7\n"), &r, &err));
	assert_int_equal(r.n, 1);
	assert_int_equal(r.rows[0].kind, WP_RECORD_SHA256);
	assert_int_equal(r.rows[0].size, 0);
}

static void signatures_need_no_digest(void **state)
{
	wp_record r = record("a-1.dist-info/RECORD.jws,,\na-1.dist-info/RECORD.p7s," EMPTY ",0\n");

	(void)state;
	assert_int_equal(r.n, 2);
}

static void doubtful_rows_are_warned_of(void **state)
{
	wp_record r = record("./a," EMPTY "=,0\nb," EMPTY ",\nb," EMPTY ",0\n");

	(void)state;
	assert_int_equal(r.n, 2);
	assert_string_equal(r.rows[0].path, "a");
	assert_int_equal(r.rows[1].size, 0);
	assert_int_equal(r.nwarnings, 3);
	assert_non_null(strstr(r.warnings[2], "RECORD line 3"));
}

static void bad_records_are_refused(void **state)
{
	static const char *const rows[][2] = {{"\xef\xbb\xbf" "a," EMPTY ",0\n", "byte order mark"},
		{"\xff," EMPTY ",0\n", "not UTF-8"}, {"a," EMPTY "\n", "fewer than three columns"},
		{"a," EMPTY ",0,\n", "more than three columns"}, {"\"a," EMPTY ",0\n", "a quote"},
		{"\"a\"b," EMPTY ",0\n", "a quote"}, {"a,,\n", "no digest for 'a'"}, {"a,,3\n", "no digest for 'a'"},
		{"x/a.dist-info/RECORD,,\n", "no digest"}, {"a.dist-info/RECORD," EMPTY ",0\n", "RECORD itself"},
		{"a,md5=1B2M2Y8AsgTpgAmY7PhCfg,0\n", "md5 is too weak"}, {"a,crc=1,0\n", "'crc' is not a hash"},
		{"a,sha256,0\n", "'sha256' is not a hash"}, {"a,sha256=47DE,0\n", "URL-safe base64"},
		{"a,sha256=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855,0\n", "URL-safe base64"},
		{"a,sha256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU,0\n", "URL-safe base64"},
		{"a," EMPTY ",x\n", "is not a number"}, {"a," EMPTY ",-1\n", "is not a number"},
		{"a," EMPTY ",9223372036854775808\n", "is not a number"}, {"/a," EMPTY ",0\n", "absolute path"},
		{"../a," EMPTY ",0\n", "climbs"}, {"a\\b," EMPTY ",0\n", "backslash"}, {"," EMPTY ",0\n", "empty path"},
		{"a," EMPTY ",0\na," EMPTY ",1\n", "another digest or size in line 1"},
		{"a," EMPTY ",0\na,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFQ,0\n", "another digest"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		wp_record r;
		wp_error err = {0};

		assert_int_equal(wp_record_parse(arena, wp_str_of(rows[i][0]), &r, &err), WP_E_RECORD);
		if (!strstr(err.why, rows[i][1]))
			fail_msg("%zu: %s", i, err.why);
	}
}

static void a_bad_row_has_a_line(void **state)
{
	wp_record r;
	wp_error err = {0};

	(void)state;
	wp_record_parse(arena, WP_LIT("a," EMPTY ",0\n\nb,,\n"), &r, &err);
	assert_string_equal(err.where, "RECORD line 3");
}

static void a_written_line_reads_back(void **state)
{
	wp_record r;
	wp_error err = {0};
	unsigned char digest[32];
	wp_buf b;
	size_t i;

	(void)state;
	for (i = 0; i < 32; i++)
		digest[i] = (unsigned char)(i * 37 + 5);
	wp_buf_init(&b, 4096);
	wp_record_line(&b, "x,\"y\".py", digest, 12);
	wp_record_line(&b, "a-1.dist-info/RECORD", NULL, -1);
	assert_ok(wp_record_parse(arena, wp_buf_view(&b), &r, &err));
	assert_memory_equal(wp_record_find(&r, "x,\"y\".py")->digest, digest, 32);
	assert_int_equal(wp_record_find(&r, "x,\"y\".py")->size, 12);
	wp_buf_free(&b);
	wp_buf_init(&b, 4096);
	wp_record_line(&b, "a-1.dist-info/RECORD", NULL, 5);
	assert_string_equal(b.p, "a-1.dist-info/RECORD,,\n");
	wp_buf_free(&b);
}

static void paths_are_judged(void **state)
{
	static const struct {
		const char *name;
		wp_path_verdict elsewhere, windows;
		const char *tidy;
	} rows[] = {{"torch/lib/c10.dll", WP_PATH_OK, WP_PATH_OK, "torch/lib/c10.dll"},
		{"torch/lib/", WP_PATH_OK, WP_PATH_OK, "torch/lib"}, {"a..b/c.", WP_PATH_WARN, WP_PATH_REFUSE, "a..b/c."},
		{"./a", WP_PATH_WARN, WP_PATH_WARN, "a"}, {"a//b/./c", WP_PATH_WARN, WP_PATH_WARN, "a/b/c"},
		{"a/../b", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL}, {"..", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL},
		{"/etc/x", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL}, {"//server/x", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL},
		{"C:/x", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL}, {"./c:x", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL},
		{"c:x", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL},
		{"a\\b", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL}, {"a\nb", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL},
		{"a\x7f", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL}, {"", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL},
		{".", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL}, {"\xff", WP_PATH_REFUSE, WP_PATH_REFUSE, NULL},
		{"CON.py", WP_PATH_WARN, WP_PATH_REFUSE, "CON.py"}, {"a/nul", WP_PATH_WARN, WP_PATH_REFUSE, "a/nul"},
		{"lpt9.x.y", WP_PATH_WARN, WP_PATH_REFUSE, "lpt9.x.y"},
		{"com\xc2\xb9", WP_PATH_WARN, WP_PATH_REFUSE, "com\xc2\xb9"}, {"com10", WP_PATH_OK, WP_PATH_OK, "com10"},
		{"common/console.py", WP_PATH_OK, WP_PATH_OK, "common/console.py"},
		{"a.py:stream", WP_PATH_WARN, WP_PATH_REFUSE, "a.py:stream"},
		{"a /b", WP_PATH_WARN, WP_PATH_REFUSE, "a /b"}, {"what?", WP_PATH_WARN, WP_PATH_REFUSE, "what?"},
		{"gr\xc3\xbc\xc3\x9f", WP_PATH_OK, WP_PATH_OK, "gr\xc3\xbc\xc3\x9f"}};
	const char *tidy, *why;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (wp_member_path(arena, rows[i].name, true, &tidy, &why) != rows[i].windows)
			fail_msg("'%s' for Windows", rows[i].name);
		if (wp_member_path(arena, rows[i].name, false, &tidy, &why) != rows[i].elsewhere)
			fail_msg("'%s'", rows[i].name);
		if (rows[i].elsewhere != WP_PATH_REFUSE)
			assert_string_equal(tidy, rows[i].tidy);
		assert_true((why != NULL) == (rows[i].elsewhere != WP_PATH_OK));
	}
}

static void long_names_are_refused(void **state)
{
	char *name = wp_alloc(arena, 6000);
	const char *tidy, *why;
	size_t i;

	(void)state;
	memset(name, 'a', 255);
	assert_int_equal(wp_member_path(arena, name, true, &tidy, &why), WP_PATH_OK);
	name[255] = 'a';
	assert_int_equal(wp_member_path(arena, name, false, &tidy, &why), WP_PATH_REFUSE);
	for (i = 0; i < 5000; i++)
		name[i] = i % 2 ? '/' : 'a';
	assert_int_equal(wp_member_path(arena, name, false, &tidy, &why), WP_PATH_REFUSE);
	name[200] = 0;
	assert_int_equal(wp_member_path(arena, name, true, &tidy, &why), WP_PATH_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sorted_and_found),
		cmocka_unit_test(commas_and_quotes_may_be_in_names),
		cmocka_unit_test(stronger_hashes_are_taken),
		cmocka_unit_test(an_installed_record_may_have_what_a_wheels_may_not),
		cmocka_unit_test(of_two_installed_rows_the_first_counts),
		cmocka_unit_test(signatures_need_no_digest),
		cmocka_unit_test(doubtful_rows_are_warned_of),
		cmocka_unit_test(bad_records_are_refused),
		cmocka_unit_test(a_bad_row_has_a_line),
		cmocka_unit_test(a_written_line_reads_back),
		cmocka_unit_test(paths_are_judged),
		cmocka_unit_test(long_names_are_refused),
	};

	return cmocka_run_group_tests_name("record", tests, setup, teardown);
}

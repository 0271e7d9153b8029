/* SPDX-License-Identifier: MIT */
#include "unit/test.h"
#include "wheelpack/bundle.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define HEAD "{\"schema\": \"wheelpack.bundle/1\", \"lock_sha256\": \"" A "\", "
#define LOCK "{\"path\": \"lock.json\", \"size\": 2, \"sha256\": \"" A "\", \"role\": \"lock\"}"
#define WHEEL(name) "{\"filename\": \"" name "\", \"size\": 7, \"sha256\": \"" A "\", \"record_sha256\": \"" B "\"}"
#define EXCEPTION(path) "{\"path\": \"" path "\", \"size\": 3, \"sha256\": \"" B "\"}"
#define EXCEPTING(list) "{\"filename\": \"a-1-py3-none-any.whl\", \"size\": 7, \"sha256\": \"" A "\", \"record_sha256\": \"" B "\", " \
	"\"exceptions\": [" list "]}"
#define FILE_ROW(path, role) "{\"path\": \"" path "\", \"size\": 1, \"sha256\": \"" B "\", \"role\": \"" role "\"}"
#define DOC(wheels, files) HEAD "\"wheels\": [" wheels "], \"files\": [" files "]}"

static void refuse(const char *text, const char *why)
{
	wp_arena *a = wp_arena_new();
	wp_bundle_doc d;
	wp_error err = {0};

	if (wp_bundle_doc_read(a, wp_str_of(text), &d, &err) != WP_E_DOCUMENT)
		fail_msg("not refused (%s): %s", wp_code_name(err.code), text);
	if (!strstr(err.why, why))
		fail_msg("refused with '%s', not with '%s'", err.why, why);
	wp_arena_free(a);
}

static wp_bundle_doc sample(wp_bundle_wheel *w, wp_bundle_file *f)
{
	w[0] = (wp_bundle_wheel){"a-1-py3-none-any.whl", A, B, 10};
	w[1] = (wp_bundle_wheel){"torch-2.11.0+cu126-cp312-cp312-win_amd64.whl", B, A, 3000000000u};
	f[0] = (wp_bundle_file){"SHA256SUMS", B, "sums", 100};
	f[1] = (wp_bundle_file){"lock.json", A, "lock", 20};
	f[2] = (wp_bundle_file){"requirements.cp312-win_amd64-cu126.txt", B, "requirements", 5};
	f[3] = (wp_bundle_file){"simple/index.html", B, "simple", 5};
	f[4] = (wp_bundle_file){"simple/torch/index.html", B, "simple", 5};
	return (wp_bundle_doc){.lock_sha256 = A, .wheels = w, .nwheels = 2, .files = f, .nfiles = 5};
}

static void what_is_written_reads_back(void **state)
{
	wp_arena *a = wp_arena_new();
	wp_bundle_wheel w[2];
	wp_bundle_file f[5];
	wp_bundle_doc d = sample(w, f), back;
	wp_str text, again;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_bundle_doc_write(a, &d, &text, &err));
	assert_ok(wp_bundle_doc_read(a, text, &back, &err));
	assert_int_equal(back.nwheels, 2);
	assert_int_equal(back.nfiles, 5);
	assert_string_equal(back.wheels[1].filename, w[1].filename);
	assert_true(back.wheels[1].size == 3000000000u);
	assert_string_equal(back.wheels[1].record_sha256, A);
	assert_string_equal(back.files[4].role, "simple");
	assert_ok(wp_bundle_doc_write(a, &back, &again, &err));
	assert_true(wp_str_eq(text, again));
	assert_true(wp_str_ends(text, "}\n"));
	wp_arena_free(a);
}

static void a_small_document_is_taken(void **state)
{
	wp_arena *a = wp_arena_new();
	wp_bundle_doc d;
	wp_error err = {0};

	(void)state;
	assert_ok(wp_bundle_doc_read(a, WP_LIT(DOC(WHEEL("a-1-py3-none-any.whl"), LOCK)), &d, &err));
	assert_int_equal(d.nwheels, 1);
	wp_arena_free(a);
}

static void paths_that_leave_the_bundle_are_refused(void **state)
{
	static const char *const files[] = {"../lock.json", "/etc/passwd", "simple/../x/index.html",
		"simple/..\\\\x/index.html", "simple//index.html", "simple/a/b/index.html", "simple/./index.html",
		"requirements.a/../../b.txt", "requirements.x\\u001b[m.txt", "C:lock.json", "lock.json/", "",
		"bundle.json", "wheels/a-1-py3-none-any.whl", "simple/.hidden/index.html"};
	static const char *const rolenames[] = {"lock", "sums", "simple", "requirements"};
	wp_arena *a = wp_arena_new();
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof files / sizeof *files; i++)
		for (k = 0; k < 4; k++)
			refuse(wp_sprintf(a, HEAD "\"wheels\": [], \"files\": [{\"path\": \"%s\", \"size\": 1, \"sha256\": \"" B
				"\", \"role\": \"%s\"}]}", files[i], rolenames[k]), "is no path for");
	refuse(DOC(WHEEL("../a.whl"), LOCK), "no wheel's file name");
	refuse(DOC(WHEEL("b/a.whl"), LOCK), "no wheel's file name");
	refuse(DOC(WHEEL("b\\\\a.whl"), LOCK), "no wheel's file name");
	refuse(DOC(WHEEL("a b.whl"), LOCK), "no wheel's file name");
	refuse(DOC(WHEEL("a.zip"), LOCK), "no wheel's file name");
	refuse(DOC(WHEEL("-r.whl"), LOCK), "no wheel's file name");
	wp_arena_free(a);
}

static void names_are_unique_and_sorted(void **state)
{
	(void)state;
	refuse(DOC(WHEEL("a-1.whl") ", " WHEEL("a-1.whl"), LOCK), "listed twice");
	refuse(DOC(WHEEL("b-1.whl") ", " WHEEL("a-1.whl"), LOCK), "out of order");
	refuse(DOC(WHEEL("A-1.whl") ", " WHEEL("a-1.whl"), LOCK), "in case only");
	refuse(DOC("", LOCK ", " LOCK), "listed twice");
	refuse(DOC("", LOCK ", " FILE_ROW("SHA256SUMS", "sums")), "out of order");
}

static void every_key_is_known_and_there(void **state)
{
	(void)state;
	refuse("{}", "'schema' is missing");
	refuse("{\"schema\": \"wheelpack.bundle/2\"}", "'wheelpack.bundle/2' where 'wheelpack.bundle/1' is needed");
	refuse("{\"schema\": null}", "null where text");
	refuse("{\"schema\": \"wheelpack.bundle/1\", \"more\": 1}", "unknown key 'more'");
	refuse("{\"schema\": \"wheelpack.bundle/1\"}", "'lock_sha256' is missing");
	refuse(DOC("", ""), "does not list lock.json");
	refuse(DOC("", FILE_ROW("lock.json", "lock")), "but among the files");
	refuse(DOC("{\"filename\": \"a.whl\", \"size\": 1, \"sha256\": \"" A "\"}", LOCK), "'record_sha256' is missing");
	refuse(DOC("{\"filename\": \"a.whl\", \"size\": 1, \"extra\": 1}", LOCK), "unknown key 'extra'");
	refuse(DOC("", FILE_ROW("lock.json", "payload")), "unknown role");
	refuse(DOC("", "{\"path\": \"lock.json\", \"size\": 1}"), "'sha256' is missing");
}

static void digests_and_sizes_have_one_form(void **state)
{
	(void)state;
	refuse("{\"schema\": \"wheelpack.bundle/1\", \"lock_sha256\": \"AAAA\"}", "64 lower-case");
	refuse("{\"schema\": \"wheelpack.bundle/1\", \"lock_sha256\": \"" A "a\"}", "64 lower-case");
	refuse("{\"schema\": \"wheelpack.bundle/1\", \"lock_sha256\": null}", "64 lower-case");
	refuse(DOC("{\"filename\": \"a.whl\", \"size\": -1}", LOCK), "out of range");
	refuse(DOC("{\"filename\": \"a.whl\", \"size\": 9007199254740993}", LOCK), "out of range");
}

static void damaged_text_is_refused(void **state)
{
	const char *text = DOC(WHEEL("a-1-py3-none-any.whl"), LOCK);
	wp_arena *a = wp_arena_new();
	size_t n;

	(void)state;
	for (n = 0; n < strlen(text); n++) {
		wp_bundle_doc d;
		wp_error err = {0};

		assert_int_not_equal(wp_bundle_doc_read(a, (wp_str){text, n}, &d, &err), 0);
	}
	refuse("[]", "");
	refuse("{\"schema\": \"wheelpack.bundle/1\", \"wheels\": {}}", "");
	refuse(DOC("1", LOCK), "");
	wp_arena_free(a);
}

static void exceptions_read_back(void **state)
{
	static const wp_exception x[] = {{"a-1.dist-info/METADATA", A, 0}, {"a/\xc3\xa4 b.py", B, 2147483648u}};
	wp_arena *a = wp_arena_new();
	wp_bundle_wheel w[2];
	wp_bundle_file f[5];
	wp_bundle_doc d = sample(w, f), back;
	wp_str text, again;
	wp_error err = {0};

	(void)state;
	w[0].exceptions = (wp_exceptions){x, 2};
	assert_ok(wp_bundle_doc_write(a, &d, &text, &err));
	assert_ok(wp_bundle_doc_read(a, text, &back, &err));
	assert_int_equal(back.wheels[0].exceptions.n, 2);
	assert_int_equal(back.wheels[1].exceptions.n, 0);
	assert_string_equal(back.wheels[0].exceptions.v[1].path, x[1].path);
	assert_string_equal(back.wheels[0].exceptions.v[1].sha256, B);
	assert_true(back.wheels[0].exceptions.v[1].size == 2147483648u);
	assert_ok(wp_bundle_doc_write(a, &back, &again, &err));
	assert_true(wp_str_eq(text, again));
	wp_arena_free(a);
}

static void odd_exceptions_are_refused(void **state)
{
	static const char *const paths[] = {"../a", "/a", "a/../b", "a//b", "./a", "a/", "", "C:/a", "a\\\\b", "a\\u0007b"};
	wp_arena *a = wp_arena_new();
	wp_buf b;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof paths / sizeof *paths; i++)
		refuse(wp_sprintf(a, HEAD "\"wheels\": [{\"filename\": \"a-1.whl\", \"exceptions\": [{\"path\": \"%s\", \"size\": 3, "
			"\"sha256\": \"" B "\"}]}], \"files\": []}", paths[i]), "is no path of a file in a wheel");
	refuse(DOC(EXCEPTING(EXCEPTION("b") ", " EXCEPTION("a")), LOCK), "'a' is out of order");
	refuse(DOC(EXCEPTING(EXCEPTION("a") ", " EXCEPTION("a")), LOCK), "'a' is listed twice");
	refuse(DOC(EXCEPTING(""), LOCK), "an empty list of exceptions");
	refuse(DOC(EXCEPTING("{\"path\": \"a\", \"size\": 1}"), LOCK), "'sha256' is missing");
	refuse(DOC(EXCEPTING("{\"path\": \"a\", \"size\": 1, \"sha256\": \"" A "\", \"why\": \"x\"}"), LOCK), "unknown key 'why'");
	refuse(DOC(EXCEPTING("{\"path\": \"a\", \"size\": -1, \"sha256\": \"" A "\"}"), LOCK), "out of range");
	refuse(DOC(EXCEPTING("{\"path\": \"a\", \"size\": 1, \"sha256\": \"AA\"}"), LOCK), "64 lower-case");
	wp_buf_init(&b, 4 << 20);
	wp_buf_puts(&b, HEAD "\"wheels\": [{\"filename\": \"a-1.whl\", \"exceptions\": [");
	for (i = 0; i <= WP_MAX_EXCEPTIONS; i++)
		wp_buf_printf(&b, "%s{\"path\": \"%06zu\", \"size\": 3, \"sha256\": \"" B "\"}", i ? ", " : "", i);
	wp_buf_puts(&b, "]}], \"files\": []}");
	refuse(wp_buf_take(&b, a).p, "10000");
	wp_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(a_small_document_is_taken),
		cmocka_unit_test(paths_that_leave_the_bundle_are_refused),
		cmocka_unit_test(names_are_unique_and_sorted),
		cmocka_unit_test(every_key_is_known_and_there),
		cmocka_unit_test(digests_and_sizes_have_one_form),
		cmocka_unit_test(damaged_text_is_refused),
		cmocka_unit_test(exceptions_read_back),
		cmocka_unit_test(odd_exceptions_are_refused),
	};

	return cmocka_run_group_tests_name("bundle_doc", tests, NULL, NULL);
}

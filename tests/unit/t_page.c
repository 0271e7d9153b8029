/* SPDX-License-Identifier: MIT */
#include "fetch/packed.h"
#include "fetch/page.h"
#include "unit/arena.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define JSON "application/vnd.pypi.simple.v1+json"
#define TORCH "torch-2.7.0%2Bcu128-cp312-cp312-win_amd64.whl"

static int read_as(wp_arena *a, const char *type, const char *text, const char *project, wp_project *out, wp_error *e)
{
	wp_page page = {
		.text = wp_str_of(text), .content_type = type, .url = "https://example.org/whl/cu128/torch/"};

	return wp_page_read(a, &page, project, "variant", out, e);
}

static wp_project html(wp_arena *a, const char *text, const char *project)
{
	wp_error err = {0};
	wp_project p = {0};

	assert_ok(read_as(a, "text/html", text, project, &p, &err));
	return p;
}

static wp_project json(wp_arena *a, const char *text, const char *project)
{
	wp_error err = {0};
	wp_project p = {0};

	assert_ok(read_as(a, JSON, text, project, &p, &err));
	return p;
}

static void a_line_of_the_pytorch_index(void **state)
{
	wp_project p = html(*state,
		"<!DOCTYPE html>\n<html>\n  <body>\n    <h1>Links for torch</h1>\n"
		"    <a href=\"https://other.example.net/whl/cu128/" TORCH "#sha256=" A64 "\" "
		"data-dist-info-metadata=\"sha256=" A64 "\" data-core-metadata=\"sha256=" B64 "\" "
		"data-upload-time=\"2026-04-23T12:34:56Z\">torch-2.7.0+cu128-cp312-cp312-win_amd64.whl</a><br/>\n"
		"    <a href=\"/whl/cu128/torch-2.6.0%2Bcu128-cp312-cp312-win_amd64.whl\">x</a><br/>\n"
		"  </body>\n</html>\n<!--TIMESTAMP 1745430000-->",
		"torch");

	assert_int_equal(p.nfiles, 2);
	assert_string_equal(p.name, "torch");
	assert_string_equal(p.index, "variant");
	assert_string_equal(p.files[0].filename, "torch-2.7.0+cu128-cp312-cp312-win_amd64.whl");
	assert_string_equal(p.files[0].url, "https://other.example.net/whl/cu128/" TORCH);
	assert_string_equal(p.files[0].sha256, A64);
	assert_true(p.files[0].has_metadata);
	assert_string_equal(p.files[0].metadata_sha256, B64);
	assert_string_equal(p.files[0].upload_time, "2026-04-23T12:34:56Z");
	assert_string_equal(p.files[0].index, "variant");
	assert_true(p.files[0].size == -1);
	assert_false(p.files[0].yanked);
	assert_string_equal(p.files[1].url,
		"https://example.org/whl/cu128/torch-2.6.0%2Bcu128-cp312-cp312-win_amd64.whl");
	assert_null(p.files[1].sha256);
	assert_false(p.files[1].has_metadata);
}

static void links_are_resolved_and_decoded(void **state)
{
	wp_project p = html(*state,
		"<a href=\"../x/y-1.0-py3-none-any.whl\">"
		"<a href=\"y-1.1-py3-none-any.whl#sha256%3D" A64 "\">"
		"<a href=\"y-1.2-py3-none-any.whl?k=v/w#egg=y&amp;sha256="
		"AAAAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\">"
		"<a href=\"https://user:secret@example.org/y-1.3-py3-none-any.whl#md5=1\">"
		"<a href=\"//cdn.example.org/y-1.4&#43;l-py3-none-any.whl\">",
		"y");

	assert_int_equal(p.nfiles, 5);
	assert_string_equal(p.files[0].url, "https://example.org/whl/cu128/x/y-1.0-py3-none-any.whl");
	assert_string_equal(p.files[1].sha256, A64);
	assert_string_equal(p.files[2].filename, "y-1.2-py3-none-any.whl");
	assert_string_equal(p.files[2].sha256, A64);
	assert_string_equal(p.files[3].url, "https://example.org/y-1.3-py3-none-any.whl");
	assert_null(p.files[3].sha256);
	assert_string_equal(p.files[4].filename, "y-1.4+l-py3-none-any.whl");
	assert_true(wp_starts(p.files[4].url, "https://cdn.example.org/"));
}

static void the_first_base_is_followed(void **state)
{
	wp_project p = html(*state,
		"<base href=\"https://mirror.example.org/pkg/\"><base href=\"https://no.example.org/\">"
		"<a href=y-1.0-py3-none-any.whl><a href=/y-1.1-py3-none-any.whl>",
		"y");

	assert_string_equal(p.files[0].url, "https://mirror.example.org/pkg/y-1.0-py3-none-any.whl");
	assert_string_equal(p.files[1].url, "https://mirror.example.org/y-1.1-py3-none-any.whl");
}

static void a_base_gives_no_credentials_and_no_other_scheme(void **state)
{
	wp_project p = html(*state, "<base href=\"https://me:pass@mirror.example.org/pkg/\"><a href=/y-1.1-py3-none-any.whl>",
		"y");

	assert_string_equal(p.files[0].url, "https://mirror.example.org/y-1.1-py3-none-any.whl");
	p = html(*state, "<base href=\"ftp://mirror.example.org/pkg/\"><a href=/y-1.1-py3-none-any.whl>", "y");
	assert_int_equal(p.nfiles, 1);
	assert_true(wp_starts(p.files[0].url, "https://"));
}

static void attributes_of_a_file(void **state)
{
	wp_project p = html(*state,
		"<a href=y-1.0-py3-none-any.whl data-requires-python=\"&gt;=3.8,&lt;4\" data-yanked>"
		"<a href=y-1.1-py3-none-any.whl data-yanked=\"bad &amp; old\" data-core-metadata=true>"
		"<a href=y-1.2-py3-none-any.whl data-core-metadata=false data-dist-info-metadata=\"sha512=1\">"
		"<a href=y-1.3-py3-none-any.whl data-dist-info-metadata=\"sha256=" B64 "\">",
		"y");

	assert_string_equal(p.files[0].requires_python, ">=3.8,<4");
	assert_true(p.files[0].yanked);
	assert_null(p.files[0].yanked_reason);
	assert_string_equal(p.files[1].yanked_reason, "bad & old");
	assert_true(p.files[1].has_metadata);
	assert_null(p.files[1].metadata_sha256);
	assert_false(p.files[2].has_metadata);
	assert_string_equal(p.files[3].metadata_sha256, B64);
}

static void other_links_are_counted(void **state)
{
	wp_project p = html(*state,
		"<a href=y-1.0-py3-none-any.whl><a href=y-1.0.tar.gz><a href=y-1.0.zip><a href=other-1.0-py3-none-any.whl>"
		"<a href=\"../\"><a href=y-1.0.json><a href=y-1.0-1-py3-none-any-x86_64_v3.whl><a href=\"ftp://h/y-1.1-py3-none-any.whl\">"
		"<a href=\"y-1.2-py3-none-any.whl\xff\"><a href=\"y-1.3-py3-none-any.whl\" data-requires-python=\"\xff\">"
		"<a href=\"a%2Fy-1.4-py3-none-any.whl\"><a href=\"mailto:x@y\"><a name=z>"
		"<a href=\"y-1.5-py3-none-any%1B.whl\"><a href=\"y-1.6%0A.tar.gz\">",
		"y");

	assert_int_equal(p.nfiles, 3);
	assert_int_equal(p.skipped, 11);
}

static void names_are_compared_normalised(void **state)
{
	wp_project p = html(*state, "<a href=MarkupSafe-2.1.5-cp312-cp312-win_amd64.whl>", "markupsafe");

	assert_int_equal(p.nfiles, 1);
	p = html(*state, "<a href=typing_extensions-4.9.0-py3-none-any.whl><a href=typing.extensions-4.9.0.tar.gz>",
		"typing-extensions");
	assert_int_equal(p.nfiles, 2);
}

static void a_json_page(void **state)
{
	wp_project p = json(*state,
		"{\"meta\": {\"api-version\": \"1.4\", \"_last-serial\": 7}, \"name\": \"y\", \"versions\": [\"1.0\"],\n"
		"\"files\": [\n"
		"{\"filename\": \"y-1.0-py3-none-any.whl\", \"url\": \"https://f.example.org/y-1.0-py3-none-any.whl\",\n"
		" \"hashes\": {\"md5\": \"1\", \"sha256\": \"" A64 "\"}, \"requires-python\": \">=3.8\", \"size\": 123456789012,\n"
		" \"core-metadata\": {\"sha256\": \"" B64 "\"}, \"data-dist-info-metadata\": false, \"yanked\": false,\n"
		" \"upload-time\": \"2024-01-01T00:00:00Z\", \"provenance\": null},\n"
		"{\"filename\": \"y-1.1-py3-none-any.whl\", \"url\": \"y-1.1-py3-none-any.whl\", \"hashes\": {},\n"
		" \"requires-python\": null, \"dist-info-metadata\": true, \"yanked\": \"broken\", \"size\": null},\n"
		"{\"filename\": \"y-1.2.tar.gz\", \"url\": \"/y-1.2.tar.gz\", \"hashes\": {}, \"yanked\": true},\n"
		"{\"filename\": \"../y-1.3-py3-none-any.whl\", \"url\": \"x\", \"hashes\": {}}]}",
		"y");

	assert_int_equal(p.nfiles, 3);
	assert_int_equal(p.skipped, 1);
	assert_true(p.files[0].size == 123456789012);
	assert_string_equal(p.files[0].sha256, A64);
	assert_string_equal(p.files[0].metadata_sha256, B64);
	assert_string_equal(p.files[0].requires_python, ">=3.8");
	assert_true(p.files[1].has_metadata);
	assert_string_equal(p.files[1].yanked_reason, "broken");
	assert_string_equal(p.files[1].url, "https://example.org/whl/cu128/torch/y-1.1-py3-none-any.whl");
	assert_true(p.files[2].yanked);
	assert_null(p.files[2].yanked_reason);
}

static void refused(wp_arena *a, const char *type, const char *text, wp_code code, const char *word)
{
	wp_error err = {0};
	wp_project p;

	assert_int_equal(read_as(a, type, text, "y", &p, &err), code);
	if (!strstr(err.why, word))
		fail_msg("'%s' is not in: %s", word, err.why);
}

static void the_answer_decides_what_a_page_is(void **state)
{
	refused(*state, "text/plain", "<a href=y-1.0-py3-none-any.whl>", WP_E_PAGE, "text/plain");
	refused(*state, "", "{}", WP_E_PAGE, "unknown");
	refused(*state, JSON, "<a href=y-1.0-py3-none-any.whl>", WP_E_PAGE, "no value");
	refused(*state, JSON, "{\"meta\": {\"api-version\": \"1.0\"}}", WP_E_PAGE, "no list of files");
	refused(*state, JSON, "{\"meta\": {\"api-version\": \"2.0\"}, \"files\": []}", WP_E_PAGE, "version 2.0");
	refused(*state, JSON, "{\"files\": [{\"filename\": 5}]}", WP_E_PAGE, "text expected");
	refused(*state, JSON, "{\"files\": [], \"files\": []}", WP_E_PAGE, "twice");
	refused(*state, JSON, "{\"files\": []} x", WP_E_PAGE, "");
	refused(*state, "text/html", "<meta name=pypi:repository-version content=2.0>", WP_E_PAGE, "version 2.0");
	assert_int_equal(html(*state, "<meta name='pypi:repository-version' content='1.9'>", "y").nfiles, 0);
}

/* Byte by byte and in two halves it is what it is as a whole. */
static void same_in_pieces(wp_arena *a, const char *type, const char *text)
{
	size_t n = strlen(text), step;
	wp_project whole, p;
	wp_error first = {0};

	read_as(a, type, text, "y", &whole, &first);
	for (step = 1; step < n; step = step == 1 ? 7 : step * 2) {
		wp_page_reader *r = wp_page_open(type, "https://example.org/whl/cu128/torch/", "y");
		wp_error err = {0};
		wp_buf packed = {0};
		size_t i;

		for (i = 0; i < n && !err.code; i += step)
			wp_page_feed(r, text + i, n - i < step ? n - i : step, &err);
		if (!err.code && !wp_page_end(r, &packed, &err)) {
			assert_true(wp_packed_read(a, wp_buf_view(&packed), "y", "variant", &p));
			assert_int_equal(p.nfiles, whole.nfiles);
			assert_int_equal(p.skipped, whole.skipped);
			for (i = 0; i < p.nfiles; i++)
				assert_string_equal(p.files[i].filename, whole.files[i].filename);
		}
		assert_string_equal(err.why, first.why);
		wp_buf_free(&packed);
		wp_page_close(r);
	}
}

#define FILE_Y(v) "{\"filename\": \"y-" v ".tar.gz\", \"url\": \"y-" v ".tar.gz\", \"hashes\": {}}"

static void pieces_make_no_difference(void **state)
{
	same_in_pieces(*state, JSON, "{\"meta\": {\"api-version\": \"1.0\"}, \"a\\\"\": [\"]}\\\\\"], \"files\": [" FILE_Y("1.0") ",\n"
		FILE_Y("1.1") ", " FILE_Y("1.2") "], \"versions\": [\"1.0\"], \"z\": {\"files\": [{\"filename\": 1}]}}");
	same_in_pieces(*state, JSON, "{\"files\": [" FILE_Y("1.0") ", {\"filename\": \"\\ud83d\\ude00\\\\\", \"url\": \"}\"}]}");
	same_in_pieces(*state, JSON, "{\"files\": [" FILE_Y("1.0") ", {\"filename\": [}]}");
	same_in_pieces(*state, JSON, "{\"files\": [" FILE_Y("1.0") ", {\"filename\": ");
	same_in_pieces(*state, "text/html", "<a href=y-1.0.zip>x</a><!-- <a href=y-1.1.zip> --><a href='y-1.2.zip'>");
}

/* What a splitter could take for something else than JSON says it is. */
static void the_list_of_files_is_read_strictly(void **state)
{
	const char *odd = "{\"fil\\u0065s\": [" FILE_Y("1.0") "], \"x\": {\"files\": [{\"filename\": 5}]}, \"\\nfiles\": [], "
		"\"y\": \"files\"}";

	assert_int_equal(json(*state, odd, "y").nfiles, 1);
	refused(*state, JSON, "{\"files\": [null]}", WP_E_PAGE, "something else");
	refused(*state, JSON, "{\"files\": [" FILE_Y("1.0") ", null]}", WP_E_PAGE, "something else");
	refused(*state, JSON, "{\"files\": [1" FILE_Y("1.0") "]}", WP_E_PAGE, "object expected");
	refused(*state, JSON, "{\"files\": [-" FILE_Y("1.0") "]}", WP_E_PAGE, "");
	refused(*state, JSON, "{\"files\": [" FILE_Y("1.0") FILE_Y("1.1") "]}", WP_E_PAGE, "");
	refused(*state, JSON, "{\"files\": [" FILE_Y("1.0") ",]}", WP_E_PAGE, "");
	refused(*state, JSON, "{\"files\": [" FILE_Y("1.0") "}}", WP_E_PAGE, "");
	refused(*state, JSON, "{\"files\": [" FILE_Y("1.0"), WP_E_PAGE, "");
	refused(*state, JSON, "{\"files\": " FILE_Y("1.0") "}", WP_E_PAGE, "an array expected");
	refused(*state, JSON, "{\"files\": [{\"filename\": \"a\", \"filename\": \"b\"}]}", WP_E_PAGE, "twice");
	refused(*state, JSON, "{\"meta\": {\"api-version\": \"2.0\"}, \"files\": [{\"filename\": 5}]}", WP_E_PAGE, "version 2.0");
}

/* Objects with so many keys that they are looked up in a table, one file after the other. */
static void files_with_many_keys(void **state)
{
	wp_buf b;
	int i, k;

	wp_buf_init(&b, 8 << 20);
	wp_buf_puts(&b, "{\"files\": [");
	for (i = 0; i < 600; i++) {
		wp_buf_printf(&b, "%s{\"filename\": \"y-%d.tar.gz\", \"url\": \"y-%d.tar.gz\"", i ? ", " : "", i, i);
		for (k = 0; k < 40; k++)
			wp_buf_printf(&b, ", \"k%d\": {\"a\": %d}", k, k);
		wp_buf_puts(&b, "}");
	}
	wp_buf_puts(&b, "]}");
	assert_int_equal(json(*state, b.p, "y").nfiles, 600);
	wp_buf_free(&b);
}

static void one_file_is_not_the_whole_page(void **state)
{
	wp_buf b;

	wp_buf_init(&b, 8 << 20);
	wp_buf_puts(&b, "{\"files\": [{\"filename\": \"");
	while (b.n < 2 << 20)
		wp_buf_puts(&b, "0123456789012345678901234567890123456789");
	wp_buf_puts(&b, "\"}]}");
	refused(*state, JSON, b.p, WP_E_TOO_LARGE, "one file");
	wp_buf_free(&b);
}

static void too_many_files(void **state)
{
	wp_buf b;
	int i;

	wp_buf_init(&b, 32 << 20);
	for (i = 0; i <= WP_MAX_PAGE_FILES; i++)
		wp_buf_puts(&b, "<a href=x>");
	refused(*state, "text/html", b.p, WP_E_TOO_LARGE, "200000 files");
	wp_buf_free(&b);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_line_of_the_pytorch_index),
		T(links_are_resolved_and_decoded),
		T(the_first_base_is_followed),
		T(a_base_gives_no_credentials_and_no_other_scheme),
		T(attributes_of_a_file),
		T(other_links_are_counted),
		T(names_are_compared_normalised),
		T(a_json_page),
		T(the_answer_decides_what_a_page_is),
		T(pieces_make_no_difference),
		T(the_list_of_files_is_read_strictly),
		T(files_with_many_keys),
		T(one_file_is_not_the_whole_page),
		T(too_many_files),
	};

	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}

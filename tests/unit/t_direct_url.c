/* SPDX-License-Identifier: MIT */
#include "py/direct_url.h"
#include "unit/arena.h"

static const char *again(const char *text)
{
	wp_direct_url d;
	wp_error err = {0};

	if (wp_direct_url_read(arena, wp_str_of(text), &d, &err))
		fail_msg("%s: %s", text, err.why);
	return wp_direct_url_write(arena, &d).p;
}

static void refused(const char *text, const char *why)
{
	wp_direct_url d;
	wp_error err = {0};

	assert_int_equal(wp_direct_url_read(arena, wp_str_of(text), &d, &err), WP_E_DOCUMENT);
	if (!strstr(err.why, why))
		fail_msg("%s instead of %s", err.why, why);
}

static void what_is_read_is_written_again(void **state)
{
	static const char *const texts[] = {
		"{\"archive_info\": {\"hashes\": {\"sha256\": \"aa\", \"md5\": \"b\"}}, \"url\": \"https://x.test/a-1.whl\"}",
		"{\"archive_info\": {\"hashes\": {}}, \"url\": \"https://x.test/a-1.whl\"}",
		"{\"archive_info\": {}, \"subdirectory\": \"a\\\"b\", \"url\": \"file:///x/a-1.whl\"}",
		"{\"dir_info\": {\"editable\": true}, \"url\": \"file:///home/a\"}",
		"{\"dir_info\": {}, \"url\": \"file://localhost/home/a\"}",
		"{\"vcs_info\": {\"commit_id\": \"c0ffee\", \"requested_revision\": \"main\", \"vcs\": \"git\"}, "
		"\"url\": \"ssh://git@x.test/a\"}"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_string_equal(again(texts[i]), texts[i]);
}

static void old_and_odd_forms_become_normal(void **state)
{
	(void)state;
	assert_string_equal(again("{\"url\": \"HTTPS://X.test/a.zip\", \"archive_info\": {\"hash\": \"sha256=aa\"}, \"more\": [1]}"),
		"{\"archive_info\": {\"hashes\": {\"sha256\": \"aa\"}}, \"url\": \"https://X.test/a.zip\"}");
	assert_string_equal(again("{\"url\": \"https://u:p@x.test/a.zip\", \"archive_info\": {}}"),
		"{\"archive_info\": {}, \"url\": \"https://x.test/a.zip\"}");
	assert_string_equal(again("{\"url\": \"file:/a\", \"dir_info\": {\"editable\": null}, \"vcs_info\": null}"),
		"{\"dir_info\": {}, \"url\": \"file:///a\"}");
}

static void faults_are_told(void **state)
{
	(void)state;
	refused("[]", "object");
	refused("{\"dir_info\": {}}", "no url");
	refused("{\"url\": \"file:///a\"}", "there are 0");
	refused("{\"url\": \"file:///a\", \"dir_info\": {}, \"archive_info\": {}}", "there are 2");
	refused("{\"url\": \"https://x.test/a\", \"dir_info\": {}}", "local directory");
	refused("{\"url\": \"file:a\", \"dir_info\": {}}", "local directory");
	refused("{\"url\": \"file://host\", \"dir_info\": {}}", "local directory");
	refused("{\"url\": \"no address\", \"archive_info\": {}}", "not an address");
	refused("{\"url\": \"file:///a\", \"dir_info\": {\"editable\": 1}}", "");
	refused("{\"url\": \"https://x.test/a\", \"vcs_info\": {\"vcs\": \"git\"}}", "no commit_id");
	refused("{\"url\": \"https://x.test/a\", \"archive_info\": {\"hash\": \"aa\"}}", "algorithm=value");
	refused("{\"url\": \"https://x.test/a\", \"archive_info\": {\"hash\": \"md5=a\", \"hashes\": {\"md5\": \"b\"}}}",
		"not one of the hashes");
	refused("{\"url\": \"https://x.test/a\", \"archive_info\": {\"hash\": \"md5=a\", \"hashes\": {}}}",
		"not one of the hashes");
	refused("{\"url\": \"https://x.test/a\", \"archive_info\": {}", "");
}

static void secrets_are_taken_out_of_addresses(void **state)
{
	static const char *const safe[] = {"git", "hg"};
	static const char *const pairs[][2] = {{"https://x.test/a@b", "https://x.test/a@b"},
		{"https://u:p@x.test:8080/a?b=c@d#e@f", "https://x.test:8080/a?b=c@d#e@f"},
		{"https://u@x.test", "https://x.test"}, {"https://u:p@q@x.test/", "https://x.test/"},
		{"ssh://git@x.test/a", "ssh://git@x.test/a"}, {"ssh://git:p@x.test/a", "ssh://x.test/a"},
		{"ssh://hg@x.test/a", "ssh://hg@x.test/a"}, {"https://${A}:${B-1}@x.test/", "https://${A}:${B-1}@x.test/"},
		{"https://${A}@x.test/", "https://${A}@x.test/"}, {"https://${A}${B}@x.test/", "https://x.test/"},
		{"https://${A}:p@x.test/", "https://x.test/"}, {"https://${}@x.test/", "https://x.test/"},
		{"https://x.test?u:p@y", "https://x.test?u:p@y"}, {"a/b@c", "a/b@c"}, {"", ""}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
		assert_string_equal(wp_url_without_secrets(arena, pairs[i][0], safe, 2), pairs[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_is_written_again),
		cmocka_unit_test(old_and_odd_forms_become_normal),
		cmocka_unit_test(faults_are_told),
		cmocka_unit_test(secrets_are_taken_out_of_addresses),
	};

	return cmocka_run_group_tests_name("direct_url", tests, setup, teardown);
}

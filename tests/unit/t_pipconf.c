/* SPDX-License-Identifier: MIT */
#include "unit/test.h"

#include "model/pipconf.h"

static void the_commands_section_wins_over_global(void **state)
{
	wp_arena *a = wp_arena_new();
	wp_pipconf c = {0};

	(void)state;
	wp_pipconf_ini(a,
		WP_LIT("[download]\nindex-url = https://b/simple\n[global]\nindex_url: https://a/simple\n"
		       "# comment\nno-index = false\nextra-index-url =\n    https://x/simple\n    https://y/simple\n"
		       "[install]\ncert = /no\n"),
		"download", &c);
	assert_string_equal(c.index_url, "https://b/simple");
	assert_string_equal(c.extra_index_url, "https://x/simple https://y/simple");
	assert_null(c.cert);
	assert_false(c.no_index);
	wp_arena_free(a);
}

static void the_default_index_is_read_from_help(void **state)
{
	wp_arena *a = wp_arena_new();

	(void)state;
	assert_string_equal(
		wp_pipconf_default_index(a,
			WP_LIT("  -i, --index-url <url>  Base URL of the index (default https://index.test/simple). "
			       "More.\n")),
		"https://index.test/simple");
	assert_null(wp_pipconf_default_index(a, WP_LIT("-i, --index-url <url> (default http://index.test/)")));
	assert_null(wp_pipconf_default_index(a, WP_LIT("-i, --index-url <url> (default https://a b)")));
	assert_null(wp_pipconf_default_index(a, WP_LIT("nothing")));
	wp_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_commands_section_wins_over_global),
		cmocka_unit_test(the_default_index_is_read_from_help),
	};

	return cmocka_run_group_tests_name("pipconf", tests, NULL, NULL);
}

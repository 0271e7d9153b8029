/* SPDX-License-Identifier: MIT */
#include "ext/unicode.h"
#include "unit/test.h"

static void same(const char *x, const char *y, bool want)
{
	wp_arena *a = wp_arena_new();

	if (wp_streq(wp_name_fold(a, wp_str_of(x)), wp_name_fold(a, wp_str_of(y))) != want)
		fail_msg("'%s' and '%s' are %s", x, y, want ? "not the same" : "the same");
	wp_arena_free(a);
}

static void names_fold_as_file_systems_do(void **state)
{
	(void)state;
	same("Foo.py", "foo.PY", true);
	same("foo.py", "fob.py", false);
	same("", "", true);
	same("\xc3\x84.py", "\xc3\xa4.py", true);		  /* Ä, ä */
	same("caf\xc3\xa9.py", "cafe\xcc\x81.py", true);	  /* NFC, NFD */
	same("CAF\xc3\x89", "cafe\xcc\x81", true);
	same("\xe2\x84\xaa", "k", true);			  /* KELVIN SIGN */
	same("\xce\xa3", "\xcf\x82", true);			  /* Sigma, final sigma */
	same("\xef\xac\x81", "f\xef\xac\x81", false);		  /* fi ligature */
	same("\xe2\x91\xa0", "1", false);			  /* circled one: compatibility only */
}

static void letters_are_told_from_signs(void **state)
{
	static const char *const good[] = {"", "a-b c", "\xc3\xa4\xe4\xb8\xad", "e\xcc\x81", "\xd9\xa1"};
	static const char *const bad[] = {"a\xc2\xa0", "\xe2\x80\xae", "\xe2\x80\xa8x", "\xf0\x9f\x98\x80", "\xe2\x80\x9c"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(wp_letters(wp_str_of(good[i])));
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(wp_letters(wp_str_of(bad[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_fold_as_file_systems_do),
		cmocka_unit_test(letters_are_told_from_signs),
	};

	return cmocka_run_group_tests_name("unicode", tests, NULL, NULL);
}

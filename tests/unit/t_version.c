/* SPDX-License-Identifier: MIT */
#include "py/name.h"
#include "py/version.h"
#include "unit/arena.h"

static wp_version version(const char *text)
{
	wp_version v;

	if (!wp_version_parse(arena, wp_str_of(text), &v))
		fail_msg("'%s' should be a version", text);
	return v;
}

static bool matches(const char *specifiers, const char *text)
{
	wp_specifiers s;
	wp_version v = version(text);

	if (!wp_specifiers_parse(arena, wp_str_of(specifiers), &s))
		fail_msg("'%s' should be specifiers", specifiers);
	return wp_specifiers_match(&s, &v);
}

static void the_normal_form_is_short(void **state)
{
	static const char *const pairs[][2] = {{"1.0", "1.0"}, {" v1.0 ", "1.0"}, {"1.0ALPHA1", "1.0a1"},
		{"1.0-c.2", "1.0rc2"}, {"1.0preview", "1.0rc0"}, {"1.0-1", "1.0.post1"},
		{"1.0rev2", "1.0.post2"}, {"1.0.DEV", "1.0.dev0"}, {"1!01.02", "1!1.2"},
		{"0!1", "1"}, {"2.11.0+CU126", "2.11.0+cu126"}, {"1+ubuntu-01_x", "1+ubuntu.1.x"},
		{"1.0a.dev1", "1.0a0.dev1"}, {"1.0.post.dev3", "1.0.post0.dev3"},
		{"1.13.1+cu117.with.pypi.cudnn", "1.13.1+cu117.with.pypi.cudnn"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
		assert_string_equal(version(pairs[i][0]).norm, pairs[i][1]);
}

static void what_is_no_version_is_refused(void **state)
{
	static const char *const bad[] = {"", " ", "v", "1..0", "1.0.", ".1", "1 .0", "latest", "1.0+", "1.0+a+b",
		"1.7+arch75+torch222", "1.0+a..b", "1!", "1.0\xd9\xa1", "\xd9\xa1.0", "1.0+\xc4\xb0",
		"99999999999999999999", "1.0a99999999999999999999", "2.0x"};
	wp_version v;
	char *huge = wp_xmalloc(WP_MAX_VERSION + 2);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		if (wp_version_parse(arena, wp_str_of(bad[i]), &v))
			fail_msg("'%s' was taken", bad[i]);
	memset(huge, '1', WP_MAX_VERSION + 1);
	huge[1] = '.';
	assert_false(wp_version_parse(arena, (wp_str){huge, WP_MAX_VERSION + 1}, &v));
	free(huge);
}

static void versions_are_in_order(void **state)
{
	static const char *const up[] = {"0.9", "1.0.dev0", "1.0a0.dev1", "1.0a0", "1.0a0.post0.dev1", "1.0a0.post0",
		"1.0a2", "1.0b1", "1.0rc1", "1.0", "1.0+abc", "1.0+abc.1", "1.0+cu118", "1.0+1", "1.0+10",
		"1.0.post1.dev2", "1.0.post1", "1.0.1", "1.10", "1.223", "1.224", "1.256", "1.18446744073709551615", "2022.1",
		"1!0.1", "300!1"};
	size_t i, k, n = sizeof up / sizeof *up;

	(void)state;
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			wp_version a = version(up[i]), b = version(up[k]);
			int c = wp_version_cmp(&a, &b);

			if ((c > 0) - (c < 0) != (i > k) - (i < k))
				fail_msg("%s against %s is %d", up[i], up[k], c);
		}
}

static void trailing_zeros_do_not_count(void **state)
{
	wp_version a = version("1.0.0"), b = version("1");

	(void)state;
	assert_int_equal(wp_version_cmp(&a, &b), 0);
}

static void the_public_part_has_no_label(void **state)
{
	wp_version v = version("2.11.0rc1+cu126");

	(void)state;
	assert_string_equal(wp_version_public(arena, &v), "2.11.0rc1");
	assert_true(wp_version_prerelease(&v));
}

static void specifiers_hold_what_the_standard_says(void **state)
{
	static const struct {
		const char *spec, *version;
		bool want;
	} rows[] = {{"", "1.0.dev1", true}, {"==2.11.0", "2.11.0+cu126", true},
		{"==2.11.0+cu126", "2.11.0", false}, {"==2.11.0+cu126", "2.11+cu126", true},
		{"!=2.11.0", "2.11.0+cu126", false}, {"==1.2.*", "1.2.9.post1", true},
		{"==1.2.*", "1.20", false}, {"==1.2.0.*", "1.2", true}, {"==1.1.*", "1.1a1", true},
		{"!=8.3.*", "8.3.2", false}, {"~=1.4.2", "1.4.9", true}, {"~=1.4.2", "1.5", false},
		{"~=2.2.post3", "2.9", true}, {"~=2.2.post3", "2.2", false}, {"<1.0", "1.0a1", false},
		{"<1.0", "0.9a1", true}, {"<1.0rc1", "1.0b1", true}, {">1.0", "1.0.post1", false},
		{">1.0", "1.0+x", false}, {">1.0.post1", "1.0.post2", true}, {">1.0", "1.0.1", true},
		{">=1.0", "1.0+x", true}, {"<=1.0", "1.0+x", true}, {"===1.0+AbC", "1.0+abc", true},
		{"===1.0", "1.0.0", false}, {"<=2021.4.0,>=2021.1.1", "2021.2", true},
		{">=1, <2,!=1.5", "1.5", false}, {">=1!0", "2022.1", false}, {"<1.0.post1", "1.0.post1.dev1", false},
		{"<1.0.post1", "1.0rc1", true}, {">1.0a1", "1.0a1.post1", false}, {">1.0a1", "1.0a1.post1.dev1", false},
		{">1.0.dev1", "1.0.dev1+x", false}, {">1.0.dev1", "1.0.dev2", true}, {"<1.0.dev1", "1.0.dev0", true},
		{"==1.*", "2.dev0", false}, {"==1.*", "1.dev0", true}, {"~=1.4.5a4", "1.4.5b1", true},
		{"!=1.0+cu118", "1.0", true}, {"!=1.0+cu118", "1.0+cu118", false}, {"==1.0.*", "1.0+cu118", true},
		{"<1.0,>2.0", "3.0", false}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		if (matches(rows[i].spec, rows[i].version) != rows[i].want)
			fail_msg("%s with %s", rows[i].spec, rows[i].version);
}

static void bad_specifiers_are_refused(void **state)
{
	static const char *const bad[] = {"1.0", "=>1.0", "==", "==1.0+x.*", "~=1", ">=1.0.*", ">1.0+x", "==1.0a1.*",
		">=1.0 <2", "> dev", "!=~5.0", "===", "=== a;b", "^1.0"};
	wp_specifiers s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		if (wp_specifiers_parse(arena, wp_str_of(bad[i]), &s))
			fail_msg("'%s' was taken", bad[i]);
}

static void specifiers_have_a_normal_form(void **state)
{
	wp_specifiers s;

	(void)state;
	assert_true(wp_specifiers_parse(arena, WP_LIT(">=1.0 , <2,== 1.5,==1.5.0,"), &s));
	assert_string_equal(s.norm, "<2,==1.5,>=1.0");
	assert_int_equal(s.n, 4);
}

/* Whatever the spans say of a sorted list must be what a match says of each. */
static void spans_cut_sorted_versions(void **state)
{
	static const char *const up[] = {"0.dev0", "0", "0.9", "1.0.dev0", "1.0.dev1", "1.0a0.dev1", "1.0a0",
		"1.0a0.post0.dev1", "1.0a0.post0", "1.0a1", "1.0rc1", "1.0rc1.post2", "1.0", "1.0+abc", "1.0+abc.1",
		"1.0+cu118", "1.0+1", "1.0+10", "1.0.post0.dev2", "1.0.post0", "1.0.post1.dev2", "1.0.post1",
		"1.0.post1+x", "1.0.1.dev3", "1.0.1", "1.1a1", "1.1", "1.239", "1.240", "1.255", "1.256", "1.65536",
		"1.18446744073709551615", "2.dev1", "2", "2022.1.1", "1!0.1", "18446744073709551615!1"};
	static const char *const specs[] = {"==1.0", "==1.0+abc", "!=1.0", "!=1.0+abc", "<1.0", "<=1.0", ">1.0", ">=1.0",
		"<1.0rc1", ">1.0a0", ">1.0.dev0", "<1.0.post1", ">1.0.post0", "==1.*", "!=1.*", "==1.0.*", "~=1.0",
		"~=1.0.1", "~=1.0rc1", "==1.18446744073709551615.*", "~=1.18446744073709551615.0", "==0!1.0.0.*", ">=1!0",
		">=1.0,!=1.0,!=1.1,<2", "!=1.0.*,!=1.1.*,!=1.0,!=2", "<1.0,>2", "===1.0", "===1.0,>=1"};
	wp_version v[sizeof up / sizeof *up];
	size_t i, k, q, n = sizeof up / sizeof *up;

	(void)state;
	for (i = 0; i < n; i++)
		v[i] = version(up[i]);
	for (k = 0; k < sizeof specs / sizeof *specs; k++) {
		wp_specifiers s;

		assert_true(wp_specifiers_parse(arena, wp_str_of(specs[k]), &s));
		for (i = 0; i < n; i++) {
			bool in = false;

			for (q = 0; q < s.nspans; q++)
				in |= wp_version_before(&v[i], &s.spans[q].to) &&
					!wp_version_before(&v[i], &s.spans[q].from);
			if (s.by_text)
				in &= strcmp(up[i], "1.0") == 0;
			if (in != wp_specifiers_match(&s, &v[i]))
				fail_msg("%s with %s", specs[k], up[i]);
		}
	}
}

/* "1" for each version that passes. */
static const char *filtered(const char *specifiers, wp_prereleases pre, const char *texts)
{
	wp_str rest = wp_str_of(texts), text;
	wp_version v[16];
	bool in[16];
	wp_specifiers s;
	char *out = wp_alloc(arena, 17);
	size_t n = 0, i;

	while (wp_str_split(&rest, ' ', &text))
		wp_version_parse(arena, text, &v[n++]);
	assert_true(wp_specifiers_parse(arena, wp_str_of(specifiers), &s));
	wp_specifiers_filter(&s, v, n, pre, in);
	for (i = 0; i < n; i++)
		out[i] = in[i] ? '1' : '0';
	return out;
}

static void pre_releases_pass_where_nothing_else_does(void **state)
{
	(void)state;
	assert_string_equal(filtered(">=1", WP_PRE_AUTO, "0.9 1.0 1.1rc1"), "010");
	assert_string_equal(filtered(">=1.1a1", WP_PRE_AUTO, "1.0 1.1rc1 1.2"), "011");
	assert_string_equal(filtered("!=1.1a1", WP_PRE_AUTO, "1.0 1.1rc1 1.2"), "101");
	assert_string_equal(filtered(">1.0", WP_PRE_AUTO, "1.0 1.1rc1 1.2.dev1"), "011");
	assert_string_equal(filtered(">1.0", WP_PRE_NO, "1.0 1.1rc1 1.2.dev1"), "000");
	assert_string_equal(filtered(">=1", WP_PRE_YES, "0.9 1.0 1.1rc1"), "011");
	assert_string_equal(filtered("", WP_PRE_AUTO, "1.1rc1"), "1");
}

static void what_is_no_version_matches_its_text_alone(void **state)
{
	(void)state;
	assert_string_equal(filtered("", WP_PRE_AUTO, "latest 1.0"), "11");
	assert_string_equal(filtered("===Latest", WP_PRE_AUTO, "latest 1.0"), "10");
	assert_string_equal(filtered("===latest,>=0", WP_PRE_AUTO, "latest 1.0"), "00");
	assert_string_equal(filtered("!=1.0", WP_PRE_AUTO, "latest 2.0"), "01");
}

static void a_set_that_nothing_can_match_is_known(void **state)
{
	static const struct {
		const char *spec;
		bool none, none_final;
	} rows[] = {{"", false, false}, {"<2,>=2", true, true}, {">1.0,<=1.0.post7", true, true},
		{">1.0,<1.0.0.0.1", false, false}, {">1.0.post1,<1.0.post2", true, true}, {">1.0,<1.0.1.dev1", false, false},
		{">1.0.post1,<1.0.post2.dev1", false, true}, {">=1.0a1,<1.0a2", false, true}, {"<0", true, true},
		{"<0.dev1", false, true}, {"==1.0+a,!=1.0+a", true, true}, {"==1.0,!=1.0+a", false, false},
		{"==1.0,!=1.0,>0", true, true}, {"!=1.*,!=2.*,>=1,<3", true, true}, {"!=1.*,>=1", false, false},
		{"==2.0rc1", false, true}, {"===1.0,>2", true, true}, {"===odd", false, false}, {"===odd,>=0", true, true},
		{"===a,===b", true, true}, {"===2.0a1", false, true}, {">=1!0,<1", true, true}, {"~=1.0a1,<1.0", true, true},
		{">1.0rc1,<1.0", true, true}, {">1.0rc1,<1.0rc2", false, true}, {">1.0a1,<1.0b1.dev0", false, true},
		{">1.0,!=1.0.post1,<1.0.post2", true, true}, {">=1.0.dev1,<1.0.dev2", false, true}};
	wp_specifiers s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(wp_specifiers_parse(arena, wp_str_of(rows[i].spec), &s));
		if (wp_specifiers_unsatisfiable(&s, WP_PRE_AUTO) != rows[i].none ||
			wp_specifiers_unsatisfiable(&s, WP_PRE_NO) != rows[i].none_final)
			fail_msg("%s", rows[i].spec);
	}
}

static void equal_versions_have_one_text(void **state)
{
	(void)state;
	assert_string_equal(wp_version_canonical(arena, WP_LIT("1.0.0")), "1");
	assert_string_equal(wp_version_canonical(arena, WP_LIT("0.0.0rc1+CU126")), "0rc1+cu126");
	assert_string_equal(wp_version_canonical(arena, WP_LIT("1.10")), "1.10");
	assert_string_equal(wp_version_canonical(arena, WP_LIT("nightly")), "nightly");
}

static void one_specifier_may_have_a_comma(void **state)
{
	wp_specifiers s;

	(void)state;
	assert_true(wp_specifiers_parse_one(arena, WP_LIT("===a,b"), &s));
	assert_string_equal(s.norm, "===a,b");
	assert_false(wp_specifiers_parse_one(arena, WP_LIT(">=1,<2"), &s));
	assert_false(wp_specifiers_parse_one(arena, WP_LIT(""), &s));
}

static void a_set_tells_pins(void **state)
{
	wp_specifiers s;

	(void)state;
	assert_true(wp_specifiers_parse(arena, WP_LIT(">=1.0a1"), &s));
	assert_false(wp_specifiers_pinned(&s));
	assert_true(wp_specifiers_parse(arena, WP_LIT("!=1.0a1,==1.*"), &s));
	assert_false(wp_specifiers_pinned(&s));
	assert_true(wp_specifiers_parse(arena, WP_LIT("==1.0"), &s));
	assert_true(wp_specifiers_pinned(&s));
	assert_true(wp_specifiers_parse(arena, WP_LIT("===1.0.dev1"), &s));
	assert_true(wp_specifiers_pinned(&s));
}

static void names_have_a_normal_form(void **state)
{
	(void)state;
	assert_string_equal(wp_name_normalize(arena, WP_LIT("Typing_Extensions")), "typing-extensions");
	assert_string_equal(wp_name_normalize(arena, WP_LIT("a.-_b")), "a-b");
	assert_true(wp_name_valid(WP_LIT("jaraco.classes")));
	assert_false(wp_name_valid(WP_LIT("_x")));
	assert_false(wp_name_valid(WP_LIT("x\n")));
	assert_false(wp_name_valid(WP_LIT("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_normal_form_is_short),
		cmocka_unit_test(what_is_no_version_is_refused),
		cmocka_unit_test(versions_are_in_order),
		cmocka_unit_test(trailing_zeros_do_not_count),
		cmocka_unit_test(the_public_part_has_no_label),
		cmocka_unit_test(specifiers_hold_what_the_standard_says),
		cmocka_unit_test(bad_specifiers_are_refused),
		cmocka_unit_test(specifiers_have_a_normal_form),
		cmocka_unit_test(spans_cut_sorted_versions),
		cmocka_unit_test(pre_releases_pass_where_nothing_else_does),
		cmocka_unit_test(what_is_no_version_matches_its_text_alone),
		cmocka_unit_test(a_set_that_nothing_can_match_is_known),
		cmocka_unit_test(equal_versions_have_one_text),
		cmocka_unit_test(one_specifier_may_have_a_comma),
		cmocka_unit_test(a_set_tells_pins),
		cmocka_unit_test(names_have_a_normal_form),
	};

	return cmocka_run_group_tests_name("version", tests, setup, teardown);
}

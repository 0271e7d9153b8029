/* SPDX-License-Identifier: MIT */
#include "fetch/html.h"
#include "unit/arena.h"

/* Names of the tags and one attribute of each, as "a:x b:y ". */
static const char *tags(wp_arena *a, const char *page, const char *attr)
{
	wp_str rest = wp_str_of(page);
	wp_html_tag t;
	const char *out = "";

	while (wp_html_next(&rest, &t)) {
		const wp_html_attr *v = wp_html_get(&t, attr);

		out = wp_sprintf(a, "%s%s:%s ", out, t.name, v ? wp_html_text(a, v->value) : "-");
	}
	return out;
}

static void anchors_in_any_spelling(void **state)
{
	assert_string_equal(tags(*state, "<a href=\"x\">1</a><A HREF='y'>2</A><a\n\tclass=k href=z>3", "href"),
		"a:x a:y a:z ");
	assert_string_equal(tags(*state, "<a rel=nofollow href = \"x\" href=\"later\" /><a/href=y>", "href"),
		"a:x a:y ");
	assert_string_equal(tags(*state, "<a name=top><abbr href=no><a-b href=no><a href>", "href"), "a:- a: ");
}

static void what_is_no_markup_is_passed_over(void **state)
{
	assert_string_equal(tags(*state, "<!-- <a href=no> --><a href=x><!DOCTYPE html><?xml <a href=no>?>", "href"),
		"a:x ");
	assert_string_equal(
		tags(*state, "<script>'<a href=no>'</script ><style><a href=no></STYLE><a href=x>", "href"), "a:x ");
	assert_string_equal(tags(*state, "<!--><a href=x><title><a href=no></title><a href=y>", "href"), "a:x a:y ");
	assert_string_equal(tags(*state, "a < b <a href=x> 1<2 <a href=y>", "href"), "a:x a:y ");
}

static void quotes_hide_the_end_of_a_tag(void **state)
{
	assert_string_equal(tags(*state, "<a data-requires-python=\">=3.8\" href=x><a title='a>b' href=y>", "href"),
		"a:x a:y ");
}

static void pages_that_break_off(void **state)
{
	assert_string_equal(tags(*state, "<a href=\"x", "href"), "a:x ");
	assert_string_equal(tags(*state, "<a href=", "href"), "a: ");
	assert_string_equal(tags(*state, "<a", "href"), "a:- ");
	assert_string_equal(tags(*state, "<", "href"), "");
	assert_string_equal(tags(*state, "<!-- never closed <a href=x>", "href"), "");
	assert_string_equal(tags(*state, "<script><a href=x>", "href"), "");
	assert_string_equal(tags(*state, "<!", "href"), "");
}

static void base_and_meta_are_seen(void **state)
{
	assert_string_equal(tags(*state, "<BASE href=b><meta name=n href=m><basefont href=no>", "href"),
		"base:b meta:m ");
}

static void many_attributes_are_cut(void **state)
{
	wp_str rest = WP_LIT("<a a b c d e f g h i j k l m n o p q r s t u v w x y z href=late><a href=x>");
	wp_html_tag t;

	(void)state;
	assert_true(wp_html_next(&rest, &t));
	assert_int_equal(t.n, WP_HTML_ATTRS);
	assert_null(wp_html_get(&t, "href"));
	assert_true(wp_html_next(&rest, &t));
	assert_non_null(wp_html_get(&t, "href"));
}

static void entities_become_characters(void **state)
{
	static const char *const cases[][2] = {{"a&amp;b", "a&b"}, {"&gt;=3.8,&lt;4", ">=3.8,<4"},
		{"torch&#43;cpu", "torch+cpu"}, {"torch&#x2B;cpu", "torch+cpu"}, {"&#x2bcpu", "\xca\xbcpu"},
		{"&plus;&num;&percnt;", "+#%"}, {"&unknown; &", "&unknown; &"}, {"?a=1&lt=2", "?a=1&lt=2"},
		{" trimmed\n", "trimmed"}, {"&#0;&#xd800;&#x110000;", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"&#99999999999999999999;", "\xef\xbf\xbd"}, {"&#;&#x;", "&#;&#x;"}, {"&#x1f40d;", "\xf0\x9f\x90\x8d"},
		{"&amp;amp;", "&amp;"}};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(wp_html_text(*state, wp_str_of(cases[i][0])), cases[i][1]);
	assert_null(wp_html_text(*state, WP_LIT("a\0b")));
	assert_null(wp_html_text(*state, WP_LIT("\xff")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(anchors_in_any_spelling, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_markup_is_passed_over, setup, teardown),
		cmocka_unit_test_setup_teardown(quotes_hide_the_end_of_a_tag, setup, teardown),
		cmocka_unit_test_setup_teardown(pages_that_break_off, setup, teardown),
		cmocka_unit_test_setup_teardown(base_and_meta_are_seen, setup, teardown),
		cmocka_unit_test(many_attributes_are_cut),
		cmocka_unit_test_setup_teardown(entities_become_characters, setup, teardown),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}

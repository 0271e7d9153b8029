/* SPDX-License-Identifier: MIT */
/* What nobody writes by accident: each ends in an answer, soon and without much memory. */
#include "py/core_metadata.h"
#include "py/direct_url.h"
#include "py/metadata.h"
#include "py/tag.h"
#include "unit/arena.h"

enum { MEGABYTE = 1 << 20 };

/* The unit again and again, at least n bytes of it, between the other two. */
static wp_str many(const char *before, const char *unit, size_t n, const char *after)
{
	wp_buf b;

	wp_buf_init(&b, SIZE_MAX / 2);
	wp_buf_puts(&b, before);
	while (b.n < n)
		wp_buf_puts(&b, unit);
	wp_buf_puts(&b, after);
	return wp_buf_take(&b, arena);
}

static bool version_taken(wp_str text)
{
	wp_version v;

	return wp_version_parse(arena, text, &v);
}

static bool specifiers_taken(wp_str text)
{
	wp_specifiers s;

	return wp_specifiers_parse(arena, text, &s);
}

static bool requirement_taken(wp_str text)
{
	wp_requirement r;
	wp_error err = {0};

	return wp_requirement_parse(arena, text, &r, &err) == 0;
}

static bool marker_taken(wp_str text)
{
	wp_error err = {0};

	return wp_marker_parse(arena, text, &err) != NULL;
}

static void versions_of_a_megabyte(void **state)
{
	(void)state;
	assert_false(version_taken(many("1", ".1", MEGABYTE, "")));
	assert_false(version_taken(many("1", "0", MEGABYTE, "")));
	assert_false(version_taken(many("1+a", ".a", MEGABYTE, "")));
	assert_false(version_taken(many(" ", " ", MEGABYTE, "x")));
	assert_true(version_taken(many(" ", " ", MEGABYTE, "1.0")));
	assert_false(specifiers_taken(many("==1", ".1", MEGABYTE, "")));
	assert_false(specifiers_taken(many("===1", "1", MEGABYTE, "")));
}

/* The longest ones that are taken have a place in the order. */
static void the_longest_versions(void **state)
{
	static const char *const units[][2] = {{"1", ".1"}, {"1", ".255"}, {"1", ".0"}, {"1+1", ".1"}, {"1+a", ".a"},
		{"1+9", "9"}, {"1+a", "a"}, {"1", ".18446744073709551615"}};
	wp_version v, w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof units / sizeof *units; i++) {
		wp_str text = many(units[i][0], units[i][1], WP_MAX_VERSION - strlen(units[i][1]), "");
		wp_specifiers s;

		assert_true(wp_version_parse(arena, text, &v) && wp_version_parse(arena, wp_str_of(v.norm), &w));
		assert_int_equal(wp_version_cmp(&v, &w), 0);
		if (!specifiers_taken(wp_str_of(wp_sprintf(arena, "==%s", text.p))))
			continue; /* the operator makes it too long */
		assert_true(wp_specifiers_parse(arena, wp_str_of(wp_sprintf(arena, "==%s", text.p)), &s));
		assert_true(wp_specifiers_match(&s, &v));
		assert_false(wp_specifiers_unsatisfiable(&s, WP_PRE_AUTO));
	}
	assert_true(version_taken(many("18446744073709551615!1", ".1", 900, "rc18446744073709551615.post18446744073709551615."
									    "dev18446744073709551615+1.a")));
}

static void a_hundred_thousand_specifiers(void **state)
{
	wp_specifiers s;
	bool repaired;

	(void)state;
	assert_false(specifiers_taken(many("", "!=1.0,", 600000, "")));
	assert_false(specifiers_taken(many("", "!=1.0,", 600000, "x")));
	assert_true(specifiers_taken(many("", ",", MEGABYTE, "")));
	assert_false(wp_specifiers_parse_lenient(arena, many("x", ">=1.*,", 600000, ""), &s, &repaired));
	wp_specifiers_parse_lenient(arena, many("x", ",", MEGABYTE, ""), &s, &repaired);
	wp_specifiers_parse_lenient(arena, many("", "'", MEGABYTE, ">"), &s, &repaired);
	/* As many as are taken, each as long as it may be. */
	assert_true(wp_specifiers_parse(arena, many("", many("!=1", ".1", 1000, ",").p, 1000000, ""), &s));
	assert_int_equal(s.nspans, 2);
	assert_false(wp_specifiers_unsatisfiable(&s, WP_PRE_AUTO));
}

static void ten_thousand_parentheses(void **state)
{
	(void)state;
	assert_false(marker_taken(many("", "(", 10000, "os_name == 'nt'")));
	assert_false(marker_taken(wp_str_of(wp_sprintf(arena, "%sos_name == 'nt'%s", many("", "(", 7000, "").p,
		many("", ")", 7000, "").p))));
	assert_false(marker_taken(many("os_name == 'nt'", " and os_name == 'nt'", MEGABYTE, "")));
	assert_true(marker_taken(many("os_name == 'nt'", " and os_name == 'nt'", 16000, "")));
	assert_false(marker_taken(many("'", "x", 10000, "")));
	assert_false(requirement_taken(many("a; ", "(", 10000, "")));
}

static void requirements_of_a_megabyte(void **state)
{
	(void)state;
	assert_false(requirement_taken(many("a", "a", MEGABYTE, "")));
	assert_false(requirement_taken(many("a[", "a,", MEGABYTE, "a]")));
	assert_false(requirement_taken(many("a", ",>=1", MEGABYTE, "")));
	assert_false(requirement_taken(many("a @ https://", "x", MEGABYTE, "")));
	assert_true(requirement_taken(many("a[", "a,", 30000, "a]")));
}

static void what_is_not_utf8(void **state)
{
	static const char *const bad[] = {"1.0\xff", "1.0\xc0\x80", "\xed\xa0\x80", "a\x80", "1\xf4\x90\x80\x80"};
	wp_metadata m;
	wp_core_metadata all;
	wp_direct_url d;
	const char *const *tags;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		wp_error err = {0};

		assert_false(version_taken(wp_str_of(bad[i])));
		assert_false(specifiers_taken(wp_str_of(wp_sprintf(arena, ">=%s", bad[i]))));
		assert_false(marker_taken(wp_str_of(bad[i])));
		assert_false(requirement_taken(wp_str_of(bad[i])));
		assert_false(requirement_taken(wp_str_of(wp_sprintf(arena, "a; os_name == '%s'", bad[i]))));
		assert_false(wp_tag_set(arena, wp_str_of(wp_sprintf(arena, "py3-none-%s", bad[i])), WP_MAX_TAGS, &tags, &n));
		assert_int_not_equal(wp_metadata_parse(arena, wp_str_of(wp_sprintf(arena, "Name: %s\n", bad[i])), &m, &err), 0);
		assert_int_not_equal(wp_direct_url_read(arena, wp_str_of(bad[i]), &d, &err), 0);
		assert_ok(wp_core_metadata_parse(arena, wp_str_of(wp_sprintf(arena, "Name: %s\n", bad[i])), &all,
			&(wp_error){0}));
		assert_int_equal(all.nodd, 1);
	}
}

static void metadata_with_very_many_lines(void **state)
{
	const char *line = "Requires-Dist: b>=1\n";
	const char *head = "Metadata-Version: 2.1\nName: a\nVersion: 1\n";
	wp_metadata m;
	wp_error err = {0};
	wp_buf b;
	int i;

	(void)state;
	assert_int_equal(wp_metadata_parse(arena, many(head, line, 2000000, ""), &m, &err), WP_E_METADATA);
	assert_non_null(strstr(err.why, "more than 10000"));
	err = (wp_error){0};
	assert_ok(wp_metadata_parse(arena, many(head, line, 190000, ""), &m, &err));
	wp_buf_init(&b, SIZE_MAX / 2);
	wp_buf_puts(&b, head);
	for (i = 0; i < 100000; i++)
		wp_buf_printf(&b, "Provides-Extra: x%d\n", i);
	assert_ok(wp_metadata_parse(arena, wp_buf_view(&b), &m, &err));
	assert_int_equal(m.nprovides_extra, 100000);
	wp_buf_free(&b);
	assert_ok(wp_metadata_parse(arena, many(head, "Provides-Extra: x\n", 2000000, ""), &m, &err));
	assert_int_equal(m.nprovides_extra, 1);
	assert_ok(wp_metadata_parse(arena, many(head, "X: y\n z\n", 4000000, ""), &m, &err));
	assert_int_equal(wp_metadata_parse(arena, many(head, "X: y\n", 5000000, ""), &m, &err), WP_E_METADATA);
}

static void wheel_names_with_very_many_tags(void **state)
{
	wp_wheel_name w;
	wp_error err = {0};
	const char *const *tags;
	size_t n;

	(void)state;
	assert_int_equal(wp_wheel_name_parse(arena, many("a-1-py3", ".py3", MEGABYTE, "-none-any.whl"), &w, &err), WP_E_WHEEL);
	assert_false(wp_tag_set(arena, many("py3", ".py3", MEGABYTE, "-none-any"), SIZE_MAX, &tags, &n));
	assert_false(wp_tag_set(arena, WP_LIT("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a-a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a-"
					      "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"), SIZE_MAX, &tags, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_of_a_megabyte),
		cmocka_unit_test(the_longest_versions),
		cmocka_unit_test(a_hundred_thousand_specifiers),
		cmocka_unit_test(ten_thousand_parentheses),
		cmocka_unit_test(requirements_of_a_megabyte),
		cmocka_unit_test(what_is_not_utf8),
		cmocka_unit_test(metadata_with_very_many_lines),
		cmocka_unit_test(wheel_names_with_very_many_tags),
	};

	return cmocka_run_group_tests_name("hostile", tests, setup, teardown);
}

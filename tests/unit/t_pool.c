/* SPDX-License-Identifier: MIT */
#include "unit/test.h"

#include "resolve/pool.h"
#include "unit/fake_catalog.h"

static fake_catalog cat;
static wp_ctx ctx;
static wp_target target;
static wp_pool pool;

static int begin(void **state)
{
	wp_error err = {0};

	(void)state;
	fake_begin(&cat);
	ctx = (wp_ctx){.arena = cat.a};
	if (wp_target_make(cat.a, "3.12", "win_amd64", NULL, &target, &err))
		return 1;
	wp_pool_init(&pool, &ctx, &cat.api, &target, NULL, false);
	return 0;
}

static int end(void **state)
{
	(void)state;
	wp_pool_free(&pool);
	fake_end(&cat);
	return 0;
}

static wp_dep dep_on(const char *text)
{
	wp_requirement *r = WP_NEW(cat.a, wp_requirement);
	wp_error err = {0};

	assert_ok(wp_requirement_parse(cat.a, wp_str_of(text), r, &err));
	return wp_pool_dep(&pool, r);
}

/* The bits against a match of each candidate. */
static void bits_are_right(wp_dep d)
{
	const wp_cands *c = &pool.projects.v[d.project]->c;
	const uint64_t *bits = wp_pool_allowed(&pool, &d);
	uint32_t i;

	for (i = 0; i < c->n; i++)
		if (set_has(bits, i) != (wp_specifiers_match(&d.req->specifiers, &c->v[i].version) != d.negate))
			fail_msg("%s%s with %s", d.negate ? "not " : "", d.req->text, c->v[i].version.norm);
	for (; i < (c->n / 64 + 1) * 64; i++)
		assert_false(set_has(bits, i));
	assert_ptr_equal(wp_pool_allowed(&pool, &d), bits);
}

static void check_all(const char *const *texts, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		wp_dep d = dep_on(texts[i]);

		bits_are_right(d);
		d.negate = true;
		bits_are_right(d);
	}
}

static const char *const texts[] = {"a", "a==1.3", "a>=1.2,<2,!=1.5.*", "a==1.*", "a!=1.7", "a>=9", "a===1.3", "a~=2.1",
	"a<1.4a1", "a>=1.3rc1,<=2.3", "a==1.70,===1.70", "a<2,>3"};
enum { NTEXTS = sizeof texts / sizeof *texts };

static void requirements_are_cut_in_groups(void **state)
{
	wp_error err = {0};
	wp_dep d;
	int i;

	(void)state;
	for (i = 0; i < 130; i++) {
		fake_any(&cat, "a", wp_sprintf(cat.a, "1.%d%s", i, i % 7 == 3 ? "rc1" : ""), NULL)->f.yanked = i % 11 == 5;
		fake_any(&cat, "a", wp_sprintf(cat.a, "2.%d", i), NULL);
	}
	d = dep_on("a");
	assert_ok(wp_pool_load(&pool, d.project, &err));
	assert_int_equal(pool.projects.v[d.project]->c.n, 260);
	check_all(texts, NTEXTS);
	assert_int_equal(pool.projects.v[d.project]->nruns, 3);
}

/* Whatever order the candidates may be given. */
static void any_order_will_do(void **state)
{
	wp_error err = {0};
	wp_dep d;
	wp_cand *v, t;
	size_t i;

	(void)state;
	for (i = 0; i < 64; i++)
		fake_any(&cat, "a", wp_sprintf(cat.a, "1.%d", (int)i), NULL);
	d = dep_on("a");
	assert_ok(wp_pool_load(&pool, d.project, &err));
	v = pool.projects.v[d.project]->c.v;
	for (i = 0; i < 64; i++) {
		size_t k = (i * 29 + 7) % 64;

		t = v[i];
		v[i] = v[k];
		v[k] = t;
	}
	check_all(texts, NTEXTS);
}

static void many_specifiers_of_one_project_are_kept_apart(void **state)
{
	wp_error err = {0};
	wp_dep d;
	int i, round;

	(void)state;
	for (i = 0; i < 100; i++)
		fake_any(&cat, "a", wp_sprintf(cat.a, "1.%d", i), NULL);
	d = dep_on("a");
	assert_ok(wp_pool_load(&pool, d.project, &err));
	for (round = 0; round < 2; round++)
		for (i = 0; i < 500; i++)
			bits_are_right(dep_on(wp_sprintf(cat.a, "a>=1.%d", i)));
	assert_int_equal(pool.projects.v[d.project]->nallowed, 500);
}

static void a_project_without_files_allows_nothing(void **state)
{
	wp_error err = {0};
	wp_dep d = dep_on("missing>=1");

	(void)state;
	assert_ok(wp_pool_load(&pool, d.project, &err));
	bits_are_right(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(requirements_are_cut_in_groups, begin, end),
		cmocka_unit_test_setup_teardown(any_order_will_do, begin, end),
		cmocka_unit_test_setup_teardown(many_specifiers_of_one_project_are_kept_apart, begin, end),
		cmocka_unit_test_setup_teardown(a_project_without_files_allows_nothing, begin, end),
	};

	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}

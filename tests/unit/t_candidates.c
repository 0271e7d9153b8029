/* SPDX-License-Identifier: MIT */
#include "unit/test.h"

#include "resolve/candidates.h"
#include "unit/fake_catalog.h"

static fake_catalog cat;
static wp_target win, lin, win_cu, arm_cu;
static wp_compat compat;

static int begin(void **state)
{
	static const char *const trio[] = {"torch", "torchvision", "torchaudio"};
	wp_error err = {0};

	(void)state;
	fake_begin(&cat);
	compat = (wp_compat){.labelled = trio, .nlabelled = 3, .index_bound = trio, .nindex_bound = 3};
	return wp_target_make(cat.a, "3.12", "win_amd64", NULL, &win, &err) ||
		wp_target_make(cat.a, "3.12", "manylinux_2_28_x86_64", NULL, &lin, &err) ||
		wp_target_make(cat.a, "3.12", "win_amd64", "cu126", &win_cu, &err) ||
		wp_target_make(cat.a, "3.12", "manylinux_2_28_aarch64", "cu124", &arm_cu, &err);
}

static int end(void **state)
{
	(void)state;
	fake_end(&cat);
	return 0;
}

static wp_cands sift_before(const char *project, const wp_target *t, bool prerelease, const char *moment)
{
	int64_t before = WP_ANY_TIME;
	const wp_project *p = NULL;
	wp_error err = {0};
	wp_cands out;

	assert_ok(cat.api.project(&cat, project, &p, &err));
	assert_non_null(p);
	if (moment && !wp_moment_parse(wp_str_of(moment), &before))
		fail();
	wp_cands_make(cat.a, p, t, &compat, prerelease, before, &out);
	return out;
}

static wp_cands sift(const char *project, const wp_target *t, bool prerelease)
{
	return sift_before(project, t, prerelease, NULL);
}

static void order_is(const wp_cands *c, const char *versions)
{
	wp_buf b;
	size_t i;

	wp_buf_init(&b, 4096);
	for (i = 0; i < c->n; i++)
		wp_buf_printf(&b, "%s%s", i ? " " : "", c->v[i].version.norm);
	assert_string_equal(b.p ? b.p : "", versions);
	wp_buf_free(&b);
}

static void newest_comes_first(void **state)
{
	wp_cands c;

	(void)state;
	fake_any(&cat, "a", "1.9", NULL);
	fake_any(&cat, "a", "1.10", NULL);
	fake_any(&cat, "a", "1.2", NULL);
	c = sift("a", &win, false);
	order_is(&c, "1.10 1.9 1.2");
}

static void prereleases_wait_behind(void **state)
{
	wp_cands c;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_any(&cat, "a", "2.0a1", NULL);
	fake_any(&cat, "a", "0.9.dev1", NULL);
	c = sift("a", &win, false);
	order_is(&c, "1.0 2.0a1 0.9.dev1");
	c = sift("a", &win, true);
	order_is(&c, "2.0a1 1.0 0.9.dev1");
}

static void yanked_come_last(void **state)
{
	wp_cands c;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_any(&cat, "a", "3.0", NULL)->f.yanked = true;
	c = sift("a", &win, false);
	order_is(&c, "1.0 3.0");
	assert_true(c.v[1].yanked);
}

static void the_best_wheel_of_a_version_is_taken(void **state)
{
	wp_cands c;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_wheel(&cat, "a-1.0-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "a-1.0-1-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp311-cp311-win_amd64.whl", NULL);
	c = sift("a", &win, false);
	assert_int_equal(c.n, 1);
	assert_string_equal(c.v[0].file->filename, "a-1.0-1-cp312-cp312-win_amd64.whl");
	c = sift("a", &lin, false);
	assert_string_equal(c.v[0].file->filename, "a-1.0-py3-none-any.whl");
}

static void the_order_of_the_page_does_not_matter(void **state)
{
	wp_cands one, two;
	size_t i;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_any(&cat, "a", "1.0.0", NULL);
	fake_wheel(&cat, "a-2.0-py3-none-any.whl", NULL);
	fake_wheel(&cat, "a-2.0-py2.py3-none-any.whl", NULL);
	one = sift("a", &win, false);
	cat.backwards = true;
	two = sift("a", &win, false);
	assert_int_equal(one.n, 2);
	assert_int_equal(one.n, two.n);
	for (i = 0; i < one.n; i++)
		assert_string_equal(one.v[i].file->filename, two.v[i].file->filename);
}

static void reasons_are_kept(void **state)
{
	wp_cands c;

	(void)state;
	fake_wheel(&cat, "a-1.0-cp311-cp311-win_amd64.whl", NULL);
	fake_any(&cat, "a", "2.0", NULL)->f.requires_python = ">=3.13";
	fake_add(&cat, "a", "a-3.0.tar.gz");
	c = sift("a", &win, false);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.nout, 3);
	assert_int_equal(c.out[0].unfit, WP_UNFIT_SOURCE);
	assert_int_equal(c.out[1].unfit, WP_UNFIT_PYTHON);
	assert_string_equal(c.out[1].requires_python, ">=3.13");
	assert_int_equal(c.out[2].unfit, WP_UNFIT_TAG);
}

static void requires_python_has_upper_bounds(void **state)
{
	(void)state;
	assert_true(wp_python_fits(">=3.8", &win));
	assert_false(wp_python_fits("<=3.11", &win));
	assert_false(wp_python_fits("<3.12", &win));
	assert_false(wp_python_fits(">=3.12.3", &win));
	assert_true(wp_python_fits("no specifier at all", &win));
	assert_true(wp_python_fits(NULL, &win));
}

static void a_variant_takes_its_label_only(void **state)
{
	wp_cands c;

	(void)state;
	fake_wheel(&cat, "torch-2.6.0+cu126-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "torch-2.7.0+cu128-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "torch-2.8.0-cp312-cp312-win_amd64.whl", NULL);
	c = sift("torch", &win_cu, false);
	order_is(&c, "2.6.0+cu126");
	assert_int_equal(c.out[0].unfit, WP_UNFIT_LABEL);
	c = sift("torch", &win, false);
	order_is(&c, "2.8.0 2.7.0+cu128 2.6.0+cu126");
}

static void unlabelled_where_the_platform_has_none_labelled(void **state)
{
	wp_cands c;

	(void)state;
	fake_wheel(&cat, "torch-2.5.1+cu124-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "torch-2.5.1-cp312-cp312-manylinux_2_28_aarch64.whl", NULL);
	c = sift("torch", &arm_cu, false);
	order_is(&c, "2.5.1");
}

static void a_label_for_another_python_still_counts(void **state)
{
	wp_cands c;

	(void)state;
	fake_wheel(&cat, "torch-2.5.1+cu126-cp311-cp311-win_amd64.whl", NULL);
	fake_wheel(&cat, "torch-2.5.1-cp312-cp312-win_amd64.whl", NULL);
	c = sift("torch", &win_cu, false);
	assert_int_equal(c.n, 0);
}

static void labels_of_other_projects_are_free(void **state)
{
	wp_cands c;

	(void)state;
	fake_wheel(&cat, "triton-3.5.0-cp312-cp312-win_amd64.whl", NULL);
	c = sift("triton", &win_cu, false);
	order_is(&c, "3.5.0");
}

static void newer_files_are_left_out(void **state)
{
	wp_cands c;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL)->f.upload_time = "2025-01-01T00:00:00Z";
	fake_any(&cat, "a", "1.1", NULL)->f.upload_time = "2025-01-02T23:59:59.999999Z";
	fake_any(&cat, "a", "1.2", NULL)->f.upload_time = "2025-01-03T00:00:00Z";
	fake_add(&cat, "a", "a-1.3.tar.gz")->f.upload_time = "2025-01-04T00:00:00Z";
	fake_any(&cat, "a", "1.4", NULL);
	fake_any(&cat, "a", "1.5", NULL)->f.upload_time = "last week";
	c = sift_before("a", &win, false, "2025-01-02");
	order_is(&c, "1.1 1.0");
	assert_int_equal(c.nout, 4);
	assert_int_equal(c.out[0].unfit, WP_UNFIT_UNDATED);
	assert_int_equal(c.out[1].unfit, WP_UNFIT_UNDATED);
	assert_int_equal(c.out[2].unfit, WP_UNFIT_LATE_SOURCE);
	assert_int_equal(c.out[3].unfit, WP_UNFIT_NEWER);
	assert_string_equal(wp_first_newer(&c, NULL)->version.norm, "1.2");
	c = sift_before("a", &win, false, "2025-01-01T02:00:00+02:00");
	assert_int_equal(c.n, 0);
	assert_string_equal(wp_first_newer(&c, NULL)->uploaded, "2025-01-01T00:00:00Z");
}

static void a_newer_file_of_an_old_version_is_left_out(void **state)
{
	wp_cands c;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL)->f.upload_time = "2025-01-01T00:00:00Z";
	fake_wheel(&cat, "a-1.0-cp312-cp312-win_amd64.whl", NULL)->f.upload_time = "2025-02-01T00:00:00Z";
	c = sift_before("a", &win, false, "2025-01-15");
	assert_string_equal(c.v[0].file->filename, "a-1.0-py3-none-any.whl");
	assert_int_equal(c.v[0].unfit, WP_UNFIT_NEWER);
}

static void files_of_a_folder_need_no_date(void **state)
{
	wp_cands c;

	(void)state;
	cat.index = "find-links1";
	fake_any(&cat, "a", "1.0", NULL);
	c = sift_before("a", &win, false, "2025-01-15");
	order_is(&c, "1.0");
}

static void platform_tags_go_by_the_order_of_the_target(void **state)
{
	wp_cands c;

	(void)state;
	fake_wheel(&cat, "a-1.0-cp312-cp312-manylinux2014_x86_64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp312-cp312-manylinux_2_31_x86_64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp312-abi3-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "a-1.0-9-py3-none-any.whl", NULL);
	c = sift("a", &lin, false);
	assert_string_equal(c.v[0].file->filename, "a-1.0-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl");
}

static void build_tags_count_as_numbers(void **state)
{
	wp_cands c;

	(void)state;
	fake_wheel(&cat, "a-1.0-py3-none-any.whl", NULL);
	fake_wheel(&cat, "a-1.0-9-py3-none-any.whl", NULL);
	fake_wheel(&cat, "a-1.0-10-py3-none-any.whl", NULL);
	fake_wheel(&cat, "a-1.0-10b-py3-none-any.whl", NULL);
	fake_wheel(&cat, "a-1.0-11-py3-none-any.whl", NULL)->f.yanked = true;
	c = sift("a", &win, false);
	assert_string_equal(c.v[0].file->filename, "a-1.0-10b-py3-none-any.whl");
	assert_false(c.v[0].yanked);
}

static void a_wheel_named_by_its_address_needs_no_label(void **state)
{
	wp_cands c;

	(void)state;
	cat.index = "direct1";
	fake_wheel(&cat, "torch-2.8.0+mine-cp312-cp312-win_amd64.whl", NULL);
	c = sift("torch", &win_cu, false);
	order_is(&c, "2.8.0+mine");
}

static void strange_names_are_passed_over(void **state)
{
	wp_cands c;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_add(&cat, "a", "a-1.0-variants.json");
	fake_add(&cat, "a", "a-1.7+arch75+torch222-py3-none-any.whl");
	fake_add(&cat, "a", "a-1.0-1-cp312-cp312-win_amd64-x8664v3.whl");
	fake_add(&cat, "a", "b-9.0-py3-none-any.whl");
	c = sift("a", &win, false);
	order_is(&c, "1.0");
}

/* Both halves of these are known from names that are all right. */
static void halves_of_good_names_make_no_name(void **state)
{
	char one[128], two[128];
	wp_cands c;

	(void)state;
	memset(one, '1', sizeof one);
	memset(two, 'x', sizeof two);
	fake_any(&cat, "a", "1.0", NULL);
	fake_any(&cat, "a", wp_sprintf(cat.a, "2.0+%.128s", one), NULL);
	fake_wheel(&cat, wp_sprintf(cat.a, "a-1.0-py3-none-%.128s.any.whl", two), NULL);
	fake_add(&cat, "a", wp_sprintf(cat.a, "a-2.0+%.128s-py3-none-%.128s.any.whl", one, two))->f.size = 7;
	fake_add(&cat, "a", "a-1.0-py3-none-any-py3-none-any.whl");
	fake_add(&cat, "a", "a-1.0-1-py3-none.whl");
	c = sift("a", &win, false);
	assert_int_equal(c.n, 2);
	assert_int_not_equal(c.v[0].file->size, 7);
	assert_string_equal(c.v[1].file->filename, "a-1.0-py3-none-any.whl");
}

static void many_source_distributions_are_kept_apart(void **state)
{
	wp_cands c;
	int i;

	(void)state;
	for (i = 0; i < 200; i++)
		fake_add(&cat, "a", wp_sprintf(cat.a, "a-%d.0.tar.gz", i));
	fake_any(&cat, "a", "7.0", NULL);
	c = sift("a", &win, false);
	order_is(&c, "7.0");
	assert_int_equal(c.nout, 199);
	assert_int_equal(c.v[0].unfit, WP_UNFIT_SOURCE);
	for (i = 0; i < 199; i++)
		assert_int_equal(c.out[i].unfit, WP_UNFIT_SOURCE);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(newest_comes_first),
		T(prereleases_wait_behind),
		T(yanked_come_last),
		T(the_best_wheel_of_a_version_is_taken),
		T(the_order_of_the_page_does_not_matter),
		T(reasons_are_kept),
		T(requires_python_has_upper_bounds),
		T(a_variant_takes_its_label_only),
		T(unlabelled_where_the_platform_has_none_labelled),
		T(a_label_for_another_python_still_counts),
		T(labels_of_other_projects_are_free),
		T(newer_files_are_left_out),
		T(a_newer_file_of_an_old_version_is_left_out),
		T(files_of_a_folder_need_no_date),
		T(platform_tags_go_by_the_order_of_the_target),
		T(build_tags_count_as_numbers),
		T(a_wheel_named_by_its_address_needs_no_label),
		T(strange_names_are_passed_over),
		T(halves_of_good_names_make_no_name),
		T(many_source_distributions_are_kept_apart),
	};

	return cmocka_run_group_tests_name("candidates", tests, NULL, NULL);
}

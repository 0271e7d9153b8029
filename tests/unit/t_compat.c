/* SPDX-License-Identifier: MIT */
#include "unit/tmp.h"
#include "wheelpack/compat.h"

static wp_arena *arena;

static int shipped(void **state)
{
	static wp_compat c;
	wp_error err = {0};
	wp_arena *a = arena = wp_arena_new();

	if (wp_compat_read(a, tmp_read(a, "manifests/pytorch.json"), &c, &err)) {
		print_message("%s: %s\n", err.where, err.why);
		return -1;
	}
	*state = &c;
	return 0;
}

static int done(void **state)
{
	(void)state;
	wp_arena_free(arena);
	return 0;
}

static void closed_variants_say_their_newest_torch(void **state)
{
	const wp_compat *c = *state;

	assert_string_equal(wp_compat_variant(c, "cu118")->torch_last, "2.7.1");
	assert_true(wp_compat_variant(c, "cu118")->closed);
	assert_string_equal(wp_compat_variant(c, "cu121")->torch_first, "2.1.0");
	assert_string_equal(wp_compat_variant(c, "cu121")->torch_last, "2.5.1");
	assert_true(wp_compat_variant(c, "cu121")->closed);
	assert_string_equal(wp_compat_variant(c, "cu128")->torch_last, "2.11.0");
	assert_false(wp_compat_variant(c, "cu126")->closed);
}

static void newest_differs_by_platform(void **state)
{
	const wp_compat *c = *state;

	assert_string_equal(wp_compat_newest(c, "win_amd64", "cu129")->torch, "2.9.0");
	assert_string_equal(wp_compat_newest(c, "linux_x86_64", "cu129")->torch, "2.13.0");
	assert_null(wp_compat_newest(c, "linux_aarch64", "cu118"));
}

static void drivers_have_two_floors(void **state)
{
	const wp_variant_fact *v = wp_compat_variant(*state, "cu126");

	assert_string_equal(v->cuda, "12.6");
	assert_string_equal(v->driver_runs_windows, "528.33");
	assert_string_equal(v->driver_full_windows, "560.76");
	assert_string_equal(v->driver_runs_linux, "525.60.13");
	assert_null(wp_compat_variant(*state, "cpu")->driver_runs_linux);
}

static void releases_know_their_partners_and_builds(void **state)
{
	const wp_release_fact *r = wp_compat_release(*state, "2.11.0");

	assert_string_equal(r->torchvision, "0.26.0");
	assert_string_equal(r->torchaudio, "2.11.0");
	assert_string_equal(r->default_linux, "cu130");
	assert_true(wp_release_has(r, "win_amd64", "cu128"));
	assert_false(wp_release_has(r, "win_amd64", "cu129"));
	assert_true(wp_release_has(r, "linux_x86_64", "cu129"));
}

static void what_is_not_known_is_null(void **state)
{
	assert_null(wp_compat_release(*state, "99.0"));
	assert_null(wp_compat_variant(*state, "cu999"));
	assert_null(wp_compat_platform("macosx_11_0_arm64"));
}

static void architectures_go_by_release(void **state)
{
	size_t n;
	const char *const *v = wp_compat_arches(*state, "2.11.0", "linux_x86_64", "cu128", &n);

	assert_int_equal(n, 6);
	assert_string_equal(v[0], "sm_75");
	v = wp_compat_arches(*state, "2.10.0", "linux_x86_64", "cu128", &n);
	assert_string_equal(v[0], "sm_70");
	assert_null(wp_compat_arches(*state, "2.10.0", "linux_x86_64", "cu118", &n));
	assert_int_equal(n, 0);
}

static void families_are_exact_names(void **state)
{
	assert_int_equal(wp_compat_family(*state, "torch"), WP_INDEX_BOUND);
	assert_int_equal(wp_compat_family(*state, "torchcodec"), WP_VARIANT_FIRST);
	assert_int_equal(wp_compat_family(*state, "torchmetrics"), WP_ORDINARY);
	assert_int_equal(wp_compat_family(*state, "torch-geometric"), WP_ORDINARY);
	assert_true(wp_compat_labelled(*state, "torchaudio"));
	assert_false(wp_compat_labelled(*state, "triton"));
}

static void platforms_have_one_word(void **state)
{
	(void)state;
	assert_string_equal(wp_compat_platform("manylinux_2_28_x86_64"), "linux_x86_64");
	assert_string_equal(wp_compat_platform("manylinux2014_aarch64"), "linux_aarch64");
	assert_string_equal(wp_compat_platform("win_amd64"), "win_amd64");
	assert_null(wp_compat_platform("win_arm64"));
}

static void refused(const char *text)
{
	wp_arena *a = wp_arena_new();
	wp_compat c;
	wp_error err = {0};

	assert_int_equal(wp_compat_read(a, wp_str_of(text), &c, &err), WP_E_DOCUMENT);
	assert_true(err.why[0] != 0);
	wp_arena_free(a);
}

static void faults_are_named(void **state)
{
	(void)state;
	refused("{}");
	refused("{\"schema\": \"wheelpack.pytorch/2\"}");
	refused("{\"schema\": \"wheelpack.pytorch/1\", \"extra\": 1}");
	refused("[1]");
	refused("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_variants_say_their_newest_torch),
		cmocka_unit_test(newest_differs_by_platform),
		cmocka_unit_test(drivers_have_two_floors),
		cmocka_unit_test(releases_know_their_partners_and_builds),
		cmocka_unit_test(what_is_not_known_is_null),
		cmocka_unit_test(architectures_go_by_release),
		cmocka_unit_test(families_are_exact_names),
		cmocka_unit_test(platforms_have_one_word),
		cmocka_unit_test(faults_are_named),
	};

	return cmocka_run_group_tests_name("compat", tests, shipped, done);
}

/* SPDX-License-Identifier: MIT */
#include "unit/tmp.h"
#include "wheelpack/compat.h"
#include "wheelpack/request.h"

static const char *const variants[] = {"cu118", "cu121", "cu126", "cu128", "cu130", "cpu"};
static const char *const systems[] = {"win", "linux"};

static void every_shipped_manifest_is_read(void **state)
{
	wp_arena *a = wp_arena_new();
	wp_request_doc d;
	wp_error err = {0};
	size_t v, s;

	(void)state;
	for (v = 0; v < 6; v++)
		for (s = 0; s < 2; s++) {
			const char *path = wp_sprintf(a, "manifests/torch-%s-%s.json", variants[v], systems[s]);

			assert_ok(wp_request_read(a, tmp_read(a, path), &d, &err));
			assert_string_equal(d.cuda, variants[v]);
			assert_int_equal(d.nrequirements, 3);
			assert_int_equal(d.ntargets, 1);
			assert_true(strlen(d.about) > 20);
		}
	wp_arena_free(a);
}

/* A manifest asks for something that the data says exists, and a closed variant says its newest torch. */
static void manifests_agree_with_the_data(void **state)
{
	wp_arena *a = wp_arena_new();
	wp_request_doc d;
	wp_compat c;
	wp_error err = {0};
	size_t v, s;

	(void)state;
	assert_ok(wp_compat_read(a, tmp_read(a, "manifests/pytorch.json"), &c, &err));
	for (v = 0; v < 6; v++)
		for (s = 0; s < 2; s++) {
			const wp_variant_fact *f = wp_compat_variant(&c, variants[v]);
			const char *platform, *python;
			const wp_release_fact *r;
			size_t i, n, hits = 0;

			assert_ok(wp_request_read(a,
				tmp_read(a, wp_sprintf(a, "manifests/torch-%s-%s.json", variants[v], systems[s])), &d,
				&err));
			platform = wp_compat_platform(d.targets[0].platform);
			r = wp_compat_newest(&c, platform, d.cuda);
			assert_non_null(r);
			if (f->closed)
				assert_non_null(strstr(d.about, r->torch));
			python = wp_sprintf(a, "cp3%s", d.targets[0].python + 2);
			n = s ? r->npythons_linux : r->npythons_win;
			for (i = 0; i < n; i++)
				hits += wp_streq(s ? r->pythons_linux[i] : r->pythons_win[i], python);
			assert_int_equal(hits, 1);
		}
	wp_arena_free(a);
}

static void refused(const char *text)
{
	wp_arena *a = wp_arena_new();
	wp_request_doc d;
	wp_error err = {0};

	if (wp_request_read(a, wp_str_of(text), &d, &err) != WP_E_DOCUMENT)
		fail_msg("%s was taken", text);
	wp_arena_free(a);
}

static void faults_are_refused(void **state)
{
	(void)state;
	refused("");
	refused("{\"schema\": \"wheelpack.request/9\"}");
	refused("{\"schema\": \"wheelpack.request/1\", \"requirements\": [], \"targets\": "
		"[{\"python\": \"3.12\", \"platform\": \"win_amd64\"}]}");
	refused("{\"schema\": \"wheelpack.request/1\", \"requirements\": [\"torch\"], \"targets\": []}");
	refused("{\"schema\": \"wheelpack.request/1\", \"requirements\": [\"torch\"], \"target\": []}");
	refused("{\"schema\": \"wheelpack.request/1\", \"requirements\": [1], \"targets\": "
		"[{\"python\": \"3.12\", \"platform\": \"win_amd64\"}]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shipped_manifest_is_read),
		cmocka_unit_test(manifests_agree_with_the_data),
		cmocka_unit_test(faults_are_refused),
	};

	return cmocka_run_group_tests_name("request", tests, NULL, NULL);
}

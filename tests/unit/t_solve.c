/* SPDX-License-Identifier: MIT */
#include "unit/lock_world.h"

/* ---- versions ----------------------------------------------------------------------------- */

static void newest_versions_are_taken(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_any(&cat, "a", "2.0", "b>=1");
	fake_any(&cat, "b", "1.5", NULL);
	fake_any(&cat, "b", "0.5", NULL);
	assert_ok(lock("a", LIN));
	chosen("a 2.0, b 1.5");
	assert_true(got.lock.wheels[0].requested);
	assert_false(got.lock.wheels[1].requested);
}

static void an_older_version_is_taken_where_the_newest_cannot_be(void **state)
{
	(void)state;
	fake_any(&cat, "a", "2.0", "c<2");
	fake_any(&cat, "a", "1.0", "c");
	fake_any(&cat, "b", "1.0", "c>=2");
	fake_any(&cat, "c", "1.0", NULL);
	fake_any(&cat, "c", "2.0", NULL);
	assert_ok(lock("a|b", LIN));
	chosen("a 1.0, b 1.0, c 2.0");
}

static void constraints_bind_but_add_nothing(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "b");
	fake_any(&cat, "b", "1.0", NULL);
	fake_any(&cat, "b", "2.0", NULL);
	constrain("b<2");
	assert_ok(lock("a", LIN));
	chosen("a 1.0, b 1.0");
	constrain("zzz<2");
	assert_ok(lock("a", LIN));
	chosen("a 1.0, b 2.0");
}

static void prereleases_come_when_nothing_else_is_left(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_any(&cat, "a", "2.0rc1", NULL);
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
	assert_ok(lock("a>1", LIN));
	chosen("a 2.0rc1");
	assert_non_null(noted("N110"));
	ask.prerelease = true;
	assert_ok(lock("a", LIN));
	chosen("a 2.0rc1");
}

static void yanked_versions_need_a_pin(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_any(&cat, "a", "2.0", NULL)->f.yanked = true;
	fake_any(&cat, "b", "1.0", "a==2.0");
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
	assert_null(noted("N103"));
	assert_ok(lock("a==2.0", LIN));
	chosen("a 2.0");
	assert_int_equal(noted("N103")->severity, WP_WARNING);
	assert_ok(lock("a|b", LIN));
	chosen("a 2.0, b 1.0");
	assert_int_equal(lock("a>1", LIN), WP_E_CONFLICT);
}

static void a_pin_that_was_dropped_opens_no_yanked_version(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL)->f.yanked = true;
	fake_any(&cat, "b", "2.0", "a==1.0\nmissing");
	fake_any(&cat, "b", "1.0", "a");
	assert_int_equal(lock("a|b", LIN), WP_E_CONFLICT);
}

static void a_local_label_matches_its_public_version(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0+x", NULL);
	assert_ok(lock("a==1.0", LIN));
	chosen("a 1.0+x");
}

/* ---- requirements ------------------------------------------------------------------------- */

static void markers_ask_the_target_only(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "w; sys_platform == 'win32'\nl; sys_platform == 'linux'\n"
				   "o; python_version < '3.12'");
	fake_any(&cat, "w", "1.0", NULL);
	fake_any(&cat, "l", "1.0", NULL);
	assert_ok(lock("a", WIN));
	chosen("a 1.0, w 1.0");
	assert_ok(lock("a", LIN));
	chosen("a 1.0, l 1.0");
}

static void extras_bring_their_requirements(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "!Provides-Extra: x\nb; extra == 'x'\nc; extra == 'y'");
	fake_any(&cat, "b", "1.0", NULL);
	fake_any(&cat, "c", "1.0", NULL);
	assert_ok(lock("a[x]", LIN));
	chosen("a 1.0, b 1.0");
	assert_null(noted("N111"));
	assert_ok(lock("a[nothing]", LIN));
	chosen("a 1.0");
	assert_non_null(noted("N111"));
}

static void extras_may_name_their_own_project(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "a[x,y]; extra == 'all'\nb; extra == 'x'\nc; extra == 'y'");
	fake_any(&cat, "b", "1.0", NULL);
	fake_any(&cat, "c", "1.0", NULL);
	assert_ok(lock("a[all]", LIN));
	chosen("a 1.0, b 1.0, c 1.0");
}

/* Base and extras never part: cuda-toolkit[cublas] of one version, though a newer base exists. */
static void base_and_extras_have_one_version(void **state)
{
	(void)state;
	fake_any(&cat, "t", "1.0", "k[u]==1.0\nk");
	fake_any(&cat, "k", "1.0", "u==1; extra == 'u'");
	fake_any(&cat, "k", "2.0", "u==2; extra == 'u'");
	fake_any(&cat, "u", "1", NULL);
	fake_any(&cat, "u", "2", NULL);
	assert_ok(lock("t", LIN));
	chosen("k 1.0, t 1.0, u 1");
}

static void an_extra_that_cannot_be_leads_to_another_version(void **state)
{
	(void)state;
	fake_any(&cat, "a", "2.0", "missing; extra == 'x'");
	fake_any(&cat, "a", "1.0", "b; extra == 'x'");
	fake_any(&cat, "b", "1.0", NULL);
	assert_ok(lock("a[x]", LIN));
	chosen("a 1.0, b 1.0");
	assert_ok(lock("a", LIN));
	chosen("a 2.0");
}

static void extras_asked_for_late_are_looked_at(void **state)
{
	(void)state;
	fake_any(&cat, "a", "2.0", "missing; extra == 'x'");
	fake_any(&cat, "a", "1.0", NULL);
	fake_any(&cat, "b", "1.0", "a[x]");
	assert_ok(lock("a|b", LIN));
	chosen("a 1.0, b 1.0");
}

static void circles_and_self_requirements_are_fine(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "b\na\na>=1");
	fake_any(&cat, "b", "1.0", "a");
	assert_ok(lock("a", LIN));
	chosen("a 1.0, b 1.0");
}

static void a_version_that_excludes_itself_is_passed_over(void **state)
{
	(void)state;
	fake_any(&cat, "a", "2.0", "a<2");
	fake_any(&cat, "a", "1.0", NULL);
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
}

static void addresses_in_metadata_are_not_followed(void **state)
{
	(void)state;
	fake_any(&cat, "a", "2.0", "b @ https://example.org/b-1.0-py3-none-any.whl");
	fake_any(&cat, "a", "1.0", NULL);
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
	assert_int_equal(lock("a==2.0", LIN), WP_E_CONFLICT);
	why_says("address");
}

static void metadata_that_contradicts_the_name_is_passed_over(void **state)
{
	(void)state;
	fake_any(&cat, "a", "3.0", NULL)->metadata = "Metadata-Version: 2.1\nName: a\nVersion: 9.9\n";
	fake_any(&cat, "a", "2.0", NULL)->metadata = "Metadata-Version: 2.1\nName: other\nVersion: 2.0\n";
	fake_any(&cat, "a", "1.5", "!Requires-Python: >=3.13");
	fake_any(&cat, "a", "1.0", NULL);
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
	assert_int_equal(lock("a>=1.5", LIN), WP_E_CONFLICT);
	why_says("version '9.9'");
}

/* ---- hard ones ---------------------------------------------------------------------------- */

/* Many versions of two projects that fit only far down. */
static void long_ways_back_are_found(void **state)
{
	int i;

	(void)state;
	for (i = 1; i <= 60; i++) {
		const char *v = wp_sprintf(cat.a, "%d.0", i);

		fake_any(&cat, "a", v, wp_sprintf(cat.a, "c==%d.0", i > 1 ? i + 100 : 1));
		fake_any(&cat, "b", v, NULL);
		fake_any(&cat, "c", v, NULL);
	}
	assert_ok(lock("b|c|a", LIN));
	chosen("a 1.0, b 60.0, c 1.0");
}

/* n projects that each need the next one in the same version, of which only the oldest is whole. */
static void failures_are_not_repeated(void **state)
{
	int i, k;

	(void)state;
	for (i = 0; i < 12; i++)
		for (k = 1; k <= 12; k++)
			fake_any(&cat, wp_sprintf(cat.a, "p%d", i), wp_sprintf(cat.a, "%d", k),
				i < 11 ? wp_sprintf(cat.a, "p%d==%d", i + 1, k) : k > 1 ? "missing" : NULL);
	assert_ok(lock("p0|p5|p11", LIN));
	assert_int_equal(got.lock.nwheels, 12);
	assert_string_equal(got.lock.wheels[0].version, "1");
}

static void no_solution_is_proved(void **state)
{
	int k;

	(void)state;
	for (k = 1; k <= 20; k++) {
		fake_any(&cat, "a", wp_sprintf(cat.a, "%d", k), "x<5");
		fake_any(&cat, "b", wp_sprintf(cat.a, "%d", k), "x>=5");
		fake_any(&cat, "x", wp_sprintf(cat.a, "%d", k), NULL);
		fake_any(&cat, "y", wp_sprintf(cat.a, "%d", k), NULL);
	}
	assert_int_equal(lock("y|a|b", LIN), WP_E_CONFLICT);
	why_says("requires x<5");
	why_says("requires x>=5");
	assert_null(strstr(err.why, "y is asked for"));
}

/* ---- torch -------------------------------------------------------------------------------- */

static void torch_world(const char *label, const char *platform)
{
	static const struct {
		const char *torch, *vision, *audio;
	} sets[] = {{"2.12.0", "0.27.0", NULL}, {"2.11.0", "0.26.0", "2.11.0"}, {"2.10.0", "0.25.0", "2.10.0"},
		{"2.9.1", "0.24.1", "2.9.1"}};
	wp_arena *a = cat.a;
	size_t i;

	cat.index = *label ? "variant" : "ordinary";
	for (i = 0; i < 4; i++) {
		fake_wheel(&cat, wp_sprintf(a, "torch-%s%s-cp312-cp312-%s.whl", sets[i].torch, label, platform), "numpy");
		fake_wheel(&cat, wp_sprintf(a, "torchvision-%s%s-cp312-cp312-%s.whl", sets[i].vision, label, platform),
			wp_sprintf(a, "torch==%s\nnumpy", sets[i].torch));
		if (sets[i].audio)
			fake_wheel(&cat,
				wp_sprintf(a, "torchaudio-%s%s-cp312-cp312-%s.whl", sets[i].audio, label, platform),
				wp_streq(sets[i].audio, "2.11.0") ? NULL
								  : wp_sprintf(a, "torch==%s", sets[i].torch));
	}
	fake_any(&cat, "torchvision", "0.1.6", "torch");
	cat.index = "ordinary";
	fake_any(&cat, "numpy", "2.5", NULL);
	fake_any(&cat, "numpy", "1.26", NULL);
}

static void partners_are_kept_together(void **state)
{
	(void)state;
	torch_world("+cu126", "win_amd64");
	assert_ok(lock("torch==2.9.1|torchvision|torchaudio", WIN "-cu126"));
	chosen("numpy 2.5, torch 2.9.1+cu126, torchaudio 2.9.1+cu126, torchvision 0.24.1+cu126");
	assert_ok(lock("torch|torchvision|torchaudio", WIN "-cu126"));
	chosen("numpy 2.5, torch 2.12.0+cu126, torchaudio 2.11.0+cu126, torchvision 0.27.0+cu126");
}

/* The newest torch may be there before its torchvision; an ancient torchvision that pins nothing is no partner. */
static void torch_waits_for_its_torchvision(void **state)
{
	int k;

	(void)state;
	torch_world("", "win_amd64");
	for (k = 0; k < 8; k++) /* more versions that pin an old torch */
		fake_wheel(&cat, wp_sprintf(cat.a, "torchvision-0.2%d.9-cp312-cp312-win_amd64.whl", k),
			"torch==2.11.0");
	fake_wheel(&cat, "torch-2.15.0-cp312-cp312-win_amd64.whl", NULL);
	assert_ok(lock("torch|torchvision", WIN));
	chosen("numpy 2.5, torch 2.11.0, torchvision 0.27.9");
}

static void cuda_facts_come_from_the_label(void **state)
{
	const wp_lock_target *t;

	(void)state;
	torch_world("+cu126", "win_amd64");
	assert_ok(lock("torch==2.11.0", WIN "-cu126"));
	t = &got.lock.targets[0];
	assert_string_equal(t->cuda_version, "12.6");
	assert_string_equal(t->driver_runs, "528.33");
	assert_string_equal(t->driver_full, "560.76");
	assert_string_equal(t->arches[0], "sm_50");
	assert_string_equal(got.lock.variant, "cu126");
	assert_null(noted("C801"));
}

static void the_ordinary_linux_build_has_its_default_cuda(void **state)
{
	(void)state;
	torch_world("", "manylinux_2_28_x86_64");
	assert_ok(lock("torch==2.11.0", LIN));
	assert_string_equal(got.lock.targets[0].cuda_version, "13.0");
	assert_string_equal(got.lock.targets[0].driver_runs, "580.65.06");
}

static void a_cpu_build_on_windows_is_noted(void **state)
{
	(void)state;
	torch_world("", "win_amd64");
	assert_ok(lock("torch==2.11.0", WIN));
	assert_null(got.lock.targets[0].cuda_version);
	assert_int_equal(noted("C801")->severity, WP_NOTE);
	assert_non_null(strstr(noted("C801")->next, "--cuda"));
	assert_ok(lock("numpy", WIN));
	assert_null(noted("C801"));
}

/* The note's next, for this torch alone. */
static const char *next_of_cpu_build(const char *torch, const char *target)
{
	fake_wheel(&cat, wp_sprintf(cat.a, "torch-%s-cp312-cp312-win_amd64.whl", torch), NULL);
	assert_ok(lock(wp_sprintf(cat.a, "torch==%s", torch), target));
	return noted("C801")->next;
}

static void the_variants_to_add_are_those_of_the_chosen_torch(void **state)
{
	(void)state;
	assert_string_equal(next_of_cpu_build("2.4.0", WIN), "for NVIDIA GPUs add --cuda and one of: cu118, cu121, cu124");
	assert_string_equal(next_of_cpu_build("2.11.0", WIN), "for NVIDIA GPUs add --cuda and one of: cu126, cu128, cu130");
	assert_string_equal(next_of_cpu_build("99.0", WIN),
		"for NVIDIA GPUs add --cuda and the variant that this torch is built for");
}

static void a_torch_newer_than_the_facts_is_noted(void **state)
{
	(void)state;
	fake_wheel(&cat, "torch-99.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	assert_ok(lock("torch", LIN));
	assert_non_null(noted("N101"));
	assert_null(got.lock.targets[0].cuda_version);
}

static void a_closed_variant_is_noted(void **state)
{
	(void)state;
	cat.index = "variant";
	fake_wheel(&cat, "torch-2.5.1+cu121-cp312-cp312-win_amd64.whl", NULL);
	assert_ok(lock("torch", WIN "-cu121"));
	assert_non_null(strstr(noted("N106")->why, "2.5.1"));
	assert_non_null(strstr(noted("N106")->next, "cu126"));
	assert_null(strstr(noted("N106")->next, "cu118")); /* closed too */
	fake_wheel(&cat, "torch-2.4.1+cu121-cp38-cp38-win_amd64.whl", NULL);
	assert_ok(lock("torch", "cp38-win_amd64-cu121"));
	assert_null(noted("N106")->next);
}

static void numpy_is_held_back_for_an_old_torch(void **state)
{
	(void)state;
	cat.index = "variant";
	fake_wheel(&cat, "torch-2.2.2+cu121-cp312-cp312-win_amd64.whl", NULL);
	fake_any(&cat, "numpy", "2.5", NULL);
	fake_any(&cat, "numpy", "1.26", NULL);
	assert_ok(lock("torch|numpy", WIN "-cu121"));
	chosen("numpy 1.26, torch 2.2.2+cu121");
	assert_non_null(strstr(noted("N107")->why, "numpy 1"));
	assert_int_equal(lock("torch|numpy>=2", WIN "-cu121"), WP_E_CONFLICT);
	why_says("numpy 2");
}

static void a_pin_that_the_variant_lacks_names_variants_that_have_it(void **state)
{
	(void)state;
	cat.index = "variant";
	fake_wheel(&cat, "torch-2.5.1+cu121-cp312-cp312-win_amd64.whl", NULL);
	assert_int_equal(lock("torch==2.11.0", WIN "-cu121"), WP_E_CONFLICT);
	why_says("torch==2.11.0 is asked for");
	next_says("--cuda X");
	next_says("cu126, cu128 and cu130");
	next_says("the newest torch for cu121 is 2.5.1");
}

static void a_project_that_the_variant_lacks_names_variants_that_have_it(void **state)
{
	(void)state;
	cat.index = "variant";
	fake_wheel(&cat, "torch-2.12.0+cu132-cp312-cp312-win_amd64.whl", NULL);
	assert_int_equal(lock("torch|torchaudio", WIN "-cu132"), WP_E_NO_PROJECT);
	why_says("'torchaudio'");
	next_says("cu126");
	assert_null(strstr(err.next, "cu132, "));
}

static void mixed_pins_are_refused_with_both_texts(void **state)
{
	(void)state;
	torch_world("+cu126", "win_amd64");
	assert_int_equal(lock("torch==2.11.0|torchvision==0.24.1", WIN "-cu126"), WP_E_CONFLICT);
	why_says("torch==2.11.0 and torchvision==0.24.1 are asked for");
	why_says("torchvision 0.24.1+cu126 requires torch==2.9.1");
}

/* ---- refusals ----------------------------------------------------------------------------- */

static void projects_that_do_not_exist_are_named_at_once(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	assert_int_equal(lock("a|nosuch|nothere", LIN), WP_E_NO_PROJECT);
	why_says("'nosuch'");
	why_says("'nothere'");
	assert_string_equal(err.what, "cannot lock 'a', 'nosuch', 'nothere'");
	assert_non_null(strstr(err.where, LIN));
}

static void a_missing_requirement_of_a_requirement_says_who_needs_it(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "gone>=2");
	assert_int_equal(lock("a", LIN), WP_E_NO_PROJECT);
	why_says("a 1.0 requires gone>=2");
}

static void no_wheel_says_which_there_are(void **state)
{
	(void)state;
	fake_wheel(&cat, "a-1.0-cp310-cp310-win_amd64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp311-cp311-manylinux_2_17_x86_64.whl", NULL);
	fake_add(&cat, "b", "b-1.0.tar.gz");
	assert_int_equal(lock("a|b", WIN), WP_E_NO_WHEEL);
	why_says("cp310 on win_amd64, and the target is cp312");
	why_says("'b' has only source distributions");
}

static void a_python_that_is_too_new_is_said(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL)->f.requires_python = "<3.12";
	assert_int_equal(lock("a", LIN), WP_E_NO_WHEEL);
	why_says("requires Python <3.12");
}

static void a_pin_without_a_wheel_says_why(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_wheel(&cat, "a-2.0-cp313-cp313-win_amd64.whl", NULL);
	assert_int_equal(lock("a==2.0", WIN), WP_E_NO_WHEEL);
	why_says("a==2.0 is asked for");
	why_says("cp313 on win_amd64");
}

static void newer_source_only_versions_are_noted(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	fake_add(&cat, "a", "a-2.0.tar.gz");
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
	assert_non_null(strstr(noted("N102")->why, "a 2.0"));
	assert_ok(lock("a<2", LIN));
	assert_null(noted("N102"));
}

static void missing_digests_are_noted_or_refused(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL)->f.sha256 = NULL;
	assert_ok(lock("a", LIN));
	assert_int_equal(noted("N105")->nfiles, 1);
	assert_int_equal(got.lock.wheels[0].digest, WP_DIGEST_NONE);
	ask.require_index_hashes = true;
	assert_int_equal(lock("a", LIN), WP_E_DIGEST);
}

static void bad_requirements_are_refused(void **state)
{
	(void)state;
	assert_int_equal(lock("a==", LIN), WP_E_REQUIREMENT);
	constrain("b[x]");
	assert_int_equal(lock("a", LIN), WP_E_REQUIREMENT);
}

static void a_marker_on_the_machine_is_noted(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "b; platform_release >= '20'");
	assert_ok(lock("a", LIN));
	assert_non_null(noted("N104"));
}

/* ---- the document ------------------------------------------------------------------------- */

static void targets_share_wheels_and_requirements_name_them(void **state)
{
	const wp_lock_wheel *a;

	(void)state;
	fake_any(&cat, "a", "1.0", "w; sys_platform == 'win32'\nb");
	fake_any(&cat, "b", "1.0", NULL);
	fake_any(&cat, "w", "1.0", NULL);
	assert_ok(lock("a", WIN " " LIN));
	chosen("a 1.0, b 1.0, w 1.0");
	a = &got.lock.wheels[0];
	assert_int_equal(a->nrequires, 2);
	assert_string_equal(a->requires[0].project, "w");
	assert_int_equal(a->requires[0].ntargets, 1);
	assert_int_equal(a->requires[1].ntargets, 2);
	assert_int_equal(got.lock.targets[0].nwheels, 2); /* by name */
	assert_int_equal(got.lock.targets[1].nwheels, 3);
	assert_int_equal(strlen(a->metadata_sha256), 64);
}

static void the_same_pages_give_the_same_bytes(void **state)
{
	wp_str one, two;
	wp_lock_doc back;

	(void)state;
	torch_world("+cu126", "win_amd64");
	assert_ok(lock("torch|torchvision|torchaudio", WIN "-cu126"));
	assert_ok(wp_lock_write(ctx.arena, &got.lock, &one, &err));
	cat.backwards = true;
	assert_ok(lock("torch|torchvision|torchaudio", WIN "-cu126"));
	assert_ok(wp_lock_write(ctx.arena, &got.lock, &two, &err));
	assert_true(wp_str_eq(one, two));
	assert_ok(wp_lock_read(ctx.arena, one, &back, &err));
}

static void a_simple_set_reads_each_file_once_or_twice(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "b\nc");
	fake_any(&cat, "b", "1.0", "c");
	fake_any(&cat, "c", "1.0", NULL);
	fake_any(&cat, "c", "0.9", NULL);
	assert_ok(lock("a", LIN));
	assert_int_equal(cat.pages, 3);
	assert_int_equal(cat.reads, 6); /* once for the requirements, once for the digest */
}

static void a_stop_is_an_interruption(void **state)
{
	atomic_int stop = 1;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	ctx.cancel = &stop;
	assert_int_equal(lock("a", LIN), WP_E_INTERRUPTED);
	ctx.cancel = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(newest_versions_are_taken),
		T(an_older_version_is_taken_where_the_newest_cannot_be),
		T(constraints_bind_but_add_nothing),
		T(prereleases_come_when_nothing_else_is_left),
		T(yanked_versions_need_a_pin),
		T(a_pin_that_was_dropped_opens_no_yanked_version),
		T(a_local_label_matches_its_public_version),
		T(markers_ask_the_target_only),
		T(extras_bring_their_requirements),
		T(extras_may_name_their_own_project),
		T(base_and_extras_have_one_version),
		T(an_extra_that_cannot_be_leads_to_another_version),
		T(extras_asked_for_late_are_looked_at),
		T(circles_and_self_requirements_are_fine),
		T(a_version_that_excludes_itself_is_passed_over),
		T(addresses_in_metadata_are_not_followed),
		T(metadata_that_contradicts_the_name_is_passed_over),
		T(long_ways_back_are_found),
		T(failures_are_not_repeated),
		T(no_solution_is_proved),
		T(partners_are_kept_together),
		T(torch_waits_for_its_torchvision),
		T(cuda_facts_come_from_the_label),
		T(the_ordinary_linux_build_has_its_default_cuda),
		T(a_cpu_build_on_windows_is_noted),
		T(the_variants_to_add_are_those_of_the_chosen_torch),
		T(a_torch_newer_than_the_facts_is_noted),
		T(a_closed_variant_is_noted),
		T(numpy_is_held_back_for_an_old_torch),
		T(a_pin_that_the_variant_lacks_names_variants_that_have_it),
		T(a_project_that_the_variant_lacks_names_variants_that_have_it),
		T(mixed_pins_are_refused_with_both_texts),
		T(projects_that_do_not_exist_are_named_at_once),
		T(a_missing_requirement_of_a_requirement_says_who_needs_it),
		T(no_wheel_says_which_there_are),
		T(a_python_that_is_too_new_is_said),
		T(a_pin_without_a_wheel_says_why),
		T(newer_source_only_versions_are_noted),
		T(missing_digests_are_noted_or_refused),
		T(bad_requirements_are_refused),
		T(a_marker_on_the_machine_is_noted),
		T(targets_share_wheels_and_requirements_name_them),
		T(the_same_pages_give_the_same_bytes),
		T(a_simple_set_reads_each_file_once_or_twice),
		T(a_stop_is_an_interruption),
	};

	return cmocka_run_group_tests_name("solve", tests, NULL, NULL);
}

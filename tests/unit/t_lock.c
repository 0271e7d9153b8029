/* SPDX-License-Identifier: MIT */
/* What stands around the solver: addresses, dates, several targets, an earlier lock. */
#include "unit/lock_world.h"

static wp_str text_of_lock(void)
{
	wp_str text;
	wp_lock_doc back;

	assert_ok(err.code);
	assert_ok(wp_lock_write(ctx.arena, &got.lock, &text, &err));
	assert_ok(wp_lock_read(ctx.arena, text, &back, &err));
	return text;
}

#define ARM "cp312-manylinux_2_28_aarch64"

/* ---- addresses ---------------------------------------------------------------------------- */

#define DIGEST "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* A wheel that no index has: its METADATA can be read, its page cannot. */
static void elsewhere(const char *filename, const char *lines)
{
	fake_wheel(&cat, filename, lines)->project = "";
}

static void a_wheel_named_by_its_address_is_taken(void **state)
{
	const wp_lock_wheel *w;

	(void)state;
	fake_any(&cat, "demo", "9.0", NULL);
	fake_any(&cat, "b", "1.0", NULL);
	elsewhere("demo-1.0-py3-none-any.whl", "b");
	assert_ok(lock("demo @ https://host.test/w/demo-1.0-py3-none-any.whl", LIN));
	chosen("b 1.0, demo 1.0");
	w = &got.lock.wheels[1];
	assert_string_equal(w->index, "direct1");
	assert_string_equal(w->url, "https://host.test/w/demo-1.0-py3-none-any.whl");
	assert_int_equal(w->digest, WP_DIGEST_NONE);
	assert_null(w->sha256);
	assert_true(w->requested);
	assert_int_equal(got.lock.nindexes, 3);
	assert_string_equal(got.lock.indexes[2].url, "https://host.test/w/");
	text_of_lock();
}

static void the_fragment_is_the_users_digest(void **state)
{
	(void)state;
	elsewhere("demo-1.0+x-py3-none-any.whl", NULL);
	assert_ok(lock("demo@https://host.test/demo-1.0%2Bx-py3-none-any.whl?key=1#egg=demo&sha256=" DIGEST, LIN));
	chosen("demo 1.0+x");
	assert_string_equal(got.lock.wheels[0].sha256, DIGEST);
	assert_int_equal(got.lock.wheels[0].digest, WP_DIGEST_USER);
	assert_string_equal(got.lock.wheels[0].url, "https://host.test/demo-1.0%2Bx-py3-none-any.whl?key=1");
	assert_string_equal(got.lock.requirements[0],
		"demo @ https://host.test/demo-1.0%2Bx-py3-none-any.whl?key=1#egg=demo&sha256=" DIGEST);
	text_of_lock();
}

static void an_address_may_have_extras_and_a_marker(void **state)
{
	(void)state;
	elsewhere("demo-1.0-py3-none-any.whl", "!Provides-Extra: x\nb; extra == 'x'");
	fake_any(&cat, "b", "1.0", NULL);
	fake_any(&cat, "c", "1.0", NULL);
	assert_ok(lock("c|demo[x] @ file:///w/demo-1.0-py3-none-any.whl ; sys_platform == 'linux'", LIN " " WIN));
	chosen("b 1.0, c 1.0, demo 1.0");
	assert_int_equal(got.lock.targets[0].nwheels, 3);
	assert_int_equal(got.lock.targets[1].nwheels, 1);
	assert_string_equal(got.lock.indexes[2].url, "file:///w/");
	assert_null(noted("N105")); /* the file is here */
}

static void each_target_may_have_its_own_address(void **state)
{
	(void)state;
	elsewhere("demo-1.0-cp312-cp312-win_amd64.whl", NULL);
	elsewhere("demo-1.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	assert_ok(lock("demo @ file:///w/demo-1.0-cp312-cp312-win_amd64.whl ; sys_platform == 'win32'|"
		       "demo @ file:///w/demo-1.0-cp312-cp312-manylinux_2_28_x86_64.whl ; sys_platform != 'win32'",
		LIN " " WIN));
	chosen("demo 1.0, demo 1.0");
}

static void what_others_need_of_it_counts(void **state)
{
	(void)state;
	elsewhere("demo-1.0-py3-none-any.whl", NULL);
	fake_any(&cat, "demo", "2.0", NULL);
	fake_any(&cat, "a", "2.0", "demo>=2");
	fake_any(&cat, "a", "1.0", "demo");
	assert_ok(lock("a|demo @ file:///w/demo-1.0-py3-none-any.whl", LIN));
	chosen("a 1.0, demo 1.0");
	assert_int_equal(lock("a==2.0|demo @ file:///w/demo-1.0-py3-none-any.whl", LIN), WP_E_CONFLICT);
	why_says("demo>=2");
}

static void a_wheel_that_does_not_fit_is_told(void **state)
{
	(void)state;
	elsewhere("demo-1.0-cp311-cp311-win_amd64.whl", NULL);
	assert_int_equal(lock("demo @ file:///w/demo-1.0-cp311-cp311-win_amd64.whl", LIN), WP_E_NO_WHEEL);
	why_says("demo 1.0 has wheels for Windows only");
	assert_int_equal(lock("demo @ file:///w/demo-1.0-cp311-cp311-win_amd64.whl", WIN), WP_E_NO_WHEEL);
	why_says("cp311");
}

static void a_labelled_project_may_come_from_an_address(void **state)
{
	(void)state;
	elsewhere("torch-2.9.0+mine-cp312-cp312-win_amd64.whl", NULL);
	assert_ok(lock("torch @ https://host.test/torch-2.9.0%2Bmine-cp312-cp312-win_amd64.whl", WIN "-cu126"));
	chosen("torch 2.9.0+mine");
}

static void a_prerelease_that_is_named_needs_no_note(void **state)
{
	(void)state;
	elsewhere("demo-1.0rc1-py3-none-any.whl", NULL);
	assert_ok(lock("demo @ file:///w/demo-1.0rc1-py3-none-any.whl", LIN));
	chosen("demo 1.0rc1");
	assert_null(noted("N110"));
}

static void addresses_that_are_no_wheel_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{"demo @ https://host.test/demo-1.0.tar.gz", "source distribution"},
		{"demo @ https://host.test/demo.zip", "source distribution"},
		{"demo @ git+https://host.test/demo.git", "is a source repository"},
		{"demo @ ../demo-1.0-py3-none-any.whl", "no address of a wheel"},
		{"demo @ https://host.test/", "does not end in the name of a wheel"},
		{"demo @ https://host.test/demo-1.0.whl", "demo-1.0.whl"},
		{"demo @ https://host.test/a%2Fdemo-1.0-py3-none-any.whl", "does not end in the name of a wheel"},
		{"demo @ https://host.test/other-1.0-py3-none-any.whl", "'other', not of 'demo'"},
		{"demo @ file://server/share/demo-1.0-py3-none-any.whl", "another machine"},
		{"demo @ https://u:secret@host.test/demo-1.0-py3-none-any.whl", "password"},
		{"demo @ https://host.test/demo-1.0-py3-none-any.whl#md5=11", "'#md5=11'"},
		{"demo @ https://host.test/demo-1.0-py3-none-any.whl#sha256=11", "'11' is no sha256"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(lock(bad[i][0], LIN), WP_E_REQUIREMENT);
		why_says(bad[i][1]);
	}
	assert_int_equal(lock("demo @ https://a.test/demo-1.0-py3-none-any.whl|"
			      "demo @ https://b.test/demo-1.0-py3-none-any.whl", LIN), WP_E_REQUIREMENT);
	why_says("at once");
}

static void a_constraint_has_no_address(void **state)
{
	(void)state;
	constrain("demo @ file:///w/demo-1.0-py3-none-any.whl");
	assert_int_equal(lock("demo", LIN), WP_E_REQUIREMENT);
	why_says("has an address");
}

static void passwords_of_indexes_stay_out_of_the_lock(void **state)
{
	static const wp_lock_index indexes[] = {{"ordinary", "https://me:secret@index.test/simple/"}};
	const char *const requirements[] = {"a"};
	wp_lock_request in = {.requirements = requirements, .nrequirements = 1, .indexes = indexes, .nindexes = 1};
	wp_target t;

	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	assert_ok(wp_target_parse(ctx.arena, LIN, &t, &err));
	in.targets = &t;
	in.ntargets = 1;
	assert_ok(wp_lock(&ctx, &in, &cat.api, &got, &err));
	assert_string_equal(got.lock.indexes[0].url, "https://index.test/simple/");
}

/* ---- dates -------------------------------------------------------------------------------- */

static void what_is_newer_than_the_date_is_not_taken(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL)->f.upload_time = "2025-01-01T10:00:00Z";
	fake_any(&cat, "a", "2.0", NULL)->f.upload_time = "2025-03-01T10:00:00Z";
	ask.exclude_newer = "2025-01-01";
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
	assert_null(noted("N112"));
	ask.exclude_newer = "2025-03-01T10:00:00Z"; /* at this moment is not before it */
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
	ask.exclude_newer = "2025-03-01";
	assert_ok(lock("a", LIN));
	chosen("a 2.0");
}

static void files_without_a_date_are_passed_over_and_noted(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL)->f.upload_time = "2025-01-01T10:00:00Z";
	fake_any(&cat, "a", "2.0", NULL);
	ask.exclude_newer = "2025-06-01";
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
	note_says("N112", "the index 'ordinary' gives no upload time for files of a");
}

static void what_a_date_leaves_out_is_told(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL)->f.upload_time = "2025-01-01T10:00:00Z";
	ask.exclude_newer = "2024-12-31";
	assert_int_equal(lock("a", LIN), WP_E_NO_WHEEL);
	why_says("no wheel of 'a' that fits was uploaded before 2024-12-31; the first that fits is of 2025-01-01, for a 1.0");
	assert_string_equal(err.next, "take a later date, such as --exclude-newer 2025-01-01");
	fake_any(&cat, "b", "1.0", NULL);
	assert_int_equal(lock("b", LIN), WP_E_NO_WHEEL);
	why_says("the index 'ordinary' gives no upload time for b 1.0");
}

static void wheels_that_would_fit_but_for_the_date_are_told_of_before_others(void **state)
{
	(void)state;
	fake_wheel(&cat, "a-0.1-cp39-cp39-win_amd64.whl", NULL)->f.upload_time = "2020-01-01T10:00:00Z";
	fake_wheel(&cat, "a-1.0-cp312-cp312-win_amd64.whl", NULL)->f.upload_time = "2025-01-01T10:00:00Z";
	fake_wheel(&cat, "a-2.0-cp312-cp312-win_amd64.whl", NULL)->f.upload_time = "2025-03-01T10:00:00Z";
	fake_wheel(&cat, "a-2.0-cp39-cp39-win_amd64.whl", NULL)->f.upload_time = "2025-03-01T10:00:00Z";
	ask.exclude_newer = "2024-12-31";
	assert_int_equal(lock("a", WIN), WP_E_NO_WHEEL);
	why_says("the first that fits is of 2025-01-01, for a 1.0");
	assert_int_equal(lock("a==2.0", WIN), WP_E_NO_WHEEL);
	why_says("the first that fits is of 2025-03-01, for a 2.0");
	ask.exclude_newer = "2025-02-01";
	assert_int_equal(lock("a==2.0", WIN), WP_E_NO_WHEEL);
	why_says("a 2.0 was not uploaded before 2025-02-01; the newest with a wheel that fits is 1.0");
}

static void dates_that_are_none_are_refused(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", NULL);
	ask.exclude_newer = "last week";
	assert_int_equal(lock("a", LIN), WP_E_USAGE);
	why_says("'last week' is no date");
}

/* ---- several targets ---------------------------------------------------------------------- */

/* A torch of which Windows has no wheel yet, and its torchvision. */
static void late_windows(void)
{
	fake_wheel(&cat, "torch-2.12.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "torch-2.11.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "torch-2.11.0-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "torch-2.10.0-cp312-cp312-win_amd64.whl", NULL);
	fake_any(&cat, "torchvision", "0.27.0", "torch==2.12.0");
	fake_any(&cat, "torchvision", "0.26.0", "torch==2.11.0");
}

static void targets_meet_where_one_lacks_the_newest(void **state)
{
	(void)state;
	late_windows();
	assert_ok(lock("torch|torchvision", LIN));
	chosen("torch 2.12.0, torchvision 0.27.0");
	assert_ok(lock("torch|torchvision", LIN " " WIN));
	chosen("torch 2.11.0, torch 2.11.0, torchvision 0.26.0");
	assert_null(noted("N113"));
}

static void targets_that_cannot_meet_are_noted(void **state)
{
	(void)state;
	fake_wheel(&cat, "a-2.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp312-cp312-win_amd64.whl", NULL);
	fake_any(&cat, "b", "2.0", "c>=2; sys_platform == 'linux'\nc<2; sys_platform != 'linux'");
	fake_any(&cat, "c", "2.0", NULL);
	fake_any(&cat, "c", "1.0", NULL);
	assert_ok(lock("a", LIN " " WIN));
	chosen("a 1.0, a 2.0");
	note_says("N113", "a: 2.0 for " LIN ", 1.0 for " WIN "; no version has a wheel for all of them");
	assert_ok(lock("b", LIN " " WIN));
	chosen("b 2.0, c 1.0, c 2.0");
	note_says("N113", "no version suits all");
}

/* A preference that does not bring the targets together must not cost one of them its newest version. */
static void a_target_goes_back_only_where_it_helps(void **state)
{
	(void)state;
	fake_any(&cat, "a", "3.0", "x");
	fake_any(&cat, "a", "2.0", "x");
	fake_any(&cat, "x", "1.0", NULL);
	assert_ok(lock("a==2.0; sys_platform == 'win32'|a", LIN " " WIN));
	chosen("a 2.0, x 1.0");
	assert_ok(lock("a==2.0; sys_platform == 'win32'|a>2; sys_platform != 'win32'", LIN " " WIN));
	chosen("a 2.0, a 3.0, x 1.0");
}

static void three_targets_meet_where_all_can(void **state)
{
	(void)state;
	fake_wheel(&cat, "a-3.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "a-2.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "a-2.0-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp312-cp312-manylinux_2_28_aarch64.whl", NULL);
	assert_ok(lock("a", LIN " " WIN " " ARM));
	chosen("a 1.0, a 1.0, a 1.0");
	assert_ok(lock("a", LIN " " WIN));
	chosen("a 2.0, a 2.0");
}

static void two_of_three_meet_where_all_cannot(void **state)
{
	(void)state;
	fake_wheel(&cat, "a-3.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "a-2.0-cp312-cp312-manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "a-2.0-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "a-1.0-cp312-cp312-manylinux_2_28_aarch64.whl", NULL);
	assert_ok(lock("a", LIN " " WIN " " ARM));
	chosen("a 1.0, a 2.0, a 2.0");
	assert_non_null(noted("N113"));
}

static void labels_make_no_difference(void **state)
{
	(void)state;
	fake_wheel(&cat, "torch-2.10.0+cu126-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "torch-2.9.1+cu126-cp312-cp312-win_amd64.whl", NULL);
	fake_wheel(&cat, "torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl", NULL);
	assert_ok(lock("torch", ARM "-cu126 " WIN "-cu126"));
	chosen("torch 2.9.1, torch 2.9.1+cu126");
	assert_null(noted("N113"));
}

static void the_order_of_targets_changes_nothing(void **state)
{
	wp_str first;

	(void)state;
	late_windows();
	fake_any(&cat, "b", "1.0", "c; sys_platform == 'win32'");
	fake_any(&cat, "c", "1.0", NULL);
	assert_ok(lock("torchvision|b", LIN " " WIN " cp312-win_amd64-cpu"));
	first = text_of_lock();
	assert_ok(lock("torchvision|b", "cp312-win_amd64-cpu " WIN " " LIN));
	assert_true(wp_str_eq(first, text_of_lock()));
	assert_ok(lock("torchvision|b", WIN " cp312-win_amd64-cpu " LIN));
	assert_true(wp_str_eq(first, text_of_lock()));
}

static uint64_t seed;

static unsigned any(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

/* Five projects; some wheels are missing on some platforms, requirements go to projects further on. */
static void random_world(void)
{
	static const char *const platforms[] = {"manylinux_2_28_x86_64", "manylinux_2_28_aarch64", "win_amd64"};
	static const char *const ops[] = {">=", "<=", "!="};
	unsigned p, v, t;

	for (p = 0; p < 5; p++)
		for (v = 1; v <= 4; v++) {
			const char *requires = p == 4 ? NULL
				: wp_sprintf(cat.a, "p%u%s%u\np%u%s%u; sys_platform == 'win32'", p + 1 + any(4 - p),
					  ops[any(3)], 1 + any(4), p + 1 + any(4 - p), ops[any(3)], 1 + any(4));

			for (t = 0; t < 3; t++)
				if (any(4))
					fake_wheel(&cat, wp_sprintf(cat.a, "p%u-%u-cp312-cp312-%s.whl", p, v,
							   platforms[t]), requires);
		}
}

/* Versions beyond the first of every project. */
static unsigned spread_of(const char *const *pairs, size_t n)
{
	unsigned spread = 0;
	size_t i, k;

	for (i = 0; i < n; i++) {
		bool same = false, earlier = false;

		for (k = 0; k < i; k++) {
			same |= wp_streq(pairs[k], pairs[i]);
			earlier |= strncmp(pairs[k], pairs[i], 2) == 0;
		}
		spread += earlier && !same;
	}
	return spread;
}

static size_t add_pairs(const char **pairs, size_t n)
{
	size_t i;

	for (i = 0; i < got.lock.nwheels; i++)
		pairs[n++] = wp_sprintf(ctx.arena, "%s %s", got.lock.wheels[i].project, got.lock.wheels[i].version);
	return n;
}

static bool one_random_round(const char *const *targets)
{
	const char *apart[15], *together[15];
	size_t i, n = 0, m;
	wp_str first;

	random_world();
	for (i = 0; i < 3; i++) {
		if (lock("p0|p1", targets[i]))
			return false;
		n = add_pairs(apart, n);
	}
	assert_ok(lock("p0|p1", wp_sprintf(ctx.arena, "%s %s %s", targets[0], targets[1], targets[2])));
	m = add_pairs(together, 0);
	assert_true(spread_of(together, m) <= spread_of(apart, n));
	first = text_of_lock();
	assert_ok(lock("p0|p1", wp_sprintf(ctx.arena, "%s %s %s", targets[2], targets[0], targets[1])));
	assert_true(wp_str_eq(first, text_of_lock()));
	return spread_of(together, m) < spread_of(apart, n);
}

static void together_targets_are_never_further_apart(void **state)
{
	static const char *const targets[] = {LIN, ARM, WIN};
	int round, nearer = 0;

	for (round = 0; round < 150; round++) {
		seed = (uint64_t)round;
		nearer += one_random_round(targets);
		end(state);
		begin(state);
	}
	assert_true(nearer > 10);
}

/* ---- an earlier lock ---------------------------------------------------------------------- */

static void keep(void)
{
	wp_lock_doc *d = WP_NEW(ctx.arena, wp_lock_doc);

	assert_ok(wp_lock_read(ctx.arena, text_of_lock(), d, &err));
	ask.keep = d;
}

static void update(const char *project)
{
	ask.update = just(project);
	ask.nupdate = 1;
}

/* A lock of a 1.0 and b 1.0, and then there are newer ones. */
static void older_days(void)
{
	fake_any(&cat, "a", "1.0", "b");
	fake_any(&cat, "b", "1.0", NULL);
	assert_ok(lock("a", LIN));
	keep();
	fake_any(&cat, "a", "2.0", "b");
	fake_any(&cat, "b", "2.0", NULL);
	fake_any(&cat, "b", "3.0", NULL);
}

static void the_earlier_versions_are_kept(void **state)
{
	(void)state;
	older_days();
	assert_ok(lock("a", LIN));
	chosen("a 1.0, b 1.0");
	assert_null(noted("N114"));
	assert_ok(lock("a", WIN)); /* it has nothing for this one */
	chosen("a 2.0, b 3.0");
}

static void the_named_projects_are_updated(void **state)
{
	(void)state;
	older_days();
	update("b");
	assert_ok(lock("a", LIN));
	chosen("a 1.0, b 3.0");
	update("a");
	assert_ok(lock("a", LIN));
	chosen("a 2.0, b 1.0");
}

static void new_requirements_win_over_the_earlier_lock(void **state)
{
	(void)state;
	older_days();
	assert_ok(lock("a>1", LIN));
	chosen("a 2.0, b 1.0");
	assert_ok(lock("a|b>1,<3", LIN));
	chosen("a 1.0, b 2.0");
	assert_null(noted("N114"));
}

static void versions_that_are_gone_are_noted(void **state)
{
	(void)state;
	older_days();
	cat.files.v[0]->project = "";
	assert_ok(lock("a", LIN));
	chosen("a 2.0, b 1.0");
	note_says("N114", "a 1.0 is not on the index any more");
	cat.files.v[1]->f.yanked = true;
	assert_ok(lock("a", LIN));
	note_says("N114", "a 1.0");
	chosen("a 2.0, b 3.0");
	assert_string_equal(got.findings.v[got.findings.n - 1].why, "b 1.0 was yanked");
}

static void earlier_versions_that_are_newer_than_the_date_are_told_once(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "b")->f.upload_time = "2025-01-01T10:00:00Z";
	fake_any(&cat, "a", "2.0", "b")->f.upload_time = "2025-03-01T10:00:00Z";
	fake_any(&cat, "b", "1.0", NULL)->f.upload_time = "2025-01-01T10:00:00Z";
	fake_any(&cat, "b", "2.0", NULL)->f.upload_time = "2025-03-01T10:00:00Z";
	assert_ok(lock("a", LIN));
	keep();
	ask.exclude_newer = "2025-02-01";
	assert_ok(lock("a", LIN));
	chosen("a 1.0, b 1.0");
	assert_null(noted("N114"));
	note_says("N116", "only what was uploaded before 2025-02-01 is taken: other versions of a and b");
}

/* What `lock --explain` says of the newest version that was passed over for the first target that has the project. */
static void newest_was_left(const char *version, const char *why)
{
	assert_true(got.nexplained > 0 && got.explained[0].nnewer > 0);
	assert_string_equal(got.explained[0].newer[0].version, version);
	assert_string_equal(got.explained[0].newer[0].why, why);
}

static void a_preference_is_a_reason(void **state)
{
	(void)state;
	older_days();
	explain("b");
	assert_ok(lock("a", LIN));
	newest_was_left("3.0", "the earlier lock has 1.0");
	late_windows();
	explain("torch");
	assert_ok(lock("torch", LIN " " WIN));
	newest_was_left("2.12.0", "2.11.0 is what other targets can have too");
}

static void a_new_target_joins_the_earlier_one(void **state)
{
	(void)state;
	older_days();
	assert_ok(lock("a", LIN " " WIN));
	chosen("a 1.0, b 1.0");
}

static void a_replaced_file_is_a_warning(void **state)
{
	(void)state;
	older_days();
	assert_ok(lock("a", LIN));
	assert_null(noted("N115"));
	cat.files.v[0]->f.sha256 = DIGEST;
	assert_ok(lock("a", LIN));
	assert_int_equal(noted("N115")->severity, WP_WARNING);
	note_says("N115", "'a-1.0-py3-none-any.whl' has sha256 " DIGEST);
}

/* ---- folders, extras ---------------------------------------------------------------------- */

static void all_source_only_projects_are_named_at_once(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "s>=1\nt\nu");
	fake_add(&cat, "s", "s-1.0.tar.gz");
	fake_add(&cat, "t", "t-1.0.tar.gz");
	fake_any(&cat, "u", "0.9", NULL);
	fake_add(&cat, "u", "u-1.0.tar.gz");
	assert_int_equal(lock("a", LIN), WP_E_NO_WHEEL);
	why_says("'s' (required by a 1.0) has only source distributions");
	why_says("'t' has only source distributions");
	assert_null(strstr(err.why, "'u'"));
	assert_non_null(strstr(err.next, "--find-links"));
}

static void an_older_version_with_a_wheel_is_taken_for_another(void **state)
{
	(void)state;
	fake_any(&cat, "a", "1.0", "s");
	fake_any(&cat, "s", "1.0", NULL);
	fake_add(&cat, "s", "s-2.0.tar.gz");
	assert_ok(lock("a", LIN));
	chosen("a 1.0, s 1.0");
	note_says("N102", "s 2.0 has only a source distribution; 1.0 was taken");
}

static void extras_of_a_toolkit_bring_each_its_library(void **state)
{
	(void)state;
	fake_any(&cat, "torch_like", "1.0", "cuda-toolkit[cublas,cudart]==13.0.2; sys_platform == 'linux'");
	fake_any(&cat, "cuda_toolkit", "13.0.2",
		"!Provides-Extra: all\n!Provides-Extra: cublas\n!Provides-Extra: cudart\n!Provides-Extra: nvjitlink\n"
		"nvidia-cublas==13.1.0.3.*; sys_platform == 'linux' and (extra == 'cublas' or extra == 'all')\n"
		"cuda-toolkit[nvjitlink]; extra == 'cublas'\n"
		"nvidia-nvjitlink==13.0.88.*; extra == 'nvjitlink'\n"
		"nvidia-cuda-runtime==13.0.96.*; extra == 'cudart'");
	fake_any(&cat, "cuda_toolkit", "13.1.0", "!Provides-Extra: cublas\nnvidia-cublas==13.2.*; extra == 'cublas'");
	fake_any(&cat, "nvidia_cublas", "13.1.0.3", NULL);
	fake_any(&cat, "nvidia_cublas", "13.2.0.9", NULL);
	fake_any(&cat, "nvidia_nvjitlink", "13.0.88", NULL);
	fake_any(&cat, "nvidia_cuda_runtime", "13.0.96", NULL);
	assert_ok(lock("torch-like", LIN));
	chosen("cuda-toolkit 13.0.2, nvidia-cublas 13.1.0.3, nvidia-cuda-runtime 13.0.96, nvidia-nvjitlink 13.0.88, "
	       "torch-like 1.0");
	assert_ok(lock("torch-like", WIN));
	chosen("torch-like 1.0");
}

static void requires_python_of_metadata_holds_upper_bounds(void **state)
{
	(void)state;
	fake_any(&cat, "a", "2.0", "!Requires-Python: >=3.9,<3.12");
	fake_any(&cat, "a", "1.0", NULL);
	assert_ok(lock("a", LIN));
	chosen("a 1.0");
}

static void torch_2_0_does_not_go_with_numpy_2(void **state)
{
	(void)state;
	cat.index = "variant";
	fake_wheel(&cat, "torch-2.0.1+cu118-cp311-cp311-win_amd64.whl", NULL);
	cat.index = "ordinary";
	fake_any(&cat, "numpy", "2.2", NULL);
	fake_any(&cat, "numpy", "1.26", NULL);
	assert_ok(lock("torch|numpy", "cp311-win_amd64-cu118"));
	chosen("numpy 1.26, torch 2.0.1+cu118");
	assert_non_null(noted("N107"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_wheel_named_by_its_address_is_taken),
		T(the_fragment_is_the_users_digest),
		T(an_address_may_have_extras_and_a_marker),
		T(each_target_may_have_its_own_address),
		T(what_others_need_of_it_counts),
		T(a_wheel_that_does_not_fit_is_told),
		T(a_labelled_project_may_come_from_an_address),
		T(a_prerelease_that_is_named_needs_no_note),
		T(addresses_that_are_no_wheel_are_refused),
		T(a_constraint_has_no_address),
		T(passwords_of_indexes_stay_out_of_the_lock),
		T(what_is_newer_than_the_date_is_not_taken),
		T(files_without_a_date_are_passed_over_and_noted),
		T(what_a_date_leaves_out_is_told),
		T(wheels_that_would_fit_but_for_the_date_are_told_of_before_others),
		T(earlier_versions_that_are_newer_than_the_date_are_told_once),
		T(dates_that_are_none_are_refused),
		T(targets_meet_where_one_lacks_the_newest),
		T(targets_that_cannot_meet_are_noted),
		T(a_target_goes_back_only_where_it_helps),
		T(three_targets_meet_where_all_can),
		T(two_of_three_meet_where_all_cannot),
		T(labels_make_no_difference),
		T(the_order_of_targets_changes_nothing),
		T(together_targets_are_never_further_apart),
		T(the_earlier_versions_are_kept),
		T(the_named_projects_are_updated),
		T(new_requirements_win_over_the_earlier_lock),
		T(versions_that_are_gone_are_noted),
		T(a_preference_is_a_reason),
		T(a_new_target_joins_the_earlier_one),
		T(a_replaced_file_is_a_warning),
		T(all_source_only_projects_are_named_at_once),
		T(an_older_version_with_a_wheel_is_taken_for_another),
		T(extras_of_a_toolkit_bring_each_its_library),
		T(requires_python_of_metadata_holds_upper_bounds),
		T(torch_2_0_does_not_go_with_numpy_2),
	};

	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}

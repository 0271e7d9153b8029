/* SPDX-License-Identifier: MIT */
#include "unit/install_world.h"

/* A wheel of one small module in the folder. */
static const char *lay(world *w, const char *project, const char *version, const char *tag, const char *headers)
{
	mw_member m = {.name = wp_sprintf(w->a, "%s.py", project), .data = "x = 1\n"};
	mw_wheel v = {.project = project, .version = version, .tag = tag, .headers = headers, .members = &m, .n = 1};

	return os_join(w->a, w->store, mw_write(w->a, w->store, &v).filename);
}

static wp_loose loose; /* of the last call */
static const char *allowed; /* a project whose RECORD may be wrong */

static int make(world *w, const char *const *paths, size_t n, wp_error *e)
{
	wp_loose_request q = {.paths = paths, .n = n, .venv = w->venv, .python = os_is_dir(w->venv) ? NULL : w->python,
		.allow_wrong_record = &allowed, .nallow_wrong_record = allowed != NULL};

	return wp_loose_make(&w->ctx, &q, &loose, e);
}

static int install_made(world *w, wp_error *e)
{
	w->in.lock = &loose.lock;
	w->in.loose = &loose;
	w->in.manifest = NULL;
	w->in.bundle_id = NULL;
	w->in.wheels = loose.wheels;
	w->in.python = NULL;
	return wp_install(&w->ctx, &w->in, &w->out, e);
}

static int install_loose(world *w, const char *const *paths, size_t n, wp_error *e)
{
	return make(w, paths, n, e) ? (int)e->code : install_made(w, e);
}

static int install_folder(world *w, wp_error *e)
{
	return install_loose(w, &w->store, 1, e);
}

#define PATHS(...) ((const char *const[]){__VA_ARGS__}), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static bool has(world *w, const char *project, const char *version)
{
	return os_is_file(in_venv(w, wp_sprintf(w->a, SITE "/%s-%s.dist-info/RECORD", project, version)));
}

static bool asked_for(world *w, const char *dist)
{
	return os_is_file(in_venv(w, wp_sprintf(w->a, SITE "/%s.dist-info/REQUESTED", dist)));
}

static const wp_finding *told(const char *code)
{
	size_t i;

	for (i = 0; i < loose.findings.n; i++)
		if (strcmp(loose.findings.v[i].code, code) == 0)
			return &loose.findings.v[i];
	return NULL;
}

static size_t times(const wp_findings *f, const char *code)
{
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		n += strcmp(f->v[i].code, code) == 0;
	return n;
}

static void says(const wp_finding *f, const char *why)
{
	assert_non_null(f);
	if (!strstr(f->why, why))
		fail_msg("'%s' is not in '%s'", why, f->why);
}

/* ---- what goes in --------------------------------------------------------------------------- */

static void a_named_wheel_is_asked_for_and_tells_its_address(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *path = lay(w, "demo", "1.0", NULL, NULL), *record;
	char hex[WP_SHA256_HEX + 1];
	wp_lock_doc lock;

	assert_ok(install_loose(w, PATHS(path), &err));
	wp_sha256_hex(tmp_read(w->a, path), hex);
	assert_true(has(w, "demo", "1.0") && asked_for(w, "demo-1.0"));
	is_text(w, SITE "/demo-1.0.dist-info/direct_url.json",
		wp_sprintf(w->a, "{\"archive_info\": {\"hashes\": {\"sha256\": \"%s\"}}, \"url\": \"file://%s\"}", hex, path));
	record = tmp_read(w->a, in_venv(w, SITE "/demo-1.0.dist-info/RECORD")).p;
	assert_non_null(strstr(record, "demo-1.0.dist-info/direct_url.json,sha256="));
	assert_true(wp_venv_lock(&w->ctx, w->venv, &lock));
	assert_int_equal(lock.nwheels, 1);
	assert_string_equal(lock.wheels[0].sha256, hex);
	assert_int_equal(lock.wheels[0].digest, WP_DIGEST_LOCAL);
	assert_string_equal(lock.requirements[0], wp_sprintf(w->a, "demo @ file://%s", path));
	assert_string_equal(lock.targets[0].name, "cp312-manylinux_2_36_x86_64");
	assert_string_equal(lock.targets[0].python, "3.12");
	assert_int_equal(w->out.findings.n + loose.findings.n, 0);
}

static void a_folder_brings_what_it_has_and_asks_for_what_nobody_requires(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_lock_doc lock;

	lay(w, "app", "1.0", NULL, "Requires-Dist: lib>=1\nRequires-Dist: absent; sys_platform == 'win32'\n");
	lay(w, "lib", "2.0", NULL, NULL);
	assert_ok(install_folder(w, &err));
	assert_true(has(w, "app", "1.0") && has(w, "lib", "2.0"));
	assert_true(asked_for(w, "app-1.0"));
	assert_false(asked_for(w, "lib-2.0"));
	assert_false(os_is_file(in_venv(w, SITE "/app-1.0.dist-info/direct_url.json")));
	assert_int_equal(loose.findings.n, 0);
	assert_true(wp_venv_lock(&w->ctx, w->venv, &lock));
	assert_int_equal(lock.nrequirements, 1);
	assert_string_equal(lock.requirements[0], "app");
	assert_int_equal(lock.wheels[0].nrequires, 1);
	assert_string_equal(lock.wheels[0].requires[0].project, "lib");
}

static void the_newest_that_fits_is_taken(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const wp_finding *f;

	lay(w, "demo", "1.0", NULL, NULL);
	lay(w, "demo", "1.9", NULL, NULL);
	lay(w, "demo", "1.10", NULL, "Requires-Python: >=3.8\n");
	lay(w, "demo", "2.0", NULL, "Requires-Python: >=3.13\n");
	lay(w, "demo", "3.0", "cp39-cp39-win_amd64", NULL);
	lay(w, "demo", "4.0rc1", NULL, NULL);
	assert_ok(install_folder(w, &err));
	assert_true(has(w, "demo", "1.10"));
	f = told("N520");
	says(f, "'demo-1.10-py3-none-any.whl' is taken");
	says(f, "demo-3.0-cp39-cp39-win_amd64.whl: its tags don't fit");
	says(f, "demo-2.0-py3-none-any.whl: requires Python >=3.13");
	assert_int_equal(f->nfiles, 5);
	assert_int_equal(loose.findings.n, 1);
}

static void a_pre_release_is_taken_where_nothing_else_fits(void **state)
{
	world *w = *state;
	wp_error err = {0};

	lay(w, "demo", "4.0rc1", NULL, NULL);
	lay(w, "demo", "3.0", "cp39-cp39-win_amd64", NULL);
	assert_ok(install_folder(w, &err));
	assert_true(has(w, "demo", "4.0rc1"));
}

static void of_one_version_the_best_tag_and_then_the_highest_build_is_taken(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_lock_doc lock;

	lay(w, "demo", "1.0", "9-py3-none-any", NULL);
	lay(w, "demo", "1.0", "cp312-cp312-manylinux_2_17_x86_64", NULL);
	lay(w, "demo", "1.0", "1-cp312-cp312-manylinux_2_28_x86_64", NULL);
	lay(w, "demo", "1.0", "10-cp312-cp312-manylinux_2_28_x86_64", NULL);
	lay(w, "demo", "1.0", "2b-cp312-cp312-manylinux_2_28_x86_64", NULL);
	lay(w, "demo", "1.0", "cp312-cp312-manylinux_2_28_x86_64", NULL);
	assert_ok(install_folder(w, &err));
	assert_true(wp_venv_lock(&w->ctx, w->venv, &lock));
	assert_string_equal(lock.wheels[0].filename, "demo-1.0-10-cp312-cp312-manylinux_2_28_x86_64.whl");
	assert_int_equal(told("N520")->nfiles, 5);
}

static void a_named_wheel_wins_over_a_folder(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *old = lay(w, "demo", "1.0", NULL, "Requires-Dist: lib\n");

	lay(w, "demo", "2.0", NULL, NULL);
	lay(w, "lib", "1.0", NULL, NULL);
	assert_ok(install_loose(w, PATHS(w->store, old, old), &err));
	assert_true(has(w, "demo", "1.0") && has(w, "lib", "1.0"));
	assert_int_equal(told("N520")->nfiles, 1);
	assert_string_equal(told("N520")->files[0], "demo-2.0-py3-none-any.whl");
}

static void what_is_there_already_is_kept(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *demo = lay(w, "demo", "1.0", NULL, NULL), *more = lay(w, "more", "1.0", NULL, "Requires-Dist: demo\n");

	assert_ok(install_loose(w, PATHS(demo), &err));
	assert_ok(install_loose(w, PATHS(demo, more), &err));
	assert_int_equal(w->out.kept, 1);
	assert_true(has(w, "more", "1.0"));
	assert_ok(install_loose(w, PATHS(more), &err));
	assert_null(told("N523"));
}

static void the_venvs_lock_keeps_what_came_before(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *old = lay(w, "demo", "1.0", NULL, NULL), *new = lay(w, "demo", "2.0", NULL, NULL), *asked[] = {"torch"};
	wp_lock_doc lock;

	simple(w, "torch", "2.0", "torch.py", "x");
	w->target.name = "cp312-manylinux_2_28_x86_64-cu126";
	w->target.variant = "cu126";
	w->lock.requirements = asked;
	w->lock.nrequirements = 1;
	w->lock.variant = "cu126";
	assert_ok(install(w, &err));
	assert_ok(make(w, PATHS(old), &err));
	assert_int_equal(loose.lock.nwheels, 1);
	assert_ok(install_made(w, &err));
	assert_true(wp_venv_lock(&w->ctx, w->venv, &lock));
	assert_int_equal(lock.nwheels, 2);
	assert_string_equal(lock.wheels[0].project, "demo");
	assert_string_equal(lock.wheels[1].project, "torch");
	assert_string_equal(lock.variant, "cu126");
	assert_string_equal(lock.targets[0].variant, "cu126");
	assert_int_equal(lock.targets[0].nwheels, 2);
	assert_int_equal(lock.nindexes, 2);
	assert_string_equal(lock.requirements[0], "torch");
	assert_ok(make(w, PATHS(new, lay(w, "more", "1.0", NULL, NULL)), &err));
	assert_int_equal(loose.lock.nwheels, 2);
	assert_int_equal(loose.record.nwheels, 3);
	assert_string_equal(loose.record.wheels[0].version, "2.0");
	assert_int_equal(loose.record.nindexes, 2); /* the folder is the same */
	assert_int_equal(loose.record.nrequirements, 3);
}

static void an_index_of_another_folder_gets_another_name(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *a = lay(w, "a", "1.0", NULL, NULL);

	assert_ok(os_mkdir(at(w, "other"), &err));
	mw_write(w->a, at(w, "other"), &(mw_wheel){.project = "b", .version = "1.0"});
	assert_ok(install_loose(w, PATHS(a), &err));
	assert_ok(install_loose(w, PATHS(at(w, "other/b-1.0-py3-none-any.whl")), &err));
	assert_string_equal(loose.record.indexes[0].id, "direct1");
	assert_string_equal(loose.record.indexes[1].id, "direct2");
	assert_string_equal(loose.record.wheels[1].index, "direct2");
	assert_ok(install_loose(w, PATHS(at(w, "other")), &err));
	assert_string_equal(loose.lock.indexes[0].id, "find-links1");
}

static const char *lay_wrong(world *w, const char *project)
{
	mw_member m = {.name = wp_sprintf(w->a, "%s.py", project), .data = "x = 1\n",
		.row = wp_sprintf(w->a, "%s.py,sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA,", project)};

	return os_join(w->a, w->store, mw_write(w->a, w->store, &(mw_wheel){.project = project, .version = "1.0",
		.members = &m, .n = 1}).filename);
}

static void a_wrong_record_is_taken_where_it_is_allowed(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *wrong = lay_wrong(w, "wrong"), *right = lay(w, "right", "1.0", NULL, NULL), *before = snapshot(w);
	wp_lock_doc lock;

	assert_int_equal(install_loose(w, PATHS(right, wrong), &err), WP_E_RECORD); /* seen when it is unpacked */
	assert_non_null(strstr(err.next, "what RECORD says of 'wrong.py'"));
	assert_non_null(strstr(err.next, "--allow-wrong-record wrong"));
	assert_string_equal(snapshot(w), before);
	allowed = "Wrong";
	err = (wp_error){0};
	assert_ok(install_folder(w, &err));
	assert_int_equal(finding(w, "N550")->nfiles, 1);
	assert_int_equal(times(&loose.findings, "N551"), 0);
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json")).p, "\"exceptions\""));
	assert_true(wp_venv_lock(&w->ctx, w->venv, &lock));
	assert_non_null(lock.wheels[1].sha256); /* the whole stands for it */
	assert_null(lock.wheels[0].sha256);
	assert_ok(install_loose(w, PATHS(wrong), &err));
	assert_int_equal(w->out.kept, 1);
	allowed = "right";
	assert_ok(make(w, PATHS(right), &err));
	says(told("N551"), "right-1.0-py3-none-any.whl': its RECORD is right");
	allowed = "rihgt";
	assert_int_equal(make(w, PATHS(right), &err), WP_E_USAGE);
	assert_non_null(strstr(err.why, "names 'rihgt'"));
	allowed = NULL;
}

static void a_wheel_that_is_damaged_is_refused_with_the_option_too(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *path = lay_wrong(w, "wrong");
	wp_str text = wp_str_copy(w->a, tmp_read(w->a, path));

	*strstr((char *)text.p + 30, "x = 1") = 'y';
	tmp_write(path, text);
	allowed = "wrong";
	assert_int_equal(install_loose(w, PATHS(path), &err), WP_E_RECORD);
	assert_string_equal(err.next, "");
	allowed = NULL;
}

/* ---- what is missing ------------------------------------------------------------------------ */

static void a_requirement_that_nobody_meets_is_told_once_a_project(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const wp_finding *f;

	lay(w, "app", "1.0", NULL, "Requires-Dist: numpy>=2\nRequires-Dist: lib[fast]<2\nProvides-Extra: never\n"
		"Requires-Dist: never; extra == 'never'\n");
	lay(w, "lib", "2.0", NULL, "Requires-Dist: numpy\nProvides-Extra: fast\nRequires-Dist: speed; extra == 'fast'\n");
	assert_ok(install_folder(w, &err));
	assert_true(has(w, "app", "1.0") && has(w, "lib", "2.0"));
	assert_int_equal(times(&loose.findings, "N523"), 3);
	f = told("N523");
	says(f, "numpy: app 1.0 requires 'numpy>=2'; lib 2.0 requires 'numpy'");
	assert_int_equal(f->severity, WP_WARNING);
	assert_string_equal(f->next, "give a wheel of numpy too, or install one afterwards");
	says(f + 1, "lib: app 1.0 requires 'lib[fast]<2', and 2.0 is to be installed");
	says(f + 2, "speed: lib 2.0[fast] requires 'speed; extra == 'fast''");
}

static void the_venv_meets_requirements_too(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *lib = lay(w, "lib", "2.0", NULL, "Provides-Extra: fast\nRequires-Dist: speed; extra == 'fast'\n");

	assert_ok(install_loose(w, PATHS(lib), &err));
	assert_ok(make(w, PATHS(lay(w, "one", "1.0", NULL, "Requires-Dist: lib>=1.5\n")), &err));
	assert_null(told("N523"));
	assert_ok(make(w, PATHS(lay(w, "two", "1.0", NULL, "Requires-Dist: lib[fast]<2\n")), &err));
	assert_int_equal(times(&loose.findings, "N523"), 2);
	says(told("N523"), "lib: two 1.0 requires 'lib[fast]<2', and the venv has 2.0");
	says(told("N523") + 1, "speed: lib 2.0[fast] requires");
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void no_way(world *w, wp_code code, const char *words, const char *const *paths, size_t n)
{
	const char *before = snapshot(w);
	wp_error err = {0};

	if (install_loose(w, paths, n, &err) != (int)code)
		fail_msg("%s wanted, got %s: %s", wp_code_name(code), wp_code_name(err.code), err.why);
	if (!strstr(err.why, words))
		fail_msg("'%s' is not in '%s'", words, err.why);
	assert_string_equal(snapshot(w), before);
}

static void what_is_no_wheel_and_no_folder_of_wheels_is_refused(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *wheel = lay(w, "demo", "1.0", NULL, NULL);

	no_way(w, WP_E_USAGE, "no wheel is named", NULL, 0);
	no_way(w, WP_E_NOT_FOUND, "no such file", PATHS(at(w, "gone.whl")));
	no_way(w, WP_E_BUNDLE, "no wheels in it", PATHS(w->home));
	tmp_write(at(w, "demo-1.0.tar.gz"), WP_LIT("x"));
	no_way(w, WP_E_USAGE, "it is no wheel", PATHS(wheel, at(w, "demo-1.0.tar.gz")));
	tmp_write(at(w, "all.wpk"), WP_LIT("x"));
	no_way(w, WP_E_USAGE, "a bundle is installed by itself", PATHS(wheel, at(w, "all.wpk")));
	tmp_write(at(w, "demo.whl"), WP_LIT("x"));
	no_way(w, WP_E_WHEEL, "", PATHS(at(w, "demo.whl")));
	tmp_write(at(w, "store/lock.json"), WP_LIT("{}"));
	no_way(w, WP_E_BUNDLE, "nothing vouches for it", PATHS(w->store));
	tmp_write(at(w, "store/bundle.json"), WP_LIT("{}"));
	no_way(w, WP_E_USAGE, "a bundle is installed by itself", PATHS(wheel, w->store));
	assert_ok(os_unlink(at(w, "store/bundle.json"), &err));
}

static void all_that_is_wrong_with_the_names_is_told(void **state)
{
	world *w = *state;
	wp_error err = {0};

	assert_int_equal(install_loose(w, PATHS(at(w, "a.whl"), at(w, "b.whl")), &err), WP_E_NOT_FOUND);
	assert_int_equal(times(&loose.findings, "WP_E_NOT_FOUND"), 2);
	assert_non_null(strstr(err.state, "2 refusals in all; nothing was changed"));
}

static void two_named_wheels_of_one_project_are_refused(void **state)
{
	world *w = *state;
	const char *one = lay(w, "demo", "1.0", NULL, NULL), *two = lay(w, "demo", "2.0", NULL, NULL);

	no_way(w, WP_E_REQUIREMENT, "are both named", PATHS(one, two));
}

static void a_folder_in_which_nothing_fits_is_refused(void **state)
{
	world *w = *state;
	const char *fits = "py3-none-any";

	lay(w, "demo", "1.0", "cp39-cp39-win_amd64", NULL);
	no_way(w, WP_E_WRONG_TARGET, "none of the wheels fits", PATHS(w->store));
	says(told("N521"), "demo-1.0-cp39-cp39-win_amd64.whl: its tags don't fit");
	lay(w, "other", "1.0", fits, "Requires-Dist: demo\n");
	{
		wp_error err = {0};

		assert_ok(install_folder(w, &err));
		assert_true(has(w, "other", "1.0"));
		assert_int_equal(told("N521")->severity, WP_WARNING);
		says(told("N523"), "demo: other 1.0 requires 'demo'");
	}
}

static void a_file_with_another_name_is_told_and_left(void **state)
{
	world *w = *state;
	wp_error err = {0};

	lay(w, "demo", "1.0", NULL, NULL);
	tmp_write(at(w, "store/demo-copy.whl"), WP_LIT("x"));
	tmp_write(at(w, "store/readme.txt"), WP_LIT("x"));
	assert_ok(os_mkdir(at(w, "store/wheels"), &err));
	mw_write(w->a, at(w, "store/wheels"), &(mw_wheel){.project = "below", .version = "1.0"});
	assert_ok(install_folder(w, &err));
	assert_true(has(w, "demo", "1.0") && has(w, "below", "1.0"));
	assert_int_equal(loose.findings.n, 1);
	says(told("N522"), "demo-copy.whl");
}

static void named_wheels_must_all_fit_and_all_that_do_not_are_told(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *before = snapshot(w);

	assert_int_equal(install_loose(w, PATHS(lay(w, "a", "1.0", "cp39-cp39-win_amd64", NULL),
		lay(w, "b", "1.0", NULL, "Requires-Python: <3\n"), lay(w, "c", "1.0", "cp311-cp311-linux_x86_64", NULL),
		lay(w, "d", "1.0", NULL, NULL)), &err), WP_E_WRONG_TARGET);
	assert_non_null(strstr(err.where, "a-1.0"));
	assert_int_equal(times(&w->out.findings, "WP_E_WRONG_TARGET"), 2);
	assert_int_equal(times(&w->out.findings, "WP_E_REQUIRES_PYTHON"), 1);
	assert_non_null(strstr(err.state, "3 refusals in all"));
	assert_string_equal(snapshot(w), before);
}

static void a_damaged_wheel_is_refused(void **state)
{
	world *w = *state;

	lay(w, "demo", "1.0", NULL, NULL);
	tmp_write(at(w, "store/other-1.0-py3-none-any.whl"), WP_LIT("PK\3\4 and no more"));
	no_way(w, WP_E_ZIP, "", PATHS(w->store));
	no_way(w, WP_E_ZIP, "", PATHS(at(w, "store/other-1.0-py3-none-any.whl")));
}

static void the_interpreter_and_the_place_are_judged_as_ever(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *wheel = lay(w, "demo", "1.0", NULL, NULL), *python = w->python;

	w->python = at(w, "none/python");
	no_way(w, WP_E_NO_INTERPRETER, "", PATHS(wheel));
	w->python = python;
	assert_ok(os_mkdir(w->venv, &err));
	tmp_write(in_venv(w, "file"), WP_LIT("x"));
	no_way(w, WP_E_VENV, "no pyvenv.cfg", PATHS(wheel));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_named_wheel_is_asked_for_and_tells_its_address),
		T(a_folder_brings_what_it_has_and_asks_for_what_nobody_requires),
		T(the_newest_that_fits_is_taken),
		T(a_pre_release_is_taken_where_nothing_else_fits),
		T(of_one_version_the_best_tag_and_then_the_highest_build_is_taken),
		T(a_named_wheel_wins_over_a_folder),
		T(what_is_there_already_is_kept),
		T(the_venvs_lock_keeps_what_came_before),
		T(an_index_of_another_folder_gets_another_name),
		T(a_requirement_that_nobody_meets_is_told_once_a_project),
		T(the_venv_meets_requirements_too),
		T(what_is_no_wheel_and_no_folder_of_wheels_is_refused),
		T(all_that_is_wrong_with_the_names_is_told),
		T(two_named_wheels_of_one_project_are_refused),
		T(a_folder_in_which_nothing_fits_is_refused),
		T(a_file_with_another_name_is_told_and_left),
		T(named_wheels_must_all_fit_and_all_that_do_not_are_told),
		T(a_damaged_wheel_is_refused),
		T(a_wrong_record_is_taken_where_it_is_allowed),
		T(a_wheel_that_is_damaged_is_refused_with_the_option_too),
		T(the_interpreter_and_the_place_are_judged_as_ever),
	};

	return cmocka_run_group_tests_name("loose", tests, NULL, NULL);
}

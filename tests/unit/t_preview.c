/* SPDX-License-Identifier: MIT */
#include "unit/install_world.h"

static wp_preview seen; /* of the last call */

/* Nothing is changed by it. */
static int preview(world *w, wp_error *e)
{
	const char *before = snapshot(w);

	settle(w);
	wp_install_preview(&w->ctx, &w->in, &seen, e);
	assert_string_equal(snapshot(w), before);
	return e->code;
}

static size_t times(const wp_findings *f, const char *code)
{
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		n += strcmp(f->v[i].code, code) == 0;
	return n;
}

static const wp_finding *refusal(const wp_findings *f, const char *title)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].severity == WP_SEVERE && strstr(f->v[i].title, title))
			return &f->v[i];
	fail_msg("no refusal is titled '%s'", title);
	return NULL;
}

/* ---- what would be done --------------------------------------------------------------------- */

static void the_plan_of_a_new_venv_is_what_the_install_does(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m = {.name = "app.py", .data = "x = 1\n"};
	mw_wheel v = {.project = "app", .version = "1.0", .members = &m, .n = 1,
		.entry_points = "[console_scripts]\napp = app:main\n"};

	add(w, &v);
	simple(w, "lib", "2.0", "lib/__init__.py", "y = 2\n");
	w->venv = at(w, "home/not/yet/env");
	w->in.venv = w->venv;
	assert_ok(preview(w, &err));
	assert_false(os_is_dir(at(w, "home/not")));
	assert_true(seen.create);
	assert_string_equal(seen.venv, w->venv);
	assert_string_equal(seen.python, in_venv(w, "bin/python"));
	assert_string_equal(seen.base, w->python);
	assert_string_equal(seen.version, "3.12.7");
	assert_string_equal(seen.target, "cp312-manylinux_2_28_x86_64");
	assert_int_equal(seen.n, 2);
	assert_string_equal(seen.v[0].project, "app");
	assert_int_equal(seen.v[0].what, WP_PLANNED_INSTALL);
	assert_true(seen.space_free > seen.space_needed && seen.space_needed >= seen.bytes);
	assert_ok(install(w, &err));
	assert_int_equal(seen.files, w->out.files);
	assert_int_equal(seen.bytes, w->out.bytes);
	assert_int_equal(seen.v[0].files + seen.v[1].files, w->out.files);
}

static void an_existing_venv_stays_as_it_is(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "app", "1.0", "app.py", "x");
	assert_ok(install(w, &err));
	simple(w, "lib", "2.0", "lib.py", "y");
	assert_ok(preview(w, &err));
	assert_false(seen.create);
	assert_int_equal(seen.v[0].what, WP_PLANNED_KEEP);
	assert_int_equal(seen.v[0].files + seen.v[0].bytes, 0);
	assert_int_equal(seen.v[1].what, WP_PLANNED_INSTALL);
	assert_int_equal(times(&seen.findings, "N504"), 1);
	assert_ok(install(w, &err));
	assert_int_equal(seen.files, w->out.files);
	assert_int_equal(seen.bytes, w->out.bytes);
}

static void what_makes_way_is_told_and_stays(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "app", "1.0", "app.py", "x");
	assert_ok(install(w, &err));
	forget(w);
	simple(w, "app", "2.0", "app.py", "y");
	assert_ok(preview(w, &err));
	assert_int_equal(seen.v[0].what, WP_PLANNED_REPLACE);
	assert_string_equal(seen.v[0].was, "1.0");
	assert_int_equal(times(&seen.findings, "N508"), 1);
	tmp_write(in_venv(w, ".wheelpack/journal"), WP_LIT("x"));
	assert_ok(preview(w, &err));
	assert_int_equal(times(&seen.findings, "N514"), 1);
}

static void the_plan_tells_what_the_install_would_note(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "pkg", "1.0", "pkg.pth", "import x\n");
	assert_ok(preview(w, &err));
	assert_int_equal(times(&seen.findings, "N502"), 1);
}

/* ---- what stands against it ----------------------------------------------------------------- */

static void tagged(world *w, const char *project, const char *tag, const char *headers)
{
	mw_wheel v = {.project = project, .version = "1.0", .tag = tag, .headers = headers};

	add(w, &v);
}

static void all_that_stands_against_it_is_told_at_once(void **state)
{
	world *w = *state;
	wp_error err = {0}, again = {0};
	char *deep = wp_alloc(w->a, WP_MAX_PATH_BYTES);
	size_t i;

	for (i = 0; i < WP_MAX_PATH_BYTES - 20; i++)
		deep[i] = i % 100 == 99 ? '/' : 'd';
	tagged(w, "a", "cp39-cp39-win_amd64", NULL);
	tagged(w, "b", "py3-none-any", "Requires-Python: <3\n");
	tagged(w, "c", "cp311-cp311-manylinux_2_28_x86_64", "Requires-Python: <3.12\n");
	simple(w, "d", "1.0", "ns/x.py", "one");
	simple(w, "e", "1.0", "ns/x.py", "two");
	simple(w, "f", "1.0", deep, "long");
	simple(w, "g", "1.0", "ns/x.py/z.py", "three");
	assert_int_equal(preview(w, &err), WP_E_PATH); /* integrity first */
	assert_non_null(strstr(err.where, "f-1.0"));
	assert_non_null(strstr(err.state, "7 refusals in all; nothing was changed"));
	assert_int_equal(wp_findings_errors(&seen.findings), 7);
	assert_int_equal(times(&seen.findings, "WP_E_WRONG_TARGET"), 2);
	assert_int_equal(times(&seen.findings, "WP_E_REQUIRES_PYTHON"), 2);
	assert_int_equal(times(&seen.findings, "WP_E_COLLISION"), 2);
	assert_string_equal(refusal(&seen.findings, "a-1.0")->code, "WP_E_WRONG_TARGET");
	assert_string_equal(seen.findings.v[0].code, "WP_E_WRONG_TARGET"); /* in the order of the wheels */
	assert_non_null(strstr(refusal(&seen.findings, "e-1.0")->why, "ns/x.py"));
	assert_int_equal(install(w, &again), WP_E_PATH);
	assert_int_equal(wp_findings_errors(&w->out.findings), 7);
}

static void wheels_that_cannot_be_read_are_all_told(void **state)
{
	world *w = *state;
	wp_error err = {0};

	tagged(w, "a", "cp39-cp39-win_amd64", NULL);
	simple(w, "b", "1.0", "b.py", "x");
	simple(w, "c", "1.0", "c.py", "x");
	simple(w, "d", "1.0", "../d.py", "x");
	tmp_write(os_join(w->a, w->store, w->names.v[1]), WP_LIT("no zip"));
	assert_ok(os_unlink(os_join(w->a, w->store, w->names.v[2]), &err));
	assert_int_equal(preview(w, &err), WP_E_ZIP);
	assert_int_equal(wp_findings_errors(&seen.findings), 4);
	assert_string_equal(refusal(&seen.findings, "a-1.0")->code, "WP_E_WRONG_TARGET");
	assert_string_equal(refusal(&seen.findings, "c-1.0")->code, "WP_E_NOT_FOUND");
	assert_string_equal(refusal(&seen.findings, "d-1.0")->code, "WP_E_PATH");
	assert_non_null(strstr(refusal(&seen.findings, "d-1.0")->next, "do not install this wheel"));
}

static void all_that_is_in_the_way_is_told(void **state)
{
	world *w = *state;
	wp_error err = {0};

	assert_ok(install(w, &err));
	tmp_write(in_venv(w, SITE "/a.py"), WP_LIT("other"));
	tmp_write(in_venv(w, SITE "/b.py"), WP_LIT("other"));
	tmp_write(in_venv(w, SITE "/ns"), WP_LIT("a file"));
	simple(w, "a", "1.0", "a.py", "x");
	simple(w, "b", "1.0", "b.py", "x");
	simple(w, "c", "1.0", "ns/c.py", "x");
	assert_int_equal(preview(w, &err), WP_E_COLLISION);
	assert_int_equal(times(&seen.findings, "WP_E_COLLISION"), 3);
	assert_non_null(strstr(refusal(&seen.findings, "b-1.0")->why, "b.py"));
}

static void every_need_of_the_real_interpreter_is_told(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *asked[] = {"app"};

	tagged(w, "app", "py3-none-any", "Requires-Dist: one; python_full_version == '3.12.7'\n"
		"Requires-Dist: two; python_full_version == '3.12.7'\nRequires-Dist: lib; python_full_version == '3.12.0'\n");
	simple(w, "lib", "1.0", "lib.py", "x");
	w->lock.requirements = asked;
	w->lock.nrequirements = 1;
	assert_int_equal(preview(w, &err), WP_E_WRONG_TARGET);
	assert_int_equal(times(&seen.findings, "WP_E_WRONG_TARGET"), 3);
}

static void one_refusal_is_one_finding(void **state)
{
	world *w = *state;
	wp_error err = {0};

	tagged(w, "a", "cp39-cp39-win_amd64", NULL);
	assert_int_equal(preview(w, &err), WP_E_WRONG_TARGET);
	assert_int_equal(wp_findings_errors(&seen.findings), 1);
	assert_string_equal(err.state, wp_sprintf(w->a, "nothing was changed in '%s'", w->venv));
}

static void what_is_no_venv_is_refused_before_anything_else(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "a", "1.0", "a.py", "x");
	assert_ok(os_mkdir(w->venv, &err));
	tmp_write(in_venv(w, "file"), WP_LIT("x"));
	w->in.lock = &w->lock;
	assert_int_equal(wp_install_preview(&w->ctx, &w->in, &seen, &err), WP_E_VENV);
	assert_non_null(strstr(err.where, w->venv));
}

static void a_place_that_may_not_be_written_to_is_told(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "a", "1.0", "a.py", "x");
	assert_int_equal(chmod(w->home, 0555), 0);
	if (os_may_write(w->home)) {
		print_message("skipped: this user may write anywhere\n");
		skip();
	}
	assert_int_equal(preview(w, &err), WP_E_PERMISSION);
	assert_non_null(strstr(err.why, w->home));
	assert_int_equal(chmod(w->home, 0755), 0);
}

/* ---- addresses ------------------------------------------------------------------------------ */

static void a_wheel_asked_for_by_its_address_tells_it_and_one_of_an_index_not(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "a", "1.0", "a.py", "x");
	simple(w, "b", "1.0", "b.py", "x");
	simple(w, "c", "1.0", "c.py", "x");
	w->wheels.v[0].index = "direct1";
	w->wheels.v[2].index = "direct2";
	w->wheels.v[2].url = "file:///home/somebody/c-1.0-py3-none-any.whl"; /* of another PC */
	assert_ok(install(w, &err));
	is_text(w, SITE "/a-1.0.dist-info/direct_url.json",
		wp_sprintf(w->a, "{\"archive_info\": {\"hashes\": {\"sha256\": \"%s\"}}, \"url\": \"https://example.org/x.whl\"}",
			w->wheels.v[0].sha256));
	assert_false(os_is_file(in_venv(w, SITE "/b-1.0.dist-info/direct_url.json")));
	assert_false(os_is_file(in_venv(w, SITE "/c-1.0.dist-info/direct_url.json")));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_plan_of_a_new_venv_is_what_the_install_does),
		T(an_existing_venv_stays_as_it_is),
		T(what_makes_way_is_told_and_stays),
		T(the_plan_tells_what_the_install_would_note),
		T(all_that_stands_against_it_is_told_at_once),
		T(wheels_that_cannot_be_read_are_all_told),
		T(all_that_is_in_the_way_is_told),
		T(every_need_of_the_real_interpreter_is_told),
		T(one_refusal_is_one_finding),
		T(what_is_no_venv_is_refused_before_anything_else),
		T(a_place_that_may_not_be_written_to_is_told),
		T(a_wheel_asked_for_by_its_address_tells_it_and_one_of_an_index_not),
	};

	return cmocka_run_group_tests_name("preview", tests, NULL, NULL);
}

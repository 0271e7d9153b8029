/* SPDX-License-Identifier: MIT */
#include "unit/install_world.h"

static const mw_member pip_members[] = {{.name = "pip/__init__.py", .data = "x\n"}};

/* A wheel of pip that lies where the interpreter says. */
static const char *bundled(world *w, const char *version)
{
	mw_wheel v = {.project = "pip", .version = version, .members = pip_members, .n = 1,
		.entry_points = "[console_scripts]\npip = pip:main\n"};
	const char *dir = at(w, "py/bundled");
	wp_error err = {0};

	assert_ok(os_mkdirs(dir, &err));
	return os_join(w->a, dir, mw_write(w->a, dir, &v).filename);
}

/* The interpreter says that it brings these. */
static void brings(world *w, const char *wheels)
{
	const char *text, *bits;

	fake_python(w, w->python, "cp312", "3.12.7");
	text = tmp_read(w->a, w->python).p;
	bits = strstr(text, "\"bits\"");
	tmp_script(w->python, wp_str_of(wp_sprintf(w->a, "%.*s\"wheels\": [%s], %s", (int)(bits - text), text, wheels, bits)));
	w->in.with_pip = true;
}

static void simple_world(world *w)
{
	simple(w, "one", "1.0", "one.py", "1");
	brings(w, wp_sprintf(w->a, "\"%s\", \"%s\", \"/no/other-1.0-py3-none-any.whl\", \"pip-99-py3-none-any.whl\"",
		bundled(w, "9.0"), bundled(w, "23.0.1")));
}

static const wp_lock_wheel *locked(world *w, const char *project)
{
	wp_lock_doc d;
	size_t i;

	assert_true(wp_venv_lock(&w->ctx, w->venv, &d));
	for (i = 0; i < d.nwheels; i++)
		if (wp_streq(d.wheels[i].project, project))
			return &d.wheels[i];
	return NULL;
}

static void is_as_installed(world *w)
{
	wp_error err = {0};
	wp_drift d;

	assert_ok(wp_venv_check(&w->ctx, w->venv, NULL, &d, &err));
	assert_int_equal(d.findings.n, 0);
}

static void a_new_venv_gets_the_newest_that_python_brings(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_preview p;

	simple_world(w);
	settle(w);
	assert_ok(wp_install_preview(&w->ctx, &w->in, &p, &err));
	assert_int_equal(p.n, 2);
	assert_string_equal(p.v[1].filename, "pip-23.0.1-py3-none-any.whl");
	assert_ok(install(w, &err));
	assert_int_equal(w->out.distributions, 2);
	is_text(w, SITE "/pip-23.0.1.dist-info/INSTALLER", "wheelpack\n");
	is_text(w, SITE "/pip-23.0.1.dist-info/REQUESTED", "");
	assert_true(wp_starts(tmp_read(w->a, in_venv(w, "bin/pip")).p, wp_sprintf(w->a, "#!%s/bin/python\n", w->venv)));
	assert_string_equal(locked(w, "pip")->version, "23.0.1");
	assert_true(locked(w, "pip")->requested);
	is_as_installed(w);
}

static void the_pip_of_the_lock_wins(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple_world(w);
	simple(w, "pip", "24.0", "pip.py", "24");
	assert_ok(install(w, &err));
	assert_non_null(finding(w, "N561"));
	assert_int_equal(w->out.distributions, 2);
	assert_true(os_is_file(in_venv(w, SITE "/pip-24.0.dist-info/METADATA")));
	is_as_installed(w);
}

static void a_venv_that_has_pip_keeps_it(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple_world(w);
	assert_ok(install(w, &err));
	simple(w, "two", "1.0", "two.py", "2");
	brings(w, wp_sprintf(w->a, "\"%s\"", bundled(w, "99.0")));
	assert_ok(install(w, &err));
	assert_string_equal(finding(w, "N562")->why, "pip 23.0.1");
	assert_string_equal(locked(w, "pip")->version, "23.0.1");
	assert_non_null(locked(w, "two"));
	is_as_installed(w);
}

static void a_venv_that_has_none_gets_it(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple_world(w);
	w->in.with_pip = false;
	assert_ok(install(w, &err));
	assert_null(locked(w, "pip"));
	w->in.with_pip = true;
	assert_ok(install(w, &err));
	assert_int_equal(w->out.distributions, 1);
	assert_int_equal(w->out.kept, 1);
	is_as_installed(w);
}

static void no_pip_there_is_a_refusal_among_the_others(void **state)
{
	world *w = *state;
	mw_member m = {.name = "two.py", .data = "2"};
	mw_wheel v = {.project = "two", .version = "1.0", .members = &m, .n = 1, .headers = "Requires-Python: >=4\n"};
	wp_error err = {0};

	simple(w, "one", "1.0", "one.py", "1");
	brings(w, "");
	refused(w, WP_E_NO_INTERPRETER, "brings no pip");
	add(w, &v);
	assert_int_equal(install(w, &err), WP_E_REQUIRES_PYTHON);
	assert_non_null(strstr(err.state, "2 refusals in all"));
	assert_false(os_is_dir(w->venv));
}

static void a_pip_that_cannot_be_installed_is_a_refusal(void **state)
{
	world *w = *state;

	simple(w, "one", "1.0", "one.py", "1");
	tmp_write(at(w, "py/pip-1.0-py3-none-any.whl"), WP_LIT("no zip"));
	brings(w, wp_sprintf(w->a, "\"%s\"", at(w, "py/pip-1.0-py3-none-any.whl")));
	refused(w, WP_E_ZIP, "pip-1.0-py3-none-any.whl");
}

static void wheels_without_a_bundle_get_it_too(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m[] = {{.name = "one.py", .data = "1"}};
	const mw_wheel one = {.project = "one", .version = "1.0", .members = m, .n = 1, .headers = "Requires-Dist: pip\n"};
	const char *path = os_join(w->a, w->store, mw_write(w->a, w->store, &one).filename);
	wp_loose_request q = {.paths = &path, .n = 1, .venv = w->venv, .python = w->python, .with_pip = true};
	wp_install_request in = {.venv = w->venv, .python = w->python, .no_sync = true, .with_pip = true};
	wp_loose l;

	brings(w, wp_sprintf(w->a, "\"%s\"", bundled(w, "23.0.1")));
	assert_ok(wp_loose_make(&w->ctx, &q, &l, &err));
	assert_int_equal(l.findings.n, 0);
	in.lock = &l.lock;
	in.loose = &l;
	in.wheels = l.wheels;
	assert_ok(wp_install(&w->ctx, &in, &w->out, &err));
	assert_string_equal(locked(w, "pip")->version, "23.0.1");
	is_as_installed(w);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_new_venv_gets_the_newest_that_python_brings),
		T(the_pip_of_the_lock_wins),
		T(a_venv_that_has_pip_keeps_it),
		T(a_venv_that_has_none_gets_it),
		T(no_pip_there_is_a_refusal_among_the_others),
		T(a_pip_that_cannot_be_installed_is_a_refusal),
		T(wheels_without_a_bundle_get_it_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

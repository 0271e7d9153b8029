/* SPDX-License-Identifier: MIT */
#include "unit/place.h"
#include "wheelpack/install.h"

#ifndef _WIN32
static const char *script(place *w, const char *path, const char *text)
{
	wp_error err = {0};
	const char *full = os_join(w->a, w->dir, path);

	assert_ok(os_mkdirs(os_dirname(w->a, full), &err));
	tmp_script(full, wp_str_of(wp_sprintf(w->a, "#!/bin/sh\n%s\n", text)));
	return full;
}

#define ROOT ""
#define SEPARATOR ":"
#define EXE ""
#define PYENV ".pyenv/versions/%s/bin/python3.12"

static const char *program(place *w, const char *path, const char *text)
{
	return script(w, path, wp_sprintf(w->a, "cat <<'END'\n%s\nEND", text));
}
#else
#define ROOT "C:"
#define SEPARATOR ";"
#define EXE ".exe"
#define PYENV ".pyenv/pyenv-win/versions/%s/python"

/* A program that prints so: the fake python.exe with its answer beside it. */
static const char *program(place *w, const char *path, const char *text)
{
	wp_error err = {0};
	const char *full = wp_sprintf(w->a, "%s/%s" EXE, w->dir, path);

	assert_ok(os_mkdirs(os_dirname(w->a, full), &err));
	tmp_write(full, tmp_read(w->a, "build/launcher/python.exe"));
	tmp_write(wp_sprintf(w->a, "%s.answer", full), wp_str_of(text));
	return full;
}
#endif

/* What an interpreter of this tag and version prints. */
static const char *answer(place *w, const char *tag, const char *version)
{
	return wp_sprintf(w->a,
		"welcome\n"
		"{\"executable\": \"" ROOT "/opt/%s/bin/python3\", "
		"\"version\": \"%s\", \"soabi_tag\": \"%s\", "
		"\"platform_tag\": \"manylinux_2_36_x86_64\", \"bits\": 64, "
		"\"venv_site\": \"lib/python3.12/site-packages\", \"venv_bin\": \"bin\", \"new\": [1, {}], "
		"\"markers\": {\"os_name\": \"posix\", \"sys_platform\": \"linux\", "
		"\"platform_machine\": \"x86_64\", \"platform_python_implementation\": \"CPython\", "
		"\"platform_release\": \"6\", \"platform_system\": \"Linux\", \"platform_version\": \"#1\", "
		"\"python_version\": \"3.12\", \"python_full_version\": \"%s\", "
		"\"implementation_name\": \"cpython\", \"implementation_version\": \"%s\"}}",
		tag, version, tag, version, version);
}

static void every_fact_of_a_fake_is_read(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_interpreter p;
	const char *path = program(w, "python3", answer(w, "cp312", "3.12.7"));

	assert_ok(wp_interpreter_find(&w->ctx, path, NULL, NULL, &p, &err));
	assert_string_equal(p.path, path);
	assert_string_equal(p.executable, ROOT "/opt/cp312/bin/python3");
	assert_string_equal(p.soabi_tag, "cp312");
	assert_string_equal(p.venv_site, "lib/python3.12/site-packages");
	assert_string_equal(p.markers.python_full_version, "3.12.7");
	assert_int_equal(p.bits, 64);
}

#ifdef _WIN32
static void the_py_launcher_knows_more(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_interpreter p;
	const char *path = os_native(w->a, program(w, "far/python", answer(w, "cp312", "3.12.4")));

	program(w, "bin/py", wp_sprintf(w->a, " -V:3.12 *        %s\r\n", path));
	assert_ok(wp_interpreter_find(&w->ctx, "3.12", os_join(w->a, w->dir, "bin"), NULL, &p, &err));
	assert_string_equal(p.version, "3.12.4");
}
#else
static void the_real_python_answers(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_interpreter p;

	if (wp_interpreter_find(&w->ctx, NULL, getenv("PATH"), getenv("HOME"), &p, &err)) {
		print_message("skipped: no python3 here (%s)\n", err.why);
		skip();
	}
	assert_true(os_is_executable(p.executable));
	assert_true(wp_starts(p.soabi_tag, "cp3"));
	assert_true(wp_starts(p.venv_site, "lib/python3."));
	assert_string_equal(p.venv_bin, "bin");
	assert_string_equal(p.markers.sys_platform, "linux");
}

#endif

static void a_failing_shim_is_skipped(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_interpreter p;
	const char *path = wp_sprintf(w->a, "%s/shims" SEPARATOR "relative" SEPARATOR SEPARATOR "%s/bin", w->dir, w->dir);

	program(w, "shims/python3.12", "python3.12: command not found");
	program(w, "shims/python3", answer(w, "cp311", "3.11.2"));
	program(w, "bin/python3.12", answer(w, "cp312", "3.12.1"));
	assert_ok(wp_interpreter_find(&w->ctx, "3.12", path, NULL, &p, &err));
	assert_string_equal(p.path, os_join(w->a, w->dir, "bin/python3.12" EXE));
}

static void a_version_manager_below_home_is_found(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_interpreter p;

	program(w, wp_sprintf(w->a, PYENV, "3.12.1"), answer(w, "cp312", "3.12.1"));
	program(w, wp_sprintf(w->a, PYENV, "3.12.4"), answer(w, "cp312", "3.12.4"));
	assert_ok(wp_interpreter_find(&w->ctx, "cp312", "", w->dir, &p, &err));
	assert_string_equal(p.version, "3.12.4");
	assert_ok(wp_interpreter_find(&w->ctx, "3.12.1", "", w->dir, &p, &err));
	assert_string_equal(p.version, "3.12.1");
}

static void a_free_threaded_build_is_another_interpreter(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_interpreter p;
	const char *path = wp_sprintf(w->a, "%s/t" SEPARATOR "%s/n", w->dir, w->dir);

	program(w, "t/python9.13", answer(w, "cp913t", "9.13.0"));
	program(w, "n/python9.13", answer(w, "cp913", "9.13.1"));
	program(w, "n/python9.13t", answer(w, "cp913t", "9.13.2"));
	assert_ok(wp_interpreter_find(&w->ctx, "9.13", path, NULL, &p, &err));
	assert_string_equal(p.soabi_tag, "cp913");
	assert_ok(wp_interpreter_find(&w->ctx, "cp913t", path, NULL, &p, &err));
	assert_string_equal(p.version, "9.13.2");
}

#ifndef _WIN32
static void the_error_lists_what_was_tried(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_interpreter p;

	script(w, "python9.99", "echo 'pyenv: version is not installed' >&2; exit 127");
	program(w, "python3", answer(w, "cp311", "3.11.2"));
	assert_int_equal(wp_interpreter_find(&w->ctx, "9.99", w->dir, NULL, &p, &err),
		WP_E_NO_INTERPRETER);
	assert_non_null(strstr(err.why, "'9.99'"));
	assert_non_null(strstr(err.why, "python9.99 (exit 127: pyenv: version is not installed)"));
	assert_non_null(strstr(err.why, "python3 (is cp311, Python 3.11.2)"));
}

#endif

static void refused_as(place *w, const char *path, const char *why)
{
	wp_error err = {0};
	wp_interpreter p;

	assert_int_equal(wp_interpreter_find(&w->ctx, path, NULL, NULL, &p, &err),
		WP_E_NO_INTERPRETER);
	if (!strstr(err.why, why))
		fail_msg("'%s' does not say '%s'", err.why, why);
}

static void refused(place *w, const char *text, const char *why)
{
	refused_as(w, program(w, "bad/python", text), why);
}

#ifndef _WIN32
static void one_that_dies_is_refused(void **state)
{
	refused_as(*state, script(*state, "bad/python", "kill -9 $$"), "signal 9");
}
#endif

static const char *edited(place *w, const char *from, const char *to)
{
	const char *text = answer(w, "cp312", "3.12.1"), *at = strstr(text, from);

	assert_non_null(at);
	return wp_sprintf(w->a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void odd_answers_are_refused(void **state)
{
	place *w = *state;

	refused(w, "", "gives no answer");
	refused(w, "{\"executable\": 1", "python");
	refused(w, edited(w, "\"bits\": 64, ", "\"bits\": \"64\", "), "python");
	refused(w, edited(w, "\"version\": \"3.12.1\", ", ""), "does not tell its version");
	refused(w, edited(w, "\"os_name\": \"posix\", ", ""), "does not tell its os_name");
	refused(w, edited(w, "lib/python3.12/site", "../site"), "paths are not usable");
	refused(w, edited(w, "\"" ROOT "/opt/cp312/bin/python3\"", "\"python3\""), "paths are not usable");
}

static void a_missing_or_plain_file_is_refused(void **state)
{
	place *w = *state;
	wp_error err = {0}, err2 = {0};
	wp_interpreter p;
	const char *plain = os_join(w->a, w->dir, "plain");

	tmp_write(plain, WP_LIT("text"));
	assert_int_equal(wp_interpreter_find(&w->ctx, plain, NULL, NULL, &p, &err), WP_E_NO_INTERPRETER);
	assert_non_null(strstr(err.why, "not executable"));
	assert_int_equal(wp_interpreter_find(&w->ctx, "./no/such", NULL, NULL, &p, &err2),
		WP_E_NO_INTERPRETER);
	assert_non_null(strstr(err2.why, "there is no file"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(every_fact_of_a_fake_is_read),
#ifdef _WIN32
		T(the_py_launcher_knows_more),
#else
		T(the_real_python_answers),
		T(the_error_lists_what_was_tried),
		T(one_that_dies_is_refused),
#endif
		T(a_failing_shim_is_skipped),
		T(a_version_manager_below_home_is_found),
		T(a_free_threaded_build_is_another_interpreter),
		T(odd_answers_are_refused),
		T(a_missing_or_plain_file_is_refused),
	};

	return cmocka_run_group_tests_name("interpreter", tests, NULL, NULL);
}

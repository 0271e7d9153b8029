/* SPDX-License-Identifier: MIT */
#include "unit/tmp.h"
#include "wheelpack/install.h"

typedef struct world {
	wp_ctx ctx;
	wp_arena *a;
	const char *dir;
} world;

static int setup(void **state)
{
	world *w = calloc(1, sizeof *w);

	wp_ctx_init(&w->ctx, 2);
	w->a = w->ctx.arena;
	w->dir = tmp_make(w->a);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	tmp_remove(w->dir);
	wp_ctx_done(&w->ctx);
	free(w);
	return 0;
}

static const char *script(world *w, const char *path, const char *text)
{
	wp_error err = {0};
	const char *full = os_join(w->a, w->dir, path);

	assert_ok(os_mkdirs(os_dirname(w->a, full), &err));
	tmp_script(full, wp_str_of(wp_sprintf(w->a, "#!/bin/sh\n%s\n", text)));
	return full;
}

/* What an interpreter of this tag and version prints. */
static const char *answer(world *w, const char *tag, const char *version)
{
	return wp_sprintf(w->a,
		"cat <<'END'\nwelcome\n"
		"{\"executable\": \"/opt/%s/bin/python3\", "
		"\"version\": \"%s\", \"soabi_tag\": \"%s\", "
		"\"platform_tag\": \"manylinux_2_36_x86_64\", \"bits\": 64, "
		"\"venv_site\": \"lib/python3.12/site-packages\", \"venv_bin\": \"bin\", \"new\": [1, {}], "
		"\"markers\": {\"os_name\": \"posix\", \"sys_platform\": \"linux\", "
		"\"platform_machine\": \"x86_64\", \"platform_python_implementation\": \"CPython\", "
		"\"platform_release\": \"6\", \"platform_system\": \"Linux\", \"platform_version\": \"#1\", "
		"\"python_version\": \"3.12\", \"python_full_version\": \"%s\", "
		"\"implementation_name\": \"cpython\", \"implementation_version\": \"%s\"}}\nEND",
		tag, version, tag, version, version);
}

static void every_fact_of_a_fake_is_read(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_interpreter p;
	const char *path = script(w, "python3", answer(w, "cp312", "3.12.7"));

	assert_ok(wp_interpreter_find(&w->ctx, path, NULL, NULL, &p, &err));
	assert_string_equal(p.path, path);
	assert_string_equal(p.executable, "/opt/cp312/bin/python3");
	assert_string_equal(p.soabi_tag, "cp312");
	assert_string_equal(p.venv_site, "lib/python3.12/site-packages");
	assert_string_equal(p.markers.python_full_version, "3.12.7");
	assert_int_equal(p.bits, 64);
}

static void the_real_python_answers(void **state)
{
	world *w = *state;
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

static void a_failing_shim_is_skipped(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_interpreter p;
	const char *path = wp_sprintf(w->a, "%s/shims:relative::%s/bin", w->dir, w->dir);

	script(w, "shims/python3.12", "echo 'python3.12: command not found' >&2\nexit 127");
	script(w, "shims/python3", answer(w, "cp311", "3.11.2"));
	script(w, "bin/python3.12", answer(w, "cp312", "3.12.1"));
	assert_ok(wp_interpreter_find(&w->ctx, "3.12", path, NULL, &p, &err));
	assert_string_equal(p.path, os_join(w->a, w->dir, "bin/python3.12"));
}

static void a_version_manager_below_home_is_found(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_interpreter p;

	script(w, ".pyenv/versions/3.12.1/bin/python3.12", answer(w, "cp312", "3.12.1"));
	script(w, ".pyenv/versions/3.12.4/bin/python3.12", answer(w, "cp312", "3.12.4"));
	assert_ok(wp_interpreter_find(&w->ctx, "cp312", "", w->dir, &p, &err));
	assert_string_equal(p.version, "3.12.4");
	assert_ok(wp_interpreter_find(&w->ctx, "3.12.1", "", w->dir, &p, &err));
	assert_string_equal(p.version, "3.12.1");
}

static void a_free_threaded_build_is_another_interpreter(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_interpreter p;
	const char *path = wp_sprintf(w->a, "%s/t:%s/n", w->dir, w->dir);

	script(w, "t/python9.13", answer(w, "cp913t", "9.13.0"));
	script(w, "n/python9.13", answer(w, "cp913", "9.13.1"));
	script(w, "n/python9.13t", answer(w, "cp913t", "9.13.2"));
	assert_ok(wp_interpreter_find(&w->ctx, "9.13", path, NULL, &p, &err));
	assert_string_equal(p.soabi_tag, "cp913");
	assert_ok(wp_interpreter_find(&w->ctx, "cp913t", path, NULL, &p, &err));
	assert_string_equal(p.version, "9.13.2");
}

static void the_error_lists_what_was_tried(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_interpreter p;

	script(w, "python9.99", "echo 'pyenv: version is not installed' >&2; exit 127");
	script(w, "python3", answer(w, "cp311", "3.11.2"));
	assert_int_equal(wp_interpreter_find(&w->ctx, "9.99", w->dir, NULL, &p, &err),
		WP_E_NO_INTERPRETER);
	assert_non_null(strstr(err.why, "'9.99'"));
	assert_non_null(strstr(err.why, "python9.99 (exit 127: pyenv: version is not installed)"));
	assert_non_null(strstr(err.why, "python3 (is cp311, Python 3.11.2)"));
}

static void refused(world *w, const char *text, const char *why)
{
	wp_error err = {0};
	wp_interpreter p;
	const char *path = script(w, "bad/python", text);

	assert_int_equal(wp_interpreter_find(&w->ctx, path, NULL, NULL, &p, &err),
		WP_E_NO_INTERPRETER);
	if (!strstr(err.why, why))
		fail_msg("'%s' does not say '%s'", err.why, why);
}

static const char *edited(world *w, const char *from, const char *to)
{
	const char *text = answer(w, "cp312", "3.12.1"), *at = strstr(text, from);

	assert_non_null(at);
	return wp_sprintf(w->a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void odd_answers_are_refused(void **state)
{
	world *w = *state;

	refused(w, "true", "gives no answer");
	refused(w, "kill -9 $$", "signal 9");
	refused(w, "echo '{\"executable\": 1'", "python");
	refused(w, edited(w, "\"bits\": 64, ", "\"bits\": \"64\", "), "python");
	refused(w, edited(w, "\"version\": \"3.12.1\", ", ""), "does not tell its version");
	refused(w, edited(w, "\"os_name\": \"posix\", ", ""), "does not tell its os_name");
	refused(w, edited(w, "lib/python3.12/site", "../site"), "paths are not usable");
	refused(w, edited(w, "\"/opt/cp312/bin/python3\"", "\"python3\""), "paths are not usable");
}

static void a_missing_or_plain_file_is_refused(void **state)
{
	world *w = *state;
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
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_fact_of_a_fake_is_read),
		T(the_real_python_answers),
		T(a_failing_shim_is_skipped),
		T(a_version_manager_below_home_is_found),
		T(a_free_threaded_build_is_another_interpreter),
		T(the_error_lists_what_was_tried),
		T(odd_answers_are_refused),
		T(a_missing_or_plain_file_is_refused),
	};

	return cmocka_run_group_tests_name("interpreter", tests, NULL, NULL);
}

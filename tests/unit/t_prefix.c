/* SPDX-License-Identifier: MIT */
#include "install/parts.h"
#include "unit/place.h"

/* An empty file below the test's directory; a directory where the name ends in a slash. */
static void put(place *w, const char *path)
{
	wp_error err = {0};

	if (wp_ends(path, "/"))
		assert_ok(os_mkdirs(wp_str_dup(w->a, wp_str_sub(wp_str_of(at(w, path)), 0, strlen(at(w, path)) - 1)), &err));
	else
		put_file(w, path, "");
}

/* What is said of the directory, and advised. */
static void says(place *w, const char *dir, wp_prefix_kind kind, const char *why, const char *next)
{
	wp_error err = {0};

	dir = at(w, dir);
	assert_int_equal(wp_prefix_look(w->a, dir).kind, kind);
	assert_int_equal(wp_prefix_refuse(w->a, dir, &err), WP_E_VENV);
	if (!strstr(err.why, why) || !strstr(err.next, next))
		fail_msg("'%s' is not in '%s', or '%s' not in '%s'", why, err.why, next, err.next);
}

static void a_conda_environment_is_one_whatever_else_it_has(void **state)
{
	place *w = *state;

	put(w, "c/conda-meta/history");
	says(w, "c", WP_PREFIX_CONDA, "it is a conda environment", "choose a new directory");
	put(w, "c/bin/python3");
	put(w, "c/lib/python3.12/os.py");
	says(w, "c", WP_PREFIX_CONDA, "it is a conda environment",
		wp_sprintf(w->a, "wheelpack install BUNDLE --venv NEW --python \"%s/c/bin/python3\"; or install into it with "
			"--allow-conda", w->dir));
	assert_false(wp_prefix_let_in(w->a, at(w, "c")));
	put(w, "c/.wheelpack/receipt.json");
	assert_true(wp_prefix_let_in(w->a, at(w, "c")));
	put(w, "c/lib/python3.12/EXTERNALLY-MANAGED");
	says(w, "c", WP_PREFIX_PYTHON, "a conda environment that is marked as managed otherwise", "/c/bin/python3\"");
}

static void an_installation_of_python_is_told(void **state)
{
	place *w = *state;

	put(w, "p/bin/python3");
	put(w, "p/lib/python3.12/");
	says(w, "p", WP_PREFIX_OTHER, "no pyvenv.cfg", "");
	put(w, "p/lib/python3.12/os.py");
	says(w, "p", WP_PREFIX_PYTHON, "it is a Python installation, and no venv", "p/bin/python3\"");
	put(w, "p/lib/python3.12/EXTERNALLY-MANAGED");
	says(w, "p", WP_PREFIX_PYTHON, "manages (PEP 668)", "p/bin/python3\"");
	put(w, "fedora/bin/python3");
	put(w, "fedora/lib/python3.12/site-packages/");
	put(w, "fedora/lib64/python3.12/os.py");
	says(w, "fedora", WP_PREFIX_PYTHON, "it is a Python installation", "");
	put(w, "windows/python.exe");
	put(w, "windows/Lib/os.py");
	says(w, "windows", WP_PREFIX_PYTHON, "it is a Python installation", "windows/python.exe\"");
	put(w, "windows/Lib/EXTERNALLY-MANAGED");
	says(w, "windows", WP_PREFIX_PYTHON, "(PEP 668)", "");
}

static void a_part_of_a_venv_and_a_venv_that_lost_its_file_are_told(void **state)
{
	place *w = *state;

	put(w, "env/pyvenv.cfg");
	put(w, "env/lib/python3.12/site-packages/x.py");
	says(w, "env/lib/python3.12/site-packages", WP_PREFIX_INSIDE, "it is a directory of the venv",
		wp_sprintf(w->a, "--venv \"%s/env\"", w->dir));
	put(w, "lost/bin/activate");
	says(w, "lost", WP_PREFIX_LOST, "the scripts of a venv, and no pyvenv.cfg", "-m venv --without-pip \"");
	put(w, "lost2/Scripts/activate.bat");
	says(w, "lost2", WP_PREFIX_LOST, "the scripts of a venv", "");
	put(w, "full/x");
	says(w, "full", WP_PREFIX_OTHER, "the directory is not empty and has no pyvenv.cfg", "");
}

static void no_python(place *w, const char *why, const char *more)
{
	const char *venv = at(w, "v");
	wp_error err = {0};

	assert_int_equal(wp_venv_no_python(w->a, venv, os_join(w->a, venv, "bin/python"), "exit 1", &err), WP_E_VENV);
	if (!strstr(err.why, why) || !strstr(err.why, more) || !strstr(err.where, "v/bin/python"))
		fail_msg("'%s' or '%s' is not in '%s'", why, more, err.why);
}

static void why_a_python_does_not_start_is_looked_for(void **state)
{
	place *w = *state;
	wp_error err = {0};

	put(w, "v/bin/");
	no_python(w, "there is no such file", "");
	put(w, "v/bin/python");
	no_python(w, "exit 1", "");
	put_file(w, "v/pyvenv.cfg", wp_sprintf(w->a, "home = %s/gone\n", w->dir));
	no_python(w, "exit 1; the Python that the venv was made of is gone: there is no '", "/gone'");
	put_file(w, "v/pyvenv.cfg", wp_sprintf(w->a, "home = %s\n", w->dir));
	no_python(w, "exit 1", "");
	if (os_is_windows())
		return;
	assert_ok(os_unlink(at(w, "v/bin/python"), &err));
	assert_ok(os_symlink("python3", at(w, "v/bin/python"), &err));
	assert_ok(os_symlink("/nowhere/python3.12", at(w, "v/bin/python3"), &err));
	no_python(w, "it leads to '/nowhere/python3.12', which is not there", "is gone");
	assert_ok(os_unlink(at(w, "v/bin/python3"), &err));
	assert_ok(os_symlink("python", at(w, "v/bin/python3"), &err));
	no_python(w, "exit 1", ""); /* in a circle */
}

static int judged(place *w, const char *config, const char *version, const char *os, wp_error *e)
{
	wp_interpreter p = {.executable = "/usr/bin/python3", .version = "3.12.1", .markers = {.python_version = version,
		.os_name = os}};

	*e = (wp_error){0};
	put_file(w, "v/pyvenv.cfg", config);
	return wp_venv_check_version(w->a, at(w, "v"), &p, e);
}

static void a_venv_is_for_the_version_that_it_was_made_for(void **state)
{
	place *w = *state;
	wp_error err;

	put(w, "v/lib/python3.9/site-packages/");
	put(w, "v/Lib/site-packages/");
	assert_ok(judged(w, "version = 3.12.4\n", "3.12", "posix", &err));
	assert_ok(judged(w, "home = /usr/bin\n", "3.12", "posix", &err));
	assert_ok(judged(w, "version = 3.8.4\n", "3.12", "posix", &err)); /* nothing in it is for that one */
	assert_int_equal(judged(w, "version = 3.9.4\n", "3.12", "posix", &err), WP_E_VENV);
	assert_non_null(strstr(err.why, "made for Python 3.9, as pyvenv.cfg has it, and its python is 3.12.1 now"));
	assert_non_null(strstr(err.next, "-m venv --upgrade"));
	assert_int_equal(judged(w, "version_info = 3.9.4.final.0\n", "3.12", "nt", &err), WP_E_VENV);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_conda_environment_is_one_whatever_else_it_has),
		T(an_installation_of_python_is_told),
		T(a_part_of_a_venv_and_a_venv_that_lost_its_file_are_told),
		T(why_a_python_does_not_start_is_looked_for),
		T(a_venv_is_for_the_version_that_it_was_made_for),
	};

	return cmocka_run_group_tests_name("prefix", tests, NULL, NULL);
}

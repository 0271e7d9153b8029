/* SPDX-License-Identifier: MIT */
#include "install/parts.h"
#include "unit/place.h"

static wp_interpreter base; /* of the test that runs */
static bool real;	    /* there is one */

static int with_python(void **state)
{
	int rc = set_up(state);
	place *w = *state;
	wp_error err = {0};

	real = !wp_interpreter_find(&w->ctx, NULL, getenv("PATH"), getenv("HOME"), &base, &err);
	return rc;
}

static void need_python(void)
{
	if (real)
		return;
	print_message("skipped: no python3 here\n");
	skip();
}

/* Output of a program, its success asserted. */
static wp_str run(place *w, const char *const *argv)
{
	static const char *const unset[] = {"PYTHON", "VIRTUAL_ENV", NULL};
	static const char *const set[] = {"PYTHONHOME=/old/home", "PS1=old ", NULL};
	os_run_request r = {.argv = argv, .cwd = w->dir, .unset_prefix = unset, .set_env = set};
	os_run_result out;
	wp_error err = {0};

	if (strstr(argv[0], "python"))
		r.set_env = NULL;
	assert_ok(os_run(w->a, &r, &out, &err));
	if (out.exit_code)
		fail_msg("exit %d: %s", out.exit_code, out.err.p);
	return out.out;
}

static const char *make(place *w, const char *name)
{
	const char *venv = os_join(w->a, w->dir, name);
	wp_error err = {0};

	assert_ok(wp_venv_create(w->a, venv, venv, &base, &(wp_launchers){{0}}, &err));
	return venv;
}

static void python_takes_it_for_a_venv(void **state)
{
	place *w = *state;
	const char *venv, *lines;

	need_python();
	venv = make(w, "env");
	lines = run(w, (const char *const[]){os_join(w->a, venv, "bin/python"), "-c",
		"import sys, sysconfig\n"
		"print(sys.prefix)\nprint(sysconfig.get_path('purelib'))\n"
		"print(sysconfig.get_path('scripts'))", NULL}).p;
	assert_string_equal(lines, wp_sprintf(w->a, "%s\n%s/%s\n%s/bin\n", venv, venv,
		base.venv_site, venv));
}

static void the_configuration_has_the_usual_keys(void **state)
{
	place *w = *state;
	const char *venv, *text;

	need_python();
	venv = make(w, "env");
	text = tmp_read(w->a, os_join(w->a, venv, "pyvenv.cfg")).p;
	assert_true(wp_starts(text, wp_sprintf(w->a, "home = %s\n",
		os_dirname(w->a, base.executable))));
	assert_non_null(strstr(text, "\ninclude-system-site-packages = false\n"));
	assert_non_null(strstr(text, wp_sprintf(w->a, "\nversion = %s\n", base.version)));
	assert_non_null(strstr(text, "\nexecutable = /"));
	assert_non_null(strstr(text, "\ncommand = /"));
	assert_true(os_is_dir(os_join(w->a, venv, "include")));
	assert_true(tmp_same_file(os_join(w->a, venv, "lib"), os_join(w->a, venv, "lib64")));
}

static void each_usual_name_starts_python(void **state)
{
	place *w = *state;
	const char *names[] = {"python", "python3", NULL}, *venv;
	size_t i;

	need_python();
	venv = make(w, "env");
	names[2] = wp_sprintf(w->a, "python%s", base.markers.python_version);
	for (i = 0; i < 3; i++)
		assert_true(os_is_executable(wp_sprintf(w->a, "%s/bin/%s", venv, names[i])));
}

/* Enter and leave in a shell; the path has all that quoting must hold. */
static void sh_enters_and_leaves(void **state)
{
	place *w = *state;
	const char *venv, *text;
	wp_str out;

	need_python();
	venv = make(w, "it's a $HOME \"env\" \\ !x");
	text = "before=$PATH\n. \"$1/bin/activate\"\n"
	       "[ \"$VIRTUAL_ENV\" = \"$1\" ] || echo wrong VIRTUAL_ENV\n"
	       "[ \"$PATH\" = \"$1/bin:$before\" ] || echo wrong PATH\n"
	       "[ \"$VIRTUAL_ENV_PROMPT\" = \"${1##*/}\" ] || echo wrong name\n"
	       "[ -z \"${PYTHONHOME+set}\" ] || echo PYTHONHOME is set\n"
	       "[ \"$PS1\" = \"(${1##*/}) old \" ] || echo \"wrong PS1 $PS1\"\n"
	       ". \"$1/bin/activate\"\n"
	       "deactivate\n"
	       "[ \"$PATH\" = \"$before\" ] || echo PATH not restored\n"
	       "[ \"$PYTHONHOME\" = /old/home ] || echo PYTHONHOME not restored\n"
	       "[ \"$PS1\" = \"old \" ] || echo PS1 not restored\n"
	       "[ -z \"${VIRTUAL_ENV+set}\" ] || echo VIRTUAL_ENV stays\n"
	       "type deactivate 2>/dev/null | grep -q function && echo deactivate stays\n"
	       "echo done\n";
	out = run(w, (const char *const[]){"/bin/sh", "-eu", "-c",
		wp_sprintf(w->a, "set +e\n%s", text), "sh", venv, NULL});
	assert_string_equal(out.p, "done\n");
}

static void other_shells_enter_and_leave(void **state)
{
	static const struct {
		const char *shell, *flag, *file, *text;
	} t[] = {
		{"/usr/bin/fish", "--no-config", "t.fish",
			"set before (string join : $PATH)\n"
			"source $VENV_UNDER_TEST/bin/activate.fish\n"
			"test $VIRTUAL_ENV = $VENV_UNDER_TEST; or echo wrong VIRTUAL_ENV\n"
			"test $PATH[1] = $VENV_UNDER_TEST/bin; or echo wrong PATH\n"
			"deactivate\n"
			"test (string join : $PATH) = $before; or echo wrong PATH after\n"
			"set -q VIRTUAL_ENV; and echo wrong, still set\n"
			"echo done\n"},
		{"/bin/tcsh", "-f", "t.csh",
			"set before=\"$PATH\"\n"
			"source \"$VENV_UNDER_TEST/bin/activate.csh\"\n"
			"if (\"$VIRTUAL_ENV\" != \"$VENV_UNDER_TEST\") echo wrong VIRTUAL_ENV\n"
			"if (\"$PATH\" != \"$VENV_UNDER_TEST/bin:$before\") echo wrong PATH\n"
			"deactivate\n"
			"if (\"$PATH\" != \"$before\") echo wrong PATH after\n"
			"if ($?VIRTUAL_ENV) echo wrong, still set\n"
			"echo done\n"},
		{"/usr/bin/pwsh", "-File", "t.ps1",
			". $Env:VENV_UNDER_TEST/bin/Activate.ps1\n"
			"if ($Env:VIRTUAL_ENV -ne $Env:VENV_UNDER_TEST) { 'wrong VIRTUAL_ENV' }\n"
			"deactivate\n"
			"if ($Env:VIRTUAL_ENV) { 'wrong, still set' }\n"
			"'done'\n"},
	};
	place *w = *state;
	const char *venv;
	size_t i, tried = 0;

	need_python();
	venv = make(w, "it's \\ env");
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		const char *file = os_join(w->a, w->dir, t[i].file);
		const char *argv[] = {t[i].shell, t[i].flag, file, NULL};
		const char *set[] = {wp_sprintf(w->a, "VENV_UNDER_TEST=%s", venv), NULL};
		os_run_request r = {.argv = argv, .set_env = set};
		os_run_result out;
		wp_error err = {0};

		if (!os_is_executable(t[i].shell))
			continue;
		tried++;
		tmp_write(file, wp_str_of(t[i].text));
		assert_ok(os_run(w->a, &r, &out, &err));
		if (strstr(out.out.p, "wrong") || !wp_str_ends(wp_str_trim(out.out), "done"))
			fail_msg("%s: %s %s", t[i].shell, out.out.p, out.err.p);
	}
	if (!tried) {
		print_message("skipped: no fish, tcsh or pwsh here\n");
		skip();
	}
}

static void a_venv_is_a_tree(void **state)
{
	place *w = *state;
	const wp_tree_entry *v;
	wp_error err = {0};
	wp_blob blob;
	wp_tree t;
	const char *venv, *site;
	char text[5];
	size_t i, n;
	bool found = false;

	need_python();
	venv = make(w, "env");
	site = os_join(w->a, venv, base.venv_site);
	tmp_write(os_join(w->a, site, "mod.py"), WP_LIT("pass\n"));
	assert_ok(os_symlink("mod.py", os_join(w->a, site, "link.py"), &err));
	assert_ok(os_mkdirs(os_join(w->a, venv, ".wheelpack"), &err));
	tmp_write(os_join(w->a, venv, ".wheelpack/receipt.json"), WP_LIT("{}"));
	assert_ok(wp_venv_tree(&w->ctx, venv, &t, &err));
	assert_ok(t.list(t.self, &v, &n, &err));
	for (i = 0; i < n; i++) {
		assert_null(strstr(v[i].path, "receipt"));
		assert_string_not_equal(v[i].path, "@scripts/python");
		found |= strcmp(v[i].path, "@scripts/activate") == 0;
	}
	assert_true(found);
	assert_ok(t.open(t.self, "link.py", &blob, &err));
	assert_int_equal(blob.size, 5);
	assert_ok(blob.read_at(blob.self, text, 5, 0, &err));
	assert_memory_equal(text, "pass\n", 5);
	blob.close(blob.self);
	assert_ok(t.open(t.self, "@data/pyvenv.cfg", &blob, &err));
	blob.close(blob.self);
	assert_int_equal(t.open(t.self, "@data/../env/pyvenv.cfg", &blob, &err), WP_E_NOT_FOUND);
	wp_venv_tree_close(&t);
}

/* A venv that was moved to another Python has both libraries. */
static void the_library_is_that_of_its_python(void **state)
{
	static const struct {
		const char *config, *site;
	} cases[] = {{"home = /usr/bin\nversion = 3.12.1\n", "lib/python3.12/site-packages"},
		{"version_info = 3.9.1.final.0\n", "lib/python3.9/site-packages"},
		{"version_info=3.13.0\n", "lib/python3.13t/site-packages"},
		{"version = 3.8.1\n", "lib/python3.11/site-packages"}, {"version = ../..\n", "lib/python3.11/site-packages"},
		{"version = 3\nversion\n", "lib/python3.11/site-packages"}, {"", "lib/python3.11/site-packages"}};
	static const char *const names[] = {"python3.9", "python3.11", "python3.12", "python3.13t"};
	place *w = *state;
	const char *venv = os_join(w->a, w->dir, "two");
	wp_venv_place at;
	size_t i;

	for (i = 0; i < 4; i++) {
		wp_error err = {0};

		assert_ok(os_mkdirs(wp_sprintf(w->a, "%s/lib/%s/site-packages", venv, names[i]), &err));
	}
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		wp_error err = {0};

		tmp_write(os_join(w->a, venv, "pyvenv.cfg"), wp_str_of(cases[i].config));
		assert_ok(wp_venv_find(w->a, venv, &at, &err));
		assert_string_equal(at.site, cases[i].site);
	}
}

static void what_is_no_venv_is_no_tree(void **state)
{
	place *w = *state;
	wp_error err = {0}, err2 = {0};
	wp_lock_doc lock;
	wp_tree t;

	assert_int_equal(wp_venv_tree(&w->ctx, w->dir, &t, &err), WP_E_VENV);
	assert_int_equal(wp_venv_tree(&w->ctx, os_join(w->a, w->dir, "no"), &t, &err2), WP_E_NOT_FOUND);
	assert_false(wp_venv_lock(&w->ctx, w->dir, &lock));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, with_python, tear_down)
	const struct CMUnitTest tests[] = {
		T(python_takes_it_for_a_venv),
		T(the_configuration_has_the_usual_keys),
		T(each_usual_name_starts_python),
		T(sh_enters_and_leaves),
		T(other_shells_enter_and_leave),
		T(a_venv_is_a_tree),
		T(the_library_is_that_of_its_python),
		T(what_is_no_venv_is_no_tree),
	};

	return cmocka_run_group_tests_name("venv", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Installs for an interpreter that answers as one of Windows does, wherever the tests run. */
#include "install/search.h"
#include "unit/install_world.h"

#define NT_SITE "Lib/site-packages"

/* A program that answers so: a script, or on Windows the fake python.exe with its answer beside it. */
static void answering(world *w, const char *path, const char *answer)
{
	wp_error err = {0};

	assert_ok(os_mkdirs(os_dirname(w->a, path), &err));
#ifdef _WIN32
	tmp_write(path, tmp_read(w->a, "build/launcher/python.exe"));
	tmp_write(wp_sprintf(w->a, "%s.answer", path), wp_str_of(answer));
#else
	tmp_script(path, wp_str_of(wp_sprintf(w->a, "#!/bin/sh\ncat <<'END'\n%s\nEND\n", answer)));
#endif
}

static void nt_python(world *w, const char *path, const char *tag)
{
	answering(w, path, wp_sprintf(w->a,
		"{\"executable\": \"%s\", \"version\": \"3.12.7\", \"soabi_tag\": \"%s\", "
		"\"platform_tag\": \"win_amd64\", \"bits\": 64, "
		"\"venv_site\": \"" NT_SITE "\", \"venv_bin\": \"Scripts\", "
		"\"markers\": {\"os_name\": \"nt\", \"sys_platform\": \"win32\", "
		"\"platform_machine\": \"AMD64\", \"platform_python_implementation\": \"CPython\", "
		"\"platform_release\": \"10\", \"platform_system\": \"Windows\", \"platform_version\": \"10.0.1\", "
		"\"python_version\": \"3.12\", \"python_full_version\": \"3.12.7\", "
		"\"implementation_name\": \"cpython\", \"implementation_version\": \"3.12.7\"}}",
		w->python, tag));
}

static int nt_setup(void **state)
{
	world *w;

	setup(state);
	w = *state;
	w->python = at(w, "py/python.exe");
	nt_python(w, w->python, "cp312");
	tmp_write(at(w, "py/pythonw.exe"), WP_LIT(""));
	w->target = (wp_lock_target){.name = "cp312-win_amd64", .python = "3.12", .platform = "win_amd64"};
	w->in.python = w->python;
	w->in.launchers = (wp_launchers){WP_LIT("MZ console"), WP_LIT("MZ gui")};
	return 0;
}

static const char *native(world *w, const char *path)
{
	return wp_native_path(w->a, true, path);
}


static void each_scheme_has_its_place_on_windows(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m[] = {
		{.name = "pkg/__init__.py", .data = "x = 1\n"},
		{.name = "pkg-1.0.data/platlib/pkg/lib.pyd", .data = "MZ"},
		{.name = "pkg-1.0.data/scripts/tool", .data = "#!python -u\r\nprint(1)\r\n"},
		{.name = "pkg-1.0.data/scripts/wtool", .data = "#!pythonw\nprint(1)\n"},
		{.name = "pkg-1.0.data/scripts/odd.sh", .data = "#!/bin/sh\r\n"},
		{.name = "pkg-1.0.data/scripts/CMD-script.py", .data = "old"},
		{.name = "pkg-1.0.data/data/share/doc/pkg.txt", .data = "doc"},
		{.name = "pkg-1.0.data/data/lib64/extra.txt", .data = "64"},
		{.name = "pkg-1.0.data/headers/pkg.h", .data = "int x;\n"},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = sizeof m / sizeof *m,
		.entry_points = "[console_scripts]\ncmd = pkg.cli:main.run\n"};

	add(w, &v);
	assert_ok(install(w, &err));
	is_text(w, NT_SITE "/pkg/__init__.py", "x = 1\n");
	is_text(w, NT_SITE "/pkg/lib.pyd", "MZ");
	is_text(w, "Scripts/tool", wp_sprintf(w->a, "#!%s\\Scripts\\python.exe\r\nprint(1)\r\n", native(w, w->venv)));
	is_text(w, "Scripts/wtool", wp_sprintf(w->a, "#!%s\\Scripts\\pythonw.exe\nprint(1)\n", native(w, w->venv)));
	is_text(w, "Scripts/odd.sh", "#!/bin/sh\r\n");
	assert_false(os_is_file(in_venv(w, "Scripts/CMD-script.py")));
	is_text(w, "share/doc/pkg.txt", "doc");
	is_text(w, "lib64/extra.txt", "64");
	is_text(w, "Include/site/python3.12/pkg/pkg.h", "int x;\n");
	assert_true(os_is_file(in_venv(w, "Scripts/cmd.exe")));
	assert_false(os_is_file(in_venv(w, "Scripts/cmd")));
	assert_false(os_is_dir(in_venv(w, "bin")));
	assert_string_equal(w->out.python, wp_sprintf(w->a, "%s\\Scripts\\python.exe", native(w, w->venv)));
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, NT_SITE "/pkg-1.0.dist-info/RECORD")).p,
		"\n../../Scripts/cmd.exe,sha256="));
}

/* The parts of NAME.exe: launcher, first line, zip. */
static void entry_points_are_launcher_line_and_zip(void **state)
{
	static const char want[] =
		"import sys\n\nfrom pkg import main\n\nif __name__ == \"__main__\":\n"
		"    if sys.argv[0].lower().endswith(\".exe\"):\n        sys.argv[0] = sys.argv[0][:-4]\n"
		"    sys.exit(main())\n";
	world *w = *state;
	wp_error err = {0};
	mw_wheel v = {.project = "pkg", .version = "1.0",
		.entry_points = "[console_scripts]\ncmd = pkg:main\n[gui_scripts]\nwin = pkg:main\n"};
	const char *zip, *exe;
	wp_zip z;
	wp_blob blob;

	add(w, &v);
	assert_ok(install(w, &err));
	exe = tmp_read(w->a, in_venv(w, "Scripts/cmd.exe")).p;
	zip = wp_sprintf(w->a, "MZ console#!%s\\Scripts\\python.exe\nPK\x03\x04", native(w, w->venv));
	assert_memory_equal(exe, zip, strlen(zip));
	exe = tmp_read(w->a, in_venv(w, "Scripts/win.exe")).p;
	zip = wp_sprintf(w->a, "MZ gui#!%s\\Scripts\\pythonw.exe\n", native(w, w->venv));
	assert_memory_equal(exe, zip, strlen(zip));
	tmp_write(at(w, "x.zip"), wp_str_sub(tmp_read(w->a, in_venv(w, "Scripts/win.exe")), strlen(zip), SIZE_MAX));
	assert_ok(os_blob(at(w, "x.zip"), &blob, &err));
	assert_ok(wp_zip_read(w->a, &blob, &z, &err));
	assert_int_equal(z.n, 1);
	assert_string_equal(z.entries[0].name, "__main__.py");
	assert_int_equal(z.entries[0].size, sizeof want - 1);
	assert_memory_equal(tmp_read(w->a, at(w, "x.zip")).p + z.entries[0].data_offset, want, sizeof want - 1);
	blob.close(blob.self);
	assert_null(finding(w, "N507"));
}

static void python_runs_what_is_behind_the_launcher(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_interpreter p;
	os_run_result out;
	const mw_member m = {.name = "pkg.py", .data = "import sys\ndef main():\n    print(sys.argv)\n    return 7\n"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1,
		.entry_points = "[console_scripts]\ncmd = pkg:main\n"};

	if (wp_interpreter_find(&w->ctx, NULL, getenv("PATH"), getenv("HOME"), &p, &err)) {
		print_message("skipped: no python3 here\n");
		skip();
	}
	add(w, &v);
	assert_ok(install(w, &err));
	assert_ok(os_run(w->a, &(os_run_request){
		.argv = (const char *const[]){p.executable, in_venv(w, "Scripts/cmd.exe"), "a b", NULL},
		.set_env = (const char *const[]){wp_sprintf(w->a, "PYTHONPATH=%s", in_venv(w, NT_SITE)), NULL}}, &out, &err));
	assert_int_equal(out.exit_code, 7);
	assert_string_equal(out.out.p, wp_sprintf(w->a, "['%s', 'a b']\n", in_venv(w, "Scripts/cmd")));
}

static void a_path_with_a_space_is_quoted(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m = {.name = "pkg-1.0.data/scripts/tool", .data = "#!python"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1,
		.entry_points = "[console_scripts]\ncmd = pkg:main\n"};
	const char *line;

	w->venv = at(w, "home/my env");
	w->in.venv = w->venv;
	add(w, &v);
	assert_ok(install(w, &err));
	line = wp_sprintf(w->a, "#!\"%s\\Scripts\\python.exe\"\n", native(w, w->venv));
	is_text(w, "Scripts/tool", line);
	assert_memory_equal(tmp_read(w->a, in_venv(w, "Scripts/cmd.exe")).p, wp_sprintf(w->a, "MZ console%s", line),
		10 + strlen(line));
}

static void the_same_bytes_everywhere(void **state)
{
	world *w = *state;
	wp_error err = {0};
	mw_wheel v = {.project = "pkg", .version = "1.0", .entry_points = "[console_scripts]\ncmd = pkg:main\n"};
	const char *first;

	add(w, &v);
	assert_ok(install(w, &err));
	first = snapshot(w);
	assert_ok(os_remove_tree(w->venv, &err));
	w->in.time = "2026-01-02T03:04:05Z";
	assert_ok(install(w, &err));
	assert_string_equal(first, snapshot(w));
}

/* ---- the venv ------------------------------------------------------------------------------- */

static void a_venv_of_windows_has_its_own_layout(void **state)
{
	static const char *const there[] = {"Scripts/activate", "Scripts/activate.bat", "Scripts/deactivate.bat",
		"Scripts/Activate.ps1", "Scripts/python.exe", "Scripts/pythonw.exe", "pyvenv.cfg"};
	world *w = *state;
	wp_error err = {0};
	wp_str bat, line;
	size_t i;

	simple(w, "pkg", "1.0", "pkg.py", "");
	assert_ok(install(w, &err));
	for (i = 0; i < sizeof there / sizeof *there; i++)
		assert_true(os_is_file(in_venv(w, there[i])));
	assert_true(os_is_dir(in_venv(w, "Include")));
	assert_false(os_is_dir(in_venv(w, "lib64")));
	assert_false(os_is_file(in_venv(w, "Scripts/activate.fish")));
	is_text(w, "Scripts/python.exe", "MZ console");
	is_text(w, "Scripts/pythonw.exe", "MZ gui");
	is_text(w, "pyvenv.cfg", wp_sprintf(w->a, "home = %s\ninclude-system-site-packages = false\nversion = 3.12.7\n"
		"executable = %s\ncommand = %s -m venv --without-pip %s\n", native(w, os_dirname(w->a, w->python)),
		native(w, w->python), native(w, w->python), native(w, w->venv)));
	bat = tmp_read(w->a, in_venv(w, "Scripts/activate.bat"));
	assert_non_null(strstr(bat.p, "%VIRTUAL_ENV%\\Scripts;%PATH%"));
	assert_null(strstr(bat.p, "home"));
	for (; wp_str_find(bat, '\n') < bat.n; bat = wp_str_sub(bat, line.n + 1, bat.n)) {
		line = wp_str_sub(bat, 0, wp_str_find(bat, '\n'));
		assert_true(line.n > 1 && line.p[0] == '@' && line.p[line.n - 1] == '\r');
	}
	assert_int_equal(bat.n, 0);
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, "Scripts/activate")).p,
		wp_sprintf(w->a, "\nVIRTUAL_ENV='%s'\nVIRTUAL_ENV=$(cygpath \"$VIRTUAL_ENV\")\n", native(w, w->venv))));
}

static void the_bases_own_launchers_are_preferred(void **state)
{
	static const struct {
		const char *tag, *console, *gui, *taken;
	} t[] = {
		{"cp312", "python.exe", "pythonw.exe", "MZ python.exe"},
		{"cp312", "venvlauncher.exe", "venvwlauncher.exe", "MZ venvlauncher.exe"},
		{"cp313t", "venvlaunchert.exe", "venvwlaunchert.exe", "MZ venvlaunchert.exe"},
		{"cp313t", "python.exe", "pythonw.exe", "MZ console"},
	};
	world *w = *state;
	wp_error err = {0};
	size_t i;

	simple(w, "pkg", "1.0", "pkg.py", "");
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		const char *nt = at(w, "py/Lib/venv/scripts/nt");

		assert_ok(os_mkdirs(nt, &err));
		tmp_write(os_join(w->a, nt, t[i].console), wp_str_of(wp_sprintf(w->a, "MZ %s", t[i].console)));
		tmp_write(os_join(w->a, nt, t[i].gui), wp_str_of(wp_sprintf(w->a, "MZ %s", t[i].gui)));
		nt_python(w, w->python, t[i].tag);
		w->target.name = wp_sprintf(w->a, "%s-win_amd64", t[i].tag);
		w->target.python = wp_ends(t[i].tag, "t") ? "3.13" : "3.12";
		assert_ok(install(w, &err));
		is_text(w, "Scripts/python.exe", t[i].taken);
		assert_ok(os_remove_tree(w->venv, &err));
		assert_ok(os_remove_tree(nt, &err));
	}
}

static void without_pythonw_a_console_opens_and_it_is_said(void **state)
{
	world *w = *state;
	wp_error err = {0};
	mw_wheel v = {.project = "pkg", .version = "1.0", .entry_points = "[gui_scripts]\nwin = pkg:main\n"};
	const char *start;

	assert_ok(os_unlink(at(w, "py/pythonw.exe"), &err));
	add(w, &v);
	assert_ok(install(w, &err));
	assert_non_null(finding(w, "N507"));
	assert_false(os_is_file(in_venv(w, "Scripts/pythonw.exe")));
	start = wp_sprintf(w->a, "MZ gui#!%s\\Scripts\\python.exe\n", native(w, w->venv));
	assert_memory_equal(tmp_read(w->a, in_venv(w, "Scripts/win.exe")).p, start, strlen(start));
}

static void without_launchers_windows_is_refused(void **state)
{
	world *w = *state;

	w->in.launchers = (wp_launchers){0};
	simple(w, "pkg", "1.0", "pkg.py", "");
	refused(w, WP_E_WRONG_TARGET, "built without the launchers");
}

static void an_embeddable_python_must_import_site(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "pkg", "1.0", "pkg.py", "");
	tmp_write(at(w, "py/python312._pth"), WP_LIT("python312.zip\r\n.\r\n#import site\r\n"));
	refused(w, WP_E_NO_INTERPRETER, "python312._pth' imports no site");
	tmp_write(at(w, "py/python312._pth"), WP_LIT("python312.zip\r\n.\r\nimport site\r\n"));
	assert_ok(install(w, &err));
}

/* ---- names ---------------------------------------------------------------------------------- */

static void names_windows_has_for_devices_are_refused(void **state)
{
	static const char *const names[] = {"con", "NUL", "com1", "aux.old", "lpt9"};
	world *w = *state;
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		mw_wheel v = {.project = "pkg", .version = "1.0",
			.entry_points = wp_sprintf(w->a, "[console_scripts]\n%s = pkg:main\n", names[i])};

		forget(w);
		add(w, &v);
		refused(w, WP_E_WHEEL, wp_sprintf(w->a, "entry point '%s'", names[i]));
	}
}

static void names_that_differ_in_case_are_one(void **state)
{
	world *w = *state;
	mw_wheel v = {.project = "pkg", .version = "1.0", .entry_points = "[console_scripts]\nTool = a:b\ntool = a:b\n"};
	const mw_member m = {.name = "two-1.0.data/data/SCRIPTS/cmd.EXE", .data = "MZ"};
	mw_wheel one = {.project = "one", .version = "1.0", .entry_points = "[console_scripts]\ncmd = a:b\n"};
	mw_wheel two = {.project = "two", .version = "1.0", .members = &m, .n = 1};

	add(w, &v);
	refused(w, WP_E_WHEEL, "on Windows");
	forget(w);
	simple(w, "one", "1.0", "shared/A.py", "same");
	simple(w, "two", "1.0", "SHARED/a.py", "same");
	refused(w, WP_E_COLLISION, "are the same name on Windows");
	forget(w);
	add(w, &one);
	add(w, &two);
	refused(w, WP_E_COLLISION, "are the same name on Windows");
	forget(w);
	simple(w, "one", "1.0", "thing", "file");
	simple(w, "two", "1.0", "Thing/a.py", "x");
	refused(w, WP_E_COLLISION, "is a file here and a directory");
}

/* ---- an existing venv ----------------------------------------------------------------------- */

static void an_existing_venv_of_windows_is_added_to(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *own = in_venv(w, "Scripts/python.exe");
	mw_wheel v = {.project = "two", .version = "1.0", .entry_points = "[gui_scripts]\nwin = two:main\n"};
	const mw_member m = {.name = "three-1.0.data/data/Scripts/win.exe", .data = "other"};
	mw_wheel third = {.project = "three", .version = "1.0", .members = &m, .n = 1};
	const char *start;

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	assert_ok(os_unlink(own, &err)); /* it is no program of this system */
	nt_python(w, own, "cp312");
	w->in.python = NULL;
	forget(w);
	add(w, &v);
	assert_ok(install(w, &err));
	start = wp_sprintf(w->a, "MZ gui#!%s\\Scripts\\pythonw.exe\n", native(w, w->venv));
	assert_memory_equal(tmp_read(w->a, in_venv(w, "Scripts/win.exe")).p, start, strlen(start));
	forget(w);
	add(w, &third);
	refused(w, WP_E_COLLISION, "it belongs to 'two-1.0.dist-info'");
}

static void a_conda_environment_of_windows_has_python_at_the_top(void **state)
{
	world *w = *state;
	const mw_member m = {.name = "pkg-1.0.data/headers/pkg.h", .data = "h"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1,
		.entry_points = "[console_scripts]\ncmd = pkg:main\n[gui_scripts]\nwin = pkg:main\n"};
	wp_error err = {0};
	wp_drift drift;

	add(w, &v);
	nt_python(w, in_venv(w, "python.exe"), "cp312");
	tmp_write(in_venv(w, "pythonw.exe"), WP_LIT(""));
	assert_ok(os_mkdirs(in_venv(w, "conda-meta"), &err));
	assert_ok(os_mkdirs(in_venv(w, NT_SITE), &err));
	assert_ok(os_mkdirs(in_venv(w, "Scripts"), &err));
	w->in.python = NULL;
	w->in.allow_conda = true;
	assert_ok(install(w, &err));
	is_text(w, "Include/pkg/pkg.h", "h");
	assert_string_equal(w->out.python, wp_sprintf(w->a, "%s\\python.exe", native(w, w->venv)));
	assert_true(wp_str_starts(tmp_read(w->a, in_venv(w, "Scripts/cmd.exe")),
		wp_sprintf(w->a, "MZ console#!%s\\python.exe\n", native(w, w->venv))));
	assert_true(wp_str_starts(tmp_read(w->a, in_venv(w, "Scripts/win.exe")),
		wp_sprintf(w->a, "MZ gui#!%s\\pythonw.exe\n", native(w, w->venv))));
	assert_ok(wp_venv_check(&w->ctx, w->venv, NULL, &drift, &err));
	assert_int_equal(drift.findings.n, 0);
}

static void a_venv_of_windows_is_a_tree(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const wp_tree_entry *v;
	wp_tree t;
	size_t i, n;
	int found = 0;

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	assert_ok(wp_venv_tree(&w->ctx, w->venv, &t, &err));
	assert_ok(t.list(t.self, &v, &n, &err));
	for (i = 0; i < n; i++)
		found += strcmp(v[i].path, "one.py") == 0 || strcmp(v[i].path, "@scripts/python.exe") == 0 ||
			 strcmp(v[i].path, "@data/pyvenv.cfg") == 0;
	assert_int_equal(found, 3);
	wp_venv_tree_close(&t);
	assert_ok(os_remove_tree(in_venv(w, "Lib"), &err));
	assert_int_equal(wp_venv_tree(&w->ctx, w->venv, &t, &err), WP_E_VENV);
}

/* ---- the py launcher's list ----------------------------------------------------------------- */

static void lines_of_the_py_launcher_end_with_a_path(void **state)
{
	static const struct {
		const char *line, *path;
	} t[] = {
		{" -V:3.12 *        C:\\Python312\\python.exe\r", "C:\\Python312\\python.exe"},
		{" -3.9-64\tc:\\Program Files\\Python 39\\python.exe", "c:\\Program Files\\Python 39\\python.exe"},
		{" -V:Astral/CPython3.13.1 D:\\uv\\python.exe", "D:\\uv\\python.exe"},
		{"Installed Pythons found by py Launcher for Windows", NULL},
		{" -V:3.12", NULL},
		{"", NULL},
	};
	world *w = *state;
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		const char *got = wp_search_py_line(w->a, wp_str_of(t[i].line));

		if (!wp_streq(got, t[i].path))
			fail_msg("'%s' gives '%s'", t[i].line, got ? got : "nothing");
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, nt_setup, teardown)
	const struct CMUnitTest tests[] = {
		T(each_scheme_has_its_place_on_windows),
		T(entry_points_are_launcher_line_and_zip),
		T(python_runs_what_is_behind_the_launcher),
		T(a_path_with_a_space_is_quoted),
		T(the_same_bytes_everywhere),
		T(a_venv_of_windows_has_its_own_layout),
		T(the_bases_own_launchers_are_preferred),
		T(without_pythonw_a_console_opens_and_it_is_said),
		T(without_launchers_windows_is_refused),
		T(an_embeddable_python_must_import_site),
		T(names_windows_has_for_devices_are_refused),
		T(names_that_differ_in_case_are_one),
		T(an_existing_venv_of_windows_is_added_to),
		T(a_conda_environment_of_windows_has_python_at_the_top),
		T(a_venv_of_windows_is_a_tree),
		T(lines_of_the_py_launcher_end_with_a_path),
	};

	return cmocka_run_group_tests_name("install_windows", tests, NULL, NULL);
}

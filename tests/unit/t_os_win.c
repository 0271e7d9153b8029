/* SPDX-License-Identifier: MIT */
/* The system layer as Windows has it: this program is its own child. */
#define UNICODE
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <shellapi.h>

#include "unit/place.h"

static const char *self;

static os_run_result child(place *p, const char *const *args, os_run_request r)
{
	const char *argv[32] = {self, "--child"};
	os_run_result out;
	wp_error err = {0};
	size_t n = 2;

	while (*args)
		argv[n++] = *args++;
	r.argv = argv;
	assert_ok(os_run(p->a, &r, &out, &err));
	return out;
}

#define CHILD(p, r, ...) child(p, (const char *const[]){__VA_ARGS__, NULL}, r)
static const os_run_request plain = {.timeout_ms = 20000};

/* ---- process ------------------------------------------------------------------------------ */

static void arguments_arrive_as_they_were(void **state)
{
	static const char *const args[] = {"args", "", "a b", "a\"b", "a\\", "a\\\"b", "c:\\x y\\", "\\\\", "\"", "%PATH%",
		"^&|<>", "'", "tab\there", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x98\x80", NULL};
	place *p = *state;
	os_run_result r = child(p, args, plain);
	wp_str rest = r.out, line;
	size_t i;

	for (i = 1; args[i]; i++) {
		assert_true(wp_str_line(&rest, &line));
		assert_string_equal(wp_str_dup(p->a, line), wp_sprintf(p->a, "[%s]", args[i]));
	}
	assert_int_equal(r.exit_code, 0);
}

static void both_streams_and_the_exit_code_come_back(void **state)
{
	os_run_result r = CHILD(*state, plain, "streams", "255");

	assert_true(wp_str_is(r.out, "one\n"));
	assert_true(wp_str_is(r.err, "two\n"));
	assert_int_equal(r.exit_code, 255);
	assert_false(r.timed_out);
	assert_int_equal(r.signal, 0);
}

static void standard_input_is_empty(void **state)
{
	os_run_result r = CHILD(*state, plain, "input");

	assert_true(wp_str_is(r.out, "end\n"));
}

static void output_above_the_cap_is_read_and_dropped(void **state)
{
	os_run_result r = CHILD(*state, ((os_run_request){.max_output = 5, .timeout_ms = 20000}), "much");

	assert_int_equal(r.exit_code, 3);
	assert_true(wp_str_is(r.out, "01234"));
}

static void a_time_out_ends_what_the_child_started_too(void **state)
{
	place *p = *state;
	const char *mark = at(p, "mark");
	uint64_t start = os_now_ms();
	os_run_result r = CHILD(p, ((os_run_request){.timeout_ms = 1500}), "family", mark);

	assert_true(r.timed_out);
	assert_int_equal(r.exit_code, -1);
	assert_true(os_now_ms() - start < 8000);
	assert_true(wp_str_is(r.out, "begun\n"));
	os_sleep_ms(3000);
	assert_false(os_is_file(mark));
}

static void a_crash_is_told_from_an_exit(void **state)
{
	os_run_result r = CHILD(*state, plain, "crash");

	assert_int_equal(r.exit_code, -1);
	assert_int_equal(r.signal, 11);
}

static void the_environment_is_as_asked(void **state)
{
	static const char *const set[] = {"t_os_b=new", "T_OS_D=\xe6\x97\xa5", NULL};
	static const char *const unset[] = {"t_os_a", NULL};
	os_run_result r;

	SetEnvironmentVariableW(L"T_OS_AB", L"a");
	SetEnvironmentVariableW(L"T_OS_B", L"old");
	SetEnvironmentVariableW(L"T_OS_C", L"c");
	r = CHILD(*state, ((os_run_request){.set_env = set, .unset_prefix = unset, .timeout_ms = 20000}), "env", "T_OS_AB",
		"T_OS_B", "T_OS_C", "T_OS_D");
	assert_true(wp_str_is(r.out, "(none)\nnew\nc\n\xe6\x97\xa5\n"));
}

static void the_working_directory_is_as_asked(void **state)
{
	place *p = *state;
	os_run_result r = CHILD(p, ((os_run_request){.cwd = p->dir, .timeout_ms = 20000}), "cwd");

	assert_string_equal(wp_str_dup(p->a, wp_str_trim(r.out)), p->dir);
}

static void what_cannot_be_started_is_an_error(void **state)
{
	place *p = *state;
	const char *argv[] = {at(p, "none.exe"), NULL};
	os_run_request r = {.argv = argv};
	wp_error err = {0}, err2 = {0}, err3 = {0};
	os_run_result out;

	assert_int_equal(os_run(p->a, &r, &out, &err), WP_E_NOT_FOUND);
	assert_non_null(strstr(err.why, "cannot be started"));
	argv[0] = at(p, "x.bat");
	assert_ok(os_write_file(argv[0], WP_LIT("@echo off\n"), &err2));
	assert_int_equal(os_run(p->a, &r, &out, &err2), WP_E_IO);
	assert_non_null(strstr(err2.why, "batch file"));
	argv[0] = at(p, "text.exe");
	assert_ok(os_write_file(argv[0], WP_LIT("no program"), &err3));
	assert_int_equal(os_run(p->a, &r, &out, &err3), WP_E_IO);
}

/* Wine starts no program whose path has more than 260 characters, so the long path is of a file only. */
static void long_paths_and_any_names_are_taken(void **state)
{
	place *p = *state;
	const char *dir = p->dir, *name = "\xf0\x9f\x98\x80 \xe6\x97\xa5.exe", **names,
		   *argv[] = {NULL, "--child", "streams", "7", NULL};
	os_run_request r = {.argv = argv, .timeout_ms = 20000};
	wp_error err = {0};
	os_run_result out;
	wp_str text;
	size_t n;
	int i;

	for (i = 0; i < 6; i++)
		dir = os_join(p->a, dir, "a-rather-long-name-of-a-directory-of-fifty-letters");
	assert_ok(os_mkdirs(dir, &err));
	assert_true(strlen(dir) > 300);
	assert_ok(os_read_file(p->a, self, 64 << 20, &text, &err));
	assert_ok(os_write_file(os_join(p->a, dir, name), text, &err));
	assert_ok(os_list(p->a, dir, &names, &n, &err));
	assert_int_equal(n, 1);
	assert_string_equal(names[0], name);
	argv[0] = at(p, name);
	assert_ok(os_rename_new(os_join(p->a, dir, name), argv[0], &err));
	assert_true(os_is_executable(argv[0]));
	assert_ok(os_run(p->a, &r, &out, &err));
	assert_int_equal(out.exit_code, 7);
}

/* ---- lock --------------------------------------------------------------------------------- */

static void a_lock_is_held_by_one(void **state)
{
	place *p = *state;
	wp_error err = {0};
	os_run_result r;
	os_lock *l;

	assert_ok(os_lock_take(at(p, "lock"), &l, &err));
	r = CHILD(p, plain, "lock", at(p, "lock"));
	assert_true(wp_str_is(r.out, wp_sprintf(p->a, "process %d is working there\n", os_pid())));
	os_lock_release(l);
	r = CHILD(p, plain, "lock", at(p, "lock"));
	assert_true(wp_str_is(r.out, "taken\n"));
	/* It ended with its process, which did not release it. */
	assert_ok(os_lock_take(at(p, "lock"), &l, &err));
	assert_ok(os_unlink(at(p, "lock"), &err));
	os_lock_release(l);
	assert_false(os_is_file(at(p, "lock")));
}

/* ---- files in use ------------------------------------------------------------------------- */

static HANDLE open_alone(place *p, const char *path)
{
	wchar_t w[400];

	(void)p;
	MultiByteToWideChar(CP_UTF8, 0, path, -1, w, 400);
	return CreateFileW(w, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
}

static void close_later(void *h)
{
	os_sleep_ms(400);
	CloseHandle(h);
}

static void a_file_in_use_for_a_moment_is_waited_for(void **state)
{
	place *p = *state;
	wp_error err = {0};
	os_thread *t;
	os_file *f;
	wp_str text;

	assert_ok(os_write_file(at(p, "f"), WP_LIT("old"), &err));
	assert_ok(os_thread_start(&t, close_later, open_alone(p, at(p, "f")), &err));
	assert_ok(os_write_file(at(p, "f"), WP_LIT("new"), &err));
	os_thread_join(t);
	assert_ok(os_read_file(p->a, at(p, "f"), 9, &text, &err));
	assert_true(wp_str_is(text, "new"));
	assert_ok(os_thread_start(&t, close_later, open_alone(p, at(p, "f")), &err));
	assert_ok(os_open(at(p, "f"), OS_READ_WRITE, &f, &err));
	os_thread_join(t);
	assert_ok(os_close(f, &err));
	assert_ok(os_thread_start(&t, close_later, open_alone(p, at(p, "f")), &err));
	assert_ok(os_unlink(at(p, "f"), &err));
	os_thread_join(t);
}

static void a_file_in_use_for_long_is_an_error(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0};
	uint64_t start = os_now_ms();
	HANDLE h;

	assert_ok(os_write_file(at(p, "f"), WP_LIT("x"), &err));
	h = open_alone(p, at(p, "f"));
	assert_int_equal(os_unlink(at(p, "f"), &err2), WP_E_BUSY);
	assert_int_equal(err2.sys, ERROR_SHARING_VIOLATION);
	assert_true(os_now_ms() - start > 1500 && os_now_ms() - start < 6000);
	CloseHandle(h);
}

static void a_read_only_file_goes_with_its_tree_only(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0}, err3 = {0};
	wchar_t w[400];

	assert_ok(os_mkdirs(at(p, "t/sub"), &err));
	assert_ok(os_write_file(at(p, "t/sub/f"), WP_LIT("x"), &err));
	assert_ok(os_write_file(at(p, "g"), WP_LIT("x"), &err));
	MultiByteToWideChar(CP_UTF8, 0, at(p, "t/sub/f"), -1, w, 400);
	assert_true(SetFileAttributesW(w, FILE_ATTRIBUTE_READONLY));
	assert_true(os_is_read_only(at(p, "t/sub/f")) && !os_is_read_only(at(p, "g")) && !os_is_read_only(at(p, "t")));
	assert_int_equal(os_unlink(at(p, "t/sub/f"), &err2), WP_E_PERMISSION);
	assert_non_null(strstr(err2.why, "read-only"));
	assert_int_equal(os_rename(at(p, "g"), at(p, "t/sub/f"), &err3), WP_E_PERMISSION);
	assert_non_null(strstr(err3.why, "read-only"));
	assert_ok(os_remove_tree(at(p, "t"), &err));
	assert_false(os_is_dir(at(p, "t")));
}

static void names_that_mean_something_else_are_refused(void **state)
{
	static const char *const bad[] = {"con", "NUL.txt", "Lpt1", "a:b", "a.", "a ", "a*", "a?b", "x\\y", "a|b", "\x01"};
	place *p = *state;
	wp_error err = {0};
	os_dir *d;
	os_file *f;
	size_t i;

	assert_ok(os_dir_open(p->dir, &d, &err));
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		wp_error own = {0};

		assert_int_equal(os_create_at(d, bad[i], 0644, &f, &own), WP_E_PATH);
	}
	assert_ok(os_create_at(d, "Name", 0644, &f, &err));
	assert_ok(os_close(f, &err));
	assert_int_equal(os_create_at(d, "nAME", 0644, &f, &err), WP_E_EXISTS);
	os_dir_close(d);
}

static void paths_are_taken_either_way(void **state)
{
	place *p = *state;
	const char *native = os_native(p->a, p->dir), *out;
	wp_error err = {0};

	assert_null(strchr(native, '/'));
	assert_ok(os_mkdir(wp_sprintf(p->a, "%s\\x", native), &err));
	assert_true(os_is_dir(at(p, "x")));
	assert_true(os_is_dir(wp_sprintf(p->a, "\\\\?\\%s\\x", native)));
	assert_ok(os_absolute(p->a, wp_sprintf(p->a, "\\\\?\\%s\\x", native), &out, &err));
	assert_string_equal(out, at(p, "x"));
	assert_ok(os_realpath(p->a, wp_sprintf(p->a, "%s\\X\\..\\x", native), &out, &err));
	assert_true(wp_ends(out, "/x") && !strchr(out, '\\'));
	assert_string_equal(os_without_tail(p->a, "C:\\a\\"), "C:\\a");
	assert_string_equal(os_without_tail(p->a, "C:\\"), "C:\\");
	assert_string_equal(os_dirname(p->a, "C:/x"), "C:/");
}

/* ---- libraries, facts --------------------------------------------------------------------- */

static void a_system_library_is_found_by_name(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0}, err3 = {0}, err4 = {0};
	os_lib *l;

	assert_ok(os_lib_open("version.dll", &l, &err));
	assert_non_null(os_lib_sym(l, "VerQueryValueW"));
	assert_null(os_lib_sym(l, "no_such_symbol_anywhere"));
	assert_true(os_is_absolute(os_lib_path(l)));
	os_lib_close(l);
	assert_int_equal(os_lib_open("nosuchthing.dll", &l, &err2), WP_E_NOT_FOUND);
	assert_ok(os_write_file(at(p, "broken.dll"), WP_LIT("not a library"), &err3));
	assert_int_equal(os_lib_open(at(p, "broken.dll"), &l, &err3), WP_E_IO);
	assert_int_equal(os_lib_open("./broken.dll", &l, &err4), WP_E_NOT_FOUND);
}

static void interpreters_are_read_from_the_registry(void **state)
{
	static const wchar_t *const key = L"Software\\Python\\WheelpackTest\\3.99", *const sub =
		L"Software\\Python\\WheelpackTest\\3.99\\InstallPath";
	place *p = *state;
	const os_python *found = NULL;
	os_python *v;
	size_t n, i;

	RegSetKeyValueW(HKEY_CURRENT_USER, key, L"SysVersion", REG_SZ, L"3.99", 10);
	RegSetKeyValueW(HKEY_CURRENT_USER, sub, L"ExecutablePath", REG_SZ, L"C:\\py\\python.exe",
		sizeof L"C:\\py\\python.exe");
	os_registry_pythons(p->a, &v, &n);
	for (i = 0; i < n; i++)
		if (wp_streq(v[i].company, "WheelpackTest"))
			found = &v[i];
	RegDeleteTreeW(HKEY_CURRENT_USER, L"Software\\Python\\WheelpackTest");
	assert_non_null(found);
	assert_string_equal(found->tag, "3.99");
	assert_string_equal(found->version, "3.99");
	assert_string_equal(found->executable, "C:/py/python.exe");
	assert_string_equal(found->dir, "C:/py");
}

static void the_machine_is_known(void **state)
{
	place *p = *state;
	const char *bypass, **names;
	wp_error err = {0};
	uint64_t space = 0;
	os_volume v;
	unsigned version[4] = {0};
	size_t n;

	assert_string_equal(os_platform_tag(p->a), "win_amd64");
	assert_true(os_cpu_count() >= 1);
	assert_true(os_is_absolute(os_home()));
	assert_ptr_equal(os_getenv("TEMP"), os_getenv("TEMP"));
	assert_null(os_getenv("T_OS_NOT_THERE"));
	assert_false(os_is_terminal(-1));
	assert_ok(os_volume_of(p->a, at(p, "not/yet"), &v, &err));
	assert_true(v.max_file > 0 && v.name[0]);
	assert_ok(os_free_space(at(p, "not/yet"), &space, &err));
	assert_true(space > 0);
	assert_true(os_file_version(os_join(p->a, os_system_dir(p->a), "kernel32.dll"), version) && version[0] > 0);
	assert_false(os_file_version(at(p, "none"), version));
	os_display_adapters(p->a, &names, &n);
	os_system_proxy(p->a, &bypass);
	assert_ok(os_file_holders(p->a, p->dir, &names, &n, &err));
}

/* ---- the child ---------------------------------------------------------------------------- */

static void say_in_brackets(const wchar_t *w)
{
	char text[1024] = "";

	WideCharToMultiByte(CP_UTF8, 0, w, -1, text, sizeof text, NULL, NULL);
	printf("[%s]\n", text);
}

static void say_variable(const char *name)
{
	const char *v = os_getenv(name);

	printf("%s\n", v ? v : "(none)");
}

/* A child of its own that would make the file after a while. */
static void family(const char *mark)
{
	char line[1024];
	STARTUPINFOA si = {.cb = sizeof si};
	PROCESS_INFORMATION pi;

	snprintf(line, sizeof line, "\"%s\" --child late \"%s\"", self, mark);
	CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &si, &pi);
	puts("begun");
	fflush(stdout);
	Sleep(60000);
}

static int try_lock(const char *path)
{
	wp_error err = {0};
	os_lock *l;

	puts(os_lock_take(path, &l, &err) ? err.why : "taken");
	return 0;
}

static int be_child(int argc, char **argv)
{
	const char *what = argv[2];
	wp_error err = {0};
	wchar_t **wide;
	int i, n;

	if (wp_streq(what, "args")) {
		wide = CommandLineToArgvW(GetCommandLineW(), &n);
		for (i = 3; i < n; i++)
			say_in_brackets(wide[i]);
	} else if (wp_streq(what, "streams")) {
		puts("one");
		fputs("two\n", stderr);
		return (int)strtol(argv[3], NULL, 10);
	} else if (wp_streq(what, "input")) {
		puts(getchar() == EOF ? "end" : "something");
	} else if (wp_streq(what, "much")) {
		for (i = 0; i < 30000; i++)
			puts("0123456789");
		return 3;
	} else if (wp_streq(what, "env")) {
		for (i = 3; i < argc; i++)
			say_variable(argv[i]);
	} else if (wp_streq(what, "cwd")) {
		wp_arena *a = wp_arena_new();
		const char *here;

		puts(os_absolute(a, ".", &here, &err) ? err.why : here);
	} else if (wp_streq(what, "crash")) {
		*(volatile int *)(intptr_t)(argc - 3) = 0;
	} else if (wp_streq(what, "family")) {
		family(argv[3]);
	} else if (wp_streq(what, "late")) {
		Sleep(3000);
		os_write_file(argv[3], WP_LIT("x"), &err);
	} else if (wp_streq(what, "lock")) {
		return try_lock(argv[3]);
	}
	return 0;
}

_CRTIMP int _setmode(int fd, int mode);

int main(int argc, char **argv)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(arguments_arrive_as_they_were),
		T(both_streams_and_the_exit_code_come_back),
		T(standard_input_is_empty),
		T(output_above_the_cap_is_read_and_dropped),
		T(a_time_out_ends_what_the_child_started_too),
		T(a_crash_is_told_from_an_exit),
		T(the_environment_is_as_asked),
		T(the_working_directory_is_as_asked),
		T(what_cannot_be_started_is_an_error),
		T(long_paths_and_any_names_are_taken),
		T(a_lock_is_held_by_one),
		T(a_file_in_use_for_a_moment_is_waited_for),
		T(a_file_in_use_for_long_is_an_error),
		T(a_read_only_file_goes_with_its_tree_only),
		T(names_that_mean_something_else_are_refused),
		T(paths_are_taken_either_way),
		T(a_system_library_is_found_by_name),
		T(interpreters_are_read_from_the_registry),
		T(the_machine_is_known),
	};
	wp_arena *a = wp_arena_new();
	wp_error err = {0};
	int rc;

	_setmode(1, 0x8000);
	_setmode(2, 0x8000);
	SetErrorMode(SEM_NOGPFAULTERRORBOX);
	if (os_self_path(a, &self, &err))
		return 1;
	rc = argc > 2 && wp_streq(argv[1], "--child") ? be_child(argc, argv)
		: cmocka_run_group_tests_name("os_win", tests, NULL, NULL);
	wp_arena_free(a);
	return rc;
}

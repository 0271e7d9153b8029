/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "unit/place.h"

static os_run_result sh(place *p, const char *script, os_run_request r)
{
	const char *argv[] = {"/bin/sh", "-c", script, NULL};
	os_run_result out;
	wp_error err = {0};

	r.argv = argv;
	assert_ok(os_run(p->a, &r, &out, &err));
	return out;
}

static void both_streams_and_the_exit_code_come_back(void **state)
{
	os_run_result r = sh(*state, "echo one; echo two >&2; exit 7", (os_run_request){0});

	assert_true(wp_str_is(r.out, "one\n"));
	assert_true(wp_str_is(r.err, "two\n"));
	assert_int_equal(r.exit_code, 7);
	assert_int_equal(r.signal, 0);
	assert_false(r.timed_out);
}

static void standard_input_is_empty(void **state)
{
	os_run_result r = sh(*state, "cat; echo end", (os_run_request){.timeout_ms = 5000});

	assert_true(wp_str_is(r.out, "end\n"));
}

static void output_above_the_cap_is_read_and_dropped(void **state)
{
	os_run_result r = sh(*state,
		"i=0; while [ $i -lt 30000 ]; do echo 0123456789; i=$((i+1)); done; "
		"echo 1234567890 >&2; exit 3",
		(os_run_request){.max_output = 5});

	assert_int_equal(r.exit_code, 3);
	assert_true(wp_str_is(r.out, "01234"));
	assert_true(wp_str_is(r.err, "12345"));
}

static void a_time_out_ends_the_whole_group(void **state)
{
	uint64_t start = os_now_ms();
	os_run_result r =
		sh(*state, "echo begun; sleep 60 & sleep 60", (os_run_request){.timeout_ms = 200});

	assert_true(r.timed_out);
	assert_int_equal(r.exit_code, -1);
	assert_int_equal(r.signal, SIGKILL);
	assert_true(wp_str_is(r.out, "begun\n"));
	assert_true(os_now_ms() - start < 10000);
}

static void a_grandchild_that_lives_on_is_not_waited_for(void **state)
{
	uint64_t start = os_now_ms();
	os_run_result r = sh(*state, "sleep 20 & echo $!", (os_run_request){0});
	uint64_t pid;

	assert_true(wp_str_u64(wp_str_trim(r.out), &pid));
	assert_true(os_now_ms() - start < 10000);
	kill((pid_t)pid, SIGKILL);
}

static void take_time(void *user, int stream, const char *bytes, size_t n)
{
	(void)user, (void)stream, (void)bytes, (void)n;
	os_sleep_ms(5);
}

static void one_that_writes_on_is_not_listened_to(void **state)
{
	uint64_t start = os_now_ms();

	sh(*state, "(timeout 15 yes) & sleep 0.2", (os_run_request){.pass = take_time});
	assert_true(os_now_ms() - start < 10000);
}

static void a_program_that_closes_its_streams_is_waited_for(void **state)
{
	os_run_result r = sh(*state, "exec >&- 2>&-; sleep 0.2; exit 9", (os_run_request){0});

	assert_int_equal(r.exit_code, 9);
}

static void a_signal_is_told_from_an_exit(void **state)
{
	os_run_result r = sh(*state, "kill -TERM $$", (os_run_request){0});

	assert_int_equal(r.exit_code, -1);
	assert_int_equal(r.signal, SIGTERM);
}

static void the_environment_is_as_asked(void **state)
{
	static const char *const set[] = {"T_OS_B=new", "T_OS_D=d", NULL};
	static const char *const unset[] = {"T_OS_A", NULL};
	os_run_result r;

	setenv("T_OS_AB", "a", 1);
	setenv("T_OS_B", "old", 1);
	setenv("T_OS_C", "c", 1);
	r = sh(*state, "echo $T_OS_AB/$T_OS_B/$T_OS_C/$T_OS_D",
		(os_run_request){.set_env = set, .unset_prefix = unset});
	assert_true(wp_str_is(r.out, "/new/c/d\n"));
}

static void the_working_directory_is_as_asked(void **state)
{
	place *p = *state;
	os_run_result r = sh(p, "pwd", (os_run_request){.cwd = p->dir});

	assert_true(wp_str_is(wp_str_trim(r.out), p->dir));
}

static void a_program_that_cannot_start_is_an_error(void **state)
{
	place *p = *state;
	const char *argv[] = {os_join(p->a, p->dir, "none"), NULL};
	os_run_request r = {.argv = argv};
	wp_error err = {0}, err2 = {0};
	os_run_result out;

	assert_int_equal(os_run(p->a, &r, &out, &err), WP_E_NOT_FOUND);
	assert_non_null(strstr(err.why, "cannot be started"));
	assert_non_null(strstr(err.where, argv[0]));
	argv[0] = p->dir;
	assert_int_equal(os_run(p->a, &r, &out, &err2), WP_E_PERMISSION);
}

static void this_program_knows_its_path(void **state)
{
	place *p = *state;
	wp_error err = {0};
	const char *path;

	assert_ok(os_self_path(p->a, &path, &err));
	assert_string_equal(os_basename(path), "t_os_proc");
	assert_int_equal(os_pid(), getpid());
}

static void a_lock_is_held_by_one(void **state)
{
	place *p = *state;
	const char *path = os_join(p->a, p->dir, "lock");
	wp_error err = {0};
	os_lock *l, *second;

	assert_ok(os_lock_take(path, &l, &err));
	assert_int_equal(os_lock_take(path, &second, &err), WP_E_BUSY);
	assert_non_null(strstr(err.why, wp_sprintf(p->a, "process %d ", os_pid())));
	os_lock_release(l);
	err = (wp_error){0};
	assert_ok(os_lock_take(path, &l, &err));
	os_lock_release(l);
}

static void a_lock_ends_with_its_process(void **state)
{
	place *p = *state;
	const char *path = os_join(p->a, p->dir, "lock");
	wp_error err = {0};
	os_lock *l;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(os_lock_take(path, &l, &err) ? 1 : 0);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_ok(os_lock_take(path, &l, &err));
	os_lock_release(l);
}

static void a_lock_is_no_link(void **state)
{
	place *p = *state;
	const char *path = os_join(p->a, p->dir, "lock");
	wp_error err = {0};
	os_lock *l;

	assert_ok(os_symlink("elsewhere", path, &err));
	assert_int_equal(os_lock_take(path, &l, &err), WP_E_PATH);
}

static void a_library_is_found_by_name(void **state)
{
	wp_error err = {0};
	os_lib *l;

	(void)state;
	assert_ok(os_lib_open("libm.so.6", &l, &err));
	assert_non_null(os_lib_sym(l, "cos"));
	assert_null(os_lib_sym(l, "no_such_symbol_anywhere"));
	assert_string_equal(os_basename(os_lib_path(l)), "libm.so.6");
	os_lib_close(l);
}

static void a_missing_library_is_told_from_a_broken_one(void **state)
{
	place *p = *state;
	const char *path = os_join(p->a, p->dir, "broken.so");
	wp_error err = {0}, err2 = {0}, err3 = {0};
	os_lib *l;

	assert_int_equal(os_lib_open("libnosuchthing.so.9", &l, &err), WP_E_NOT_FOUND);
	assert_ok(os_write_file(path, WP_LIT("not ELF"), &err2));
	assert_int_equal(os_lib_open(path, &l, &err2), WP_E_IO);
	assert_int_equal(os_lib_open("./broken.so", &l, &err3), WP_E_NOT_FOUND);
}

static void the_clock_counts_a_sleep(void **state)
{
	uint64_t start = os_now_ms();

	(void)state;
	os_sleep_ms(20);
	assert_true(os_now_ms() >= start + 19);
}

static void the_machine_has_a_platform_tag(void **state)
{
	place *p = *state;

	assert_true(wp_starts(os_platform_tag(p->a), "manylinux_2_"));
	assert_true(os_cpu_count() >= 1);
	assert_non_null(os_home());
	assert_false(os_is_terminal(-1));
	assert_int_equal(os_terminal_width(-1), 0);
}

static atomic_int told;

static void tell(void)
{
	atomic_store(&told, 1);
}

/* In a child: the same interrupt twice is one; a second one, a second later, ends the process. */
static void the_first_interrupt_is_told_the_second_ends(void **state)
{
	uint64_t start = os_now_ms();
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		os_on_interrupt(tell);
		os_ignore_write_signals();
		raise(SIGINT);
		if (!atomic_load(&told))
			_exit(1);
		raise(SIGINT);
		os_sleep_ms(1100);
		raise(SIGTERM);
		_exit(2);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == WP_EXIT_INTERRUPTED);
	assert_true(os_now_ms() - start >= 1000);
}

static void a_program_that_ignores_the_interrupt_is_ended(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		os_run_result r;

		os_on_interrupt(tell);
		r = sh(*state, "trap '' INT; kill -INT $PPID; sleep 30; sleep 30", (os_run_request){0});
		_exit(!r.timed_out || r.signal != SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* In a child, for whom alone the limit holds. */
static void a_limit_on_file_size_is_an_error_of_the_write(void **state)
{
	const place *p = *state;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit limit = {4, 4};
		os_file *f;
		wp_error err = {0};

		os_ignore_write_signals();
		if (setrlimit(RLIMIT_FSIZE, &limit) || os_open(os_join(p->a, p->dir, "f"), OS_CREATE_NEW, &f, &err))
			_exit(2);
		_exit(os_pwrite(f, "12345678", 8, 0, &err) != WP_E_DISK_FULL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void an_interrupt_reaches_the_program_that_runs(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		os_run_result r;

		os_on_interrupt(tell);
		/* Late enough that sleep is running: a shell between fork and exec swallows the signal. */
		r = sh(*state, "(sleep 0.5; kill -INT $PPID) & exec sleep 30", (os_run_request){.timeout_ms = 8000});
		_exit(r.timed_out || r.signal != SIGINT || !atomic_load(&told));
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(both_streams_and_the_exit_code_come_back),
		T(standard_input_is_empty),
		T(output_above_the_cap_is_read_and_dropped),
		T(a_time_out_ends_the_whole_group),
		T(a_grandchild_that_lives_on_is_not_waited_for),
		T(one_that_writes_on_is_not_listened_to),
		T(a_program_that_closes_its_streams_is_waited_for),
		T(a_signal_is_told_from_an_exit),
		T(the_environment_is_as_asked),
		T(the_working_directory_is_as_asked),
		T(a_program_that_cannot_start_is_an_error),
		T(this_program_knows_its_path),
		T(a_lock_is_held_by_one),
		T(a_lock_ends_with_its_process),
		T(a_lock_is_no_link),
		T(a_library_is_found_by_name),
		T(a_missing_library_is_told_from_a_broken_one),
		T(the_clock_counts_a_sleep),
		T(the_machine_has_a_platform_tag),
		T(the_first_interrupt_is_told_the_second_ends),
		T(a_limit_on_file_size_is_an_error_of_the_write),
		T(an_interrupt_reaches_the_program_that_runs),
		T(a_program_that_ignores_the_interrupt_is_ended),
	};

	return cmocka_run_group_tests_name("os_proc", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/install_world.h"

/* What the other run does once it is waited for: its lock goes, after what may be done before. */
typedef struct other {
	world *w;
	os_lock *lock;
	void (*first)(struct other *o);
	size_t told;
	const char *who;
} other;

static void on_progress(void *user, const wp_progress *p)
{
	other *o = user;

	if (strcmp(p->stage, "wait") != 0)
		return;
	o->told++;
	o->who = wp_strdup(o->w->a, p->item);
	if (o->first)
		o->first(o);
	os_lock_release(o->lock);
	o->lock = NULL;
}

static void take(world *w, other *o, const char *path, void (*first)(other *o))
{
	wp_error err = {0};

	*o = (other){.w = w, .first = first};
	assert_ok(os_mkdirs(os_dirname(w->a, path), &err));
	assert_ok(os_lock_take(path, &o->lock, &err));
	w->ctx.progress = on_progress;
	w->ctx.progress_user = o;
	w->in.wait = true;
}

static void cancel(other *o)
{
	o->w->cancel = 1;
}

static void installed_venv(world *w)
{
	wp_error err = {0};

	simple(w, "pkg", "1.0", "pkg.py", "x");
	assert_ok(install(w, &err));
}

static void an_install_waits_for_another_run_there(void **state)
{
	world *w = *state;
	wp_error err = {0};
	other o;

	installed_venv(w);
	simple(w, "two", "1.0", "two.py", "y");
	take(w, &o, in_venv(w, ".wheelpack/lock"), NULL);
	assert_ok(install(w, &err));
	assert_int_equal(o.told, 1);
	assert_string_equal(o.who, wp_sprintf(w->a, "process %d", os_pid()));
	is_text(w, SITE "/two.py", "y");
}

static void without_wait_it_is_refused(void **state)
{
	world *w = *state;
	other o;

	installed_venv(w);
	take(w, &o, in_venv(w, ".wheelpack/lock"), NULL);
	w->in.wait = false;
	refused(w, WP_E_BUSY, "is working there");
	assert_int_equal(o.told, 0);
	os_lock_release(o.lock);
}

static void is_stopped(world *w)
{
	wp_error err = {0};

	assert_int_equal(install(w, &err), WP_E_INTERRUPTED);
	assert_non_null(strstr(err.state, "nothing was changed"));
}

static void a_stop_while_waiting_changes_nothing(void **state)
{
	world *w = *state;
	other o;

	installed_venv(w);
	take(w, &o, in_venv(w, ".wheelpack/lock"), cancel);
	simple(w, "two", "1.0", "two.py", "y");
	is_stopped(w);
	assert_false(os_is_file(in_venv(w, SITE "/two.py")));
}

static void remove_meta(other *o)
{
	wp_error err = {0};

	assert_ok(os_remove_tree(in_venv(o->w, ".wheelpack"), &err));
}

static void the_other_run_may_take_its_folder_away(void **state)
{
	world *w = *state;
	wp_error err = {0};
	other o;

	installed_venv(w);
	take(w, &o, in_venv(w, ".wheelpack/lock"), remove_meta);
	simple(w, "two", "1.0", "two.py", "y");
	assert_ok(install(w, &err));
	is_text(w, SITE "/two.py", "y");
}

static const char *side(world *w)
{
	return at(w, "home/.env.wheelpack-4711/lock");
}

static void a_new_venv_waits_for_who_builds_it(void **state)
{
	world *w = *state;
	wp_error err = {0};
	other o;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	take(w, &o, side(w), NULL);
	assert_ok(install(w, &err));
	assert_int_equal(o.told, 1);
	assert_true(w->out.created);
	assert_false(os_is_dir(os_dirname(w->a, side(w))));
}

static void make_venv(other *o)
{
	world *w = o->w;
	wp_install_request in = w->in;
	wp_ctx ctx = w->ctx;
	wp_receipt r;
	wp_error err = {0};

	in.wait = false;
	in.venv = at(w, "home/made");
	ctx.progress = NULL;
	assert_ok(wp_install(&ctx, &in, &r, &err));
	assert_ok(os_rename_new(in.venv, w->venv, &err));
}

static void what_it_built_is_installed_into(void **state)
{
	world *w = *state;
	wp_error err = {0};
	other o;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	take(w, &o, side(w), make_venv);
	assert_ok(install(w, &err));
	assert_false(w->out.created);
	assert_int_equal(w->out.kept, 1);
}

static void a_stop_while_it_waits_for_a_new_one(void **state)
{
	world *w = *state;
	wp_error err = {0};
	other o;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	take(w, &o, side(w), cancel);
	is_stopped(w);
	assert_false(os_is_dir(w->venv));
	w->in.wait = false;
	w->cancel = 0;
	assert_ok(install(w, &err));
}

static void uninstall_and_repair_wait_too(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *const names[] = {"pkg"};
	wp_uninstall_request q = {.venv = w->venv, .projects = names, .n = 1, .no_sync = true, .wait = true};
	wp_uninstalled u;
	wp_repaired r;
	other o;

	installed_venv(w);
	take(w, &o, in_venv(w, ".wheelpack/lock"), NULL);
	assert_ok(wp_repair(&w->ctx, w->venv, false, true, &r, &err));
	assert_int_equal(o.told, 1);
	take(w, &o, in_venv(w, ".wheelpack/lock"), NULL);
	assert_ok(wp_uninstall(&w->ctx, &q, &u, &err));
	assert_int_equal(o.told, 1);
	assert_int_equal(u.distributions, 1);
}

/* Wheels without a bundle are looked at before the lock is taken: what another run did since isn't lost. */
static void what_was_seen_of_the_venv_must_hold(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m[] = {{.name = "one.py", .data = "1"}}, m2[] = {{.name = "two.py", .data = "2"}};
	const mw_wheel one = {.project = "one", .version = "1.0", .members = m, .n = 1};
	const mw_wheel two = {.project = "two", .version = "1.0", .members = m2, .n = 1};
	const char *first = os_join(w->a, w->store, mw_write(w->a, w->store, &one).filename);
	const char *second = os_join(w->a, w->store, mw_write(w->a, w->store, &two).filename);
	wp_loose_request q = {.paths = &first, .n = 1, .venv = w->venv, .python = w->python};
	wp_loose l, late;
	wp_install_request in = {.venv = w->venv, .python = w->python, .no_sync = true};

	assert_ok(wp_loose_make(&w->ctx, &q, &l, &err));
	q.paths = &second;
	assert_ok(wp_loose_make(&w->ctx, &q, &late, &err));
	in.lock = &l.lock;
	in.loose = &l;
	in.wheels = l.wheels;
	assert_ok(wp_install(&w->ctx, &in, &w->out, &err));
	in.lock = &late.lock;
	in.loose = &late;
	in.wheels = late.wheels;
	assert_int_equal(wp_install(&w->ctx, &in, &w->out, &err), WP_E_BUSY);
	assert_true(w->out.stale);
	err = (wp_error){0};
	assert_ok(wp_loose_make(&w->ctx, &q, &late, &err));
	assert_ok(wp_install(&w->ctx, &in, &w->out, &err));
	assert_int_equal(late.record.nwheels, 2);
}

/* Until it is killed, or the test has ended: what has no live run is removed. */
static void clean_up_beside(world *w, const char *side, pid_t test)
{
	const char *path = wp_sprintf(w->a, "%s/lock", side);

	while (getppid() == test) {
		wp_error ignored = {0};
		os_lock *lock = NULL;

		if (os_is_dir(side) && !os_lock_take(path, &lock, &ignored))
			wp_switch_remove(w->a, side, lock, &ignored);
	}
	_exit(0);
}

static void a_run_that_comes_up_is_not_taken_for_a_dead_one(void **state)
{
	world *w = *state;
	const char *side = at(w, "home/.env.wheelpack-7");
	wp_error err = {0};
	pid_t pid, test = getpid();
	int i;

	assert_ok(os_mkdirs(w->home, &err));
	pid = fork();
	if (pid == 0)
		clean_up_beside(w, side, test);
	for (i = 0; i < 300; i++) {
		os_lock *lock = NULL;

		assert_ok(wp_switch_open_side(w->a, side, &lock, &err));
		tmp_write(wp_sprintf(w->a, "%s/built", side), wp_str_of("x"));
		if (i % 16 == 0)
			os_sleep_ms(1);
		assert_true(os_is_file(wp_sprintf(w->a, "%s/built", side)));
		assert_ok(wp_switch_remove(w->a, side, lock, &err));
		while (os_is_dir(side)) /* its last look, at the moment when the lock came free */
			os_sleep_ms(1);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Root alone can make what belongs to others. */
static void what_others_put_beside_a_venv_is_not_followed(void **state)
{
	enum { OTHER = 12345 };
	world *w = *state;
	wp_rolled_back r;
	wp_error err = {0};
	wp_repaired got;

	if (geteuid() != 0)
		skip();
	installed_venv(w);
	assert_ok(os_mkdirs(at(w, "home/.env.wheelpack-7/venv"), &err));
	tmp_write(at(w, "home/.env.wheelpack-7/venv/pyvenv.cfg"), wp_str_of("home = /\n"));
	tmp_write(at(w, "home/.env.wheelpack-7/switch"), wp_str_of("wheelpack.switch/1\ninstall "
		"0000000000000000000000000000000000000000000000000000000000000000\nend\n"));
	assert_ok(chown(at(w, "home/.env.wheelpack-7"), OTHER, OTHER));
	assert_ok(wp_repair(&w->ctx, w->venv, false, false, &got, &err));
	assert_int_equal(got, WP_REPAIR_NOTHING);
	assert_true(os_is_file(in_venv(w, ".wheelpack/receipt.json")));
	assert_true(os_is_file(at(w, "home/.env.wheelpack-7/switch")));
	assert_ok(os_rename(at(w, "home/.env.wheelpack-7"), at(w, "home/.env.wheelpack-before"), &err));
	assert_int_equal(wp_rollback(&w->ctx, w->venv, true, false, &r, &err), WP_E_PERMISSION);
	assert_true(os_is_file(in_venv(w, ".wheelpack/receipt.json")));
	w->in.beside = true;
	err = (wp_error){0};
	assert_int_equal(install(w, &err), WP_E_PERMISSION);
	assert_ok(chown(at(w, "home"), OTHER, OTHER)); /* whose directory it is can do what they like there */
	err = (wp_error){0};
	assert_ok(wp_rollback(&w->ctx, w->venv, true, false, &r, &err));
}

static void what_cannot_be_removed_is_in_nobodys_way(void **state)
{
	world *w = *state;
	wp_repaired got = WP_REPAIR_UNDONE;
	wp_error err = {0};
	int rc;

	if (geteuid() != 0)
		skip();
	installed_venv(w);
	assert_ok(os_mkdirs(at(w, "home/.env.wheelpack-7"), &err));
	assert_ok(chmod(w->dir, 0755) || chmod(w->home, 0755));
	setfsuid(12345);
	rc = wp_switch_settle(&w->ctx, w->a, w->venv, WP_SETTLE_FINISH, false, &got, &err);
	setfsuid(0);
	assert_ok(rc);
	assert_int_equal(got, WP_REPAIR_NOTHING);
	assert_true(os_is_dir(at(w, "home/.env.wheelpack-7")));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_install_waits_for_another_run_there),
		T(without_wait_it_is_refused),
		T(a_stop_while_waiting_changes_nothing),
		T(the_other_run_may_take_its_folder_away),
		T(a_new_venv_waits_for_who_builds_it),
		T(what_it_built_is_installed_into),
		T(a_stop_while_it_waits_for_a_new_one),
		T(uninstall_and_repair_wait_too),
		T(what_was_seen_of_the_venv_must_hold),
		T(a_run_that_comes_up_is_not_taken_for_a_dead_one),
		T(what_others_put_beside_a_venv_is_not_followed),
		T(what_cannot_be_removed_is_in_nobodys_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

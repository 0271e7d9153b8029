/* SPDX-License-Identifier: MIT */
#include "unit/test.h"

#include "unit/install_world.h"

/* ---- the states of a switch ------------------------------------------------------------------ */

/* Venvs are known by a file with their name, and by a receipt. */
static void make(world *w, const char *path, const char *name)
{
	wp_error err = {0};

	assert_ok(os_mkdirs(at(w, wp_sprintf(w->a, "%s/.wheelpack", path)), &err));
	tmp_write(at(w, wp_sprintf(w->a, "%s/name", path)), wp_str_of(name));
	tmp_write(at(w, wp_sprintf(w->a, "%s/pyvenv.cfg", path)), wp_str_of("home = /\n"));
	tmp_write(at(w, wp_sprintf(w->a, "%s/.wheelpack/receipt.json", path)), wp_str_of(name));
}

#define SIDE "home/.env.wheelpack-1"
#define KEEP "home/.env.wheelpack-before"

static void is(world *w, const char *path, const char *name)
{
	const char *file = at(w, wp_sprintf(w->a, "%s/name", path));

	if (!name)
		assert_false(os_is_file(file));
	else
		assert_string_equal(tmp_read(w->a, file).p, name);
}

static void put_switch(world *w, const char *kind)
{
	char hex[WP_SHA256_HEX + 1];

	wp_sha256_hex(wp_str_of("new"), hex);
	tmp_write(at(w, SIDE "/switch"), wp_str_of(wp_streq(kind, "install")
		? wp_sprintf(w->a, "wheelpack.switch/1\ninstall %s\nend\n", hex) : "wheelpack.switch/1\nrollback\nend\n"));
}

/* Where each of the venvs lies, by the names above; NULL: nothing is there. */
typedef struct standing {
	const char *kind, *here, *fresh, *old, *older, *before;
} standing;

static void arrange(world *w, const standing *s)
{
	wp_error err = {0};

	assert_ok(os_remove_tree(w->home, &err));
	assert_ok(os_mkdirs(at(w, SIDE), &err));
	tmp_write(at(w, SIDE "/lock"), wp_str_of(""));
	put_switch(w, s->kind);
	if (s->here)
		make(w, "home/env", s->here);
	if (s->fresh)
		make(w, SIDE "/venv", s->fresh);
	if (s->old)
		make(w, SIDE "/old", s->old);
	if (s->older)
		make(w, SIDE "/older", s->older);
	if (s->before)
		make(w, KEEP "/venv", s->before);
}

static void settles(world *w, const standing *s, wp_settle how, wp_repaired wanted, const char *here, const char *before)
{
	wp_error err = {0};
	wp_repaired got;

	arrange(w, s);
	assert_ok(wp_switch_settle(&w->ctx, w->a, w->venv, how, false, &got, &err));
	assert_int_equal(got, wanted);
	is(w, "home/env", here);
	is(w, KEEP "/venv", before);
	assert_false(os_is_dir(at(w, SIDE)));
	assert_int_equal(os_is_dir(at(w, KEEP)), before != NULL);
	assert_ok(wp_switch_settle(&w->ctx, w->a, w->venv, how, false, &got, &err));
	assert_int_equal(got, WP_REPAIR_NOTHING);
}

static void a_stopped_install_is_finished_or_taken_back_from_wherever_it_stands(void **state)
{
	static const standing states[] = {
		{"install", "was", "new", NULL, NULL, "kept"},
		{"install", NULL, "new", "was", NULL, "kept"},
		{"install", "new", "was", NULL, NULL, "kept"},
		{"install", "new", NULL, "was", NULL, "kept"},
		{"install", "new", NULL, "was", "kept", NULL},
		{"install", "new", NULL, NULL, "kept", "was"},
	};
	world *w = *state;
	size_t i;

	for (i = 0; i < sizeof states / sizeof *states; i++) {
		settles(w, &states[i], WP_SETTLE_FINISH, WP_REPAIR_FINISHED, "new", "was");
		settles(w, &states[i], WP_SETTLE_UNDO, WP_REPAIR_UNDONE, "was", "kept");
		settles(w, &states[i], WP_SETTLE_OLD, WP_REPAIR_UNDONE, "was", "kept");
	}
}

static void the_first_one_is_so_too(void **state)
{
	static const standing states[] = {
		{"install", "was", "new", NULL, NULL, NULL},
		{"install", NULL, "new", "was", NULL, NULL},
		{"install", "new", "was", NULL, NULL, NULL},
		{"install", "new", NULL, "was", NULL, NULL},
		{"install", "new", NULL, NULL, NULL, "was"},
	};
	world *w = *state;
	size_t i;

	for (i = 0; i < sizeof states / sizeof *states; i++) {
		settles(w, &states[i], WP_SETTLE_FINISH, WP_REPAIR_FINISHED, "new", "was");
		settles(w, &states[i], WP_SETTLE_UNDO, WP_REPAIR_UNDONE, "was", NULL);
	}
}

static void a_stopped_rollback_is_so_too(void **state)
{
	static const standing begun[] = {
		{"rollback", NULL, NULL, "now", NULL, "was"},
		{"rollback", "was", NULL, "now", NULL, NULL},
	};
	standing none = {"rollback", "now", NULL, NULL, NULL, "was"};
	world *w = *state;
	size_t i;

	for (i = 0; i < sizeof begun / sizeof *begun; i++) {
		settles(w, &begun[i], WP_SETTLE_FINISH, WP_REPAIR_FINISHED, "was", "now");
		settles(w, &begun[i], WP_SETTLE_OLD, WP_REPAIR_FINISHED, "was", "now");
		settles(w, &begun[i], WP_SETTLE_UNDO, WP_REPAIR_UNDONE, "now", "was");
	}
	settles(w, &none, WP_SETTLE_FINISH, WP_REPAIR_NOTHING, "now", "was");
	settles(w, &none, WP_SETTLE_UNDO, WP_REPAIR_NOTHING, "now", "was");
}

static void what_nobody_can_finish_is_left_as_it_is(void **state)
{
	standing gone = {"install", NULL, NULL, NULL, NULL, "kept"}, both = {"install", "other", "new", "was", NULL, "kept"};
	world *w = *state;
	wp_error err = {0};
	wp_repaired got;
	const char *before;

	arrange(w, &gone);
	before = snapshot(w);
	assert_int_equal(wp_switch_settle(&w->ctx, w->a, w->venv, WP_SETTLE_FINISH, false, &got, &err), WP_E_VENV);
	assert_non_null(strstr(err.state, "between two states"));
	assert_true(wp_switch_stopped(w->a, w->venv));
	err = (wp_error){0};
	arrange(w, &both);
	assert_int_equal(wp_switch_settle(&w->ctx, w->a, w->venv, WP_SETTLE_UNDO, false, &got, &err), WP_E_EXISTS);
	is(w, "home/env", "other");
	is(w, SIDE "/old", "was");
	err = (wp_error){0};
	arrange(w, &gone);
	tmp_write(at(w, SIDE "/switch"), wp_str_of("wheelpack.switch/1\ninstall 12\nend\n"));
	assert_int_equal(wp_switch_settle(&w->ctx, w->a, w->venv, WP_SETTLE_FINISH, false, &got, &err), WP_E_DOCUMENT);
	assert_true(os_is_file(at(w, SIDE "/switch")));
	put_switch(w, "install");
	assert_string_equal(snapshot(w), before);
}

static void a_live_run_is_left_alone(void **state)
{
	standing s = {"install", "was", "new", NULL, NULL, "kept"};
	world *w = *state;
	wp_error err = {0};
	wp_repaired got;
	os_lock *lock;

	arrange(w, &s);
	assert_ok(os_lock_take(at(w, SIDE "/lock"), &lock, &err));
	assert_int_equal(wp_switch_settle(&w->ctx, w->a, w->venv, WP_SETTLE_FINISH, false, &got, &err), WP_E_BUSY);
	err = (wp_error){0};
	assert_int_equal(wp_switch_free(w->a, w->venv, &err), WP_E_BUSY);
	os_lock_release(lock);
	is(w, "home/env", "was");
	is(w, SIDE "/venv", "new");
	err = (wp_error){0};
	assert_int_equal(wp_switch_free(w->a, w->venv, &err), WP_E_VENV); /* stopped */
}

static void what_no_run_has_made_is_left_alone(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_repaired got;

	make(w, "home/env", "was");
	make(w, SIDE, "a venv of that name");
	tmp_write(at(w, "home/.env.wheelpack-2"), wp_str_of("a file"));
	assert_ok(os_mkdirs(at(w, "home/else"), &err));
	tmp_write(at(w, "home/else/file"), wp_str_of("behind a link"));
	if (!os_is_windows())
		assert_ok(os_symlink("else", at(w, "home/.env.wheelpack-3"), &err));
	assert_ok(wp_switch_settle(&w->ctx, w->a, w->venv, WP_SETTLE_FINISH, false, &got, &err));
	is(w, SIDE, "a venv of that name");
	assert_true(os_is_file(at(w, "home/.env.wheelpack-2")));
	assert_true(os_is_windows() || os_is_file(at(w, "home/.env.wheelpack-3/file")));
}

static void a_link_is_followed_though_nothing_is_there(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *place;

	needs_links();
	assert_ok(os_symlink("home/env", at(w, "link"), &err));
	assert_ok(os_symlink("link", at(w, "link2"), &err));
	assert_ok(wp_switch_place(w->a, at(w, "link2"), &place, &err));
	assert_string_equal(place, w->venv);
	assert_ok(os_symlink("loop", at(w, "loop"), &err));
	assert_ok(wp_switch_place(w->a, at(w, "loop"), &place, &err));
}

/* ---- installs -------------------------------------------------------------------------------- */

static void old_and_new(world *w)
{
	wp_error err = {0};

	simple(w, "demo", "1.0", "demo.py", "one");
	assert_ok(install(w, &err));
	forget(w);
	simple(w, "demo", "2.0", "demo.py", "two");
	w->in.beside = true;
	w->in.time = "2026-02-02T03:04:05Z";
}

static const char *kept(world *w, const char *path)
{
	return at(w, wp_sprintf(w->a, KEEP "/venv/%s", path));
}

static void the_new_one_takes_the_place_and_rollback_goes_back(void **state)
{
	world *w = *state;
	wp_rolled_back r;
	wp_error err = {0};

	old_and_new(w);
	assert_ok(install(w, &err));
	is_text(w, SITE "/demo.py", "two");
	assert_string_equal(tmp_read(w->a, kept(w, SITE "/demo.py")).p, "one");
	assert_string_equal(w->out.before, at(w, KEEP "/venv"));
	assert_true(w->out.before_bytes > 100);
	assert_false(w->out.created);
	assert_string_equal(w->out.venv, w->venv);
	assert_ok(wp_rollback(&w->ctx, w->venv, true, false, &r, &err));
	is_text(w, SITE "/demo.py", "one");
	assert_string_equal(tmp_read(w->a, kept(w, SITE "/demo.py")).p, "two");
	assert_ok(wp_rollback(&w->ctx, w->venv, true, false, &r, &err));
	is_text(w, SITE "/demo.py", "two");
}

static void what_was_kept_before_goes_when_all_went_well(void **state)
{
	world *w = *state;
	wp_error err = {0};

	old_and_new(w);
	assert_ok(install(w, &err));
	forget(w);
	simple(w, "demo", "3.0", "demo.py", "three");
	w->in.time = "2026-02-03T03:04:05Z";
	assert_ok(install(w, &err));
	is_text(w, SITE "/demo.py", "three");
	assert_string_equal(tmp_read(w->a, kept(w, SITE "/demo.py")).p, "two");
	w->in.time = NULL;
	assert_ok(install(w, &err));
	assert_ok(install(w, &err)); /* with the same receipt */
	is_text(w, SITE "/demo.py", "three");
}

static void a_first_install_is_an_ordinary_one(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "demo", "1.0", "demo.py", "one");
	w->in.beside = true;
	assert_ok(install(w, &err));
	assert_true(w->out.created);
	assert_null(w->out.before);
	assert_false(os_is_dir(at(w, KEEP)));
}

static int fails(void *user, const char *dir, const char *python, wp_error *e)
{
	world *w = user;

	assert_string_equal(tmp_read(w->a, os_join(w->a, dir, SITE "/demo.py")).p, "two");
	assert_true(wp_ends(python, "/bin/python"));
	assert_true(os_is_file(python));
	return wp_fail(e, WP_E_TRIAL, "it is not good");
}

static int interrupts(void *user, const char *dir, const char *python, wp_error *e)
{
	world *w = user;

	(void)dir, (void)python, (void)e;
	atomic_store(&w->cancel, 1);
	return 0;
}

static void a_trial_that_fails_leaves_all_as_it_was(void **state)
{
	world *w = *state;

	old_and_new(w);
	w->in.trial = (wp_trial){fails, w};
	refused(w, WP_E_TRIAL, "it is not good");
	w->in.trial = (wp_trial){interrupts, w};
	refused(w, WP_E_INTERRUPTED, "");
}

static void without_one_that_is_kept_nothing_is_rolled_back(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_rolled_back r;
	const char *before;

	assert_int_equal(wp_rollback(&w->ctx, w->venv, true, false, &r, &err), WP_E_NOT_FOUND);
	old_and_new(w);
	before = snapshot(w);
	err = (wp_error){0};
	assert_int_equal(wp_rollback(&w->ctx, w->venv, true, false, &r, &err), WP_E_NOT_FOUND);
	assert_non_null(strstr(err.next, "--beside"));
	assert_string_equal(snapshot(w), before);
	err = (wp_error){0};
	assert_ok(install(w, &err));
	assert_ok(os_unlink(kept(w, "pyvenv.cfg"), &err));
	before = snapshot(w);
	assert_int_equal(wp_rollback(&w->ctx, w->venv, true, false, &r, &err), WP_E_VENV);
	assert_string_equal(snapshot(w), before);
}

static void a_venv_that_was_removed_comes_back(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_rolled_back r;

	old_and_new(w);
	assert_ok(install(w, &err));
	assert_ok(os_remove_tree(w->venv, &err));
	assert_ok(wp_rollback(&w->ctx, w->venv, true, false, &r, &err));
	is_text(w, SITE "/demo.py", "one");
	assert_null(r.before);
	assert_false(os_is_dir(at(w, KEEP)));
}

static void what_the_new_one_will_not_have_is_told(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "demo", "1.0", "demo.py", "one");
	simple(w, "other", "4.0", "other.py", "");
	assert_ok(install(w, &err));
	tmp_write(in_venv(w, "pyvenv.cfg"), wp_str_of("include-system-site-packages = true\nversion = 3.12.7\n"));
	forget(w);
	simple(w, "demo", "2.0", "demo.py", "two");
	w->in.beside = true;
	assert_ok(install(w, &err));
	assert_non_null(finding(w, "N530"));
	assert_string_equal(finding(w, "N530")->why, "other 4.0");
	assert_non_null(finding(w, "N532"));
}

static void the_base_of_the_old_one_is_taken_if_it_fits(void **state)
{
	world *w = *state;
	wp_error err = {0};

	old_and_new(w);
	w->in.python = NULL; /* nothing on PATH */
	w->in.search_path = "";
	assert_ok(install(w, &err));
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, "pyvenv.cfg")).p, wp_sprintf(w->a, "executable = %s", w->python)));
}

static void a_directory_that_is_no_venv_is_refused(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "demo", "1.0", "demo.py", "one");
	w->in.beside = true;
	assert_ok(os_mkdir(w->venv, &err));
	tmp_write(in_venv(w, "mine"), wp_str_of(""));
	refused(w, WP_E_VENV, "has no pyvenv.cfg");
	assert_ok(os_remove_tree(w->venv, &err));
	w->in.beside = false;
	assert_ok(install(w, &err));
	w->in.beside = true;
	tmp_write(at(w, KEEP), wp_str_of(""));
	refused(w, WP_E_EXISTS, "is not a directory");
}

/* Both ways: in the venv, and beside it. */
static void others_are_kept_away(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_rolled_back r;
	wp_repaired repaired;
	os_lock *lock;

	old_and_new(w);
	assert_ok(os_lock_take(in_venv(w, ".wheelpack/lock"), &lock, &err));
	refused(w, WP_E_BUSY, "is working there");
	assert_int_equal(wp_rollback(&w->ctx, w->venv, true, false, &r, &err), WP_E_NOT_FOUND);
	err = (wp_error){0};
	os_lock_release(lock);
	assert_ok(install(w, &err));
	assert_ok(os_mkdir(at(w, SIDE), &err));
	assert_ok(os_lock_take(at(w, SIDE "/lock"), &lock, &err));
	refused(w, WP_E_BUSY, "is working there");
	w->in.beside = false;
	refused(w, WP_E_BUSY, "is working there");
	assert_int_equal(wp_rollback(&w->ctx, w->venv, true, false, &r, &err), WP_E_BUSY);
	err = (wp_error){0};
	assert_int_equal(wp_repair(&w->ctx, w->venv, false, false, &repaired, &err), WP_E_BUSY);
	os_lock_release(lock);
	err = (wp_error){0};
	assert_ok(install(w, &err));
}

/* ---- stopped runs, by the commands ------------------------------------------------------------- */

static void stop_in_the_middle(world *w)
{
	wp_error err = {0};
	char hex[WP_SHA256_HEX + 1];

	assert_ok(install(w, &err));
	assert_ok(os_mkdir(at(w, SIDE), &err));
	wp_sha256_hex(tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json")), hex);
	tmp_write(at(w, SIDE "/switch"), wp_str_of(wp_sprintf(w->a, "wheelpack.switch/1\ninstall %s\nend\n", hex)));
	assert_ok(os_rename_new(w->venv, at(w, SIDE "/venv"), &err));
	assert_ok(os_rename_new(kept(w, ""), at(w, SIDE "/old"), &err));
}

static void the_next_command_finishes_or_takes_back(void **state)
{
	world *w = *state;
	const char *names[] = {"demo"};
	wp_uninstalled u;
	wp_error err = {0};
	wp_repaired repaired;
	wp_rolled_back r;
	wp_tree tree;

	old_and_new(w);
	stop_in_the_middle(w);
	assert_int_equal(wp_venv_tree(&w->ctx, w->venv, &tree, &err), WP_E_NOT_FOUND);
	assert_non_null(strstr(err.next, "wheelpack repair --venv"));
	assert_true(wp_repair_due(&w->ctx, w->venv));
	err = (wp_error){0};
	assert_ok(wp_repair(&w->ctx, w->venv, true, false, &repaired, &err));
	assert_int_equal(repaired, WP_REPAIR_UNDONE);
	is_text(w, SITE "/demo.py", "one");
	stop_in_the_middle(w);
	assert_ok(wp_repair(&w->ctx, w->venv, false, false, &repaired, &err));
	assert_int_equal(repaired, WP_REPAIR_FINISHED);
	is_text(w, SITE "/demo.py", "two");
	assert_ok(wp_rollback(&w->ctx, w->venv, true, false, &r, &err));
	stop_in_the_middle(w);
	assert_ok(wp_rollback(&w->ctx, w->venv, true, false, &r, &err));
	assert_int_equal(r.stopped, WP_REPAIR_UNDONE);
	is_text(w, SITE "/demo.py", "one");
	stop_in_the_middle(w);
	assert_ok(install(w, &err)); /* beside: what is kept is what was in place before both */
	assert_non_null(finding(w, "N531"));
	is_text(w, SITE "/demo.py", "two");
	assert_string_equal(tmp_read(w->a, kept(w, SITE "/demo.py")).p, "one");
	assert_ok(wp_rollback(&w->ctx, w->venv, true, false, &r, &err));
	stop_in_the_middle(w);
	w->in.beside = false;
	assert_ok(install(w, &err));
	assert_non_null(finding(w, "N510"));
	assert_int_equal(w->out.kept, 1);
	w->in.beside = true;
	assert_ok(wp_rollback(&w->ctx, w->venv, true, false, &r, &err));
	stop_in_the_middle(w);
	assert_ok(wp_uninstall(&w->ctx, &(wp_uninstall_request){w->venv, names, 1, true, false}, &u, &err));
	assert_false(os_is_file(in_venv(w, SITE "/demo.py")));
	assert_false(wp_repair_due(&w->ctx, w->venv));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stopped_install_is_finished_or_taken_back_from_wherever_it_stands),
		TEST(the_first_one_is_so_too),
		TEST(a_stopped_rollback_is_so_too),
		TEST(what_nobody_can_finish_is_left_as_it_is),
		TEST(a_live_run_is_left_alone),
		TEST(what_no_run_has_made_is_left_alone),
		TEST(a_link_is_followed_though_nothing_is_there),
		TEST(the_new_one_takes_the_place_and_rollback_goes_back),
		TEST(what_was_kept_before_goes_when_all_went_well),
		TEST(a_first_install_is_an_ordinary_one),
		TEST(a_trial_that_fails_leaves_all_as_it_was),
		TEST(without_one_that_is_kept_nothing_is_rolled_back),
		TEST(a_venv_that_was_removed_comes_back),
		TEST(what_the_new_one_will_not_have_is_told),
		TEST(the_base_of_the_old_one_is_taken_if_it_fits),
		TEST(a_directory_that_is_no_venv_is_refused),
		TEST(others_are_kept_away),
		TEST(the_next_command_finishes_or_takes_back),
	};

	return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}

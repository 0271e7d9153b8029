/* SPDX-License-Identifier: MIT */
#include "unit/install_world.h"

static void change_mode(world *w, const char *path, unsigned mode)
{
	assert_int_equal(chmod(at(w, path), mode), 0);
}

/* Where anybody may go. */
static void open_world(world *w)
{
	change_mode(w, ".", 0755);
	change_mode(w, "py", 0755);
	change_mode(w, "py/bin", 0755);
	change_mode(w, "py/bin/python3.12", 0755);
	change_mode(w, "home", 0755);
	w->in.all_users = true;
}

static void add_wheel(world *w)
{
	static const mw_member m[] = {
		{.name = "pkg/sub/__init__.py", .data = "x\n"},
		{.name = "pkg-1.0.data/scripts/tool", .data = "#!python\n"},
	};
	static const mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = 2};

	add(w, &v);
}

static int install_tight(world *w, wp_error *e)
{
	mode_t before = umask(077);
	int rc = install(w, e);

	umask(before);
	return rc;
}

/* Files and directories from the venv on. */
static void all_can_read(world *w, const char *from)
{
	wp_error err = {0};
	os_entry *v;
	size_t i, n;

	assert_ok(os_walk(w->a, from, &v, &n, &err));
	assert_true(n > 10);
	for (i = 0; i < n; i++) {
		struct stat st;

		if (v[i].kind == OS_LINK || wp_streq(os_basename(v[i].path), "lock"))
			continue;
		assert_int_equal(stat(os_join(w->a, from, v[i].path), &st), 0);
		if ((st.st_mode & 07777) != 0755u && ((st.st_mode & 07777) != 0644u || v[i].kind != OS_FILE))
			fail_msg("%s is %o", v[i].path, (unsigned)st.st_mode);
	}
}

static void a_new_venv_is_open_to_all_whatever_the_umask(void **state)
{
	world *w = *state;
	wp_error err = {0};

	open_world(w);
	add_wheel(w);
	w->in.venv = w->venv = at(w, "home/new/parents/env");
	assert_ok(install_tight(w, &err));
	all_can_read(w, w->home);
	assert_int_equal(mode_of(w, "bin/tool"), 0755);
	assert_int_equal(mode_of(w, SITE "/pkg/sub/__init__.py"), 0644);
	assert_int_equal(mode_of(w, "."), 0755);
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json")).p, "\"all_users\": true"));
}

static void what_comes_later_is_too(void **state)
{
	world *w = *state;
	wp_error err = {0};

	open_world(w);
	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install_tight(w, &err));
	add_wheel(w);
	assert_ok(install_tight(w, &err));
	all_can_read(w, w->venv);
}

static void a_shared_venv_stays_one(void **state)
{
	world *w = *state;
	wp_error err = {0};

	open_world(w);
	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install_tight(w, &err));
	w->in.all_users = false;
	add_wheel(w);
	assert_ok(install_tight(w, &err));
	all_can_read(w, w->venv);
	w->in.beside = true;
	assert_ok(install_tight(w, &err));
	all_can_read(w, w->venv);
	assert_int_equal(mode_of(w, SITE "/pkg/sub/__init__.py"), 0644);
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json")).p, "\"all_users\": true"));
}

static void without_it_the_umask_decides(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *receipt;

	add_wheel(w);
	assert_ok(install_tight(w, &err));
	assert_int_equal(mode_of(w, SITE "/pkg/sub/__init__.py"), 0600);
	receipt = tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json")).p;
	assert_null(strstr(receipt, "all_users"));
	assert_non_null(strstr(receipt, os_is_elevated() ? "\"elevated\": true" : "\"elevated\": false"));
	assert_null(finding(w, "N563")); /* nobody else comes near it */
}

static void a_place_that_others_cannot_reach_is_refused(void **state)
{
	world *w = *state;

	open_world(w);
	add_wheel(w);
	change_mode(w, "home", 0750);
	refused(w, WP_E_PERMISSION, wp_sprintf(w->a, "can't pass '%s'", w->home));
	change_mode(w, "home", 0711);
	w->in.venv = w->venv = at(w, "home/closed/env");
	assert_int_equal(mkdir(at(w, "home/closed"), 0700), 0);
	refused(w, WP_E_PERMISSION, wp_sprintf(w->a, "can't pass '%s/closed'", w->home));
}

static void so_is_a_venv_that_is_closed_itself(void **state)
{
	world *w = *state;
	wp_error err = {0};

	open_world(w);
	add_wheel(w);
	w->in.all_users = false;
	assert_ok(install_tight(w, &err));
	w->in.all_users = true;
	refused(w, WP_E_PERMISSION, "can't pass");
}

static void a_python_that_others_cannot_run_is_refused(void **state)
{
	world *w = *state;

	open_world(w);
	add_wheel(w);
	change_mode(w, "py", 0700);
	refused(w, WP_E_NO_INTERPRETER, wp_sprintf(w->a, "can't pass '%s/py'", w->dir));
	change_mode(w, "py", 0755);
	change_mode(w, "py/bin/python3.12", 0750);
	refused(w, WP_E_NO_INTERPRETER, "can't pass");
}

/* A link from a place for all to one's own. */
static void links_to_a_python_are_followed(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *mine = at(w, "mine/python3.12");

	open_world(w);
	add_wheel(w);
	assert_int_equal(mkdir(at(w, "mine"), 0700), 0);
	assert_ok(os_rename(w->python, mine, &err));
	assert_ok(os_symlink(mine, w->python, &err));
	refused(w, WP_E_NO_INTERPRETER, "/mine'");
}

static void both_are_told_at_once(void **state)
{
	world *w = *state;
	wp_error err = {0};

	add_wheel(w);
	w->in.all_users = true; /* all of it lies in a directory of 0700 */
	assert_int_equal(install(w, &err), WP_E_PERMISSION);
	assert_non_null(strstr(err.state, "2 refusals in all"));
}

static void an_admin_is_warned_of_a_private_python(void **state)
{
	world *w = *state;
	wp_error err = {0};

	open_world(w);
	add_wheel(w);
	change_mode(w, "py", 0700);
	w->in.all_users = false;
	assert_ok(install(w, &err));
	assert_int_equal(finding(w, "N563") != NULL, os_is_elevated());
	assert_ok(install(w, &err)); /* of a venv that is there it was said */
	assert_null(finding(w, "N563"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_new_venv_is_open_to_all_whatever_the_umask),
		T(what_comes_later_is_too),
		T(a_shared_venv_stays_one),
		T(without_it_the_umask_decides),
		T(a_place_that_others_cannot_reach_is_refused),
		T(so_is_a_venv_that_is_closed_itself),
		T(a_python_that_others_cannot_run_is_refused),
		T(links_to_a_python_are_followed),
		T(both_are_told_at_once),
		T(an_admin_is_warned_of_a_private_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

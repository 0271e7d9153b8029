/* SPDX-License-Identifier: MIT */
#include "unit/place.h"

static void put(place *p, const char *name)
{
	wp_error err = {0};

	assert_ok(os_write_file(at(p, name), WP_LIT("x"), &err));
}

static void kinds_are_told_without_following_links(void **state)
{
	place *p = *state;
	wp_error err = {0};
	uint64_t size;
	os_kind kind;

	put(p, "f");
	assert_ok(os_stat(at(p, "f"), &kind, &size, &err));
	assert_true(kind == OS_FILE && size == 1);
	assert_ok(os_stat(p->dir, &kind, &size, &err));
	assert_true(kind == OS_DIR);
	assert_ok(os_stat(at(p, "f/below"), &kind, &size, &err));
	assert_true(kind == OS_ABSENT);
	assert_ok(os_stat(at(p, "none/below"), &kind, &size, &err));
	assert_true(kind == OS_ABSENT);
	if (os_is_windows()) /* no links there */
		return;
	assert_ok(os_symlink("f", at(p, "l"), &err));
	assert_ok(os_stat(at(p, "l"), &kind, &size, &err));
	assert_true(kind == OS_LINK);
	assert_true(os_is_file(at(p, "l")) && !os_is_dir(at(p, "l")));
}

static void parents_are_made_once(void **state)
{
	place *p = *state;
	wp_error err = {0};

	assert_ok(os_mkdirs(at(p, "a//b/c/"), &err));
	assert_ok(os_mkdirs(at(p, "a/b/c"), &err));
	assert_true(os_is_dir(at(p, "a/b/c")));
	assert_int_equal(os_mkdir(at(p, "a"), &err), WP_E_EXISTS);
}

static void a_file_in_the_way_of_a_directory_is_an_error(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0};

	put(p, "f");
	assert_int_equal(os_mkdirs(at(p, "f"), &err), WP_E_EXISTS);
	assert_true(os_mkdirs(at(p, "f/g"), &err2) != 0);
}

static void a_walk_is_sorted_and_keeps_out_of_links(void **state)
{
	place *p = *state;
	wp_error err = {0};
	os_entry *v;
	size_t n;

	assert_ok(os_mkdirs(at(p, "t/b/c"), &err));
	assert_ok(os_mkdirs(at(p, "outside"), &err));
	put(p, "t/b/c/f");
	put(p, "t/a");
	put(p, "t/b.txt");
	put(p, "outside/secret");
	if (!os_is_windows())
		assert_ok(os_symlink("../outside", at(p, "t/z"), &err));
	assert_ok(os_walk(p->a, at(p, "t"), &v, &n, &err));
	assert_int_equal(n, os_is_windows() ? 5 : 6);
	assert_string_equal(v[0].path, "a");
	assert_string_equal(v[1].path, "b");
	assert_string_equal(v[2].path, "b.txt");
	assert_string_equal(v[3].path, "b/c");
	assert_string_equal(v[4].path, "b/c/f");
	assert_true(v[4].kind == OS_FILE && v[4].size == 1);
	if (os_is_windows()) /* no links there */
		return;
	assert_string_equal(v[5].path, "z");
	assert_true(v[5].kind == OS_LINK);
}

static void walking_what_is_not_there_is_an_error(void **state)
{
	place *p = *state;
	wp_error err = {0};
	os_entry *v;
	size_t n;

	assert_int_equal(os_walk(p->a, at(p, "none"), &v, &n, &err), WP_E_NOT_FOUND);
}

static void removing_a_tree_spares_what_its_links_name(void **state)
{
	place *p = *state;
	wp_error err = {0};

	assert_ok(os_mkdirs(at(p, "t/b/c"), &err));
	assert_ok(os_mkdirs(at(p, "outside"), &err));
	put(p, "t/b/c/f");
	put(p, "outside/kept");
	if (!os_is_windows())
		assert_ok(os_symlink("../../outside", at(p, "t/b/z"), &err));
	assert_ok(os_remove_tree(at(p, "t"), &err));
	assert_false(os_is_dir(at(p, "t")));
	assert_true(os_is_file(at(p, "outside/kept")));
	assert_ok(os_remove_tree(at(p, "t"), &err));
	if (os_is_windows()) /* no links there */
		return;
	assert_ok(os_symlink("outside", at(p, "l"), &err));
	assert_ok(os_remove_tree(at(p, "l"), &err));
	assert_true(os_is_file(at(p, "outside/kept")));
}

/* Deeper than the number of open files allowed, and than PATH_MAX. */
static void a_very_deep_tree_is_removed(void **state)
{
	place *p = *state;
	wp_error err = {0};
	os_dir *d, *sub;
	int i, deep = os_is_windows() ? 300 : 3000; /* there a path has 32,767 characters at most, under Wine 4,096 */

	assert_ok(os_mkdir(at(p, "t"), &err));
	assert_ok(os_dir_open(at(p, "t"), &d, &err));
	for (i = 0; i < deep; i++) {
		assert_ok(os_dir_sub(d, "dd", &sub, &err));
		os_dir_close(d);
		d = sub;
	}
	os_dir_close(d);
	assert_ok(os_remove_tree(at(p, "t"), &err));
	assert_false(os_is_dir(at(p, "t")));
}

static void what_may_not_be_removed_is_named(void **state)
{
	place *p = *state;
	wp_error err = {0};

#ifdef _WIN32
	skip(); /* no mode forbids it */
#else
	if (geteuid() == 0)
		skip();
#endif
	assert_ok(os_mkdirs(at(p, "t/locked/x"), &err));
	chmod(at(p, "t/locked"), 0500);
	assert_int_equal(os_remove_tree(at(p, "t"), &err), WP_E_PERMISSION);
	assert_non_null(strstr(err.why, "'locked'"));
	chmod(at(p, "t/locked"), 0700);
}

static void a_handle_makes_files_only_below_itself(void **state)
{
	static const char *const bad[] = {"", ".", "..", "a/b", "/etc", "../x"};
	place *p = *state;
	wp_error err = {0};
	os_dir *d, *sub;
	os_file *f;
	size_t i;

	assert_ok(os_dir_open(p->dir, &d, &err));
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		wp_error err2 = {0}, err3 = {0};

		assert_int_equal(os_create_at(d, bad[i], 0644, &f, &err2), WP_E_PATH);
		assert_int_equal(os_dir_sub(d, bad[i], &sub, &err3), WP_E_PATH);
	}
	assert_ok(os_dir_sub(d, "s", &sub, &err));
	assert_ok(os_create_at(sub, "f.exe", 0755, &f, &err));
	assert_ok(os_close(f, &err));
	assert_true(os_is_executable(at(p, "s/f.exe")));
	assert_int_equal(os_create_at(sub, "f.exe", 0644, &f, &err), WP_E_EXISTS);
	os_dir_close(sub);
	os_dir_close(d);
}

static void a_handle_does_not_go_through_links(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0}, err3 = {0};
	os_dir *d, *sub;
	os_file *f;

	assert_ok(os_mkdirs(at(p, "outside"), &err));
	put(p, "f");
	assert_ok(os_dir_open(p->dir, &d, &err));
	assert_int_equal(os_dir_sub(d, "f", &sub, &err), WP_E_EXISTS);
	os_dir_close(d);
	if (os_is_windows()) /* no links there */
		return;
	err = (wp_error){0};
	assert_ok(os_symlink("outside", at(p, "l"), &err));
	assert_int_equal(os_dir_open(at(p, "l"), &d, &err2), WP_E_PATH);
	assert_ok(os_dir_open(p->dir, &d, &err));
	assert_int_equal(os_dir_sub(d, "l", &sub, &err3), WP_E_PATH);
	assert_string_equal(err3.where, wp_sprintf(p->a, "'%s/l'", p->dir));
	assert_int_equal(os_create_at(d, "l", 0644, &f, &err), WP_E_EXISTS);
	os_dir_close(d);
}

static void a_rename_replaces_a_file_and_no_directory(void **state)
{
	place *p = *state;
	wp_error err = {0};

	put(p, "a");
	put(p, "b");
	assert_ok(os_mkdir(at(p, "d"), &err));
	assert_ok(os_rename(at(p, "a"), at(p, "b"), &err));
	assert_false(os_is_file(at(p, "a")));
	assert_int_equal(os_rename(at(p, "b"), at(p, "d"), &err), WP_E_EXISTS);
}

static void a_new_name_is_never_taken_from_another(void **state)
{
	place *p = *state;
	wp_error err = {0};

	put(p, "a");
	put(p, "b");
	assert_int_equal(os_rename_new(at(p, "a"), at(p, "b"), &err), WP_E_EXISTS);
	err = (wp_error){0};
	assert_ok(os_rename_new(at(p, "a"), at(p, "c"), &err));
	assert_true(os_is_file(at(p, "c")));
	assert_int_equal(os_rename_new(at(p, "a"), at(p, "e"), &err), WP_E_NOT_FOUND);
}

static void two_names_are_exchanged(void **state)
{
	place *p = *state;
	wp_error err = {0};

	put(p, "a");
	assert_ok(os_mkdir(at(p, "d"), &err));
	if (os_exchange(at(p, "a"), at(p, "d"), &err)) { /* as on Windows, and on old file systems */
		assert_int_equal(err.code, WP_E_IO);
		assert_int_equal(err.sys, 0);
		skip();
	}
	assert_true(os_is_dir(at(p, "a")) && os_is_file(at(p, "d")));
}

static void links_are_read_and_paths_made_full(void **state)
{
	place *p = *state;
	wp_error err = {0};
	const char *out;

	assert_ok(os_absolute(p->a, "x", &out, &err));
	assert_true(os_is_absolute(out) && wp_ends(out, "/x"));
	assert_int_equal(os_realpath(p->a, at(p, "none"), &out, &err), WP_E_NOT_FOUND);
	err = (wp_error){0};
	if (os_is_windows()) {
		assert_ok(os_absolute(p->a, "C:\\a\\\\b/./c/../d/", &out, &err));
		assert_string_equal(out, "C:/a/b/d");
	}
	if (os_is_windows()) /* no links there */
		return;
	assert_ok(os_symlink("some/where", at(p, "l"), &err));
	assert_ok(os_readlink(p->a, at(p, "l"), &out, &err));
	assert_string_equal(out, "some/where");
	assert_ok(os_absolute(p->a, "/a//b/./c/../d/", &out, &err));
	assert_string_equal(out, "/a/b/c/../d");
	assert_ok(os_realpath(p->a, "/usr/..", &out, &err));
	assert_string_equal(out, "/");
	assert_int_equal(os_realpath(p->a, at(p, "l"), &out, &err), WP_E_NOT_FOUND);
}

static void a_missing_file_is_not_removed_silently(void **state)
{
	place *p = *state;
	wp_error err = {0};

	put(p, "f");
	assert_ok(os_sync_tree(p->dir, &err));
	assert_ok(os_unlink(at(p, "f"), &err));
	assert_int_equal(os_unlink(at(p, "f"), &err), WP_E_NOT_FOUND);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(kinds_are_told_without_following_links),
		T(parents_are_made_once),
		T(a_file_in_the_way_of_a_directory_is_an_error),
		T(a_walk_is_sorted_and_keeps_out_of_links),
		T(walking_what_is_not_there_is_an_error),
		T(removing_a_tree_spares_what_its_links_name),
		T(a_very_deep_tree_is_removed),
		T(what_may_not_be_removed_is_named),
		T(a_handle_makes_files_only_below_itself),
		T(a_handle_does_not_go_through_links),
		T(a_rename_replaces_a_file_and_no_directory),
		T(a_new_name_is_never_taken_from_another),
		T(two_names_are_exchanged),
		T(links_are_read_and_paths_made_full),
		T(a_missing_file_is_not_removed_silently),
	};

	return cmocka_run_group_tests_name("os_tree", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "unit/place.h"

static void what_is_written_is_read_back(void **state)
{
	place *p = *state;
	wp_error err = {0};
	wp_str text;

	assert_ok(os_write_file(at(p, "f"), WP_LIT("hello"), &err));
	assert_ok(os_write_file(at(p, "f"), WP_LIT("again"), &err));
	assert_ok(os_read_file(p->a, at(p, "f"), 5, &text, &err));
	assert_true(wp_str_is(text, "again"));
}

#ifdef _WIN32
static void only_files_are_replaced(void **state)
{
	wp_error err = {0};

	(void)state;
	assert_int_equal(os_write_file("NUL", WP_LIT("x"), &err), WP_E_EXISTS);
}
#else
static void only_files_are_replaced(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0}, err3 = {0};
	os_kind kind;
	uint64_t size;

	assert_int_equal(mkfifo(at(p, "device"), 0600), 0);
	assert_int_equal(os_write_file(at(p, "device"), WP_LIT("x"), &err), WP_E_EXISTS);
	assert_ok(os_symlink("device", at(p, "link"), &err2));
	assert_int_equal(os_write_file(at(p, "link"), WP_LIT("x"), &err3), WP_E_EXISTS);
	assert_ok(os_stat(at(p, "device"), &kind, &size, &err2));
	assert_int_equal(kind, OS_OTHER);
	assert_ok(os_stat(at(p, "link"), &kind, &size, &err2));
	assert_int_equal(kind, OS_LINK);
}
#endif

static void a_file_above_the_limit_is_not_read(void **state)
{
	place *p = *state;
	wp_error err = {0};
	wp_str text;

	assert_ok(os_write_file(at(p, "f"), WP_LIT("hello"), &err));
	assert_int_equal(os_read_file(p->a, at(p, "f"), 4, &text, &err), WP_E_TOO_LARGE);
	assert_non_null(strstr(err.why, "5 bytes, at most 4"));
}

static void a_missing_file_is_named_with_its_reason(void **state)
{
	place *p = *state;
	wp_error err = {0};
	os_file *f;

	assert_int_equal(os_open(at(p, "none"), OS_READ, &f, &err), WP_E_NOT_FOUND);
	assert_string_equal(err.where, wp_sprintf(p->a, "'%s/none'", p->dir));
	assert_int_equal(err.sys, ENOENT); /* the same number on Windows */
	if (!os_is_windows())
		assert_non_null(strstr(err.why, "No such file"));
}

static void only_regular_files_are_opened(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0};
	os_file *f;

	assert_int_equal(os_open(p->dir, OS_READ, &f, &err), WP_E_IO);
	assert_string_equal(err.why, "it is a directory");
	assert_int_equal(os_open(p->dir, OS_READ_WRITE, &f, &err), WP_E_IO);
#ifdef _WIN32
	assert_int_equal(os_open("NUL", OS_READ, &f, &err2), WP_E_IO);
	skip(); /* a pipe has no name in a directory */
#else
	assert_int_equal(mkfifo(at(p, "pipe"), 0600), 0);
#endif
	assert_int_equal(os_open(at(p, "pipe"), OS_READ, &f, &err2), WP_E_IO);
	assert_string_equal(err2.why, "it is not a regular file");
}

static void a_new_file_never_takes_an_existing_name(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0};
	os_file *f;

	assert_ok(os_open(at(p, "f"), OS_CREATE_NEW, &f, &err));
	assert_ok(os_close(f, &err));
	assert_int_equal(os_open(at(p, "f"), OS_CREATE_NEW, &f, &err), WP_E_EXISTS);
	if (os_is_windows()) /* no links there */
		return;
	assert_ok(os_symlink("nowhere", at(p, "link"), &err2));
	assert_int_equal(os_open(at(p, "link"), OS_CREATE_NEW, &f, &err2), WP_E_EXISTS);
	assert_false(os_is_file(at(p, "nowhere")));
}

static void a_link_is_not_continued(void **state)
{
	place *p = *state;
	wp_error err = {0};
	os_file *f;

	needs_links();
	assert_ok(os_symlink("target", at(p, "link"), &err));
	assert_int_equal(os_open(at(p, "link"), OS_READ_WRITE, &f, &err), WP_E_PATH);
	assert_ok(os_symlink("circle", at(p, "circle"), &(wp_error){0}));
	assert_int_equal(os_open(at(p, "circle"), OS_READ, &f, &(wp_error){0}), WP_E_NOT_FOUND);
}

static void reading_past_the_end_tells_where_it_ends(void **state)
{
	place *p = *state;
	wp_error err = {0};
	char buf[8];
	os_file *f;

	assert_ok(os_write_file(at(p, "f"), WP_LIT("hello"), &err));
	assert_ok(os_open(at(p, "f"), OS_READ, &f, &err));
	assert_ok(os_pread(f, buf, 3, 2, &err));
	assert_memory_equal(buf, "llo", 3);
	assert_int_equal(os_pread(f, buf, 8, 0, &err), WP_E_IO);
	assert_non_null(strstr(err.why, "ends at byte 5"));
	os_close(f, &err);
}

static void offsets_beyond_any_file_are_refused(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0}, err3 = {0};
	char c = 0;
	os_file *f;

	assert_ok(os_open(at(p, "f"), OS_CREATE_NEW, &f, &err));
	assert_int_equal(os_pread(f, &c, 1, UINT64_MAX, &err), WP_E_IO);
	assert_int_equal(os_pwrite(f, &c, 1, INT64_MAX, &err2), WP_E_IO);
	assert_int_equal(os_truncate(f, UINT64_MAX, &err3), WP_E_IO);
	os_close(f, &err);
}

static void a_partial_file_is_kept_and_grows(void **state)
{
	place *p = *state;
	wp_error err = {0};
	uint64_t size = 0;
	os_file *f;

	assert_ok(os_write_file(at(p, "part"), WP_LIT("abc"), &err));
	assert_ok(os_open(at(p, "part"), OS_READ_WRITE, &f, &err));
	assert_ok(os_pwrite(f, "def", 3, 3, &err));
	assert_ok(os_size(f, &size, &err));
	assert_true(size == 6);
	assert_ok(os_truncate(f, 1, &err));
	assert_ok(os_flush(f, &err));
	assert_ok(os_size(f, &size, &err));
	assert_true(size == 1);
	assert_ok(os_close(f, &err));
}

static void reserving_space_keeps_the_size(void **state)
{
	place *p = *state;
	wp_error err = {0};
	uint64_t size = 1, space;
	os_file *f;

	assert_ok(os_open(at(p, "f"), OS_CREATE_NEW, &f, &err));
	assert_ok(os_preallocate(f, 1 << 16, &err));
	assert_ok(os_size(f, &size, &err));
	assert_true(size == 0);
	assert_ok(os_free_space(at(p, "not/yet"), &space, &err));
	assert_true(space > 0);
	os_close(f, &err);
}

static void system_words_follow_the_cause(void **state)
{
	wp_error err = {0};

	(void)state;
	assert_int_equal(
		wp_fail_sys(&err, WP_E_DISK_FULL, ENOSPC, "it cannot be written"), WP_E_DISK_FULL);
	assert_int_equal(err.sys, ENOSPC);
	assert_true(wp_starts(err.why, "it cannot be written: "));
	if (!os_is_windows())
		assert_string_equal(err.why, "it cannot be written: No space left on device");
}

static void a_failed_write_leaves_no_temporary_file(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0};
	const char **names;
	size_t n;

	assert_ok(os_mkdir(at(p, "d"), &err));
	assert_int_equal(os_write_file(at(p, "d"), WP_LIT("x"), &err), WP_E_EXISTS);
	assert_ok(os_list(p->a, p->dir, &names, &n, &err2));
	assert_int_equal(n, 1);
}

static void a_blob_reads_at_any_place(void **state)
{
	place *p = *state;
	wp_error err = {0};
	wp_blob b;
	char buf[2];

	assert_ok(os_write_file(at(p, "f"), WP_LIT("hello"), &err));
	assert_ok(os_blob(at(p, "f"), &b, &err));
	assert_true(b.size == 5);
	assert_ok(b.read_at(b.self, buf, 2, 3, &err));
	assert_memory_equal(buf, "lo", 2);
	b.close(b.self);
}

static void times_are_written_as_rfc_3339(void **state)
{
	char t[21];

	(void)state;
	os_rfc3339(0, t);
	assert_string_equal(t, "1970-01-01T00:00:00Z");
	os_rfc3339(1709210096, t);
	assert_string_equal(t, "2024-02-29T12:34:56Z");
	os_rfc3339(INT64_MAX, t);
	assert_string_equal(t, "9999-12-31T23:59:59Z");
	os_rfc3339(-1, t);
	assert_true(t[0] == '2' && strlen(t) == 20);
}

static void paths_are_joined_and_cut(void **state)
{
	place *p = *state;

	assert_string_equal(os_join(p->a, "a", "b"), "a/b");
	assert_string_equal(os_join(p->a, "a/", "b"), "a/b");
	assert_string_equal(os_join(p->a, "", "b"), "b");
	assert_string_equal(os_basename("/x/y"), "y");
	assert_string_equal(os_basename("y"), "y");
	assert_string_equal(os_dirname(p->a, "/x/y"), "/x");
	assert_string_equal(os_dirname(p->a, "/x"), "/");
	assert_string_equal(os_dirname(p->a, "x"), ".");
	assert_true(os_is_absolute(os_is_windows() ? "C:/x" : "/x"));
	assert_false(os_is_absolute("x"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(what_is_written_is_read_back),
		T(only_files_are_replaced),
		T(a_file_above_the_limit_is_not_read),
		T(a_missing_file_is_named_with_its_reason),
		T(only_regular_files_are_opened),
		T(a_new_file_never_takes_an_existing_name),
		T(a_link_is_not_continued),
		T(reading_past_the_end_tells_where_it_ends),
		T(offsets_beyond_any_file_are_refused),
		T(a_partial_file_is_kept_and_grows),
		T(reserving_space_keeps_the_size),
		T(system_words_follow_the_cause),
		T(a_failed_write_leaves_no_temporary_file),
		T(a_blob_reads_at_any_place),
		T(times_are_written_as_rfc_3339),
		T(paths_are_joined_and_cut),
	};

	return cmocka_run_group_tests_name("os_file", tests, NULL, NULL);
}

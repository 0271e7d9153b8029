/* SPDX-License-Identifier: MIT */
#include "fetch/cache.h"
#include "unit/place.h"

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void put(const char *dir, const char *kind, const char *key, wp_str head, wp_str body)
{
	wp_error err = {0};

	assert_ok(wp_cache_put(dir, kind, key, head, body, &err));
}

static void an_entry_comes_back(void **state)
{
	place *p = *state;
	wp_str out;

	assert_false(wp_cache_get(p->a, p->dir, "pages", KEY, 1000, &out));
	put(p->dir, "pages", KEY, WP_LIT("time 12\netag \"x y\"\n\n"), WP_LIT("time 13\n"));
	assert_true(wp_cache_get(p->a, p->dir, "pages", KEY, 1000, &out));
	assert_true(wp_str_is(out, "time 12\netag \"x y\"\n\ntime 13\n"));
	assert_string_equal(wp_cache_field(p->a, out, "time"), "12");
	assert_string_equal(wp_cache_field(p->a, out, "etag"), "\"x y\"");
	assert_null(wp_cache_field(p->a, out, "tim"));
	put(p->dir, "pages", KEY, WP_LIT(""), WP_LIT(""));
	assert_true(wp_cache_get(p->a, p->dir, "pages", KEY, 1000, &out) && out.n == 0);
	assert_int_equal(unlink(wp_cache_path(p->a, p->dir, "pages", KEY)), 0);
	assert_false(wp_cache_get(p->a, p->dir, "pages", KEY, 1000, &out));
}

static void a_damaged_entry_is_a_missing_one(void **state)
{
	place *p = *state;
	const char *path = wp_cache_path(p->a, p->dir, "metadata", KEY);
	wp_str text, out;

	put(p->dir, "metadata", KEY, WP_LIT("a"), WP_LIT("bc"));
	text = tmp_read(p->a, path);
	tmp_write(path, wp_str_sub(text, 0, text.n - 1));
	assert_false(wp_cache_get(p->a, p->dir, "metadata", KEY, 1000, &out));
	((char *)text.p)[text.n - 1] ^= 1;
	tmp_write(path, text);
	assert_false(wp_cache_get(p->a, p->dir, "metadata", KEY, 1000, &out));
	tmp_write(path, WP_LIT(""));
	assert_false(wp_cache_get(p->a, p->dir, "metadata", KEY, 1000, &out));
}

static void an_entry_over_the_limit_is_not_read(void **state)
{
	place *p = *state;
	wp_str out;

	put(p->dir, "pages", KEY, WP_LIT(""), WP_LIT("0123456789"));
	assert_false(wp_cache_get(p->a, p->dir, "pages", KEY, 30, &out));
	assert_true(wp_cache_get(p->a, p->dir, "pages", KEY, 100, &out));
}

static void a_cache_that_cannot_be_written_costs_nothing_else(void **state)
{
	place *p = *state;
	const char *file = wp_sprintf(p->a, "%s/file", p->dir);
	wp_error err = {0};
	wp_str out;

	tmp_write(file, WP_LIT("x"));
	assert_int_not_equal(wp_cache_put(file, "pages", KEY, WP_LIT(""), WP_LIT("y"), &err), 0);
	assert_false(wp_cache_get(p->a, file, "pages", KEY, 100, &out));
}

static void what_is_no_file_makes_room(void **state)
{
	place *p = *state;
	const char *path = wp_cache_path(p->a, p->dir, "pages", KEY), *from = wp_sprintf(p->a, "%s/part", p->dir);
	wp_error err = {0};
	wp_str out;

	assert_ok(os_mkdirs(path, &err));
	assert_false(wp_cache_get(p->a, p->dir, "pages", KEY, 100, &out));
	put(p->dir, "pages", KEY, WP_LIT(""), WP_LIT("y"));
	assert_true(wp_cache_get(p->a, p->dir, "pages", KEY, 100, &out));
	path = wp_cache_path(p->a, p->dir, "wheels", KEY);
	assert_ok(os_mkdirs(path, &err));
	tmp_write(os_join(p->a, path, "mine"), WP_LIT("x"));
	tmp_write(from, WP_LIT("wheel"));
	assert_int_equal(wp_cache_keep_wheel(p->a, p->dir, from, KEY, &path, &err), WP_E_EXISTS);
	assert_non_null(strstr(err.where, path));
	assert_non_null(strstr(err.next, "remove it"));
	assert_true(os_is_file(os_join(p->a, path, "mine")));
	needs_links();
	path = wp_cache_path(p->a, p->dir, "metadata", KEY);
	assert_ok(os_mkdirs(os_dirname(p->a, path), &(wp_error){0}));
	assert_ok(os_symlink(path, path, &(wp_error){0}));
	assert_false(wp_cache_get(p->a, p->dir, "metadata", KEY, 100, &out));
	put(p->dir, "metadata", KEY, WP_LIT(""), WP_LIT("y"));
	assert_true(wp_cache_get(p->a, p->dir, "metadata", KEY, 100, &out));
}

static void no_temporary_file_is_left(void **state)
{
	place *p = *state;
	wp_error err = {0};
	os_entry *v;
	size_t n, i, files = 0;

	put(p->dir, "pages", KEY, WP_LIT(""), WP_LIT("y"));
	put(p->dir, "pages", KEY, WP_LIT(""), WP_LIT("z"));
	assert_ok(os_walk(p->a, p->dir, &v, &n, &err));
	for (i = 0; i < n; i++)
		files += v[i].kind == OS_FILE;
	assert_int_equal(files, 1);
}

static void write_all(place *p, bool threads)
{
	wp_cache_writer *w = wp_cache_writer_open(p->dir, threads);
	wp_error err = {0};
	char key[WP_SHA256_HEX + 1] = KEY, head[8] = "h\n\n";
	wp_buf file;
	wp_str out;
	int i;

	for (i = 0; i < 50; i++) {
		key[0] = (char)('0' + i % 10);
		head[0] = (char)('a' + i);
		wp_cache_write(w, "pages", key, wp_str_of(head), WP_LIT("body"));
	}
	assert_ok(wp_cache_writer_close(w, &err));
	for (i = 40; i < 50; i++) {
		key[0] = (char)('0' + i % 10);
		assert_true(wp_cache_load(p->dir, "pages", key, 1000, &file, &out));
		assert_true(out.n == 7 && out.p[0] == (char)('a' + i));
		wp_buf_free(&file);
	}
}

static void entries_are_written_in_order(void **state)
{
	write_all(*state, true);
	write_all(*state, false);
}

static void a_writer_tells_its_first_fault(void **state)
{
	place *p = *state;
	const char *file = wp_sprintf(p->a, "%s/file", p->dir);
	wp_error err = {0};
	wp_cache_writer *w;

	tmp_write(file, WP_LIT("x"));
	w = wp_cache_writer_open(file, true);
	wp_cache_write(w, "pages", KEY, WP_LIT(""), WP_LIT("y"));
	wp_cache_write(w, "metadata", KEY, WP_LIT(""), WP_LIT("y"));
	assert_int_not_equal(wp_cache_writer_close(w, &err), 0);
	assert_true(err.code && err.where[0]);
}

static void wheels_lie_by_digest(void **state)
{
	place *p = *state;
	const char *from = wp_sprintf(p->a, "%s/part", p->dir), *path;
	wp_error err = {0};
	uint64_t size;

	assert_null(wp_cache_wheel(p->a, p->dir, KEY, &size));
	tmp_write(from, WP_LIT("wheel"));
	assert_ok(wp_cache_keep_wheel(p->a, p->dir, from, KEY, &path, &err));
	assert_string_equal(path, wp_sprintf(p->a, "%s/wheels/01/" KEY, p->dir));
	assert_string_equal(wp_cache_wheel(p->a, p->dir, KEY, &size), path);
	assert_true(size == 5);
	assert_false(os_is_file(from));
}

static void keys_keep_parts_apart(void **state)
{
	const char *ab[] = {"a", "b"}, *a_b[] = {"ab", NULL};
	char x[WP_SHA256_HEX + 1], y[WP_SHA256_HEX + 1];

	(void)state;
	wp_cache_key(ab, 2, x);
	wp_cache_key(a_b, 2, y);
	assert_string_not_equal(x, y);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_entry_comes_back),
		T(a_damaged_entry_is_a_missing_one),
		T(an_entry_over_the_limit_is_not_read),
		T(a_cache_that_cannot_be_written_costs_nothing_else),
		T(what_is_no_file_makes_room),
		T(no_temporary_file_is_left),
		T(entries_are_written_in_order),
		T(a_writer_tells_its_first_fault),
		T(wheels_lie_by_digest),
		cmocka_unit_test(keys_keep_parts_apart),
	};

	return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}

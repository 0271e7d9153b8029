/* SPDX-License-Identifier: MIT */
#include "fetch/ca.h"
#include "unit/tmp.h"

static wp_arena *arena;
static const char *root;

static int begin(void **state)
{
	(void)state;
	arena = wp_arena_new();
	root = tmp_make(arena);
	return 0;
}

static int end(void **state)
{
	(void)state;
	tmp_remove(root);
	wp_arena_free(arena);
	return 0;
}

static void put(const char *path, const char *text)
{
	wp_error err = {0};

	path = wp_sprintf(arena, "%s%s", root, path);
	assert_ok(os_mkdirs(os_dirname(arena, path), &err));
	assert_ok(os_write_file(path, wp_str_of(text), &err));
}

static void assert_file(const char *path)
{
	const char *file = NULL, *dir = NULL;

	assert_true(wp_ca_find(arena, root, &file, &dir));
	assert_null(dir);
	assert_string_equal(file, wp_sprintf(arena, "%s%s", root, path));
}

static void assert_nowhere(void)
{
	const char *file = NULL, *dir = NULL;

	assert_false(wp_ca_find(arena, root, &file, &dir));
	assert_true(!file && !dir);
}

static void each_distributions_place_in_its_order(void **state)
{
	static const char *const places[] = {
		"/var/lib/ca-certificates/ca-bundle.pem",
		"/etc/ssl/cert.pem",
		"/etc/ssl/ca-bundle.pem",
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/certs/ca-certificates.crt",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof places / sizeof *places; i++) {
		put(places[i], "-----BEGIN CERTIFICATE-----\n");
		assert_file(places[i]);
	}
}

static void a_directory_counts_where_it_has_hashed_names(void **state)
{
	const char *file = NULL, *dir = NULL;

	(void)state;
	assert_nowhere();
	put("/etc/ssl/certs/Some_Root.pem", "x");
	assert_nowhere();
	put("/etc/ssl/certs/0a1b2c3d.0", "x");
	assert_true(wp_ca_find(arena, root, &file, &dir));
	assert_null(file);
	assert_string_equal(dir, wp_sprintf(arena, "%s/etc/ssl/certs", root));
	put("/etc/ssl/cert.pem", "x");
	assert_file("/etc/ssl/cert.pem");
}

static void what_is_empty_or_no_file_is_passed_over(void **state)
{
	wp_error err = {0};

	(void)state;
	put("/etc/ssl/certs/ca-certificates.crt", "");
	assert_ok(os_mkdirs(wp_sprintf(arena, "%s/etc/pki/tls/certs/ca-bundle.crt", root), &err));
	assert_nowhere();
	put("/etc/ssl/ca-bundle.pem", "x");
	assert_file("/etc/ssl/ca-bundle.pem");
}

static void a_link_is_followed(void **state)
{
	wp_error err = {0};

	(void)state;
	needs_links();
	put("/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "x");
	assert_ok(os_mkdirs(wp_sprintf(arena, "%s/etc/pki/tls/certs", root), &err));
	assert_ok(os_symlink("../../ca-trust/extracted/pem/tls-ca-bundle.pem",
		wp_sprintf(arena, "%s/etc/pki/tls/certs/ca-bundle.crt", root), &err));
	assert_file("/etc/pki/tls/certs/ca-bundle.crt");
	assert_ok(os_symlink("gone.crt", wp_sprintf(arena, "%s/etc/ssl", root), &err));
	assert_file("/etc/pki/tls/certs/ca-bundle.crt");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_distributions_place_in_its_order),
		TEST(a_directory_counts_where_it_has_hashed_names),
		TEST(what_is_empty_or_no_file_is_passed_over),
		TEST(a_link_is_followed),
	};

	return cmocka_run_group_tests_name("ca", tests, NULL, NULL);
}

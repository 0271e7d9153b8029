/* SPDX-License-Identifier: MIT */
#include "doctor/ldcache.h"
#include "unit/arena.h"
#include "unit/binaries.h"

enum { X86_64 = 0x0303, I386 = 0x0003, AARCH64 = 0x0a03 };

/* Three entries: a.so for x86-64, b.so for i386, c.so for aarch64. */
static bytes build(wp_arena *a, size_t skip)
{
	static const uint32_t flags[] = {X86_64, I386, AARCH64};
	bytes b = {wp_alloc(a, skip + 200), skip + 200};
	size_t text = 48 + 3 * 24, i;

	memcpy(b.p + skip, "glibc-ld.so.cache1.1", 20);
	put(&b, skip + 20, 3, 4);
	for (i = 0; i < 3; i++) {
		put(&b, skip + 48 + i * 24, flags[i], 4);
		put(&b, skip + 48 + i * 24 + 4, text + i * 8, 4);
		put(&b, skip + 48 + i * 24 + 8, text + i * 8, 4);
		put_text(&b, skip + text + i * 8, i == 0 ? "a.so" : i == 1 ? "b.so" : "c.so");
	}
	return b;
}

static bool has(const wp_map *m, const char *name)
{
	uint32_t v;

	return wp_map_get(m, wp_str_of(name), &v);
}

static wp_str view(const bytes *b)
{
	return (wp_str){(const char *)b->p, b->n};
}

static void names_of_the_machine_are_read(void **state)
{
	bytes b = build(*state, 0);
	wp_map m;

	wp_map_init(&m);
	assert_true(wp_ldcache_names(view(&b), 62, &m));
	assert_true(has(&m, "a.so") && !has(&m, "b.so") && !has(&m, "c.so"));
	assert_true(wp_ldcache_names(view(&b), 183, &m));
	assert_true(has(&m, "c.so") && !has(&m, "b.so"));
	assert_true(wp_ldcache_names(view(&b), 0, &m));
	assert_true(has(&m, "b.so"));
	wp_map_free(&m);
}

static void the_format_behind_the_old_one_is_found(void **state)
{
	bytes b = build(*state, 32);
	wp_map m;

	memcpy(b.p, "ld.so-1.7.0", 11);
	put(&b, 12, 1, 4);
	wp_map_init(&m);
	assert_true(wp_ldcache_names(view(&b), 62, &m));
	assert_true(has(&m, "a.so"));
	wp_map_free(&m);
}

static void damaged_caches_are_survived(void **state)
{
	bytes b = build(*state, 0);
	wp_map m;

	wp_map_init(&m);
	assert_false(wp_ldcache_names(WP_LIT(""), 62, &m));
	assert_false(wp_ldcache_names(WP_LIT("ld.so-1.7.0\0\xff\xff\xff\xff"), 62, &m));
	put(&b, 20, UINT32_MAX, 4);
	put(&b, 48 + 4, UINT32_MAX, 4);
	assert_true(wp_ldcache_names(view(&b), 62, &m));
	assert_false(has(&m, "a.so"));
	b.n = 48 + 30;
	assert_true(wp_ldcache_names(view(&b), 0, &m));
	wp_map_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_of_the_machine_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(the_format_behind_the_old_one_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_caches_are_survived, setup, teardown),
	};

	return cmocka_run_group_tests_name("ldcache", tests, NULL, NULL);
}

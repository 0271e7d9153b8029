/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>
#include <unistd.h>

#include "base/zip.h"
#include "ext/zipwrite.h"
#include "os/os.h"
#include "unit/tmp.h"

static wp_arena *a;
static wp_error err;
static const char *dir;

static int setup(void **state)
{
	(void)state;
	a = wp_arena_new();
	err = (wp_error){0};
	dir = tmp_make(a);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmp_remove(dir);
	wp_arena_free(a);
	return 0;
}

/* A blob whose byte at off is (off * 7) & 0xff, and what is read of it. */
typedef struct counter {
	wp_blob blob;
	uint64_t seen, fail_at;
	bool in_order;
} counter;

static int counter_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	counter *c = self;
	size_t i;

	if (off + n > c->fail_at)
		return wp_fail(e, WP_E_IO, "the stick was pulled");
	for (i = 0; i < n; i++)
		((unsigned char *)buf)[i] = (unsigned char)((off + i) * 7);
	return 0;
}

static int counter_seen(void *user, const void *p, size_t n, wp_error *e)
{
	counter *c = user;

	(void)e;
	c->in_order = c->in_order && *(const unsigned char *)p == (unsigned char)(c->seen * 7);
	c->seen += n;
	return 0;
}

static void counter_of(counter *c, uint64_t size)
{
	*c = (counter){.blob = {.self = c, .size = size, .read_at = counter_read}, .fail_at = UINT64_MAX, .in_order = true};
}

static int refuse(void *user, const void *p, size_t n, wp_error *e)
{
	(void)user, (void)p, (void)n;
	return wp_fail(e, WP_E_DIGEST, "not these bytes");
}

static int ticks;

static int tick(void *user, double done)
{
	(void)user;
	assert_true(done >= 0 && done <= 1);
	ticks++;
	return 0;
}

static int stop(void *user, double done)
{
	(void)user, (void)done;
	return 1;
}

static const char *write_one(const char *name, counter *c)
{
	const char *path = os_join(a, dir, name);
	char text[] = "{}\n";
	wp_zipwrite *w;

	counter_of(c, 3000001);
	assert_ok(wp_zipwrite_open(path, &w, &err));
	assert_ok(wp_zipwrite_text(w, "bundle.json", (wp_str){text, 3}, &err));
	text[0] = 'x'; /* it was copied */
	assert_ok(wp_zipwrite_blob(w, "wheels/b+1.whl", &c->blob, counter_seen, c, &err));
	assert_ok(wp_zipwrite_text(w, "empty", WP_LIT(""), &err));
	assert_ok(wp_zipwrite_text(w, "a/gr\xc3\xbcn", WP_LIT("last"), &err));
	assert_ok(wp_zipwrite_close(w, tick, NULL, &err));
	return path;
}

static void members_are_stored_in_order(void **state)
{
	static const char *const names[] = {"bundle.json", "wheels/b+1.whl", "empty", "a/gr\xc3\xbcn"};
	static const uint64_t sizes[] = {3, 3000001, 0, 4};
	unsigned char buf[16];
	wp_blob blob;
	counter c;
	wp_zip z;
	size_t i;

	(void)state;
	ticks = 0;
	assert_ok(os_blob(write_one("x.wpk", &c), &blob, &err));
	assert_true(ticks > 0);
	assert_true(c.in_order);
	assert_int_equal(c.seen, 3000001);
	assert_ok(wp_zip_read(a, &blob, &z, &err));
	assert_int_equal(z.n, 4);
	for (i = 0; i < 4; i++) {
		assert_string_equal(z.entries[i].name, names[i]);
		assert_int_equal(z.entries[i].size, sizes[i]);
		assert_int_equal(z.entries[i].method, 0);
		assert_int_equal(z.entries[i].mode, 0100644);
	}
	assert_int_equal(z.entries[3].flags & 1 << 11, 1 << 11);
	assert_ok(blob.read_at(blob.self, buf, 3, z.entries[0].data_offset, &err));
	assert_memory_equal(buf, "{}\n", 3);
	assert_ok(blob.read_at(blob.self, buf, 1, z.entries[1].data_offset + 3000000, &err));
	assert_int_equal(buf[0], (unsigned char)(3000000u * 7));
	blob.close(blob.self);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
	wp_str x, y;
	counter c;

	(void)state;
	assert_ok(os_read_file(a, write_one("1.wpk", &c), 8 << 20, &x, &err));
	assert_ok(os_read_file(a, write_one("2.wpk", &c), 8 << 20, &y, &err));
	assert_true(wp_str_eq(x, y));
}

static void gone(const char *path)
{
	const char **names;
	size_t n;

	assert_ok(os_list(a, dir, &names, &n, &(wp_error){0}));
	if (n)
		fail_msg("'%s' left '%s'", path, names[0]);
}

static void a_failure_leaves_no_file(void **state)
{
	static const wp_code codes[] = {WP_E_IO, WP_E_DIGEST, WP_E_INTERRUPTED};
	const char *path = os_join(a, dir, "x.wpk");
	counter c;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		wp_zipwrite *w;

		err = (wp_error){0};
		counter_of(&c, 5 << 20);
		if (i == 0)
			c.fail_at = 3 << 20;
		assert_ok(wp_zipwrite_open(path, &w, &err));
		assert_ok(wp_zipwrite_blob(w, "a.whl", &c.blob, i == 1 ? refuse : NULL, NULL, &err));
		assert_int_equal(wp_zipwrite_close(w, i == 2 ? stop : NULL, NULL, &err), codes[i]);
		assert_int_equal(err.code, codes[i]);
		assert_string_equal(err.where, "'a.whl'");
		gone(path);
	}
}

static void giving_up_leaves_no_file(void **state)
{
	const char *path = os_join(a, dir, "x.wpk");
	wp_zipwrite *w;
	counter c;

	(void)state;
	counter_of(&c, 10);
	assert_ok(wp_zipwrite_open(path, &w, &err));
	assert_ok(wp_zipwrite_blob(w, "a.whl", &c.blob, NULL, NULL, &err));
	wp_zipwrite_discard(w);
	gone(path);
	wp_zipwrite_discard(NULL);
}

static void a_name_is_taken_once(void **state)
{
	wp_zipwrite *w;
	const char *path = os_join(a, dir, "x.wpk");

	(void)state;
	assert_ok(wp_zipwrite_open(path, &w, &err));
	assert_ok(wp_zipwrite_text(w, "a", WP_LIT("1"), &err));
	assert_int_equal(wp_zipwrite_text(w, "a", WP_LIT("2"), &err), WP_E_INTERNAL);
	wp_zipwrite_discard(w);
}

static void an_existing_file_is_kept(void **state)
{
	const char *path = os_join(a, dir, "x.wpk");
	wp_zipwrite *w;
	wp_str text;

	(void)state;
	assert_ok(os_write_file(path, WP_LIT("mine"), &err));
	assert_int_equal(wp_zipwrite_open(path, &w, &err), WP_E_EXISTS);
	err = (wp_error){0};
	assert_ok(os_read_file(a, path, 100, &text, &err));
	assert_true(wp_str_is(text, "mine"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(members_are_stored_in_order),
		T(the_same_input_gives_the_same_bytes),
		T(a_failure_leaves_no_file),
		T(giving_up_leaves_no_file),
		T(a_name_is_taken_once),
		T(an_existing_file_is_kept),
	};

	return cmocka_run_group_tests_name("zipwrite", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include <zlib.h>

#include "bundle/peek.h"
#include "unit/binaries.h"

enum { BIG = 3 << 20, ROOM = BIG + (BIG >> 3) };

typedef struct member {
	wp_arena *a;
	bytes plain, packed;
	wp_blob wheel;
	wp_zip_entry entry;
} member;

static int fresh(void **state)
{
	member *m = calloc(1, sizeof *m);
	z_stream z = {0};
	size_t i;

	m->a = wp_arena_new();
	m->plain = (bytes){wp_alloc(m->a, BIG), BIG};
	m->packed = (bytes){wp_alloc(m->a, ROOM), ROOM};
	for (i = 0; i < BIG; i++)
		m->plain.p[i] = (unsigned char)((i * 2654435761u) >> 13 & (i % 4096 < 2048 ? 255 : 3));
	deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	z.next_in = m->plain.p;
	z.avail_in = BIG;
	z.next_out = m->packed.p + 7;
	z.avail_out = ROOM - 7;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		return -1;
	m->wheel = bytes_blob(&m->packed);
	m->entry = (wp_zip_entry){.data_offset = 7, .csize = z.total_out, .size = BIG, .method = 8};
	deflateEnd(&z);
	*state = m;
	return 0;
}

static int done(void **state)
{
	member *m = *state;

	wp_arena_free(m->a);
	free(m);
	return 0;
}

static void any_order_of_reads_gives_the_bytes(void **state)
{
	static const size_t places[] = {0, 64, 2000000, 2000100, 100, BIG - 70000, BIG - 10, 0};
	member *m = *state;
	wp_blob b = wp_peek_open(&m->wheel, &m->entry);
	unsigned char *out = wp_alloc(m->a, BIG);
	wp_error err = {0};
	size_t i;

	for (i = 0; i < sizeof places / sizeof *places; i++) {
		assert_ok(b.read_at(b.self, out, 10, places[i], &err));
		assert_memory_equal(out, m->plain.p + places[i], 10);
	}
	assert_ok(b.read_at(b.self, out, BIG, 0, &err));
	assert_memory_equal(out, m->plain.p, BIG);
	b.close(b.self);
}

static void nothing_is_read_past_the_end(void **state)
{
	member *m = *state;
	wp_blob b = wp_peek_open(&m->wheel, &m->entry);
	wp_error err = {0};
	char c;

	assert_int_equal(b.read_at(b.self, &c, 1, BIG, &err), WP_E_IO);
	b.close(b.self);
}

static void cut_and_damaged_members_are_refused_behind_the_fault(void **state)
{
	member *m = *state;
	wp_error first = {0}, second = {0}, err = {0};
	wp_blob b;
	char c;

	m->entry.csize /= 2;
	b = wp_peek_open(&m->wheel, &m->entry);
	assert_ok(b.read_at(b.self, &c, 1, 1000, &err));
	assert_int_equal(b.read_at(b.self, &c, 1, BIG - 1, &first), WP_E_ZIP);
	assert_ok(b.read_at(b.self, &c, 1, 1000, &err));
	assert_int_equal(c, (char)m->plain.p[1000]);
	b.close(b.self);
	memset(m->packed.p + 7, 0xff, 100);
	b = wp_peek_open(&m->wheel, &m->entry);
	assert_int_equal(b.read_at(b.self, &c, 1, 0, &second), WP_E_ZIP);
	b.close(b.self);
}

static void a_member_longer_than_its_data_is_refused(void **state)
{
	member *m = *state;
	wp_error err = {0};
	wp_blob b;
	char c;

	m->entry.size += 1000;
	b = wp_peek_open(&m->wheel, &m->entry);
	assert_int_equal(b.read_at(b.self, &c, 1, BIG + 500, &err), WP_E_ZIP);
	b.close(b.self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(any_order_of_reads_gives_the_bytes, fresh, done),
		cmocka_unit_test_setup_teardown(nothing_is_read_past_the_end, fresh, done),
		cmocka_unit_test_setup_teardown(cut_and_damaged_members_are_refused_behind_the_fault, fresh, done),
		cmocka_unit_test_setup_teardown(a_member_longer_than_its_data_is_refused, fresh, done),
	};

	return cmocka_run_group_tests_name("peek", tests, NULL, NULL);
}

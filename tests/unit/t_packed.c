/* SPDX-License-Identifier: MIT */
#include "fetch/packed.h"

#include <stdlib.h>

#include "unit/arena.h"
#include "unit/test.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static const wp_file files[] = {
	{.filename = "y-1.0.tar.gz", .url = "https://h.test/a/y-1.0.tar.gz", .size = -1},
	{.filename = "y-1.1+l.whl", .url = "https://h.test/a/y-1.1%2Bl.whl", .size = 1234567890123, .sha256 = A64,
		.requires_python = ">=3.9", .yanked = true, .yanked_reason = "bad", .has_metadata = true,
		.metadata_sha256 = B64, .upload_time = "2024-01-01T00:00:00Z"},
	{.filename = "y.whl", .url = "https://h.test/a/xy.whl", .size = 0, .yanked = true},
};

enum { N = sizeof files / sizeof *files };

static void pack(wp_buf *b)
{
	size_t i;

	wp_packed_begin(b);
	for (i = 0; i < N; i++)
		wp_packed_add(b, &files[i]);
	wp_packed_end(b, N, 7);
}

static void same(const char *a, const char *b)
{
	assert_true(wp_streq(a, b));
}

static void files_come_back(void **state)
{
	wp_project p;
	wp_buf b;
	size_t i;

	(void)state;
	pack(&b);
	assert_true(wp_packed_read(arena, wp_buf_view(&b), "y", "ordinary", &p));
	assert_int_equal(p.nfiles, N);
	assert_int_equal(p.skipped, 7);
	same(p.name, "y");
	for (i = 0; i < N; i++) {
		const wp_file *f = &p.files[i], *g = &files[i];

		same(f->filename, g->filename);
		same(f->url, g->url);
		same(f->sha256, g->sha256);
		same(f->requires_python, g->requires_python);
		same(f->yanked_reason, g->yanked_reason);
		same(f->metadata_sha256, g->metadata_sha256);
		same(f->upload_time, g->upload_time);
		same(f->index, "ordinary");
		assert_true(f->size == g->size && f->yanked == g->yanked && f->has_metadata == g->has_metadata);
	}
	wp_buf_free(&b);
}

/* On the heap to the byte, so that a read past the end is seen. */
static bool readable(const char *p, size_t n)
{
	char *copy = malloc(n + !n);
	wp_project out;
	bool ok;

	memcpy(copy, p, n);
	ok = wp_packed_read(arena, (wp_str){copy, n}, "y", "ordinary", &out);
	free(copy);
	return ok;
}

static void a_part_of_it_is_refused(void **state)
{
	wp_buf b;
	size_t i;

	(void)state;
	pack(&b);
	for (i = 0; i < b.n; i++)
		assert_false(readable(b.p, i));
	wp_buf_putc(&b, 0);
	assert_false(readable(b.p, b.n));
	wp_buf_free(&b);
}

static void no_byte_leads_astray(void **state)
{
	wp_buf b;
	size_t i, bit;

	(void)state;
	pack(&b);
	for (i = 0; i < b.n; i++)
		for (bit = 0; bit < 8; bit++) {
			b.p[i] ^= (char)(1 << bit);
			readable(b.p, b.n);
			b.p[i] ^= (char)(1 << bit);
		}
	wp_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_come_back, setup, teardown),
		cmocka_unit_test_setup_teardown(a_part_of_it_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(no_byte_leads_astray, setup, teardown),
	};

	return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}

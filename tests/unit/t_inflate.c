/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "ext/hash.h"
#include "ext/inflate.h"
#include "unit/test.h"

/* A dynamic block whose distance code is incomplete; some inflaters read outside of their tables for it. */
static const unsigned char incomplete_distance_code[] = {
	0xed, 0xfd, 0x01, 0x90, 0x24, 0x49, 0x92, 0x24, 0x49, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xec, 0xf4, 0xce, 0xfe, 0xf4, 0xce, 0xcc, 0x77,
	0xff, 0xce, 0xf4, 0xdd, 0xee, 0xcd, 0x76, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

/* "hello hello hello hello\n" */
static const unsigned char hello[] = {0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0xb9, 0x00};

/* Everything in pieces of `step` bytes in and out; the last state. */
static wp_inflate_state pour(wp_inflate *z, const unsigned char *in, size_t n, size_t step, unsigned char *out,
	size_t max, size_t *made)
{
	wp_inflate_state s = WP_INFLATE_INPUT;
	size_t used = 0;

	*made = 0;
	while (s == WP_INFLATE_INPUT || s == WP_INFLATE_OUTPUT) {
		const unsigned char *p = in + used;
		unsigned char *q = out + *made;
		size_t nin = n - used < step ? n - used : step, nout = max - *made < step ? max - *made : step;

		s = wp_inflate_step(z, &p, &nin, &q, &nout);
		if (s == WP_INFLATE_INPUT && (size_t)(p - in) == used && (size_t)(q - out) == *made)
			break;
		used = (size_t)(p - in);
		*made = (size_t)(q - out);
	}
	return s;
}

static void an_incomplete_distance_code_is_refused(void **state)
{
	static unsigned char out[1 << 16];
	wp_inflate *z = wp_inflate_new();
	size_t made;

	(void)state;
	assert_int_equal(sizeof incomplete_distance_code, 184);
	assert_int_equal(pour(z, incomplete_distance_code, sizeof incomplete_distance_code, 1 << 16, out, sizeof out,
				 &made),
		WP_INFLATE_ERROR);
	/* The error stays. */
	assert_int_equal(pour(z, hello, sizeof hello, 16, out, sizeof out, &made), WP_INFLATE_ERROR);
	wp_inflate_restart(z);
	assert_int_equal(pour(z, hello, sizeof hello, 16, out, sizeof out, &made), WP_INFLATE_END);
	wp_inflate_free(z);
}

static void any_piece_size_gives_the_same(void **state)
{
	unsigned char in[sizeof hello + 3] = {0}, out[64];
	wp_inflate *z = wp_inflate_new();
	size_t step, made;

	(void)state;
	memcpy(in, hello, sizeof hello);
	for (step = 1; step < 40; step++) {
		wp_inflate_restart(z);
		assert_int_equal(pour(z, in, sizeof in, step, out, sizeof out, &made), WP_INFLATE_END);
		assert_int_equal(made, 24);
		assert_memory_equal(out, "hello hello hello hello\n", 24);
		assert_int_equal(wp_inflate_consumed(z), sizeof hello);
	}
	wp_inflate_free(z);
}

static void a_cut_stream_wants_more_input(void **state)
{
	unsigned char out[64];
	wp_inflate *z = wp_inflate_new();
	size_t made;

	(void)state;
	assert_int_equal(pour(z, hello, sizeof hello - 1, 64, out, sizeof out, &made), WP_INFLATE_INPUT);
	wp_inflate_free(z);
}

static void crc_is_that_of_zip(void **state)
{
	(void)state;
	assert_int_equal(wp_crc32(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(wp_crc32(wp_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static void digests_are_those_of_sha2(void **state)
{
	static const struct {
		wp_hash_kind kind;
		size_t n;
		const char *hex;
	} cases[] = {
		{WP_SHA256, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{WP_SHA384, 48,
			"cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"},
		{WP_SHA512, 64,
			"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
			"454d4423643ce80e2a9ac94fa54ca49f"},
	};
	unsigned char d[WP_HASH_MAX];
	char hex[2 * WP_HASH_MAX + 1];
	size_t i, again;

	(void)state;
	for (i = 0; i < 3; i++) {
		wp_hash *h = wp_hash_new(cases[i].kind);

		for (again = 0; again < 2; again++) {
			wp_hash_add(h, "a", 1);
			wp_hash_add(h, "bc", 2);
			assert_int_equal(wp_hash_end(h, d), cases[i].n);
			wp_hex(d, cases[i].n, hex);
			assert_string_equal(hex, cases[i].hex);
			wp_hash_restart(h);
		}
		wp_hash_free(h);
	}
	wp_sha256_hex(WP_LIT("abc"), hex);
	assert_string_equal(hex, cases[0].hex);
}

static int read_a(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	(void)self;
	if (off > 2000000)
		return wp_fail(e, WP_E_IO, "no more");
	memset(buf, 'a', n);
	return 0;
}

static void a_blob_is_hashed_in_pieces(void **state)
{
	wp_blob b = {.size = 1000000, .read_at = read_a};
	char hex[WP_SHA256_HEX + 1];
	wp_error err = {0};

	(void)state;
	assert_ok(wp_sha256_blob(&b, hex, &err));
	assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	b.size = 4000000;
	assert_int_equal(wp_sha256_blob(&b, hex, &err), WP_E_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_incomplete_distance_code_is_refused),
		cmocka_unit_test(any_piece_size_gives_the_same),
		cmocka_unit_test(a_cut_stream_wants_more_input),
		cmocka_unit_test(crc_is_that_of_zip),
		cmocka_unit_test(digests_are_those_of_sha2),
		cmocka_unit_test(a_blob_is_hashed_in_pieces),
	};

	return cmocka_run_group_tests_name("inflate and digests", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include <zlib.h>

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

typedef wp_inflate *(*maker)(void);
static const maker makers[] = {wp_inflate_new, wp_inflate_zlib};

/* Everything in pieces of so many bytes in and out; the last state. Between two calls nothing remains where the output
 * was. */
static wp_inflate_state pour(wp_inflate *z, const unsigned char *in, size_t n, size_t step_in, size_t step_out,
	unsigned char *out, size_t max, size_t *made)
{
	unsigned char *piece = malloc(step_out);
	wp_inflate_state s = WP_INFLATE_INPUT;
	size_t used = 0;

	*made = 0;
	while (s == WP_INFLATE_INPUT || s == WP_INFLATE_OUTPUT) {
		size_t nin = n - used < step_in ? n - used : step_in, gin = nin;
		size_t nout = max - *made < step_out ? max - *made : step_out, gout = nout;
		const unsigned char *p = in + used;
		unsigned char *q = piece;

		s = wp_inflate_step(z, &p, &nin, &q, &nout);
		assert_true(p == in + used + (gin - nin) && q == piece + (gout - nout));
		memcpy(out + *made, piece, gout - nout);
		memset(piece, 0x55, gout - nout);
		used += gin - nin;
		*made += gout - nout;
		if (gin == nin && gout == nout)
			break;
	}
	assert_int_equal(wp_inflate_consumed(z), used);
	free(piece);
	return s;
}

static void an_incomplete_distance_code_is_refused(void **state)
{
	static unsigned char out[1 << 16];
	size_t made, i;

	(void)state;
	assert_int_equal(sizeof incomplete_distance_code, 184);
	for (i = 0; i < 2; i++) {
		wp_inflate *z = makers[i]();

		assert_int_equal(pour(z, incomplete_distance_code, sizeof incomplete_distance_code, 1 << 16, 1 << 16, out,
					 sizeof out, &made),
			WP_INFLATE_ERROR);
		wp_inflate_free(z);
	}
}

static void an_error_and_the_end_stay_until_the_restart(void **state)
{
	const unsigned char *bad = incomplete_distance_code, *p = hello;
	size_t nbad = sizeof incomplete_distance_code, n = sizeof hello, room = 64, i;
	unsigned char out[64], *q = out;

	(void)state;
	for (i = 0; i < 2; i++, bad = incomplete_distance_code, nbad = sizeof incomplete_distance_code) {
		wp_inflate *z = makers[i]();

		assert_int_equal(wp_inflate_step(z, &bad, &nbad, &q, &room), WP_INFLATE_ERROR);
		assert_int_equal(wp_inflate_step(z, &p, &n, &q, &room), WP_INFLATE_ERROR);
		assert_true(p == hello && n == sizeof hello);
		wp_inflate_restart(z);
		assert_int_equal(pour(z, hello, n, 16, 16, out, sizeof out, &room), WP_INFLATE_END);
		room = 64;
		assert_int_equal(wp_inflate_step(z, &p, &n, &q, &room), WP_INFLATE_END);
		assert_true(p == hello && room == 64);
		wp_inflate_restart(z);
		assert_int_equal(pour(z, hello, n / 2, 16, 16, out, sizeof out, &room), WP_INFLATE_INPUT);
		wp_inflate_restart(z);
		assert_int_equal(pour(z, hello, n, 16, 16, out, sizeof out, &room), WP_INFLATE_END);
		assert_int_equal(room, 24);
		room = 64;
		wp_inflate_free(z);
	}
}

static void any_piece_size_gives_the_same(void **state)
{
	unsigned char in[sizeof hello + 3] = {0}, out[64];
	size_t step_in, step_out, made, i;

	(void)state;
	memcpy(in, hello, sizeof hello);
	for (i = 0; i < 2; i++) {
		wp_inflate *z = makers[i]();

		for (step_in = 1; step_in < 16; step_in++)
			for (step_out = 1; step_out < 30; step_out++) {
				wp_inflate_restart(z);
				assert_int_equal(pour(z, in, sizeof in, step_in, step_out, out, sizeof out, &made),
					WP_INFLATE_END);
				assert_int_equal(made, 24);
				assert_memory_equal(out, "hello hello hello hello\n", 24);
				assert_int_equal(wp_inflate_consumed(z), sizeof hello);
			}
		wp_inflate_free(z);
	}
}

static void a_cut_stream_wants_more_input(void **state)
{
	unsigned char out[64];
	size_t made, n, i;

	(void)state;
	for (i = 0; i < 2; i++) {
		wp_inflate *z = makers[i]();

		for (n = 0; n < sizeof hello; n++) {
			wp_inflate_restart(z);
			assert_int_equal(pour(z, hello, n, 64, 64, out, sizeof out, &made), WP_INFLATE_INPUT);
		}
		wp_inflate_free(z);
	}
}

/* Runs and repeats of many lengths, from near and far. */
static void fill(unsigned char *p, size_t n)
{
	uint32_t r = 1;
	size_t at = 0, k;

	while (at < n) {
		size_t back, length;

		r = r * 1664525 + 1013904223;
		back = 1 + (r >> 8) % (r >> 30 == 0 ? 20 : r >> 30 == 1 ? 700 : 32000);
		length = 1 + (r >> 4) % (r & 8 ? 9 : 300);
		for (k = 0; k < length && at < n; k++, at++)
			p[at] = back > at || length < 4 ? (unsigned char)((r >> 12) + k * 37) : p[at - back];
	}
}

static size_t packed(const unsigned char *p, size_t n, int level, int strategy, unsigned char *out, size_t max)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)p, .avail_in = (uInt)n, .next_out = out, .avail_out = (uInt)max};

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, -MAX_WBITS, 8, strategy), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return max - z.avail_out;
}

static void blocks_of_all_kinds_unpack_in_pieces(void **state)
{
	enum { SIZE = 100000 };
	static const struct { int level, strategy; } kinds[] = {{0, 0}, {1, 0}, {6, 0}, {9, 0}, {9, Z_FIXED}, {9, Z_RLE},
		{9, Z_HUFFMAN_ONLY}};
	static const size_t steps[] = {1, 7, 64, 310, 4096, 40000, 300000};
	unsigned char *text = malloc(SIZE), *in = malloc(2 * SIZE), *out = malloc(SIZE + 1);
	size_t i, k, s, t, n, made;

	(void)state;
	fill(text, SIZE);
	for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		n = packed(text, SIZE, kinds[k].level, kinds[k].strategy, in, 2 * SIZE);
		for (i = 0; i < 2; i++)
			for (s = 0; s < 7; s++)
				for (t = s % 2; t < 7; t += 2) {
					wp_inflate *z = makers[i]();

					assert_int_equal(pour(z, in, n, steps[s], steps[t], out, SIZE + 1, &made),
						WP_INFLATE_END);
					assert_int_equal(made, SIZE);
					assert_memory_equal(out, text, SIZE);
					assert_int_equal(wp_inflate_consumed(z), n);
					wp_inflate_free(z);
				}
	}
	free(text);
	free(in);
	free(out);
}

/* ---- streams written bit by bit ----------------------------------------------------------- */

typedef struct bits {
	unsigned char p[110000];
	size_t n; /* bits */
} bits;

static void bit(bits *b, unsigned v)
{
	if (b->n % 8 == 0)
		b->p[b->n / 8] = 0;
	b->p[b->n / 8] |= (unsigned char)(v << b->n % 8);
	b->n++;
}

static void number(bits *b, unsigned v, unsigned n)
{
	for (; n; n--, v >>= 1)
		bit(b, v & 1);
}

/* "value:bits" is a number, 0 and 1 alone are the bits of a code, as they come. */
static void write_bits(bits *b, const char *words)
{
	while (*words) {
		char *end;
		unsigned long v = strtoul(words, &end, 10);

		if (*end == ':')
			number(b, (unsigned)v, (unsigned)strtoul(end + 1, &end, 10));
		else
			for (; words < end; words++)
				bit(b, *words == '1');
		words = end + strspn(end, " ");
	}
}

/* The head of a last block with dynamic codes; each length but 16, 17 and 18 is written in four bits. */
static void head(bits *b, const unsigned char *symbols, unsigned nsymbols, const char *distances)
{
	unsigned i;

	write_bits(b, "1:1 2:2");
	number(b, nsymbols - 257, 5);
	number(b, (unsigned)strlen(distances) - 1, 5);
	write_bits(b, "15:4 0:3 0:3 0:3");
	for (i = 0; i < 16; i++)
		number(b, 4, 3);
	for (i = 0; i < nsymbols + strlen(distances); i++) {
		unsigned l = i < nsymbols ? symbols[i] : (unsigned)(distances[i - nsymbols] - '0'), k;

		for (k = 0; k < 4; k++)
			bit(b, l >> (3 - k) & 1);
	}
}

/* The same from both, in pieces of any size. */
static void assert_verdict(const char *what, const bits *b, wp_inflate_state wanted, size_t made_wanted)
{
	static const size_t steps[] = {1, 3, 20, 1000, 200000};
	static unsigned char out[110000];
	size_t i, s, made, n = (b->n + 7) / 8;

	for (i = 0; i < 2; i++)
		for (s = 0; s < 25; s++) {
			wp_inflate *z = makers[i]();
			wp_inflate_state is = pour(z, b->p, n, steps[s % 5], steps[s / 5], out, sizeof out, &made);

			if (is != wanted || made != made_wanted)
				fail_msg("%s: state %d after %zu bytes", what, is, made);
			if (is == WP_INFLATE_END)
				assert_int_equal(wp_inflate_consumed(z), n);
			wp_inflate_free(z);
		}
}

static void what_is_wrong_is_refused(void **state)
{
	static const struct {
		const char *what, *bits;
		size_t made;
	} cases[] = {
		{"a block of type 3", "1:1 3:2", 0},
		{"a stored block whose length's complement is wrong", "1:1 0:2 0:5 5:16 5:16", 0},
		{"287 symbols", "1:1 2:2 30:5 0:5 0:4", 0},
		{"31 distances", "1:1 2:2 0:5 30:5 0:4", 0},
		{"codes of lengths that don't fit", "1:1 2:2 0:5 0:5 0:4 1:3 1:3 1:3 0:3", 0},
		{"codes of lengths that leave a gap", "1:1 2:2 0:5 0:5 0:4 1:3 2:3 0:3 0:3", 0},
		{"a single code of lengths", "1:1 2:2 0:5 0:5 0:4 0:3 0:3 0:3 1:3", 0},
		{"no codes of lengths", "1:1 2:2 0:5 0:5 0:4 0:3 0:3 0:3 0:3", 0},
		{"a repeat of nothing", "1:1 2:2 0:5 0:5 0:4 1:3 0:3 0:3 1:3 1 0:2", 0},
		{"more lengths than there are codes", "1:1 2:2 0:5 0:5 0:4 0:3 0:3 1:3 1:3 1 127:7 1 127:7", 0},
		{"no end of the block", "1:1 2:2 0:5 0:5 0:4 0:3 0:3 1:3 1:3 1 127:7 1 109:7", 0},
		{"symbol 286 of the fixed code", "1:1 1:2 00110000 11000110", 1},
		{"symbol 287 of the fixed code", "1:1 1:2 11000111", 0},
		{"distance 30 of the fixed code", "1:1 1:2 00110000 0000001 11110", 1},
		{"distance 31 of the fixed code", "1:1 1:2 00110000 0000001 11111", 1},
		{"one byte back at the beginning", "1:1 1:2 0000001 00000 0000000", 0},
		{"two bytes back after one", "1:1 1:2 00110000 0000001 00001 0000000", 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		bits b = {.n = 0};

		write_bits(&b, cases[i].bits);
		number(&b, 0, 300); /* so that where it is wrong is not where it ends */
		assert_verdict(cases[i].what, &b, WP_INFLATE_ERROR, cases[i].made);
	}
}

static void codes_are_refused_where_zlib_refuses_them(void **state)
{
	static const struct {
		const char *what;
		unsigned char lengths[4]; /* of 'a', 'b', the end, and length 3 */
		const char *distances, *rest;
		wp_inflate_state wanted;
		size_t made;
	} cases[] = {
		{"whole codes", {2, 2, 2, 2}, "11", "00 01 11 1 10", WP_INFLATE_END, 5},
		{"symbols that don't fit", {1, 1, 1, 0}, "11", "0:200", WP_INFLATE_ERROR, 0},
		{"symbols that leave a gap", {2, 2, 2, 0}, "11", "0:200", WP_INFLATE_ERROR, 0},
		{"only the end", {0, 0, 1, 0}, "0", "0", WP_INFLATE_END, 0},
		{"only the end, and it isn't that", {0, 0, 1, 0}, "0", "1:200", WP_INFLATE_ERROR, 0},
		{"only the end, of two bits", {0, 0, 2, 0}, "0", "0:200", WP_INFLATE_ERROR, 0},
		{"a single distance", {2, 2, 2, 2}, "1", "00 01 00 11 0 10", WP_INFLATE_END, 6},
		{"not the single distance", {2, 2, 2, 2}, "1", "00 01 00 11 1 0:200", WP_INFLATE_ERROR, 3},
		{"a single distance of two bits", {2, 2, 2, 2}, "2", "0:200", WP_INFLATE_ERROR, 0},
		{"three distances", {2, 2, 2, 2}, "122", "00 01 00 11 10 10", WP_INFLATE_END, 6},
		{"distances that leave a quarter", {2, 2, 2, 2}, "12", "0:200", WP_INFLATE_ERROR, 0},
		{"distances that don't fit", {2, 2, 2, 2}, "111", "0:200", WP_INFLATE_ERROR, 0},
		{"no distances, and none needed", {2, 2, 2, 2}, "00", "00 01 10", WP_INFLATE_END, 2},
		{"no distances", {2, 2, 2, 2}, "00", "00 01 11 0:200", WP_INFLATE_ERROR, 2},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		unsigned char lengths[258] = {0};
		bits b = {.n = 0};

		lengths['a'] = cases[i].lengths[0];
		lengths['b'] = cases[i].lengths[1];
		lengths[256] = cases[i].lengths[2];
		lengths[257] = cases[i].lengths[3];
		head(&b, lengths, 258, cases[i].distances);
		write_bits(&b, cases[i].rest);
		assert_verdict(cases[i].what, &b, cases[i].wanted, cases[i].made);
	}
}

static void stored(bits *b, const unsigned char *p, size_t n)
{
	write_bits(b, "0:1 0:2");
	number(b, 0, (unsigned)(8 - b->n % 8) % 8);
	number(b, (unsigned)n, 16);
	number(b, (unsigned)~n, 16);
	while (n--)
		number(b, *p++, 8);
}

/* So many bytes, then 258 from the furthest distance, twice. */
static void the_furthest_is_within_reach(void **state)
{
	static const size_t sizes[] = {32767, 32768, 32769, 65535, 65536, 65537, 70001, 98305};
	static unsigned char text[100000], out[110000];
	size_t i, k, s, n, made;

	(void)state;
	fill(text, sizeof text);
	for (k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		bits b = {.n = 0};

		n = sizes[k];
		stored(&b, text, n / 2);
		stored(&b, text + n / 2, n - n / 2);
		write_bits(&b, "1:1 1:2 11000101 11101 8191:13 11000101 11101 8191:13 0000000");
		assert_verdict("32768 back", &b, n < 32768 ? WP_INFLATE_ERROR : WP_INFLATE_END, n < 32768 ? n : n + 516);
		for (s = 0; s < 2 && n >= 32768; s++) {
			wp_inflate *z = wp_inflate_new();

			pour(z, b.p, b.n / 8 + 1, 1000, s ? 1 : 999, out, sizeof out, &made);
			for (i = n; i < made; i++)
				assert_int_equal(out[i], out[i - 32768]);
			wp_inflate_free(z);
		}
	}
}

static void an_empty_block_has_no_bytes(void **state)
{
	static const char *const blocks[] = {"1:1 1:2 0000000", "1:1 0:2 0:5 0:16 65535:16",
		"0:1 0:2 0:5 0:16 65535:16 0:1 1:2 0000000 1:1 1:2 0000000"};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		bits b = {.n = 0};

		write_bits(&b, blocks[i]);
		assert_verdict(blocks[i], &b, WP_INFLATE_END, 0);
	}
}

/* A step without input or room changes nothing. */
static void nothing_in_and_nothing_out_is_nothing(void **state)
{
	unsigned char out[64], *q = out;
	const unsigned char *p = hello;
	size_t i, n, room;

	(void)state;
	for (i = 0; i < 2; i++, p = hello, q = out) {
		wp_inflate *z = makers[i]();

		n = 0, room = sizeof out;
		assert_int_equal(wp_inflate_step(z, &p, &n, &q, &room), WP_INFLATE_INPUT);
		n = sizeof hello, room = 0;
		assert_int_equal(wp_inflate_step(z, &p, &n, &q, &room), WP_INFLATE_OUTPUT);
		assert_int_equal(wp_inflate_step(z, &p, &n, &q, &room), WP_INFLATE_OUTPUT);
		room = sizeof out;
		assert_int_equal(wp_inflate_step(z, &p, &n, &q, &room), WP_INFLATE_END);
		assert_true(n == 0 && q == out + 24);
		wp_inflate_free(z);
	}
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
		cmocka_unit_test(an_error_and_the_end_stay_until_the_restart),
		cmocka_unit_test(a_cut_stream_wants_more_input),
		cmocka_unit_test(blocks_of_all_kinds_unpack_in_pieces),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(codes_are_refused_where_zlib_refuses_them),
		cmocka_unit_test(the_furthest_is_within_reach),
		cmocka_unit_test(an_empty_block_has_no_bytes),
		cmocka_unit_test(nothing_in_and_nothing_out_is_nothing),
		cmocka_unit_test(crc_is_that_of_zip),
		cmocka_unit_test(digests_are_those_of_sha2),
		cmocka_unit_test(a_blob_is_hashed_in_pieces),
	};

	return cmocka_run_group_tests_name("inflate and digests", tests, NULL, NULL);
}

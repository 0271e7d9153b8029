/* SPDX-License-Identifier: MIT */
/* inflate_many COUNT [SEED]: so many streams through our decoder and zlib's, by hand. They are zlib's own, of all levels
 * and strategies, and blocks with random codes of any shape; most are damaged. Prints how many ended, were refused, or cut. */
#include <zlib.h>

#define WP_LIBFUZZER /* main is here */
#include "fuzz/inflate.h"

enum { POOL = 600, STREAM_MAX = 80 << 10 };

typedef struct stream {
	uint8_t *p;
	size_t n;
} stream;

static uint64_t seed;

static unsigned below(unsigned n)
{
	return (unsigned)(fuzz_random(&seed) >> 20) % n;
}

/* ---- streams of zlib ---------------------------------------------------------------------- */

static void text(uint8_t *p, size_t n)
{
	unsigned kind = below(6), letters = 1 + below(256), i;
	size_t at;

	for (at = 0; at < n; at++) {
		size_t back = 1 + below(below(2) ? 8 : 33000);

		if (kind == 0)
			p[at] = (uint8_t)below(256);
		else if (kind == 1)
			p[at] = (uint8_t)(below(letters) & below(letters));
		else if (kind == 2)
			p[at] = 0;
		else if (back > at || !below(6))
			p[at] = (uint8_t)below(letters);
		else
			for (i = below(kind == 3 ? 12 : 300); at < n && i; i--, at++)
				p[at] = p[at - back];
	}
}

static stream compressed(void)
{
	static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
	static const int flushes[] = {Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_BLOCK};
	size_t n = below(12) ? below(600) : below(64 << 10), at = 0;
	uint8_t *plain = malloc(n + 400);
	stream s = {malloc(STREAM_MAX), 0};
	z_stream z = {0};

	text(plain, n);
	MUST(deflateInit2(&z, (int)below(10), Z_DEFLATED, -9 - (int)below(7), 1 + (int)below(9),
		     strategies[below(5)]) == Z_OK);
	z.next_out = s.p;
	z.avail_out = STREAM_MAX;
	z.next_in = plain;
	while (at < n) {
		z.avail_in = 1 + below(3) * below((unsigned)n);
		z.avail_in = z.avail_in < n - at ? z.avail_in : (uInt)(n - at);
		at += z.avail_in;
		deflate(&z, flushes[below(5)]);
	}
	deflate(&z, Z_FINISH);
	s.n = STREAM_MAX - z.avail_out;
	deflateEnd(&z);
	free(plain);
	return s;
}

/* ---- blocks with random codes ------------------------------------------------------------- */

static void bits(stream *s, uint64_t *held, unsigned *n, unsigned value, unsigned count)
{
	*held |= (uint64_t)value << *n;
	for (*n += count; *n >= 8; *n -= 8, *held >>= 8)
		s->p[s->n++] = (uint8_t)*held;
}

/* Lengths of a complete code, or almost, for `used` of n symbols. */
static void random_code(uint8_t *lengths, unsigned n, unsigned used, bool must_have, unsigned deep)
{
	uint8_t leaf[288] = {0};
	unsigned have = 1, i;

	memset(lengths, 0, n);
	while (have < used) {
		i = below(8) < deep ? have - 1 : below(have);
		if (leaf[i] == 15)
			i = below(have);
		if (leaf[i] < 15) {
			leaf[have] = ++leaf[i];
			have++;
		}
	}
	if (used == 1)
		leaf[0] = 1;
	for (i = 0; i < have; i++) {
		unsigned at = must_have && i == 0 ? 256 : below(n);

		while (lengths[at])
			at = (at + 1) % n;
		lengths[at] = leaf[i];
	}
	if (!below(10))
		lengths[below(n)] = (uint8_t)below(16);
}

static stream odd_block(void)
{
	stream s = {malloc(STREAM_MAX), 0};
	uint8_t lengths[288 + 32];
	unsigned nsymbols = 257 + below(below(20) ? 30 : 32), ndistances = 1 + below(below(20) ? 30 : 32), i, n = 0;
	unsigned stored = below(8) ? 0 : below(8) ? below(600) : 33000;
	uint64_t held = 0;

	if (stored) {
		bits(&s, &held, &n, 0, 8);
		bits(&s, &held, &n, stored | (stored ^ 0xffff) << 16, 32);
		for (i = 0; i < stored; i++)
			s.p[s.n++] = (uint8_t)below(256);
	}
	random_code(lengths, nsymbols, 2 + below(nsymbols - 2), true, below(8));
	random_code(lengths + nsymbols, ndistances, below(ndistances + 1), false, below(8));
	bits(&s, &held, &n, 4 + !!below(8), 3);
	bits(&s, &held, &n, nsymbols - 257, 5);
	bits(&s, &held, &n, ndistances - 1, 5);
	bits(&s, &held, &n, 19 - 4, 4);
	for (i = 0; i < 19; i++) /* the order begins with 16, 17 and 18: all others have four bits */
		bits(&s, &held, &n, i < 3 ? 0 : 4, 3);
	for (i = 0; i < nsymbols + ndistances; i++) {
		unsigned l = lengths[i];

		bits(&s, &held, &n, (l & 1) << 3 | (l & 2) << 1 | (l & 4) >> 1 | l >> 3, 4);
	}
	for (i = 20 + below(400); i; i--)
		bits(&s, &held, &n, below(256), 8);
	bits(&s, &held, &n, 0, 7);
	return s;
}

/* ---- damage ------------------------------------------------------------------------------- */

static void damage(stream *s, const stream *other)
{
	size_t at = s->n ? below((unsigned)s->n) : 0, k;

	/* Heads of blocks are where most goes wrong. */
	if (below(2) && at > 90)
		at %= 90;
	if (!s->n)
		return;
	switch (below(6)) {
	case 0:
		s->p[at] ^= (uint8_t)(1 << below(8));
		break;
	case 1:
		s->p[at] = (uint8_t)below(256);
		break;
	case 2:
		s->n = at;
		break;
	case 3:
		memmove(s->p + at, s->p + at + 1, s->n - at - 1);
		s->n--;
		break;
	case 4:
		if (s->n < STREAM_MAX) {
			memmove(s->p + at + 1, s->p + at, s->n - at);
			s->n++;
		}
		break;
	default:
		k = other->n < STREAM_MAX - at ? other->n : STREAM_MAX - at;
		memmove(s->p + at, other->p, k);
		s->n = at + k;
	}
}

int main(int argc, char **argv)
{
	fuzz_inflater f[] = {fuzz_inflater_new(wp_inflate_new()), fuzz_inflater_new(wp_inflate_zlib())};
	unsigned long long count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000, i, ends[4] = {0}, bytes = 0;
	static stream pool[POOL];
	stream s = {malloc(STREAM_MAX), 0};

	seed = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * UINT64_C(0x9e3779b97f4a7c15);
	for (i = 0; i < count;) {
		stream *from = &pool[below(POOL)];
		unsigned n = below(5) + below(2);

		if (!from->p || !below(24)) {
			free(from->p);
			*from = below(2) ? compressed() : odd_block();
		}
		if (from->n > 2000 && below(20)) /* the long ones now and then */
			continue;
		memcpy(s.p, from->p, s.n = from->n);
		while (n--) {
			const stream *other = &pool[below(POOL)];

			damage(&s, other->p && other->n < 2000 ? other : &s);
		}
		ends[fuzz_inflate_both(f, s.p, s.n, fuzz_random(&seed))]++;
		bytes += f[0].made;
		i++;
	}
	printf("%llu ended, %llu refused, %llu cut, %llu too long; %llu bytes of output: the same by both\n",
		ends[WP_INFLATE_END], ends[WP_INFLATE_ERROR], ends[WP_INFLATE_INPUT], ends[WP_INFLATE_OUTPUT], bytes);
	for (i = 0; i < POOL; i++)
		free(pool[i].p);
	free(s.p);
	fuzz_inflater_free(&f[0]);
	fuzz_inflater_free(&f[1]);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* inflate.h: the same stream through our decoder and through zlib's, each with pieces of its own. */
#ifndef WP_TESTS_FUZZ_INFLATE_H
#define WP_TESTS_FUZZ_INFLATE_H

#include "ext/inflate.h"
#include "fuzz/fuzz.h"

enum { FUZZ_INFLATE_MAX = 160 << 10 }; /* of output: longer than what can be referred to, and moved over */

typedef struct fuzz_inflater {
	wp_inflate *z;
	wp_inflate_state state;
	size_t made;
	uint64_t consumed;
	unsigned char *in, *out; /* whose ends are those of their pieces: what is outside of them is seen */
	size_t nin;
	unsigned char *all;
} fuzz_inflater;

static inline uint64_t fuzz_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	return *seed ^= *seed << 17;
}

/* At most n bytes; all, a few, or some hundred. */
static inline size_t fuzz_piece(uint64_t *seed, unsigned how, size_t n)
{
	size_t k = how == 0 ? n : how == 1 ? 1 : 1 + fuzz_random(seed) % (how == 2 ? 12 : 900);

	return k < n ? k : n;
}

static inline fuzz_inflater fuzz_inflater_new(wp_inflate *z)
{
	return (fuzz_inflater){.z = z, .out = malloc(FUZZ_INFLATE_MAX), .all = malloc(FUZZ_INFLATE_MAX)};
}

static inline void fuzz_inflater_free(fuzz_inflater *f)
{
	wp_inflate_free(f->z);
	free(f->in);
	free(f->out);
	free(f->all);
}

static inline void fuzz_inflate(fuzz_inflater *f, const uint8_t *data, size_t n, uint64_t seed)
{
	unsigned how_in = fuzz_random(&seed) % 4, how_out = fuzz_random(&seed) % 4;
	size_t used = 0, idle = 0;

	if (f->nin <= n) {
		free(f->in);
		f->nin = n + 1;
		f->in = malloc(f->nin);
	}
	wp_inflate_restart(f->z);
	f->made = 0;
	do {
		size_t nin = fuzz_piece(&seed, how_in, n - used), gin = nin;
		size_t nout = fuzz_piece(&seed, how_out, FUZZ_INFLATE_MAX - f->made), gout = nout;
		const unsigned char *in = f->in + f->nin - nin;
		unsigned char *out = f->out + FUZZ_INFLATE_MAX - nout;

		if (nin)
			memcpy(f->in + f->nin - nin, data + used, nin);
		if (nout < 1000)
			memset(out, 0x55, nout);
		f->state = wp_inflate_step(f->z, &in, &nin, &out, &nout);
		MUST(in == f->in + f->nin - nin && out == f->out + FUZZ_INFLATE_MAX - nout && nin <= gin && nout <= gout);
		MUST(f->state != WP_INFLATE_INPUT || nin == 0);
		MUST(f->state != WP_INFLATE_OUTPUT || nout == 0);
		memcpy(f->all + f->made, f->out + FUZZ_INFLATE_MAX - gout, gout - nout);
		f->made += gout - nout;
		used += gin - nin;
		idle = gin - nin + gout - nout ? 0 : idle + 1;
	} while (f->state != WP_INFLATE_END && f->state != WP_INFLATE_ERROR && idle < 2 && f->made < FUZZ_INFLATE_MAX);
	f->consumed = wp_inflate_consumed(f->z);
	MUST(f->consumed == used);
}

/* With no more output than the maximum only what both gave is held together. */
static inline wp_inflate_state fuzz_inflate_both(fuzz_inflater f[2], const uint8_t *data, size_t n, uint64_t seed)
{
	fuzz_inflate(&f[0], data, n, seed | 1);
	fuzz_inflate(&f[1], data, n, ~seed | 1);
	MUST(f[0].made == f[1].made && memcmp(f[0].all, f[1].all, f[0].made) == 0);
	if (f[0].made == FUZZ_INFLATE_MAX)
		return WP_INFLATE_OUTPUT;
	MUST(f[0].state == f[1].state);
	MUST(f[0].state == WP_INFLATE_ERROR || f[0].consumed == f[1].consumed);
	return f[0].state;
}

#endif

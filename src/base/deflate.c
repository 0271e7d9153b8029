/* SPDX-License-Identifier: MIT
 *
 * deflate.c: bytes are taken one by one, and only when the next step can't do without them, so that at any pause, and
 * at the end, no more is consumed than was needed. Only fast() reads ahead; it gives back what it didn't use.
 */
#include "base/deflate.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/deflate_code.h"

enum {
	DISTANCE_MAX = 32 << 10,
	HISTORY = 2 * DISTANCE_MAX, /* so that a small piece of output rarely moves what is kept */
	LENGTH_MAX = 258,
	OVERSHOOT = 32,			      /* bytes that copy_fast may write too many */
	FAST_IN = 16,			      /* what one round of fast() reads at most */
	FAST_OUT = 4 + LENGTH_MAX + OVERSHOOT /* and writes */
};

typedef enum place {
	BLOCK, STORED_SIZE, STORED, COUNTS, LENGTH_CODES, LENGTHS, SYMBOL, LITERAL, DISTANCE, COPY
} place;

struct wp_deflate {
	uint64_t bits; /* taken and not used yet, the first one lowest */
	unsigned nbits;
	place at;
	bool last; /* the block is the last one */
	bool fixed; /* the tables are those of the fixed codes */
	unsigned nsymbols, ndistances, nlength_codes, have;
	unsigned length, distance; /* length: also of a stored block, and the literal that finds no room */
	wp_inflate_state state;
	/* Of the call that is under way. */
	const unsigned char *in, *in_end;
	unsigned char *out_start, *out, *out_end;
	uint64_t consumed;
	size_t kept; /* bytes of history: the last DISTANCE_MAX before out_start, or all there were */
	uint8_t lengths[DEFLATE_SYMBOLS + DEFLATE_DISTANCES];
	uint32_t symbols[DEFLATE_SYMBOL_ENTRIES];
	uint32_t distances[DEFLATE_DISTANCE_ENTRIES]; /* and, before it is known, the code of the lengths */
	unsigned char history[HISTORY];
};

static bool stop(wp_deflate *d, wp_inflate_state s)
{
	d->state = s;
	return false;
}

/* ---- bits --------------------------------------------------------------------------------- */

static bool pull(wp_deflate *d)
{
	if (d->in == d->in_end)
		return stop(d, WP_INFLATE_INPUT);
	d->bits |= (uint64_t)*d->in++ << d->nbits;
	d->nbits += 8;
	return true;
}

static bool need(wp_deflate *d, unsigned n)
{
	while (d->nbits < n)
		if (!pull(d))
			return false;
	return true;
}

static unsigned drop(wp_deflate *d, unsigned n)
{
	unsigned v = (unsigned)(d->bits & ((UINT64_C(1) << n) - 1));

	d->bits >>= n;
	d->nbits -= n;
	return v;
}

/* The entry of the next code; its bits are there. */
static bool find(wp_deflate *d, const uint32_t *table, unsigned root, uint32_t *e)
{
	for (;;) {
		*e = deflate_find(table, root, d->bits);
		if (*e & DEFLATE_LONGER)
			*e = deflate_find_longer(table, root, *e, d->bits);
		if (deflate_code_bits(*e) <= d->nbits)
			return true;
		if (!pull(d))
			return false;
	}
}

/* ---- heads of blocks ---------------------------------------------------------------------- */

static bool fixed_codes(wp_deflate *d)
{
	static const struct { short until, length; } symbols[] = {{144, 8}, {256, 9}, {280, 7}, {DEFLATE_SYMBOLS, 8}};
	unsigned i, k = 0;

	d->at = SYMBOL;
	if (d->fixed)
		return true;
	for (i = 0; i < DEFLATE_SYMBOLS; i++) {
		k += i == (unsigned)symbols[k].until;
		d->lengths[i] = (uint8_t)symbols[k].length;
	}
	deflate_symbols(d->symbols, d->lengths, DEFLATE_SYMBOLS);
	memset(d->lengths, 5, DEFLATE_DISTANCES);
	deflate_distances(d->distances, d->lengths, DEFLATE_DISTANCES);
	return d->fixed = true;
}

static bool block(wp_deflate *d)
{
	if (d->last) {
		drop(d, d->nbits & 7);
		return stop(d, WP_INFLATE_END);
	}
	if (!need(d, 3))
		return false;
	d->last = drop(d, 1);
	switch (drop(d, 2)) {
	case 0:
		drop(d, d->nbits & 7);
		d->at = STORED_SIZE;
		return true;
	case 1:
		return fixed_codes(d);
	case 2:
		d->at = COUNTS;
		return true;
	default:
		return stop(d, WP_INFLATE_ERROR);
	}
}

static bool stored_size(wp_deflate *d)
{
	if (!need(d, 32))
		return false;
	d->length = drop(d, 16);
	d->at = STORED;
	return drop(d, 16) == (d->length ^ 0xffff) || stop(d, WP_INFLATE_ERROR);
}

static bool stored(wp_deflate *d)
{
	size_t n = d->length, in = (size_t)(d->in_end - d->in), out = (size_t)(d->out_end - d->out);

	n = n < in ? n : in;
	n = n < out ? n : out;
	if (n) {
		memcpy(d->out, d->in, n);
		d->in += n;
		d->out += n;
		d->length -= (unsigned)n;
	}
	if (d->length)
		return stop(d, n == out ? WP_INFLATE_OUTPUT : WP_INFLATE_INPUT);
	d->at = BLOCK;
	return true;
}

static bool counts(wp_deflate *d)
{
	if (!need(d, 14))
		return false;
	d->nsymbols = 257 + drop(d, 5);
	d->ndistances = 1 + drop(d, 5);
	d->nlength_codes = 4 + drop(d, 4);
	d->have = 0;
	d->fixed = false;
	d->at = LENGTH_CODES;
	return (d->nsymbols <= 286 && d->ndistances <= 30) || stop(d, WP_INFLATE_ERROR);
}

static bool length_codes(wp_deflate *d)
{
	static const uint8_t order[DEFLATE_LENGTH_CODES] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

	if (d->have == 0)
		memset(d->lengths, 0, sizeof order);
	for (; d->have < d->nlength_codes; d->have++) {
		if (!need(d, 3))
			return false;
		d->lengths[order[d->have]] = (uint8_t)drop(d, 3);
	}
	d->have = 0;
	d->at = LENGTHS;
	return deflate_length_codes(d->distances, d->lengths, DEFLATE_LENGTH_CODES) || stop(d, WP_INFLATE_ERROR);
}

/* One length, or several that are the same. */
static bool some_lengths(wp_deflate *d)
{
	static const struct { uint8_t bits, least; } repeats[] = {{2, 3}, {3, 3}, {7, 11}}; /* of 16, 17, 18 */
	unsigned symbol, n;
	uint8_t length = 0;
	uint32_t e;

	if (!find(d, d->distances, DEFLATE_LENGTH_CODE_BITS, &e))
		return false;
	symbol = deflate_value(e);
	if (symbol < 16) {
		drop(d, deflate_code_bits(e));
		d->lengths[d->have++] = (uint8_t)symbol;
		return true;
	}
	if (!need(d, deflate_code_bits(e) + repeats[symbol - 16].bits))
		return false;
	drop(d, deflate_code_bits(e));
	n = repeats[symbol - 16].least + drop(d, repeats[symbol - 16].bits);
	if ((symbol == 16 && d->have == 0) || n > d->nsymbols + d->ndistances - d->have)
		return stop(d, WP_INFLATE_ERROR);
	if (symbol == 16)
		length = d->lengths[d->have - 1];
	memset(d->lengths + d->have, length, n);
	d->have += n;
	return true;
}

static bool lengths(wp_deflate *d)
{
	while (d->have < d->nsymbols + d->ndistances)
		if (!some_lengths(d))
			return false;
	d->at = SYMBOL;
	return (d->lengths[256] && deflate_symbols(d->symbols, d->lengths, d->nsymbols) &&
		       deflate_distances(d->distances, d->lengths + d->nsymbols, d->ndistances)) ||
		stop(d, WP_INFLATE_ERROR);
}

/* ---- copies of what was before ------------------------------------------------------------ */

/* True if there was as much before `out`. */
static bool reaches(const wp_deflate *d, const unsigned char *out, size_t distance)
{
	return distance <= (size_t)(out - d->out_start) + d->kept;
}

/* Any distance that is within reach, no byte too many. */
static unsigned char *copy_exact(const wp_deflate *d, unsigned char *out, size_t distance, size_t n)
{
	size_t made = (size_t)(out - d->out_start);

	if (distance > made) {
		size_t old = distance - made < n ? distance - made : n;

		memcpy(out, d->history + d->kept - (distance - made), old);
		out += old;
		n -= old;
	}
	for (; n; n--, out++)
		*out = *(out - distance);
	return out;
}

static void copy8(unsigned char *to, const unsigned char *from)
{
	memcpy(to, from, 8);
}

static void copy16(unsigned char *to, const unsigned char *from)
{
	memcpy(to, from, 16);
}

/* A pattern of less than 8 bytes, repeated. */
static void copy_pattern(unsigned char *out, size_t distance, size_t n)
{
	static const uint8_t longer[8] = {0, 8, 8, 9, 8, 10, 12, 14}; /* the first multiple that is a word away */
	unsigned char *end = out + n;
	int i;

	for (i = 0; i < 16; i++)
		out[i] = *(out + i - distance);
	distance = longer[distance];
	for (out += 16; out < end; out += 8)
		copy8(out, out - distance);
}

/* Up to OVERSHOOT bytes too many are written. */
static inline void copy_fast(unsigned char *out, size_t distance, size_t n)
{
	const unsigned char *from = out - distance;
	unsigned char *end = out + n;

	if (distance >= 16) {
		copy16(out, from);
		copy16(out + 16, from + 16);
		while ((out += 32) < end) {
			from += 32;
			copy16(out, from);
			copy16(out + 16, from + 16);
		}
	} else if (distance >= 8) {
		do {
			copy8(out, from);
			copy8(out + 8, from + 8);
			from += 16;
		} while ((out += 16) < end);
	} else if (distance == 1) {
		uint64_t same = *from * UINT64_C(0x0101010101010101);

		do {
			memcpy(out, &same, 8);
			memcpy(out + 8, &same, 8);
		} while ((out += 16) < end);
	} else {
		copy_pattern(out, distance, n);
	}
}

/* ---- symbols ------------------------------------------------------------------------------ */

/* Compilers make one load of it. */
static inline uint64_t load64(const unsigned char *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
		(uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* At least 56 bits are there afterwards; those above nbits are right already, and are or-ed in again. Only the lowest six
 * bits of nbits count: DROP takes off a whole entry. */
#define REFILL()                                       \
	do {                                           \
		bits |= load64(in) << (nbits & 63);    \
		in += (~nbits & 63) >> 3;              \
		nbits |= 56;                           \
	} while (0)
#define DROP(entry)                                    \
	do {                                           \
		bits >>= deflate_bits(entry);          \
		nbits -= (entry);                      \
	} while (0)
#define NEXT_SYMBOL() deflate_find(d->symbols, DEFLATE_SYMBOL_BITS, bits)
#define PUT(entry) (*out++ = (unsigned char)deflate_value(entry))

/* Symbols while there is room for a whole round. Between two refills at most 3 * 11 bits of literals and 20 of a length
 * are used, or 28 of a distance; the next symbol is looked up before the refill and the copy, which it needn't wait
 * for. */
static bool fast(wp_deflate *d)
{
	const unsigned char *in = d->in, *in_last = d->in_end - FAST_IN;
	unsigned char *out = d->out, *out_last = d->out_end - FAST_OUT;
	uint64_t bits = d->bits;
	unsigned nbits = d->nbits;
	uint32_t e;
	bool good = true;

	REFILL();
	e = NEXT_SYMBOL();
	do {
		unsigned length, distance;

		REFILL();
		if (e & DEFLATE_LITERAL) {
			DROP(e);
			PUT(e);
			e = NEXT_SYMBOL();
			if (e & DEFLATE_LITERAL) {
				DROP(e);
				PUT(e);
				e = NEXT_SYMBOL();
				if (e & DEFLATE_LITERAL) {
					DROP(e);
					PUT(e);
					e = NEXT_SYMBOL();
					if (e & DEFLATE_LITERAL)
						continue;
				}
			}
		}
		if (e & DEFLATE_ODD) {
			if (e & DEFLATE_LONGER)
				e = deflate_find_longer(d->symbols, DEFLATE_SYMBOL_BITS, e, bits);
			if (e & DEFLATE_LITERAL) {
				DROP(e);
				PUT(e);
				e = NEXT_SYMBOL();
				continue;
			}
			if (e & (DEFLATE_END | DEFLATE_INVALID)) {
				DROP(e);
				d->at = BLOCK;
				good = !(e & DEFLATE_INVALID);
				break;
			}
		}
		length = deflate_extended(e, bits);
		DROP(e);
		REFILL();
		e = deflate_find(d->distances, DEFLATE_DISTANCE_BITS, bits);
		if (e & DEFLATE_ODD) {
			if (e & DEFLATE_LONGER)
				e = deflate_find_longer(d->distances, DEFLATE_DISTANCE_BITS, e, bits);
			if (e & DEFLATE_INVALID) {
				good = false;
				break;
			}
		}
		distance = deflate_extended(e, bits);
		DROP(e);
		e = NEXT_SYMBOL();
		if (distance <= (size_t)(out - d->out_start)) {
			copy_fast(out, distance, length);
			out += length;
		} else if (reaches(d, out, distance)) {
			out = copy_exact(d, out, distance, length);
		} else {
			good = false;
			break;
		}
	} while (in <= in_last && out <= out_last);
	nbits &= 63;
	d->in = in - (nbits >> 3);
	d->nbits = nbits & 7;
	d->bits = bits & ((1u << d->nbits) - 1);
	d->out = out;
	return good || stop(d, WP_INFLATE_ERROR);
}

static bool symbol(wp_deflate *d)
{
	uint32_t e;

	if (d->in_end - d->in >= FAST_IN && d->out_end - d->out >= FAST_OUT)
		return fast(d);
	if (!find(d, d->symbols, DEFLATE_SYMBOL_BITS, &e))
		return false;
	if (e & DEFLATE_INVALID)
		return stop(d, WP_INFLATE_ERROR);
	if (!need(d, deflate_bits(e)))
		return false;
	d->length = e & DEFLATE_LITERAL ? deflate_value(e) : deflate_extended(e, d->bits);
	drop(d, deflate_bits(e));
	d->at = e & DEFLATE_LITERAL ? LITERAL : e & DEFLATE_END ? BLOCK : DISTANCE;
	return true;
}

static bool literal(wp_deflate *d)
{
	if (d->out == d->out_end)
		return stop(d, WP_INFLATE_OUTPUT);
	*d->out++ = (unsigned char)d->length;
	d->at = SYMBOL;
	return true;
}

static bool distance(wp_deflate *d)
{
	uint32_t e;

	if (!find(d, d->distances, DEFLATE_DISTANCE_BITS, &e))
		return false;
	if (e & DEFLATE_INVALID)
		return stop(d, WP_INFLATE_ERROR);
	if (!need(d, deflate_bits(e)))
		return false;
	d->distance = deflate_extended(e, d->bits);
	drop(d, deflate_bits(e));
	d->at = COPY;
	return true;
}

static bool copy(wp_deflate *d)
{
	size_t room = (size_t)(d->out_end - d->out), n = d->length < room ? d->length : room;

	if (n == 0)
		return stop(d, WP_INFLATE_OUTPUT);
	if (!reaches(d, d->out, d->distance))
		return stop(d, WP_INFLATE_ERROR);
	d->out = copy_exact(d, d->out, d->distance, n);
	d->length -= (unsigned)n;
	if (d->length == 0)
		d->at = SYMBOL;
	return true;
}

/* ---- calls -------------------------------------------------------------------------------- */

static bool (*const steps[])(wp_deflate *d) = {
	[BLOCK] = block, [STORED_SIZE] = stored_size, [STORED] = stored, [COUNTS] = counts, [LENGTH_CODES] = length_codes,
	[LENGTHS] = lengths, [SYMBOL] = symbol, [LITERAL] = literal, [DISTANCE] = distance, [COPY] = copy,
};

/* What was given out is out of reach with the next call. */
static void keep(wp_deflate *d)
{
	size_t n = (size_t)(d->out - d->out_start);

	if (n > DISTANCE_MAX)
		n = DISTANCE_MAX;
	if (d->kept + n > HISTORY) {
		size_t old = DISTANCE_MAX - n;

		memmove(d->history, d->history + d->kept - old, old);
		d->kept = old;
	}
	if (n)
		memcpy(d->history + d->kept, d->out - n, n);
	d->kept += n;
}

void wp_deflate_restart(wp_deflate *d)
{
	d->bits = d->consumed = 0;
	d->nbits = 0;
	d->at = BLOCK;
	d->last = d->fixed = false;
	d->state = WP_INFLATE_INPUT;
	d->kept = 0;
}

wp_deflate *wp_deflate_new(void)
{
	wp_deflate *d = wp_xmalloc(sizeof *d);

	wp_deflate_restart(d);
	return d;
}

wp_inflate_state wp_deflate_step(wp_deflate *d, const unsigned char **in, size_t *nin, unsigned char **out,
	size_t *nout)
{
	if (d->state == WP_INFLATE_END || d->state == WP_INFLATE_ERROR)
		return d->state;
	d->in = *in;
	d->in_end = *nin ? *in + *nin : *in;
	d->out = d->out_start = *out;
	d->out_end = *nout ? *out + *nout : *out;
	while (steps[d->at](d))
		;
	d->consumed += (uint64_t)(d->in - *in);
	if (d->state != WP_INFLATE_END)
		keep(d);
	*in = d->in;
	*nin = (size_t)(d->in_end - d->in);
	*out = d->out;
	*nout = (size_t)(d->out_end - d->out);
	return d->state;
}

uint64_t wp_deflate_consumed(const wp_deflate *d)
{
	return d->consumed;
}

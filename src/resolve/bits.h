/* SPDX-License-Identifier: MIT */
/* bits.h: a growing set of small numbers. */
#ifndef WP_RESOLVE_BITS_H
#define WP_RESOLVE_BITS_H

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

typedef struct wp_bits {
	uint64_t *w;
	size_t n; /* words */
} wp_bits;

static inline void wp_bits_add(wp_bits *b, uint32_t i)
{
	size_t word = i / 64;

	if (word >= b->n) {
		size_t n = word * 2 + 1;

		b->w = wp_xrealloc(b->w, n * sizeof *b->w);
		memset(b->w + b->n, 0, (n - b->n) * sizeof *b->w);
		b->n = n;
	}
	b->w[word] |= (uint64_t)1 << i % 64;
}

static inline bool wp_bits_has(const wp_bits *b, uint32_t i)
{
	return i / 64 < b->n && (b->w[i / 64] >> i % 64 & 1);
}

static inline void wp_bits_drop(wp_bits *b, uint32_t i)
{
	if (i / 64 < b->n)
		b->w[i / 64] &= ~((uint64_t)1 << i % 64);
}

static inline void wp_bits_or(wp_bits *b, const wp_bits *other)
{
	size_t i;

	for (i = other->n; i > 0 && !other->w[i - 1]; i--)
		;
	if (i == 0)
		return;
	if (i > b->n) {
		b->w = wp_xrealloc(b->w, i * sizeof *b->w);
		memset(b->w + b->n, 0, (i - b->n) * sizeof *b->w);
		b->n = i;
	}
	while (i-- > 0)
		b->w[i] |= other->w[i];
}

static inline void wp_bits_empty(wp_bits *b)
{
	if (b->n)
		memset(b->w, 0, b->n * sizeof *b->w);
}

/* The highest number below `end` that is in the set, UINT32_MAX if there is none. */
static inline uint32_t wp_bits_highest(const wp_bits *b, uint32_t end)
{
	uint32_t i;

	for (i = end; i-- > 0;)
		if (wp_bits_has(b, i))
			return i;
	return UINT32_MAX;
}

static inline void wp_bits_free(wp_bits *b)
{
	free(b->w);
	*b = (wp_bits){0};
}

#endif

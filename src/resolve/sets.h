/* SPDX-License-Identifier: MIT */
/* sets.h: sets of choices as words of 64 bits. */
#ifndef WP_RESOLVE_SETS_H
#define WP_RESOLVE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t set_words(uint32_t choices)
{
	return choices / 64 + 1;
}

static inline bool set_has(const uint64_t *a, uint32_t i)
{
	return a[i / 64] >> i % 64 & 1;
}

static inline void set_add(uint64_t *a, uint32_t i)
{
	a[i / 64] |= (uint64_t)1 << i % 64;
}

/* 0 to n. */
static inline void set_fill(uint64_t *a, uint32_t n)
{
	size_t i;

	for (i = 0; i < n / 64; i++)
		a[i] = UINT64_MAX;
	a[n / 64] = n % 64 == 63 ? UINT64_MAX : ((uint64_t)1 << (n % 64 + 1)) - 1;
}

static inline bool set_within(const uint64_t *a, const uint64_t *b, size_t words)
{
	size_t i;

	for (i = 0; i < words; i++)
		if (a[i] & ~b[i])
			return false;
	return true;
}

static inline bool set_apart(const uint64_t *a, const uint64_t *b, size_t words)
{
	size_t i;

	for (i = 0; i < words; i++)
		if (a[i] & b[i])
			return false;
	return true;
}

/* The last member of a that b has not; UINT32_MAX where there is none. */
static inline uint32_t set_beyond(const uint64_t *a, const uint64_t *b, size_t words)
{
	while (words-- > 0)
		if (a[words] & ~b[words])
			return (uint32_t)(words * 64) + 63 - (uint32_t)__builtin_clzll(a[words] & ~b[words]);
	return UINT32_MAX;
}

static inline bool set_empty(const uint64_t *a, size_t words)
{
	return set_apart(a, a, words);
}

static inline uint32_t set_count(const uint64_t *a, size_t words)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < words; i++)
		n += (uint32_t)__builtin_popcountll(a[i]);
	return n;
}

/* The first member from i on; UINT32_MAX where there is none. */
static inline uint32_t set_next(const uint64_t *a, size_t words, uint32_t i)
{
	size_t w = i / 64;
	uint64_t rest = w < words ? a[w] & (UINT64_MAX << i % 64) : 0;

	while (!rest && ++w < words)
		rest = a[w];
	return rest ? (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest) : UINT32_MAX;
}

#endif

/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "probe/check.h"

enum { SPARSE = 3 }; /* elements of S a column */

/* xorshift64*: the same matrices on every machine. */
static uint32_t next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)(*state * 0x2545f4914f6cdd1d >> 32);
}

static int between(uint64_t *state, int low, int high)
{
	return low + (int)(next(state) % (uint32_t)(high - low + 1));
}

/* -2, -1, 1 or 2. */
static int not_zero(uint64_t *state)
{
	static const int values[] = {-2, -1, 1, 2};

	return values[next(state) % 4];
}

static wp_case case_new(int m, int n, int k, uint64_t *state)
{
	wp_case c = {.m = m, .n = n, .k = k};
	size_t i, na = (size_t)m * k, nc = (size_t)m * n;

	c.a = wp_xmalloc(na * sizeof *c.a);
	c.b = wp_xmalloc((size_t)k * n * sizeof *c.b);
	c.ref = wp_xmalloc(nc * sizeof *c.ref);
	c.c = wp_xmalloc((nc + WP_PROBE_GUARD) * sizeof *c.c);
	for (i = 0; i < na; i++)
		c.a[i] = (float)between(state, -8, 8);
	return c;
}

wp_case wp_case_full(int m, int n, int k)
{
	uint64_t state = 20160229;
	wp_case c = case_new(m, n, k, &state);
	size_t i, j, t;

	for (i = 0; i < (size_t)k * n; i++)
		c.b[i] = (float)between(&state, -8, 8);
	for (i = 0; i < (size_t)m; i++)
		for (j = 0; j < (size_t)n; j++) {
			int32_t sum = 0;

			for (t = 0; t < (size_t)k; t++)
				sum += (int32_t)c.a[i * k + t] * (int32_t)c.b[t * n + j];
			c.ref[i * n + j] = sum;
		}
	return c;
}

/* The part of B and of the reference that is x y'. */
static void add_product(wp_case *c, uint64_t *state)
{
	size_t n = (size_t)c->n, i, j;
	int *x = wp_xmalloc(2 * n * sizeof *x), *y = x + n;

	for (i = 0; i < 2 * n; i++)
		x[i] = not_zero(state);
	for (i = 0; i < n; i++) {
		int32_t ax = 0;

		for (j = 0; j < n; j++)
			ax += (int32_t)c->a[i * n + j] * x[j];
		for (j = 0; j < n; j++) {
			c->b[i * n + j] = (float)(x[i] * y[j]);
			c->ref[i * n + j] = ax * y[j];
		}
	}
	free(x);
}

/* A row may be drawn twice for one column: the change is made only where B stays within 8. */
static void add_sparse(wp_case *c, uint64_t *state)
{
	size_t n = (size_t)c->n, i, j, t;
	size_t *row = wp_xmalloc(n * sizeof *row);
	int *s = wp_xmalloc(n * sizeof *s);

	for (t = 0; t < SPARSE; t++) {
		for (j = 0; j < n; j++) {
			row[j] = next(state) % n;
			s[j] = between(state, -4, 4);
			if (fabsf(c->b[row[j] * n + j] + (float)s[j]) > 8)
				s[j] = 0;
			c->b[row[j] * n + j] += (float)s[j];
		}
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
				c->ref[i * n + j] += (int32_t)c->a[i * n + row[j]] * s[j];
	}
	free(row);
	free(s);
}

wp_case wp_case_structured(int n)
{
	uint64_t state = 18650917;
	wp_case c = case_new(n, n, n, &state);

	add_product(&c, &state);
	add_sparse(&c, &state);
	return c;
}

void wp_case_free(wp_case *c)
{
	free(c->a);
	free(c->b);
	free(c->ref);
	free(c->c);
	*c = (wp_case){0};
}

/* Written so that NaN, which is unequal to everything, counts as wrong. */
wp_diff wp_case_compare(const wp_case *c)
{
	size_t n = (size_t)c->m * c->n, i;
	const uint32_t poison = WP_PROBE_POISON;
	wp_diff d = {0};

	for (i = 0; i < n; i++) {
		if (c->c[i] == (float)c->ref[i])
			continue;
		if (d.wrong++ == 0) {
			d.first = i;
			d.got = c->c[i];
			d.expected = c->ref[i];
		}
		d.nan += isnan(c->c[i]) != 0;
	}
	for (i = 0; i < WP_PROBE_GUARD; i++)
		d.guard += memcmp(&c->c[n + i], &poison, sizeof poison) != 0;
	return d;
}

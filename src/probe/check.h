/* SPDX-License-Identifier: MIT
 *
 * check.h: matrices whose product is known exactly, and the comparison.
 *
 * All elements are integers in [-8, 8], so every partial sum, in any order, with or without fused
 * multiply-add, is an integer of at most 64 k < 2^24 in size, which a float holds exactly: the
 * result has one right value, to the bit. A is random and full. In the structured case B = x y' +
 * S, where no element of x and y is zero and S has a few elements a column at random rows: then
 *     C[i][j] = (A x)[i] y[j] + sum over S's elements (r, j): A[i][r] S[r][j]
 * is an exact reference in O(n^2), and every element of A counts in C. The whole of C is compared,
 * so one wrong element is always found. The full case has B random and full too, and a reference by
 * the definition, for small sizes.
 */
#ifndef WP_PROBE_CHECK_H
#define WP_PROBE_CHECK_H

#include "wheelpack/wheelpack.h"

enum {
	WP_PROBE_GUARD = 1024,	     /* words behind C that must stay as they are */
	WP_PROBE_POISON = 0x7fc0dead /* a NaN, in each word of C and behind it before a product */
};

typedef struct wp_case {
	int m, n, k;
	float *a, *b; /* m x k, k x n */
	int32_t *ref; /* m x n */
	float *c;     /* m x n, then the guard words: what came back */
} wp_case;

typedef struct wp_diff {
	size_t wrong, nan,
		guard; /* elements that differ, those of them that are NaN, changed guard words */
	size_t first;  /* index of the first wrong element */
	float got;
	int32_t expected;
} wp_diff;

/* B full, reference by the definition. */
wp_case wp_case_full(int m, int n, int k);
/* n x n, B = x y' + S. */
wp_case wp_case_structured(int n);
void wp_case_free(wp_case *c);
wp_diff wp_case_compare(const wp_case *c);

#endif

/* SPDX-License-Identifier: MIT */
#include "base/near.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein distance where swapping two neighbours counts as one edit. */
static size_t distance(const char *a, const char *b)
{
	size_t row[3][LONGEST + 1], na = strlen(a), nb = strlen(b), i, j;
	size_t *before = row[0], *prev = row[1], *cur = row[2], *free_row;

	for (j = 0; j <= nb; j++)
		before[j] = prev[j] = j;
	for (i = 1; i <= na; i++) {
		cur[0] = i;
		for (j = 1; j <= nb; j++) {
			cur[j] = least(prev[j] + 1, cur[j - 1] + 1,
				prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				before[j - 2] + 1 < cur[j])
				cur[j] = before[j - 2] + 1;
		}
		free_row = before;
		before = prev;
		prev = cur;
		cur = free_row;
	}
	return prev[nb];
}

const char *wp_near(const char *word, const char *const *words, size_t n)
{
	const char *best = NULL;
	size_t best_d = 3, i, d, len = strlen(word);

	if (len > LONGEST)
		return NULL;
	for (i = 0; i < n; i++) {
		if (strlen(words[i]) > LONGEST)
			continue;
		d = distance(word, words[i]);
		if (d < best_d && d * 2 < len) {
			best = words[i];
			best_d = d;
		}
	}
	return best;
}

/* SPDX-License-Identifier: MIT */
/* near.h: "did you mean". */
#ifndef WP_BASE_NEAR_H
#define WP_BASE_NEAR_H

#include <stddef.h>

/* The word of the list that is closest to word: at most two edits away and less than half of its letters.
 * NULL where none is. Words longer than 63 bytes are never near. */
const char *wp_near(const char *word, const char *const *words, size_t n);

#endif

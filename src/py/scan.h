/* SPDX-License-Identifier: MIT */
/* scan.h: reading a requirement or a marker from left to right, with faults that say where. */
#ifndef WP_PY_SCAN_H
#define WP_PY_SCAN_H

#include "base/str.h"

typedef struct wp_scan {
	const char *what; /* "requirement", "marker": names the text in messages */
	wp_str text;
	size_t at;
	wp_error *e;
} wp_scan;

void wp_scan_blanks(wp_scan *s); /* spaces and tabs */
char wp_scan_peek(const wp_scan *s); /* 0 at the end */
bool wp_scan_end(const wp_scan *s);
bool wp_scan_take(wp_scan *s, const char *literal);
/* The same for a word: no letter, digit or underscore may follow. */
bool wp_scan_take_word(wp_scan *s, const char *word);
/* Set WP_E_REQUIREMENT with the text and the place; always false. */
bool wp_scan_fail(const wp_scan *s, const char *fmt, ...) WP_PRINTF(2, 3);

#endif

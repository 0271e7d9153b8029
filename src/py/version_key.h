/* SPDX-License-Identifier: MIT */
/* version_key.h: the order of versions (PEP 440) as bytes: between version.c, specifier.c and specifier_span.c. */
#ifndef WP_PY_VERSION_KEY_H
#define WP_PY_VERSION_KEY_H

#include "py/version.h"

/* Of a version whose parts are known. */
wp_key wp_key_of(wp_arena *a, const wp_version *v);
int wp_key_cmp(const wp_key *a, const wp_key *b);

/* Places between versions. V stands for its public part. */
typedef enum wp_place {
	WP_PLACE_BEFORE,       /* V and V+label */
	WP_PLACE_AFTER,	       /* V and every V+label */
	WP_PLACE_AFTER_EXACT,  /* V with its own label and nothing else */
	WP_PLACE_BEFORE_DEV,   /* V.dev0, or for a final V its first pre-release */
	WP_PLACE_AFTER_POSTS   /* every V.postN */
} wp_place;

wp_key wp_key_place(wp_arena *a, const wp_version *v, wp_place place);
/* Before everything whose release begins with the first n numbers of V (n is 1 to V's own). */
wp_key wp_key_series(wp_arena *a, const wp_version *v, size_t n);
/* Behind all of it. */
wp_key wp_key_series_end(wp_arena *a, const wp_version *v, size_t n);
extern const wp_key wp_key_first, wp_key_last; /* before and behind all versions */

/* The spans of a parsed set, in arena a. */
void wp_specifiers_span(wp_arena *a, wp_specifiers *s);

#endif

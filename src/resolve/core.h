/* SPDX-License-Identifier: MIT */
/* core.h: of all that a proof rests on, as little as is enough. */
#ifndef WP_RESOLVE_CORE_H
#define WP_RESOLVE_CORE_H

#include "resolve/proof.h"

/* Source facts that cannot all hold, none of which can be left out. Facts that differ only in the candidates they are
 * about were made one. In the order of the proof. */
typedef struct wp_core {
	const wp_fact **v; size_t n;
} wp_core;

void wp_core_of(wp_arena *a, const wp_proof *p, wp_core *out);

/* Where the reason lies in many cases: one of them. Facts that follow plainly from each other once these choices are made,
 * which are the best that they leave. False where no choice is needed, or none was found that shows it. */
typedef struct wp_example {
	wp_core core;
	const wp_term *choices; size_t n; /* of one candidate each */
} wp_example;

bool wp_core_example(wp_arena *a, const wp_proof *p, wp_example *out);

#endif

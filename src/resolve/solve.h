/* SPDX-License-Identifier: MIT */
/* solve.h: choose one candidate for every project that is needed, or prove that there is no such choice: PubGrub, over
 * sets of candidates as bits. Extras of a project hold for whatever version of it is chosen, so base and extras never
 * part. All rules about versions, files and metadata are the pool's. Nothing here depends on the order in which
 * answers of the network arrive. */
#ifndef WP_RESOLVE_SOLVE_H
#define WP_RESOLVE_SOLVE_H

#include "resolve/proof.h"

typedef struct wp_chosen {
	uint32_t project, cand;
	const char *const *extras; size_t nextras; /* sorted */
} wp_chosen;

typedef struct wp_solution {
	bool solved;
	const wp_chosen *v; size_t n; /* by project number */
	wp_proof proof; /* where not solved */
	bool gave_up;	/* neither */
	uint32_t steps; /* choices made */
} wp_solution;

/* roots: the request's requirements and constraints, kept by the caller. Strings of out live in the pool's arena. */
int wp_solve(wp_pool *p, const wp_dep *roots, size_t n, wp_solution *out, wp_error *e);

#endif

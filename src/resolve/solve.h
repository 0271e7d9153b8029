/* SPDX-License-Identifier: MIT */
/* solve.h: choose one candidate for every project that is needed, or say why there is no such choice. Backtracking
 * with conflict-directed jumps. Extras of a project hold for whatever version of it is chosen, so base and extras
 * never part. Knows candidates as numbers and requirements as bits; all rules about versions, files and metadata
 * are the pool's. */
#ifndef WP_RESOLVE_SOLVE_H
#define WP_RESOLVE_SOLVE_H

#include "resolve/pool.h"

#define WP_NOBODY UINT32_MAX

typedef struct wp_chosen {
	uint32_t project, cand;
	const char *const *extras; size_t nextras; /* sorted */
} wp_chosen;

typedef enum wp_reason_kind {
	WP_WHY_REQUIREMENT, /* requirement b leaves the candidate out */
	WP_WHY_CLASH,	    /* it requires a, and b leaves out all that a allows */
	WP_WHY_NO_PROJECT,  /* it requires a, and no index has that */
	WP_WHY_NO_WHEEL,    /* it requires a, and no version of that has a wheel that fits */
	WP_WHY_NO_VERSION,  /* it requires a, and no version with a fitting wheel matches */
	WP_WHY_BROKEN,	    /* its metadata cannot be used */
	WP_WHY_YANKED,	    /* nothing pins the yanked version */
	WP_WHY_SEARCH	    /* with it, no version of another project is left: see node */
} wp_reason_kind;

/* A requirement and who has it. */
typedef struct wp_claim {
	const wp_dep *dep;
	uint32_t project, cand; /* WP_NOBODY: the request */
} wp_claim;

typedef struct wp_reason {
	wp_reason_kind kind;
	uint32_t first, last, count; /* candidates of the node's project that it holds for, in order of trial */
	wp_claim a, b;
	const struct wp_node *node;
} wp_reason;

/* No candidate of a project is left. */
typedef struct wp_node {
	uint32_t project; /* WP_NOBODY: the request itself */
	wp_claim need;	  /* one requirement that needs the project */
	const wp_reason *v; size_t n; /* the first few kinds of reason */
} wp_node;

typedef struct wp_solution {
	bool solved;
	const wp_chosen *v; size_t n; /* by project number */
	/* where not solved */
	const wp_node *why;
	const uint32_t *roots; size_t nroots; /* requirements of the request that have a part in it */
	bool gave_up;
	uint32_t steps;
} wp_solution;

/* roots: the request's requirements and constraints, kept by the caller. Strings of out live in the pool's arena. */
int wp_solve(wp_pool *p, const wp_dep *roots, size_t n, wp_solution *out, wp_error *e);

#endif

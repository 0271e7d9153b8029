/* SPDX-License-Identifier: MIT */
/* proof.h: why there is no solution. Facts ("these cannot all hold at once") that come from the request, from METADATA
 * and from the index, and facts that follow from two others; the last of these holds for anything, so the request has
 * no solution. Everything lives in the pool's arena. */
#ifndef WP_RESOLVE_PROOF_H
#define WP_RESOLVE_PROOF_H

#include "resolve/pool.h"

/* What is chosen: a project, or whether one of its extras is on. */
typedef struct wp_package {
	uint32_t project;
	const char *extra; /* NULL: the project itself */
	uint32_t n;	   /* choices: candidates of the project in order of preference; 1 of an extra */
} wp_package;

/* A set of choices of one package. Bit i is choice i, bit n that the package is not taken at all. */
typedef struct wp_term {
	uint32_t package;
	const uint64_t *set;
} wp_term;

/* A requirement and who has it. */
typedef struct wp_claim {
	const wp_dep *dep;
	uint32_t project, cand; /* WP_NOBODY: the request */
} wp_claim;

typedef enum wp_because {
	WP_BECAUSE_REQUIRED,   /* the claim's owner (all candidates of the term on its project) has the requirement; the
				* other term is what that leaves out of the required project: everything, where no index
				* has the project or no version with a fitting wheel matches */
	WP_BECAUSE_CONSTRAINT, /* the same for one that only says what must not be taken: dep->constraint */
	WP_BECAUSE_BROKEN,     /* the metadata of this candidate cannot be used: see wp_cand_facts.broken */
	WP_BECAUSE_NO_EXTRA,   /* this candidate has not the extra, and a better one has it */
	WP_BECAUSE_YANKED,     /* these are yanked, and nothing pins them */
	WP_BECAUSE_FOLLOWS     /* from left and right */
} wp_because;

/* Not all terms can hold at once. */
typedef struct wp_fact {
	wp_because because;
	const wp_term *v; uint32_t n; /* by package; none: there is no solution */
	wp_claim claim;		      /* of the first two kinds; cand is one of several */
	const char *extra;	      /* of the claim's owner, with which the requirement holds; NULL: always */
	const struct wp_fact *left, *right;
} wp_fact;

static inline bool is_claim(const wp_fact *f)
{
	return f->because == WP_BECAUSE_REQUIRED || f->because == WP_BECAUSE_CONSTRAINT;
}

/* A tree with shared branches: each fact is reached over left and right, sources have neither. */
typedef struct wp_proof {
	const wp_fact *root; /* NULL: none */
	const wp_package *packages; size_t npackages;
} wp_proof;

#endif

/* SPDX-License-Identifier: MIT
 *
 * explain.h: why a lock has the version of a project that it has: who asked for it, and what became of the newer ones.
 */
#ifndef WHEELPACK_EXPLAIN_H
#define WHEELPACK_EXPLAIN_H

#include "wheelpack/types.h"

/* Who asks for a project. The first askers have depth 0; one at depth n asks for the project of the nearest one before
 * it at depth n-1. */
typedef struct wp_asker {
	unsigned depth;
	const char *project, *version; /* who; NULL: the request */
	const char *requirement;       /* as it is written */
	bool constraint;	       /* of the request: only which versions may be taken */
	bool again;		       /* who asks for this one was told above */
} wp_asker;

/* A version that is newer and was not taken. */
typedef struct wp_passed_over {
	const char *version, *why;
} wp_passed_over;

typedef struct wp_explained {
	const char *target, *project, *version, *filename, *index;
	const wp_asker *askers; size_t naskers;
	const wp_passed_over *newer; size_t nnewer; /* newest first */
} wp_explained;

#endif

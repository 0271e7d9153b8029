/* SPDX-License-Identifier: MIT */
/* tale.h: a refusal while it is being told: explain.c decides what comes after what, claims.c says who requires what. */
#ifndef WP_RESOLVE_TALE_H
#define WP_RESOLVE_TALE_H

#include "resolve/core.h"
#include "resolve/lacking.h"

typedef struct tale {
	wp_job *j;
	wp_arena *a;
	const wp_package *packages;
	wp_core core;
	bool *told;	  /* facts */
	bool *visited, *lacking; /* projects */
	uint64_t **left;  /* of each project the candidates that what was told leaves; NULL: nothing was told */
	wp_words lines;
	bool opposed;	  /* the last line began with "but" */
	int missing, unfit, other; /* ends of each sort */
	const wp_dep *about;	   /* the first requirement that nothing serves */
	const wp_term *first; size_t nfirst; /* choices, whose projects come first */
	const char *yanked;	   /* a pin that would take a yanked version */
} tale;

typedef WP_VEC(const wp_fact *) facts;

typedef struct who {
	const char *text;
	bool many;
} who;

static inline wp_pooled *project_of(const tale *t, uint32_t project)
{
	return t->j->pool.projects.v[project];
}

static inline bool by_request(const wp_fact *f)
{
	return is_claim(f) && f->claim.project == WP_NOBODY;
}

/* The fact's term on the versions of a project; NULL. */
const wp_term *wp_term_on(const tale *t, const wp_fact *f, uint32_t project);
/* The project whose versions the fact is about; WP_NOBODY: the request's. */
uint32_t wp_owner_of(const tale *t, const wp_fact *f);
/* Does the requirement leave nothing of what it requires? */
bool wp_is_end(const tale *t, const wp_fact *f);
/* The fact and those told together with it, which are told by that: the same owner requires the same project, in other
 * versions perhaps with other words. */
void wp_take_alike(tale *t, size_t at, facts *out);
void wp_best_first(const tale *t, facts *v);
const uint64_t *wp_union_of(const tale *t, const facts *v); /* of their owners */

/* "lamp 1.0 to 1.4", "every version of lamp". */
who wp_say_owner(const tale *t, uint32_t project, const char *extra, const uint64_t *set);
const char *wp_say_claim(const tale *t, const wp_fact *f);
const char *wp_say_claims(const tale *t, facts *v);

#endif

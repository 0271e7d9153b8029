/* SPDX-License-Identifier: MIT */
/* search.h: the state of one search, shared by solve.c (what is chosen next), facts.c (what a choice brings with it),
 * propagate.c (what follows from what is known) and conflict.c (what is learned where it does not go on). */
#ifndef WP_RESOLVE_SEARCH_H
#define WP_RESOLVE_SEARCH_H

#include "resolve/sets.h"
#include "resolve/solve.h"

/* What is left of a package gets less. */
typedef struct step {
	const wp_fact *fact; /* from which it follows; NULL: a choice */
	uint32_t level;	     /* choices made before and with it */
	uint32_t place;	     /* in the trail */
} step;

/* A fact to be looked at when its term on the package comes to hold. */
typedef struct watch {
	uint32_t fact, term;
	const uint64_t *set; /* of the term */
	uint32_t witness;    /* while this choice is left the term does not hold; WP_NOBODY: not known */
} watch;

typedef enum priority { EARLY, NORMAL, LATE } priority;

typedef struct package {
	wp_package id;
	uint32_t base;	  /* package of the project */
	size_t words;	  /* of a set */
	uint32_t chosen;  /* WP_NOBODY while open */
	uint32_t tries;	  /* choices of it so far */
	priority prio;
	bool queued;
	uint64_t *told;	  /* candidates of the project whose requirements are facts already */
	WP_VEC(step) steps;
	WP_VEC(uint64_t) sets;	/* one more than steps: at first all */
	WP_VEC(watch) watches;
	WP_VEC(uint32_t) extras; /* packages */
} package;

/* A fact in use. Two of its terms are watched: while neither holds, nothing follows from it. */
typedef struct entry {
	const wp_fact *f;
	uint32_t watched[2]; /* WP_NOBODY: not yet, or it has but one */
	bool fresh;
} entry;

/* A constraint on a project that nothing needs so far. */
typedef struct waiting {
	uint32_t project;
	wp_claim claim;
} waiting;

typedef struct search {
	wp_pool *p;
	wp_arena *arena; /* ends with the search */
	const wp_dep *roots; size_t nroots;
	uint64_t **open; /* by project: yanked candidates that are pinned somewhere; NULL none */
	size_t nopen;
	WP_VEC(package *) packages;
	WP_VEC(uint32_t) base_of; /* by project, WP_NOBODY */
	WP_VEC(entry) facts;
	WP_VEC(uint32_t) trail; /* packages */
	WP_VEC(uint32_t) queue; /* packages of which less is left than when they were looked at last */
	WP_VEC(uint32_t) fresh; /* facts that were not looked at since they came */
	WP_VEC(uint32_t) late;	/* facts from which something followed at an earlier level than that at which they were looked
				 * at: fresh again where a level is taken back */
	WP_VEC(waiting) waits;
	wp_map same;   /* owner, project and set of a requirement -> fact */
	wp_map learned; /* all of a fact but the set on one package -> fact */
	wp_map clashes; /* pairs of packages -> how often one's version failed on the other's */
	uint32_t level, choices;
	uint64_t kept; /* words of sets in facts */
	bool all_open;	/* yanked candidates may be chosen before a pin for them is seen */
	bool shut_seen; /* yanked candidates were left out */
	bool restart;	/* a pin for one of them was met */
	const wp_fact *contradiction; /* holds for anything */
} search;

static inline const uint64_t *left_of(const package *p)
{
	return &p->sets.v[p->sets.n - p->words];
}

/* Of a fact: it lives as long as the pool. */
static inline uint64_t *wp_new_set(search *s, const package *p)
{
	s->kept += p->words;
	return WP_NEW_ARRAY(s->p->arena, p->words, uint64_t);
}

/* ---- facts.c -------------------------------------------------------------------------------- */

/* The package of a project, whose page is read when it is first asked for; blocks. */
int wp_package_of(search *s, uint32_t project, uint32_t *out, wp_error *e);
/* What the request says. */
int wp_tell_roots(search *s, wp_error *e);
/* What comes with choosing this one. */
int wp_tell_choice(search *s, uint32_t no, uint32_t choice, wp_error *e);
/* Put a fact in use; its number. */
uint32_t wp_add_fact(search *s, const wp_fact *f);
/* Another fact takes its place. */
void wp_replace_fact(search *s, uint32_t no, const wp_fact *f);
/* What is chosen cannot be all right, though no requirement says so. */
const wp_fact *wp_not_this(search *s);

/* ---- propagate.c ---------------------------------------------------------------------------- */

/* The step after which what is left of the package, which is less than all by now, lies within the set. */
const step *wp_first_within(const package *p, const uint64_t *set);
/* The fact was not there, or not like that. */
void wp_refresh(search *s, uint32_t fact);
/* All that follows. False where a fact cannot hold: *broken. */
bool wp_propagate(search *s, const wp_fact **broken);
/* A fresh fact that forbids this choice, as far as all its other terms go; NULL if there is none. */
const wp_fact *wp_forbidden_by(const search *s, uint32_t package, uint32_t choice);
void wp_choose(search *s, uint32_t package, uint32_t choice);
/* Take back all steps above the level. */
void wp_back_to(search *s, uint32_t level);

/* ---- conflict.c ----------------------------------------------------------------------------- */

/* Learn from a fact that cannot hold, and go back to where the learned one says something new about *package. False
 * where there is no solution: s->contradiction. */
bool wp_learn(search *s, const wp_fact *broken, const wp_fact **learned, uint32_t *package);
/* Put what was learned about a package in use. */
void wp_keep(search *s, const wp_fact *learned, uint32_t package);

#endif

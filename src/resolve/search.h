/* SPDX-License-Identifier: MIT */
/* search.h: the state of one search, shared by solve.c (the order of trial), trail.c (what follows from a choice, and
 * taking it back) and learn.c (what failed and why). */
#ifndef WP_RESOLVE_SEARCH_H
#define WP_RESOLVE_SEARCH_H

#include "resolve/bits.h"
#include "resolve/solve.h"

/* A requirement in force. */
typedef struct edge {
	const wp_dep *dep;
	const uint64_t *allowed; /* NULL until the project is loaded */
	uint32_t from;		 /* project, WP_NOBODY: the request */
	uint32_t root;		 /* number in the request */
	uint32_t via;		 /* the edge that turned its extra on, WP_NOBODY */
} edge;

typedef struct turned_on {
	const char *extra;
	uint32_t edge;
} turned_on;

enum { SHUT = 1, DEAD = 2 }; /* yanked and not pinned; fails whatever the others are */

typedef enum priority { EARLY, NORMAL, LATE } priority;

/* A project. */
typedef struct var {
	bool ready;	/* loaded, and the arrays are there */
	uint32_t n;	/* candidates */
	uint32_t needs; /* edges that need it */
	uint32_t live;	/* candidates that nothing leaves out */
	uint32_t level, cand; /* WP_NOBODY while open */
	priority prio;
	uint32_t *left_out; /* per candidate: edges against it */
	uint32_t *nogoods;  /* per candidate: first link of its nogoods, 0 none */
	unsigned char *flags;
	WP_VEC(uint32_t) edges;
	WP_VEC(turned_on) extras;
} var;

typedef struct count_of {
	uint32_t project, n;
} count_of;

/* One choice. The sets say who is to blame that the candidates before pos are out. */
typedef struct level {
	uint32_t project, pos, choices, tried;
	size_t nedges, nturned; /* to go back to */
	wp_bits levels, roots;
	WP_VEC(wp_reason) why;
	WP_VEC(count_of) clashes; /* with earlier choices */
} level;

typedef struct literal {
	uint32_t project, cand;
} literal;

/* Choices that cannot all hold. */
typedef struct nogood {
	const literal *v;
	uint32_t n;
	const uint32_t *roots;
	uint32_t nroots;
	wp_reason why;
} nogood;

typedef struct link {
	uint32_t nogood, next;
} link;

typedef struct pending {
	uint32_t project, edge;
	const char *extra;
} pending;

typedef struct search {
	wp_pool *p;
	wp_arena *arena; /* ends with the search */
	const wp_dep *roots;
	size_t nroots;
	WP_VEC(var *) vars; /* by project number */
	WP_VEC(edge) edges;
	WP_VEC(uint32_t) turned; /* projects whose last extra was turned on, in order */
	WP_VEC(pending) queue;
	WP_VEC(level) levels; /* [depth] and above are kept for reuse */
	uint32_t depth;
	WP_VEC(nogood) nogoods;
	WP_VEC(link) links; /* [0] is unused */
	wp_map swaps;	    /* pairs of projects whose order was changed */
	/* the last fault */
	wp_reason fault;
	wp_bits blame_levels, blame_roots;
	uint32_t culprit; /* the chosen project that was in the way, WP_NOBODY */
	uint32_t swap_with; /* to be chosen after the top level's project, WP_NOBODY */
	bool all_open;	  /* yanked candidates may be chosen before a pin for them is seen */
	bool shut_seen;	  /* a candidate was out for no other reason than that it is yanked */
	uint32_t steps, max_steps, nodes;
} search;

/* trail.c */
wp_claim wp_claim_of(const search *s, uint32_t edge_no);
/* Put a requirement in force. *ok is false where it cannot be; then the fault is set. */
int wp_push(search *s, const wp_dep *d, uint32_t from, uint32_t root, uint32_t via, bool *ok, wp_error *e);
/* Everything that follows from the choice of the top level. */
int wp_follow(search *s, bool *ok, wp_error *e);
void wp_undo(search *s, size_t nedges, size_t nturned);
/* Whoever is behind this edge goes into the sets. */
void wp_blame_edge(const search *s, uint32_t edge_no, wp_bits *levels, wp_bits *roots);
/* The first edge against this candidate, WP_NOBODY if there is none. */
uint32_t wp_edge_against(const search *s, const var *v, uint32_t cand);

/* learn.c */
level *wp_top(search *s);
void wp_level_open(search *s, uint32_t project);
void wp_level_close(search *s);
void wp_note_reason(level *l, wp_reason r, uint32_t cand);
/* The top level has no candidate left: its node. */
const wp_node *wp_make_node(search *s, level *l);
/* Remember that these choices (levels below the top, and perhaps the top's candidate) cannot all hold. */
void wp_learn(search *s, const wp_bits *levels, const wp_bits *roots, bool with_top, wp_reason why);
/* What was learned and forbids this candidate now, or NULL. The sets get who is to blame. */
const nogood *wp_forbidden(search *s, uint32_t project, uint32_t cand, wp_bits *levels, wp_bits *roots);

#endif

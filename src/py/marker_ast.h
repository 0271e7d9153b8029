/* SPDX-License-Identifier: MIT */
/* marker_ast.h: a parsed marker, between marker.c (text) and marker_eval.c (truth). */
#ifndef WP_PY_MARKER_AST_H
#define WP_PY_MARKER_AST_H

#include "py/marker.h"

typedef enum wp_marker_kind {
	WP_MV_TEXT,    /* compared as text */
	WP_MV_VERSION, /* compared as versions where both sides are some */
	WP_MV_EXTRA,   /* compared as normalised names */
	WP_MV_EXTRAS,  /* the set of extras */
	WP_MV_GROUPS   /* the set of dependency groups */
} wp_marker_kind;

typedef struct wp_marker_var {
	const char *name;
	wp_marker_kind kind;
	size_t offset; /* in wp_markers, for TEXT and VERSION */
} wp_marker_var;

typedef struct wp_marker_side {
	const wp_marker_var *var; /* NULL: a literal */
	const char *text;	  /* of the literal */
} wp_marker_side;

typedef struct wp_marker_term {
	bool or_before;		/* joined to the term before by "or", else by "and" */
	wp_marker *group;	/* in parentheses; NULL: a comparison */
	wp_marker_side left, right;
	const char *op;
} wp_marker_term;

struct wp_marker {
	const wp_marker_term *v;
	size_t n;
};

#endif

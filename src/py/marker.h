/* SPDX-License-Identifier: MIT */
/* marker.h: environment markers (PEP 508, dependency-specifiers standard). */
#ifndef WP_PY_MARKER_H
#define WP_PY_MARKER_H

#include "base/str.h"

typedef struct wp_marker wp_marker;

enum { WP_MAX_MARKER = 16384, WP_MAX_MARKER_DEPTH = 64 };

/* NULL and e (WP_E_REQUIREMENT) on a fault. */
wp_marker *wp_marker_parse(wp_arena *a, wp_str text, wp_error *e);
/* extras: the active extras, normalised; may be empty. NULL marker is true. What has no meaning is false. */
bool wp_marker_eval(const wp_marker *m, const wp_markers *env, const char *const *extras, size_t nextras);

/* A set that a marker asks with in and not in: `extras` and `dependency_groups` of a lock file (PEP 751). */
typedef struct wp_marker_set {
	bool known; /* false: the name means nothing here */
	const char *const *v; size_t n; /* normalised */
} wp_marker_set;

typedef struct wp_marker_ask {
	const wp_markers *env;
	const char *extra; /* normalised; "" where none is active; NULL where the name means nothing */
	wp_marker_set extras, groups;
} wp_marker_ask;

/* As the standard has it: a name that means nothing here, or a comparison that has no meaning (~= of texts), is a
 * fault (WP_E_REQUIREMENT), even where the rest would decide. NULL marker is true. */
int wp_marker_judge(const wp_marker *m, const wp_marker_ask *ask, bool *truth, wp_error *e);
const char *wp_marker_text(wp_arena *a, const wp_marker *m); /* normal form */
/* True if it reads this variable ("platform_release"). */
bool wp_marker_reads(const wp_marker *m, const char *variable);

#endif

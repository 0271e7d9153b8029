/* SPDX-License-Identifier: MIT */
/* requirement.h: dependency specifiers (PEP 508), with the old parenthesised form of versions. */
#ifndef WP_PY_REQUIREMENT_H
#define WP_PY_REQUIREMENT_H

#include "py/marker.h"
#include "py/version.h"

typedef struct wp_requirement {
	const char *text;	/* as given, trimmed */
	const char *name;	/* as written */
	const char *project;	/* normalised */
	const char *const *extras; size_t nextras; /* normalised, sorted, once each */
	wp_specifiers specifiers;
	const char *url;	/* direct reference, NULL if none */
	wp_marker *marker;	/* NULL if none */
} wp_requirement;

/* WP_E_REQUIREMENT, why points at the place. */
int wp_requirement_parse(wp_arena *a, wp_str text, wp_requirement *out, wp_error *e);
/* The same for METADATA of old wheels: repairs ">=1.9.*", a trailing comma, and the like. *repaired may be NULL. */
int wp_requirement_parse_lenient(wp_arena *a, wp_str text, wp_requirement *out, bool *repaired, wp_error *e);
const char *wp_requirement_text(wp_arena *a, const wp_requirement *r); /* normal form as packaging prints it */

#endif

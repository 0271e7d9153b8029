/* SPDX-License-Identifier: MIT */
/* version.h: version specifiers standard (PEP 440): versions, their order, specifier sets. */
#ifndef WP_PY_VERSION_H
#define WP_PY_VERSION_H

#include "base/str.h"

enum { WP_MAX_VERSION = 1024 }; /* bytes of a version or of one specifier */

/* A place in the order of all versions, as bytes that are compared one by one; head is the first eight of them. */
typedef struct wp_key {
	uint64_t head;
	const unsigned char *p; size_t n;
} wp_key;

typedef struct wp_version {
	const char *text;	/* as given, trimmed */
	const char *norm;	/* normal form */
	uint64_t epoch;
	const uint64_t *release; size_t nrelease;
	char pre;		/* 'a', 'b', 'r' (rc) or 0 */
	uint64_t pre_n;
	bool post; uint64_t post_n;
	bool dev; uint64_t dev_n;
	const char *local;	/* normalised, NULL if none */
	wp_key key;
} wp_version;

/* False where text is no PEP 440 version; what is left in *out then has its text only, which just === may match. */
bool wp_version_parse(wp_arena *a, wp_str text, wp_version *out);
/* As the name of a dist-info folder has it: some tools write `_` for the `+` before the local label. */
bool wp_version_parse_folder(wp_arena *a, wp_str text, wp_version *out);
int wp_version_cmp(const wp_version *a, const wp_version *b); /* local labels count */
bool wp_version_prerelease(const wp_version *v);	      /* a, b, rc or dev */
/* Normal form without the local label. */
const char *wp_version_public(wp_arena *a, const wp_version *v);
/* One text for all that is equal: the normal form without the release's trailing zeros. What is no version stays. */
const char *wp_version_canonical(wp_arena *a, wp_str text);

typedef enum wp_op { WP_EQ, WP_NE, WP_LE, WP_GE, WP_LT, WP_GT, WP_COMPATIBLE, WP_ARBITRARY } wp_op;

typedef struct wp_specifier {
	wp_op op;
	bool wildcard;	     /* ==1.2.* */
	wp_version version;  /* of WP_ARBITRARY: perhaps with a text only */
	const char *text;    /* of the version */
} wp_specifier;

/* The versions from a place in the order up to another, which is not among them. */
typedef struct wp_span {
	wp_key from, to;
} wp_span;

/* What matches lies in one of the spans and has every text that === asks for; with n == 0 everything matches. */
typedef struct wp_specifiers {
	const wp_specifier *v; size_t n;
	const wp_span *spans; size_t nspans; /* in ascending order, apart from each other */
	bool by_text;			     /* there is a === */
	const char *norm;    /* normal form: sorted, comma separated, as packaging writes it */
} wp_specifiers;

/* Comma separated; empty text matches everything. False on a fault. */
bool wp_specifiers_parse(wp_arena *a, wp_str text, wp_specifiers *out);
/* A set of the one specifier that the text is; a comma then belongs to what === asks for. */
bool wp_specifiers_parse_one(wp_arena *a, wp_str text, wp_specifiers *out);
/* The same for what old projects published: reads ">=1.9.*", ">=3.6<4", "!=3.0*", "!=~5.0", ">dev" and stray quotes as
 * they were meant. *repaired may be NULL. */
bool wp_specifiers_parse_lenient(wp_arena *a, wp_str text, wp_specifiers *out, bool *repaired);
/* Pre-releases are not special here: who calls decides which candidates are offered. */
bool wp_specifiers_match(const wp_specifiers *s, const wp_version *v);
/* Does the version stand before the place? Where versions are sorted, a span is cut out by two binary searches. */
bool wp_version_before(const wp_version *v, const wp_key *place);
typedef enum wp_prereleases {
	WP_PRE_AUTO, /* where a specifier names one, and where nothing else matches */
	WP_PRE_YES, WP_PRE_NO
} wp_prereleases;

/* Is a pre-release asked for by name? By !=, which only leaves out, none is. */
bool wp_specifiers_name_prerelease(const wp_specifiers *s);
/* in[i] is set to whether v[i] is one of those that match (PEP 440, "Handling of pre-releases"). */
void wp_specifiers_filter(const wp_specifiers *s, const wp_version *v, size_t n, wp_prereleases pre, bool *in);
/* Can no version match, whatever is published? With WP_PRE_NO: no final one. */
bool wp_specifiers_unsatisfiable(const wp_specifiers *s, wp_prereleases pre);
/* == or === without wildcard: the pins that may take a yanked file (PEP 592). */
bool wp_specifiers_pinned(const wp_specifiers *s);

#endif

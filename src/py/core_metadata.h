/* SPDX-License-Identifier: MIT */
/* core_metadata.h: every field of METADATA (core metadata standard, versions 1.0 to 2.6) and what is wrong with them.
 * metadata.h takes from METADATA what a lock needs; here nothing is left out and nothing is refused. */
#ifndef WP_PY_CORE_METADATA_H
#define WP_PY_CORE_METADATA_H

#include "base/str.h"

typedef enum wp_core_kind {
	WP_CORE_TEXT,	  /* may stand once */
	WP_CORE_LIST,
	WP_CORE_KEYWORDS, /* one text, cut at its commas */
	WP_CORE_URLS	  /* pairs of label and address */
} wp_core_kind;

typedef enum wp_core_id {
	WP_CORE_METADATA_VERSION, WP_CORE_NAME, WP_CORE_VERSION, WP_CORE_DYNAMIC, WP_CORE_PLATFORM,
	WP_CORE_SUPPORTED_PLATFORM, WP_CORE_SUMMARY, WP_CORE_DESCRIPTION, WP_CORE_CONTENT_TYPE, WP_CORE_KEYWORD,
	WP_CORE_HOME_PAGE, WP_CORE_DOWNLOAD_URL, WP_CORE_AUTHOR, WP_CORE_AUTHOR_EMAIL, WP_CORE_MAINTAINER,
	WP_CORE_MAINTAINER_EMAIL, WP_CORE_LICENSE, WP_CORE_LICENSE_EXPRESSION, WP_CORE_LICENSE_FILE, WP_CORE_CLASSIFIER,
	WP_CORE_REQUIRES_DIST, WP_CORE_REQUIRES_PYTHON, WP_CORE_REQUIRES_EXTERNAL, WP_CORE_PROJECT_URL,
	WP_CORE_PROVIDES_EXTRA, WP_CORE_PROVIDES_DIST, WP_CORE_OBSOLETES_DIST, WP_CORE_REQUIRES, WP_CORE_PROVIDES,
	WP_CORE_OBSOLETES, WP_CORE_IMPORT_NAME, WP_CORE_IMPORT_NAMESPACE, WP_CORE_COUNT
} wp_core_id;

typedef struct wp_core_field {
	const char *header; /* in lower case */
	const char *key;    /* what JSON calls it (PEP 566) */
	wp_core_kind kind;
	int since;	    /* Metadata-Version, 21 for 2.1 */
} wp_core_field;

extern const wp_core_field wp_core_fields[WP_CORE_COUNT];

typedef struct wp_core_value {
	bool given;
	const char *const *v; size_t n; /* of WP_CORE_URLS: label, address, label, address ... */
} wp_core_value;

/* A header that is no field, or a field that cannot be taken as it stands: twice where it may stand once, or not UTF-8.
 * value.p is NULL for a description in several MIME parts. */
typedef struct wp_core_odd {
	const char *name; /* in lower case */
	wp_str value;
} wp_core_odd;

typedef struct wp_core_metadata {
	wp_core_value field[WP_CORE_COUNT];
	const wp_core_odd *odd; size_t nodd;
} wp_core_metadata;

/* Any bytes. What follows the headers is the description. WP_E_TOO_LARGE above WP_MAX_METADATA. */
int wp_core_metadata_parse(wp_arena *a, wp_str text, wp_core_metadata *out, wp_error *e);
/* One sentence for each fault, at most 100: what is missing, malformed, unknown, or newer than its Metadata-Version.
 * Whether a licence that is named exists is not looked up. */
size_t wp_core_metadata_check(wp_arena *a, const wp_core_metadata *m, const char *const **faults);

#endif

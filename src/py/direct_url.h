/* SPDX-License-Identifier: MIT */
/* direct_url.h: direct_url.json, where an installed distribution came from if it was no index (PEP 610, direct URL
 * data structure), and what may be kept of an address. */
#ifndef WP_PY_DIRECT_URL_H
#define WP_PY_DIRECT_URL_H

#include "base/str.h"

typedef enum wp_direct_kind { WP_DIRECT_ARCHIVE, WP_DIRECT_DIRECTORY, WP_DIRECT_VCS } wp_direct_kind;

typedef struct wp_direct_hash {
	const char *algorithm, *value; /* sha256, hex digits */
} wp_direct_hash;

typedef struct wp_direct_url {
	const char *url;
	wp_direct_kind kind;
	const char *subdirectory;			 /* may be NULL */
	bool has_hashes;				 /* of an archive; there may be none of them */
	const wp_direct_hash *hashes; size_t nhashes;
	bool has_editable, editable;			 /* of a directory */
	const char *vcs, *commit_id, *requested_revision; /* of a repository; the last may be NULL */
} wp_direct_url;

/* Hostile input: strict in what the standard names, unknown keys are skipped. The old archive_info.hash becomes one of
 * the hashes. WP_E_DOCUMENT says what is wrong. */
int wp_direct_url_read(wp_arena *a, wp_str text, wp_direct_url *out, wp_error *e);
/* Text of the document, one line. User and password are left out of the address; the user git stays. */
wp_str wp_direct_url_write(wp_arena *a, const wp_direct_url *d);

/* Without user and password, unless they are names of environment variables (${USER}:${PASSWORD}) or one of the user
 * names that are no secret, such as git. What has no authority stays as it is. */
const char *wp_url_without_secrets(wp_arena *a, const char *url, const char *const *safe, size_t n);

#endif

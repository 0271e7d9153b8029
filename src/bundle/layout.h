/* SPDX-License-Identifier: MIT */
/* layout.h: what a bundle consists of, decided in memory before a byte is written. */
#ifndef WP_BUNDLE_LAYOUT_H
#define WP_BUNDLE_LAYOUT_H

#include "base/str.h"
#include "wheelpack/bundle.h"

/* A file that we write ourselves; all are small. */
typedef struct wp_text_file {
	const char *path, *role;
	wp_str text;
} wp_text_file;

typedef struct wp_layout {
	wp_bundle_doc doc;
	wp_str manifest;    /* text of bundle.json */
	wp_text_file *texts; /* sorted by path, bundle.json not among them */
	size_t ntexts;
	const char *id, *lock_id;
	uint64_t bytes;	    /* of all files */
	size_t nfiles;
} wp_layout;

/* Same lock and wheels, same bytes. Refuses a lock whose wheels lack a digest, differ from what was fetched, or share
 * a file name; the manifest is read back as a reader would, so that no name leads out of the bundle. */
int wp_layout_make(wp_arena *a, const wp_lock_doc *lock, const wp_fetched *wheels, size_t n,
	const wp_text_file *carried, size_t ncarried, wp_layout *out, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * bundle.h: stages 3 and 4, and reading bundles. A bundle is a directory or one stored zip64 file
 * (.wpk) with bundle.json first. bundle.json is `wheelpack.bundle/1`; every file of a bundle is
 * pinned by it, directly or through the lock's digest.
 */
#ifndef WHEELPACK_BUNDLE_H
#define WHEELPACK_BUNDLE_H

#include "wheelpack/fetch.h"

#define WP_BUNDLE_SCHEMA "wheelpack.bundle/1"

typedef struct wp_bundle_wheel {
	const char *filename, *sha256, *record_sha256;
	uint64_t size;
	wp_exceptions exceptions; /* from RECORD; usually none */
} wp_bundle_wheel;

typedef struct wp_bundle_file {
	const char *path, *sha256, *role; /* role: lock, sums, simple, requirements, tool, installer */
	uint64_t size;
} wp_bundle_file;

typedef struct wp_bundle_doc {
	const char *lock_sha256;
	wp_bundle_wheel *wheels; size_t nwheels; /* sorted by filename */
	wp_bundle_file *files; size_t nfiles;	 /* sorted by path; all but bundle.json and wheels/ */
} wp_bundle_doc;

/* Text of bundle.json, in arena a. Deterministic: its sha256 is the bundle's id. WP_E_TOO_LARGE. */
int wp_bundle_doc_write(wp_arena *a, const wp_bundle_doc *d, wp_str *out, wp_error *e);
/* Hostile input: strict, every path is one that stays inside the bundle. WP_E_DOCUMENT names the line. */
int wp_bundle_doc_read(wp_arena *a, wp_str text, wp_bundle_doc *out, wp_error *e);

/* ---- pack --------------------------------------------------------------------------------- */

typedef struct wp_pack_request {
	const wp_lock_doc *lock;
	const wp_fetched *wheels; size_t nwheels;
	wp_wheels source;
	wp_str tool_windows, tool_linux; /* programs that travel as tools/; empty: none */
	bool tools_named; /* the user named them: tell where one doesn't travel, whatever the targets */
	const char *out;  /* ends in .wpk: one file; else a directory */
	bool replace;	  /* an existing bundle of that name is replaced, in one rename */
} wp_pack_request;

typedef struct wp_pack_result {
	wp_findings findings;
	const char *path;
	const char *id;	      /* sha256 of bundle.json */
	const char *lock_id;  /* sha256 of lock.json */
	uint64_t bytes;	      /* size of all files */
	size_t nfiles;
} wp_pack_result;

/* Before wheels are fetched for it: can a bundle be written under this name? Leaves nothing behind. WP_E_NOT_FOUND,
 * WP_E_EXISTS, WP_E_PERMISSION, WP_E_BUSY. */
int wp_pack_check(wp_ctx *ctx, const char *out, bool replace, wp_error *e);
/* Write under a temporary name beside out, check every digest on the way, rename last. */
int wp_pack(wp_ctx *ctx, const wp_pack_request *in, wp_pack_result *out, wp_error *e);

/* ---- read --------------------------------------------------------------------------------- */

typedef struct wp_bundle wp_bundle;

/* Open a directory or .wpk, or a folder of wheels without bundle.json, or one wheel (then wp_bundle_manifest
 * and wp_bundle_lock are NULL). Reads and checks bundle.json and lock.json; of the other files that they are
 * there and have the right size, no byte. WP_E_NOT_FOUND, WP_E_BUNDLE, WP_E_DOCUMENT, WP_E_ZIP. */
int wp_bundle_open(wp_ctx *ctx, const char *path, wp_bundle **out, wp_error *e);
/* NULL is fine. Blobs opened from it are closed before; what the calls below return lives until then. */
void wp_bundle_close(wp_bundle *b);
const char *wp_bundle_path(const wp_bundle *b);
const wp_bundle_doc *wp_bundle_manifest(const wp_bundle *b);
const wp_lock_doc *wp_bundle_lock(const wp_bundle *b);
const char *wp_bundle_id(const wp_bundle *b);	   /* sha256 of bundle.json, NULL without one */
/* Its wheels; lives as long as the bundle. */
wp_wheels wp_bundle_wheels(const wp_bundle *b);
/* Its wheels for one target (NULL: all), as they would lie in site-packages: purelib and platlib at the
 * root, the other schemes below "@data/", "@scripts/" and "@include/NAME/". Lives as long as the bundle. A
 * large member is inflated as far as it is read, its digest unchecked. open() may be called by threads. */
int wp_bundle_tree(wp_ctx *ctx, const wp_bundle *b, const wp_lock_target *t, wp_tree *out, wp_error *e);

/* ---- verify ------------------------------------------------------------------------------- */

typedef struct wp_verify_request {
	const char *path; /* bundle, .wpk, folder of wheels, or one .whl */
	bool deep;	  /* members against RECORD too */
} wp_verify_request;

typedef struct wp_verify_result {
	wp_findings findings;	/* one per fault */
	uint64_t files, wheels, bytes;
	const char *id, *lock_id; /* NULL for a folder of wheels */
} wp_verify_result;

/* Hash every byte on all jobs. Faults are findings and the first in the plan is the error. */
int wp_verify(wp_ctx *ctx, const wp_verify_request *in, wp_verify_result *out, wp_error *e);

#endif

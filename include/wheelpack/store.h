/* SPDX-License-Identifier: MIT
 *
 * store.h: looking after a directory of unpacked wheels that installs share (wp_install_request.store). An install makes
 * it and adds to it; these calls never make one. WP_E_NOT_FOUND: it is no store; WP_E_PERMISSION: it is not this user's
 * alone; WP_E_DOCUMENT: of another version.
 */
#ifndef WHEELPACK_STORE_H
#define WHEELPACK_STORE_H

#include "wheelpack/wheelpack.h"

typedef struct wp_store_item {
	const char *filename; /* of the wheel; NULL: its index is damaged */
	uint64_t files, bytes;
	uint64_t alone;	      /* bytes of files that no venv has a hard link to */
	int64_t used;	      /* last by an install, seconds since 1970; 0: not known */
} wp_store_item;

typedef struct wp_store_facts {
	wp_findings findings;
	const char *dir;      /* absolute */
	wp_store_item *v; size_t n; /* by file name */
	uint64_t files, bytes, alone;
} wp_store_facts;

int wp_store_info(wp_ctx *ctx, const char *dir, wp_store_facts *out, wp_error *e);

typedef struct wp_store_pruned {
	wp_findings findings;
	const char *dir;
	const char *const *removed; size_t n; /* file names of wheels, "" for one whose index is damaged */
	size_t kept, left;    /* wheels that stay; directories of stopped runs that are gone now */
	uint64_t bytes;	      /* that are free now: files that no venv had a hard link to */
} wp_store_pruned;

/* Remove what no install has used since that time, entries that are damaged, and what stopped runs left. WP_E_BUSY: an
 * install is at work there. */
int wp_store_prune(wp_ctx *ctx, const char *dir, int64_t since, wp_store_pruned *out, wp_error *e);

typedef struct wp_store_verified {
	wp_findings findings;
	const char *dir;
	size_t wheels, files;
	uint64_t bytes;	      /* hashed */
	size_t damaged;	      /* wheels; they are removed unless an install is at work there */
} wp_store_verified;

/* Hash every file. What is damaged is a finding of severity error. */
int wp_store_verify(wp_ctx *ctx, const char *dir, wp_store_verified *out, wp_error *e);

#endif

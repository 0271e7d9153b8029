/* SPDX-License-Identifier: MIT */
/* check.h: whole wheels are checked on threads of their own while others are still being fetched: every member against
 * RECORD, METADATA against what was solved with. */
#ifndef WP_FETCH_CHECK_H
#define WP_FETCH_CHECK_H

#include "ext/http.h"
#include "wheelpack/wheelpack.h"

typedef struct wp_wheel_check {
	/* Zeroed and filled by its owner, who keeps it until it was taken back. */
	const char *path, *filename;
	wp_names names;		     /* whose the wheel's are to be */
	bool hash;		     /* the file's sha256 too, into digest */
	bool excepting;		     /* RECORD may be wrong */
	const char *metadata_sha256; /* NULL: not known */
	size_t tag;		     /* the owner's */
	/* What came out. */
	wp_arena *a;		     /* of the findings; the owner frees it */
	wp_findings findings;
	wp_exceptions exceptions;
	wp_error error;
	char digest[WP_SHA256_HEX + 1], record_sha256[WP_SHA256_HEX + 1], metadata[WP_SHA256_HEX + 1];
	uint64_t size;
	struct wp_wheel_check *next;
} wp_wheel_check;

typedef struct wp_checks wp_checks;

/* ctx->jobs threads; with one job each check runs within wp_checks_add. */
wp_checks *wp_checks_open(const wp_ctx *ctx);
/* When a check is done, http is woken; NULL: nobody. */
void wp_checks_wake(wp_checks *c, wp_http *http);
void wp_checks_add(wp_checks *c, wp_wheel_check *job);
/* One that is done, NULL if there is none. */
wp_wheel_check *wp_checks_take(wp_checks *c);
/* Stops what is running and waits for it. */
void wp_checks_close(wp_checks *c);

#endif

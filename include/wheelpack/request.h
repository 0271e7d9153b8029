/* SPDX-License-Identifier: MIT
 *
 * request.h: a request manifest, `wheelpack.request/1`: what a user would type after `wheelpack bundle`, as a file
 * that can be kept and handed on.
 */
#ifndef WHEELPACK_REQUEST_H
#define WHEELPACK_REQUEST_H

#include "wheelpack/types.h"

#define WP_REQUEST_SCHEMA "wheelpack.request/1"

typedef struct wp_request_target {
	const char *python, *platform; /* 3.12, win_amd64; as wp_target_make takes them */
} wp_request_target;

typedef struct wp_request_doc {
	const char *about; /* for people; NULL if absent */
	const char *const *requirements; size_t nrequirements; /* at least one */
	const char *const *constraints; size_t nconstraints;
	const char *cuda;  /* cu126, cpu; NULL: no variant */
	const wp_request_target *targets; size_t ntargets; /* at least one */
} wp_request_doc;

/* Strict: unknown and missing keys are faults. WP_E_DOCUMENT names the line. */
int wp_request_read(wp_arena *a, wp_str text, wp_request_doc *out, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT */
/* direct.h: requirements that name a wheel by its address. Such a project has that one file, whatever an index has of
 * it. */
#ifndef WP_RESOLVE_DIRECT_H
#define WP_RESOLVE_DIRECT_H

#include "py/requirement.h"
#include "wheelpack/lock.h"

/* One address of the request. */
typedef struct wp_direct_wheel {
	wp_file file;
	wp_project page;
	const char *folder; /* the address without its last part */
} wp_direct_wheel;

/* What the address of a requirement says. number: counts the addresses of the request, for the id of its index.
 * WP_E_REQUIREMENT where it is no wheel of the project. */
int wp_direct_parse(wp_arena *a, const wp_requirement *r, size_t number, wp_direct_wheel *out, wp_error *e);

/* A catalogue that has these wheels in front of another one. */
typedef struct wp_direct {
	wp_catalog api;
	const wp_catalog *below;
	const wp_direct_wheel **v; size_t n;
} wp_direct;

/* room: wheels that may be added. */
void wp_direct_init(wp_direct *d, wp_arena *a, const wp_catalog *below, size_t room);
/* WP_E_REQUIREMENT where the project has another address already. */
int wp_direct_add(wp_direct *d, const wp_direct_wheel *w, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT */
/* loose.h: wheels that were named, or lie in a folder that was, on their way to a lock. */
#ifndef WP_INSTALL_LOOSE_H
#define WP_INSTALL_LOOSE_H

#include "install/notes.h"

typedef struct wp_loose_wheel {
	const char *path, *filename; /* path absolute */
	bool named;		     /* itself, not its folder */
	size_t index;		     /* of wp_lock_doc.indexes */
	wp_wheel_name name;
	size_t rank;		     /* of its tags; SIZE_MAX: none fits */
	bool read;		     /* size and metadata were looked for; what cannot be read the install refuses */
	int64_t size;		     /* -1 unknown */
	wp_metadata metadata;
	char sha256[WP_SHA256_HEX + 1]; /* of those that are named or excepting, "" unknown */
	bool excepting;		     /* its RECORD may be wrong */
	wp_exceptions exceptions;    /* that it needs */
	bool needed;		     /* another one requires it */
	WP_VEC(wp_lock_require) requires; /* what the others meet */
} wp_loose_wheel;

typedef struct wp_loosing {
	wp_plan p; /* place, interpreter, its target, findings and faults */
	WP_VEC(wp_lock_index) indexes; /* id: its kind, until the lock is made */
	WP_VEC(wp_loose_wheel) found;
	WP_VEC(wp_loose_wheel) chosen; /* by project, one each */
} wp_loosing;

/* loose_needs.c: what the chosen ones require, of each other, of the venv, and of nobody who is there. */
int wp_loose_needs(wp_loosing *l, wp_error *e);
/* loose_lock.c: lock and record of out. */
void wp_loose_lock(wp_loosing *l, wp_loose *out);

#endif

/* SPDX-License-Identifier: MIT */
/* levels.h: the directories on the way to a file, open one below the other, so that no link leads elsewhere; those that the
 * next file shares stay open. */
#ifndef WP_INSTALL_LEVELS_H
#define WP_INSTALL_LEVELS_H

#include "base/vec.h"
#include "os/os.h"

typedef struct wp_level {
	wp_str path; /* below the root */
	os_dir *dir;
} wp_level;

typedef struct wp_levels {
	wp_arena *a; /* as long as this */
	os_dir *root; /* not closed here */
	WP_VEC(wp_level) v;
} wp_levels;

/* The directory of path, which must live as long; what of it is absent is made. */
int wp_levels_enter(wp_levels *l, const char *path, os_dir **out, wp_error *e);
void wp_levels_leave(wp_levels *l);

#endif

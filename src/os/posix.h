/* SPDX-License-Identifier: MIT */
/* posix.h: what the posix_*.c files share; nobody else includes it. */
#ifndef WP_OS_POSIX_H
#define WP_OS_POSIX_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "os/os.h"

struct os_file {
	int fd;
	bool writable; /* closing can tell of a late error */
	char *path;
};

struct os_dir {
	int fd;
	char *path;
};

/* Fail with errno: where is the path in quotes, why is text and the system's words. */
int posix_fail(wp_error *e, const char *path, const char *fmt, ...) WP_PRINTF(3, 4);
/* What follows no link found one at the end of path (ELOOP). */
int posix_fail_link(wp_error *e, const char *path);
/* dir/name on the heap. */
char *posix_join(const char *dir, const char *name);
/* WP_E_PATH where name is not one component. */
int posix_component(os_dir *dir, const char *name, wp_error *e);
os_kind posix_kind(mode_t mode);
/* path, or the nearest of its parents that is there. */
const char *posix_nearest(wp_arena *a, const char *path);
/* A file object that owns fd; path is copied. */
os_file *posix_file(int fd, bool writable, const char *path);
/* How often an interrupt arrived so far. */
int posix_interrupts(void);

#endif

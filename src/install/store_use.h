/* SPDX-License-Identifier: MIT */
/* store_use.h: what an install has to do with a store. */
#ifndef WP_INSTALL_STORE_USE_H
#define WP_INSTALL_STORE_USE_H

#include "install/notes.h"

/* How a file comes from there. */
typedef enum wp_share { WP_SHARE_COPY, WP_SHARE_CLONE, WP_SHARE_LINK, WP_SHARES } wp_share;

/* One wheel of the plan there. */
typedef struct wp_store_wheel {
	const char *key;	/* NULL: nothing of it is written */
	const char *entry;	/* directory */
	wp_stored_wheel w;	/* where it is there, or has been put there */
	bool there, fill;
	const char *bad;	/* why it is of no use; NULL: it is good */
	bool not_flushed;	/* so it is of no use */
	const char *path;	/* of its files */
	os_dir *files;		/* the same, open */
	size_t first, n;	/* its part of what is put there */
	atomic_bool failed;	/* a file could not be taken */
} wp_store_wheel;

typedef struct wp_store_use {
	const char *dir;	/* absolute */
	bool there;
	bool near;		/* on the venv's volume, which has hard links or clones */
	wp_store_wheel *wheels;	/* one a wheel of the plan */
	size_t *order;		/* in which they are read */
	wp_par read;		/* arenas of the entries */
	wp_store_run run;
	const char *stage;
	wp_share how;
	unsigned modes[2];	/* that the stage gives to files that are not executable, and to those that are */
	size_t added;
	atomic_size_t taken[WP_SHARES];
	atomic_uint_fast64_t bytes;
} wp_store_use;

/* Venvs get its member's bytes as they are. */
bool wp_store_keeps(const wp_out_file *f);
/* store_link.c: the files that are marked as linked; those where that fails are so no more. */
int wp_store_link(wp_plan *p, wp_error *e);
/* A file that is loaded can't be replaced on Windows, nor can its other names. */
bool wp_store_copies(const wp_out_file *f);

#endif

/* SPDX-License-Identifier: MIT */
/* removal.h: which files go when distributions of a venv go, because they are uninstalled or others take their place. */
#ifndef WP_INSTALL_REMOVAL_H
#define WP_INSTALL_REMOVAL_H

#include "base/map.h"
#include "base/vec.h"
#include "install/installed.h"

typedef struct wp_removal {
	wp_arena *a;
	wp_ctx *ctx;
	const wp_site *site;
	bool windows;		     /* names that differ in case are one */
	wp_map going;		     /* key of a path -> index in files */
	WP_VEC(const char *) files;  /* below the venv */
	WP_VEC(const char *) empty;  /* directories that may be left without anything, children first */
	WP_VEC(const char *) changed; /* files that are not as their RECORD has them */
	WP_VEC(const char *) shared; /* files that another distribution lists too: they stay */
	WP_VEC(const char *) outside; /* rows of RECORD that lead elsewhere: never touched */
	WP_VEC(const wp_installed *) dists;
} wp_removal;

void wp_removal_begin(wp_removal *r, wp_ctx *ctx, wp_arena *a, const wp_site *site, bool windows);
void wp_removal_free(wp_removal *r);
/* The files of d that are there. Of those that were changed, only what nobody has to keep goes: keep_changed false takes
 * them too, and then big files are held to their size alone. WP_E_VENV, WP_E_RECORD as wp_installed_list. */
int wp_removal_add(wp_removal *r, const wp_installed *d, bool keep_changed, wp_error *e);
/* When all are added: what others list stays; the directories. */
int wp_removal_end(wp_removal *r, wp_error *e);
/* What is at this path, if anything, goes too, whoever has it. */
int wp_removal_take(wp_removal *r, const char *path, wp_error *e);
bool wp_removal_has(const wp_removal *r, const char *path);
/* Whether the directory has files, and all of them go. */
bool wp_removal_empties(const wp_removal *r, const char *dir);

#endif

/* SPDX-License-Identifier: MIT */
/* journal.h: what is moved in an existing venv, so that it can be done to the end or taken back after a stop at any
 * moment. All below <venv>/.wheelpack: `stage` has the new files and `aside` gets the old ones, both under their path
 * below the venv; `journal` is there from the moment when all of stage is complete until the last move is done. */
#ifndef WP_INSTALL_JOURNAL_H
#define WP_INSTALL_JOURNAL_H

#include "base/vec.h"
#include "os/os.h"

typedef struct wp_journal {
	const char *venv;	   /* absolute */
	WP_VEC(const char *) olds; /* files to be moved aside */
	WP_VEC(const char *) news; /* files to be moved in; a path may be among the olds too */
	WP_VEC(const char *) dirs; /* to be made, parents first */
	WP_VEC(const char *) empty; /* to be removed if nothing is left in them, children first */
} wp_journal;

void wp_journal_free(wp_journal *j);
/* Written whole, flushed unless no_sync, under its final name: from here on the moves are due. */
int wp_journal_write(wp_arena *a, const wp_journal *j, bool no_sync, wp_error *e);
/* *there false: none. WP_E_DOCUMENT where it can't be read: paths are checked like those of a wheel. */
int wp_journal_read(wp_arena *a, const char *venv, wp_journal *out, bool *there, wp_error *e);
/* Do what is not done yet. WP_E_VENV where a path is neither in its old nor in its new state; nothing more is moved then,
 * and what was is as the journal says. */
int wp_journal_forward(wp_arena *a, const wp_journal *j, wp_error *e);
/* Take back what is done. */
int wp_journal_back(wp_arena *a, const wp_journal *j, wp_error *e);
/* After either: journal, stage and aside go. */
int wp_journal_end(wp_arena *a, const wp_journal *j, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT */
/* journal.h: what is moved in an existing venv, so that it can be done to the end or taken back after a stop at any
 * moment. All below <venv>/.wheelpack: `stage` has the new files and a directory `aside` gets the old ones, both under
 * their path below the venv; `journal` is there from the moment when all of stage is complete until the last move is
 * done. Each move is one rename, and what is there tells which of them are done. */
#ifndef WP_INSTALL_JOURNAL_H
#define WP_INSTALL_JOURNAL_H

#include "base/vec.h"
#include "os/os.h"

typedef struct wp_journal {
	const char *venv;	   /* absolute */
	const char *aside;	   /* name of that directory: one that a program holds open stays, and the next has another */
	WP_VEC(const char *) olds; /* files to be moved aside; they are there */
	WP_VEC(const char *) dirs; /* to be made, parents first; they are not there, but may be among the olds. Where one of
				    * these or of the news is among the empty (on Windows in letters of any case), the empty go before them */
	WP_VEC(const char *) news; /* files to be moved in; a path may be among the olds too */
	WP_VEC(const char *) empty; /* directories to be removed if nothing is left in them, children first */
} wp_journal;

void wp_journal_free(wp_journal *j);
/* Written whole and flushed, under its final name: from here on the moves are due. */
int wp_journal_write(wp_arena *a, const wp_journal *j, wp_error *e);
/* *there false: none. WP_E_DOCUMENT where it can't be read; its paths are held to what a wheel may have. */
int wp_journal_read(wp_arena *a, const char *venv, wp_journal *out, bool *there, wp_error *e);
/* Do what is not done yet. WP_E_VENV where a path is neither in its old nor in its new state. On a failure nothing more is
 * moved; it can be called again, or wp_journal_back. */
int wp_journal_forward(const wp_journal *j, wp_error *e);
/* Take back what is done. */
int wp_journal_back(const wp_journal *j, wp_error *e);
/* After either: the journal goes, then stage and aside. What of them a program holds open is removed by the next run. */
int wp_journal_end(wp_arena *a, const wp_journal *j, wp_error *e);
/* Remove what was left of earlier runs where there is no journal; a name for aside that is free. */
const char *wp_journal_clean(wp_arena *a, const char *venv, wp_error *e);

#endif

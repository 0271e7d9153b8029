/* SPDX-License-Identifier: MIT */
/* drift.h: what the files of the check of a venv share, and the one table of what it finds. Codes are stable and never
 * reused. */
#ifndef WP_INSTALL_DRIFT_H
#define WP_INSTALL_DRIFT_H

#include "install/installed.h"
#include "install/parts.h"

/* X(name, code, severity, title); in front of the title stands what it is about. In the order in which they are told. */
#define WP_DRIFT_NOTES(X) \
	X(STOPPED, "N714", SEVERE, "a run was stopped while it moved files") \
	X(BAD_LOCK, "N701", SEVERE, "the lock in it is not the one that its receipt names") \
	X(ABSENT, "N702", SEVERE, "in the lock, not in the venv") \
	X(OTHER, "N703", SEVERE, "the venv has another version than the lock") \
	X(MISSING, "N704", SEVERE, "files are missing") \
	X(CHANGED, "N705", SEVERE, "files are not as RECORD has them") \
	X(UNREADABLE, "N706", SEVERE, "files cannot be read") \
	X(BAD_RECORD, "N707", SEVERE, "its RECORD cannot be read") \
	X(FOREIGN, "N708", WARNING, "in the venv, not in the lock") \
	X(ADDED, "N709", WARNING, "files that no RECORD lists") \
	X(NO_RECORD, "N710", WARNING, "it has no RECORD to be held to") \
	X(OUTSIDE, "N711", WARNING, "its RECORD names files that are not its own") \
	X(LEFTOVER, "N712", WARNING, "left behind by a pip that was stopped") \
	X(NO_LOCK, "N713", NOTE, "there is no lock to hold the distributions to")

typedef enum wp_drift_note {
#define WP_DRIFT_NOTE_ENUM(name, code, severity, title) WP_DRIFT_##name,
	WP_DRIFT_NOTES(WP_DRIFT_NOTE_ENUM)
#undef WP_DRIFT_NOTE_ENUM
} wp_drift_note;

typedef struct wp_checked_file {
	const wp_installed_file *file;
	wp_file_state state;
	const char *fault;	     /* why it could not be read */
} wp_checked_file;

/* A distribution that the venv has. */
typedef struct wp_checked {
	const wp_installed *d;
	const char *name;	     /* "torch 2.11.0" */
	const char *by;		     /* its installer, "" unknown */
	bool condas;		     /* conda's, which keeps account of its files itself and writes some anew */
	const char *fault;	     /* why its RECORD could not be read */
	const wp_lock_wheel *locked; /* of its project; NULL: the lock has none, or there is no lock */
	wp_installed_files files;
	wp_checked_file *checks;     /* one a file */
} wp_checked;

typedef struct wp_checking {
	wp_ctx *ctx;
	wp_arena *a;		     /* as long as the check */
	const char *venv;	     /* absolute */
	wp_venv_place at;
	wp_site site;
	wp_checked *dists;	     /* one for each of the site */
	wp_par listed, hashed;	     /* arenas of the jobs */
	atomic_uint_fast64_t bytes, items;
	uint64_t bytes_total, items_total;
	wp_drift *out;
} wp_checking;

/* Among the findings, with texts and files (may be none) copied; about is a distribution or a place. */
void wp_drift_tell(wp_checking *k, wp_drift_note note, const char *about, const char *why, const char *next,
	const char *const *files, size_t n);

/* check_files.c: read the RECORDs, then hold every file to its row. WP_E_INTERRUPTED; the rest is kept in dists. */
int wp_check_list(wp_checking *k, wp_error *e);
int wp_check_hash(wp_checking *k, wp_error *e);
/* check_added.c: tell of files in site-packages and among the scripts that no RECORD lists. */
int wp_check_added(wp_checking *k, wp_error *e);

#endif

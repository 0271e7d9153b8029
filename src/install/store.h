/* SPDX-License-Identifier: MIT */
/* store.h: a directory of unpacked wheels, for more than one venv. All that has to do with one: what is in it, how an
 * install takes from it and adds to it, and what is looked after without an install.
 *
 * DIR/wheelpack-store     says that it is one
 * DIR/lock                held for a moment: by who comes in or goes, and by who removes
 * DIR/entries/KEY/        a wheel: index, used (the time of its last use), files/ with the members that venvs get byte
 *                         for byte, under their names. Complete or absent: it is built elsewhere and renamed
 * DIR/runs/PID/           of a run at work there, which holds the lock in it; without one it was left by a dead run
 */
#ifndef WP_INSTALL_STORE_H
#define WP_INSTALL_STORE_H

#include "base/vec.h"
#include "os/os.h"
#include "wheelpack/wheelpack.h"

/* ---- store_index.c: what an entry has ------------------------------------------------------- */

/* A file of an entry. */
typedef struct wp_stored {
	const char *path; /* name of the member */
	uint64_t size;
	int64_t mtime;	  /* in ns since 1970 */
	unsigned char sha256[32];
	bool executable;
	unsigned mode;	  /* as it is on the disk; not in the index */
} wp_stored;

typedef struct wp_stored_wheel {
	const char *filename, *record; /* sha256 of its RECORD */
	bool flushed;		       /* to the disk before it got its name */
	wp_stored *v; size_t n;	       /* by path */
	uint64_t bytes;
} wp_stored_wheel;

/* Name of the entry: equal for equal file names and RECORDs, which pin every byte. */
const char *wp_stored_key(wp_arena *a, const char *filename, const char *record_sha256);
bool wp_stored_is_key(const char *name);
wp_str wp_stored_write(wp_arena *a, const wp_stored_wheel *w);
/* WP_E_DOCUMENT where it is not as it was written, whatever it is then; paths are held to what a wheel may have. */
int wp_stored_read(wp_arena *a, wp_str text, wp_stored_wheel *out, wp_error *e);
/* *at: where to look first, then where it was found; begin with 0. */
wp_stored *wp_stored_find(const wp_stored_wheel *w, const char *path, size_t *at);

/* In what the file there differs, but for its bytes; NULL: in nothing. */
const char *wp_stored_difference(wp_arena *a, const wp_stored *s, const os_facts *f);

/* ---- store.c: the place --------------------------------------------------------------------- */

/* *path: absolute, links resolved. *there false: nothing, or an empty directory. WP_E_EXISTS: something else;
 * WP_E_PERMISSION: it is not this user's alone; WP_E_DOCUMENT: of another version. */
int wp_store_look(wp_arena *a, const char *given, const char **path, bool *there, wp_error *e);
/* The same, but it must be one: WP_E_NOT_FOUND. */
int wp_store_find(wp_arena *a, const char *given, const char **path, wp_error *e);
/* What of it is absent is made. */
int wp_store_make(wp_arena *a, const char *dir, wp_error *e);
const char *wp_store_entry(wp_arena *a, const char *dir, const char *key);
int wp_store_keys(wp_arena *a, const char *dir, const char ***out, size_t *n, wp_error *e);
/* WP_E_NOT_FOUND where there is no entry. */
int wp_store_read(wp_arena *a, const char *entry, wp_stored_wheel *out, wp_error *e);
/* Seconds since 1970; 0: it isn't known. Written where that is another day; a failure costs nothing. */
int64_t wp_store_used(wp_arena *a, const char *entry);
void wp_store_use_now(wp_arena *a, const char *entry);

/* A run at work there. */
typedef struct wp_store_run {
	const char *work; /* its directory; NULL: none */
	os_lock *lock;
} wp_store_run;

/* What dead runs left is removed. */
int wp_store_enter(const wp_ctx *ctx, wp_arena *a, const char *dir, wp_store_run *out, wp_error *e);
int wp_store_work(wp_arena *a, const char *dir, wp_store_run *out, wp_error *e); /* by who has the gate */
void wp_store_leave(wp_store_run *r);
/* Held by who removes entries: nobody comes in meanwhile. *live: how many runs are at work; *left: directories of dead
 * ones, which are gone now. busy may be NULL; it is filled with who that is. */
int wp_store_gate(const wp_ctx *ctx, wp_arena *a, const char *dir, os_lock **out, size_t *live, size_t *left, wp_error *busy,
	wp_error *e);
/* Out of the entries, into a directory from where it goes with the run or the next one. */
int wp_store_drop(wp_arena *a, const char *dir, const char *work, const char *key, wp_error *e);

#endif

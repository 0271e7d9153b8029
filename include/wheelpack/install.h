/* SPDX-License-Identifier: MIT
 *
 * install.h: stage 5, and questions to Python interpreters. An install is all or nothing: a new venv
 * is built beside its final name and renamed; into an existing one everything is staged below
 * <venv>/.wheelpack/ first.
 */
#ifndef WHEELPACK_INSTALL_H
#define WHEELPACK_INSTALL_H

#include "wheelpack/bundle.h"

/* What an interpreter says of itself (asked with -I, by full path). */
typedef struct wp_interpreter {
	const char *path;	     /* as found, absolute */
	const char *executable;	     /* sys.executable of the base interpreter, links kept */
	const char *version;	     /* 3.12.1 */
	const char *soabi_tag;	     /* cp312, cp313t: python tag with ABI letters */
	const char *platform_tag;    /* win_amd64, manylinux_2_36_x86_64 (from the C library's own version) */
	int bits;
	const char *venv_site, *venv_bin; /* where a venv of it has site-packages and scripts, relative */
	wp_markers markers;	     /* as the interpreter evaluates them */
} wp_interpreter;

/* spec: a path, a name, `3.12`, `cp312`, or NULL for python3. A hit on PATH that fails is skipped and
 * the search goes on. search_path is the text of PATH; home the user's home (for pyenv, uv, conda; may
 * be NULL). WP_E_NO_INTERPRETER lists what was tried. */
int wp_interpreter_find(wp_ctx *ctx, const char *spec, const char *search_path, const char *home,
	wp_interpreter *out, wp_error *e);

/* The programs that stand for scripts and for python.exe in a venv of Windows; empty where this build has none. */
typedef struct wp_launchers {
	wp_str console, gui;
} wp_launchers;

typedef struct wp_install_request {
	const wp_lock_doc *lock;	/* what to install */
	const wp_bundle_doc *manifest;	/* record_sha256 of each wheel: the trust chain */
	const char *bundle_id;		/* for the receipt; may be NULL */
	wp_wheels wheels;
	const char *venv;		/* directory; created if absent */
	const char *python;		/* spec of the base interpreter; NULL: the target's version */
	const char *target;		/* name of one of the lock's targets; NULL: the one that fits */
	const char *search_path, *home; /* as for wp_interpreter_find */
	wp_launchers launchers;		/* needed where the interpreter is one of Windows */
	bool no_sync;			/* no flush to disk: for CI */
	const char *time;		/* now, RFC 3339, for the receipt */
} wp_install_request;

typedef struct wp_receipt {
	wp_findings findings;
	const char *venv, *python;	/* absolute */
	bool created;			/* the venv is new */
	size_t distributions, files, scripts;
	size_t kept;			/* distributions that were there already in that version */
	uint64_t bytes;
} wp_receipt;

/* plan -> stage -> commit -> receipt. WP_E_WRONG_TARGET, WP_E_REQUIRES_PYTHON, WP_E_RECORD,
 * WP_E_PATH, WP_E_WHEEL, WP_E_COLLISION, WP_E_VENV, WP_E_BUSY, WP_E_DISK_FULL, ... each leaves the venv as it was. */
int wp_install(wp_ctx *ctx, const wp_install_request *in, wp_receipt *out, wp_error *e);

/* A venv as a tree (site-packages at the root, the rest under their scheme's place like
 * wp_bundle_tree). Lives until wp_venv_tree_close. */
int wp_venv_tree(wp_ctx *ctx, const char *venv, wp_tree *out, wp_error *e);
void wp_venv_tree_close(wp_tree *t);
/* The lock recorded in the venv's receipt, with no other target than the one installed; false where
 * wheelpack did not install it. */
bool wp_venv_lock(wp_ctx *ctx, const char *venv, wp_lock_doc *out);

#endif

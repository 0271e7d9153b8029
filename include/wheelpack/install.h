/* SPDX-License-Identifier: MIT
 *
 * install.h: stage 5, questions to Python interpreters, and what is done with a venv afterwards. An install is all or
 * nothing: a new venv is built beside its final name and renamed; for an existing one everything is staged below
 * <venv>/.wheelpack/ first, and a journal there says what is moved where. Where a run ends in the middle of that, the next
 * call that changes the venv finishes it.
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

/* ---- wheels without a bundle -------------------------------------------------------------- */

typedef struct wp_loose_request {
	const char *const *paths; size_t n; /* wheels, and folders of them */
	const char *venv, *python, *search_path, *home; /* as for wp_install; python NULL: python3 */
	bool allow_conda; /* as for wp_install */
	const char *const *allow_wrong_record; size_t nallow_wrong_record; /* projects whose wheels are taken although their
		* RECORD is wrong about files of theirs */
	bool wait, with_pip;   /* as for wp_install */
} wp_loose_request;

typedef struct wp_loose {
	wp_findings findings;
	wp_interpreter python; /* an existing venv's own, else the base of the new one */
	wp_lock_doc lock;      /* for one target, which is the interpreter's */
	wp_lock_doc record;    /* the lock that the venv keeps: the one it has, with these wheels in it */
	wp_wheels wheels;      /* lives as long as ctx->arena */
	const wp_exceptions *exceptions; /* one a wheel of lock */
	const char *seen;      /* what the venv was like */
} wp_loose;

/* From wheels that lie there to what wp_install takes; nothing is asked of any index. A wheel that is named goes in. Of a
 * folder each project goes in, with its newest version that fits the interpreter (a pre-release only where nothing else
 * does), the best tag, the highest build; what was passed over is noted (N520, N521). A named wheel wins over those of
 * folders. `requested` are the named wheels, and of a folder, where nothing is named, those that none of the others
 * requires. A requirement that neither they nor the venv meet is a warning (N523), one for each project. WP_E_NOT_FOUND,
 * WP_E_WHEEL, WP_E_USAGE, WP_E_REQUIREMENT (two wheels of one project), WP_E_BUNDLE, WP_E_WRONG_TARGET (none fits),
 * WP_E_NO_INTERPRETER, WP_E_VENV. */
int wp_loose_make(wp_ctx *ctx, const wp_loose_request *in, wp_loose *out, wp_error *e);

/* ---- install ------------------------------------------------------------------------------ */

/* Called when the venv is complete below dir and not yet under its name; python runs it there. Not 0: nothing is
 * switched, and wp_install fails with e. */
typedef struct wp_trial {
	int (*fn)(void *user, const char *dir, const char *python, wp_error *e);
	void *user;
} wp_trial;

/* Compiled by the target interpreter before the commit. TIMESTAMPS: as Python does it by itself; HASHES: checked hashes
 * of the sources (PEP 552), the same bytes each time. */
typedef enum wp_bytecode { WP_BYTECODE_NONE, WP_BYTECODE_TIMESTAMPS, WP_BYTECODE_HASHES } wp_bytecode;

typedef struct wp_install_request {
	const wp_lock_doc *lock;	/* what to install */
	const wp_loose *loose;		/* lock and wheels are its, and there is no manifest; NULL: they come from a bundle */
	const wp_bundle_doc *manifest;	/* record_sha256 of each wheel: the trust chain */
	const char *bundle_id;		/* for the receipt; may be NULL */
	wp_wheels wheels;
	const char *venv;		/* directory; created if absent */
	const char *python;		/* spec of the base interpreter; NULL: the target's version */
	const char *target;		/* name of one of the lock's targets; NULL: the one that fits */
	const char *search_path, *home; /* as for wp_interpreter_find */
	wp_launchers launchers;		/* needed where the interpreter is one of Windows */
	bool no_sync;			/* no flush to disk: for CI */
	bool wait;			/* for another run at this venv to end, instead of WP_E_BUSY */
	bool allow_conda;		/* venv may be a conda environment too; one that was installed into with this is
					 * taken by wp_uninstall, wp_repair, wp_venv_check and wp_venv_tree without more ado */
	bool beside;			/* an existing venv is built anew beside itself, tried, then switched; not with loose */
	wp_trial trial;			/* of beside, also where the venv is new; fn NULL: none */
	const char *store;		/* directory of unpacked wheels, created if absent; NULL: none */
	wp_bytecode bytecode;
	bool with_pip;			/* the pip that the base interpreter brings (ensurepip), where the venv has none */
	bool all_users;			/* others than who installs will use it */
	const char *time;		/* now, RFC 3339, for the receipt */
} wp_install_request;

/* What came from the store of a request. */
typedef struct wp_from_store {
	const char *dir;		/* absolute; NULL: there was none */
	size_t linked, cloned, copied;	/* files: hard links, clones (they part where one is written to), copies */
	uint64_t bytes;			/* of these */
	size_t added;			/* wheels that were put there first */
} wp_from_store;

typedef struct wp_receipt {
	wp_findings findings;
	const char *venv, *python;	/* absolute */
	bool created;			/* the venv is new */
	size_t distributions, files, scripts;
	size_t kept;			/* distributions that were there already, with these files */
	size_t replaced;		/* that were there in another version, or with other files */
	uint64_t bytes;
	wp_from_store store;
	size_t compiled;		/* files of bytecode, beside those counted above */
	uint64_t compile_ms;
	bool stale;			/* after WP_E_BUSY: the venv isn't what wp_loose_make saw; make that again, then install */
	const char *before;		/* with beside: where the venv is kept that was in its place; NULL: there was none */
	uint64_t before_bytes;
} wp_receipt;

/* plan -> stage -> commit -> receipt. WP_E_WRONG_TARGET, WP_E_REQUIRES_PYTHON, WP_E_RECORD,
 * WP_E_PATH, WP_E_WHEEL, WP_E_COLLISION, WP_E_VENV, WP_E_BUSY, WP_E_DISK_FULL, ... each leaves the venv as it was. Who is
 * waited for is a progress report of stage "wait", once. */
int wp_install(wp_ctx *ctx, const wp_install_request *in, wp_receipt *out, wp_error *e);

/* ---- what would be done ------------------------------------------------------------------- */

typedef enum wp_planned { WP_PLANNED_INSTALL, WP_PLANNED_KEEP, WP_PLANNED_REPLACE } wp_planned;

typedef struct wp_planned_dist {
	const char *project, *version, *filename;
	wp_planned what;
	const char *was; /* of REPLACE: the version that the venv has */
	uint64_t files, bytes; /* to be written */
} wp_planned_dist;

typedef struct wp_preview {
	wp_findings findings;
	const char *venv, *python; /* absolute, as in wp_receipt */
	const char *base, *version; /* the base interpreter, and which it is: 3.12.7 */
	const char *target;
	bool create; /* the venv is new */
	bool beside; /* it takes the place of one that is there */
	wp_planned_dist *v; size_t n;
	uint64_t files, bytes;
	uint64_t space_needed, space_free; /* where the venv is; with what goes to a store that is on the same volume */
	const char *store;		   /* absolute; NULL: none */
	size_t store_files; uint64_t store_bytes; /* of those, what the store has */
	size_t store_added;		   /* wheels that would be put there */
} wp_preview;

/* The plan of wp_install, and nothing else: no file, directory or lock is made. Refusals are those of wp_install as far as
 * they can be known without unpacking; all of them are findings of severity error, in both calls. */
int wp_install_preview(wp_ctx *ctx, const wp_install_request *in, wp_preview *out, wp_error *e);

/* ---- afterwards --------------------------------------------------------------------------- */

typedef struct wp_uninstalled {
	wp_findings findings;
	size_t distributions, files; /* removed */
	size_t left;		     /* files of them that were changed since, and stay */
} wp_uninstalled;

typedef struct wp_uninstall_request {
	const char *venv;
	const char *const *projects; size_t n; /* names as the user writes them */
	bool no_sync, wait; /* as for wp_install */
} wp_uninstall_request;

/* Remove the distributions of these projects from the venv: every file of their RECORD (recording-projects standard)
 * that is still as RECORD has it, and its bytecode; nothing outside the venv. All or nothing, as an install. WP_E_USAGE:
 * that is no name; WP_E_NOT_FOUND: the venv has no such distribution; WP_E_VENV, WP_E_RECORD: one of them has no RECORD,
 * or none that can be read; WP_E_BUSY: another run is at work there. */
int wp_uninstall(wp_ctx *ctx, const wp_uninstall_request *in, wp_uninstalled *out, wp_error *e);

typedef enum wp_repaired { WP_REPAIR_NOTHING, WP_REPAIR_FINISHED, WP_REPAIR_UNDONE } wp_repaired;

/* Finish what a stopped install, uninstall or rollback began to move, or with undo take it back. A file that is neither as
 * it was nor as it is to be is WP_E_VENV, and nothing more is moved. WP_E_DOCUMENT: the journal can't be read; WP_E_BUSY,
 * but with wait another run's end is waited for. */
int wp_repair(wp_ctx *ctx, const char *venv, bool undo, bool wait, wp_repaired *out, wp_error *e);
/* True where a run was stopped there and wp_repair is due. */
bool wp_repair_due(wp_ctx *ctx, const char *venv);

typedef struct wp_rolled_back {
	wp_findings findings;
	const char *venv;   /* absolute */
	const char *before; /* where the one is kept that was in its place; NULL: there was none any more */
	wp_repaired stopped; /* not NOTHING: a run had been stopped while it switched, and this was finished or taken back so
			      * that the older one is in place; no more was done */
} wp_rolled_back;

/* The venv and the one that an install beside it kept trade places. WP_E_NOT_FOUND where none is kept; WP_E_BUSY. no_sync,
 * wait: as for wp_install. */
int wp_rollback(wp_ctx *ctx, const char *venv, bool no_sync, bool wait, wp_rolled_back *out, wp_error *e);

typedef struct wp_drift {
	wp_findings findings;
	size_t distributions, files; /* that were looked at */
	size_t missing, changed, added; /* files */
	uint64_t bytes;		     /* hashed */
	const char *target;	     /* of the lock; NULL: there was none to hold the distributions to */
	const char *const *absent; size_t nabsent;   /* projects of the lock that the venv doesn't have */
	const char *const *other; size_t nother;     /* that it has in another version */
	const char *const *foreign; size_t nforeign; /* that the lock doesn't have */
} wp_drift;

/* Hold a venv to its RECORDs and to a lock: files that are missing, changed or in no RECORD; distributions that the lock
 * has and the venv not, in another version, or the other way round. lock NULL: the one in the venv's receipt. Reads only.
 * What differs is a finding of severity error, what is merely more a warning. Of a lock with several targets the one that
 * the venv was made for. WP_E_NOT_FOUND, WP_E_VENV, WP_E_WRONG_TARGET, WP_E_TARGET. */
int wp_venv_check(wp_ctx *ctx, const char *venv, const wp_lock_doc *lock, wp_drift *out, wp_error *e);

/* A venv as a tree (site-packages at the root, the rest under their scheme's place like
 * wp_bundle_tree). Lives until wp_venv_tree_close. */
int wp_venv_tree(wp_ctx *ctx, const char *venv, wp_tree *out, wp_error *e);
void wp_venv_tree_close(wp_tree *t);
/* The lock recorded in the venv's receipt, with no other target than the one installed; false where
 * wheelpack did not install it. */
bool wp_venv_lock(wp_ctx *ctx, const char *venv, wp_lock_doc *out);

#endif

/* SPDX-License-Identifier: MIT */
/* parts.h: what the files of the install room share. The plan is made read only, unpack and scripts
 * write the stage from it, commit moves the stage to its place. */
#ifndef WP_INSTALL_PARTS_H
#define WP_INSTALL_PARTS_H

#include "base/map.h"
#include "base/vec.h"
#include "install/journal.h"
#include "install/removal.h"
#include "install/store.h"
#include "install/switch.h"
#include "os/os.h"
#include "os/par.h"
#include "wheel/wheel.h"
#include "wheelpack/install.h"

#define WP_RECEIPT_SCHEMA "wheelpack.receipt/1"

enum { WP_MAX_SCRIPT = 4 << 20 }; /* a `#!python` script may have so many bytes */

/* How scripts of the venv begin, with their newline: a `#!` line, or three lines. */
typedef struct wp_starter {
	bool windows;
	wp_str line;
	wp_str windowed; /* with pythonw.exe; the same as line where there is none */
} wp_starter;

/* One file that the install writes. */
typedef struct wp_out_file {
	const char *path;	  /* below the venv, '/' separated */
	uint32_t wheel;		  /* whose it is */
	const wp_member *member;  /* where its bytes come from; NULL: text */
	wp_str text;		  /* of a generated file */
	bool executable, script;  /* script: below .data/scripts, `#!python` is rewritten */
	bool odd;		  /* a script with a byte order mark before `#!python` */
	bool written;		  /* false: the same bytes come from same_as, or are in the venv already */
	size_t same_as;		  /* index of the file that brings the bytes; its own index otherwise */
	unsigned char sha256[32]; /* of what is written */
	uint64_t size;
	wp_stored *stored;	  /* where a store has its bytes; NULL: they come from the wheel */
	bool linked;		  /* it is there as another name of the stored file, or a clone, and not to be unpacked */
	bool uncounted;		  /* no part of the progress */
} wp_out_file;

typedef struct wp_in_wheel {
	const wp_lock_wheel *lock;
	wp_blob blob;
	wp_wheel wheel;
	wp_findings findings; /* from reading it, in the arena of its job */
	bool kept;	      /* the venv has this distribution, with these files */
	const wp_installed *replaces; /* what the venv has of it otherwise; NULL: nothing */
	bool bad;	      /* it could not be read, which was refused: nothing of it is known */
	bool unclear;	      /* what makes way for it isn't known, which was refused: its files would seem in the way */
	size_t first, n;      /* its files in the plan */
	atomic_uint_fast64_t left; /* bytes not yet written */
	bool overlaps;	      /* some of its files are in the venv already, with the same bytes */
	bool told;	      /* its progress line was given */
} wp_in_wheel;

/* One reason why the plan can't be carried out. */
typedef struct wp_refusal {
	size_t wheel; /* SIZE_MAX: of no single one */
	wp_code code;
	const char *where, *why, *next;
} wp_refusal;

typedef struct wp_plan {
	wp_ctx *ctx;
	const wp_install_request *in;
	wp_arena *a;		 /* as long as the install */
	wp_findings *findings;	 /* the receipt's, in ctx->arena */
	const char *venv;	 /* absolute */
	bool is_new;		 /* absent or empty now, or beside */
	bool conda;		 /* no venv but a conda environment, which is allowed */
	bool beside;		 /* it is a venv, and the new one takes its place when it is complete */
	bool all_users;		 /* asked for now, or when the venv was made */
	wp_repaired before;	 /* what a stopped run had begun there */
	bool raced;		 /* another run builds this venv, or has built it since */
	const wp_lock_target *target;
	const wp_lock_doc *record; /* what the venv will keep as its lock */
	const char *pip;	 /* file name of the wheel that the base interpreter brings; NULL */
	wp_target want;		 /* the lock's */
	wp_target real;		 /* of the interpreter on this machine, without a variant */
	wp_interpreter python;	 /* the base interpreter, or the existing venv's own */
	bool windows;		 /* it is an interpreter of Windows: what it says decides, not where we run */
	const char *run_python;	 /* the venv's own, absolute, as its system writes it */
	const char *run_pythonw; /* the one without a console; NULL where there is none */
	wp_starter start;
	wp_in_wheel *wheels;
	size_t nwheels;
	wp_par opened;		 /* arenas of the wheels */
	WP_VEC(wp_out_file) files;
	WP_VEC(const char *) dirs; /* every directory of files, parents before children */
	wp_site site;		 /* of an existing venv */
	wp_removal removal;	 /* what makes way there */
	bool over_dirs;		 /* a file takes the place of a directory that makes way */
	uint64_t bytes;		 /* to be written */
	uint64_t space_needed, space_free; /* on the disk */
	struct wp_store_use *store; /* NULL: none */
	atomic_uint_fast64_t done; /* of bytes, so far */
	WP_VEC(wp_refusal) refusals;
} wp_plan;

/* ask.c: what this program of Python text prints last, a JSON object. */
int wp_python_tell(wp_ctx *ctx, const char *path, const char *text, wp_str *line, wp_error *e);
int wp_interpreter_ask(wp_ctx *ctx, const char *path, wp_interpreter *out, wp_error *e);
/* interpreter.c: does this interpreter answer to `3.12`, `cp313t`? Words that name no version fit all. */
bool wp_python_spec_fits(const char *spec, const wp_interpreter *p);
bool wp_python_windows(const wp_interpreter *p);
/* The interpreter of the venv in dir, whether or not it is there. */
const char *wp_venv_python(wp_arena *a, const char *dir);

/* tree.c: is it a venv, as far as its pyvenv.cfg tells? WP_E_NOT_FOUND, WP_E_VENV, WP_E_PERMISSION. */
int wp_venv_look(wp_arena *a, const char *venv, wp_error *e);
/* Where a venv that is there has site-packages, scripts and headers, below it. Fails as wp_venv_look. */
typedef struct wp_venv_place {
	const char *site, *bin, *include;
	bool conda; /* it is a conda environment that wheelpack was let into */
} wp_venv_place;
int wp_venv_find(wp_arena *a, const char *venv, wp_venv_place *out, wp_error *e);
/* "python3.12" where the text of pyvenv.cfg says `version = 3.12.1`, or version_info as some tools do; "" where it says
 * nothing. */
const char *wp_venv_library(wp_arena *a, wp_str config);
/* Text of the venv's pyvenv.cfg, empty where it can't be read; what stands behind `key =` there, NULL. */
wp_str wp_venv_config(wp_arena *a, const char *venv);
const char *wp_venv_setting(wp_arena *a, wp_str config, const char *key);

/* prefix.c: what a directory without pyvenv.cfg is. */
typedef enum wp_prefix_kind {
	WP_PREFIX_OTHER,
	WP_PREFIX_CONDA,
	WP_PREFIX_PYTHON, /* an installation, or a conda environment that is marked as externally managed */
	WP_PREFIX_INSIDE, /* a venv */
	WP_PREFIX_LOST	  /* a venv that lost its pyvenv.cfg */
} wp_prefix_kind;
typedef struct wp_prefix {
	wp_prefix_kind kind;
	const char *what; /* for people */
	const char *path; /* its python, the venv it is in, or NULL */
} wp_prefix;
wp_prefix wp_prefix_look(wp_arena *a, const char *dir);
/* A conda environment that an install was let into. */
bool wp_prefix_let_in(wp_arena *a, const char *dir);
/* WP_E_VENV: nothing is installed into it, and what to do instead. */
int wp_prefix_refuse(wp_arena *a, const char *dir, wp_error *e);
/* WP_E_VENV: the python of a venv doesn't start, because of why, or of what is gone. */
int wp_venv_no_python(wp_arena *a, const char *venv, const char *python, const char *why, wp_error *e);
/* WP_E_VENV where the venv was made for another version than its python has now. */
int wp_venv_check_version(wp_arena *a, const char *venv, const wp_interpreter *p, wp_error *e);

/* refuse.c: all that stands against a plan is told at once. Take the fault f, if it is one, as a refusal of a wheel
 * (SIZE_MAX: of the whole), empty it, and go on; a stop by the user is no refusal but ends in e. */
int wp_plan_refuse(wp_plan *p, size_t wheel, wp_error *f, wp_error *e);
/* f may be of a wheel without a bundle whose RECORD is wrong: then say how it can be taken. */
void wp_plan_advise(wp_plan *p, size_t wheel, wp_error *f);
/* Each refusal becomes a finding; e sums them up: integrity first, else the lowest wheel. 0 where there is none. */
int wp_plan_conclude(wp_plan *p, wp_error *e);

/* fit.c: may these wheels go to this interpreter on this machine? */
const char *wp_other_wheel(const wp_plan *p); /* what to do about a wheel without a bundle that does not fit */
int wp_fit_python(wp_plan *p, wp_error *e); /* which one; without a lock python3 where none is named */
/* Is it one of those that Requires-Python asks for? What can't be read is told of when the wheel is opened. */
bool wp_requires_python_met(wp_arena *a, const char *requires_python, const char *version);
int wp_fit_target(wp_plan *p, wp_error *e);
int wp_fit_wheels(wp_plan *p, wp_error *e);

/* lock_join.c: old, which has one target, with the wheels of more, each in the place of one of the same project. */
void wp_lock_join(wp_arena *a, const wp_lock_doc *old, const wp_lock_doc *more, wp_lock_doc *out);
/* An id for an index that stands for no other address in d. */
const char *wp_lock_free_id(wp_arena *a, const wp_lock_doc *d, const char *id, const char *url);
/* lock_keep.c: what the venv was to have and the bundle does not bring joins the lock that it keeps. */
void wp_lock_keep(wp_plan *p);
/* pip.c: for --with-pip, after the interpreter and the target are known. */
int wp_plan_pip(wp_plan *p, wp_error *e);

/* plan.c: first what is at the place, then all the rest. */
int wp_plan_place(wp_plan *p, wp_error *e);
/* The same with another run's end waited for, if the request says so. */
int wp_plan_place_free(wp_plan *p, wp_error *e);
int wp_plan_make(wp_plan *p, wp_error *e);
void wp_plan_done(wp_plan *p);
/* Which of the wheels has the most bytes, or once they are opened the most files, and so on: that job begins first. */
size_t *wp_largest_first(const wp_plan *p, bool opened);
int wp_no_space(uint64_t needed, uint64_t free, wp_error *e);

/* files.c: every wheel's members at their place, each path once. */
int wp_plan_files(wp_plan *p, wp_error *e);
const char *wp_under(const char *path, const char *dir); /* path below dir, NULL if it is elsewhere */
/* Files of dist-info that the installer writes itself, and signatures of the RECORD that is replaced. */
bool wp_is_installers(const wp_wheel *w, const wp_member *m);

/* existing.c: what an existing venv has already. */
int wp_existing_kept(wp_plan *p, wp_error *e);
int wp_existing_check(wp_plan *p, wp_error *e);

/* scripts.c: how scripts begin; text of an entry point's script; a `.data/scripts` member with `#!python` rewritten
 * (the text itself otherwise). pythonw may be NULL. */
int wp_starter_make(wp_arena *a, bool windows, const char *python, const char *pythonw, wp_starter *out, wp_error *e);
wp_str wp_script_entry(wp_arena *a, const wp_starter *s, const wp_entry_point *ep);
wp_str wp_script_rewrite(wp_arena *a, const wp_starter *s, wp_str text);

/* exe.c: NAME.exe of an entry point: launcher, first line, zip with __main__.py. The same bytes on every PC. */
wp_str wp_script_exe(wp_arena *a, const wp_launchers *l, const wp_starter *s, const wp_entry_point *ep);

/* venv.c: pyvenv.cfg, interpreter, activate scripts below dir, for a venv whose final name is venv. */
int wp_venv_create(wp_arena *a, const char *dir, const char *venv, const wp_interpreter *base, const wp_launchers *l,
	wp_error *e);
/* venv_windows.c: python.exe and pythonw.exe in bin: the base interpreter's own launchers for venvs, ours where it has
 * none. */
int wp_venv_programs(wp_arena *a, const char *bin, const wp_interpreter *base, const wp_launchers *l, wp_error *e);
/* The ._pth file, as embeddable packages have it, that keeps a base from seeing the packages of any venv; NULL. */
const char *wp_venv_blinded(wp_arena *a, const wp_interpreter *base);
/* Will they have a pythonw.exe? */
bool wp_venv_windowed(wp_arena *a, const wp_interpreter *base);
/* C:\envs\torch for C:/envs/torch where windows is set. */
const char *wp_native_path(wp_arena *a, bool windows, const char *path);
/* activate.c: the n-th activate script; false past the last. */
bool wp_activate_script(wp_arena *a, size_t n, const char *venv, const wp_interpreter *base, const char **name,
	wp_str *text);

/* unpack.c: every file of the plan below stage, digests filled in; and some other files below some other directory. */
int wp_unpack(wp_plan *p, const char *stage, wp_error *e);
int wp_unpack_files(wp_plan *p, wp_out_file *files, size_t n, const char *dir, wp_error *e);
void wp_unpack_tick(void *plan); /* tell how far it is */

/* store_plan.c: which files the request's store has; nothing is changed. Without one these do nothing. */
int wp_store_plan(wp_plan *p, wp_error *e);
bool wp_store_spares(const wp_plan *p, const wp_out_file *f); /* it takes no space of its own in the venv */
int wp_store_space(wp_plan *p, wp_error *e); /* what is put there: is there room? */
void wp_store_preview(const wp_plan *p, wp_preview *out);
/* store_fill.c: put there what it lacks, and see how files come from there to the stage. */
int wp_store_begin(wp_plan *p, const char *stage, wp_error *e);
void wp_store_end(wp_plan *p);
/* store_take.c: a file that it has into the directory to. False: it is not there, and is to be unpacked unless e is set. */
bool wp_store_take(wp_plan *p, wp_out_file *f, os_dir *to, unsigned char *buf, size_t n, wp_error *e);
void wp_store_tell(const wp_plan *p, wp_from_store *out);
/* record_out.c: RECORD of a distribution, as long as it will be also where digests are not known yet; that of each below
 * stage, which adds its path to the plan's files. */
wp_str wp_record_text(wp_arena *a, const wp_plan *p, const wp_in_wheel *w);
int wp_record_out(wp_plan *p, const char *stage, wp_error *e);
/* compile.c: will bytecode of it be made? That of all such files below stage, added to the plan's files. */
bool wp_compiles(const wp_plan *p, const wp_out_file *f);
int wp_compile(wp_plan *p, const char *stage, wp_receipt *r, wp_error *e);
/* receipt.c: receipt.json and lock.json into dir. */
int wp_receipt_write(wp_plan *p, const wp_receipt *r, const char *dir, wp_error *e);
/* wp_venv_lock, but what the system can't read is an error. */
int wp_venv_lock_read(wp_arena *a, const char *venv, wp_lock_doc *out, bool *there, wp_error *e);

/* share.c: for --all-users: what others can't reach is refused; all below dir, and itself, can be read by them. */
int wp_share_check(wp_plan *p, wp_error *e);
int wp_share_tree(wp_plan *p, const char *dir, wp_error *e);
void wp_share_dirs(wp_plan *p, const wp_journal *j);

/* stage.c: where an install is built, and the lock that keeps a second one away. */
typedef struct wp_stage {
	const char *dir;    /* files lie here under their final relative path */
	const char *outer;  /* of a new venv: holds dir and its lock, so that nothing in dir is open when it is renamed */
	const char *meta;   /* .wheelpack of an existing venv */
	const char *aside;  /* name in meta of the directory for the files that make way */
	os_lock *lock;	    /* of an existing venv */
	os_lock *outer_lock;
	bool made_meta, made_lock; /* by us, in an existing venv */
	WP_VEC(const char *) made; /* parent directories of a new venv that we made, outermost first */
} wp_stage;
/* wait.c: os_lock_take, but with wait another's lock is waited for. */
int wp_lock_take(wp_ctx *ctx, const char *path, bool wait, os_lock **out, wp_error *e);
/* A new file, which nobody sees under its final name before all is flushed. */
int wp_put_text(wp_arena *a, const char *dir, const char *name, wp_str text, wp_error *e);
/* The lock of an existing venv. WP_E_BUSY where another run is at work in it or beside it. */
int wp_stage_lock(wp_ctx *ctx, wp_arena *a, const char *venv, bool wait, wp_stage *s, wp_error *e);
/* Until nobody is at work in the venv, or builds it. */
int wp_stage_wait(wp_ctx *ctx, wp_arena *a, const char *venv, wp_error *e);
/* Remove what dead runs left (WP_E_BUSY and p->raced if a live one builds this venv), make the empty stage. */
int wp_stage_open(wp_plan *p, wp_stage *s, wp_error *e);
/* Everything back as it was, the lock released; but where a journal is due, all stays for the next run. */
void wp_stage_abandon(wp_stage *s);
/* What the lock needed goes from meta, wherever that is by now. */
void wp_stage_unmake(wp_arena *a, wp_stage *s);
void wp_stage_done(wp_stage *s); /* after a commit */

/* repair.c: a journal is written, its moves are made, and it is ended; on a failure they are taken back, and if not even
 * that can be done the state of e says so. *not_flushed: why the disk could not be told, else untouched. */
int wp_carry_out(wp_arena *a, const wp_journal *j, bool no_sync, const char **not_flushed, wp_error *e);
/* For the state of e, after which back was the reason why nothing could be taken back. */
void wp_neither(const char *venv, const wp_error *back, wp_error *e);
/* With the lock held: what wp_repair does. */
int wp_finish_stopped(wp_arena *a, const char *venv, bool back, wp_repaired *out, wp_error *e);
/* receipt.c: another text each time that an install has changed the venv; "" where there is none. */
const char *wp_venv_seen(wp_arena *a, const char *venv);
/* Does the receipt say that others use it? */
bool wp_venv_shared(wp_arena *a, const char *venv);
/* After a failure to go on where it stopped. */
int wp_left_between(const char *venv, bool back, wp_error *e);
/* For the state of an error: nothing but what was done before, about a stopped run. */
const char *wp_unchanged(wp_arena *a, const char *venv, wp_repaired before);
/* wp_switch_settle for a venv as it was named, which may be absent. */
int wp_venv_settle(wp_ctx *ctx, wp_arena *a, const char *given, wp_settle how, bool wait, wp_repaired *out, wp_error *e);
/* An existing venv, its links resolved. WP_E_NOT_FOUND, WP_E_VENV. */
int wp_venv_check_place(wp_arena *a, const char *given, const char **venv, wp_error *e);

/* beside.c: an install beside an existing venv. Is it one? What stands against the switch, as far as it is known before;
 * what the old venv has and the new one won't; the switch. */
void wp_beside_begin(wp_plan *p);
int wp_beside_check(wp_plan *p, wp_error *e);
void wp_beside_tell(wp_plan *p);
int wp_beside_commit(wp_plan *p, wp_stage *s, wp_error *e);

/* commit.c: move the stage to its place; on failure what was moved is moved back. Ignores cancel. */
int wp_commit(wp_plan *p, wp_stage *s, wp_error *e);

#endif

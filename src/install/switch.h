/* SPDX-License-Identifier: MIT */
/* switch.h: a venv that lies beside an existing one takes its place, and the existing one is kept. All beside the venv
 * NAME: a run has the directory `.NAME.wheelpack-PID` with its `lock`, the new `venv` in it, and while it switches `old`,
 * the one that was in place, and `older`, the one that was kept until then; `.NAME.wheelpack-before/venv` is the one that
 * is kept. The file `switch` of the run's directory is there from the moment when the new venv is complete until all has
 * its place. Each step is one rename or one exchange, and what is there tells which of them are done. */
#ifndef WP_INSTALL_SWITCH_H
#define WP_INSTALL_SWITCH_H

#include "ext/hash.h"
#include "os/os.h"
#include "wheelpack/install.h"

typedef enum wp_switch_kind {
	WP_SWITCH_INSTALL, /* the new venv comes in, the one in place is kept, what was kept until then goes */
	WP_SWITCH_ROLLBACK /* the one in place and the one that is kept trade places */
} wp_switch_kind;

typedef struct wp_switch {
	const char *venv; /* absolute */
	const char *side; /* directory of the run, its lock held */
	wp_switch_kind kind;
	char fresh[WP_SHA256_HEX + 1]; /* INSTALL: of the new venv's receipt; tells whether an exchange has been made */
} wp_switch;

/* Absolute, and through links also where the last one leads to nothing: in the middle of a switch there may be no venv. */
int wp_switch_place(wp_arena *a, const char *given, const char **venv, wp_error *e);
/* The venv that is kept, whether or not there is one; its directory. */
const char *wp_switch_before(wp_arena *a, const char *venv);
/* Those of all runs, live and dead, but not of other users whose directory it isn't. */
int wp_switch_sides(wp_arena *a, const char *venv, const char ***out, size_t *n, wp_error *e);
/* The directory for a run of this process; not made. */
const char *wp_switch_side(wp_arena *a, const char *venv);

/* Made, its lock taken. */
int wp_switch_open_side(wp_arena *a, const char *side, os_lock **lock, wp_error *e);
/* Of a dead run, whose lock is held; it is released. */
int wp_switch_remove(wp_arena *a, const char *side, os_lock *lock, wp_error *e);
/* WP_E_PERMISSION where what is kept, or is to be, lies in the hand of another user. */
int wp_switch_check_keep(wp_arena *a, const char *before, wp_error *e);

/* Written down, done, written off. On a failure all is taken back, and if not even that can be done the state of e says
 * so. *not_flushed: why the disk could not be told, else untouched. What is left in side can be removed if the file
 * `switch` isn't there any more. */
int wp_switch_carry_out(wp_arena *a, const wp_switch *w, bool no_sync, const char **not_flushed, wp_error *e);
bool wp_switch_is_due(wp_arena *a, const char *side);

/* What to do about a switch that was stopped. OLD: a stopped install is taken back, a stopped rollback finished. */
typedef enum wp_settle { WP_SETTLE_FINISH, WP_SETTLE_UNDO, WP_SETTLE_OLD } wp_settle;

/* Do so for every dead run at this venv, and remove what else it left. WP_E_BUSY where a live one is at work beside it,
 * unless its end is waited for; WP_E_VENV, WP_E_DOCUMENT, and all that a rename can fail with. */
int wp_switch_settle(wp_ctx *ctx, wp_arena *a, const char *venv, wp_settle how, bool wait, wp_repaired *out, wp_error *e);
/* WP_E_BUSY where a run is at work beside the venv, WP_E_VENV where one was stopped there while it switched. */
int wp_switch_free(wp_arena *a, const char *venv, wp_error *e);
/* Was one stopped there? Nothing is changed. */
bool wp_switch_stopped(wp_arena *a, const char *venv);

#endif

/* SPDX-License-Identifier: MIT
 *
 * rollback.c: the venv that an install beside another kept comes back, and that other one is kept. A second rollback
 * undoes the first.
 */
#include "install/notes.h"

typedef struct job {
	wp_ctx *ctx;
	wp_arena *a;
	const char *venv, *before;
	bool no_sync, wait;
	const char *not_flushed;
} job;

/* Where the system can't exchange two names. */
static int three_steps(job *j, wp_error *e)
{
	wp_switch w = {.venv = j->venv, .side = wp_switch_side(j->a, j->venv), .kind = WP_SWITCH_ROLLBACK};
	wp_error ignored = {0};
	os_lock *lock = NULL;

	if (wp_switch_open_side(j->a, w.side, &lock, e))
		return e->code;
	wp_switch_carry_out(j->a, &w, j->no_sync, &j->not_flushed, e);
	os_lock_release(lock);
	if (!wp_switch_is_due(j->a, w.side))
		os_remove_tree(w.side, &ignored);
	return e->code;
}

static int trade_places(job *j, wp_error *e)
{
	wp_error f = {0};

	if (os_exchange(j->before, j->venv, &f)) {
		if (os_no_exchange(&f))
			return three_steps(j, e);
		*e = f;
		return e->code;
	}
	if (!j->no_sync && os_sync_tree(j->venv, &f))
		j->not_flushed = wp_strdup(j->a, f.why);
	return 0;
}

static int check_kept(job *j, wp_error *e)
{
	wp_error f = {0};

	if (wp_switch_check_keep(j->a, j->before, e))
		return e->code;
	if (!wp_venv_look(j->a, j->before, &f))
		return 0;
	if (f.code != WP_E_NOT_FOUND) {
		*e = f;
		wp_err_where(e, "'%s'", j->before);
		return wp_err_next(e, "look into '%s': it is not the venv that was kept there", j->before);
	}
	wp_fail(e, WP_E_NOT_FOUND, "no venv is kept in '%s'", j->before);
	return wp_err_next(e, "only `wheelpack install --beside` keeps the venv that was there before");
}

/* The lock lies in the venv, which moves with it. */
static int with_lock(job *j, wp_error *e)
{
	wp_stage s = {0};

	if (wp_stage_lock(j->ctx, j->a, j->venv, j->wait, &s, e))
		return e->code;
	if (os_is_windows()) {
		os_lock_release(s.lock);
		s.lock = NULL;
	}
	if (!trade_places(j, e))
		s.meta = os_join(j->a, j->before, ".wheelpack");
	wp_stage_unmake(j->a, &s);
	wp_stage_done(&s);
	return e->code;
}

/* Somebody removed the other one. */
static int bring_back(job *j, wp_rolled_back *out, wp_error *e)
{
	wp_error ignored = {0};

	if (os_rename_new(j->before, j->venv, e))
		return e->code;
	os_rmdir(os_dirname(j->a, j->before), &ignored);
	out->before = NULL;
	return 0;
}

static int roll_back(job *j, wp_rolled_back *out, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	if (os_stat(j->venv, &kind, &size, e))
		return e->code;
	if (kind == OS_ABSENT && !os_is_dir(j->before))
		return wp_venv_look(j->a, j->venv, e);
	if (check_kept(j, e))
		return e->code;
	if (kind == OS_ABSENT)
		return bring_back(j, out, e);
	return kind == OS_DIR ? with_lock(j, e) : wp_fail(e, WP_E_VENV, "it is not a directory");
}

/* A venv that is a ruin can be rolled back too. */
int wp_rollback(wp_ctx *ctx, const char *given, bool no_sync, bool wait, wp_rolled_back *out, wp_error *e)
{
	job j = {.ctx = ctx, .a = ctx->arena, .no_sync = no_sync, .wait = wait};

	*out = (wp_rolled_back){0};
	if (wp_venv_settle(ctx, j.a, given, WP_SETTLE_OLD, wait, &out->stopped, e) || wp_switch_place(j.a, given, &j.venv, e))
		return wp_err_what(e, "cannot roll back '%s'", given);
	j.before = wp_switch_before(j.a, j.venv);
	out->venv = j.venv;
	out->before = j.before;
	if (out->stopped == WP_REPAIR_NOTHING && roll_back(&j, out, e))
		wp_err_where(e, "'%s'", given);
	if (j.not_flushed)
		wp_install_note_add(&out->findings, ctx->arena, WP_INSTALL_NOT_FLUSHED, j.not_flushed);
	wp_err_what(e, "cannot roll back '%s'", given);
	wp_err_state(e, "nothing was changed in '%s'", given);
	return e->code;
}

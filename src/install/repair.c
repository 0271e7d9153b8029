/* SPDX-License-Identifier: MIT
 *
 * repair.c: moves written down in a journal are made; those of a run that was stopped are made to the end, or taken back.
 */
#include "install/journal.h"
#include "install/parts.h"

static int undo(wp_arena *a, const wp_journal *j, wp_error *e)
{
	return wp_journal_back(j, e) ? (int)e->code : wp_journal_end(a, j, e);
}

void wp_neither(const char *venv, const wp_error *back, wp_error *e)
{
	wp_err_state(e, "'%s' is between two states: %s. `wheelpack repair --venv DIR` finishes or takes back", venv, back->why);
}

int wp_carry_out(wp_arena *a, const wp_journal *j, bool no_sync, const char **not_flushed, wp_error *e)
{
	wp_error f = {0};

	if (wp_journal_write(a, j, e))
		return e->code;
	if (wp_journal_forward(j, e)) {
		if (undo(a, j, &f))
			wp_neither(j->venv, &f, e);
		return e->code;
	}
	/* The new names are in place; that they are on the disk too cannot be promised on a failure here, and nothing
	 * could be taken back more safely than it stands. */
	if (!no_sync && os_sync_tree(j->venv, &f))
		*not_flushed = wp_strdup(a, f.why);
	f = (wp_error){0};
	wp_journal_end(a, j, &f); /* else the next run finds all done and ends it */
	return 0;
}

int wp_finish_stopped(wp_arena *a, const char *venv, bool back, wp_repaired *out, wp_error *e)
{
	wp_journal j;
	bool there;

	*out = WP_REPAIR_NOTHING;
	if (wp_journal_read(a, venv, &j, &there, e) || !there)
		return e->code;
	if (back) {
		if (!undo(a, &j, e))
			*out = WP_REPAIR_UNDONE;
	} else if (!wp_journal_forward(&j, e) && !os_sync_tree(venv, e) && !wp_journal_end(a, &j, e)) {
		*out = WP_REPAIR_FINISHED;
	}
	wp_journal_free(&j);
	if (e->code == WP_E_VENV)
		wp_err_next(e, "somebody took the file away: put it back and repair again, or install into a new venv");
	return e->code ? wp_left_between(venv, back, e) : 0;
}

int wp_left_between(const char *venv, bool back, wp_error *e)
{
	wp_err_next(e, "close the programs that use the venv and run `wheelpack repair --venv DIR` again%s",
		back ? "" : ", or with --undo");
	return wp_err_state(e, "'%s' is between two states, as a stopped run left it", venv);
}

const char *wp_unchanged(wp_arena *a, const char *venv, wp_repaired before)
{
	if (before == WP_REPAIR_NOTHING)
		return wp_sprintf(a, "nothing was changed in '%s'", venv);
	return wp_sprintf(a, "what a stopped run had begun in '%s' was %s; nothing else was changed", venv,
		before == WP_REPAIR_FINISHED ? "finished" : "taken back");
}

bool wp_repair_due(wp_ctx *ctx, const char *venv)
{
	wp_error ignored = {0};
	const char *place;
	bool due;

	if (!os_look(wp_sprintf(ctx->arena, "%s/.wheelpack/journal", venv), &due, &ignored) && due)
		return true;
	ignored = (wp_error){0};
	return !wp_switch_place(ctx->arena, venv, &place, &ignored) && wp_switch_stopped(ctx->arena, place);
}

int wp_venv_settle(wp_ctx *ctx, wp_arena *a, const char *given, wp_settle how, bool wait, wp_repaired *out, wp_error *e)
{
	const char *venv;

	*out = WP_REPAIR_NOTHING;
	return wp_switch_place(a, given, &venv, e) ? (int)e->code : wp_switch_settle(ctx, a, venv, how, wait, out, e);
}

int wp_venv_check_place(wp_arena *a, const char *given, const char **venv, wp_error *e)
{
	if (!wp_venv_look(a, given, e))
		os_realpath(a, given, venv, e);
	return e->code ? wp_err_where(e, "'%s'", given) : 0;
}

int wp_repair(wp_ctx *ctx, const char *given, bool back, bool wait, wp_repaired *out, wp_error *e)
{
	wp_arena *a = ctx->arena;
	wp_repaired inside = WP_REPAIR_NOTHING;
	const char *venv;
	wp_stage s = {0};

	*out = WP_REPAIR_NOTHING;
	if (!wp_venv_settle(ctx, a, given, back ? WP_SETTLE_UNDO : WP_SETTLE_FINISH, wait, out, e) &&
		!wp_venv_check_place(a, given, &venv, e) && !wp_stage_lock(ctx, a, venv, wait, &s, e)) {
		if (!wp_finish_stopped(a, venv, back, &inside, e))
			wp_journal_clean(a, venv, e);
		wp_stage_abandon(&s);
	}
	if (inside != WP_REPAIR_NOTHING)
		*out = inside;
	wp_err_what(e, "cannot repair '%s'", given);
	return e->code;
}

/* SPDX-License-Identifier: MIT
 *
 * stage.c: where an install is built. A new venv grows in `.NAME.wheelpack-PID` beside its final name,
 * files for an existing one in its .wheelpack/stage. A lock tells a live run from one that was killed.
 */
#include "install/journal.h"
#include "install/parts.h"

int wp_put_text(wp_arena *a, const char *dir, const char *name, wp_str text, wp_error *e)
{
	os_file *f = NULL;

	if (os_open(os_join(a, dir, name), OS_CREATE_NEW, &f, e))
		return e->code;
	os_pwrite(f, text.p, text.n, 0, e);
	os_close(f, e);
	return e->code;
}

/* ---- an existing venv ----------------------------------------------------------------------- */

static int open_meta(wp_arena *a, const char *venv, wp_stage *s, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	s->meta = os_join(a, venv, ".wheelpack");
	if (os_stat(s->meta, &kind, &size, e))
		return e->code;
	if (kind == OS_DIR)
		return 0;
	if (kind != OS_ABSENT)
		return wp_fail(e, WP_E_VENV, "'%s' is not a directory", s->meta);
	s->made_meta = !os_mkdir(s->meta, e);
	return e->code;
}

int wp_stage_lock(wp_ctx *ctx, wp_arena *a, const char *venv, bool wait, wp_stage *s, wp_error *e)
{
	const char *lock = os_join(a, os_join(a, venv, ".wheelpack"), "lock");

	/* Who ends without having changed anything may take the whole folder away. Who is at work beside the venv needs to
	 * rename it, so that its lock can't be held while that one is waited for. */
	while (!open_meta(a, venv, s, e)) {
		wp_error f = {0};

		s->made_lock = !os_is_file(lock);
		if (!wp_lock_take(ctx, lock, wait, &s->lock, &f) && !wp_switch_free(a, venv, &f))
			return 0;
		s->made_lock &= s->lock != NULL; /* else it is the other's */
		wp_stage_abandon(s);
		*s = (wp_stage){0};
		if (!wait || (f.code != WP_E_NOT_FOUND && f.code != WP_E_BUSY)) {
			*e = f;
			break;
		}
		if (wp_stage_wait(ctx, a, venv, e))
			break;
	}
	return e->code;
}

static int open_inside(wp_plan *p, wp_stage *s, wp_error *e)
{
	const char *dir = os_join(p->a, s->meta, "stage");

	s->aside = wp_journal_clean(p->a, p->venv, e);
	if (!s->aside || os_mkdir(dir, e))
		return e->code;
	s->dir = dir;
	return os_mkdir(os_join(p->a, dir, ".wheelpack"), e);
}

/* ---- a new venv ----------------------------------------------------------------------------- */

/* Who holds the lock lives. */
static int clean_one(wp_plan *p, const char *dir, wp_error *e)
{
	os_lock *lock = NULL;
	wp_error f = {0};

	if (os_lock_take(os_join(p->a, dir, "lock"), &lock, &f)) {
		if (f.code == WP_E_NOT_FOUND)
			return 0;
		*e = f;
		p->raced = e->code == WP_E_BUSY;
		return e->code;
	}
	if (!wp_switch_is_due(p->a, dir)) /* else stopped after this run had begun */
		return wp_switch_remove(p->a, dir, lock, e);
	os_lock_release(lock);
	return wp_fail(e, WP_E_BUSY, "another run was stopped here just now, in '%s'", dir);
}

static int clean_beside(wp_plan *p, wp_error *e)
{
	const char **sides;
	size_t i, n;

	if (wp_switch_sides(p->a, p->venv, &sides, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (clean_one(p, sides[i], e))
			return e->code;
	return 0;
}

/* Parents one by one, so that exactly those that were absent go away again. */
static int make_parents(wp_plan *p, wp_stage *s, const char *parent, wp_error *e)
{
	WP_VEC(const char *) missing = {0};
	const char *dir = parent;

	while (!os_is_dir(dir) && strcmp(dir, os_dirname(p->a, dir)) != 0) {
		WP_PUSH(&missing, dir);
		dir = os_dirname(p->a, dir);
	}
	while (missing.n && !e->code) {
		dir = missing.v[--missing.n];
		if (!os_is_dir(dir) && !os_mkdir(dir, e)) { /* new/.. is there once new is */
			WP_PUSH(&s->made, dir);
			if (p->all_users)
				os_share(dir, e);
		}
	}
	WP_VEC_FREE(&missing);
	return e->code;
}

/* What is wrong with a lock otherwise is told when it is to be taken. */
static int wait_for(wp_ctx *ctx, const char *path, wp_error *e)
{
	wp_error f = {0};
	os_lock *lock = NULL;

	if (os_is_file(path))
		wp_lock_take(ctx, path, true, &lock, &f);
	os_lock_release(lock);
	return wp_check_cancel(ctx, e);
}

int wp_stage_wait(wp_ctx *ctx, wp_arena *a, const char *venv, wp_error *e)
{
	wp_error ignored = {0};
	const char **sides;
	size_t i, n;

	if (wait_for(ctx, os_join(a, venv, ".wheelpack/lock"), e) || wp_switch_sides(a, venv, &sides, &n, &ignored))
		return e->code;
	for (i = 0; i < n && !e->code; i++)
		wait_for(ctx, os_join(a, sides[i], "lock"), e);
	return e->code;
}

static int open_beside(wp_plan *p, wp_stage *s, wp_error *e)
{
	const char *outer = wp_switch_side(p->a, p->venv);
	wp_error ignored = {0};

	/* Beside an existing venv, whose lock we have, what cannot be removed is merely in nobody's way. */
	if (make_parents(p, s, os_dirname(p->a, p->venv), e) || (clean_beside(p, p->beside ? &ignored : e) && !p->beside) ||
		wp_switch_open_side(p->a, outer, &s->outer_lock, e))
		return e->code;
	s->outer = outer;
	s->dir = os_join(p->a, outer, "venv");
	if (os_mkdir(s->dir, e) || os_mkdir(os_join(p->a, s->dir, ".wheelpack"), e))
		return e->code;
	return wp_venv_create(p->a, s->dir, p->venv, &p->python, &p->in->launchers, e);
}

int wp_stage_open(wp_plan *p, wp_stage *s, wp_error *e)
{
	wp_error ignored = {0};

	if (p->is_new)
		return open_beside(p, s, e);
	clean_beside(p, &ignored);
	return open_inside(p, s, e);
}

/* ---- the end -------------------------------------------------------------------------------- */

void wp_stage_unmake(wp_arena *a, wp_stage *s)
{
	wp_error ignored = {0};

	if (s->made_lock)
		os_unlink(os_join(a, s->meta, "lock"), &ignored);
	if (s->made_meta)
		os_rmdir(s->meta, &ignored);
}

static void remove_outer(wp_arena *a, wp_stage *s)
{
	wp_error ignored = {0}; /* the next install of this venv removes it */
	bool due = s->outer && wp_switch_is_due(a, s->outer);

	os_lock_release(s->lock);
	os_lock_release(s->outer_lock);
	s->lock = s->outer_lock = NULL;
	if (s->outer && !due)
		os_remove_tree(s->outer, &ignored);
	s->outer = NULL;
}

/* What a journal speaks of is needed until its moves are done or taken back. */
static bool is_due(wp_arena *a, const wp_stage *s)
{
	return s->meta && os_is_file(os_join(a, s->meta, "journal"));
}

void wp_stage_abandon(wp_stage *s)
{
	wp_error ignored = {0};
	wp_arena *a = wp_arena_new();

	if (!is_due(a, s)) {
		if (s->dir && !s->outer)
			os_remove_tree(s->dir, &ignored);
		wp_stage_unmake(a, s);
	}
	remove_outer(a, s);
	while (s->made.n)
		os_rmdir(s->made.v[--s->made.n], &ignored);
	wp_arena_free(a);
	wp_stage_done(s);
}

void wp_stage_done(wp_stage *s)
{
	wp_arena *a = wp_arena_new();

	remove_outer(a, s);
	wp_arena_free(a);
	WP_VEC_FREE(&s->made);
}

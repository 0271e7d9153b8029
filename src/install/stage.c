/* SPDX-License-Identifier: MIT
 *
 * stage.c: where an install is built. A new venv grows in `.NAME.wheelpack-PID` beside its final name,
 * files for an existing one in its .wheelpack/stage. A lock tells a live run from one that was killed.
 */
#include "install/journal.h"
#include "install/parts.h"

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

	/* Who ends without having changed anything may take the whole folder away. */
	while (!open_meta(a, venv, s, e)) {
		wp_error f = {0};

		s->made_lock = !os_is_file(lock);
		if (!wp_lock_take(ctx, lock, wait, &s->lock, &f))
			return 0;
		s->made_lock = false; /* it is the other's */
		if (!wait || f.code != WP_E_NOT_FOUND) {
			*e = f;
			break;
		}
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

static bool is_stage_of(const char *name, const char *prefix)
{
	uint64_t pid;

	return wp_starts(name, prefix) && wp_str_u64(wp_str_of(name + strlen(prefix)), &pid);
}

/* Who holds the lock lives; what has no lock was killed before it had one. */
static int clean_one(wp_plan *p, const char *dir, wp_error *e)
{
	const char *path = os_join(p->a, dir, "lock");
	os_lock *lock = NULL;

	if (os_is_file(path) && os_lock_take(path, &lock, e)) {
		p->raced = e->code == WP_E_BUSY;
		return e->code;
	}
	os_lock_release(lock);
	return os_remove_tree(dir, e);
}

static int clean_beside(wp_plan *p, const char *parent, const char *prefix, wp_error *e)
{
	const char **names;
	size_t i, n;

	if (os_list(p->a, parent, &names, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (is_stage_of(names[i], prefix) && clean_one(p, os_join(p->a, parent, names[i]), e))
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
		if (!os_is_dir(dir) && !os_mkdir(dir, e)) /* new/.. is there once new is */
			WP_PUSH(&s->made, dir);
	}
	WP_VEC_FREE(&missing);
	return e->code;
}

static const char *stage_prefix(wp_arena *a, const char *venv)
{
	return wp_sprintf(a, ".%s.wheelpack-", os_basename(venv));
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
	const char *parent = os_dirname(a, venv), *prefix = stage_prefix(a, venv), **names;
	wp_error ignored = {0};
	size_t i, n;

	if (wait_for(ctx, os_join(a, venv, ".wheelpack/lock"), e) || os_list(a, parent, &names, &n, &ignored))
		return e->code;
	for (i = 0; i < n && !e->code; i++)
		if (is_stage_of(names[i], prefix))
			wait_for(ctx, os_join(a, os_join(a, parent, names[i]), "lock"), e);
	return e->code;
}

static int open_beside(wp_plan *p, wp_stage *s, wp_error *e)
{
	const char *parent = os_dirname(p->a, p->venv), *prefix = stage_prefix(p->a, p->venv);
	const char *outer = os_join(p->a, parent, wp_sprintf(p->a, "%s%d", prefix, os_pid()));

	if (make_parents(p, s, parent, e) || clean_beside(p, parent, prefix, e) || os_mkdir(outer, e))
		return e->code;
	s->outer = outer;
	s->dir = os_join(p->a, outer, "venv");
	if (os_lock_take(os_join(p->a, outer, "lock"), &s->lock, e) || os_mkdir(s->dir, e) ||
		os_mkdir(os_join(p->a, s->dir, ".wheelpack"), e))
		return e->code;
	return wp_venv_create(p->a, s->dir, p->venv, &p->python, &p->in->launchers, e);
}

int wp_stage_open(wp_plan *p, wp_stage *s, wp_error *e)
{
	wp_error ignored = {0};

	if (p->is_new)
		return open_beside(p, s, e);
	clean_beside(p, os_dirname(p->a, p->venv), stage_prefix(p->a, p->venv), &ignored);
	return open_inside(p, s, e);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void remove_outer(wp_stage *s)
{
	wp_error ignored = {0}; /* the next install of this venv removes it */

	os_lock_release(s->lock);
	s->lock = NULL;
	if (s->outer)
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
		if (s->made_lock)
			os_unlink(os_join(a, s->meta, "lock"), &ignored);
		if (s->made_meta)
			os_rmdir(s->meta, &ignored);
	}
	remove_outer(s);
	while (s->made.n)
		os_rmdir(s->made.v[--s->made.n], &ignored);
	wp_arena_free(a);
	wp_stage_done(s);
}

void wp_stage_done(wp_stage *s)
{
	remove_outer(s);
	WP_VEC_FREE(&s->made);
}

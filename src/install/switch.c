/* SPDX-License-Identifier: MIT
 *
 * switch.c: the steps of a switch, forward and back from wherever it stands.
 */
#include "install/switch.h"

#include "install/parts.h"

#define HEAD "wheelpack.switch/1\n"
#define TAIL "\nend\n"

enum { MAX_SWITCH = 4096, MAX_LINKS = 40 };

static const char *const kinds[] = {[WP_SWITCH_INSTALL] = "install ", [WP_SWITCH_ROLLBACK] = "rollback"};

/* ---- names ---------------------------------------------------------------------------------- */

static const char *prefix_of(wp_arena *a, const char *venv)
{
	return wp_sprintf(a, ".%s.wheelpack-", os_basename(venv));
}

static const char *beside(wp_arena *a, const char *venv, const char *tail)
{
	return os_join(a, os_dirname(a, venv), wp_sprintf(a, "%s%s", prefix_of(a, venv), tail));
}

const char *wp_switch_before(wp_arena *a, const char *venv)
{
	return os_join(a, beside(a, venv, "before"), "venv");
}

const char *wp_switch_side(wp_arena *a, const char *venv)
{
	return beside(a, venv, wp_sprintf(a, "%d", os_pid()));
}

static bool is_side(const char *name, const char *prefix)
{
	uint64_t pid;

	return wp_starts(name, prefix) && wp_str_u64(wp_str_of(name + strlen(prefix)), &pid);
}

/* What another user can have put into a directory that all may write to is not followed, nor is anything else that no run
 * makes: it is left alone. */
static bool is_ours(wp_arena *a, const char *dir)
{
	wp_error ignored = {0};
	os_kind kind = OS_ABSENT;
	uint64_t size;

	os_stat(dir, &kind, &size, &ignored);
	return kind == OS_DIR && !os_is_others(dir) && !os_is_file(os_join(a, dir, "pyvenv.cfg"));
}

/* A directory that may be entered and not be read tells nothing of what stands beside a venv that is there. */
int wp_switch_sides(wp_arena *a, const char *venv, const char ***out, size_t *n, wp_error *e)
{
	const char *parent = os_dirname(a, venv), *prefix = prefix_of(a, venv), **names;
	wp_error f = {0};
	size_t i, all = 0;

	*n = 0;
	if (!os_is_dir(parent))
		return 0;
	if (os_list(a, parent, &names, &all, &f) && !os_is_dir(venv)) {
		*e = f;
		return e->code;
	}
	*out = WP_NEW_ARRAY(a, all + 1, const char *);
	for (i = 0; i < all; i++)
		if (is_side(names[i], prefix) && is_ours(a, os_join(a, parent, names[i])))
			(*out)[(*n)++] = os_join(a, parent, names[i]);
	return 0;
}

int wp_switch_check_keep(wp_arena *a, const char *before, wp_error *e)
{
	const char *keep = os_dirname(a, before);

	if (!os_is_others(keep) && !os_is_others(before))
		return 0;
	wp_fail(e, WP_E_PERMISSION, "'%s' belongs to another user, who may have put anything there",
		os_is_others(keep) ? keep : before);
	return wp_err_next(e, "let that user do it, or remove it");
}

static const char *without_links(wp_arena *a, const char *path, wp_error *e)
{
	const char *to;
	os_kind kind;
	uint64_t size;
	int i;

	for (i = 0; i < MAX_LINKS && !os_stat(path, &kind, &size, e) && kind == OS_LINK; i++) {
		if (os_is_dir(path))
			return os_realpath(a, path, &to, e) ? NULL : to;
		if (os_readlink(a, path, &to, e))
			break;
		path = os_is_absolute(to) ? to : os_join(a, os_dirname(a, path), to);
	}
	return path;
}

int wp_switch_place(wp_arena *a, const char *given, const char **venv, wp_error *e)
{
	const char *path, *parent;

	if (os_absolute(a, given, &path, e))
		return e->code;
	path = without_links(a, path, e);
	if (e->code)
		return e->code;
	parent = os_dirname(a, path);
	if (os_is_dir(parent) && os_realpath(a, parent, &parent, e))
		return e->code;
	*venv = os_join(a, parent, os_basename(path));
	return 0;
}

/* ---- the file ------------------------------------------------------------------------------- */

static const char *file_of(wp_arena *a, const char *side)
{
	return os_join(a, side, "switch");
}

bool wp_switch_is_due(wp_arena *a, const char *side)
{
	wp_error ignored = {0};
	bool there;

	return os_look(file_of(a, side), &there, &ignored) || there;
}

static int begin(wp_arena *a, const wp_switch *w, wp_error *e)
{
	return os_write_file(file_of(a, w->side), wp_str_of(wp_sprintf(a, HEAD "%s%s" TAIL, kinds[w->kind], w->fresh)), e);
}

static bool parse(wp_str text, wp_switch *out)
{
	unsigned char digest[WP_SHA256_HEX / 2];
	wp_str line;

	if (!wp_str_starts(text, HEAD) || !wp_str_ends(text, TAIL) || text.n < strlen(HEAD TAIL))
		return false;
	line = wp_str_sub(text, strlen(HEAD), text.n - strlen(TAIL));
	if (wp_str_is(line, kinds[WP_SWITCH_ROLLBACK])) {
		out->kind = WP_SWITCH_ROLLBACK;
		return true;
	}
	if (!wp_str_starts(line, kinds[WP_SWITCH_INSTALL]))
		return false;
	line = wp_str_sub(line, strlen(kinds[WP_SWITCH_INSTALL]), line.n);
	if (line.n != WP_SHA256_HEX || !wp_unhex(line, digest, sizeof digest))
		return false;
	memcpy(out->fresh, line.p, line.n);
	return true;
}

static int read_file(wp_arena *a, wp_switch *out, wp_error *e)
{
	const char *path = file_of(a, out->side);
	wp_str text;

	if (os_read_file(a, path, MAX_SWITCH, &text, e))
		return e->code;
	if (parse(text, out))
		return 0;
	wp_fail(e, WP_E_DOCUMENT, "it does not say what was to be switched");
	wp_err_next(e, "look at '%s' and beside it: `old` and `older` in it are venvs that were in use", out->side);
	return wp_err_where(e, "'%s'", path);
}

/* ---- where it stands ------------------------------------------------------------------------ */

/* The places of a switch, and what of them is there. */
typedef struct places {
	const char *venv, *fresh, *old, *older, *keep, *before;
	bool here, has_fresh, has_old, has_older, has_before;
} places;

static int look_at(wp_arena *a, const wp_switch *w, places *p, wp_error *e)
{
	*p = (places){.venv = w->venv, .fresh = os_join(a, w->side, "venv"), .old = os_join(a, w->side, "old"),
		.older = os_join(a, w->side, "older"), .before = wp_switch_before(a, w->venv)};
	p->keep = os_dirname(a, p->before);
	if (os_look(p->venv, &p->here, e) || os_look(p->fresh, &p->has_fresh, e) || os_look(p->old, &p->has_old, e) ||
		os_look(p->older, &p->has_older, e))
		return e->code;
	return os_look(p->before, &p->has_before, e);
}

static int move(const char *from, bool *at_from, const char *to, bool *at_to, wp_error *e)
{
	if (os_rename_new(from, to, e)) {
		os_name_holders(e, from);
		return e->code;
	}
	*at_from = false;
	*at_to = true;
	return 0;
}

static int keep(const char *from, bool *at_from, places *p, wp_error *e)
{
	if (!os_is_dir(p->keep) && os_mkdir(p->keep, e))
		return e->code;
	if (os_is_others(p->keep))
		return wp_fail(e, WP_E_PERMISSION, "'%s' belongs to another user", p->keep);
	return move(from, at_from, p->before, &p->has_before, e);
}

static bool is_fresh(wp_arena *a, const wp_switch *w, const char *venv)
{
	return wp_streq(wp_venv_seen(a, venv), w->fresh);
}

/* The new one in place, the old one where the new one was. */
static bool is_exchanged(wp_arena *a, const wp_switch *w, const places *p)
{
	return p->here && p->has_fresh && !p->has_old && is_fresh(a, w, p->venv) && !is_fresh(a, w, p->fresh);
}

static int lost(const char *path, const char *where, wp_error *e)
{
	wp_fail(e, WP_E_VENV, "'%s' is neither in its place nor %s", path, where);
	return wp_err_next(e, "somebody took it away: put it back and repair again, or make a new venv");
}

/* ---- forward -------------------------------------------------------------------------------- */

/* In one step where that can be done and be told from before. */
static int put_in_place(wp_arena *a, const wp_switch *w, places *p, wp_error *e)
{
	wp_error f = {0};

	if (!is_fresh(a, w, p->venv)) {
		if (!os_exchange(p->fresh, p->venv, &f))
			return move(p->fresh, &p->has_fresh, p->old, &p->has_old, e);
		if (!os_no_exchange(&f)) {
			*e = f;
			return e->code;
		}
	}
	if (move(p->venv, &p->here, p->old, &p->has_old, e))
		return e->code;
	return move(p->fresh, &p->has_fresh, p->venv, &p->here, e);
}

static int keep_old(places *p, wp_error *e)
{
	if (p->has_before && !p->has_older && move(p->before, &p->has_before, p->older, &p->has_older, e))
		return e->code;
	return keep(p->old, &p->has_old, p, e);
}

static int forward_install(wp_arena *a, const wp_switch *w, places *p, wp_error *e)
{
	if (is_exchanged(a, w, p)) {
		if (move(p->fresh, &p->has_fresh, p->old, &p->has_old, e))
			return e->code;
	} else if (p->here && p->has_fresh && !p->has_old) {
		if (put_in_place(a, w, p, e))
			return e->code;
	} else if (!p->here) {
		if (!p->has_fresh)
			return lost(p->venv, "beside it", e);
		if (move(p->fresh, &p->has_fresh, p->venv, &p->here, e))
			return e->code;
	}
	return p->has_old ? keep_old(p, e) : 0;
}

static int forward_rollback(places *p, wp_error *e)
{
	if (!p->here && !p->has_before)
		return lost(p->venv, "beside it", e);
	if (!p->here && move(p->before, &p->has_before, p->venv, &p->here, e))
		return e->code;
	return keep(p->old, &p->has_old, p, e);
}

/* ---- back ----------------------------------------------------------------------------------- */

/* Also what was done of keep_old. */
static int unkeep_old(wp_arena *a, const wp_switch *w, places *p, wp_error *e)
{
	bool kept = p->has_before && !p->has_old && !p->has_fresh && p->here &&
		    (p->has_older || is_fresh(a, w, p->venv));

	if (kept && move(p->before, &p->has_before, p->old, &p->has_old, e))
		return e->code;
	return p->has_older ? keep(p->older, &p->has_older, p, e) : 0;
}

static int back_install(wp_arena *a, const wp_switch *w, places *p, wp_error *e)
{
	wp_error f = {0};

	if (is_exchanged(a, w, p)) {
		if (!os_exchange(p->fresh, p->venv, &f))
			return 0;
		if (move(p->fresh, &p->has_fresh, p->old, &p->has_old, e))
			return e->code;
	}
	if (unkeep_old(a, w, p, e))
		return e->code;
	if (!p->has_old)
		return p->here ? 0 : lost(p->venv, "beside it", e);
	if (p->here && move(p->venv, &p->here, p->fresh, &p->has_fresh, e))
		return e->code;
	return move(p->old, &p->has_old, p->venv, &p->here, e);
}

static int back_rollback(places *p, wp_error *e)
{
	if (p->here && keep(p->venv, &p->here, p, e))
		return e->code;
	return move(p->old, &p->has_old, p->venv, &p->here, e);
}

/* *did: there was something to be done. Without `old` a rollback stands at its beginning or its end, which look alike. */
static int go(wp_arena *a, const wp_switch *w, bool back, bool *did, wp_error *e)
{
	wp_error ignored = {0};
	places p;

	if (look_at(a, w, &p, e))
		return e->code;
	*did = w->kind == WP_SWITCH_INSTALL || p.has_old;
	if (w->kind == WP_SWITCH_ROLLBACK && !p.has_old)
		return 0;
	if (w->kind == WP_SWITCH_ROLLBACK)
		return back ? back_rollback(&p, e) : forward_rollback(&p, e);
	if (!back)
		return forward_install(a, w, &p, e);
	if (!back_install(a, w, &p, e) && !p.has_before)
		os_rmdir(p.keep, &ignored);
	return e->code;
}

/* ---- a run's own ---------------------------------------------------------------------------- */

/* The first step of a rollback. */
static int set_out(wp_arena *a, const wp_switch *w, wp_error *e)
{
	places p;

	if (w->kind == WP_SWITCH_INSTALL)
		return 0;
	return look_at(a, w, &p, e) ? (int)e->code : move(p.venv, &p.here, p.old, &p.has_old, e);
}

int wp_switch_carry_out(wp_arena *a, const wp_switch *w, bool no_sync, const char **not_flushed, wp_error *e)
{
	wp_error f = {0};
	bool ignored;

	if (begin(a, w, e))
		return e->code;
	if (set_out(a, w, e) || go(a, w, false, &ignored, e)) {
		if (go(a, w, true, &ignored, &f) || os_unlink(file_of(a, w->side), &f))
			wp_neither(w->venv, &f, e);
		return e->code;
	}
	/* As in wp_carry_out: nothing could be taken back more safely than it stands. */
	if (!no_sync && os_sync_tree(w->venv, &f))
		*not_flushed = wp_strdup(a, f.why);
	f = (wp_error){0};
	os_unlink(file_of(a, w->side), &f); /* else the next run finds all done and ends it */
	return 0;
}

/* ---- runs that were stopped ------------------------------------------------------------------ */

static int finish(wp_arena *a, wp_switch *w, wp_settle how, wp_repaired *out, wp_error *e)
{
	bool back, did = false;

	if (read_file(a, w, e))
		return e->code;
	back = how == WP_SETTLE_UNDO || (how == WP_SETTLE_OLD && w->kind == WP_SWITCH_INSTALL);
	if (go(a, w, back, &did, e) || os_sync_tree(w->venv, e) || os_unlink(file_of(a, w->side), e)) {
		wp_left_between(w->venv, back, e);
		return e->code;
	}
	if (did)
		*out = back ? WP_REPAIR_UNDONE : WP_REPAIR_FINISHED;
	return 0;
}

/* Who holds the lock lives; without a live one it is taken, so that nobody comes in: a run makes the directory first. */
static int take(wp_ctx *ctx, wp_arena *a, const char *side, bool wait, os_lock **lock, wp_error *e)
{
	const char *path = os_join(a, side, "lock");
	bool was_there = os_is_file(path);
	wp_error f = {0};

	if (!wp_lock_take(ctx, path, wait, lock, &f) || f.code == WP_E_NOT_FOUND)
		return 0;
	if (!was_there && f.code != WP_E_BUSY)
		return 0; /* it can't be made: it stays */
	*e = f;
	return f.code == WP_E_BUSY ? wp_err_next(e, "wait until that process has ended; it builds another venv beside this one")
				   : (int)f.code;
}

/* Under another name first: who has made the directory and not taken the lock yet makes it again. Windows renames no
 * directory in which a file is open. */
int wp_switch_remove(wp_arena *a, const char *side, os_lock *lock, wp_error *e)
{
	const char *gone = wp_sprintf(a, "%.*s-0%d", (int)(strrchr(side, '-') - side), side, os_pid());
	wp_error ignored = {0};

	if (os_is_windows()) {
		os_lock_release(lock);
		return os_remove_tree(side, e);
	}
	if (lock && !os_rename_new(side, gone, &ignored))
		side = gone;
	/* Who was just about to open the lock there may have made it anew: once more. */
	if (os_remove_tree(side, &ignored))
		os_remove_tree(side, e);
	os_lock_release(lock);
	return e->code;
}

int wp_switch_open_side(wp_arena *a, const char *side, os_lock **lock, wp_error *e)
{
	enum { TRIES = 200, PAUSE_MS = 10 };
	wp_error f = {0};
	int i;

	if (os_mkdir(side, e))
		return e->code;
	for (i = 0; i < TRIES; i++) {
		f = (wp_error){0};
		if (!os_lock_take(os_join(a, side, "lock"), lock, &f))
			return 0;
		if (f.code != WP_E_BUSY && f.code != WP_E_NOT_FOUND)
			break;
		os_sleep_ms(PAUSE_MS);
		os_mkdir(side, &(wp_error){0});
	}
	if (f.code != WP_E_BUSY && f.code != WP_E_NOT_FOUND)
		os_remove_tree(side, &(wp_error){0});
	*e = f;
	return e->code;
}

static int settle_one(wp_ctx *ctx, wp_arena *a, const char *venv, const char *side, wp_settle how, bool wait, wp_repaired *out,
	wp_error *e)
{
	wp_switch w = {.venv = venv, .side = side};
	wp_error ignored = {0};
	os_lock *lock = NULL;

	if (take(ctx, a, side, wait, &lock, e) || (!lock && !wp_switch_is_due(a, side)))
		return e->code;
	if (wp_switch_is_due(a, side))
		finish(a, &w, how, out, e);
	if (e->code)
		os_lock_release(lock);
	else
		wp_switch_remove(a, side, lock, &ignored);
	return e->code;
}

int wp_switch_settle(wp_ctx *ctx, wp_arena *a, const char *venv, wp_settle how, bool wait, wp_repaired *out, wp_error *e)
{
	const char **sides;
	size_t i, n;

	*out = WP_REPAIR_NOTHING;
	if (wp_switch_sides(a, venv, &sides, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (settle_one(ctx, a, venv, sides[i], how, wait, out, e))
			return e->code;
	return 0;
}

int wp_switch_free(wp_arena *a, const char *venv, wp_error *e)
{
	const char **sides;
	size_t i, n;

	if (wp_switch_sides(a, venv, &sides, &n, e))
		return e->code;
	for (i = 0; i < n; i++) {
		os_lock *lock = NULL;

		if (take(NULL, a, sides[i], false, &lock, e))
			return e->code;
		os_lock_release(lock);
		if (wp_switch_is_due(a, sides[i]))
			return wp_fail(e, WP_E_VENV, "another run was stopped just now while it switched, in '%s'", sides[i]);
	}
	return 0;
}

bool wp_switch_stopped(wp_arena *a, const char *venv)
{
	wp_error ignored = {0};
	const char **sides;
	bool found = false;
	size_t i, n;

	if (!wp_switch_sides(a, venv, &sides, &n, &ignored))
		for (i = 0; i < n && !found; i++)
			found = os_is_file(file_of(a, sides[i]));
	return found;
}

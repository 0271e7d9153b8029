/* SPDX-License-Identifier: MIT
 *
 * check.c: is a venv still what was installed? Its distributions are held to a lock, its files to their RECORDs. Nothing
 * is written, no interpreter is started.
 */
#include "base/err.h"
#include "install/drift.h"

static const wp_note_row table[] = {WP_DRIFT_NOTES(WP_NOTE_ROW)};

void wp_drift_tell(wp_checking *k, wp_drift_note note, const char *about, const char *why, const char *next,
	const char *const *files, size_t n)
{
	wp_arena *a = k->ctx->arena;
	wp_note_row row = table[note];

	if (about)
		row.title = wp_sprintf(k->a, "%s: %s", about, row.title);
	wp_finding_files(wp_finding_note(&k->out->findings, a, &row, why, next), a, files, n);
}

/* ---- which target of the lock --------------------------------------------------------------- */

/* As far as the venv's directories tell. */
static bool fits(wp_checking *k, const wp_lock_target *t)
{
	bool windows = wp_starts(k->at.site, "Lib/");
	wp_error ignored = {0};
	wp_target parsed;

	if (wp_target_parse(k->a, t->name, &parsed, &ignored) || parsed.windows != windows)
		return false;
	return windows || wp_under(k->at.site, wp_sprintf(k->a, "lib/python%d.%d%s", parsed.py_major, parsed.py_minor,
		parsed.threaded ? "t" : ""));
}

static int no_target(wp_checking *k, const wp_lock_doc *lock, wp_error *e)
{
	wp_fail(e, WP_E_WRONG_TARGET, "the lock is for %s, and the venv has '%s'", wp_lock_target_names(k->a, lock),
		k->at.site);
	return wp_err_next(e, "name the bundle that was installed here");
}

/* named: the target of the venv's own lock; NULL where it has none. */
static int choose_target(wp_checking *k, const wp_lock_doc *lock, const char *named, const wp_lock_target **out,
	wp_error *e)
{
	size_t i;

	*out = NULL;
	for (i = 0; i < lock->ntargets; i++) {
		const wp_lock_target *t = &lock->targets[i];

		if (named && strcmp(t->name, named) == 0 && fits(k, t)) {
			*out = t;
			return 0;
		}
		if (!fits(k, t))
			continue;
		if (*out && !named)
			return wp_fail(e, WP_E_TARGET, "both %s and %s may be meant: name one with --target", (*out)->name,
				t->name);
		*out = t;
	}
	return *out ? 0 : no_target(k, lock, e);
}

/* ---- distributions against the lock --------------------------------------------------------- */

/* A wheel of this PC may have come without a bundle. */
static const char *again(const wp_lock_wheel *w)
{
	return wp_starts(w->url, "file:") ? "install the bundle, or the wheel, again into the venv"
					  : "install the bundle again into the venv";
}

typedef WP_VEC(const char *) names;

static void tell_absent(wp_checking *k, const wp_lock_wheel *w, names *absent)
{
	wp_drift_tell(k, WP_DRIFT_ABSENT, wp_sprintf(k->a, "%s %s", w->project, w->version),
		wp_sprintf(k->a, "the lock has '%s'", w->filename), again(w), NULL, 0);
	WP_PUSH(absent, w->project);
}

/* Mark the distributions of the lock, tell of those that are not there. */
static void hold_wheels(wp_checking *k, const wp_lock_doc *lock, const wp_lock_target *t, names *absent)
{
	size_t i, j;

	for (i = 0; i < t->nwheels; i++) {
		const wp_lock_wheel *w = wp_lock_find(lock, t->wheels[i]);
		const wp_installed *d = w ? wp_site_find(&k->site, w->project) : NULL;

		if (w && !d)
			tell_absent(k, w, absent);
		for (j = d ? (size_t)(d - k->site.v) : k->site.n; j < k->site.n; j++) {
			if (strcmp(k->site.v[j].project, w->project) != 0)
				break;
			k->dists[j].locked = w;
		}
	}
}

static void hold_versions(wp_checking *k, names *other)
{
	size_t i;

	for (i = 0; i < k->site.n; i++) {
		const wp_checked *c = &k->dists[i];
		const wp_lock_wheel *w = c->locked;

		if (!w || wp_installed_is(k->a, c->d, w->version))
			continue;
		wp_drift_tell(k, WP_DRIFT_OTHER, c->name, wp_sprintf(k->a, "the lock has %s %s, the venv '%s'", w->project,
			w->version, c->d->dir), again(w), NULL, 0);
		if (!other->n || strcmp(other->v[other->n - 1], w->project) != 0)
			WP_PUSH(other, w->project);
	}
}

static const char **copy_names(wp_arena *a, const names *v)
{
	const char **copy = WP_NEW_ARRAY(a, v->n + 1, const char *);
	size_t i;

	for (i = 0; i < v->n; i++)
		copy[i] = wp_strdup(a, v->v[i]);
	return copy;
}

static void hold_to_lock(wp_checking *k, const wp_lock_doc *lock, const wp_lock_target *t)
{
	wp_drift *out = k->out;
	wp_arena *a = k->ctx->arena;
	names absent = {0}, other = {0};

	hold_wheels(k, lock, t, &absent);
	hold_versions(k, &other);
	out->target = wp_strdup(a, t->name);
	out->absent = copy_names(a, &absent);
	out->nabsent = absent.n;
	out->other = copy_names(a, &other);
	out->nother = other.n;
	WP_VEC_FREE(&absent);
	WP_VEC_FREE(&other);
}

static void tell_foreign(wp_checking *k)
{
	wp_drift *out = k->out;
	const char **foreign = WP_NEW_ARRAY(k->ctx->arena, k->site.n + 1, const char *);
	size_t i;

	out->foreign = foreign;
	for (i = 0; i < k->site.n; i++) {
		const wp_checked *c = &k->dists[i];

		if (c->locked || c->condas)
			continue;
		wp_drift_tell(k, WP_DRIFT_FOREIGN, c->name, *c->by ? wp_sprintf(k->a, "it was installed by %s", c->by) : NULL,
			"uninstall it if it isn't wanted, or lock it with the rest", NULL, 0);
		foreign[out->nforeign++] = wp_strdup(k->ctx->arena, c->d->project);
	}
}

/* ---- what was found out about each ---------------------------------------------------------- */

static const char *remedy(wp_checking *k, const wp_checked *c)
{
	if (c->locked)
		return again(c->locked);
	if (strcmp(c->by, "wheelpack") == 0)
		return "install the bundle, or the wheel, again into the venv";
	return wp_sprintf(k->a, "install it again%s%s", *c->by ? " with " : "", c->by);
}

/* It doesn't matter whether bytecode is there. */
static bool is_missing(const wp_checked_file *f)
{
	bool free = !f->file->row || (f->file->row->kind == WP_RECORD_NONE && wp_ends(f->file->path, ".pyc"));

	return !f->fault && f->state == WP_FILE_ABSENT && !free;
}

static bool is_changed(const wp_checked_file *f)
{
	return !f->fault && f->state == WP_FILE_CHANGED;
}

static bool is_unreadable(const wp_checked_file *f)
{
	return f->fault != NULL;
}

/* Tell of the files of each distribution for which this holds; returns how many. */
static size_t tell_files(wp_checking *k, wp_drift_note note, bool (*holds)(const wp_checked_file *f))
{
	WP_VEC(const char *) files = {0};
	size_t i, j, total = 0;

	for (i = 0; i < k->site.n; i++) {
		const wp_checked *c = &k->dists[i];
		const char *fault = NULL, *why;

		files.n = 0;
		for (j = 0; j < c->files.n; j++)
			if (holds(&c->checks[j])) {
				fault = fault ? fault : c->checks[j].fault;
				WP_PUSH(&files, c->checks[j].file->path);
			}
		if (!files.n)
			continue;
		why = wp_sprintf(k->a, "%zu of its %zu files%s%s", files.n, c->files.n, fault ? ": " : "", fault ? fault : "");
		wp_drift_tell(k, note, c->name, why, fault ? NULL : remedy(k, c), files.v, files.n);
		total += files.n;
	}
	WP_VEC_FREE(&files);
	return total;
}

static void tell_records(wp_checking *k)
{
	size_t i;

	for (i = 0; i < k->site.n; i++)
		if (k->dists[i].fault)
			wp_drift_tell(k, WP_DRIFT_BAD_RECORD, k->dists[i].name, k->dists[i].fault, remedy(k, &k->dists[i]), NULL, 0);
}

static void tell_unchecked(wp_checking *k)
{
	size_t i;

	for (i = 0; i < k->site.n; i++) {
		const wp_checked *c = &k->dists[i];

		if (!c->d->has_record)
			wp_drift_tell(k, WP_DRIFT_NO_RECORD, c->name, wp_sprintf(k->a, "'%s' %s%s", c->d->dir,
				*c->by ? "was installed by " : "names no installer", c->by), NULL, NULL, 0);
	}
	for (i = 0; i < k->site.n; i++)
		if (k->dists[i].files.noutside)
			wp_drift_tell(k, WP_DRIFT_OUTSIDE, k->dists[i].name, "they were not looked at", NULL,
				k->dists[i].files.outside, k->dists[i].files.noutside);
	if (k->site.nleftovers)
		wp_drift_tell(k, WP_DRIFT_LEFTOVER, wp_sprintf(k->a, "'%s'", k->at.site), NULL, "remove them",
			k->site.leftovers, k->site.nleftovers);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int read_venv(wp_checking *k, const char *venv, wp_error *e)
{
	size_t i;

	if (wp_venv_look(k->a, venv, e) || os_absolute(k->a, venv, &k->venv, e) ||
		wp_venv_find(k->a, k->venv, &k->at, e) || wp_site_read(k->a, k->venv, k->at.site, &k->site, e))
		return e->code;
	k->dists = WP_NEW_ARRAY(k->a, k->site.n + 1, wp_checked);
	for (i = 0; i < k->site.n; i++) {
		const wp_installed *d = &k->site.v[i];

		k->dists[i].d = d;
		k->dists[i].name = wp_sprintf(k->a, "%s%s%s", d->project, *d->version ? " " : "", d->version);
	}
	return 0;
}

static void tell_stopped(wp_checking *k)
{
	if (wp_repair_due(k->ctx, k->venv))
		wp_drift_tell(k, WP_DRIFT_STOPPED, NULL, "what is left to be done is written down in it or beside it",
			"`wheelpack repair --venv DIR` finishes it, with --undo it is taken back", NULL, 0);
}

/* lock NULL: the venv's own. */
static int check_lock(wp_checking *k, const wp_lock_doc *lock, wp_error *e)
{
	const wp_lock_target *t;
	wp_lock_doc own;
	bool has = wp_venv_lock(k->ctx, k->venv, &own);

	if (!has && os_is_file(os_join(k->a, k->venv, ".wheelpack/receipt.json")))
		wp_drift_tell(k, WP_DRIFT_BAD_LOCK, "'.wheelpack'", "receipt.json or lock.json there was changed",
			"install the bundle again into the venv", NULL, 0);
	if (lock) {
		if (choose_target(k, lock, has ? own.targets[0].name : NULL, &t, e))
			return e->code;
		hold_to_lock(k, lock, t);
	} else if (has) {
		hold_to_lock(k, &own, &own.targets[0]);
	}
	return 0;
}

static void conclude(wp_checking *k)
{
	wp_drift *out = k->out;

	out->missing = tell_files(k, WP_DRIFT_MISSING, is_missing);
	out->changed = tell_files(k, WP_DRIFT_CHANGED, is_changed);
	tell_files(k, WP_DRIFT_UNREADABLE, is_unreadable);
	tell_records(k);
	if (out->target)
		tell_foreign(k);
	out->distributions = k->site.n;
	out->files = k->items_total;
	out->bytes = atomic_load(&k->bytes);
}

static int check(wp_checking *k, const char *venv, const wp_lock_doc *lock, wp_error *e)
{
	if (read_venv(k, venv, e))
		return e->code;
	tell_stopped(k);
	if (check_lock(k, lock, e) || wp_check_list(k, e) || wp_check_hash(k, e))
		return e->code;
	conclude(k);
	if (wp_check_added(k, e))
		return e->code;
	tell_unchecked(k);
	if (!k->out->target && !os_is_file(os_join(k->a, k->venv, ".wheelpack/receipt.json")))
		wp_drift_tell(k, WP_DRIFT_NO_LOCK, NULL, "wheelpack did not install this venv: its files were held to their "
			"RECORDs alone", NULL, NULL, 0);
	return 0;
}

int wp_venv_check(wp_ctx *ctx, const char *venv, const wp_lock_doc *lock, wp_drift *out, wp_error *e)
{
	wp_checking k = {.ctx = ctx, .a = wp_arena_new(), .out = out};

	*out = (wp_drift){0};
	atomic_init(&k.bytes, 0);
	atomic_init(&k.items, 0);
	check(&k, venv, lock, e);
	wp_par_done(&k.listed);
	wp_par_done(&k.hashed);
	wp_arena_free(k.a);
	return e->code ? wp_err_where(e, "'%s'", venv) : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * store_fill.c: wheels that a store lacks are put there, by the machinery that unpacks into venvs: each in a directory of
 * this run, which is renamed when all of it is there. Then it is seen, once, how files come from there to the stage, and
 * those that are not copied are put there.
 */
#include "install/store_use.h"

/* ---- put there ------------------------------------------------------------------------------ */

typedef struct filling {
	wp_plan *p;
	wp_store_use *u;
	WP_VEC(wp_out_file) files;
	WP_VEC(wp_out_file *) of; /* the plan's */
} filling;

static void list_wheel(filling *l, size_t wheel)
{
	const wp_in_wheel *w = &l->p->wheels[wheel];
	wp_store_wheel *s = &l->u->wheels[wheel];
	size_t i;

	s->first = l->files.n;
	for (i = w->first; i < w->first + w->n; i++) {
		wp_out_file *f = &l->p->files.v[i], copy = *f;

		if (!wp_store_keeps(f))
			continue;
		copy.path = wp_sprintf(l->p->a, "%s/files/%s", s->key, f->member->name);
		copy.size = f->member->entry->size;
		copy.executable = f->member->executable;
		copy.uncounted = !f->written;
		copy.written = true;
		WP_PUSH(&l->files, copy);
		WP_PUSH(&l->of, f);
	}
	s->n = l->files.n - s->first;
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const wp_stored *)x)->path, ((const wp_stored *)y)->path);
}

/* The rows of the index, with the times that the files have by now. */
static int list_files(const filling *l, wp_store_wheel *s, wp_error *e)
{
	wp_stored_wheel *w = &s->w;
	size_t i;

	w->v = WP_NEW_ARRAY(l->p->a, s->n, wp_stored);
	w->n = s->n;
	for (i = 0; i < s->n; i++) {
		const wp_out_file *f = &l->files.v[s->first + i];
		os_facts facts;

		if (os_stat_at(s->files, f->member->name, false, &facts, e))
			return e->code;
		w->v[i] = (wp_stored){.path = f->member->name, .size = facts.size, .mtime = facts.mtime, .mode = facts.mode,
			.executable = f->executable};
		memcpy(w->v[i].sha256, f->sha256, 32);
		w->bytes += facts.size;
	}
	qsort(w->v, w->n, sizeof *w->v, by_path);
	return 0;
}

static int write_index(const filling *l, size_t wheel, wp_error *e)
{
	wp_plan *p = l->p;
	wp_store_wheel *s = &l->u->wheels[wheel];
	const char *dir = os_join(p->a, l->u->run.work, s->key);

	s->w = (wp_stored_wheel){.filename = p->wheels[wheel].lock->filename, .record = p->wheels[wheel].wheel.record_sha256,
		.flushed = !p->in->no_sync};
	if (os_dir_open(os_join(p->a, dir, "files"), &s->files, e))
		return e->code;
	if (!list_files(l, s, e))
		wp_put_text(p->a, dir, "index", wp_stored_write(p->a, &s->w), e);
	/* Windows renames no directory that is open. */
	os_dir_close(s->files);
	s->files = NULL;
	if (!e->code)
		wp_store_use_now(p->a, dir);
	return e->code;
}

/* Under its name, unless another run was faster: then this run takes the files from where they are. */
static int publish(const filling *l, wp_store_wheel *s, wp_error *e)
{
	wp_arena *a = l->p->a;
	const char *dir = os_join(a, l->u->run.work, s->key);
	wp_error own = {0};

	if (os_rename_new(dir, s->entry, &own)) {
		if (own.code != WP_E_EXISTS) {
			*e = own;
			return e->code;
		}
		s->path = os_join(a, dir, "files");
	}
	return os_dir_open(s->path, &s->files, e);
}

static void point_there(const filling *l, wp_store_wheel *s)
{
	size_t i, at = 0;

	for (i = 0; i < s->n; i++) {
		wp_out_file *f = l->of.v[s->first + i];

		f->stored = f->written ? wp_stored_find(&s->w, f->member->name, &at) : NULL;
		f->uncounted = true;
	}
}

static int fill_all(filling *l, wp_error *e)
{
	wp_store_use *u = l->u;
	size_t i, n = l->p->nwheels;

	for (i = 0; i < n; i++)
		if (u->wheels[i].fill)
			list_wheel(l, i);
	if (!l->files.n || wp_unpack_files(l->p, l->files.v, l->files.n, u->run.work, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (u->wheels[i].fill && write_index(l, i, e))
			return e->code;
	if (!l->p->in->no_sync && os_sync_tree(u->run.work, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (u->wheels[i].fill) {
			if (publish(l, &u->wheels[i], e))
				return e->code;
			point_there(l, &u->wheels[i]);
		}
	return wp_check_cancel(l->p->ctx, e);
}

static int fill(wp_plan *p, wp_error *e)
{
	filling l = {.p = p, .u = p->store};

	fill_all(&l, e);
	WP_VEC_FREE(&l.files);
	WP_VEC_FREE(&l.of);
	return e->code;
}

/* ---- how files come from there -------------------------------------------------------------- */

static const char *const probe_names[] = {"wheelpack-probe-0", "wheelpack-probe-1"};

/* Is a clone of the probe in the run's directory one? */
static bool try_clone(const wp_store_use *u, wp_arena *a, os_file *to)
{
	wp_error ignored = {0};
	os_file *from;
	bool yes;

	if (os_open(os_join(a, u->run.work, "probe"), OS_READ, &from, &ignored))
		return false;
	yes = os_clone(from, to);
	os_close(from, &ignored);
	return yes;
}

/* Two files in the stage: which modes they get, and whether the first can be a clone. */
static int probe_files(wp_store_use *u, wp_arena *a, os_dir *stage, wp_error *e)
{
	static const int modes[] = {0644, 0755};
	int i;

	for (i = 0; i < 2; i++) {
		os_facts facts = {0};
		os_file *f;

		if (os_create_at(stage, probe_names[i], modes[i], &f, e))
			return e->code;
		if (i == 0 && try_clone(u, a, f))
			u->how = WP_SHARE_CLONE;
		os_stat_at(stage, probe_names[i], false, &facts, e);
		u->modes[i] = facts.mode;
		if (os_close(f, e) || e->code || os_unlink(os_join(a, u->stage, probe_names[i]), e))
			return e->code;
	}
	return 0;
}

static int probe_link(wp_store_use *u, wp_arena *a, os_dir *stage, wp_error *e)
{
	wp_error no = {0};
	os_dir *work;

	if (os_dir_open(u->run.work, &work, e))
		return e->code;
	if (!os_link_at(work, "probe", stage, probe_names[0], &no)) {
		u->how = WP_SHARE_LINK;
		os_unlink(os_join(a, u->stage, probe_names[0]), e);
	}
	os_dir_close(work);
	return e->code;
}

/* Clones part where one is written to, links don't, copies take space and time. On Windows a link keeps the permissions
 * of the store. */
static int choose(wp_plan *p, wp_error *e)
{
	wp_store_use *u = p->store;
	os_dir *stage;

	if (wp_put_text(p->a, u->run.work, "probe", WP_LIT("probe\n"), e) || os_dir_open(u->stage, &stage, e))
		return e->code;
	if (!probe_files(u, p->a, stage, e) && u->how == WP_SHARE_COPY && !(os_is_windows() && p->all_users))
		probe_link(u, p->a, stage, e);
	os_dir_close(stage);
	return e->code;
}

/* A link has the mode that the file in the store has; where others are to read it, share.c would change that. */
static bool mode_fits(const wp_plan *p, const wp_out_file *f)
{
	unsigned open = f->executable ? 0755 : 0644;

	return f->stored->mode == (p->all_users ? open : p->store->modes[f->executable]);
}

static void mark_linked(const wp_plan *p)
{
	const wp_store_use *u = p->store;
	size_t i;

	for (i = 0; i < p->files.n; i++) {
		wp_out_file *f = &p->files.v[i];

		f->linked = f->stored && !wp_store_copies(f) &&
			    (u->how == WP_SHARE_CLONE || (u->how == WP_SHARE_LINK && mode_fits(p, f)));
	}
}

/* ---- the run -------------------------------------------------------------------------------- */

static int enter(wp_plan *p, wp_error *e)
{
	wp_store_use *u = p->store;

	if (wp_store_make(p->a, u->dir, e) || wp_store_enter(p->ctx, p->a, u->dir, &u->run, e))
		return wp_err_where(e, "store '%s'", p->in->store);
	return 0;
}

/* What is of no use makes way; where it can't, it stays, and what is made anew is of use to this run. */
static void prepare(wp_plan *p)
{
	wp_store_use *u = p->store;
	size_t i;

	for (i = 0; i < p->nwheels; i++) {
		wp_store_wheel *s = &u->wheels[i];
		wp_error ignored = {0};

		if (s->there && s->fill)
			wp_store_drop(p->a, u->dir, u->run.work, s->key, &ignored);
		else if (s->there)
			wp_store_use_now(p->a, s->entry);
	}
}

int wp_store_begin(wp_plan *p, const char *stage, wp_error *e)
{
	if (!p->store)
		return 0;
	p->store->stage = stage;
	if (enter(p, e))
		return e->code;
	prepare(p);
	if (fill(p, e) || choose(p, e))
		return e->code;
	mark_linked(p);
	return wp_store_link(p, e);
}

/* Wheels of which a file could not be taken: the next install puts them there anew. */
static void drop_failed(wp_plan *p)
{
	wp_store_use *u = p->store;
	size_t i;

	for (i = 0; i < p->nwheels; i++) {
		wp_error ignored = {0};

		if (!u->wheels || !atomic_load(&u->wheels[i].failed))
			continue;
		wp_plan_note(p, WP_INSTALL_STORE_DAMAGED,
			wp_sprintf(p->a, "'%s': files of it could not be taken", p->wheels[i].lock->filename));
		wp_store_drop(p->a, u->dir, u->run.work, u->wheels[i].key, &ignored);
	}
}

void wp_store_end(wp_plan *p)
{
	wp_store_use *u = p->store;
	size_t i;

	if (!u)
		return;
	for (i = 0; u->wheels && i < p->nwheels; i++)
		os_dir_close(u->wheels[i].files);
	if (u->run.work)
		drop_failed(p);
	wp_store_leave(&u->run);
	wp_par_done(&u->read);
	p->store = NULL;
}

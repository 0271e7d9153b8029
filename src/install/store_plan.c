/* SPDX-License-Identifier: MIT
 *
 * store_plan.c: which files of a plan a store has. What RECORD promises was held to the bytes when an entry was made; here
 * size and time of each file must be as they were then. Where one is not, nothing of that wheel is taken.
 */
#include "ext/unicode.h"
#include "install/store_use.h"

enum { BATCH = 512, BLOCK = 4096 };

bool wp_store_keeps(const wp_out_file *f)
{
	return f->member && (!f->script || f->member->entry->size > WP_MAX_SCRIPT);
}

bool wp_store_copies(const wp_out_file *f)
{
	static const char *const loaded[] = {".dll", ".pyd", ".exe"};
	size_t i, n = strlen(f->path);

	for (i = 0; os_is_windows() && i < sizeof loaded / sizeof *loaded; i++)
		if (n > 4 && wp_str_is_nocase((wp_str){f->path + n - 4, 4}, loaded[i]))
			return true;
	return false;
}

/* ---- the place ------------------------------------------------------------------------------ */

static const char *folded(wp_arena *a, const char *path)
{
	return os_is_windows() ? wp_name_fold(a, wp_str_of(path)) : path;
}

static bool lies_in(wp_arena *a, const char *path, const char *dir)
{
	path = folded(a, path);
	dir = folded(a, dir);
	return wp_streq(path, dir) || wp_under(path, dir);
}

static int check_place(const wp_plan *p, const char *dir, wp_error *e)
{
	if (lies_in(p->a, dir, p->venv))
		wp_fail(e, WP_E_USAGE, "the store lies in the venv, and other venvs are to use it too");
	else if (lies_in(p->a, p->venv, dir))
		wp_fail(e, WP_E_USAGE, "the venv lies in the store, which holds nothing but unpacked wheels");
	return e->code ? wp_err_next(e, "name another directory with --store") : 0;
}

/* What doesn't work in the end costs an error of a full disk, what works without this being known only space. */
static bool is_near(const wp_plan *p, const char *dir)
{
	wp_error ignored = {0};
	os_volume v;

	return os_same_volume(p->venv, dir) && !os_volume_of(p->a, dir, &v, &ignored) && v.kind != OS_VOLUME_FAT &&
	       v.kind != OS_VOLUME_EXFAT && !(os_is_windows() && p->all_users);
}

static bool has_kept(const wp_plan *p, const wp_in_wheel *w)
{
	size_t i;

	for (i = w->first; i < w->first + w->n; i++)
		if (p->files.v[i].written && wp_store_keeps(&p->files.v[i]))
			return true;
	return false;
}

static void set_keys(wp_plan *p)
{
	wp_store_use *u = p->store;
	size_t i;

	u->wheels = WP_NEW_ARRAY(p->a, p->nwheels, wp_store_wheel);
	for (i = 0; i < p->nwheels; i++) {
		const wp_in_wheel *w = &p->wheels[i];
		wp_store_wheel *s = &u->wheels[i];

		/* What differs from RECORD differs from what the key stands for. */
		if (w->kept || w->bad || w->wheel.exceptions.n || !has_kept(p, w))
			continue;
		s->key = wp_stored_key(p->a, w->lock->filename, w->wheel.record_sha256);
		s->entry = wp_store_entry(p->a, u->dir, s->key);
		s->path = os_join(p->a, s->entry, "files");
	}
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Only what RECORD promises is taken, whatever the index says. */
static bool is_of(const wp_out_file *f, const wp_stored *s)
{
	const wp_record_row *row = f->member->row;

	return s->size == f->member->entry->size && (row->kind != WP_RECORD_SHA256 || memcmp(row->digest, s->sha256, 32) == 0);
}

/* Each file's bytes in the index; false where it is that of another wheel. */
static bool match(wp_plan *p, const wp_in_wheel *w, wp_store_wheel *s)
{
	size_t i, at = 0;

	if (!wp_streq(s->w.filename, w->lock->filename) || !wp_streq(s->w.record, w->wheel.record_sha256))
		return false;
	for (i = w->first; i < w->first + w->n; i++) {
		wp_out_file *f = &p->files.v[i];

		if (!f->written || !wp_store_keeps(f))
			continue;
		f->stored = wp_stored_find(&s->w, f->member->name, &at);
		if (f->stored && !is_of(f, f->stored))
			return false;
	}
	return true;
}

static int read_one(void *user, size_t job, wp_arena *a, wp_error *e)
{
	wp_plan *p = user;
	size_t i = p->store->order[job];
	wp_store_wheel *s = &p->store->wheels[i];
	wp_error own = {0};

	(void)e;
	if (!s->key || wp_store_read(a, s->entry, &s->w, &own) == WP_E_NOT_FOUND)
		return 0;
	s->there = true;
	if (!own.code && !p->in->no_sync && !s->w.flushed)
		s->not_flushed = true;
	else if (!own.code && !match(p, &p->wheels[i], s))
		s->bad = "the index is that of another wheel";
	else if (!own.code)
		os_dir_open(s->path, &s->files, &own);
	if (own.code)
		s->bad = wp_strdup(a, own.why);
	return 0;
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct batch {
	size_t wheel, first, n; /* in the plan's files */
	const char *bad;
} batch;

typedef struct looking {
	wp_plan *p;
	WP_VEC(batch) v;
} looking;

static int look_at(void *user, size_t i, wp_arena *a, wp_error *e)
{
	looking *l = user;
	batch *b = &l->v.v[i];
	os_dir *dir = l->p->store->wheels[b->wheel].files;
	size_t k;

	for (k = b->first; k < b->first + b->n && !b->bad; k++) {
		wp_stored *s = l->p->files.v[k].stored;
		wp_error own = {0};
		os_facts f;

		if (!s)
			continue;
		if (os_stat_at(dir, s->path, false, &f, &own))
			b->bad = wp_strdup(a, own.why);
		else
			b->bad = wp_stored_difference(a, s, &f);
		s->mode = f.mode;
	}
	return wp_check_cancel(l->p->ctx, e);
}

static void queue_wheel(looking *l, size_t i)
{
	const wp_in_wheel *w = &l->p->wheels[i];
	size_t k;

	for (k = 0; k < w->n; k += BATCH)
		WP_PUSH(&l->v, ((batch){i, w->first + k, w->n - k < BATCH ? w->n - k : BATCH, NULL}));
}

static int look_at_files(wp_plan *p, wp_error *e)
{
	wp_store_use *u = p->store;
	looking l = {.p = p};
	wp_par par;
	size_t i;

	for (i = 0; i < p->nwheels; i++)
		if (u->wheels[i].files)
			queue_wheel(&l, i);
	wp_par_for(p->ctx, l.v.n, look_at, NULL, &l, true, &par, e);
	for (i = 0; i < l.v.n; i++)
		if (l.v.v[i].bad && !u->wheels[l.v.v[i].wheel].bad)
			u->wheels[l.v.v[i].wheel].bad = wp_strdup(p->a, l.v.v[i].bad);
	wp_par_done(&par);
	WP_VEC_FREE(&l.v);
	return e->code;
}

/* ---- what it comes to ----------------------------------------------------------------------- */

static void take_nothing(wp_plan *p, size_t wheel)
{
	const wp_in_wheel *w = &p->wheels[wheel];
	wp_store_wheel *s = &p->store->wheels[wheel];
	size_t i;

	for (i = w->first; i < w->first + w->n; i++)
		p->files.v[i].stored = NULL;
	os_dir_close(s->files);
	s->files = NULL;
}

static void judge(wp_plan *p)
{
	wp_store_use *u = p->store;
	WP_VEC(const char *) unsafe = {0};
	size_t i;

	for (i = 0; i < p->nwheels; i++) {
		wp_store_wheel *s = &u->wheels[i];

		s->fill = s->key && !(s->there && !s->bad && !s->not_flushed);
		if (s->fill)
			take_nothing(p, i);
		if (s->bad)
			wp_plan_note(p, WP_INSTALL_STORE_DAMAGED, wp_sprintf(p->a, "'%s': %s", p->wheels[i].lock->filename, s->bad));
		if (s->not_flushed)
			WP_PUSH(&unsafe, p->wheels[i].lock->filename);
		u->added += s->fill;
	}
	wp_tell_files(p->findings, p->ctx->arena, WP_INSTALL_STORE_NO_SYNC, unsafe.v, unsafe.n);
	WP_VEC_FREE(&unsafe);
}

static int plan(wp_plan *p, wp_error *e)
{
	wp_store_use *u = WP_NEW(p->a, wp_store_use);

	if (wp_store_look(p->a, p->in->store, &u->dir, &u->there, e) || check_place(p, u->dir, e))
		return e->code;
	u->near = is_near(p, u->dir);
	p->store = u;
	set_keys(p);
	u->order = wp_largest_first(p, true);
	if (u->there && (wp_par_for(p->ctx, p->nwheels, read_one, NULL, p, true, &u->read, e) || look_at_files(p, e)))
		return e->code;
	judge(p);
	return 0;
}

int wp_store_plan(wp_plan *p, wp_error *e)
{
	if (!p->in->store || !plan(p, e))
		return 0;
	return wp_err_where(e, "store '%s'", p->in->store);
}

/* ---- space ---------------------------------------------------------------------------------- */

bool wp_store_spares(const wp_plan *p, const wp_out_file *f)
{
	return p->store && p->store->near && p->store->wheels[f->wheel].key && wp_store_keeps(f) && !wp_store_copies(f);
}

/* What is put there, its index and about as many directories as the venv has. */
static uint64_t needed(const wp_plan *p)
{
	uint64_t sum = 0, files = 0;
	size_t i, k;

	for (i = 0; i < p->nwheels; i++)
		for (k = 0; p->store->wheels[i].fill && k < p->wheels[i].n; k++) {
			const wp_out_file *f = &p->files.v[p->wheels[i].first + k];

			if (!wp_store_keeps(f))
				continue;
			sum += (f->member->entry->size + BLOCK - 1) / BLOCK * BLOCK + strlen(f->member->name) + 128;
			files++;
		}
	return files ? sum + p->dirs.n * BLOCK : 0;
}

int wp_store_space(wp_plan *p, wp_error *e)
{
	uint64_t want, free = 0;

	if (!p->store)
		return 0;
	want = needed(p);
	if (os_same_volume(p->venv, p->store->dir)) {
		p->space_needed += want;
		return 0;
	}
	if (os_free_space(p->store->dir, &free, e))
		return e->code;
	return free < want ? (wp_no_space(want, free, e), wp_err_where(e, "store '%s'", p->in->store)) : 0;
}

void wp_store_preview(const wp_plan *p, wp_preview *out)
{
	size_t i;

	if (!p->store)
		return;
	out->store = wp_strdup(p->ctx->arena, p->store->dir);
	out->store_added = p->store->added;
	for (i = 0; i < p->files.n; i++)
		if (p->files.v[i].stored) {
			out->store_files++;
			out->store_bytes += p->files.v[i].size;
		}
}

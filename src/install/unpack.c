/* SPDX-License-Identifier: MIT
 *
 * unpack.c: the plan's files into the stage, in one pass: inflate, hash, write. Big members are jobs
 * of their own, biggest first; small ones go in batches of neighbours, so that directories stay open.
 * The small ones are done early: they lie in the page cache then, and the system brings them to the
 * disk while the rest is being unpacked, so that the flush before the commit finds little to do.
 * Every file is an exclusive create below a directory handle: nothing existing is written to, and no
 * link leads elsewhere.
 */
#include "ext/hash.h"
#include "install/levels.h"
#include "install/notes.h"
#include "os/os.h"

enum {
	PIECE = 1 << 20,       /* bytes of one write */
	BIG = 1 << 20,	       /* members from here on are jobs of their own, written past the page cache */
	BATCH_FILES = 256,
	BATCH_BYTES = 8 << 20,
	SMALL_PER_BIG = 8,     /* batches of small members started after each big one */
	EARLY_FLUSH = 64 << 20 /* installs from here on are flushed once on the way */
};

typedef struct batch {
	size_t first, n; /* in order; n is 0 for the flush on the way */
} batch;

typedef WP_VEC(batch) batches;

typedef struct unpacking {
	wp_plan *p;
	os_dir *root;
	wp_out_file **order; /* what is written, as it is written */
	size_t norder;
	batches queue;
	const char *dir;
	bool flush_early;
} unpacking;

/* What one job needs. */
typedef struct writer {
	unpacking *u;
	wp_unpacker *unpacker;
	wp_levels levels;
	unsigned char *raw, *buf; /* buf: PIECE bytes in raw, aligned */
	size_t used;
	const wp_out_file *f;
	os_file *file; /* NULL until its first bytes are due */
	uint64_t off;
	bool direct, script;
	bool cached; /* big, and only the page cache has it: to be flushed while the others are busy */
} writer;

/* ---- one file ------------------------------------------------------------------------------- */

static int create(writer *w, wp_error *e)
{
	const wp_out_file *f = w->f;
	os_dir *dir;

	if (wp_levels_enter(&w->levels, f->path, &dir, e) ||
		os_create_at(dir, os_basename(f->path), f->executable ? 0755 : 0644, &w->file, e))
		return e->code;
	if (f->size < BIG)
		return 0;
	w->direct = os_direct(w->file, true);
	w->cached = !w->direct;
	return os_preallocate(w->file, f->size, e);
}

/* Some file systems take the flag and refuse the write: then the ordinary way, which tells what is wrong. */
static bool put_direct(writer *w, const unsigned char *p, size_t n)
{
	wp_error ignored = {0};

	if (os_pwrite(w->file, p, n, w->off, &ignored)) {
		w->direct = !os_direct(w->file, false);
		return false;
	}
	w->off += n;
	return true;
}

static int put(writer *w, const unsigned char *p, size_t n, wp_error *e)
{
	if (w->direct && put_direct(w, p, n))
		return 0;
	if (os_pwrite(w->file, p, n, w->off, e))
		return e->code;
	w->off += n;
	return 0;
}

/* Write what is buffered; the odd end of a big file goes through the cache. */
static int flush(writer *w, wp_error *e)
{
	size_t whole = w->used, used = w->used;

	if (!w->file && create(w, e))
		return e->code;
	if (w->direct)
		whole -= whole % OS_DIRECT_ALIGN;
	w->used = 0;
	if (whole && put(w, w->buf, whole, e))
		return e->code;
	if (whole == used)
		return 0;
	if (w->direct)
		w->direct = !os_direct(w->file, false);
	return put(w, w->buf + whole, used - whole, e);
}

static int take(void *user, const void *p, size_t n, wp_error *e)
{
	writer *w = user;
	const unsigned char *from = p;

	if (wp_check_cancel(w->u->p->ctx, e))
		return e->code;
	if (w->script && w->off + w->used == 0 && wp_str_starts((wp_str){p, n}, "#!python"))
		return wp_fail(e, WP_E_WHEEL, "a script of more than %d bytes", WP_MAX_SCRIPT);
	if (!w->f->uncounted)
		atomic_fetch_add_explicit(&w->u->p->done, n, memory_order_relaxed);
	while (n) {
		size_t k = PIECE - w->used < n ? PIECE - w->used : n;

		if (from != w->buf + w->used) /* else it was unpacked there */
			memcpy(w->buf + w->used, from, k);
		w->used += k;
		from += k;
		n -= k;
		if (w->used == PIECE && flush(w, e))
			return e->code;
	}
	return 0;
}

static int put_text(writer *w, wp_out_file *f, wp_hash *h, wp_str text, wp_error *e)
{
	unsigned char digest[WP_HASH_MAX];

	wp_hash_add(h, text.p, text.n);
	wp_hash_end(h, digest);
	memcpy(f->sha256, digest, sizeof f->sha256);
	f->size = text.n;
	return take(w, text.p, text.n, e);
}

/* A script is read whole: its first line may change. */
static int put_script(writer *w, wp_out_file *f, wp_hash *h, wp_error *e)
{
	const wp_plan *p = w->u->p;
	wp_arena *a = wp_arena_new();
	wp_str text;

	if (!wp_member_text(w->unpacker, a, &p->wheels[f->wheel].wheel, f->member, WP_MAX_SCRIPT, &text, e)) {
		f->odd = wp_str_starts(text, "\xef\xbb\xbf#!python");
		put_text(w, f, h, wp_script_rewrite(a, &p->start, text), e);
	}
	wp_arena_free(a);
	return e->code;
}

static int put_generated(writer *w, wp_out_file *f, wp_error *e)
{
	wp_hash *h = wp_hash_new(WP_SHA256);

	if (!f->member)
		put_text(w, f, h, f->text, e);
	else
		put_script(w, f, h, e);
	wp_hash_free(h);
	return e->code;
}

/* What the store has. False where it is to be unpacked. */
static bool take_stored(writer *w, wp_out_file *f, wp_error *e)
{
	wp_plan *p = w->u->p;
	os_dir *dir;

	if (!f->stored || wp_levels_enter(&w->levels, f->path, &dir, e) || !wp_store_take(p, f, dir, w->buf, PIECE, e))
		return false;
	if (!f->uncounted)
		atomic_fetch_add_explicit(&p->done, f->size, memory_order_relaxed);
	return true;
}

static int unpack_file(writer *w, wp_out_file *f, wp_error *e)
{
	wp_in_wheel *from = &w->u->p->wheels[f->wheel];

	w->f = f;
	w->off = w->used = 0;
	w->direct = w->cached = false;
	w->script = f->script && f->size > WP_MAX_SCRIPT;
	if (!f->member || (f->script && !w->script))
		put_generated(w, f, e);
	else
		wp_member_read(w->unpacker, &from->wheel, f->member, take, w, f->sha256, e);
	if (!e->code && (w->used || !w->file))
		flush(w, e);
	if (!e->code && w->cached && !w->u->p->in->no_sync)
		os_flush(w->file, e);
	os_close(w->file, e);
	w->file = NULL;
	return e->code;
}

static int put_file(writer *w, wp_out_file *f, wp_error *e)
{
	wp_in_wheel *from = &w->u->p->wheels[f->wheel];
	uint64_t planned = f->size;

	if (!take_stored(w, f, e) && !e->code)
		unpack_file(w, f, e);
	if (e->code && !strstr(e->where, from->lock->filename))
		wp_err_where(e, "'%s'", from->lock->filename);
	else if (!e->code && !f->uncounted)
		atomic_fetch_sub_explicit(&from->left, planned, memory_order_relaxed);
	return e->code;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static int run_batch(void *user, size_t i, wp_arena *a, wp_error *e)
{
	unpacking *u = user;
	const batch *b = &u->queue.v[i];
	writer w = {.u = u, .levels = {.a = a, .root = u->root}};
	size_t k;

	if (b->n == 0)
		return os_sync_tree(u->dir, e);
	w.unpacker = wp_unpacker_new();
	w.raw = wp_xmalloc(PIECE + OS_DIRECT_ALIGN);
	w.buf = w.raw + (OS_DIRECT_ALIGN - (uintptr_t)w.raw % OS_DIRECT_ALIGN);
	wp_unpacker_into(w.unpacker, w.buf, PIECE);
	for (k = 0; k < b->n && !e->code; k++)
		if (!wp_check_cancel(u->p->ctx, e))
			put_file(&w, u->order[b->first + k], e);
	wp_levels_leave(&w.levels);
	wp_unpacker_free(w.unpacker);
	free(w.raw);
	return e->code;
}

static int by_size(const void *x, const void *y)
{
	const wp_out_file *a = *(wp_out_file *const *)x, *b = *(wp_out_file *const *)y;

	if ((a->size >= BIG || b->size >= BIG) && a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* From order[from] on: one file, or small ones up to the limits. */
static batch next_batch(const unpacking *u, size_t from, size_t most)
{
	batch b = {from, 0};
	uint64_t bytes = 0;

	do
		bytes += u->order[from + b.n++]->size;
	while (from + b.n < u->norder && b.n < most && bytes < BATCH_BYTES &&
		u->order[from]->size < BIG);
	return b;
}

static void fill_queue(unpacking *u, const batches *big, const batches *small)
{
	bool flush_early = u->flush_early;
	size_t b = 0, s = 0, k;

	while (b < big->n || s < small->n) {
		if (b < big->n)
			WP_PUSH(&u->queue, big->v[b++]);
		for (k = 0; k < SMALL_PER_BIG && s < small->n; k++)
			WP_PUSH(&u->queue, small->v[s++]);
		if (flush_early && s == small->n) {
			WP_PUSH(&u->queue, ((batch){0, 0}));
			flush_early = false;
		}
	}
}

/* Few small files are spread over all threads too. */
static size_t batch_files(const unpacking *u)
{
	size_t n = u->norder / ((size_t)u->p->ctx->jobs * 8);

	return n < 16 ? 16 : n > BATCH_FILES ? BATCH_FILES : n;
}

static void make_queue(unpacking *u, wp_out_file *files, size_t n)
{
	batches big = {0}, small = {0};
	uint64_t bytes = 0;
	size_t i;

	u->order = WP_NEW_ARRAY(u->p->a, n, wp_out_file *);
	for (i = 0; i < n; i++)
		if (files[i].written && !files[i].linked) {
			u->order[u->norder++] = &files[i];
			bytes += files[i].size;
		}
	u->flush_early = !u->p->in->no_sync && bytes >= EARLY_FLUSH;
	if (u->norder)
		qsort(u->order, u->norder, sizeof *u->order, by_size);
	for (i = 0; i < u->norder;) {
		batch b = next_batch(u, i, batch_files(u));

		WP_PUSH(u->order[i]->size >= BIG ? &big : &small, b);
		i += b.n;
	}
	fill_queue(u, &big, &small);
	WP_VEC_FREE(&big);
	WP_VEC_FREE(&small);
}

void wp_unpack_tick(void *plan)
{
	wp_plan *p = plan;
	wp_progress g = {.stage = "install", .bytes_total = p->bytes, .items_total = p->nwheels};
	size_t i;

	g.bytes = atomic_load_explicit(&p->done, memory_order_relaxed);
	for (i = 0; i < p->nwheels; i++)
		g.items += p->wheels[i].told;
	for (i = 0; i < p->nwheels; i++) {
		wp_in_wheel *w = &p->wheels[i];

		if (w->told || atomic_load_explicit(&w->left, memory_order_relaxed))
			continue;
		w->told = true;
		g.items++;
		g.item = w->lock->filename;
		g.item_done = true;
		g.item_size = w->wheel.total;
		g.item_cached = w->kept;
		wp_report(p->ctx, &g);
	}
	g.item = NULL;
	g.item_done = false;
	wp_report(p->ctx, &g);
}

static void tell_odd(const wp_plan *p)
{
	size_t i;

	for (i = 0; i < p->files.n; i++)
		if (p->files.v[i].odd)
			wp_plan_note(p, WP_INSTALL_BOM_SCRIPT, p->files.v[i].path);
}

/* Found only when it was unpacked. */
static void advise(wp_plan *p, wp_error *e)
{
	size_t i;

	for (i = 0; i < p->nwheels; i++)
		if (strstr(e->where, p->wheels[i].lock->filename))
			wp_plan_advise(p, i, e);
}

static void report(void *user)
{
	wp_unpack_tick(((unpacking *)user)->p);
}

int wp_unpack_files(wp_plan *p, wp_out_file *files, size_t n, const char *dir, wp_error *e)
{
	unpacking u = {.p = p, .dir = dir};
	wp_ctx ctx = *p->ctx;
	wp_par par;

	if (ctx.jobs > 1) /* some wait for the disk */
		ctx.jobs += 2;
	if (os_dir_open(dir, &u.root, e))
		return e->code;
	make_queue(&u, files, n);
	wp_par_for(&ctx, u.queue.n, run_batch, report, &u, true, &par, e);
	wp_par_done(&par);
	WP_VEC_FREE(&u.queue);
	os_dir_close(u.root);
	advise(p, e);
	return e->code;
}

int wp_unpack(wp_plan *p, const char *stage, wp_error *e)
{
	wp_unpack_files(p, p->files.v, p->files.n, stage, e);
	tell_odd(p);
	return e->code;
}

/* SPDX-License-Identifier: MIT
 *
 * store_keep.c: what is in a store, what of it nobody has used, and whether it is still as it was put there.
 */
#include <inttypes.h>

#include "ext/hash.h"
#include "install/notes.h"
#include "wheelpack/store.h"

/* An entry as it was found. */
typedef struct item {
	const char *key, *entry;
	wp_stored_wheel w;
	const char *bad; /* why; NULL: it is good so far */
	uint64_t alone;
	int64_t used;
	os_dir *files;
} item;

typedef struct keeping {
	wp_ctx *ctx;
	wp_arena *a;
	const char *dir;
	bool names; /* of files are counted */
	item *v; size_t n;
	wp_par read;
	atomic_uint_fast64_t bytes;
	uint64_t total;
} keeping;

/* ---- what is there -------------------------------------------------------------------------- */

/* Files without another name. What can't be looked at is told by verify. */
static void count_alone(item *t)
{
	wp_error ignored = {0};
	os_facts f;
	size_t i;

	for (i = 0; t->files && i < t->w.n; i++)
		if (!os_stat_at(t->files, t->w.v[i].path, true, &f, &ignored) && f.kind == OS_FILE && f.names == 1)
			t->alone += f.size;
}

static int read_item(void *user, size_t i, wp_arena *a, wp_error *e)
{
	keeping *k = user;
	item *t = &k->v[i];
	wp_error own = {0};

	t->used = wp_store_used(a, t->entry);
	if (wp_store_read(a, t->entry, &t->w, &own) || os_dir_open(os_join(a, t->entry, "files"), &t->files, &own))
		t->bad = wp_strdup(a, own.why);
	else if (!wp_streq(wp_stored_key(a, t->w.filename, t->w.record), t->key))
		t->bad = "the index is that of another wheel";
	if (k->names)
		count_alone(t);
	return wp_check_cancel(k->ctx, e);
}

static int by_name(const void *x, const void *y)
{
	const item *a = x, *b = y;
	int c = strcmp(a->w.filename ? a->w.filename : "", b->w.filename ? b->w.filename : "");

	return c ? c : strcmp(a->key, b->key);
}

static int open_store(keeping *k, const char *given, wp_error *e)
{
	const char **keys;
	size_t i;

	if (wp_store_find(k->a, given, &k->dir, e) || wp_store_keys(k->a, k->dir, &keys, &k->n, e))
		return e->code;
	k->v = WP_NEW_ARRAY(k->a, k->n + 1, item);
	for (i = 0; i < k->n; i++) {
		k->v[i].key = keys[i];
		k->v[i].entry = wp_store_entry(k->a, k->dir, keys[i]);
	}
	if (wp_par_for(k->ctx, k->n, read_item, NULL, k, true, &k->read, e))
		return e->code;
	qsort(k->v, k->n, sizeof *k->v, by_name);
	for (i = 0; i < k->n; i++)
		k->total += k->v[i].w.bytes;
	return 0;
}

static void close_files(item *t)
{
	os_dir_close(t->files);
	t->files = NULL;
}

static int done(keeping *k, const char *given, const char *what, wp_error *e)
{
	size_t i;

	for (i = 0; k->v && i < k->n; i++)
		close_files(&k->v[i]);
	wp_par_done(&k->read);
	wp_arena_free(k->a);
	if (!e->code)
		return 0;
	if (!strstr(e->where, given))
		wp_err_where(e, "'%s'", given);
	return wp_err_what(e, "cannot %s '%s'", what, given);
}

/* Who has no readable index is known by its directory. */
static const char *name_of(wp_arena *a, const item *t)
{
	return t->w.filename ? t->w.filename : wp_sprintf(a, "entry %.12s", t->key);
}

static void tell_bad(const keeping *k, const item *t, wp_install_note note, const char *next, wp_findings *out)
{
	wp_arena *a = k->ctx->arena;

	wp_install_note_add(out, a, note, wp_sprintf(a, "%s: %s", name_of(a, t), t->bad))->next = wp_strdup(a, next);
}

/* ---- info ----------------------------------------------------------------------------------- */

static void tell(const keeping *k, wp_store_facts *out)
{
	wp_arena *a = k->ctx->arena;
	size_t i;

	out->dir = wp_strdup(a, k->dir);
	out->v = WP_NEW_ARRAY(a, k->n + 1, wp_store_item);
	out->n = k->n;
	for (i = 0; i < k->n; i++) {
		const item *t = &k->v[i];

		out->v[i] = (wp_store_item){.filename = wp_strdup(a, t->w.filename), .files = t->w.n, .bytes = t->w.bytes,
			.alone = t->alone, .used = t->used};
		out->files += t->w.n;
		out->bytes += t->w.bytes;
		out->alone += t->alone;
		if (t->bad)
			tell_bad(k, t, WP_INSTALL_STORE_UNREADABLE, "the next install that wants the wheel unpacks it anew", &out->findings);
	}
}

int wp_store_info(wp_ctx *ctx, const char *dir, wp_store_facts *out, wp_error *e)
{
	keeping k = {.ctx = ctx, .a = wp_arena_new(), .names = true};

	*out = (wp_store_facts){0};
	if (!open_store(&k, dir, e))
		tell(&k, out);
	return done(&k, dir, "look into the store", e);
}

/* ---- remove --------------------------------------------------------------------------------- */

/* Under the gate they lose their names; the time that their files take is nobody's. */
static int remove_items(keeping *k, bool (*goes)(const item *t, int64_t since), int64_t since, size_t *left, wp_error *e)
{
	wp_error busy = {0};
	wp_store_run run = {0};
	size_t live, i;
	os_lock *gate;

	if (wp_store_gate(k->ctx, k->a, k->dir, &gate, &live, left, &busy, e))
		return e->code;
	if (live)
		*e = busy;
	else
		wp_store_work(k->a, k->dir, &run, e);
	for (i = 0; i < k->n && !e->code; i++)
		if (goes(&k->v[i], since)) {
			close_files(&k->v[i]);
			wp_store_drop(k->a, k->dir, run.work, k->v[i].key, e);
		}
	os_lock_release(gate);
	wp_store_leave(&run);
	return e->code == WP_E_BUSY ? wp_err_next(e, "wait until the install has ended, and run the command again") : (int)e->code;
}

static bool is_unused(const item *t, int64_t since)
{
	return t->bad || t->used < since;
}

static int prune(keeping *k, int64_t since, wp_store_pruned *out, wp_error *e)
{
	WP_VEC(const char *) names = {0};
	size_t i;

	out->dir = wp_strdup(k->ctx->arena, k->dir);
	if (remove_items(k, is_unused, since, &out->left, e))
		return e->code;
	for (i = 0; i < k->n; i++) {
		if (!is_unused(&k->v[i], since)) {
			out->kept++;
			continue;
		}
		WP_PUSH(&names, wp_strdup(k->ctx->arena, name_of(k->a, &k->v[i])));
		out->bytes += k->v[i].alone;
	}
	out->removed = WP_VEC_COPY(k->ctx->arena, &names);
	out->n = names.n;
	WP_VEC_FREE(&names);
	return 0;
}

int wp_store_prune(wp_ctx *ctx, const char *dir, int64_t since, wp_store_pruned *out, wp_error *e)
{
	keeping k = {.ctx = ctx, .a = wp_arena_new(), .names = true};

	*out = (wp_store_pruned){0};
	if (!open_store(&k, dir, e))
		prune(&k, since, out, e);
	return done(&k, dir, "prune the store", e);
}

/* ---- verify --------------------------------------------------------------------------------- */

typedef struct verifying {
	keeping *k;
	WP_VEC(size_t) of; /* of each job the item */
	WP_VEC(size_t) row; /* and where in it */
	const char **bad;  /* of each job */
} verifying;

static int hash_file(verifying *v, const item *t, const wp_stored *s, wp_arena *a, const char **bad, wp_error *e)
{
	enum { PIECE = 1 << 20 };
	wp_hash *h = wp_hash_new(WP_SHA256);
	unsigned char digest[WP_HASH_MAX], *buf = wp_xmalloc(PIECE);
	wp_error own = {0};
	os_file *f = NULL;
	uint64_t off;
	size_t n;

	os_open(wp_sprintf(a, "%s/files/%s", t->entry, s->path), OS_READ, &f, &own);
	for (off = 0; off < s->size && !own.code && !wp_check_cancel(v->k->ctx, e); off += n) {
		n = s->size - off < PIECE ? (size_t)(s->size - off) : PIECE;
		if (os_pread(f, buf, n, off, &own))
			break;
		wp_hash_add(h, buf, n);
		atomic_fetch_add_explicit(&v->k->bytes, n, memory_order_relaxed);
	}
	wp_hash_end(h, digest);
	if (own.code)
		*bad = wp_sprintf(a, "'%s': %s", s->path, own.why);
	else if (!e->code && memcmp(digest, s->sha256, 32) != 0)
		*bad = wp_sprintf(a, "'%s' has other bytes", s->path);
	os_close(f, &own);
	wp_hash_free(h);
	free(buf);
	return e->code;
}

static int verify_one(void *user, size_t i, wp_arena *a, wp_error *e)
{
	verifying *v = user;
	const item *t = &v->k->v[v->of.v[i]];
	const wp_stored *s = &t->w.v[v->row.v[i]];
	wp_error own = {0};
	os_facts f;

	if (os_stat_at(t->files, s->path, false, &f, &own))
		v->bad[i] = wp_sprintf(a, "'%s': %s", s->path, own.why);
	else if (!(v->bad[i] = wp_stored_difference(a, s, &f)))
		hash_file(v, t, s, a, &v->bad[i], e);
	return e->code;
}

static void report(void *user)
{
	verifying *v = user;
	wp_progress g = {.stage = "verify", .bytes_total = v->k->total};

	g.bytes = atomic_load_explicit(&v->k->bytes, memory_order_relaxed);
	wp_report(v->k->ctx, &g);
}

static int hash_all(verifying *v, wp_error *e)
{
	keeping *k = v->k;
	wp_par par;
	size_t i, n;

	for (i = 0; i < k->n; i++)
		for (n = 0; k->v[i].files && !k->v[i].bad && n < k->v[i].w.n; n++) {
			WP_PUSH(&v->of, i);
			WP_PUSH(&v->row, n);
		}
	v->bad = WP_NEW_ARRAY(k->a, v->of.n + 1, const char *);
	wp_par_for(k->ctx, v->of.n, verify_one, report, v, true, &par, e);
	for (i = 0; i < v->of.n; i++)
		if (v->bad[i] && !k->v[v->of.v[i]].bad)
			k->v[v->of.v[i]].bad = wp_strdup(k->a, v->bad[i]);
	wp_par_done(&par);
	return e->code;
}

static bool is_bad(const item *t, int64_t since)
{
	(void)since;
	return t->bad != NULL;
}

static int verify(verifying *v, wp_store_verified *out, wp_error *e)
{
	static const char removed[] = "it was removed: the next install that wants the wheel unpacks it anew";
	keeping *k = v->k;
	wp_error stays = {0};
	size_t i, left;

	if (hash_all(v, e))
		return e->code;
	out->dir = wp_strdup(k->ctx->arena, k->dir);
	out->wheels = k->n;
	out->bytes = atomic_load(&k->bytes);
	for (i = 0; i < k->n; i++) {
		out->files += k->v[i].w.n;
		out->damaged += k->v[i].bad != NULL;
	}
	if (out->damaged)
		remove_items(k, is_bad, 0, &left, &stays);
	for (i = 0; i < k->n; i++)
		if (k->v[i].bad)
			tell_bad(k, &k->v[i], WP_INSTALL_STORE_CHANGED, stays.code
				? wp_sprintf(k->a, "it stays (%s): run the command again when no install is at work there", stays.why)
				: removed, &out->findings);
	return 0;
}

int wp_store_verify(wp_ctx *ctx, const char *dir, wp_store_verified *out, wp_error *e)
{
	keeping k = {.ctx = ctx, .a = wp_arena_new()};
	verifying v = {.k = &k};

	*out = (wp_store_verified){0};
	if (!open_store(&k, dir, e))
		verify(&v, out, e);
	WP_VEC_FREE(&v.of);
	WP_VEC_FREE(&v.row);
	return done(&k, dir, "verify the store", e);
}

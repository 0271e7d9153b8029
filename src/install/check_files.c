/* SPDX-License-Identifier: MIT
 *
 * check_files.c: the files of a venv on all cores: first each distribution's RECORD is read, then every file is held to
 * its row, the biggest first and small ones many a job.
 */
#include "install/drift.h"

enum { BATCH_FILES = 256, BATCH_BYTES = 4 << 20 };

/* ---- RECORDs -------------------------------------------------------------------------------- */

static int list_one(void *user, size_t i, wp_arena *a, wp_error *e)
{
	wp_checking *k = user;
	wp_checked *c = &k->dists[i];
	wp_error own = {0};

	c->by = wp_installed_by(a, &k->site, c->d);
	c->condas = k->at.conda && wp_streq(c->by, "conda");
	if (c->d->has_record && wp_installed_list(a, &k->site, c->d, &c->files, &own))
		c->fault = wp_sprintf(a, "%s%s%s", own.where, own.where[0] ? ": " : "", own.why);
	return wp_check_cancel(k->ctx, e);
}

static uint64_t promised(const wp_installed_file *f)
{
	return f->row && f->row->kind != WP_RECORD_NONE && f->row->size > 0 ? (uint64_t)f->row->size : 0;
}

int wp_check_list(wp_checking *k, wp_error *e)
{
	size_t i, j;

	if (wp_par_for(k->ctx, k->site.n, list_one, NULL, k, true, &k->listed, e))
		return e->code;
	for (i = 0; i < k->site.n; i++) {
		wp_checked *c = &k->dists[i];

		c->checks = WP_NEW_ARRAY(k->a, c->files.n + 1, wp_checked_file);
		for (j = 0; j < c->files.n; j++) {
			c->checks[j].file = &c->files.v[j];
			k->bytes_total += c->condas ? 0 : promised(&c->files.v[j]);
		}
		k->items_total += c->condas ? 0 : c->files.n;
	}
	return 0;
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct batch {
	size_t first, n;
} batch;

typedef struct hashing {
	wp_checking *k;
	wp_checked_file **order; /* biggest first */
	size_t n;
	WP_VEC(batch) batches;
} hashing;

static int by_size(const void *x, const void *y)
{
	const wp_checked_file *a = *(wp_checked_file *const *)x, *b = *(wp_checked_file *const *)y;
	uint64_t m = promised(a->file), n = promised(b->file);

	return m != n ? (m > n ? -1 : 1) : strcmp(a->file->path, b->file->path);
}

static void plan(hashing *h)
{
	wp_checking *k = h->k;
	uint64_t bytes = BATCH_BYTES;
	size_t i, j;

	h->order = WP_NEW_ARRAY(k->a, k->items_total + 1, wp_checked_file *);
	for (i = 0; i < k->site.n; i++)
		for (j = 0; j < k->dists[i].files.n && !k->dists[i].condas; j++)
			h->order[h->n++] = &k->dists[i].checks[j];
	qsort(h->order, h->n, sizeof *h->order, by_size);
	for (i = 0; i < h->n; i++) {
		if (bytes >= BATCH_BYTES || h->batches.v[h->batches.n - 1].n == BATCH_FILES) {
			batch next = {i, 0};

			WP_PUSH(&h->batches, next);
			bytes = 0;
		}
		h->batches.v[h->batches.n - 1].n++;
		bytes += promised(h->order[i]->file);
	}
}

static int hash_batch(void *user, size_t b, wp_arena *a, wp_error *e)
{
	const hashing *h = user;
	wp_checking *k = h->k;
	size_t i, from = h->batches.v[b].first;

	for (i = from; i < from + h->batches.v[b].n; i++) {
		wp_checked_file *f = h->order[i];
		wp_error own = {0};

		if (wp_check_cancel(k->ctx, e))
			return e->code;
		wp_installed_compare(k->ctx, &k->site, f->file, &f->state, &k->bytes, &own);
		if (own.code == WP_E_INTERRUPTED) {
			*e = own;
			return e->code;
		}
		if (own.code)
			f->fault = wp_strdup(a, own.why);
		atomic_fetch_add_explicit(&k->items, 1, memory_order_relaxed);
	}
	return 0;
}

static void tick(void *user)
{
	const wp_checking *k = ((const hashing *)user)->k;
	wp_progress g = {.stage = "check", .bytes = atomic_load(&k->bytes), .bytes_total = k->bytes_total,
		.items = atomic_load(&k->items), .items_total = k->items_total};

	wp_report(k->ctx, &g);
}

int wp_check_hash(wp_checking *k, wp_error *e)
{
	hashing h = {.k = k};

	plan(&h);
	wp_par_for(k->ctx, h.batches.n, hash_batch, tick, &h, true, &k->hashed, e);
	WP_VEC_FREE(&h.batches);
	return e->code;
}

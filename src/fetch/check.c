/* SPDX-License-Identifier: MIT */
#include "fetch/check.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/err.h"
#include "ext/hash.h"
#include "os/os.h"
#include "wheel/wheel.h"

enum { MAX_THREADS = 16 };

struct wp_checks {
	const wp_ctx *ctx;
	os_mutex *lock; /* guards the lists, closing and http */
	os_cond *work;
	wp_wheel_check *todo, *done;
	bool closing;
	atomic_bool stop; /* read by the jobs in each buffer */
	wp_http *http;
	os_thread *threads[MAX_THREADS];
	size_t nthreads;
};

/* ---- one check ---------------------------------------------------------------------------- */

/* The wheel's bytes; reading them ends when the user asks to stop. */
typedef struct watched {
	const wp_checks *c;
	wp_blob blob;
} watched;

static int watched_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	const watched *w = self;

	if (atomic_load_explicit(&w->c->stop, memory_order_relaxed) || wp_cancelled(w->c->ctx))
		return wp_fail(e, WP_E_INTERRUPTED, "stopped by the user");
	return w->blob.read_at(w->blob.self, buf, n, off, e);
}

static int check_members(const wp_wheel *w, wp_error *e)
{
	wp_unpacker *u = wp_unpacker_new();
	size_t i;

	for (i = 0; i < w->n && !e->code; i++)
		if (w->members[i].row && wp_member_read(u, w, &w->members[i], NULL, NULL, NULL, e))
			break;
	wp_unpacker_free(u);
	return e->code;
}

static int check_metadata(wp_wheel_check *k, const wp_wheel *w, wp_error *e)
{
	wp_sha256_hex(w->metadata_text, k->metadata);
	if (!k->metadata_sha256 || !strcmp(k->metadata, k->metadata_sha256))
		return 0;
	wp_fail(e, WP_E_METADATA, "METADATA in the wheel (sha256 %s) is not the one that was solved with (sha256 %s)",
		k->metadata, k->metadata_sha256);
	wp_err_next(e, "lock again: the index may have replaced the file");
	return wp_err_where(e, "'%s'", k->filename);
}

/* Opened for exceptions, every member has been read. */
static int check_wheel(const wp_ctx *ctx, wp_wheel_check *k, const wp_blob *blob, wp_wheel *w, wp_error *e)
{
	int rc = k->excepting ? wp_wheel_open_excepting(ctx, k->a, k->filename, blob, k->names, w, &k->findings, e)
			      : wp_wheel_open(k->a, k->filename, blob, k->names, NULL, w, &k->findings, e);

	if (rc || check_metadata(k, w, e))
		return e->code;
	wp_fit(k->record_sha256, sizeof k->record_sha256, w->record_sha256);
	k->exceptions = w->exceptions;
	return k->excepting ? 0 : check_members(w, e);
}

static int check_blob(const wp_ctx *ctx, wp_wheel_check *k, const wp_blob *blob)
{
	wp_error *e = &k->error;
	wp_wheel w;

	k->size = blob->size;
	if (k->hash && wp_sha256_blob(blob, k->digest, e))
		return e->code;
	if (check_wheel(ctx, k, blob, &w, e) == WP_E_RECORD)
		wp_wheel_advise(ctx, k->filename, blob, k->names, e);
	return e->code;
}

static void run(const wp_checks *c, wp_wheel_check *k)
{
	watched w = {.c = c};
	wp_blob blob;

	k->a = wp_arena_new();
	if (os_blob(k->path, &w.blob, &k->error))
		return;
	blob = (wp_blob){.self = &w, .size = w.blob.size, .read_at = watched_read};
	check_blob(c->ctx, k, &blob);
	if (w.blob.close)
		w.blob.close(w.blob.self);
}

/* ---- threads ------------------------------------------------------------------------------ */

static void push(wp_wheel_check **list, wp_wheel_check *k)
{
	k->next = NULL;
	while (*list)
		list = &(*list)->next;
	*list = k;
}

static wp_wheel_check *pop(wp_wheel_check **list)
{
	wp_wheel_check *k = *list;

	if (k)
		*list = k->next;
	return k;
}

static void worker(void *user)
{
	wp_checks *c = user;
	wp_wheel_check *k;

	os_mutex_lock(c->lock);
	for (;;) {
		while (!c->closing && !c->todo)
			os_cond_wait(c->work, c->lock);
		if (c->closing)
			break;
		k = pop(&c->todo);
		os_mutex_unlock(c->lock);
		run(c, k);
		os_mutex_lock(c->lock);
		push(&c->done, k);
		if (c->http)
			wp_http_wake(c->http);
	}
	os_mutex_unlock(c->lock);
}

wp_checks *wp_checks_open(const wp_ctx *ctx)
{
	wp_checks *c = wp_xmalloc(sizeof *c);
	wp_error ignored = {0};
	int i;

	*c = (wp_checks){.ctx = ctx, .lock = os_mutex_new(), .work = os_cond_new()};
	for (i = 0; ctx->jobs > 1 && i < ctx->jobs && i < MAX_THREADS; i++)
		if (!os_thread_start(&c->threads[c->nthreads], worker, c, &ignored))
			c->nthreads++;
	return c;
}

void wp_checks_wake(wp_checks *c, wp_http *http)
{
	os_mutex_lock(c->lock);
	c->http = http;
	os_mutex_unlock(c->lock);
}

void wp_checks_add(wp_checks *c, wp_wheel_check *job)
{
	if (!c->nthreads) {
		run(c, job);
		push(&c->done, job);
		return;
	}
	os_mutex_lock(c->lock);
	push(&c->todo, job);
	os_cond_signal_all(c->work);
	os_mutex_unlock(c->lock);
}

wp_wheel_check *wp_checks_take(wp_checks *c)
{
	wp_wheel_check *k;

	os_mutex_lock(c->lock);
	k = pop(&c->done);
	os_mutex_unlock(c->lock);
	return k;
}

void wp_checks_close(wp_checks *c)
{
	size_t i;

	atomic_store(&c->stop, true);
	os_mutex_lock(c->lock);
	c->closing = true;
	os_cond_signal_all(c->work);
	os_mutex_unlock(c->lock);
	for (i = 0; i < c->nthreads; i++)
		os_thread_join(c->threads[i]);
	os_mutex_free(c->lock);
	os_cond_free(c->work);
	free(c);
}

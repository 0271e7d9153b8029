/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/arena.h"
#include "os/os.h"
#include "os/par.h"

enum { TICK_MS = 100 };

typedef struct pool {
	wp_ctx *ctx;
	wp_job_fn fn;
	wp_tick_fn tick;
	void *user;
	bool stop_on_error;
	wp_par *par;
	os_mutex *lock; /* guards next, failed, interrupted, running */
	os_cond *ended;
	size_t next, running;
	bool failed, interrupted;
} pool;

/* The next job, par->n when there is none to start. */
static size_t take(pool *p)
{
	size_t i = p->par->n;

	os_mutex_lock(p->lock);
	if (p->next < p->par->n && wp_cancelled(p->ctx))
		p->interrupted = true;
	if (!p->interrupted && !(p->failed && p->stop_on_error) && p->next < p->par->n)
		i = p->next++;
	os_mutex_unlock(p->lock);
	return i;
}

/* Run one job in *a; an arena that stayed empty serves the next one. */
static void run_one(pool *p, size_t i, wp_arena **a)
{
	wp_error *e = &p->par->errors[i];
	int rc;

	if (!*a)
		*a = wp_arena_new();
	rc = p->fn(p->user, i, *a, e);
	if (rc && !e->code)
		wp_fail(e, (wp_code)rc, "a job failed without a reason");
	if (!rc && e->code)
		*e = (wp_error){0};
	if (!wp_arena_is_empty(*a)) {
		p->par->arenas[i] = *a;
		*a = NULL;
	}
	if (!rc)
		return;
	os_mutex_lock(p->lock);
	p->failed = true;
	p->interrupted |= e->code == WP_E_INTERRUPTED;
	os_mutex_unlock(p->lock);
}

static void worker(void *user)
{
	pool *p = user;
	wp_arena *a = NULL;
	size_t i;

	while ((i = take(p)) < p->par->n)
		run_one(p, i, &a);
	wp_arena_free(a);
	os_mutex_lock(p->lock);
	p->running--;
	os_cond_signal_all(p->ended);
	os_mutex_unlock(p->lock);
}

static void run_here(pool *p)
{
	uint64_t last = os_now_ms();
	wp_arena *a = NULL;
	size_t i;

	while ((i = take(p)) < p->par->n) {
		run_one(p, i, &a);
		if (p->tick && os_now_ms() - last >= TICK_MS) {
			p->tick(p->user);
			last = os_now_ms();
		}
	}
	wp_arena_free(a);
}

/* The calling thread only ticks. Fewer threads than asked for are enough. */
static size_t run_threads(pool *p, size_t jobs)
{
	os_thread **threads = wp_xmalloc(jobs * sizeof *threads);
	size_t n;

	for (n = 0; n < jobs; n++) {
		wp_error ignored = {0};

		os_mutex_lock(p->lock);
		p->running++;
		os_mutex_unlock(p->lock);
		if (os_thread_start(&threads[n], worker, p, &ignored))
			break;
	}
	os_mutex_lock(p->lock);
	p->running -= n < jobs;
	while (p->running) {
		os_cond_wait_ms(p->ended, p->lock, TICK_MS);
		os_mutex_unlock(p->lock);
		if (p->tick)
			p->tick(p->user);
		os_mutex_lock(p->lock);
	}
	os_mutex_unlock(p->lock);
	for (jobs = 0; jobs < n; jobs++)
		os_thread_join(threads[jobs]);
	free(threads);
	return n;
}

/* The error to tell of: an interrupt, else integrity, else the lowest index. */
static const wp_error *worst(const pool *p)
{
	const wp_error *first = NULL;
	size_t i;

	for (i = 0; i < p->par->n; i++) {
		const wp_error *e = &p->par->errors[i];

		if (e->code == WP_E_INTERRUPTED)
			return e;
		if (!e->code)
			continue;
		if (!first || (wp_code_exit(e->code) == WP_EXIT_INTEGRITY &&
				      wp_code_exit(first->code) != WP_EXIT_INTEGRITY))
			first = e;
	}
	return first;
}

static int outcome(const pool *p, wp_error *e)
{
	const wp_error *w;

	if (!p->failed && !p->interrupted)
		return 0;
	w = worst(p);
	if (p->interrupted && !(w && w->code == WP_E_INTERRUPTED))
		return wp_fail(e, WP_E_INTERRUPTED, "stopped by the user");
	if (!e->code)
		*e = *w;
	return e->code;
}

int wp_par_for(wp_ctx *ctx, size_t n, wp_job_fn fn, wp_tick_fn tick, void *user, bool stop_on_error,
	wp_par *out, wp_error *e)
{
	pool p = {.ctx = ctx,
		.fn = fn,
		.tick = tick,
		.user = user,
		.stop_on_error = stop_on_error,
		.par = out};
	size_t jobs = ctx->jobs > 1 ? (size_t)ctx->jobs : 1;

	/* calloc: the pages of errors that never happen are never touched */
	*out = (wp_par){calloc(n + 1, sizeof *out->arenas), calloc(n + 1, sizeof *out->errors), n};
	if (!out->arenas || !out->errors) {
		wp_par_done(out);
		return wp_fail(e, WP_E_INTERNAL, "no memory for %zu jobs", n);
	}
	p.lock = os_mutex_new();
	p.ended = os_cond_new();
	if (jobs > n)
		jobs = n;
	if (jobs <= 1 || run_threads(&p, jobs) == 0)
		run_here(&p);
	if (tick)
		tick(user);
	os_cond_free(p.ended);
	os_mutex_free(p.lock);
	return outcome(&p, e);
}

void wp_par_done(wp_par *p)
{
	size_t i;

	for (i = 0; p->arenas && i < p->n; i++)
		wp_arena_free(p->arenas[i]);
	free(p->arenas);
	free(p->errors);
	*p = (wp_par){0};
}

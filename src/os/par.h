/* SPDX-License-Identifier: MIT */
/* par.h: the one way to use several threads. (In os, not in base, because it needs threads.) */
#ifndef WP_OS_PAR_H
#define WP_OS_PAR_H

#include "wheelpack/wheelpack.h"

/* One job. a is the job's own arena: it lives until wp_par_for's caller drops the wp_par. */
typedef int (*wp_job_fn)(void *user, size_t index, wp_arena *a, wp_error *e);
/* Called on the calling thread about every 100 ms and at the end; may be NULL. */
typedef void (*wp_tick_fn)(void *user);

typedef struct wp_par {
	wp_arena **arenas; /* one a job, NULL where a job made nothing */
	wp_error *errors;  /* one a job, code 0 where it went well */
	size_t n;
} wp_par;

/* Run fn(user, 0..n-1), started in that order on ctx->jobs threads. With stop_on_error no further job is
 * started after a failure. Returns 0, or the code of the failed job with the lowest index, copied to e
 * (integrity first). Interrupted runs return WP_E_INTERRUPTED. Release with wp_par_done. */
int wp_par_for(wp_ctx *ctx, size_t n, wp_job_fn fn, wp_tick_fn tick, void *user, bool stop_on_error,
	wp_par *out, wp_error *e);
void wp_par_done(wp_par *p);

#endif

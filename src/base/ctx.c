/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "wheelpack/wheelpack.h"

void wp_ctx_init(wp_ctx *ctx, int jobs)
{
	*ctx = (wp_ctx){.arena = wp_arena_new(), .jobs = jobs > 0 ? jobs : 1};
}

void wp_ctx_done(wp_ctx *ctx)
{
	wp_arena_free(ctx->arena);
	*ctx = (wp_ctx){0};
}

bool wp_cancelled(const wp_ctx *ctx)
{
	return ctx->cancel && atomic_load_explicit(ctx->cancel, memory_order_relaxed) != 0;
}

int wp_check_cancel(const wp_ctx *ctx, wp_error *e)
{
	return wp_cancelled(ctx) ? wp_fail(e, WP_E_INTERRUPTED, "stopped by the user") : 0;
}

void wp_report(const wp_ctx *ctx, const wp_progress *p)
{
	if (ctx->progress)
		ctx->progress(ctx->progress_user, p);
}

/* SPDX-License-Identifier: MIT
 *
 * wheelpack.h: the context that every stage takes. Each stage has its own header beside this one.
 *
 * The pipeline is lock -> fetch -> pack -> verify -> install -> doctor -> probe. Each stage is one
 * call, wp_<stage>(ctx, const in *, out *, wp_error *). The library never prints, exits, reads the
 * environment or keeps mutable file-scope state.
 */
#ifndef WHEELPACK_H
#define WHEELPACK_H

#include <stdatomic.h>
#include "wheelpack/error.h"
#include "wheelpack/types.h"

#define WP_VERSION "0.1.0"

/* What a stage reports while it works. All counts are totals so far; 0 in total means unknown. */
typedef struct wp_progress {
	const char *stage;   /* "lock", "fetch", "pack", "verify", "wait", "install", "compile", "check" */
	const char *item;    /* a project or file name, or NULL; valid during the call */
	bool item_done;	     /* item is complete: the moment to print its line */
	uint64_t item_size;  /* bytes of the item that is done */
	bool item_cached;    /* it was there already */
	uint64_t bytes;	     /* bytes done in this stage */
	uint64_t bytes_total;
	uint64_t items;
	uint64_t items_total;
} wp_progress;

/* Called from the thread that called the stage, never from workers. */
typedef void (*wp_progress_fn)(void *user, const wp_progress *p);

/* Everything a stage shares with its caller. Fill it yourself or take wp_ctx_init's defaults.
 * Workers read it; only cancel changes while a stage runs. */
typedef struct wp_ctx {
	wp_arena *arena;	  /* whole run: everything a stage returns lives here */
	int jobs;		  /* threads to use; 1 is deterministic */
	wp_progress_fn progress;  /* may be NULL */
	void *progress_user;
	atomic_int *cancel;	  /* becomes non-zero on Ctrl-C; polled about once a buffer; may be NULL */
} wp_ctx;

/* ctx with a new arena, jobs as given, nothing else. wp_ctx_done frees the arena and with it
 * everything the stages returned. */
void wp_ctx_init(wp_ctx *ctx, int jobs);
void wp_ctx_done(wp_ctx *ctx);

/* True once the user asked to stop. */
bool wp_cancelled(const wp_ctx *ctx);
/* WP_E_INTERRUPTED in e if the user asked to stop, else 0. */
int wp_check_cancel(const wp_ctx *ctx, wp_error *e);
/* Calls ctx->progress if there is one. */
void wp_report(const wp_ctx *ctx, const wp_progress *p);

#endif

/* SPDX-License-Identifier: MIT */
/* Stage 2: all wheels of a lock into the cache, several at once, each checked as soon as it is whole. */
#include <stdlib.h>

#include "base/err.h"
#include "fetch/cache.h"
#include "fetch/check.h"
#include "fetch/download.h"
#include "fetch/source.h"
#include "wheel/wheel.h"

enum { MAX_DOWNLOADS = 8, TICK_MS = 100, MAX_STAMP = 4096 };

typedef struct fetcher fetcher;

typedef enum item_state { TODO, LOADING, CHECKING, ENDED } item_state;

typedef struct item {
	fetcher *f;
	const wp_lock_wheel *wheel;
	item_state state;
	wp_names names;
	bool refetch, cached, excepting;
	const char *local;  /* path of a wheel that stays where it is */
	const char *path, *digest, *record;
	wp_exceptions exceptions;
	uint64_t size;
	wp_download load;
	wp_wheel_check check;
	wp_error error;
} item;

struct fetcher {
	wp_ctx *ctx;
	wp_session *s;
	wp_fetch_result *out;
	wp_checks *checks;
	item *items;
	item **order; /* biggest first */
	size_t n, next, loading, ended;
	uint64_t last_tick;
	bool recheck, stop;
};

/* ---- progress ----------------------------------------------------------------------------- */

static uint64_t item_bytes(const item *it)
{
	if (it->state == TODO)
		return 0;
	return it->state == LOADING ? it->load.got : it->size;
}

/* -1 unknown */
static int64_t item_total(const item *it)
{
	if (it->state == CHECKING || it->state == ENDED)
		return (int64_t)it->size;
	return it->state == LOADING && it->load.total >= 0 ? it->load.total : it->wheel->size;
}

static void report(fetcher *f, const item *done)
{
	wp_progress p = {.stage = "fetch", .items = f->ended, .items_total = f->n};
	bool known = true;
	size_t i;

	for (i = 0; i < f->n; i++) {
		int64_t total = item_total(&f->items[i]);

		p.bytes += item_bytes(&f->items[i]);
		p.bytes_total += total >= 0 ? (uint64_t)total : 0;
		known &= total >= 0;
	}
	if (!known)
		p.bytes_total = 0;
	if (done) {
		p.item = done->wheel->filename;
		p.item_done = true;
		p.item_size = done->size;
		p.item_cached = done->cached;
	}
	f->last_tick = os_now_ms();
	wp_report(f->ctx, &p);
}

/* ---- the end of an item ------------------------------------------------------------------- */

/* A wheel that is bad says nothing about the next; a network or a disk that fails does. */
static void fail_item(item *it, const wp_error *e)
{
	it->error = *e;
	it->state = ENDED;
	it->f->ended++;
	it->f->stop |= wp_code_exit(e->code) != WP_EXIT_INTEGRITY;
}

static void end_item(item *it)
{
	it->state = ENDED;
	it->f->ended++;
	report(it->f, it);
}

/* ---- checks ------------------------------------------------------------------------------- */

static void write_stamp(const item *it)
{
	const wp_wheel_check *k = &it->check;
	wp_arena *a = wp_arena_new();
	const char *text = wp_sprintf(a, "record %s\nmetadata %s\nsize %llu\nnames %d\n", k->record_sha256,
		k->metadata, (unsigned long long)it->size, (int)k->names);

	(void)wp_cache_put(it->f->s->cache, "checked", it->digest, wp_str_of(text), (wp_str){0}, &(wp_error){0});
	wp_arena_free(a);
}

/* What an earlier check of the wheel of this digest found. */
typedef struct stamp {
	const char *record, *metadata, *names;
	uint64_t size;
} stamp;

static bool read_stamp(const item *it, stamp *x)
{
	wp_arena *a = it->f->ctx->arena;
	const char *size;
	wp_str text;

	if (!wp_cache_get(a, it->f->s->cache, "checked", it->digest, MAX_STAMP, &text))
		return false;
	x->record = wp_cache_field(a, text, "record");
	x->metadata = wp_cache_field(a, text, "metadata");
	x->names = wp_cache_field(a, text, "names");
	size = wp_cache_field(a, text, "size");
	return x->record && x->metadata && x->names && size && wp_str_u64(wp_str_of(size), &x->size);
}

/* It holds for what is asked now. */
static bool is_enough(const item *it, const stamp *x)
{
	const char *solved = it->wheel->metadata_sha256;

	return x->names[0] - '0' >= (int)it->names && (!solved || wp_streq(solved, x->metadata));
}

static void start_check(item *it, bool hash)
{
	it->state = CHECKING;
	it->check = (wp_wheel_check){.path = it->path,
		.filename = it->wheel->filename,
		.names = it->names,
		.hash = hash,
		.excepting = it->excepting,
		.metadata_sha256 = it->wheel->metadata_sha256,
		.tag = (size_t)(it - it->f->items)};
	wp_checks_add(it->f->checks, &it->check);
}

static void start_load(item *it);

/* The cache's copy went bad since it was checked. */
static void fetch_again(item *it, const char *why)
{
	wp_arena *a = it->f->ctx->arena;

	wp_fetch_note_add(&it->f->out->findings, a, WP_FETCH_DAMAGED, wp_sprintf(a, "'%s': %s", it->path, why));
	it->refetch = true;
	start_load(it);
}

/* The digest that a file on this machine was found to have. */
static bool digest_differs(item *it, const char *wanted)
{
	it->digest = wp_strdup(it->f->ctx->arena, it->check.digest);
	return wanted && strcmp(wanted, it->digest) != 0;
}

static void tell_exceptions(item *it)
{
	wp_arena *a = it->f->ctx->arena;
	wp_finding *f = wp_fetch_note_add(&it->f->out->findings, a, WP_FETCH_EXCEPTED, "");

	f->severity = WP_WARNING;
	wp_exceptions_tell(f, a, it->wheel->filename, &it->exceptions);
}

static void on_checked(item *it)
{
	wp_wheel_check *k = &it->check;
	wp_error e = k->error;

	it->size = k->size ? k->size : it->size;
	if (k->hash && k->digest[0] && digest_differs(it, it->local ? it->wheel->sha256 : it->digest)) {
		if (!it->local) {
			fetch_again(it, wp_sprintf(it->f->ctx->arena, "its sha256 is %s", k->digest));
			return;
		}
		e = (wp_error){0};
		wp_fail(&e, WP_E_DIGEST, "sha256 is %s, the lock says %s", k->digest, it->wheel->sha256);
		wp_err_where(&e, "'%s'", it->path);
	}
	if (e.code) {
		fail_item(it, &e);
		return;
	}
	it->record = wp_strdup(it->f->ctx->arena, k->record_sha256);
	wp_findings_append(&it->f->out->findings, it->f->ctx->arena, &it->check.findings);
	it->exceptions = wp_exceptions_copy(it->f->ctx->arena, &k->exceptions);
	if (it->exceptions.n)
		tell_exceptions(it);
	if (!it->local && !k->findings.n && !k->exceptions.n) /* what is worth telling is told each time */
		write_stamp(it);
	end_item(it);
}

static void take_checked(fetcher *f)
{
	wp_wheel_check *k;

	while ((k = wp_checks_take(f->checks))) {
		item *it = &f->items[k->tag];
		wp_arena *a = k->a;

		on_checked(it);
		wp_arena_free(a);
	}
}

/* ---- downloads ---------------------------------------------------------------------------- */

/* The wheel lies whole in the cache. */
static void on_whole(item *it, bool trusted)
{
	bool known = false;
	stamp x;

	known = it->cached && read_stamp(it, &x);
	if (known && x.size != it->size) {
		fetch_again(it, wp_sprintf(it->f->ctx->arena, "it has %llu bytes, not %llu", (unsigned long long)it->size,
			(unsigned long long)x.size));
	} else if (known && !it->f->recheck && is_enough(it, &x)) {
		it->record = x.record;
		end_item(it);
	} else {
		start_check(it, !trusted);
	}
}

static void on_loaded(void *user, wp_download *d)
{
	item *it = user;
	fetcher *f = it->f;
	wp_error e = d->error;

	f->loading--;
	f->out->bytes_downloaded += d->downloaded;
	it->path = wp_strdup(f->ctx->arena, d->path);
	it->digest = wp_strdup(f->ctx->arena, d->digest);
	it->size = d->got;
	it->cached = d->cached;
	wp_download_drop(d);
	if (e.code)
		fail_item(it, &e);
	else
		on_whole(it, !it->cached);
}

static void start_load(item *it)
{
	it->state = LOADING;
	it->load = (wp_download){.s = it->f->s,
		.url = it->wheel->url,
		.index = it->wheel->index,
		.sha256 = it->wheel->sha256,
		.size = it->wheel->size,
		.fresh = it->refetch,
		.done = on_loaded,
		.user = it};
	it->f->loading++;
	wp_download_start(&it->load);
}

static void start_item(item *it)
{
	const char *sha256 = it->wheel->sha256, *path;
	wp_arena *a = it->f->ctx->arena;

	if (it->local) {
		it->path = it->local;
		it->cached = true;
		start_check(it, true);
		return;
	}
	path = sha256 && !it->refetch ? wp_cache_wheel(a, it->f->s->cache, sha256, &it->size) : NULL;
	if (!path) {
		start_load(it);
		return;
	}
	it->path = path;
	it->digest = sha256;
	it->cached = true;
	on_whole(it, false);
}

/* ---- plan --------------------------------------------------------------------------------- */

/* Unknown sizes count as big: the index with the biggest wheels gives none. */
static int by_size(const void *x, const void *y)
{
	const item *a = *(item *const *)x, *b = *(item *const *)y;
	uint64_t m = (uint64_t)a->wheel->size, n = (uint64_t)b->wheel->size;

	if (m != n)
		return m > n ? -1 : 1;
	return a < b ? -1 : 1;
}

static void plan(fetcher *f, const wp_fetch_request *in)
{
	size_t i;

	f->items = WP_NEW_ARRAY(f->ctx->arena, f->n, item);
	f->order = WP_NEW_ARRAY(f->ctx->arena, f->n, item *);
	for (i = 0; i < f->n; i++) {
		const wp_lock_wheel *w = &in->lock->wheels[i];

		f->items[i] = (item){.f = f,
			.wheel = w,
			.names = wp_lock_names(in->lock, w->filename),
			.refetch = wp_among(in->refetch, in->nrefetch, w->project),
			.excepting = wp_among(in->allow_wrong_record, in->nallow_wrong_record, w->project),
			.local = wp_file_url_path(f->ctx->arena, w->url)};
		f->order[i] = &f->items[i];
	}
	if (f->n)
		qsort(f->order, f->n, sizeof *f->order, by_size);
}

/* ---- result ------------------------------------------------------------------------------- */

static bool counts(const item *it)
{
	return it->error.code && it->error.code != WP_E_INTERRUPTED;
}

/* What was stopped in the midst of its check, or of hashing what an earlier run left, is no fault of that wheel: the run
 * was stopped. */
static void note_interrupt(const fetcher *f, wp_error *e)
{
	size_t i;

	for (i = 0; i < f->n && !e->code; i++)
		if (f->items[i].error.code == WP_E_INTERRUPTED)
			wp_fail(e, WP_E_INTERRUPTED, "%s", f->items[i].error.why);
	if (!e->code)
		wp_check_cancel(f->ctx, e);
}

/* An interrupt, else integrity, else the first in the lock; all faults as findings where there are several. */
static int sum_up(fetcher *f, wp_error *e)
{
	wp_arena *a = f->ctx->arena;
	const item *worst = NULL;
	size_t i, faults = 0, whole = 0;

	for (i = 0; i < f->n; i++) {
		const item *it = &f->items[i];

		whole += it->state == ENDED && !it->error.code;
		if (!counts(it))
			continue;
		faults++;
		if (!worst || (wp_code_exit(it->error.code) == WP_EXIT_INTEGRITY &&
				      wp_code_exit(worst->error.code) != WP_EXIT_INTEGRITY))
			worst = it;
	}
	for (i = 0; faults > 1 && i < f->n; i++)
		if (counts(&f->items[i]))
			wp_finding_add(&f->out->findings, a, wp_code_name(f->items[i].error.code), WP_SEVERE,
				wp_sprintf(a, "'%s' could not be fetched", f->items[i].wheel->filename),
				f->items[i].error.why, NULL);
	if (worst && !e->code) {
		*e = worst->error;
		wp_err_what(e, "cannot fetch '%s %s'", worst->wheel->project, worst->wheel->version);
	}
	if (e->code)
		wp_err_state(e, "%zu of %zu %s complete in the cache '%s'; what was begun is kept there", whole, f->n,
			f->n == 1 ? "wheel is" : "wheels are", f->s->cache);
	return e->code;
}

static void fill_result(fetcher *f, const wp_lock_doc *lock)
{
	wp_arena *a = f->ctx->arena;
	wp_lock_wheel *wheels = WP_NEW_ARRAY(a, f->n, wp_lock_wheel);
	wp_fetched *fetched = WP_NEW_ARRAY(a, f->n, wp_fetched);
	const char **paths = WP_NEW_ARRAY(a, f->n, const char *);
	size_t i;

	for (i = 0; i < f->n; i++) {
		const item *it = &f->items[i];

		wheels[i] = *it->wheel;
		if (!wheels[i].sha256) {
			wheels[i].sha256 = it->digest;
			wheels[i].digest = it->local ? WP_DIGEST_LOCAL : WP_DIGEST_FIRST_USE;
		}
		wheels[i].size = (int64_t)it->size;
		fetched[i] = (wp_fetched){.filename = it->wheel->filename,
			.sha256 = it->digest,
			.record_sha256 = it->record,
			.size = it->size,
			.cached = it->cached,
			.exceptions = it->exceptions};
		paths[i] = it->path;
	}
	f->out->lock = *lock;
	f->out->lock.wheels = wheels;
	f->out->wheels = fetched;
	f->out->nwheels = f->n;
	f->out->source = wp_fetched_source(a, fetched, paths, f->n);
}

/* A project whose RECORDs are all right was named for nothing. */
static void tell_unneeded(fetcher *f, const wp_fetch_request *in)
{
	size_t i, k;

	for (i = 0; i < in->nallow_wrong_record; i++) {
		const char *project = in->allow_wrong_record[i];
		bool needed = false;

		for (k = 0; k < f->n; k++)
			needed |= f->items[k].exceptions.n && wp_streq(f->items[k].wheel->project, project);
		if (!needed)
			wp_fetch_note_add(&f->out->findings, f->ctx->arena, WP_FETCH_RIGHT,
				wp_sprintf(f->ctx->arena, "%s: its RECORD is right", project));
	}
}

/* ---- interface ---------------------------------------------------------------------------- */

static int refuse_missing_digests(const wp_lock_doc *d, wp_error *e)
{
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		if (!d->wheels[i].sha256 || d->wheels[i].digest == WP_DIGEST_FIRST_USE) {
			wp_fail(e, WP_E_DIGEST, "the index gives no sha256 for it, and digests of the index are required");
			wp_err_next(e, "leave out --require-index-hashes, or take another version");
			wp_err_what(e, "cannot fetch '%s %s'", d->wheels[i].project, d->wheels[i].version);
			return wp_err_where(e, "'%s'", d->wheels[i].filename);
		}
	return 0;
}

static int run(fetcher *f, wp_error *e)
{
	while (f->ended < f->n && !f->stop) {
		while (f->next < f->n && f->loading < MAX_DOWNLOADS && !f->stop) {
			start_item(f->order[f->next++]);
			take_checked(f);
		}
		if (wp_pump(f->s, TICK_MS, e))
			return e->code;
		wp_checks_wake(f->checks, f->s->http);
		take_checked(f);
		if (os_now_ms() - f->last_tick >= TICK_MS)
			report(f, NULL);
	}
	return 0;
}

static void stop_all(fetcher *f)
{
	wp_wheel_check *k;
	size_t i;

	for (i = 0; i < f->n; i++)
		wp_download_drop(&f->items[i].load);
	wp_checks_close(f->checks);
	for (i = 0; i < f->n; i++) {
		k = &f->items[i].check;
		if (f->items[i].state == CHECKING)
			wp_arena_free(k->a);
	}
}

int wp_fetch(wp_ctx *ctx, wp_session *s, const wp_fetch_request *in, wp_fetch_result *out, wp_error *e)
{
	fetcher f = {.ctx = ctx, .s = s, .out = out, .n = in->lock->nwheels, .recheck = in->recheck};

	*out = (wp_fetch_result){0};
	if (in->require_index_hashes && refuse_missing_digests(in->lock, e))
		return e->code;
	plan(&f, in);
	f.checks = wp_checks_open(ctx);
	run(&f, e);
	note_interrupt(&f, e);
	stop_all(&f);
	if (sum_up(&f, e))
		return e->code;
	tell_unneeded(&f, in);
	fill_result(&f, in->lock);
	return 0;
}

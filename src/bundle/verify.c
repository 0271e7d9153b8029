/* SPDX-License-Identifier: MIT
 *
 * verify.c: stage 4. First every file is hashed, the biggest first; then wheels that failed, or all of them where that
 * is asked or nothing else vouches for them, are held against their RECORD. Faults are told in the order of the plan:
 * what bundle.json lists, then what it doesn't. */
#include "bundle/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "ext/hash.h"
#include "os/par.h"
#include "wheel/wheel.h"

enum { BUFFER = 256 << 10 }; /* stays in the cache of a core */

void wp_faults_add(wp_faults *f, wp_arena *a, wp_code code, const char *where, const char *why)
{
	if (f->n == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 1;
		wp_fault *v = WP_NEW_ARRAY(a, cap, wp_fault);

		if (f->n)
			memcpy(v, f->v, f->n * sizeof *v);
		f->v = v;
		f->cap = cap;
	}
	f->v[f->n++] = (wp_fault){code, wp_strdup(a, where), wp_strdup(a, why)};
}

void wp_verify_report(const wp_verifying *v)
{
	wp_progress g = {.stage = "verify", .bytes = atomic_load(&v->bytes), .bytes_total = v->bytes_total,
		.items = atomic_load(&v->items), .items_total = v->n};

	wp_report(v->ctx, &g);
}

wp_names wp_check_names(const wp_verifying *v, const wp_check *c)
{
	wp_names own = wp_bundle_names(c->wheel), targets = wp_lock_names(&v->b->lock, c->wheel);

	return own > targets ? own : targets;
}

/* ---- plan --------------------------------------------------------------------------------- */

static void plan_listed(wp_verifying *v)
{
	const wp_bundle_doc *d = &v->b->doc;
	wp_arena *a = v->b->a;
	size_t i;

	for (i = 0; i < d->nfiles; i++) {
		const wp_bundle_file *f = &d->files[i];

		v->checks[v->n++] = (wp_check){.path = f->path, .size = f->size, .sha256 = f->sha256};
	}
	for (i = 0; i < d->nwheels; i++) {
		const wp_bundle_wheel *w = &d->wheels[i];

		v->checks[v->n++] = (wp_check){.path = os_join(a, "wheels", w->filename), .size = w->size,
			.sha256 = w->sha256, .wheel = w->filename, .record = {w->record_sha256, w->exceptions}};
	}
}

/* What isn't listed, and the wheels of a folder. */
static void plan_found(wp_verifying *v)
{
	wp_bundle *b = v->b;
	size_t i;

	for (i = 0; i < b->n; i++)
		if (b->loose)
			v->checks[v->n++] = (wp_check){.path = b->entries[i].path, .size = b->entries[i].size,
				.wheel = os_basename(b->entries[i].path)};
		else if (!wp_bundle_lists(b, b->entries[i].path))
			v->checks[v->n++] = (wp_check){.path = b->entries[i].path, .unlisted = true};
}

static void plan(wp_verifying *v)
{
	const wp_bundle *b = v->b;
	size_t i;

	v->checks = WP_NEW_ARRAY(b->a, b->doc.nfiles + b->doc.nwheels + b->n, wp_check);
	plan_listed(v);
	plan_found(v);
	for (i = 0; i < v->n; i++)
		if (v->checks[i].sha256)
			v->bytes_total += v->checks[i].size;
}

/* ---- first pass: the files ---------------------------------------------------------------- */

typedef struct hashing {
	wp_verifying *v;
	wp_check **order; /* biggest first */
} hashing;

static int hash_blob(wp_verifying *v, const wp_blob *b, char hex[WP_SHA256_HEX + 1], wp_error *e)
{
	unsigned char sum[WP_HASH_MAX];
	char *buf = wp_xmalloc(BUFFER);
	wp_hash *h = wp_hash_new(WP_SHA256);
	uint64_t off = 0;

	while (off < b->size) {
		size_t n = b->size - off < BUFFER ? (size_t)(b->size - off) : BUFFER;

		if (wp_check_cancel(v->ctx, e) || b->read_at(b->self, buf, n, off, e))
			break;
		wp_hash_add(h, buf, n);
		off += n;
		atomic_fetch_add_explicit(&v->bytes, n, memory_order_relaxed);
	}
	wp_hash_end(h, sum);
	wp_hex(sum, 32, hex);
	wp_hash_free(h);
	free(buf);
	return e->code;
}

/* The right bytes, but can they be installed? bundle.json may promise another RECORD. */
static void check_record(const wp_verifying *v, const wp_check *c, const wp_blob *b, wp_error *f)
{
	wp_arena *a = wp_arena_new();
	wp_wheel w;

	wp_wheel_open(a, c->wheel, b, wp_check_names(v, c), &c->record, &w, NULL, f);
	wp_arena_free(a);
}

static void check_file(wp_verifying *v, wp_check *c, wp_error *f)
{
	char hex[WP_SHA256_HEX + 1];
	wp_blob b;

	if (wp_bundle_check_listed(v->b, c->path, c->size, f) ||
		wp_source_blob(v->b, wp_source_find(v->b, c->path), &b, f))
		return;
	if (!hash_blob(v, &b, hex, f)) {
		c->wrong_digest = strcmp(hex, c->sha256) != 0;
		if (c->wrong_digest)
			wp_fail(f, WP_E_DIGEST, "sha256 is %s, bundle.json promises %s", hex, c->sha256);
		else if (c->wheel)
			check_record(v, c, &b, f);
	}
	if (b.close)
		b.close(b.self);
}

static const char *where(wp_arena *a, const wp_check *c, const wp_error *f)
{
	return f->where[0] ? f->where : wp_sprintf(a, "'%s'", c->wheel ? c->wheel : c->path);
}

static int hash_one(void *user, size_t i, wp_arena *a, wp_error *e)
{
	const hashing *h = user;
	wp_check *c = h->order[i];
	wp_error f = {0};

	if (c->unlisted)
		wp_fail(&f, WP_E_BUNDLE, "it is not listed in bundle.json");
	else if (c->sha256 && c->faults.n == 0)
		check_file(h->v, c, &f);
	atomic_fetch_add_explicit(&h->v->items, 1, memory_order_relaxed);
	if (f.code == WP_E_INTERRUPTED) {
		*e = f;
		return e->code;
	}
	if (f.code)
		wp_faults_add(&c->faults, a, f.code, where(a, c, &f), f.why);
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const wp_check *x = *(wp_check *const *)a, *y = *(wp_check *const *)b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void tick(void *user)
{
	wp_verify_report(((const hashing *)user)->v);
}

static int hash_files(wp_verifying *v, wp_par *par, wp_error *e)
{
	hashing h = {v, WP_NEW_ARRAY(v->b->a, v->n, wp_check *)};
	size_t i;

	for (i = 0; i < v->n; i++)
		h.order[i] = &v->checks[i];
	if (v->n)
		qsort(h.order, v->n, sizeof *h.order, by_size);
	return wp_par_for(v->ctx, v->n, hash_one, tick, &h, true, par, e);
}

/* ---- result ------------------------------------------------------------------------------- */

static void report_fault(wp_arena *a, const wp_check *c, const wp_fault *f, const char *next, wp_findings *out)
{
	wp_finding *found = wp_finding_add(out, a, wp_code_name(f->code), WP_SEVERE,
		wp_sprintf(a, "%s: %s", f->where, wp_code_text(f->code)), f->why, next);

	wp_finding_files(found, a, &c->path, 1);
}

static const char *advice(const wp_verifying *v, const wp_check *c, const wp_fault *f)
{
	if (c->unlisted)
		return "remove the file, or copy the bundle again";
	if (!v->b->loose)
		return "copy the bundle again and verify it; if that fails too, rebuild it";
	return wp_code_advice(f->code);
}

/* Every fault is a finding, the first of the plan is the error. */
static int conclude(const wp_verifying *v, const char *path, wp_verify_result *out, wp_error *e)
{
	wp_arena *a = v->ctx->arena;
	size_t i, k;

	for (i = 0; i < v->n; i++)
		for (k = 0; k < v->checks[i].faults.n; k++) {
			const wp_check *c = &v->checks[i];
			const wp_fault *f = &c->faults.v[k];

			report_fault(a, c, f, advice(v, c, f), &out->findings);
			if (e->code)
				continue;
			wp_fail(e, f->code, "%s", f->why);
			wp_err_where(e, "%s", f->where);
			wp_err_next(e, "%s", advice(v, c, f));
		}
	if (!e->code)
		return 0;
	if (out->findings.n > 1)
		wp_err_state(e, "%zu faults in all; nothing was changed", out->findings.n);
	return v->b->loose ? (int)e->code : wp_err_where(e, "bundle '%s'", path);
}

static void count(const wp_verifying *v, wp_verify_result *out)
{
	size_t i;

	for (i = 0; i < v->n; i++) {
		out->files += !v->checks[i].unlisted;
		out->wheels += v->checks[i].wheel != NULL;
		out->bytes += v->checks[i].size;
	}
	if (v->b->loose)
		return;
	out->files++;
	out->bytes += v->b->entries[wp_source_find(v->b, "bundle.json")].size;
	out->id = wp_strdup(v->ctx->arena, v->b->id);
	out->lock_id = wp_strdup(v->ctx->arena, v->b->doc.lock_sha256);
}

/* lock.json is read before it is hashed with the others: a fault in it counts for that file. */
static void check_lock(wp_verifying *v)
{
	wp_error f = {0};
	size_t i;

	if (v->b->loose || !wp_bundle_read_lock(v->b, &f))
		return;
	for (i = 0; i < v->n; i++)
		if (strcmp(v->checks[i].path, "lock.json") == 0)
			wp_faults_add(&v->checks[i].faults, v->b->a, f.code, where(v->b->a, &v->checks[i], &f),
				f.why);
}

static int verify(wp_verifying *v, const wp_verify_request *in, wp_verify_result *out, wp_error *e)
{
	wp_par par = {0};
	size_t i;

	plan(v);
	check_lock(v);
	if (!hash_files(v, &par, e)) {
		for (i = 0; i < v->n; i++) {
			wp_check *c = &v->checks[i];

			c->by_member = c->wheel && (c->wrong_digest ||
						   (c->faults.n == 0 && (in->deep || v->b->loose)));
		}
		if (!wp_verify_members(v, e)) {
			count(v, out);
			conclude(v, in->path, out, e);
		}
	}
	wp_par_done(&par);
	return e->code;
}

/* Nothing in a bundle can be judged without bundle.json. */
static int no_manifest(wp_ctx *ctx, const wp_verify_request *in, wp_verify_result *out, wp_error *e)
{
	wp_check c = {.path = "bundle.json"};
	wp_fault f = {e->code, e->where, e->why};

	report_fault(ctx->arena, &c, &f, wp_code_advice(WP_E_BUNDLE), &out->findings);
	wp_err_next(e, "%s", wp_code_advice(WP_E_BUNDLE));
	return wp_err_where(e, "bundle '%s'", in->path);
}

int wp_verify(wp_ctx *ctx, const wp_verify_request *in, wp_verify_result *out, wp_error *e)
{
	wp_verifying v = {.ctx = ctx};

	*out = (wp_verify_result){0};
	if (wp_source_open(in->path, &v.b, e)) {
		wp_err_where(e, "'%s'", in->path);
		return wp_err_what(e, "cannot vouch for '%s'", in->path);
	}
	if (!v.b->loose && wp_bundle_read_manifest(v.b, e))
		no_manifest(ctx, in, out, e);
	else
		verify(&v, in, out, e);
	wp_bundle_close(v.b);
	return e->code ? wp_err_what(e, "cannot vouch for '%s'", in->path) : 0;
}

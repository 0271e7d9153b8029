/* SPDX-License-Identifier: MIT */
/* lock.c: stage 1. Parses the request, solves each target by itself, and brings the targets together. */
#include "resolve/locking.h"

static int parse_list(wp_locking *s, const char *const *texts, size_t n, bool constraints, const wp_requirement **out,
	wp_error *e)
{
	wp_requirement *v = WP_NEW_ARRAY(s->ctx->arena, n, wp_requirement);
	size_t i;

	for (i = 0; i < n; i++) {
		if (wp_requirement_parse(s->ctx->arena, wp_str_of(texts[i]), &v[i], e))
			return wp_err_where(e, "'%s'", texts[i]);
		if (constraints && v[i].url)
			return wp_fail(e, WP_E_REQUIREMENT, "the constraint '%s' has an address, which it cannot have",
				texts[i]);
		if (constraints && v[i].nextras)
			return wp_fail(e, WP_E_REQUIREMENT, "the constraint '%s' has extras, which it cannot have",
				texts[i]);
	}
	*out = v;
	return 0;
}

static int parse_addresses(wp_locking *s, wp_error *e)
{
	size_t i, n = s->in->nrequirements;
	wp_direct_wheel *v = WP_NEW_ARRAY(s->ctx->arena, n, wp_direct_wheel);

	s->addresses = v;
	for (i = 0; i < n; i++) {
		if (!s->requirements[i].url)
			continue;
		if (wp_direct_parse(s->ctx->arena, &s->requirements[i], s->naddresses + 1, &v[s->naddresses], e))
			return wp_err_where(e, "'%s'", s->in->requirements[i]);
		s->naddresses++;
	}
	return 0;
}

static int parse_moment(wp_locking *s, wp_error *e)
{
	const char *text = s->in->exclude_newer;

	s->before = WP_ANY_TIME;
	if (!text || wp_moment_parse(wp_str_of(text), &s->before))
		return 0;
	wp_fail(e, WP_E_USAGE, "'%s' is no date", text);
	return wp_err_next(e, "for example 2025-06-30, which takes all of that day in UTC, or 2025-06-30T12:00:00Z");
}

static int parse_request(wp_locking *s, wp_error *e)
{
	if (s->in->ntargets == 0)
		return wp_fail(e, WP_E_TARGET, "no target was named");
	if (s->in->nrequirements == 0)
		return wp_fail(e, WP_E_REQUIREMENT, "no requirement was given");
	if (parse_list(s, s->in->requirements, s->in->nrequirements, false, &s->requirements, e) ||
		parse_list(s, s->in->constraints, s->in->nconstraints, true, &s->constraints, e) ||
		parse_addresses(s, e))
		return e->code;
	return parse_moment(s, e);
}

/* ---- the earlier lock --------------------------------------------------------------------- */

/* What the earlier lock has for the target of that name. */
static void keep_versions(wp_locking *s, wp_job *j)
{
	const wp_lock_doc *d = s->in->keep;
	const wp_lock_target *t = NULL;
	wp_preference *v;
	size_t i;

	for (i = 0; d && i < d->ntargets; i++)
		if (wp_streq(d->targets[i].name, j->t->name))
			t = &d->targets[i];
	if (!t)
		return;
	v = WP_NEW_ARRAY(j->pool.arena, t->nwheels, wp_preference);
	for (i = 0; i < t->nwheels; i++) {
		const wp_lock_wheel *w = wp_lock_find(d, t->wheels[i]);

		if (w && !wp_among(s->in->update, s->in->nupdate, w->project))
			v[j->nkept++] = (wp_preference){w->project, w->version};
	}
	wp_sort_preferences(v, j->nkept);
	for (i = 1; i < j->nkept; i++)
		if (wp_streq(v[i].project, v[i - 1].project))
			j->nkept = 0; /* no lock of ours has two wheels of a project for one target */
	j->kept = v;
}

/* ---- one target --------------------------------------------------------------------------- */

static void add_roots(wp_job *j, const wp_requirement *v, size_t n, bool constraint, wp_dep *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!wp_marker_eval(v[i].marker, &j->t->markers, NULL, 0))
			continue;
		out[j->nroots] = wp_pool_dep(&j->pool, &v[i]);
		out[j->nroots++].constraint = constraint;
	}
}

/* The addresses whose markers hold stand in front of the catalogue. */
static int add_addresses(wp_locking *s, wp_job *j, wp_error *e)
{
	size_t i, k = 0;

	wp_direct_init(&j->direct, s->ctx->arena, s->catalog, s->naddresses);
	for (i = 0; i < s->in->nrequirements; i++) {
		const wp_requirement *r = &s->requirements[i];

		if (!r->url)
			continue;
		if (wp_marker_eval(r->marker, &j->t->markers, NULL, 0) && wp_direct_add(&j->direct, &s->addresses[k], e))
			return e->code;
		k++;
	}
	return 0;
}

int wp_solve_job(wp_job *j, const wp_preference *v, size_t n, wp_error *e)
{
	wp_pool_prefer(&j->pool, v, n);
	if (wp_pool_prefetch(&j->pool, j->roots, j->nroots, e))
		return e->code;
	return wp_solve(&j->pool, j->roots, j->nroots, &j->solution, e);
}

static int solve_target(wp_locking *s, wp_job *j, wp_error *e)
{
	wp_dep *roots;

	if (add_addresses(s, j, e))
		return e->code;
	wp_pool_init(&j->pool, s->ctx, &j->direct.api, j->t, s->in->compat, s->in->prerelease);
	j->pool.before = s->before;
	j->exclude_newer = s->in->exclude_newer;
	j->indexes = s->in->indexes;
	j->nindexes = s->in->nindexes;
	keep_versions(s, j);
	wp_pool_prefer(&j->pool, j->kept, j->nkept);
	roots = WP_NEW_ARRAY(j->pool.arena, s->in->nrequirements + s->in->nconstraints, wp_dep);
	j->roots = roots;
	add_roots(j, s->requirements, s->in->nrequirements, false, roots);
	add_roots(j, s->constraints, s->in->nconstraints, true, roots);
	if (wp_pool_prefetch(&j->pool, roots, j->nroots, e) || wp_check_roots(j, e) ||
		wp_solve(&j->pool, roots, j->nroots, &j->solution, e))
		return e->code;
	return j->solution.solved ? 0 : wp_explain(j, e);
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* A lock of which every byte is vouched for by its index. */
static int check_digests(const wp_lock_request *in, const wp_lock_doc *d, wp_error *e)
{
	wp_buf b;
	size_t i;
	int rc = 0;

	if (!in->require_index_hashes)
		return 0;
	wp_buf_init(&b, 800);
	for (i = 0; i < d->nwheels; i++)
		if (!d->wheels[i].sha256)
			wp_buf_printf(&b, "%s'%s'", b.n ? ", " : "", d->wheels[i].filename);
	if (b.n) {
		rc = wp_fail(e, WP_E_DIGEST, "the index gives no sha256 for %s", b.p);
		wp_err_next(e, "lock without --require-index-hashes: the digest is then computed on first use");
	}
	wp_buf_free(&b);
	return rc;
}

static int say_what(const wp_lock_request *in, wp_error *e)
{
	wp_buf b;
	size_t i;

	wp_buf_init(&b, 200);
	for (i = 0; i < in->nrequirements; i++)
		wp_buf_printf(&b, "%s'%s'", i ? ", " : "", in->requirements[i]);
	wp_err_what(e, "cannot lock %s", b.p ? b.p : "");
	wp_buf_free(&b);
	return e->code;
}

static int lock_targets(wp_locking *s, wp_lock_result *out, wp_error *e)
{
	size_t i;

	for (i = 0; i < s->in->ntargets; i++)
		if (solve_target(s, &s->jobs[i], e))
			return wp_err_where(e, "target '%s'", s->jobs[i].t->name);
	if (wp_align(s, e) || wp_build_lock(s, &out->lock, e))
		return e->code;
	if (wp_trace(s, out, e))
		return e->code;
	wp_lock_notes(s, &out->findings);
	return check_digests(s->in, &out->lock, e);
}

/* By name: neither the document nor the choice depends on the order in which targets are named. */
static int by_target(const void *a, const void *b)
{
	return strcmp(((const wp_job *)a)->t->name, ((const wp_job *)b)->t->name);
}

int wp_lock(wp_ctx *ctx, const wp_lock_request *in, const wp_catalog *catalog, wp_lock_result *out, wp_error *e)
{
	wp_locking s = {.ctx = ctx, .in = in, .catalog = catalog};
	size_t i;

	*out = (wp_lock_result){0};
	if (parse_request(&s, e))
		return say_what(in, e);
	s.jobs = WP_NEW_ARRAY(ctx->arena, in->ntargets, wp_job);
	for (i = 0; i < in->ntargets; i++)
		s.jobs[i].t = &in->targets[i];
	qsort(s.jobs, in->ntargets, sizeof *s.jobs, by_target);
	lock_targets(&s, out, e);
	for (i = 0; i < in->ntargets; i++)
		if (s.jobs[i].pool.arena)
			wp_pool_free(&s.jobs[i].pool);
	return e->code ? say_what(in, e) : 0;
}

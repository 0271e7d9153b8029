/* SPDX-License-Identifier: MIT */
/* lock.c: stage 1. Parses the request, then solves each target by itself. */
#include "resolve/locking.h"

static int parse_list(wp_locking *s, const char *const *texts, size_t n, bool constraints, const wp_requirement **out,
	wp_error *e)
{
	wp_requirement *v = WP_NEW_ARRAY(s->ctx->arena, n, wp_requirement);
	size_t i;

	for (i = 0; i < n; i++) {
		if (wp_requirement_parse(s->ctx->arena, wp_str_of(texts[i]), &v[i], e))
			return wp_err_where(e, "'%s'", texts[i]);
		if (v[i].url)
			return wp_fail(e, WP_E_REQUIREMENT,
				"'%s' names an address; wheels are taken from indexes and folders only", texts[i]);
		if (constraints && v[i].nextras)
			return wp_fail(e, WP_E_REQUIREMENT, "the constraint '%s' has extras, which it cannot have",
				texts[i]);
	}
	*out = v;
	return 0;
}

static int parse_request(wp_locking *s, wp_error *e)
{
	if (s->in->ntargets == 0)
		return wp_fail(e, WP_E_TARGET, "no target was named");
	if (s->in->nrequirements == 0)
		return wp_fail(e, WP_E_REQUIREMENT, "no requirement was given");
	if (parse_list(s, s->in->requirements, s->in->nrequirements, false, &s->requirements, e))
		return e->code;
	return parse_list(s, s->in->constraints, s->in->nconstraints, true, &s->constraints, e);
}

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

static int solve_target(wp_locking *s, wp_job *j, wp_error *e)
{
	wp_dep *roots;

	wp_pool_init(&j->pool, s->ctx, s->catalog, j->t, s->in->compat, s->in->prerelease);
	roots = WP_NEW_ARRAY(j->pool.arena, s->in->nrequirements + s->in->nconstraints, wp_dep);
	j->roots = roots;
	add_roots(j, s->requirements, s->in->nrequirements, false, roots);
	add_roots(j, s->constraints, s->in->nconstraints, true, roots);
	if (wp_pool_prefetch(&j->pool, roots, j->nroots, e) || wp_check_roots(j, e) ||
		wp_solve(&j->pool, roots, j->nroots, &j->solution, e))
		return e->code;
	return j->solution.solved ? 0 : wp_explain(j, e);
}

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
	if (wp_build_lock(s, &out->lock, e))
		return e->code;
	if (wp_trace(s, out, e))
		return e->code;
	wp_lock_notes(s, &out->findings);
	return check_digests(s->in, &out->lock, e);
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
	lock_targets(&s, out, e);
	for (i = 0; i < in->ntargets; i++)
		if (s.jobs[i].pool.arena)
			wp_pool_free(&s.jobs[i].pool);
	return e->code ? say_what(in, e) : 0;
}

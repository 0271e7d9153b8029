/* SPDX-License-Identifier: MIT */
/* trace.c: why a version was taken: who asked for it, up to the request, and what became of the newer ones. */
#include "base/near.h"
#include "resolve/say.h"

enum { MAX_ASKERS = 1000, MAX_DEPTH = 60 };

typedef struct trace {
	const wp_job *j;
	wp_arena *a; /* of the run */
	bool *told;  /* projects whose askers were told */
	WP_VEC(wp_asker) askers;
} trace;

static const char *version_of(const wp_job *j, const wp_chosen *c)
{
	return wp_chosen_cand(j, c)->version.norm;
}

/* ---- who asks --------------------------------------------------------------------------------- */

static wp_asker *add_asker(trace *t, unsigned depth, const wp_dep *d)
{
	wp_asker *x = WP_PUSH_NEW(&t->askers);

	x->depth = depth;
	x->requirement = wp_say_dep(t->a, d);
	return x;
}

static void tell_askers(trace *t, uint32_t project, unsigned depth);

static void tell_owner(trace *t, const wp_chosen *owner, const wp_dep *d, unsigned depth)
{
	wp_asker *x = add_asker(t, depth, d);

	x->project = wp_strdup(t->a, t->j->pool.projects.v[owner->project]->name);
	x->version = wp_strdup(t->a, version_of(t->j, owner));
	x->again = t->told[owner->project];
	if (!x->again)
		tell_askers(t, owner->project, depth + 1);
}

static void tell_askers(trace *t, uint32_t project, unsigned depth)
{
	const wp_job *j = t->j;
	size_t i, k;

	t->told[project] = true;
	for (i = 0; i < j->nroots; i++)
		if (j->roots[i].project == project)
			add_asker(t, depth, &j->roots[i])->constraint = j->roots[i].constraint;
	for (i = 0; i < j->solution.n && depth < MAX_DEPTH; i++) {
		const wp_chosen *c = &j->solution.v[i];
		const wp_cand_facts *f = wp_chosen_facts(j, c);

		for (k = 0; k < f->ndeps && t->askers.n < MAX_ASKERS; k++)
			if (f->deps[k].project == project && c->project != project && !f->deps[k].constraint &&
				wp_in_force(j, c, &f->deps[k]))
				tell_owner(t, c, &f->deps[k], depth);
	}
}

/* ---- newer versions --------------------------------------------------------------------------- */

static const char *say_refusal(wp_arena *a, const wp_job *j, const wp_chosen *owner, const wp_dep *d)
{
	const char *text = wp_say_dep(a, d);

	if (!owner)
		return wp_sprintf(a, d->constraint ? "the constraint is %s" : "%s is asked for", text);
	if (d->reason)
		return wp_strdup(a, d->reason);
	return wp_sprintf(a, "%s %s requires %s", j->pool.projects.v[owner->project]->name, version_of(j, owner), text);
}

/* The first requirement that leaves this version out; NULL. */
static const char *left_out_by(wp_arena *a, const wp_job *j, uint32_t project, const wp_cand *c)
{
	size_t i, k;

	for (i = 0; i < j->nroots; i++)
		if (j->roots[i].project == project && wp_refuses(&j->roots[i], &c->version))
			return say_refusal(a, j, NULL, &j->roots[i]);
	for (i = 0; i < j->solution.n; i++) {
		const wp_chosen *x = &j->solution.v[i];
		const wp_cand_facts *f = wp_chosen_facts(j, x);

		for (k = 0; k < f->ndeps; k++)
			if (f->deps[k].project == project && x->project != project && wp_in_force(j, x, &f->deps[k]) &&
				wp_refuses(&f->deps[k], &c->version))
				return say_refusal(a, j, x, &f->deps[k]);
	}
	return NULL;
}

/* What it requires itself, as far as it was read, that does not go with what was taken; NULL. */
static const char *requires_other(wp_arena *a, const wp_job *j, const wp_chosen *c, const wp_cand_facts *f)
{
	size_t i;

	for (i = 0; i < f->ndeps; i++) {
		const wp_dep *d = &f->deps[i];
		const wp_pooled *p = j->pool.projects.v[d->project];
		const wp_chosen *x = wp_choice_at(j, d->project);

		if (!wp_in_force(j, c, d))
			continue;
		if (x && x->project != c->project && wp_refuses(d, &wp_chosen_cand(j, x)->version))
			return wp_sprintf(a, "it %s %s, and %s %s was taken",
				d->constraint ? "goes only with" : "requires", wp_say_dep(a, d), p->name, version_of(j, x));
		if (!x && !d->constraint && p->loaded && !p->c.n)
			return wp_sprintf(a, "it requires %s, but %s", wp_say_dep(a, d), wp_say_nothing(a, j, p, d));
	}
	return NULL;
}

static bool is_kept(const wp_job *j, const char *project, const char *version)
{
	size_t i;

	for (i = 0; i < j->nkept; i++)
		if (wp_streq(j->kept[i].project, project))
			return wp_streq(j->kept[i].version, version);
	return false;
}

/* Why a version with a wheel that fits was not taken. */
static const char *why_not(wp_arena *a, const wp_job *j, const wp_chosen *c, uint32_t other)
{
	const wp_pooled *p = j->pool.projects.v[c->project];
	const wp_cand *x = &p->c.v[other];
	const wp_cand_facts *f = p->facts[other];
	const char *why = left_out_by(a, j, c->project, x);

	if (why)
		return why;
	if (x->yanked)
		return x->file->yanked_reason && *x->file->yanked_reason
			? wp_sprintf(a, "it is yanked (%s), and nothing pins it", x->file->yanked_reason)
			: "it is yanked, and nothing pins it";
	if (p->prefer == c->cand)
		return wp_sprintf(a, is_kept(j, p->name, version_of(j, c)) ? "the earlier lock has %s"
			: "%s is what other targets can have too", version_of(j, c));
	if (x->pre && other > c->cand)
		return "it is a pre-release";
	if (f && f->broken)
		return wp_strdup(a, f->broken);
	why = f ? requires_other(a, j, c, f) : NULL;
	return why ? why : "no set of versions was found with it";
}

/* Each version that does not fit is looked for on the page, so that it may take long. */
static int tell_newer(wp_arena *a, const wp_job *j, const wp_chosen *c, wp_explained *out, wp_error *e)
{
	const wp_pooled *p = j->pool.projects.v[c->project];
	const wp_version *have = &wp_chosen_cand(j, c)->version;
	const wp_cand **all = WP_NEW_ARRAY(a, p->c.n + p->c.nout, const wp_cand *);
	wp_passed_over *v = WP_NEW_ARRAY(a, p->c.n + p->c.nout, wp_passed_over);
	size_t i, n = 0;

	for (i = 0; i < p->c.n + p->c.nout; i++) {
		const wp_cand *x = i < p->c.n ? &p->c.v[i] : &p->c.out[i - p->c.n];

		if (wp_version_cmp(&x->version, have) > 0)
			all[n++] = x;
	}
	if (n)
		qsort(all, n, sizeof *all, wp_newest_first);
	for (i = 0; i < n; i++) {
		if (wp_check_cancel(j->pool.ctx, e))
			return e->code;
		v[i].version = wp_strdup(a, all[i]->version.norm);
		v[i].why = all[i]->file ? why_not(a, j, c, (uint32_t)(all[i] - p->c.v)) : wp_say_unfit(a, j, p, all[i]);
	}
	out->newer = v;
	out->nnewer = n;
	return 0;
}

/* ---- all -------------------------------------------------------------------------------------- */

static int tell_one(wp_arena *a, const wp_job *j, const wp_chosen *c, wp_explained *out, wp_error *e)
{
	trace t = {.j = j, .a = a, .told = WP_NEW_ARRAY(a, j->pool.projects.n, bool)};
	const wp_file *f = wp_chosen_cand(j, c)->file;

	out->target = wp_strdup(a, j->t->name);
	out->project = wp_strdup(a, j->pool.projects.v[c->project]->name);
	out->version = wp_strdup(a, version_of(j, c));
	out->filename = wp_strdup(a, f->filename);
	out->index = wp_strdup(a, f->index);
	tell_askers(&t, c->project, 0);
	out->askers = WP_VEC_COPY(a, &t.askers);
	out->naskers = t.askers.n;
	WP_VEC_FREE(&t.askers);
	return tell_newer(a, j, c, out, e);
}

static int unknown(const wp_locking *s, const char *name, const wp_lock_doc *d, wp_error *e)
{
	const char **names = WP_NEW_ARRAY(s->ctx->arena, d->nwheels, const char *), *near;
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		names[i] = d->wheels[i].project;
	near = wp_near(name, names, d->nwheels);
	wp_fail(e, WP_E_USAGE, "'%s', which is to be explained, is not among the wheels", name);
	return near ? wp_err_next(e, "did you mean `%s`?", near) : wp_err_next(e, "name a project of the lock");
}

int wp_trace(const wp_locking *s, wp_lock_result *out, wp_error *e)
{
	wp_explained *v = WP_NEW_ARRAY(s->ctx->arena, s->in->nexplain * s->in->ntargets, wp_explained);
	size_t i, k;

	for (i = 0; i < s->in->nexplain; i++) {
		size_t before = out->nexplained;

		for (k = 0; k < s->in->ntargets; k++) {
			const wp_chosen *c = wp_choice_of(&s->jobs[k], s->in->explain[i]);

			if (c && tell_one(s->ctx->arena, &s->jobs[k], c, &v[out->nexplained++], e))
				return e->code;
		}
		if (out->nexplained == before)
			return unknown(s, s->in->explain[i], &out->lock, e);
	}
	out->explained = v;
	return 0;
}

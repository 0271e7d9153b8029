/* SPDX-License-Identifier: MIT */
/* build.c: from the solutions to the lock document. Everything is copied into the run's arena and sorted, so that
 * the same answers give the same bytes. */
#include "ext/hash.h"
#include "ext/url.h"
#include "resolve/locking.h"

bool wp_in_force(const wp_job *j, const wp_chosen *c, const wp_dep *d)
{
	return wp_pool_in_force(&j->pool, d, c->extras, c->nextras);
}

static int by_project(const void *number, const void *chosen)
{
	uint32_t a = *(const uint32_t *)number, b = ((const wp_chosen *)chosen)->project;

	return a < b ? -1 : a > b;
}

const wp_chosen *wp_choice_at(const wp_job *j, uint32_t project)
{
	const wp_solution *s = &j->solution;

	return s->n ? bsearch(&project, s->v, s->n, sizeof *s->v, by_project) : NULL;
}

const wp_chosen *wp_choice_of(const wp_job *j, const char *project)
{
	uint32_t id;

	return wp_map_get(&j->pool.ids, wp_str_of(project), &id) ? wp_choice_at(j, id) : NULL;
}

const wp_cand_facts *wp_chosen_facts(const wp_job *j, const wp_chosen *c)
{
	return j->pool.projects.v[c->project]->facts[c->cand];
}

const wp_cand *wp_chosen_cand(const wp_job *j, const wp_chosen *c)
{
	return &j->pool.projects.v[c->project]->c.v[c->cand];
}

/* ---- cuda --------------------------------------------------------------------------------- */

const char *wp_torch_variant(const wp_job *j)
{
	const wp_chosen *c = wp_choice_of(j, "torch");
	const wp_release_fact *r;
	const wp_version *v;
	const char *platform = wp_compat_platform(j->t->platform);

	if (!c)
		return NULL;
	v = &wp_chosen_cand(j, c)->version;
	if (v->local)
		return v->local;
	if (j->t->variant)
		return j->t->variant;
	if (j->t->windows)
		return "cpu";
	if (!j->pool.compat || !wp_streq(platform, "linux_x86_64"))
		return NULL;
	r = wp_compat_release(j->pool.compat, wp_version_public(j->pool.arena, v));
	return r ? r->default_linux : NULL;
}

/* cu126 means 12.6; NULL for anything else. */
static const char *cuda_of(wp_arena *a, const char *variant)
{
	size_t n = variant && wp_starts(variant, "cu") ? strspn(variant + 2, "0123456789") : 0;

	if (n < 2 || n > 5 || variant[2 + n])
		return NULL;
	return wp_sprintf(a, "%.*s.%c", (int)n - 1, variant + 2, variant[n + 1]);
}

static void fill_cuda(wp_arena *a, wp_job *j, wp_lock_target *out)
{
	const char *variant = wp_torch_variant(j);
	const wp_compat *c = j->pool.compat;
	const wp_variant_fact *f = c && variant ? wp_compat_variant(c, variant) : NULL;
	const char *const *arches;
	const char **copy;
	size_t i;

	out->cuda_version = cuda_of(a, variant);
	if (!out->cuda_version || !f)
		return;
	out->driver_runs = wp_strdup(a, j->t->windows ? f->driver_runs_windows : f->driver_runs_linux);
	out->driver_full = wp_strdup(a, j->t->windows ? f->driver_full_windows : f->driver_full_linux);
	arches = wp_compat_arches(c,
		wp_version_public(j->pool.arena, &wp_chosen_cand(j, wp_choice_of(j, "torch"))->version),
		wp_compat_platform(j->t->platform), variant, &out->narches);
	copy = WP_NEW_ARRAY(a, out->narches, const char *);
	for (i = 0; i < out->narches; i++)
		copy[i] = wp_strdup(a, arches[i]);
	out->arches = copy;
}

/* ---- wheels ------------------------------------------------------------------------------- */

/* A requirement line of a wheel and where it holds. */
typedef struct held {
	uint32_t line;
	const char *text, *project;
	WP_VEC(const char *) targets;
} held;

typedef struct draft {
	wp_lock_wheel wheel;
	const wp_version *version;
	WP_VEC(held) requires;
} draft;

typedef struct builder {
	wp_locking *s;
	wp_arena *a;
	wp_map by_file;
	WP_VEC(draft) drafts;
} builder;

static wp_digest_state digest_of(const wp_file *f)
{
	if (!f->sha256)
		return WP_DIGEST_NONE;
	if (wp_starts(f->index, "direct"))
		return WP_DIGEST_USER;
	return wp_own_file(f) ? WP_DIGEST_LOCAL : WP_DIGEST_INDEX;
}

static bool asked_for(const wp_job *j, uint32_t project)
{
	size_t i;

	for (i = 0; i < j->nroots; i++)
		if (j->roots[i].project == project && !j->roots[i].constraint)
			return true;
	return false;
}

static int start_draft(builder *b, const wp_job *j, const wp_chosen *c, draft *out, wp_error *e)
{
	const wp_cand *cand = wp_chosen_cand(j, c);
	const wp_file *f = cand->file;
	const char *requires_python = wp_chosen_facts(j, c)->requires_python;
	char *hex = wp_alloc(b->a, WP_SHA256_HEX + 1);
	wp_str text;

	if (b->s->catalog->metadata(b->s->catalog->self, f, &text, e))
		return e->code;
	wp_sha256_hex(text, hex);
	out->wheel = (wp_lock_wheel){
		.project = wp_strdup(b->a, j->pool.projects.v[c->project]->name),
		.version = wp_strdup(b->a, cand->version.norm),
		.filename = wp_strdup(b->a, f->filename),
		.size = f->size,
		.sha256 = wp_strdup(b->a, f->sha256),
		.digest = digest_of(f),
		.index = wp_strdup(b->a, f->index),
		.url = wp_strdup(b->a, f->url),
		.requires_python = wp_strdup(b->a, requires_python ? requires_python : f->requires_python),
		.metadata_sha256 = hex,
	};
	out->version = &cand->version;
	return 0;
}

static void hold(builder *b, draft *d, const wp_job *j, const wp_dep *dep)
{
	held *h = NULL;
	size_t i;

	for (i = 0; i < d->requires.n && !h; i++)
		if (d->requires.v[i].line == dep->line)
			h = &d->requires.v[i];
	if (!h) {
		h = WP_PUSH_NEW(&d->requires);
		h->line = dep->line;
		h->text = wp_strdup(b->a, dep->req->text);
		h->project = wp_strdup(b->a, dep->req->project);
	}
	if (h->targets.n == 0 || !wp_streq(h->targets.v[h->targets.n - 1], j->t->name))
		WP_PUSH(&h->targets, wp_strdup(b->a, j->t->name));
}

static int add_wheel(builder *b, const wp_job *j, const wp_chosen *c, wp_error *e)
{
	const wp_cand_facts *f = wp_chosen_facts(j, c);
	wp_str name = wp_str_of(wp_chosen_cand(j, c)->file->filename);
	uint32_t at;
	size_t i;
	draft *d;

	if (!wp_map_get(&b->by_file, name, &at)) {
		at = (uint32_t)b->drafts.n;
		wp_map_put(&b->by_file, name, at);
		if (start_draft(b, j, c, WP_PUSH_NEW(&b->drafts), e))
			return e->code;
	}
	d = &b->drafts.v[at];
	d->wheel.requested |= asked_for(j, c->project);
	for (i = 0; i < f->ndeps; i++)
		if (!f->deps[i].reason && wp_in_force(j, c, &f->deps[i]))
			hold(b, d, j, &f->deps[i]);
	return 0;
}

static int by_line(const void *pa, const void *pb)
{
	const held *a = pa, *b = pb;

	return a->line < b->line ? -1 : a->line > b->line;
}

static int by_name_and_version(const void *pa, const void *pb)
{
	const draft *a = pa, *b = pb;
	int c = strcmp(a->wheel.project, b->wheel.project);

	if (c == 0)
		c = wp_version_cmp(a->version, b->version);
	return c ? c : strcmp(a->wheel.filename, b->wheel.filename);
}

static void finish_requires(wp_arena *a, draft *d)
{
	size_t i, n = d->requires.n;

	if (n == 0)
		return;
	qsort(d->requires.v, n, sizeof *d->requires.v, by_line);
	d->wheel.requires = WP_NEW_ARRAY(a, n, wp_lock_require);
	d->wheel.nrequires = n;
	for (i = 0; i < n; i++) {
		held *h = &d->requires.v[i];

		d->wheel.requires[i] = (wp_lock_require){h->text, h->project, WP_VEC_COPY(a, &h->targets), h->targets.n};
	}
}

static void finish_wheels(builder *b, wp_lock_doc *out)
{
	size_t i;

	if (b->drafts.n)
		qsort(b->drafts.v, b->drafts.n, sizeof *b->drafts.v, by_name_and_version);
	out->wheels = WP_NEW_ARRAY(b->a, b->drafts.n, wp_lock_wheel);
	out->nwheels = b->drafts.n;
	for (i = 0; i < b->drafts.n; i++) {
		finish_requires(b->a, &b->drafts.v[i]);
		out->wheels[i] = b->drafts.v[i].wheel;
	}
}

/* ---- the rest ----------------------------------------------------------------------------- */

static void fill_target(wp_arena *a, wp_job *j, wp_lock_target *out)
{
	const char **files = WP_NEW_ARRAY(a, j->solution.n, const char *);
	size_t i;

	out->name = wp_strdup(a, j->t->name);
	out->python = wp_strdup(a, j->t->python);
	out->platform = wp_strdup(a, j->t->platform);
	out->variant = wp_strdup(a, j->t->variant);
	for (i = 0; i < j->solution.n; i++)
		files[i] = wp_strdup(a, wp_chosen_cand(j, &j->solution.v[i])->file->filename);
	if (j->solution.n)
		qsort(files, j->solution.n, sizeof *files, wp_cmp_cstr);
	out->wheels = files;
	out->nwheels = j->solution.n;
	fill_cuda(a, j, out);
}

static const char *const *request_texts(wp_arena *a, const wp_requirement *v, size_t n)
{
	const char **out = WP_NEW_ARRAY(a, n, const char *);
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = wp_requirement_text(a, &v[i]);
	return out;
}

const char *wp_without_password(wp_arena *a, const char *url)
{
	const char *userpwd = NULL, *stripped = strstr(url, "://") ? wp_url_strip(a, url, &userpwd) : NULL;

	return userpwd ? stripped : wp_strdup(a, url);
}

static void fill_request(wp_locking *s, wp_lock_doc *out)
{
	wp_arena *a = s->ctx->arena;
	size_t i;

	out->requirements = request_texts(a, s->requirements, s->in->nrequirements);
	out->nrequirements = s->in->nrequirements;
	out->constraints = request_texts(a, s->constraints, s->in->nconstraints);
	out->nconstraints = s->in->nconstraints;
	out->variant = wp_strdup(a, s->jobs[0].t->variant);
	out->prerelease = s->in->prerelease;
	out->indexes = WP_NEW_ARRAY(a, s->in->nindexes + s->naddresses, wp_lock_index);
	for (i = 0; i < s->in->nindexes; i++)
		out->indexes[out->nindexes++] = (wp_lock_index){wp_strdup(a, s->in->indexes[i].id),
			wp_without_password(a, s->in->indexes[i].url)};
	for (i = 0; i < s->naddresses; i++)
		out->indexes[out->nindexes++] = (wp_lock_index){s->addresses[i].file.index, s->addresses[i].folder};
}

static void builder_done(builder *b)
{
	size_t i, k;

	for (i = 0; i < b->drafts.n; i++) {
		for (k = 0; k < b->drafts.v[i].requires.n; k++)
			WP_VEC_FREE(&b->drafts.v[i].requires.v[k].targets);
		WP_VEC_FREE(&b->drafts.v[i].requires);
	}
	WP_VEC_FREE(&b->drafts);
	wp_map_free(&b->by_file);
}

static int collect_wheels(builder *b, wp_error *e)
{
	size_t i, k;

	for (i = 0; i < b->s->in->ntargets; i++)
		for (k = 0; k < b->s->jobs[i].solution.n; k++)
			if (add_wheel(b, &b->s->jobs[i], &b->s->jobs[i].solution.v[k], e))
				return e->code;
	return 0;
}

int wp_build_lock(wp_locking *s, wp_lock_doc *out, wp_error *e)
{
	builder b = {.s = s, .a = s->ctx->arena};
	size_t i;

	wp_map_init(&b.by_file);
	fill_request(s, out);
	out->targets = WP_NEW_ARRAY(b.a, s->in->ntargets, wp_lock_target);
	out->ntargets = s->in->ntargets;
	for (i = 0; i < s->in->ntargets; i++)
		fill_target(b.a, &s->jobs[i], &out->targets[i]);
	if (collect_wheels(&b, e) == 0)
		finish_wheels(&b, out);
	builder_done(&b);
	return e->code;
}

/* SPDX-License-Identifier: MIT
 *
 * loose_lock.c: the lock of the wheels that were chosen, and the one that the venv is to keep: a wheel that comes later
 * does not make strangers of those that came before it.
 */
#include "ext/url.h"
#include "install/loose.h"

/* ---- what goes in --------------------------------------------------------------------------- */

static wp_lock_wheel lock_wheel(const wp_loosing *l, const wp_loose_wheel *w)
{
	wp_arena *a = l->p.ctx->arena;
	wp_lock_wheel out = {.project = w->name.project, .version = w->name.version.norm, .filename = w->filename,
		.size = w->size, .index = l->indexes.v[w->index].id, .url = wp_url_of_path(a, w->path),
		.requires_python = w->metadata.requires_python, .requested = w->named || !w->needed};

	if (w->sha256[0]) {
		out.sha256 = wp_strdup(a, w->sha256);
		out.digest = WP_DIGEST_LOCAL;
	}
	out.requires = WP_VEC_COPY(a, &w->requires);
	out.nrequires = w->requires.n;
	return out;
}

static void lock_target(const wp_loosing *l, wp_lock_target *t, const char **files)
{
	size_t i;

	for (i = 0; i < l->chosen.n; i++)
		files[i] = l->chosen.v[i].filename;
	qsort(files, l->chosen.n, sizeof *files, wp_cmp_cstr);
	*t = (wp_lock_target){.name = l->p.real.name, .python = l->p.python.markers.python_version,
		.platform = l->p.real.platform, .wheels = files, .nwheels = l->chosen.n};
}

static void lock_make(const wp_loosing *l, wp_lock_doc *d)
{
	wp_arena *a = l->p.ctx->arena;
	const char **asked = WP_NEW_ARRAY(a, l->chosen.n, const char *);
	size_t i;

	*d = (wp_lock_doc){.requirements = asked, .ntargets = 1, .targets = WP_NEW(a, wp_lock_target),
		.wheels = WP_NEW_ARRAY(a, l->chosen.n, wp_lock_wheel), .nwheels = l->chosen.n,
		.indexes = WP_VEC_COPY(a, &l->indexes), .nindexes = l->indexes.n};
	for (i = 0; i < l->chosen.n; i++) {
		wp_lock_wheel *w = &d->wheels[i];

		*w = lock_wheel(l, &l->chosen.v[i]);
		if (w->requested)
			asked[d->nrequirements++] = l->chosen.v[i].named
				? wp_sprintf(a, "%s @ %s", w->project, w->url) : w->project;
	}
	lock_target(l, d->targets, WP_NEW_ARRAY(a, l->chosen.n, const char *));
}

static const wp_exceptions *exceptions_of(const wp_loosing *l)
{
	wp_exceptions *v = WP_NEW_ARRAY(l->p.ctx->arena, l->chosen.n, wp_exceptions);
	size_t i;

	for (i = 0; i < l->chosen.n; i++)
		v[i] = l->chosen.v[i].exceptions;
	return v;
}

/* ---- with what came before ------------------------------------------------------------------ */

/* "direct1": a number that no other address has, here or in the venv's lock. */
static void name_indexes(wp_loosing *l, const wp_lock_doc *old)
{
	wp_map ids;
	uint32_t number, known;
	size_t i;

	wp_map_init(&ids);
	for (i = 0; i < old->nindexes; i++)
		wp_map_put(&ids, wp_str_of(old->indexes[i].id), (uint32_t)i);
	for (i = 0; i < l->indexes.n; i++) {
		wp_lock_index *x = &l->indexes.v[i];
		const char *id;

		for (number = 1;; number++) {
			id = wp_sprintf(l->p.ctx->arena, "%s%u", x->id, (unsigned)number);
			if (!wp_map_get(&ids, wp_str_of(id), &known) ||
				(known < old->nindexes && wp_streq(old->indexes[known].url, x->url)))
				break;
		}
		x->id = id;
		wp_map_put(&ids, wp_str_of(id), UINT32_MAX);
	}
	wp_map_free(&ids);
}

static bool is_new_project(const wp_lock_doc *lock, const char *project)
{
	size_t i;

	for (i = 0; i < lock->nwheels; i++)
		if (wp_streq(lock->wheels[i].project, project))
			return true;
	return false;
}

static void join_indexes(wp_arena *a, const wp_lock_doc *old, const wp_lock_doc *lock, wp_lock_doc *out)
{
	size_t i, k;

	out->indexes = WP_NEW_ARRAY(a, old->nindexes + lock->nindexes, wp_lock_index);
	for (out->nindexes = 0; out->nindexes < old->nindexes; out->nindexes++)
		out->indexes[out->nindexes] = old->indexes[out->nindexes];
	for (i = 0; i < lock->nindexes; i++) {
		for (k = 0; k < old->nindexes && !wp_streq(old->indexes[k].id, lock->indexes[i].id); k++)
			;
		if (k == old->nindexes)
			out->indexes[out->nindexes++] = lock->indexes[i];
	}
}

/* A requirement that can't be read is one of a hand-made lock; it stays. */
static void join_requirements(wp_arena *a, const wp_lock_doc *old, const wp_lock_doc *lock, wp_lock_doc *out)
{
	const char **v = WP_NEW_ARRAY(a, old->nrequirements + lock->nrequirements, const char *);
	wp_error ignored = {0};
	wp_requirement r;
	size_t i, n = 0;

	for (i = 0; i < old->nrequirements; i++) {
		bool read = !wp_requirement_parse(a, wp_str_of(old->requirements[i]), &r, &ignored);

		if (!read || !is_new_project(lock, r.project))
			v[n++] = old->requirements[i];
		ignored = (wp_error){0};
	}
	for (i = 0; i < lock->nrequirements; i++)
		v[n++] = lock->requirements[i];
	out->requirements = v;
	out->nrequirements = n;
}

static int by_project(const void *x, const void *y)
{
	return strcmp(((const wp_lock_wheel *)x)->project, ((const wp_lock_wheel *)y)->project);
}

/* Of one target, so each project once. */
static void join_wheels(wp_arena *a, const wp_lock_doc *old, const wp_lock_doc *lock, wp_lock_doc *out)
{
	const wp_lock_target *t = old->targets;
	const char **files = WP_NEW_ARRAY(a, t->nwheels + lock->nwheels, const char *);
	size_t i;

	out->wheels = WP_NEW_ARRAY(a, t->nwheels + lock->nwheels, wp_lock_wheel);
	out->nwheels = 0;
	for (i = 0; i < t->nwheels; i++) {
		const wp_lock_wheel *w = wp_lock_find(old, t->wheels[i]);

		if (!is_new_project(lock, w->project))
			out->wheels[out->nwheels++] = *w;
	}
	for (i = 0; i < lock->nwheels; i++)
		out->wheels[out->nwheels++] = lock->wheels[i];
	qsort(out->wheels, out->nwheels, sizeof *out->wheels, by_project);
	for (i = 0; i < out->nwheels; i++)
		files[i] = out->wheels[i].filename;
	qsort(files, out->nwheels, sizeof *files, wp_cmp_cstr);
	out->targets = WP_NEW(a, wp_lock_target);
	*out->targets = *t;
	out->targets->wheels = files;
	out->targets->nwheels = out->nwheels;
	out->ntargets = 1;
}

void wp_lock_join(wp_arena *a, const wp_lock_doc *old, const wp_lock_doc *more, wp_lock_doc *out)
{
	*out = *old;
	join_indexes(a, old, more, out);
	join_requirements(a, old, more, out);
	join_wheels(a, old, more, out);
}

void wp_loose_lock(wp_loosing *l, wp_loose *out)
{
	wp_arena *a = l->p.ctx->arena;
	wp_lock_doc old = {0};
	bool has = !l->p.is_new && wp_venv_lock(l->p.ctx, l->p.venv, &old);

	if (!has)
		old = (wp_lock_doc){0};
	name_indexes(l, &old);
	lock_make(l, &out->lock);
	out->exceptions = exceptions_of(l);
	out->record = has ? old : out->lock;
	if (has)
		wp_lock_join(a, &old, &out->lock, &out->record);
}

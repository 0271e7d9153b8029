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

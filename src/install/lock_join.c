/* SPDX-License-Identifier: MIT
 *
 * lock_join.c: two locks of one venv in one.
 */
#include "install/parts.h"

const char *wp_lock_free_id(wp_arena *a, const wp_lock_doc *d, const char *id, const char *url)
{
	const char *name = id;
	size_t i, number = 1;

	for (i = 0; i < d->nindexes; i++)
		if (wp_streq(d->indexes[i].id, name) && !wp_streq(d->indexes[i].url, url)) {
			name = wp_sprintf(a, "%s%zu", id, ++number);
			i = SIZE_MAX; /* from the beginning */
		}
	return name;
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

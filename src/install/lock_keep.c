/* SPDX-License-Identifier: MIT
 *
 * lock_keep.c: what a venv was to have before a bundle goes into it. The lock that it keeps then has the bundle's wheels,
 * and what was asked for earlier and isn't among them, with all that this requires. What only the replaced ones required
 * is nobody's any more: `check` names it.
 */
#include "install/parts.h"

typedef struct keeping {
	const wp_lock_doc *old;	    /* of the venv, for its one target */
	wp_map coming;		    /* projects of the bundle */
	wp_map kept;		    /* projects of old that stay */
	WP_VEC(const wp_lock_wheel *) queue;
} keeping;

static void keep(keeping *k, const wp_lock_wheel *w)
{
	uint32_t there;

	if (!wp_map_get(&k->coming, wp_str_of(w->project), &there) && wp_map_put(&k->kept, wp_str_of(w->project), 1))
		WP_PUSH(&k->queue, w);
}

static const wp_lock_wheel *wheel_of(const keeping *k, const char *project)
{
	const wp_lock_target *t = k->old->targets;
	size_t i;

	for (i = 0; i < t->nwheels; i++) {
		const wp_lock_wheel *w = wp_lock_find(k->old, t->wheels[i]);

		if (wp_streq(w->project, project))
			return w;
	}
	return NULL;
}

static void keep_all(keeping *k)
{
	const wp_lock_target *t = k->old->targets;
	size_t i, n;

	for (i = 0; i < t->nwheels; i++)
		if (wp_lock_find(k->old, t->wheels[i])->requested)
			keep(k, wp_lock_find(k->old, t->wheels[i]));
	for (i = 0; i < k->queue.n; i++)
		for (n = 0; n < k->queue.v[i]->nrequires; n++) {
			const wp_lock_wheel *w = wheel_of(k, k->queue.v[i]->requires[n].project);

			if (w)
				keep(k, w);
		}
}

static const char *renamed(const wp_lock_doc *rest, const wp_lock_index *v, const char *id)
{
	size_t i;

	for (i = 0; i < rest->nindexes; i++)
		if (wp_streq(rest->indexes[i].id, id))
			return v[i].id;
	return id;
}

/* The index of an earlier wheel gets another name where the bundle's lock has that name for another address. */
static void name_indexes(wp_arena *a, wp_lock_doc *rest, const wp_lock_doc *lock)
{
	wp_lock_index *v = WP_NEW_ARRAY(a, rest->nindexes + 1, wp_lock_index);
	wp_lock_doc all = {.indexes = WP_NEW_ARRAY(a, lock->nindexes + 2 * rest->nindexes + 1, wp_lock_index)};
	size_t i;

	for (i = 0; i < lock->nindexes; i++)
		all.indexes[all.nindexes++] = lock->indexes[i];
	for (i = 0; i < rest->nindexes; i++)
		all.indexes[all.nindexes++] = rest->indexes[i];
	for (i = 0; i < rest->nindexes; i++) {
		v[i] = rest->indexes[i];
		v[i].id = wp_lock_free_id(a, &all, v[i].id, v[i].url);
		all.indexes[all.nindexes++] = v[i];
	}
	for (i = 0; i < rest->nwheels; i++)
		rest->wheels[i].index = renamed(rest, v, rest->wheels[i].index);
	rest->indexes = v;
}

static void join(wp_plan *p, const keeping *k)
{
	const wp_lock_target *t = k->old->targets;
	const char **gone = WP_NEW_ARRAY(p->a, t->nwheels + 1, const char *);
	wp_lock_doc rest = *k->old, base = *p->in->lock, *out = WP_NEW(p->a, wp_lock_doc);
	uint32_t there;
	size_t i, n = 0;

	for (i = 0; i < t->nwheels; i++) {
		const char *project = wp_lock_find(k->old, t->wheels[i])->project;

		if (!wp_map_get(&k->kept, wp_str_of(project), &there))
			gone[n++] = project;
	}
	wp_lock_without(p->a, &rest, gone, n);
	wp_lock_only(&base, p->target->name);
	name_indexes(p->a, &rest, &base);
	wp_lock_join(p->a, &base, &rest, out);
	p->record = out;
}

void wp_lock_keep(wp_plan *p)
{
	wp_lock_doc old;
	keeping k = {.old = &old};
	size_t i;

	if (p->is_new || p->in->loose || !wp_venv_lock(p->ctx, p->venv, &old))
		return;
	wp_map_init(&k.coming);
	wp_map_init(&k.kept);
	for (i = 0; i < p->target->nwheels; i++) {
		const wp_lock_wheel *w = wp_lock_find(p->in->lock, p->target->wheels[i]);

		if (w)
			wp_map_put(&k.coming, wp_str_of(w->project), 1);
	}
	keep_all(&k);
	if (k.queue.n)
		join(p, &k);
	WP_VEC_FREE(&k.queue);
	wp_map_free(&k.kept);
	wp_map_free(&k.coming);
}

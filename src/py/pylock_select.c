/* SPDX-License-Identifier: MIT */
#include "base/map.h"
#include "py/name.h"
#include "py/pylock.h"
#include "py/tag.h"

#include <string.h>

typedef struct selection {
	wp_arena *a;
	const wp_pylock *lock;
	const wp_pylock_ask *ask;
	wp_marker_ask marker;
	wp_map ranks; /* tag -> place */
	wp_map names; /* packages that are chosen */
	wp_version python;
} selection;

static const char *const *normalised(wp_arena *a, const char *const *v, size_t n)
{
	const char **out = WP_NEW_ARRAY(a, n, const char *);
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = wp_name_normalize(a, wp_str_of(v[i]));
	return out;
}

static void begin(selection *s)
{
	const wp_pylock_ask *q = s->ask;
	size_t i, ngroups = q->default_groups ? s->lock->ndefault_groups : q->ngroups;
	const char *const *groups = q->default_groups ? s->lock->default_groups : q->groups;
	uint32_t place;

	s->marker = (wp_marker_ask){.env = q->env,
		.extras = {true, normalised(s->a, q->extras, q->nextras), q->nextras},
		.groups = {true, normalised(s->a, groups, ngroups), ngroups}};
	for (i = 0; i < q->ntags; i++)
		if (!wp_map_get(&s->ranks, wp_str_of(q->tags[i]), &place))
			wp_map_put(&s->ranks, wp_str_of(q->tags[i]), (uint32_t)i);
	wp_version_parse(s->a, wp_str_of(q->env->python_full_version), &s->python);
}

/* Each name must be one that the lock declares. */
static int check_declared(selection *s, const wp_marker_set *asked, const char *const *v, size_t n, const char *what,
	wp_error *e)
{
	const char *const *declared = normalised(s->a, v, n);
	size_t i;

	for (i = 0; i < asked->n; i++)
		if (!wp_among(declared, n, asked->v[i]))
			return wp_fail(e, WP_E_REQUIREMENT, "the lock file has no %s '%s'", what, asked->v[i]);
	return 0;
}

static int check_environment(selection *s, wp_error *e)
{
	const wp_pylock *l = s->lock;
	bool fits = !l->has_environments;
	size_t i;

	if (check_declared(s, &s->marker.extras, l->extras, l->nextras, "extra", e))
		return e->code;
	if (!s->ask->default_groups &&
		check_declared(s, &s->marker.groups, l->groups, l->ngroups, "dependency group", e))
		return e->code;
	if (!wp_specifiers_match(&l->requires_python, &s->python))
		return wp_fail(e, WP_E_REQUIRES_PYTHON, "the lock file requires Python %s, and this is %s",
			l->requires_python.norm, s->ask->env->python_full_version);
	for (i = 0; i < l->nenvironments && !fits; i++)
		if (wp_marker_judge(l->environments[i], &s->marker, &fits, e))
			return e->code;
	return fits ? 0 : wp_fail(e, WP_E_WRONG_TARGET, "the lock file was made for other environments");
}

/* Place of the best tag of a wheel; SIZE_MAX where none is of the environment. */
static size_t rank(selection *s, const char *filename)
{
	wp_arena *scratch = wp_arena_new();
	const char *const *tags;
	wp_wheel_name w;
	wp_error ignored = {0};
	size_t n = 0, i, best = SIZE_MAX;
	uint32_t place;

	if (wp_wheel_name_parse(scratch, wp_str_of(filename), &w, &ignored) == 0)
		n = wp_wheel_tags(scratch, &w, &tags);
	for (i = 0; i < n; i++)
		if (wp_map_get(&s->ranks, wp_str_of(tags[i]), &place) && place < best)
			best = place;
	wp_arena_free(scratch);
	return best;
}

/* The best wheel, else what else there is; NULL where there are only wheels for others. */
static const wp_pylock_source *best_source(selection *s, const wp_pylock_package *p)
{
	const wp_pylock_source *best = NULL, *other = NULL;
	size_t best_rank = SIZE_MAX, i;

	for (i = 0; i < p->nsources; i++) {
		size_t here;

		if (p->sources[i].kind != WP_PYLOCK_WHEEL) {
			other = &p->sources[i];
			continue;
		}
		here = rank(s, p->sources[i].filename);
		if (here < best_rank) {
			best_rank = here;
			best = &p->sources[i];
		}
	}
	return best ? best : other;
}

/* Adds nothing where its marker is false. */
static int choose(selection *s, const wp_pylock_package *p, wp_pylock_choice *out, size_t *n, wp_error *e)
{
	const wp_pylock_source *source;
	bool wanted;

	if (wp_marker_judge(p->marker, &s->marker, &wanted, e))
		return e->code;
	if (!wanted)
		return 0;
	if (!wp_specifiers_match(&p->requires_python, &s->python))
		return wp_fail(e, WP_E_REQUIRES_PYTHON, "%s requires Python %s, and this is %s", p->name,
			p->requires_python.norm, s->ask->env->python_full_version);
	if (!wp_map_put(&s->names, wp_str_of(p->name), 0))
		return wp_fail(e, WP_E_DOCUMENT, "the lock file has %s twice for this environment", p->name);
	source = best_source(s, p);
	if (!source)
		return wp_fail(e, WP_E_NO_WHEEL, "%s has no wheel with a tag of this environment, and no source", p->name);
	out[(*n)++] = (wp_pylock_choice){p, source};
	return 0;
}

int wp_pylock_select(wp_arena *a, const wp_pylock *lock, const wp_pylock_ask *ask, const wp_pylock_choice **out,
	size_t *n, wp_error *e)
{
	selection s = {.a = wp_arena_new(), .lock = lock, .ask = ask};
	wp_pylock_choice *v = WP_NEW_ARRAY(a, lock->npackages, wp_pylock_choice);
	size_t i;
	int rc;

	*n = 0;
	*out = v;
	wp_map_init(&s.ranks);
	wp_map_init(&s.names);
	begin(&s);
	rc = check_environment(&s, e);
	for (i = 0; i < lock->npackages && rc == 0; i++)
		rc = choose(&s, &lock->packages[i], v, n, e);
	wp_map_free(&s.ranks);
	wp_map_free(&s.names);
	wp_arena_free(s.a);
	return rc;
}

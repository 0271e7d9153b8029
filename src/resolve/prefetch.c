/* SPDX-License-Identifier: MIT */
/* prefetch.c: the walk ahead. It follows, level by level, the newest version of each project that all requirements
 * met so far allow. What it decides is only what to fetch: the solver finds its own way. */
#include "resolve/pool.h"

enum { MAX_ROUNDS = 64 };

/* A project on the walk. */
typedef struct stop {
	bool needed;
	bool changed; /* since its pick was followed */
	uint32_t pick; /* followed last; UINT32_MAX none */
	WP_VEC(const wp_dep *) deps; /* on it */
	WP_VEC(const char *) extras;
} stop;

typedef struct walk {
	wp_pool *p;
	WP_VEC(stop) stops; /* by project number */
} walk;

static stop *stop_of(walk *w, uint32_t id)
{
	while (w->stops.n <= id)
		WP_PUSH_NEW(&w->stops)->pick = UINT32_MAX;
	return &w->stops.v[id];
}

static bool new_extra(stop *s, const char *extra)
{
	size_t i;

	for (i = 0; i < s->extras.n; i++)
		if (wp_streq(s->extras.v[i], extra))
			return false;
	WP_PUSH(&s->extras, extra);
	return true;
}

static void meet(walk *w, const wp_dep *d)
{
	stop *s = stop_of(w, d->project);
	size_t i;

	for (i = 0; i < s->deps.n; i++)
		if (s->deps.v[i] == d)
			return;
	WP_PUSH(&s->deps, d);
	s->changed = true;
	if (d->constraint)
		return;
	s->needed = true;
	for (i = 0; i < d->req->nextras; i++)
		new_extra(s, d->req->extras[i]);
}

static bool taken_by_all(walk *w, const stop *s, uint32_t cand)
{
	bool pinned = false;
	size_t i;

	for (i = 0; i < s->deps.n; i++) {
		if (!wp_bit(wp_pool_allowed(w->p, s->deps.v[i]), cand))
			return false;
		pinned |= wp_specifiers_pinned(&s->deps.v[i]->req->specifiers);
	}
	return pinned || !w->p->projects.v[s->deps.v[0]->project]->c.v[cand].yanked;
}

static uint32_t likely(walk *w, const stop *s, uint32_t id)
{
	const wp_pooled *one = w->p->projects.v[id];
	uint32_t i;

	for (i = 0; i < one->c.n; i++)
		if (taken_by_all(w, s, i))
			return i;
	return UINT32_MAX;
}

/* Pages of all projects of this round are asked for at once, then read in order. */
static int load_round(walk *w, wp_error *e)
{
	WP_VEC(const char *) names = {0};
	size_t i, n = w->stops.n;
	int rc = 0;

	for (i = 0; i < n; i++)
		if (w->stops.v[i].needed && !w->p->projects.v[i]->loaded)
			WP_PUSH(&names, w->p->projects.v[i]->name);
	if (names.n)
		w->p->catalog->want_projects(w->p->catalog->self, names.v, names.n);
	for (i = 0; i < n && !rc; i++)
		if (w->stops.v[i].needed)
			rc = wp_pool_load(w->p, (uint32_t)i, e);
	WP_VEC_FREE(&names);
	return rc;
}

static void want_round(walk *w)
{
	WP_VEC(const wp_file *) files = {0};
	size_t i;

	for (i = 0; i < w->stops.n; i++) {
		stop *s = &w->stops.v[i];

		if (!s->needed || !s->changed)
			continue;
		s->pick = likely(w, s, (uint32_t)i);
		if (s->pick != UINT32_MAX && !w->p->projects.v[i]->facts[s->pick])
			WP_PUSH(&files, w->p->projects.v[i]->c.v[s->pick].file);
	}
	if (files.n)
		w->p->catalog->want_metadata(w->p->catalog->self, files.v, files.n);
	WP_VEC_FREE(&files);
}

static void meet_all(walk *w, uint32_t id, const wp_cand_facts *f)
{
	size_t i, x;

	for (i = 0; i < f->ndeps; i++) {
		const wp_dep *d = &f->deps[i];
		bool holds = !d->conditional;

		for (x = 0; x < w->stops.v[id].extras.n && !holds; x++)
			holds = wp_pool_holds(w->p, d, w->stops.v[id].extras.v[x]);
		if (holds)
			meet(w, d);
	}
}

static int follow_round(walk *w, bool *more, wp_error *e)
{
	const wp_cand_facts *f;
	size_t i, n = w->stops.n;

	*more = false;
	for (i = 0; i < n; i++) {
		stop *s = &w->stops.v[i];

		if (!s->needed || !s->changed)
			continue;
		s->changed = false;
		*more = true;
		if (s->pick == UINT32_MAX)
			continue;
		if (wp_pool_facts(w->p, (uint32_t)i, s->pick, &f, e))
			return e->code;
		meet_all(w, (uint32_t)i, f);
	}
	return 0;
}

int wp_pool_prefetch(wp_pool *p, const wp_dep *roots, size_t n, wp_error *e)
{
	walk w = {.p = p};
	bool more = true;
	size_t i;
	int rc = 0, round;

	for (i = 0; i < n; i++)
		meet(&w, &roots[i]);
	for (round = 0; round < MAX_ROUNDS && more && !rc; round++) {
		rc = load_round(&w, e);
		if (rc)
			break;
		want_round(&w);
		rc = follow_round(&w, &more, e);
	}
	for (i = 0; i < w.stops.n; i++) {
		WP_VEC_FREE(&w.stops.v[i].deps);
		WP_VEC_FREE(&w.stops.v[i].extras);
	}
	WP_VEC_FREE(&w.stops);
	return rc;
}

/* SPDX-License-Identifier: MIT */
/* prefetch.c: the walk ahead. It follows the newest version of each project that all requirements met so far allow. What
 * it decides is only what to fetch: the solver finds its own way. */
#include "resolve/pool.h"

enum { MAX_VISITS = 100000 };

/* A project on the walk. */
typedef struct stop {
	bool needed, queued;
	uint32_t pick;	/* the last one; UINT32_MAX none */
	bool followed;	/* with all its extras */
	WP_VEC(const wp_dep *) deps; /* on it */
	WP_VEC(const char *) extras;
} stop;

typedef struct walk {
	wp_pool *p;
	WP_VEC(stop) stops; /* by project number */
	WP_VEC(uint32_t) queue;
} walk;

static stop *stop_of(walk *w, uint32_t id)
{
	while (w->stops.n <= id)
		WP_PUSH_NEW(&w->stops)->pick = UINT32_MAX;
	return &w->stops.v[id];
}

static bool new_extra(stop *s, const char *extra)
{
	if (wp_among(s->extras.v, s->extras.n, extra))
		return false;
	WP_PUSH(&s->extras, extra);
	return true;
}

static bool taken_by_all(walk *w, const stop *s, uint32_t cand)
{
	bool pinned = false;
	size_t i;

	for (i = 0; i < s->deps.n; i++) {
		if (!set_has(wp_pool_allowed(w->p, s->deps.v[i]), cand))
			return false;
		pinned |= wp_specifiers_pinned(&s->deps.v[i]->req->specifiers);
	}
	return pinned || !w->p->projects.v[s->deps.v[0]->project]->c.v[cand].yanked;
}

static uint32_t likely(walk *w, const stop *s, uint32_t id)
{
	const wp_pooled *one = w->p->projects.v[id];
	uint32_t i;

	if (one->prefer != WP_NOBODY && taken_by_all(w, s, one->prefer))
		return one->prefer;
	for (i = 0; i < one->c.n; i++)
		if (taken_by_all(w, s, i))
			return i;
	return UINT32_MAX;
}

/* The page is asked for as soon as the project is known to be needed, its best candidate's METADATA as soon as the page
 * is there: nothing waits for a neighbour. */
static void need(walk *w, uint32_t id)
{
	stop *s = &w->stops.v[id];
	const char *name = w->p->projects.v[id]->name;

	if (s->queued)
		return;
	s->queued = true;
	if (!w->p->projects.v[id]->loaded)
		w->p->catalog->want_projects(w->p->catalog->self, &name, 1);
	WP_PUSH(&w->queue, id);
}

static void meet(walk *w, const wp_dep *d)
{
	stop *s = stop_of(w, d->project);
	bool news = false;
	size_t i;

	for (i = 0; i < s->deps.n; i++)
		if (s->deps.v[i] == d)
			return;
	WP_PUSH(&s->deps, d);
	if (!d->constraint) {
		s->needed = true;
		for (i = 0; i < d->req->nextras; i++)
			news |= new_extra(s, d->req->extras[i]);
	}
	s->followed = s->followed && !news;
	if (s->needed)
		need(w, d->project);
}

static void meet_all(walk *w, uint32_t id, const wp_cand_facts *f)
{
	size_t i;

	for (i = 0; i < f->ndeps; i++) {
		const stop *s = &w->stops.v[id];

		if (wp_pool_in_force(w->p, &f->deps[i], s->extras.v, s->extras.n))
			meet(w, &f->deps[i]);
	}
}

/* The project's turn: first its page, the next time its METADATA. */
static int visit(walk *w, uint32_t id, wp_error *e)
{
	const wp_pooled *one = w->p->projects.v[id];
	const wp_cand_facts *f;
	uint32_t pick;

	w->stops.v[id].queued = false;
	if (wp_pool_load(w->p, id, e))
		return e->code;
	pick = likely(w, &w->stops.v[id], id);
	if (pick == UINT32_MAX)
		return 0;
	if (pick != w->stops.v[id].pick) {
		w->stops.v[id].pick = pick;
		w->stops.v[id].followed = false;
		if (!one->facts[pick]) {
			w->p->catalog->want_metadata(w->p->catalog->self, (const wp_file *const *)&one->c.v[pick].file, 1);
			w->stops.v[id].queued = true;
			WP_PUSH(&w->queue, id);
			return 0;
		}
	}
	if (w->stops.v[id].followed)
		return 0;
	w->stops.v[id].followed = true;
	if (wp_pool_facts(w->p, id, pick, &f, e))
		return e->code;
	meet_all(w, id, f);
	return 0;
}

int wp_pool_prefetch(wp_pool *p, const wp_dep *roots, size_t n, wp_error *e)
{
	walk w = {.p = p};
	size_t i;

	for (i = 0; i < n; i++)
		meet(&w, &roots[i]);
	for (i = 0; i < w.queue.n && i < MAX_VISITS; i++)
		if (visit(&w, w.queue.v[i], e))
			break;
	for (i = 0; i < w.stops.n; i++) {
		WP_VEC_FREE(&w.stops.v[i].deps);
		WP_VEC_FREE(&w.stops.v[i].extras);
	}
	WP_VEC_FREE(&w.stops);
	WP_VEC_FREE(&w.queue);
	return e->code;
}

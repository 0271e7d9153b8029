/* SPDX-License-Identifier: MIT */
/* lacking.c: the projects that the request needs and that no index has, or of which no wheel fits, all at once: who
 * mends one wants to know of the others. */
#include "resolve/lacking.h"

typedef struct stop {
	const wp_dep *dep;
	uint32_t by, cand; /* who requires it; WP_NOBODY: the request */
} stop;

typedef struct walk {
	const wp_job *j;
	bool *seen; /* by project */
	WP_VEC(stop) stops;
} walk;

static void go_to(walk *w, const wp_dep *d, uint32_t by, uint32_t cand)
{
	if (d->constraint || w->seen[d->project])
		return;
	w->seen[d->project] = true;
	WP_PUSH(&w->stops, ((stop){d, by, cand}));
}

/* On along the best version that was looked at. */
static void go_on(walk *w, const stop *s)
{
	const wp_pooled *p = w->j->pool.projects.v[s->dep->project];
	const wp_requirement *r = s->dep->req;
	const wp_cand_facts *f;
	uint32_t i;
	size_t k;

	for (i = 0; i < p->c.n; i++) {
		f = p->facts[i];
		if (!f || f->broken || wp_refuses(s->dep, &p->c.v[i].version))
			continue;
		for (k = 0; k < f->ndeps; k++)
			if (wp_pool_in_force(&w->j->pool, &f->deps[k], r->extras, r->nextras))
				go_to(w, &f->deps[k], s->dep->project, i);
		return;
	}
}

static bool is_lacking(const wp_pooled *p, wp_lack lack)
{
	if (!p->loaded)
		return false;
	return lack == WP_LACK_PROJECT ? !p->page : p->page && !p->c.n;
}

/* "'b' (required by a 1.0)". */
static const char *named(wp_arena *a, const wp_job *j, const stop *s)
{
	const wp_pooled *p = j->pool.projects.v[s->dep->project], *by;

	if (s->by == WP_NOBODY)
		return wp_sprintf(a, "'%s'", p->name);
	by = j->pool.projects.v[s->by];
	return wp_sprintf(a, "'%s' (required by %s %s)", p->name, by->name, by->c.v[s->cand].version.norm);
}

static bool only_sources(const wp_pooled *p)
{
	const wp_cand *c = p->page ? wp_nearest_unfit(p, NULL) : NULL;

	return c && c->unfit == WP_UNFIT_SOURCE;
}

/* Is the project one that is only ever taken from the variant's index? */
static bool is_bound(const wp_job *j, const char *project)
{
	return j->t->variant && j->pool.compat && wp_compat_family(j->pool.compat, project) == WP_INDEX_BOUND;
}

/* " (asked: https://..., https://...)": who can tell a wrong project from a wrong address. */
static const char *asked(wp_arena *a, const wp_job *j, bool bound)
{
	enum { MAX_INDEXES = 4 };
	const char *text = "";
	size_t i, n = 0;

	for (i = 0; i < j->nindexes; i++) {
		if (bound && !wp_streq(j->indexes[i].id, "variant"))
			continue;
		if (n++ < MAX_INDEXES)
			text = wp_sprintf(a, "%s%s%s", text, *text ? ", " : "", wp_without_password(a, j->indexes[i].url));
	}
	if (n > MAX_INDEXES)
		text = wp_sprintf(a, "%s and %zu more", text, n - MAX_INDEXES);
	return *text ? wp_sprintf(a, " (asked: %s)", text) : "";
}

static void tell_absent(wp_arena *a, const wp_job *j, bool bound, wp_words *absent, wp_words *lines)
{
	enum { MAX_NAMES = 12 };

	if (absent->n)
		WP_PUSH(lines, wp_sprintf(a, "no index has %s %s%s", absent->n == 1 ? "a project" : "the projects",
				       wp_join(a, absent, MAX_NAMES), asked(a, j, bound)));
	WP_VEC_FREE(absent);
}

static void tell(wp_arena *a, walk *w, wp_lack lack, const bool *told, wp_words *lines)
{
	enum { MAX_NAMES = 12 };
	wp_words absent = {0}, bound = {0}, sources = {0};
	size_t i;

	for (i = 0; i < w->stops.n; i++) {
		const stop *s = &w->stops.v[i];
		const wp_pooled *p = w->j->pool.projects.v[s->dep->project];

		if (!is_lacking(p, lack) || (told && told[s->dep->project]))
			continue;
		if (!p->page)
			WP_PUSH(is_bound(w->j, p->name) ? &bound : &absent, named(a, w->j, s));
		else if (only_sources(p))
			WP_PUSH(&sources, named(a, w->j, s));
		else if (s->by == WP_NOBODY)
			WP_PUSH(lines, wp_say_nothing(a, w->j, p, s->dep));
		else
			WP_PUSH(lines, wp_sprintf(a, "%s: %s", named(a, w->j, s), wp_say_nothing(a, w->j, p, s->dep)));
	}
	tell_absent(a, w->j, false, &absent, lines);
	tell_absent(a, w->j, true, &bound, lines);
	if (sources.n)
		WP_PUSH(lines, wp_sprintf(a, "%s %s only source distributions, which are not built here",
				       wp_join(a, &sources, MAX_NAMES), sources.n == 1 ? "has" : "have"));
	WP_VEC_FREE(&sources);
}

void wp_tell_lacking(wp_arena *a, const wp_job *j, wp_lack lack, const bool *told, wp_words *lines)
{
	walk w = {.j = j, .seen = WP_NEW_ARRAY(a, j->pool.projects.n, bool)};
	size_t i;

	for (i = 0; i < j->nroots; i++)
		go_to(&w, &j->roots[i], WP_NOBODY, WP_NOBODY);
	for (i = 0; i < w.stops.n; i++) {
		stop s = w.stops.v[i];

		go_on(&w, &s);
	}
	tell(a, &w, lack, told, lines);
	WP_VEC_FREE(&w.stops);
}

static const wp_dep *first_lacking(const wp_job *j, wp_lack lack)
{
	size_t i;

	for (i = 0; i < j->nroots; i++)
		if (!j->roots[i].constraint && is_lacking(j->pool.projects.v[j->roots[i].project], lack))
			return &j->roots[i];
	return NULL;
}

static int refuse(wp_job *j, wp_lack lack, const wp_dep *first, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	wp_words lines = {0};

	wp_tell_lacking(a, j, lack, NULL, &lines);
	wp_fail(e, lack == WP_LACK_PROJECT ? WP_E_NO_PROJECT : WP_E_NO_WHEEL, "%s", wp_lines(a, &lines));
	wp_advise(a, j, first, e);
	WP_VEC_FREE(&lines);
	wp_arena_free(a);
	return e->code;
}

int wp_check_roots(wp_job *j, wp_error *e)
{
	const wp_dep *first = first_lacking(j, WP_LACK_PROJECT);

	if (first)
		return refuse(j, WP_LACK_PROJECT, first, e);
	first = first_lacking(j, WP_LACK_WHEEL);
	return first ? refuse(j, WP_LACK_WHEEL, first, e) : 0;
}

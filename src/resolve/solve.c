/* SPDX-License-Identifier: MIT */
/* solve.c: PubGrub's loop: see what follows, learn where it does not go on, choose one more. */
#include "resolve/search.h"

enum {
	MAX_CHOICES = 200000, /* before the search gives up */
	MAX_KEPT = 32 << 20,  /* words of sets that facts may take */
	MAX_YANKED = 500,     /* the same where yanked ones are tried without a pin in sight */
	CLASHES = 5,	      /* after so many failures on one other choice the order is changed */
	AHEAD = 8	      /* metadata asked for at once when many versions have to be looked at */
};

/* ---- the order of choices ------------------------------------------------------------------- */

static bool is_needed(const package *p)
{
	return !set_has(left_of(p), p->id.n);
}

/* Where there is no choice it comes first: it costs nothing. Then what others failed on, then in order of appearance. */
static int rank(const search *s, const package *p)
{
	if (p->id.extra)
		return s->packages.v[p->base]->chosen == WP_NOBODY ? LATE + 2 : 0;
	return set_count(left_of(p), p->words) <= 1 ? 0 : 1 + (int)p->prio;
}

static uint32_t pick(const search *s)
{
	uint32_t i, best = WP_NOBODY;
	int r, best_rank = 0;

	for (i = 0; i < s->packages.n; i++) {
		const package *p = s->packages.v[i];

		if (p->chosen != WP_NOBODY || !is_needed(p))
			continue;
		r = rank(s, p);
		if (best == WP_NOBODY || r < best_rank) {
			best = i;
			best_rank = r;
		}
	}
	return best;
}

static uint32_t first_choice(const search *s, const package *p)
{
	uint32_t prefer = p->id.extra ? WP_NOBODY : s->p->projects.v[p->id.project]->prefer;

	if (prefer != WP_NOBODY && set_has(left_of(p), prefer))
		return prefer;
	return set_next(left_of(p), p->words, 0);
}

/* ---- clashes -------------------------------------------------------------------------------- */

/* The latest choice among the fact's terms that had an alternative, WP_NOBODY if there is none. */
static uint32_t culprit_of(const search *s, const wp_fact *f, uint32_t no)
{
	uint32_t i, best = WP_NOBODY, level = 0;

	for (i = 0; i < f->n; i++) {
		const package *p = s->packages.v[f->v[i].package];
		const step *x = p->steps.n ? &p->steps.v[p->steps.n - 1] : NULL;

		if (f->v[i].package == no || p->id.extra || p->chosen == WP_NOBODY || x->level < level ||
			set_count(&p->sets.v[p->sets.n - 2 * p->words], p->words) < 2)
			continue;
		best = f->v[i].package;
		level = x->level;
	}
	return best;
}

/* Versions of one project keep failing on one choice: then the two change places. No project has to make way more than
 * once: going back is not for nothing. */
static void count_clash(search *s, const wp_fact *f, uint32_t no)
{
	uint32_t pair[2] = {no, culprit_of(s, f, no)}, n = 0;
	wp_str key = {(const char *)pair, sizeof pair};
	package *first = s->packages.v[no], *with;

	if (pair[1] == WP_NOBODY || first->id.extra)
		return;
	wp_map_get(&s->clashes, key, &n);
	wp_map_put(&s->clashes, key, n + 1);
	with = s->packages.v[pair[1]];
	if (n + 1 != CLASHES)
		return;
	first->prio = EARLY;
	if (with->prio != NORMAL)
		return;
	with->prio = LATE;
	wp_back_to(s, with->steps.v[with->steps.n - 1].level - 1);
}

/* ---- choose --------------------------------------------------------------------------------- */

/* When one version after the other fails, the metadata of the next few is asked for at once. */
static void ask_ahead(search *s, const package *p, uint32_t choice)
{
	const wp_pooled *one = s->p->projects.v[p->id.project];
	const wp_file *files[AHEAD];
	size_t n = 0;

	if (p->id.extra || p->tries % AHEAD != 2)
		return;
	for (; choice < p->id.n && n < AHEAD; choice = set_next(left_of(p), p->words, choice + 1))
		if (!one->facts[choice])
			files[n++] = one->c.v[choice].file;
	if (n)
		s->p->catalog->want_metadata(s->p->catalog->self, files, n);
}

static int choose(search *s, uint32_t no, wp_error *e)
{
	package *p = s->packages.v[no];
	uint32_t choice = first_choice(s, p);
	const wp_fact *f;

	s->choices++;
	p->tries++;
	ask_ahead(s, p, choice);
	if (wp_tell_choice(s, no, choice, e))
		return e->code;
	f = wp_forbidden_by(s, no, choice);
	if (f)
		count_clash(s, f, no);
	else if (!s->contradiction)
		wp_choose(s, no, choice);
	return 0;
}

/* ---- yanked --------------------------------------------------------------------------------- */

static bool pins(const search *s, const wp_dep *d, uint32_t project, uint32_t cand)
{
	return d->project == project && !d->negate && wp_specifiers_pinned(&d->req->specifiers) &&
	       set_has(wp_pool_allowed(s->p, d), cand);
}

static bool in_force(const search *s, const package *owner, const wp_dep *d)
{
	size_t i;

	if (!d->conditional)
		return true;
	for (i = 0; i < owner->extras.n; i++) {
		const package *x = s->packages.v[owner->extras.v[i]];

		if (x->chosen != WP_NOBODY && wp_pool_holds(s->p, d, x->id.extra))
			return true;
	}
	return false;
}

static bool is_pinned(const search *s, const package *p)
{
	uint32_t project = p->id.project;
	size_t i, k;

	for (i = 0; i < s->nroots; i++)
		if (pins(s, &s->roots[i], project, p->chosen))
			return true;
	for (i = 0; i < s->packages.n; i++) {
		const package *owner = s->packages.v[i];
		const wp_cand_facts *f;

		if (owner->id.extra || owner->chosen == WP_NOBODY)
			continue;
		f = s->p->projects.v[owner->id.project]->facts[owner->chosen];
		for (k = 0; k < f->ndeps; k++)
			if (pins(s, &f->deps[k], project, p->chosen) && in_force(s, owner, &f->deps[k]))
				return true;
	}
	return false;
}

/* A yanked candidate stays only with a pin that is in force. */
static bool yanked_are_pinned(const search *s)
{
	size_t i;

	for (i = 0; i < s->packages.n; i++) {
		const package *p = s->packages.v[i];

		if (!p->id.extra && p->chosen != WP_NOBODY &&
			s->p->projects.v[p->id.project]->c.v[p->chosen].yanked && !is_pinned(s, p))
			return false;
	}
	return true;
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* False where there is no solution. */
static bool settle(search *s)
{
	const wp_fact *f, *learned;
	uint32_t no;

	while (!s->contradiction && !wp_propagate(s, &f)) {
		for (; s->queue.n; s->queue.n--)
			s->packages.v[s->queue.v[s->queue.n - 1]]->queued = false;
		if (!wp_learn(s, f, &learned, &no))
			break;
		wp_keep(s, learned, no);
		if (s->packages.v[no]->chosen == WP_NOBODY)
			count_clash(s, learned, no);
	}
	return !s->contradiction;
}

/* All is chosen, but a pin is missing. */
static void refuse(search *s)
{
	wp_add_fact(s, wp_not_this(s));
}

static int run(search *s, wp_solution *out, wp_error *e)
{
	uint32_t no, most = s->all_open ? MAX_YANKED : MAX_CHOICES;

	if (wp_tell_roots(s, e))
		return e->code;
	while (!s->restart && settle(s)) {
		if (wp_check_cancel(s->p->ctx, e))
			return e->code;
		out->gave_up = s->choices > most || s->kept > MAX_KEPT;
		if (out->gave_up)
			return 0;
		no = pick(s);
		if (no != WP_NOBODY) {
			if (choose(s, no, e))
				return e->code;
			continue;
		}
		out->solved = yanked_are_pinned(s);
		if (out->solved)
			return 0;
		refuse(s);
	}
	return 0;
}

/* ---- the answer ----------------------------------------------------------------------------- */

static int by_project(const void *a, const void *b)
{
	const wp_chosen *x = a, *y = b;

	return x->project < y->project ? -1 : x->project > y->project;
}

static wp_chosen chosen_of(const search *s, const package *p)
{
	const char **extras = WP_NEW_ARRAY(s->p->arena, p->extras.n, const char *);
	wp_chosen c = {.project = p->id.project, .cand = p->chosen, .extras = extras};
	size_t i;

	for (i = 0; i < p->extras.n; i++)
		if (s->packages.v[p->extras.v[i]]->chosen != WP_NOBODY)
			extras[c.nextras++] = s->packages.v[p->extras.v[i]]->id.extra;
	if (c.nextras)
		qsort(extras, c.nextras, sizeof *extras, wp_cmp_cstr);
	return c;
}

static void take_solution(search *s, wp_solution *out)
{
	wp_chosen *v = WP_NEW_ARRAY(s->p->arena, s->packages.n, wp_chosen);
	size_t i;

	for (i = 0; i < s->packages.n; i++)
		if (!s->packages.v[i]->id.extra && s->packages.v[i]->chosen != WP_NOBODY)
			v[out->n++] = chosen_of(s, s->packages.v[i]);
	if (out->n)
		qsort(v, out->n, sizeof *v, by_project);
	out->v = v;
}

static void take_proof(search *s, wp_solution *out)
{
	wp_package *v = WP_NEW_ARRAY(s->p->arena, s->packages.n, wp_package);
	size_t i;

	for (i = 0; i < s->packages.n; i++)
		v[i] = s->packages.v[i]->id;
	out->proof = (wp_proof){s->contradiction, v, s->packages.n};
}

static void end(search *s)
{
	size_t i;

	for (i = 0; i < s->packages.n; i++) {
		package *p = s->packages.v[i];

		WP_VEC_FREE(&p->steps);
		WP_VEC_FREE(&p->sets);
		WP_VEC_FREE(&p->watches);
		WP_VEC_FREE(&p->extras);
	}
	WP_VEC_FREE(&s->packages);
	WP_VEC_FREE(&s->base_of);
	WP_VEC_FREE(&s->facts);
	WP_VEC_FREE(&s->trail);
	WP_VEC_FREE(&s->queue);
	WP_VEC_FREE(&s->fresh);
	WP_VEC_FREE(&s->late);
	WP_VEC_FREE(&s->waits);
	wp_map_free(&s->same);
	wp_map_free(&s->learned);
	wp_map_free(&s->clashes);
	wp_arena_free(s->arena);
}

/* open and what else is known of pins goes on from one search to the next. */
static int search_once(search *s, wp_solution *out, wp_error *e)
{
	uint32_t before = out->steps;

	s->arena = wp_arena_new();
	s->restart = s->shut_seen = false;
	s->contradiction = NULL;
	s->level = s->choices = 0;
	s->kept = 0;
	wp_map_init(&s->same);
	wp_map_init(&s->learned);
	wp_map_init(&s->clashes);
	*out = (wp_solution){0};
	run(s, out, e);
	if (out->solved)
		take_solution(s, out);
	else
		take_proof(s, out);
	out->steps = before + s->choices;
	end(s);
	return e->code;
}

/* A yanked candidate opens when a pin for it is met; then the search begins again. Where that finds nothing, though yanked
 * ones were in sight, they are tried before their pins are known: the pin may come with a version that would otherwise
 * not be tried. */
int wp_solve(wp_pool *p, const wp_dep *roots, size_t n, wp_solution *out, wp_error *e)
{
	search s = {.p = p, .roots = roots, .nroots = n};
	wp_solution second = {0};

	*out = (wp_solution){0};
	do
		search_once(&s, out, e);
	while (!e->code && s.restart);
	if (!e->code && !out->solved && !out->gave_up && s.shut_seen) {
		s.all_open = true;
		if (!search_once(&s, &second, e) && second.solved)
			*out = second;
	}
	free(s.open);
	return e->code;
}

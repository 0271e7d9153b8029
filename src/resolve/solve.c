/* SPDX-License-Identifier: MIT */
/* solve.c: the order of trial. Conflict-directed backjumping: every level collects who is to blame for the
 * candidates it had to leave out; when none is left, the search goes back to the latest choice that had a part in
 * it, and what failed is remembered. */
#include "resolve/search.h"

enum {
	MAX_STEPS = 100000, /* candidates tried before the search gives up */
	MAX_YANKED = 500,   /* the same where yanked ones are tried without a pin in sight */
	CLASHES = 5,	    /* after so many failures on one earlier choice the order is changed */
	AHEAD = 8	    /* metadata asked for at once when many versions have to be looked at */
};

static bool possible(const var *v, uint32_t cand)
{
	return !v->flags[cand] && v->left_out[cand] == 0;
}

/* Forced choices first: they cost nothing. Then those that others failed on, then in the order of appearance. */
static uint32_t pick(const search *s)
{
	uint32_t i, best = WP_NOBODY;
	int key, best_key = 0;

	for (i = 0; i < s->vars.n; i++) {
		const var *v = s->vars.v[i];

		if (!v->needs || v->level != WP_NOBODY)
			continue;
		key = v->live <= 1 ? 0 : 1 + (int)v->prio;
		if (best == WP_NOBODY || key < best_key) {
			best = i;
			best_key = key;
		}
	}
	return best;
}

/* ---- one level ---------------------------------------------------------------------------- */

/* The candidate is out before it is tried: say who is to blame. */
static void leave_out(search *s, level *l, const var *v, uint32_t cand)
{
	uint32_t against = wp_edge_against(s, v, cand);
	const nogood *g;
	wp_reason r = {.kind = WP_WHY_YANKED};

	if (against != WP_NOBODY) {
		wp_blame_edge(s, against, &l->levels, &l->roots);
		r = (wp_reason){.kind = WP_WHY_REQUIREMENT, .b = wp_claim_of(s, against)};
	} else if (v->flags[cand] & DEAD) {
		g = wp_forbidden(s, l->project, cand, &l->levels, &l->roots);
		r = g ? g->why : r;
	} else {
		s->shut_seen = true;
	}
	wp_note_reason(l, r, cand);
}

static void pair_key(char out[32], uint32_t a, uint32_t b)
{
	snprintf(out, 32, "%u %u", (unsigned)a, (unsigned)b);
}

/* Versions of this level's project keep failing on one earlier choice. If that had alternatives, it changes places
 * with this project, once for each pair. */
static void count_clash(search *s, level *l)
{
	uint32_t at, unused;
	char key[32];
	size_t i;

	if (s->culprit == WP_NOBODY)
		return;
	for (i = 0; i < l->clashes.n && l->clashes.v[i].project != s->culprit; i++)
		;
	if (i == l->clashes.n)
		WP_PUSH(&l->clashes, ((count_of){s->culprit, 0}));
	if (++l->clashes.v[i].n < CLASHES)
		return;
	at = s->vars.v[s->culprit]->level;
	pair_key(key, l->project, s->culprit);
	if (s->levels.v[at].choices > 1 && !wp_map_get(&s->swaps, wp_str_of(key), &unused))
		s->swap_with = s->culprit;
}

/* The candidate was tried and cannot be. */
static void fail_candidate(search *s, level *l, uint32_t cand)
{
	uint32_t top = s->depth - 1;

	wp_bits_drop(&s->blame_levels, top);
	if (wp_bits_highest(&s->blame_levels, top) == WP_NOBODY)
		wp_learn(s, &s->blame_levels, &s->blame_roots, true, s->fault);
	wp_bits_or(&l->levels, &s->blame_levels);
	wp_bits_or(&l->roots, &s->blame_roots);
	wp_note_reason(l, s->fault, cand);
	count_clash(s, l);
}

/* When one version after the other fails, the metadata of the next few is asked for at once. */
static void ask_ahead(search *s, const level *l, const var *v)
{
	const wp_pooled *one = s->p->projects.v[l->project];
	const wp_file *files[AHEAD];
	size_t n = 0;
	uint32_t c;

	if (l->tried % AHEAD != 2)
		return;
	for (c = l->pos; c < v->n && n < AHEAD; c++)
		if (possible(v, c) && !one->facts[c])
			files[n++] = one->c.v[c].file;
	if (n)
		s->p->catalog->want_metadata(s->p->catalog->self, files, n);
}

static int try_candidate(search *s, uint32_t cand, bool *ok, wp_error *e)
{
	level *l = wp_top(s);
	var *v = s->vars.v[l->project];
	const nogood *g;

	wp_bits_empty(&s->blame_levels);
	wp_bits_empty(&s->blame_roots);
	s->culprit = WP_NOBODY;
	*ok = false;
	g = wp_forbidden(s, l->project, cand, &s->blame_levels, &s->blame_roots);
	if (g) {
		s->fault = g->why;
		fail_candidate(s, l, cand);
		return 0;
	}
	l->tried++;
	s->steps++;
	ask_ahead(s, l, v);
	v->level = s->depth - 1;
	v->cand = cand;
	if (wp_follow(s, ok, e))
		return e->code;
	if (*ok)
		return 0;
	l = wp_top(s);
	fail_candidate(s, l, cand);
	wp_undo(s, l->nedges, l->nturned);
	v->level = v->cand = WP_NOBODY;
	return 0;
}

/* Go on with the top level's next candidate. *ok: one was taken. */
static int advance(search *s, bool *ok, wp_error *e)
{
	level *l = wp_top(s);
	const var *v = s->vars.v[l->project];

	*ok = false;
	l->choices = v->live;
	for (; l->pos < v->n; l->pos++) {
		if (!possible(v, l->pos)) {
			leave_out(s, l, v, l->pos);
			continue;
		}
		if (try_candidate(s, l->pos, ok, e))
			return e->code;
		if (*ok || s->swap_with != WP_NOBODY || s->steps > s->max_steps)
			return 0;
	}
	return 0;
}

/* ---- between levels ----------------------------------------------------------------------- */

/* Choose the top level's project before the one that its versions fail on. */
static void change_order(search *s)
{
	uint32_t project = wp_top(s)->project, with = s->swap_with, at = s->vars.v[with]->level;
	char key[32];

	s->swap_with = WP_NOBODY;
	pair_key(key, project, with);
	wp_map_put(&s->swaps, wp_str_of(key), 1);
	s->vars.v[project]->prio = EARLY;
	if (s->vars.v[with]->prio == NORMAL)
		s->vars.v[with]->prio = LATE;
	while (s->depth > at)
		wp_level_close(s);
}

static void finish_unsolved(search *s, wp_solution *out, const wp_node *n, const wp_bits *roots)
{
	uint32_t i, *v = WP_NEW_ARRAY(s->p->arena, s->nroots, uint32_t);

	out->why = n;
	for (i = 0; i < s->nroots; i++)
		if (wp_bits_has(roots, i))
			v[out->nroots++] = i;
	out->roots = v;
}

/* The top level has no candidate left. False where no earlier choice had a part in it: there is no solution. */
static bool jump_back(search *s, wp_solution *out)
{
	level *l = wp_top(s);
	var *v = s->vars.v[l->project];
	wp_reason r = {.kind = WP_WHY_SEARCH};
	wp_bits levels = {0}, roots = {0};
	uint32_t back;
	size_t i;

	for (i = 0; i < v->edges.n; i++)
		if (!s->edges.v[v->edges.v[i]].dep->constraint) {
			wp_blame_edge(s, v->edges.v[i], &l->levels, &l->roots);
			break;
		}
	r.node = wp_make_node(s, l);
	back = wp_bits_highest(&l->levels, s->depth - 1);
	if (back == WP_NOBODY) {
		finish_unsolved(s, out, r.node, &l->roots);
		return false;
	}
	wp_learn(s, &l->levels, &l->roots, false, r);
	wp_bits_or(&levels, &l->levels);
	wp_bits_or(&roots, &l->roots);
	while (s->depth > back + 1)
		wp_level_close(s);
	l = wp_top(s);
	wp_undo(s, l->nedges, l->nturned);
	s->vars.v[l->project]->level = s->vars.v[l->project]->cand = WP_NOBODY;
	wp_bits_drop(&levels, back);
	wp_bits_or(&l->levels, &levels);
	wp_bits_or(&l->roots, &roots);
	wp_note_reason(l, r, l->pos);
	l->pos++;
	wp_bits_free(&levels);
	wp_bits_free(&roots);
	return true;
}

/* A yanked candidate stays only with a pin that is in force. */
static bool pinned(const search *s, const var *v)
{
	size_t i;

	for (i = 0; i < v->edges.n; i++) {
		const edge *x = &s->edges.v[v->edges.v[i]];

		if (!x->dep->negate && wp_specifiers_pinned(&x->dep->req->specifiers))
			return true;
	}
	return false;
}

static bool yanked_are_pinned(const search *s)
{
	uint32_t i;

	for (i = 0; i < s->vars.n; i++) {
		const var *v = s->vars.v[i];

		if (v->needs && s->p->projects.v[i]->c.v[v->cand].yanked && !pinned(s, v))
			return false;
	}
	return true;
}

/* All is chosen, but a pin is missing: any of the choices may have to change. */
static void drop_last_choice(search *s)
{
	level *l = wp_top(s);
	uint32_t i;

	for (i = 0; i + 1 < s->depth; i++)
		wp_bits_add(&l->levels, i);
	wp_note_reason(l, (wp_reason){.kind = WP_WHY_YANKED}, l->pos);
	wp_undo(s, l->nedges, l->nturned);
	s->vars.v[l->project]->level = s->vars.v[l->project]->cand = WP_NOBODY;
	l->pos++;
}

static int push_roots(search *s, bool *ok, wp_error *e)
{
	size_t i;

	*ok = true;
	for (i = 0; i < s->nroots && *ok; i++)
		if (wp_push(s, &s->roots[i], WP_NOBODY, (uint32_t)i, WP_NOBODY, ok, e))
			return e->code;
	s->queue.n = 0;
	return 0;
}

/* Take one step down, or as many back as it needs. *done: solved, or proved to have no solution. */
static int step(search *s, wp_solution *out, bool *done, wp_error *e)
{
	bool ok;

	for (;;) {
		if (wp_check_cancel(s->p->ctx, e) || advance(s, &ok, e))
			return e->code;
		if (s->steps > s->max_steps) {
			out->gave_up = *done = true;
			return 0;
		}
		if (s->swap_with != WP_NOBODY)
			change_order(s);
		else if (!ok && jump_back(s, out))
			continue;
		else
			*done = !ok;
		return 0;
	}
}

static int run(search *s, wp_solution *out, wp_error *e)
{
	bool ok, done = false;
	uint32_t project;

	if (push_roots(s, &ok, e))
		return e->code;
	if (!ok) {
		wp_node *n = WP_NEW(s->p->arena, wp_node);

		*n = (wp_node){.project = WP_NOBODY, .need = {NULL, WP_NOBODY, WP_NOBODY}, .n = 1,
			.v = wp_vec_copy(s->p->arena, &s->fault, 1, sizeof s->fault)};
		finish_unsolved(s, out, n, &s->blame_roots);
		return 0;
	}
	while (!done) {
		project = pick(s);
		if (project == WP_NOBODY && yanked_are_pinned(s)) {
			out->solved = true;
			return 0;
		}
		if (project == WP_NOBODY)
			drop_last_choice(s);
		else
			wp_level_open(s, project);
		if (step(s, out, &done, e))
			return e->code;
	}
	return 0;
}

/* ---- the answer --------------------------------------------------------------------------- */

static void take_solution(search *s, wp_solution *out)
{
	wp_arena *a = s->p->arena;
	wp_chosen *v = WP_NEW_ARRAY(a, s->vars.n, wp_chosen);
	uint32_t i;
	size_t x;

	for (i = 0; i < s->vars.n; i++) {
		const var *one = s->vars.v[i];
		wp_chosen *c = &v[out->n];
		const char **extras;

		if (!one->needs)
			continue;
		c->project = i;
		c->cand = one->cand;
		c->nextras = one->extras.n;
		extras = WP_NEW_ARRAY(a, one->extras.n, const char *);
		for (x = 0; x < one->extras.n; x++)
			extras[x] = one->extras.v[x].extra;
		if (one->extras.n)
			qsort(extras, one->extras.n, sizeof *extras, wp_cmp_cstr);
		c->extras = extras;
		out->n++;
	}
	out->v = v;
}

static void end(search *s)
{
	size_t i;

	for (i = 0; i < s->vars.n; i++) {
		WP_VEC_FREE(&s->vars.v[i]->edges);
		WP_VEC_FREE(&s->vars.v[i]->extras);
	}
	for (i = 0; i < s->levels.n; i++) {
		wp_bits_free(&s->levels.v[i].levels);
		wp_bits_free(&s->levels.v[i].roots);
		WP_VEC_FREE(&s->levels.v[i].why);
		WP_VEC_FREE(&s->levels.v[i].clashes);
	}
	WP_VEC_FREE(&s->vars);
	WP_VEC_FREE(&s->edges);
	WP_VEC_FREE(&s->turned);
	WP_VEC_FREE(&s->queue);
	WP_VEC_FREE(&s->levels);
	WP_VEC_FREE(&s->nogoods);
	WP_VEC_FREE(&s->links);
	wp_bits_free(&s->blame_levels);
	wp_bits_free(&s->blame_roots);
	wp_map_free(&s->swaps);
	wp_arena_free(s->arena);
}

static int search_once(wp_pool *p, const wp_dep *roots, size_t n, bool all_open, wp_solution *out, bool *shut_seen,
	wp_error *e)
{
	search s = {.p = p, .arena = wp_arena_new(), .roots = roots, .nroots = n, .swap_with = WP_NOBODY,
		.all_open = all_open, .max_steps = all_open ? MAX_YANKED : MAX_STEPS};

	*out = (wp_solution){0};
	wp_map_init(&s.swaps);
	WP_PUSH(&s.links, ((link){0, 0}));
	run(&s, out, e);
	if (out->solved)
		take_solution(&s, out);
	out->steps = s.steps;
	*shut_seen = s.shut_seen;
	end(&s);
	return e->code;
}

/* A yanked candidate opens when a pin for it is met. Where that finds nothing, though yanked ones were in sight, they
 * are tried before their pins are known: the pin may come with a version that would otherwise not be tried. */
int wp_solve(wp_pool *p, const wp_dep *roots, size_t n, wp_solution *out, wp_error *e)
{
	wp_solution second;
	bool shut_seen;

	if (search_once(p, roots, n, false, out, &shut_seen, e))
		return e->code;
	if (out->solved || out->gave_up || !shut_seen)
		return 0;
	if (search_once(p, roots, n, true, &second, &shut_seen, e))
		return e->code;
	if (second.solved)
		*out = second;
	return 0;
}

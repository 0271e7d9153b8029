/* SPDX-License-Identifier: MIT */
#include "resolve/search.h"

enum { MAX_REASONS = 6, MAX_NODES = 5000, MAX_NOGOODS = 50000, MAX_LITERALS = 24 };

level *wp_top(search *s)
{
	return &s->levels.v[s->depth - 1];
}

void wp_level_open(search *s, uint32_t project)
{
	level *l;

	if (s->depth == s->levels.n)
		WP_PUSH_NEW(&s->levels);
	l = &s->levels.v[s->depth++];
	l->project = project;
	l->pos = l->choices = l->tried = 0;
	l->nedges = s->edges.n;
	l->nturned = s->turned.n;
	wp_bits_empty(&l->levels);
	wp_bits_empty(&l->roots);
	l->why.n = l->clashes.n = 0;
}

/* Take the top level back, with all that followed from it. */
void wp_level_close(search *s)
{
	level *l = wp_top(s);
	var *v = s->vars.v[l->project];

	wp_undo(s, l->nedges, l->nturned);
	v->level = v->cand = WP_NOBODY;
	s->depth--;
}

static bool same_kind(const wp_reason *x, const wp_reason *y)
{
	if (x->kind != y->kind || x->b.dep != y->b.dep)
		return false;
	if (x->kind == WP_WHY_SEARCH)
		return x->node->project == y->node->project;
	return !x->a.dep == !y->a.dep && (!x->a.dep || x->a.dep->project == y->a.dep->project);
}

void wp_note_reason(level *l, wp_reason r, uint32_t cand)
{
	size_t i;

	for (i = 0; i < l->why.n; i++)
		if (same_kind(&l->why.v[i], &r)) {
			l->why.v[i].last = cand;
			l->why.v[i].count++;
			return;
		}
	if (l->why.n == MAX_REASONS)
		return;
	r.first = r.last = cand;
	r.count = 1;
	WP_PUSH(&l->why, r);
}

const wp_node *wp_make_node(search *s, level *l)
{
	wp_node *n = WP_NEW(s->p->arena, wp_node);
	const var *v = s->vars.v[l->project];
	size_t i;

	n->project = l->project;
	n->need = (wp_claim){.project = WP_NOBODY, .cand = WP_NOBODY};
	for (i = 0; i < v->edges.n; i++)
		if (!s->edges.v[v->edges.v[i]].dep->constraint) {
			n->need = wp_claim_of(s, v->edges.v[i]);
			break;
		}
	if (s->nodes++ < MAX_NODES) {
		n->v = WP_VEC_COPY(s->p->arena, &l->why);
		n->n = l->why.n;
	}
	return n;
}

static const uint32_t *numbers(wp_arena *a, const wp_bits *b, uint32_t *n)
{
	uint32_t *v, i, end = (uint32_t)(b->n * 64);

	*n = 0;
	for (i = 0; i < end; i++)
		*n += wp_bits_has(b, i);
	v = WP_NEW_ARRAY(a, *n, uint32_t);
	for (i = 0, *n = 0; i < end; i++)
		if (wp_bits_has(b, i))
			v[(*n)++] = i;
	return v;
}

static void index_literal(search *s, literal x, uint32_t no)
{
	var *v = s->vars.v[x.project];

	WP_PUSH(&s->links, ((link){no, v->nogoods[x.cand]}));
	v->nogoods[x.cand] = (uint32_t)s->links.n - 1;
}

void wp_learn(search *s, const wp_bits *levels, const wp_bits *roots, bool with_top, wp_reason why)
{
	literal v[MAX_LITERALS];
	nogood g = {.why = why};
	uint32_t i;

	for (i = 0; i < s->depth; i++) {
		const level *l = &s->levels.v[i];
		bool in = i + 1 == s->depth ? with_top : wp_bits_has(levels, i);

		if (!in)
			continue;
		if (g.n == MAX_LITERALS || s->nogoods.n == MAX_NOGOODS)
			return;
		v[g.n++] = (literal){l->project, l->pos};
	}
	if (g.n == 0)
		return;
	g.v = wp_vec_copy(s->arena, v, g.n, sizeof *v);
	g.roots = numbers(s->arena, roots, &g.nroots);
	WP_PUSH(&s->nogoods, g);
	for (i = 0; i < g.n; i++)
		index_literal(s, v[i], (uint32_t)s->nogoods.n - 1);
	if (g.n == 1) {
		var *only = s->vars.v[v[0].project];

		if (!only->flags[v[0].cand] && only->left_out[v[0].cand] == 0)
			only->live--;
		only->flags[v[0].cand] |= DEAD;
	}
}

/* Do all choices of g but the one of `project` stand? */
static bool holds(const search *s, const nogood *g, uint32_t project)
{
	uint32_t i;

	for (i = 0; i < g->n; i++) {
		const var *v = s->vars.v[g->v[i].project];

		if (g->v[i].project != project && (v->level == WP_NOBODY || v->cand != g->v[i].cand))
			return false;
	}
	return true;
}

const nogood *wp_forbidden(search *s, uint32_t project, uint32_t cand, wp_bits *levels, wp_bits *roots)
{
	uint32_t at, i;

	for (at = s->vars.v[project]->nogoods[cand]; at; at = s->links.v[at].next) {
		const nogood *g = &s->nogoods.v[s->links.v[at].nogood];

		if (!holds(s, g, project))
			continue;
		for (i = 0; i < g->n; i++)
			if (g->v[i].project != project)
				wp_bits_add(levels, s->vars.v[g->v[i].project]->level);
		for (i = 0; i < g->nroots; i++)
			wp_bits_add(roots, g->roots[i]);
		return g;
	}
	return NULL;
}

/* SPDX-License-Identifier: MIT */
#include "resolve/search.h"

enum { MAX_HINTS = 64 };

static void count_out(var *v, const uint64_t *allowed)
{
	uint32_t c;

	for (c = 0; c < v->n; c++)
		if (!wp_bit(allowed, c) && v->left_out[c]++ == 0 && !v->flags[c])
			v->live--;
}

static void count_in(var *v, const uint64_t *allowed)
{
	uint32_t c;

	for (c = 0; c < v->n; c++)
		if (!wp_bit(allowed, c) && --v->left_out[c] == 0 && !v->flags[c])
			v->live++;
}

/* A pin makes a yanked candidate possible (PEP 592), for the whole search: whether the pin is still in force at the
 * end is looked at then. */
static void open_yanked(var *v, const edge *x)
{
	uint32_t c;

	if (x->dep->negate || !wp_specifiers_pinned(&x->dep->req->specifiers))
		return;
	for (c = 0; c < v->n; c++)
		if ((v->flags[c] & SHUT) && wp_bit(x->allowed, c)) {
			v->flags[c] &= (unsigned char)~SHUT;
			if (!v->flags[c] && v->left_out[c] == 0)
				v->live++;
		}
}

static void bring_in(search *s, var *v, edge *x)
{
	x->allowed = wp_pool_allowed(s->p, x->dep);
	open_yanked(v, x);
	count_out(v, x->allowed);
}

static var *var_of(search *s, uint32_t project)
{
	while (s->vars.n <= project) {
		var *v = WP_NEW(s->arena, var);

		v->level = v->cand = WP_NOBODY;
		v->prio = NORMAL;
		WP_PUSH(&s->vars, v);
	}
	return s->vars.v[project];
}

static int make_ready(search *s, var *v, uint32_t project, wp_error *e)
{
	const wp_cands *c;
	uint32_t i;

	if (wp_pool_load(s->p, project, e))
		return e->code;
	c = &s->p->projects.v[project]->c;
	v->ready = true;
	v->n = v->live = (uint32_t)c->n;
	v->left_out = WP_NEW_ARRAY(s->arena, c->n, uint32_t);
	v->nogoods = WP_NEW_ARRAY(s->arena, c->n, uint32_t);
	v->flags = WP_NEW_ARRAY(s->arena, c->n, unsigned char);
	for (i = 0; i < v->n; i++)
		if (c->v[i].yanked && !s->all_open) {
			v->flags[i] = SHUT;
			v->live--;
		}
	for (i = 0; i < v->edges.n; i++)
		bring_in(s, v, &s->edges.v[v->edges.v[i]]);
	return 0;
}

wp_claim wp_claim_of(const search *s, uint32_t edge_no)
{
	const edge *x = &s->edges.v[edge_no];
	wp_claim c = {.dep = x->dep, .project = x->from, .cand = WP_NOBODY};

	if (x->from != WP_NOBODY)
		c.cand = s->vars.v[x->from]->cand;
	return c;
}

void wp_blame_edge(const search *s, uint32_t edge_no, wp_bits *levels, wp_bits *roots)
{
	while (edge_no != WP_NOBODY) {
		const edge *x = &s->edges.v[edge_no];

		if (x->from == WP_NOBODY)
			wp_bits_add(roots, x->root);
		else
			wp_bits_add(levels, s->vars.v[x->from]->level);
		edge_no = x->via;
	}
}

uint32_t wp_edge_against(const search *s, const var *v, uint32_t cand)
{
	size_t i;

	for (i = 0; i < v->edges.n; i++) {
		const edge *x = &s->edges.v[v->edges.v[i]];

		if (x->allowed && !wp_bit(x->allowed, cand))
			return v->edges.v[i];
	}
	return WP_NOBODY;
}

/* ---- faults ------------------------------------------------------------------------------- */

static void fault(search *s, wp_reason_kind kind, uint32_t edge_no)
{
	s->fault = (wp_reason){.kind = kind, .a = wp_claim_of(s, edge_no)};
	wp_blame_edge(s, edge_no, &s->blame_levels, &s->blame_roots);
}

/* Some other edge that leaves out what this one allows, for the explanation. */
static wp_claim opponent(const search *s, const var *v, uint32_t edge_no)
{
	const edge *x = &s->edges.v[edge_no];
	uint32_t c, against;

	for (c = 0; c < v->n; c++) {
		if (!wp_bit(x->allowed, c))
			continue;
		against = wp_edge_against(s, v, c);
		if (against != WP_NOBODY)
			return wp_claim_of(s, against);
	}
	return (wp_claim){.project = WP_NOBODY, .cand = WP_NOBODY};
}

/* The chosen candidate of the project is one that this edge leaves out. */
static void fault_chosen(search *s, var *v, uint32_t edge_no)
{
	fault(s, WP_WHY_CLASH, edge_no);
	s->fault.b = opponent(s, v, edge_no);
	wp_bits_add(&s->blame_levels, v->level);
	if (v->level + 1 < s->depth)
		s->culprit = s->edges.v[edge_no].dep->project;
}

static uint32_t first_need(const search *s, const var *v)
{
	size_t i;

	for (i = 0; i < v->edges.n; i++)
		if (!s->edges.v[v->edges.v[i]].dep->constraint)
			return v->edges.v[i];
	return WP_NOBODY;
}

static bool allows_any(search *s, const var *v, const uint64_t *allowed)
{
	uint32_t c;

	for (c = 0; c < v->n; c++) {
		if (!wp_bit(allowed, c))
			continue;
		if (!(v->flags[c] & SHUT))
			return true;
		s->shut_seen = true;
	}
	return false;
}

/* No candidate of a project that is needed is left. */
static void fault_empty(search *s, var *v, uint32_t edge_no)
{
	const edge *x = &s->edges.v[edge_no];
	uint32_t c, against;

	if (x->dep->constraint)
		wp_blame_edge(s, first_need(s, v), &s->blame_levels, &s->blame_roots);
	if (v->n == 0) {
		fault(s, s->p->projects.v[x->dep->project]->page ? WP_WHY_NO_WHEEL : WP_WHY_NO_PROJECT, edge_no);
		return;
	}
	if (!allows_any(s, v, x->allowed)) {
		fault(s, WP_WHY_NO_VERSION, edge_no);
		return;
	}
	fault(s, WP_WHY_CLASH, edge_no);
	s->fault.b = opponent(s, v, edge_no);
	for (c = 0; c < v->n; c++) {
		against = wp_edge_against(s, v, c);
		if (against != WP_NOBODY)
			wp_blame_edge(s, against, &s->blame_levels, &s->blame_roots);
		else if (v->flags[c] & DEAD)
			wp_forbidden(s, x->dep->project, c, &s->blame_levels, &s->blame_roots);
		else
			s->shut_seen = true;
	}
}

static bool judge(search *s, uint32_t edge_no)
{
	const edge *x = &s->edges.v[edge_no];
	var *v = s->vars.v[x->dep->project];

	if (x->dep->req->url) {
		fault(s, WP_WHY_BROKEN, edge_no);
		return false;
	}
	if (!v->ready)
		return true;
	if (v->level != WP_NOBODY && !wp_bit(x->allowed, v->cand)) {
		fault_chosen(s, v, edge_no);
		return false;
	}
	if (v->level == WP_NOBODY && v->needs && v->live == 0) {
		fault_empty(s, v, edge_no);
		return false;
	}
	return true;
}

/* ---- in force and back -------------------------------------------------------------------- */

static void turn_on(search *s, var *v, const char *extra, uint32_t edge_no)
{
	uint32_t project = s->edges.v[edge_no].dep->project;
	size_t i;

	for (i = 0; i < v->extras.n; i++)
		if (wp_streq(v->extras.v[i].extra, extra))
			return;
	WP_PUSH(&v->extras, ((turned_on){extra, edge_no}));
	WP_PUSH(&s->turned, project);
	if (v->level != WP_NOBODY)
		WP_PUSH(&s->queue, ((pending){project, edge_no, extra}));
}

int wp_push(search *s, const wp_dep *d, uint32_t from, uint32_t root, uint32_t via, bool *ok, wp_error *e)
{
	uint32_t no = (uint32_t)s->edges.n;
	var *v = var_of(s, d->project);
	size_t i;

	WP_PUSH(&s->edges, ((edge){.dep = d, .from = from, .root = root, .via = via}));
	WP_PUSH(&v->edges, no);
	if (!d->constraint)
		v->needs++;
	if (v->ready)
		bring_in(s, v, &s->edges.v[no]);
	else if (!d->constraint && make_ready(s, v, d->project, e))
		return e->code;
	*ok = judge(s, no);
	for (i = 0; *ok && !d->constraint && i < d->req->nextras; i++)
		turn_on(s, v, d->req->extras[i], no);
	return 0;
}

static int push_extra(search *s, uint32_t project, const char *extra, uint32_t via, bool *ok, wp_error *e)
{
	const wp_cand_facts *f;
	size_t i;

	if (wp_pool_facts(s->p, project, s->vars.v[project]->cand, &f, e))
		return e->code;
	for (i = 0; i < f->ndeps && *ok; i++)
		if (f->deps[i].conditional && wp_pool_holds(s->p, &f->deps[i], extra) &&
			wp_push(s, &f->deps[i], project, 0, via, ok, e))
			return e->code;
	return 0;
}

/* Pages that this choice will need are asked for at once. */
static void hint(search *s, const wp_cand_facts *f)
{
	WP_VEC(const char *) names = {0};
	size_t i;

	for (i = 0; i < f->ndeps; i++)
		if (!f->deps[i].conditional && !f->deps[i].constraint &&
			!s->p->projects.v[f->deps[i].project]->loaded)
			WP_PUSH(&names, s->p->projects.v[f->deps[i].project]->name);
	if (names.n)
		s->p->catalog->want_projects(s->p->catalog->self, names.v, names.n);
	WP_VEC_FREE(&names);
}

/* And the metadata that will most likely be looked at next. */
static void hint_metadata(search *s, size_t first_edge)
{
	const wp_file *files[MAX_HINTS];
	size_t i, n = 0;
	uint32_t c;

	for (i = first_edge; i < s->edges.n && n < MAX_HINTS; i++) {
		uint32_t project = s->edges.v[i].dep->project;
		const var *v = s->vars.v[project];
		const wp_pooled *one = s->p->projects.v[project];

		if (!v->ready || v->level != WP_NOBODY)
			continue;
		for (c = 0; c < v->n && (v->flags[c] || v->left_out[c]); c++)
			;
		if (c < v->n && !one->facts[c])
			files[n++] = one->c.v[c].file;
	}
	if (n)
		s->p->catalog->want_metadata(s->p->catalog->self, files, n);
}

int wp_follow(search *s, bool *ok, wp_error *e)
{
	uint32_t project = wp_top(s)->project;
	var *v = s->vars.v[project];
	size_t i, next, n = v->extras.n;
	const wp_cand_facts *f;

	*ok = true;
	s->queue.n = 0;
	if (wp_pool_facts(s->p, project, v->cand, &f, e))
		return e->code;
	if (f->broken) {
		s->fault = (wp_reason){.kind = WP_WHY_BROKEN};
		*ok = false;
		return 0;
	}
	hint(s, f);
	for (i = 0; i < f->ndeps && *ok; i++)
		if (!f->deps[i].conditional && wp_push(s, &f->deps[i], project, 0, WP_NOBODY, ok, e))
			return e->code;
	for (i = 0; i < n && *ok; i++)
		if (push_extra(s, project, v->extras.v[i].extra, v->extras.v[i].edge, ok, e))
			return e->code;
	for (next = 0; next < s->queue.n && *ok; next++) {
		pending q = s->queue.v[next];

		if (push_extra(s, q.project, q.extra, q.edge, ok, e))
			return e->code;
	}
	if (*ok)
		hint_metadata(s, wp_top(s)->nedges);
	return 0;
}

void wp_undo(search *s, size_t nedges, size_t nturned)
{
	while (s->turned.n > nturned)
		s->vars.v[s->turned.v[--s->turned.n]]->extras.n--;
	while (s->edges.n > nedges) {
		edge *x = &s->edges.v[--s->edges.n];
		var *v = s->vars.v[x->dep->project];

		v->edges.n--;
		if (!x->dep->constraint)
			v->needs--;
		if (x->allowed)
			count_in(v, x->allowed);
	}
}

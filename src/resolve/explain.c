/* SPDX-License-Identifier: MIT */
/* explain.c: why there is no solution, in sentences that name the real requirements: what is asked for, what that
 * requires, and so on down to where it comes to nothing. */
#include "resolve/tale.h"

/* ---- lines ------------------------------------------------------------------------------------------ */

/* What the claims leave of the project they are on. True where that is nothing, and was something. */
static bool narrow(tale *t, const facts *v)
{
	uint32_t project = v->v[0]->claim.dep->project;
	const wp_pooled *p = project_of(t, project);
	size_t i, k, words = set_words((uint32_t)p->c.n);
	uint64_t *left = t->left[project], *out = WP_NEW_ARRAY(t->a, words, uint64_t), any = 0;
	bool first = !left;

	if (!wp_term_on(t, v->v[0], project) || v->v[0]->claim.project == project)
		return false;
	if (first) {
		left = WP_NEW_ARRAY(t->a, words, uint64_t);
		for (i = 0; i < p->c.n; i++)
			set_add(left, (uint32_t)i);
		t->left[project] = left;
	}
	for (k = 0; k < words; k++)
		out[k] = UINT64_MAX;
	for (i = 0; i < v->n; i++) {
		const wp_term *x = wp_term_on(t, v->v[i], project);

		for (k = 0; x && k < words; k++)
			out[k] &= x->set[k];
	}
	for (k = 0; k < words; k++) {
		left[k] &= ~out[k];
		any |= left[k];
	}
	return !any && !first;
}

static void line(tale *t, bool opposed, const char *text)
{
	if (opposed)
		text = wp_sprintf(t->a, "%s %s", t->opposed ? "and" : "but", text);
	t->opposed = opposed;
	WP_PUSH(&t->lines, text);
}

static void tell_end(tale *t, facts *v)
{
	const wp_dep *d = v->v[0]->claim.dep;
	const wp_pooled *p = project_of(t, d->project);
	const char *claim;

	if (!by_request(v->v[0]))
		wp_best_first(t, v);
	d = v->v[0]->claim.dep;
	t->about = t->about ? t->about : d;
	t->lacking[d->project] = !p->c.n;
	if (!p->page)
		t->missing++;
	else if (!p->c.n || wp_nearest_unfit(p, d))
		t->unfit++;
	else
		t->other++;
	if (v->n > 1 && !p->c.n && v->v[0]->claim.project != WP_NOBODY) {
		who w = wp_say_owner(t, v->v[0]->claim.project, v->v[0]->extra, wp_union_of(t, v));

		claim = wp_sprintf(t->a, "%s require%s %s", w.text, w.many ? "" : "s", p->name);
	} else {
		claim = wp_say_claim(t, v->v[0]);
		if (v->n > 1)
			claim = wp_sprintf(t->a, "%s (and %zu other version%s of it another %s)", claim, v->n - 1,
				v->n == 2 ? "" : "s", p->name);
	}
	line(t, false, wp_sprintf(t->a, "%s, but %s", claim, wp_say_no_match(t->a, t->j, d)));
	t->opposed = false;
}

static void tell_claims(tale *t, size_t at)
{
	facts v = {0};
	bool opposed;

	wp_take_alike(t, at, &v);
	if (wp_is_end(t, v.v[0])) {
		tell_end(t, &v);
	} else {
		const char *text = wp_say_claims(t, &v);

		opposed = narrow(t, &v);
		line(t, opposed, text);
	}
	WP_VEC_FREE(&v);
}

/* Why the metadata of a candidate cannot be used. */
static const char *fault_of(const tale *t, const wp_fact *f)
{
	const wp_cand_facts *read = project_of(t, f->claim.project)->facts[f->claim.cand];

	if (f->because == WP_BECAUSE_NO_EXTRA)
		return wp_sprintf(t->a, "it has no extra '%s', which better versions have", t->packages[f->v[1].package].extra);
	if (f->claim.dep)
		return wp_sprintf(t->a, "it requires '%s' from an address, which is not followed",
			wp_say_dep(t->a, f->claim.dep));
	return read->broken ? read->broken : "";
}

static bool is_fault(const wp_fact *f)
{
	return f->because == WP_BECAUSE_BROKEN || f->because == WP_BECAUSE_NO_EXTRA;
}

/* The candidates of the project that cannot be used for the reason of the best of them; NULL where none is untold. */
static const char *take_broken(tale *t, uint32_t project, uint64_t *set, const char **extra, size_t *n)
{
	const char *fault = NULL;
	size_t i;

	*n = 0;
	for (i = 0; i < t->core.n; i++) {
		const wp_fact *f = t->core.v[i];

		if (t->told[i] || !is_fault(f) || f->claim.project != project ||
			(fault && !wp_streq(fault, fault_of(t, f))))
			continue;
		t->told[i] = true;
		fault = fault_of(t, f);
		set_add(set, f->claim.cand);
		*n += 1;
		*extra = f->because == WP_BECAUSE_BROKEN && f->n > 1 ? t->packages[f->v[1].package].extra : NULL;
	}
	return fault;
}

static void tell_broken(tale *t, uint32_t project)
{
	enum { MAX_FAULTS = 3 };
	size_t words = set_words((uint32_t)project_of(t, project)->c.n), n, more = 0, faults = 0;
	const char *fault, *extra = NULL;
	uint64_t *set;

	while ((fault = take_broken(t, project, set = WP_NEW_ARRAY(t->a, words, uint64_t), &extra, &n))) {
		t->other++;
		if (faults++ < MAX_FAULTS)
			line(t, false, wp_sprintf(t->a, "%s cannot be taken: %s",
					       wp_say_owner(t, project, extra, set).text, fault));
		else
			more += n;
	}
	if (more)
		line(t, false, wp_sprintf(t->a, "nor can %zu other version%s of it", more, more == 1 ? "" : "s"));
}

/* Have other versions of the project been told of? */
static bool has_claims(const tale *t, uint32_t project)
{
	size_t i;

	for (i = 0; i < t->core.n; i++)
		if (is_claim(t->core.v[i]) && t->core.v[i]->claim.project == project)
			return true;
	return false;
}

static void tell_yanked(tale *t, size_t at)
{
	const wp_fact *f = t->core.v[at];
	who w;
	uint32_t i, k;

	t->told[at] = true;
	t->other++;
	for (i = 0; i < f->n; i++) {
		const wp_pooled *p = project_of(t, t->packages[f->v[i].package].project);

		for (k = 0; k < p->c.n && !(set_has(f->v[i].set, k) && p->c.v[k].yanked); k++)
			;
		if (k == p->c.n || t->packages[f->v[i].package].extra)
			continue;
		w = wp_say_owner(t, t->packages[f->v[i].package].project, NULL, f->v[i].set);
		t->yanked = wp_sprintf(t->a, "%s==%s", p->name, p->c.v[k].version.norm);
		line(t, !has_claims(t, t->packages[f->v[i].package].project),
			wp_sprintf(t->a, "%s %s yanked, and nothing pins %s", w.text, w.many ? "are" : "is",
				w.many ? "one of them" : "it"));
	}
}

/* ---- from the request downwards ----------------------------------------------------------------------- */

static void visit(tale *t, uint32_t project, int depth);

/* What the versions of a project require, and then what that requires. */
static void tell_owner(tale *t, uint32_t project, int depth)
{
	WP_VEC(uint32_t) next = {0};
	size_t i;

	for (i = 0; i < t->core.n; i++) {
		const wp_fact *f = t->core.v[i];

		if (t->told[i] || wp_owner_of(t, f) != project)
			continue;
		if (f->because == WP_BECAUSE_YANKED) {
			tell_yanked(t, i);
		} else if (is_claim(f)) {
			WP_PUSH(&next, f->claim.dep->project);
			tell_claims(t, i);
		}
	}
	tell_broken(t, project);
	for (i = 0; i < next.n; i++)
		visit(t, next.v[i], depth + 1);
	WP_VEC_FREE(&next);
}

static void visit(tale *t, uint32_t project, int depth)
{
	enum { MAX_DEPTH = 64 };
	size_t i;

	if (t->visited[project] || depth > MAX_DEPTH)
		return;
	t->visited[project] = true;
	for (i = 0; i < t->core.n; i++) {
		const wp_fact *f = t->core.v[i];

		if (!t->told[i] && by_request(f) && f->because == WP_BECAUSE_CONSTRAINT &&
			f->claim.dep->project == project)
			tell_claims(t, i);
	}
	tell_owner(t, project, depth);
}

/* "a, b>=2 and c are asked for". */
static void tell_request(tale *t)
{
	wp_words texts = {0};
	bool clash = false;
	size_t i;

	for (i = 0; i < t->core.n; i++) {
		const wp_fact *f = t->core.v[i];
		facts one = {.v = &f, .n = 1};

		if (f->because != WP_BECAUSE_REQUIRED || !by_request(f) || wp_is_end(t, f))
			continue;
		t->told[i] = true;
		wp_add_word(t->a, &texts, wp_str_of(wp_say_dep(t->a, f->claim.dep)));
		clash |= narrow(t, &one);
	}
	if (texts.n)
		line(t, false, wp_sprintf(t->a, "%s %s asked for%s", wp_join(t->a, &texts, 8), texts.n == 1 ? "is" : "are",
				       clash ? " at once" : ""));
	WP_VEC_FREE(&texts);
	for (i = 0; i < t->core.n; i++)
		if (!t->told[i] && by_request(t->core.v[i]) && t->core.v[i]->because == WP_BECAUSE_REQUIRED)
			tell_claims(t, i);
}

/* As a reader would look for them: the request's in its order, then by their places in METADATA, the best candidates
 * first. */
static int in_reading_order(const void *pa, const void *pb)
{
	const wp_fact *a = *(const wp_fact *const *)pa, *b = *(const wp_fact *const *)pb;
	const wp_dep *x = a->claim.dep, *y = b->claim.dep;

	if (is_claim(a) != is_claim(b))
		return is_claim(a) ? -1 : 1;
	if (by_request(a) != by_request(b))
		return by_request(a) ? -1 : 1;
	if (is_claim(a) && by_request(a) && x != y)
		return x < y ? -1 : 1;
	if (is_claim(a) && !x->reason != !y->reason)
		return y->reason ? -1 : 1;
	if (is_claim(a) && x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (a->claim.cand != b->claim.cand)
		return a->claim.cand < b->claim.cand ? -1 : 1;
	if (!a->n || !b->n)
		return 0;
	return a->v[a->n - 1].package < b->v[b->n - 1].package ? -1 : a->v[a->n - 1].package > b->v[b->n - 1].package;
}

static void tell_all(tale *t)
{
	size_t i;

	if (t->core.n)
		qsort(t->core.v, t->core.n, sizeof *t->core.v, in_reading_order);
	tell_request(t);
	for (i = 0; i < t->nfirst; i++)
		tell_owner(t, t->packages[t->first[i].package].project, 0);
	for (i = 0; i < t->core.n; i++)
		if (by_request(t->core.v[i]) && t->core.v[i]->because == WP_BECAUSE_REQUIRED)
			visit(t, t->core.v[i]->claim.dep->project, 0);
	for (i = 0; i < t->core.n; i++)
		if (!t->told[i])
			visit(t, wp_owner_of(t, t->core.v[i]), 0);
}

/* Do requirements of two owners, or two of the request, on one project stand against each other? */
static bool clashes(const tale *t)
{
	const wp_fact **first = WP_NEW_ARRAY(t->a, t->j->pool.projects.n, const wp_fact *);
	size_t i;

	for (i = 0; i < t->core.n; i++) {
		const wp_fact *f = t->core.v[i], **other;

		if (!is_claim(f) || !wp_term_on(t, f, f->claim.dep->project))
			continue;
		other = &first[f->claim.dep->project];
		if (*other && (f->claim.project != (*other)->claim.project || by_request(f)))
			return true;
		*other = f;
	}
	return false;
}

/* ---- the error ------------------------------------------------------------------------------------------ */

static int gave_up(const wp_job *j, wp_error *e)
{
	wp_fail(e, WP_E_CONFLICT, "no answer after %u tries: the requirements leave too many versions open",
		(unsigned)j->solution.steps);
	return wp_err_next(e, "name versions for the largest of the requirements, for example torch==2.11.0");
}

static wp_code judge(tale *t)
{
	if (t->other || clashes(t))
		return WP_E_CONFLICT;
	if (t->missing && !t->unfit)
		return WP_E_NO_PROJECT;
	return t->unfit && !t->missing ? WP_E_NO_WHEEL : WP_E_CONFLICT;
}

static void begin(tale *t, wp_core core)
{
	size_t n = t->j->pool.projects.n;

	t->core = core;
	t->told = WP_NEW_ARRAY(t->a, core.n, bool);
	t->visited = WP_NEW_ARRAY(t->a, n, bool);
	t->lacking = WP_NEW_ARRAY(t->a, n, bool);
	t->left = WP_NEW_ARRAY(t->a, n, uint64_t *);
}

/* Versions that are not chosen have no part in an example. */
static void only_chosen(tale *t, const wp_example *x)
{
	size_t i, k;
	uint32_t n;

	for (i = 0; i < x->core.n; i++) {
		wp_fact *f = (wp_fact *)x->core.v[i];
		wp_term *v = (wp_term *)f->v;

		for (k = 0; k < x->n; k++)
			for (n = 0; n < f->n; n++)
				if (v[n].package == x->choices[k].package && is_claim(f) &&
					t->packages[v[n].package].project == f->claim.project)
					v[n].set = x->choices[k].set;
	}
}

/* Too many cases to be told: one of them stands for all. False where the tale is a chain. */
static bool tell_example(tale *t)
{
	tale one = {.j = t->j, .a = t->a, .packages = t->packages, .yanked = t->yanked};
	wp_words names = {0};
	wp_example x;
	size_t i;

	if (!wp_core_example(t->a, &t->j->solution.proof, &x))
		return false;
	only_chosen(t, &x);
	for (i = 0; i < x.n; i++)
		WP_PUSH(&names, wp_say_owner(t, t->packages[x.choices[i].package].project, t->packages[x.choices[i].package].extra,
				 x.choices[i].set).text);
	begin(&one, x.core);
	one.first = x.choices;
	one.nfirst = x.n;
	line(&one, false, wp_sprintf(t->a, "no versions go together (%zu requirements have a part in it); with %s, for example:",
				  t->core.n, wp_join(t->a, &names, 6)));
	tell_all(&one);
	WP_VEC_FREE(&names);
	WP_VEC_FREE(&t->lines);
	*t = one;
	return true;
}

int wp_explain(wp_job *j, wp_error *e)
{
	enum { MANY_LINES = 8 };
	tale t = {.j = j, .a = wp_arena_new(), .packages = j->solution.proof.packages};
	wp_core core;
	wp_code code;

	if (j->solution.gave_up) {
		wp_arena_free(t.a);
		return gave_up(j, e);
	}
	wp_core_of(t.a, &j->solution.proof, &core);
	begin(&t, core);
	tell_all(&t);
	code = judge(&t);
	if (t.lines.n > MANY_LINES)
		tell_example(&t);
	if (code == WP_E_NO_PROJECT || code == WP_E_NO_WHEEL)
		wp_tell_lacking(t.a, j, code == WP_E_NO_PROJECT ? WP_LACK_PROJECT : WP_LACK_WHEEL, t.lacking, &t.lines);
	wp_fail(e, code, "%s", wp_lines(t.a, &t.lines));
	if (t.about)
		wp_advise(t.a, j, t.about, e);
	else if (t.yanked)
		wp_err_next(e, "to take the yanked version all the same, pin it: %s", t.yanked);
	WP_VEC_FREE(&t.lines);
	wp_arena_free(t.a);
	return e->code;
}

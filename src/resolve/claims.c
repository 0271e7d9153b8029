/* SPDX-License-Identifier: MIT */
/* claims.c: who requires what, in words. */
#include "resolve/tale.h"

enum { MAX_SHOWN = 3 /* of requirements that differ from version to version */ };

/* ---- facts -------------------------------------------------------------------------------------- */

const wp_term *wp_term_on(const tale *t, const wp_fact *f, uint32_t project)
{
	uint32_t i;

	for (i = 0; i < f->n; i++)
		if (t->packages[f->v[i].package].project == project && !t->packages[f->v[i].package].extra)
			return &f->v[i];
	return NULL;
}

uint32_t wp_owner_of(const tale *t, const wp_fact *f)
{
	return is_claim(f) ? f->claim.project : t->packages[f->v[0].package].project;
}

/* Does the requirement leave nothing of what it requires? Then a term on that would always hold, and there is none. */
bool wp_is_end(const tale *t, const wp_fact *f)
{
	const wp_dep *d = f->claim.dep;
	const wp_term *x;
	uint32_t i, k;

	if (!is_claim(f) || f->claim.project == d->project || d->reason)
		return false;
	x = wp_term_on(t, f, d->project);
	for (i = 0; x && i < project_of(t, d->project)->c.n; i++)
		if (!set_has(x->set, i))
			return false;
	for (k = 0; !x && k < f->n; k++)
		if (t->packages[f->v[k].package].project == d->project)
			return false;
	return true;
}

/* Told together: the same owner requires the same project, in other versions perhaps with other words. */
static bool alike(const tale *t, const wp_fact *a, const wp_fact *b)
{
	return is_claim(a) && is_claim(b) && a->claim.project == b->claim.project &&
		a->claim.dep->project == b->claim.dep->project && wp_streq(a->extra, b->extra) &&
		wp_streq(a->claim.dep->reason, b->claim.dep->reason) && a->because == b->because &&
		wp_is_end(t, a) == wp_is_end(t, b);
}

/* ---- who ------------------------------------------------------------------------------------------ */

/* Are these all that what was told leaves? */
static bool all_left(const tale *t, uint32_t project, const uint64_t *set)
{
	const wp_pooled *p = project_of(t, project);
	uint32_t i;

	for (i = 0; i < p->c.n; i++)
		if ((!t->left[project] || set_has(t->left[project], i)) && !set_has(set, i))
			return false;
	return true;
}

who wp_say_owner(const tale *t, uint32_t project, const char *extra, const uint64_t *set)
{
	const wp_pooled *p = project_of(t, project);
	const char *name = extra ? wp_sprintf(t->a, "%s[%s]", p->name, extra) : p->name;
	uint32_t all = (uint32_t)p->c.n, n = set_count(set, set_words(all)) - set_has(set, all);

	if (n > 1 && n == all)
		return (who){wp_sprintf(t->a, "every version of %s%s", name, p->c.nout ? " with a wheel that fits" : ""),
			false};
	if (n > 1 && all_left(t, project, set))
		return (who){wp_sprintf(t->a, "every such version of %s", name), false};
	return (who){wp_sprintf(t->a, "%s %s", name, wp_say_versions(t->a, p, set)), n > 1};
}

static const uint64_t *owners_set(const tale *t, const wp_fact *f)
{
	const wp_term *x = wp_term_on(t, f, wp_owner_of(t, f));

	if (x)
		return x->set;
	/* Of its own project: one term says both. */
	return f->v[0].set;
}

static bool same_requirement(const wp_requirement *a, const wp_requirement *b)
{
	size_t i;

	if (!wp_streq(a->project, b->project) || !wp_streq(a->specifiers.norm, b->specifiers.norm) ||
		!wp_streq(a->url, b->url) || a->nextras != b->nextras)
		return false;
	for (i = 0; i < a->nextras && wp_streq(a->extras[i], b->extras[i]); i++)
		;
	return i == a->nextras;
}

/* A requirement with extras is several facts. */
static bool same_words(const tale *t, const wp_fact *a, const wp_fact *b)
{
	size_t words = set_words((uint32_t)project_of(t, wp_owner_of(t, a))->c.n);

	return same_requirement(a->claim.dep->req, b->claim.dep->req) &&
		memcmp(owners_set(t, a), owners_set(t, b), words * sizeof(uint64_t)) == 0;
}

void wp_take_alike(tale *t, size_t at, facts *out)
{
	const wp_fact *f = t->core.v[at];
	size_t i, k;

	for (i = at; i < t->core.n; i++) {
		const wp_fact *x = t->core.v[i];

		if (t->told[i] || !alike(t, f, x))
			continue;
		t->told[i] = true;
		for (k = 0; k < out->n && (by_request(x) || !same_words(t, x, out->v[k])); k++)
			;
		if (k == out->n)
			WP_PUSH(out, x);
		else if (wp_term_on(t, x, x->claim.dep->project))
			out->v[k] = x;
	}
}

const uint64_t *wp_union_of(const tale *t, const facts *v)
{
	size_t i, k, words = set_words((uint32_t)project_of(t, v->v[0]->claim.project)->c.n);
	uint64_t *set = wp_vec_copy(t->a, owners_set(t, v->v[0]), words, sizeof *set);

	for (i = 1; i < v->n; i++)
		for (k = 0; k < words; k++)
			set[k] |= owners_set(t, v->v[i])[k];
	return set;
}

/* ---- what they require ------------------------------------------------------------------------------ */

static const char *say_rule(const tale *t, const wp_fact *f, who w)
{
	const wp_dep *d = f->claim.dep;

	if (d->negate)
		return wp_sprintf(t->a, "no %s goes with %s (%s)", wp_say_dep(t->a, d), w.text, d->reason);
	return wp_sprintf(t->a, "only %s goes with %s, though its metadata does not say so", wp_say_dep(t->a, d), w.text);
}

const char *wp_say_claim(const tale *t, const wp_fact *f)
{
	const char *text = wp_say_dep(t->a, f->claim.dep);
	who w;

	if (by_request(f))
		return wp_sprintf(t->a, f->because == WP_BECAUSE_CONSTRAINT ? "the constraint is %s" : "%s is asked for",
			text);
	w = wp_say_owner(t, f->claim.project, f->extra, owners_set(t, f));
	if (f->claim.dep->reason)
		return say_rule(t, f, w);
	return wp_sprintf(t->a, "%s require%s %s", w.text, w.many ? "" : "s", text);
}

/* The best of the owner's candidates speaks for all. */
static uint32_t best_of(const tale *t, const wp_fact *f)
{
	return set_next(owners_set(t, f), set_words((uint32_t)project_of(t, wp_owner_of(t, f))->c.n), 0);
}

void wp_best_first(const tale *t, facts *v)
{
	size_t i, k;

	for (i = 1; i < v->n; i++)
		for (k = i; k > 0 && best_of(t, v->v[k]) < best_of(t, v->v[k - 1]); k--) {
			const wp_fact *f = v->v[k];

			v->v[k] = v->v[k - 1];
			v->v[k - 1] = f;
		}
}

/* "a 2.0 requires b>=2, a 1.0 requires b<2", "every version of a requires another b: 3.0 b==3, 2.0 b==2 and so on". */
static const char *say_several(const tale *t, facts *v)
{
	const wp_pooled *p = project_of(t, v->v[0]->claim.project);
	who w = wp_say_owner(t, v->v[0]->claim.project, v->v[0]->extra, wp_union_of(t, v));
	const char *list = "";
	size_t i;

	wp_best_first(t, v);
	if (v->n == 2)
		return wp_sprintf(t->a, "%s, and %s", wp_say_claim(t, v->v[0]), wp_say_claim(t, v->v[1]));
	for (i = 0; i < v->n && i < MAX_SHOWN; i++)
		list = wp_sprintf(t->a, "%s%s%s requires %s", list, i ? ", " : "",
			p->c.v[best_of(t, v->v[i])].version.norm, wp_say_dep(t->a, v->v[i]->claim.dep));
	return wp_sprintf(t->a, "%s require%s a %s of %s own: %s%s", w.text, w.many ? "" : "s",
		v->v[0]->claim.dep->req->project, w.many ? "their" : "its", list, i < v->n ? ", and so on" : "");
}

const char *wp_say_claims(const tale *t, facts *v)
{
	return v->n == 1 ? wp_say_claim(t, v->v[0]) : say_several(t, v);
}

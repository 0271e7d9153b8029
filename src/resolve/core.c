/* SPDX-License-Identifier: MIT */
#include "resolve/core.h"

#include "base/map.h"
#include "base/vec.h"

typedef WP_VEC(wp_fact *) fact_vec;

/* ---- the leaves of the proof ---------------------------------------------------------------- */

static wp_str pointer_key(const wp_fact *const *f)
{
	return (wp_str){(const char *)f, sizeof *f};
}

static wp_fact *copy_fact(wp_arena *a, const wp_fact *f)
{
	wp_fact *c = WP_NEW(a, wp_fact);

	*c = *f;
	c->v = wp_vec_copy(a, f->v, f->n, sizeof *f->v);
	return c;
}

/* Each source once, in the order in which a walk from the root meets them. */
static void collect(wp_arena *a, const wp_fact *root, fact_vec *out)
{
	WP_VEC(const wp_fact *) stack = {0};
	wp_map seen;

	wp_map_init(&seen);
	WP_PUSH(&stack, root);
	while (stack.n) {
		const wp_fact *f = stack.v[--stack.n];

		if (!wp_map_put(&seen, pointer_key(&f), 0))
			continue;
		if (f->because != WP_BECAUSE_FOLLOWS) {
			WP_PUSH(out, copy_fact(a, f));
			continue;
		}
		WP_PUSH(&stack, f->right);
		WP_PUSH(&stack, f->left);
	}
	wp_map_free(&seen);
	WP_VEC_FREE(&stack);
}

/* ---- versions that say the same -------------------------------------------------------------- */

static bool is_owner(const wp_proof *p, const wp_fact *f, const wp_term *t)
{
	const wp_package *k = &p->packages[t->package];

	return k->project == f->claim.project && !k->extra;
}

/* What facts have in common that differ only in their owner's candidates. */
static void key_of(const wp_proof *p, const wp_fact *f, wp_buf *key)
{
	uint32_t i;

	wp_buf_printf(key, "%d %u %s %u %d %s %s", (int)f->because, (unsigned)f->claim.project, f->extra ? f->extra : "",
		(unsigned)f->claim.dep->project, f->claim.dep->negate, f->claim.dep->req->text,
		f->claim.dep->reason ? f->claim.dep->reason : "");
	for (i = 0; i < f->n; i++) {
		wp_buf_printf(key, " %u ", (unsigned)f->v[i].package);
		if (!is_owner(p, f, &f->v[i]))
			wp_buf_add(key, f->v[i].set,
				set_words(p->packages[f->v[i].package].n) * sizeof *f->v[i].set);
	}
}

static void unite(wp_arena *a, const wp_proof *p, wp_fact *into, const wp_fact *f)
{
	wp_term *v = wp_vec_copy(a, into->v, into->n, sizeof *into->v);
	uint32_t i;
	size_t k;

	for (i = 0; i < into->n; i++) {
		size_t words = set_words(p->packages[v[i].package].n);
		uint64_t *set;

		if (!is_owner(p, into, &v[i]))
			continue;
		set = wp_vec_copy(a, v[i].set, words, sizeof *set);
		for (k = 0; k < words; k++)
			set[k] |= f->v[i].set[k];
		v[i].set = set;
	}
	into->v = v;
}

static void merge(wp_arena *a, const wp_proof *p, fact_vec *facts)
{
	enum { MAX_KEY = 1 << 16 };
	wp_map seen;
	size_t i, n = 0;

	wp_map_init(&seen);
	for (i = 0; i < facts->n; i++) {
		wp_fact *f = facts->v[i];
		wp_buf key;
		uint32_t at;

		wp_buf_init(&key, MAX_KEY);
		if (is_claim(f))
			key_of(p, f, &key);
		if (key.full || !is_claim(f)) {
			facts->v[n++] = f;
		} else if (wp_map_get(&seen, wp_buf_view(&key), &at)) {
			unite(a, p, facts->v[at], f);
		} else {
			wp_map_put(&seen, wp_buf_view(&key), (uint32_t)n);
			facts->v[n++] = f;
		}
		wp_buf_free(&key);
	}
	facts->n = n;
	wp_map_free(&seen);
}

/* ---- are these facts enough? ----------------------------------------------------------------- */

enum {
	MAX_WORK = 20 * 1000 * 1000, /* words looked at, over all questions */
	MAX_SPLITS = 60		     /* one inside the other */
};

typedef struct question {
	const wp_proof *p;
	const fact_vec *facts;
	bool *on;	 /* facts that take part */
	size_t *at;	 /* of each package in the choices */
	size_t words;	 /* of all choices */
	size_t work;
	wp_term *choices; bool *chosen; size_t nchoices; /* made at the start */
	bool plain; /* only conclusions, no cases */
} question;

typedef enum held { NEVER, MAYBE, ALWAYS } held;

/* Does the term hold with the choices that are left? */
static held term_holds(question *q, const wp_term *t, const uint64_t *left)
{
	size_t i, n = set_words(q->p->packages[t->package].n);
	uint64_t in = 0, out = 0;

	left += q->at[t->package];
	for (i = 0; i < n; i++) {
		in |= left[i] & t->set[i];
		out |= left[i] & ~t->set[i];
	}
	q->work += n;
	return !in ? NEVER : out ? MAYBE : ALWAYS;
}

/* The number of terms that are open, of which *open is the last; 0 where one never holds, UINT32_MAX where all do. */
static uint32_t open_terms(question *q, const wp_fact *f, const uint64_t *left, const wp_term **open)
{
	uint32_t i, n = 0;

	for (i = 0; i < f->n; i++)
		switch (term_holds(q, &f->v[i], left)) {
		case NEVER:
			return 0;
		case MAYBE:
			n++;
			*open = &f->v[i];
			break;
		case ALWAYS:
			break;
		}
	return n ? n : UINT32_MAX;
}

static void leave(const question *q, const wp_term *t, bool in, uint64_t *left)
{
	size_t i, n = set_words(q->p->packages[t->package].n);

	left += q->at[t->package];
	for (i = 0; i < n; i++)
		left[i] &= in ? t->set[i] : ~t->set[i];
}

/* Draw all plain conclusions. True on a contradiction; else *split is a term of a fact that stays open, NULL if none
 * does. */
static bool conclude(question *q, uint64_t *left, const wp_term **split)
{
	bool more = true, back = true;
	size_t i, k, total = q->facts->n;

	while (more) {
		more = false;
		back = !back; /* a chain that stands the wrong way round is then as quick */
		*split = NULL;
		for (k = 0; k < total; k++) {
			const wp_term *open = NULL;
			uint32_t n;

			i = back ? total - 1 - k : k;
			n = q->on[i] ? open_terms(q, q->facts->v[i], left, &open) : 0;
			if (n == UINT32_MAX)
				return true;
			if (n == 1) {
				leave(q, open, false, left);
				more = true;
			} else if (n) {
				*split = open;
			}
		}
	}
	return false;
}

static bool refuted(question *q, uint64_t *left, int depth)
{
	const wp_term *split;
	uint64_t *other;
	bool both;

	if (conclude(q, left, &split))
		return true;
	if (!split || q->plain || depth >= MAX_SPLITS || q->work > MAX_WORK)
		return false;
	other = wp_xmalloc(q->words * sizeof *other);
	memcpy(other, left, q->words * sizeof *other);
	leave(q, split, true, left);
	leave(q, split, false, other);
	both = refuted(q, left, depth + 1) && refuted(q, other, depth + 1);
	free(other);
	return both;
}

static uint64_t *start(question *q)
{
	uint64_t *left = wp_xmalloc((q->words + 1) * sizeof *left);
	size_t i;

	for (i = 0; i < q->p->npackages; i++)
		if (q->at[i] != SIZE_MAX)
			set_fill(left + q->at[i], q->p->packages[i].n);
	for (i = 0; i < q->nchoices; i++)
		if (q->chosen[i])
			leave(q, &q->choices[i], true, left);
	return left;
}

static bool enough(question *q)
{
	uint64_t *left = start(q);
	bool yes = refuted(q, left, 0);

	free(left);
	return yes;
}

/* ---- as few as possible ----------------------------------------------------------------------- */

static void place_packages(wp_arena *a, question *q)
{
	size_t i;
	uint32_t k;

	q->at = WP_NEW_ARRAY(a, q->p->npackages, size_t);
	memset(q->at, 0xff, q->p->npackages * sizeof *q->at);
	for (i = 0; i < q->facts->n; i++)
		for (k = 0; k < q->facts->v[i]->n; k++) {
			uint32_t package = q->facts->v[i]->v[k].package;

			if (q->at[package] != SIZE_MAX)
				continue;
			q->at[package] = q->words;
			q->words += set_words(q->p->packages[package].n);
		}
}

/* Of each project how many requirements it is away from the request. */
static uint32_t *distances(wp_arena *a, const wp_proof *p, const fact_vec *facts)
{
	uint32_t *of, top = 0;
	bool more = true;
	size_t i;

	for (i = 0; i < p->npackages; i++)
		top = p->packages[i].project > top ? p->packages[i].project : top;
	of = WP_NEW_ARRAY(a, (size_t)top + 1, uint32_t);
	memset(of, 0xff, ((size_t)top + 1) * sizeof *of);
	while (more) {
		more = false;
		for (i = 0; i < facts->n; i++) {
			const wp_claim *c = &facts->v[i]->claim;
			uint32_t from = !is_claim(facts->v[i])	  ? WP_NOBODY
				: c->project == WP_NOBODY ? 0
							  : of[c->project];

			if (from == WP_NOBODY || from + 1 >= of[c->dep->project])
				continue;
			of[c->dep->project] = from + 1;
			more = true;
		}
	}
	return of;
}

typedef struct ranked {
	uint32_t fact, far, line;
} ranked;

static int farthest_first(const void *pa, const void *pb)
{
	const ranked *a = pa, *b = pb;

	if (a->far != b->far)
		return a->far > b->far ? -1 : 1;
	if (a->line != b->line)
		return a->line > b->line ? -1 : 1;
	return a->fact > b->fact ? -1 : 1;
}

/* In which order to give facts up: what is far from the request is the hardest to follow. */
static ranked *ranking(wp_arena *a, const wp_proof *p, const fact_vec *facts)
{
	const uint32_t *of = distances(a, p, facts);
	ranked *v = WP_NEW_ARRAY(a, facts->n, ranked);
	size_t i;

	for (i = 0; i < facts->n; i++) {
		const wp_fact *f = facts->v[i];

		v[i].fact = (uint32_t)i;
		v[i].line = is_claim(f) ? f->claim.dep->line : 0;
		if (!is_claim(f))
			v[i].far = of[p->packages[f->v[0].package].project];
		else if (f->claim.project != WP_NOBODY)
			v[i].far = of[f->claim.project];
	}
	qsort(v, facts->n, sizeof *v, farthest_first);
	return v;
}

/* Try to do without facts, many at once first. */
static void give_up(wp_arena *a, question *q, const ranked *order)
{
	size_t chunk, i, k, n = q->facts->n;
	bool *was = WP_NEW_ARRAY(a, n, bool);

	for (chunk = n > 2 ? n / 2 : 1; chunk; chunk /= 2)
		for (i = 0; i < n && q->work <= MAX_WORK; i += chunk) {
			size_t end = i + chunk < n ? i + chunk : n;
			bool any = false;

			for (k = i; k < end; k++) {
				was[k] = q->on[order[k].fact];
				any |= was[k];
				q->on[order[k].fact] = false;
			}
			if (any && !enough(q))
				for (k = i; k < end; k++)
					q->on[order[k].fact] = was[k];
		}
}

static void begin(wp_arena *a, question *q, const wp_proof *p, fact_vec *facts)
{
	*q = (question){.p = p, .facts = facts};
	collect(a, p->root, facts);
	merge(a, p, facts);
	place_packages(a, q);
	q->on = WP_NEW_ARRAY(a, facts->n, bool);
	memset(q->on, true, facts->n);
}

static wp_core those_on(wp_arena *a, const question *q)
{
	wp_core c = {.v = WP_NEW_ARRAY(a, q->facts->n, const wp_fact *)};
	size_t i;

	for (i = 0; i < q->facts->n; i++)
		if (q->on[i])
			c.v[c.n++] = q->facts->v[i];
	return c;
}

void wp_core_of(wp_arena *a, const wp_proof *p, wp_core *out)
{
	fact_vec facts = {0};
	question q;

	*out = (wp_core){0};
	if (!p->root)
		return;
	begin(a, &q, p, &facts);
	if (enough(&q))
		give_up(a, &q, ranking(a, p, &facts));
	*out = those_on(a, &q);
	WP_VEC_FREE(&facts);
}

/* ---- one case of many ------------------------------------------------------------------------- */

/* The best choice of the first package that is needed and open; false where there is none. */
static bool next_choice(wp_arena *a, const question *q, const uint64_t *left, wp_term *out)
{
	size_t i;

	for (i = 0; i < q->p->npackages; i++) {
		uint32_t n = q->p->packages[i].n, first;
		const uint64_t *x = left + q->at[i];
		uint64_t *set;

		if (q->at[i] == SIZE_MAX || set_has(x, n))
			continue;
		first = set_next(x, set_words(n), 0);
		if (first == UINT32_MAX || set_next(x, set_words(n), first + 1) == UINT32_MAX)
			continue;
		set = WP_NEW_ARRAY(a, set_words(n), uint64_t);
		set_add(set, first);
		*out = (wp_term){(uint32_t)i, set};
		return true;
	}
	return false;
}

/* Choose until it does not go on. */
static bool choose(wp_arena *a, question *q)
{
	const wp_term *split;
	uint64_t *left = start(q);
	bool refused;

	q->choices = WP_NEW_ARRAY(a, q->p->npackages, wp_term);
	q->chosen = WP_NEW_ARRAY(a, q->p->npackages, bool);
	while (!(refused = conclude(q, left, &split)) && q->work <= MAX_WORK &&
		next_choice(a, q, left, &q->choices[q->nchoices])) {
		leave(q, &q->choices[q->nchoices], true, left);
		q->chosen[q->nchoices++] = true;
	}
	free(left);
	return refused;
}

static void drop_choices(question *q)
{
	size_t i, n = 0;

	for (i = q->nchoices; i-- > 0;) {
		q->chosen[i] = false;
		q->chosen[i] = !enough(q);
	}
	for (i = 0; i < q->nchoices; i++)
		if (q->chosen[i])
			q->choices[n++] = q->choices[i];
	q->nchoices = n;
	memset(q->chosen, true, n);
}

bool wp_core_example(wp_arena *a, const wp_proof *p, wp_example *out)
{
	fact_vec facts = {0};
	question q;
	bool found;

	begin(a, &q, p, &facts);
	q.plain = true;
	found = choose(a, &q) && q.nchoices;
	if (found) {
		drop_choices(&q);
		give_up(a, &q, ranking(a, p, &facts));
		*out = (wp_example){those_on(a, &q), q.choices, q.nchoices};
	}
	WP_VEC_FREE(&facts);
	return found && out->n;
}

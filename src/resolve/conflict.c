/* SPDX-License-Identifier: MIT */
/* conflict.c: learning. A fact all of whose terms hold is combined with the facts from which they follow, until one is
 * found that would have said something at an earlier level. */
#include "resolve/search.h"

enum { FAR = 100 /* levels */, KEY_WORDS = 256 };

/* Why a fact's terms hold, as the trail tells it. */
typedef struct satisfier {
	uint32_t term; /* the one that came to hold last */
	const step *by;
	uint32_t before; /* level at which all else held */
} satisfier;

static bool is_all(const package *p, const uint64_t *set)
{
	return set_within(p->sets.v, set, p->words);
}

static const wp_term *term_on(const wp_fact *f, uint32_t no)
{
	uint32_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].package == no)
			return &f->v[i];
	return NULL;
}

static const uint64_t *joined(search *s, const package *p, const uint64_t *a, const uint64_t *b, bool both)
{
	uint64_t *set = wp_new_set(s, p);
	size_t i;

	for (i = 0; i < p->words; i++)
		set[i] = both ? a[i] & b[i] : a[i] | b[i];
	return set;
}

/* The level at which this package alone had come so far that, with the satisfier's own fact, the term holds. */
static uint32_t rest_level(search *s, const package *p, const uint64_t *set, const wp_term *own)
{
	const uint64_t *rest = own ? joined(s, p, set, own->set, false) : NULL;

	return !rest || is_all(p, rest) ? 0 : wp_first_within(p, rest)->level;
}

static satisfier find_satisfier(search *s, const wp_fact *f)
{
	satisfier x = {0};
	uint32_t i;

	for (i = 0; i < f->n; i++) {
		const step *by = wp_first_within(s->packages.v[f->v[i].package], f->v[i].set);

		if (x.by && by->place < x.by->place) {
			x.before = by->level > x.before ? by->level : x.before;
			continue;
		}
		if (x.by && x.by->level > x.before)
			x.before = x.by->level;
		x.by = by;
		x.term = i;
	}
	if (x.by->fact) {
		uint32_t no = f->v[x.term].package;
		uint32_t level = rest_level(s, s->packages.v[no], f->v[x.term].set, term_on(x.by->fact, no));

		x.before = level > x.before ? level : x.before;
	}
	return x;
}

/* Both facts say something: not both of these sets, or not what either has. */
static const wp_fact *combine(search *s, const wp_fact *a, const wp_fact *b, uint32_t pivot)
{
	wp_fact *f = WP_NEW(s->p->arena, wp_fact);
	wp_term *v = WP_NEW_ARRAY(s->p->arena, a->n + b->n, wp_term);
	uint32_t i = 0, k = 0;

	while (i < a->n || k < b->n) {
		const wp_term *x = i < a->n ? &a->v[i] : NULL, *y = k < b->n ? &b->v[k] : NULL;
		const package *p;
		wp_term t;

		if (!y || (x && x->package < y->package)) {
			v[f->n++] = a->v[i++];
			continue;
		}
		if (!x || y->package < x->package) {
			v[f->n++] = b->v[k++];
			continue;
		}
		p = s->packages.v[x->package];
		t = (wp_term){x->package, joined(s, p, x->set, y->set, x->package != pivot)};
		if (!is_all(p, t.set))
			v[f->n++] = t;
		i++;
		k++;
	}
	f->because = WP_BECAUSE_FOLLOWS;
	f->v = v;
	f->left = a;
	f->right = b;
	return f;
}

/* What was learned says something new from x->before on. To go that far back undoes choices that may have no part in it,
 * which is better for the choice of versions, but not where they are many. */
static uint32_t level_to_keep(const satisfier *x)
{
	return x->by->level - x->before > FAR ? x->by->level - 1 : x->before;
}

bool wp_learn(search *s, const wp_fact *f, const wp_fact **learned, uint32_t *no)
{
	while (f->n) {
		satisfier x = find_satisfier(s, f);

		*no = f->v[x.term].package;
		if (!x.by->fact || x.before < x.by->level) {
			wp_back_to(s, level_to_keep(&x));
			*learned = f;
			return true;
		}
		f = combine(s, f, x.by->fact, *no);
	}
	s->contradiction = f;
	return false;
}

/* ---- keep ----------------------------------------------------------------------------------- */

/* All of the fact but its set on one package: what differs in that alone is one fact. Empty where it is too long. */
static wp_str key_of(const search *s, const wp_fact *f, uint32_t no, uint64_t key[KEY_WORDS])
{
	size_t n = 0;
	uint32_t i;

	key[n++] = no;
	for (i = 0; i < f->n; i++) {
		const package *p = s->packages.v[f->v[i].package];

		if (f->v[i].package == no)
			continue;
		if (n + 1 + p->words > KEY_WORDS)
			return (wp_str){NULL, 0};
		key[n++] = f->v[i].package;
		memcpy(&key[n], f->v[i].set, p->words * sizeof *key);
		n += p->words;
	}
	return (wp_str){(const char *)key, n * sizeof *key};
}

void wp_keep(search *s, const wp_fact *f, uint32_t no)
{
	uint64_t words[KEY_WORDS];
	wp_str key = key_of(s, f, no, words);
	uint32_t at;

	if (key.n && wp_map_get(&s->learned, key, &at)) {
		wp_replace_fact(s, at, combine(s, s->facts.v[at].f, f, no));
		return;
	}
	at = wp_add_fact(s, f);
	if (key.n)
		wp_map_put(&s->learned, key, at);
}

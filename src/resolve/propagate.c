/* SPDX-License-Identifier: MIT */
/* propagate.c: what follows from what is known. Where all terms of a fact hold but one, that one cannot: its set is
 * taken away from its package.
 *
 * Of each fact two terms are watched that do not hold. When one comes to hold, another that does not is watched instead;
 * where there is none, the second of the two cannot hold from that level on. So nothing has to be done when levels are
 * taken back, but for facts that come late: those may have said something at an earlier level already. */
#include "resolve/search.h"

static void look_at(search *s, uint32_t no)
{
	package *p = s->packages.v[no];

	if (p->queued)
		return;
	p->queued = true;
	WP_PUSH(&s->queue, no);
}

static void push_step(search *s, uint32_t no, const wp_fact *f)
{
	package *p = s->packages.v[no];

	WP_PUSH(&p->steps, ((step){f, s->level, (uint32_t)s->trail.n}));
	WP_PUSH(&s->trail, no);
	look_at(s, no);
}

static void add_set(package *p)
{
	size_t i, from = p->sets.n - p->words;

	for (i = 0; i < p->words; i++)
		WP_PUSH(&p->sets, p->sets.v[from + i]);
}

static void take_away(search *s, const wp_term *t, const wp_fact *f)
{
	package *p = s->packages.v[t->package];
	size_t i;

	add_set(p);
	for (i = 0; i < p->words; i++)
		p->sets.v[p->sets.n - p->words + i] &= ~t->set[i];
	push_step(s, t->package, f);
}

void wp_choose(search *s, uint32_t no, uint32_t choice)
{
	package *p = s->packages.v[no];
	uint64_t *set;

	add_set(p);
	set = &p->sets.v[p->sets.n - p->words];
	memset(set, 0, p->words * sizeof *set);
	set_add(set, choice);
	p->chosen = choice;
	s->level++;
	push_step(s, no, NULL);
}

static void push_fresh(search *s, uint32_t no)
{
	entry *x = &s->facts.v[no];

	if (!x->fresh)
		WP_PUSH(&s->fresh, no);
	x->fresh = true;
}

void wp_back_to(search *s, uint32_t level)
{
	for (; s->late.n; s->late.n--)
		push_fresh(s, s->late.v[s->late.n - 1]);
	while (s->trail.n) {
		package *p = s->packages.v[s->trail.v[s->trail.n - 1]];

		if (p->steps.v[p->steps.n - 1].level <= level)
			break;
		if (!p->steps.v[--p->steps.n].fact)
			p->chosen = WP_NOBODY;
		p->sets.n -= p->words;
		s->trail.n--;
	}
	s->level = level;
}

/* ---- terms ---------------------------------------------------------------------------------- */

static bool holds(const search *s, const wp_term *t)
{
	const package *p = s->packages.v[t->package];

	return set_within(left_of(p), t->set, p->words);
}

static bool is_shut(const search *s, const wp_term *t)
{
	const package *p = s->packages.v[t->package];

	return set_apart(left_of(p), t->set, p->words);
}

const step *wp_first_within(const package *p, const uint64_t *set)
{
	size_t low = 0, high = p->steps.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (set_within(&p->sets.v[(middle + 1) * p->words], set, p->words))
			high = middle;
		else
			low = middle + 1;
	}
	return &p->steps.v[low];
}

/* ---- watches -------------------------------------------------------------------------------- */

static void set_watch(search *s, uint32_t no, int which, uint32_t term)
{
	entry *x = &s->facts.v[no];
	const wp_term *t = &x->f->v[term];

	x->watched[which] = term;
	WP_PUSH(&s->packages.v[t->package]->watches, ((watch){no, term, t->set, WP_NOBODY}));
}

static void drop_watch(search *s, uint32_t no, int which)
{
	entry *x = &s->facts.v[no];
	package *p;
	size_t i;

	if (x->watched[which] == WP_NOBODY)
		return;
	p = s->packages.v[x->f->v[x->watched[which]].package];
	for (i = p->watches.n; p->watches.v[i - 1].fact != no; i--)
		;
	p->watches.v[i - 1] = p->watches.v[--p->watches.n];
	x->watched[which] = WP_NOBODY;
}

void wp_refresh(search *s, uint32_t no)
{
	drop_watch(s, no, 0);
	drop_watch(s, no, 1);
	push_fresh(s, no);
}

/* The first term from i on that does not hold; f->n if all do. */
static uint32_t next_open(const search *s, const wp_fact *f, uint32_t i)
{
	while (i < f->n && holds(s, &f->v[i]))
		i++;
	return i;
}

/* The term but this one that came to hold last, and so ceases to first. WP_NOBODY where there is no other. */
static uint32_t last_held(const search *s, const wp_fact *f, uint32_t but, uint32_t *level)
{
	uint32_t i, best = WP_NOBODY, place = 0;

	*level = 0;
	for (i = 0; i < f->n; i++) {
		const step *x;

		if (i == but)
			continue;
		x = wp_first_within(s->packages.v[f->v[i].package], f->v[i].set);
		if (best != WP_NOBODY && x->place < place)
			continue;
		best = i;
		place = x->place;
		*level = x->level;
	}
	return best;
}

/* False where all terms hold. */
static bool look_fresh(search *s, uint32_t no)
{
	const wp_fact *f = s->facts.v[no].f;
	uint32_t open = next_open(s, f, 0), other = open < f->n ? next_open(s, f, open + 1) : f->n, level = s->level;
	bool all = open == f->n, shut;

	if (f->n == 0)
		return true;
	drop_watch(s, no, 0);
	drop_watch(s, no, 1);
	if (all)
		open = last_held(s, f, WP_NOBODY, &level);
	if (other == f->n)
		other = last_held(s, f, open, &level);
	else
		level = s->level;
	set_watch(s, no, 0, open);
	if (other != WP_NOBODY)
		set_watch(s, no, 1, other);
	if (level < s->level)
		WP_PUSH(&s->late, no);
	if (all)
		return false;
	shut = is_shut(s, &f->v[open]);
	if (!shut && (other == WP_NOBODY || holds(s, &f->v[other])))
		take_away(s, &f->v[open], f);
	return true;
}

/* The watched term holds by now. False where all others do too; *moved: it is watched no more. */
static bool look(search *s, const watch *w, bool *moved)
{
	const entry *x = &s->facts.v[w->fact];
	int which = x->watched[1] == w->term;
	uint32_t other = x->watched[!which], i;
	const wp_fact *f = x->f;

	*moved = false;
	if (other != WP_NOBODY && is_shut(s, &f->v[other]))
		return true;
	for (i = next_open(s, f, 0); i == other; i = next_open(s, f, i + 1))
		;
	if (i < f->n) {
		*moved = true;
		set_watch(s, w->fact, which, i);
		return true;
	}
	if (other == WP_NOBODY || holds(s, &f->v[other]))
		return false;
	take_away(s, &f->v[other], f);
	return true;
}

static bool visit(search *s, package *p, const wp_fact **broken)
{
	bool moved;
	size_t i;

	for (i = p->watches.n; i > 0; i--) {
		watch w = p->watches.v[i - 1];

		/* Choices go from the front: the last one is a witness for long. */
		if (w.witness != WP_NOBODY && set_has(left_of(p), w.witness))
			continue;
		w.witness = p->watches.v[i - 1].witness = set_beyond(left_of(p), w.set, p->words);
		if (w.witness != WP_NOBODY)
			continue;
		if (!look(s, &w, &moved)) {
			*broken = s->facts.v[w.fact].f;
			return false;
		}
		if (moved)
			p->watches.v[i - 1] = p->watches.v[--p->watches.n];
	}
	return true;
}

bool wp_propagate(search *s, const wp_fact **broken)
{
	for (;;) {
		if (s->fresh.n) {
			uint32_t no = s->fresh.v[--s->fresh.n];

			s->facts.v[no].fresh = false;
			*broken = s->facts.v[no].f;
			if (!look_fresh(s, no))
				return false;
		} else if (s->queue.n) {
			package *p = s->packages.v[s->queue.v[--s->queue.n]];

			p->queued = false;
			if (!visit(s, p, broken))
				return false;
		} else {
			return true;
		}
	}
}

const wp_fact *wp_forbidden_by(const search *s, uint32_t no, uint32_t choice)
{
	size_t i;
	uint32_t k;

	for (i = s->fresh.n; i > 0; i--) {
		const wp_fact *f = s->facts.v[s->fresh.v[i - 1]].f;

		for (k = 0; k < f->n; k++)
			if (f->v[k].package == no ? !set_has(f->v[k].set, choice) : !holds(s, &f->v[k]))
				break;
		if (f->n && k == f->n)
			return f;
	}
	return NULL;
}

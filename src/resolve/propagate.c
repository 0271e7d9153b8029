/* SPDX-License-Identifier: MIT */
/* propagate.c: what follows from what is known. Where all terms of a fact hold but one, that one cannot: its set is
 * taken away from its package. */
#include "resolve/search.h"

enum { ALL_HOLD = UINT32_MAX, NOTHING = UINT32_MAX - 1 };

void wp_look_at(search *s, uint32_t no)
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

	WP_PUSH(&p->steps, ((step){f, s->level, (uint32_t)s->trail.n, s->serial++}));
	WP_PUSH(&s->trail, no);
	wp_look_at(s, no);
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

void wp_back_to(search *s, uint32_t level)
{
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

/* The term cannot hold since the package's last step, which is kept in mind. */
static void shut(entry *x, uint32_t no, const package *p)
{
	if (!p->steps.n)
		return;
	x->package = no;
	x->step = (uint32_t)p->steps.n - 1;
	x->serial = p->steps.v[x->step].serial;
}

static bool is_shut(const search *s, const entry *x)
{
	const package *p;

	if (x->package == WP_NOBODY)
		return false;
	p = s->packages.v[x->package];
	return x->step < p->steps.n && p->steps.v[x->step].serial == x->serial;
}

/* The number of the one term that is open while all others hold, ALL_HOLD, or NOTHING. */
static uint32_t open_term(search *s, entry *x)
{
	uint32_t i, open = ALL_HOLD;

	for (i = 0; i < x->f->n; i++) {
		const wp_term *t = &x->f->v[i];
		const package *p = s->packages.v[t->package];

		if (set_within(left_of(p), t->set, p->words))
			continue;
		if (set_apart(left_of(p), t->set, p->words)) {
			shut(x, t->package, p);
			return NOTHING;
		}
		if (open != ALL_HOLD)
			return NOTHING;
		open = i;
	}
	return open;
}

static bool look(search *s, entry *x, const wp_fact **broken)
{
	uint32_t open;

	if (is_shut(s, x))
		return true;
	open = open_term(s, x);
	if (open == ALL_HOLD) {
		*broken = x->f;
		return false;
	}
	if (open != NOTHING)
		take_away(s, &x->f->v[open], x->f);
	return true;
}

bool wp_propagate(search *s, const wp_fact **broken)
{
	bool ok = true;

	while (s->queue.n) {
		package *p = s->packages.v[s->queue.v[--s->queue.n]];
		size_t i;

		p->queued = false;
		for (i = p->facts.n; i > 0 && ok; i--)
			ok = look(s, &s->facts.v[p->facts.v[i - 1]], broken);
	}
	return ok;
}

bool wp_forbids(const search *s, const wp_fact *f, uint32_t package_no)
{
	uint32_t i;

	for (i = 0; i < f->n; i++) {
		const package *p = s->packages.v[f->v[i].package];

		if (f->v[i].package != package_no && !set_within(left_of(p), f->v[i].set, p->words))
			return false;
	}
	return true;
}

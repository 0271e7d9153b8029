/* SPDX-License-Identifier: MIT */
/* facts.c: what the request, METADATA and the index say, as facts. A fact of one candidate grows where others of the
 * project have the same requirement, so that one step leaves all of them out. */
#include "resolve/search.h"

enum { MAX_HINTS = 64 };

/* Requirements of several candidates are one fact where these are equal. */
typedef struct sameness {
	const uint64_t *allowed;
	uint32_t owner, extra, package, constraint;
} sameness;

static wp_str key_of(const void *p, size_t n)
{
	return (wp_str){p, n};
}

/* ---- packages ------------------------------------------------------------------------------- */

static uint32_t new_package(search *s, wp_package id)
{
	package *p = WP_NEW(s->arena, package);
	size_t i;

	p->id = id;
	p->words = set_words(id.n);
	p->chosen = WP_NOBODY;
	p->prio = NORMAL;
	for (i = 0; i < p->words; i++)
		WP_PUSH(&p->sets, 0);
	set_fill(p->sets.v, id.n);
	WP_PUSH(&s->packages, p);
	return (uint32_t)s->packages.n - 1;
}

static const wp_cands *cands_of(const search *s, uint32_t project)
{
	return &s->p->projects.v[project]->c;
}

static bool is_open(const search *s, uint32_t project, uint32_t cand)
{
	return s->all_open || (project < s->nopen && s->open[project] && set_has(s->open[project], cand));
}

static wp_fact *new_fact(search *s, wp_because because, uint32_t n)
{
	wp_fact *f = WP_NEW(s->p->arena, wp_fact);

	f->because = because;
	f->v = WP_NEW_ARRAY(s->p->arena, n, wp_term);
	f->claim = (wp_claim){NULL, WP_NOBODY, WP_NOBODY};
	return f;
}

/* Terms stand by package. One that always holds is not needed; two on one package are one. False where the fact cannot
 * be broken. */
static bool add_term(search *s, wp_fact *f, uint32_t no, const uint64_t *set)
{
	const package *p = s->packages.v[no];
	wp_term *v = (wp_term *)f->v;
	uint32_t i, k;

	if (set_within(p->sets.v, set, p->words))
		return true;
	for (i = 0; i < f->n && v[i].package < no; i++)
		;
	if (i < f->n && v[i].package == no) {
		uint64_t *both = wp_new_set(s, p);

		for (k = 0; k < p->words; k++)
			both[k] = v[i].set[k] & set[k];
		v[i].set = both;
		return !set_empty(both, p->words);
	}
	memmove(v + i + 1, v + i, (f->n++ - i) * sizeof *v);
	v[i] = (wp_term){no, set};
	return true;
}

/* Yanked candidates are out unless something pins them (PEP 592). */
static void shut_yanked(search *s, uint32_t no)
{
	const package *p = s->packages.v[no];
	const wp_cands *c = cands_of(s, p->id.project);
	uint64_t *set = wp_new_set(s, p);
	wp_fact *f;
	uint32_t i;

	for (i = 0; i < p->id.n; i++)
		if (c->v[i].yanked && !is_open(s, p->id.project, i))
			set_add(set, i);
	if (set_empty(set, p->words))
		return;
	s->shut_seen = true;
	f = new_fact(s, WP_BECAUSE_YANKED, 1);
	add_term(s, f, no, set);
	wp_add_fact(s, f);
}

static int tell_waiting(search *s, uint32_t project, wp_error *e);

int wp_package_of(search *s, uint32_t project, uint32_t *out, wp_error *e)
{
	package *p;
	size_t n;

	while (s->base_of.n <= project)
		WP_PUSH(&s->base_of, WP_NOBODY);
	*out = s->base_of.v[project];
	if (*out != WP_NOBODY)
		return 0;
	if (wp_pool_load(s->p, project, e))
		return e->code;
	n = cands_of(s, project)->n;
	*out = s->base_of.v[project] = new_package(s, (wp_package){project, NULL, (uint32_t)n});
	p = s->packages.v[*out];
	p->base = *out;
	p->told = WP_NEW_ARRAY(s->arena, p->words, uint64_t);
	shut_yanked(s, *out);
	return tell_waiting(s, project, e);
}

static uint32_t extra_of(search *s, uint32_t base, const char *extra)
{
	package *b = s->packages.v[base], *p;
	uint32_t no;
	size_t i;

	for (i = 0; i < b->extras.n; i++)
		if (wp_streq(s->packages.v[b->extras.v[i]]->id.extra, extra))
			return b->extras.v[i];
	no = new_package(s, (wp_package){b->id.project, extra, 1});
	p = s->packages.v[no];
	p->base = base;
	p->told = WP_NEW_ARRAY(s->arena, b->words, uint64_t);
	WP_PUSH(&b->extras, no);
	return no;
}

/* ---- requirements --------------------------------------------------------------------------- */

uint32_t wp_add_fact(search *s, const wp_fact *f)
{
	uint32_t no = (uint32_t)s->facts.n;

	WP_PUSH(&s->facts, ((entry){.f = f, .watched = {WP_NOBODY, WP_NOBODY}}));
	wp_refresh(s, no);
	if (f->n == 0 && !s->contradiction)
		s->contradiction = f;
	return no;
}

void wp_replace_fact(search *s, uint32_t no, const wp_fact *f)
{
	wp_refresh(s, no);
	s->facts.v[no].f = f;
}

/* All choices of the package but the allowed ones. */
static const uint64_t *left_out(search *s, const package *p, const uint64_t *allowed, bool constraint)
{
	uint64_t *set = wp_new_set(s, p);
	size_t i;

	for (i = 0; i < p->words; i++)
		set[i] = p->sets.v[i] & ~allowed[i];
	if (constraint)
		set[p->id.n / 64] &= ~((uint64_t)1 << p->id.n % 64);
	return set;
}

/* A pin makes yanked candidates possible. */
static void open_yanked(search *s, const wp_dep *d, const uint64_t *allowed)
{
	const wp_cands *c = cands_of(s, d->project);
	uint32_t i;

	if (d->negate || s->all_open || !wp_specifiers_pinned(&d->req->specifiers))
		return;
	for (i = 0; i < c->n; i++) {
		if (!c->v[i].yanked || !set_has(allowed, i) || is_open(s, d->project, i))
			continue;
		if (s->nopen <= d->project) {
			s->open = wp_xrealloc(s->open, (d->project + 1) * sizeof *s->open);
			while (s->nopen <= d->project)
				s->open[s->nopen++] = NULL;
		}
		if (!s->open[d->project])
			s->open[d->project] = WP_NEW_ARRAY(s->p->arena, set_words((uint32_t)c->n), uint64_t);
		set_add(s->open[d->project], i);
		s->restart = true;
	}
}

/* Who has a requirement: the request; a candidate; a candidate with an extra. */
typedef struct owner {
	uint32_t package, choice; /* WP_NOBODY: the request */
	uint32_t extra;		  /* package, WP_NOBODY */
} owner;

static const uint64_t *one_choice(search *s, uint32_t no, uint32_t choice)
{
	uint64_t *set = wp_new_set(s, s->packages.v[no]);

	set_add(set, choice);
	return set;
}

/* The owner's terms, then the one that may not hold with them. */
static bool fill(search *s, wp_fact *f, owner o, uint32_t no, const uint64_t *set)
{
	bool ok = true;

	if (o.package != WP_NOBODY)
		ok = add_term(s, f, o.package, one_choice(s, o.package, o.choice));
	if (o.extra != WP_NOBODY)
		ok = ok && add_term(s, f, o.extra, one_choice(s, o.extra, 0));
	return ok && add_term(s, f, no, set);
}

/* The same requirement of another candidate is there: one fact for both. */
static bool grow(search *s, const wp_fact *f, uint32_t at, owner o)
{
	const wp_fact *old = s->facts.v[at].f;
	const package *p = s->packages.v[o.package];
	uint64_t *set = wp_new_set(s, p);
	wp_fact *both;
	uint32_t i;
	size_t k;

	if (old->n != f->n)
		return false;
	both = new_fact(s, f->because, f->n);
	both->claim = f->claim;
	both->extra = f->extra;
	both->n = f->n;
	for (i = 0; i < f->n; i++) {
		if (old->v[i].package != f->v[i].package)
			return false;
		((wp_term *)both->v)[i] = f->v[i];
		if (f->v[i].package != o.package)
			continue;
		for (k = 0; k < p->words; k++)
			set[k] = f->v[i].set[k] | old->v[i].set[k];
		((wp_term *)both->v)[i].set = set;
	}
	wp_replace_fact(s, at, both);
	return true;
}

static void put_in_use(search *s, const wp_fact *f, owner o, uint32_t no, const uint64_t *allowed)
{
	sameness same = {allowed, o.package, o.extra, no, f->because == WP_BECAUSE_CONSTRAINT};
	uint32_t at;

	if (o.package != WP_NOBODY && o.package != no && wp_map_get(&s->same, key_of(&same, sizeof same), &at) &&
		grow(s, f, at, o))
		return;
	at = wp_add_fact(s, f);
	wp_map_put(&s->same, key_of(&same, sizeof same), at);
}

static void tell_extras(search *s, const wp_claim *c, owner o, uint32_t base)
{
	static const uint64_t off = 2, on = 1;
	size_t i;

	for (i = 0; i < c->dep->req->nextras; i++) {
		uint32_t no = extra_of(s, base, c->dep->req->extras[i]);
		wp_fact *f = new_fact(s, WP_BECAUSE_REQUIRED, 3);

		f->claim = *c;
		f->extra = o.extra == WP_NOBODY ? NULL : s->packages.v[o.extra]->id.extra;
		if (fill(s, f, o, no, &off))
			put_in_use(s, f, o, no, &on);
	}
}

static int tell_requirement(search *s, const wp_claim *c, owner o, wp_error *e)
{
	const wp_dep *d = c->dep;
	const uint64_t *allowed;
	wp_fact *f;
	uint32_t no;

	if (d->constraint && (d->project >= s->base_of.n || s->base_of.v[d->project] == WP_NOBODY)) {
		WP_PUSH(&s->waits, ((waiting){d->project, *c}));
		return 0;
	}
	if (wp_package_of(s, d->project, &no, e))
		return e->code;
	allowed = wp_pool_allowed(s->p, d);
	open_yanked(s, d, allowed);
	f = new_fact(s, d->constraint ? WP_BECAUSE_CONSTRAINT : WP_BECAUSE_REQUIRED, 3);
	f->claim = *c;
	f->extra = o.extra == WP_NOBODY ? NULL : s->packages.v[o.extra]->id.extra;
	if (fill(s, f, o, no, left_out(s, s->packages.v[no], allowed, d->constraint)))
		put_in_use(s, f, o, no, allowed);
	tell_extras(s, c, o, no);
	return 0;
}

/* The owner of a claim without extras. */
static owner owner_of(const search *s, const wp_claim *c)
{
	uint32_t no = c->project == WP_NOBODY ? WP_NOBODY : s->base_of.v[c->project];

	return (owner){no, c->cand, WP_NOBODY};
}

/* Constraints count from now on. */
static int tell_waiting(search *s, uint32_t project, wp_error *e)
{
	size_t i;

	for (i = 0; i < s->waits.n; i++) {
		wp_claim c = s->waits.v[i].claim;

		if (s->waits.v[i].project != project || !c.dep)
			continue;
		s->waits.v[i].claim.dep = NULL;
		if (tell_requirement(s, &c, owner_of(s, &c), e))
			return e->code;
	}
	return 0;
}

int wp_tell_roots(search *s, wp_error *e)
{
	owner o = {WP_NOBODY, WP_NOBODY, WP_NOBODY};
	size_t i;

	for (i = 0; i < s->nroots; i++) {
		wp_claim c = {&s->roots[i], WP_NOBODY, WP_NOBODY};

		if (tell_requirement(s, &c, o, e))
			return e->code;
	}
	return 0;
}

/* ---- choices -------------------------------------------------------------------------------- */

/* Pages that this choice will need are asked for at once. */
static void hint_pages(search *s, const wp_cand_facts *f)
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

/* And the metadata of what will most likely be chosen next. */
static void hint_metadata(search *s, const wp_cand_facts *f)
{
	const wp_file *files[MAX_HINTS];
	size_t i, n = 0;

	for (i = 0; i < f->ndeps && n < MAX_HINTS; i++) {
		uint32_t project = f->deps[i].project, c;
		const package *p;

		if (project >= s->base_of.n || s->base_of.v[project] == WP_NOBODY)
			continue;
		p = s->packages.v[s->base_of.v[project]];
		c = set_next(left_of(p), p->words, 0);
		if (p->chosen == WP_NOBODY && c < p->id.n && !s->p->projects.v[project]->facts[c])
			files[n++] = cands_of(s, project)->v[c].file;
	}
	if (n)
		s->p->catalog->want_metadata(s->p->catalog->self, files, n);
}

/* The candidate cannot be taken, or not with this extra. */
static void tell_broken(search *s, wp_because because, owner o, const wp_dep *address)
{
	wp_fact *f = new_fact(s, because, 2);

	f->claim = (wp_claim){address, s->packages.v[o.package]->id.project, o.choice};
	add_term(s, f, o.package, one_choice(s, o.package, o.choice));
	if (o.extra != WP_NOBODY)
		add_term(s, f, o.extra, one_choice(s, o.extra, 0));
	wp_add_fact(s, f);
}

/* Of a project without extras, or what one extra of it adds. */
static int tell_facts(search *s, const wp_cand_facts *f, owner o, wp_error *e)
{
	const char *extra = o.extra == WP_NOBODY ? NULL : s->packages.v[o.extra]->id.extra;
	uint32_t project = s->packages.v[o.package]->id.project;
	size_t i;

	for (i = 0; i < f->ndeps; i++) {
		wp_claim c = {&f->deps[i], project, o.choice};

		if (c.dep->conditional != (extra != NULL) || (extra && !wp_pool_holds(s->p, c.dep, extra)))
			continue;
		if (c.dep->req->url)
			tell_broken(s, WP_BECAUSE_BROKEN, o, c.dep);
		else if (tell_requirement(s, &c, o, e))
			return e->code;
	}
	return 0;
}

static bool has_extra(const wp_cand_facts *f, const char *extra)
{
	size_t i;

	for (i = 0; i < f->nextras; i++)
		if (wp_streq(f->extras[i], extra))
			return true;
	return false;
}

/* A version from before the extra was there is no way round what the extra requires. Where none of the better ones that
 * were tried has it either, it is a word that means nothing, as in pip. */
static bool evades_extra(const search *s, owner o, const wp_cand_facts *f)
{
	const char *extra = s->packages.v[o.extra]->id.extra;
	wp_cand_facts *const *facts = s->p->projects.v[s->packages.v[o.package]->id.project]->facts;
	uint32_t i;

	if (has_extra(f, extra))
		return false;
	for (i = 0; i < o.choice; i++)
		if (facts[i] && !facts[i]->broken && has_extra(facts[i], extra))
			return true;
	return false;
}

int wp_tell_choice(search *s, uint32_t no, uint32_t choice, wp_error *e)
{
	package *p = s->packages.v[no];
	owner o = {p->base, choice, WP_NOBODY};
	const wp_cand_facts *f;

	if (p->id.extra)
		o = (owner){p->base, s->packages.v[p->base]->chosen, no};
	if (set_has(p->told, o.choice))
		return 0;
	set_add(p->told, o.choice);
	if (wp_pool_facts(s->p, p->id.project, o.choice, &f, e))
		return e->code;
	if (f->broken) {
		tell_broken(s, WP_BECAUSE_BROKEN, o, NULL);
		return 0;
	}
	if (!p->id.extra) {
		hint_pages(s, f);
	} else if (evades_extra(s, o, f)) {
		tell_broken(s, WP_BECAUSE_NO_EXTRA, o, NULL);
		return 0;
	}
	if (tell_facts(s, f, o, e))
		return e->code;
	hint_metadata(s, f);
	return 0;
}

const wp_fact *wp_not_this(search *s)
{
	wp_fact *f = new_fact(s, WP_BECAUSE_YANKED, (uint32_t)s->packages.n);
	uint32_t i;

	for (i = 0; i < s->packages.n; i++)
		if (s->packages.v[i]->chosen != WP_NOBODY)
			add_term(s, f, i, one_choice(s, i, s->packages.v[i]->chosen));
	return f;
}

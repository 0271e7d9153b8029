/* SPDX-License-Identifier: MIT */
#include "resolve/pool.h"

#include "py/name.h"

static void add_rule(wp_pool *p, wp_pool_rule *r, const char *when_project, const char *when, const char *project,
	const char *specifier, bool negate, const char *reason)
{
	wp_requirement *req = WP_NEW(p->arena, wp_requirement);

	r->when_project = when_project;
	req->name = req->project = project;
	req->text = wp_sprintf(p->arena, "%s%s", project, specifier);
	if (!wp_specifiers_parse(p->arena, wp_str_of(when), &r->when) ||
		!wp_specifiers_parse(p->arena, wp_str_of(specifier), &req->specifiers))
		return;
	r->project = project;
	r->dep = (wp_dep){.req = req, .constraint = true, .negate = negate,
		.reason = reason};
	p->nrules++;
}

static bool rule_applies(const wp_pool *p, const char *os)
{
	if (wp_streq(os, "any"))
		return true;
	return wp_streq(os, p->t->windows ? "windows" : "linux") &&
		(p->t->windows || wp_streq(p->t->markers.sys_platform, "linux"));
}

static void make_rules(wp_pool *p)
{
	const wp_compat *c = p->compat;
	size_t i;

	if (!c)
		return;
	p->rules = WP_NEW_ARRAY(p->arena, c->nknown_bad + c->npartners, wp_pool_rule);
	for (i = 0; i < c->nknown_bad; i++)
		if (rule_applies(p, c->known_bad[i].os))
			add_rule(p, &p->rules[p->nrules], c->known_bad[i].when_project, c->known_bad[i].when,
				c->known_bad[i].project, c->known_bad[i].bad, true, c->known_bad[i].why);
	for (i = 0; i < c->npartners; i++)
		add_rule(p, &p->rules[p->nrules], c->partners[i].project, c->partners[i].version, "torch",
			c->partners[i].torch, false,
			wp_sprintf(p->arena, "%s %s goes with torch %s, which its metadata does not say",
				c->partners[i].project, c->partners[i].version, c->partners[i].torch));
}

void wp_pool_init(wp_pool *p, wp_ctx *ctx, const wp_catalog *catalog, const wp_target *t, const wp_compat *compat,
	bool prerelease)
{
	*p = (wp_pool){.ctx = ctx, .arena = wp_arena_new(), .catalog = catalog, .t = t, .compat = compat,
		.prerelease = prerelease, .before = WP_ANY_TIME};
	wp_map_init(&p->ids);
	make_rules(p);
}

void wp_pool_free(wp_pool *p)
{
	wp_map_free(&p->ids);
	WP_VEC_FREE(&p->projects);
	wp_arena_free(p->arena);
}

static uint32_t id_of(wp_pool *p, const char *name)
{
	uint32_t id = wp_map_intern(&p->ids, wp_str_of(name));

	if (id == p->projects.n) {
		wp_pooled *one = WP_NEW(p->arena, wp_pooled);

		one->name = wp_strdup(p->arena, name);
		WP_PUSH(&p->projects, one);
	}
	return id;
}

static int by_project(const void *a, const void *b)
{
	return strcmp(((const wp_preference *)a)->project, ((const wp_preference *)b)->project);
}

void wp_sort_preferences(wp_preference *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof *v, by_project);
}

static uint32_t preferred(const wp_pool *p, const wp_pooled *one)
{
	const wp_preference key = {one->name, NULL};
	const wp_preference *x = p->nprefer ? bsearch(&key, p->prefer, p->nprefer, sizeof *x, by_project) : NULL;
	uint32_t i;

	for (i = 0; x && i < one->c.n; i++)
		if (wp_streq(one->c.v[i].version.norm, x->version))
			return i;
	return WP_NOBODY;
}

void wp_pool_prefer(wp_pool *p, const wp_preference *v, size_t n)
{
	size_t i;

	p->prefer = v;
	p->nprefer = n;
	for (i = 0; i < p->projects.n; i++)
		p->projects.v[i]->prefer = preferred(p, p->projects.v[i]);
}

int wp_pool_load(wp_pool *p, uint32_t id, wp_error *e)
{
	wp_pooled *one = p->projects.v[id];

	if (one->loaded)
		return 0;
	if (wp_check_cancel(p->ctx, e))
		return e->code;
	if (p->catalog->project(p->catalog->self, one->name, &one->page, e))
		return e->code;
	one->loaded = true;
	if (one->page)
		wp_cands_make(p->arena, one->page, p->t, p->compat, p->prerelease, p->before, &one->c);
	one->prefer = preferred(p, one);
	one->facts = WP_NEW_ARRAY(p->arena, one->c.n, wp_cand_facts *);
	wp_report(p->ctx, &(wp_progress){.stage = "lock", .item = one->name, .items = p->projects.n});
	return 0;
}

wp_dep wp_pool_dep(wp_pool *p, const wp_requirement *r)
{
	return (wp_dep){.project = id_of(p, r->project), .req = r};
}

bool wp_pool_holds(const wp_pool *p, const wp_dep *d, const char *extra)
{
	return wp_marker_eval(d->req->marker, &p->t->markers, &extra, 1);
}

bool wp_pool_in_force(const wp_pool *p, const wp_dep *d, const char *const *extras, size_t n)
{
	size_t i;

	if (!d->conditional)
		return true;
	for (i = 0; i < n; i++)
		if (wp_pool_holds(p, d, extras[i]))
			return true;
	return false;
}

/* ---- metadata to requirements ------------------------------------------------------------- */

enum { SHOWN = 160 }; /* bytes of a text of METADATA in a reason */

typedef WP_VEC(wp_dep) dep_vec;

/* Why this metadata is not that of the file, or does not fit the target; NULL if all is well. */
static const char *contradiction(wp_pool *p, const wp_pooled *one, const wp_cand *c, const wp_metadata *m)
{
	wp_version v;

	if (!wp_streq(wp_name_normalize(p->arena, wp_str_of(m->name)), one->name))
		return wp_sprintf(p->arena, "its METADATA is of '%.*s'", SHOWN, m->name);
	if (!wp_version_parse(p->arena, wp_str_of(m->version), &v) || wp_version_cmp(&v, &c->version) != 0)
		return wp_sprintf(p->arena, "its METADATA is of version '%.*s'", SHOWN, m->version);
	if (!wp_python_fits(m->requires_python, p->t))
		return wp_sprintf(p->arena, "it requires Python %.*s", SHOWN, m->requires_python);
	return NULL;
}

/* One Requires-Dist line. False where the candidate cannot be used because of it. */
static bool add_requirement(wp_pool *p, wp_cand_facts *f, const char *text, uint32_t line, dep_vec *deps)
{
	wp_requirement *r = WP_NEW(p->arena, wp_requirement);
	wp_error e = {0};
	wp_dep d;
	bool repaired = false;

	if (wp_requirement_parse_lenient(p->arena, wp_str_of(text), r, &repaired, &e)) {
		f->broken = wp_sprintf(p->arena, "its requirement '%.*s' cannot be read", SHOWN, text);
		return false;
	}
	if (repaired)
		f->repaired = r->text;
	if (wp_marker_reads(r->marker, "platform_release") || wp_marker_reads(r->marker, "platform_version"))
		f->host_marker = r->text;
	d = wp_pool_dep(p, r);
	d.line = line;
	if (!wp_marker_eval(r->marker, &p->t->markers, NULL, 0)) {
		if (!wp_marker_reads(r->marker, "extra"))
			return true;
		d.conditional = true;
	}
	if (r->url && !d.conditional) {
		f->broken = wp_sprintf(p->arena, "it requires '%.*s' from an address, which is not followed",
			SHOWN, text);
		return false;
	}
	WP_PUSH(deps, d);
	return true;
}

static void add_rules(wp_pool *p, const wp_pooled *one, const wp_cand *c, dep_vec *deps)
{
	size_t i;

	for (i = 0; i < p->nrules; i++)
		if (wp_streq(p->rules[i].when_project, one->name) &&
			wp_specifiers_match(&p->rules[i].when, &c->version)) {
			p->rules[i].dep.project = id_of(p, p->rules[i].project);
			WP_PUSH(deps, p->rules[i].dep);
		}
}

static const char *const *copy_texts(wp_arena *a, const char *const *v, size_t n)
{
	const char **copy = WP_NEW_ARRAY(a, n, const char *);
	size_t i;

	for (i = 0; i < n; i++)
		copy[i] = wp_strdup(a, v[i]);
	return copy;
}

static void read_facts(wp_pool *p, const wp_pooled *one, const wp_cand *c, wp_str text, wp_cand_facts *f)
{
	wp_arena *scratch = wp_arena_new();
	wp_error e = {0};
	wp_metadata m;
	dep_vec deps = {0};
	size_t i;

	if (wp_metadata_parse(scratch, text, &m, &e))
		f->broken = wp_sprintf(p->arena, "its METADATA cannot be used: %s", e.why);
	else
		f->broken = contradiction(p, one, c, &m);
	if (!f->broken) {
		for (i = 0; i < m.nrequires_dist; i++)
			if (!add_requirement(p, f, m.requires_dist[i], (uint32_t)i, &deps))
				break;
		add_rules(p, one, c, &deps);
	}
	if (!f->broken) {
		f->requires_python = wp_strdup(p->arena, m.requires_python);
		f->extras = copy_texts(p->arena, m.provides_extra, m.nprovides_extra);
		f->nextras = m.nprovides_extra;
		f->deps = WP_VEC_COPY(p->arena, &deps);
		f->ndeps = deps.n;
	}
	WP_VEC_FREE(&deps);
	wp_arena_free(scratch);
}

int wp_pool_facts(wp_pool *p, uint32_t id, uint32_t cand, const wp_cand_facts **out, wp_error *e)
{
	wp_pooled *one = p->projects.v[id];
	const wp_cand *c = &one->c.v[cand];
	wp_str text;

	if (!one->facts[cand]) {
		wp_cand_facts *f = WP_NEW(p->arena, wp_cand_facts);

		if (wp_check_cancel(p->ctx, e))
			return e->code;
		if (p->catalog->metadata(p->catalog->self, c->file, &text, e))
			return e->code;
		read_facts(p, one, c, text, f);
		one->facts[cand] = f;
	}
	*out = one->facts[cand];
	return 0;
}

/* ---- which candidates a requirement allows ---------------------------------------------------- */

/* Candidates stand newest first, but in groups, one behind the other: find where each group begins. */
static void find_runs(wp_pool *p, wp_pooled *one)
{
	const wp_cand *v = one->c.v;
	WP_VEC(uint32_t) runs = {0};
	uint32_t i;

	for (i = 0; i < one->c.n; i++)
		if (i == 0 || wp_version_cmp(&v[i - 1].version, &v[i].version) < 0)
			WP_PUSH(&runs, i);
	one->nruns = runs.n;
	WP_PUSH(&runs, i);
	one->runs = WP_VEC_COPY(p->arena, &runs);
	WP_VEC_FREE(&runs);
}

/* The first of v[from] to v[to] that stands before the place; to if none does. */
static uint32_t first_before(const wp_cand *v, uint32_t from, uint32_t to, const wp_key *place)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (wp_version_before(&v[mid].version, place))
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

static void set_bits(uint64_t *bits, uint32_t from, uint32_t to)
{
	for (; from < to && from % 64; from++)
		set_add(bits, from);
	for (; to - from >= 64; from += 64)
		bits[from / 64] = UINT64_MAX;
	for (; from < to; from++)
		set_add(bits, from);
}

static void allow_matching(wp_pool *p, wp_pooled *one, const wp_specifiers *s, uint64_t *bits)
{
	const wp_cand *v = one->c.v;
	size_t r, k;
	uint32_t i;

	if (!one->runs)
		find_runs(p, one);
	for (r = 0; r < one->nruns; r++)
		for (k = 0; k < s->nspans; k++) {
			i = first_before(v, one->runs[r], one->runs[r + 1], &s->spans[k].to);
			set_bits(bits, i, first_before(v, i, one->runs[r + 1], &s->spans[k].from));
		}
	for (i = 0; s->by_text && i < one->c.n; i++)
		if (set_has(bits, i) && !wp_specifiers_match(s, &v[i].version))
			bits[i / 64] &= ~((uint64_t)1 << i % 64);
}

/* METADATA from outside may name as many specifiers as it likes, so they are found by hash. */
static void grow_table(wp_pool *p, wp_pooled *one)
{
	size_t old = one->nbuckets, i;
	wp_allowed **buckets = one->allowed, *x, *next;

	one->nbuckets = old ? 4 * old : 8;
	one->allowed = WP_NEW_ARRAY(p->arena, one->nbuckets, wp_allowed *);
	for (i = 0; i < old; i++)
		for (x = buckets[i]; x; x = next) {
			wp_allowed **at = &one->allowed[x->hash & (one->nbuckets - 1)];

			next = x->next;
			x->next = *at;
			*at = x;
		}
}

static void fill(wp_pool *p, wp_pooled *one, const wp_dep *d, wp_allowed *x)
{
	const wp_specifiers *s = &d->req->specifiers;
	size_t words = set_words((uint32_t)one->c.n), i;

	x->bits = WP_NEW_ARRAY(p->arena, words, uint64_t);
	if (s->n)
		allow_matching(p, one, s, x->bits);
	else
		set_bits(x->bits, 0, (uint32_t)one->c.n);
	if (!d->negate)
		return;
	for (i = 0; i < words; i++)
		x->bits[i] = ~x->bits[i];
	x->bits[words - 1] &= ((uint64_t)1 << one->c.n % 64) - 1;
}

const uint64_t *wp_pool_allowed(wp_pool *p, const wp_dep *d)
{
	wp_pooled *one = p->projects.v[d->project];
	const char *norm = d->req->specifiers.norm ? d->req->specifiers.norm : "";
	uint64_t hash = wp_str_hash(wp_str_of(norm), d->negate);
	wp_allowed *x = NULL, **at;

	if (one->nbuckets)
		x = one->allowed[hash & (one->nbuckets - 1)];
	for (; x; x = x->next)
		if (x->hash == hash && x->negate == d->negate && strcmp(x->norm, norm) == 0)
			return x->bits;
	if (one->nallowed >= 2 * one->nbuckets)
		grow_table(p, one);
	x = WP_NEW(p->arena, wp_allowed);
	at = &one->allowed[hash & (one->nbuckets - 1)];
	*x = (wp_allowed){.next = *at, .norm = norm, .hash = hash, .negate = d->negate};
	*at = x;
	one->nallowed++;
	fill(p, one, d, x);
	return x->bits;
}

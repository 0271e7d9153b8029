/* SPDX-License-Identifier: MIT */
/* explain.c: why there is no solution, in sentences that name the real requirements. */
#include "base/near.h"
#include "resolve/locking.h"

enum {
	MAX_TEXT = 980,	 /* of an error's why */
	MAX_LINES = 6,
	MAX_DEPTH = 3,
	MAX_WORDS = 8	 /* Pythons, platforms or labels in one list */
};

typedef WP_VEC(const char *) words;

typedef struct telling {
	wp_job *j;
	wp_arena *a;
	wp_buf text;
	int lines;
	int missing, unfit, other; /* lines of each sort */
	uint32_t about;		   /* the first project that has no file that serves, WP_NOBODY */
	const wp_dep *wanted;	   /* the requirement on it */
} telling;

static void line(telling *t, const char *fmt, ...) WP_PRINTF(2, 3);

static void line(telling *t, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	text = wp_vsprintf(t->a, fmt, ap);
	va_end(ap);
	if ((t->text.n && strstr(t->text.p, text)) || t->lines++ >= MAX_LINES)
		return;
	wp_buf_printf(&t->text, "%s%s", t->text.n ? "\n" : "", text);
}

/* ---- which files there are ---------------------------------------------------------------- */

static void add_word(wp_arena *a, words *w, wp_str s)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (wp_str_is(s, w->v[i]))
			return;
	WP_PUSH(w, wp_str_dup(a, s));
}

static const char *join(wp_arena *a, const words *w)
{
	wp_buf b;
	size_t i;

	wp_buf_init(&b, MAX_TEXT);
	for (i = 0; i < w->n && i < MAX_WORDS; i++)
		wp_buf_printf(&b, "%s%s", i ? ", " : "", w->v[i]);
	if (w->n > MAX_WORDS)
		wp_buf_printf(&b, " and %zu more", w->n - MAX_WORDS);
	return wp_buf_take(&b, a).p;
}

/* "cp310, cp311 on win_amd64": the wheels of one version. */
static const char *wheels_of(telling *t, const wp_pooled *p, const wp_version *v)
{
	words pythons = {0}, platforms = {0};
	wp_wheel_name w;
	const char *text;
	size_t i;

	for (i = 0; i < p->page->nfiles; i++) {
		wp_error e = {0};
		wp_str rest, one;

		if (!wp_ends(p->page->files[i].filename, ".whl") ||
			wp_wheel_name_parse(t->a, wp_str_of(p->page->files[i].filename), &w, &e) ||
			wp_version_cmp(&w.version, v) != 0)
			continue;
		for (rest = wp_str_of(w.python); wp_str_split(&rest, '.', &one);)
			add_word(t->a, &pythons, one);
		for (rest = wp_str_of(w.platform); wp_str_split(&rest, '.', &one);)
			add_word(t->a, &platforms, one);
	}
	text = wp_sprintf(t->a, "%s on %s", join(t->a, &pythons), join(t->a, &platforms));
	WP_VEC_FREE(&pythons);
	WP_VEC_FREE(&platforms);
	return text;
}

/* Why no file of this version serves. */
static const char *unfit_text(telling *t, const wp_pooled *p, const wp_cand *c)
{
	const wp_target *g = t->j->t;

	if (c->unfit & WP_UNFIT_PYTHON)
		return wp_sprintf(t->a, "%s %s requires Python %s, and the target has %s", p->name, c->version.norm,
			c->requires_python, g->markers.python_full_version);
	if (c->unfit & WP_UNFIT_TAG)
		return wp_sprintf(t->a, "the wheels of %s %s are for %s, and the target is %s on %s", p->name,
			c->version.norm, wheels_of(t, p, &c->version), g->python_tag, g->platform);
	if (c->unfit & WP_UNFIT_LABEL)
		return wp_sprintf(t->a, "%s %s is not labelled +%s", p->name, c->version.norm, g->variant);
	return wp_sprintf(t->a, "%s %s has only a source distribution, which is not built here", p->name,
		c->version.norm);
}

/* The version without a fitting wheel that comes nearest: one with wheels before one without, newest first. NULL
 * where no version matches. */
static const wp_cand *nearest(const wp_pooled *p, const wp_dep *d)
{
	const wp_cand *source = NULL;
	size_t i;

	for (i = 0; i < p->c.nout; i++) {
		const wp_cand *c = &p->c.out[i];

		if (d && wp_specifiers_match(&d->req->specifiers, &c->version) == d->negate)
			continue;
		if (c->unfit & ~(unsigned)WP_UNFIT_SOURCE)
			return c;
		source = source ? source : c;
	}
	return source;
}

static const char *no_wheel_text(telling *t, const wp_pooled *p)
{
	const wp_cand *c = nearest(p, NULL);

	if (!c)
		return wp_sprintf(t->a, "'%s' has no files at all on the index '%s'", p->name, p->page->index);
	if (c->unfit == WP_UNFIT_SOURCE)
		return wp_sprintf(t->a, "'%s' has only source distributions, which are not built here", p->name);
	return wp_sprintf(t->a, "no wheel of '%s' fits: %s", p->name, unfit_text(t, p, c));
}

/* ---- variants ----------------------------------------------------------------------------- */

static bool is_absent(const wp_compat *c, const char *project, const char *variant)
{
	size_t i;

	for (i = 0; i < c->nabsent; i++)
		if (wp_streq(c->absent[i].project, project) && wp_streq(c->absent[i].variant, variant))
			return true;
	return false;
}

/* The version of this project that belongs to a release; NULL where it has none. */
static const char *version_in(const wp_release_fact *r, const char *project)
{
	if (wp_streq(project, "torch"))
		return r->torch;
	if (wp_streq(project, "torchvision"))
		return r->torchvision;
	return wp_streq(project, "torchaudio") ? r->torchaudio : NULL;
}

static bool release_serves(telling *t, const wp_release_fact *r, const char *project, const wp_dep *d)
{
	const char *text = version_in(r, project);
	wp_version v;

	if (!text || !wp_version_parse(t->a, wp_str_of(text), &v))
		return false;
	return !d || wp_specifiers_match(&d->req->specifiers, &v);
}

/* Variants on which this platform has a version of the project that the requirement takes. */
static const char *variants_with(telling *t, const char *project, const wp_dep *d)
{
	const wp_compat *c = t->j->pool.compat;
	const char *platform = wp_compat_platform(t->j->t->platform), *text = NULL;
	words have = {0};
	size_t i, k;

	for (i = 0; platform && i < c->nvariants; i++)
		for (k = 0; k < c->nreleases; k++) {
			const char *variant = c->variants[i].name;

			if (wp_streq(variant, t->j->t->variant) || is_absent(c, project, variant) ||
				!wp_release_has(&c->releases[k], platform, variant) ||
				!release_serves(t, &c->releases[k], project, d))
				continue;
			add_word(t->a, &have, wp_str_of(variant));
			break;
		}
	if (have.n)
		text = join(t->a, &have);
	WP_VEC_FREE(&have);
	return text;
}

/* torch==2.5.1+cu121, as `pip freeze` has it, is on that variant's index only. */
static const char *label_wanted(telling *t)
{
	const wp_specifiers *s = t->wanted ? &t->wanted->req->specifiers : NULL;
	const char *variant;
	wp_error ignored = {0};
	size_t i;

	for (i = 0; s && i < s->n; i++)
		if (s->v[i].version.local && wp_variant_parse(t->a, s->v[i].version.local, &variant, &ignored) == 0)
			return variant;
	return NULL;
}

/* Where the project is bound to the variant's index, another variant may be the answer. */
static void advise_variant(telling *t, wp_error *e)
{
	const wp_pool *p = &t->j->pool;
	const wp_release_fact *newest;
	const char *name, *have, *variant = t->j->t->variant, *only = "";

	if (!variant || !p->compat)
		return;
	name = p->projects.v[t->about]->name;
	if (wp_compat_family(p->compat, name) != WP_INDEX_BOUND)
		return;
	newest = wp_compat_newest(p->compat, wp_compat_platform(t->j->t->platform), variant);
	if (newest && version_in(newest, name))
		only = wp_sprintf(t->a, "the newest %s for %s is %s; ", name, variant, version_in(newest, name));
	have = variants_with(t, name, t->wanted);
	if (have)
		wp_err_next(e, "%sask for another variant with --cuda X, where X is one of: %s", only, have);
	else if (*only)
		wp_err_next(e, "%sno variant that is known has what was asked for", only);
}

/* What helps where no other variant would. */
static void advise_plain(telling *t, wp_code code, wp_error *e)
{
	static const char *const trio[] = {"torch", "torchvision", "torchaudio"};
	const wp_pooled *p = t->j->pool.projects.v[t->about];
	const wp_cand *c = p->page ? nearest(p, NULL) : NULL;
	const char *near = code == WP_E_NO_PROJECT ? wp_near(p->name, trio, 3) : NULL;
	const char *label = t->j->t->variant ? NULL : label_wanted(t);

	if (wp_streq(p->name, "pytorch"))
		wp_err_next(e, "PyTorch's project is called torch");
	else if (near && !wp_streq(near, p->name))
		wp_err_next(e, "did you mean `%s`?", near);
	else if (label)
		wp_err_next(e, "builds labelled +%s are on PyTorch's own index: add --cuda %s", label, label);
	else if (code == WP_E_NO_WHEEL && c && c->unfit == WP_UNFIT_SOURCE)
		wp_err_next(e, "build a wheel of it elsewhere and name its folder with --find-links");
}

static void advise(telling *t, wp_code code, wp_error *e)
{
	if (t->about == WP_NOBODY)
		return;
	advise_variant(t, e);
	advise_plain(t, code, e);
}

/* ---- the request itself ------------------------------------------------------------------- */

static void finish(telling *t, wp_code code, wp_error *e)
{
	wp_fail(e, code, "%s", t->text.p ? t->text.p : "no set of versions fits");
	advise(t, code, e);
	wp_buf_free(&t->text);
	wp_arena_free(t->a);
}

static telling begin(wp_job *j)
{
	telling t = {.j = j, .a = wp_arena_new(), .about = WP_NOBODY};

	wp_buf_init(&t.text, MAX_TEXT);
	return t;
}

static void note_about(telling *t, uint32_t project, const wp_dep *d)
{
	if (t->about != WP_NOBODY)
		return;
	t->about = project;
	t->wanted = d;
}

static bool without_project(const wp_pooled *p)
{
	return p->loaded && !p->page;
}

static bool without_wheel(const wp_pooled *p)
{
	return p->loaded && p->page && p->c.n == 0;
}

/* All projects met so far, of which one sort is told at once: a user who mends one wants to know of the others. */
static void tell_all(telling *t, bool (*of)(const wp_pooled *p))
{
	const wp_pool *p = &t->j->pool;
	size_t i;

	for (i = 0; i < p->projects.n; i++) {
		const wp_pooled *one = p->projects.v[i];

		if (!of(one))
			continue;
		if (one->page)
			line(t, "%s", no_wheel_text(t, one));
		else
			line(t, "no index has a project '%s'", one->name);
	}
}

int wp_check_roots(wp_job *j, wp_error *e)
{
	bool (*const sorts[2])(const wp_pooled *) = {without_project, without_wheel};
	telling t = begin(j);
	size_t i;
	int sort;

	for (sort = 0; sort < 2; sort++) {
		for (i = 0; i < j->nroots; i++)
			if (!j->roots[i].constraint && sorts[sort](j->pool.projects.v[j->roots[i].project]))
				note_about(&t, j->roots[i].project, &j->roots[i]);
		if (t.about == WP_NOBODY)
			continue;
		tell_all(&t, sorts[sort]);
		finish(&t, sort ? WP_E_NO_WHEEL : WP_E_NO_PROJECT, e);
		return e->code;
	}
	wp_buf_free(&t.text);
	wp_arena_free(t.a);
	return 0;
}

/* ---- derivation --------------------------------------------------------------------------- */

static const char *name_of(telling *t, uint32_t project)
{
	return t->j->pool.projects.v[project]->name;
}

static const char *pinned_name(telling *t, uint32_t project, uint32_t cand)
{
	return wp_sprintf(t->a, "%s %s", name_of(t, project),
		t->j->pool.projects.v[project]->c.v[cand].version.norm);
}

/* The requirement as it is written, without its marker. */
static const char *dep_text(telling *t, const wp_dep *d)
{
	wp_str s = wp_str_of(d->req->text);

	return wp_str_dup(t->a, wp_str_trim(wp_str_sub(s, 0, wp_str_find(s, ';'))));
}

/* "torchvision 0.20.0 requires torch==2.5.0", "torch==2.11.0 is asked for". */
static const char *claim_text(telling *t, const wp_claim *c)
{
	const char *text = dep_text(t, c->dep);

	if (c->dep->reason)
		return wp_sprintf(t->a, "%s %s goes with %s (%s)", c->dep->negate ? "no" : "only", text,
			pinned_name(t, c->project, c->cand), c->dep->reason);
	if (c->project != WP_NOBODY)
		return wp_sprintf(t->a, "%s requires %s", pinned_name(t, c->project, c->cand), text);
	return wp_sprintf(t->a, c->dep->constraint ? "the constraint is %s" : "%s is asked for", text);
}

static const char *newest_text(telling *t, const wp_pooled *p)
{
	if (p->c.n == 0)
		return "";
	return wp_sprintf(t->a, "; the newest with a wheel that fits is %s", p->c.v[0].version.norm);
}

/* No version that has a fitting wheel matches: perhaps one without such a wheel would. */
static void tell_no_version(telling *t, const wp_claim *c)
{
	const wp_pooled *p = t->j->pool.projects.v[c->dep->project];
	const wp_cand *near = nearest(p, c->dep);

	note_about(t, c->dep->project, c->dep);
	if (near) {
		t->unfit++;
		line(t, "%s, but %s", claim_text(t, c), unfit_text(t, p, near));
		return;
	}
	t->other++;
	line(t, "%s, but there is no such version%s", claim_text(t, c), newest_text(t, p));
}

static const char *others(telling *t, const wp_reason *r)
{
	unsigned n = r->count - 1;

	if (n == 0)
		return "";
	return wp_sprintf(t->a, " (%u more version%s of it: the same)", n, n == 1 ? "" : "s");
}

static bool from_request(const wp_claim *c)
{
	return c->project == WP_NOBODY && !c->dep->constraint && !c->dep->reason;
}

static void tell_clash(telling *t, const wp_reason *r)
{
	if (!r->b.dep) { /* against a free choice: what was wrong with the alternatives is told elsewhere */
		line(t, "%s%s", claim_text(t, &r->a), others(t, r));
		return;
	}
	t->other++;
	if (from_request(&r->a) && from_request(&r->b))
		line(t, "%s and %s are asked for at once", dep_text(t, r->b.dep), dep_text(t, r->a.dep));
	else
		line(t, "%s%s, but %s", claim_text(t, &r->a), others(t, r), claim_text(t, &r->b));
}

static void tell_broken(telling *t, const wp_node *n, const wp_reason *r)
{
	const wp_cand_facts *f;

	t->other++;
	if (r->a.dep) {
		line(t, "%s, an address, which is not followed", claim_text(t, &r->a));
		return;
	}
	f = t->j->pool.projects.v[n->project]->facts[r->first];
	line(t, "%s cannot be taken: %s%s", pinned_name(t, n->project, r->first), f->broken, others(t, r));
}

static void tell_node(telling *t, const wp_node *n, int depth);

static void tell_reason(telling *t, const wp_node *n, const wp_reason *r, int depth)
{
	switch (r->kind) {
	case WP_WHY_REQUIREMENT:
		break;
	case WP_WHY_CLASH:
		tell_clash(t, r);
		break;
	case WP_WHY_NO_PROJECT:
		t->missing++;
		note_about(t, r->a.dep->project, r->a.dep);
		line(t, "%s%s, but no index has a project '%s'", claim_text(t, &r->a), others(t, r),
			name_of(t, r->a.dep->project));
		break;
	case WP_WHY_NO_WHEEL:
		t->unfit++;
		note_about(t, r->a.dep->project, r->a.dep);
		line(t, "%s%s, but %s", claim_text(t, &r->a), others(t, r),
			no_wheel_text(t, t->j->pool.projects.v[r->a.dep->project]));
		break;
	case WP_WHY_NO_VERSION:
		tell_no_version(t, &r->a);
		break;
	case WP_WHY_BROKEN:
		tell_broken(t, n, r);
		break;
	case WP_WHY_YANKED:
		t->other++;
		line(t, "%s is yanked, and nothing pins it", pinned_name(t, n->project, r->first));
		break;
	case WP_WHY_SEARCH:
		tell_node(t, r->node, depth + 1);
		break;
	}
}

/* Requirements that leave versions out matter where nothing else was in the way. */
static void tell_requirements(telling *t, const wp_node *n)
{
	size_t i;

	for (i = 0; i < n->n; i++)
		if (n->v[i].kind == WP_WHY_REQUIREMENT && n->v[i].b.dep) {
			t->other++;
			line(t, "%s, which leaves out %s%s", claim_text(t, &n->v[i].b),
				pinned_name(t, n->project, n->v[i].first), others(t, &n->v[i]));
		}
}

static void tell_node(telling *t, const wp_node *n, int depth)
{
	int before = t->lines;
	size_t i;

	if (depth > MAX_DEPTH)
		return;
	for (i = 0; i < n->n; i++)
		tell_reason(t, n, &n->v[i], depth);
	if (t->lines == before && n->project != WP_NOBODY)
		tell_requirements(t, n);
	else if (n->need.dep && n->need.project != WP_NOBODY)
		line(t, "%s", claim_text(t, &n->need));
}

/* What the request has to do with it, where the lines above did not say. */
static void tell_request(telling *t)
{
	const wp_solution *s = &t->j->solution;
	size_t i;

	for (i = 0; i < s->nroots; i++) {
		wp_claim c = {&t->j->roots[s->roots[i]], WP_NOBODY, WP_NOBODY};
		const char *text = claim_text(t, &c);

		if (!t->text.n || !(strstr(t->text.p, text) || strstr(t->text.p, "are asked for at once")))
			line(t, "%s", text);
	}
}

int wp_explain(wp_job *j, wp_error *e)
{
	telling t = begin(j);
	wp_code code = WP_E_CONFLICT;

	if (j->solution.gave_up) {
		line(&t, "no answer after %u tries: the requirements leave too many versions open",
			(unsigned)j->solution.steps);
		finish(&t, WP_E_CONFLICT, e);
		return wp_err_next(e, "name versions for the largest of the requirements, for example torch==2.11.0");
	}
	tell_node(&t, j->solution.why, 0);
	if (t.missing && !t.unfit && !t.other)
		code = WP_E_NO_PROJECT;
	if (t.unfit && !t.missing && !t.other) {
		code = WP_E_NO_WHEEL;
		tell_all(&t, without_wheel);
	}
	tell_request(&t);
	finish(&t, code, e);
	return e->code;
}

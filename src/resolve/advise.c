/* SPDX-License-Identifier: MIT */
/* advise.c: what may help where a project has nothing that serves: another variant, another name, a wheel of one's
 * own. */
#include "base/near.h"
#include "resolve/say.h"

enum { MAX_VARIANTS = 8 };

static bool is_absent(const wp_compat *c, const char *project, const char *variant)
{
	size_t i;

	for (i = 0; i < c->nabsent; i++)
		if (wp_streq(c->absent[i].project, project) && wp_streq(c->absent[i].variant, variant))
			return true;
	return false;
}

static bool release_serves(wp_arena *a, const wp_release_fact *r, const char *project, const wp_dep *d)
{
	const char *text = wp_release_version(r, project);
	wp_version v;

	return text && wp_version_parse(a, wp_str_of(text), &v) && wp_specifiers_match(&d->req->specifiers, &v);
}

/* Variants on which this platform has a version of the project that the requirement takes. */
static const char *variants_with(wp_arena *a, const wp_job *j, const char *project, const wp_dep *d)
{
	const wp_compat *c = j->pool.compat;
	const char *platform = wp_compat_platform(j->t->platform), *text = NULL;
	wp_words have = {0};
	size_t i, k;

	for (i = 0; platform && i < c->nvariants; i++)
		for (k = 0; k < c->nreleases; k++) {
			const char *variant = c->variants[i].name;

			if (wp_streq(variant, j->t->variant) || is_absent(c, project, variant) ||
				!wp_release_has(&c->releases[k], platform, variant) ||
				!release_serves(a, &c->releases[k], project, d))
				continue;
			wp_add_word(a, &have, wp_str_of(variant));
			break;
		}
	if (have.n)
		text = wp_join(a, &have, MAX_VARIANTS);
	WP_VEC_FREE(&have);
	return text;
}

/* torch==2.5.1+cu121, as `pip freeze` has it, is on that variant's index only. */
static const char *label_wanted(wp_arena *a, const wp_dep *d)
{
	const wp_specifiers *s = &d->req->specifiers;
	const char *variant;
	wp_error ignored = {0};
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].version.local && wp_variant_parse(a, s->v[i].version.local, &variant, &ignored) == 0)
			return variant;
	return NULL;
}

/* The variant's index has nothing of a project that it should have: is it the index? */
static void advise_address(wp_arena *a, const wp_job *j, const char *project, const wp_release_fact *newest,
	wp_error *e)
{
	const wp_compat *c = j->pool.compat;
	const char *variant = j->t->variant;

	if (!wp_compat_variant(c, variant))
		wp_err_next(e, "the variant '%s' is probably wrong; those that are known are %s", variant, wp_compat_variants(a, c));
	else if (newest && wp_release_version(newest, project) && !is_absent(c, project, variant))
		wp_err_next(e, "%s has %s by what is known: is the address of --variant-index-base right?", variant, project);
}

/* Where the project is bound to the variant's index, another variant may be the answer. */
static void advise_variant(wp_arena *a, const wp_job *j, const wp_dep *d, wp_error *e)
{
	const wp_pool *p = &j->pool;
	const wp_release_fact *newest;
	const char *name = p->projects.v[d->project]->name, *have, *variant = j->t->variant, *only = "";

	if (!variant || !p->compat || wp_compat_family(p->compat, name) != WP_INDEX_BOUND)
		return;
	newest = wp_compat_newest(p->compat, wp_compat_platform(j->t->platform), variant);
	if (!p->projects.v[d->project]->page)
		advise_address(a, j, name, newest, e);
	if (newest && wp_release_version(newest, name))
		only = wp_sprintf(a, "the newest %s for %s is %s; ", name, variant, wp_release_version(newest, name));
	have = variants_with(a, j, name, d);
	if (have)
		wp_err_next(e, "%sask for another variant with --cuda X, where X is one of: %s", only, have);
	else if (*only)
		wp_err_next(e, "%sno variant that is known has what was asked for", only);
}

void wp_advise(wp_arena *a, const wp_job *j, const wp_dep *d, wp_error *e)
{
	static const char *const trio[] = {"torch", "torchvision", "torchaudio"};
	const wp_pooled *p = j->pool.projects.v[d->project];
	const wp_cand *c = p->page ? wp_nearest_unfit(p, NULL) : NULL;
	const wp_cand *first = p->page && !p->c.n && !d->negate ? wp_first_newer(&p->c, &d->req->specifiers)
								     : NULL;
	const char *near = p->page ? NULL : wp_near(p->name, trio, 3);
	const char *label = j->t->variant ? NULL : label_wanted(a, d);
	const char *systems = p->page && !p->c.n ? wp_other_systems_only(a, j, p, d) : NULL;

	if (first)
		wp_err_next(e, "take a later date, such as --exclude-newer %.10s", first->uploaded);
	advise_variant(a, j, d, e);
	if (wp_streq(p->name, "pytorch"))
		wp_err_next(e, "PyTorch's project is called torch");
	else if (near && !wp_streq(near, p->name))
		wp_err_next(e, "did you mean `%s`?", near);
	else if (label)
		wp_err_next(e, "builds labelled +%s are on PyTorch's own index: add --cuda %s", label, label);
	else if (systems)
		wp_err_next(e, "there is none for %s, only for %s: ask for such a target, or do without %s", wp_system(j->t), systems,
			p->name);
	else if (p->page && !p->c.n && c && c->unfit == WP_UNFIT_SOURCE)
		wp_err_next(e, "build a wheel of it elsewhere and name its folder with --find-links");
}

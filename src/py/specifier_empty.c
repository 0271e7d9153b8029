/* SPDX-License-Identifier: MIT */
#include "py/version_key.h"

#include <string.h>

/* A span may hold no version, as that of >1.0,<1.0.post0.dev0. Where it holds any, it holds one of those that come
 * next behind the version of a specifier, whose kinds are few: these are tried. */
typedef struct search {
	wp_arena *a;
	const wp_specifiers *s;
	wp_prereleases pre;
	size_t longest; /* release of all */
	bool found;
} search;

static void try(search *x, wp_version v)
{
	if (x->found || (x->pre == WP_PRE_NO && wp_version_prerelease(&v)))
		return;
	v.key = wp_key_of(x->a, &v);
	x->found = wp_specifiers_match(x->s, &v);
}

static void try_with_dev(search *x, wp_version v)
{
	v.dev = false;
	try(x, v);
	v.dev = true;
	v.dev_n = 0;
	try(x, v);
}

/* The version, its next dev release, and what follows as its own posts. */
static void try_behind(search *x, wp_version v)
{
	try(x, v);
	v.dev_n++;
	if (v.dev)
		try(x, v);
	v.local = NULL;
	try_with_dev(x, v);
	v.post_n = v.post ? v.post_n + 1 : 0;
	v.post = true;
	try_with_dev(x, v);
}

static void try_label(search *x, const wp_version *v)
{
	wp_version longer = *v;

	if (!v->local)
		return;
	longer.local = wp_sprintf(x->a, "%s.0", v->local);
	try(x, longer);
}

/* The release alone, of n numbers, and the first pre-release of it. */
static void try_release(search *x, const wp_version *v, const uint64_t *release, size_t n)
{
	try_with_dev(x, (wp_version){.epoch = v->epoch, .release = release, .nrelease = n});
}

/* 1.2 to 1.3, to 2 and to 1.2.0.0.1 with so many numbers that nothing else comes before. */
static void try_next_release(search *x, const wp_version *v)
{
	uint64_t *release = WP_NEW_ARRAY(x->a, x->longest + 1, uint64_t);
	size_t n = v->nrelease;

	memcpy(release, v->release, n * sizeof *release);
	try_release(x, v, release, n);
	release[x->longest] = 1;
	try_release(x, v, release, x->longest + 1);
	release[n - 1]++;
	try_release(x, v, release, n);
	if (n > 1) {
		release[n - 2]++;
		try_release(x, v, release, n - 1);
	}
}

static void try_around(search *x, const wp_version *v)
{
	wp_version next = *v;

	try_behind(x, *v);
	try_label(x, v);
	next.dev = next.post = false;
	try_behind(x, next);
	next.pre_n++;
	if (next.pre)
		try_with_dev(x, next);
	next.pre_n = 0;
	next.pre = v->pre == 'a' ? 'b' : 'r';
	if (v->pre)
		try_with_dev(x, next);
	try_next_release(x, v);
}

/* What === asks for is the only thing that could match. */
static bool text_matches(wp_arena *a, const wp_specifiers *s, wp_prereleases pre)
{
	wp_version v;
	size_t i;

	for (i = 0; s->v[i].op != WP_ARBITRARY; i++)
		;
	wp_version_parse(a, wp_str_of(s->v[i].text), &v);
	return wp_specifiers_match(s, &v) && !(pre == WP_PRE_NO && wp_version_prerelease(&v));
}

bool wp_specifiers_unsatisfiable(const wp_specifiers *s, wp_prereleases pre)
{
	static const uint64_t zero[] = {0};
	search x = {.a = wp_arena_new(), .s = s, .pre = pre};
	size_t i;

	if (s->by_text) {
		x.found = text_matches(x.a, s, pre);
	} else {
		for (i = 0; i < s->n; i++)
			if (s->v[i].version.nrelease > x.longest)
				x.longest = s->v[i].version.nrelease;
		try_release(&x, &(wp_version){0}, zero, 1);
		for (i = 0; i < s->n && !x.found; i++)
			try_around(&x, &s->v[i].version);
	}
	wp_arena_free(x.a);
	return !x.found;
}

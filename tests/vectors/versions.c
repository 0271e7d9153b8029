/* SPDX-License-Identifier: MIT */
#include "vectors.h"

#include "py/name.h"
#include "py/version.h"

static bool same_release(const wp_version *v, const value *want)
{
	size_t i;

	for (i = 0; i < want->n && i < v->nrelease; i++)
		if (!same_number(true, v->release[i], &want->items[i]))
			return false;
	return want->n == v->nrelease;
}

static bool same_pre(const wp_version *v, const value *want)
{
	const char *letters = v->pre == 'r' ? "rc" : v->pre == 'a' ? "a" : "b";

	if (want->kind == WP_JSON_NULL)
		return !v->pre;
	return v->pre && wp_str_is(want->items[0].text, letters) &&
		same_number(true, v->pre_n, &want->items[1]);
}

verdict do_version(row *r)
{
	const value *o = r->out;
	wp_version v;

	if (!wp_version_parse(r->a, cell(r, "in")->text, &v))
		return refused(r, "");
	if (is_error(r))
		return say(r, "taken");
	if (same_text(r, "norm", v.norm, get(o, "str")) || same_text(r, "local", v.local, get(o, "local")) ||
		same_text(r, "public", wp_version_public(r->a, &v), get(o, "public")))
		return FAIL;
	if (!same_release(&v, get(o, "release")) || !same_pre(&v, get(o, "pre")) ||
		!same_number(true, v.epoch, get(o, "epoch")) || !same_number(v.post, v.post_n, get(o, "post")) ||
		!same_number(v.dev, v.dev_n, get(o, "dev")) ||
		wp_version_prerelease(&v) != get(o, "is_prerelease")->truth)
		return say(r, "parts differ");
	return PASS;
}

typedef struct ranked {
	wp_version v;
	int rank;
} ranked;

static verdict all_pairs(row *r, const ranked *v, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			int c = wp_version_cmp(&v[i].v, &v[k].v);

			if ((c > 0) - (c < 0) != (v[i].rank > v[k].rank) - (v[i].rank < v[k].rank))
				return say(r, "%s against %s is %d", v[i].v.text, v[k].v.text, c);
		}
	return PASS;
}

static void push_ranked(wp_arena *a, ranked *v, size_t *n, const value *text, int rank)
{
	if (wp_version_parse(a, text->text, &v[*n].v))
		v[(*n)++].rank = rank;
}

verdict do_version_order(row *r)
{
	const value *o = r->out;
	size_t i, k, n = 0, total = 0;
	ranked *v;

	for (i = 0; i < o->n; i++)
		total += o->items[i].kind == WP_JSON_ARRAY ? o->items[i].n : 1;
	v = WP_NEW_ARRAY(r->a, total, ranked);
	for (i = 0; i < o->n; i++) {
		const value *group = &o->items[i];

		if (group->kind != WP_JSON_ARRAY)
			push_ranked(r->a, v, &n, group, (int)i);
		for (k = 0; group->kind == WP_JSON_ARRAY && k < group->n; k++)
			push_ranked(r->a, v, &n, &group->items[k], (int)i);
	}
	return n == total ? all_pairs(r, v, n) : say(r, "a version was refused");
}

/* null: nothing is said about pre-releases, or (of ===) nothing can be. */
static verdict same_specifiers(row *r, const wp_specifiers *s)
{
	const value *pre = get(r->out, "prereleases");
	bool got = wp_specifiers_name_prerelease(s);

	if (same_text(r, "norm", s->norm, get(r->out, "str")))
		return FAIL;
	if (pre->kind == WP_JSON_BOOL && pre->truth != got)
		return say(r, "prereleases is %d", got);
	return PASS;
}

verdict do_specifier(row *r)
{
	wp_specifiers s;

	if (!wp_specifiers_parse_one(r->a, cell(r, "in")->text, &s))
		return refused(r, "");
	return is_error(r) ? say(r, "taken") : same_specifiers(r, &s);
}

verdict do_specifier_set(row *r)
{
	wp_specifiers s;

	if (!wp_specifiers_parse(r->a, cell(r, "in")->text, &s))
		return refused(r, "");
	return is_error(r) ? say(r, "taken") : same_specifiers(r, &s);
}

verdict do_specifier_and(row *r)
{
	wp_str l = cell(r, "left")->text, right = cell(r, "right")->text;
	wp_specifiers s;

	if (!wp_specifiers_parse(r->a, wp_str_of(wp_sprintf(r->a, "%s,%s", l.p, right.p)), &s))
		return refused(r, "");
	return same_text(r, "norm", s.norm, r->out);
}

/* What is asked in the call wins over what is set. */
static wp_prereleases wanted(const row *r)
{
	const value *said = cell(r, "prereleases");

	if (said->kind == WP_JSON_NULL)
		said = cell(r, "configured");
	return said->kind == WP_JSON_NULL ? WP_PRE_AUTO : said->truth ? WP_PRE_YES : WP_PRE_NO;
}

verdict do_contains(row *r)
{
	wp_specifiers s;
	wp_version v;
	bool got;

	if (!wp_specifiers_parse(r->a, cell(r, "spec")->text, &s))
		return refused(r, "specifier");
	wp_version_parse(r->a, cell(r, "item")->text, &v);
	wp_specifiers_filter(&s, &v, 1, cell(r, "installed")->truth ? WP_PRE_YES : wanted(r), &got);
	if (r->out->kind != WP_JSON_BOOL || got != r->out->truth)
		return say(r, "%d", got);
	return PASS;
}

verdict do_filter(row *r)
{
	const value *items = cell(r, "items");
	wp_version *v = WP_NEW_ARRAY(r->a, items->n, wp_version);
	bool *in = WP_NEW_ARRAY(r->a, items->n, bool);
	wp_specifiers s;
	size_t i, n = 0;

	if (!wp_specifiers_parse(r->a, cell(r, "spec")->text, &s))
		return refused(r, "specifier");
	for (i = 0; i < items->n; i++)
		wp_version_parse(r->a, items->items[i].text, &v[i]);
	wp_specifiers_filter(&s, v, items->n, wanted(r), in);
	for (i = 0; i < items->n; i++) {
		if (!in[i])
			continue;
		if (n == r->out->n || !wp_str_eq(items->items[i].text, r->out->items[n].text))
			return say(r, "%s is in", v[i].text);
		n++;
	}
	return n == r->out->n ? PASS : say(r, "%zu are in", n);
}

verdict do_unsatisfiable(row *r)
{
	wp_specifiers s;
	bool got;

	if (!wp_specifiers_parse(r->a, cell(r, "spec")->text, &s))
		return refused(r, "specifier");
	got = wp_specifiers_unsatisfiable(&s, wanted(r));
	return got == r->out->truth ? PASS : say(r, "%d", got);
}

verdict do_canonicalize_name(row *r)
{
	wp_str name = cell(r, "name")->text;

	if (cell(r, "validate")->truth && !wp_name_valid(name))
		return refused(r, "");
	return is_error(r) ? say(r, "taken") : same_text(r, "name", wp_name_normalize(r->a, name), r->out);
}

verdict do_is_normalized_name(row *r)
{
	wp_str name = cell(r, "in")->text;
	bool got = wp_name_valid(name) && wp_str_is(name, wp_name_normalize(r->a, name));

	return got == r->out->truth ? PASS : say(r, "%d", got);
}

verdict do_canonicalize_version(row *r)
{
	wp_str text = cell(r, "version")->text;
	wp_version v;

	if (!cell(r, "strip")->truth && wp_version_parse(r->a, text, &v))
		return same_text(r, "text", v.norm, r->out);
	return same_text(r, "text", wp_version_canonical(r->a, text), r->out);
}

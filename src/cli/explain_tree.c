/* SPDX-License-Identifier: MIT */
#include "cli/explain_tree.h"

#include <string.h>

#include "py/name.h"

void cli_explain_names(cli *c, wp_lock_request *lq)
{
	size_t i;

	for (i = 0; i < c->o.explain.n; i++)
		c->o.explain.v[i] = wp_name_normalize(c->ctx.arena, wp_str_of(c->o.explain.v[i]));
	lq->explain = c->o.explain.v;
	lq->nexplain = c->o.explain.n;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void say_asker(cli *c, const wp_asker *x)
{
	int indent = 2 + 2 * (int)x->depth;

	if (x->project)
		cli_answer(c, "%*s%s %s requires %s%s\n", indent, "", x->project, x->version, x->requirement,
			x->again ? " (who asks for it stands above)" : "");
	else
		cli_answer(c, "%*s%s%s%s\n", indent, "", x->constraint ? "the constraint is " : "", x->requirement,
			x->constraint ? "" : " is asked for");
}

/* What is said of a version, without its name. */
static const char *reason_of(wp_arena *a, const wp_explained *x, size_t i)
{
	const char *name = wp_sprintf(a, "%s %s ", x->project, x->newer[i].version), *why = x->newer[i].why;

	return wp_starts(why, name) ? why + strlen(name) : wp_starts(why, "it ") ? why + 3 : why;
}

/* The same of several: "they require". */
static const char *of_several(wp_arena *a, const wp_explained *x, size_t i)
{
	static const char *const verbs[][2] = {
		{"requires ", "require "}, {"has ", "have "}, {"is ", "are "}, {"was ", "were "}, {"goes ", "go "}};
	const char *reason = reason_of(a, x, i);
	size_t k;

	for (k = 0; k < sizeof verbs / sizeof verbs[0] && reason != x->newer[i].why; k++)
		if (wp_starts(reason, verbs[k][0]))
			return wp_sprintf(a, "they %s%s", verbs[k][1], reason + strlen(verbs[k][0]));
	return x->newer[i].why;
}

/* "1.0, 1.2 and 1.4 to 1.9": of the versions, which stand newest first, those that are in the group. */
static const char *say_group(wp_arena *a, const wp_explained *x, const size_t *group, size_t now, size_t *n)
{
	enum { SHOWN = 8 };
	const char *runs[SHOWN], *text = "";
	size_t i, k, nruns = 0, beyond = 0;

	*n = 0;
	for (i = 0; i < x->nnewer; i = k + 1) {
		k = i;
		if (group[i] != now)
			continue;
		while (k + 1 < x->nnewer && group[k + 1] == now)
			k++;
		k = k == i + 1 ? i : k;
		*n += k + 1 - i;
		if (nruns == SHOWN)
			beyond += k + 1 - i;
		else
			runs[nruns++] = k == i ? x->newer[i].version
					       : wp_sprintf(a, "%s to %s", x->newer[k].version, x->newer[i].version);
	}
	for (i = nruns; i-- > 0;)
		text = wp_sprintf(a, "%s%s%s", text, !*text ? "" : i || beyond ? ", " : " and ", runs[i]);
	return beyond ? wp_sprintf(a, "%s and %zu older", text, beyond) : text;
}

/* Versions with the same reason are one line. */
static void say_newer(cli *c, const wp_explained *x)
{
	enum { SHOWN = 12 };
	wp_arena *a = wp_arena_new();
	size_t *group = WP_NEW_ARRAY(a, x->nnewer, size_t), i, k, n, lines = 0, told = 0;
	const char *versions;

	for (i = 0; i < x->nnewer && lines < SHOWN; i++) {
		if (group[i])
			continue;
		lines++;
		for (k = i; k < x->nnewer; k++)
			if (!group[k] && strcmp(reason_of(a, x, k), reason_of(a, x, i)) == 0)
				group[k] = lines;
		versions = say_group(a, x, group, lines, &n);
		told += n;
		cli_answer(c, "  not %s: %s\n", versions, n == 1 ? x->newer[i].why : of_several(a, x, i));
	}
	if (told < x->nnewer)
		cli_answer(c, "  nor %zu more that are newer (--json has them)\n", x->nnewer - told);
	if (!x->nnewer)
		cli_answer(c, "  it is the newest\n");
	wp_arena_free(a);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static wp_jnode *asker_json(const wp_asker *x)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "by", x->project ? "wheel" : x->constraint ? "constraint" : "request");
	wp_jput_str(o, "project", x->project);
	wp_jput_str(o, "version", x->version);
	wp_jput_str(o, "requirement", x->requirement);
	if (x->again)
		wp_jput_bool(o, "again", true);
	return o;
}

/* The askers at this depth from *i on. */
static wp_jnode *askers_json(const wp_explained *x, size_t *i, unsigned depth)
{
	wp_jnode *list = wp_jarray(), *one;

	while (*i < x->naskers && x->askers[*i].depth == depth) {
		one = asker_json(&x->askers[(*i)++]);
		if (*i < x->naskers && x->askers[*i].depth > depth)
			wp_jput(one, "asked_for_by", askers_json(x, i, depth + 1));
		wp_jadd(list, one);
	}
	return list;
}

static wp_jnode *newer_json(const wp_explained *x)
{
	wp_jnode *list = wp_jarray(), *one;
	size_t i;

	for (i = 0; i < x->nnewer; i++) {
		one = wp_jobject();
		wp_jput_str(one, "version", x->newer[i].version);
		wp_jput_str(one, "why", x->newer[i].why);
		wp_jadd(list, one);
	}
	return list;
}

static wp_jnode *explained_json(const wp_explained *x)
{
	wp_jnode *o = wp_jobject();
	size_t i = 0;

	wp_jput_str(o, "target", x->target);
	wp_jput_str(o, "project", x->project);
	wp_jput_str(o, "version", x->version);
	wp_jput_str(o, "file", x->filename);
	wp_jput_str(o, "index", x->index);
	wp_jput(o, "asked_for_by", askers_json(x, &i, 0));
	if (x->nnewer)
		wp_jput(o, "newer", newer_json(x));
	return o;
}

wp_jnode *cli_explained(cli *c, const wp_lock_result *r)
{
	wp_jnode *list = r->nexplained ? wp_jarray() : NULL;
	size_t i, k;

	for (i = 0; i < r->nexplained; i++) {
		const wp_explained *x = &r->explained[i];

		cli_answer(c, "%s %s, for %s: %s from the index '%s'\n", x->project, x->version, x->target, x->filename, x->index);
		for (k = 0; k < x->naskers; k++)
			say_asker(c, &x->askers[k]);
		say_newer(c, x);
		wp_jadd(list, explained_json(x));
	}
	return list;
}

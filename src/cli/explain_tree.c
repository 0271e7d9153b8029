/* SPDX-License-Identifier: MIT */
#include "cli/explain_tree.h"

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
		cli_say(c, "%*s%s %s requires %s%s\n", indent, "", x->project, x->version, x->requirement,
			x->again ? " (who asks for it stands above)" : "");
	else
		cli_say(c, "%*s%s%s%s\n", indent, "", x->constraint ? "the constraint is " : "", x->requirement,
			x->constraint ? "" : " is asked for");
}

/* Neighbours with the same reason are one line. */
static size_t run_of(const wp_explained *x, size_t from)
{
	size_t i = from + 1;

	while (i < x->nnewer && wp_streq(x->newer[i].why, x->newer[from].why))
		i++;
	return i;
}

static void say_newer(cli *c, const wp_explained *x)
{
	enum { SHOWN = 12 };
	size_t i, next, lines = 0;

	for (i = 0; i < x->nnewer && lines < SHOWN; i = next, lines++) {
		next = run_of(x, i);
		if (next == i + 1)
			cli_say(c, "  not %s: %s\n", x->newer[i].version, x->newer[i].why);
		else
			cli_say(c, "  not %s %s %s: %s\n", x->newer[next - 1].version, next == i + 2 ? "and" : "to",
				x->newer[i].version, x->newer[i].why);
	}
	if (i < x->nnewer)
		cli_say(c, "  nor %zu more that are newer (--json has them)\n", x->nnewer - i);
	if (!x->nnewer)
		cli_say(c, "  it is the newest\n");
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

		cli_say(c, "%s %s, for %s: %s from the index '%s'\n", x->project, x->version, x->target, x->filename, x->index);
		for (k = 0; k < x->naskers; k++)
			say_asker(c, &x->askers[k]);
		say_newer(c, x);
		wp_jadd(list, explained_json(x));
	}
	return list;
}

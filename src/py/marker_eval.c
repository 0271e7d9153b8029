/* SPDX-License-Identifier: MIT */
#include "py/marker_ast.h"
#include "py/version.h"

#include <string.h>

/* What one evaluation reads, and the first comparison that has no meaning. */
typedef struct world {
	const wp_marker_ask *ask;
	const char *extra; /* the one that `extra` is in this round */
	bool strict;	   /* every comparison counts, also where it decides nothing */
	const wp_marker_term *odd;
	wp_arena *scratch;
} world;

/* Builds from a source tree call themselves 3.14.0+, which is no version. */
static const char *value(const world *w, const wp_marker_side *side)
{
	const char *v;

	if (!side->var)
		return side->text;
	if (side->var->kind == WP_MV_EXTRA)
		return w->extra ? w->extra : "";
	v = *(const char *const *)((const char *)w->ask->env + side->var->offset);
	if (!v)
		return "";
	if (strcmp(side->var->name, "python_full_version") == 0 && wp_ends(v, "+"))
		return wp_sprintf(w->scratch, "%slocal", v);
	return v;
}

/* The standard gives text no order: <= and >= mean ==, < and > are never true. False where the operator needs
 * versions. */
static bool compare_text(const char *left, const char *op, const char *right, bool *truth)
{
	bool same = strcmp(left, right) == 0, within = strstr(right, left) != NULL;

	if (strcmp(op, "~=") == 0 || strcmp(op, "===") == 0)
		return false;
	if (strcmp(op, "in") == 0)
		*truth = within;
	else if (strcmp(op, "not in") == 0)
		*truth = !within;
	else if (strcmp(op, "!=") == 0)
		*truth = !same;
	else
		*truth = same && op[1] == '=';
	return true;
}

/* False where the right one is no version. A left one that is none is other than every version, and === is of texts. */
static bool compare_versions(const world *w, const char *left, const char *op, const char *right, bool *truth)
{
	const char *text = wp_sprintf(w->scratch, "%s%s", op, right);
	wp_specifiers s;
	wp_version v;

	if (!wp_specifiers_parse_one(w->scratch, wp_str_of(text), &s))
		return false;
	*truth = !wp_version_parse(w->scratch, wp_str_of(left), &v) && strcmp(op, "!=") == 0;
	*truth |= wp_specifiers_match(&s, &v);
	return true;
}

/* One name, in or not in one of the sets. */
static bool compare_set(const world *w, const wp_marker_term *t, bool *truth)
{
	bool negated = strcmp(t->op, "not in") == 0;
	const wp_marker_set *set = &w->ask->extras;

	if (!t->right.var || t->left.var || (!negated && strcmp(t->op, "in") != 0))
		return false;
	if (t->right.var->kind == WP_MV_GROUPS)
		set = &w->ask->groups;
	if (!set->known)
		return false;
	*truth = wp_among(set->v, set->n, t->left.text) != negated;
	return true;
}

static bool asks_set(const wp_marker_side *side)
{
	return side->var && side->var->kind >= WP_MV_EXTRAS;
}

static bool asks_unknown_extra(const world *w, const wp_marker_side *side)
{
	return side->var && side->var->kind == WP_MV_EXTRA && !w->extra;
}

/* False where the comparison has no meaning; *truth is then false too. */
static bool compare(const world *w, const wp_marker_term *t, bool *truth)
{
	const wp_marker_var *key = t->left.var ? t->left.var : t->right.var;
	const char *left, *right;

	*truth = false;
	if (asks_unknown_extra(w, &t->left) || asks_unknown_extra(w, &t->right))
		return false;
	if (asks_set(&t->left) || asks_set(&t->right))
		return compare_set(w, t, truth);
	left = value(w, &t->left);
	right = value(w, &t->right);
	if (key && key->kind == WP_MV_VERSION && compare_versions(w, left, t->op, right, truth))
		return true;
	return compare_text(left, t->op, right, truth);
}

static bool truth_of(world *w, const wp_marker *m);

static bool truth_of_term(world *w, const wp_marker_term *t)
{
	bool truth;

	if (t->group)
		return truth_of(w, t->group);
	if (!compare(w, t, &truth) && !w->odd)
		w->odd = t;
	return truth;
}

/* "and" binds tighter than "or". */
static bool truth_of(world *w, const wp_marker *m)
{
	bool any = false, all = true;
	size_t i;

	for (i = 0; i < m->n; i++) {
		const wp_marker_term *t = &m->v[i];

		if (t->or_before) {
			any |= all;
			all = true;
		}
		if (all || w->strict)
			all &= truth_of_term(w, t);
	}
	return any || all;
}

bool wp_marker_eval(const wp_marker *m, const wp_markers *env, const char *const *extras, size_t nextras)
{
	wp_marker_ask ask = {.env = env, .extras = {true, extras, nextras}, .groups = {.known = true}};
	world w = {.ask = &ask, .extra = ""};
	bool truth;
	size_t i;

	if (!m)
		return true;
	w.scratch = wp_arena_new();
	truth = nextras == 0 && truth_of(&w, m);
	for (i = 0; i < nextras && !truth; i++) {
		w.extra = extras[i];
		truth = truth_of(&w, m);
	}
	wp_arena_free(w.scratch);
	return truth;
}

static const char *side_text(const wp_marker_side *side)
{
	return side->var ? side->var->name : side->text;
}

int wp_marker_judge(const wp_marker *m, const wp_marker_ask *ask, bool *truth, wp_error *e)
{
	world w = {.ask = ask, .extra = ask->extra, .strict = true};

	*truth = true;
	if (!m)
		return 0;
	w.scratch = wp_arena_new();
	*truth = truth_of(&w, m);
	wp_arena_free(w.scratch);
	if (w.odd)
		return wp_fail(e, WP_E_REQUIREMENT, "'%s %s %s' has no meaning here", side_text(&w.odd->left), w.odd->op,
			side_text(&w.odd->right));
	return 0;
}

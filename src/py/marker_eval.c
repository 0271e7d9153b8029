/* SPDX-License-Identifier: MIT */
#include "py/marker_ast.h"
#include "py/version.h"

#include <string.h>

/* What one evaluation reads. */
typedef struct world {
	const wp_markers *env;
	const char *const *extras;
	size_t nextras;
	const char *extra; /* the one that `extra` is in this round */
	wp_arena *scratch;
} world;

/* Builds from a source tree call themselves 3.14.0+, which is no version. */
static const char *value(const world *w, const wp_marker_side *side)
{
	const char *v;

	if (!side->var)
		return side->text;
	if (side->var->kind == WP_MV_EXTRA)
		return w->extra;
	v = *(const char *const *)((const char *)w->env + side->var->offset);
	if (!v)
		return "";
	if (strcmp(side->var->name, "python_full_version") == 0 && wp_ends(v, "+"))
		return wp_sprintf(w->scratch, "%slocal", v);
	return v;
}

/* The standard gives text no order: <= and >= mean ==, < and > are never true; ~= and === need versions. */
static bool compare_text(const char *left, const char *op, const char *right)
{
	if (strcmp(op, "in") == 0)
		return strstr(right, left) != NULL;
	if (strcmp(op, "not in") == 0)
		return strstr(right, left) == NULL;
	if (strcmp(op, "!=") == 0)
		return strcmp(left, right) != 0;
	if (strcmp(op, "==") == 0 || strcmp(op, "<=") == 0 || strcmp(op, ">=") == 0)
		return strcmp(left, right) == 0;
	return false;
}

/* False where one of them is no version. */
static bool compare_versions(const world *w, const char *left, const char *op, const char *right, bool *truth)
{
	const char *text = wp_sprintf(w->scratch, "%s%s", op, right);
	wp_specifiers s;
	wp_version v;

	if (strchr(right, ',') || !wp_specifiers_parse(w->scratch, wp_str_of(text), &s) || s.n != 1)
		return false;
	if (!wp_version_parse(w->scratch, wp_str_of(left), &v))
		return false;
	*truth = wp_specifiers_match(&s, &v);
	return true;
}

static bool compare_set(const world *w, const wp_marker_term *t)
{
	bool negated = strcmp(t->op, "not in") == 0, found = false;
	size_t i;

	if (!t->right.var || t->left.var || (!negated && strcmp(t->op, "in") != 0))
		return false;
	if (t->right.var->kind == WP_MV_EXTRAS)
		for (i = 0; i < w->nextras; i++)
			found |= strcmp(w->extras[i], t->left.text) == 0;
	return found != negated;
}

static bool compare(const world *w, const wp_marker_term *t)
{
	const wp_marker_var *lv = t->left.var, *rv = t->right.var, *key = lv ? lv : rv;
	const char *left, *right;
	bool truth;

	if ((lv && lv->kind >= WP_MV_EXTRAS) || (rv && rv->kind >= WP_MV_EXTRAS))
		return compare_set(w, t);
	left = value(w, &t->left);
	right = value(w, &t->right);
	if (key && key->kind == WP_MV_VERSION && compare_versions(w, left, t->op, right, &truth))
		return truth;
	return compare_text(left, t->op, right);
}

/* "and" binds tighter than "or". */
static bool truth_of(const world *w, const wp_marker *m)
{
	bool any = false, all = true;
	size_t i;

	for (i = 0; i < m->n; i++) {
		const wp_marker_term *t = &m->v[i];

		if (t->or_before) {
			any |= all;
			all = true;
		}
		if (all)
			all = t->group ? truth_of(w, t->group) : compare(w, t);
	}
	return any || all;
}

bool wp_marker_eval(const wp_marker *m, const wp_markers *env, const char *const *extras, size_t nextras)
{
	world w = {.env = env, .extras = extras, .nextras = nextras, .extra = ""};
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

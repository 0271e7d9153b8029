/* SPDX-License-Identifier: MIT */
/* rules_libs.c: libraries that can't be loaded, and names that are found nowhere. Each name is told of once. */
#include "doctor/names.h"
#include "doctor/rules.h"

enum { MAX_FILES = 20, MAX_SHOWN = 100 };

static void set_files(wp_exam *x, wp_finding *f, const uint32_t *libs, size_t n)
{
	const char **v;
	size_t i;

	n = n < MAX_FILES ? n : MAX_FILES;
	v = WP_NEW_ARRAY(x->ctx->arena, n ? n : 1, const char *);
	for (i = 0; i < n; i++)
		v[i] = wp_strdup(x->ctx->arena, x->graph->libs[libs[i]].path);
	f->files = v;
	f->nfiles = n;
}

static void set_chain(wp_exam *x, wp_finding *f, uint32_t lib, const char *last)
{
	f->nchain = wp_graph_chain(x->graph, x->ctx->arena, lib, last, &f->chain);
}

/* ---- W312, W313, L410 --------------------------------------------------------------------- */

/* Wheels carry odd files that no loader ever sees: only what is needed, imported or cut short is told of. */
static bool matters(const wp_lib *lib)
{
	if (lib->foreign)
		return lib->role != WP_ROLE_PLUGIN;
	return lib->damage && (lib->cut || lib->reached || lib->role != WP_ROLE_PLUGIN);
}

static void unusable(wp_exam *x, uint32_t i)
{
	const wp_lib *lib = &x->graph->libs[i];
	bool windows = x->in->windows;
	wp_finding *f;

	if (lib->foreign)
		f = wp_rule_add(x, windows ? WP_RULE_PE_MACHINE : WP_RULE_ELF_UNUSABLE, lib->name,
			"its machine is 0x%x, the set's is 0x%x", lib->machine, x->graph->machine);
	else
		f = wp_rule_add(x, windows ? WP_RULE_PE_DAMAGED : WP_RULE_ELF_UNUSABLE, lib->name, "%s",
			lib->damage);
	f->severity = lib->role == WP_ROLE_CORE ? WP_SEVERE : WP_WARNING;
	set_files(x, f, &i, 1);
	if (lib->parent != WP_NO_LIB)
		set_chain(x, f, i, NULL);
}

static size_t unusable_libraries(wp_exam *x)
{
	uint32_t i;
	size_t n = 0;

	for (i = 0; i < x->graph->n; i++)
		if (matters(&x->graph->libs[i]) && n++ < MAX_SHOWN)
			unusable(x, i);
	return n;
}

/* ---- W302 --------------------------------------------------------------------------------- */

/* One finding for the whole runtime: one installer brings all of it. Always a warning: most PCs have it, and the
 * System32 of the PC isn't seen. */
static size_t vc_runtime(wp_exam *x)
{
	const wp_graph *g = x->graph;
	const wp_missing *first = NULL;
	wp_buf names;
	wp_finding *f;
	size_t i, n = 0;

	wp_buf_init(&names, 1000);
	for (i = 0; i < g->missing.n; i++) {
		const wp_missing *m = &g->missing.v[i];

		if (!wp_name_is_vc_runtime(m->name))
			continue;
		wp_buf_printf(&names, "%s%s", n++ ? ", " : "", wp_str_lower(x->ctx->arena, wp_str_of(m->name)));
		if (!first || m->role < first->role || (m->role == first->role && m->needers.n > first->needers.n))
			first = m;
	}
	if (first) {
		f = wp_rule_add(x, WP_RULE_VC_RUNTIME, names.p,
			"%zu files need %s; neither Windows nor Python brings it, and the PC's own System32 is "
			"unknown here", first->needers.n, wp_str_lower(x->ctx->arena, wp_str_of(first->name)));
		set_files(x, f, first->needers.v, first->needers.n);
		set_chain(x, f, first->needers.v[0], first->name);
	}
	wp_buf_free(&names);
	return n;
}

/* ---- W301, L401 --------------------------------------------------------------------------- */

/* What a set carries by itself is never optional: cuDNN's parts load each other by name. */
static bool is_optional(const wp_missing *m, const wp_name_fact *known)
{
	if (known)
		return known->optional;
	return m->role == WP_ROLE_PLUGIN;
}

/* Of a PC that isn't seen, a name nobody knows may be in its system: a warning. */
static wp_severity missing_severity(const wp_exam *x, const wp_missing *m, const wp_name_fact *known)
{
	bool seen = x->in->pc->live && !x->in->windows;

	return m->role == WP_ROLE_CORE && (known || seen) ? WP_SEVERE : WP_WARNING;
}

static const char *remedy(wp_exam *x, const wp_name_fact *known, const char *general)
{
	if (known && known->next)
		return known->next;
	if (known && known->carrier && strchr(known->carrier, '-'))
		return wp_sprintf(x->ctx->arena, "the %s wheel of the set carries it: install the set again from "
			"a complete bundle", known->carrier);
	if (known && known->carrier)
		return wp_sprintf(x->ctx->arena, "%s's wheel carries it: install %s again from a verified bundle",
			known->carrier, known->carrier);
	return general;
}

static const char *where_looked(wp_exam *x, const wp_missing *m)
{
	if (m->elsewhere)
		return wp_sprintf(x->ctx->arena, "'%s' has that name, but the loader doesn't look there",
			m->elsewhere);
	if (x->in->windows)
		return "it is not in the set, and not among the files that Windows is known to have";
	if (x->in->pc->live)
		return "it is not in the set, and the system's loader doesn't know it";
	return "it is not in the set, and not among the files that every Linux has";
}

/* The needers are in the order of the walk: the first is the one that matters most. */
static void missing_library(wp_exam *x, const wp_missing *m, const wp_name_fact *known)
{
	wp_rule rule = x->in->windows ? known ? WP_RULE_NO_DLL : WP_RULE_UNKNOWN_DLL
		: known ? WP_RULE_NO_SO : WP_RULE_UNKNOWN_SO;
	wp_finding *f = wp_rule_add(x, rule, m->name, "%zu %s it; %s", m->needers.n,
		m->needers.n == 1 ? "file needs" : "files need", where_looked(x, m));

	f->severity = missing_severity(x, m, known);
	f->next = remedy(x, known, f->next);
	set_files(x, f, m->needers.v, m->needers.n);
	set_chain(x, f, m->needers.v[0], m->name);
}

/* What only plugins need is one note. */
static void optional_libraries(wp_exam *x, const wp_missing *const *v, size_t n)
{
	WP_VEC(uint32_t) files = {0};
	bool *seen = WP_NEW_ARRAY(x->graph->a, x->graph->n, bool);
	const char *next = "nothing is to be done unless that feature is wanted";
	wp_finding *f;
	wp_buf names;
	size_t i, k;

	wp_buf_init(&names, 2000);
	for (i = 0; i < n; i++) {
		const wp_name_fact *known = wp_name_known(v[i]->name);

		wp_buf_printf(&names, "%s%s", i ? ", " : "", v[i]->name);
		if (known && known->next)
			next = known->next;
		for (k = 0; k < v[i]->needers.n; k++)
			if (!seen[v[i]->needers.v[k]]) {
				seen[v[i]->needers.v[k]] = true;
				WP_PUSH(&files, v[i]->needers.v[k]);
			}
	}
	f = wp_rule_add(x, x->in->windows ? WP_RULE_NO_DLL : WP_RULE_NO_SO, "for optional parts only",
		"%s: needed by plugins that are loaded only where their feature is used", names.p);
	f->severity = WP_NOTE;
	f->next = next;
	set_files(x, f, files.v, files.n);
	WP_VEC_FREE(&files);
	wp_buf_free(&names);
}

static size_t missing_libraries(wp_exam *x)
{
	const wp_graph *g = x->graph;
	WP_VEC(const wp_missing *) optional = {0};
	size_t i, n = 0;

	for (i = 0; i < g->missing.n; i++) {
		const wp_missing *m = &g->missing.v[i];
		const wp_name_fact *known = wp_name_known(m->name);

		if (x->in->windows && wp_name_is_vc_runtime(m->name))
			continue;
		if (is_optional(m, known))
			WP_PUSH(&optional, m);
		else if (n++ < MAX_SHOWN)
			missing_library(x, m, known);
	}
	if (optional.n)
		optional_libraries(x, optional.v, optional.n);
	WP_VEC_FREE(&optional);
	return n;
}

void wp_rules_libs(wp_exam *x)
{
	size_t bad = unusable_libraries(x), runtime = x->in->windows ? vc_runtime(x) : 0;

	bad += missing_libraries(x);
	if (!x->graph->n || bad)
		return;
	wp_rule_good(x, "loading: %zu libraries, %zu imports, %s", x->graph->n, x->graph->edges,
		runtime ? "all found but the VC++ runtime" : "all found");
}

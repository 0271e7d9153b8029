/* SPDX-License-Identifier: MIT
 *
 * loose_needs.c: requirements of wheels that come without a lock, under the interpreter's own markers. They are met by the
 * other wheels, else by what the venv has already; what nobody meets is told, and installed for all that: who carries
 * wheels one by one may bring the next one tomorrow.
 */
#include "install/installed.h"
#include "install/loose.h"

/* Somebody whose requirements are looked at; of an extra only what comes with it. */
typedef struct step {
	const char *project, *version, *extra;
	const wp_metadata *metadata;
	size_t chosen; /* its number; SIZE_MAX: it is in the venv */
} step;

typedef struct missing {
	const char *project, *why;
} missing;

typedef struct needs {
	wp_loosing *l;
	wp_arena *a; /* the run's */
	wp_site site;
	wp_map seen; /* "project[extra]" */
	WP_VEC(step) queue;
	WP_VEC(missing) missing; /* in the order of their finding */
} needs;

static size_t chosen_of(const needs *n, const char *project)
{
	size_t i;

	for (i = 0; i < n->l->chosen.n; i++)
		if (wp_streq(n->l->chosen.v[i].name.project, project))
			return i;
	return SIZE_MAX;
}

static bool version_met(const needs *n, const wp_requirement *r, const char *version)
{
	wp_version v;

	if (r->url || !r->specifiers.n)
		return true;
	return wp_version_parse(n->a, wp_str_of(version), &v) && wp_specifiers_match(&r->specifiers, &v);
}

static void miss(needs *n, const wp_requirement *r, const step *who, const char *instead)
{
	const char *why = wp_sprintf(n->a, "%s %s%s%s%s requires '%s'%s", who->project, who->version, who->extra ? "[" : "",
		who->extra ? who->extra : "", who->extra ? "]" : "", r->text, instead);
	size_t i;

	for (i = 0; i < n->missing.n; i++)
		if (wp_streq(n->missing.v[i].project, r->project)) {
			n->missing.v[i].why = wp_sprintf(n->a, "%s; %s", n->missing.v[i].why, why);
			return;
		}
	WP_PUSH(&n->missing, ((missing){r->project, why}));
}

static void push_extras(needs *n, const wp_requirement *r, step s)
{
	size_t i;

	for (i = 0; i < r->nextras; i++) {
		s.extra = r->extras[i];
		if (wp_map_put(&n->seen, wp_str_of(wp_sprintf(n->a, "%s[%s]", s.project, s.extra)), 1))
			WP_PUSH(&n->queue, s);
	}
}

static void met_by_chosen(needs *n, const wp_requirement *r, const step *who, size_t i)
{
	wp_loose_wheel *w = &n->l->chosen.v[i];
	const char **targets = WP_NEW_ARRAY(n->a, 1, const char *);

	targets[0] = n->l->p.real.name;
	if (who->chosen != i)
		w->needed = true;
	if (who->chosen != SIZE_MAX)
		WP_PUSH(&n->l->chosen.v[who->chosen].requires, ((wp_lock_require){r->text, r->project, targets, 1}));
	if (!version_met(n, r, w->name.version.norm))
		miss(n, r, who, wp_sprintf(n->a, ", and %s is to be installed", w->name.version.norm));
	push_extras(n, r, (step){r->project, w->name.version.norm, NULL, &w->metadata, i});
}

static const wp_metadata *installed_metadata(needs *n, const wp_installed *d)
{
	const char *path = wp_sprintf(n->a, "%s/%s/%s/METADATA", n->site.venv, n->site.path, d->dir);
	wp_metadata *m = WP_NEW(n->a, wp_metadata);
	wp_error ignored = {0};
	wp_str text;

	if (os_read_file(n->a, path, WP_MAX_METADATA, &text, &ignored) || wp_metadata_parse(n->a, text, m, &ignored))
		*m = (wp_metadata){0};
	return m;
}

static void met_by_venv(needs *n, const wp_requirement *r, const step *who, const wp_installed *d)
{
	if (!version_met(n, r, d->version))
		miss(n, r, who, wp_sprintf(n->a, ", and the venv has %s", d->version));
	if (r->nextras)
		push_extras(n, r, (step){r->project, d->version, NULL, installed_metadata(n, d), SIZE_MAX});
}

/* A text that cannot be read was told of, or refused, with the wheel. */
static void require(needs *n, const step *who, const char *text)
{
	const wp_markers *env = &n->l->p.python.markers;
	wp_error ignored = {0};
	const wp_installed *d;
	wp_requirement r;
	size_t i;

	if (wp_requirement_parse_lenient(n->a, wp_str_of(text), &r, NULL, &ignored) ||
		!wp_marker_eval(r.marker, env, &who->extra, who->extra ? 1 : 0) ||
		(who->extra && wp_marker_eval(r.marker, env, NULL, 0)))
		return;
	if ((i = chosen_of(n, r.project)) != SIZE_MAX)
		met_by_chosen(n, &r, who, i);
	else if ((d = wp_site_find(&n->site, r.project)))
		met_by_venv(n, &r, who, d);
	else if (!n->l->p.in->with_pip || !wp_streq(r.project, "pip"))
		miss(n, &r, who, "");
}

static void tell(const needs *n)
{
	size_t i;

	for (i = 0; i < n->missing.n; i++) {
		const missing *m = &n->missing.v[i];
		wp_finding *f = wp_plan_note(&n->l->p, WP_INSTALL_MISSING, wp_sprintf(n->a, "%s: %s", m->project, m->why));

		f->next = wp_sprintf(n->a, "give a wheel of %s too, or install one afterwards", m->project);
	}
}

int wp_loose_needs(wp_loosing *l, wp_error *e)
{
	needs n = {.l = l, .a = l->p.ctx->arena};
	size_t i, k;

	if (!l->p.is_new && wp_site_read(n.a, l->p.venv, l->p.python.venv_site, &n.site, e))
		return e->code;
	wp_map_init(&n.seen);
	for (i = 0; i < l->chosen.n; i++) {
		wp_loose_wheel *w = &l->chosen.v[i];

		WP_PUSH(&n.queue, ((step){w->name.project, w->name.version.norm, NULL, &w->metadata, i}));
	}
	for (i = 0; i < n.queue.n; i++) {
		step s = n.queue.v[i];

		for (k = 0; k < s.metadata->nrequires_dist; k++)
			require(&n, &s, s.metadata->requires_dist[k]);
	}
	tell(&n);
	wp_map_free(&n.seen);
	WP_VEC_FREE(&n.queue);
	WP_VEC_FREE(&n.missing);
	return 0;
}

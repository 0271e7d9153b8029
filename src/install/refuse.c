/* SPDX-License-Identifier: MIT
 *
 * refuse.c: the reasons why a plan can't be carried out. Who brings wheels to a PC without internet wants to know all of
 * them before the next trip.
 */
#include "install/parts.h"

void wp_plan_advise(wp_plan *p, size_t wheel, wp_error *f)
{
	const wp_in_wheel *w = wheel < p->nwheels ? &p->wheels[wheel] : NULL;

	if (w && f->code == WP_E_RECORD && p->in->loose && w->blob.read_at)
		wp_wheel_advise(p->ctx, w->lock->filename, &w->blob, wp_names_of(p->real.platform), f);
}

int wp_plan_refuse(wp_plan *p, size_t wheel, wp_error *f, wp_error *e)
{
	wp_arena *a = p->ctx->arena;
	wp_refusal r = {wheel, f->code, NULL, NULL, NULL};

	if (!f->code)
		return 0;
	if (f->code == WP_E_INTERRUPTED) {
		if (!e->code)
			*e = *f;
		return e->code;
	}
	wp_plan_advise(p, wheel, f);
	r.where = wp_strdup(a, f->where);
	r.why = wp_strdup(a, f->why);
	r.next = wp_strdup(a, f->next);
	WP_PUSH(&p->refusals, r);
	*f = (wp_error){0};
	return 0;
}

/* By wheel, those of no single one last; else as they came. */
static void sort_refusals(wp_refusal *v, size_t n)
{
	size_t i, k;

	for (i = 1; i < n; i++) {
		wp_refusal r = v[i];

		for (k = i; k > 0 && r.wheel < v[k - 1].wheel; k--)
			v[k] = v[k - 1];
		v[k] = r;
	}
}

static const wp_refusal *worst(const wp_plan *p)
{
	size_t i;

	for (i = 0; i < p->refusals.n; i++)
		if (wp_code_exit(p->refusals.v[i].code) == WP_EXIT_INTEGRITY)
			return &p->refusals.v[i];
	return &p->refusals.v[0];
}

int wp_plan_conclude(wp_plan *p, wp_error *e)
{
	const wp_refusal *w;
	size_t i;

	if (!p->refusals.n)
		return 0;
	sort_refusals(p->refusals.v, p->refusals.n);
	for (i = 0; i < p->refusals.n; i++) {
		const wp_refusal *r = &p->refusals.v[i];
		const char *text = wp_code_text(r->code);

		wp_finding_add(p->findings, p->ctx->arena, wp_code_name(r->code), WP_SEVERE,
			*r->where ? wp_sprintf(p->a, "%s: %s", r->where, text) : text, r->why,
			*r->next ? r->next : wp_code_advice(r->code));
	}
	w = worst(p);
	wp_fail(e, w->code, "%s", w->why);
	if (*w->where)
		wp_err_where(e, "%s", w->where);
	if (*w->next)
		wp_err_next(e, "%s", w->next);
	if (p->refusals.n > 1)
		wp_err_state(e, "%zu refusals in all; %s", p->refusals.n, wp_unchanged(p->a, p->in->venv, p->before));
	return e->code;
}

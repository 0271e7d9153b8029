/* SPDX-License-Identifier: MIT
 *
 * preview.c: the plan, for people to read before it is carried out.
 */
#include "install/notes.h"

static wp_planned_dist look_at(const wp_plan *p, const wp_in_wheel *w)
{
	wp_arena *a = p->ctx->arena;
	wp_planned_dist d = {.project = wp_strdup(a, w->lock->project), .version = wp_strdup(a, w->lock->version),
		.filename = wp_strdup(a, w->lock->filename), .what = WP_PLANNED_INSTALL};
	size_t i;

	if (w->kept) {
		d.what = WP_PLANNED_KEEP;
		return d;
	}
	if (w->replaces) {
		d.what = WP_PLANNED_REPLACE;
		d.was = wp_strdup(a, w->replaces->version);
	}
	for (i = w->first; i < w->first + w->n; i++)
		if (p->files.v[i].written) {
			d.files++;
			d.bytes += p->files.v[i].size;
		}
	d.files++;
	d.bytes += wp_record_text(p->a, p, w).n;
	return d;
}

static void fill(const wp_plan *p, wp_preview *out)
{
	wp_arena *a = p->ctx->arena;
	size_t i;

	out->venv = wp_strdup(a, p->venv);
	out->python = wp_strdup(a, p->run_python);
	out->base = wp_strdup(a, p->python.executable);
	out->version = p->python.version;
	out->target = wp_strdup(a, p->target->name);
	out->create = p->is_new && !p->beside;
	out->beside = p->beside;
	out->space_needed = p->space_needed;
	out->space_free = p->space_free;
	wp_store_preview(p, out);
	out->v = WP_NEW_ARRAY(a, p->nwheels, wp_planned_dist);
	for (i = 0; i < p->nwheels; i++) {
		const wp_planned_dist *d = &out->v[out->n++];

		out->v[i] = look_at(p, &p->wheels[i]);
		out->files += d->files;
		out->bytes += d->bytes;
	}
}

static int plan(wp_plan *p, wp_error *e)
{
	if (wp_plan_place(p, e))
		return e->code;
	if (p->beside ? wp_switch_stopped(p->a, p->venv) : wp_repair_due(p->ctx, p->in->venv))
		wp_plan_note(p, WP_INSTALL_DUE, p->venv);
	return wp_plan_make(p, e);
}

int wp_install_preview(wp_ctx *ctx, const wp_install_request *in, wp_preview *out, wp_error *e)
{
	wp_plan p = {.ctx = ctx, .in = in, .a = wp_arena_new(), .findings = &out->findings};

	*out = (wp_preview){0};
	if (!plan(&p, e)) {
		fill(&p, out);
	} else {
		if (e->code == WP_E_VENV)
			wp_err_where(e, "'%s'", in->venv);
		wp_err_what(e, "cannot install into '%s'", in->venv);
		wp_err_state(e, "%s", wp_unchanged(p.a, in->venv, WP_REPAIR_NOTHING));
	}
	wp_plan_done(&p);
	return e->code;
}

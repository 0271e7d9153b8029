/* SPDX-License-Identifier: MIT
 *
 * uninstall.c: distributions go, file by file as their RECORD has them, all or nothing.
 */
#include "base/near.h"
#include "install/journal.h"
#include "install/notes.h"
#include "install/removal.h"
#include "install/removed.h"
#include "os/os.h"
#include "py/name.h"
#include "py/tag.h"

typedef struct job {
	wp_ctx *ctx;
	const wp_uninstall_request *in;
	wp_arena *a;
	const char *venv;
	wp_site site;
	bool conda; /* venv is a conda environment */
	wp_removal r;
	wp_repaired before; /* what a stopped run had begun */
	wp_uninstalled *out;
} job;

/* A requirement, or the file that the distribution came from. */
static int no_name(job *j, const char *given, wp_error *e)
{
	wp_str all = wp_str_of(os_basename(given));
	wp_error ignored = {0};
	wp_wheel_name w;
	size_t n = 0;

	if (!wp_wheel_name_parse(j->a, all, &w, &ignored))
		all = wp_str_of(w.project);
	while (n < all.n && (wp_ascii_alnum(all.p[n]) || strchr("-_.", all.p[n])))
		n++;
	wp_fail(e, WP_E_USAGE, "'%s' is not the name of a project", given);
	if (!wp_name_valid(wp_str_sub(all, 0, n)))
		return wp_err_next(e, "name the project alone");
	return wp_err_next(e, "name the project alone: %s", wp_name_normalize(j->a, wp_str_sub(all, 0, n)));
}

static int unknown(job *j, const char *given, const char *name, wp_error *e)
{
	enum { SHOWN = 8 };
	const char **names = WP_NEW_ARRAY(j->a, j->site.n + 1, const char *), *near, *list = "";
	size_t i;

	for (i = 0; i < j->site.n; i++) {
		names[i] = j->site.v[i].project;
		if (i < SHOWN)
			list = wp_sprintf(j->a, "%s%s%s", list, i ? ", " : "", names[i]);
	}
	near = wp_near(name, names, j->site.n);
	wp_fail(e, WP_E_NOT_FOUND, "the venv has no distribution of '%s'", given);
	if (near)
		return wp_err_next(e, "did you mean '%s'?", near);
	if (!j->site.n)
		return wp_err_next(e, "nothing is left to do: it has no distributions");
	if (j->site.n > SHOWN)
		list = wp_sprintf(j->a, "%s and %zu more", list, j->site.n - SHOWN);
	return wp_err_next(e, "it has %s", list);
}

static int add(job *j, const char *given, wp_error *e)
{
	const char *project = wp_name_normalize(j->a, wp_str_of(given));
	bool found = false;
	size_t i;

	if (!wp_name_valid(wp_str_of(given)) || wp_ends(given, ".whl"))
		return no_name(j, given, e);
	for (i = 0; i < j->site.n; i++) {
		if (!wp_streq(j->site.v[i].project, project))
			continue;
		found = true;
		if (j->conda && wp_streq(wp_installed_by(j->a, &j->site, &j->site.v[i]), "conda")) {
			wp_fail(e, WP_E_VENV, "conda installed %s, and keeps account of its files", project);
			return wp_err_next(e, "conda remove -p \"%s\" %s", j->venv, project);
		}
		if (wp_removal_add(&j->r, &j->site.v[i], true, e))
			return e->code;
	}
	return found ? 0 : unknown(j, given, project, e);
}

static void tell(job *j, wp_install_note note, const char *const *v, size_t n)
{
	wp_tell_files(&j->out->findings, j->ctx->arena, note, v, n);
}

static int carry_out(job *j, wp_error *e)
{
	wp_journal moves = {.venv = j->venv, .aside = wp_journal_clean(j->a, j->venv, e)};
	const char **projects = WP_NEW_ARRAY(j->a, j->r.dists.n, const char *), *not_flushed = NULL;
	size_t i;

	for (i = 0; i < j->r.dists.n; i++)
		projects[i] = j->r.dists.v[i]->project;
	if (!moves.aside || wp_removed_stage(j->a, j->venv, projects, j->r.dists.n, &moves, e)) {
		wp_journal_free(&moves);
		return e->code;
	}
	for (i = 0; i < j->r.files.n; i++)
		WP_PUSH(&moves.olds, j->r.files.v[i]);
	for (i = 0; i < j->r.empty.n; i++)
		WP_PUSH(&moves.empty, j->r.empty.v[i]);
	wp_carry_out(j->a, &moves, j->in->no_sync, &not_flushed, e);
	wp_journal_free(&moves);
	if (not_flushed)
		wp_install_note_add(&j->out->findings, j->ctx->arena, WP_INSTALL_NOT_FLUSHED, not_flushed);
	return e->code;
}

static int uninstall(job *j, wp_error *e)
{
	wp_venv_place place;
	wp_repaired repaired;
	size_t i;

	if (wp_finish_stopped(j->a, j->venv, false, &repaired, e))
		return e->code;
	if (repaired != WP_REPAIR_NOTHING)
		j->before = repaired;
	if (wp_venv_find(j->a, j->venv, &place, e) || wp_site_read(j->a, j->venv, place.site, &j->site, e))
		return e->code;
	j->conda = place.conda;
	if (j->before != WP_REPAIR_NOTHING)
		wp_install_note_add(&j->out->findings, j->ctx->arena, WP_INSTALL_FINISHED, j->venv);
	wp_removal_begin(&j->r, j->ctx, j->a, &j->site, os_is_windows());
	for (i = 0; i < j->in->n && !e->code; i++)
		add(j, j->in->projects[i], e);
	if (!e->code && !wp_removal_end(&j->r, e) && !wp_check_cancel(j->ctx, e) && !carry_out(j, e)) {
		tell(j, WP_INSTALL_STAYS, j->r.changed.v, j->r.changed.n);
		tell(j, WP_INSTALL_NOT_ALONE, j->r.shared.v, j->r.shared.n);
		tell(j, WP_INSTALL_OUTSIDE, j->r.outside.v, j->r.outside.n);
		j->out->distributions = j->r.dists.n;
		j->out->files = j->r.files.n;
		j->out->left = j->r.changed.n;
	}
	wp_removal_free(&j->r);
	return e->code;
}

int wp_uninstall(wp_ctx *ctx, const wp_uninstall_request *in, wp_uninstalled *out, wp_error *e)
{
	job j = {.ctx = ctx, .in = in, .a = wp_arena_new(), .out = out};
	wp_stage s = {0};

	*out = (wp_uninstalled){0};
	if (!wp_venv_settle(ctx, j.a, in->venv, WP_SETTLE_FINISH, in->wait, &j.before, e) &&
		!wp_venv_check_place(j.a, in->venv, &j.venv, e) && !wp_stage_lock(ctx, j.a, j.venv, in->wait, &s, e)) {
		uninstall(&j, e);
		s.dir = os_join(j.a, s.meta, "stage");
		wp_stage_abandon(&s);
	}
	wp_err_what(e, "cannot uninstall from '%s'", in->venv);
	wp_err_state(e, "%s", wp_unchanged(j.a, in->venv, j.before));
	wp_arena_free(j.a);
	return e->code;
}

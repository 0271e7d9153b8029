/* SPDX-License-Identifier: MIT
 *
 * install.c: plan, stage, commit, receipt. Until the commit nothing of the venv is touched but its .wheelpack folder, which
 * is put back on any failure; but what a stopped run had begun to move is moved first.
 */
#include "install/notes.h"

static void count(const wp_plan *p, wp_receipt *r)
{
	size_t i;

	for (i = 0; i < p->nwheels; i++) {
		*(p->wheels[i].kept ? &r->kept : &r->distributions) += 1;
		r->replaced += p->wheels[i].replaces != NULL;
	}
	for (i = 0; i < p->files.n; i++) {
		const wp_out_file *f = &p->files.v[i];

		if (!f->written)
			continue;
		r->files++;
		r->bytes += f->size;
		r->scripts += wp_under(f->path, p->python.venv_bin) != NULL;
	}
}

static int build(wp_plan *p, wp_stage *s, wp_receipt *r, wp_error *e)
{
	if (wp_stage_open(p, s, e) || wp_store_begin(p, s->dir, e) || wp_unpack(p, s->dir, e) || wp_record_out(p, s->dir, e))
		return e->code;
	r->created = p->is_new && !p->beside;
	count(p, r);
	wp_store_tell(p, &r->store);
	if (wp_compile(p, s->dir, r, e))
		return e->code;
	if (wp_receipt_write(p, r, os_join(p->a, s->dir, ".wheelpack"), e) || wp_share_tree(p, s->dir, e))
		return e->code;
	return wp_check_cancel(p->ctx, e);
}

static void tell_before(wp_plan *p, wp_repaired done)
{
	if (done == WP_REPAIR_NOTHING)
		return;
	p->before = done;
	wp_plan_note(p, done == WP_REPAIR_FINISHED ? WP_INSTALL_FINISHED : WP_INSTALL_UNDONE, p->in->venv);
}

/* Where a run was stopped while it switched there may be no venv now. One that is built anew needs not what a stopped one
 * had built. */
static int settle(wp_plan *p, wp_error *e)
{
	wp_repaired done;

	if (wp_venv_settle(p->ctx, p->a, p->in->venv, p->in->beside ? WP_SETTLE_OLD : WP_SETTLE_FINISH, p->in->wait, &done, e))
		return e->code;
	tell_before(p, done);
	return 0;
}

/* A plan is made of a venv that is whole; one that makes way stays as it is. */
static int begin(wp_plan *p, wp_stage *s, wp_error *e)
{
	wp_repaired done = WP_REPAIR_NOTHING;

	if (p->is_new && !p->beside)
		return 0;
	if (wp_stage_lock(p->ctx, p->a, p->venv, p->in->wait, s, e) ||
		(!p->beside && wp_finish_stopped(p->a, p->venv, false, &done, e)))
		return e->code;
	tell_before(p, done);
	return 0;
}

static int try_it(const wp_plan *p, const wp_stage *s, wp_error *e)
{
	const wp_trial *t = &p->in->trial;
	const char *bin = os_join(p->a, s->dir, p->python.venv_bin);
	const char *python = wp_native_path(p->a, p->windows, os_join(p->a, bin, p->windows ? "python.exe" : "python"));

	if (!p->in->beside || !t->fn)
		return 0;
	if (t->fn(t->user, s->dir, python, e))
		return wp_fail(e, WP_E_TRIAL, "the trial failed");
	return wp_check_cancel(p->ctx, e);
}

/* What stands in the lock of wheels without a bundle was said with this venv in view. */
static int check_seen(const wp_plan *p, wp_receipt *r, wp_error *e)
{
	r->stale = p->in->loose && !wp_streq(wp_venv_seen(p->a, p->venv), p->in->loose->seen);
	if (!r->stale)
		return 0;
	wp_fail(e, WP_E_BUSY, "another run has changed this venv in the meantime");
	return wp_err_next(e, "look at what it did, then run the same command again");
}

static int run(wp_plan *p, wp_stage *s, wp_receipt *r, wp_error *e)
{
	if (settle(p, e) || wp_plan_place_free(p, e) || begin(p, s, e) || check_seen(p, r, e) || wp_plan_make(p, e) ||
		build(p, s, r, e) || try_it(p, s, e) || wp_commit(p, s, e)) {
		wp_stage_abandon(s);
		return e->code;
	}
	wp_stage_done(s);
	return 0;
}

static uint64_t bytes_below(wp_arena *a, const char *dir)
{
	wp_error ignored = {0};
	uint64_t sum = 0;
	os_entry *v;
	size_t i, n;

	if (os_walk(a, dir, &v, &n, &ignored))
		return 0;
	for (i = 0; i < n; i++)
		sum += v[i].size;
	return sum;
}

static void describe(const wp_plan *p, wp_receipt *out)
{
	wp_arena *a = p->ctx->arena;

	out->venv = wp_strdup(a, p->venv);
	out->python = wp_strdup(a, p->run_python);
	if (!p->beside)
		return;
	out->before = wp_switch_before(a, p->venv);
	out->before_bytes = bytes_below(p->a, out->before);
}

/* True where another run was faster and is to be waited for. */
static bool install(wp_ctx *ctx, const wp_install_request *in, wp_receipt *out, wp_error *e)
{
	wp_plan p = {.ctx = ctx, .in = in, .a = wp_arena_new(), .findings = &out->findings};
	wp_stage s = {0};
	bool again;

	*out = (wp_receipt){0};
	if (run(&p, &s, out, e)) {
		if (e->code == WP_E_VENV || e->code == WP_E_BUSY)
			wp_err_where(e, "'%s'", in->venv);
		wp_err_what(e, "cannot install into '%s'", in->venv);
		wp_err_state(e, "%s", wp_unchanged(p.a, in->venv, p.before));
	} else {
		describe(&p, out);
	}
	again = p.raced && in->wait && e->code == WP_E_BUSY;
	wp_plan_done(&p);
	return again;
}

int wp_install(wp_ctx *ctx, const wp_install_request *in, wp_receipt *out, wp_error *e)
{
	while (install(ctx, in, out, e))
		*e = (wp_error){0};
	return e->code;
}

/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "cli/embed.h"
#include "os/os.h"

static wp_str baseline(void)
{
	return (wp_str){(const char *)wp_data_windows_baseline_json, wp_data_windows_baseline_json_size};
}

static bool windows_platform(const char *platform)
{
	return wp_starts(platform, "win");
}

static void say_result(cli *c, const wp_doctor_result *r)
{
	size_t i, errors = wp_findings_errors(&r->findings);

	cli_findings(c, &r->findings);
	for (i = 0; i < r->ngood; i++)
		cli_say(c, "good:  %s\n", r->good[i]);
	cli_say(c, "%zu libraries read, %zu imports followed: %s, %s\n", r->libraries, r->edges,
		cli_count(c->ctx.arena, errors, "error"),
		cli_count(c->ctx.arena, r->findings.n - errors, "other finding"));
}

static wp_jnode *result_json(const wp_doctor_result *r)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "torch", r->torch);
	wp_jput_str(o, "torchvision", r->torchvision);
	wp_jput_str(o, "torchaudio", r->torchaudio);
	wp_jput_str(o, "cuda", r->cuda);
	wp_jput_int(o, "libraries", (int64_t)r->libraries);
	wp_jput_int(o, "imports", (int64_t)r->edges);
	wp_jput_strs(o, "good", r->good, r->ngood);
	return o;
}

static int examine(cli *c, wp_doctor_request *q, wp_error *e)
{
	wp_doctor_result r = {0};

	q->compat = &c->compat;
	q->windows_baseline = baseline();
	if (wp_doctor(&c->ctx, q, &r, e))
		return e->code;
	say_result(c, &r);
	c->result = result_json(&r);
	return 0;
}

static const wp_lock_target *target_for_venv(cli *c, const char *venv, wp_lock_doc *lock)
{
	if (!wp_venv_lock(&c->ctx, venv, lock) || !lock->ntargets)
		return NULL;
	return &lock->targets[0];
}

static void soften(wp_findings *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(f->v[i].code, "D501") == 0 && f->v[i].severity == WP_SEVERE)
			f->v[i].severity = WP_WARNING;
}

int cli_doctor_venv(cli *c, const char *venv, bool softly, wp_doctor_result *out, wp_pc *pc, wp_error *e)
{
	wp_doctor_request q = {.pc = pc, .compat = &c->compat, .windows_baseline = baseline()};
	wp_lock_doc lock = {0};
	wp_tree tree;

	if (wp_venv_tree(&c->ctx, venv, &tree, e))
		return e->code;
	if (!wp_pc_read(&c->ctx, pc, e)) {
		q.tree = &tree;
		q.target = target_for_venv(c, venv, &lock);
		q.variant_asked = lock.variant;
		q.windows = q.target && windows_platform(q.target->platform);
		q.stopped_run = wp_repair_due(&c->ctx, venv);
		if (!wp_doctor(&c->ctx, &q, out, e)) {
			if (softly)
				soften(&out->findings);
			say_result(c, out);
		}
	}
	wp_venv_tree_close(&tree);
	return e->code;
}

static int doctor_venv(cli *c, const char *venv, wp_error *e)
{
	wp_doctor_result r = {0};
	wp_pc pc = {0};

	cli_say(c, "for the venv '%s' on this machine\n", venv);
	if (!cli_doctor_venv(c, venv, false, &r, &pc, e))
		c->result = result_json(&r);
	return e->code;
}

static int doctor_target(cli *c, const wp_bundle *b, const wp_lock_target *t, wp_error *e)
{
	wp_doctor_request q = {0};
	wp_tree tree;
	wp_pc pc = {0}; /* the PC is unknown: a bundle without a survey */

	if (wp_bundle_tree(&c->ctx, b, t, &tree, e))
		return e->code;
	q.tree = &tree;
	q.pc = &pc;
	q.target = t;
	q.variant_asked = t ? t->variant : NULL;
	q.windows = t && windows_platform(t->platform);
	if (t)
		cli_say(c, "for %s, as the bundle would install it\n", t->name);
	return examine(c, &q, e);
}

int cli_no_bundle(cli *c, const char *path, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	bool dir = os_is_dir(path);

	wp_fail(e, WP_E_BUNDLE, "'%s' has no bundle.json: it is a %s", path, dir ? "folder of wheels" : "wheel");
	return wp_err_next(e, "make a bundle of it: wheelpack bundle NAME... --no-index --find-links %s",
		cli_word(a, dir ? path : os_dirname(a, path)));
}

void cli_advise_bundle(cli *c, const char *path, wp_error *e)
{
	if (e->code == WP_E_BUNDLE && wp_ends(path, ".json"))
		wp_err_next(e, "a bundle is made of a lock: %s bundle --lock %s -o FILE.wpk", c->program,
			cli_word(c->ctx.arena, path));
}

static int doctor_bundle(cli *c, const char *path, wp_error *e)
{
	const wp_lock_doc *lock;
	wp_bundle *b = NULL;
	size_t i;

	if (wp_bundle_open(&c->ctx, path, &b, e)) {
		if (os_is_file(os_join(c->ctx.arena, path, "pyvenv.cfg")))
			wp_err_next(e, "it is a venv: wheelpack doctor --venv %s", cli_word(c->ctx.arena, path));
		cli_advise_bundle(c, path, e);
		return e->code;
	}
	lock = wp_bundle_lock(b);
	if (!lock)
		cli_no_bundle(c, path, e);
	for (i = 0; lock && i < lock->ntargets && !e->code; i++)
		doctor_target(c, b, &lock->targets[i], e);
	wp_bundle_close(b);
	return e->code;
}

static int run(cli *c, wp_error *e)
{
	const char *venv = c->o.venv;

	if (!venv && !c->o.args.n)
		venv = os_getenv("VIRTUAL_ENV");
	if (c->o.args.n > 1 || (c->o.args.n && c->o.venv)) {
		wp_err_what(e, "cannot examine");
		return wp_fail(e, WP_E_USAGE, "`wheelpack doctor` takes one bundle or --venv DIR, not more");
	}
	if (!venv && !c->o.args.n) {
		wp_err_what(e, "cannot examine");
		wp_fail(e, WP_E_USAGE, "`wheelpack doctor` takes one bundle, or --venv DIR, and no venv is active");
		return wp_err_next(e, "for example: wheelpack doctor --venv env");
	}
	if (venv)
		doctor_venv(c, venv, e);
	else
		doctor_bundle(c, c->o.args.v[0], e);
	return wp_err_what(e, "cannot examine '%s'", venv ? venv : c->o.args.v[0]);
}

static const char *const options[] = {"venv", NULL};

const cli_command cmd_doctor = {
	.name = "doctor",
	.summary = "say what would break, before anybody imports torch",
	.usage = "[BUNDLE | --venv DIR]",
	.about = "Finds a CPU build taken by mistake, torch and torchvision that don't belong together, a missing or old\n"
		 "driver, and the library behind `WinError 126`. Exit code 1 where a finding is an error. Without a word it\n"
		 "examines the venv that is active.\n\n"
		 "  wheelpack doctor torch-cu126.wpk          before the trip\n"
		 "  wheelpack doctor --venv C:\\envs\\torch     on the PC\n"
		 "  wheelpack doctor --venv env --json\n",
	.options = options,
	.run = run,
	.findings_fail = true,
};

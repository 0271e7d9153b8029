/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "os/os.h"

static bool is_venv(cli *c, const char *path)
{
	return os_is_file(os_join(c->ctx.arena, path, "pyvenv.cfg"));
}

/* ---- what it is held to --------------------------------------------------------------------- */

static int only_target(cli *c, wp_lock_doc *lock, wp_error *e)
{
	const char *name = cli_named_target(c);

	if (!name || wp_lock_only(lock, name))
		return 0;
	wp_fail(e, WP_E_TARGET, "the lock has no target '%s', it has: %s", name,
		wp_lock_target_names(c->ctx.arena, lock));
	return wp_err_next(e, "name one of these, or leave --target out");
}

/* What the venv is held to: its own lock, or the bundle's. */
typedef struct checking {
	const char *venv, *path; /* path NULL: the lock of the venv's receipt */
	wp_bundle *bundle;
	wp_lock_doc lock;	 /* of the bundle, for one target where one is named */
	wp_receipt fixed;	 /* with --fix, what was put right */
} checking;

static int open_bundle(cli *c, checking *k, wp_error *e)
{
	if (!k->path)
		return 0;
	if (wp_bundle_open(&c->ctx, k->path, &k->bundle, e)) {
		if (is_venv(c, k->path))
			wp_err_next(e, "it is a venv: %s check --venv %s", c->program, cli_word(c->ctx.arena, k->path));
		cli_advise_bundle(c, k->path, e);
		return e->code;
	}
	if (!wp_bundle_lock(k->bundle))
		return cli_no_bundle(c, k->path, e);
	k->lock = *wp_bundle_lock(k->bundle);
	return only_target(c, &k->lock, e);
}

static int check(cli *c, const checking *k, wp_drift *out, wp_error *e)
{
	return wp_venv_check(&c->ctx, k->venv, k->path ? &k->lock : NULL, out, e);
}

/* ---- what is told --------------------------------------------------------------------------- */

static wp_jnode *result_json(cli *c, const checking *k, const wp_drift *d)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "venv", cli_full(c, k->venv));
	wp_jput_str(o, "target", d->target);
	wp_jput_int(o, "distributions", (int64_t)d->distributions);
	wp_jput_int(o, "files", (int64_t)d->files);
	wp_jput_int(o, "bytes", (int64_t)d->bytes);
	wp_jput_int(o, "missing", (int64_t)d->missing);
	wp_jput_int(o, "changed", (int64_t)d->changed);
	wp_jput_int(o, "added", (int64_t)d->added);
	wp_jput_strs(o, "absent", d->absent, d->nabsent);
	wp_jput_strs(o, "other", d->other, d->nother);
	wp_jput_strs(o, "foreign", d->foreign, d->nforeign);
	if (k->fixed.distributions)
		wp_jput_int(o, "fixed", (int64_t)k->fixed.distributions);
	return o;
}

static const char *count(wp_arena *a, const char *list, size_t n, const char *what)
{
	return n ? wp_sprintf(a, "%s%s%zu %s", list, *list ? ", " : "", n, what) : list;
}

static const char *differences(wp_arena *a, const wp_drift *d)
{
	const char *list = count(a, "", d->missing, d->missing == 1 ? "file missing" : "files missing");

	list = count(a, list, d->changed, "changed");
	list = count(a, list, d->added, "added");
	list = count(a, list, d->nabsent, d->nabsent == 1 ? "distribution absent" : "distributions absent");
	list = count(a, list, d->nother, "in another version");
	return count(a, list, d->nforeign, "not in the lock");
}

static bool has_wheels_of_this_pc(const wp_lock_doc *lock)
{
	size_t i;

	for (i = 0; i < lock->nwheels; i++)
		if (wp_starts(lock->wheels[i].url, "file:"))
			return true;
	return false;
}

/* What to install again; without a bundle, one that has no name here, and there may be none. */
static const char *source_word(cli *c, const checking *k)
{
	wp_lock_doc lock;

	if (k->path)
		return cli_word(c->ctx.arena, k->path);
	return wp_venv_lock(&c->ctx, k->venv, &lock) && has_wheels_of_this_pc(&lock) ? "BUNDLE_OR_WHEELS" : "BUNDLE";
}

static bool can_be_fixed(cli *c, const checking *k, const wp_drift *d)
{
	return d->missing || d->changed || d->nabsent || d->nother || wp_repair_due(&c->ctx, k->venv);
}

static void say_next(cli *c, const checking *k, const wp_drift *d)
{
	wp_arena *a = c->ctx.arena;
	const char *names = "";
	size_t i;

	if (d->target && !c->o.fix && can_be_fixed(c, k, d))
		cli_say(c, "next: %s install %s --venv %s\n", c->program, source_word(c, k), cli_word(a, k->venv));
	for (i = 0; i < d->nforeign && i < 8; i++)
		names = wp_sprintf(a, "%s%s ", names, d->foreign[i]);
	if (i)
		cli_say(c, "next, if they aren't wanted: %s uninstall %s--venv %s\n", c->program, names, cli_word(a, k->venv));
}

static void say_result(cli *c, const checking *k, const wp_drift *d, uint64_t ms)
{
	wp_arena *a = c->ctx.arena;
	const char *list = differences(a, d);
	bool good = !*list && !wp_findings_errors(&d->findings);

	cli_say(c, "'%s' %s: %s, %s, %s, in %s\n", k->venv, good ? "is as it was installed" : "was checked",
		cli_count(a, d->distributions, "distribution"), cli_count(a, d->files, "file"), cli_bytes(a, d->bytes),
		cli_seconds(a, ms));
	if (*list)
		cli_say(c, "%s\n", list);
	say_next(c, k, d);
}

/* ---- what is put right ---------------------------------------------------------------------- */

/* An install leaves alone what is whole. */
static int fix(cli *c, checking *k, wp_drift *d, wp_error *e)
{
	wp_install_request q = cli_install_request(c, k->bundle);
	const char *list = differences(c->ctx.arena, d);
	char now[21];

	if (!can_be_fixed(c, k, d))
		return 0;
	if (*list)
		cli_say(c, "%s: what differs is installed again\n", list);
	os_rfc3339(-1, now);
	q.venv = k->venv;
	q.time = now;
	if (wp_install(&c->ctx, &q, &k->fixed, e)) {
		cli_refusals(c, &k->fixed.findings);
		return e->code;
	}
	cli_findings(c, &k->fixed.findings);
	*d = (wp_drift){0};
	return check(c, k, d, e);
}

/* ---- command -------------------------------------------------------------------------------- */

static int wrong_words(cli *c, const char *venv, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	const char *word = c->o.args.n ? c->o.args.v[0] : NULL;

	if (c->o.args.n > 1)
		return wp_fail(e, WP_E_USAGE, "`wheelpack check` takes one bundle at most");
	if (c->o.targets.n > 1 || (c->o.targets.n && !word))
		return wp_fail(e, WP_E_USAGE, "`wheelpack check` takes one --target, of the bundle that it is given");
	if (c->o.fix && !word) {
		wp_fail(e, WP_E_USAGE, "`wheelpack check --fix` takes the bundle that it installs again from");
		return wp_err_next(e, "for example: wheelpack check --venv %s torch.wpk --fix", venv ? cli_word(a, venv) : "env");
	}
	if (venv)
		return 0;
	wp_fail(e, WP_E_USAGE, "`wheelpack check` takes --venv DIR, and no venv is active");
	if (word && is_venv(c, word))
		return wp_err_next(e, "it is a venv: %s check --venv %s", c->program, cli_word(a, word));
	if (word)
		return wp_err_next(e, "the bytes of a bundle are checked by: %s verify %s", c->program, cli_word(a, word));
	return wp_err_next(e, "for example: wheelpack check --venv env");
}

static int check_and_tell(cli *c, checking *k, wp_error *e)
{
	uint64_t start = os_now_ms();
	wp_drift d = {0};

	if (open_bundle(c, k, e) || check(c, k, &d, e))
		return e->code;
	if (!d.target)
		cli_say(c, "for the venv '%s'\n", k->venv);
	else
		cli_say(c, "for the venv '%s' and the lock of %s, target %s\n", k->venv,
			k->path ? wp_sprintf(c->ctx.arena, "'%s'", k->path) : "its receipt", d.target);
	if (c->o.fix && fix(c, k, &d, e))
		return e->code;
	cli_findings(c, &d.findings);
	c->result = result_json(c, k, &d);
	say_result(c, k, &d, os_now_ms() - start);
	return 0;
}

static int run(cli *c, wp_error *e)
{
	checking k = {.venv = c->o.venv ? c->o.venv : os_getenv("VIRTUAL_ENV"), .path = c->o.args.n ? c->o.args.v[0] : NULL};

	k.venv = k.venv && *k.venv ? k.venv : NULL;
	if (wrong_words(c, k.venv, e))
		return wp_err_what(e, "cannot check");
	check_and_tell(c, &k, e);
	wp_bundle_close(k.bundle);
	return wp_err_what(e, "cannot check '%s'", k.venv);
}

static const char *const options[] = {"venv", "target", "fix", "wait", "no-sync", "allow-conda", NULL};

const cli_command cmd_check = {
	.name = "check",
	.summary = "say what changed in a venv since it was installed",
	.usage = "[--venv DIR] [BUNDLE [--target T] [--fix [--wait]]]",
	.about = "Hashes every installed file against its RECORD on all cores, whoever installed it, and holds the\n"
		 "distributions to the lock that was installed, or to that of the bundle. Tells what is missing, changed or\n"
		 "added; exit code 1 where something is missing or changed. Without --venv it is the venv that is active. Nothing\n"
		 "is written but with --fix, which installs from the bundle what differs, as `install` does, and checks again.\n\n"
		 "  wheelpack check --venv C:\\envs\\torch\n"
		 "  wheelpack check --venv env torch-cu126.wpk     is this bundle what the venv has?\n"
		 "  wheelpack check --venv env torch-cu126.wpk --fix\n"
		 "  wheelpack check --venv env --json\n",
	.options = options,
	.run = run,
	.findings_fail = true,
};

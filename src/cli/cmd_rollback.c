/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "os/os.h"

static const char *what_was_done(const wp_rolled_back *r)
{
	if (r->stopped == WP_REPAIR_FINISHED)
		return "finished the rollback of a run that was stopped: in place is again the venv before, as";
	if (r->stopped == WP_REPAIR_UNDONE)
		return "took back the install of a run that was stopped: in place is the venv before it, as";
	return "the venv before is in place again, as";
}

static void tell(cli *c, const wp_rolled_back *r)
{
	wp_arena *a = c->ctx.arena;

	cli_say(c, "%s '%s'\n", what_was_done(r), c->o.venv);
	if (r->before && os_is_dir(r->before))
		cli_say(c, "%s is kept in '%s'; one more rollback returns to it\n",
			r->stopped == WP_REPAIR_UNDONE ? "an older one" : "the other one", r->before);
	cli_say(c, "next: %s doctor --venv %s\n", c->program, cli_word(a, c->o.venv));
}

static int run(cli *c, wp_error *e)
{
	wp_rolled_back r = {0};

	if (cli_only_venv(c, e))
		return wp_err_what(e, "cannot roll back");
	if (wp_rollback(&c->ctx, c->o.venv, c->o.no_sync, c->o.wait, &r, e))
		return e->code;
	cli_findings(c, &r.findings);
	c->result = wp_jobject();
	wp_jput_str(c->result, "venv", r.venv);
	wp_jput_str_or_null(c->result, "before", r.before && os_is_dir(r.before) ? r.before : NULL);
	wp_jput_str(c->result, "repaired", cli_repaired(r.stopped));
	tell(c, &r);
	return 0;
}

static const char *const options[] = {"venv", "wait", "no-sync", NULL};

const cli_command cmd_rollback = {
	.name = "rollback",
	.summary = "go back to the venv that an install --beside replaced",
	.usage = "--venv DIR [--wait]",
	.about = "The venv and the one that was kept beside it trade places, in one step where the file system can do that. A\n"
		 "second rollback undoes the first. No byte is copied, and both are whole: what was done in one of them stays\n"
		 "in that one.\n\n"
		 "  wheelpack rollback --venv env\n"
		 "  wheelpack rollback --venv C:\\envs\\torch\n",
	.options = options,
	.run = run,
};

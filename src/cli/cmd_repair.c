/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "os/os.h"

int cli_only_venv(cli *c, wp_error *e)
{
	if (!c->o.args.n && c->o.venv && c->o.venv[0])
		return 0;
	wp_fail(e, WP_E_USAGE, "`wheelpack %s` takes --venv DIR and no other words", c->command->name);
	return wp_err_next(e, "for example: wheelpack %s --venv %s", c->command->name,
		cli_word(c->ctx.arena, c->o.venv ? c->o.venv : c->o.args.n ? c->o.args.v[0] : "env"));
}

const char *cli_repaired(wp_repaired r)
{
	static const char *const words[] = {
		[WP_REPAIR_NOTHING] = "nothing", [WP_REPAIR_FINISHED] = "finished", [WP_REPAIR_UNDONE] = "undone"};

	return words[r];
}

static int run(cli *c, wp_error *e)
{
	static const char *const done[] = {
		[WP_REPAIR_NOTHING] = "there was nothing to repair in",
		[WP_REPAIR_FINISHED] = "finished what a stopped run had begun in",
		[WP_REPAIR_UNDONE] = "took back what a stopped run had begun in"};
	wp_repaired r;

	if (cli_only_venv(c, e))
		return wp_err_what(e, "cannot repair");
	if (wp_repair(&c->ctx, c->o.venv, c->o.undo, c->o.wait, &r, e))
		return e->code;
	c->result = wp_jobject();
	wp_jput_str(c->result, "venv", cli_full(c, c->o.venv));
	wp_jput_str(c->result, "repaired", cli_repaired(r));
	cli_say(c, "%s '%s'\n", done[r], c->o.venv);
	cli_say(c, "next: %s check --venv %s\n", c->program, cli_word(c->ctx.arena, c->o.venv));
	return 0;
}

static const char *const options[] = {"venv", "undo", "wait", NULL};

const cli_command cmd_repair = {
	.name = "repair",
	.summary = "finish, or take back, an install that was stopped while it moved files",
	.usage = "--venv DIR [--undo] [--wait]",
	.about = "Where a run is killed while it moves files in a venv that was there before, what is left to do stands in\n"
		 "the venv's .wheelpack/journal. The next install, uninstall or repair finishes it; --undo takes it back. Files\n"
		 "that were edited are put right by installing the bundle again.\n\n"
		 "  wheelpack repair --venv env\n"
		 "  wheelpack repair --venv env --undo\n",
	.options = options,
	.run = run,
};

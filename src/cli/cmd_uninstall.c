/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "os/os.h"

static int run(cli *c, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_uninstall_request q = {.venv = c->o.venv, .projects = c->o.args.v, .n = c->o.args.n, .no_sync = c->o.no_sync,
		.wait = c->o.wait};
	wp_uninstalled u = {0};

	if (!c->o.args.n || !c->o.venv || !c->o.venv[0]) {
		wp_err_what(e, "cannot uninstall");
		wp_fail(e, WP_E_USAGE, "`wheelpack uninstall` takes the names of projects and --venv DIR");
		return wp_err_next(e, "for example: wheelpack uninstall %s", cli_example(c, "torchaudio"));
	}
	if (wp_uninstall(&c->ctx, &q, &u, e))
		return e->code;
	cli_findings(c, &u.findings);
	c->result = wp_jobject();
	wp_jput_str(c->result, "venv", cli_full(c, c->o.venv));
	wp_jput_int(c->result, "distributions", (int64_t)u.distributions);
	wp_jput_int(c->result, "files", (int64_t)u.files);
	wp_jput_int(c->result, "left", (int64_t)u.left);
	cli_say(c, "removed %s (%s) from '%s'\n", cli_count(a, u.distributions, "distribution"),
		cli_count(a, u.files, "file"), c->o.venv);
	return 0;
}

static const char *const options[] = {"venv", "wait", "no-sync", NULL};

const cli_command cmd_uninstall = {
	.name = "uninstall",
	.summary = "remove distributions from a venv, all or nothing",
	.usage = "PROJECT... --venv DIR [--wait]",
	.about = "Removes the files that RECORD lists and their bytecode, whoever installed them. A file that was changed since,\n"
		 "or that another distribution has too, stays and is told. Nothing outside the venv is touched; a refusal or a\n"
		 "stop leaves the venv as it was, or the next run finishes.\n\n"
		 "  wheelpack uninstall torchaudio torchvision --venv env\n"
		 "  wheelpack uninstall torch --venv C:\\envs\\torch\n",
	.options = options,
	.run = run,
};

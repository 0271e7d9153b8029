/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "cli/embed.h"
#include "os/os.h"

int cli_no_bundle(cli *c, const char *path, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	bool dir = os_is_dir(path);

	wp_fail(e, WP_E_BUNDLE, "'%s' has no bundle.json: it is a %s", path, dir ? "folder of wheels" : "wheel");
	return wp_err_next(e, "make a bundle of it: wheelpack bundle NAME... --no-index --find-links %s",
		cli_word(a, dir ? path : os_dirname(a, path)));
}

/* `install torch`, as pip has it. */
static void advise(const char *word, wp_error *e)
{
	if (e->code == WP_E_NOT_FOUND && !strpbrk(word, "/\\") && !wp_ends(word, ".wpk"))
		wp_err_next(e, "check the path; a bundle is made on a PC with internet: wheelpack bundle %s -o FILE.wpk", word);
}

int cli_interpreter(cli *c, const char *spec, wp_interpreter *out, wp_error *e)
{
	return wp_interpreter_find(&c->ctx, spec, os_getenv("PATH"), os_home(), out, e);
}

static wp_jnode *receipt_json(const wp_receipt *r)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "venv", r->venv);
	wp_jput_str(o, "python", r->python);
	wp_jput_bool(o, "created", r->created);
	wp_jput_int(o, "distributions", (int64_t)r->distributions);
	wp_jput_int(o, "kept", (int64_t)r->kept);
	wp_jput_int(o, "files", (int64_t)r->files);
	wp_jput_int(o, "scripts", (int64_t)r->scripts);
	wp_jput_int(o, "bytes", (int64_t)r->bytes);
	return o;
}

static int install(cli *c, const wp_bundle *b, wp_receipt *r, wp_error *e)
{
	char now[21];
	wp_install_request q = {.lock = wp_bundle_lock(b), .manifest = wp_bundle_manifest(b),
		.bundle_id = wp_bundle_id(b), .wheels = wp_bundle_wheels(b), .venv = c->o.venv, .python = c->o.python,
		.launchers = {{(const char *)wp_data_launcher_console_exe, wp_data_launcher_console_exe_size},
			{(const char *)wp_data_launcher_gui_exe, wp_data_launcher_gui_exe_size}},
		.search_path = os_getenv("PATH"), .home = os_home(), .no_sync = c->o.no_sync,
		.target = c->o.targets.n ? c->o.targets.v[0] : NULL};

	if (!q.lock)
		return cli_no_bundle(c, wp_bundle_path(b), e);
	os_rfc3339(-1, now);
	q.time = now;
	return wp_install(&c->ctx, &q, r, e);
}

static int run(cli *c, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_bundle *b = NULL;
	wp_receipt r = {0};
	uint64_t start = os_now_ms();

	if (c->o.args.n != 1 || !c->o.venv || !c->o.venv[0]) {
		wp_err_what(e, "cannot install");
		wp_fail(e, WP_E_USAGE, "`wheelpack install` takes one bundle and --venv DIR");
		return wp_err_next(e, "for example: wheelpack install torch.wpk --venv env");
	}
	if (c->o.targets.n > 1) {
		wp_err_what(e, "cannot install");
		return wp_fail(e, WP_E_USAGE, "`wheelpack install` takes one --target");
	}
	if (wp_bundle_open(&c->ctx, c->o.args.v[0], &b, e) == 0)
		install(c, b, &r, e);
	else
		advise(c->o.args.v[0], e);
	wp_bundle_close(b);
	wp_err_what(e, "cannot install '%s'", c->o.args.v[0]);
	if (e->code)
		return wp_err_state(e, "nothing was changed in '%s'", c->o.venv);
	cli_findings(c, &r.findings);
	c->result = receipt_json(&r);
	cli_say(c, "installed %s (%s, %s) into %s'%s' in %s\n", cli_count(a, r.distributions, "distribution"),
		cli_count(a, r.files, "file"), cli_bytes(a, r.bytes), r.created ? "the new venv " : "", c->o.venv,
		cli_seconds(a, os_now_ms() - start));
	if (r.kept)
		cli_say(c, "%zu more were there already\n", r.kept);
	cli_say(c, "next: %s doctor --venv %s\n", c->program, cli_word(a, c->o.venv));
	return 0;
}

static const char *const options[] = {"venv", "python", "target", "no-sync", NULL};

const cli_command cmd_install = {
	.name = "install",
	.summary = "install a bundle offline into a venv, all or nothing",
	.usage = "BUNDLE --venv DIR [--python PATH | 3.12] [--target T]",
	.about = "Makes the venv if DIR is new. Every member is held to its RECORD in the pass that writes it; a refusal "
		 "or a\nstop leaves the venv as it was.\n\n"
		 "  wheelpack install torch.wpk --venv ./env --python python3.12\n"
		 "  wheelpack install E:\\torch-cu126.wpk --venv C:\\envs\\torch\n",
	.options = options,
	.run = run,
};

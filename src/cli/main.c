/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/embed.h"
#include "os/os.h"

static atomic_int cancel;

static void on_interrupt(void)
{
	atomic_store(&cancel, 1);
}

static int run(cli *c, wp_error *e)
{
	int jobs = cli_jobs(c, e);

	if (!jobs)
		return e->code;
	c->ctx.jobs = jobs;
	if (wp_compat_read(c->ctx.arena,
		    (wp_str){(const char *)wp_data_pytorch_json, wp_data_pytorch_json_size}, &c->compat, e))
		return e->code;
	cli_progress_start(c);
	c->command->run(c, e);
	cli_progress_stop(c);
	return e->code;
}

static int exit_code(const cli *c, const wp_error *e)
{
	if (e->code)
		return wp_code_exit(e->code);
	if (c->command && c->command->findings_fail && wp_findings_errors(&c->findings))
		return WP_EXIT_FINDINGS;
	return WP_EXIT_OK;
}

/* Whoever reads the pipe may stop reading; a full disk is a failure. */
static int check_output(cli *c, int code)
{
	wp_error e = {0};

	cli_flush(c);
	if (code || !ferror(stdout) || os_pipe_closed(1))
		return code;
	wp_fail(&e, WP_E_IO, "the disk is full, or what stands behind standard output takes nothing");
	wp_err_where(&e, "standard output");
	wp_err_what(&e, "the output could not be written");
	wp_err_next(&e, "let the output go to another place and run the command again");
	wp_err_state(&e, "the command was carried out, only its words are lost");
	cli_error(c, &e);
	return wp_code_exit(e.code);
}

static int finish(cli *c, wp_error *e)
{
	int code = exit_code(c, e);

	if (e->code == WP_E_USAGE && c->command)
		wp_err_next(e, "run `wheelpack %s --help`", c->command->name);
	if (e->code)
		cli_error(c, e);
	if (c->o.json)
		cli_json(c, e, code);
	code = check_output(c, code);
	wp_jfree(c->result);
	wp_ctx_done(&c->ctx);
	return code;
}

/* Words that ask for no command to be run. True where that was all. */
static bool only_told(const cli *c)
{
	if (c->o.version)
		puts("wheelpack " WP_VERSION);
	else if (c->o.help || !c->command)
		cli_help(c->command);
	else
		return false;
	return true;
}

/* install.sh starts a copy that goes away; elsewhere the program need not be in PATH. */
static const char *typed(wp_arena *a, const char *argv0)
{
	const char *script = os_getenv("WHEELPACK_SCRIPT");

	if (script && *script)
		return wp_sprintf(a, "sh %s --run", cli_word(a, script));
	return argv0 && os_basename(argv0) != argv0 ? cli_word(a, argv0) : "wheelpack";
}

int os_main(int argc, char **argv)
{
	static wp_error err;
	cli c = {0};

	wp_ctx_init(&c.ctx, 1);
	c.ctx.cancel = &cancel;
	c.program = typed(c.ctx.arena, argv[0]);
	os_on_interrupt(on_interrupt);
	os_ignore_write_signals();
	if (cli_parse(&c, argc, argv, &err) == 0) {
		if (only_told(&c)) {
			int code = check_output(&c, c.o.version || c.o.help ? WP_EXIT_OK : WP_EXIT_USAGE);

			wp_ctx_done(&c.ctx);
			return code;
		}
		run(&c, &err);
	}
	return finish(&c, &err);
}

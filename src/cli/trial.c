/* SPDX-License-Identifier: MIT */
/* The new environment is tried where it lies, before it takes the place of the one that is there. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "os/os.h"

/* ---- the doctor and the probe ---------------------------------------------------------------- */

static const wp_finding *first_error(const wp_findings *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].severity == WP_SEVERE)
			return &f->v[i];
	return NULL;
}

static int judge(const char *who, const wp_findings *f, wp_error *e)
{
	const wp_finding *worst = first_error(f);
	size_t n = wp_findings_errors(f);

	if (!worst)
		return 0;
	wp_fail(e, WP_E_TRIAL, "%s: %s%s%s [%s]", who, worst->title, worst->why && *worst->why ? ": " : "",
		worst->why ? worst->why : "", worst->code);
	if (worst->next && *worst->next)
		wp_err_next(e, "%s", worst->next);
	if (n > 1)
		wp_err_where(e, "the first of %zu errors", n);
	return e->code;
}

static void skip_probe(cli *c, const char *why)
{
	wp_findings f = {0};

	wp_finding_add(&f, c->ctx.arena, "N603", WP_WARNING, "the GPU probe was skipped", why,
		"what this PC has not got the new environment can't be tried with");
	cli_findings(c, &f);
}

static int examine(cli *c, const char *dir, wp_error *e)
{
	wp_doctor_result d = {0};
	wp_probe_report r = {0};
	wp_pc pc = {0};

	cli_say(c, "the doctor, on the new environment:\n");
	if (cli_doctor_venv(c, dir, true, &d, &pc, e) || judge("the doctor", &d.findings, e) || !d.cuda)
		return e->code;
	if (pc.driver_known && !pc.driver_present)
		skip_probe(c, "this PC has no NVIDIA driver");
	else if (pc.gpu_known && !pc.gpu_present)
		skip_probe(c, "this PC has no NVIDIA GPU");
	else if (!cli_probe(c, &r, e))
		judge("the probe", &r.findings, e);
	return e->code;
}

/* ---- words of the user ----------------------------------------------------------------------- */

static bool is_python_word(const char *word)
{
	return wp_streq(word, "python") || wp_streq(word, "python3") || wp_streq(word, "python.exe");
}

/* A script of the new environment names the place that it will have, where the old one is still: the new python runs it. */
static const char *as_script(wp_arena *a, const char *bin, const char *word)
{
	const char *path = os_join(a, bin, word);

	if (word[0] == '-' || strpbrk(word, "/\\") || os_is_file(word))
		return word;
	if (!os_is_file(path))
		path = wp_sprintf(a, "%s.exe", path);
	return os_is_file(path) ? path : word;
}

static const char *const *command(cli *c, const char *python)
{
	wp_arena *a = c->ctx.arena;
	const cli_list *words = &c->o.trial_words;
	const char **argv = WP_NEW_ARRAY(a, words->n + 2, const char *);
	size_t i = is_python_word(words->v[0]), n = 0;

	argv[n++] = python;
	if (i < words->n)
		argv[n++] = as_script(a, os_dirname(a, python), words->v[i++]);
	while (i < words->n)
		argv[n++] = words->v[i++];
	return argv;
}

static void pass_on(void *user, int stream, const char *p, size_t n)
{
	const cli *c = user;
	FILE *f = stream == 2 || c->o.json ? stderr : stdout;

	fwrite(p, 1, n, f);
	fflush(f);
}

/* As in an activated venv. Bytecode that is written now would not be in its RECORD. */
static const char *const *environment(wp_arena *a, const char *dir, const char *python)
{
	const char **env = WP_NEW_ARRAY(a, 5, const char *), *path = os_getenv("PATH");

	env[0] = "PYTHONDONTWRITEBYTECODE=1";
	env[1] = "PYTHONUNBUFFERED=1";
	env[2] = wp_sprintf(a, "VIRTUAL_ENV=%s", os_native(a, dir));
	env[3] = wp_sprintf(a, "PATH=%s%s%s", os_native(a, os_dirname(a, python)), os_is_windows() ? ";" : ":", path ? path : "");
	return env;
}

static wp_str last_line(wp_str text)
{
	wp_str line, last = {0};

	while (wp_str_line(&text, &line))
		if (wp_str_trim(line).n)
			last = wp_str_sub(wp_str_trim(line), 0, 300);
	return last;
}

static int judge_run(const char *shown, const os_run_result *r, wp_error *e)
{
	wp_str last = last_line(r->err);

	if (r->signal)
		return wp_fail(e, WP_E_TRIAL, "`%.200s` was ended by signal %d", shown, r->signal);
	if (r->exit_code == 0)
		return 0;
	return wp_fail(e, WP_E_TRIAL, "`%.200s` ended with exit code %d%s%.*s", shown, r->exit_code, last.n ? ": " : "",
		(int)last.n, last.n ? last.p : "");
}

static int run_words(cli *c, const char *dir, const char *python, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	os_run_request q = {.argv = command(c, python), .set_env = environment(a, dir, python), .pass = pass_on, .user = c};
	const char *shown = "python";
	os_run_result r = {0};
	size_t i;

	for (i = 1; q.argv[i]; i++)
		shown = wp_sprintf(a, "%s %s", shown, cli_word(a, q.argv[i]));
	cli_say(c, "trying: %s\n", shown);
	cli_flush(c);
	if (!os_run(a, &q, &r, e) && !wp_check_cancel(&c->ctx, e))
		judge_run(shown, &r, e);
	return e->code;
}

int cli_trial(void *user, const char *dir, const char *python, wp_error *e)
{
	cli *c = user;

	cli_progress_stop(c);
	if (c->o.trial_words.n ? run_words(c, dir, python, e) : examine(c, dir, e))
		return wp_err_where(e, "--try");
	cli_say(c, "the new environment stood its trial\n");
	return 0;
}

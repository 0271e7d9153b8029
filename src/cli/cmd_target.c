/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

static const struct {
	const char *name;
	size_t offset;
} variables[] = {
#define ROW(name) {#name, offsetof(wp_markers, name)}
	ROW(os_name), ROW(sys_platform), ROW(platform_machine), ROW(platform_python_implementation),
	ROW(platform_release), ROW(platform_system), ROW(platform_version), ROW(python_version),
	ROW(python_full_version), ROW(implementation_name), ROW(implementation_version),
#undef ROW
};

static const char *value_of(const wp_markers *m, size_t i)
{
	return *(const char *const *)((const char *)m + variables[i].offset);
}

static wp_jnode *target_json(const wp_target *t)
{
	wp_jnode *o = wp_jobject(), *m = wp_jobject();
	size_t i;

	wp_jput_str(o, "name", t->name);
	wp_jput_str(o, "python", t->python);
	wp_jput_str(o, "platform", t->platform);
	wp_jput_str(o, "variant", t->variant);
	for (i = 0; i < sizeof variables / sizeof variables[0]; i++)
		wp_jput_str(m, variables[i].name, value_of(&t->markers, i));
	wp_jput(o, "markers", m);
	wp_jput_strs(o, "tags", t->tags, t->ntags);
	return o;
}

static void say_target(cli *c, const wp_target *t)
{
	size_t i;

	cli_answer(c, "target %s\nmarkers:\n", t->name);
	for (i = 0; i < sizeof variables / sizeof variables[0]; i++)
		cli_answer(c, "  %-31s \"%s\"\n", variables[i].name, value_of(&t->markers, i));
	cli_answer(c, "tags, best first (%zu):\n", t->ntags);
	for (i = 0; i < t->ntags; i++)
		cli_answer(c, "  %s\n", t->tags[i]);
}

static void note_variant(cli *c, const char *variant)
{
	wp_arena *a = c->ctx.arena;
	wp_findings told = {0};

	if (!variant || wp_compat_variant(&c->compat, variant))
		return;
	wp_finding_add(&told, a, "N602", WP_WARNING, "this variant is not known here",
		wp_sprintf(a, "'%s' is none of: %s", variant, wp_compat_variants(a, &c->compat)), NULL);
	cli_findings(c, &told);
}

static int run(cli *c, wp_error *e)
{
	wp_target t;

	wp_err_what(e, "cannot show a target");
	if (c->o.args.n != 1)
		return wp_fail(e, WP_E_USAGE, "`wheelpack target` takes one target, such as cp312-win_amd64");
	if (wp_target_parse(c->ctx.arena, c->o.args.v[0], &t, e))
		return e->code;
	say_target(c, &t);
	note_variant(c, t.variant);
	c->result = target_json(&t);
	return 0;
}

static const char *const options[] = {NULL};

const cli_command cmd_target = {
	.name = "target",
	.summary = "show the tags and markers that stand for a target",
	.usage = "TARGET",
	.about = "A target is cpXY[t]-PLATFORM[-VARIANT]. Everything derives from it, nothing from this machine.\n\n"
		 "  wheelpack target cp312-win_amd64\n"
		 "  wheelpack target cp313t-manylinux_2_28_x86_64-cu128\n",
	.options = options,
	.run = run,
};

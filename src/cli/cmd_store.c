/* SPDX-License-Identifier: MIT */
#include "base/near.h"
#include "cli/cli.h"
#include "os/os.h"
#include "wheelpack/store.h"

enum { DAY = 86400, DAYS = 90, MOST_DAYS = 36500 };

static const char *date(wp_arena *a, int64_t seconds)
{
	char text[21];

	if (seconds <= 0)
		return "never";
	os_rfc3339(seconds, text);
	return wp_str_dup(a, (wp_str){text, 10});
}

/* ---- info ----------------------------------------------------------------------------------- */

static wp_jnode *facts_json(const wp_store_facts *f)
{
	wp_jnode *o = wp_jobject(), *list = wp_jarray();
	size_t i;

	wp_jput_str(o, "dir", f->dir);
	for (i = 0; i < f->n; i++) {
		wp_jnode *x = wp_jobject();

		wp_jput_str_or_null(x, "filename", f->v[i].filename);
		wp_jput_int(x, "files", (int64_t)f->v[i].files);
		wp_jput_int(x, "bytes", (int64_t)f->v[i].bytes);
		wp_jput_int(x, "alone", (int64_t)f->v[i].alone);
		wp_jput_int(x, "used", f->v[i].used);
		wp_jadd(list, x);
	}
	wp_jput(o, "wheels", list);
	wp_jput_int(o, "files", (int64_t)f->files);
	wp_jput_int(o, "bytes", (int64_t)f->bytes);
	wp_jput_int(o, "alone", (int64_t)f->alone);
	return o;
}

static int info(cli *c, const char *dir, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_store_facts f;
	int64_t last = 0;
	size_t i;

	if (wp_store_info(&c->ctx, dir, &f, e))
		return e->code;
	for (i = 0; i < f.n; i++) {
		const wp_store_item *t = &f.v[i];

		last = t->used > last ? t->used : last;
		if (t->filename)
			cli_answer(c, "  %s (%s, %s, used %s)\n", t->filename, cli_bytes(a, t->bytes),
				t->alone ? wp_sprintf(a, "%s in no venv", cli_bytes(a, t->alone)) : "all in venvs",
				date(a, t->used));
	}
	cli_answer(c, "'%s': %s, %s, %s; %s of it in no venv; last used %s\n", dir, cli_count(a, f.n, "wheel"),
		cli_count(a, f.files, "file"), cli_bytes(a, f.bytes), cli_bytes(a, f.alone), date(a, last));
	cli_findings(c, &f.findings);
	c->result = facts_json(&f);
	return 0;
}

/* ---- prune ---------------------------------------------------------------------------------- */

static int read_days(const cli *c, int64_t *since, wp_error *e)
{
	uint64_t n = DAYS;

	if (c->o.days_text && (!wp_str_u64(wp_str_of(c->o.days_text), &n) || n > MOST_DAYS))
		return wp_fail(e, WP_E_USAGE, "--days takes a number from 0 to %d, not '%s'", MOST_DAYS, c->o.days_text);
	/* No day: whatever its last use was. */
	*since = n ? os_unix_time() - (int64_t)n * DAY : INT64_MAX;
	return 0;
}

static int prune(cli *c, const char *dir, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_store_pruned p;
	int64_t since = 0;
	size_t i;

	if (read_days(c, &since, e) || wp_store_prune(&c->ctx, dir, since, &p, e))
		return e->code;
	for (i = 0; i < p.n; i++)
		cli_say(c, "  removed %s\n", p.removed[i]);
	cli_say(c, "removed %s of %zu from '%s', which frees %s\n", cli_count(a, p.n, "wheel"), p.n + p.kept, dir,
		cli_bytes(a, p.bytes));
	if (p.left)
		cli_say(c, "what %s left is gone too\n", p.left == 1 ? "a stopped run" : "stopped runs");
	c->result = wp_jobject();
	wp_jput_str(c->result, "dir", p.dir);
	wp_jput_strs(c->result, "removed", p.removed, p.n);
	wp_jput_int(c->result, "kept", (int64_t)p.kept);
	wp_jput_int(c->result, "stopped", (int64_t)p.left);
	wp_jput_int(c->result, "bytes", (int64_t)p.bytes);
	return 0;
}

/* ---- verify --------------------------------------------------------------------------------- */

static int verify(cli *c, const char *dir, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	uint64_t start = os_now_ms();
	wp_store_verified v;

	if (wp_store_verify(&c->ctx, dir, &v, e))
		return e->code;
	cli_findings(c, &v.findings);
	cli_say(c, "'%s' %s: %s, %s, %s, in %s\n", dir, v.damaged ? "was verified" : "is as it was filled",
		cli_count(a, v.wheels, "wheel"), cli_count(a, v.files, "file"), cli_bytes(a, v.bytes),
		cli_seconds(a, os_now_ms() - start));
	if (v.damaged)
		cli_say(c, "%s %s not as it was put there\n", cli_count(a, v.damaged, "wheel"), v.damaged == 1 ? "was" : "were");
	c->result = wp_jobject();
	wp_jput_str(c->result, "dir", v.dir);
	wp_jput_int(c->result, "wheels", (int64_t)v.wheels);
	wp_jput_int(c->result, "files", (int64_t)v.files);
	wp_jput_int(c->result, "bytes", (int64_t)v.bytes);
	wp_jput_int(c->result, "damaged", (int64_t)v.damaged);
	return 0;
}

/* ---- command -------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	int (*run)(cli *c, const char *dir, wp_error *e);
} verbs[] = {{"info", info}, {"prune", prune}, {"verify", verify}};

enum { NVERBS = sizeof verbs / sizeof verbs[0] };

static int wrong_words(cli *c, wp_error *e)
{
	const char *words[NVERBS], *word = c->o.args.n ? c->o.args.v[0] : "DIR", *verb, *dir;
	size_t i;

	for (i = 0; i < NVERBS; i++)
		words[i] = verbs[i].word;
	verb = wp_among(words, NVERBS, word) ? word : wp_near(word, words, NVERBS);
	dir = c->o.args.n > 1 ? c->o.args.v[1] : verb ? "DIR" : word; /* `wheelpack store DIR` */
	wp_err_what(e, "cannot look after a store");
	wp_fail(e, WP_E_USAGE, "`wheelpack store` takes info, prune or verify, and one directory");
	return wp_err_next(e, "for example: wheelpack store %s %s", verb ? verb : "info", cli_word(c->ctx.arena, dir));
}

static int run(cli *c, wp_error *e)
{
	size_t i;

	for (i = 0; i < NVERBS && c->o.args.n == 2; i++)
		if (wp_streq(verbs[i].word, c->o.args.v[0])) {
			if (!c->o.days_text || verbs[i].run == prune)
				return verbs[i].run(c, c->o.args.v[1], e);
			return wp_fail(e, WP_E_USAGE, "--days is for `wheelpack store prune`");
		}
	return wrong_words(c, e);
}

static const char *const options[] = {"days", NULL};

const cli_command cmd_store = {
	.name = "store",
	.summary = "look after a directory of unpacked wheels that installs share",
	.usage = "info DIR | prune DIR [--days N] | verify DIR",
	.about = "`wheelpack install ... --store DIR` keeps what it unpacks there, and further venvs get the same files: as hard\n"
		 "links, as clones where the file system has them, else as copies. info lists the wheels and what no venv has;\n"
		 "prune removes those that no install has used for 90 days, and what stopped runs left (venvs keep their\n"
		 "files); verify hashes every file on all cores, removes wheels that are not as they were put there, and ends\n"
		 "with 1 if there were any.\n\n"
		 "  wheelpack store info ~/wheels\n"
		 "  wheelpack store prune ~/wheels --days 30\n"
		 "  wheelpack store verify ~/wheels\n",
	.options = options,
	.run = run,
	.findings_fail = true,
};

/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "base/near.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "os/os.h"
#include "py/name.h"

/* ONCE: of which people may think that it can be repeated. NAMES: a project, or none for all of them. */
enum kind { FLAG, TEXT, ONCE, LIST, NAMES };

typedef struct option {
	const char *name; /* without the dashes */
	char letter;
	enum kind kind;
	size_t offset;
} option;

#define AT(field) offsetof(cli_options, field)

/* One name, one meaning, in every command. The words of pip are among them. */
static const option options[] = {
	{"help", 'h', FLAG, AT(help)},
	{"version", 'V', FLAG, AT(version)},
	{"json", 0, FLAG, AT(json)},
	{"quiet", 'q', FLAG, AT(quiet)},
	{"jobs", 'j', TEXT, AT(jobs_text)},
	{"cuda", 0, ONCE, AT(cuda)},
	{"cpu", 0, FLAG, AT(cpu)},
	{"python", 'p', ONCE, AT(python)},
	{"python-version", 0, ONCE, AT(python)},
	{"platform", 0, ONCE, AT(platform)},
	{"target", 't', LIST, AT(targets)},
	{"out", 'o', TEXT, AT(out)},
	{"output", 0, TEXT, AT(out)},
	{"dest", 'd', TEXT, AT(dest)},
	{"requirement", 'r', LIST, AT(requirement_files)},
	{"constraint", 'c', LIST, AT(constraint_files)},
	{"pre", 0, FLAG, AT(pre)},
	{"index-url", 'i', TEXT, AT(index_url)},
	{"extra-index-url", 0, LIST, AT(extra_index_urls)},
	{"find-links", 'f', LIST, AT(find_links)},
	{"no-index", 0, FLAG, AT(no_index)},
	{"variant-index-base", 0, TEXT, AT(variant_index_base)},
	{"cert", 0, TEXT, AT(cert)},
	{"proxy", 0, TEXT, AT(proxy)},
	{"trusted-host", 0, LIST, AT(trusted_hosts)},
	{"timeout", 0, TEXT, AT(timeout_text)},
	{"retries", 0, TEXT, AT(retries_text)},
	{"cache-dir", 0, TEXT, AT(cache_dir)},
	{"no-cache-dir", 0, FLAG, AT(no_cache)},
	{"offline", 0, FLAG, AT(offline)},
	{"refresh", 0, FLAG, AT(refresh)},
	{"upgrade", 'U', FLAG, AT(upgrade)},
	{"explain", 0, LIST, AT(explain)},
	{"no-suggest", 0, FLAG, AT(no_suggest)},
	{"undo", 0, FLAG, AT(undo)},
	{"fix", 0, FLAG, AT(fix)},
	{"wait", 0, FLAG, AT(wait)},
	{"beside", 0, FLAG, AT(beside)},
	{"try", 0, FLAG, AT(trial)},
	{"compile", 0, FLAG, AT(compile)},
	{"compile-hashes", 0, FLAG, AT(compile_hashes)},
	{"with-pip", 0, FLAG, AT(with_pip)},
	{"all-users", 0, FLAG, AT(all_users)},
	{"update", 0, NAMES, AT(update)},
	{"exclude-newer", 0, TEXT, AT(exclude_newer)},
	{"require-index-hashes", 0, FLAG, AT(require_index_hashes)},
	{"lock", 0, TEXT, AT(lock)},
	{"refetch", 0, LIST, AT(refetch)},
	{"allow-conda", 0, FLAG, AT(allow_conda)},
	{"allow-wrong-record", 0, LIST, AT(allow_wrong_record)},
	{"force", 0, FLAG, AT(force)},
	{"tools", 0, TEXT, AT(tools)},
	{"deep", 0, FLAG, AT(deep)},
	{"venv", 0, TEXT, AT(venv)},
	{"no-sync", 0, FLAG, AT(no_sync)},
	{"dry-run", 0, FLAG, AT(dry_run)},
	{"store", 0, TEXT, AT(store)},
	{"days", 0, TEXT, AT(days_text)},
	{"torch", 0, TEXT, AT(torch)},
	{"driver", 0, TEXT, AT(driver)},
	{"child", 0, FLAG, AT(child)},
};

enum { NOPTIONS = sizeof options / sizeof options[0] };

void cli_list_add(wp_arena *a, cli_list *l, const char *s)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 8;
		const char **v = WP_NEW_ARRAY(a, cap, const char *);

		if (l->n)
			memcpy(v, l->v, l->n * sizeof *v);
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = s;
}

static bool takes(const cli_command *cmd, const char *name)
{
	static const char *const everywhere[] = {"help", "version", "json", "quiet", "jobs"};
	const char *const *p;
	size_t i;

	for (i = 0; i < sizeof everywhere / sizeof everywhere[0]; i++)
		if (strcmp(everywhere[i], name) == 0)
			return true;
	for (p = cmd ? cmd->options : NULL; p && *p; p++)
		if (strcmp(*p, name) == 0)
			return true;
	return false;
}

/* Words that people bring from pip, with what to say instead. */
static const char *pip_word(const char *name)
{
	static const char *const words[][2] = {
		{"only-binary", "wheelpack takes wheels only; leave --only-binary out"},
		{"no-deps", "a bundle without its dependencies can't be installed offline; leave --no-deps out"},
		{"abi", "the ABI follows from --python (cp313t for a free-threaded build)"},
		{"implementation", "the implementation follows from --python; CPython is meant"},
		{"e", CLI_NOT_BUILT},
		{"editable", CLI_NOT_BUILT},
		{"no-compile", "bytecode is made only with --compile; leave --no-compile out"},
		{"compile-bytecode", "use --compile"},
		{"user", "wheelpack installs into a venv: use --venv DIR"},
		{"prefix", "wheelpack installs into a venv: use --venv DIR"},
		{"torch-backend", "use --cuda cu126 (or --cpu)"},
		{"python-platform", "use --platform win_amd64 or --platform manylinux_2_28_x86_64"},
	};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i][0], name) == 0)
			return words[i][1];
	return NULL;
}

static int unknown(cli *c, const char *word, const char *name, wp_error *e)
{
	const char *known[NOPTIONS], *near, *pip = pip_word(name);
	size_t i, n = 0;

	if (!c->command)
		wp_fail(e, WP_E_USAGE, "%s stands where the command is expected", word);
	else
		wp_fail(e, WP_E_USAGE, "`wheelpack %s` has no option %s", c->command->name, word);
	if (pip)
		return wp_err_next(e, "%s", pip);
	for (i = 0; i < NOPTIONS; i++)
		if (takes(c->command, options[i].name))
			known[n++] = options[i].name;
	near = wp_near(name, known, n);
	if (near)
		return wp_err_next(e, "did you mean --%s?", near);
	if (c->o.trial)
		return wp_err_next(e, "what is to be tried stands behind --, at the end: --try -- %s ...", word);
	if (!c->command)
		return wp_err_next(e, "the command comes first: wheelpack COMMAND %s ...", word);
	return wp_err_next(e, "`wheelpack %s --help` lists them", c->command->name);
}

static void store(cli *c, const option *o, const char *value)
{
	void *field = (char *)&c->o + o->offset;

	if (o->kind == FLAG)
		*(bool *)field = true;
	else if (o->kind == TEXT || o->kind == ONCE)
		*(const char **)field = value;
	else
		cli_list_add(c->ctx.arena, field, value);
}

static const option *find(const cli *c, const char *name, char letter)
{
	size_t i;

	for (i = 0; i < NOPTIONS; i++) {
		const option *o = &options[i];

		if ((name ? strcmp(o->name, name) == 0 : o->letter == letter) && takes(c->command, o->name))
			return o;
	}
	return NULL;
}

/* The words of the command line, and which of them is read. */
typedef struct words {
	int argc, i;
	char **argv;
} words;

static const char *next_word(const words *w)
{
	return w->i + 1 < w->argc ? w->argv[w->i + 1] : NULL;
}

static int name_value(words *w, const option *o, const char **value, wp_error *e)
{
	const char *next = next_word(w);

	if (!*value)
		*value = next && wp_name_valid(wp_str_of(next)) ? w->argv[++w->i] : "";
	else if (!wp_name_valid(wp_str_of(*value)))
		return wp_fail(e, WP_E_USAGE, "--%s takes the name of a project, not '%s'", o->name, *value);
	return 0;
}

/* What stands behind the option; given: how it was written. */
static int text_value(words *w, const option *o, const char *given, const char **value, wp_error *e)
{
	const char *next = next_word(w);

	if (!*value && !next)
		return wp_fail(e, WP_E_USAGE, "%s needs a value", given);
	if (!*value && next[0] == '-' && next[1]) {
		wp_fail(e, WP_E_USAGE, "%s needs a value, and '%s' is an option", given, next);
		return wp_err_next(e, "if it is the value, write --%s=%s", o->name, next);
	}
	if (!*value)
		*value = w->argv[++w->i];
	/* "$UNSET" in a script; without a proxy is an empty one. */
	if (!**value && o->offset != AT(proxy))
		return wp_fail(e, WP_E_USAGE, "%s needs a value that is not empty", given);
	return 0;
}

/* The last one would count, and the bundle would be for another Python than somebody thinks. */
static int check_once(cli *c, const option *o, const char *value, wp_error *e)
{
	const char *before = o->kind == ONCE ? *(const char **)((char *)&c->o + o->offset) : NULL;

	if (!before || wp_streq(before, value))
		return 0;
	wp_fail(e, WP_E_USAGE, "--%s is given twice: '%s' and '%s'", o->name, before, value);
	if (takes(c->command, "out"))
		wp_err_next(e, "name each target in one word: -t cp312-win_amd64 -t cp311-win_amd64");
	return e->code;
}

static int take(cli *c, words *w, const option *o, const char *given, const char *value, wp_error *e)
{
	if (o->kind == FLAG && value)
		return wp_fail(e, WP_E_USAGE, "--%s takes no value", o->name);
	if (o->kind == NAMES && name_value(w, o, &value, e))
		return e->code;
	if ((o->kind == TEXT || o->kind == ONCE || o->kind == LIST) && text_value(w, o, given, &value, e))
		return e->code;
	if (check_once(c, o, value, e))
		return e->code;
	store(c, o, value);
	return 0;
}

static int long_word(cli *c, words *w, wp_error *e)
{
	const char *word = w->argv[w->i], *eq = strchr(word, '=');
	const char *name = eq ? wp_str_dup(c->ctx.arena, (wp_str){word + 2, (size_t)(eq - word - 2)}) : word + 2;
	const option *o = find(c, name, 0);

	return o ? take(c, w, o, word, eq ? eq + 1 : NULL, e) : unknown(c, word, name, e);
}

/* -q, -o FILE, -oFILE, -qo FILE; -out is no -o with the value "ut". */
static int short_word(cli *c, words *w, wp_error *e)
{
	const char *word = w->argv[w->i], *p;
	const option *o = find(c, word + 1, 0) ? NULL : find(c, NULL, word[1]);

	for (p = word + 1; o && o->kind == FLAG && p[1]; o = find(c, NULL, *++p))
		store(c, o, NULL);
	if (!o)
		return unknown(c, word, word + 1, e);
	return take(c, w, o, wp_sprintf(c->ctx.arena, "-%c", *p), p[1] ? p + 1 : NULL, e);
}

/* "pip install torch --index-url ..." pasted behind the command: the words pip and install mean nothing. */
static int skip_pip(int argc, char **argv, int i)
{
	if (i + 2 < argc && (strcmp(argv[i], "pip") == 0 || strcmp(argv[i], "pip3") == 0) &&
		(strcmp(argv[i + 1], "install") == 0 || strcmp(argv[i + 1], "download") == 0))
		return i + 2;
	return i;
}

static int no_command(const char *word, wp_error *e)
{
	const char *near = cli_near_command(word);

	wp_fail(e, WP_E_USAGE, "there is no command '%s'", word);
	if (near)
		return wp_err_next(e, "did you mean `wheelpack %s`?", near);
	return wp_err_next(e, "`wheelpack --help` lists the commands");
}

static int help_command(cli *c, const char *word, wp_error *e)
{
	c->o.help = true;
	if (word) {
		c->command = cli_find_command(word);
		if (!c->command)
			return no_command(word, e);
	}
	return 0;
}

/* Where the command's word is: these two options may stand in front of it. */
static int command_at(cli *c, int argc, char **argv)
{
	int i = 1;

	for (; i < argc; i++)
		if (strcmp(argv[i], "-q") == 0 || strcmp(argv[i], "--quiet") == 0)
			c->o.quiet = true;
		else if (strcmp(argv[i], "--json") != 0)
			break;
	return i;
}

int cli_parse(cli *c, int argc, char **argv, wp_error *e)
{
	bool only_args = false;
	words w = {argc, command_at(c, argc, argv), argv};
	int i = w.i, j;

	/* An error in the words is to be JSON too, wherever --json stands. */
	for (j = 1; j < argc && strcmp(argv[j], "--") != 0; j++)
		c->o.json |= strcmp(argv[j], "--json") == 0;
	if (i < argc && strcmp(argv[i], "help") == 0)
		return help_command(c, i + 1 < argc ? argv[i + 1] : NULL, e);
	if (i < argc && argv[i][0] != '-') {
		c->command = cli_find_command(argv[i]);
		if (!c->command)
			return no_command(argv[i], e);
		i = skip_pip(argc, argv, i + 1);
	}
	for (w.i = i; w.i < argc; w.i++) {
		const char *word = argv[w.i];

		if (!only_args && strcmp(word, "--") == 0)
			only_args = true;
		else if (only_args || word[0] != '-' || !word[1])
			cli_list_add(c->ctx.arena, only_args && c->o.trial ? &c->o.trial_words : &c->o.args, word);
		else if (word[1] == '-' ? long_word(c, &w, e) : short_word(c, &w, e))
			return e->code;
	}
	if (!c->command && c->o.args.n)
		return no_command(c->o.args.v[0], e);
	if (!c->command && c->o.json && !c->o.help && !c->o.version) {
		wp_fail(e, WP_E_USAGE, "the command line names no command");
		return wp_err_next(e, "`wheelpack --help` lists the commands");
	}
	return 0;
}

int cli_jobs(const cli *c, wp_error *e)
{
	uint64_t n = (uint64_t)os_cpu_count();

	if (c->o.jobs_text && (!wp_str_u64(wp_str_of(c->o.jobs_text), &n) || n < 1 || n > 256)) {
		wp_fail(e, WP_E_USAGE, "--jobs takes a number from 1 to 256, not '%s'", c->o.jobs_text);
		return 0;
	}
	return (int)n;
}

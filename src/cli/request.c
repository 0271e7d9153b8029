/* SPDX-License-Identifier: MIT */
/* What is asked for: requirements from the words, files and a manifest; the variant; the targets. */
#include <string.h>

#include "base/vec.h"
#include "cli/cli.h"
#include "cli/reqfile.h"
#include "os/os.h"
#include "py/requirement.h"
#include "wheelpack/request.h"

static int read_manifest(cli *c, const char *path, wp_request_doc *out, wp_error *e)
{
	wp_str text;

	if (os_read_file(c->ctx.arena, path, WP_MAX_DOCUMENT, &text, e))
		return e->code;
	if (wp_request_read(c->ctx.arena, text, out, e)) {
		if (wp_str_find_str(text, WP_LIT("\"" WP_LOCK_SCHEMA "\"")) < text.n)
			wp_err_next(e, "it is a lock: wheelpack bundle --lock %s", cli_word(c->ctx.arena, path));
		wp_err_next(e, "include/wheelpack/request.h names the keys, manifests/torch-cu126-win.json has them all");
		return wp_err_where(e, "'%s'", path);
	}
	return 0;
}

/* A mistyped file name would else become a project name. */
static int looks_like_file(const char *word, wp_error *e)
{
	if (wp_ends(word, ".txt") && os_is_file(word)) {
		wp_fail(e, WP_E_USAGE, "'%s' is a file", word);
		return wp_err_next(e, "take requirements from it with -r %s", word);
	}
	return 0;
}

static int add_word(cli *c, const char *word, cli_request *q, wp_error *e)
{
	wp_requirement r;
	const char *wheel;

	if (looks_like_file(word, e) || cli_wheel_word(c, word, &wheel, e))
		return e->code;
	word = wheel ? wheel : word;
	if (wp_requirement_parse(c->ctx.arena, wp_str_of(word), &r, e))
		return wp_err_where(e, "'%s'", word);
	cli_list_add(c->ctx.arena, &q->requirements, word);
	return 0;
}

/* pytorch-cuda=12.6 is how conda's guides name the variant. */
static bool conda_word(const char *word)
{
	return wp_starts(word, "pytorch-cuda=");
}

static void add_all(cli *c, cli_list *l, const char *const *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		cli_list_add(c->ctx.arena, l, v[i]);
}

static int read_words(cli *c, cli_request *q, wp_request_doc *manifest, wp_error *e)
{
	size_t i;

	for (i = 0; i < c->o.args.n; i++) {
		const char *word = c->o.args.v[i];

		if (wp_ends(word, ".json")) {
			if (manifest->nrequirements)
				return wp_fail(e, WP_E_USAGE, "more than one request manifest");
			if (read_manifest(c, word, manifest, e))
				return e->code;
			add_all(c, &q->requirements, manifest->requirements, manifest->nrequirements);
			add_all(c, &q->constraints, manifest->constraints, manifest->nconstraints);
		} else if (conda_word(word)) {
			c->o.cuda = c->o.cuda ? c->o.cuda : word;
		} else if (add_word(c, word, q, e)) {
			return e->code;
		}
	}
	return 0;
}

static int read_files(cli *c, cli_request *q, wp_error *e)
{
	cli_list dropped = {0};
	size_t i;

	for (i = 0; i < c->o.requirement_files.n; i++)
		if (cli_reqfile(c, c->o.requirement_files.v[i], &q->requirements, &q->constraints, e))
			return e->code;
	for (i = 0; i < c->o.constraint_files.n; i++)
		if (cli_reqfile(c, c->o.constraint_files.v[i], &dropped, &q->constraints, e))
			return e->code;
	/* In a constraints file every line is a constraint. */
	add_all(c, &q->constraints, dropped.v, dropped.n);
	return 0;
}

/* ---- variant -------------------------------------------------------------------------------- */

static int one_variant(cli_request *q, const char *found, wp_error *e)
{
	if (!found || wp_streq(q->variant, found))
		return 0;
	if (q->variant)
		return wp_fail(e, WP_E_VARIANT, "two CUDA variants are asked for: %s and %s", q->variant, found);
	q->variant = found;
	return 0;
}

static int read_variant(cli *c, cli_request *q, const wp_request_doc *manifest, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	const char *given = c->o.cuda ? c->o.cuda : c->o.cpu ? "cpu" : manifest->cuda, *v = NULL;
	size_t i;

	if (given && (wp_variant_parse(a, given, &v, e) || one_variant(q, v, e)))
		return e->code;
	if (c->o.cpu && one_variant(q, "cpu", e))
		return e->code;
	if (c->o.index_url && one_variant(q, cli_variant_of_url(a, c->o.index_url), e))
		return e->code;
	for (i = 0; i < c->o.extra_index_urls.n; i++)
		if (one_variant(q, cli_variant_of_url(a, c->o.extra_index_urls.v[i]), e))
			return e->code;
	return 0;
}

/* ---- targets -------------------------------------------------------------------------------- */

static bool is_path(const char *s)
{
	return strchr(s, '/') || strchr(s, '\\');
}

/* --python may name an interpreter: then the interpreter says its own version. */
static bool is_interpreter(const char *s)
{
	return s && (is_path(s) || wp_starts(s, "python") || os_is_file(s));
}

static int host_parts(cli *c, const char **python, const char **platform, wp_error *e)
{
	wp_interpreter py;

	if (cli_interpreter(c, is_interpreter(*python) ? *python : NULL, &py, e)) {
		wp_err_next(e, "say what the bundle is for: --python 3.12 --platform win_amd64");
		return e->code;
	}
	if (!*python || is_interpreter(*python)) {
		*python = py.soabi_tag;
		if (py.version && !wp_ends(py.soabi_tag, "t"))
			*python = py.version;
	}
	if (!*platform)
		*platform = py.platform_tag;
	return 0;
}

static int from_parts(cli *c, cli_request *q, wp_error *e)
{
	const char *python = c->o.python, *platform = c->o.platform;

	if ((!python || !platform || is_interpreter(python)) && host_parts(c, &python, &platform, e))
		return e->code;
	q->targets = WP_NEW(c->ctx.arena, wp_target);
	q->ntargets = 1;
	return wp_target_make(c->ctx.arena, python, platform, q->variant, &q->targets[0], e);
}

int cli_target_with(wp_arena *a, const wp_target *t, const char *variant, wp_target *out, wp_error *e)
{
	return wp_target_make(a, t->threaded ? t->python_tag : t->python, t->platform, variant, out, e);
}

/* With --target cp312-win_amd64-cu126 the variant stands in the target, and is that of the others too. */
static int from_targets(cli *c, cli_request *q, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	size_t i, n = c->o.targets.n;

	if (c->o.python || c->o.platform)
		return wp_fail(e, WP_E_USAGE, "--target stands alone: leave --python and --platform out");
	q->targets = WP_NEW_ARRAY(a, n, wp_target);
	for (i = 0; i < n; i++)
		if (wp_target_parse(a, c->o.targets.v[i], &q->targets[i], e) || one_variant(q, q->targets[i].variant, e))
			return e->code;
	for (i = 0; i < n; i++) {
		wp_target t = q->targets[i];

		if (!t.variant && q->variant && cli_target_with(a, &t, q->variant, &q->targets[i], e))
			return e->code;
	}
	q->ntargets = n;
	return 0;
}

static int from_manifest(cli *c, cli_request *q, const wp_request_doc *m, wp_error *e)
{
	size_t i;

	q->targets = WP_NEW_ARRAY(c->ctx.arena, m->ntargets, wp_target);
	q->ntargets = m->ntargets;
	for (i = 0; i < m->ntargets; i++)
		if (wp_target_make(c->ctx.arena, m->targets[i].python, m->targets[i].platform, q->variant,
			    &q->targets[i], e))
			return wp_err_where(e, "the manifest's target %zu", i + 1);
	return 0;
}

/* A lock that is made again stays for the targets that it has. */
static int from_lock(cli *c, cli_request *q, const wp_lock_doc *d, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_target named;
	size_t i;

	q->targets = WP_NEW_ARRAY(a, d->ntargets, wp_target);
	q->ntargets = d->ntargets;
	q->as_before = true;
	for (i = 0; i < d->ntargets; i++) {
		const wp_lock_target *t = &d->targets[i];

		if (one_variant(q, t->variant, e) || wp_target_parse(a, t->name, &named, e) ||
			wp_target_make(a, named.threaded ? named.python_tag : t->python, t->platform, t->variant,
				&q->targets[i], e))
			return wp_err_where(e, "'%s', target '%s'", c->o.out, t->name);
	}
	return 0;
}

static void drop_doubles(cli_request *q)
{
	size_t i, k, n = 0;

	for (i = 0; i < q->ntargets; i++) {
		for (k = 0; k < n && !wp_streq(q->targets[k].name, q->targets[i].name); k++)
			;
		if (k == n)
			q->targets[n++] = q->targets[i];
	}
	q->ntargets = n;
}

int cli_request_read(cli *c, const wp_lock_doc *earlier, cli_request *q, wp_error *e)
{
	wp_request_doc manifest = {0};

	wp_err_what(e, "cannot read the request");
	if (read_words(c, q, &manifest, e) || read_files(c, q, e))
		return e->code;
	if (!q->requirements.n && c->o.requirement_files.n)
		return wp_fail(e, WP_E_USAGE, "'%s' names no requirement", c->o.requirement_files.v[0]);
	if (!q->requirements.n) {
		wp_fail(e, WP_E_USAGE, "the command line names no requirement");
		return wp_err_next(e, "for example: wheelpack %s torch torchvision --cuda cu126 --target cp312-win_amd64",
			c->command->name);
	}
	q->pre = c->o.pre;
	if (read_variant(c, q, &manifest, e))
		return e->code;
	if (c->o.targets.n)
		from_targets(c, q, e);
	else if (manifest.ntargets && !c->o.python && !c->o.platform)
		from_manifest(c, q, &manifest, e);
	else if (earlier && earlier->ntargets && !c->o.python && !c->o.platform && !q->variant)
		from_lock(c, q, earlier, e);
	else
		from_parts(c, q, e);
	drop_doubles(q);
	if (!e->code)
		e->what[0] = 0; /* the stages say what they attempt */
	return e->code;
}

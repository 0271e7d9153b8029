/* SPDX-License-Identifier: MIT */
#include "cli/reqfile.h"

#include <string.h>

#include "os/os.h"
#include "py/requirement.h"

enum { MAX_NESTING = 8, MAX_FILES = 1000, MAX_FILE = 4 << 20 };

typedef struct reader {
	cli *c;
	cli_list *requirements, *constraints;
	const char *path;
	bool as_constraints;
	int depth, *files; /* files: read so far */
} reader;

static int read_file(reader *r, wp_error *e);

/* A comment starts at # at the beginning or behind white space. */
static wp_str without_comment(wp_str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] == '#' && (i == 0 || wp_ascii_space(s.p[i - 1])))
			return wp_str_sub(s, 0, i);
	return s;
}

/* Lines that end in a backslash go on in the next. */
static bool logical_line(reader *r, wp_str *text, wp_str *out, int *number)
{
	wp_str line;
	wp_buf b;

	if (!wp_str_line(text, &line))
		return false;
	++*number;
	wp_buf_init(&b, MAX_FILE);
	while (line.n && line.p[line.n - 1] == '\\') {
		wp_buf_str(&b, wp_str_sub(line, 0, line.n - 1));
		if (!wp_str_line(text, &line))
			line = (wp_str){0};
		++*number;
	}
	wp_buf_str(&b, line);
	*out = wp_str_trim(without_comment(wp_buf_take(&b, r->c->ctx.arena)));
	return true;
}

static int nested(reader *r, const char *name, bool as_constraints, wp_error *e)
{
	wp_arena *a = r->c->ctx.arena;
	reader inner = *r;

	if (r->depth >= MAX_NESTING)
		return wp_fail(e, WP_E_USAGE, "files that name files more than %d deep", MAX_NESTING);
	inner.path = os_is_absolute(name) ? name : os_join(a, os_dirname(a, r->path), name);
	inner.as_constraints = r->as_constraints || as_constraints;
	inner.depth++;
	return read_file(&inner, e);
}

/* "--option value" or "--option=value"; NULL where line is another option. */
static const char *value_of(wp_arena *a, wp_str line, const char *option)
{
	wp_str rest;

	if (!wp_str_starts(line, option))
		return NULL;
	rest = wp_str_sub(line, strlen(option), line.n);
	if (!rest.n || !(wp_ascii_space(rest.p[0]) || rest.p[0] == '='))
		return NULL;
	return wp_str_dup(a, wp_str_trim(wp_str_sub(rest, 1, rest.n)));
}

/* As pip: a folder beside the file comes before one of that name where we stand. */
static const char *beside(reader *r, const char *folder)
{
	wp_arena *a = r->c->ctx.arena;
	const char *there = os_join(a, os_dirname(a, r->path), folder);

	return !os_is_absolute(folder) && os_is_dir(there) ? there : folder;
}

static int option_line(reader *r, wp_str line, wp_error *e)
{
	const struct {
		const char *option;
		cli_list *list;
	} lists[] = {{"--extra-index-url", &r->c->o.extra_index_urls}, {"--find-links", &r->c->o.find_links},
		{"-f", &r->c->o.find_links}, {"--trusted-host", &r->c->o.trusted_hosts}};
	wp_arena *a = r->c->ctx.arena;
	const char *v;
	size_t i;

	if ((v = value_of(a, line, "-r")) || (v = value_of(a, line, "--requirement")))
		return nested(r, v, false, e);
	if ((v = value_of(a, line, "-c")) || (v = value_of(a, line, "--constraint")))
		return nested(r, v, true, e);
	if ((v = value_of(a, line, "-i")) || (v = value_of(a, line, "--index-url"))) {
		if (!r->c->o.index_url)
			r->c->o.index_url = v;
		return 0;
	}
	for (i = 0; i < sizeof lists / sizeof lists[0]; i++)
		if ((v = value_of(a, line, lists[i].option))) {
			cli_list_add(a, lists[i].list, lists[i].list == &r->c->o.find_links ? beside(r, v) : v);
			return 0;
		}
	if (wp_str_is(line, "--pre"))
		r->c->o.pre = true;
	else if (wp_str_is(line, "--no-index"))
		r->c->o.no_index = true;
	else if (!wp_str_starts(line, "--only-binary") && !wp_str_starts(line, "--prefer-binary")) {
		wp_fail(e, WP_E_USAGE, "wheelpack doesn't take the option '%s' in a requirements file", wp_str_dup(a, line));
		if (wp_str_starts(line, "-e") || wp_str_starts(line, "--editable"))
			wp_err_next(e, "%s", CLI_NOT_BUILT);
	}
	return e->code;
}

static int requirement_line(reader *r, wp_str line, wp_error *e)
{
	wp_arena *a = r->c->ctx.arena;
	const char *text = wp_str_dup(a, line), *wheel;
	wp_requirement parsed;

	if (wp_str_find_str(line, WP_LIT(" --hash")) < line.n) {
		wp_fail(e, WP_E_USAGE, "hashes in requirements files are not checked by wheelpack");
		return wp_err_next(e, "leave the --hash options out; the lock records the digests that the index gives");
	}
	if (cli_wheel_word(r->c, text, &wheel, e))
		return e->code;
	text = wheel ? wheel : text;
	if (wp_requirement_parse(a, wp_str_of(text), &parsed, e))
		return e->code;
	cli_list_add(a, r->as_constraints ? r->constraints : r->requirements, text);
	return 0;
}

static int read_file(reader *r, wp_error *e)
{
	wp_str text, line;
	int number = 0, code = 0;

	if (wp_check_cancel(&r->c->ctx, e))
		return e->code;
	if (++*r->files > MAX_FILES)
		return wp_fail(e, WP_E_USAGE, "more than %d files are named, each as often as it is", MAX_FILES);
	if (os_read_file(r->c->ctx.arena, r->path, MAX_FILE, &text, e))
		return e->code;
	if (wp_str_starts(text, "\xef\xbb\xbf"))
		text = wp_str_sub(text, 3, text.n);
	if (!wp_utf8_valid(text)) {
		wp_fail(e, WP_E_USAGE, "it is no UTF-8 text");
		wp_err_next(e, "save it as UTF-8; PowerShell's > writes UTF-16");
		return wp_err_where(e, "'%s'", r->path);
	}
	while (!code && logical_line(r, &text, &line, &number)) {
		if (!line.n)
			continue;
		code = line.p[0] == '-' ? option_line(r, line, e) : requirement_line(r, line, e);
	}
	if (code)
		wp_err_where(e, "'%s', line %d", r->path, number);
	return code;
}

int cli_reqfile(cli *c, const char *path, cli_list *requirements, cli_list *constraints, wp_error *e)
{
	int files = 0;
	reader r = {.c = c, .requirements = requirements, .constraints = constraints, .path = path, .files = &files};

	return read_file(&r, e);
}

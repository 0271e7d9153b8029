/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "os/os.h"

static FILE *prose(const cli *c)
{
	return c->o.json ? stderr : stdout;
}

void cli_flush(cli *c)
{
	fflush(prose(c));
	fflush(stdout);
}

/* Bytes of a character at s that a terminal would obey: a control character of ASCII or of Latin-1 (U+0080 to
 * U+009F), one that turns the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), or one
 * that ends a line or paragraph (U+2028, U+2029). */
static size_t command_at(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;

	if (u[0] < 0x20 || u[0] == 0x7f)
		return 1;
	if ((u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0) || (u[0] == 0xd8 && u[1] == 0x9c))
		return 2;
	if (u[0] == 0xe2 && ((u[1] == 0x80 && (u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xa8 && u[2] <= 0xae))) ||
			(u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9)))
		return 3;
	return 0;
}

/* Names from outside may hold such characters. */
static void put_clean(FILE *f, const char *s)
{
	while (*s) {
		size_t n = command_at(s);

		fputc(n ? '?' : *s, f);
		s += n ? n : 1;
	}
}

static void say(cli *c, const char *fmt, va_list ap)
{
	wp_arena *a = wp_arena_new();
	wp_str rest = wp_str_of(wp_vsprintf(a, fmt, ap)), line;

	cli_progress_stop(c);
	while (wp_str_line(&rest, &line)) {
		put_clean(prose(c), wp_str_dup(a, line));
		fputc('\n', prose(c));
	}
	cli_flush(c);
	wp_arena_free(a);
}

void cli_say(cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!c->o.quiet)
		say(c, fmt, ap);
	va_end(ap);
}

void cli_answer(cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!c->o.quiet || !c->o.json)
		say(c, fmt, ap);
	va_end(ap);
}

/* "why:   text", further lines indented below it. */
static void put_field(FILE *f, const char *label, const char *text)
{
	wp_str rest = wp_str_of(text), line;
	bool first = true;
	wp_arena *a = wp_arena_new();

	while (wp_str_line(&rest, &line)) {
		fprintf(f, "%-7s", first ? label : "");
		put_clean(f, wp_str_dup(a, line));
		fputc('\n', f);
		first = false;
	}
	wp_arena_free(a);
}

static const char *colour(FILE *f, const char *code)
{
	bool wanted = os_is_terminal(f == stderr ? 2 : 1) && !os_getenv("NO_COLOR");

	return wanted ? code : "";
}

static const char *const severity_word[] = {"note", "warning", "error"};
static const char *const severity_colour[] = {"\033[36m", "\033[33m", "\033[31m"};

static void put_chain(FILE *f, const wp_finding *d)
{
	size_t i;

	if (!d->nchain)
		return;
	fputs("chain: ", f);
	for (i = 0; i < d->nchain; i++) {
		fputs(i ? " -> " : "", f);
		put_clean(f, d->chain[i]);
	}
	fputc('\n', f);
}

static void put_files(FILE *f, const wp_finding *d)
{
	enum { SHOWN = 5 };
	size_t i;

	for (i = 0; i < d->nfiles && i < SHOWN; i++)
		put_field(f, i ? "" : "files:", d->files[i]);
	if (d->nfiles > SHOWN)
		fprintf(f, "       and %zu more\n", d->nfiles - SHOWN);
}

static void put_finding(FILE *f, const wp_finding *d, bool advise)
{
	fprintf(f, "%s%s:%s ", colour(f, severity_colour[d->severity]), severity_word[d->severity],
		colour(f, "\033[0m"));
	put_clean(f, d->title);
	fprintf(f, " [%s]\n", d->code);
	if (d->why && d->why[0])
		put_field(f, "why:", d->why);
	put_chain(f, d);
	put_files(f, d);
	if (advise && d->next && d->next[0])
		put_field(f, "next:", d->next);
}

/* Are these two of many of a kind: errors reported as findings, or the same finding of a venv's distributions? */
static bool alike(const wp_finding *a, const wp_finding *b)
{
	if (wp_starts(a->code, "WP_E_"))
		return wp_starts(b->code, "WP_E_");
	return wp_starts(a->code, "N7") && strcmp(a->code, b->code) == 0;
}

/* How many in a row are alike. */
static size_t run_of(const wp_findings *f, size_t from)
{
	size_t n = 1;

	while (from + n < f->n && alike(&f->v[from], &f->v[from + n]))
		n++;
	return n;
}

/* The first of many; what they all advise stands below the last. */
static void put_run(cli *c, const wp_finding *v, size_t n, size_t most)
{
	size_t i, shown = n < most ? n : most;

	for (i = 0; i < shown; i++)
		put_finding(prose(c), &v[i], i + 1 == shown || !wp_streq(v[i].next, v[i + 1].next));
	if (n > shown && wp_starts(v->code, "WP_E_"))
		fprintf(prose(c), "and %zu more faults, which --json lists\n", n - shown);
	else if (n > shown)
		fprintf(prose(c), "and %zu more [%s], which --json lists\n", n - shown, v->code);
}

static void put_findings(cli *c, const wp_findings *f, size_t most)
{
	size_t i, n;

	cli_progress_stop(c);
	wp_findings_append(&c->findings, c->ctx.arena, f);
	for (i = 0; i < f->n; i += n) {
		n = run_of(f, i);
		if (!c->o.quiet || f->v[i].severity == WP_SEVERE)
			put_run(c, &f->v[i], n, most);
	}
	cli_flush(c);
}

void cli_findings(cli *c, const wp_findings *f)
{
	enum { SHOWN = 3 };

	put_findings(c, f, SHOWN);
}

void cli_all_findings(cli *c, const wp_findings *f)
{
	put_findings(c, f, SIZE_MAX);
}

static const char *state_of(const wp_error *e)
{
	return e->state[0] ? e->state : "nothing was changed";
}

static const char *next_of(const wp_error *e)
{
	return e->next[0] ? e->next : wp_code_advice(e->code);
}

void cli_error(cli *c, const wp_error *e)
{
	const char *what = e->what[0] ? e->what : wp_code_text(e->code);
	int pad = 79 - 7 - wp_str_of(what).n > 79 ? 1 : (int)(79 - 7 - wp_str_of(what).n);

	cli_progress_stop(c);
	fflush(stdout);
	fprintf(stderr, "%serror:%s ", colour(stderr, "\033[31m"), colour(stderr, "\033[0m"));
	put_clean(stderr, what);
	fprintf(stderr, "%*s[%s, exit %d]\n", pad > 1 ? pad : 1, "", wp_code_name(e->code),
		wp_code_exit(e->code));
	if (e->where[0])
		put_field(stderr, "where:", e->where);
	if (e->why[0])
		put_field(stderr, "why:", e->why);
	put_field(stderr, "next:", next_of(e));
	put_field(stderr, "state:", state_of(e));
}

/* where is a list in JSON: the places from outer to inner. Commas inside quotes don't part them. */
static void put_where(wp_jnode *o, const char *where)
{
	wp_jnode *list = wp_jarray();
	wp_arena *a = wp_arena_new();
	const char *from = where, *p;
	bool quoted = false;

	for (p = where;; p++) {
		quoted ^= *p == '\'';
		if (!*p || (!quoted && p[0] == ',' && p[1] == ' ')) {
			if (p > from)
				wp_jadd_str(list, wp_str_dup(a, (wp_str){from, (size_t)(p - from)}));
			from = p + 2;
		}
		if (!*p)
			break;
	}
	wp_jput(o, "where", list);
	wp_arena_free(a);
}

static wp_jnode *error_json(const wp_error *e)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "code", wp_code_name(e->code));
	wp_jput_str(o, "what", e->what[0] ? e->what : wp_code_text(e->code));
	put_where(o, e->where);
	wp_jput_str(o, "why", e->why);
	wp_jput_str(o, "next", next_of(e));
	wp_jput_str(o, "state", state_of(e));
	return o;
}

static wp_jnode *finding_json(const wp_finding *f)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "code", f->code);
	wp_jput_str(o, "severity", severity_word[f->severity]);
	wp_jput_str(o, "title", f->title);
	wp_jput_str(o, "why", f->why);
	wp_jput_str(o, "next", f->next);
	if (f->nfiles)
		wp_jput_strs(o, "files", f->files, f->nfiles);
	if (f->nchain)
		wp_jput_strs(o, "chain", f->chain, f->nchain);
	return o;
}

/* The same document; control characters of ASCII are numbers in it already. */
static void put_json(FILE *f, const char *s)
{
	while (*s) {
		const unsigned char *u = (const unsigned char *)s;
		size_t n = command_at(s);

		if (n == 3)
			fprintf(f, "\\u%04x", (u[0] & 0xfu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu));
		else if (n == 2)
			fprintf(f, "\\u%04x", (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu));
		else
			fputc(*s, f);
		s += n ? n : 1;
	}
}

void cli_json(cli *c, const wp_error *e, int exit_code)
{
	wp_jnode *o = wp_jobject(), *list;
	wp_str text;
	size_t i;

	wp_jput_str(o, "wheelpack", WP_VERSION);
	wp_jput_str(o, "command", c->command ? c->command->name : NULL);
	wp_jput_bool(o, "ok", exit_code == 0);
	wp_jput_int(o, "exit", exit_code);
	if (e->code)
		wp_jput(o, "error", error_json(e));
	list = wp_jarray();
	for (i = 0; i < c->findings.n; i++)
		wp_jadd(list, finding_json(&c->findings.v[i]));
	wp_jput(o, "findings", list);
	if (c->result) {
		wp_jput(o, "result", c->result);
		c->result = NULL;
	}
	text = wp_jtext(c->ctx.arena, o);
	put_json(stdout, text.p);
	cli_flush(c);
}

const char *cli_bytes(wp_arena *a, uint64_t n)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB"};
	double v = (double)n / 1000;
	int u = 0;

	if (n < 1000)
		return wp_sprintf(a, "%" PRIu64 " bytes", n);
	while (v >= 999.5 && u < 3) {
		v /= 1000;
		u++;
	}
	return wp_sprintf(a, v < 10 ? "%.2f %s" : v < 100 ? "%.1f %s" : "%.0f %s", v, units[u]);
}

const char *cli_seconds(wp_arena *a, uint64_t ms)
{
	if (ms < 120000)
		return wp_sprintf(a, ms < 10000 ? "%.2f s" : "%.1f s", (double)ms / 1000);
	return wp_sprintf(a, "%" PRIu64 " min %02" PRIu64 " s", ms / 60000, ms / 1000 % 60);
}

const char *cli_count(wp_arena *a, uint64_t n, const char *noun)
{
	return wp_sprintf(a, "%" PRIu64 " %s%s", n, noun, n == 1 ? "" : "s");
}

static bool is_plain_word(const char *s)
{
	const char *p, *plain = os_is_windows() ? "_-./:@+=,\\" : "_-./:@%+=,";

	for (p = s; *p; p++)
		if (!wp_ascii_alnum(*p) && !strchr(plain, *p) && (unsigned char)*p < 0x80)
			return false;
	return p > s;
}

const char *cli_word(wp_arena *a, const char *path)
{
	const char *p;
	wp_buf b;

	if (is_plain_word(path))
		return path;
	/* No name there holds a double quote; a backslash before the closing one would take its meaning. */
	if (os_is_windows())
		return wp_sprintf(a, "\"%s%s\"", path, wp_ends(path, "\\") ? "\\" : "");
	wp_buf_init(&b, 1 << 16);
	wp_buf_printf(&b, "'");
	for (p = path; *p; p++)
		wp_buf_printf(&b, *p == '\'' ? "'\\''" : "%c", *p);
	wp_buf_printf(&b, "'");
	return wp_buf_take(&b, a).p;
}

const char *cli_full(cli *c, const char *path)
{
	wp_error ignored = {0};
	const char *full;

	return os_absolute(c->ctx.arena, path, &full, &ignored) ? path : full;
}

const char *cli_named_target(cli *c)
{
	wp_error ignored = {0};
	wp_target t;

	if (!c->o.targets.n)
		return NULL;
	return wp_target_parse(c->ctx.arena, c->o.targets.v[0], &t, &ignored) ? c->o.targets.v[0] : t.name;
}

const char *cli_example(cli *c, const char *word)
{
	wp_arena *a = c->ctx.arena;
	const char *words = c->o.args.n ? "" : wp_sprintf(a, "%s ", word);
	size_t i;

	for (i = 0; i < c->o.args.n; i++)
		words = wp_sprintf(a, "%s%s ", words, cli_word(a, c->o.args.v[i]));
	return wp_sprintf(a, "%s--venv %s", words, c->o.venv ? cli_word(a, c->o.venv) : "env");
}

/* SPDX-License-Identifier: MIT */
#include "py/requirement.h"
#include "base/vec.h"
#include "py/name.h"
#include "py/scan.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_REQUIREMENT = 2 * WP_MAX_MARKER };

typedef struct reader {
	wp_scan scan;
	wp_arena *a;
	wp_requirement *out;
	bool lenient, repaired;
} reader;

/* A run of name bytes that begins and ends with a letter or digit. */
static bool identifier(wp_scan *s, const char *what, wp_str *out)
{
	size_t n = s->at;

	while (n < s->text.n && (wp_ascii_alnum(s->text.p[n]) || strchr("-_.", s->text.p[n])))
		n++;
	*out = wp_str_sub(s->text, s->at, n);
	if (out->n == 0)
		return wp_scan_fail(s, "%s is missing", what);
	if (!wp_name_valid(*out))
		return wp_scan_fail(s, "%s must begin and end with a letter or digit", what);
	s->at = n;
	return true;
}

/* Sort, and drop what is there twice. */
static void keep_extras(reader *r, const char **v, size_t n)
{
	const char **extras;
	size_t i, k = 0;

	if (n == 0)
		return;
	qsort(v, n, sizeof *v, wp_cmp_cstr);
	extras = WP_NEW_ARRAY(r->a, n, const char *);
	for (i = 0; i < n; i++)
		if (k == 0 || strcmp(extras[k - 1], v[i]) != 0)
			extras[k++] = v[i];
	r->out->extras = extras;
	r->out->nextras = k;
}

static bool parse_extras(reader *r)
{
	WP_VEC(const char *) v = {0};
	wp_scan *s = &r->scan;
	wp_str name;
	bool ok = true;

	wp_scan_blanks(s);
	if (wp_scan_take(s, "]"))
		return true;
	do {
		wp_scan_blanks(s);
		ok = identifier(s, "the name of an extra", &name);
		if (ok)
			WP_PUSH(&v, wp_name_normalize(r->a, name));
		wp_scan_blanks(s);
	} while (ok && wp_scan_take(s, ","));
	if (ok && !wp_scan_take(s, "]"))
		ok = wp_scan_fail(s, "',' or ']' was expected after an extra");
	if (ok)
		keep_extras(r, v.v, v.n);
	WP_VEC_FREE(&v);
	return ok;
}

static bool parse_url(reader *r)
{
	wp_scan *s = &r->scan;
	size_t from;

	wp_scan_blanks(s);
	from = s->at;
	while (!wp_scan_end(s) && s->text.p[s->at] != ' ' && s->text.p[s->at] != '\t')
		s->at++;
	if (s->at == from)
		return wp_scan_fail(s, "the address behind '@' is missing");
	r->out->url = wp_str_dup(r->a, wp_str_sub(s->text, from, s->at));
	wp_scan_blanks(s);
	if (!wp_scan_end(s) && wp_scan_peek(s) != ';')
		return wp_scan_fail(s, "' ;' or the end was expected behind the address");
	return true;
}

static bool op_byte(char c)
{
	return c && strchr("<>=!~", c) != NULL;
}

/* ~=4, which leaves open how much may change. */
static bool one_number(wp_arena *a, wp_str part)
{
	wp_version v;

	return wp_str_starts(part, "~=") && wp_version_parse(a, wp_str_trim(wp_str_sub(part, 2, part.n)), &v) &&
		v.nrelease == 1 && !wp_version_prerelease(&v) && !v.post && !v.local;
}

/* Which of the comma separated specifiers is at fault? */
static bool blame(reader *r, size_t from, size_t to)
{
	wp_str rest = wp_str_sub(r->scan.text, from, to), part;
	wp_specifiers one;

	while (wp_str_split(&rest, ',', &part)) {
		part = wp_str_trim(part);
		if (wp_specifiers_parse(r->a, part, &one))
			continue;
		r->scan.at = (size_t)(part.p - r->scan.text.p);
		if (part.p[0] == '=' && (part.n < 2 || part.p[1] != '='))
			return wp_scan_fail(&r->scan, "'=' is not an operator, '==' is");
		if (one_number(r->a, part))
			return wp_scan_fail(&r->scan, "'~=' needs two numbers: %s.0", wp_str_dup(r->a, part));
		if (op_byte(part.p[0]))
			return wp_scan_fail(&r->scan, "'%s' is not a version specifier",
				wp_str_dup(r->a, part));
		break;
	}
	return wp_scan_fail(&r->scan, "an operator such as == is missing");
}

static bool parse_specifiers(reader *r)
{
	wp_scan *s = &r->scan;
	bool paren = wp_scan_take(s, "("), ok;
	size_t from = s->at;
	wp_str text;

	while (!wp_scan_end(s) && wp_scan_peek(s) != ';' && (!paren || wp_scan_peek(s) != ')'))
		s->at++;
	text = wp_str_sub(s->text, from, s->at);
	if (r->lenient)
		ok = wp_specifiers_parse_lenient(r->a, text, &r->out->specifiers, &r->repaired);
	else
		ok = wp_specifiers_parse(r->a, text, &r->out->specifiers);
	if (!ok)
		return blame(r, from, s->at);
	if (paren && !wp_scan_take(s, ")"))
		return wp_scan_fail(s, "a ')' is missing");
	return true;
}

static bool parse_marker(reader *r)
{
	wp_scan *s = &r->scan;
	wp_str rest;

	wp_scan_blanks(s);
	if (wp_scan_end(s))
		return true;
	if (!wp_scan_take(s, ";"))
		return wp_scan_fail(s, "';' or the end was expected");
	rest = wp_str_sub(s->text, s->at, s->text.n);
	r->out->marker = wp_marker_parse(r->a, rest, s->e);
	if (!r->out->marker)
		wp_err_where(s->e, "requirement '%s'", r->out->text);
	return r->out->marker != NULL;
}

static bool parse_all(reader *r)
{
	wp_scan *s = &r->scan;
	wp_str name;

	if (!identifier(s, "the name of a project", &name))
		return false;
	r->out->name = wp_str_dup(r->a, name);
	r->out->project = wp_name_normalize(r->a, name);
	wp_scan_blanks(s);
	if (wp_scan_take(s, "[") && !parse_extras(r))
		return false;
	wp_scan_blanks(s);
	if (wp_scan_take(s, "@") ? !parse_url(r) : !parse_specifiers(r))
		return false;
	return parse_marker(r);
}

static wp_str trim_blanks(wp_str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = wp_str_sub(s, 1, s.n);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

static int parse(wp_arena *a, wp_str text, bool lenient, bool *repaired, wp_requirement *out, wp_error *e)
{
	reader r = {.a = a, .out = out, .lenient = lenient};
	size_t i;

	*out = (wp_requirement){.specifiers.norm = ""};
	text = trim_blanks(text);
	r.scan = (wp_scan){.what = "requirement", .text = text, .e = e};
	if (text.n > MAX_REQUIREMENT)
		return wp_fail(e, WP_E_REQUIREMENT, "a requirement of %zu bytes; %d are allowed", text.n,
			MAX_REQUIREMENT);
	if (!wp_utf8_valid(text))
		return wp_fail(e, WP_E_REQUIREMENT, "a requirement that is not UTF-8");
	for (i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' && text.p[i] != '\t') {
			r.scan.at = i;
			wp_scan_fail(&r.scan, "a line break or control character");
			return e->code;
		}
	out->text = wp_str_dup(a, text);
	if (!parse_all(&r))
		return e->code;
	if (repaired)
		*repaired = r.repaired;
	return 0;
}

int wp_requirement_parse(wp_arena *a, wp_str text, wp_requirement *out, wp_error *e)
{
	return parse(a, text, false, NULL, out, e);
}

int wp_requirement_parse_lenient(wp_arena *a, wp_str text, wp_requirement *out, bool *repaired, wp_error *e)
{
	if (repaired)
		*repaired = false;
	return parse(a, text, true, repaired, out, e);
}

const char *wp_requirement_text(wp_arena *a, const wp_requirement *r)
{
	wp_buf b;
	size_t i;

	wp_buf_init(&b, 16 * MAX_REQUIREMENT);
	wp_buf_puts(&b, r->name);
	for (i = 0; i < r->nextras; i++)
		wp_buf_printf(&b, "%c%s", i ? ',' : '[', r->extras[i]);
	wp_buf_puts(&b, r->nextras ? "]" : "");
	if (r->url)
		wp_buf_printf(&b, " @ %s", r->url);
	else
		wp_buf_puts(&b, r->specifiers.norm);
	if (r->marker)
		wp_buf_printf(&b, "%s; %s", r->url ? " " : "", wp_marker_text(a, r->marker));
	return wp_buf_take(&b, a).p;
}

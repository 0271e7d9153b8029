/* SPDX-License-Identifier: MIT */
#include "fetch/html.h"

#include <string.h>

/* ---- tags --------------------------------------------------------------------------------- */

static bool same_word(wp_str s, const char *lower)
{
	size_t i, n = strlen(lower);

	if (s.n != n)
		return false;
	for (i = 0; i < n; i++)
		if (wp_ascii_lower(s.p[i]) != lower[i])
			return false;
	return true;
}

static void skip(wp_str *s, size_t n)
{
	*s = wp_str_sub(*s, n, s->n);
}

static void skip_space(wp_str *s)
{
	while (s->n && wp_ascii_space(s->p[0]))
		skip(s, 1);
}

static void skip_past(wp_str *s, const char *end)
{
	skip(s, wp_str_find_str(*s, wp_str_of(end)));
	if (s->n)
		skip(s, strlen(end));
}

/* The text of these elements is no markup: go to the end tag. */
static void skip_raw_text(wp_str *s, const char *name)
{
	size_t n = strlen(name);

	for (skip(s, wp_str_find(*s, '<')); s->n; skip(s, 1 + wp_str_find(wp_str_sub(*s, 1, s->n), '<')))
		if (s->n > n + 2 && s->p[1] == '/' && same_word((wp_str){s->p + 2, n}, name) &&
			!wp_ascii_alnum(s->p[2 + n]))
			return;
}

static wp_str read_value(wp_str *s)
{
	wp_str v;
	size_t n = 0;

	if (s->n && (s->p[0] == '"' || s->p[0] == '\'')) {
		char quote = s->p[0];

		skip(s, 1);
		v = wp_str_sub(*s, 0, wp_str_find(*s, quote));
		skip(s, v.n + 1);
		return v;
	}
	while (n < s->n && !wp_ascii_space(s->p[n]) && s->p[n] != '>')
		n++;
	v = wp_str_sub(*s, 0, n);
	skip(s, n);
	return v;
}

static void read_attr(wp_str *s, wp_html_attr *out)
{
	size_t n = 1; /* a '=' in first place belongs to the name */

	while (n < s->n && !wp_ascii_space(s->p[n]) && s->p[n] != '=' && s->p[n] != '>' && s->p[n] != '/')
		n++;
	*out = (wp_html_attr){.name = wp_str_sub(*s, 0, n)};
	skip(s, n);
	skip_space(s);
	if (!s->n || s->p[0] != '=')
		return;
	skip(s, 1);
	skip_space(s);
	out->value = read_value(s);
}

/* Everything up to and with '>'. */
static void read_attrs(wp_str *s, wp_html_tag *t)
{
	wp_html_attr attr;

	for (t->n = 0;;) {
		while (s->n && (wp_ascii_space(s->p[0]) || s->p[0] == '/'))
			skip(s, 1);
		if (!s->n)
			return;
		if (s->p[0] == '>') {
			skip(s, 1);
			return;
		}
		read_attr(s, &attr);
		if (t->n < WP_HTML_ATTRS)
			t->attrs[t->n++] = attr;
	}
}

static const char *known(wp_str name, const char *const *words)
{
	for (; *words; words++)
		if (same_word(name, *words))
			return *words;
	return NULL;
}

/* rest stands behind a '<'. True where the tag is one that matters. */
static bool read_tag(wp_str *rest, wp_html_tag *out)
{
	static const char *const wanted[] = {"a", "base", "meta", NULL};
	static const char *const raw[] = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", NULL};
	wp_html_tag ignored;
	const char *raw_name;
	wp_str name;
	size_t n = 0;

	while (n < rest->n && (wp_ascii_alnum(rest->p[n]) || rest->p[n] == '-'))
		n++;
	name = wp_str_sub(*rest, 0, n);
	skip(rest, n);
	out->name = known(name, wanted);
	read_attrs(rest, out->name ? out : &ignored);
	raw_name = out->name ? NULL : known(name, raw);
	if (raw_name)
		skip_raw_text(rest, raw_name);
	return out->name != NULL;
}

static void skip_comment(wp_str *s)
{
	if (wp_str_starts(*s, "!-->") || wp_str_starts(*s, "!--->")) /* an empty one, badly written */
		skip_past(s, ">");
	else if (wp_str_starts(*s, "!--")) {
		skip(s, 3);
		skip_past(s, "-->");
	} else {
		skip_past(s, ">");
	}
}

bool wp_html_next(wp_str *rest, wp_html_tag *out)
{
	for (;;) {
		skip(rest, wp_str_find(*rest, '<'));
		if (!rest->n)
			return false;
		skip(rest, 1);
		if (!rest->n)
			return false;
		if (rest->p[0] == '!' || rest->p[0] == '?')
			skip_comment(rest);
		else if (rest->p[0] == '/')
			skip_past(rest, ">");
		else if (wp_ascii_alpha(rest->p[0]) && read_tag(rest, out))
			return true;
	}
}

const wp_html_attr *wp_html_get(const wp_html_tag *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (same_word(t->attrs[i].name, name))
			return &t->attrs[i];
	return NULL;
}

/* ---- entities ----------------------------------------------------------------------------- */

static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static int digit_of(char c, unsigned base)
{
	int v = wp_ascii_digit(c) ? c - '0' : wp_ascii_alpha(c) ? wp_ascii_lower(c) - 'a' + 10 : 99;

	return v < (int)base ? v : -1;
}

/* "#43;" or "#x2b;" at the start of s (the semicolon may be missing). Bytes used, 0 for none. */
static size_t numeric(wp_str s, uint32_t *out)
{
	bool hex = s.n > 1 && wp_ascii_lower(s.p[1]) == 'x';
	size_t i = hex ? 2 : 1, first = i;
	uint32_t v = 0;

	for (; i < s.n && digit_of(s.p[i], hex ? 16 : 10) >= 0; i++) {
		v = v * (hex ? 16 : 10) + (uint32_t)digit_of(s.p[i], hex ? 16 : 10);
		if (v > 0x10ffff)
			v = 0x110000;
	}
	if (i == first)
		return 0;
	*out = v == 0 || v > 0x10ffff || (v >= 0xd800 && v < 0xe000) ? 0xfffd : v;
	return i + (i < s.n && s.p[i] == ';');
}

/* Names that occur in addresses and specifiers. Bytes used, 0 where the name is unknown. */
static size_t named(wp_str s, uint32_t *out)
{
	static const struct {
		const char *name;
		uint32_t c;
	} table[] = {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}, {"plus;", '+'},
		{"equals;", '='}, {"num;", '#'}, {"percnt;", '%'}, {"sol;", '/'}, {"colon;", ':'}, {"semi;", ';'},
		{"period;", '.'}, {"comma;", ','}, {"excl;", '!'}, {"ast;", '*'}, {"lowbar;", '_'}, {"hyphen;", 0x2010},
		{"commat;", '@'}, {"quest;", '?'}, {"lpar;", '('}, {"rpar;", ')'}, {"nbsp;", 0xa0}, {"Tab;", '\t'},
		{"NewLine;", '\n'}, {"AMP;", '&'}, {"LT;", '<'}, {"GT;", '>'}, {"QUOT;", '"'}};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++)
		if (wp_str_starts(s, table[i].name)) {
			*out = table[i].c;
			return strlen(table[i].name);
		}
	return 0;
}

const char *wp_html_text(wp_arena *a, wp_str value)
{
	char *out = wp_alloc(a, value.n + 4); /* no entity is shorter than its text */
	size_t i = 0, n = 0, used;
	uint32_t c;

	value = wp_str_trim(value);
	while (i < value.n) {
		wp_str s = wp_str_sub(value, i + 1, value.n);

		used = 0;
		if (value.p[i] == '&' && s.n)
			used = s.p[0] == '#' ? numeric(s, &c) : named(s, &c);
		if (used)
			n += put_utf8(out + n, c);
		else
			out[n++] = value.p[i];
		i += 1 + used;
	}
	return wp_utf8_valid((wp_str){out, n}) ? out : NULL;
}

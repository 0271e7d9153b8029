/* SPDX-License-Identifier: MIT */
#include "py/version_key.h"

#include <string.h>

/* The rest of the text while it is read from left to right. */
typedef struct cursor {
	const char *p, *end;
} cursor;

/* Bytes of the white space at p: ASCII, its four separators, and what Unicode adds, since versions are stripped of
 * all of it elsewhere. 0 if there is none. */
static size_t space_len(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	if (n == 0)
		return 0;
	if (wp_ascii_space(*p) || (u[0] >= 0x1c && u[0] <= 0x1f))
		return 1;
	if (n >= 2 && u[0] == 0xc2 && (u[1] == 0x85 || u[1] == 0xa0))
		return 2;
	if (n < 3)
		return 0;
	if (u[0] == 0xe2 && u[1] == 0x80)
		return (u[2] >= 0x80 && u[2] <= 0x8a) || u[2] == 0xa8 || u[2] == 0xa9 || u[2] == 0xaf ? 3 : 0;
	return memcmp(p, "\xe1\x9a\x80", 3) == 0 || memcmp(p, "\xe2\x81\x9f", 3) == 0 ||
			memcmp(p, "\xe3\x80\x80", 3) == 0
		? 3
		: 0;
}

static wp_str trim(wp_str s)
{
	size_t k, back;

	while ((k = space_len(s.p, s.n)) > 0)
		s = wp_str_sub(s, k, s.n);
	do {
		for (back = 1; back <= 3 && back <= s.n; back++)
			if (space_len(s.p + s.n - back, back) == back)
				break;
		if (back > 3 || back > s.n)
			return s;
		s.n -= back;
	} while (s.n);
	return s;
}

static bool separator(char c)
{
	return c == '.' || c == '-' || c == '_';
}

static bool number(cursor *c, uint64_t *out)
{
	const char *from = c->p;

	while (c->p < c->end && wp_ascii_digit(*c->p))
		c->p++;
	return wp_str_u64((wp_str){from, (size_t)(c->p - from)}, out);
}

/* Take word, whatever its case. */
static bool word(cursor *c, const char *w)
{
	size_t i;

	for (i = 0; w[i]; i++)
		if (c->p + i >= c->end || wp_ascii_lower(c->p[i]) != w[i])
			return false;
	c->p += i;
	return true;
}

/* [sep] one of words [sep] [number]; false and nothing taken where there is none. *fault: a number that does not
 * fit. */
static bool segment(cursor *c, const char *const *words, size_t *which, uint64_t *n, bool *fault)
{
	cursor t = *c;
	size_t i;

	if (t.p < t.end && separator(*t.p))
		t.p++;
	for (i = 0; words[i]; i++)
		if (word(&t, words[i]))
			break;
	if (!words[i])
		return false;
	*which = i;
	*n = 0;
	if (t.p < t.end && separator(*t.p))
		t.p++;
	if (t.p < t.end && wp_ascii_digit(*t.p) && !number(&t, n))
		*fault = true;
	*c = t;
	return true;
}

static bool parse_release(wp_arena *a, cursor *c, wp_version *v)
{
	uint64_t parts[WP_MAX_VERSION / 2 + 1], *copy;
	size_t n = 0;

	for (;;) {
		if (!number(c, &parts[n++]))
			return false;
		if (c->end - c->p < 2 || *c->p != '.' || !wp_ascii_digit(c->p[1]))
			break;
		c->p++;
	}
	copy = WP_NEW_ARRAY(a, n, uint64_t);
	memcpy(copy, parts, n * sizeof *copy);
	v->release = copy;
	v->nrelease = n;
	return true;
}

static void parse_epoch(cursor *c, wp_version *v)
{
	cursor t = *c;
	uint64_t n;

	if (!number(&t, &n) || t.p >= t.end || *t.p != '!')
		return;
	v->epoch = n;
	c->p = t.p + 1;
}

static bool parse_suffixes(cursor *c, wp_version *v)
{
	static const char *const pre[] = {
		"alpha", "a", "beta", "b", "preview", "pre", "c", "rc", NULL};
	static const char letters[] = "aabbrrrr";
	static const char *const post[] = {"post", "rev", "r", NULL};
	static const char *const dev[] = {"dev", NULL};
	bool fault = false;
	size_t which;

	if (segment(c, pre, &which, &v->pre_n, &fault))
		v->pre = letters[which];
	if (c->end - c->p >= 2 && *c->p == '-' && wp_ascii_digit(c->p[1])) {
		c->p++;
		v->post = true;
		fault |= !number(c, &v->post_n);
	} else {
		v->post = segment(c, post, &which, &v->post_n, &fault);
	}
	v->dev = segment(c, dev, &which, &v->dev_n, &fault);
	return !fault;
}

/* Letters and digits in parts with single separators; the normal form has dots, lower case, no leading zeros. */
static bool parse_local(wp_arena *a, wp_str s, wp_version *v)
{
	char *out = wp_alloc(a, s.n + 1), *o = out;
	size_t i = 0;

	for (;;) {
		size_t from = i;
		bool digits = true;

		while (i < s.n && wp_ascii_alnum(s.p[i]))
			digits &= wp_ascii_digit(s.p[i++]);
		if (i == from)
			return false;
		while (digits && from + 1 < i && s.p[from] == '0')
			from++;
		while (from < i)
			*o++ = wp_ascii_lower(s.p[from++]);
		if (i == s.n)
			break;
		if (!separator(s.p[i++]))
			return false;
		*o++ = '.';
	}
	v->local = out;
	return true;
}

/* ---- normal form ------------------------------------------------------------------------------ */

/* A normal form is at most some letters longer than its text: ".post", "a" to "a0" and the like. */
typedef struct writer {
	char text[WP_MAX_VERSION + 64];
	size_t n;
} writer;

static void put_text(writer *w, const char *s, size_t n)
{
	memcpy(w->text + w->n, s, n);
	w->n += n;
}

static void put_number(writer *w, uint64_t v)
{
	char digits[20];
	size_t i = sizeof digits;

	do
		digits[--i] = (char)('0' + v % 10);
	while (v /= 10);
	put_text(w, digits + i, sizeof digits - i);
}

static void put_public(writer *w, const wp_version *v)
{
	size_t i;

	if (v->epoch) {
		put_number(w, v->epoch);
		put_text(w, "!", 1);
	}
	for (i = 0; i < v->nrelease; i++) {
		put_text(w, ".", i > 0);
		put_number(w, v->release[i]);
	}
	if (v->pre) {
		put_text(w, v->pre == 'r' ? "rc" : v->pre == 'a' ? "a" : "b", v->pre == 'r' ? 2 : 1);
		put_number(w, v->pre_n);
	}
	if (v->post) {
		put_text(w, ".post", 5);
		put_number(w, v->post_n);
	}
	if (v->dev) {
		put_text(w, ".dev", 4);
		put_number(w, v->dev_n);
	}
}

const char *wp_version_public(wp_arena *a, const wp_version *v)
{
	writer w;

	w.n = 0;
	put_public(&w, v);
	return wp_str_dup(a, (wp_str){w.text, w.n});
}

static const char *normal_form(wp_arena *a, const wp_version *v)
{
	writer w;

	w.n = 0;
	put_public(&w, v);
	if (v->local) {
		put_text(&w, "+", 1);
		put_text(&w, v->local, strlen(v->local));
	}
	if (wp_str_is((wp_str){w.text, w.n}, v->text))
		return v->text;
	return wp_str_dup(a, (wp_str){w.text, w.n});
}

/* +local or nothing. */
static bool parse_rest(wp_arena *a, cursor *c, wp_version *v)
{
	wp_str rest = {c->p, (size_t)(c->end - c->p)};

	return rest.n == 0 || (rest.p[0] == '+' && parse_local(a, wp_str_sub(rest, 1, rest.n), v));
}

const char *wp_version_canonical(wp_arena *a, wp_str text)
{
	wp_version v;

	if (!wp_version_parse(a, text, &v))
		return wp_str_dup(a, text);
	while (v.nrelease > 1 && v.release[v.nrelease - 1] == 0)
		v.nrelease--;
	return normal_form(a, &v);
}

bool wp_version_parse(wp_arena *a, wp_str text, wp_version *out)
{
	cursor c;

	text = trim(text);
	*out = (wp_version){.text = ""};
	if (text.n == 0 || text.n > WP_MAX_VERSION)
		return false;
	c = (cursor){text.p, text.p + text.n};
	word(&c, "v");
	parse_epoch(&c, out);
	if (!parse_release(a, &c, out) || !parse_suffixes(&c, out) || !parse_rest(a, &c, out)) {
		*out = (wp_version){.text = wp_str_dup(a, text)};
		return false;
	}
	out->text = wp_str_dup(a, text);
	out->norm = normal_form(a, out);
	out->key = wp_key_of(a, out);
	return true;
}

bool wp_version_parse_folder(wp_arena *a, wp_str text, wp_version *out)
{
	size_t at = wp_str_find(text, '_');
	char *plus;

	if (wp_version_parse(a, text, out) || at == text.n)
		return out->norm != NULL;
	plus = wp_alloc(a, text.n);
	memcpy(plus, text.p, text.n);
	plus[at] = '+';
	return wp_version_parse(a, (wp_str){plus, text.n}, out);
}

bool wp_version_prerelease(const wp_version *v)
{
	return v->pre || v->dev;
}

int wp_version_cmp(const wp_version *a, const wp_version *b)
{
	return wp_key_cmp(&a->key, &b->key);
}

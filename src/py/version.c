/* SPDX-License-Identifier: MIT */
#include "py/version.h"
#include "base/vec.h"

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
		return u[2] <= 0x8a || u[2] == 0xa8 || u[2] == 0xa9 || u[2] == 0xaf ? 3 : 0;
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
	WP_VEC(uint64_t) parts = {0};
	bool ok = true;
	uint64_t n;

	for (;;) {
		ok = number(c, &n);
		if (!ok)
			break;
		WP_PUSH(&parts, n);
		if (c->end - c->p < 2 || *c->p != '.' || !wp_ascii_digit(c->p[1]))
			break;
		c->p++;
	}
	v->release = WP_VEC_COPY(a, &parts);
	v->nrelease = parts.n;
	WP_VEC_FREE(&parts);
	return ok;
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

static void put_public(wp_buf *b, const wp_version *v)
{
	size_t i;

	if (v->epoch)
		wp_buf_printf(b, "%llu!", (unsigned long long)v->epoch);
	for (i = 0; i < v->nrelease; i++)
		wp_buf_printf(b, "%s%llu", i ? "." : "", (unsigned long long)v->release[i]);
	if (v->pre)
		wp_buf_printf(b, "%s%llu", v->pre == 'r' ? "rc" : v->pre == 'a' ? "a" : "b",
			(unsigned long long)v->pre_n);
	if (v->post)
		wp_buf_printf(b, ".post%llu", (unsigned long long)v->post_n);
	if (v->dev)
		wp_buf_printf(b, ".dev%llu", (unsigned long long)v->dev_n);
}

const char *wp_version_public(wp_arena *a, const wp_version *v)
{
	wp_buf b;

	wp_buf_init(&b, 4 * WP_MAX_VERSION);
	put_public(&b, v);
	return wp_buf_take(&b, a).p;
}

static const char *normal_form(wp_arena *a, const wp_version *v)
{
	const char *text = wp_version_public(a, v);

	return v->local ? wp_sprintf(a, "%s+%s", text, v->local) : text;
}

bool wp_version_parse(wp_arena *a, wp_str text, wp_version *out)
{
	cursor c;

	*out = (wp_version){0};
	text = trim(text);
	if (text.n == 0 || text.n > WP_MAX_VERSION)
		return false;
	c = (cursor){text.p, text.p + text.n};
	word(&c, "v");
	parse_epoch(&c, out);
	if (!parse_release(a, &c, out) || !parse_suffixes(&c, out))
		return false;
	if (c.p < c.end) {
		wp_str rest = {c.p + 1, (size_t)(c.end - c.p - 1)};

		if (*c.p != '+' || !parse_local(a, rest, out))
			return false;
	}
	out->text = wp_str_dup(a, text);
	out->norm = normal_form(a, out);
	return true;
}

bool wp_version_prerelease(const wp_version *v)
{
	return v->pre || v->dev;
}

static int cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int cmp_release(const wp_version *a, const wp_version *b)
{
	size_t n = a->nrelease > b->nrelease ? a->nrelease : b->nrelease, i;

	for (i = 0; i < n; i++) {
		int c = cmp_u64(i < a->nrelease ? a->release[i] : 0,
			i < b->nrelease ? b->release[i] : 0);

		if (c)
			return c;
	}
	return 0;
}

/* Where the pre-release part stands: a lone dev release comes before all of them, a final one after. */
static int pre_rank(const wp_version *v)
{
	if (v->pre)
		return v->pre;
	return v->dev && !v->post ? 0 : 127;
}

static bool all_digits(wp_str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (!wp_ascii_digit(s.p[i]))
			return false;
	return true;
}

/* Numbers by value and above words; the normal form has no leading zeros, so length decides first. */
static int cmp_local_part(wp_str a, wp_str b)
{
	bool da = all_digits(a), db = all_digits(b);

	if (da != db)
		return da ? 1 : -1;
	if (da && a.n != b.n)
		return a.n < b.n ? -1 : 1;
	return wp_str_cmp(a, b);
}

static int cmp_local(const char *a, const char *b)
{
	wp_str ra = wp_str_of(a), rb = wp_str_of(b), pa, pb;

	for (;;) {
		bool more_a = wp_str_split(&ra, '.', &pa), more_b = wp_str_split(&rb, '.', &pb);
		int c;

		if (!more_a || !more_b)
			return more_a - more_b;
		c = cmp_local_part(pa, pb);
		if (c)
			return c;
	}
}

static int cmp_public(const wp_version *a, const wp_version *b)
{
	int c = cmp_u64(a->epoch, b->epoch);

	if (c || (c = cmp_release(a, b)) != 0)
		return c;
	if ((c = pre_rank(a) - pre_rank(b)) != 0 || (c = cmp_u64(a->pre_n, b->pre_n)) != 0)
		return c;
	if ((c = a->post - b->post) != 0 || (c = cmp_u64(a->post_n, b->post_n)) != 0)
		return c;
	if ((c = b->dev - a->dev) != 0)
		return c;
	return cmp_u64(a->dev_n, b->dev_n);
}

int wp_version_cmp(const wp_version *a, const wp_version *b)
{
	int c = cmp_public(a, b);

	return c ? c : cmp_local(a->local, b->local);
}

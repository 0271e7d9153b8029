/* SPDX-License-Identifier: MIT */
#include "py/version.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text;
	wp_op op;
} ops[] = {{"===", WP_ARBITRARY}, {"==", WP_EQ}, {"!=", WP_NE}, {"<=", WP_LE}, {">=", WP_GE},
	{"~=", WP_COMPATIBLE}, {"<", WP_LT}, {">", WP_GT}};

enum { NOPS = sizeof ops / sizeof *ops };

/* A wildcard stands behind a bare release, and only with == and !=. */
static bool take_wildcard(wp_str *text, wp_specifier *s)
{
	if (!wp_str_ends(*text, ".*"))
		return true;
	s->wildcard = true;
	text->n -= 2;
	return s->op == WP_EQ || s->op == WP_NE;
}

static bool fits_operator(const wp_specifier *s)
{
	const wp_version *v = &s->version;

	if (s->wildcard)
		return !v->pre && !v->post && !v->dev && !v->local;
	if (s->op == WP_COMPATIBLE && v->nrelease < 2)
		return false;
	return !v->local || s->op == WP_EQ || s->op == WP_NE;
}

static bool arbitrary(wp_arena *a, wp_str text, wp_specifier *out)
{
	size_t i;

	for (i = 0; i < text.n; i++)
		if (wp_ascii_space(text.p[i]) || text.p[i] == ';' || text.p[i] == ')')
			return false;
	out->text = wp_str_dup(a, text);
	if (!wp_version_parse(a, text, &out->version))
		out->version = (wp_version){0};
	return text.n > 0;
}

static bool parse_one(wp_arena *a, wp_str text, wp_specifier *out)
{
	size_t i;

	*out = (wp_specifier){0};
	if (text.n > WP_MAX_VERSION)
		return false;
	for (i = 0; i < NOPS && !wp_str_starts(text, ops[i].text); i++)
		;
	if (i == NOPS)
		return false;
	out->op = ops[i].op;
	text = wp_str_trim(wp_str_sub(text, strlen(ops[i].text), text.n));
	if (out->op == WP_ARBITRARY)
		return arbitrary(a, text, out);
	out->text = wp_str_dup(a, text);
	return take_wildcard(&text, out) && wp_version_parse(a, text, &out->version) &&
		fits_operator(out);
}

static const char *op_text(wp_op op)
{
	size_t i;

	for (i = 0; i < NOPS && ops[i].op != op; i++)
		;
	return ops[i].text;
}

/* The same demand, though perhaps spelled otherwise. */
static bool same(const wp_specifier *a, const wp_specifier *b)
{
	if (a->op != b->op || a->wildcard != b->wildcard)
		return false;
	if (a->op == WP_ARBITRARY)
		return strcmp(a->text, b->text) == 0;
	if ((a->wildcard || a->op == WP_COMPATIBLE) && a->version.nrelease != b->version.nrelease)
		return false;
	return wp_version_cmp(&a->version, &b->version) == 0;
}

static const char *join(wp_arena *a, const wp_specifiers *s)
{
	const char **texts = WP_NEW_ARRAY(a, s->n, const char *);
	wp_buf b;
	size_t i, k, n = 0;

	for (i = 0; i < s->n; i++) {
		for (k = 0; k < i && !same(&s->v[k], &s->v[i]); k++)
			;
		if (k == i)
			texts[n++] = wp_sprintf(a, "%s%s", op_text(s->v[i].op), s->v[i].text);
	}
	if (n)
		qsort(texts, n, sizeof *texts, wp_cmp_cstr);
	wp_buf_init(&b, SIZE_MAX / 2);
	for (i = 0; i < n; i++) {
		wp_buf_puts(&b, i ? "," : "");
		wp_buf_puts(&b, texts[i]);
	}
	return wp_buf_take(&b, a).p;
}

enum { MAX_SPECIFIERS = 1024 }; /* in one set; real ones have a dozen */

bool wp_specifiers_parse(wp_arena *a, wp_str text, wp_specifiers *out)
{
	WP_VEC(wp_specifier) v = {0};
	wp_str part;
	bool ok = true;

	while (ok && wp_str_split(&text, ',', &part)) {
		wp_specifier one;

		part = wp_str_trim(part);
		if (part.n == 0)
			continue;
		ok = v.n < MAX_SPECIFIERS && parse_one(a, part, &one);
		if (ok)
			WP_PUSH(&v, one);
	}
	*out = (wp_specifiers){.v = WP_VEC_COPY(a, &v), .n = v.n};
	WP_VEC_FREE(&v);
	out->norm = ok ? join(a, out) : "";
	return ok;
}

/* a's first n release numbers are b's. */
static bool same_start(const wp_version *a, const wp_version *b, size_t n)
{
	size_t i;

	if (a->epoch != b->epoch)
		return false;
	for (i = 0; i < n; i++)
		if ((i < a->nrelease ? a->release[i] : 0) != (i < b->nrelease ? b->release[i] : 0))
			return false;
	return true;
}

static bool same_base(const wp_version *a, const wp_version *b)
{
	return same_start(a, b, a->nrelease > b->nrelease ? a->nrelease : b->nrelease);
}

static int cmp_without_local(wp_version v, const wp_version *spec)
{
	v.local = NULL;
	return wp_version_cmp(&v, spec);
}

static bool equal(const wp_specifier *s, const wp_version *v)
{
	if (s->wildcard)
		return same_start(v, &s->version, s->version.nrelease);
	if (s->version.local)
		return wp_version_cmp(v, &s->version) == 0;
	return cmp_without_local(*v, &s->version) == 0;
}

/* <1.0 leaves out 1.0a1, and <1.0.post1 leaves out 1.0.post1.dev1: whoever asks for less than a release wants no
 * pre-release of it. */
static bool less(const wp_specifier *s, const wp_version *v)
{
	const wp_version *limit = &s->version;
	bool ahead_of_limit;

	if (wp_version_cmp(v, limit) >= 0)
		return false;
	ahead_of_limit = wp_version_prerelease(v) && same_base(v, limit);
	if (limit->post)
		ahead_of_limit &= !v->pre && v->post && v->post_n == limit->post_n;
	return wp_version_prerelease(limit) || !ahead_of_limit;
}

/* >1.0 leaves out 1.0.post1, >1.0a1 leaves out 1.0a1.post1, and both leave out +local. */
static bool greater(const wp_specifier *s, const wp_version *v)
{
	wp_version without_post = *v;

	if (cmp_without_local(*v, &s->version) <= 0)
		return false;
	if (s->version.post || !v->post)
		return true;
	without_post.post = without_post.dev = false;
	without_post.post_n = without_post.dev_n = 0;
	return cmp_without_local(without_post, &s->version) != 0;
}

static bool same_text(const char *a, const char *b)
{
	for (; *a && wp_ascii_lower(*a) == wp_ascii_lower(*b); a++, b++)
		;
	return wp_ascii_lower(*a) == wp_ascii_lower(*b);
}

static bool match_one(const wp_specifier *s, const wp_version *v)
{
	switch (s->op) {
	case WP_EQ:
		return equal(s, v);
	case WP_NE:
		return !equal(s, v);
	case WP_LE:
		return cmp_without_local(*v, &s->version) <= 0;
	case WP_GE:
		return cmp_without_local(*v, &s->version) >= 0;
	case WP_LT:
		return less(s, v);
	case WP_GT:
		return greater(s, v);
	case WP_COMPATIBLE:
		return cmp_without_local(*v, &s->version) >= 0 &&
			same_start(v, &s->version, s->version.nrelease - 1);
	case WP_ARBITRARY:
		return same_text(s->text, v->text);
	}
	return false;
}

bool wp_specifiers_match(const wp_specifiers *s, const wp_version *v)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!match_one(&s->v[i], v))
			return false;
	return true;
}

bool wp_specifiers_pinned(const wp_specifiers *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].op == WP_ARBITRARY || (s->v[i].op == WP_EQ && !s->v[i].wildcard))
			return true;
	return false;
}

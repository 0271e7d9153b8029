/* SPDX-License-Identifier: MIT */
#include "py/version_key.h"
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
	return (s->op == WP_EQ || s->op == WP_NE) && text->n && wp_ascii_alnum(text->p[text->n - 1]);
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

	if (!wp_utf8_valid(text))
		return false;
	for (i = 0; i < text.n; i++)
		if (wp_ascii_space(text.p[i]) || text.p[i] == ';' || text.p[i] == ')')
			return false;
	out->text = wp_str_dup(a, text);
	wp_version_parse(a, text, &out->version);
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

static int cmp_size(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

/* The same demand is 0, though it may be spelled otherwise. */
static int cmp_demand(const wp_specifier *a, const wp_specifier *b)
{
	int c = cmp_size(a->op, b->op);

	if (c || (c = a->wildcard - b->wildcard) != 0)
		return c;
	if (a->op == WP_ARBITRARY)
		return strcmp(a->text, b->text);
	if (a->wildcard || a->op == WP_COMPATIBLE)
		c = cmp_size(a->version.nrelease, b->version.nrelease);
	return c ? c : wp_version_cmp(&a->version, &b->version);
}

/* Of several spellings the one that sorts first stands first. */
static int by_demand(const void *pa, const void *pb)
{
	const wp_specifier *const *a = pa, *const *b = pb;
	int c = cmp_demand(*a, *b);

	return c ? c : strcmp((*a)->text, (*b)->text);
}

static const char *join(wp_arena *a, const wp_specifiers *s)
{
	const wp_specifier **v = WP_NEW_ARRAY(a, s->n, const wp_specifier *);
	const char **texts = WP_NEW_ARRAY(a, s->n, const char *);
	wp_buf b;
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		v[i] = &s->v[i];
	if (s->n)
		qsort(v, s->n, sizeof *v, by_demand);
	for (i = 0; i < s->n; i++)
		if (i == 0 || cmp_demand(v[i - 1], v[i]) != 0)
			texts[n++] = wp_sprintf(a, "%s%s", op_text(v[i]->op), v[i]->text);
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

static void finish(wp_arena *a, wp_specifiers *s)
{
	if (s->n == 0)
		return;
	s->norm = join(a, s);
	wp_specifiers_span(a, s);
}

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
	*out = (wp_specifiers){.v = WP_VEC_COPY(a, &v), .n = v.n, .norm = ""};
	WP_VEC_FREE(&v);
	if (ok)
		finish(a, out);
	return ok;
}

bool wp_specifiers_parse_one(wp_arena *a, wp_str text, wp_specifiers *out)
{
	wp_specifier *one = WP_NEW(a, wp_specifier);
	bool ok = parse_one(a, wp_str_trim(text), one);

	*out = (wp_specifiers){.v = one, .n = ok, .norm = ""};
	if (ok)
		finish(a, out);
	return ok;
}

bool wp_specifiers_name_prerelease(const wp_specifiers *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].op != WP_NE && !s->v[i].wildcard && wp_version_prerelease(&s->v[i].version))
			return true;
	return false;
}

bool wp_specifiers_pinned(const wp_specifiers *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].op == WP_ARBITRARY || (s->v[i].op == WP_EQ && !s->v[i].wildcard))
			return true;
	return false;
}

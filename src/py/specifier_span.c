/* SPDX-License-Identifier: MIT */
#include "py/version_key.h"

#include <stdlib.h>

static wp_span all(void)
{
	return (wp_span){wp_key_first, wp_key_last};
}

/* <1.0 leaves out 1.0a1, and <1.0.post1 leaves out 1.0.post1.dev1: whoever asks for less than a release wants no
 * pre-release of it. */
static wp_place below(const wp_version *v)
{
	return wp_version_prerelease(v) ? WP_PLACE_BEFORE : WP_PLACE_BEFORE_DEV;
}

/* >1.0 leaves out 1.0.post1 and >1.0a1 leaves out 1.0a1.post1; no dev release has posts. */
static wp_place above(const wp_version *v)
{
	return v->post || v->dev ? WP_PLACE_AFTER : WP_PLACE_AFTER_POSTS;
}

/* The one span of a specifier; of != the one that it takes out. A label that is not asked for does not count. */
static wp_span span_of(wp_arena *a, const wp_specifier *s)
{
	const wp_version *v = &s->version;
	wp_span x = all();

	switch (s->op) {
	case WP_EQ:
	case WP_NE:
		if (s->wildcard)
			return (wp_span){wp_key_series(a, v, v->nrelease), wp_key_series_end(a, v, v->nrelease)};
		if (v->local)
			return (wp_span){v->key, wp_key_place(a, v, WP_PLACE_AFTER_EXACT)};
		return (wp_span){wp_key_place(a, v, WP_PLACE_BEFORE), wp_key_place(a, v, WP_PLACE_AFTER)};
	case WP_COMPATIBLE:
		return (wp_span){wp_key_place(a, v, WP_PLACE_BEFORE), wp_key_series_end(a, v, v->nrelease - 1)};
	case WP_LE:
		x.to = wp_key_place(a, v, WP_PLACE_AFTER);
		break;
	case WP_LT:
		x.to = wp_key_place(a, v, below(v));
		break;
	case WP_GE:
		x.from = wp_key_place(a, v, WP_PLACE_BEFORE);
		break;
	case WP_GT:
		x.from = wp_key_place(a, v, above(v));
		break;
	case WP_ARBITRARY:
		break;
	}
	return x;
}

static int by_from(const void *pa, const void *pb)
{
	const wp_span *a = pa, *b = pb;

	return wp_key_cmp(&a->from, &b->from);
}

/* What is left of x between the holes. */
static void cut(wp_span x, const wp_span *holes, size_t n, wp_span *out, size_t *nout)
{
	size_t i;

	for (i = 0; i < n && wp_key_cmp(&x.from, &x.to) < 0; i++) {
		if (wp_key_cmp(&x.from, &holes[i].from) < 0) {
			bool ends = wp_key_cmp(&x.to, &holes[i].from) <= 0;

			out[(*nout)++] = (wp_span){x.from, ends ? x.to : holes[i].from};
		}
		if (wp_key_cmp(&x.from, &holes[i].to) < 0)
			x.from = holes[i].to;
	}
	if (wp_key_cmp(&x.from, &x.to) < 0)
		out[(*nout)++] = x;
}

void wp_specifiers_span(wp_arena *a, wp_specifiers *s)
{
	wp_span *holes = WP_NEW_ARRAY(a, s->n, wp_span), *spans = WP_NEW_ARRAY(a, s->n + 1, wp_span), x = all();
	size_t i, n = 0;

	for (i = 0; i < s->n; i++) {
		wp_span one = span_of(a, &s->v[i]);

		s->by_text |= s->v[i].op == WP_ARBITRARY;
		if (s->v[i].op == WP_NE) {
			holes[n++] = one;
			continue;
		}
		if (wp_key_cmp(&x.from, &one.from) < 0)
			x.from = one.from;
		if (wp_key_cmp(&one.to, &x.to) < 0)
			x.to = one.to;
	}
	if (n)
		qsort(holes, n, sizeof *holes, by_from);
	cut(x, holes, n, spans, &s->nspans);
	s->spans = spans;
}

static bool in_spans(const wp_specifiers *s, const wp_version *v)
{
	size_t low = 0, high = s->nspans;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (wp_version_before(v, &s->spans[mid].to))
			high = mid;
		else
			low = mid + 1;
	}
	return low < s->nspans && !wp_version_before(v, &s->spans[low].from);
}

bool wp_specifiers_match(const wp_specifiers *s, const wp_version *v)
{
	bool parsed = v->key.n > 0;
	size_t i;

	if (s->n == 0)
		return true;
	if (parsed && !in_spans(s, v))
		return false;
	if (parsed && !s->by_text)
		return true;
	for (i = 0; i < s->n; i++)
		if (s->v[i].op != WP_ARBITRARY ? !parsed : !wp_str_is_nocase(wp_str_of(s->v[i].text), v->text))
			return false;
	return true;
}

/* What is no version counts as no pre-release, but neither as a reason to leave pre-releases out. */
void wp_specifiers_filter(const wp_specifiers *s, const wp_version *v, size_t n, wp_prereleases pre, bool *in)
{
	bool final = false;
	size_t i;

	for (i = 0; i < n; i++) {
		in[i] = wp_specifiers_match(s, &v[i]);
		final |= in[i] && v[i].key.n && !wp_version_prerelease(&v[i]);
	}
	if (pre == WP_PRE_YES || (pre == WP_PRE_AUTO && (!final || wp_specifiers_name_prerelease(s))))
		return;
	for (i = 0; i < n; i++)
		in[i] = in[i] && !wp_version_prerelease(&v[i]);
}

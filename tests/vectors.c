/* SPDX-License-Identifier: MIT */
/* vectors FILE: replays cases that the projects which define Python packaging wrote for their own tests (a JSON file,
 * not part of this repository) and prints one line a kind. What the product has no function for, or decides
 * otherwise on purpose, is counted as skipped, never as passed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/vec.h"
#include "py/name.h"
#include "py/requirement.h"
#include "py/tag.h"
#include "wheelpack/lock.h"

/* ---- the file as a tree --------------------------------------------------------------------- */

typedef struct value {
	wp_json_kind kind;
	wp_str text; /* string, or the digits of a number */
	bool truth;
	struct value *items; /* array and object */
	wp_str *keys;	     /* object */
	size_t n;
} value;

static wp_arena *arena; /* freed after each row */
static const value absent = {.kind = WP_JSON_NULL};

static void read_value(wp_json *j, value *out);

static void read_items(wp_json *j, value *out)
{
	WP_VEC(value) items = {0};
	WP_VEC(wp_str) keys = {0};
	bool object = out->kind == WP_JSON_OBJECT;
	wp_str key = {0};

	if (object ? wp_json_object(j) : wp_json_array(j))
		while (object ? wp_json_key(j, &key) : wp_json_item(j)) {
			value v;

			read_value(j, &v);
			WP_PUSH(&items, v);
			WP_PUSH(&keys, wp_str_copy(j->a, key));
		}
	out->items = WP_VEC_COPY(j->a, &items);
	out->keys = WP_VEC_COPY(j->a, &keys);
	out->n = items.n;
	WP_VEC_FREE(&items);
	WP_VEC_FREE(&keys);
}

static void read_value(wp_json *j, value *out)
{
	const char *from;

	*out = (value){.kind = wp_json_peek(j)};
	switch (out->kind) {
	case WP_JSON_STRING:
		wp_json_string(j, &out->text);
		break;
	case WP_JSON_BOOL:
		wp_json_bool(j, &out->truth);
		break;
	case WP_JSON_ARRAY:
	case WP_JSON_OBJECT:
		read_items(j, out);
		break;
	case WP_JSON_NUMBER:
		from = j->p;
		wp_json_skip(j);
		out->text = wp_str_trim((wp_str){from, (size_t)(j->p - from)});
		break;
	case WP_JSON_NULL:
		wp_json_skip(j);
		break;
	}
}

static const value *get(const value *object, const char *key)
{
	size_t i;

	for (i = 0; object->kind == WP_JSON_OBJECT && i < object->n; i++)
		if (wp_str_is(object->keys[i], key))
			return &object->items[i];
	return &absent;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef enum verdict { PASS, FAIL, SKIP } verdict;

typedef struct row {
	const value *columns, *cells, *out;
	char said[4096]; /* what the product answered instead */
} row;

static const value *cell(const row *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->columns->n; i++)
		if (wp_str_is(r->columns->items[i].text, name))
			return &r->cells->items[i];
	return &absent;
}

static bool is_error(const row *r)
{
	return get(r->out, "error")->kind != WP_JSON_NULL;
}

static verdict say(row *r, const char *fmt, ...) WP_PRINTF(2, 3);

static verdict say(row *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->said, sizeof r->said, fmt, ap);
	va_end(ap);
	return FAIL;
}

/* The product's word against the file's; NULL is null. */
static verdict same_text(row *r, const char *what, const char *got, const value *want)
{
	if (want->kind == WP_JSON_NULL ? !got : got && wp_str_is(want->text, got))
		return PASS;
	return say(r, "%s is %s", what, got ? got : "null");
}

static bool same_number(bool there, uint64_t got, const value *want)
{
	uint64_t n;

	if (want->kind == WP_JSON_NULL)
		return !there;
	return there && wp_str_u64(want->text, &n) && n == got;
}

/* The product refused: right if the file does too. */
static verdict refused(row *r, const char *why)
{
	return is_error(r) ? PASS : say(r, "refused: %s", why);
}

/* ---- versions and specifiers ----------------------------------------------------------------- */

static bool same_release(const wp_version *v, const value *want)
{
	size_t i;

	for (i = 0; i < want->n && i < v->nrelease; i++)
		if (!same_number(true, v->release[i], &want->items[i]))
			return false;
	return want->n == v->nrelease;
}

static bool same_pre(const wp_version *v, const value *want)
{
	const char *letters = v->pre == 'r' ? "rc" : v->pre == 'a' ? "a" : "b";

	if (want->kind == WP_JSON_NULL)
		return !v->pre;
	return v->pre && wp_str_is(want->items[0].text, letters) &&
		same_number(true, v->pre_n, &want->items[1]);
}

static verdict do_version(row *r)
{
	const value *o = r->out;
	wp_version v;

	if (!wp_version_parse(arena, cell(r, "in")->text, &v))
		return refused(r, "");
	if (is_error(r))
		return say(r, "taken");
	if (same_text(r, "norm", v.norm, get(o, "str")) || same_text(r, "local", v.local, get(o, "local")) ||
		same_text(r, "public", wp_version_public(arena, &v), get(o, "public")))
		return FAIL;
	if (!same_release(&v, get(o, "release")) || !same_pre(&v, get(o, "pre")) ||
		!same_number(true, v.epoch, get(o, "epoch")) || !same_number(v.post, v.post_n, get(o, "post")) ||
		!same_number(v.dev, v.dev_n, get(o, "dev")) ||
		wp_version_prerelease(&v) != get(o, "is_prerelease")->truth)
		return say(r, "parts differ");
	return PASS;
}

typedef struct ranked {
	wp_version v;
	int rank;
} ranked;

static verdict all_pairs(row *r, const ranked *v, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			int c = wp_version_cmp(&v[i].v, &v[k].v);

			if ((c > 0) - (c < 0) != (v[i].rank > v[k].rank) - (v[i].rank < v[k].rank))
				return say(r, "%s against %s is %d", v[i].v.text, v[k].v.text, c);
		}
	return PASS;
}

static void push_ranked(wp_arena *a, ranked *v, size_t *n, const value *text, int rank)
{
	if (wp_version_parse(a, text->text, &v[*n].v))
		v[(*n)++].rank = rank;
}

static verdict do_version_order(row *r)
{
	const value *o = r->out;
	size_t i, k, n = 0, total = 0;
	ranked *v;

	for (i = 0; i < o->n; i++)
		total += o->items[i].kind == WP_JSON_ARRAY ? o->items[i].n : 1;
	v = WP_NEW_ARRAY(arena, total, ranked);
	for (i = 0; i < o->n; i++) {
		const value *group = &o->items[i];

		if (group->kind != WP_JSON_ARRAY)
			push_ranked(arena, v, &n, group, (int)i);
		for (k = 0; group->kind == WP_JSON_ARRAY && k < group->n; k++)
			push_ranked(arena, v, &n, &group->items[k], (int)i);
	}
	return n == total ? all_pairs(r, v, n) : say(r, "a version was refused");
}

static verdict same_specifiers(row *r, const wp_specifiers *s)
{
	const value *pre = get(r->out, "prereleases");

	if (same_text(r, "norm", s->norm, get(r->out, "str")))
		return FAIL;
	if (pre->kind == WP_JSON_BOOL && pre->truth != wp_specifiers_name_prerelease(s))
		return say(r, "prereleases is %d", wp_specifiers_name_prerelease(s));
	return PASS;
}

static verdict do_specifier(row *r)
{
	wp_str text = cell(r, "in")->text;
	wp_specifiers s;

	/* The product has sets only, and in a set a comma parts two specifiers. */
	if (wp_str_find(text, ',') < text.n)
		return SKIP;
	if (!wp_specifiers_parse(arena, text, &s) || s.n != 1)
		return refused(r, "");
	return is_error(r) ? say(r, "taken") : same_specifiers(r, &s);
}

static verdict do_specifier_set(row *r)
{
	wp_specifiers s;

	if (!wp_specifiers_parse(arena, cell(r, "in")->text, &s))
		return refused(r, "");
	return is_error(r) ? say(r, "taken") : same_specifiers(r, &s);
}

static verdict do_specifier_and(row *r)
{
	wp_str l = cell(r, "left")->text, right = cell(r, "right")->text;
	wp_specifiers s;

	if (!wp_specifiers_parse(arena, wp_str_of(wp_sprintf(arena, "%s,%s", l.p, right.p)), &s))
		return refused(r, "");
	return same_text(r, "norm", s.norm, r->out);
}

/* Whether pre-releases are offered is the caller's business in the product, and so it is here. */
static bool prereleases_refused(const row *r)
{
	const value *asked = cell(r, "prereleases"), *configured = cell(r, "configured");

	if (cell(r, "installed")->truth)
		return false;
	if (asked->kind == WP_JSON_NULL)
		asked = configured;
	return asked->kind == WP_JSON_BOOL && !asked->truth;
}

static verdict do_contains(row *r)
{
	wp_specifiers s;
	wp_version v;
	bool got;

	if (!wp_specifiers_parse(arena, cell(r, "spec")->text, &s))
		return refused(r, "specifier");
	if (!wp_version_parse(arena, cell(r, "item")->text, &v))
		return SKIP; /* candidates of the product always have a version */
	got = wp_specifiers_match(&s, &v) && !(prereleases_refused(r) && wp_version_prerelease(&v));
	if (r->out->kind != WP_JSON_BOOL || got != r->out->truth)
		return say(r, "%d", got);
	return PASS;
}

/* ---- markers and requirements ---------------------------------------------------------------- */

static verdict do_marker(row *r)
{
	wp_error e = {0};
	wp_marker *m = wp_marker_parse(arena, cell(r, "in")->text, &e);

	if (!m)
		return refused(r, e.why);
	return is_error(r) ? say(r, "taken") : same_text(r, "text", wp_marker_text(arena, m), get(r->out, "str"));
}

static void fill_env(const value *env, wp_markers *out)
{
	const struct {
		const char *name, **field;
	} vars[] = {{"os_name", &out->os_name}, {"sys_platform", &out->sys_platform},
		{"platform_machine", &out->platform_machine},
		{"platform_python_implementation", &out->platform_python_implementation},
		{"platform_release", &out->platform_release}, {"platform_system", &out->platform_system},
		{"platform_version", &out->platform_version}, {"python_version", &out->python_version},
		{"python_full_version", &out->python_full_version},
		{"implementation_name", &out->implementation_name},
		{"implementation_version", &out->implementation_version}};
	size_t i;

	for (i = 0; i < sizeof vars / sizeof *vars; i++)
		if (get(env, vars[i].name)->kind == WP_JSON_STRING)
			*vars[i].field = get(env, vars[i].name)->text.p;
}

static verdict do_marker_eval(row *r)
{
	const value *env = cell(r, "env"), *set = get(get(env, "extras"), "set");
	const char *extras[16];
	wp_markers markers = {0};
	wp_error e = {0};
	wp_marker *m = wp_marker_parse(arena, cell(r, "marker")->text, &e);
	size_t n = 0, i;
	bool got;

	/* Where others raise, a comparison without meaning is false; there are no dependency groups. */
	if (is_error(r) || get(env, "dependency_groups")->kind != WP_JSON_NULL)
		return SKIP;
	if (!m)
		return refused(r, e.why);
	fill_env(env, &markers);
	for (i = 0; i < set->n && i < 16; i++)
		extras[n++] = wp_name_normalize(arena, set->items[i].text);
	if (get(env, "extra")->kind == WP_JSON_STRING)
		extras[n++] = wp_name_normalize(arena, get(env, "extra")->text);
	got = wp_marker_eval(m, &markers, extras, n);
	return got == r->out->truth ? PASS : say(r, "%d", got);
}

/* The file writes extras as they were given; the product normalises them. */
static const char *with_normal_extras(wp_str text, const wp_requirement *q)
{
	size_t open = wp_str_find(text, '['), close = wp_str_find(text, ']'), i;
	wp_buf b;

	if (q->nextras == 0 || close == text.n || open > close)
		return text.p;
	wp_buf_init(&b, 1 << 16);
	wp_buf_str(&b, wp_str_sub(text, 0, open + 1));
	for (i = 0; i < q->nextras; i++)
		wp_buf_printf(&b, "%s%s", i ? "," : "", q->extras[i]);
	wp_buf_str(&b, wp_str_sub(text, close, text.n));
	return wp_buf_take(&b, arena).p;
}

static bool same_extras(const wp_requirement *q, const value *want)
{
	size_t i, k;

	for (i = 0; i < want->n; i++) {
		const char *name = wp_name_normalize(arena, want->items[i].text);

		for (k = 0; k < q->nextras && strcmp(q->extras[k], name) != 0; k++)
			;
		if (k == q->nextras)
			return false;
	}
	return true;
}

static verdict do_requirement(row *r)
{
	const value *o = r->out;
	wp_requirement q;
	wp_error e = {0};
	value text;

	if (wp_requirement_parse(arena, cell(r, "in")->text, &q, &e))
		return refused(r, e.why);
	if (is_error(r))
		return say(r, "taken");
	text = *get(o, "str");
	text.text = wp_str_of(with_normal_extras(text.text, &q));
	if (!same_extras(&q, get(o, "extras")))
		return say(r, "extras differ");
	if (same_text(r, "name", q.name, get(o, "name")) || same_text(r, "url", q.url, get(o, "url")) ||
		same_text(r, "specifier", q.specifiers.norm, get(o, "specifier")) ||
		same_text(r, "marker", q.marker ? wp_marker_text(arena, q.marker) : NULL, get(o, "marker")) ||
		same_text(r, "text", wp_requirement_text(arena, &q), &text))
		return FAIL;
	return PASS;
}

/* ---- names ------------------------------------------------------------------------------------ */

static verdict do_canonicalize_name(row *r)
{
	wp_str name = cell(r, "name")->text;

	if (cell(r, "validate")->truth && !wp_name_valid(name))
		return refused(r, "");
	return is_error(r) ? say(r, "taken") : same_text(r, "name", wp_name_normalize(arena, name), r->out);
}

static verdict do_is_normalized_name(row *r)
{
	wp_str name = cell(r, "in")->text;
	bool got = wp_name_valid(name) && wp_str_is(name, wp_name_normalize(arena, name));

	return got == r->out->truth ? PASS : say(r, "%d", got);
}

static verdict do_canonicalize_version(row *r)
{
	wp_version v;

	if (cell(r, "strip")->truth || !wp_version_parse(arena, cell(r, "version")->text, &v))
		return SKIP; /* no function leaves out trailing zeros: versions are compared, not their texts */
	return same_text(r, "norm", v.norm, r->out);
}

/* ---- main ------------------------------------------------------------------------------------- */

static const struct {
	const char *kind;
	verdict (*replay)(row *r);
} kinds[] = {{"version", do_version}, {"version_order", do_version_order}, {"version_sort", do_version_order},
	{"specifier", do_specifier}, {"specifier_set", do_specifier_set}, {"specifier_and", do_specifier_and},
	{"contains", do_contains}, {"marker", do_marker}, {"marker_eval", do_marker_eval},
	{"requirement", do_requirement}, {"canonicalize_name", do_canonicalize_name},
	{"is_normalized_name", do_is_normalized_name}, {"canonicalize_version", do_canonicalize_version},
};

enum { SHOW = 10 }; /* failures of one kind that are shown */

static verdict replay_row(verdict (*replay)(row *r), const char *kind, const value *columns, const value *cells,
	bool show)
{
	row r = {.columns = columns, .cells = cells, .out = &cells->items[columns->n - 2]};
	verdict v;

	arena = wp_arena_new();
	v = replay(&r);
	wp_arena_free(arena);
	if (v == FAIL && show) {
		size_t i;

		printf("  %s", kind);
		for (i = 0; i + 1 < columns->n; i++)
			if (cells->items[i].kind == WP_JSON_STRING)
				printf(" | %.200s", cells->items[i].text.p);
		printf(" | %s\n", r.said);
	}
	return v;
}

static size_t replay_kind(const char *kind, const value *v)
{
	const value *columns = get(v, "columns"), *rows = get(v, "rows");
	size_t i, k, count[3] = {0};

	for (k = 0; k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].kind, kind) != 0; k++)
		;
	if (k == sizeof kinds / sizeof *kinds) {
		printf("%s: skipped, %zu rows\n", kind, rows->n);
		return 0;
	}
	for (i = 0; i < rows->n; i++)
		count[replay_row(kinds[k].replay, kind, columns, &rows->items[i], count[FAIL] < SHOW)]++;
	printf("%s: %zu passed, %zu failed", kind, count[PASS], count[FAIL]);
	if (count[SKIP])
		printf(", %zu skipped", count[SKIP]);
	printf("\n");
	return count[FAIL];
}

static size_t replay_text(wp_str text)
{
	wp_error e = {0};
	wp_arena *a = wp_arena_new();
	const value *all;
	wp_json j;
	value root;
	size_t i, failed = 0;

	wp_json_init(&j, a, text, WP_E_DOCUMENT, &e);
	read_value(&j, &root);
	if (wp_json_end(&j)) {
		printf("vectors: %s (%s)\n", e.why, e.where);
		failed = 1;
	} else {
		all = get(&root, "kinds");
		for (i = 0; i < all->n; i++)
			failed += replay_kind(all->keys[i].p, &all->items[i]);
	}
	wp_arena_free(a);
	return failed;
}

int main(int argc, char **argv)
{
	FILE *f;
	wp_buf b;
	char part[65536];
	size_t n, failed;

	if (argc < 2) {
		printf("skipped: vectors of the packaging standards (name the file: make vectors VECTORS=packaging.json)\n");
		return 0;
	}
	f = fopen(argv[1], "rb");
	if (!f) {
		perror(argv[1]);
		return 2;
	}
	wp_buf_init(&b, WP_MAX_DOCUMENT);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		wp_buf_add(&b, part, n);
	fclose(f);
	failed = replay_text(wp_buf_view(&b));
	wp_buf_free(&b);
	return failed ? 1 : 0;
}

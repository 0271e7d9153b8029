/* SPDX-License-Identifier: MIT */
#include "vectors.h"

#include "py/name.h"
#include "py/requirement.h"

verdict do_marker(row *r)
{
	wp_error e = {0};
	wp_marker *m = wp_marker_parse(r->a, cell(r, "in")->text, &e);

	if (!m)
		return refused(r, e.why);
	return is_error(r) ? say(r, "taken") : same_text(r, "text", wp_marker_text(r->a, m), get(r->out, "str"));
}

void fill_env(const value *env, wp_markers *out)
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

static void fill_set(row *r, const value *set, bool known, wp_marker_set *out)
{
	const char **v = WP_NEW_ARRAY(r->a, set->n, const char *);
	size_t i;

	for (i = 0; i < set->n; i++)
		v[i] = wp_name_normalize(r->a, set->items[i].text);
	*out = (wp_marker_set){known || set->kind == WP_JSON_ARRAY, v, set->n};
}

verdict do_marker_eval(row *r)
{
	const value *env = cell(r, "env"), *extra = get(env, "extra");
	bool got, in_lock = wp_str_is(cell(r, "context")->text, "lock_file");
	wp_markers markers = {0};
	wp_marker_ask ask = {.env = &markers};
	wp_error e = {0};
	wp_marker *m = wp_marker_parse(r->a, cell(r, "marker")->text, &e);

	if (!m)
		return refused(r, e.why);
	fill_env(env, &markers);
	if (extra->kind == WP_JSON_STRING)
		ask.extra = wp_name_normalize(r->a, extra->text);
	else if (wp_str_is(cell(r, "context")->text, "metadata"))
		ask.extra = "";
	fill_set(r, get(get(env, "extras"), "set"), in_lock, &ask.extras);
	fill_set(r, get(get(env, "dependency_groups"), "set"), in_lock, &ask.groups);
	if (wp_marker_judge(m, &ask, &got, &e))
		return refused(r, e.why);
	return !is_error(r) && got == r->out->truth ? PASS : say(r, "%d", got);
}

/* The file writes extras as they were given; the product normalises them. */
static const char *with_normal_extras(wp_arena *a, wp_str text, const wp_requirement *q)
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
	return wp_buf_take(&b, a).p;
}

static bool same_extras(wp_arena *a, const wp_requirement *q, const value *want)
{
	size_t i, k;

	for (i = 0; i < want->n; i++) {
		const char *name = wp_name_normalize(a, want->items[i].text);

		for (k = 0; k < q->nextras && strcmp(q->extras[k], name) != 0; k++)
			;
		if (k == q->nextras)
			return false;
	}
	return true;
}

verdict do_requirement(row *r)
{
	const value *o = r->out;
	wp_requirement q;
	wp_error e = {0};
	value text;

	if (wp_requirement_parse(r->a, cell(r, "in")->text, &q, &e))
		return refused(r, e.why);
	if (is_error(r))
		return say(r, "taken");
	text = *get(o, "str");
	text.text = wp_str_of(with_normal_extras(r->a, text.text, &q));
	if (!same_extras(r->a, &q, get(o, "extras")))
		return say(r, "extras differ");
	if (same_text(r, "name", q.name, get(o, "name")) || same_text(r, "url", q.url, get(o, "url")) ||
		same_text(r, "specifier", q.specifiers.norm, get(o, "specifier")) ||
		same_text(r, "marker", q.marker ? wp_marker_text(r->a, q.marker) : NULL, get(o, "marker")) ||
		same_text(r, "text", wp_requirement_text(r->a, &q), &text))
		return FAIL;
	return PASS;
}

/* SPDX-License-Identifier: MIT */
#include "vectors.h"

#include "py/direct_url.h"
#include "py/pylock.h"

/* ---- pylock.toml ------------------------------------------------------------------------------ */

static void toml_of(row *r, const value *v, wp_toml *out);

static void table_of(row *r, const value *v, wp_toml *out)
{
	wp_toml *items = WP_NEW_ARRAY(r->a, v->n, wp_toml);
	const char **keys = WP_NEW_ARRAY(r->a, v->n, const char *);
	size_t i;

	for (i = 0; i < v->n; i++) {
		toml_of(r, &v->items[i], &items[i]);
		keys[i] = v->kind == WP_JSON_OBJECT ? v->keys[i].p : NULL;
	}
	out->kind = v->kind == WP_JSON_OBJECT ? WP_TOML_TABLE : WP_TOML_ARRAY;
	out->items = items;
	out->keys = keys;
	out->n = v->n;
}

/* TOML has no null, so none is there; {"datetime": ...} is a time. */
static void toml_of(row *r, const value *v, wp_toml *out)
{
	uint64_t n;

	*out = (wp_toml){.text = v->text.p, .truth = v->truth, .kind = WP_TOML_STRING};
	if (v->kind == WP_JSON_BOOL)
		out->kind = WP_TOML_BOOL;
	if (v->kind == WP_JSON_NUMBER) {
		bool negative = wp_str_starts(v->text, "-");

		out->kind = wp_str_u64(wp_str_sub(v->text, negative, v->text.n), &n) ? WP_TOML_INTEGER : WP_TOML_FLOAT;
		if (out->kind == WP_TOML_INTEGER)
			out->number = negative ? -(int64_t)n : (int64_t)n;
	}
	if (v->kind == WP_JSON_ARRAY || (v->kind == WP_JSON_OBJECT && get(v, "datetime")->kind != WP_JSON_STRING))
		table_of(r, v, out);
	else if (v->kind == WP_JSON_OBJECT)
		*out = (wp_toml){.kind = WP_TOML_TIME, .text = get(v, "datetime")->text.p};
}

static int read_lock(row *r, wp_pylock *out, wp_error *e)
{
	wp_toml *t = WP_NEW(r->a, wp_toml);

	toml_of(r, cell(r, "doc"), t);
	return wp_pylock_read(r->a, t, out, e);
}

verdict do_pylock(row *r)
{
	wp_pylock lock;
	wp_error e = {0};

	if (read_lock(r, &lock, &e))
		return refused(r, e.why);
	return is_error(r) ? say(r, "taken") : PASS;
}

verdict do_pylock_path(row *r)
{
	bool got = wp_pylock_filename(cell(r, "in")->text.p);

	return got == r->out->truth ? PASS : say(r, "%d", got);
}

static verdict same_choice(row *r, const wp_pylock_choice *c, const value *want)
{
	static const char *const kinds[] = {"wheel", "sdist", "archive", "directory", "vcs"};

	if (same_text(r, "name", c->package->name, get(want, "name")) ||
		same_text(r, "version", c->package->version, get(want, "version")) ||
		same_text(r, "type", kinds[c->source->kind], get(want, "type")))
		return FAIL;
	if (!c->source->filename) /* a directory or a repository has none */
		return PASS;
	return same_text(r, "dist", c->source->filename, get(want, "dist"));
}

verdict do_pylock_select(row *r)
{
	const value *groups = cell(r, "groups");
	wp_markers env = {0};
	wp_pylock_ask ask = {.env = &env, .default_groups = groups->kind == WP_JSON_NULL};
	const wp_pylock_choice *v;
	wp_pylock lock;
	wp_error e = {0};
	size_t n, i;

	fill_env(cell(r, "env"), &env);
	ask.tags = texts(r, cell(r, "tags"), &ask.ntags);
	ask.extras = texts(r, cell(r, "extras"), &ask.nextras);
	ask.groups = texts(r, groups, &ask.ngroups);
	if (read_lock(r, &lock, &e) || wp_pylock_select(r->a, &lock, &ask, &v, &n, &e))
		return refused(r, e.why);
	if (is_error(r) || n != r->out->n)
		return say(r, "%zu packages", n);
	for (i = 0; i < n; i++)
		if (same_choice(r, &v[i], &r->out->items[i]))
			return FAIL;
	return PASS;
}

/* ---- direct_url.json -------------------------------------------------------------------------- */

verdict do_direct_url(row *r)
{
	wp_direct_url d;
	wp_error e = {0};
	wp_str text;
	value got;

	if (wp_direct_url_read(r->a, json_text(r->a, cell(r, "doc")), &d, &e))
		return refused(r, e.why);
	if (is_error(r))
		return say(r, "taken");
	text = wp_direct_url_write(r->a, &d);
	if (!parse_value(r->a, text, &got) || !same_value(&got, get(r->out, "dict")))
		return say(r, "%s", text.p);
	return PASS;
}

verdict do_strip_url(row *r)
{
	size_t n;
	const char *const *safe = texts(r, cell(r, "safe"), &n);

	return same_text(r, "url", wp_url_without_secrets(r->a, cell(r, "url")->text.p, safe, n), r->out);
}

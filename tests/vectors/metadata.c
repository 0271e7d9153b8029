/* SPDX-License-Identifier: MIT */
#include "vectors.h"

#include "py/core_metadata.h"

static int digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* Text, or {"b64": ...} for raw bytes. */
static wp_str bytes_of(row *r, const value *v)
{
	const value *b64 = get(v, "b64");
	wp_str in = b64->text;
	unsigned bits = 0;
	int have = 0;
	wp_str out = {0};
	char *p;
	size_t i;

	if (b64->kind != WP_JSON_STRING)
		return v->text;
	out.p = p = wp_alloc(r->a, in.n + 1);
	for (i = 0; i < in.n && digit(in.p[i]) >= 0; i++) {
		bits = bits << 6 | (unsigned)digit(in.p[i]);
		have += 6;
		if (have >= 8) {
			have -= 8;
			p[out.n++] = (char)(bits >> have & 0xff);
		}
	}
	return out;
}

/* A header that is no UTF-8 is shown as if it were Latin-1. */
static wp_str latin1(row *r, wp_str s)
{
	char *out = wp_alloc(r->a, 2 * s.n + 1);
	size_t i, n = 0;

	for (i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c >= 0x80)
			out[n++] = (char)(0xc0 | c >> 6);
		out[n++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
	}
	return (wp_str){out, n};
}

static bool same_odd_value(row *r, wp_str got, const value *want)
{
	if (want->kind != WP_JSON_STRING)
		return want->kind == WP_JSON_NULL ? !got.p : wp_str_eq(got, bytes_of(r, want));
	return wp_str_eq(wp_utf8_valid(got) ? got : latin1(r, got), want->text);
}

static verdict same_odd(row *r, const wp_core_metadata *m, const value *want)
{
	size_t i, k, n = 0;

	for (i = 0; i < want->n; i++) {
		const value *list = &want->items[i];
		size_t at = 0;

		for (k = 0; k < m->nodd; k++) {
			if (!wp_str_is(want->keys[i], m->odd[k].name))
				continue;
			if (at == list->n || !same_odd_value(r, m->odd[k].value, &list->items[at]))
				return say(r, "%s is odd", m->odd[k].name);
			at++;
		}
		if (at != list->n)
			return say(r, "%s is not odd", want->keys[i].p);
		n += at;
	}
	return n == m->nodd ? PASS : say(r, "%zu are odd", m->nodd);
}

static bool same_field(const wp_core_field *f, const wp_core_value *got, const value *want)
{
	size_t i;

	if (f->kind == WP_CORE_TEXT)
		return got->n == 1 && wp_str_is(want->text, got->v[0]);
	if (f->kind == WP_CORE_URLS) {
		for (i = 0; i + 1 < got->n; i += 2)
			if (!wp_str_is(get(want, got->v[i])->text, got->v[i + 1]))
				return false;
		return got->n == 2 * want->n;
	}
	for (i = 0; i < got->n && i < want->n; i++)
		if (!wp_str_is(want->items[i].text, got->v[i]))
			return false;
	return got->n == want->n;
}

verdict do_metadata_parse(row *r)
{
	const value *raw = get(r->out, "raw");
	wp_core_metadata m;
	wp_error e = {0};
	size_t id, n = 0;

	if (wp_core_metadata_parse(r->a, bytes_of(r, cell(r, "data")), &m, &e))
		return refused(r, e.why);
	for (id = 0; id < WP_CORE_COUNT; id++) {
		const value *want = get(raw, wp_core_fields[id].key);

		if (!m.field[id].given)
			continue;
		n++;
		if (want->kind == WP_JSON_NULL || !same_field(&wp_core_fields[id], &m.field[id], want))
			return say(r, "%s differs", wp_core_fields[id].key);
	}
	return n == raw->n ? same_odd(r, &m, get(r->out, "unparsed")) : say(r, "%zu fields", n);
}

static verdict checked(row *r, const wp_core_metadata *m)
{
	const char *const *faults;
	size_t n = wp_core_metadata_check(r->a, m, &faults);

	if (n)
		return refused(r, faults[0]);
	return is_error(r) ? say(r, "taken") : PASS;
}

verdict do_metadata_email(row *r)
{
	wp_core_metadata m;
	wp_error e = {0};

	if (wp_core_metadata_parse(r->a, bytes_of(r, cell(r, "data")), &m, &e))
		return refused(r, e.why);
	return checked(r, &m);
}

static wp_core_value field_of(row *r, wp_core_kind kind, const value *v)
{
	const char **out = WP_NEW_ARRAY(r->a, 2 * v->n + 1, const char *);
	wp_core_value field = {.given = true, .v = out};
	size_t i;

	if (kind == WP_CORE_TEXT)
		out[field.n++] = v->text.p;
	for (i = 0; i < v->n; i++) {
		if (kind == WP_CORE_URLS)
			out[field.n++] = v->keys[i].p;
		out[field.n++] = v->items[i].text.p;
	}
	return field;
}

verdict do_metadata_raw(row *r)
{
	const value *data = cell(r, "data");
	wp_core_odd *odd = WP_NEW_ARRAY(r->a, data->n, wp_core_odd);
	wp_core_metadata m = {.odd = odd};
	size_t i, id;

	for (i = 0; i < data->n; i++) {
		for (id = 0; id < WP_CORE_COUNT && !wp_str_is(data->keys[i], wp_core_fields[id].key); id++)
			;
		if (id < WP_CORE_COUNT)
			m.field[id] = field_of(r, wp_core_fields[id].kind, &data->items[i]);
		else
			odd[m.nodd++].name = data->keys[i].p;
	}
	return checked(r, &m);
}

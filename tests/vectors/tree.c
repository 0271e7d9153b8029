/* SPDX-License-Identifier: MIT */
#include "vectors.h"

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

static const value absent = {.kind = WP_JSON_NULL};

const value *get(const value *object, const char *key)
{
	size_t i;

	for (i = 0; object && object->kind == WP_JSON_OBJECT && i < object->n; i++)
		if (wp_str_is(object->keys[i], key))
			return &object->items[i];
	return &absent;
}

bool parse_value(wp_arena *a, wp_str text, value *out)
{
	wp_error e = {0};
	wp_json j;

	wp_json_init(&j, a, text, WP_E_DOCUMENT, &e);
	read_value(&j, out);
	if (wp_json_end(&j))
		printf("vectors: %s (%s)\n", e.why, e.where);
	return !e.code;
}

static void put_string(wp_buf *b, wp_str s)
{
	size_t i;

	wp_buf_putc(b, '"');
	for (i = 0; i < s.n; i++)
		if (s.p[i] == '"' || s.p[i] == '\\' || (unsigned char)s.p[i] < ' ')
			wp_buf_printf(b, "\\u%04x", (unsigned char)s.p[i]);
		else
			wp_buf_putc(b, s.p[i]);
	wp_buf_putc(b, '"');
}

static void put_value(wp_buf *b, const value *v)
{
	bool object = v->kind == WP_JSON_OBJECT;
	size_t i;

	switch (v->kind) {
	case WP_JSON_NULL:
		wp_buf_puts(b, "null");
		break;
	case WP_JSON_BOOL:
		wp_buf_puts(b, v->truth ? "true" : "false");
		break;
	case WP_JSON_NUMBER:
		wp_buf_str(b, v->text);
		break;
	case WP_JSON_STRING:
		put_string(b, v->text);
		break;
	case WP_JSON_ARRAY:
	case WP_JSON_OBJECT:
		wp_buf_putc(b, object ? '{' : '[');
		for (i = 0; i < v->n; i++) {
			wp_buf_puts(b, i ? "," : "");
			if (object) {
				put_string(b, v->keys[i]);
				wp_buf_putc(b, ':');
			}
			put_value(b, &v->items[i]);
		}
		wp_buf_putc(b, object ? '}' : ']');
		break;
	}
}

wp_str json_text(wp_arena *a, const value *v)
{
	wp_buf b;

	wp_buf_init(&b, WP_MAX_DOCUMENT);
	put_value(&b, v);
	return wp_buf_take(&b, a);
}

bool same_value(const value *a, const value *b)
{
	size_t i;

	if (a->kind != b->kind || a->n != b->n || a->truth != b->truth || !wp_str_eq(a->text, b->text))
		return false;
	for (i = 0; i < a->n; i++)
		if (!same_value(&a->items[i], a->keys ? get(b, a->keys[i].p) : &b->items[i]))
			return false;
	return true;
}

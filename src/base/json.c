/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64, LINEAR_KEYS = 16, MAX_KEYS = 4096, MAX_STRINGS = 1 << 16 };

typedef struct key_slot {
	wp_str key;
	uint64_t hash;
	uint32_t generation; /* a slot of another generation is free */
} key_slot;

/* One open object or array. The key set is kept for the next object of the same depth. */
typedef struct frame {
	bool first, object;
	wp_str few[LINEAR_KEYS];
	size_t n;
	key_slot *slots;
	size_t cap;
	uint32_t generation;
} frame;

static frame *top(wp_json *j)
{
	return (frame *)j->keys + (j->depth - 1);
}

void wp_json_init(wp_json *j, wp_arena *a, wp_str text, wp_code code, wp_error *e)
{
	const char *p = text.p ? text.p : "";

	*j = (wp_json){.a = a, .start = p, .p = p, .end = p + text.n, .e = e, .code = code};
	j->keys = WP_NEW_ARRAY(a, MAX_DEPTH, frame);
}

void wp_json_again(wp_json *j, wp_arena *a, wp_str text, wp_error *e)
{
	frame *f = j->keys;

	for (; j->widened > 0; j->widened--)
		f[j->widened - 1].slots = NULL, f[j->widened - 1].cap = 0;
	j->a = a;
	j->start = j->p = text.p ? text.p : "";
	j->end = j->p + text.n;
	j->depth = 0;
	j->e = e;
}

bool wp_json_fault(wp_json *j, const char *fmt, ...)
{
	const char *p, *line = j->start;
	size_t n = 1;
	va_list ap;

	if (j->e->code)
		return false;
	for (p = j->start; p < j->p; p++)
		if (*p == '\n') {
			n++;
			line = p + 1;
		}
	va_start(ap, fmt);
	wp_fail(j->e, j->code, "%s", wp_vsprintf(j->a, fmt, ap));
	va_end(ap);
	wp_err_where(j->e, "line %zu column %zu", n, (size_t)(j->p - line) + 1);
	return false;
}

static bool failed(const wp_json *j)
{
	return j->e->code != 0;
}

static void space(wp_json *j)
{
	while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\t' || *j->p == '\r'))
		j->p++;
}

static int next(wp_json *j)
{
	space(j);
	return j->p < j->end ? (unsigned char)*j->p : -1;
}

/* ---- strings ------------------------------------------------------------------------------ */

static bool hex4(wp_json *j, const char *p, unsigned *out)
{
	unsigned char b[2];

	if (j->end - p < 4 || !wp_unhex((wp_str){p, 4}, b, 2)) {
		j->p = p;
		return wp_json_fault(j, "\\u needs four hex digits");
	}
	*out = (unsigned)b[0] << 8 | b[1];
	return true;
}

/* The \uXXXX, or pair of them, at p; *p moves behind it. */
static bool unicode_escape(wp_json *j, const char **p, unsigned *out)
{
	unsigned hi, lo;

	if (!hex4(j, *p + 2, &hi))
		return false;
	j->p = *p;
	*p += 6;
	if (hi == 0)
		return wp_json_fault(j, "\\u0000 is not allowed in text");
	*out = hi;
	if (hi < 0xd800 || hi > 0xdfff)
		return true;
	if (hi > 0xdbff || j->end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
		return wp_json_fault(j, "half of a surrogate pair");
	if (!hex4(j, *p + 2, &lo))
		return false;
	if (lo < 0xdc00 || lo > 0xdfff)
		return wp_json_fault(j, "half of a surrogate pair");
	*p += 6;
	*out = 0x10000 + ((hi - 0xd800) << 10) + (lo - 0xdc00);
	return true;
}

/* The escape at p, checked; *p moves behind it. */
static bool escape(wp_json *j, const char **p, unsigned *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit;

	if (j->end - *p >= 2 && (*p)[1] == 'u')
		return unicode_escape(j, p, out);
	hit = j->end - *p >= 2 && (*p)[1] ? strchr(from, (*p)[1]) : NULL;
	if (!hit) {
		j->p = *p;
		return wp_json_fault(j, "not an escape of JSON");
	}
	*out = (unsigned char)to[hit - from];
	*p += 2;
	return true;
}

/* The string that starts at the quote at j->p: its raw bytes, checked. */
static bool scan(wp_json *j, wp_str *raw, bool *escaped)
{
	const char *p = j->p + 1, *start = p;
	bool wide = false;
	unsigned ignored;

	*escaped = false;
	while (p < j->end && *p != '"') {
		unsigned char c = (unsigned char)*p;

		if (c == '\\') {
			*escaped = true;
			if (!escape(j, &p, &ignored))
				return false;
			continue;
		}
		if (c < 0x20) {
			j->p = p;
			return wp_json_fault(j, "control character 0x%02x in text", c);
		}
		wide |= c >= 0x80;
		p++;
	}
	if (p >= j->end)
		return wp_json_fault(j, "text without its closing quote");
	*raw = (wp_str){start, (size_t)(p - start)};
	if (wide && !wp_utf8_valid(*raw))
		return wp_json_fault(j, "text that is not UTF-8");
	j->p = p + 1;
	return true;
}

static size_t put_utf8(char *out, unsigned v)
{
	if (v < 0x80) {
		out[0] = (char)v;
		return 1;
	}
	if (v < 0x800) {
		out[0] = (char)(0xc0 | v >> 6);
		out[1] = (char)(0x80 | (v & 0x3f));
		return 2;
	}
	if (v < 0x10000) {
		out[0] = (char)(0xe0 | v >> 12);
		out[1] = (char)(0x80 | (v >> 6 & 0x3f));
		out[2] = (char)(0x80 | (v & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | v >> 18);
	out[1] = (char)(0x80 | (v >> 12 & 0x3f));
	out[2] = (char)(0x80 | (v >> 6 & 0x3f));
	out[3] = (char)(0x80 | (v & 0x3f));
	return 4;
}

/* An escape is never shorter than what it stands for. */
static wp_str decode(wp_json *j, wp_str raw)
{
	char *out = wp_alloc(j->a, raw.n + 1);
	const char *p = raw.p, *end = raw.p + raw.n, *keep = j->p;
	size_t n = 0;
	unsigned v;

	while (p < end) {
		if (*p != '\\')
			out[n++] = *p++;
		else if (escape(j, &p, &v))
			n += put_utf8(out + n, v);
		else
			break;
	}
	j->p = keep;
	return (wp_str){out, n};
}

/* ---- keys --------------------------------------------------------------------------------- */

/* Keys come from outside: the seed differs from run to run, so that none can be made to collide. */
static uint64_t hash_of(const frame *f, wp_str s)
{
	return wp_str_hash(s, (uint64_t)(uintptr_t)f * 0x9e3779b97f4a7c15u);
}

static key_slot *slot_of(const frame *f, wp_str key, uint64_t h)
{
	size_t mask = f->cap - 1, i;

	for (i = (size_t)h & mask;; i = (i + 1) & mask) {
		key_slot *s = &f->slots[i];

		if (s->generation != f->generation || (s->hash == h && wp_str_eq(s->key, key)))
			return s;
	}
}

static bool put_slot(frame *f, wp_str key, uint64_t h)
{
	key_slot *s = slot_of(f, key, h);

	if (s->generation == f->generation)
		return false;
	*s = (key_slot){key, h, f->generation};
	return true;
}

static void widen(wp_json *j, frame *f)
{
	key_slot *old = f->slots;
	size_t n = f->cap, i;

	if (j->widened < j->depth)
		j->widened = j->depth;
	f->cap = n ? n * 2 : LINEAR_KEYS * 4;
	f->slots = WP_NEW_ARRAY(j->a, f->cap, key_slot);
	for (i = 0; i < n; i++)
		if (old[i].generation == f->generation)
			put_slot(f, old[i].key, old[i].hash);
}

/* False if this object had the key before. */
static bool new_key(wp_json *j, frame *f, wp_str key)
{
	size_t i;

	if (f->n < LINEAR_KEYS) {
		for (i = 0; i < f->n; i++)
			if (wp_str_eq(f->few[i], key))
				return false;
		f->few[f->n++] = key;
		return true;
	}
	if (f->n == LINEAR_KEYS) {
		if (!f->slots)
			widen(j, f);
		f->generation++;
		for (i = 0; i < LINEAR_KEYS; i++)
			put_slot(f, f->few[i], hash_of(f, f->few[i]));
	}
	if (f->n * 2 >= f->cap)
		widen(j, f);
	f->n++;
	return put_slot(f, key, hash_of(f, key));
}

/* ---- values ------------------------------------------------------------------------------- */

static const char *kind_name(wp_json_kind k)
{
	static const char *const names[] = {
		"null", "true or false", "a number", "text", "an array", "an object"};

	return names[k];
}

wp_json_kind wp_json_peek(wp_json *j)
{
	int c = failed(j) ? -1 : next(j);

	switch (c) {
	case '{':
		return WP_JSON_OBJECT;
	case '[':
		return WP_JSON_ARRAY;
	case '"':
		return WP_JSON_STRING;
	case 't':
	case 'f':
		return WP_JSON_BOOL;
	case 'n':
		return WP_JSON_NULL;
	default:
		if (c == '-' || (c >= '0' && c <= '9'))
			return WP_JSON_NUMBER;
		wp_json_fault(j, c < 0 ? "the text ends where a value belongs"
				       : "no value of JSON begins here");
		return WP_JSON_NULL;
	}
}

static bool want(wp_json *j, wp_json_kind k)
{
	wp_json_kind is = wp_json_peek(j);

	if (failed(j))
		return false;
	if (is != k)
		return wp_json_fault(j, "%s expected, %s found", kind_name(k), kind_name(is));
	return true;
}

static bool enter(wp_json *j, wp_json_kind k)
{
	frame *f;

	if (!want(j, k))
		return false;
	if (j->depth == MAX_DEPTH)
		return wp_json_fault(j, "nested deeper than %d", MAX_DEPTH);
	j->p++;
	j->depth++;
	f = top(j);
	f->first = true;
	f->object = k == WP_JSON_OBJECT;
	f->n = 0;
	return true;
}

bool wp_json_object(wp_json *j)
{
	return enter(j, WP_JSON_OBJECT);
}

bool wp_json_array(wp_json *j)
{
	return enter(j, WP_JSON_ARRAY);
}

/* On to the next part of the open object or array; false at its end or a fault. */
static bool more(wp_json *j, char close)
{
	bool first;
	int c;

	if (failed(j))
		return false;
	if (j->depth == 0 || top(j)->object != (close == '}'))
		return wp_json_fault(j, "no such value is open here");
	c = next(j);
	first = top(j)->first;
	top(j)->first = false;
	if (c == close) {
		j->p++;
		j->depth--;
		return false;
	}
	if (first)
		return true;
	if (c != ',')
		return wp_json_fault(j, "',' or '%c' expected", close);
	j->p++;
	return true;
}

bool wp_json_key(wp_json *j, wp_str *key)
{
	bool escaped;

	if (!more(j, '}'))
		return false;
	if (next(j) != '"')
		return wp_json_fault(j, "a key expected");
	if (!scan(j, key, &escaped))
		return false;
	if (escaped)
		*key = decode(j, *key);
	if (top(j)->n == MAX_KEYS)
		return wp_json_fault(j, "an object with more than %d keys", MAX_KEYS);
	if (!new_key(j, top(j), *key))
		return wp_json_fault(j, "the key '%.*s' stands twice in one object",
			(int)(key->n < 100 ? key->n : 100), key->p);
	if (next(j) != ':')
		return wp_json_fault(j, "':' expected");
	j->p++;
	return true;
}

bool wp_json_item(wp_json *j)
{
	return more(j, ']');
}

bool wp_json_string(wp_json *j, wp_str *out)
{
	wp_str raw;
	bool escaped;

	if (!want(j, WP_JSON_STRING) || !scan(j, &raw, &escaped))
		return false;
	*out = escaped ? decode(j, raw) : wp_str_copy(j->a, raw);
	return true;
}

bool wp_json_cstr(wp_json *j, const char **out)
{
	wp_str s;

	*out = NULL;
	if (wp_json_null(j))
		return true;
	if (!wp_json_string(j, &s))
		return false;
	*out = s.p;
	return true;
}

static bool word(wp_json *j, const char *w)
{
	if (!wp_str_starts((wp_str){j->p, (size_t)(j->end - j->p)}, w))
		return wp_json_fault(j, "no value of JSON begins here");
	j->p += strlen(w);
	return true;
}

bool wp_json_bool(wp_json *j, bool *out)
{
	if (!want(j, WP_JSON_BOOL))
		return false;
	*out = *j->p == 't';
	return word(j, *out ? "true" : "false");
}

bool wp_json_null(wp_json *j)
{
	return wp_json_peek(j) == WP_JSON_NULL && !failed(j) && word(j, "null");
}

static size_t digits(wp_json *j)
{
	const char *p = j->p;

	while (j->p < j->end && wp_ascii_digit(*j->p))
		j->p++;
	return (size_t)(j->p - p);
}

static bool at(const wp_json *j, const char *any)
{
	return j->p < j->end && *j->p && strchr(any, *j->p);
}

static bool number(wp_json *j, wp_str *text, bool *integer)
{
	const char *start = j->p;
	bool zero;

	if (at(j, "-"))
		j->p++;
	zero = at(j, "0");
	if (zero ? (j->p++, at(j, "0123456789")) : digits(j) == 0)
		return wp_json_fault(j, "not a number of JSON");
	*integer = true;
	if (at(j, ".")) {
		*integer = false;
		j->p++;
		if (digits(j) == 0)
			return wp_json_fault(j, "not a number of JSON");
	}
	if (at(j, "eE")) {
		*integer = false;
		j->p++;
		if (at(j, "+-"))
			j->p++;
		if (digits(j) == 0)
			return wp_json_fault(j, "not a number of JSON");
	}
	*text = (wp_str){start, (size_t)(j->p - start)};
	return true;
}

bool wp_json_i64(wp_json *j, int64_t *out)
{
	uint64_t v, max = INT64_MAX;
	bool integer, minus;
	wp_str t;

	if (!want(j, WP_JSON_NUMBER) || !number(j, &t, &integer))
		return false;
	minus = t.p[0] == '-';
	if (!integer || !wp_str_u64(wp_str_sub(t, minus, t.n), &v) || v > max)
		return wp_json_fault(j, "not a whole number of 64 bits");
	*out = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

static bool skip_object(wp_json *j)
{
	wp_str key;

	if (!wp_json_object(j))
		return false;
	while (wp_json_key(j, &key))
		wp_json_skip(j);
	return !failed(j);
}

static bool skip_array(wp_json *j)
{
	if (!wp_json_array(j))
		return false;
	while (wp_json_item(j))
		wp_json_skip(j);
	return !failed(j);
}

/* Calls itself at most MAX_DEPTH deep: entering anything deeper is a fault. */
bool wp_json_skip(wp_json *j)
{
	wp_json_kind k = wp_json_peek(j);
	wp_str ignored;
	bool flag;

	if (failed(j))
		return false;
	switch (k) {
	case WP_JSON_OBJECT:
		return skip_object(j);
	case WP_JSON_ARRAY:
		return skip_array(j);
	case WP_JSON_STRING:
		return scan(j, &ignored, &flag);
	case WP_JSON_NUMBER:
		return number(j, &ignored, &flag);
	case WP_JSON_BOOL:
		return wp_json_bool(j, &flag);
	default:
		return wp_json_null(j);
	}
}

bool wp_json_strings(wp_json *j, const char *const **out, size_t *n)
{
	const char **v = NULL;
	size_t cap = 0;
	wp_str s;

	*n = 0;
	*out = NULL;
	if (!wp_json_array(j))
		return false;
	while (wp_json_item(j) && wp_json_string(j, &s)) {
		if (*n == MAX_STRINGS)
			return wp_json_fault(j, "more than %d values", (int)MAX_STRINGS);
		if (*n == cap) {
			const char **wider = WP_NEW_ARRAY(j->a, cap ? cap * 2 : 4, const char *);

			if (*n)
				memcpy(wider, v, *n * sizeof *v);
			v = wider;
			cap = cap ? cap * 2 : 4;
		}
		v[(*n)++] = s.p;
	}
	*out = (const char *const *)v;
	return !failed(j);
}

int wp_json_end(wp_json *j)
{
	if (!failed(j) && next(j) >= 0)
		wp_json_fault(j, "bytes behind the end of the document");
	return (int)j->e->code;
}

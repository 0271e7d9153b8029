/* SPDX-License-Identifier: MIT */
#include "model/fields.h"

#include "base/vec.h"

enum { EXACT_INT_BITS = 53 }; /* what a JSON number keeps exactly */

static bool read_size(wp_json *j, int64_t *out)
{
	if (wp_json_peek(j) == WP_JSON_NULL) {
		*out = -1;
		return wp_json_null(j);
	}
	if (!wp_json_i64(j, out))
		return false;
	if (*out < 0 || *out > (int64_t)1 << EXACT_INT_BITS)
		return wp_json_fault(j, "a size of %lld bytes", (long long)*out);
	return true;
}

static bool read_str(wp_json *j, const char **out, bool null_ok)
{
	if (!null_ok && wp_json_peek(j) == WP_JSON_NULL)
		return wp_json_fault(j, "null where text is needed");
	return wp_json_cstr(j, out);
}

static bool read_word(wp_json *j, const char *word)
{
	const char *s;

	if (!read_str(j, &s, false))
		return false;
	return wp_streq(s, word) || wp_json_fault(j, "'%.64s' where '%s' is needed", s, word);
}

static bool read_value(wp_json *j, const wp_field *f)
{
	switch (f->kind) {
	case WP_F_STR:
	case WP_F_STR_OR_NULL:
		return read_str(j, f->out, f->kind == WP_F_STR_OR_NULL);
	case WP_F_STRS:
		return wp_json_strings(j, f->out, f->n);
	case WP_F_BOOL:
		return wp_json_bool(j, f->out);
	case WP_F_SIZE:
		return read_size(j, f->out);
	case WP_F_WORD:
		return read_word(j, f->out);
	case WP_F_CALL:
		return f->read(j, f->out);
	case WP_F_SKIP:
		return wp_json_skip(j);
	}
	return false;
}

static wp_field *field_named(wp_field *f, size_t n, wp_str key)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (wp_str_is(key, f[i].name))
			return &f[i];
	return NULL;
}

bool wp_fields_read(wp_json *j, wp_field *f, size_t n)
{
	wp_str key;
	size_t i;

	if (!wp_json_object(j))
		return false;
	while (wp_json_key(j, &key)) {
		wp_field *one = field_named(f, n, key);

		if (!one)
			return wp_json_fault(j, "unknown key '%.*s'", (int)(key.n < 64 ? key.n : 64), key.p);
		one->seen = true;
		if (!read_value(j, one))
			return false;
	}
	if (j->e->code)
		return false;
	for (i = 0; i < n; i++)
		if (!f[i].seen && !f[i].optional)
			return wp_json_fault(j, "the key '%s' is missing", f[i].name);
	return true;
}

bool wp_fields_each(wp_json *j, size_t size, size_t max, bool (*one)(wp_json *j, void *item), void **out,
	size_t *n)
{
	char *v = NULL;
	size_t cap = 0, count = 0;
	bool ok = wp_json_array(j);

	while (ok && wp_json_item(j)) {
		if (count == max) {
			ok = wp_json_fault(j, "more than %zu values", max);
			break;
		}
		v = wp_vec_grow(v, count + 1, &cap, size);
		memset(v + count * size, 0, size);
		ok = one(j, v + count * size);
		count++;
	}
	if (ok && !j->e->code) {
		*out = wp_vec_copy(j->a, v, count, size);
		*n = count;
	}
	free(v);
	return ok && !j->e->code;
}

bool wp_plain_filename(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	if (!*s || *s == '.' || strlen(s) > 255)
		return false;
	for (; *p; p++)
		if (*p < 0x20 || *p == 0x7f || *p == '/' || *p == '\\' || *p == ':')
			return false;
	return true;
}

bool wp_sha256_text(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return n == WP_SHA256_HEX && s[n] == 0;
}

bool wp_normal_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n > 0 && s[n] == 0 && s[0] != '-' && s[n - 1] != '-' && !strstr(s, "--");
}

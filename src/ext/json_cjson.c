/* SPDX-License-Identifier: MIT */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ext/json_out.h"

/* Only out of memory makes cJSON return NULL here; that ends the process as in the arena. */
static cJSON *need(cJSON *n)
{
	if (!n)
		abort();
	return n;
}

static cJSON *in(wp_jnode *n)
{
	return (cJSON *)n;
}

wp_jnode *wp_jobject(void)
{
	return (wp_jnode *)need(cJSON_CreateObject());
}

wp_jnode *wp_jarray(void)
{
	return (wp_jnode *)need(cJSON_CreateArray());
}

void wp_jput(wp_jnode *object, const char *key, wp_jnode *value)
{
	if (!cJSON_AddItemToObject(in(object), key, in(value)))
		abort();
}

static void put(wp_jnode *object, const char *key, cJSON *value)
{
	wp_jput(object, key, (wp_jnode *)need(value));
}

void wp_jput_str(wp_jnode *object, const char *key, const char *s)
{
	if (s)
		put(object, key, cJSON_CreateString(s));
}

void wp_jput_str_or_null(wp_jnode *object, const char *key, const char *s)
{
	put(object, key, s ? cJSON_CreateString(s) : cJSON_CreateNull());
}

/* cJSON keeps numbers as double and may round the last digit when it prints them. */
void wp_jput_int(wp_jnode *object, const char *key, int64_t v)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)v);
	put(object, key, cJSON_CreateRaw(text));
}

void wp_jput_bool(wp_jnode *object, const char *key, bool v)
{
	put(object, key, cJSON_CreateBool(v));
}

void wp_jput_null(wp_jnode *object, const char *key)
{
	put(object, key, cJSON_CreateNull());
}

void wp_jput_strs(wp_jnode *object, const char *key, const char *const *v, size_t n)
{
	wp_jnode *list = wp_jarray();
	size_t i;

	for (i = 0; i < n; i++)
		wp_jadd_str(list, v[i]);
	wp_jput(object, key, list);
}

void wp_jadd(wp_jnode *array, wp_jnode *value)
{
	if (!cJSON_AddItemToArray(in(array), in(value)))
		abort();
}

void wp_jadd_str(wp_jnode *array, const char *s)
{
	wp_jadd(array, (wp_jnode *)need(cJSON_CreateString(s)));
}

static void line(wp_buf *b, size_t depth)
{
	wp_buf_putc(b, '\n');
	while (depth-- > 0)
		wp_buf_puts(b, "  ");
}

/* Copy the string that starts at the quote at p; returns the place behind it. */
static const char *copy_string(wp_buf *b, const char *p)
{
	const char *q = p + 1;

	while (*q != '"')
		q += *q == '\\' ? 2 : 1;
	wp_buf_add(b, p, (size_t)(q + 1 - p));
	return q + 1;
}

/* cJSON's own layout has tabs and whole arrays on one line, where a diff shows nothing. */
static void lay_out(wp_buf *b, const char *p)
{
	size_t depth = 0;

	while (*p) {
		char c = *p;

		if (c == '"') {
			p = copy_string(b, p);
			continue;
		}
		p++;
		if ((c == '{' || c == '[') && *p != '}' && *p != ']') {
			wp_buf_putc(b, c);
			line(b, ++depth);
		} else if ((c == '}' || c == ']') && p[-2] != '{' && p[-2] != '[') {
			line(b, --depth);
			wp_buf_putc(b, c);
		} else if (c == ',') {
			wp_buf_putc(b, c);
			line(b, depth);
		} else if (c == ':') {
			wp_buf_puts(b, ": ");
		} else {
			wp_buf_putc(b, c);
		}
	}
	wp_buf_putc(b, '\n');
}

wp_str wp_jtext(wp_arena *a, wp_jnode *n)
{
	char *compact = cJSON_PrintUnformatted(in(n));
	wp_buf b;

	if (!compact)
		abort();
	cJSON_Delete(in(n));
	wp_buf_init(&b, SIZE_MAX / 4);
	lay_out(&b, compact);
	cJSON_free(compact);
	return wp_buf_take(&b, a);
}

void wp_jfree(wp_jnode *n)
{
	cJSON_Delete(in(n));
}

/* SPDX-License-Identifier: MIT */
#include "py/version.h"

#include <string.h>

static bool op_byte(char c)
{
	return c == '<' || c == '>' || c == '=' || c == '!' || c == '~';
}

/* Cut the next clause from *rest: an operator, then a version without quotes and blanks. */
static void cut(wp_arena *a, wp_str *rest, wp_str *op, char **version)
{
	size_t i = 0, n = 0, end;

	while (i < rest->n && op_byte(rest->p[i]))
		i++;
	*op = wp_str_sub(*rest, 0, i);
	for (end = i; end < rest->n && rest->p[end] != ',' && !op_byte(rest->p[end]); end++)
		;
	*version = wp_alloc(a, end - i + 1);
	for (; i < end; i++)
		if (rest->p[i] != '"' && rest->p[i] != '\'' && !wp_ascii_space(rest->p[i]))
			(*version)[n++] = rest->p[i];
	*rest = wp_str_sub(*rest, i + (i < rest->n && rest->p[i] == ','), rest->n);
	*rest = wp_str_trim(*rest);
}

static void put_clause(wp_buf *b, wp_str op, char *version)
{
	size_t n = strlen(version);
	bool star = n && version[n - 1] == '*', either = wp_str_is(op, "==") || wp_str_is(op, "!=");

	if (star)
		version[--n] = 0;
	if (star && n && version[n - 1] == '.')
		version[--n] = 0;
	if (wp_str_is(op, "!=~")) {
		op = WP_LIT("!=");
		star = either = true;
	}
	if (b->n)
		wp_buf_putc(b, ',');
	wp_buf_str(b, op);
	wp_buf_puts(b, strcmp(version, "dev") == 0 ? "0.dev0" : version);
	wp_buf_puts(b, star && either ? ".*" : "");
}

bool wp_specifiers_parse_lenient(wp_arena *a, wp_str text, wp_specifiers *out, bool *repaired)
{
	wp_str rest = wp_str_trim(text), op;
	char *version;
	wp_buf b;

	if (repaired)
		*repaired = false;
	if (wp_specifiers_parse(a, text, out))
		return true;
	wp_buf_init(&b, WP_MAX_VERSION);
	while (rest.n && !b.full) {
		cut(a, &rest, &op, &version);
		if (op.n || *version)
			put_clause(&b, op, version);
	}
	if (repaired)
		*repaired = true;
	if (!b.full)
		return wp_specifiers_parse(a, wp_buf_take(&b, a), out);
	wp_buf_free(&b);
	return false;
}

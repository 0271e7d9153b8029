/* SPDX-License-Identifier: MIT */
#include "py/headers.h"

#include <string.h>

int wp_text_check(wp_str text, const char *file, size_t max, wp_code code, wp_error *e)
{
	if (text.n > max)
		return wp_fail(e, code, "%s has %zu bytes; %zu are allowed", file, text.n, max);
	if (wp_str_starts(text, "\xef\xbb\xbf"))
		return wp_fail(e, code, "%s begins with a byte order mark", file);
	if (!wp_utf8_valid(text))
		return wp_fail(e, code, "%s is not UTF-8 text", file);
	return 0;
}

/* Bytes of the name before the colon; 0 if the line is no header. */
static size_t name_length(wp_str line)
{
	size_t n = wp_str_find(line, ':'), i;

	if (n == line.n)
		return 0;
	for (i = 0; i < n; i++)
		if (line.p[i] <= ' ' || line.p[i] > '~')
			return 0;
	return n;
}

static bool folded(wp_str rest)
{
	return rest.n && (rest.p[0] == ' ' || rest.p[0] == '\t');
}

bool wp_header_next(wp_arena *a, wp_str *rest, wp_str *name, const char **value)
{
	wp_str line, part;
	wp_buf b;
	size_t n;

	if (!wp_str_line(rest, &line) || (n = name_length(line)) == 0)
		return false;
	*name = wp_str_sub(line, 0, n);
	wp_buf_init(&b, line.n + rest->n);
	wp_buf_str(&b, wp_str_trim(wp_str_sub(line, n + 1, line.n)));
	while (folded(*rest) && wp_str_line(rest, &line)) {
		part = wp_str_trim(line);
		if (part.n && b.n)
			wp_buf_putc(&b, ' ');
		wp_buf_str(&b, part);
	}
	*value = wp_buf_take(&b, a).p;
	return true;
}

bool wp_header_is(wp_str name, const char *lower)
{
	size_t i;

	for (i = 0; i < name.n && lower[i]; i++)
		if (wp_ascii_lower(name.p[i]) != lower[i])
			return false;
	return i == name.n && !lower[i];
}

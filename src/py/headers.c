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

size_t wp_header_name(wp_str line)
{
	size_t n = wp_str_find(line, ':'), i;

	for (i = 0; i < n; i++)
		if (line.p[i] <= ' ' || line.p[i] > '~')
			return SIZE_MAX;
	return n < line.n ? n : SIZE_MAX;
}

bool wp_header_folded(wp_str text)
{
	return text.n && (text.p[0] == ' ' || text.p[0] == '\t');
}

bool wp_header_next(wp_arena *a, wp_str *rest, wp_str *name, const char **value)
{
	wp_str line, part;
	wp_buf b;
	size_t n;

	if (!wp_str_line(rest, &line))
		return false;
	n = wp_header_name(line);
	if (n == 0 || n == SIZE_MAX)
		return false;
	*name = wp_str_sub(line, 0, n);
	wp_buf_init(&b, line.n + rest->n);
	wp_buf_str(&b, wp_str_trim(wp_str_sub(line, n + 1, line.n)));
	while (wp_header_folded(*rest) && wp_str_line(rest, &line)) {
		part = wp_str_trim(line);
		if (part.n && b.n)
			wp_buf_putc(&b, ' ');
		wp_buf_str(&b, part);
	}
	*value = wp_buf_take(&b, a).p;
	return true;
}

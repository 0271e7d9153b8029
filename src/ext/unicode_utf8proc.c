/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <utf8proc.h>

#include "ext/unicode.h"

static bool ascii(wp_str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

const char *wp_name_fold(wp_arena *a, wp_str name)
{
	utf8proc_uint8_t *folded = NULL;
	utf8proc_ssize_t n;
	const char *out;

	if (ascii(name))
		return wp_str_lower(a, name);
	n = utf8proc_map((const utf8proc_uint8_t *)name.p, (utf8proc_ssize_t)name.n, &folded,
		UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
	/* Only out of memory or invalid text, which callers keep out, make this fail. */
	out = n < 0 ? wp_str_lower(a, name) : wp_str_dup(a, (wp_str){(const char *)folded, (size_t)n});
	free(folded);
	return out;
}

bool wp_letters(wp_str s)
{
	const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)s.p;
	utf8proc_ssize_t left = (utf8proc_ssize_t)s.n, n;
	utf8proc_int32_t c;

	for (; left > 0; p += n, left -= n) {
		n = utf8proc_iterate(p, left, &c);
		if (n <= 0 || (c >= 0x80 && (utf8proc_category(c) < UTF8PROC_CATEGORY_LU ||
				utf8proc_category(c) > UTF8PROC_CATEGORY_NL)))
			return false;
	}
	return true;
}

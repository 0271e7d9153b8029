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

int wp_text_width(wp_str s)
{
	int width = 0;

	while (s.n > 0) {
		utf8proc_int32_t c;
		utf8proc_ssize_t n =
			utf8proc_iterate((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n, &c);

		width += n > 0 ? utf8proc_charwidth(c) : 1;
		s = wp_str_sub(s, n > 0 ? (size_t)n : 1, s.n);
	}
	return width;
}

bool wp_unicode_alnum(uint32_t codepoint)
{
	if (codepoint > 0x10ffff)
		return false;
	switch (utf8proc_category((utf8proc_int32_t)codepoint)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_ND:
		return true;
	default:
		return false;
	}
}

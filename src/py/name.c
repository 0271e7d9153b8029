/* SPDX-License-Identifier: MIT */
#include "py/name.h"

static bool name_byte(char c)
{
	return wp_ascii_alnum(c) || c == '-' || c == '_' || c == '.';
}

bool wp_name_valid(wp_str name)
{
	size_t i;

	if (name.n == 0 || !wp_ascii_alnum(name.p[0]) || !wp_ascii_alnum(name.p[name.n - 1]))
		return false;
	for (i = 0; i < name.n; i++)
		if (!name_byte(name.p[i]))
			return false;
	return true;
}

const char *wp_name_normalize(wp_arena *a, wp_str name)
{
	char *out = wp_alloc(a, name.n + 1);
	size_t i, n = 0;

	for (i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c != '-' && c != '_' && c != '.')
			out[n++] = wp_ascii_lower(c);
		else if (i == 0 || out[n - 1] != '-')
			out[n++] = '-';
	}
	return out;
}

/* SPDX-License-Identifier: MIT */
#include "py/record.h"

#include <string.h>

enum { LONGEST_PART = 255 };

static bool control(wp_str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return true;
	return false;
}

/* Printable ASCII without a backslash, as nearly every name is. */
static bool plain(wp_str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~' || s.p[i] == '\\')
			return false;
	return true;
}

/* CON, COM1, com1.txt, "nul .x", and with the superscript digits that count as digits there. */
static bool device(wp_arena *a, wp_str part)
{
	static const char *const names[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
	static const char *const digits[] = {"\xc2\xb9", "\xc2\xb2", "\xc2\xb3"};
	const char *lower;
	wp_str base;
	size_t i;

	if (!strchr("CcPpAaNnLl \t\v\f\r\n", part.p[0]))
		return false;
	base = wp_str_trim(wp_str_sub(part, 0, wp_str_find(part, '.')));
	if (base.n < 3 || base.n > 7) /* CONOUT$ */
		return false;
	lower = wp_str_lower(a, base);
	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(lower, names[i]) == 0)
			return true;
	if (!wp_starts(lower, "com") && !wp_starts(lower, "lpt"))
		return false;
	for (i = 0; i < sizeof digits / sizeof *digits; i++)
		if (strcmp(lower + 3, digits[i]) == 0)
			return true;
	return base.n == 4 && wp_ascii_digit(lower[3]);
}

/* What Windows can't hold, or NULL. */
static const char *windows_fault(wp_arena *a, wp_str part)
{
	size_t i;

	for (i = 0; i < part.n; i++)
		if (part.p[i] < 'A' ? memchr("<>:\"?*", part.p[i], 6) != NULL : part.p[i] == '|')
			return "a character that Windows forbids in names";
	if (part.p[part.n - 1] == '.' || part.p[part.n - 1] == ' ')
		return "a name that ends in a dot or space";
	return device(a, part) ? "the name of a Windows device" : NULL;
}

/* What no system may be asked to write, or NULL. */
static const char *fault(wp_str s)
{
	if (s.n == 0)
		return "an empty path";
	if (s.n > WP_MAX_PATH_BYTES)
		return "a path of more than 4096 bytes";
	if (s.p[0] == '/')
		return "an absolute path";
	if (s.n >= 2 && wp_ascii_alpha(s.p[0]) && s.p[1] == ':')
		return "a path with a drive letter";
	if (plain(s))
		return NULL;
	if (!wp_utf8_valid(s))
		return "a path that is not UTF-8";
	if (wp_str_find(s, '\\') < s.n)
		return "a backslash in a path";
	return control(s) ? "a control character in a path" : NULL;
}

static const char *part_fault(wp_str part)
{
	if (wp_str_is(part, ".."))
		return "a path that climbs with '..'";
	return part.n > LONGEST_PART ? "a name of more than 255 bytes" : NULL;
}

wp_path_verdict wp_member_path(wp_arena *a, const char *name, bool windows, const char **tidy, const char **why)
{
	wp_str rest = wp_str_of(name), part;
	const char *odd = NULL;
	char *out = wp_alloc(a, rest.n + 1);
	size_t n = 0;

	*tidy = name;
	*why = fault(rest);
	if (wp_str_ends(rest, "/"))
		rest.n--; /* a folder */
	while (!*why && wp_str_split(&rest, '/', &part)) {
		if (part.n == 0 || wp_str_is(part, ".")) {
			odd = "a path with '.' or '//' in it";
			continue;
		}
		*why = part_fault(part);
		if (!*why && windows)
			*why = windows_fault(a, part);
		else if (!*why && !odd)
			odd = windows_fault(a, part);
		if (n)
			out[n++] = '/';
		memcpy(out + n, part.p, part.n);
		n += part.n;
	}
	out[n] = 0;
	if (!*why && strcmp(out, name) != 0)
		*why = fault((wp_str){out, n}); /* "./c:" is "c:" */
	if (*why)
		return WP_PATH_REFUSE;
	*tidy = out;
	*why = odd;
	return odd ? WP_PATH_WARN : WP_PATH_OK;
}

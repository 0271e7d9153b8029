/* SPDX-License-Identifier: MIT */
#include "py/scan.h"

#include <string.h>

void wp_scan_blanks(wp_scan *s)
{
	while (s->at < s->text.n && (s->text.p[s->at] == ' ' || s->text.p[s->at] == '\t'))
		s->at++;
}

bool wp_scan_end(const wp_scan *s)
{
	return s->at >= s->text.n;
}

char wp_scan_peek(const wp_scan *s)
{
	return wp_scan_end(s) ? 0 : s->text.p[s->at];
}

bool wp_scan_take(wp_scan *s, const char *literal)
{
	if (!wp_str_starts(wp_str_sub(s->text, s->at, s->text.n), literal))
		return false;
	s->at += strlen(literal);
	return true;
}

bool wp_scan_take_word(wp_scan *s, const char *word)
{
	size_t from = s->at;

	if (!wp_scan_take(s, word))
		return false;
	if (!wp_ascii_alnum(wp_scan_peek(s)) && wp_scan_peek(s) != '_')
		return true;
	s->at = from;
	return false;
}

/* Text from outside as it may be shown: control characters would end or colour the line. */
static const char *shown(wp_arena *a, wp_str text)
{
	char *p = wp_str_dup(a, text);
	size_t i;

	for (i = 0; i < text.n; i++)
		if ((unsigned char)p[i] < ' ' || p[i] == 0x7f)
			p[i] = '?';
	return p;
}

bool wp_scan_fail(const wp_scan *s, const char *fmt, ...)
{
	wp_arena *a = wp_arena_new();
	const char *why;
	va_list ap;

	va_start(ap, fmt);
	why = wp_vsprintf(a, fmt, ap);
	va_end(ap);
	wp_fail(s->e, WP_E_REQUIREMENT, "%s '%s': %s at character %zu", s->what, shown(a, s->text), why,
		s->at + 1);
	wp_arena_free(a);
	return false;
}

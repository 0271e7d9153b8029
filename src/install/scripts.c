/* SPDX-License-Identifier: MIT
 *
 * scripts.c: texts of scripts in bin. A kernel cuts a `#!` line at 127 bytes and at the first space;
 * beyond that the script starts as /bin/sh and hands itself to Python in its second line, which
 * Python reads as a string. On Windows the line is read by a launcher, which takes quotes.
 */
#include "install/parts.h"

enum { MAX_FIRST_LINE = 127 };

static int posix_start(wp_arena *a, const char *python, wp_str *out, wp_error *e)
{
	const char *text;

	if (strlen(python) + 3 <= MAX_FIRST_LINE && !strchr(python, ' ')) {
		text = wp_sprintf(a, "#!%s\n", python);
	} else if (strpbrk(python, "\"$`\\'")) {
		return wp_fail(e, WP_E_VENV, "scripts cannot name '%s' in their first line: it is long "
			"or has spaces, and it has a quote, $, ` or backslash as well", python);
	} else {
		text = wp_sprintf(a, "#!/bin/sh\n'''exec' \"%s\" \"$0\" \"$@\"\n' '''\n", python);
	}
	*out = wp_str_of(text);
	return 0;
}

static wp_str windows_start(wp_arena *a, const char *python)
{
	return wp_str_of(wp_sprintf(a, strchr(python, ' ') ? "#!\"%s\"\n" : "#!%s\n", python));
}

int wp_starter_make(wp_arena *a, bool windows, const char *python, const char *pythonw, wp_starter *out, wp_error *e)
{
	*out = (wp_starter){.windows = windows};
	if (windows)
		out->line = windows_start(a, python);
	else if (posix_start(a, python, &out->line, e))
		return e->code;
	out->windowed = pythonw ? windows_start(a, pythonw) : out->line;
	return 0;
}

wp_str wp_script_entry(wp_arena *a, const wp_starter *s, const wp_entry_point *ep)
{
	int first = (int)strcspn(ep->attr, ".");
	wp_str start = s->windows ? WP_LIT("") : s->line;

	return wp_str_of(wp_sprintf(a,
		"%.*simport sys\n"
		"\n"
		"from %s import %.*s\n"
		"\n"
		"if __name__ == \"__main__\":\n"
		"%s"
		"    sys.exit(%s())\n",
		(int)start.n, start.p, ep->module, first, ep->attr,
		s->windows ? "    if sys.argv[0].lower().endswith(\".exe\"):\n"
			     "        sys.argv[0] = sys.argv[0][:-4]\n"
			   : "",
		ep->attr));
}

wp_str wp_script_rewrite(wp_arena *a, const wp_starter *s, wp_str text)
{
	wp_str start = wp_str_starts(text, "#!pythonw") ? s->windowed : s->line, rest;
	size_t end = wp_str_find(text, '\n');
	char *p;

	if (!wp_str_starts(text, "#!python"))
		return text;
	if (s->windows && end < text.n && text.p[end - 1] == '\r') {
		end -= 2; /* the line keeps its own end */
		start.n--;
	}
	rest = wp_str_sub(text, end + 1, text.n);
	p = wp_alloc(a, start.n + rest.n);
	memcpy(p, start.p, start.n);
	if (rest.n)
		memcpy(p + start.n, rest.p, rest.n);
	return (wp_str){p, start.n + rest.n};
}

/* SPDX-License-Identifier: MIT
 *
 * scripts.c: texts of scripts in bin. A kernel cuts a `#!` line at 127 bytes and at the first space;
 * beyond that the script starts as /bin/sh and hands itself to Python in its second line, which
 * Python reads as a string.
 */
#include "install/parts.h"

enum { MAX_FIRST_LINE = 127 };

int wp_script_start(wp_arena *a, const char *python, wp_str *out, wp_error *e)
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

wp_str wp_script_entry(wp_arena *a, wp_str start, const wp_entry_point *ep)
{
	int first = (int)strcspn(ep->attr, ".");

	return wp_str_of(wp_sprintf(a,
		"%.*simport sys\n"
		"\n"
		"from %s import %.*s\n"
		"\n"
		"if __name__ == \"__main__\":\n"
		"    sys.exit(%s())\n",
		(int)start.n, start.p, ep->module, first, ep->attr, ep->attr));
}

wp_str wp_script_rewrite(wp_arena *a, wp_str start, wp_str text)
{
	wp_str rest = text;
	char *p;

	if (!wp_str_starts(text, "#!python"))
		return text;
	rest = wp_str_sub(text, wp_str_find(text, '\n') + 1, text.n);
	p = wp_alloc(a, start.n + rest.n);
	memcpy(p, start.p, start.n);
	if (rest.n)
		memcpy(p + start.n, rest.p, rest.n);
	return (wp_str){p, start.n + rest.n};
}

/* SPDX-License-Identifier: MIT */
#include "model/pipconf.h"

#include <string.h>

static bool same_name(wp_str a, const char *b)
{
	size_t i;

	if (a.n != strlen(b))
		return false;
	for (i = 0; i < a.n; i++)
		if (wp_ascii_lower(a.p[i] == '_' ? '-' : a.p[i]) != b[i])
			return false;
	return true;
}

static bool truth(wp_str v)
{
	static const char *const words[] = {"1", "true", "yes", "on", "y", "t"};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (same_name(v, words[i]))
			return true;
	return false;
}

bool wp_pipconf_set(wp_arena *a, wp_pipconf *out, wp_str name, wp_str value)
{
	const struct {
		const char *name;
		const char **field;
	} texts[] = {
		{"index-url", &out->index_url},
		{"extra-index-url", &out->extra_index_url},
		{"find-links", &out->find_links},
		{"cert", &out->cert},
		{"proxy", &out->proxy},
		{"trusted-host", &out->trusted_host},
	};
	size_t i;

	value = wp_str_trim(value);
	if (same_name(name, "no-index")) {
		out->no_index = truth(value);
		return true;
	}
	for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (same_name(name, texts[i].name)) {
			*texts[i].field = value.n ? wp_str_dup(a, value) : NULL;
			return true;
		}
	return false;
}

/* A value goes on over the indented lines that follow it. */
static wp_str whole_value(wp_arena *a, wp_str first, wp_str *rest)
{
	wp_buf b;
	wp_str line, after;

	wp_buf_init(&b, 1 << 16);
	wp_buf_str(&b, wp_str_trim(first));
	for (after = *rest; wp_str_line(&after, &line) && line.n && (line.p[0] == ' ' || line.p[0] == '\t');
		*rest = after) {
		wp_buf_putc(&b, ' ');
		wp_buf_str(&b, wp_str_trim(line));
	}
	return wp_buf_take(&b, a);
}

static void lay_section(wp_arena *a, wp_str text, const char *section, wp_pipconf *out)
{
	wp_str line;
	bool in = false;

	while (wp_str_line(&text, &line)) {
		wp_str t = wp_str_trim(line);
		size_t eq;

		if (!t.n || t.p[0] == '#' || t.p[0] == ';')
			continue;
		if (t.p[0] == '[') {
			in = t.p[t.n - 1] == ']' && wp_str_is(wp_str_sub(t, 1, t.n - 1), section);
			continue;
		}
		eq = wp_str_find(t, '=') < wp_str_find(t, ':') ? wp_str_find(t, '=') : wp_str_find(t, ':');
		if (in && eq < t.n)
			wp_pipconf_set(a, out, wp_str_trim(wp_str_sub(t, 0, eq)),
				whole_value(a, wp_str_sub(t, eq + 1, t.n), &text));
	}
}

void wp_pipconf_ini(wp_arena *a, wp_str text, const char *command, wp_pipconf *out)
{
	lay_section(a, text, "global", out);
	lay_section(a, text, command, out);
}

const char *wp_pipconf_default_index(wp_arena *a, wp_str help)
{
	static const char option[] = "--index-url <url>", word[] = "(default ";
	size_t at = wp_str_find_str(help, WP_LIT(option)), i;
	wp_str t;

	if (at == help.n)
		return NULL;
	t = wp_str_sub(help, at, help.n);
	t = wp_str_sub(t, 0, wp_str_find(t, '\n'));
	i = wp_str_find_str(t, WP_LIT(word));
	if (i == t.n)
		return NULL;
	t = wp_str_sub(t, i + sizeof word - 1, t.n);
	t = wp_str_sub(t, 0, wp_str_find(t, ')'));
	if (!wp_str_starts(t, "https://") || wp_str_find(t, ' ') < t.n)
		return NULL;
	return wp_str_dup(a, t);
}

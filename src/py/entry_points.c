/* SPDX-License-Identifier: MIT */
#include "py/metadata.h"
#include "base/map.h"
#include "base/vec.h"
#include "py/headers.h"

#include <string.h>

typedef enum group { NO_GROUP, CONSOLE, GUI, OTHER } group;

enum { LONGEST_NAME = 200 }; /* bytes; room for -script.py and .exe behind it */

typedef struct reader {
	wp_arena *a;
	wp_error *e;
	WP_VEC(wp_entry_point) v;
	WP_VEC(const char *) warnings;
	wp_map names[2]; /* of console and gui scripts */
	wp_map groups;
	group group;
	int line;
} reader;

static int fault(reader *r, const char *fmt, ...) WP_PRINTF(2, 3);

static int fault(reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wp_fail(r->e, WP_E_WHEEL, "%s", wp_vsprintf(r->a, fmt, ap));
	va_end(ap);
	return wp_err_where(r->e, "entry_points.txt line %d", r->line);
}

static bool letter(char c)
{
	return wp_ascii_alpha(c) || (unsigned char)c >= 0x80;
}

/* Identifiers with dots between them. */
static bool dotted_identifiers(wp_str s)
{
	wp_str part;
	size_t i;

	while (wp_str_split(&s, '.', &part)) {
		if (part.n == 0 || (!letter(part.p[0]) && part.p[0] != '_'))
			return false;
		for (i = 0; i < part.n; i++)
			if (!letter(part.p[i]) && !wp_ascii_digit(part.p[i]) && part.p[i] != '_')
				return false;
	}
	return true;
}

static bool plain_name(wp_str s)
{
	bool other_than_dots = false;
	size_t i;

	for (i = 0; i < s.n; i++) {
		if (!letter(s.p[i]) && !wp_ascii_digit(s.p[i]) && !strchr("-_.", s.p[i]))
			return false;
		other_than_dots |= s.p[i] != '.';
	}
	return other_than_dots && s.n <= LONGEST_NAME;
}

static void open_group(reader *r, wp_str line)
{
	wp_str name = wp_str_trim(wp_str_sub(line, 1, line.n - 1));

	if (!wp_map_put(&r->groups, name, 0)) {
		const char *text = wp_sprintf(r->a, "entry_points.txt line %d: group '%s' a second time", r->line,
			wp_str_dup(r->a, name));

		WP_PUSH(&r->warnings, text);
	}
	r->group = wp_str_is(name, "console_scripts") ? CONSOLE : wp_str_is(name, "gui_scripts") ? GUI : OTHER;
}

/* module:attr, perhaps with the extras of old times behind it. */
static bool read_object(reader *r, wp_str value, wp_entry_point *out)
{
	size_t bracket = wp_str_find(value, '['), colon;
	wp_str module, attr;

	if (bracket < value.n) {
		if (!wp_str_ends(value, "]"))
			return false;
		value = wp_str_trim(wp_str_sub(value, 0, bracket));
	}
	colon = wp_str_find(value, ':');
	module = wp_str_trim(wp_str_sub(value, 0, colon));
	attr = wp_str_trim(wp_str_sub(value, colon + 1, value.n));
	if (colon == value.n || !dotted_identifiers(module) || !dotted_identifiers(attr))
		return false;
	out->module = wp_str_dup(r->a, module);
	out->attr = wp_str_dup(r->a, attr);
	return true;
}

static int add_entry(reader *r, wp_str name, wp_str value)
{
	wp_entry_point ep = {.name = wp_str_dup(r->a, name), .gui = r->group == GUI};

	if (!plain_name(name))
		return fault(r, "'%s' may not be the name of a script", ep.name);
	if (!read_object(r, value, &ep))
		return fault(r, "'%s' is not module:attribute", wp_str_dup(r->a, value));
	if (!wp_map_put(&r->names[ep.gui], name, 0))
		return fault(r, "'%s' stands twice in its group", ep.name);
	WP_PUSH(&r->v, ep);
	return 0;
}

static int read_line(reader *r, wp_str line)
{
	size_t eq = wp_str_find(line, '=');

	if (line.n == 0 || line.p[0] == '#' || line.p[0] == ';')
		return 0;
	if (line.p[0] == '[' && wp_str_ends(line, "]")) {
		open_group(r, line);
		return 0;
	}
	if (r->group == NO_GROUP)
		return fault(r, "a line before the first group");
	if (r->group == OTHER)
		return 0;
	if (eq == line.n)
		return fault(r, "'%s' has no '='", wp_str_dup(r->a, line));
	return add_entry(r, wp_str_trim(wp_str_sub(line, 0, eq)), wp_str_trim(wp_str_sub(line, eq + 1, line.n)));
}

/* Of a name that is in both groups, the console one stays. */
static void finish(reader *r, wp_entry_points *out)
{
	size_t i, n = 0;
	uint32_t unused;

	for (i = 0; i < r->v.n; i++) {
		wp_str name = wp_str_of(r->v.v[i].name);

		if (r->v.v[i].gui && wp_map_get(&r->names[0], name, &unused)) {
			const char *text = wp_sprintf(r->a,
				"entry_points.txt: '%s' is a console and a gui script; the console script counts",
				name.p);

			WP_PUSH(&r->warnings, text);
			continue;
		}
		r->v.v[n++] = r->v.v[i];
	}
	r->v.n = n;
	out->v = WP_VEC_COPY(r->a, &r->v);
	out->n = n;
	out->warnings = WP_VEC_COPY(r->a, &r->warnings);
	out->nwarnings = r->warnings.n;
}

int wp_entry_points_parse(wp_arena *a, wp_str text, wp_entry_points *out, wp_error *e)
{
	reader r = {.a = a, .e = e};
	wp_str line;
	int rc = 0;

	*out = (wp_entry_points){0};
	if (wp_text_check(text, "entry_points.txt", WP_MAX_METADATA, WP_E_WHEEL, e))
		return e->code;
	wp_map_init(&r.names[0]);
	wp_map_init(&r.names[1]);
	wp_map_init(&r.groups);
	while (rc == 0 && wp_str_line(&text, &line)) {
		r.line++;
		rc = read_line(&r, wp_str_trim(line));
	}
	if (rc == 0)
		finish(&r, out);
	wp_map_free(&r.names[0]);
	wp_map_free(&r.names[1]);
	wp_map_free(&r.groups);
	WP_VEC_FREE(&r.v);
	WP_VEC_FREE(&r.warnings);
	return rc;
}

/* SPDX-License-Identifier: MIT */
#include "py/name.h"
#include "py/tag.h"

#include <string.h>

enum { PARTS = 6 };

static int bad(wp_error *e, wp_str filename, const char *why)
{
	return wp_fail(e, WP_E_WHEEL, "'%.*s' is not a wheel file name: %s", (int)filename.n, filename.p, why);
}

/* Parts of letters, digits and underscores between dots; 0 on a fault, else how many there are. */
static size_t count_set(wp_str set)
{
	size_t n = 0, i;
	wp_str part;

	while (wp_str_split(&set, '.', &part)) {
		if (part.n == 0)
			return 0;
		for (i = 0; i < part.n; i++)
			if (!wp_ascii_alnum(part.p[i]) && part.p[i] != '_')
				return 0;
		n++;
	}
	return n;
}

static bool interpreters(wp_str set)
{
	wp_str part;

	while (wp_str_split(&set, '.', &part))
		if (part.n && wp_ascii_digit(part.p[0]))
			return false;
	return true;
}

static bool build_tag(wp_arena *a, wp_str s, wp_wheel_name *out)
{
	size_t digits = 0, i;

	while (digits < s.n && wp_ascii_digit(s.p[digits]))
		digits++;
	for (i = digits; i < s.n; i++)
		if (!wp_ascii_alnum(s.p[i]) && s.p[i] != '_' && s.p[i] != '.')
			return false;
	out->build = wp_str_dup(a, s);
	return wp_str_u64(wp_str_sub(s, 0, digits), &out->build_n);
}

static bool split_set(wp_str text, wp_str *part)
{
	size_t n = 0;

	while (n < 3 && wp_str_split(&text, '-', &part[n]))
		n++;
	return n == 3 && !text.p;
}

/* How many single tags it stands for; 0 on a fault. */
static size_t count_tags(const wp_str *part)
{
	return interpreters(part[0]) ? count_set(part[0]) * count_set(part[1]) * count_set(part[2]) : 0;
}

static void expand(wp_arena *a, const wp_str *part, const char **tags)
{
	wp_str pythons = part[0], python, abi, platform;

	while (wp_str_split(&pythons, '.', &python)) {
		wp_str abis = part[1];

		while (wp_str_split(&abis, '.', &abi)) {
			wp_str platforms = part[2];

			while (wp_str_split(&platforms, '.', &platform)) {
				const char *tag = wp_sprintf(a, "%.*s-%.*s-%.*s", (int)python.n, python.p, (int)abi.n, abi.p,
					(int)platform.n, platform.p);

				*tags++ = wp_str_lower(a, wp_str_of(tag));
			}
		}
	}
}

bool wp_tag_set(wp_arena *a, wp_str text, size_t limit, const char *const **out, size_t *n)
{
	const char **tags;
	wp_str part[3];

	if (text.n > WP_MAX_FILENAME || !split_set(text, part))
		return false;
	*n = count_tags(part);
	if (*n == 0 || *n > limit || *n > WP_MAX_TAGS)
		return false;
	*out = tags = WP_NEW_ARRAY(a, *n, const char *);
	expand(a, part, tags);
	return true;
}

bool wp_tag_set_sorted(wp_str text)
{
	wp_str part[3], word, last;
	size_t i;

	if (!split_set(text, part))
		return false;
	for (i = 0; i < 3; i++)
		for (last = (wp_str){0}; wp_str_split(&part[i], '.', &word); last = word)
			if (wp_str_cmp(last, word) > 0)
				return false;
	return true;
}

static const char *tags_fault(wp_arena *a, const wp_str *tag, wp_wheel_name *out)
{
	size_t n = count_tags(tag);

	if (n == 0)
		return "its compatibility tags are not written as python-abi-platform";
	if (n > WP_MAX_TAGS)
		return "it has more than 4096 compatibility tags";
	out->python = wp_str_dup(a, tag[0]);
	out->abi = wp_str_dup(a, tag[1]);
	out->platform = wp_str_dup(a, tag[2]);
	return NULL;
}

/* What is wrong with the name, or NULL. */
static const char *fault(wp_arena *a, wp_str stem, wp_wheel_name *out)
{
	wp_str part[PARTS + 2], rest = stem;
	size_t n = 0, i;

	while (n < PARTS + 2 && wp_str_split(&rest, '-', &part[n]))
		n++;
	if (n == PARTS + 1)
		return "a part behind the platform (wheel variants are not supported)";
	if (n < PARTS - 1 || n > PARTS)
		return "it does not have five or six parts between dashes";
	if (!wp_name_valid(part[0]))
		return "its first part is not a project name";
	for (i = 0; i + 1 < part[0].n; i++)
		if (part[0].p[i] == '_' && part[0].p[i + 1] == '_')
			return "two underscores follow each other in the project name";
	if (!wp_version_parse(a, part[1], &out->version))
		return "its second part is not a version (PEP 440)";
	if (n == PARTS && !build_tag(a, part[2], out))
		return "its build tag does not begin with a number";
	out->name = wp_str_dup(a, part[0]);
	out->project = wp_name_normalize(a, part[0]);
	return tags_fault(a, &part[n - 3], out);
}

int wp_wheel_name_parse(wp_arena *a, wp_str filename, wp_wheel_name *out, wp_error *e)
{
	const char *why;

	*out = (wp_wheel_name){0};
	if (filename.n > WP_MAX_FILENAME)
		return wp_fail(e, WP_E_WHEEL, "a wheel file name of %zu bytes; %d are allowed", filename.n,
			WP_MAX_FILENAME);
	if (!wp_str_ends(filename, ".whl"))
		return bad(e, filename, "it does not end in .whl");
	why = fault(a, wp_str_sub(filename, 0, filename.n - 4), out);
	return why ? bad(e, filename, why) : 0;
}

size_t wp_wheel_tags(wp_arena *a, const wp_wheel_name *w, const char *const **out)
{
	wp_str part[3] = {wp_str_of(w->python), wp_str_of(w->abi), wp_str_of(w->platform)};
	size_t n = count_tags(part);
	const char **tags = WP_NEW_ARRAY(a, n, const char *);

	expand(a, part, tags);
	*out = tags;
	return n;
}

/* The name of an old source distribution may have dashes of its own, so every dash is tried as the last of it. */
bool wp_sdist_name_parse(wp_arena *a, wp_str filename, const char *project, wp_version *version)
{
	wp_str stem = filename;
	size_t i;

	if (wp_str_ends(filename, ".tar.gz"))
		stem.n -= 7;
	else if (wp_str_ends(filename, ".zip"))
		stem.n -= 4;
	else
		return false;
	for (i = 1; i < stem.n && stem.n <= WP_MAX_FILENAME; i++) {
		wp_str name = wp_str_sub(stem, 0, i);

		if (stem.p[i] == '-' && strcmp(wp_name_normalize(a, name), project) == 0 &&
			wp_version_parse(a, wp_str_sub(stem, i + 1, stem.n), version))
			return true;
	}
	return false;
}

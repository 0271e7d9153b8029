/* SPDX-License-Identifier: MIT */
#include "vectors.h"

#include "py/tag.h"

static verdict same_list(row *r, const char *const *got, size_t n, const value *want)
{
	size_t i;

	for (i = 0; i < n && i < want->n; i++)
		if (!wp_str_is(want->items[i].text, got[i]))
			return say(r, "number %zu is %s", i, got[i]);
	return n == want->n ? PASS : say(r, "%zu instead of %zu", n, want->n);
}

/* As sets. */
static verdict same_tags(row *r, const char *const *tags, size_t n, const value *want)
{
	const char **sorted = WP_NEW_ARRAY(r->a, n, const char *);
	size_t i, k = 0;

	memcpy(sorted, tags, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, wp_cmp_cstr);
	for (i = 0; i < n; i++)
		if (k == 0 || strcmp(sorted[k - 1], sorted[i]) != 0)
			sorted[k++] = sorted[i];
	return same_list(r, sorted, k, want);
}

static bool out_of_order(row *r, const wp_wheel_name *w)
{
	return !wp_tag_set_sorted(wp_str_of(wp_sprintf(r->a, "%s-%s-%s", w->python, w->abi, w->platform)));
}

verdict do_wheel_filename(row *r)
{
	const value *in = cell(r, "in"), *build = get(r->out, "build");
	wp_str name = get(in, "filename")->text;
	const char *const *tags;
	wp_wheel_name w;
	wp_error e = {0};
	size_t i;

	/* Names of projects are ASCII, by their own standard; a file name that claims another one is refused. */
	for (i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] >= 0x80)
			return SKIP;
	if (wp_wheel_name_parse(r->a, name, &w, &e))
		return refused(r, e.why);
	if (get(in, "validate_order")->truth && out_of_order(r, &w))
		return refused(r, "not in order");
	if (is_error(r))
		return say(r, "taken");
	if (same_text(r, "name", w.project, get(r->out, "name")) ||
		same_text(r, "version", w.version.norm, get(r->out, "version")))
		return FAIL;
	if (build->n ? !same_number(w.build, w.build_n, &build->items[0]) : w.build != NULL)
		return say(r, "build is %s", w.build ? w.build : "null");
	i = wp_wheel_tags(r->a, &w, &tags);
	return same_tags(r, tags, i, get(r->out, "tags"));
}

verdict do_sdist_filename(row *r)
{
	wp_str name = cell(r, "in")->text;
	const char *project = is_error(r) ? wp_str_dup(r->a, wp_str_sub(name, 0, wp_str_find(name, '-')))
					  : get(r->out, "name")->text.p;
	wp_version v;

	if (!wp_sdist_name_parse(r->a, name, project, &v))
		return refused(r, "");
	return is_error(r) ? say(r, "taken") : same_text(r, "version", v.norm, get(r->out, "version"));
}

verdict do_parse_tag(row *r)
{
	const value *in = cell(r, "in"), *limit = get(in, "limit");
	wp_str tag = get(in, "tag")->text;
	const char *const *tags;
	uint64_t most = WP_MAX_TAGS;
	size_t n;

	if (limit->kind != WP_JSON_NULL && !wp_str_u64(limit->text, &most))
		return refused(r, "no limit");
	if (!wp_tag_set(r->a, tag, (size_t)most, &tags, &n))
		return refused(r, "no tag, or too many");
	if (get(in, "validate_order")->truth && !wp_tag_set_sorted(tag))
		return refused(r, "not in order");
	return is_error(r) ? say(r, "taken") : same_tags(r, tags, n, r->out);
}

verdict do_platform_tags(row *r)
{
	static const char *const words[][2] = {
		{"glibc-", "manylinux_"}, {"musl-", "musllinux_"}, {"macos-", "macosx_"}};
	const char *name = cell(r, "in")->text.p;
	const char *const *tags;
	size_t i, n;
	char *p;

	for (i = 0; i < 3; i++)
		if (wp_starts(name, words[i][0])) {
			p = wp_sprintf(r->a, "%s%s", words[i][1], name + strlen(words[i][0]));
			name = p;
			for (; *p; p++)
				if (*p == '-' || *p == '.')
					*p = '_';
		}
	n = wp_platform_tags(r->a, name, &tags);
	return same_list(r, tags, n, r->out);
}

static verdict mac_platforms(row *r, const value *args)
{
	const value *version = get(args, "version");
	const char *const *tags;
	size_t n = wp_platform_tags(r->a,
		wp_sprintf(r->a, "macosx_%s_%s_%s", wp_str_dup(r->a, version->items[0].text),
			wp_str_dup(r->a, version->items[1].text), get(args, "arch")->text.p),
		&tags);

	return same_list(r, tags, n, r->out);
}

/* The product makes the whole list, of which these functions give the part before the tags of any Python, or the one
 * from there on. Targets are releases of CPython 3. */
static verdict part_of_list(row *r, const value *args, bool begins)
{
	const value *version = get(args, "python_version");
	size_t nabis, nplatforms, i, n;
	const char *const *abis = texts(r, get(args, "abis"), &nabis), *const *tags;
	const char *const *platforms = texts(r, get(args, "platforms"), &nplatforms);
	uint64_t minor;

	if (version->n != 2 || !wp_str_is(version->items[0].text, "3") || !wp_str_u64(version->items[1].text, &minor))
		return SKIP;
	n = wp_python_tags(r->a, (int)minor, abis, nabis, platforms, nplatforms, &tags);
	for (i = 0; i < n && !wp_starts(tags[i], "py3"); i++)
		;
	if (nplatforms == 0)
		i -= i > 0; /* cp312-none-any stands among those of any Python */
	return begins ? same_list(r, tags, i, r->out) : same_list(r, tags + i, n - i, r->out);
}

verdict do_tags_generate(row *r)
{
	wp_str fn = cell(r, "fn")->text;
	const value *args = cell(r, "args");

	if (wp_str_is(fn, "mac_platforms"))
		return mac_platforms(r, args);
	if (wp_str_is(fn, "cpython_tags"))
		return part_of_list(r, args, true);
	if (wp_str_is(fn, "compatible_tags"))
		return part_of_list(r, args, false);
	return SKIP; /* other interpreters and systems */
}

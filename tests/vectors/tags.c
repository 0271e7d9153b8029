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

static verdict same_tags(row *r, const wp_wheel_name *w, const value *want)
{
	const char *const *tags;
	const char **sorted;
	size_t n = wp_wheel_tags(r->a, w, &tags);

	sorted = WP_NEW_ARRAY(r->a, n, const char *);
	memcpy(sorted, tags, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, wp_cmp_cstr);
	return same_list(r, sorted, n, want);
}

verdict do_wheel_filename(row *r)
{
	const value *in = cell(r, "in"), *build = get(r->out, "build");
	wp_str name = get(in, "filename")->text;
	wp_wheel_name w;
	wp_error e = {0};
	size_t i;

	/* Order of tags is not checked, and project names are ASCII as their standard has them. */
	for (i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] >= 0x80)
			return SKIP;
	if (get(in, "validate_order")->truth)
		return SKIP;
	if (wp_wheel_name_parse(r->a, name, &w, &e))
		return refused(r, e.why);
	if (is_error(r))
		return say(r, "taken");
	if (same_text(r, "name", w.project, get(r->out, "name")) ||
		same_text(r, "version", w.version.norm, get(r->out, "version")))
		return FAIL;
	if (build->n ? !same_number(w.build, w.build_n, &build->items[0]) : w.build != NULL)
		return say(r, "build is %s", w.build ? w.build : "null");
	return same_tags(r, &w, get(r->out, "tags"));
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
	const value *in = cell(r, "in");
	const char *name = wp_sprintf(r->a, "a-1-%s.whl", get(in, "tag")->text.p);
	wp_wheel_name w;
	wp_error e = {0};

	/* The limit is the product's own, and order is not checked. */
	if (get(in, "limit")->kind != WP_JSON_NULL || get(in, "validate_order")->truth)
		return SKIP;
	if (wp_wheel_name_parse(r->a, wp_str_of(name), &w, &e))
		return refused(r, e.why);
	return is_error(r) ? say(r, "taken") : same_tags(r, &w, r->out);
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

/* The product makes the whole list, of which these functions give the beginning or the end. */
static verdict part_of_list(row *r, const value *args, bool begins)
{
	const value *version = get(args, "python_version"), *platforms = get(args, "platforms");
	const char *names[8];
	const char *const *tags;
	bool threaded = false;
	uint64_t minor;
	size_t i, n;

	if (version->n != 2 || !wp_str_is(version->items[0].text, "3") || platforms->n == 0 || platforms->n > 8 ||
		!wp_str_u64(version->items[1].text, &minor))
		return SKIP;
	for (i = 0; i < platforms->n; i++)
		names[i] = platforms->items[i].text.p;
	if (begins) {
		const value *abis = get(args, "abis");
		const char *own = wp_sprintf(r->a, "cp3%d", (int)minor);

		if (abis->n == 0 || !wp_str_starts(abis->items[0].text, own))
			return SKIP;
		threaded = wp_str_is(abis->items[0].text, wp_sprintf(r->a, "%st", own));
		if (!threaded && (abis->n != 1 || !wp_str_is(abis->items[0].text, own)))
			return SKIP; /* debug and pymalloc builds are no targets */
	}
	n = wp_python_tags(r->a, (int)minor, threaded, names, platforms->n, &tags);
	if (n < r->out->n)
		return say(r, "only %zu tags", n);
	return same_list(r, begins ? tags : tags + n - r->out->n, r->out->n, r->out);
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
	return SKIP; /* other interpreters, Android */
}

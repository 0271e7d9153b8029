/* SPDX-License-Identifier: MIT */
#include "py/tag.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef WP_VEC(const char *) tag_list;

static size_t finish(wp_arena *a, tag_list *list, const char *const **out)
{
	size_t n = list->n;

	*out = WP_VEC_COPY(a, list);
	WP_VEC_FREE(list);
	return n;
}

/* ---- platforms ------------------------------------------------------------------------------ */

enum { NEWEST_GLIBC = 99, NEWEST_MACOS = 99, MAX_TAG = 256 };

/* Cut "_12" from the front of *rest. */
static bool cut_number(wp_str *rest, int *out)
{
	wp_str digits = wp_str_sub(*rest, 1, rest->n);
	uint64_t n;

	digits = wp_str_sub(digits, 0, wp_str_find(digits, '_'));
	if (!wp_str_starts(*rest, "_") || !wp_str_u64(digits, &n) || n > 999)
		return false;
	*out = (int)n;
	*rest = wp_str_sub(*rest, digits.n + 1, rest->n);
	return true;
}

/* Split PREFIX_1_2_arch. */
static bool split_platform(const char *platform, const char *prefix, int *major, int *minor, const char **arch)
{
	wp_str rest = wp_str_of(platform);

	if (!wp_str_starts(rest, prefix))
		return false;
	rest = wp_str_sub(rest, strlen(prefix), rest.n);
	if (!cut_number(&rest, major) || !cut_number(&rest, minor) || rest.n < 2 || rest.p[0] != '_')
		return false;
	*arch = rest.p + 1; /* the view ends where the text ends */
	return true;
}

static void manylinux(wp_arena *a, tag_list *list, int minor, const char *arch)
{
	static const struct {
		int minor;
		const char *name;
	} legacy[] = {{17, "manylinux2014"}, {12, "manylinux2010"}, {5, "manylinux1"}};
	bool x86 = strcmp(arch, "x86_64") == 0 || strcmp(arch, "i686") == 0;
	size_t i;

	for (minor = minor > NEWEST_GLIBC ? NEWEST_GLIBC : minor; minor >= (x86 ? 5 : 17); minor--) {
		WP_PUSH(list, wp_sprintf(a, "manylinux_2_%d_%s", minor, arch));
		for (i = 0; i < sizeof legacy / sizeof *legacy; i++)
			if (legacy[i].minor == minor)
				WP_PUSH(list, wp_sprintf(a, "%s_%s", legacy[i].name, arch));
	}
	WP_PUSH(list, wp_sprintf(a, "linux_%s", arch));
}

static void musllinux(wp_arena *a, tag_list *list, int major, int minor, const char *arch)
{
	for (; minor >= 0; minor--)
		WP_PUSH(list, wp_sprintf(a, "musllinux_%d_%d_%s", major, minor, arch));
	WP_PUSH(list, wp_sprintf(a, "linux_%s", arch));
}

/* One release of macOS with every way its programs for several processors were called. */
static void macos_release(wp_arena *a, tag_list *list, int major, int minor, const char *arch)
{
	static const char *const intel[] = {
		"x86_64", "intel", "fat64", "fat3", "universal2", "universal", NULL};
	static const char *const arm[] = {"arm64", "universal2", NULL};
	const char *const *format = strcmp(arch, "x86_64") == 0 ? intel : arm;

	if (format == arm && major == 10)
		format++; /* no arm64 before macOS 11, but the other half of a universal2 wheel says 10 */
	for (; *format; format++)
		WP_PUSH(list, wp_sprintf(a, "macosx_%d_%d_%s", major, minor, *format));
}

static void macos(wp_arena *a, tag_list *list, int major, int minor, const char *arch)
{
	for (major = major > NEWEST_MACOS ? NEWEST_MACOS : major; major >= 11; major--) {
		macos_release(a, list, major, 0, arch);
		minor = 16;
	}
	for (minor = minor > 16 ? 16 : minor; major == 10 && minor >= 4; minor--)
		macos_release(a, list, 10, minor, arch);
}

size_t wp_platform_tags(wp_arena *a, const char *platform, const char *const **out)
{
	tag_list list = {0};
	const char *arch;
	int major, minor;

	if (split_platform(platform, "manylinux", &major, &minor, &arch)) {
		if (major == 2)
			manylinux(a, &list, minor, arch);
	} else if (split_platform(platform, "musllinux", &major, &minor, &arch)) {
		musllinux(a, &list, major, minor, arch);
	} else if (split_platform(platform, "macosx", &major, &minor, &arch)) {
		macos(a, &list, major, minor, arch);
	} else if (*platform) {
		WP_PUSH(&list, wp_strdup(a, platform));
	}
	return finish(a, &list, out);
}

/* ---- all tags ------------------------------------------------------------------------------- */

static void add(wp_arena *a, tag_list *list, const char *python, const char *abi, const char *const *platforms,
	size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		WP_PUSH(list, wp_sprintf(a, "%s-%s-%s", python, abi, platforms[i]));
}

/* The stable ABI that a build can load; NULL where there is none. */
static const char *stable_abi(int minor, bool threaded)
{
	return minor < 2 ? NULL : threaded ? "abi3t" : "abi3";
}

/* py312, py3, py311, ... py30 */
static void add_generic(wp_arena *a, tag_list *list, int minor, const char *const *platforms, size_t n)
{
	int m;

	for (m = minor; m >= 0; m--) {
		add(a, list, wp_sprintf(a, "py3%d", m), "none", platforms, n);
		if (m == minor)
			add(a, list, "py3", "none", platforms, n);
	}
}

/* Those that every build knows, or none. */
static bool common_abi(const char *abi)
{
	return strcmp(abi, "abi3") == 0 || strcmp(abi, "abi3t") == 0 || strcmp(abi, "none") == 0;
}

size_t wp_python_tags(wp_arena *a, int minor, const char *const *abis, size_t nabis, const char *const *platforms,
	size_t n, const char *const **out)
{
	static const char *const any[] = {"any"};
	const char *python = wp_sprintf(a, "cp3%d", minor), *stable;
	tag_list list = {0};
	bool threaded = false;
	size_t i;
	int m;

	for (i = 0; i < nabis; i++) {
		if (common_abi(abis[i]))
			continue;
		threaded |= wp_ends(abis[i], "t") && wp_starts(abis[i], "cp");
		add(a, &list, python, abis[i], platforms, n);
	}
	stable = stable_abi(minor, threaded);
	if (stable)
		add(a, &list, python, stable, platforms, n);
	add(a, &list, python, "none", platforms, n);
	for (m = minor - 1; stable && m >= 2; m--)
		add(a, &list, wp_sprintf(a, "cp3%d", m), stable, platforms, n);
	add_generic(a, &list, minor, platforms, n);
	add(a, &list, python, "none", any, 1);
	add_generic(a, &list, minor, any, 1);
	return finish(a, &list, out);
}

/* ---- rank ----------------------------------------------------------------------------------- */

typedef struct tag_index {
	size_t mask;
	const uint32_t *slots; /* place of the tag + 1; 0 is free */
} tag_index;

static size_t hash_of(const char *tag)
{
	return (size_t)wp_str_hash(wp_str_of(tag), 0);
}

const void *wp_tag_index_new(wp_arena *a, const char *const *tags, size_t n)
{
	tag_index *ix = WP_NEW(a, tag_index);
	uint32_t *slots;
	size_t cap = 64, i, k;

	while (cap < 2 * n)
		cap *= 2;
	slots = WP_NEW_ARRAY(a, cap, uint32_t);
	for (i = 0; i < n; i++) {
		for (k = hash_of(tags[i]) & (cap - 1); slots[k]; k = (k + 1) & (cap - 1))
			;
		slots[k] = (uint32_t)i + 1;
	}
	ix->mask = cap - 1;
	ix->slots = slots;
	return ix;
}

static size_t place(const wp_target *t, const char *tag)
{
	const tag_index *ix = t->tag_index;
	size_t i, k;

	if (!ix) {
		for (i = 0; i < t->ntags && strcmp(t->tags[i], tag) != 0; i++)
			;
		return i < t->ntags ? i : SIZE_MAX;
	}
	for (k = hash_of(tag) & ix->mask; ix->slots[k]; k = (k + 1) & ix->mask)
		if (strcmp(t->tags[ix->slots[k] - 1], tag) == 0)
			return ix->slots[k] - 1;
	return SIZE_MAX;
}

/* "python-abi-platform" in lower case; false where it is longer than any tag of a target. */
static bool join_tag(char out[MAX_TAG], const wp_str *part)
{
	size_t n = 0, i, k;

	if (part[0].n + part[1].n + part[2].n + 3 > MAX_TAG)
		return false;
	for (i = 0; i < 3; i++) {
		for (k = 0; k < part[i].n; k++)
			out[n++] = wp_ascii_lower(part[i].p[k]);
		out[n++] = '-';
	}
	out[n - 1] = 0;
	return true;
}

/* Pages have thousands of wheels: no memory is taken for their tags. */
size_t wp_wheel_rank(const wp_wheel_name *w, const wp_target *t)
{
	wp_str part[3], pythons = wp_str_of(w->python), abis, platforms;
	size_t best = SIZE_MAX, at;
	char tag[MAX_TAG];

	while (wp_str_split(&pythons, '.', &part[0]))
		for (abis = wp_str_of(w->abi); wp_str_split(&abis, '.', &part[1]);)
			for (platforms = wp_str_of(w->platform); wp_str_split(&platforms, '.', &part[2]);) {
				at = join_tag(tag, part) ? place(t, tag) : SIZE_MAX;
				best = at < best ? at : best;
			}
	return best;
}

bool wp_wheel_on_platforms(const wp_wheel_name *w, const char *const *platforms, size_t n)
{
	wp_str rest = wp_str_of(w->platform), one;
	size_t i;

	while (wp_str_split(&rest, '.', &one)) {
		if (wp_str_is(one, "any"))
			return true;
		for (i = 0; i < n; i++)
			if (wp_str_is(one, platforms[i]))
				return true;
	}
	return false;
}

/* SPDX-License-Identifier: MIT */
#include "base/near.h"
#include "py/tag.h"
#include "wheelpack/lock.h"

#include <string.h>

enum { OLDEST_MINOR = 6, NEWEST_MINOR = 99, FIRST_THREADED = 13, LONGEST = 128 };

/* ---- python --------------------------------------------------------------------------------- */

static bool small_number(wp_str s, int max, int *out)
{
	uint64_t n;

	if (s.n > 3 || !wp_str_u64(s, &n) || n > (uint64_t)max)
		return false;
	*out = (int)n;
	return true;
}

/* 3.12 or 3.12.7 */
static bool dotted(wp_str s, wp_target *t)
{
	wp_str part[3];
	size_t n = 0;

	while (n < 3 && wp_str_split(&s, '.', &part[n]))
		n++;
	return n >= 2 && !s.p && wp_str_is(part[0], "3") && small_number(part[1], NEWEST_MINOR, &t->py_minor) &&
		(n == 2 || small_number(part[2], 999, &t->py_micro));
}

static bool read_python(wp_str s, wp_target *t)
{
	t->py_major = 3;
	if (wp_str_ends(s, "t")) {
		t->threaded = true;
		s.n--;
	}
	if (wp_str_starts(s, "cp3"))
		return small_number(wp_str_sub(s, 3, s.n), NEWEST_MINOR, &t->py_minor);
	return dotted(s, t);
}

/* What was probably meant by python3.12, py312, 312: its digits and dots. */
static int advise_python(wp_arena *a, const char *text, wp_error *e)
{
	char *bare = wp_alloc(a, strlen(text) + 4), *p = bare;
	wp_target t = {0};

	for (; *text; text++)
		if (wp_ascii_digit(*text) || *text == '.')
			*p++ = *text;
	if (read_python(wp_str_of(bare), &t) && t.py_minor >= OLDEST_MINOR)
		return wp_err_next(e, "did you mean `%s`?", bare);
	memmove(bare + 2, bare, strlen(bare) + 1);
	memcpy(bare, "cp", 2);
	if (read_python(wp_str_of(bare), &t) && t.py_minor >= OLDEST_MINOR)
		return wp_err_next(e, "did you mean `%s`?", bare);
	return wp_err_next(e, "write Python as 3.12, 3.12.7, cp312 or cp313t");
}

static bool is_python_2(wp_str s)
{
	return wp_str_is(s, "2") || wp_str_starts(s, "2.") || wp_str_starts(s, "cp2") || wp_str_starts(s, "py2");
}

static int make_python(wp_arena *a, const char *text, wp_target *t, wp_error *e)
{
	wp_str s = wp_str_of(wp_str_lower(a, wp_str_trim(wp_str_of(text))));

	if (is_python_2(s)) {
		wp_fail(e, WP_E_TARGET, "Python 2 is not supported: 3.%d is the oldest that wheelpack knows", OLDEST_MINOR);
		return wp_err_next(e, "write Python as 3.12, 3.12.7, cp312 or cp313t");
	}
	if (!read_python(s, t)) {
		wp_fail(e, WP_E_TARGET, "'%s' is not a Python version", text);
		return advise_python(a, text, e);
	}
	if (t->py_minor < OLDEST_MINOR)
		return wp_fail(e, WP_E_TARGET, "Python 3.%d is too old: 3.%d is the oldest that wheelpack knows",
			t->py_minor, OLDEST_MINOR);
	if (t->threaded && t->py_minor < FIRST_THREADED) {
		wp_fail(e, WP_E_TARGET, "Python 3.%d has no free-threaded build: 3.%d is the first", t->py_minor,
			FIRST_THREADED);
		return wp_err_next(e, "did you mean `cp3%d`?", t->py_minor);
	}
	t->python_tag = wp_sprintf(a, "cp3%d%s", t->py_minor, t->threaded ? "t" : "");
	/* Only a text with a micro version says more than the tag. */
	t->python = wp_str_starts(s, "cp") ? wp_sprintf(a, "3.%d", t->py_minor)
					   : wp_str_dup(a, wp_str_sub(s, 0, s.n - t->threaded));
	return 0;
}

/* ---- platform ------------------------------------------------------------------------------- */

static const char *const linux_arches[] = {"x86_64", "aarch64", "i686", "armv7l", "ppc64le", "s390x", "riscv64"};
static const char *const windows_platforms[] = {"win_amd64", "win_arm64", "win32"};

/* Names of today for shorter and older ones; a name in front of "_ARCH", or a whole word. */
static const struct {
	const char *old, *now;
} renamed[] = {{"manylinux2014_", "manylinux_2_17_"}, {"manylinux2010_", "manylinux_2_12_"},
	{"manylinux1_", "manylinux_2_5_"}, {"linux_", "manylinux_2_28_"}},
  words[] = {{"linux", "manylinux_2_28_x86_64"}, {"windows", "win_amd64"}, {"win", "win_amd64"}},
  /* Not taken, since they could mean something else, but answered with what was probably meant. */
	mistaken[] = {{"win64", "win_amd64"}, {"win_x86_64", "win_amd64"}, {"windows_amd64", "win_amd64"},
		{"windows_x86_64", "win_amd64"}, {"amd64", "win_amd64"}, {"win_32", "win32"},
		{"x86_64", "linux_x86_64"}, {"linux64", "linux_x86_64"}, {"linux_amd64", "linux_x86_64"},
		{"manylinux", "linux_x86_64"}, {"manylinux_x86_64", "linux_x86_64"},
		{"linux_arm64", "linux_aarch64"}, {"aarch64", "linux_aarch64"},
		{"musllinux", "musllinux_1_2_x86_64"}, {"alpine", "musllinux_1_2_x86_64"},
		{"macos", "macosx_11_0_arm64"}, {"macosx", "macosx_11_0_arm64"}, {"mac", "macosx_11_0_arm64"},
		{"darwin", "macosx_11_0_arm64"}, {"osx", "macosx_11_0_arm64"},
		{"macos_arm64", "macosx_11_0_arm64"}, {"macos_x86_64", "macosx_10_9_x86_64"}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool in_list(const char *word, const char *const *list, size_t n)
{
	while (n > 0)
		if (strcmp(word, list[--n]) == 0)
			return true;
	return false;
}

static const char *canonical(wp_arena *a, const char *word)
{
	size_t i;

	for (i = 0; i < COUNT(words); i++)
		if (strcmp(word, words[i].old) == 0)
			return words[i].now;
	for (i = 0; i < COUNT(renamed); i++)
		if (wp_starts(word, renamed[i].old))
			return wp_sprintf(a, "%s%s", renamed[i].now, word + strlen(renamed[i].old));
	return word;
}

/* The machine of PREFIX_1_2_MACHINE, NULL where the text is not of that form. */
static const char *machine(const char *platform, const char *prefix, int *major, int *minor)
{
	wp_str rest = wp_str_of(platform), first, second;

	if (!wp_str_starts(rest, prefix))
		return NULL;
	rest = wp_str_sub(rest, strlen(prefix), rest.n);
	if (!wp_str_split(&rest, '_', &first) || !wp_str_split(&rest, '_', &second) || !rest.p)
		return NULL;
	return small_number(first, 99, major) && small_number(second, 99, minor) ? rest.p : NULL;
}

static void set_system(wp_target *t, const char *os, const char *sys, const char *system, const char *arch)
{
	t->markers.os_name = os;
	t->markers.sys_platform = sys;
	t->markers.platform_system = system;
	t->markers.platform_machine = arch;
	t->windows = strcmp(os, "nt") == 0;
}

static bool set_linux(wp_target *t, const char *platform)
{
	int major, minor;
	const char *arch = machine(platform, "manylinux_", &major, &minor);

	if (arch && major != 2)
		return false;
	if (!arch)
		arch = machine(platform, "musllinux_", &major, &minor);
	if (!arch || !in_list(arch, linux_arches, COUNT(linux_arches)))
		return false;
	set_system(t, "posix", "linux", "Linux", arch);
	return true;
}

static bool set_macos(wp_target *t, const char *platform)
{
	int major, minor;
	const char *arch = machine(platform, "macosx_", &major, &minor);

	if (!arch || (strcmp(arch, "arm64") == 0 ? major < 11 : strcmp(arch, "x86_64") != 0 || major < 10))
		return false;
	set_system(t, "posix", "darwin", "Darwin", arch);
	return true;
}

static bool set_windows(wp_target *t, const char *platform)
{
	if (!in_list(platform, windows_platforms, COUNT(windows_platforms)))
		return false;
	set_system(t, "nt", "win32", "Windows",
		strcmp(platform, "win32") == 0 ? "x86" : strcmp(platform, "win_arm64") == 0 ? "ARM64" : "AMD64");
	return true;
}

/* The right spelling that is nearest to word, or NULL. */
static const char *nearest(const char *word)
{
	static const char *const usual[] = {"win_amd64", "win_arm64", "win32", "windows", "linux", "linux_x86_64",
		"linux_aarch64", "manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux_2_34_x86_64",
		"manylinux2014_x86_64", "manylinux_2_28_aarch64", "manylinux2014_aarch64", "musllinux_1_2_x86_64",
		"macosx_11_0_arm64", "macosx_10_9_x86_64"};
	size_t i;

	for (i = 0; i < COUNT(mistaken); i++)
		if (strcmp(word, mistaken[i].old) == 0)
			return mistaken[i].now;
	return wp_near(word, usual, COUNT(usual));
}

static int make_platform(wp_arena *a, const char *text, wp_target *t, wp_error *e)
{
	const char *word = wp_str_lower(a, wp_str_trim(wp_str_of(text))), *near;
	const char *platform = canonical(a, word);

	if (set_windows(t, platform) || set_linux(t, platform) || set_macos(t, platform)) {
		t->platform = platform;
		return 0;
	}
	wp_fail(e, WP_E_TARGET, "'%s' is not a platform that wheelpack knows", text);
	near = nearest(word);
	if (near)
		return wp_err_next(e, "did you mean `%s`?", near);
	return wp_err_next(e, "platforms are windows, linux, win_amd64, manylinux_2_28_x86_64, "
			      "musllinux_1_2_x86_64, macosx_11_0_arm64 and their like");
}

/* ---- both ----------------------------------------------------------------------------------- */

static void make_markers(wp_arena *a, wp_target *t)
{
	wp_markers *m = &t->markers;

	m->platform_python_implementation = "CPython";
	m->implementation_name = "cpython";
	m->platform_release = m->platform_version = "";
	m->python_version = wp_sprintf(a, "3.%d", t->py_minor);
	m->python_full_version = wp_sprintf(a, "3.%d.%d", t->py_minor, t->py_micro);
	m->implementation_version = m->python_full_version;
}

static int too_long(const char *text, wp_error *e)
{
	return wp_fail(e, WP_E_TARGET, "a part of a target has %zu bytes; %d are allowed", strlen(text), LONGEST);
}

int wp_target_make(wp_arena *a, const char *python, const char *platform, const char *variant, wp_target *out,
	wp_error *e)
{
	const char *const *platforms;
	size_t n;

	*out = (wp_target){0};
	if (strlen(python) > LONGEST || strlen(platform) > LONGEST)
		return too_long(strlen(python) > LONGEST ? python : platform, e);
	if (make_python(a, python, out, e) || make_platform(a, platform, out, e))
		return e->code;
	if (variant && wp_variant_parse(a, variant, &out->variant, e))
		return e->code;
	out->name = wp_sprintf(a, "%s-%s%s%s", out->python_tag, out->platform, variant ? "-" : "",
		variant ? out->variant : "");
	make_markers(a, out);
	n = wp_platform_tags(a, out->platform, &platforms);
	out->ntags = wp_python_tags(a, out->py_minor, &out->python_tag, 1, platforms, n, &out->tags);
	out->tag_index = wp_tag_index_new(a, out->tags, out->ntags);
	return 0;
}

/* win-amd64 for win_amd64 makes two parts of one; say so before the second is called a bad variant. */
static int parse_parts(wp_arena *a, const char *text, const wp_str *part, size_t n, wp_target *out, wp_error *e)
{
	const char *p[3] = {0};
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = wp_str_dup(a, part[i]);
	if (n == 3) {
		const char *joined = wp_sprintf(a, "%s_%s", p[1], p[2]);
		wp_error ignored = {0};

		if (wp_target_make(a, p[0], joined, NULL, out, &ignored) == 0) {
			wp_fail(e, WP_E_TARGET, "'%s' has a dash inside its platform", text);
			return wp_err_next(e, "did you mean `%s-%s`?", p[0], joined);
		}
	}
	return wp_target_make(a, p[0], p[1], p[2], out, e);
}

int wp_target_parse(wp_arena *a, const char *text, wp_target *out, wp_error *e)
{
	wp_str rest = wp_str_trim(wp_str_of(text)), part[3];
	size_t n = 0;

	*out = (wp_target){0};
	while (n < 3 && wp_str_split(&rest, '-', &part[n]))
		n++;
	if (strlen(text) > 3 * LONGEST)
		return too_long(text, e);
	if (n < 2)
		return wp_fail(e, WP_E_TARGET, "'%s' has no dash between a Python and a platform", text);
	if (rest.p)
		return wp_fail(e, WP_E_TARGET, "'%s' has more than three parts", text);
	return parse_parts(a, text, part, n, out, e);
}

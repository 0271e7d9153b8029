/* SPDX-License-Identifier: MIT */
/* A wheel's path or bare address where a requirement is expected, as pip takes it: ./demo-1.0-py3-none-any.whl[extra],
 * https://host/demo-1.0-py3-none-any.whl. What else people name there has its own words. */
#include "cli/cli.h"
#include "os/os.h"
#include "py/name.h"
#include "py/tag.h"

/* file:// address of an absolute path: what a name may not hold is written as %xx. */
static const char *address_of(wp_arena *a, const char *path)
{
	static const char plain[] = "/-._~:+!@=,()";
	bool drive = path[0] != '/';
	wp_buf b;

	wp_buf_init(&b, 4 * WP_MAX_PATH_BYTES);
	wp_buf_puts(&b, drive ? "file:///" : "file://");
	for (; *path; path++) {
		if (wp_ascii_alnum(*path) || strchr(plain, *path))
			wp_buf_putc(&b, *path);
		else if (*path == '\\' && drive)
			wp_buf_putc(&b, '/');
		else
			wp_buf_printf(&b, "%%%02X", (unsigned char)*path);
	}
	return wp_buf_take(&b, a).p;
}

/* The path in front of "[extra]" and "; marker"; nothing where the word names no wheel. */
static wp_str path_in(wp_str word, wp_str *rest)
{
	size_t at = 0, n;

	for (;;) {
		at += wp_str_find_str(wp_str_sub(word, at, word.n), WP_LIT(".whl"));
		if (at >= word.n)
			return (wp_str){0};
		at = n = at + strlen(".whl");
		if (n == word.n || strchr("[; \t", word.p[n]))
			break;
	}
	*rest = wp_str_sub(word, n, word.n);
	return wp_str_sub(word, 0, n);
}

/* "demo @ https://..." is a requirement already; a folder may have an @ in its name. */
static bool is_address(wp_arena *a, wp_str word)
{
	if (wp_str_find_str(word, WP_LIT("://")) < word.n)
		return true;
	return wp_str_find(word, '@') < word.n && !os_is_file(wp_str_dup(a, word));
}

/* ---- addresses without a name ------------------------------------------------------------- */

/* The scheme in front of "://"; nothing where the word does not begin with one. */
static wp_str scheme_of(wp_str word)
{
	size_t i, n = wp_str_find_str(word, WP_LIT("://"));

	if (n == word.n)
		return (wp_str){0};
	for (i = 0; i < n; i++)
		if (!(wp_ascii_alnum(word.p[i]) || strchr("+.-", word.p[i])))
			return (wp_str){0};
	return wp_str_sub(word, 0, n);
}

static bool is_repository(wp_str word, wp_str scheme)
{
	static const char *const kinds[] = {"git+", "hg+", "svn+", "bzr+"};
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (wp_str_starts(word, kinds[i]))
			return true;
	return wp_str_is(scheme, "git") || wp_str_is(scheme, "ssh") || wp_str_ends(word, ".git");
}

static size_t find_any(wp_str s, const char *chars)
{
	size_t i;

	for (i = 0; i < s.n && !strchr(chars, s.p[i]); i++)
		;
	return i;
}

/* The project that the last part of the address begins with; the library looks at the rest of it. */
static int name_address(cli *c, wp_str word, const char **out, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_str url = wp_str_sub(word, 0, find_any(word, " \t;")), rest = wp_str_trim(wp_str_sub(word, url.n, word.n));
	wp_str path = wp_str_sub(url, 0, find_any(url, "?#"));
	wp_str file = wp_str_sub(path, wp_str_rfind(path, '/') + 1, path.n);
	wp_str project = wp_str_sub(file, 0, wp_str_find(file, '-'));
	const char *variant;

	if (project.n == file.n || !wp_name_valid(project) || (rest.n && rest.p[0] != ';')) {
		wp_fail(e, WP_E_REQUIREMENT, "it is an address that does not end in the name of a wheel");
		variant = cli_variant_of_url(a, wp_str_dup(a, url));
		if (variant)
			wp_err_next(e, "for PyTorch's own index name the variant: --cuda %s", variant);
		wp_err_next(e, "name a wheel by its address; an index is named with --index-url or --extra-index-url");
		return wp_err_where(e, "'%s'", wp_str_dup(a, word));
	}
	*out = wp_sprintf(a, "%s @ %s%s%s", wp_name_normalize(a, project), wp_str_dup(a, url), rest.n ? " " : "",
		wp_str_dup(a, rest));
	return 0;
}

/* ---- what is no wheel --------------------------------------------------------------------- */

static int no_wheel(const char *word, const char *why, const char *next, wp_error *e)
{
	wp_fail(e, WP_E_REQUIREMENT, "%s", why);
	wp_err_next(e, "%s", next);
	return wp_err_where(e, "'%s'", word);
}

static bool is_path(const char *s)
{
	return s[0] == '.' || s[0] == '/' || s[0] == '~' || strchr(s, '\\') || wp_ends(s, "/");
}

static int refuse_path(const char *word, wp_error *e)
{
	if (os_is_dir(word))
		return no_wheel(word, "it is a folder, and no wheel", "name it with --find-links, or name the wheel in it", e);
	if (os_is_file(word))
		return no_wheel(word, "it is a file, and no wheel", CLI_NOT_BUILT, e);
	wp_fail(e, WP_E_NOT_FOUND, "there is no such file");
	wp_err_next(e, "name a wheel by its path, or a project by its name");
	return wp_err_where(e, "'%s'", word);
}

int cli_wheel_word(cli *c, const char *word, const char **out, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_str all = wp_str_trim(wp_str_of(word)), scheme = scheme_of(all);
	wp_str rest = {0}, extras = {0}, path = path_in(wp_str_of(word), &rest);
	const char *file, *full;
	wp_wheel_name w;

	*out = NULL;
	if (is_repository(all, scheme) && wp_str_find(all, ' ') == all.n)
		return no_wheel(word, "it is a source repository, and no wheel", CLI_NOT_BUILT, e);
	if (scheme.n)
		return name_address(c, all, out, e);
	if (!path.n && is_path(word))
		return refuse_path(word, e);
	if (!path.n || is_address(a, path))
		return 0;
	rest = wp_str_trim(rest);
	if (rest.n && rest.p[0] == '[') {
		size_t n = wp_str_find(rest, ']');

		extras = wp_str_sub(rest, 0, n + 1);
		rest = wp_str_sub(rest, n + 1, rest.n);
	}
	rest = wp_str_trim(rest);
	if (rest.n && rest.p[0] != ';')
		return 0;
	file = wp_str_dup(a, path);
	if (!os_is_file(file)) {
		wp_fail(e, WP_E_NOT_FOUND, "there is no such wheel");
		return wp_err_where(e, "'%s'", file);
	}
	if (wp_wheel_name_parse(a, wp_str_of(os_basename(file)), &w, e) || os_absolute(a, file, &full, e))
		return wp_err_where(e, "'%s'", file);
	*out = wp_sprintf(a, "%s%s @ %s%s%s", w.project, wp_str_dup(a, extras), address_of(a, full), rest.n ? " " : "",
		wp_str_dup(a, rest));
	return 0;
}

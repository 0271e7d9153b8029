/* SPDX-License-Identifier: MIT */
/* A wheel's path where a requirement is expected, as pip takes it: ./demo-1.0-py3-none-any.whl[extra]. */
#include "cli/cli.h"
#include "os/os.h"
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

int cli_wheel_word(cli *c, const char *word, const char **out, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_str rest = {0}, extras = {0}, path = path_in(wp_str_of(word), &rest);
	const char *file, *full;
	wp_wheel_name w;

	*out = NULL;
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

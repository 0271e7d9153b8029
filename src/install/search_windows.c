/* SPDX-License-Identifier: MIT
 *
 * search_windows.c: where Windows has interpreters that are not on PATH: in the registry (PEP 514), known to
 * the py launcher, in the folders of version managers.
 */
#include "install/search.h"
#include "os/os.h"

enum { PY_TIMEOUT_MS = 20000 };

static bool search_registry(wp_search *s)
{
	os_python *v;
	size_t i, n;

	os_registry_pythons(s->a, &v, &n);
	for (i = 0; i < n; i++)
		if (wp_search_file(s, v[i].executable))
			return true;
	return false;
}

const char *wp_search_py_line(wp_arena *a, wp_str line)
{
	size_t i;

	line = wp_str_trim(line);
	for (i = 0; i + 2 < line.n; i++)
		if (wp_ascii_alpha(line.p[i]) && line.p[i + 1] == ':' && line.p[i + 2] == '\\' &&
			(i == 0 || wp_ascii_space(line.p[i - 1])))
			return wp_str_dup(a, wp_str_sub(line, i, line.n));
	return NULL;
}

/* `py -0p` lists what the launcher knows, one a line. */
static bool search_py(wp_search *s, const char *dir)
{
	const char *argv[] = {os_join(s->a, dir, "py.exe"), "-0p", NULL};
	os_run_request r = {.argv = argv, .cwd = dir, .timeout_ms = PY_TIMEOUT_MS};
	os_run_result got = {0};
	wp_error ignored = {0};
	const char *path;
	wp_str line;

	if (!os_is_executable(argv[0]) || os_run(s->a, &r, &got, &ignored) || got.exit_code)
		return false;
	while (wp_str_line(&got.out, &line))
		if ((path = wp_search_py_line(s->a, line)) && wp_search_file(s, path))
			return true;
	return false;
}

static bool search_launcher(wp_search *s, const char *path)
{
	wp_str rest = wp_str_of(path), dir;

	while (wp_str_split(&rest, ';', &dir)) {
		const char *name = wp_str_dup(s->a, dir);

		if (os_is_absolute(name) && search_py(s, name))
			return true;
	}
	return false;
}

/* dir/VERSION/python.exe, newest name first. */
static bool search_versions(wp_search *s, const char *dir)
{
	wp_error ignored = {0};
	const char **list;
	size_t n;

	if (os_list(s->a, dir, &list, &n, &ignored))
		return false;
	while (n--)
		if (wp_search_file(s, os_join(s->a, os_join(s->a, dir, list[n]), "python.exe")))
			return true;
	return false;
}

static bool search_managers(wp_search *s, const char *home)
{
	static const char *const versions[] = {".pyenv/pyenv-win/versions", "AppData/Roaming/uv/python"};
	static const char *const conda[] = {"miniconda3", "anaconda3", "miniforge3", "mambaforge"};
	size_t i;

	for (i = 0; i < sizeof versions / sizeof *versions; i++)
		if (search_versions(s, os_join(s->a, home, versions[i])))
			return true;
	for (i = 0; i < sizeof conda / sizeof *conda; i++)
		if (wp_search_file(s, wp_sprintf(s->a, "%s/%s/python.exe", home, conda[i])))
			return true;
	return false;
}

bool wp_search_windows(wp_search *s, const char *path, const char *home)
{
	return search_registry(s) || search_launcher(s, path) || (home && search_managers(s, home));
}

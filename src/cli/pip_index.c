/* SPDX-License-Identifier: MIT */
/* The index that pip has built in, which people mean who never named one. Where python3 is an ordinary one, it is read
 * from pip's own files; else pip is asked, which costs half a second or more, so its answer is kept for as long as an
 * index page would be, and only as long as nothing changed that it depends on. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "model/pipconf.h"
#include "os/os.h"

enum { MAX_SOURCE = 1 << 20, FRESH_S = 600, MAX_PLACES = 4 };

/* ---- pip's files ---------------------------------------------------------------------------- */

static bool read_text(wp_arena *a, const char *path, wp_str *out)
{
	wp_error ignored = {0};

	*out = (wp_str){0};
	return os_is_file(path) && os_read_file(a, path, MAX_SOURCE, out, &ignored) == 0;
}

/* Directories where the Python at this real path looks for pip; 0 where the path tells nothing. */
static size_t pip_places(wp_arena *a, const char *real, const char *places[MAX_PLACES])
{
	const char *name = os_basename(real), *bin = os_dirname(a, real), *prefix = os_dirname(a, bin);
	bool system = wp_streq(prefix, "/usr");
	size_t n = 0;

	if (os_is_windows()) {
		places[n++] = os_join(a, bin, "Lib/site-packages/pip");
		return n;
	}
	if (!wp_starts(name, "python3.") || strspn(name + 8, "0123456789") != strlen(name + 8))
		return 0;
	if (!os_is_file(wp_sprintf(a, "%s/lib/%s/os.py", prefix, name)))
		return 0;
	places[n++] = wp_sprintf(a, "%s/lib/%s/site-packages/pip", prefix, name);
	if (system) {
		places[n++] = wp_sprintf(a, "/usr/local/lib/%s/dist-packages/pip", name);
		places[n++] = wp_sprintf(a, "/usr/local/lib/%s/site-packages/pip", name);
		places[n++] = "/usr/lib/python3/dist-packages/pip";
	}
	return n;
}

/* `default=NAME.simple_url,` in the options: the name of the index; NULL where there is none or more than one. */
static const char *default_name(wp_arena *a, wp_str options)
{
	static const char before[] = "default=", behind[] = ".simple_url,";
	const char *found = NULL;
	wp_str line;

	while (wp_str_line(&options, &line)) {
		line = wp_str_trim(line);
		if (!wp_str_starts(line, before) || !wp_str_ends(line, behind))
			continue;
		if (found)
			return NULL;
		found = wp_str_dup(a, wp_str_sub(line, sizeof before - 1, line.n - (sizeof behind - 1)));
	}
	return found;
}

/* `NAME = PackageIndex("https://HOST/", ...)` at the beginning of a line: the address between the quotes. */
static const char *stated_host(wp_arena *a, wp_str text, const char *name)
{
	const char *start = wp_sprintf(a, "%s = PackageIndex(", name);
	wp_str line;

	while (wp_str_line(&text, &line)) {
		if (!wp_str_starts(line, start))
			continue;
		line = wp_str_trim(wp_str_sub(line, strlen(start), line.n));
		if (!line.n && wp_str_line(&text, &line))
			line = wp_str_trim(line);
		if (!wp_str_starts(line, "\"https://"))
			return NULL;
		line = wp_str_sub(line, 1, line.n);
		line = wp_str_sub(line, 0, wp_str_find(line, '"'));
		return wp_str_find(line, '\\') < line.n || wp_str_find(line, ' ') < line.n ? NULL : wp_str_dup(a, line);
	}
	return NULL;
}

static bool has(wp_str text, const char *word)
{
	return wp_str_find_str(text, wp_str_of(word)) < text.n;
}

/* What `pip download --help` prints, found by the same way through pip's source. */
static const char *read_index(wp_arena *a, const char *pip)
{
	wp_str models, options;
	const char *name, *host;

	if (!read_text(a, os_join(a, pip, "_internal/models/index.py"), &models) ||
		!read_text(a, os_join(a, pip, "_internal/cli/cmdoptions.py"), &options))
		return NULL;
	name = default_name(a, options);
	if (!name || !has(models, "self.simple_url = self._url_for_path(\"simple\")"))
		return NULL;
	host = stated_host(a, models, name);
	return host ? wp_sprintf(a, "%s%ssimple", host, wp_ends(host, "/") ? "" : "/") : NULL;
}

/* ---- which Python --------------------------------------------------------------------------- */

/* The first version that a file of pyenv names; NULL where it isn't there or its version has no such program. */
static const char *pyenv_version(wp_arena *a, const char *root, wp_str text)
{
	wp_str first;
	const char *path;

	if (!wp_str_line(&text, &first) || !wp_str_trim(first).n)
		return NULL;
	first = wp_str_trim(first);
	path = wp_sprintf(a, "%s/versions/%.*s/bin/python3", root, (int)first.n, first.p);
	return wp_str_find(first, '/') == first.n && os_is_file(path) ? path : NULL;
}

/* What a shim of pyenv would start: PYENV_VERSION, a file from the current folder upwards, the global file. */
static const char *behind_shim(wp_arena *a, const char *shim)
{
	const char *root = os_dirname(a, os_dirname(a, shim)), *dir = os_getenv("PYENV_DIR"), *up,
		   *named = os_getenv("PYENV_VERSION");
	wp_error ignored = {0};
	wp_str text;

	if (!wp_streq(os_basename(os_dirname(a, shim)), "shims"))
		return NULL;
	if (named && *named)
		return pyenv_version(a, root, wp_str_of(named));
	if (os_absolute(a, dir && *dir ? dir : ".", &dir, &ignored))
		return NULL;
	for (;; dir = up) {
		if (read_text(a, os_join(a, dir, ".python-version"), &text))
			return pyenv_version(a, root, text);
		up = os_dirname(a, dir);
		if (wp_streq(up, dir))
			break;
	}
	return read_text(a, os_join(a, root, "version"), &text) ? pyenv_version(a, root, text) : NULL;
}

/* The real path of the python3 that a search along PATH would ask first; NULL where only starting it can tell. */
static const char *first_python(wp_arena *a)
{
	wp_str rest = wp_str_of(os_getenv("PATH")), dir;
	wp_error ignored = {0};
	const char *path, *real;

	while (!os_is_windows() && wp_str_split(&rest, ':', &dir)) {
		path = os_join(a, wp_str_dup(a, dir), "python3");
		if (!os_is_absolute(path) || !os_is_executable(path))
			continue;
		real = behind_shim(a, path);
		return os_realpath(a, real ? real : path, &real, &ignored) ? NULL : real;
	}
	return NULL;
}

/* Two pips in one Python are for Python itself to choose from. */
static const char *from_files(wp_arena *a)
{
	const char *places[MAX_PLACES], *real = first_python(a), *found = NULL;
	size_t n = real ? pip_places(a, real, places) : 0, i;

	for (i = 0; i < n; i++) {
		if (!os_is_dir(places[i]))
			continue;
		if (found)
			return NULL;
		found = places[i];
	}
	return found ? read_index(a, found) : NULL;
}

/* ---- asking pip ----------------------------------------------------------------------------- */

/* pip without any configuration prints its built-in index in its help. */
static const char *ask_pip(cli *c, const char *python)
{
	static const char *const unset[] = {"PIP_", "PYTHON", NULL};
	static const char *const set[] = {"COLUMNS=10000", "PIP_CONFIG_FILE=" CLI_NULL_DEVICE, NULL};
	const char *argv[] = {python, "-I", "-m", "pip", "download", "--help", NULL};
	os_run_request q = {.argv = argv, .set_env = set, .unset_prefix = unset, .timeout_ms = 60000};
	wp_error ignored = {0};
	os_run_result r;

	if (os_run(c->ctx.arena, &q, &r, &ignored) || r.exit_code)
		return NULL;
	return wp_pipconf_default_index(c->ctx.arena, r.out);
}

/* ---- the kept answer ------------------------------------------------------------------------ */

static void add_file(wp_arena *a, wp_buf *b, const char *path)
{
	uint64_t size = 0;
	wp_error ignored = {0};
	const char *real = "";
	os_kind kind;

	if (!os_is_executable(path))
		return;
	os_realpath(a, path, &real, &ignored);
	os_stat(real, &kind, &size, &ignored);
	wp_buf_printf(b, "%s %s %" PRIu64 "\n", path, real, size);
}

/* Everything that decides which Python is asked. */
static uint64_t question(wp_arena *a)
{
	static const char *const variables[] = {"PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_VERSION", "PYENV_DIR", "PY_PYTHON",
		"PY_PYTHON3"};
	char separator = os_is_windows() ? ';' : ':';
	const char *here = "", *home = os_home();
	wp_str rest = wp_str_of(os_getenv("PATH")), dir;
	wp_error ignored = {0};
	os_python *known;
	size_t i, n;
	wp_buf b;
	uint64_t hash;

	wp_buf_init(&b, 1 << 20);
	os_absolute(a, ".", &here, &ignored);
	wp_buf_printf(&b, "%s\n%s\n", here, home ? home : "");
	for (i = 0; i < sizeof variables / sizeof *variables; i++)
		wp_buf_printf(&b, "%s\n", os_getenv(variables[i]) ? os_getenv(variables[i]) : "");
	while (wp_str_split(&rest, separator, &dir)) {
		add_file(a, &b, os_join(a, wp_str_dup(a, dir), os_is_windows() ? "python3.exe" : "python3"));
		if (os_is_windows())
			add_file(a, &b, os_join(a, wp_str_dup(a, dir), "python.exe"));
	}
	os_registry_pythons(a, &known, &n);
	for (i = 0; i < n; i++)
		add_file(a, &b, known[i].executable);
	hash = wp_str_hash(wp_buf_view(&b), 0);
	wp_buf_free(&b);
	return hash;
}

/* The Python that answered and the pip that it has; 0 where either can't be seen. */
static uint64_t witness(wp_arena *a, const char *python)
{
	static const char *const names[] = {"__init__.py", "_internal/models/index.py", "_internal/cli/cmdoptions.py"};
	const char *places[MAX_PLACES], *real;
	wp_error ignored = {0};
	uint64_t hash = 0, size;
	os_kind kind;
	size_t n, i, k, at = 0;
	wp_str text;

	if (os_realpath(a, python, &real, &ignored) || os_stat(real, &kind, &size, &ignored))
		return 0;
	n = pip_places(a, real, places);
	for (i = 0; i < n; i++)
		for (k = 0; k < sizeof names / sizeof *names; k++, at++)
			if (read_text(a, os_join(a, places[i], names[k]), &text))
				hash = wp_str_hash(text, hash + at + 1);
	return hash ? wp_str_hash(wp_str_of(wp_sprintf(a, "%s %" PRIu64, real, size)), hash) : 0;
}

static const char *kept_path(wp_arena *a, const char *cache, uint64_t asked)
{
	return wp_sprintf(a, "%s/pip/%016" PRIx64, cache, asked);
}

static const char *kept_text(wp_arena *a, int64_t time, uint64_t seen, const char *python, const char *url)
{
	const char *text = wp_sprintf(a, "%" PRId64 "\n%016" PRIx64 "\n%s\n%s\n", time, seen, python, url);

	return wp_sprintf(a, "%s%016" PRIx64 "\n", text, wp_str_hash(wp_str_of(text), 0));
}

/* An answer that is whole, young, and whose Python and pip are what they were. */
static const char *kept_answer(wp_arena *a, const char *path)
{
	wp_str text, rest, line[4];
	const char *python, *url;
	uint64_t time, seen;
	int64_t now = os_unix_time();
	size_t i;

	if (!read_text(a, path, &text))
		return NULL;
	for (rest = text, i = 0; i < 4; i++)
		if (!wp_str_line(&rest, &line[i]))
			return NULL;
	python = wp_str_dup(a, line[2]);
	url = wp_str_dup(a, line[3]);
	if (!wp_str_u64(line[0], &time) || (int64_t)time > now || now - (int64_t)time >= FRESH_S)
		return NULL;
	seen = witness(a, python);
	return seen && wp_str_starts(line[3], "https://") && wp_str_is(text, kept_text(a, (int64_t)time, seen, python, url)) ? url : NULL;
}

static void keep(wp_arena *a, const char *path, const char *python, const char *url)
{
	uint64_t seen = witness(a, python);
	wp_error ignored = {0};

	if (seen && !os_mkdirs(os_dirname(a, path), &ignored))
		os_write_file(path, wp_str_of(kept_text(a, os_unix_time(), seen, python, url)), &ignored);
}

/* ---- interface ------------------------------------------------------------------------------ */

int cli_pip_index(cli *c, const char *cache, const char **out, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	const char *path;
	wp_interpreter py;
	wp_error ignored = {0};

	*out = from_files(a);
	if (*out)
		return 0;
	path = kept_path(a, cache, question(a));
	*out = c->o.refresh ? NULL : kept_answer(a, path);
	if (*out)
		return 0;
	if (cli_interpreter(c, NULL, &py, &ignored) == 0) {
		*out = ask_pip(c, py.executable);
		if (*out)
			keep(a, path, py.executable, *out);
	}
	if (*out || wp_check_cancel(&c->ctx, e))
		return e->code;
	wp_fail(e, WP_E_USAGE, "no index is configured, and there is no pip here to ask for its own");
	if (c->o.index_url) /* a PyTorch address */
		wp_err_next(e, "that address means --cuda %s; name the ordinary index too: --cuda %s --index-url URL",
			cli_variant_of_url(a, c->o.index_url), cli_variant_of_url(a, c->o.index_url));
	return wp_err_next(e, "name one with --index-url URL, or set it for pip (`pip config set global.index-url URL`)");
}

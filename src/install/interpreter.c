/* SPDX-License-Identifier: MIT
 *
 * interpreter.c: finding a Python interpreter. A hit that fails or is of another version is noted
 * and the search goes on, so that a version manager's shim on PATH doesn't end it.
 */
#include "install/search.h"
#include "os/os.h"

static bool parse_number(wp_str s, int *out)
{
	uint64_t v;

	if (!wp_str_u64(s, &v) || v > 999)
		return false;
	*out = (int)v;
	return true;
}

/* 3, 3.12, 3.12.7, each perhaps with a final t. */
static bool parse_version(wp_str s, wp_python_want *w)
{
	int *part[] = {&w->major, &w->minor, &w->micro};
	wp_str piece;
	size_t i = 0;

	if (wp_str_ends(s, "t")) {
		w->threaded = true;
		s.n--;
	}
	while (wp_str_split(&s, '.', &piece))
		if (i == 3 || !parse_number(piece, part[i++]))
			return false;
	return true;
}

/* cp312, cp313t: one digit of major, the rest is minor. */
static bool parse_tag(wp_str s, wp_python_want *w)
{
	if (!wp_str_starts(s, "cp") || s.n < 4)
		return false;
	s = wp_str_sub(s, 2, s.n);
	if (wp_str_ends(s, "t")) {
		w->threaded = true;
		s.n--;
	}
	return parse_number(wp_str_sub(s, 0, 1), &w->major) &&
	       parse_number(wp_str_sub(s, 1, s.n), &w->minor);
}

static wp_python_want no_want(const char *spec)
{
	return (wp_python_want){.spec = spec, .major = -1, .minor = -1, .micro = -1};
}

static wp_python_want parse_want(const char *spec)
{
	wp_python_want w = no_want(spec ? spec : "python3");
	wp_str s = wp_str_of(w.spec);

	if (strchr(w.spec, '/') || strchr(w.spec, '\\')) {
		w.path = w.spec;
		return w;
	}
	if (s.n && wp_ascii_digit(s.p[0]) && parse_version(s, &w))
		return w;
	w = no_want(w.spec);
	if (parse_tag(s, &w))
		return w;
	w = no_want(w.spec);
	if (wp_str_starts(s, "python") && s.n > 6 && parse_version(wp_str_sub(s, 6, s.n), &w))
		return w;
	w = no_want(w.spec);
	w.name = w.spec;
	w.any_threaded = true;
	return w;
}

bool wp_python_windows(const wp_interpreter *p)
{
	return wp_streq(p->markers.os_name, "nt");
}

const char *wp_venv_python(wp_arena *a, const char *dir)
{
	static const char *const windows[] = {"Scripts/python.exe", "python.exe"}; /* the second: of conda */
	size_t i;

	for (i = 0; i < sizeof windows / sizeof *windows; i++)
		if (os_is_file(os_join(a, dir, windows[i])))
			return os_join(a, dir, windows[i]);
	return os_join(a, dir, "bin/python");
}

bool wp_python_spec_fits(const char *spec, const wp_interpreter *p)
{
	wp_python_want w = parse_want(spec), real = no_want("");

	if (!parse_tag(wp_str_of(p->soabi_tag), &real))
		return false;
	parse_version(wp_str_of(p->version), &real);
	return (w.major < 0 || w.major == real.major) && (w.minor < 0 || w.minor == real.minor) &&
	       (w.micro < 0 || w.micro == real.micro) &&
	       (w.any_threaded || w.minor < 0 || w.threaded == wp_ends(p->soabi_tag, "t"));
}

static void note(wp_search *s, const char *path, const char *why)
{
	wp_buf_printf(&s->tried, "%s%s (%s)", s->tried.n ? "; " : "", path, why);
}

/* Links to a file that was asked already need no second answer. */
static bool seen(wp_search *s, const char *path)
{
	wp_error err = {0};
	const char *real;

	if (os_realpath(s->a, path, &real, &err))
		return false;
	return !wp_map_put(&s->asked, wp_str_of(real), 1);
}

/* An app execution alias of Windows: a name without bytes that can be started and not opened. Behind it is a Python of
 * the Microsoft Store, or nothing but an offer to get one. */
static bool is_alias(const char *path)
{
	wp_error ignored = {0};
	uint64_t size = 1;
	os_kind kind;

	return !os_is_file(path) && !os_stat(path, &kind, &size, &ignored) && kind == OS_FILE && size == 0;
}

bool wp_search_file(wp_search *s, const char *path)
{
	wp_error err = {0};
	bool alias = is_alias(path);

	if ((!alias && !os_is_executable(path)) || seen(s, path) || wp_cancelled(s->ctx))
		return false;
	if (wp_interpreter_ask(s->ctx, path, s->out, &err)) {
		note(s, path, alias ? "an alias of the Microsoft Store, no Python behind it" : err.why);
		return false;
	}
	if (!s->w.path && !s->w.name && !wp_python_spec_fits(s->w.spec, s->out)) {
		note(s, path, wp_sprintf(s->a, "is %s, Python %s", s->out->soabi_tag,
				s->out->version));
		return false;
	}
	s->found = true;
	return true;
}

static bool try_name(wp_search *s, const char *dir, const char *name)
{
	if (os_is_windows() && !wp_ends(name, ".exe"))
		name = wp_sprintf(s->a, "%s.exe", name);
	return os_is_absolute(dir) && wp_search_file(s, os_join(s->a, dir, name));
}

/* The names under which the wanted interpreter may lie, most exact first. */
static size_t names_of(wp_search *s, const char *names[3])
{
	const wp_python_want *w = &s->w;
	size_t n = 0;

	if (w->name) {
		names[0] = w->name;
		return 1;
	}
	if (w->minor >= 0)
		names[n++] = wp_sprintf(s->a, "python%d.%d%s", w->major, w->minor,
			w->threaded ? "t" : "");
	names[n++] = "python3";
	names[n++] = "python";
	return n;
}

static bool search_path(wp_search *s, const char *path, const char *const *names, size_t n)
{
	char separator = os_is_windows() ? ';' : ':';
	wp_str rest, dir;
	size_t i;

	for (i = 0; i < n; i++) {
		rest = wp_str_of(path);
		while (wp_str_split(&rest, separator, &dir))
			if (try_name(s, wp_str_dup(s->a, dir), names[i]))
				return true;
	}
	return false;
}

/* dir/VERSION/bin of a version manager, newest name first. */
static bool search_versions(wp_search *s, const char *dir, const char *name)
{
	wp_error err = {0};
	const char **list;
	size_t n;

	if (os_list(s->a, dir, &list, &n, &err))
		return false;
	while (n--)
		if (try_name(s, os_join(s->a, os_join(s->a, dir, list[n]), "bin"), name))
			return true;
	return false;
}

static bool search_places(wp_search *s, const char *home, const char *name)
{
	static const char *const managers[] = {".pyenv/versions", ".local/share/uv/python"};
	static const char *const conda[] = {"miniconda3/bin", "anaconda3/bin", "miniforge3/bin",
		"mambaforge/bin"};
	size_t i;

	for (i = 0; home && i < sizeof managers / sizeof *managers; i++)
		if (search_versions(s, os_join(s->a, home, managers[i]), name))
			return true;
	for (i = 0; home && i < sizeof conda / sizeof *conda; i++)
		if (try_name(s, os_join(s->a, home, conda[i]), name))
			return true;
	return try_name(s, "/usr/bin", name) || try_name(s, "/usr/local/bin", name);
}

static int search_explicit(wp_search *s, wp_error *e)
{
	const char *path;

	if (os_absolute(s->a, s->w.path, &path, e))
		return e->code;
	if (os_is_dir(path)) /* an environment: its own interpreter is meant */
		path = wp_venv_python(s->a, path);
	if (!os_is_file(path) && !is_alias(path))
		return wp_fail(e, WP_E_NO_INTERPRETER, "there is no file '%s'", path);
	if (!os_is_executable(path) && !is_alias(path))
		return wp_fail(e, WP_E_NO_INTERPRETER, "'%s' is not executable", path);
	if (!wp_search_file(s, path) && !wp_check_cancel(s->ctx, e))
		return wp_fail(e, WP_E_NO_INTERPRETER, "%s", wp_buf_view(&s->tried).p);
	return e->code;
}

static int search_all(wp_search *s, const char *path, const char *home, wp_error *e)
{
	const char *names[3];
	size_t n = names_of(s, names);

	path = path ? path : "";
	if (search_path(s, path, names, n))
		return 0;
	if (os_is_windows() ? wp_search_windows(s, path, home) : search_places(s, home, names[0]))
		return 0;
	if (wp_check_cancel(s->ctx, e))
		return e->code;
	wp_fail(e, WP_E_NO_INTERPRETER, "nothing found fits '%s'%s%s", s->w.spec, s->tried.n ? "; tried " : "",
		wp_buf_view(&s->tried).p);
	if (s->w.minor < 0)
		return e->code;
	return wp_err_next(e, "Python %d.%d%s was not found here: install it, or name one with --python PATH", s->w.major,
		s->w.minor, s->w.threaded ? "t" : "");
}

int wp_interpreter_find(wp_ctx *ctx, const char *spec, const char *path, const char *home,
	wp_interpreter *out, wp_error *e)
{
	wp_search s = {.ctx = ctx, .a = wp_arena_new(), .w = parse_want(spec), .out = out};

	wp_buf_init(&s.tried, 64 << 10);
	wp_map_init(&s.asked);
	if (s.w.path)
		search_explicit(&s, e);
	else
		search_all(&s, path, home, e);
	wp_map_free(&s.asked);
	wp_buf_free(&s.tried);
	wp_arena_free(s.a);
	return e->code;
}

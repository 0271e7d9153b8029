/* SPDX-License-Identifier: MIT
 *
 * venv_windows.c: python.exe of a venv on Windows is no link: a small program starts the base interpreter that
 * pyvenv.cfg names. Most interpreters bring such programs for their own venv module; Python itself knows those best.
 * Where there is none (embeddable packages, some managed builds), ours do the same.
 */
#include "install/parts.h"
#include "os/os.h"

enum { MAX_PROGRAM = 16 << 20 };

const char *wp_native_path(wp_arena *a, bool windows, const char *path)
{
	char *copy = wp_strdup(a, path), *p;

	for (p = copy; windows && *p; p++)
		if (*p == '/')
			*p = '\\';
	return copy;
}

/* pythonw.exe for python.exe, pythonw3.13t.exe for python3.13t.exe. */
static const char *windowed_name(wp_arena *a, const wp_interpreter *base)
{
	const char *own = os_basename(base->executable);

	return wp_starts(own, "python") ? wp_sprintf(a, "pythonw%s", own + 6) : "pythonw.exe";
}

/* The base's own launcher; NULL where it has none. Free-threaded builds beside ordinary ones have theirs. */
static const char *base_launcher(wp_arena *a, const wp_interpreter *base, bool windowed)
{
	bool threaded = wp_ends(base->soabi_tag, "t");
	const char *w = windowed ? "w" : "";
	const char *names[] = {wp_sprintf(a, "venv%slauncher%s.exe", w, threaded ? "t" : ""),
		wp_sprintf(a, "python%s.exe", w)};
	size_t i, n = threaded ? 1 : 2;

	for (i = 0; i < n; i++) {
		const char *path = wp_sprintf(a, "%s/Lib/venv/scripts/nt/%s", os_dirname(a, base->executable), names[i]);

		if (os_is_file(path))
			return path;
	}
	return NULL;
}

bool wp_venv_windowed(wp_arena *a, const wp_interpreter *base)
{
	return os_is_file(os_join(a, os_dirname(a, base->executable), windowed_name(a, base)));
}

const char *wp_venv_blinded(wp_arena *a, const wp_interpreter *base)
{
	enum { MAX_PTH = 1 << 20 };
	const char *path = wp_sprintf(a, "%s/python%s._pth", os_dirname(a, base->executable), base->soabi_tag + 2);
	wp_error ignored = {0};
	wp_str text, line;

	if (os_read_file(a, path, MAX_PTH, &text, &ignored))
		return NULL;
	while (wp_str_line(&text, &line))
		if (wp_str_is(wp_str_trim(line), "import site"))
			return NULL;
	return path;
}

static int put_program(wp_arena *a, const char *path, const char *from, wp_str ours, wp_error *e)
{
	os_file *f = NULL;

	if ((from && os_read_file(a, from, MAX_PROGRAM, &ours, e)) || os_open(path, OS_CREATE_NEW, &f, e))
		return e->code;
	os_pwrite(f, ours.p, ours.n, 0, e);
	os_close(f, e);
	return e->code;
}

int wp_venv_programs(wp_arena *a, const char *bin, const wp_interpreter *base, const wp_launchers *l, wp_error *e)
{
	if (put_program(a, os_join(a, bin, "python.exe"), base_launcher(a, base, false), l->console, e))
		return e->code;
	if (!wp_venv_windowed(a, base))
		return 0;
	return put_program(a, os_join(a, bin, "pythonw.exe"), base_launcher(a, base, true), l->gui, e);
}

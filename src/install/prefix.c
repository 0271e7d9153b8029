/* SPDX-License-Identifier: MIT
 *
 * prefix.c: what a directory is that is named as a venv and is none, and why the python of one that is doesn't start: for
 * the message, and for what to do about it.
 */
#include "install/parts.h"
#include "os/os.h"

/* ---- no venv -------------------------------------------------------------------------------- */

static bool has(wp_arena *a, const char *dir, const char *path)
{
	return os_is_file(os_join(a, dir, path));
}

static const char *first_of(wp_arena *a, const char *dir, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (has(a, dir, names[i]))
			return os_join(a, dir, names[i]);
	return NULL;
}

/* The standard library below lib, with os.py in it: "lib/python3.12"; NULL. */
static const char *library_in(wp_arena *a, const char *dir, const char *lib)
{
	wp_error ignored = {0};
	const char **names;
	size_t i, n;

	if (has(a, dir, wp_sprintf(a, "%s/os.py", lib)))
		return lib;
	if (!os_is_dir(os_join(a, dir, lib)) || os_list(a, os_join(a, dir, lib), &names, &n, &ignored))
		return NULL;
	for (i = n; i-- > 0;) {
		const char *path = wp_sprintf(a, "%s/%s", lib, names[i]);

		if (wp_starts(names[i], "python") && has(a, dir, wp_sprintf(a, "%s/os.py", path)))
			return path;
	}
	return NULL;
}

static const char *library_of(wp_arena *a, const char *dir)
{
	static const char *const libs[] = {"lib", "lib64", "Lib"};
	const char *found = NULL;
	size_t i;

	for (i = 0; i < sizeof libs / sizeof *libs && !found; i++)
		found = library_in(a, dir, libs[i]);
	return found;
}

/* The venv that dir is a part of; NULL. */
static const char *venv_above(wp_arena *a, const char *dir)
{
	const char *up = os_dirname(a, dir);

	for (; strcmp(up, dir) != 0; dir = up, up = os_dirname(a, up))
		if (has(a, up, "pyvenv.cfg"))
			return up;
	return NULL;
}

static bool is_conda(wp_arena *a, const char *dir)
{
	return os_is_dir(os_join(a, dir, "conda-meta"));
}

bool wp_prefix_let_in(wp_arena *a, const char *dir)
{
	return is_conda(a, dir) && os_is_dir(os_join(a, dir, ".wheelpack"));
}

static wp_prefix installation(const char *python, bool conda, bool managed)
{
	if (conda && !managed)
		return (wp_prefix){WP_PREFIX_CONDA, "it is a conda environment, and no venv", python};
	if (conda)
		return (wp_prefix){WP_PREFIX_PYTHON,
			"it is a conda environment that is marked as managed otherwise (PEP 668), and no venv", python};
	return (wp_prefix){WP_PREFIX_PYTHON, managed
		? "it is a Python installation that its system or another tool manages (PEP 668), and no venv"
		: "it is a Python installation, and no venv", python};
}

wp_prefix wp_prefix_look(wp_arena *a, const char *dir)
{
	static const char *const pythons[] = {"bin/python3", "bin/python", "python.exe"};
	static const char *const scripts[] = {"bin/activate", "Scripts/activate.bat", "Scripts/Activate.ps1"};
	const char *library = library_of(a, dir), *python = first_of(a, dir, pythons, 3);
	const char *above = os_is_absolute(dir) ? venv_above(a, dir) : NULL;

	if (is_conda(a, dir) || (python && library))
		return installation(python, is_conda(a, dir),
			library && has(a, dir, wp_sprintf(a, "%s/EXTERNALLY-MANAGED", library)));
	if (above)
		return (wp_prefix){WP_PREFIX_INSIDE, wp_sprintf(a, "it is a directory of the venv '%s'", above), above};
	if (first_of(a, dir, scripts, 3))
		return (wp_prefix){WP_PREFIX_LOST, "it has the scripts of a venv, and no pyvenv.cfg", NULL};
	return (wp_prefix){WP_PREFIX_OTHER, "it has no pyvenv.cfg", NULL};
}

int wp_prefix_refuse(wp_arena *a, const char *dir, wp_error *e)
{
	wp_prefix x = wp_prefix_look(a, dir);

	switch (x.kind) {
	case WP_PREFIX_CONDA:
	case WP_PREFIX_PYTHON:
		wp_fail(e, WP_E_VENV, "%s", x.what);
		if (!x.path)
			return wp_err_next(e, "choose a new directory for --venv");
		return wp_err_next(e, "make a venv of its Python: wheelpack install BUNDLE --venv NEW --python \"%s\"%s", x.path,
			x.kind == WP_PREFIX_CONDA ? "; or install into it with --allow-conda" : "");
	case WP_PREFIX_INSIDE:
		wp_fail(e, WP_E_VENV, "%s", x.what);
		return wp_err_next(e, "name the venv: --venv \"%s\"", x.path);
	case WP_PREFIX_LOST:
		wp_fail(e, WP_E_VENV, "%s", x.what);
		return wp_err_next(e, "`python3 -m venv --without-pip \"%s\"`, with the Python that it was made of, writes it "
			"again; or choose a new directory for --venv", dir);
	default:
		return wp_fail(e, WP_E_VENV, "the directory is not empty and has no pyvenv.cfg");
	}
}

/* ---- a venv's python ------------------------------------------------------------------------ */

/* Where links end, as far as they lead: what is there may be nothing. */
static const char *end_of_links(wp_arena *a, const char *path)
{
	enum { MAX_LINKS = 40 };
	wp_error ignored = {0};
	const char *to;
	int i;

	for (i = 0; i < MAX_LINKS && !os_readlink(a, path, &to, &ignored); i++)
		path = os_is_absolute(to) ? to : os_join(a, os_dirname(a, path), to);
	return path;
}

int wp_venv_no_python(wp_arena *a, const char *venv, const char *python, const char *why, wp_error *e)
{
	const char *end = end_of_links(a, python), *home = wp_venv_setting(a, wp_venv_config(a, venv), "home");
	wp_error ignored = {0};
	os_kind kind = OS_OTHER;
	uint64_t size;

	os_stat(end, &kind, &size, &ignored);
	if (kind == OS_ABSENT && strcmp(end, python) != 0)
		wp_fail(e, WP_E_VENV, "it leads to '%s', which is not there: the Python that the venv was made of is gone", end);
	else if (kind == OS_ABSENT)
		wp_fail(e, WP_E_VENV, "there is no such file");
	else if (home && !os_is_dir(home))
		wp_fail(e, WP_E_VENV, "%s; the Python that the venv was made of is gone: there is no '%s'", why, home);
	else
		wp_fail(e, WP_E_VENV, "%s", why);
	wp_err_next(e, "choose a new directory for --venv, or bring that Python back");
	return wp_err_where(e, "'%s'", python);
}

/* On Windows all versions have the same directory. */
int wp_venv_check_version(wp_arena *a, const char *venv, const wp_interpreter *p, wp_error *e)
{
	const char *library = wp_venv_library(a, wp_venv_config(a, venv)), *version = library + strlen("python");

	if (!*library || strcmp(version, p->markers.python_version) == 0 ||
		!os_is_dir(wp_sprintf(a, "%s/%s/site-packages", venv, wp_python_windows(p) ? "Lib" : os_join(a, "lib", library))))
		return 0;
	wp_fail(e, WP_E_VENV, "it was made for Python %s, as pyvenv.cfg has it, and its python is %s now: what it has is not for "
		"that one", version, p->version);
	return wp_err_next(e, "choose a new directory for --venv; or, for a venv that has no packages, "
		"`\"%s\" -m venv --upgrade \"%s\"`", p->executable, venv);
}

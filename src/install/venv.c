/* SPDX-License-Identifier: MIT
 *
 * venv.c: a virtual environment as the standard library's venv module makes it, built in one place
 * for another, its final one.
 */
#include "install/parts.h"
#include "os/os.h"

/* Without links, as on Windows, the file has one name, and some cannot be opened to find another. */
static int real_program(wp_arena *a, const wp_interpreter *base, const char **out, wp_error *e)
{
	*out = base->executable;
	return wp_python_windows(base) ? 0 : os_realpath(a, base->executable, out, e);
}

static int put_config(wp_arena *a, const char *dir, const char *venv, const wp_interpreter *base,
	wp_error *e)
{
	bool windows = wp_python_windows(base);
	const char *own = wp_native_path(a, windows, base->executable), *real, *text;

	if (real_program(a, base, &real, e))
		return e->code;
	text = wp_sprintf(a,
		"home = %s\n"
		"include-system-site-packages = false\n"
		"version = %s\n"
		"executable = %s\n"
		"command = %s -m venv --without-pip %s\n",
		wp_native_path(a, windows, os_dirname(a, base->executable)), base->version,
		wp_native_path(a, windows, real), own, wp_native_path(a, windows, venv));
	return wp_put_text(a, dir, "pyvenv.cfg", wp_str_of(text), e);
}

/* The name that the base has leads to the base, the other names lead to it. */
static int put_links(wp_arena *a, const char *bin, const wp_interpreter *base, wp_error *e)
{
	const char *main_name = os_basename(base->executable);
	const char *names[] = {"python", "python3",
		wp_sprintf(a, "python%s", base->markers.python_version)};
	size_t i;

	if (os_symlink(base->executable, os_join(a, bin, main_name), e))
		return e->code;
	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], main_name) != 0 &&
			os_symlink(main_name, os_join(a, bin, names[i]), e))
			return e->code;
	return 0;
}

static int put_activate(wp_arena *a, const char *bin, const char *venv, const wp_interpreter *base,
	wp_error *e)
{
	const char *name;
	wp_str text;
	size_t i;

	for (i = 0; wp_activate_script(a, i, venv, base, &name, &text); i++)
		if (wp_put_text(a, bin, name, text, e))
			return e->code;
	return 0;
}

int wp_venv_create(wp_arena *a, const char *dir, const char *venv, const wp_interpreter *base, const wp_launchers *l,
	wp_error *e)
{
	const char *bin = os_join(a, dir, base->venv_bin);
	bool windows = wp_python_windows(base);

	if (os_mkdirs(os_join(a, dir, base->venv_site), e) || os_mkdirs(bin, e) ||
		os_mkdirs(os_join(a, dir, windows ? "Include" : "include"), e))
		return e->code;
	if (base->bits == 64 && strcmp(base->markers.sys_platform, "linux") == 0 &&
		os_symlink("lib", os_join(a, dir, "lib64"), e))
		return e->code;
	if (put_config(a, dir, venv, base, e) ||
		(windows ? wp_venv_programs(a, bin, base, l, e) : put_links(a, bin, base, e)))
		return e->code;
	return put_activate(a, bin, venv, base, e);
}

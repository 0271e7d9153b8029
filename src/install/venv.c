/* SPDX-License-Identifier: MIT
 *
 * venv.c: a virtual environment as the standard library's venv module makes it, built in one place
 * for another, its final one.
 */
#include "install/parts.h"
#include "os/os.h"

static int put(wp_arena *a, const char *dir, const char *name, wp_str text, wp_error *e)
{
	const char *path = os_join(a, dir, name);
	os_file *f = NULL;

	if (os_open(path, OS_CREATE_NEW, &f, e))
		return e->code;
	os_pwrite(f, text.p, text.n, 0, e);
	os_close(f, e);
	return e->code;
}

static int put_config(wp_arena *a, const char *dir, const char *venv, const wp_interpreter *base,
	wp_error *e)
{
	const char *real, *text;

	if (os_realpath(a, base->executable, &real, e))
		return e->code;
	text = wp_sprintf(a,
		"home = %s\n"
		"include-system-site-packages = false\n"
		"version = %s\n"
		"executable = %s\n"
		"command = %s -m venv --without-pip %s\n",
		os_dirname(a, base->executable), base->version, real, base->executable, venv);
	return put(a, dir, "pyvenv.cfg", wp_str_of(text), e);
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

	for (i = 0; wp_activate_script(a, i, venv, base->venv_bin, &name, &text); i++)
		if (put(a, bin, name, text, e))
			return e->code;
	return 0;
}

int wp_venv_create(wp_arena *a, const char *dir, const char *venv, const wp_interpreter *base,
	wp_error *e)
{
	const char *bin = os_join(a, dir, base->venv_bin);

	if (os_mkdirs(os_join(a, dir, base->venv_site), e) || os_mkdirs(bin, e) ||
		os_mkdirs(os_join(a, dir, "include"), e))
		return e->code;
	if (base->bits == 64 && strcmp(base->markers.sys_platform, "linux") == 0 &&
		os_symlink("lib", os_join(a, dir, "lib64"), e))
		return e->code;
	if (put_config(a, dir, venv, base, e) || put_links(a, bin, base, e))
		return e->code;
	return put_activate(a, bin, venv, base, e);
}

/* SPDX-License-Identifier: MIT
 *
 * share.c: a venv that one installs and others use: they can read it, and run its Python. On Windows what lies outside the
 * users' profiles has such permissions by itself.
 */
#include "install/notes.h"

/* ---- before --------------------------------------------------------------------------------- */

static const char *first_closed(const wp_plan *p, const char *const *paths, size_t n)
{
	const char *dir = NULL;
	size_t i;

	for (i = 0; i < n && !dir; i++)
		dir = os_closed_to_others(p->a, paths[i]);
	return dir;
}

/* The links of a base interpreter are passed by whoever runs it. */
static const char *closed_base(const wp_plan *p)
{
	const char *paths[] = {p->python.executable, p->python.executable};
	wp_error ignored = {0};

	os_realpath(p->a, p->python.executable, &paths[1], &ignored);
	return first_closed(p, paths, 2);
}

static int check_place(const wp_plan *p, const char *dir, wp_error *e)
{
	wp_fail(e, WP_E_PERMISSION, "other users can't pass '%s', so '%s' would be of no use to them", dir, p->venv);
	if (p->windows)
		return wp_err_next(e, "choose a --venv outside the users' profiles, such as C:\\envs\\NAME");
	return wp_err_next(e, "choose a --venv that all can reach, such as /opt/NAME, or open that directory: chmod o+x");
}

static int check_base(const wp_plan *p, const char *dir, wp_error *e)
{
	wp_fail(e, WP_E_NO_INTERPRETER, "other users can't run '%s': they can't pass '%s'", p->python.executable, dir);
	return wp_err_next(e, "install Python for all users, or name one that they can run with --python PATH");
}

int wp_share_check(wp_plan *p, wp_error *e)
{
	const char *place = os_closed_to_others(p->a, os_join(p->a, p->venv, p->python.venv_site)), *base = closed_base(p);
	wp_error f = {0};
	wp_finding *n;

	/* Of a venv that was made so it is not asked again: what can be done for the others is. */
	if (p->in->all_users) {
		if (place)
			check_place(p, place, &f);
		if (wp_plan_refuse(p, SIZE_MAX, &f, e))
			return e->code;
		if (base)
			check_base(p, base, &f);
		return wp_plan_refuse(p, SIZE_MAX, &f, e);
	}
	/* An admin installs for others more often than not; a place that they can't reach is for the admin alone. Told once. */
	if (place || !base || !p->is_new || !os_is_elevated())
		return 0;
	n = wp_plan_note(p, WP_INSTALL_OWN_PYTHON, wp_sprintf(p->a, "'%s': they can't pass '%s'", p->python.executable, base));
	n->next = "install Python for all users, and install with --all-users, if others are to use this venv";
	return 0;
}

/* ---- what is written ------------------------------------------------------------------------ */

int wp_share_tree(wp_plan *p, const char *dir, wp_error *e)
{
	os_entry *v;
	size_t i, n;

	if (!p->all_users)
		return 0;
	if (os_share(dir, e) || os_walk(p->a, dir, &v, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if ((v[i].kind == OS_FILE || v[i].kind == OS_DIR) && os_share(os_join(p->a, dir, v[i].path), e))
			return e->code;
	return 0;
}

/* Of an existing venv: directories that the commit has made. */
void wp_share_dirs(wp_plan *p, const wp_journal *j)
{
	wp_error f = {0};
	size_t i;

	for (i = 0; i < j->dirs.n && p->all_users && !f.code; i++)
		if (os_share(os_join(p->a, p->venv, j->dirs.v[i]), &f))
			wp_plan_note(p, WP_INSTALL_NOT_SHARED, wp_sprintf(p->a, "%s: %s", f.where, f.why));
}

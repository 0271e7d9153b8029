/* SPDX-License-Identifier: MIT
 *
 * commit.c: the stage goes to its place. A new venv is one rename; in an existing one old files are moved aside and new
 * ones in, as the journal says, and all go back if one cannot be moved.
 */
#include "ext/unicode.h"
#include "install/notes.h"
#include "install/removed.h"

/* ---- an existing venv ----------------------------------------------------------------------- */

static bool is_there(const wp_plan *p, const char *path)
{
	wp_error ignored = {0};
	bool there;

	return !os_look(os_join(p->a, p->venv, path), &there, &ignored) && there;
}

/* The receipt replaces an older one, and what was told since. */
static void add_receipt(const wp_plan *p, wp_journal *j)
{
	static const char *const names[] = {".wheelpack/lock.json", ".wheelpack/receipt.json"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		if (is_there(p, names[i]))
			WP_PUSH(&j->olds, names[i]);
		WP_PUSH(&j->news, names[i]);
	}
	if (is_there(p, WP_REMOVED_PATH))
		WP_PUSH(&j->olds, WP_REMOVED_PATH);
}

static bool is_other_case(wp_arena *a, const char *dir)
{
	wp_error ignored = {0};
	const char *real, *name = os_basename(dir);

	if (os_realpath(a, dir, &real, &ignored))
		return false;
	real = os_basename(real);
	return !wp_streq(real, name) && wp_streq(wp_name_fold(a, wp_str_of(real)), wp_name_fold(a, wp_str_of(name)));
}

/* Python on Windows finds a package only in the letters that its directory has. One in which something stays keeps
 * them. */
static bool changes_case(const wp_plan *p)
{
	size_t i;

	for (i = 0; i < p->dirs.n && os_is_windows(); i++)
		if (wp_under(p->dirs.v[i], p->python.venv_site) && is_other_case(p->a, os_join(p->a, p->venv, p->dirs.v[i])) &&
			wp_removal_empties(&p->removal, p->dirs.v[i]))
			return true;
	return false;
}

static wp_journal moves(const wp_plan *p, const wp_stage *s)
{
	wp_journal j = {.venv = p->venv, .aside = s->aside};
	const wp_removal *r = &p->removal;
	bool anew = p->over_dirs || changes_case(p); /* directories that are emptied go first, and those needed come again */
	size_t i;

	for (i = 0; i < r->files.n; i++)
		WP_PUSH(&j.olds, r->files.v[i]);
	for (i = 0; i < p->dirs.n; i++)
		if (!os_is_dir(os_join(p->a, p->venv, p->dirs.v[i])) || (anew && wp_removal_empties(&p->removal, p->dirs.v[i])))
			WP_PUSH(&j.dirs, p->dirs.v[i]);
	for (i = 0; i < p->files.n; i++)
		if (p->files.v[i].written)
			WP_PUSH(&j.news, p->files.v[i].path);
	for (i = 0; i < r->empty.n; i++)
		WP_PUSH(&j.empty, r->empty.v[i]);
	add_receipt(p, &j);
	return j;
}

static int commit_inside(wp_plan *p, wp_stage *s, wp_error *e)
{
	const char *not_flushed = NULL;
	wp_journal j = moves(p, s);

	if (!wp_carry_out(p->a, &j, p->in->no_sync, &not_flushed, e))
		wp_share_dirs(p, &j);
	wp_journal_free(&j);
	if (not_flushed)
		wp_plan_note(p, WP_INSTALL_NOT_FLUSHED, not_flushed);
	return e->code;
}

/* ---- a new venv ----------------------------------------------------------------------------- */

/* Where the plan found nothing, or an empty directory, a run that was faster may have put a venv. */
static int refuse_place(wp_plan *p, const char *held, wp_error *e)
{
	if (!os_is_file(os_join(p->a, p->venv, "pyvenv.cfg"))) {
		os_name_holders(e, held);
		return e->code;
	}
	p->raced = true;
	*e = (wp_error){0};
	wp_fail(e, WP_E_BUSY, "another run has made this venv in the meantime");
	wp_err_next(e, "look at what it installed, then run the same command again");
	return wp_err_where(e, "'%s'", p->venv);
}

/* An empty directory of that name was found by the plan; if it is no longer empty this refuses. */
static int commit_beside(wp_plan *p, wp_stage *s, wp_error *e)
{
	bool was_dir = os_is_dir(p->venv);
	wp_error ignored = {0};

	if (was_dir && os_rmdir(p->venv, e))
		return refuse_place(p, p->venv, e);
	if (!os_rename_new(s->dir, p->venv, e))
		return 0;
	refuse_place(p, s->dir, e);
	if (was_dir)
		os_mkdir(p->venv, &ignored);
	return e->code;
}

int wp_commit(wp_plan *p, wp_stage *s, wp_error *e)
{
	wp_error f = {0};

	if (!p->in->no_sync && os_sync_tree(s->dir, e))
		return e->code;
	if (!p->is_new)
		return commit_inside(p, s, e);
	if (p->beside)
		return wp_beside_commit(p, s, e);
	if (commit_beside(p, s, e))
		return e->code;
	/* As in wp_carry_out: the new name is in place. */
	if (!p->in->no_sync && os_sync_tree(p->venv, &f))
		wp_plan_note(p, WP_INSTALL_NOT_FLUSHED, f.why);
	return 0;
}

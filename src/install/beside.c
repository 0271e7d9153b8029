/* SPDX-License-Identifier: MIT
 *
 * beside.c: an existing venv is built anew beside itself. The plan takes it for a new one; what is told here is what the
 * switch changes for who uses the old one.
 */
#include "install/notes.h"

void wp_beside_begin(wp_plan *p)
{
	p->beside = p->in->beside && !p->is_new;
	p->is_new |= p->beside;
}

/* A folder with files in use can't be renamed on Windows: nobody is to learn that after the long part. The interpreter is
 * what most programs have open. */
static int check_held(const wp_plan *p, wp_error *e)
{
	const char *dirs[] = {os_join(p->a, p->venv, "Scripts"), p->venv};
	size_t i, n;

	for (i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		wp_error ignored = {0};
		const char **names, *who;

		if (os_file_holders(p->a, dirs[i], &names, &n, &ignored) || !n)
			continue;
		who = n > 1 ? wp_sprintf(p->a, "%s and %zu more", names[0], n - 1) : names[0];
		wp_fail(e, WP_E_BUSY, "the venv is used by %s", who);
		wp_err_next(e, "close %s, then run the command again", names[0]);
		return wp_err_where(e, "'%s'", p->venv);
	}
	return 0;
}

int wp_beside_check(wp_plan *p, wp_error *e)
{
	const char *keep = os_dirname(p->a, wp_switch_before(p->a, p->venv));
	os_kind kind;
	uint64_t size;

	if (os_is_mount(p->venv)) {
		wp_fail(e, WP_E_VENV, "'%s' is a file system of its own, and can't be renamed", p->venv);
		return wp_err_next(e, "mount the directory above it, or install without --beside");
	}
	if (os_stat(keep, &kind, &size, e))
		return e->code;
	if (wp_switch_check_keep(p->a, wp_switch_before(p->a, p->venv), e))
		return e->code;
	if (kind != OS_ABSENT && kind != OS_DIR) {
		wp_fail(e, WP_E_EXISTS, "'%s', where the venv is to be kept, is not a directory", keep);
		return wp_err_next(e, "give it another name");
	}
	if (!os_may_write(p->venv) || (kind == OS_DIR && !os_may_write(keep)))
		return wp_fail(e, WP_E_PERMISSION, "'%s' can't be written to", os_may_write(p->venv) ? keep : p->venv);
	return check_held(p, e);
}

/* ---- what the old one has -------------------------------------------------------------------- */

static bool comes(const wp_plan *p, const char *project)
{
	size_t i;

	for (i = 0; i < p->nwheels; i++)
		if (wp_streq(p->wheels[i].lock->project, project))
			return true;
	return p->in->with_pip && wp_streq(project, "pip");
}

static void tell_left_out(const wp_plan *p, const wp_site *site)
{
	const char *list = "";
	bool pip = false;
	wp_finding *f;
	size_t i;

	for (i = 0; i < site->n; i++)
		if (!comes(p, site->v[i].project)) {
			list = wp_sprintf(p->a, "%s%s%s %s", list, *list ? ", " : "", site->v[i].project, site->v[i].version);
			pip |= wp_streq(site->v[i].project, "pip");
		}
	if (!*list)
		return;
	f = wp_plan_note(p, WP_INSTALL_LEFT_OUT, list);
	f->next = pip ? "what is needed of them belongs into the bundle, but for pip, which comes with --with-pip; until it is "
			"there, install without --beside"
		      : "what is needed of them belongs into the bundle; until it is there, install without --beside";
}

/* What can't be read there is not missed: it makes way whole. */
void wp_beside_tell(wp_plan *p)
{
	wp_error ignored = {0};
	wp_venv_place at;
	wp_site site;

	if (!wp_venv_find(p->a, p->venv, &at, &ignored) && !wp_site_read(p->a, p->venv, at.site, &site, &ignored))
		tell_left_out(p, &site);
	if (wp_streq(wp_venv_setting(p->a, wp_venv_config(p->a, p->venv), "include-system-site-packages"), "true"))
		wp_plan_note(p, WP_INSTALL_SEES_SYSTEM, "'include-system-site-packages = true' in its pyvenv.cfg");
}

/* ---- the switch ------------------------------------------------------------------------------ */

/* What we made in the old one goes with the lock. */
static void leave_old(wp_plan *p, wp_stage *s)
{
	os_lock_release(s->lock);
	s->lock = NULL;
	s->meta = os_join(p->a, wp_switch_before(p->a, p->venv), ".wheelpack");
	wp_stage_unmake(p->a, s);
}

int wp_beside_commit(wp_plan *p, wp_stage *s, wp_error *e)
{
	wp_switch w = {.venv = p->venv, .side = s->outer, .kind = WP_SWITCH_INSTALL};
	const char *not_flushed = NULL;
	wp_str text;

	if (os_read_file(p->a, os_join(p->a, s->dir, ".wheelpack/receipt.json"), WP_MAX_DOCUMENT, &text, e))
		return e->code;
	wp_sha256_hex(text, w.fresh);
	/* A directory in which a file is open can't be renamed there; others see our directory beside it. */
	if (os_is_windows()) {
		os_lock_release(s->lock);
		s->lock = NULL;
	}
	if (wp_switch_carry_out(p->a, &w, p->in->no_sync, &not_flushed, e))
		return e->code;
	if (not_flushed)
		wp_plan_note(p, WP_INSTALL_NOT_FLUSHED, not_flushed);
	leave_old(p, s);
	return 0;
}

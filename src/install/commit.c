/* SPDX-License-Identifier: MIT
 *
 * commit.c: the stage goes to its place. A new venv is one rename; into an existing one files are
 * moved one by one, each to a name that must be free, and all go back if one cannot be moved.
 */
#include "install/notes.h"

/* One step that can be undone. */
typedef struct step {
	const char *from, *to; /* to NULL: the directory `from` was made */
} step;

typedef struct mover {
	wp_plan *p;
	wp_stage *s;
	WP_VEC(step) steps;
} mover;

static int move(mover *m, const char *from, const char *to, wp_error *e)
{
	if (os_rename_new(from, to, e)) {
		os_name_holders(e, from);
		return e->code;
	}
	WP_PUSH(&m->steps, ((step){from, to}));
	return 0;
}

static int make_dirs(mover *m, wp_error *e)
{
	wp_plan *p = m->p;
	size_t i;

	for (i = 0; i < p->dirs.n; i++) {
		const char *dir = os_join(p->a, p->venv, p->dirs.v[i]);

		if (os_is_dir(dir))
			continue;
		if (os_mkdir(dir, e))
			return e->code;
		WP_PUSH(&m->steps, ((step){dir, NULL}));
	}
	return 0;
}

static int move_files(mover *m, wp_error *e)
{
	wp_plan *p = m->p;
	size_t i;

	for (i = 0; i < p->files.n; i++) {
		const wp_out_file *f = &p->files.v[i];

		if (f->written && move(m, os_join(p->a, m->s->dir, f->path),
				os_join(p->a, p->venv, f->path), e))
			return wp_err_where(e, "'%s'", p->wheels[f->wheel].lock->filename);
	}
	return 0;
}

/* The receipt replaces an older one, which goes into the stage first. */
static int move_receipt(mover *m, wp_error *e)
{
	static const char *const names[] = {"lock.json", "receipt.json"};
	wp_arena *a = m->p->a;
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		const char *to = os_join(a, m->s->meta, names[i]);

		if (os_is_file(to) &&
			move(m, to, wp_sprintf(a, "%s/.wheelpack/old-%s", m->s->dir, names[i]), e))
			return e->code;
		if (move(m, wp_sprintf(a, "%s/.wheelpack/%s", m->s->dir, names[i]), to, e))
			return e->code;
	}
	return 0;
}

static void undo(mover *m, wp_error *e)
{
	wp_error err = {0};

	while (m->steps.n) {
		const step *s = &m->steps.v[--m->steps.n];

		if (s->to)
			os_rename_new(s->to, s->from, &err);
		else
			os_rmdir(s->from, &err);
	}
	if (err.code)
		wp_err_state(e, "'%s' holds some of the new files: %s", m->p->venv, err.why);
}

static int commit_inside(wp_plan *p, wp_stage *s, wp_error *e)
{
	mover m = {.p = p, .s = s};
	wp_error ignored = {0};

	if (make_dirs(&m, e) || move_files(&m, e) || move_receipt(&m, e))
		undo(&m, e);
	else
		os_remove_tree(s->dir, &ignored); /* else the next install removes it */
	WP_VEC_FREE(&m.steps);
	return e->code;
}

/* An empty directory of that name was found by the plan; if it is no longer empty this refuses. */
static int commit_beside(wp_plan *p, wp_stage *s, wp_error *e)
{
	bool was_dir = os_is_dir(p->venv);
	wp_error ignored = {0};

	if (was_dir && os_rmdir(p->venv, e)) {
		os_name_holders(e, p->venv);
		return e->code;
	}
	if (os_rename_new(s->dir, p->venv, e)) {
		os_name_holders(e, s->dir);
		if (was_dir)
			os_mkdir(p->venv, &ignored);
	}
	return e->code;
}

int wp_commit(wp_plan *p, wp_stage *s, wp_error *e)
{
	wp_error ignored = {0};

	if (!p->in->no_sync && os_sync_tree(s->dir, e))
		return e->code;
	if (p->is_new ? commit_beside(p, s, e) : commit_inside(p, s, e))
		return e->code;
	/* The new names are in place; that they are on the disk too cannot be promised on a failure here, and
	 * nothing could be taken back more safely than it stands. */
	if (!p->in->no_sync && os_sync_tree(p->venv, &ignored))
		wp_plan_note(p, WP_INSTALL_NOT_FLUSHED, ignored.why);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * store_link.c: hard links and clones, thousands of them. A system lets one thread at a time into a directory, so a
 * directory is the work of one thread, and the largest is begun first.
 */
#include "install/levels.h"
#include "install/store_use.h"

enum { FEW = 256, ROOM = 1 << 20 }; /* files of small directories in one job; bytes of a copy's buffer */

typedef struct group {
	size_t first, n; /* in order */
} group;

typedef struct linking {
	wp_plan *p;
	os_dir *root;
	wp_out_file **order; /* by directory */
	WP_VEC(group) jobs;
} linking;

/* ---- by directory --------------------------------------------------------------------------- */

typedef struct sorting {
	uint32_t *dir; /* of each file of the plan that is linked */
	size_t *n;     /* files of each directory */
	size_t ndirs;
} sorting;

/* Neighbours lie in one directory most of the time. */
static void number_dirs(const wp_plan *p, sorting *s)
{
	wp_map map;
	wp_str last = {0};
	uint32_t id = 0;
	size_t i;

	wp_map_init(&map);
	for (i = 0; i < p->files.n; i++) {
		const char *path = p->files.v[i].path;
		wp_str dir = {path, (size_t)(os_basename(path) - path)};

		if (!p->files.v[i].linked)
			continue;
		if (!last.p || !wp_str_eq(dir, last))
			id = wp_map_intern(&map, dir);
		last = dir;
		s->dir[i] = id;
		s->n[id]++;
	}
	s->ndirs = map.n;
	wp_map_free(&map);
}

static void add_job(linking *l, size_t first, size_t n)
{
	if (n)
		WP_PUSH(&l->jobs, ((group){first, n}));
}

/* s->n becomes where each directory begins. */
static void cut_jobs(linking *l, sorting *s)
{
	size_t i, at = 0, first = 0;

	for (i = 0; i < s->ndirs; i++) {
		size_t n = s->n[i];

		if (at - first + n > FEW) {
			add_job(l, first, at - first);
			first = at;
		}
		s->n[i] = at;
		at += n;
	}
	add_job(l, first, at - first);
}

static int by_size(const void *x, const void *y)
{
	const group *a = x, *b = y;

	return a->n != b->n ? (a->n > b->n ? -1 : 1) : a->first < b->first ? -1 : 1;
}

static void make_jobs(linking *l)
{
	wp_plan *p = l->p;
	sorting s = {.dir = WP_NEW_ARRAY(p->a, p->files.n, uint32_t), .n = WP_NEW_ARRAY(p->a, p->files.n, size_t)};
	size_t i;

	l->order = WP_NEW_ARRAY(p->a, p->files.n, wp_out_file *);
	number_dirs(p, &s);
	cut_jobs(l, &s);
	for (i = 0; i < p->files.n; i++)
		if (p->files.v[i].linked)
			l->order[s.n[s.dir[i]]++] = &p->files.v[i];
	if (l->jobs.n)
		qsort(l->jobs.v, l->jobs.n, sizeof *l->jobs.v, by_size);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static int link_one(linking *l, wp_levels *levels, wp_out_file *f, unsigned char *buf, wp_error *e)
{
	wp_plan *p = l->p;
	os_dir *dir;

	if (wp_levels_enter(levels, f->path, &dir, e))
		return e->code;
	f->linked = wp_store_take(p, f, dir, buf, ROOM, e);
	if (!f->linked || f->uncounted)
		return e->code;
	atomic_fetch_add_explicit(&p->done, f->size, memory_order_relaxed);
	atomic_fetch_sub_explicit(&p->wheels[f->wheel].left, f->size, memory_order_relaxed);
	return 0;
}

static int run_job(void *user, size_t i, wp_arena *a, wp_error *e)
{
	linking *l = user;
	group g = l->jobs.v[i];
	wp_levels levels = {.a = a, .root = l->root};
	unsigned char *buf = l->p->store->how == WP_SHARE_CLONE ? wp_xmalloc(ROOM) : NULL;
	size_t k;

	for (k = g.first; k < g.first + g.n && !e->code; k++)
		if (!wp_check_cancel(l->p->ctx, e))
			link_one(l, &levels, l->order[k], buf, e);
	wp_levels_leave(&levels);
	free(buf);
	return e->code;
}

static void report(void *user)
{
	wp_unpack_tick(((linking *)user)->p);
}

int wp_store_link(wp_plan *p, wp_error *e)
{
	linking l = {.p = p};
	wp_par par;

	if (p->store->how == WP_SHARE_COPY)
		return 0;
	if (os_dir_open(p->store->stage, &l.root, e))
		return e->code;
	make_jobs(&l);
	wp_par_for(p->ctx, l.jobs.n, run_job, report, &l, true, &par, e);
	wp_par_done(&par);
	WP_VEC_FREE(&l.jobs);
	os_dir_close(l.root);
	return e->code;
}

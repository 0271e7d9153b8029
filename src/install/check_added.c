/* SPDX-License-Identifier: MIT
 *
 * check_added.c: what lies in site-packages or among the scripts, and no RECORD lists it: one finding for each
 * directory of site-packages, one for what lies beside them, one for the scripts.
 */
#include "ext/unicode.h"
#include "install/drift.h"

typedef struct searching {
	wp_checking *k;
	bool windows;
	wp_map listed;
	wp_map unlisted;	 /* directories of distributions whose files nobody knows */
	WP_VEC(const char *) dir; /* files below the directory that is looked through */
	WP_VEC(const char *) beside;
} searching;

static wp_str key(const searching *s, const char *path)
{
	return wp_str_of(s->windows ? wp_name_fold(s->k->a, wp_str_of(path)) : path);
}

static void note_listed(searching *s)
{
	const wp_checking *k = s->k;
	size_t i, j;

	for (i = 0; i < k->site.n; i++) {
		const wp_checked *c = &k->dists[i];

		for (j = 0; j < c->files.n; j++)
			wp_map_put(&s->listed, key(s, c->files.v[j].path), 1);
		if (!c->d->has_record || c->fault)
			wp_map_put(&s->unlisted, wp_str_of(c->d->dir), 1);
	}
}

/* Python takes bytecode in __pycache__ only for a module that is there: without one it is nothing. */
static bool is_cached(const char *path)
{
	const char *dir = strstr(path, "__pycache__/");

	return dir && (dir == path || dir[-1] == '/') && wp_ends(path, ".pyc");
}

static bool is_link_or_file(const os_entry *w)
{
	return w->kind != OS_DIR && w->kind != OS_ABSENT && !is_cached(w->path);
}

static wp_str top_of(const char *path)
{
	wp_str s = wp_str_of(path);

	return wp_str_sub(s, 0, wp_str_find(s, '/'));
}

/* What was told of otherwise, and what tools that make venvs put there. */
static bool told_already(const searching *s, const char *path)
{
	uint32_t one;

	return path[0] == '~' || wp_map_get(&s->unlisted, top_of(path), &one) || wp_starts(path, "_virtualenv.p");
}

static void tell(searching *s, const char *about, const char *const *files, size_t n)
{
	wp_checking *k = s->k;

	if (!n)
		return;
	k->out->added += n;
	wp_drift_tell(k, WP_DRIFT_ADDED, wp_sprintf(k->a, "'%s'", about), NULL,
		"remove them if nothing needs them", files, n);
}

static int search_site(searching *s, wp_error *e)
{
	wp_checking *k = s->k;
	const char *dir = "";
	os_entry *w;
	size_t i, n;

	if (os_walk(k->a, os_join(k->a, k->venv, k->at.site), &w, &n, e))
		return e->code;
	for (i = 0; i < n; i++) {
		const char *path = os_join(k->a, k->at.site, w[i].path), *top;
		uint32_t one;

		if (!is_link_or_file(&w[i]) || told_already(s, w[i].path) || wp_map_get(&s->listed, key(s, path), &one))
			continue;
		if (!strchr(w[i].path, '/')) {
			WP_PUSH(&s->beside, path);
			continue;
		}
		top = os_join(k->a, k->at.site, wp_str_dup(k->a, top_of(w[i].path)));
		if (strcmp(top, dir) != 0) {
			tell(s, dir, s->dir.v, s->dir.n);
			s->dir.n = 0;
			dir = top;
		}
		WP_PUSH(&s->dir, path);
	}
	tell(s, dir, s->dir.v, s->dir.n);
	tell(s, k->at.site, s->beside.v, s->beside.n);
	return 0;
}

/* A venv of Windows may hold the libraries of its interpreter beside it. */
static bool is_venvs(const searching *s, const char *path)
{
	return wp_path_is_venvs(s->k->a, path) || wp_ends(path, ".dll") || wp_ends(path, "/pydoc.bat");
}

static int search_scripts(searching *s, wp_error *e)
{
	wp_checking *k = s->k;
	const char *bin = os_join(k->a, k->venv, k->at.bin);
	os_entry *w;
	size_t i, n;

	if (!os_is_dir(bin) || k->at.conda) /* conda's programs are there, and no RECORD has them */
		return 0;
	if (os_walk(k->a, bin, &w, &n, e))
		return e->code;
	s->dir.n = 0;
	for (i = 0; i < n; i++) {
		const char *path = os_join(k->a, k->at.bin, w[i].path);
		uint32_t one;

		if (is_link_or_file(&w[i]) && !is_venvs(s, path) && !wp_map_get(&s->listed, key(s, path), &one))
			WP_PUSH(&s->dir, path);
	}
	tell(s, k->at.bin, s->dir.v, s->dir.n);
	return 0;
}

int wp_check_added(wp_checking *k, wp_error *e)
{
	searching s = {.k = k, .windows = os_is_windows()};

	wp_map_init(&s.listed);
	wp_map_init(&s.unlisted);
	note_listed(&s);
	if (!search_site(&s, e))
		search_scripts(&s, e);
	wp_map_free(&s.listed);
	wp_map_free(&s.unlisted);
	WP_VEC_FREE(&s.dir);
	WP_VEC_FREE(&s.beside);
	return e->code;
}

/* SPDX-License-Identifier: MIT
 *
 * removal.c: RECORD says what belongs to a distribution; what somebody changed or another distribution has too is
 * looked at before anything goes.
 */
#include "install/removal.h"

#include <string.h>

#include "ext/unicode.h"

enum { SMALL = 1 << 20 }; /* bytes of a file that somebody may have edited */

static wp_str key(const wp_removal *r, wp_arena *a, const char *path)
{
	return wp_str_of(r->windows ? wp_name_fold(a, wp_str_of(path)) : path);
}

void wp_removal_begin(wp_removal *r, wp_ctx *ctx, wp_arena *a, const wp_site *site, bool windows)
{
	*r = (wp_removal){.a = a, .ctx = ctx, .site = site, .windows = windows};
	wp_map_init(&r->going);
}

void wp_removal_free(wp_removal *r)
{
	wp_map_free(&r->going);
	WP_VEC_FREE(&r->files);
	WP_VEC_FREE(&r->empty);
	WP_VEC_FREE(&r->changed);
	WP_VEC_FREE(&r->shared);
	WP_VEC_FREE(&r->outside);
	WP_VEC_FREE(&r->dists);
}

bool wp_removal_has(const wp_removal *r, const char *path)
{
	uint32_t ignored;

	return wp_map_get(&r->going, key(r, r->a, path), &ignored);
}

static void take(wp_removal *r, const char *path)
{
	if (wp_removal_has(r, path))
		return; /* two of those that go have it */
	wp_map_put(&r->going, key(r, r->a, path), (uint32_t)r->files.n);
	WP_PUSH(&r->files, path);
}

int wp_removal_take(wp_removal *r, const char *path, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	if (!os_stat(os_join(r->a, r->site->venv, path), &kind, &size, e) && kind != OS_ABSENT)
		take(r, path);
	return e->code;
}

static int state_of(const wp_removal *r, const wp_installed_file *f, bool all, wp_file_state *out, wp_error *e)
{
	atomic_uint_fast64_t bytes;
	os_kind kind;
	uint64_t size;

	if (all || !f->row || f->row->size < SMALL) {
		atomic_init(&bytes, 0);
		return wp_installed_compare(r->ctx, r->site, f, out, &bytes, e);
	}
	if (os_stat(os_join(r->a, r->site->venv, f->path), &kind, &size, e))
		return e->code;
	*out = kind == OS_ABSENT ? WP_FILE_ABSENT
		: kind == OS_FILE && size == (uint64_t)f->row->size ? WP_FILE_SAME : WP_FILE_CHANGED;
	return 0;
}

/* Some installers put links to files of their cache; of these the link goes. */
static bool is_file_link(const wp_removal *r, const char *path)
{
	wp_error ignored = {0};
	os_kind kind;
	uint64_t size;

	path = os_join(r->a, r->site->venv, path);
	return !os_stat(path, &kind, &size, &ignored) && kind == OS_LINK && !os_is_dir(path);
}

static int add_file(wp_removal *r, const wp_installed_file *f, bool keep_changed, wp_error *e)
{
	wp_file_state state;
	os_kind kind;
	uint64_t size;

	if (state_of(r, f, keep_changed, &state, e))
		return e->code;
	if (state == WP_FILE_ABSENT)
		return 0;
	if (state == WP_FILE_CHANGED && !is_file_link(r, f->path)) {
		WP_PUSH(&r->changed, f->path);
		if (keep_changed || os_stat(os_join(r->a, r->site->venv, f->path), &kind, &size, e) || kind != OS_FILE)
			return e->code;
	}
	take(r, f->path);
	return 0;
}

/* Of dist-info all goes, listed or not: what is left of it would count as a distribution. */
static int add_info(wp_removal *r, const wp_installed *d, wp_error *e)
{
	const char *dir = os_join(r->a, r->site->path, d->dir);
	os_entry *v;
	size_t i, n;

	if (os_walk(r->a, os_join(r->a, r->site->venv, dir), &v, &n, e))
		return e->code;
	for (i = 0; i < n; i++) {
		const char *path = os_join(r->a, dir, v[i].path);

		if (v[i].kind == OS_DIR)
			WP_PUSH(&r->empty, path);
		else
			take(r, path);
	}
	return 0;
}

static bool is_going(const wp_removal *r, const wp_installed *d)
{
	size_t i;

	for (i = 0; i < r->dists.n; i++)
		if (r->dists.v[i] == d)
			return true;
	return false;
}

int wp_removal_add(wp_removal *r, const wp_installed *d, bool keep_changed, wp_error *e)
{
	const char *info = wp_sprintf(r->a, "%s/%s/", r->site->path, d->dir);
	wp_installed_files l;
	size_t i;

	if (is_going(r, d) || wp_installed_list(r->a, r->site, d, &l, e))
		return e->code;
	for (i = 0; i < l.n; i++)
		if (!wp_starts(l.v[i].path, info) && add_file(r, &l.v[i], keep_changed, e))
			return e->code;
	for (i = 0; i < l.noutside; i++)
		WP_PUSH(&r->outside, l.outside[i]);
	WP_PUSH(&r->dists, d);
	return add_info(r, d, e);
}

/* ---- what others have ----------------------------------------------------------------------- */

/* A RECORD that can't be read protects nothing, but is no reason to stop either. */
static void spare(wp_removal *r, const wp_installed *d)
{
	wp_arena *a = wp_arena_new();
	wp_error ignored = {0};
	wp_installed_files l;
	uint32_t at;
	size_t i;

	if (d->has_record && !wp_installed_list(a, r->site, d, &l, &ignored))
		for (i = 0; i < l.n; i++)
			if (wp_map_get(&r->going, key(r, a, l.v[i].path), &at) && r->files.v[at]) {
				WP_PUSH(&r->shared, r->files.v[at]);
				r->files.v[at] = NULL;
			}
	wp_arena_free(a);
}

static void drop_spared(wp_removal *r)
{
	size_t i, n = 0;

	wp_map_free(&r->going);
	wp_map_init(&r->going);
	for (i = 0; i < r->files.n; i++) {
		const char *path = r->files.v[i];

		if (!path)
			continue;
		wp_map_put(&r->going, key(r, r->a, path), (uint32_t)n);
		r->files.v[n++] = path;
	}
	r->files.n = n;
}

/* ---- directories ---------------------------------------------------------------------------- */

/* Those that every venv has. */
static bool is_fixed(const wp_removal *r, wp_str dir)
{
	static const char *const names[] = {"bin", "Scripts", "include", "Include", "lib", "Lib", "share"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (wp_str_is(dir, names[i]))
			return true;
	return wp_starts(r->site->path, wp_str_dup(r->a, dir)) &&
		(r->site->path[dir.n] == '/' || r->site->path[dir.n] == '\0');
}

static int longest_first(const void *x, const void *y)
{
	return strcmp(*(const char *const *)y, *(const char *const *)x);
}

static void find_dirs(wp_removal *r)
{
	wp_map seen;
	size_t i;

	wp_map_init(&seen);
	for (i = 0; i < r->files.n; i++) {
		const char *path = r->files.v[i], *slash;

		for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
			wp_str dir = {path, (size_t)(slash - path)};

			if (wp_map_put(&seen, dir, 1) && !is_fixed(r, dir))
				WP_PUSH(&r->empty, wp_str_dup(r->a, dir));
		}
	}
	wp_map_free(&seen);
	if (r->empty.n)
		qsort(r->empty.v, r->empty.n, sizeof *r->empty.v, longest_first);
}

int wp_removal_end(wp_removal *r, wp_error *e)
{
	size_t i;

	for (i = 0; i < r->site->n && r->files.n; i++) {
		if (wp_check_cancel(r->ctx, e))
			return e->code;
		if (!is_going(r, &r->site->v[i]))
			spare(r, &r->site->v[i]);
	}
	drop_spared(r);
	find_dirs(r);
	return 0;
}

bool wp_removal_empties(const wp_removal *r, const char *dir)
{
	wp_error ignored = {0};
	bool files = false;
	os_entry *v;
	size_t i, n;

	if (os_walk(r->a, os_join(r->a, r->site->venv, dir), &v, &n, &ignored))
		return false;
	for (i = 0; i < n; i++) {
		if (v[i].kind == OS_DIR)
			continue;
		if (!wp_removal_has(r, os_join(r->a, dir, v[i].path)))
			return false;
		files = true;
	}
	return files;
}

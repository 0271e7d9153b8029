/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "ext/unicode.h"
#include "wheel/internal.h"

/* Where a member comes to lie, as text that is equal for equal places: 'P' site-packages, 'S' scripts, 'H' headers,
 * 'D' the rest of the venv. */
typedef struct spot {
	const char *key, *fold;
	wp_member *m; /* NULL: a folder entry */
	const char *name;
	size_t order;
} spot;

/* data/ can reach the places of the other schemes. */
static const char *data_key(wp_arena *a, const char *path, bool windows)
{
	const char *lower = windows ? wp_str_lower(a, wp_str_of(path)) : path, *rest;

	if (wp_starts(lower, windows ? "scripts/" : "bin/"))
		return wp_sprintf(a, "S/%s", strchr(path, '/') + 1);
	if (windows && wp_starts(lower, "lib/site-packages/"))
		return wp_sprintf(a, "P/%s", path + strlen("lib/site-packages/"));
	rest = strchr(lower, '/');
	if (!windows && wp_starts(lower, "lib/python") && rest && (rest = strchr(rest + 1, '/')) &&
		wp_starts(rest, "/site-packages/"))
		return wp_sprintf(a, "P/%s", rest + strlen("/site-packages/"));
	return wp_sprintf(a, "D/%s", path);
}

static const char *member_key(wp_arena *a, const wp_member *m, bool windows)
{
	switch (m->scheme) {
	case WP_SCRIPTS:
		return wp_sprintf(a, "S/%s", m->path);
	case WP_HEADERS:
		return wp_sprintf(a, "H/%s", m->path);
	case WP_DATA:
		return data_key(a, m->path, windows);
	default:
		return wp_sprintf(a, "P/%s", m->path);
	}
}

/* Bytes with '/' below all others, so that what lies in a folder follows the folder's own name at once. */
static int path_cmp(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	if (*a == *b)
		return 0;
	if (*a == 0 || *b == 0)
		return *a == 0 ? -1 : 1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

static int by_key(const void *a, const void *b)
{
	const spot *x = a, *y = b;
	int c = path_cmp(x->key, y->key);

	return c ? c : x->order < y->order ? -1 : 1;
}

static int by_fold(const void *a, const void *b)
{
	const spot *x = a, *y = b;
	int c = path_cmp(x->fold, y->fold);

	return c ? c : by_key(a, b);
}

static bool below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static size_t gather(wheel_opening *o, spot *v)
{
	wp_wheel *w = o->w;
	size_t i, n = 0;

	for (i = 0; i < w->n; i++, n++)
		v[n] = (spot){member_key(o->scratch, &w->members[i], o->windows), NULL, &w->members[i],
			w->members[i].entry->name, n};
	for (i = 0; i < o->nfolders; i++) {
		const char *path = o->folders[i].path;

		if (w->data_dir && (wp_streq(path, w->data_dir) || below(path, w->data_dir)))
			continue; /* a file below has its own place; an empty folder is not made */
		v[n] = (spot){wp_sprintf(o->scratch, "P/%s", path), NULL, NULL, o->folders[i].entry->name, n};
		n++;
	}
	for (i = 0; i < n; i++)
		v[i].fold = wp_name_fold(o->scratch, wp_str_of(v[i].key));
	return n;
}

/* x and y have the same place. A member that stands twice with the same bytes counts once. */
static int same_place(wheel_opening *o, const spot *x, spot *y)
{
	if (!x->m && !y->m)
		return 0;
	if (!x->m || !y->m)
		return wp_fail(o->e, WP_E_PATH, "'%s' is both a file and a folder", y->name);
	if (!wp_streq(x->m->name, y->m->name))
		return wp_fail(o->e, WP_E_WHEEL, "'%s' and '%s' would be written to one place", x->name, y->name);
	if (x->m->entry->crc != y->m->entry->crc || x->m->entry->size != y->m->entry->size)
		return wp_fail(o->e, WP_E_WHEEL, "'%s' stands twice with different bytes", y->name);
	if (wheel_member_read(o->unpacker, &o->w->zip.blob, y->m, NULL, NULL, NULL, o->e))
		return o->e->code;
	wheel_noted(o, NOTE_TWICE, "'%s'", y->name);
	o->w->total -= y->m->entry->size;
	y->m->name = NULL; /* swept out below */
	*y = (spot){y->key, y->fold, x->m, x->name, x->order};
	return 0;
}

static int check_exact(wheel_opening *o, spot *v, size_t n)
{
	size_t i;

	qsort(v, n, sizeof *v, by_key);
	for (i = 1; i < n; i++) {
		const spot *x = &v[i - 1];

		if (wp_streq(x->key, v[i].key)) {
			if (same_place(o, x, &v[i]))
				return o->e->code;
		} else if (x->m && below(v[i].key, x->key)) {
			return wp_fail(o->e, WP_E_PATH, "'%s' is a file, and '%s' lies below it", x->name, v[i].name);
		}
	}
	return 0;
}

static int alike(wheel_opening *o, const spot *x, const spot *y)
{
	if (o->names != WP_NAMES_UNIX)
		return wp_fail(o->e, WP_E_PATH, "'%s' and '%s' are the same name on %s", x->name, y->name,
			o->windows ? "Windows" : "macOS");
	wheel_noted(o, NOTE_CASE, "'%s' and '%s'", x->name, y->name);
	return 0;
}

/* The same for names of which a file system takes no difference. */
static int check_folded(wheel_opening *o, spot *v, size_t n)
{
	size_t i;

	qsort(v, n, sizeof *v, by_fold);
	for (i = 1; i < n; i++) {
		const spot *x = &v[i - 1], *y = &v[i];
		bool same = wp_streq(x->fold, y->fold);

		if (same && (wp_streq(x->key, y->key) || (!x->m && !y->m)))
			continue;
		if ((same || (x->m && below(y->fold, x->fold))) && alike(o, x, y))
			return o->e->code;
	}
	return 0;
}

static void sweep(wp_wheel *w)
{
	size_t i, n = 0;

	for (i = 0; i < w->n; i++)
		if (w->members[i].name)
			w->members[n++] = w->members[i];
	w->n = n;
}

int wheel_collide(wheel_opening *o)
{
	spot *v = wp_xmalloc((o->w->n + o->nfolders) * sizeof *v);
	size_t n = gather(o, v);
	int rc = check_exact(o, v, n);

	if (rc == 0)
		rc = check_folded(o, v, n);
	free(v);
	sweep(o->w);
	return rc;
}

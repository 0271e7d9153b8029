/* SPDX-License-Identifier: MIT
 *
 * tree.c: the wheels of a bundle as they would be installed. What goes to site-packages is at the root; the other
 * schemes are below a name that no package can have: "@data/", "@scripts/", "@include/PROJECT/" (wp_venv_tree has the
 * same). Where two wheels bring one path, the first in the order of file names counts.
 *
 * A large member is inflated as far as it is read (peek.c); a small one is checked against RECORD and kept in
 * memory. */
#include "bundle/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "bundle/peek.h"
#include "os/par.h"
#include "wheel/wheel.h"

enum { IN_MEMORY = 1 << 20 };

typedef struct leaf {
	wp_tree_entry entry;
	uint32_t wheel, member;
} leaf;

typedef struct wp_bundle_tree {
	struct wp_bundle_tree *next;
	const wp_bundle *b;
	wp_arena *a;
	wp_wheels source;
	wp_names names; /* of the target; each wheel's name tells too */
	const char *const *files; size_t n;
	wp_wheel *wheels;
	wp_blob *blobs;
	wp_par par;	/* the arenas of the wheels */
	wp_tree_entry *entries;
	leaf *leaves; size_t nleaves;
} tree;

/* ---- listing ------------------------------------------------------------------------------ */

static int open_wheel(void *user, size_t i, wp_arena *a, wp_error *e)
{
	tree *t = user;
	wp_names own = wp_bundle_names(t->files[i]), names = own > t->names ? own : t->names;
	const wp_bundle_wheel *w = wp_bundle_wheel_of(t->b, t->files[i]);
	wp_record_pin pin = {0};

	if (w)
		pin = (wp_record_pin){w->record_sha256, w->exceptions};
	if (t->source.open(t->source.self, t->files[i], NULL, &t->blobs[i], e))
		return e->code;
	return wp_wheel_open(a, t->files[i], &t->blobs[i], names, &pin, &t->wheels[i], NULL, e);
}

static const char *place_of(wp_arena *a, const wp_wheel *w, const wp_member *m)
{
	switch (m->scheme) {
	case WP_DATA:
		return wp_sprintf(a, "@data/%s", m->path);
	case WP_SCRIPTS:
		return wp_sprintf(a, "@scripts/%s", m->path);
	case WP_HEADERS:
		return wp_sprintf(a, "@include/%s/%s", w->name.name, m->path);
	default:
		return m->path;
	}
}

static int cmp_leaf(const void *a, const void *b)
{
	const leaf *x = a, *y = b;
	int c = strcmp(x->entry.path, y->entry.path);

	if (c)
		return c;
	if (x->wheel != y->wheel)
		return x->wheel < y->wheel ? -1 : 1;
	return x->member < y->member ? -1 : x->member > y->member;
}

static void list_members(tree *t)
{
	WP_VEC(leaf) v = {0};
	size_t i, k, n = 0;

	for (i = 0; i < t->n; i++)
		for (k = 0; k < t->wheels[i].n; k++) {
			const wp_member *m = &t->wheels[i].members[k];
			leaf l = {{place_of(t->a, &t->wheels[i], m), m->entry->size}, (uint32_t)i, (uint32_t)k};

			WP_PUSH(&v, l);
		}
	if (v.n)
		qsort(v.v, v.n, sizeof *v.v, cmp_leaf);
	for (i = 0; i < v.n; i++)
		if (n == 0 || strcmp(v.v[n - 1].entry.path, v.v[i].entry.path) != 0)
			v.v[n++] = v.v[i];
	v.n = t->nleaves = n;
	t->leaves = WP_VEC_COPY(t->a, &v);
	t->entries = WP_NEW_ARRAY(t->a, n, wp_tree_entry);
	for (i = 0; i < n; i++)
		t->entries[i] = t->leaves[i].entry;
	WP_VEC_FREE(&v);
}

static int tree_list(void *self, const wp_tree_entry **out, size_t *n, wp_error *e)
{
	const tree *t = self;

	(void)e;
	*out = t->entries;
	*n = t->nleaves;
	return 0;
}

/* ---- a member as a blob ------------------------------------------------------------------- */

typedef struct view {
	const wp_blob *blob; /* stored in the wheel at offset, or */
	char *memory;
	uint64_t offset, size, filled;
} view;

static int view_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	const view *v = self;

	if (wp_within(v->size, n, off, e))
		return e->code;
	if (v->blob)
		return v->blob->read_at(v->blob->self, buf, n, v->offset + off, e);
	memcpy(buf, v->memory + off, n);
	return 0;
}

static void view_close(void *self)
{
	view *v = self;

	free(v->memory);
	free(v);
}

/* wp_member_read hands out no more than the declared size. */
static int fill_view(void *user, const void *p, size_t n, wp_error *e)
{
	view *v = user;

	(void)e;
	memcpy(v->memory + v->filled, p, n);
	v->filled += n;
	return 0;
}

static int unpack(view *v, const wp_wheel *w, const wp_member *m, wp_error *e)
{
	wp_unpacker *u = wp_unpacker_new();

	v->memory = wp_xmalloc(v->size + 1);
	wp_member_read(u, w, m, fill_view, v, NULL, e);
	wp_unpacker_free(u);
	return e->code;
}

static int tree_open(void *self, const char *path, wp_blob *out, wp_error *e)
{
	const tree *t = self;
	size_t lo = 0, hi = t->nleaves;
	const wp_member *m;
	const leaf *l;
	view *v;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(t->leaves[mid].entry.path, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	l = lo < t->nleaves ? &t->leaves[lo] : NULL;
	if (!l || strcmp(l->entry.path, path) != 0) {
		wp_fail(e, WP_E_NOT_FOUND, "no wheel has such a member");
		return wp_err_where(e, "bundle '%s', '%s'", t->b->path, path);
	}
	m = &t->wheels[l->wheel].members[l->member];
	if (m->entry->method != 0 && m->entry->size > IN_MEMORY) {
		*out = wp_peek_open(&t->blobs[l->wheel], m->entry);
		return 0;
	}
	v = wp_xmalloc(sizeof *v);
	*v = (view){.size = m->entry->size};
	if (m->entry->method == 0 && v->size > IN_MEMORY) {
		v->blob = &t->blobs[l->wheel];
		v->offset = m->entry->data_offset;
	} else if (unpack(v, &t->wheels[l->wheel], m, e)) {
		view_close(v);
		return wp_err_where(e, "bundle '%s'", t->b->path);
	}
	*out = (wp_blob){v, v->size, view_read, view_close};
	return 0;
}

/* ---- opening ------------------------------------------------------------------------------ */

/* All wheels of the bundle, where no target picks some. */
static void all_wheels(tree *t)
{
	const wp_bundle *b = t->b;
	const char **v = WP_NEW_ARRAY(t->a, b->n + b->doc.nwheels, const char *);
	size_t i;

	if (!b->loose)
		for (i = 0; i < b->doc.nwheels; i++)
			v[t->n++] = b->doc.wheels[i].filename;
	else
		for (i = 0; i < b->n; i++)
			v[t->n++] = os_basename(b->entries[i].path);
	if (t->n)
		qsort(v, t->n, sizeof *v, wp_cmp_cstr);
	t->files = v;
}

static void close_tree(tree *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->blobs[i].close)
			t->blobs[i].close(t->blobs[i].self);
	wp_par_done(&t->par);
	wp_arena_free(t->a);
}

void wp_bundle_free_trees(wp_bundle *b)
{
	tree *t, *next;

	for (t = b->trees->first; t; t = next) {
		next = t->next;
		close_tree(t);
	}
}

int wp_bundle_tree(wp_ctx *ctx, const wp_bundle *b, const wp_lock_target *target, wp_tree *out, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	tree *t = WP_NEW(a, tree);

	t->a = a;
	t->b = b;
	t->source = wp_bundle_wheels(b);
	t->names = target ? wp_names_of(target->platform) : WP_NAMES_UNIX;
	if (target) {
		t->files = target->wheels;
		t->n = target->nwheels;
	} else {
		all_wheels(t);
	}
	t->wheels = WP_NEW_ARRAY(a, t->n, wp_wheel);
	t->blobs = WP_NEW_ARRAY(a, t->n, wp_blob);
	if (wp_par_for(ctx, t->n, open_wheel, NULL, t, true, &t->par, e)) {
		close_tree(t);
		return wp_err_where(e, "bundle '%s'", b->path);
	}
	list_members(t);
	t->next = b->trees->first;
	b->trees->first = t;
	*out = (wp_tree){t, tree_list, tree_open};
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "bundle/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

typedef struct item {
	wp_bundle_entry entry;
	wp_place place;
} item;

typedef WP_VEC(item) items;

static int cmp_item(const void *a, const void *b)
{
	return strcmp(((const item *)a)->entry.path, ((const item *)b)->entry.path);
}

static void add(items *v, const char *path, uint64_t size, os_kind kind, uint64_t offset)
{
	item it = {{path, size}, {kind, offset}};

	WP_PUSH(v, it);
}

static void settle(wp_bundle *b, items *v)
{
	size_t i;

	if (v->n)
		qsort(v->v, v->n, sizeof *v->v, cmp_item);
	b->entries = WP_NEW_ARRAY(b->a, v->n, wp_bundle_entry);
	b->places = WP_NEW_ARRAY(b->a, v->n, wp_place);
	for (i = 0; i < v->n; i++) {
		b->entries[i] = v->v[i].entry;
		b->places[i] = v->v[i].place;
	}
	b->n = v->n;
	WP_VEC_FREE(v);
}

/* ---- directories -------------------------------------------------------------------------- */

static int list_bundle_dir(wp_bundle *b, items *v, wp_error *e)
{
	os_entry *entries;
	size_t n, i;

	if (os_walk(b->a, b->dir, &entries, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (entries[i].kind != OS_DIR)
			add(v, entries[i].path, entries[i].size, entries[i].kind, 0);
	return 0;
}

/* A link to a wheel is fine in a folder that promises nothing. */
static int add_wheel_file(wp_bundle *b, items *v, const char *name, wp_error *e)
{
	wp_blob blob;

	if (os_blob(os_join(b->a, b->dir, name), &blob, e))
		return e->code;
	add(v, name, blob.size, OS_FILE, 0);
	blob.close(blob.self);
	return 0;
}

static int list_wheels(wp_bundle *b, items *v, const char *below, wp_error *e)
{
	const char *dir = below ? os_join(b->a, b->dir, below) : b->dir;
	const char **names;
	size_t n, i;

	if (os_list(b->a, dir, &names, &n, e))
		return e->code;
	for (i = 0; i < n; i++) {
		const char *name = below ? os_join(b->a, below, names[i]) : names[i];

		if (wp_ends(name, ".whl") && os_is_file(os_join(b->a, b->dir, name)) &&
			add_wheel_file(b, v, name, e))
			return e->code;
	}
	return 0;
}

static int list_folder(wp_bundle *b, items *v, wp_error *e)
{
	if (list_wheels(b, v, NULL, e))
		return e->code;
	if (os_is_dir(os_join(b->a, b->dir, "wheels")) && list_wheels(b, v, "wheels", e))
		return e->code;
	if (v->n == 0)
		return wp_fail(e, WP_E_BUNDLE, "it has no bundle.json and no wheels in it");
	return 0;
}

static int open_dir(wp_bundle *b, items *v, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	b->dir = b->path;
	if (os_stat(os_join(b->a, b->dir, "bundle.json"), &kind, &size, e))
		return e->code;
	b->loose = kind == OS_ABSENT;
	return b->loose ? list_folder(b, v, e) : list_bundle_dir(b, v, e);
}

static int open_wheel(wp_bundle *b, items *v, wp_error *e)
{
	b->dir = os_dirname(b->a, b->path);
	b->loose = true;
	return add_wheel_file(b, v, os_basename(b->path), e);
}

/* ---- .wpk --------------------------------------------------------------------------------- */

/* What a cut or foreign file needs is a word on what to do; the zip reader tells what it saw. */
static int not_a_zip(wp_bundle *b, wp_error *e)
{
	char head[4] = {0};
	wp_error ignored = {0};

	if (b->file.size == 0)
		return wp_fail(e, WP_E_BUNDLE, "the file is empty");
	if (b->file.size >= sizeof head && b->file.read_at(b->file.self, head, sizeof head, 0, &ignored) == 0 &&
		memcmp(head, "PK\3\4", 4) == 0)
		return 0;
	return wp_fail(e, WP_E_BUNDLE, "it is no bundle: it does not begin as a zip file does");
}

static int check_stored(const wp_zip *z, wp_error *e)
{
	size_t i;

	if (z->n == 0 || strcmp(z->entries[0].name, "bundle.json") != 0) {
		wp_fail(e, WP_E_BUNDLE, "it is a zip file, but its first member is not bundle.json");
		return wp_err_next(e, "a wheel is known by its name, which ends in .whl; a bundle is to be copied again, or "
			"rebuilt");
	}
	for (i = 0; i < z->n; i++) {
		const wp_zip_entry *m = &z->entries[i];

		if (m->dir || m->method != 0 || m->csize != m->size) {
			wp_fail(e, WP_E_BUNDLE, "the member is %s, a bundle has stored files only",
				m->dir ? "a directory" : "compressed");
			return wp_err_where(e, "'%s'", m->name);
		}
	}
	return 0;
}

static int read_members(wp_bundle *b, items *v, wp_error *e)
{
	wp_zip z;
	size_t i;

	if (wp_zip_read(b->a, &b->file, &z, e)) {
		if (e->code == WP_E_ZIP)
			wp_err_next(e, "copy the file again and compare its size: this copy has %" PRIu64
				" bytes and is cut off or damaged", b->file.size);
		return e->code;
	}
	if (check_stored(&z, e))
		return e->code;
	for (i = 0; i < z.n; i++)
		add(v, z.entries[i].name, z.entries[i].size, OS_FILE, z.entries[i].data_offset);
	return 0;
}

static int check_unique(const wp_bundle *b, wp_error *e)
{
	size_t i;

	for (i = 1; i < b->n; i++)
		if (strcmp(b->entries[i - 1].path, b->entries[i].path) == 0)
			return wp_fail(e, WP_E_BUNDLE, "the member '%s' is there twice", b->entries[i].path);
	return 0;
}

static int open_wpk(wp_bundle *b, items *v, wp_error *e)
{
	if (os_blob(b->path, &b->file, e) || not_a_zip(b, e))
		return e->code;
	return read_members(b, v, e);
}

/* ---- opening ------------------------------------------------------------------------------ */

static int no_file(const char *path, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	if (os_stat(path, &kind, &size, e))
		return e->code;
	if (kind != OS_OTHER)
		return wp_fail(e, WP_E_NOT_FOUND, "there is no such file or directory");
	wp_fail(e, WP_E_IO, "it is not a regular file");
	return wp_err_next(e, "name a .wpk file or a directory");
}

static int open_any(wp_bundle *b, wp_error *e)
{
	items v = {0};

	if (os_is_dir(b->path))
		open_dir(b, &v, e);
	else if (!os_is_file(b->path))
		no_file(b->path, e);
	else if (wp_ends(b->path, ".whl"))
		open_wheel(b, &v, e);
	else
		open_wpk(b, &v, e);
	settle(b, &v);
	return e->code ? (int)e->code : check_unique(b, e);
}

int wp_source_open(const char *path, wp_bundle **out, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	wp_bundle *b = WP_NEW(a, wp_bundle);

	b->a = a;
	b->path = wp_strdup(a, path);
	b->trees = WP_NEW(a, struct wp_trees);
	if (open_any(b, e)) {
		wp_bundle_close(b);
		return e->code;
	}
	*out = b;
	return 0;
}

size_t wp_source_find(const wp_bundle *b, const char *path)
{
	size_t lo = 0, hi = b->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(b->entries[mid].path, path);

		if (c == 0)
			return mid;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return SIZE_MAX;
}

/* ---- bytes -------------------------------------------------------------------------------- */

typedef struct window {
	const wp_blob *file;
	uint64_t offset, size;
} window;

int wp_within(uint64_t size, size_t n, uint64_t off, wp_error *e)
{
	if (off <= size && n <= size - off)
		return 0;
	return wp_fail(e, WP_E_IO, "%zu bytes at %" PRIu64 " are beyond its end", n, off);
}

static int window_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	const window *w = self;

	if (wp_within(w->size, n, off, e))
		return e->code;
	return w->file->read_at(w->file->self, buf, n, w->offset + off, e);
}

static void window_close(void *self)
{
	free(self);
}

static int open_window(const wp_bundle *b, size_t i, wp_blob *out)
{
	window *w = wp_xmalloc(sizeof *w);

	*w = (window){&b->file, b->places[i].offset, b->entries[i].size};
	*out = (wp_blob){w, w->size, window_read, window_close};
	return 0;
}

int wp_source_plain(const wp_bundle *b, size_t i, wp_error *e)
{
	if (b->places[i].kind == OS_FILE)
		return 0;
	return wp_fail(e, WP_E_BUNDLE, "it is %s, not a file",
		b->places[i].kind == OS_LINK ? "a link" : "something special");
}

static int open_file(const wp_bundle *b, size_t i, wp_blob *out, wp_error *e)
{
	wp_arena *a;

	if (wp_source_plain(b, i, e))
		return wp_err_where(e, "'%s'", b->entries[i].path);
	a = wp_arena_new();
	os_blob(os_join(a, b->dir, b->entries[i].path), out, e);
	wp_arena_free(a);
	return e->code;
}

int wp_source_blob(const wp_bundle *b, size_t i, wp_blob *out, wp_error *e)
{
	return b->dir ? open_file(b, i, out, e) : open_window(b, i, out);
}

int wp_source_text(wp_bundle *b, const char *path, wp_str *out, wp_error *e)
{
	size_t i = wp_source_find(b, path);
	wp_blob blob;
	char *p;

	if (i == SIZE_MAX) {
		wp_fail(e, WP_E_BUNDLE, "it is not in the bundle");
	} else if (b->entries[i].size > WP_MAX_DOCUMENT) {
		wp_fail(e, WP_E_TOO_LARGE, "it has %" PRIu64 " bytes, %d are allowed", b->entries[i].size,
			WP_MAX_DOCUMENT);
	} else if (wp_source_blob(b, i, &blob, e)) {
		return e->code;
	} else {
		/* The size at the listing counts: a file that grows since then is cut, and its digest tells. */
		p = wp_alloc(b->a, b->entries[i].size + 1);
		*out = (wp_str){p, b->entries[i].size};
		blob.read_at(blob.self, p, out->n, 0, e);
		blob.close(blob.self);
	}
	return e->code ? wp_err_where(e, "'%s'", path) : 0;
}

wp_names wp_bundle_names(const char *filename)
{
	wp_names names = WP_NAMES_UNIX;

	for (; (filename = strpbrk(filename, "-.")) != NULL; filename++)
		if (wp_names_of(filename + 1) > names)
			names = wp_names_of(filename + 1);
	return names;
}

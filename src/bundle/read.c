/* SPDX-License-Identifier: MIT */
#include "bundle/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ext/hash.h"

/* ---- documents ---------------------------------------------------------------------------- */

int wp_bundle_read_manifest(wp_bundle *b, wp_error *e)
{
	wp_str text;

	if (wp_source_text(b, "bundle.json", &text, e))
		return e->code;
	wp_sha256_hex(text, b->id);
	if (wp_bundle_doc_read(b->a, text, &b->doc, e))
		return wp_err_where(e, "'bundle.json'");
	return 0;
}

static int same_wheel(const wp_lock_wheel *l, const wp_bundle_wheel *w, wp_error *e)
{
	if (l->sha256 && strcmp(l->sha256, w->sha256) != 0)
		wp_fail(e, WP_E_BUNDLE, "lock.json promises sha256 %s, bundle.json %s", l->sha256, w->sha256);
	else if (l->size >= 0 && (uint64_t)l->size != w->size)
		wp_fail(e, WP_E_BUNDLE, "lock.json promises %" PRId64 " bytes, bundle.json %" PRIu64, l->size,
			w->size);
	return e->code ? wp_err_where(e, "'%s'", w->filename) : 0;
}

/* Both lists have the same wheels, each once. */
static int agree(const wp_bundle *b, wp_error *e)
{
	size_t i;

	for (i = 0; i < b->doc.nwheels; i++) {
		const wp_bundle_wheel *w = &b->doc.wheels[i];
		const wp_lock_wheel *l = wp_lock_find(&b->lock, w->filename);

		if (!l)
			return wp_fail(e, WP_E_BUNDLE, "bundle.json has the wheel '%s', lock.json doesn't",
				w->filename);
		if (same_wheel(l, w, e))
			return e->code;
	}
	if (b->lock.nwheels != b->doc.nwheels)
		return wp_fail(e, WP_E_BUNDLE, "lock.json has %zu wheels, bundle.json %zu", b->lock.nwheels,
			b->doc.nwheels);
	return 0;
}

int wp_bundle_read_lock(wp_bundle *b, wp_error *e)
{
	char hex[WP_SHA256_HEX + 1];
	wp_str text;

	if (wp_source_text(b, "lock.json", &text, e))
		return e->code;
	wp_sha256_hex(text, hex);
	if (strcmp(hex, b->doc.lock_sha256) != 0)
		wp_fail(e, WP_E_BUNDLE, "sha256 is %s, bundle.json promises %s", hex, b->doc.lock_sha256);
	else
		wp_lock_read(b->a, text, &b->lock, e);
	if (e->code)
		return wp_err_where(e, "'lock.json'");
	b->has_lock = true;
	return agree(b, e);
}

int wp_bundle_check_listed(const wp_bundle *b, const char *path, uint64_t size, wp_error *e)
{
	size_t i = wp_source_find(b, path);

	if (i == SIZE_MAX)
		wp_fail(e, WP_E_BUNDLE, "bundle.json lists it, but it is missing");
	else if (!wp_source_plain(b, i, e) && b->entries[i].size != size)
		wp_fail(e, WP_E_BUNDLE, "it has %" PRIu64 " bytes, bundle.json promises %" PRIu64,
			b->entries[i].size, size);
	return e->code ? wp_err_where(e, "'%s'", path) : 0;
}

static int check_sizes(const wp_bundle *b, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	size_t i;

	for (i = 0; i < b->doc.nfiles && !e->code; i++)
		wp_bundle_check_listed(b, b->doc.files[i].path, b->doc.files[i].size, e);
	for (i = 0; i < b->doc.nwheels && !e->code; i++)
		wp_bundle_check_listed(b, os_join(a, "wheels", b->doc.wheels[i].filename),
			b->doc.wheels[i].size, e);
	wp_arena_free(a);
	return e->code;
}

/* ---- what bundle.json lists --------------------------------------------------------------- */

static int cmp_wheel(const void *key, const void *w)
{
	return strcmp(key, ((const wp_bundle_wheel *)w)->filename);
}

static int cmp_file(const void *key, const void *f)
{
	return strcmp(key, ((const wp_bundle_file *)f)->path);
}

const wp_bundle_wheel *wp_bundle_wheel_of(const wp_bundle *b, const char *filename)
{
	const wp_bundle_doc *d = &b->doc;

	return d->nwheels ? bsearch(filename, d->wheels, d->nwheels, sizeof *d->wheels, cmp_wheel) : NULL;
}

bool wp_bundle_lists(const wp_bundle *b, const char *path)
{
	const wp_bundle_doc *d = &b->doc;

	if (wp_starts(path, "wheels/"))
		return wp_bundle_wheel_of(b, path + strlen("wheels/"));
	if (strcmp(path, "bundle.json") == 0)
		return true;
	return d->nfiles && bsearch(path, d->files, d->nfiles, sizeof *d->files, cmp_file);
}

/* ---- public calls ------------------------------------------------------------------------- */

int wp_bundle_open(wp_ctx *ctx, const char *path, wp_bundle **out, wp_error *e)
{
	wp_bundle *b;

	if (wp_check_cancel(ctx, e))
		return e->code;
	if (wp_source_open(path, &b, e))
		return wp_err_where(e, "bundle '%s'", path);
	if (!b->loose && (wp_bundle_read_manifest(b, e) || wp_bundle_read_lock(b, e) || check_sizes(b, e))) {
		wp_bundle_close(b);
		return wp_err_where(e, "bundle '%s'", path);
	}
	*out = b;
	return 0;
}

void wp_bundle_close(wp_bundle *b)
{
	if (!b)
		return;
	wp_bundle_free_trees(b);
	if (b->file.close)
		b->file.close(b->file.self);
	wp_arena_free(b->a);
}

const char *wp_bundle_path(const wp_bundle *b)
{
	return b->path;
}

const wp_bundle_doc *wp_bundle_manifest(const wp_bundle *b)
{
	return b->loose ? NULL : &b->doc;
}

const wp_lock_doc *wp_bundle_lock(const wp_bundle *b)
{
	return b->has_lock ? &b->lock : NULL;
}

const char *wp_bundle_id(const wp_bundle *b)
{
	return b->loose ? NULL : b->id;
}

/* A bundle offers what it lists; a folder whatever has that name. */
static int wheels_open(void *self, const char *filename, const char *sha256, wp_blob *out, wp_error *e)
{
	const wp_bundle *b = self;
	const wp_bundle_wheel *w = wp_bundle_wheel_of(b, filename);
	wp_arena *a = wp_arena_new();
	size_t i = SIZE_MAX;

	if (b->loose)
		i = wp_source_find(b, filename);
	if (i == SIZE_MAX && (b->loose || w))
		i = wp_source_find(b, os_join(a, "wheels", filename));
	wp_arena_free(a);
	if (i == SIZE_MAX)
		wp_fail(e, WP_E_NOT_FOUND, "the bundle has no such wheel");
	else if (w && sha256 && strcmp(w->sha256, sha256) != 0)
		wp_fail(e, WP_E_DIGEST, "the bundle has it with sha256 %s, wanted is %s", w->sha256, sha256);
	else
		wp_source_blob(b, i, out, e);
	return e->code ? wp_err_where(e, "bundle '%s', '%s'", b->path, filename) : 0;
}

wp_wheels wp_bundle_wheels(const wp_bundle *b)
{
	return (wp_wheels){(void *)b, wheels_open};
}

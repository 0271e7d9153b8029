/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bundle/write.h"
#include "ext/hash.h"
#include "ext/zipwrite.h"

/* A wheel on its way into the archive. The archive reads its members one after the other when it is closed, so a
 * wheel is open only while its turn lasts. */
typedef struct feed {
	wp_packing *p;
	const wp_bundle_wheel *w;
	wp_hash *h; /* shared: one wheel at a time */
	wp_blob blob;
	bool open;
	uint64_t seen;
} feed;

static void feed_close(feed *f)
{
	if (f->open && f->blob.close)
		f->blob.close(f->blob.self);
	f->open = false;
}

static int feed_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	feed *f = self;

	if (!f->open && wp_packing_open(f->p, f->w, &f->blob, e))
		return e->code;
	f->open = true;
	return f->blob.read_at(f->blob.self, buf, n, off, e);
}

static int feed_seen(void *user, const void *p, size_t n, wp_error *e)
{
	feed *f = user;
	unsigned char sum[WP_HASH_MAX];

	if (wp_check_cancel(f->p->ctx, e))
		return e->code;
	if (f->seen == 0)
		wp_hash_restart(f->h);
	wp_hash_add(f->h, p, n);
	f->seen += n;
	atomic_fetch_add_explicit(&f->p->bytes, n, memory_order_relaxed);
	if (f->seen < f->w->size)
		return 0;
	wp_hash_end(f->h, sum);
	feed_close(f);
	atomic_fetch_add_explicit(&f->p->items, 1, memory_order_relaxed);
	return wp_packing_digest(f->w, sum, e);
}

static int tick(void *user, double done)
{
	wp_packing *p = user;

	(void)done;
	wp_packing_report(p);
	return wp_cancelled(p->ctx);
}

static int add_members(wp_packing *p, feed *feeds, wp_zipwrite *z, wp_arena *a, wp_error *e)
{
	const wp_layout *l = p->layout;
	size_t i;

	if (wp_zipwrite_text(z, "bundle.json", l->manifest, e))
		return e->code;
	for (i = 0; i < l->ntexts; i++)
		if (wp_zipwrite_text(z, l->texts[i].path, l->texts[i].text, e))
			return e->code;
	for (i = 0; i < l->doc.nwheels; i++) {
		feed *f = &feeds[i];
		wp_blob blob = {f, f->w->size, feed_read, NULL};

		if (wp_zipwrite_blob(z, wp_sprintf(a, "wheels/%s", f->w->filename), &blob, feed_seen, f, e))
			return e->code;
	}
	return 0;
}

static int write_archive(wp_packing *p, feed *feeds, const char *path, wp_arena *a, wp_error *e)
{
	wp_zipwrite *z;

	if (wp_zipwrite_open(path, &z, e))
		return e->code;
	if (add_members(p, feeds, z, a, e)) {
		wp_zipwrite_discard(z);
		return e->code;
	}
	return wp_zipwrite_close(z, tick, p, e);
}

/* No wheel may have slipped past the digest. */
static int check_seen(const feed *feeds, size_t n, wp_error *e)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (feeds[i].seen != feeds[i].w->size)
			return wp_fail(e, WP_E_INTERNAL, "'%s' was not read to its end", feeds[i].w->filename);
	return 0;
}

int wp_write_file(wp_packing *p, const char *path, wp_error *e)
{
	const wp_bundle_doc *d = &p->layout->doc;
	wp_arena *a = wp_arena_new();
	feed *feeds = WP_NEW_ARRAY(a, d->nwheels, feed);
	wp_hash *h = wp_hash_new(WP_SHA256);
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		feeds[i] = (feed){.p = p, .w = &d->wheels[i], .h = h};
	if (!write_archive(p, feeds, path, a, e))
		check_seen(feeds, d->nwheels, e);
	for (i = 0; i < d->nwheels; i++)
		feed_close(&feeds[i]);
	wp_hash_free(h);
	wp_arena_free(a);
	return e->code;
}

/* SPDX-License-Identifier: MIT
 *
 * store_take.c: files from a store into the stage. Whatever stands against it, the wheel is at hand: then the file is
 * unpacked from there.
 */
#include "ext/hash.h"
#include "install/store_use.h"

typedef struct copying {
	const wp_plan *p;
	const wp_stored *s;
	os_file *from, *to;
	unsigned char *buf;
	size_t room;
} copying;

/* A copy reads every byte, so it is held to its digest too. */
static int copy_bytes(const copying *c, wp_error *e)
{
	wp_hash *h = wp_hash_new(WP_SHA256);
	unsigned char digest[WP_HASH_MAX];
	uint64_t off, size = c->s->size;
	size_t n;

	os_preallocate(c->to, size, e);
	for (off = 0; off < size && !e->code; off += n) {
		n = size - off < c->room ? (size_t)(size - off) : c->room;
		if (wp_check_cancel(c->p->ctx, e) || os_pread(c->from, c->buf, n, off, e) ||
			os_pwrite(c->to, c->buf, n, off, e))
			break;
		wp_hash_add(h, c->buf, n);
	}
	wp_hash_end(h, digest);
	wp_hash_free(h);
	if (!e->code && memcmp(digest, c->s->sha256, 32) != 0)
		wp_fail(e, WP_E_DIGEST, "'%s' of the store is not as it was put there", c->s->path);
	return e->code;
}

static int copy_into(copying *c, wp_share *how, wp_error *e)
{
	wp_error late = {0};

	if (c->p->store->how == WP_SHARE_CLONE && os_clone(c->from, c->to))
		*how = WP_SHARE_CLONE;
	else
		copy_bytes(c, e);
	if (os_close(c->to, &late) && !e->code)
		*e = late;
	return e->code;
}

/* What is half a copy goes away: the file is made anew. */
static int copy(copying *c, const wp_out_file *f, os_dir *to, wp_share *how, wp_error *e)
{
	const wp_store_use *u = c->p->store;
	wp_arena *a = wp_arena_new();
	wp_error later = {0};

	*how = WP_SHARE_COPY;
	if (!os_open(os_join(a, u->wheels[f->wheel].path, c->s->path), OS_READ, &c->from, e)) {
		if (!os_create_at(to, os_basename(f->path), f->executable ? 0755 : 0644, &c->to, e) && copy_into(c, how, e))
			os_unlink(os_join(a, u->stage, f->path), &later);
		os_close(c->from, &later);
	}
	wp_arena_free(a);
	return e->code;
}

static bool must_stop(const wp_error *e)
{
	return e->code == WP_E_INTERRUPTED || e->code == WP_E_DISK_FULL;
}

bool wp_store_take(wp_plan *p, wp_out_file *f, os_dir *to, unsigned char *buf, size_t n, wp_error *e)
{
	wp_store_use *u = p->store;
	copying c = {.p = p, .s = f->stored, .buf = buf, .room = n};
	wp_share how = WP_SHARE_LINK;
	wp_error own = {0};

	if (f->linked && u->how == WP_SHARE_LINK)
		os_link_at(u->wheels[f->wheel].files, f->stored->path, to, os_basename(f->path), &own);
	else
		copy(&c, f, to, &how, &own);
	if (own.code) {
		if (must_stop(&own))
			*e = own;
		else
			atomic_store(&u->wheels[f->wheel].failed, true);
		return false;
	}
	memcpy(f->sha256, f->stored->sha256, sizeof f->sha256);
	atomic_fetch_add_explicit(&u->taken[how], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->bytes, f->size, memory_order_relaxed);
	return true;
}

void wp_store_tell(const wp_plan *p, wp_from_store *out)
{
	const wp_store_use *u = p->store;

	if (!u)
		return;
	*out = (wp_from_store){.dir = wp_strdup(p->ctx->arena, u->dir), .linked = atomic_load(&u->taken[WP_SHARE_LINK]),
		.cloned = atomic_load(&u->taken[WP_SHARE_CLONE]), .copied = atomic_load(&u->taken[WP_SHARE_COPY]),
		.bytes = atomic_load(&u->bytes), .added = u->added};
}

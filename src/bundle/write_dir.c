/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bundle/write.h"
#include "ext/hash.h"
#include "os/os.h"
#include "os/par.h"

enum { BUFFER = 1 << 20 };

typedef struct dir_job {
	wp_packing *p;
	const char *root;
	const wp_bundle_wheel **order; /* biggest first */
} dir_job;

static int create_program(wp_arena *a, const char *path, os_file **out, wp_error *e)
{
	os_dir *dir;

	if (os_dir_open(os_dirname(a, path), &dir, e))
		return e->code;
	os_create_at(dir, os_basename(path), 0755, out, e);
	os_dir_close(dir);
	return e->code;
}

/* Bytes into a new file; no flush of each, the whole tree is flushed at the end. */
static int write_text(wp_arena *a, const char *path, wp_str text, bool program, wp_error *e)
{
	os_file *f;

	if (program ? create_program(a, path, &f, e) : os_open(path, OS_CREATE_NEW, &f, e))
		return e->code;
	os_pwrite(f, text.p, text.n, 0, e);
	os_close(f, e);
	return e->code;
}

static int write_texts(const dir_job *d, wp_arena *a, wp_error *e)
{
	const wp_layout *l = d->p->layout;
	size_t i;

	for (i = 0; i < l->ntexts; i++) {
		const wp_text_file *t = &l->texts[i];
		const char *path = os_join(a, d->root, t->path);
		bool program = wp_streq(t->role, "tool") || wp_streq(t->role, "installer");

		if (os_mkdirs(os_dirname(a, path), e) || write_text(a, path, t->text, program, e))
			return e->code;
	}
	return write_text(a, os_join(a, d->root, "bundle.json"), l->manifest, false, e);
}

static int copy_bytes(dir_job *d, const wp_bundle_wheel *w, const wp_blob *from, os_file *to, wp_error *e)
{
	unsigned char sum[WP_HASH_MAX];
	char *buf = wp_xmalloc(BUFFER);
	wp_hash *h = wp_hash_new(WP_SHA256);
	uint64_t off = 0;

	os_preallocate(to, from->size, e);
	while (off < from->size && !e->code) {
		size_t n = from->size - off < BUFFER ? (size_t)(from->size - off) : BUFFER;

		if (wp_check_cancel(d->p->ctx, e) || from->read_at(from->self, buf, n, off, e))
			break;
		wp_hash_add(h, buf, n);
		os_pwrite(to, buf, n, off, e);
		off += n;
		atomic_fetch_add_explicit(&d->p->bytes, n, memory_order_relaxed);
	}
	wp_hash_end(h, sum);
	wp_hash_free(h);
	free(buf);
	return e->code ? (int)e->code : wp_packing_digest(w, sum, e);
}

static int copy_wheel(void *user, size_t i, wp_arena *a, wp_error *e)
{
	dir_job *d = user;
	const wp_bundle_wheel *w = d->order[i];
	os_file *to;
	wp_blob from;

	if (wp_packing_open(d->p, w, &from, e))
		return e->code;
	if (!os_open(os_join(a, os_join(a, d->root, "wheels"), w->filename), OS_CREATE_NEW, &to, e)) {
		copy_bytes(d, w, &from, to, e);
		os_close(to, e);
	}
	if (from.close)
		from.close(from.self);
	if (!e->code)
		atomic_fetch_add_explicit(&d->p->items, 1, memory_order_relaxed);
	return e->code;
}

static void tick(void *user)
{
	wp_packing_report(((dir_job *)user)->p);
}

static int by_size(const void *a, const void *b)
{
	const wp_bundle_wheel *x = *(const wp_bundle_wheel *const *)a, *y = *(const wp_bundle_wheel *const *)b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->filename, y->filename);
}

static int copy_wheels(dir_job *d, wp_arena *a, wp_error *e)
{
	const wp_bundle_doc *doc = &d->p->layout->doc;
	wp_par par;
	size_t i;

	if (os_mkdirs(os_join(a, d->root, "wheels"), e))
		return e->code;
	d->order = WP_NEW_ARRAY(a, doc->nwheels, const wp_bundle_wheel *);
	for (i = 0; i < doc->nwheels; i++)
		d->order[i] = &doc->wheels[i];
	if (doc->nwheels)
		qsort(d->order, doc->nwheels, sizeof *d->order, by_size);
	wp_par_for(d->p->ctx, doc->nwheels, copy_wheel, tick, d, true, &par, e);
	wp_par_done(&par);
	return e->code;
}

int wp_write_dir(wp_packing *p, const char *path, wp_error *e)
{
	dir_job d = {.p = p, .root = path};
	wp_arena *a = wp_arena_new();

	if (!os_mkdir(path, e) && !copy_wheels(&d, a, e))
		write_texts(&d, a, e);
	wp_arena_free(a);
	return e->code;
}

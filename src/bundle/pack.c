/* SPDX-License-Identifier: MIT
 *
 * pack.c: stage 3. The bundle is written to .NAME.wheelpack-PID.tmp beside its name and renamed last. A lock file of
 * that name says that every other temporary bundle was left by a run that was killed, and those are removed. */
#include <inttypes.h>
#include <string.h>

#include "bundle/carry.h"
#include "bundle/source.h"
#include "bundle/write.h"
#include "os/os.h"

typedef struct pack {
	wp_ctx *ctx;
	const wp_pack_request *in;
	wp_arena *a;
	const char *dir, *name; /* where the bundle goes */
	const char *path;	/* dir/name */
	const char *temp, *old; /* new bundle before the rename; replaced one where names can't be exchanged */
	bool file;		/* .wpk, else a directory */
	bool there;		/* a bundle that will be replaced */
	wp_text_file carried[WP_CARRIED];
	size_t ncarried;
	const char *left;	/* replaced bundle that could not be removed */
} pack;

/* ---- what both forms share ---------------------------------------------------------------- */

int wp_packing_open(wp_packing *p, const wp_bundle_wheel *w, wp_blob *out, wp_error *e)
{
	if (p->source.open(p->source.self, w->filename, w->sha256, out, e))
		return wp_err_where(e, "'%s'", w->filename);
	if (out->size == w->size)
		return 0;
	wp_fail(e, WP_E_DIGEST, "it has %" PRIu64 " bytes, the lock promises %" PRIu64, out->size, w->size);
	if (out->close)
		out->close(out->self);
	return wp_err_where(e, "'%s'", w->filename);
}

int wp_packing_digest(const wp_bundle_wheel *w, const unsigned char sha256[32], wp_error *e)
{
	char hex[WP_SHA256_HEX + 1];

	wp_hex(sha256, 32, hex);
	if (strcmp(hex, w->sha256) == 0)
		return 0;
	wp_fail(e, WP_E_DIGEST, "sha256 is %s, the lock promises %s", hex, w->sha256);
	return wp_err_where(e, "'%s'", w->filename);
}

void wp_packing_report(wp_packing *p)
{
	const wp_bundle_doc *d = &p->layout->doc;
	wp_progress g = {.stage = "pack", .bytes = atomic_load(&p->bytes), .items = atomic_load(&p->items),
		.items_total = d->nwheels};
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		g.bytes_total += d->wheels[i].size;
	wp_report(p->ctx, &g);
}

/* ---- names -------------------------------------------------------------------------------- */

static int name_paths(pack *p, wp_error *e)
{
	const char *out = os_without_tail(p->a, p->in->out), *last = os_basename(out);

	if (!*last || wp_streq(last, ".") || wp_streq(last, ".."))
		return wp_fail(e, WP_E_EXISTS, "a bundle needs a name of its own: '%s' is none", p->in->out);
	if (os_absolute(p->a, out, &p->path, e))
		return e->code;
	p->dir = os_dirname(p->a, p->path);
	p->name = os_basename(p->path);
	p->file = wp_ends(p->name, ".wpk");
	p->temp = wp_sprintf(p->a, "%s/.%s.wheelpack-%d.tmp", p->dir, p->name, os_pid());
	p->old = wp_sprintf(p->a, "%s/.%s.wheelpack.old", p->dir, p->name);
	if (os_is_dir(p->dir))
		return 0;
	wp_fail(e, WP_E_NOT_FOUND, "there is no such directory to write '%s' into", last);
	wp_err_next(e, "make the directory, or choose another place with -o");
	return wp_err_where(e, "'%s'", os_dirname(p->a, out));
}

/* .NAME.wheelpack-1234.tmp */
static bool is_leftover(const pack *p, const char *entry)
{
	const char *prefix = wp_sprintf(p->a, ".%s.wheelpack-", p->name);
	wp_str s = wp_str_of(entry);
	uint64_t pid;

	if (!wp_str_starts(s, prefix) || !wp_str_ends(s, ".tmp") || s.n < strlen(prefix) + 4)
		return false;
	return wp_str_u64(wp_str_sub(s, strlen(prefix), s.n - 4), &pid);
}

/* The lock is ours, so whoever made these is gone. A bundle moved aside goes back where nothing took its place. */
static int clear_leftovers(pack *p, wp_error *e)
{
	const char **names;
	os_kind kind, old;
	uint64_t size;
	size_t n, i;

	if (os_stat(p->path, &kind, &size, e) || os_stat(p->old, &old, &size, e))
		return e->code;
	if (old != OS_ABSENT && kind == OS_ABSENT)
		os_rename_new(p->old, p->path, e);
	else if (old != OS_ABSENT)
		os_remove_tree(p->old, e);
	if (e->code || os_list(p->a, p->dir, &names, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (is_leftover(p, names[i]) && os_remove_tree(os_join(p->a, p->dir, names[i]), e))
			return e->code;
	return 0;
}

/* ---- may the name be used? ---------------------------------------------------------------- */

static bool begins_as_wpk(const char *path)
{
	static const char name[] = "bundle.json";
	char head[30 + sizeof name - 1];
	wp_error ignored = {0};
	wp_blob b;
	bool yes;

	if (os_blob(path, &b, &ignored))
		return false;
	yes = b.size > sizeof head && b.read_at(b.self, head, sizeof head, 0, &ignored) == 0 &&
	      memcmp(head, "PK\3\4", 4) == 0 && memcmp(head + 30, name, sizeof name - 1) == 0;
	b.close(b.self);
	return yes;
}

/* A directory is replaced whole: what the user put into it must not go with it. */
static int only_a_bundle(const pack *p, wp_error *e)
{
	wp_bundle *b;
	size_t i;

	if (!os_is_file(os_join(p->a, p->path, "bundle.json")))
		return wp_fail(e, WP_E_EXISTS, "the directory exists and is no bundle: it has no bundle.json");
	if (wp_source_open(p->path, &b, e))
		return e->code;
	if (!wp_bundle_read_manifest(b, e))
		for (i = 0; i < b->n && !e->code; i++)
			if (!wp_bundle_lists(b, b->entries[i].path))
				wp_fail(e, WP_E_EXISTS, "'%s' in it is no part of the bundle and would be lost",
					b->entries[i].path);
	wp_bundle_close(b);
	return e->code;
}

static int check_replaceable(const pack *p, os_kind kind, wp_error *e)
{
	if (kind != (p->file ? OS_FILE : OS_DIR))
		return wp_fail(e, WP_E_EXISTS, "what is there is no bundle %s", p->file ? "file" : "directory");
	if (!p->file)
		return only_a_bundle(p, e);
	if (!begins_as_wpk(p->path))
		return wp_fail(e, WP_E_EXISTS, "the file exists and is no bundle");
	if (!os_is_read_only(p->path))
		return 0;
	wp_fail(e, WP_E_PERMISSION, "'%s' is read-only", p->in->out);
	return wp_err_next(e, "allow writing to it, or choose another name with -o");
}

/* Advice to replace it is given only where that is possible. */
static int check_taken(const pack *p, os_kind kind, wp_error *e)
{
	if (check_replaceable(p, kind, e))
		return wp_err_next(e, "choose another name with -o");
	if (p->in->replace)
		return 0;
	wp_fail(e, WP_E_EXISTS, "a bundle of that name is there already");
	return wp_err_next(e, "choose another name with -o, or replace the bundle with --force");
}

static int check_name(pack *p, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	if (os_stat(p->path, &kind, &size, e))
		return e->code;
	p->there = kind != OS_ABSENT;
	if (p->there && check_taken(p, kind, e))
		return wp_err_where(e, "'%s'", p->in->out);
	return 0;
}

static int check_space(const pack *p, const wp_layout *l, wp_error *e)
{
	/* directory entries, headers, rounding up to blocks */
	uint64_t need = l->bytes + l->nfiles * 8192, have;

	if (os_free_space(p->dir, &have, e) || have >= need)
		return e->code;
	wp_fail(e, WP_E_DISK_FULL, "the bundle needs %" PRIu64 " MB, %" PRIu64 " MB are free", (need >> 20) + 1,
		have >> 20);
	return wp_err_where(e, "'%s'", p->dir);
}

static uint64_t largest_file(const pack *p, const wp_layout *l)
{
	uint64_t largest = p->file ? l->bytes : 0;
	size_t i;

	for (i = 0; i < l->doc.nwheels; i++)
		if (l->doc.wheels[i].size > largest)
			largest = l->doc.wheels[i].size;
	return largest;
}

/* A stick is often formatted with FAT32: found out now, not after 4 GB. */
static int check_volume(const pack *p, const wp_layout *l, wp_error *e)
{
	wp_error ignored = {0};
	uint64_t need = largest_file(p, l);
	os_volume v;

	if (os_volume_of(p->a, p->dir, &v, &ignored) || need <= v.max_file)
		return 0;
	wp_err_next(e, p->file ? "write the bundle as a directory (-o DIR/), or format the volume as exFAT or NTFS"
			       : "format the volume as exFAT or NTFS, or choose another one");
	wp_fail(e, WP_E_IO, "its file system, %s, holds files of %" PRIu64 " MB at most, and %" PRIu64 " MB are needed",
		v.name, v.max_file >> 20, need >> 20);
	return wp_err_where(e, "'%s'", p->dir);
}

/* ---- write and rename --------------------------------------------------------------------- */

/* The new bundle is in place: that the old one stays somewhere is no failure. */
static void drop_old(pack *p, const char *path)
{
	wp_error ignored = {0};

	if (os_remove_tree(path, &ignored))
		p->left = path;
}

static int swap_by_hand(pack *p, wp_error *e)
{
	wp_error ignored = {0};

	if (os_rename_new(p->path, p->old, e))
		return e->code;
	if (os_rename_new(p->temp, p->path, e)) {
		if (os_rename_new(p->old, p->path, &ignored))
			wp_err_state(e, "the bundle that was there is now '%s'", p->old);
		return e->code;
	}
	drop_old(p, p->old);
	return 0;
}

static int replace_dir(pack *p, wp_error *e)
{
	wp_error swap = {0};

	if (!os_exchange(p->temp, p->path, &swap)) {
		drop_old(p, p->temp);
		return 0;
	}
	if (os_no_exchange(&swap))
		return swap_by_hand(p, e);
	*e = swap;
	return e->code;
}

static int put_in_place(pack *p, wp_error *e)
{
	if (!p->there)
		return os_rename_new(p->temp, p->path, e);
	return p->file ? os_rename(p->temp, p->path, e) : replace_dir(p, e);
}

/* Whoever pulls the stick after the last line must find the bytes on it, so they go to the disk before the name. */
static int write_bundle(pack *p, const wp_layout *l, wp_error *e)
{
	wp_packing w = {.ctx = p->ctx, .layout = l, .source = p->in->source};
	wp_error ignored = {0};

	if (p->file)
		wp_write_file(&w, p->temp, e);
	else
		wp_write_dir(&w, p->temp, e);
	if (!e->code && !os_sync_tree(p->temp, e) && !wp_check_cancel(p->ctx, e))
		put_in_place(p, e);
	if (e->code)
		os_remove_tree(p->temp, &ignored);
	else
		wp_packing_report(&w);
	return e->code;
}

/* l is NULL where only the name is in question. */
static int pack_locked(pack *p, wp_layout *l, wp_error *e)
{
	if (clear_leftovers(p, e) || check_name(p, e) || !l)
		return e->code;
	if (wp_layout_make(p->ctx->arena, p->in->lock, p->in->wheels, p->in->nwheels, p->carried,
			p->ncarried, l, e) ||
		check_volume(p, l, e) || check_space(p, l, e))
		return e->code;
	return write_bundle(p, l, e);
}

static int pack_under_lock(pack *p, wp_layout *l, wp_error *e)
{
	const char *path;
	wp_error ignored = {0};
	os_lock *lock;

	if (name_paths(p, e))
		return e->code;
	path = wp_sprintf(p->a, "%s/.%s.wheelpack.lock", p->dir, p->name);
	if (os_lock_take(path, &lock, e))
		return e->code;
	pack_locked(p, l, e);
	os_unlink(path, &ignored);
	os_lock_release(lock);
	return e->code;
}

int wp_pack_check(wp_ctx *ctx, const char *out, bool replace, wp_error *e)
{
	wp_pack_request in = {.out = out, .replace = replace};
	pack p = {.ctx = ctx, .in = &in, .a = wp_arena_new()};

	pack_under_lock(&p, NULL, e);
	wp_arena_free(p.a);
	return e->code ? wp_err_what(e, "cannot write '%s'", out) : 0;
}

int wp_pack(wp_ctx *ctx, const wp_pack_request *in, wp_pack_result *out, wp_error *e)
{
	pack p = {.ctx = ctx, .in = in, .a = wp_arena_new()};
	wp_layout l = {0};

	*out = (wp_pack_result){0};
	p.ncarried = wp_carry(ctx->arena, in, p.carried, &out->findings);
	pack_under_lock(&p, &l, e);
	if (p.left)
		wp_finding_add(&out->findings, ctx->arena, "N303", WP_WARNING, "the replaced bundle is still there",
			wp_sprintf(ctx->arena, "'%s' could not be removed", p.left), "remove it by hand");
	wp_arena_free(p.a);
	if (e->code) {
		wp_err_state(e, "no bundle was written");
		return wp_err_what(e, "cannot write '%s'", in->out);
	}
	out->path = wp_strdup(ctx->arena, in->out);
	out->id = l.id;
	out->lock_id = l.lock_id;
	out->bytes = l.bytes;
	out->nfiles = l.nfiles;
	return 0;
}

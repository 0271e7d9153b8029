/* SPDX-License-Identifier: MIT */
/* make_bundle.h: a small bundle for two targets, packed by wp_pack from wheels made in memory. */
#ifndef WP_TESTS_MAKE_BUNDLE_H
#define WP_TESTS_MAKE_BUNDLE_H

#include "unit/make_wheel.h"
#include "unit/tmp.h"
#include "wheelpack/bundle.h"

#define MB_WIN "cp312-win_amd64-cu126"
#define MB_LINUX "cp312-manylinux_2_28_x86_64-cu126"

typedef struct mb {
	wp_ctx ctx;
	wp_arena *a; /* ctx.arena */
	const char *dir, *cache; /* temp directory, wheels in it */
	mw_made pure, native;	 /* plain-1.0, torch-2.11.0+cu126 for Windows */
	wp_lock_doc lock;
	wp_fetched fetched[2];
	wp_bundle *folder; /* the cache as a source */
	wp_wheels source;
	wp_error err;
} mb;

static const char mb_big_bytes[2 << 20] = "a library";

static inline mw_made mb_native(mb *m)
{
	static const mw_member members[] = {
		{.name = "torch/__init__.py", .data = "version = '2.11.0'\n"},
		{.name = "torch/lib/c10.dll", .data = mb_big_bytes, .n = sizeof mb_big_bytes, .deflate = true},
		{.name = "torch/lib/stored.dll", .data = mb_big_bytes, .n = sizeof mb_big_bytes},
		{.name = "torch-2.11.0+cu126.data/scripts/torchrun", .data = "#!python\n"},
		{.name = "torch-2.11.0+cu126.data/data/share/note.txt", .data = "note\n"},
		{.name = "torch-2.11.0+cu126.data/headers/torch.h", .data = "#pragma once\n"},
		{.name = "torch-2.11.0+cu126.data/purelib/torchgen/x.py", .data = "x = 1\n"},
	};
	mw_wheel w = {.project = "torch", .version = "2.11.0+cu126", .tag = "cp312-cp312-win_amd64", .platlib = true,
		.members = members, .n = sizeof members / sizeof *members};

	return mw_write(m->a, m->cache, &w);
}

static inline mw_made mb_pure(mb *m)
{
	static const mw_member members[] = {
		{.name = "plain/__init__.py", .data = "x = 1\n"},
		{.name = "plain/text.txt", .data = "some text that is long enough to be damaged somewhere\n"},
	};
	mw_wheel w = {.project = "plain", .version = "1.0", .members = members, .n = 2};

	return mw_write(m->a, m->cache, &w);
}

static inline wp_lock_wheel mb_lock_wheel(const mw_made *w, const char *project, const char *version)
{
	return (wp_lock_wheel){.project = project, .version = version, .filename = w->filename,
		.size = (int64_t)w->bytes.n, .sha256 = w->sha256, .digest = WP_DIGEST_INDEX, .index = "ordinary",
		.url = "https://example.org/w.whl", .requires_python = ">=3.10,<4", .requested = true};
}

static inline void mb_lock(mb *m)
{
	wp_lock_doc *d = &m->lock;
	const char **both = WP_NEW_ARRAY(m->a, 2, const char *);

	both[0] = m->pure.filename;
	both[1] = m->native.filename;
	d->indexes = WP_NEW(m->a, wp_lock_index);
	d->nindexes = 1;
	d->indexes[0] = (wp_lock_index){"ordinary", "https://example.org/simple/"};
	d->targets = WP_NEW_ARRAY(m->a, 2, wp_lock_target);
	d->ntargets = 2;
	d->targets[0] = (wp_lock_target){.name = MB_WIN, .python = "3.12", .platform = "win_amd64", .variant = "cu126",
		.wheels = both, .nwheels = 2};
	d->targets[1] = (wp_lock_target){.name = MB_LINUX, .python = "3.12", .platform = "manylinux_2_28_x86_64",
		.variant = "cu126", .wheels = both, .nwheels = 1};
	d->wheels = WP_NEW_ARRAY(m->a, 2, wp_lock_wheel);
	d->nwheels = 2;
	d->wheels[0] = mb_lock_wheel(&m->pure, "plain", "1.0");
	d->wheels[1] = mb_lock_wheel(&m->native, "torch", "2.11.0+cu126");
}

static inline void mb_init(mb *m)
{
	wp_error err = {0};

	*m = (mb){0};
	wp_ctx_init(&m->ctx, 2);
	m->a = m->ctx.arena;
	m->dir = tmp_make(m->a);
	m->cache = os_join(m->a, m->dir, "cache");
	assert_ok(os_mkdir(m->cache, &err));
	m->pure = mb_pure(m);
	m->native = mb_native(m);
	mb_lock(m);
	m->fetched[0] = (wp_fetched){m->pure.filename, m->pure.sha256, m->pure.record_sha256, m->pure.bytes.n, true};
	m->fetched[1] = (wp_fetched){m->native.filename, m->native.sha256, m->native.record_sha256, m->native.bytes.n,
		true};
	assert_ok(wp_bundle_open(&m->ctx, m->cache, &m->folder, &err));
	m->source = wp_bundle_wheels(m->folder);
}

static inline void mb_done(mb *m)
{
	wp_bundle_close(m->folder);
	tmp_remove(m->dir);
	wp_ctx_done(&m->ctx);
}

static inline const char *mb_path(mb *m, const char *name)
{
	return os_join(m->a, m->dir, name);
}

/* wp_pack to dir/name with its error in m->err. */
static inline int mb_try_pack(mb *m, const char *name, bool replace, wp_pack_result *r)
{
	wp_pack_request q = {.lock = &m->lock, .wheels = m->fetched, .nwheels = 2, .source = m->source,
		.out = mb_path(m, name), .replace = replace};

	m->err = (wp_error){0};
	return wp_pack(&m->ctx, &q, r, &m->err);
}

static inline wp_pack_result mb_pack_result(mb *m, const char *name, bool replace)
{
	wp_pack_result r;

	if (mb_try_pack(m, name, replace, &r))
		fail_msg("wp_pack: %s: %s", m->err.where, m->err.why);
	return r;
}

static inline const char *mb_pack(mb *m, const char *name)
{
	return mb_pack_result(m, name, false).path;
}

/* Change the byte at `at` of a file. */
static inline void mb_flip(mb *m, const char *path, size_t at)
{
	wp_str s = wp_str_copy(m->a, tmp_read(m->a, path));

	assert_true(at < s.n);
	((char *)s.p)[at] ^= 1;
	tmp_write(path, s);
}

/* Where `text` is in a file. */
static inline size_t mb_find(mb *m, const char *path, wp_str text)
{
	wp_str s = tmp_read(m->a, path);
	size_t at = wp_str_find_str(s, text);

	assert_true(at < s.n);
	return at;
}

/* Replace the first `from` of a file by `to`. */
static inline void mb_edit(mb *m, const char *path, const char *from, const char *to)
{
	wp_str s = tmp_read(m->a, path);
	size_t at = wp_str_find_str(s, wp_str_of(from));
	wp_buf b;

	assert_true(at < s.n);
	wp_buf_init(&b, 64 << 20);
	wp_buf_str(&b, wp_str_sub(s, 0, at));
	wp_buf_puts(&b, to);
	wp_buf_str(&b, wp_str_sub(s, at + strlen(from), s.n));
	tmp_write(path, wp_buf_view(&b));
	wp_buf_free(&b);
}

#endif

/* SPDX-License-Identifier: MIT */
#include "fetch/download.h"

#include "base/err.h"
#include "fetch/cache.h"

enum { PIECE = 256 << 10, MAX_ENTRY = 4096 };

/* ---- partial file ------------------------------------------------------------------------- */

static int restart(wp_download *d, wp_error *e)
{
	d->got = 0;
	d->adopted = false;
	wp_hash_restart(d->hash);
	return os_truncate(d->file, 0, e);
}

/* Hash what an earlier run left behind, so that the download goes on from there. */
static int adopt(wp_download *d, wp_error *e)
{
	uint64_t size, at;
	char *buf;
	size_t n;

	if (os_size(d->file, &size, e))
		return e->code;
	if (size == 0 || !d->sha256 || d->fresh || (d->size >= 0 && size > (uint64_t)d->size))
		return restart(d, e);
	buf = wp_xmalloc(PIECE);
	for (at = 0; at < size && !e->code; at += n) {
		n = size - at < PIECE ? (size_t)(size - at) : PIECE;
		if (!wp_check_cancel(d->s->ctx, e) && !os_pread(d->file, buf, n, at, e))
			wp_hash_add(d->hash, buf, n);
	}
	free(buf);
	d->got = size;
	d->adopted = true;
	return e->code;
}

static void close_partial(wp_download *d, bool keep)
{
	wp_error ignored = {0};

	if (d->file) {
		/* Gives back what was reserved and not written. */
		(void)os_truncate(d->file, d->got, &ignored);
		os_close(d->file, &ignored);
		if (!keep)
			(void)os_unlink(d->partial, &ignored);
	}
	d->file = NULL;
	if (d->lock) {
		(void)os_unlink(d->lock_path, &ignored);
		os_lock_release(d->lock);
	}
	d->lock = NULL;
}

static bool in_cache(wp_download *d, const char *sha256)
{
	uint64_t size;
	const char *path = wp_cache_wheel(d->a, d->s->cache, sha256, &size);

	if (!path || d->fresh)
		return false;
	d->path = path;
	d->cached = true;
	d->got = size;
	d->total = (int64_t)size;
	memmove(d->digest, sha256, sizeof d->digest);
	return true;
}

/* Lock and open the partial file. */
static wp_get_go open_partial(wp_download *d, wp_error *e)
{
	wp_error busy = {0};

	if (os_mkdirs(os_dirname(d->a, d->partial), e))
		return WP_GET_END;
	wp_cache_clear(d->lock_path);
	wp_cache_clear(d->partial);
	if (os_lock_take(d->lock_path, &d->lock, &busy)) {
		if (busy.code == WP_E_BUSY)
			return WP_GET_WAIT; /* somebody else is fetching the same file */
		*e = busy;
		return WP_GET_END;
	}
	if (d->sha256 && in_cache(d, d->sha256))
		return WP_GET_END;
	if (os_open(d->partial, OS_READ_WRITE, &d->file, e) || adopt(d, e))
		return WP_GET_END;
	return WP_GET_ASK;
}

/* ---- tries -------------------------------------------------------------------------------- */

/* A file without a digest may be in the cache all the same: the server says whether it is still that one. */
static void set_condition(wp_download *d)
{
	wp_str text;
	const char *sha256;

	if (d->sha256 || d->fresh)
		return;
	wp_cache_key(&d->url, 1, d->key);
	if (!wp_cache_get(d->a, d->s->cache, "digests", d->key, MAX_ENTRY, &text))
		return;
	sha256 = wp_cache_field(d->a, text, "file");
	if (!sha256 || strlen(sha256) != WP_SHA256_HEX || !in_cache(d, sha256))
		return;
	d->cached = false; /* not before the server agrees */
	d->got = 0;
	d->get.http.if_none_match = wp_cache_field(d->a, text, "etag");
}

static wp_get_go on_try(void *user, wp_get *g)
{
	wp_download *d = user;
	wp_get_go go;

	if (!d->file) {
		go = open_partial(d, &g->http.error);
		if (go != WP_GET_ASK)
			return go;
		set_condition(d);
		if (d->s->net.offline && d->path) {
			d->cached = true;
			return WP_GET_END;
		}
	}
	d->first = true;
	g->http.range = g->http.if_range = NULL;
	if (d->got && !d->validator && !d->sha256 && restart(d, &g->http.error))
		return WP_GET_END;
	if (d->got) {
		g->http.range = wp_sprintf(d->a, "%llu-", (unsigned long long)d->got);
		g->http.if_range = d->validator;
	}
	return WP_GET_ASK;
}

/* No room for so many bytes: the server may be wrong about them. */
static int no_room(wp_download *d, const wp_error *why, wp_error *e)
{
	unsigned long long total = (unsigned long long)d->total;
	wp_error ignored = {0};
	uint64_t have;

	if (d->size >= 0 && d->size != d->total)
		wp_fail(e, WP_E_HTTP, "the server says that the file has %llu bytes, the index says %lld", total,
			(long long)d->size);
	else if (why->code == WP_E_DISK_FULL && !os_free_space(d->partial, &have, &ignored))
		wp_fail(e, WP_E_DISK_FULL, "the server says that the file has %llu bytes, and %llu bytes are free", total,
			(unsigned long long)have);
	else
		*e = *why;
	return wp_err_where(e, "'%s'", d->partial);
}

static int reserve(wp_download *d, wp_error *e)
{
	wp_error own = {0};

	return d->total > 0 && os_preallocate(d->file, (uint64_t)d->total, &own) ? no_room(d, &own, e) : 0;
}

/* Is this answer the rest of what we have, or the whole from the start? */
static int begin(wp_download *d, const wp_http_response *r, wp_error *e)
{
	bool same = r->range_from == d->got && (d->total < 0 || r->range_total < 0 || r->range_total == d->total);

	if (r->status == 206 && !same) {
		if (restart(d, e))
			return e->code;
		d->validator = NULL;
		d->total = -1;
		return wp_fail(e, WP_E_NETWORK, "the server sends another part of the file than it was asked for");
	}
	if (r->status == 200 && d->got && restart(d, e))
		return e->code;
	d->total = r->status == 206 ? r->range_total : r->content_length;
	d->promised = r->sha256_header ? wp_strdup(d->a, r->sha256_header) : NULL;
	d->validator = NULL;
	if (r->etag && !wp_starts(r->etag, "W/"))
		d->validator = wp_strdup(d->a, r->etag);
	else if (!r->etag && r->last_modified)
		d->validator = wp_strdup(d->a, r->last_modified);
	return reserve(d, e);
}

static int on_piece(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e)
{
	wp_download *d = user;

	if (d->first && begin(d, r, e))
		return e->code;
	d->first = false;
	if (os_pwrite(d->file, p, n, d->got, e))
		return e->code;
	wp_hash_add(d->hash, p, n);
	d->got += n;
	d->downloaded += n;
	return 0;
}

/* ---- the end ------------------------------------------------------------------------------ */

static void finish(wp_download *d)
{
	bool keep = d->error.code != WP_E_DIGEST && d->sha256 && d->got > 0;

	close_partial(d, keep);
	wp_hash_free(d->hash);
	d->hash = NULL;
	d->done(d->user, d);
}

/* From the start, at url. */
static void once_more(wp_download *d, const char *url)
{
	d->get.url = url;
	d->validator = NULL;
	d->total = -1;
	if (restart(d, &d->error))
		finish(d);
	else
		wp_get_again(&d->get);
}

static void contradict(wp_download *d, const char *promised)
{
	const char *other = d->other_host ? NULL : wp_sibling(d->a, d->get.url);

	if (d->adopted) {
		once_more(d, d->get.url);
		return;
	}
	if (other) {
		d->other_host = true;
		once_more(d, other);
		return;
	}
	wp_fail(&d->error, WP_E_DIGEST, "sha256 is %s, %s promises %s", d->digest,
		d->sha256 ? "the index" : "the server", promised);
	if (d->size >= 0 && (uint64_t)d->size != d->got)
		wp_err_next(&d->error, "%llu bytes came where the index says %lld: fetch the file again",
			(unsigned long long)d->got, (long long)d->size);
	wp_err_where(&d->error, "'%s'", d->get.url);
	finish(d);
}

static void remember_digest(wp_download *d)
{
	const char *text = wp_sprintf(d->a, "file %s\n", d->digest);

	if (!d->get.http.response.etag)
		return;
	text = wp_sprintf(d->a, "%setag %s\n", text, d->get.http.response.etag);
	(void)wp_cache_put(d->s->cache, "digests", d->key, wp_str_of(text), (wp_str){0}, &(wp_error){0});
}

static void keep(wp_download *d)
{
	wp_error *e = &d->error;
	os_file *f = d->file;
	int rc = os_truncate(f, d->got, e);

	d->file = NULL;
	if (!os_close(f, e) && !rc)
		wp_cache_keep_wheel(d->a, d->s->cache, d->partial, d->digest, &d->path, e);
	d->total = (int64_t)d->got;
	if (!e->code && !d->sha256)
		remember_digest(d);
}

static void complete(wp_download *d)
{
	const char *promised = d->sha256 ? d->sha256 : d->promised;
	unsigned char digest[WP_HASH_MAX];

	wp_hash_end(d->hash, digest);
	wp_hex(digest, WP_SHA256_HEX / 2, d->digest);
	if (promised && strcmp(promised, d->digest) != 0) {
		contradict(d, promised);
		return;
	}
	keep(d);
	finish(d);
}

static void on_done(void *user, wp_get *g)
{
	wp_download *d = user;
	const wp_http_response *r = &g->http.response;

	if (d->cached || (r->status == 304 && d->path && !g->http.error.code)) {
		d->cached = true;
		d->got = (uint64_t)d->total;
		finish(d);
	} else if (r->status == 416 && d->adopted && !g->http.error.code) {
		if (r->range_total == (int64_t)d->got)
			complete(d); /* the earlier run had all of it */
		else
			once_more(d, g->url);
	} else if (wp_get_status(g)) {
		d->error = g->http.error;
		finish(d);
	} else {
		complete(d);
	}
}

void wp_download_start(wp_download *d)
{
	const char *name = d->sha256;

	d->a = wp_arena_new();
	d->total = -1;
	d->hash = wp_hash_new(WP_SHA256);
	wp_cache_key(&d->url, 1, d->key);
	d->partial = wp_sprintf(d->a, "%s/partial/%s", d->s->cache, name ? name : d->key);
	d->lock_path = wp_sprintf(d->a, "%s.lock", d->partial);
	d->get = (wp_get){.url = d->url,
		.index = d->index,
		.http = {.max_body = INT64_MAX, .alone = true},
		.prepare = on_try,
		.sink = on_piece,
		.done = on_done,
		.user = d};
	wp_get_start(d->s, &d->get);
}

void wp_download_drop(wp_download *d)
{
	if (!d->a)
		return;
	wp_get_drop(&d->get);
	close_partial(d, d->sha256 != NULL && d->got > 0);
	wp_hash_free(d->hash);
	d->hash = NULL;
	wp_arena_free(d->a);
	d->a = NULL;
}

/* SPDX-License-Identifier: MIT */
/* METADATA of one file: the cache, the side file (PEP 658), ranges of the wheel's end, the whole wheel; the first that
 * works. */
#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "fetch/cache.h"
#include "fetch/download.h"
#include "wheel/wheel.h"

enum {
	TAIL = 128 << 10,	  /* first range: the end record and most directories */
	FIRST_AHEAD = 16 << 10,	  /* read beyond what is asked for; doubled with each range */
	MAX_RANGES = 24,	  /* then the wheel is fetched as a whole */
	MAX_RANGED = 96 << 20,	  /* bytes of all ranges */
	SMALL_WHEEL = 1 << 20	  /* a whole answer up to this size serves as well */
};

typedef struct chunk {
	uint64_t off;
	size_t n;
	char *p;
} chunk;

struct wp_metadata_job {
	wp_session *s;
	const wp_file *file;
	char key[WP_SHA256_HEX + 1];
	bool done, urgent;
	wp_str text;
	wp_error error;
	/* while it lasts */
	wp_arena *a;
	wp_get get;
	wp_buf body;
	wp_download whole;
	/* what is at hand of the wheel */
	WP_VEC(chunk) chunks;
	uint64_t size, ranged;
	size_t ranges, ahead;
	const char *etag;
	bool no_ranges;
	uint64_t want_off;
	size_t want_n; /* not 0: a read found this missing */
};

void wp_metadata_key(const wp_file *f, char out[WP_SHA256_HEX + 1])
{
	const char *parts[] = {f->url, f->sha256, f->metadata_sha256, f->upload_time};

	wp_cache_key(parts, 4, out);
}

/* ---- the end ------------------------------------------------------------------------------ */

static void clean_up(wp_metadata_job *j)
{
	size_t i;

	wp_get_drop(&j->get);
	wp_download_drop(&j->whole);
	wp_buf_free(&j->body);
	for (i = 0; i < j->chunks.n; i++)
		free(j->chunks.v[i].p);
	WP_VEC_FREE(&j->chunks);
	wp_arena_free(j->a);
	j->a = NULL;
}

static void finish(wp_metadata_job *j)
{
	clean_up(j);
	j->done = true;
}

static void fail(wp_metadata_job *j, const wp_error *e)
{
	j->error = *e;
	finish(j);
}

/* Without any digest another file may take the name tomorrow. */
static bool is_pinned(const wp_file *f)
{
	return f->sha256 || f->metadata_sha256;
}

/* A text of this file: keep it and be done. */
static void take(wp_metadata_job *j, wp_str text, bool store)
{
	j->text = wp_str_copy(j->s->a, text);
	if (store && is_pinned(j->file))
		wp_cache_put(j->s->cache, "metadata", j->key, (wp_str){0}, text);
	finish(j);
}

/* ---- the whole wheel ---------------------------------------------------------------------- */

/* METADATA of a wheel on this machine. */
static void read_local(wp_metadata_job *j, const char *path)
{
	wp_error e = {0};
	wp_blob blob;
	wp_str text;
	int rc;

	if (os_blob(path, &blob, &e)) {
		fail(j, &e);
		return;
	}
	rc = wp_wheel_metadata(j->a, j->file->filename, &blob, &text, &e);
	if (blob.close)
		blob.close(blob.self);
	if (rc)
		fail(j, &e);
	else
		take(j, text, false);
}

static void on_whole(void *user, wp_download *d)
{
	wp_metadata_job *j = user;

	if (d->error.code)
		fail(j, &d->error);
	else
		read_local(j, d->path);
}

static void fetch_whole(wp_metadata_job *j)
{
	j->whole = (wp_download){.s = j->s,
		.url = j->file->url,
		.index = j->file->index,
		.sha256 = j->file->sha256,
		.size = j->file->size,
		.done = on_whole,
		.user = j};
	wp_download_start(&j->whole);
}

/* ---- ranges ------------------------------------------------------------------------------- */

static const chunk *chunk_at(const wp_metadata_job *j, uint64_t off)
{
	size_t i;

	for (i = 0; i < j->chunks.n; i++) {
		const chunk *c = &j->chunks.v[i];

		if (off >= c->off && off - c->off < c->n)
			return c;
	}
	return NULL;
}

/* Serves what is at hand, and remembers what is not. */
static int read_ranged(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	wp_metadata_job *j = self;
	const chunk *c;
	size_t k;

	if (off > j->size || n > j->size - off)
		return wp_fail(e, WP_E_ZIP, "the wheel ends before its directory says so");
	while (n) {
		c = chunk_at(j, off);
		if (!c) {
			j->want_off = off;
			j->want_n = n;
			return wp_fail(e, WP_E_INTERNAL, "a part of the wheel is not here yet");
		}
		k = (size_t)(c->off + c->n - off);
		k = k < n ? k : n;
		memcpy(buf, c->p + (off - c->off), k);
		buf = (char *)buf + k;
		off += k;
		n -= k;
	}
	return 0;
}

static void ask_range(wp_metadata_job *j, const char *range);

/* The part that was missing and some more, up to the next part that is at hand. */
static void ask_missing(wp_metadata_job *j)
{
	uint64_t end = j->want_off + j->want_n;
	size_t i;

	end = end + j->ahead < j->size ? end + j->ahead : j->size;
	for (i = 0; i < j->chunks.n; i++)
		if (j->chunks.v[i].off > j->want_off && j->chunks.v[i].off < end)
			end = j->chunks.v[i].off;
	j->ahead *= 2;
	j->want_n = 0;
	if (++j->ranges > MAX_RANGES || j->ranged + (end - j->want_off) > MAX_RANGED)
		fetch_whole(j);
	else
		ask_range(j, wp_sprintf(j->a, "%llu-%llu", (unsigned long long)j->want_off,
				     (unsigned long long)end - 1));
}

/* Try to read METADATA from what is at hand. */
static void read_parts(wp_metadata_job *j)
{
	wp_blob blob = {.self = j, .size = j->size, .read_at = read_ranged};
	wp_arena *a = wp_arena_new();
	wp_error e = {0};
	wp_str text;

	j->want_n = 0;
	if (!wp_wheel_metadata(a, j->file->filename, &blob, &text, &e))
		take(j, text, true);
	else if (j->want_n)
		ask_missing(j);
	else
		fail(j, &e);
	wp_arena_free(a);
}

static int on_range_piece(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e)
{
	wp_metadata_job *j = user;

	if (r->status == 200 && (r->content_length > SMALL_WHEEL || j->body.n + n > SMALL_WHEEL)) {
		j->no_ranges = true;
		return wp_fail(e, WP_E_HTTP, "the server sends no ranges");
	}
	wp_buf_add(&j->body, p, n);
	return 0;
}

static wp_get_go on_try(void *user, wp_get *g)
{
	wp_metadata_job *j = user;

	(void)g;
	wp_buf_free(&j->body);
	wp_buf_init(&j->body, MAX_RANGED);
	return WP_GET_ASK;
}

static void keep_chunk(wp_metadata_job *j, uint64_t off)
{
	chunk *c = WP_PUSH_NEW(&j->chunks);

	*c = (chunk){.off = off, .n = j->body.n, .p = j->body.p};
	j->body = (wp_buf){0};
	j->ranged += c->n;
}

static void on_range(void *user, wp_get *g)
{
	wp_metadata_job *j = user;
	const wp_http_response *r = &g->http.response;
	wp_error e = g->error;
	bool usable = false;

	if (!e.code && r->status == 206 && r->range_total > 0 && j->body.n > 0 &&
		(j->size == 0 || j->size == (uint64_t)r->range_total)) {
		j->size = (uint64_t)r->range_total;
		usable = r->range_from < j->size && j->body.n <= j->size - r->range_from;
	}
	if (r->etag && !wp_starts(r->etag, "W/"))
		j->etag = wp_strdup(j->a, r->etag);
	if (usable) {
		keep_chunk(j, r->range_from);
	} else if (!e.code && r->status == 200 && j->ranges == 0 && j->body.n > 0) {
		j->size = j->body.n;
		keep_chunk(j, 0);
		usable = true;
	}
	wp_get_drop(g);
	if (usable)
		read_parts(j);
	else if (e.code && !j->no_ranges)
		fail(j, &e);
	else
		fetch_whole(j);
}

static void ask_range(wp_metadata_job *j, const char *range)
{
	j->get = (wp_get){.url = j->file->url,
		.index = j->file->index,
		.http = {.range = range, .if_range = j->etag, .max_body = INT64_MAX},
		.prepare = on_try,
		.sink = on_range_piece,
		.done = on_range,
		.user = j,
		.urgent = j->urgent};
	wp_get_start(j->s, &j->get);
}

static void ask_tail(wp_metadata_job *j)
{
	j->ahead = FIRST_AHEAD;
	ask_range(j, wp_sprintf(j->a, "-%d", TAIL));
}

/* ---- side file ---------------------------------------------------------------------------- */

static bool has_digest(wp_metadata_job *j, wp_str text)
{
	char digest[WP_SHA256_HEX + 1];

	if (!j->file->metadata_sha256)
		return true;
	wp_sha256_hex(text, digest);
	if (!strcmp(digest, j->file->metadata_sha256))
		return true;
	wp_session_note(j->s, "a metadata file contradicts its digest and was not used",
		wp_sprintf(j->a, "%s: sha256 is %s, the index promises %s", j->get.http.response.final_url,
			digest, j->file->metadata_sha256));
	return false;
}

/* Whatever is wrong with the side file, the wheel itself has the answer; only a dead network ends here. */
static void on_side(void *user, wp_get *g)
{
	wp_metadata_job *j = user;
	const wp_http_response *r = &g->http.response;
	wp_error e = g->error;
	wp_str text;

	if (!e.code && r->status == 200 && has_digest(j, r->body)) {
		text = wp_str_copy(j->a, r->body);
		take(j, text, true);
		return;
	}
	wp_get_drop(g);
	if (e.code && e.code != WP_E_TOO_LARGE)
		fail(j, &e);
	else
		ask_tail(j);
}

static void ask_side(wp_metadata_job *j)
{
	j->get = (wp_get){.url = wp_sprintf(j->a, "%s.metadata", j->file->url),
		.index = j->file->index,
		.http = {.compressed = true, .max_body = WP_MAX_METADATA},
		.done = on_side,
		.user = j};
	wp_get_start(j->s, &j->get);
}

/* ---- interface ---------------------------------------------------------------------------- */

wp_metadata_job *wp_metadata_start(wp_session *s, const wp_file *file)
{
	wp_metadata_job *j = WP_NEW(s->a, wp_metadata_job);
	const char *path = wp_file_url_path(s->a, file->url);
	uint64_t size;
	wp_str text;

	j->s = s;
	j->file = file;
	j->a = wp_arena_new();
	wp_metadata_key(file, j->key);
	if (!path && file->sha256)
		path = wp_cache_wheel(j->a, s->cache, file->sha256, &size);
	if (path)
		read_local(j, path);
	else if (is_pinned(file) && wp_cache_get(j->a, s->cache, "metadata", j->key, WP_MAX_METADATA * 2, &text))
		take(j, text, false);
	else if (file->has_metadata)
		ask_side(j);
	else
		ask_tail(j);
	return j;
}

bool wp_metadata_done(const wp_metadata_job *j)
{
	return j->done;
}

void wp_metadata_urgent(wp_metadata_job *j)
{
	j->urgent = true;
	wp_get_hurry(&j->get);
	wp_get_hurry(&j->whole.get);
}

int wp_metadata_result(const wp_metadata_job *j, wp_str *out, wp_error *e)
{
	*out = j->text;
	if (j->error.code)
		*e = j->error;
	return e->code;
}

void wp_metadata_drop(wp_metadata_job *j)
{
	if (j->a)
		clean_up(j);
}

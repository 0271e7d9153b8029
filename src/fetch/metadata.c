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
	LARGE_DIRECTORY = 256 << 10, /* of thousands of members, so that RECORD is large too */
	MAX_RANGES = 24,	  /* then the wheel is fetched as a whole */
	MAX_RANGED = 96 << 20,	  /* bytes of all ranges */
	SMALL_WHEEL = 1 << 20	  /* a whole answer up to this size serves as well */
};

typedef struct chunk {
	uint64_t off;
	size_t n;
	char *p;
} chunk;

/* What a job needs while it lasts. */
typedef struct work {
	wp_get get;
	wp_buf body;
	wp_download *whole;
	/* what is at hand of the wheel */
	WP_VEC(chunk) chunks;
	uint64_t size, ranged;
	size_t ranges, ahead;
	const char *etag;
	bool no_ranges;
	uint64_t want_off;
	size_t want_n; /* not 0: a read found this missing */
	uint64_t asked; /* bytes of the range that is on its way */
} work;

struct wp_metadata_job {
	wp_session *s;
	const wp_file *file;
	const char *key;
	bool urgent;
	wp_str text;
	const wp_error *error; /* NULL: the text is good */
	work *w;	       /* NULL: it is done */
};

void wp_metadata_key(const wp_file *f, char out[WP_SHA256_HEX + 1])
{
	const char *parts[] = {f->url, f->sha256, f->metadata_sha256, f->upload_time};

	wp_cache_key(parts, 4, out);
}

/* ---- the end ------------------------------------------------------------------------------ */

static void finish(wp_metadata_job *j)
{
	work *w = j->w;
	size_t i;

	wp_get_drop(&w->get);
	if (w->whole)
		wp_download_drop(w->whole);
	free(w->whole);
	wp_buf_free(&w->body);
	for (i = 0; i < w->chunks.n; i++)
		free(w->chunks.v[i].p);
	WP_VEC_FREE(&w->chunks);
	free(w);
	j->w = NULL;
}

static void fail(wp_metadata_job *j, const wp_error *e)
{
	wp_error *kept = WP_NEW(j->s->a, wp_error);

	*kept = *e;
	j->error = kept;
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
		wp_cache_write(wp_session_writer(j->s), "metadata", j->key, (wp_str){0}, j->text);
	finish(j);
}

/* ---- the whole wheel ---------------------------------------------------------------------- */

/* METADATA of a wheel on this machine. */
static void read_local(wp_metadata_job *j, const char *path, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	wp_blob blob;
	wp_str text;

	if (!os_blob(path, &blob, e)) {
		if (!wp_wheel_metadata(a, j->file->filename, &blob, &text, e))
			take(j, text, false);
		if (blob.close)
			blob.close(blob.self);
	}
	wp_arena_free(a);
}

static void on_whole(void *user, wp_download *d)
{
	wp_metadata_job *j = user;
	wp_error e = d->error;

	if (!e.code)
		read_local(j, d->path, &e);
	if (e.code)
		fail(j, &e);
}

static void fetch_whole(wp_metadata_job *j)
{
	wp_download *d = wp_xmalloc(sizeof *d);

	*d = (wp_download){.s = j->s,
		.url = j->file->url,
		.index = j->file->index,
		.sha256 = j->file->sha256,
		.size = j->file->size,
		.done = on_whole,
		.user = j};
	j->w->whole = d;
	wp_download_start(d);
}

/* ---- ranges ------------------------------------------------------------------------------- */

static const chunk *chunk_at(const work *w, uint64_t off)
{
	size_t i;

	for (i = 0; i < w->chunks.n; i++) {
		const chunk *c = &w->chunks.v[i];

		if (off >= c->off && off - c->off < c->n)
			return c;
	}
	return NULL;
}

/* Serves what is at hand, and remembers what is not. */
static int read_ranged(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	work *w = ((wp_metadata_job *)self)->w;
	const chunk *c;
	size_t k;

	if (off > w->size || n > w->size - off)
		return wp_fail(e, WP_E_ZIP, "the wheel ends before its directory says so");
	while (n) {
		c = chunk_at(w, off);
		if (!c) {
			w->want_off = off;
			w->want_n = n;
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

static void ask_range(wp_metadata_job *j, const char *range, uint64_t bytes);

/* METADATA stands in front of RECORD, and that in front of the directory: with a large one, more than half as large. All
 * three come in one range then. */
static void want_record_too(work *w)
{
	uint64_t more = (uint64_t)w->want_n * 5 / 8 + TAIL;

	if (w->ranges || w->want_n < LARGE_DIRECTORY)
		return;
	more = more < w->want_off ? more : w->want_off;
	w->want_off -= more;
	w->want_n += (size_t)more;
}

/* The part that was missing and some more, up to the next part that is at hand. */
static void ask_missing(wp_metadata_job *j)
{
	work *w = j->w;
	uint64_t end;
	size_t i;

	want_record_too(w);
	end = w->want_off + w->want_n;
	end = end + w->ahead < w->size ? end + w->ahead : w->size;
	for (i = 0; i < w->chunks.n; i++)
		if (w->chunks.v[i].off > w->want_off && w->chunks.v[i].off < end)
			end = w->chunks.v[i].off;
	w->ahead *= 2;
	w->want_n = 0;
	if (++w->ranges > MAX_RANGES || w->ranged + (end - w->want_off) > MAX_RANGED)
		fetch_whole(j);
	else
		ask_range(j, wp_sprintf(j->s->a, "%llu-%llu", (unsigned long long)w->want_off,
				     (unsigned long long)end - 1), end - w->want_off);
}

/* Try to read METADATA from what is at hand. */
static void read_parts(wp_metadata_job *j)
{
	wp_blob blob = {.self = j, .size = j->w->size, .read_at = read_ranged};
	wp_arena *a = wp_arena_new();
	wp_error e = {0};
	wp_str text;

	j->w->want_n = 0;
	if (!wp_wheel_metadata(a, j->file->filename, &blob, &text, &e))
		take(j, text, true);
	else if (j->w->want_n)
		ask_missing(j);
	else
		fail(j, &e);
	wp_arena_free(a);
}

static int on_range_piece(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e)
{
	work *w = ((wp_metadata_job *)user)->w;

	if (r->status == 200 && (r->content_length > SMALL_WHEEL || w->body.n + n > SMALL_WHEEL)) {
		w->no_ranges = true;
		return wp_fail(e, WP_E_HTTP, "the server sends no ranges");
	}
	if (r->status != 200 && w->body.n + n > w->asked + SMALL_WHEEL) {
		w->no_ranges = true;
		return wp_fail(e, WP_E_HTTP, "the server sends more than the range");
	}
	wp_buf_add(&w->body, p, n);
	return 0;
}

static wp_get_go on_try(void *user, wp_get *g)
{
	work *w = ((wp_metadata_job *)user)->w;

	(void)g;
	wp_buf_free(&w->body);
	wp_buf_init(&w->body, MAX_RANGED);
	return WP_GET_ASK;
}

static void keep_chunk(work *w, uint64_t off)
{
	chunk *c = WP_PUSH_NEW(&w->chunks);

	*c = (chunk){.off = off, .n = w->body.n, .p = w->body.p};
	w->body = (wp_buf){0};
	w->ranged += c->n;
}

static void on_range(void *user, wp_get *g)
{
	wp_metadata_job *j = user;
	work *w = j->w;
	const wp_http_response *r = &g->http.response;
	wp_error e = g->http.error;
	bool usable = false;

	if (!e.code && r->status == 206 && r->range_total > 0 && w->body.n > 0 &&
		(w->size == 0 || w->size == (uint64_t)r->range_total)) {
		w->size = (uint64_t)r->range_total;
		usable = r->range_from < w->size && w->body.n <= w->size - r->range_from;
	}
	if (r->etag && !wp_starts(r->etag, "W/"))
		w->etag = wp_strdup(j->s->a, r->etag);
	if (usable) {
		keep_chunk(w, r->range_from);
	} else if (!e.code && r->status == 200 && w->ranges == 0 && w->body.n > 0) {
		w->size = w->body.n;
		keep_chunk(w, 0);
		usable = true;
	}
	wp_get_drop(g);
	if (usable)
		read_parts(j);
	else if (e.code && !w->no_ranges)
		fail(j, &e);
	else
		fetch_whole(j);
}

static void ask_range(wp_metadata_job *j, const char *range, uint64_t bytes)
{
	j->w->asked = bytes;
	j->w->get = (wp_get){.url = j->file->url,
		.index = j->file->index,
		.http = {.range = range, .if_range = j->w->etag, .max_body = INT64_MAX},
		.prepare = on_try,
		.sink = on_range_piece,
		.done = on_range,
		.user = j,
		.urgent = j->urgent};
	wp_get_start(j->s, &j->w->get);
}

static void ask_tail(wp_metadata_job *j)
{
	j->w->ahead = FIRST_AHEAD;
	ask_range(j, wp_sprintf(j->s->a, "-%d", TAIL), TAIL);
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
	wp_session_note(j->s, WP_FETCH_CONTRADICTED,
			wp_sprintf(j->s->a, "%s: sha256 is %s, the index promises %s", j->w->get.http.response.final_url,
			digest, j->file->metadata_sha256));
	return false;
}

/* Whatever is wrong with the side file, the wheel itself has the answer; only a dead network ends here. */
static void on_side(void *user, wp_get *g)
{
	wp_metadata_job *j = user;
	const wp_http_response *r = &g->http.response;
	wp_error e = g->http.error;

	if (!e.code && r->status == 200 && has_digest(j, r->body)) {
		take(j, r->body, true);
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
	j->w->get = (wp_get){.url = wp_sprintf(j->s->a, "%s.metadata", j->file->url),
		.index = j->file->index,
		.http = {.compressed = true, .max_body = WP_MAX_METADATA},
		.done = on_side,
		.user = j};
	wp_get_start(j->s, &j->w->get);
}

/* ---- interface ---------------------------------------------------------------------------- */

/* True where this machine has the answer. */
static bool from_here(wp_metadata_job *j)
{
	const wp_file *f = j->file;
	wp_arena *a = wp_arena_new();
	const char *path = wp_file_url_path(a, f->url);
	const char *wheel = f->sha256 ? wp_cache_wheel(a, j->s->cache, f->sha256, &(uint64_t){0}) : NULL;
	wp_error e = {0};
	wp_str text;

	if (path || wheel)
		read_local(j, path ? path : wheel, &e);
	if (path && e.code)
		fail(j, &e);
	else if (j->w && is_pinned(f) && wp_cache_get(a, j->s->cache, "metadata", j->key, WP_MAX_METADATA * 2, &text))
		take(j, text, false);
	wp_arena_free(a);
	return j->w == NULL;
}

wp_metadata_job *wp_metadata_start(wp_session *s, const wp_file *file, const char *key)
{
	wp_metadata_job *j = WP_NEW(s->a, wp_metadata_job);

	*j = (wp_metadata_job){.s = s, .file = file, .key = wp_strdup(s->a, key), .w = wp_xmalloc(sizeof *j->w)};
	*j->w = (work){0};
	if (from_here(j))
		return j;
	if (file->has_metadata)
		ask_side(j);
	else
		ask_tail(j);
	return j;
}

bool wp_metadata_done(const wp_metadata_job *j)
{
	return !j->w;
}

void wp_metadata_urgent(wp_metadata_job *j)
{
	j->urgent = true;
	if (!j->w)
		return;
	wp_get_hurry(&j->w->get);
	if (j->w->whole)
		wp_get_hurry(&j->w->whole->get);
}

int wp_metadata_result(const wp_metadata_job *j, wp_str *out, wp_error *e)
{
	*out = j->text;
	if (j->error)
		*e = *j->error;
	return e->code;
}

void wp_metadata_drop(wp_metadata_job *j)
{
	if (j->w)
		finish(j);
}

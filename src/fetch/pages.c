/* SPDX-License-Identifier: MIT */
/* One project page of one index: the cache first, revalidated after ten minutes, else the network. */
#include <stdlib.h>

#include "base/err.h"
#include "fetch/cache.h"
#include "fetch/packed.h"
#include "fetch/page.h"
#include "fetch/session.h"
#include "os/os.h"

enum { FRESH_S = 600, MAX_HEAD = 64 << 10 };

/* What the cache holds of a page: a few lines, an empty one, the packed page. */
typedef struct wp_page_entry {
	int status;		/* 200, or 404: the index had no such project */
	const char *url, *etag, *last_modified;
	uint64_t time, ttl;	/* seconds */
	wp_str packed;
	wp_buf file;		/* what packed lies in; empty where it is somewhere else */
} wp_page_entry;

/* ---- cache -------------------------------------------------------------------------------- */

static uint64_t number(const char *text)
{
	uint64_t n;

	return text && wp_str_u64(wp_str_of(text), &n) ? n : 0;
}

/* The texts of the head are in arena a. */
static bool load(const wp_page_job *j, wp_arena *a, wp_page_entry *x)
{
	wp_str text;
	size_t end;

	*x = (wp_page_entry){0};
	if (!wp_cache_load(j->s->cache, "pages", j->key, (size_t)WP_MAX_PACKED + MAX_HEAD, &x->file, &text))
		return false;
	end = wp_str_find_str(text, WP_LIT("\n\n"));
	x->status = (int)number(wp_cache_field(a, text, "status"));
	x->url = wp_cache_field(a, text, "url");
	x->etag = wp_cache_field(a, text, "etag");
	x->last_modified = wp_cache_field(a, text, "modified");
	x->time = number(wp_cache_field(a, text, "time"));
	x->ttl = number(wp_cache_field(a, text, "ttl"));
	x->packed = wp_str_sub(text, end + 2, text.n);
	return end < text.n && x->url && (x->status == 200 || x->status == 404);
}

static void store(const wp_page_job *j, const wp_page_entry *x)
{
	wp_buf head;

	wp_buf_init(&head, MAX_HEAD);
	wp_buf_printf(&head, "status %d\nurl %s\ntime %llu\nttl %llu\n", x->status, x->url,
		(unsigned long long)x->time, (unsigned long long)x->ttl);
	if (x->etag)
		wp_buf_printf(&head, "etag %s\n", x->etag);
	if (x->last_modified)
		wp_buf_printf(&head, "modified %s\n", x->last_modified);
	wp_buf_putc(&head, '\n');
	if (!head.full)
		wp_cache_write(wp_session_writer(j->s), "pages", j->key, wp_buf_view(&head), x->packed);
	wp_buf_free(&head);
}

static bool is_fresh(const wp_page_entry *x)
{
	uint64_t now = (uint64_t)os_unix_time();

	return x->time <= now && now - x->time < x->ttl;
}

/* Seconds that an answer may be used without asking; *keep is false where it must not be kept at all. */
static uint64_t ttl_of(const char *cache_control, bool *keep)
{
	wp_str rest = wp_str_of(cache_control), word;
	uint64_t ttl = FRESH_S, n;

	*keep = true;
	while (wp_str_split(&rest, ',', &word)) {
		word = wp_str_trim(word);
		if (wp_str_is(word, "no-store"))
			*keep = false;
		else if (wp_str_is(word, "no-cache"))
			ttl = 0;
		else if (wp_str_starts(word, "max-age=") && wp_str_u64(wp_str_sub(word, 8, word.n), &n) && n < ttl)
			ttl = n;
	}
	return ttl;
}

/* ---- answers ------------------------------------------------------------------------------ */

/* The answer is x; its buffer becomes the job's. False where it is none. */
static bool answer(wp_page_job *j, wp_page_entry *x)
{
	wp_project *p = WP_NEW(j->s->a, wp_project);

	j->answer = NULL;
	if (x->status == 404)
		return true;
	if (!wp_packed_read(j->s->a, x->packed, j->project, j->index->id, p))
		return false;
	j->packed = x->file;
	x->file = (wp_buf){0};
	j->answer = p;
	return true;
}

static void forget_old(wp_page_job *j)
{
	if (j->old)
		wp_buf_free(&j->old->file);
	j->old = NULL;
}

static void clean_up(wp_page_job *j)
{
	wp_get_drop(&j->get);
	wp_page_close(j->reader);
	j->reader = NULL;
	forget_old(j);
}

/* 403 stands for "not there" on the variant's index only. */
static bool is_absent(const wp_page_job *j, int status)
{
	return status == 404 || status == 410 || (status == 403 && j->index->variant);
}

static wp_page_reader *reader_of(wp_page_job *j, const wp_http_response *r)
{
	if (!j->reader)
		j->reader = wp_page_open(r->content_type, r->final_url, j->project);
	return j->reader;
}

/* The page of a 200, or the absence of one. */
static void take_answer(wp_page_job *j)
{
	const wp_http_response *r = &j->get.http.response;
	wp_page_entry x = {.status = is_absent(j, r->status) ? 404 : 200,
		.url = r->final_url,
		.etag = r->etag,
		.last_modified = r->last_modified,
		.time = (uint64_t)os_unix_time()};
	bool keep;

	x.ttl = ttl_of(r->cache_control, &keep);
	if (x.status == 200) {
		if (wp_page_end(reader_of(j, r), &x.file, &j->error)) {
			wp_err_where(&j->error, "'%s'", x.url);
			return;
		}
		x.packed = wp_buf_view(&x.file);
	}
	if (!answer(j, &x))
		wp_fail(&j->error, WP_E_INTERNAL, "a page that was read can't be read");
	else if (keep)
		store(j, &x);
	wp_buf_free(&x.file);
}

/* 304: what the cache had is still right. False where it can't be read. */
static bool take_old(wp_page_job *j)
{
	const wp_http_response *r = &j->get.http.response;
	wp_page_entry *x = j->old;
	bool keep = true;

	x->time = (uint64_t)os_unix_time();
	if (r->cache_control)
		x->ttl = ttl_of(r->cache_control, &keep);
	if (!answer(j, x))
		return false;
	if (keep)
		store(j, x);
	return true;
}

static void ask_afresh(wp_page_job *j)
{
	forget_old(j);
	j->get.http.if_none_match = j->get.http.if_modified_since = NULL;
	wp_get_again(&j->get);
}

static void on_done(void *user, wp_get *g)
{
	wp_page_job *j = user;
	int status = g->http.response.status;

	if (!g->http.error.code && status == 304 && j->old) {
		if (!take_old(j)) {
			ask_afresh(j);
			return;
		}
	} else if (g->http.error.code || (!is_absent(j, status) && wp_get_status(g))) {
		j->error = g->http.error;
	} else {
		take_answer(j);
	}
	clean_up(j);
	j->done(j->user);
}

static int on_piece(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e)
{
	return wp_page_feed(reader_of(user, r), p, n, e);
}

static wp_get_go on_try(void *user, wp_get *g)
{
	wp_page_job *j = user;

	(void)g;
	wp_page_close(j->reader);
	j->reader = NULL;
	return WP_GET_ASK;
}

/* True where the cache has the answer; else it may have what to ask by. */
static bool from_cache(wp_page_job *j)
{
	wp_page_entry *x = WP_NEW(j->s->a, wp_page_entry);
	bool there = load(j, j->s->a, x), young = j->s->net.offline || (!j->s->net.refresh && is_fresh(x));

	if (there && young && answer(j, x)) {
		wp_buf_free(&x->file);
		return true;
	}
	if (!there || young || x->status != 200 || !(x->etag || x->last_modified)) {
		wp_buf_free(&x->file);
		return false;
	}
	j->old = x;
	j->get.http.if_none_match = x->etag;
	j->get.http.if_modified_since = x->etag ? NULL : x->last_modified;
	return false;
}

bool wp_page_start(wp_page_job *j)
{
	const char *url = wp_sprintf(j->s->a, "%s%s/", j->index->url, j->project);
	const char *parts[] = {url, j->index->userpwd}; /* what is seen depends on who asks */

	wp_cache_key(parts, 2, j->key);
	j->get = (wp_get){.url = url,
		.index = j->index->id,
		.http = {.accept = WP_PAGE_ACCEPT, .compressed = true, .max_body = WP_MAX_PAGE},
		.prepare = on_try,
		.sink = on_piece,
		.done = on_done,
		.user = j};
	if (from_cache(j))
		return true;
	wp_get_start(j->s, &j->get);
	return false;
}

void wp_page_urgent(wp_page_job *j)
{
	wp_get_hurry(&j->get);
}

void wp_page_drop(wp_page_job *j)
{
	clean_up(j);
	wp_buf_free(&j->packed);
	j->answer = NULL;
}

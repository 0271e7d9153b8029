/* SPDX-License-Identifier: MIT */
/* One project page of one index: the cache first, revalidated after ten minutes, else the network. */
#include "base/err.h"
#include "fetch/cache.h"
#include "fetch/page.h"
#include "fetch/session.h"
#include "os/os.h"

enum { FRESH_S = 600, MAX_HEAD = 64 << 10 };

/* What the cache holds of a page: a few lines, an empty one, the page. */
typedef struct page_entry {
	int status;		/* 200, or 404: the index had no such project */
	const char *content_type, *url, *etag, *last_modified;
	uint64_t time, ttl;	/* seconds */
	wp_str body;
} page_entry;

/* ---- cache -------------------------------------------------------------------------------- */

static uint64_t number(const char *text)
{
	uint64_t n;

	return text && wp_str_u64(wp_str_of(text), &n) ? n : 0;
}

static bool load(const wp_page_job *j, wp_arena *a, page_entry *x)
{
	wp_str text;
	size_t end;

	*x = (page_entry){0};
	if (!wp_cache_get(a, j->s->cache, "pages", j->key, (size_t)WP_MAX_PAGE + MAX_HEAD, &text))
		return false;
	end = wp_str_find_str(text, WP_LIT("\n\n"));
	if (end == text.n)
		return false;
	x->status = (int)number(wp_cache_field(a, text, "status"));
	x->content_type = wp_cache_field(a, text, "type");
	x->url = wp_cache_field(a, text, "url");
	x->etag = wp_cache_field(a, text, "etag");
	x->last_modified = wp_cache_field(a, text, "modified");
	x->time = number(wp_cache_field(a, text, "time"));
	x->ttl = number(wp_cache_field(a, text, "ttl"));
	x->body = wp_str_sub(text, end + 2, text.n);
	return x->url && (x->status == 200 || x->status == 404);
}

static void store(const wp_page_job *j, const page_entry *x)
{
	wp_buf head;

	wp_buf_init(&head, MAX_HEAD);
	wp_buf_printf(&head, "status %d\nurl %s\ntime %llu\nttl %llu\n", x->status, x->url,
		(unsigned long long)x->time, (unsigned long long)x->ttl);
	if (x->content_type && *x->content_type)
		wp_buf_printf(&head, "type %s\n", x->content_type);
	if (x->etag)
		wp_buf_printf(&head, "etag %s\n", x->etag);
	if (x->last_modified)
		wp_buf_printf(&head, "modified %s\n", x->last_modified);
	wp_buf_putc(&head, '\n');
	if (!head.full)
		wp_cache_put(j->s->cache, "pages", j->key, wp_buf_view(&head), x->body);
	wp_buf_free(&head);
}

static bool is_fresh(const page_entry *x)
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

static int parse(wp_page_job *j, const page_entry *x)
{
	wp_page page = {.text = x->body, .content_type = x->content_type, .url = x->url};
	wp_project *p = WP_NEW(j->s->a, wp_project);

	j->answer = NULL;
	if (x->status == 404)
		return 0;
	if (wp_page_read(j->s->a, &page, j->project, j->index->id, p, &j->error))
		return wp_err_where(&j->error, "'%s'", x->url);
	j->answer = p;
	return 0;
}

static void clean_up(wp_page_job *j)
{
	wp_get_drop(&j->get);
	wp_buf_free(&j->body);
}

/* 403 stands for "not there" on the variant's index only. */
static bool is_absent(const wp_page_job *j, int status)
{
	return status == 404 || status == 410 || (status == 403 && j->index->variant);
}

/* The page of a 200, or the absence of one. */
static void take_answer(wp_page_job *j)
{
	const wp_http_response *r = &j->get.http.response;
	page_entry x = {.status = 200,
		.content_type = r->content_type,
		.url = r->final_url,
		.etag = r->etag,
		.last_modified = r->last_modified,
		.time = (uint64_t)os_unix_time(),
		.body = wp_buf_view(&j->body)};
	bool keep;

	x.ttl = ttl_of(r->cache_control, &keep);
	if (is_absent(j, r->status)) {
		x.status = 404;
		x.body = (wp_str){0};
	}
	if (!parse(j, &x) && keep)
		store(j, &x);
}

/* 304: what the cache has is still right. False where the entry has gone meanwhile. */
static bool take_cached(wp_page_job *j)
{
	const wp_http_response *r = &j->get.http.response;
	wp_arena *a = wp_arena_new();
	page_entry x;
	bool there = load(j, a, &x), keep = true;

	if (there) {
		x.time = (uint64_t)os_unix_time();
		if (r->cache_control)
			x.ttl = ttl_of(r->cache_control, &keep);
		if (!parse(j, &x) && keep)
			store(j, &x);
	}
	wp_arena_free(a);
	return there;
}

static void on_done(void *user, wp_get *g)
{
	wp_page_job *j = user;

	if (!g->http.error.code && g->http.response.status == 304) {
		if (!take_cached(j)) {
			g->http.if_none_match = g->http.if_modified_since = NULL;
			wp_get_again(g);
			return;
		}
	} else if (!g->http.error.code && is_absent(j, g->http.response.status)) {
		take_answer(j);
	} else if (wp_get_status(g)) {
		j->error = g->http.error;
	} else {
		take_answer(j);
	}
	clean_up(j);
	j->done(j->user);
}

static int on_piece(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e)
{
	wp_page_job *j = user;

	(void)r;
	(void)e;
	wp_buf_add(&j->body, p, n);
	return 0;
}

static wp_get_go on_try(void *user, wp_get *g)
{
	wp_page_job *j = user;

	(void)g;
	wp_buf_free(&j->body);
	wp_buf_init(&j->body, WP_MAX_PAGE);
	return WP_GET_ASK;
}

/* True where the cache has the answer; else it may have what to ask by. */
static bool from_cache(wp_page_job *j)
{
	wp_arena *a = wp_arena_new();
	page_entry x;
	bool there = load(j, a, &x), use = there && (j->s->net.offline || is_fresh(&x));

	if (use) {
		parse(j, &x);
	} else if (there && x.status == 200) {
		j->get.http.if_none_match = wp_strdup(j->s->a, x.etag);
		j->get.http.if_modified_since = x.etag ? NULL : wp_strdup(j->s->a, x.last_modified);
	}
	wp_arena_free(a);
	return use;
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
}

/* SPDX-License-Identifier: MIT */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "ext/ca.h"
#include "ext/http.h"
#include "ext/url.h"
#include "os/os.h"
#include "wheelpack/wheelpack.h"

enum {
	MAX_REDIRECTS = 10,
	MAX_CONNECTIONS = 32,
	LOW_SPEED = 1024,	 /* bytes per second, below which what is short is given up */
	MAX_HEADER = 8192,	 /* bytes of a header value that is kept */
	MAX_IGNORED = 256 << 10, /* bytes of a body that nobody wants */
	RECEIVE_BUFFER = 32 << 10,
	LARGE_BUFFER = 128 << 10 /* for a big body; from the system anew each time */
};

typedef struct transfer transfer;

struct transfer {
	wp_http *h;
	wp_http_request *r;
	CURL *easy;
	struct curl_slist *headers;
	transfer *prev, *next;
	const char *url;    /* of this hop */
	const char *origin; /* of the first hop: credentials are for it alone */
	int redirects;
	uint64_t received;
	wp_buf text;
	bool encoded, enough; /* enough: stopped on purpose, the answer stands */
	/* When the speed was looked at last, 0 never; the bytes that had come; the most transfers at once since then. */
	uint64_t since, before, shared;
	char words[CURL_ERROR_SIZE];
};

struct wp_http {
	CURLM *multi;
	wp_arena *a;
	wp_http_options o;
	transfer *first;
	size_t active;
	wp_ca *ca; /* NULL: libcurl reads the certificates */
	bool ca_tried;
};

/* ---- what is allowed ---------------------------------------------------------------------- */

static bool is_loopback(const char *host)
{
	if (wp_streq(host, "localhost") || wp_streq(host, "[::1]"))
		return true;
	return wp_starts(host, "127.") && strspn(host, "0123456789.") == strlen(host);
}

/* The user vouches for this host (with or without its port). */
static bool is_trusted(const wp_http *h, wp_arena *a, const char *url)
{
	const char *host = wp_url_host(a, url), *origin = wp_url_origin(a, url);
	const char *with_port = origin ? strstr(origin, "//") + 2 : NULL;
	size_t i;

	for (i = 0; i < h->o.ntrusted_hosts; i++) {
		const char *t = wp_str_lower(a, wp_str_of(h->o.trusted_hosts[i]));

		if (wp_streq(t, host) || wp_streq(t, with_port))
			return true;
	}
	return false;
}

static int check_url(transfer *t, const char *from, const char *url, wp_error *e)
{
	wp_arena *a = t->r->a;
	const char *scheme = wp_url_scheme(a, url), *host = wp_url_host(a, url);

	if (!scheme || !host || !*host)
		return wp_fail(e, WP_E_HTTP, "this is no web address");
	if (strcmp(scheme, "https") == 0)
		return 0;
	if (strcmp(scheme, "http") != 0)
		return wp_fail(e, WP_E_HTTP, "addresses of kind '%s' are not followed", scheme);
	if (from && wp_starts(from, "https:"))
		return wp_fail(e, WP_E_HTTP,
			"plain http is refused: '%s' redirects from https to '%s'", from, url);
	if (is_loopback(host) || is_trusted(t->h, a, url))
		return 0;
	wp_err_next(e, "use https, or name the host with --trusted-host");
	return wp_fail(e, WP_E_HTTP, "plain http is refused");
}

/* ---- answers ------------------------------------------------------------------------------ */

/* A header value in the arena; NULL where it is no clean text. */
static const char *clean(wp_arena *a, wp_str v)
{
	size_t i;

	if (v.n > MAX_HEADER || !wp_utf8_valid(v))
		return NULL;
	for (i = 0; i < v.n; i++)
		if ((unsigned char)v.p[i] < 0x20 || v.p[i] == 0x7f)
			return NULL;
	return wp_str_dup(a, v);
}

static void content_range(wp_http_response *s, wp_str v)
{
	wp_str total, from;
	uint64_t n;

	if (!wp_str_starts(v, "bytes "))
		return;
	v = wp_str_trim(wp_str_sub(v, 6, v.n));
	from = wp_str_sub(v, 0, wp_str_find(v, '-'));
	total = wp_str_sub(v, wp_str_find(v, '/') + 1, v.n);
	if (wp_str_u64(from, &n))
		s->range_from = n;
	if (wp_str_u64(total, &n) && n <= INT64_MAX)
		s->range_total = (int64_t)n;
}

static void keep_header(transfer *t, const char *name, wp_str v)
{
	wp_http_response *s = &t->r->response;
	wp_arena *a = t->r->a;
	uint64_t n;

	if (!strcmp(name, "content-type")) {
		const char *text = clean(a, wp_str_trim(wp_str_sub(v, 0, wp_str_find(v, ';'))));

		s->content_type = text ? wp_str_lower(a, wp_str_of(text)) : "";
	} else if (!strcmp(name, "etag")) {
		s->etag = clean(a, v);
	} else if (!strcmp(name, "last-modified")) {
		s->last_modified = clean(a, v);
	} else if (!strcmp(name, "cache-control")) {
		s->cache_control = clean(a, v);
	} else if (!strcmp(name, "location")) {
		s->location = clean(a, v);
	} else if (!strcmp(name, "content-range")) {
		content_range(s, v);
	} else if (!strcmp(name, "content-encoding")) {
		t->encoded = !wp_str_is(v, "identity");
	} else if (!strcmp(name, "content-length") && wp_str_u64(v, &n) && n <= INT64_MAX) {
		s->content_length = (int64_t)n;
	} else if (!strcmp(name, "x-amz-meta-checksum-sha256")) {
		unsigned char digest[WP_SHA256_HEX / 2];

		if (v.n == WP_SHA256_HEX && wp_unhex(v, digest, sizeof digest))
			s->sha256_header = wp_str_lower(a, v);
	}
}

static void reset_response(transfer *t)
{
	t->r->response = (wp_http_response){
		.content_type = "", .content_length = -1, .range_total = -1, .final_url = t->url};
	t->encoded = false;
	t->received = 0;
	t->since = t->before = t->shared = 0;
}

static size_t on_header(char *p, size_t size, size_t n, void *user)
{
	transfer *t = user;
	wp_str line = wp_str_trim((wp_str){p, size * n});
	size_t colon = wp_str_find(line, ':');
	wp_arena *a = t->r->a;

	if (wp_str_starts(line, "HTTP/")) {
		uint64_t status = 0;

		reset_response(t);
		line = wp_str_trim(wp_str_sub(line, wp_str_find(line, ' '), line.n));
		wp_str_u64(wp_str_sub(line, 0, wp_str_find(line, ' ')), &status);
		t->r->response.status = status < 1000 ? (int)status : 0;
	} else if (line.n == 0) {
		if (t->encoded) /* then the length is not that of the body we see */
			t->r->response.content_length = -1;
	} else if (colon < line.n && colon <= 64) {
		keep_header(t, wp_str_lower(a, wp_str_sub(line, 0, colon)),
			wp_str_trim(wp_str_sub(line, colon + 1, line.n)));
	}
	return size * n;
}

static int too_large(transfer *t, uint64_t n)
{
	wp_fail(&t->r->error, WP_E_TOO_LARGE, "%llu bytes or more, at most %llu are allowed",
		(unsigned long long)n, (unsigned long long)t->r->max_body);
	return WP_E_TOO_LARGE;
}

/* One piece of a wanted body; non-zero stops the transfer. */
static int take(transfer *t, const char *p, size_t n)
{
	wp_http_request *r = t->r;

	if (t->received == 0 && r->response.content_length > 0 &&
		(uint64_t)r->response.content_length > r->max_body)
		return too_large(t, (uint64_t)r->response.content_length);
	t->received += n;
	if (t->received > r->max_body)
		return too_large(t, t->received);
	if (!r->sink) {
		wp_buf_add(&t->text, p, n);
		return 0;
	}
	return r->sink(r->user, &r->response, p, n, &r->error);
}

static size_t on_body(char *p, size_t size, size_t n, void *user)
{
	transfer *t = user;
	int status = t->r->response.status;

	n *= size;
	if (status == 200 || status == 206)
		return take(t, p, n) ? CURL_WRITEFUNC_ERROR : n;
	t->received += n;
	t->enough = t->received > MAX_IGNORED;
	return t->enough ? CURL_WRITEFUNC_ERROR : n;
}

/* ---- one transfer ------------------------------------------------------------------------- */

static void add_header(transfer *t, const char *name, const char *value)
{
	struct curl_slist *more;

	if (!value)
		return;
	more = curl_slist_append(t->headers, wp_sprintf(t->r->a, "%s: %s", name, value));
	if (!more)
		abort();
	t->headers = more;
}

/* A server that sends byte after byte is never silent. What is short must come at LOW_SPEED; many that share a slow line
 * share that too. */
static int on_progress(void *user, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
	transfer *t = user;
	uint64_t ms = os_now_ms(), idle = (uint64_t)t->h->o.idle_timeout_ms, got = now > 0 ? (uint64_t)now : 0;
	bool slow;

	(void)total;
	(void)up_total;
	(void)up;
	if (t->shared < t->h->active)
		t->shared = t->h->active;
	if (!got || (t->since && ms - t->since < idle))
		return 0;
	slow = t->since && (got - t->before) * t->shared < LOW_SPEED * (ms - t->since) / 1000;
	t->since = ms;
	t->before = got;
	t->shared = t->h->active;
	if (!slow)
		return 0;
	wp_fail(&t->r->error, WP_E_NETWORK, "fewer than %d bytes a second for %llu s", (int)LOW_SPEED,
		(unsigned long long)(idle / 1000));
	return 1;
}

static void set_timeouts(transfer *t)
{
	const wp_http_options *o = &t->h->o;

	curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)o->connect_timeout_ms);
	if (o->idle_timeout_ms <= 0)
		return;
	curl_easy_setopt(t->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(t->easy, CURLOPT_LOW_SPEED_TIME, (long)(o->idle_timeout_ms + 999) / 1000);
	if (t->r->alone)
		return;
	curl_easy_setopt(t->easy, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(t->easy, CURLOPT_XFERINFODATA, t);
	curl_easy_setopt(t->easy, CURLOPT_NOPROGRESS, 0L);
}

static CURLcode on_ssl_ctx(CURL *c, void *ssl_ctx, void *user)
{
	(void)c;
	return wp_ca_use(((wp_http *)user)->ca, ssl_ctx) ? CURLE_OK : CURLE_SSL_CACERT_BADFILE;
}

/* The file that is named, or that libcurl would take by itself. */
static void open_ca(wp_http *h)
{
	const curl_version_info_data *built = curl_version_info(CURLVERSION_NOW);
	bool own = !h->o.ca_file && !h->o.ca_dir && !os_is_windows();
	const char *file = own ? built->cainfo : h->o.ca_file, *dir = own ? built->capath : h->o.ca_dir;

	h->ca_tried = true;
	h->ca = wp_ca_open(file, dir, built->ssl_version);
}

/* What is named stands instead of the system's certificates, not beside them. */
static void set_ca(CURL *c, wp_http *h, bool secure)
{
	const wp_http_options *o = &h->o;

	if (o->ca_file || o->ca_dir) {
		curl_easy_setopt(c, CURLOPT_CAINFO, o->ca_file);
		curl_easy_setopt(c, CURLOPT_CAPATH, o->ca_dir);
		curl_easy_setopt(c, CURLOPT_PROXY_CAINFO, o->ca_file);
		curl_easy_setopt(c, CURLOPT_PROXY_CAPATH, o->ca_dir);
	} else {
		curl_easy_setopt(c, CURLOPT_SSL_OPTIONS, (long)CURLSSLOPT_NATIVE_CA);
	}
	if (secure && !h->ca_tried)
		open_ca(h);
	if (!secure || !h->ca)
		return;
	/* Its own store is replaced; it must neither read the file nor, for want of any, what OpenSSL has as default. */
	curl_easy_setopt(c, CURLOPT_CAINFO, NULL);
	curl_easy_setopt(c, CURLOPT_CAPATH, o->ca_dir ? o->ca_dir : "/");
	curl_easy_setopt(c, CURLOPT_SSL_CTX_FUNCTION, on_ssl_ctx);
	curl_easy_setopt(c, CURLOPT_SSL_CTX_DATA, h);
}

static void set_common(transfer *t)
{
	const wp_http_options *o = &t->h->o;
	CURL *c = t->easy;

	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->words);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	/* A name server that is silent must hold up neither Ctrl-C nor the other transfers. */
	curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, (long)(t->r->alone ? LARGE_BUFFER : RECEIVE_BUFFER));
	curl_easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(c, CURLOPT_USERAGENT, o->user_agent);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	set_ca(c, t->h, wp_starts(t->r->url, "https:"));
	if (o->proxy)
		curl_easy_setopt(c, CURLOPT_PROXY, o->proxy);
	if (o->no_proxy)
		curl_easy_setopt(c, CURLOPT_NOPROXY, o->no_proxy);
	set_timeouts(t);
}

static void set_request(transfer *t)
{
	wp_http_request *r = t->r;

	add_header(t, "Accept", r->accept ? r->accept : "*/*");
	add_header(t, "If-Range", r->range ? r->if_range : NULL);
	add_header(t, "If-None-Match", r->if_none_match);
	add_header(t, "If-Modified-Since", r->if_modified_since);
	curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION,
		r->alone ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(t->easy, CURLOPT_PIPEWAIT, r->alone ? 0L : 1L);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(t->easy, CURLOPT_RANGE, r->range);
	curl_easy_setopt(t->easy, CURLOPT_ACCEPT_ENCODING, r->compressed ? "" : NULL);
}

/* Aim at url, which was checked. */
static void set_url(transfer *t, const char *url)
{
	wp_arena *a = t->r->a;
	long verify = !is_trusted(t->h, a, url);
	bool home = wp_streq(wp_url_origin(a, url), t->origin);

	t->url = url;
	t->words[0] = '\0';
	curl_easy_setopt(t->easy, CURLOPT_URL, url);
	curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYPEER, verify);
	curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
	curl_easy_setopt(t->easy, CURLOPT_USERPWD, home ? t->r->userpwd : NULL);
	reset_response(t);
}

static void unlink_transfer(transfer *t)
{
	wp_http *h = t->h;

	curl_multi_remove_handle(h->multi, t->easy);
	if (t->prev)
		t->prev->next = t->next;
	else
		h->first = t->next;
	if (t->next)
		t->next->prev = t->prev;
	h->active--;
}

static void free_transfer(transfer *t)
{
	t->r->private_ = NULL;
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	wp_buf_free(&t->text);
	free(t);
}

/* ---- the end of a transfer ---------------------------------------------------------------- */

static wp_code code_of(CURLcode rc)
{
	switch (rc) {
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
	case CURLE_SSL_ENGINE_INITFAILED:
		return WP_E_TLS;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return WP_E_HTTP;
	default:
		return WP_E_NETWORK;
	}
}

static bool is_redirect(int status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* True where the transfer goes on at another address. */
static bool follow(transfer *t)
{
	wp_http_request *r = t->r;
	const char *from = t->url, *to;

	if (!is_redirect(r->response.status) || !r->response.location)
		return false;
	to = wp_url_join(r->a, t->url, r->response.location);
	if (to)
		to = wp_url_strip(r->a, to, NULL);
	if (!to || ++t->redirects > MAX_REDIRECTS) {
		wp_fail(&r->error, WP_E_HTTP, to ? "more than %d redirects" : "a redirect to no web address",
			MAX_REDIRECTS);
		return false;
	}
	if (check_url(t, from, to, &r->error))
		return false;
	curl_multi_remove_handle(t->h->multi, t->easy);
	set_url(t, to);
	t->enough = false;
	if (curl_multi_add_handle(t->h->multi, t->easy) == CURLM_OK)
		return true;
	wp_fail(&r->error, WP_E_INTERNAL, "libcurl takes no more transfers");
	return false;
}

static void judge(transfer *t, CURLcode rc)
{
	wp_http_request *r = t->r;

	if (rc == CURLE_OK || (rc == CURLE_WRITE_ERROR && t->enough) || r->error.code)
		return;
	r->error.sys = (int)rc;
	if (t->words[0])
		wp_fail(&r->error, code_of(rc), "%s", t->words);
	else
		wp_fail(&r->error, code_of(rc), "%s", curl_easy_strerror(rc));
}

static void finish(transfer *t, CURLcode rc)
{
	wp_http_request *r = t->r;

	judge(t, rc);
	if (!r->error.code && follow(t))
		return;
	if (r->error.code)
		wp_err_where(&r->error, "'%s'", t->url);
	else if (!r->sink)
		r->response.body = wp_str_copy(r->a, wp_buf_view(&t->text));
	unlink_transfer(t);
	free_transfer(t);
	r->done(r->user, r);
}

static bool finish_all(wp_http *h)
{
	bool any = false;
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(h->multi, &left))) {
		transfer *t = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
		finish(t, m->data.result);
		any = true;
	}
	return any;
}

/* ---- interface ---------------------------------------------------------------------------- */

static void copy_options(wp_http *h, const wp_http_options *o)
{
	const char **hosts = WP_NEW_ARRAY(h->a, o->ntrusted_hosts, const char *);
	size_t i;

	for (i = 0; i < o->ntrusted_hosts; i++)
		hosts[i] = wp_strdup(h->a, o->trusted_hosts[i]);
	h->o = *o;
	h->o.trusted_hosts = hosts;
	h->o.user_agent = wp_strdup(h->a, o->user_agent ? o->user_agent : "wheelpack/" WP_VERSION);
	h->o.ca_file = wp_strdup(h->a, o->ca_file);
	h->o.ca_dir = wp_strdup(h->a, o->ca_dir);
	h->o.proxy = wp_strdup(h->a, o->proxy);
	h->o.no_proxy = wp_strdup(h->a, o->no_proxy);
}

bool wp_http_knows_ca(void)
{
	const curl_version_info_data *built = curl_version_info(CURLVERSION_NOW);

	return built->cainfo || built->capath || os_is_windows();
}

int wp_http_open(const wp_http_options *o, wp_http **out, wp_error *e)
{
	wp_http *h;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return wp_fail(e, WP_E_INTERNAL, "libcurl does not start");
	h = wp_xmalloc(sizeof *h);
	*h = (wp_http){.multi = curl_multi_init(), .a = wp_arena_new()};
	if (!h->multi)
		abort();
	copy_options(h, o);
	curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	curl_multi_setopt(h->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)MAX_CONNECTIONS);
	*out = h;
	return 0;
}

void wp_http_close(wp_http *h)
{
	if (!h)
		return;
	while (h->first)
		wp_http_abort(h, h->first->r);
	curl_multi_cleanup(h->multi);
	wp_ca_close(h->ca);
	wp_arena_free(h->a);
	free(h);
	curl_global_cleanup();
}

static transfer *new_transfer(wp_http *h, wp_http_request *r)
{
	transfer *t = wp_xmalloc(sizeof *t);

	*t = (transfer){.h = h, .r = r, .easy = curl_easy_init()};
	if (!t->easy)
		abort();
	wp_buf_init(&t->text, r->max_body < SIZE_MAX ? (size_t)r->max_body : SIZE_MAX - 1);
	r->private_ = t;
	r->error = (wp_error){0};
	return t;
}

int wp_http_start(wp_http *h, wp_http_request *r, wp_error *e)
{
	transfer *t = new_transfer(h, r);
	const char *url = wp_url_strip(r->a, r->url, NULL);

	if (!url)
		wp_fail(e, WP_E_HTTP, "this is no web address");
	if (!url || check_url(t, NULL, url, e)) {
		free_transfer(t);
		if (url)
			wp_err_where(e, "'%s'", url);
		return e->code;
	}
	t->origin = wp_url_origin(r->a, url);
	set_common(t);
	set_request(t);
	set_url(t, url);
	if (curl_multi_add_handle(h->multi, t->easy) != CURLM_OK) {
		free_transfer(t);
		return wp_fail(e, WP_E_INTERNAL, "libcurl takes no more transfers");
	}
	t->next = h->first;
	if (h->first)
		h->first->prev = t;
	h->first = t;
	h->active++;
	return 0;
}

void wp_http_abort(wp_http *h, wp_http_request *r)
{
	transfer *t = r->private_;

	(void)h;
	if (!t)
		return;
	unlink_transfer(t);
	free_transfer(t);
}

int wp_http_poll(wp_http *h, int ms, wp_error *e)
{
	CURLMcode rc;
	int running;

	rc = curl_multi_perform(h->multi, &running);
	if (rc == CURLM_OK && !finish_all(h) && ms > 0)
		rc = curl_multi_poll(h->multi, NULL, 0, ms, NULL);
	if (rc == CURLM_OK)
		return 0;
	return wp_fail(e, WP_E_INTERNAL, "libcurl: %s", curl_multi_strerror(rc));
}

void wp_http_wake(wp_http *h)
{
	curl_multi_wakeup(h->multi);
}

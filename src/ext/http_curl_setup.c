/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "ext/http_curl.h"
#include "ext/url.h"
#include "os/os.h"

enum {
	LOW_SPEED = 1024, /* bytes per second, below which what is short is given up */
	RECEIVE_BUFFER = 32 << 10,
	LARGE_BUFFER = 128 << 10 /* for a big body; from the system anew each time */
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

int wp_transfer_check(wp_transfer *t, const char *from, const char *url, wp_error *e)
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
/* ---- options ------------------------------------------------------------------------------ */

static void add_header(wp_transfer *t, const char *name, const char *value)
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
	wp_transfer *t = user;
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

static void set_timeouts(wp_transfer *t)
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

static void set_common(wp_transfer *t)
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
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, wp_transfer_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, wp_transfer_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	set_ca(c, t->h, wp_starts(t->r->url, "https:"));
	if (o->proxy)
		curl_easy_setopt(c, CURLOPT_PROXY, o->proxy);
	if (o->no_proxy)
		curl_easy_setopt(c, CURLOPT_NOPROXY, o->no_proxy);
	set_timeouts(t);
}

static void set_request(wp_transfer *t)
{
	wp_http_request *r = t->r;

	add_header(t, "Accept", r->accept ? r->accept : "*/*");
	add_header(t, "Accept-Encoding", r->compressed ? "gzip" : NULL);
	add_header(t, "If-Range", r->range ? r->if_range : NULL);
	add_header(t, "If-None-Match", r->if_none_match);
	add_header(t, "If-Modified-Since", r->if_modified_since);
	curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION,
		r->alone ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(t->easy, CURLOPT_PIPEWAIT, r->alone ? 0L : 1L);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(t->easy, CURLOPT_RANGE, r->range);
}

void wp_transfer_setup(wp_transfer *t)
{
	set_common(t);
	set_request(t);
}

void wp_transfer_aim(wp_transfer *t, const char *url)
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
	wp_transfer_forget(t);
}

/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "ext/http_curl.h"
#include "ext/url.h"
#include "os/os.h"
#include "wheelpack/wheelpack.h"

enum { MAX_REDIRECTS = 10, MAX_CONNECTIONS = 32 };

static void unlink_transfer(wp_transfer *t)
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

static void free_transfer(wp_transfer *t)
{
	t->r->private_ = NULL;
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	wp_inflate_free(t->inflate);
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
static bool follow(wp_transfer *t)
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
	if (wp_transfer_check(t, from, to, &r->error))
		return false;
	curl_multi_remove_handle(t->h->multi, t->easy);
	wp_transfer_aim(t, to);
	t->enough = false;
	if (curl_multi_add_handle(t->h->multi, t->easy) == CURLM_OK)
		return true;
	wp_fail(&r->error, WP_E_INTERNAL, "libcurl takes no more transfers");
	return false;
}

static void judge(wp_transfer *t, CURLcode rc)
{
	wp_http_request *r = t->r;

	if (rc == CURLE_OK && wp_transfer_whole(t))
		return;
	if (rc == CURLE_OK || (rc == CURLE_WRITE_ERROR && t->enough) || r->error.code)
		return;
	r->error.sys = (int)rc;
	if (t->words[0])
		wp_fail(&r->error, code_of(rc), "%s", t->words);
	else
		wp_fail(&r->error, code_of(rc), "%s", curl_easy_strerror(rc));
}

static void finish(wp_transfer *t, CURLcode rc)
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
		wp_transfer *t = NULL;

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

static wp_transfer *new_transfer(wp_http *h, wp_http_request *r)
{
	wp_transfer *t = wp_xmalloc(sizeof *t);

	*t = (wp_transfer){.h = h, .r = r, .easy = curl_easy_init()};
	if (!t->easy)
		abort();
	wp_buf_init(&t->text, r->max_body < SIZE_MAX ? (size_t)r->max_body : SIZE_MAX - 1);
	r->private_ = t;
	r->error = (wp_error){0};
	return t;
}

int wp_http_start(wp_http *h, wp_http_request *r, wp_error *e)
{
	wp_transfer *t = new_transfer(h, r);
	const char *url = wp_url_strip(r->a, r->url, NULL);

	if (!url)
		wp_fail(e, WP_E_HTTP, "this is no web address");
	if (!url || wp_transfer_check(t, NULL, url, e)) {
		free_transfer(t);
		if (url)
			wp_err_where(e, "'%s'", url);
		return e->code;
	}
	t->origin = wp_url_origin(r->a, url);
	wp_transfer_setup(t);
	wp_transfer_aim(t, url);
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
	wp_transfer *t = r->private_;

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

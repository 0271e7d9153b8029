/* SPDX-License-Identifier: MIT */
#include "base/err.h"
#include "ext/url.h"
#include "fetch/ca.h"
#include "fetch/session.h"
#include "os/os.h"

enum {
	MAX_ACTIVE = 24,      /* requests in flight */
	RETRIES = 5,
	TLS_RETRIES = 2,
	FIRST_PAUSE_MS = 200, /* doubled with each try */
	LAST_PAUSE_MS = 5000,
	WAIT_MS = 200,	      /* until prepare is asked again */
	GOOD_BYTES = 1 << 20  /* so much between two faults, and the count of tries begins anew */
};

/* ---- queue -------------------------------------------------------------------------------- */

static void enqueue(wp_get *g, uint64_t due)
{
	wp_get **at = &g->s->queue;

	g->due = due;
	g->queued = true;
	if (!g->urgent)
		while (*at)
			at = &(*at)->next;
	g->next = *at;
	*at = g;
}

static void dequeue(wp_get *g)
{
	wp_get **at = &g->s->queue;

	while (*at && *at != g)
		at = &(*at)->next;
	if (*at)
		*at = g->next;
	g->next = NULL;
	g->queued = false;
}

void wp_get_start(wp_session *s, wp_get *g)
{
	g->s = s;
	enqueue(g, 0);
}

void wp_get_again(wp_get *g)
{
	g->http.error = (wp_error){0};
	g->tries = 0;
	enqueue(g, 0);
}

void wp_get_hurry(wp_get *g)
{
	if (g->urgent)
		return;
	g->urgent = true;
	if (g->queued) {
		dequeue(g);
		enqueue(g, g->due);
	}
}

void wp_get_drop(wp_get *g)
{
	if (!g->s)
		return;
	if (g->queued)
		dequeue(g);
	if (g->active) {
		wp_http_abort(g->s->http, &g->http);
		g->active = false;
		g->s->active--;
	}
	wp_arena_free(g->a);
	g->a = NULL;
	g->s = NULL;
}

/* ---- trying again ------------------------------------------------------------------------- */

const char *wp_sibling(wp_arena *a, const char *url)
{
	static const char *const hosts[] = {"download.pytorch.org", "download-r2.pytorch.org"};
	const char *host = wp_url_host(a, url);
	int i;

	for (i = 0; i < 2; i++)
		if (wp_streq(host, hosts[i]))
			return wp_url_with_host(a, url, hosts[!i]);
	return NULL;
}

static bool is_transient(const wp_get *g)
{
	int status = g->http.response.status;

	if (g->http.error.code)
		return g->http.error.code == WP_E_NETWORK || (g->http.error.code == WP_E_TLS && g->tries < TLS_RETRIES);
	return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

static uint64_t pause_of(int tries)
{
	uint64_t ms = FIRST_PAUSE_MS;

	while (--tries > 0 && ms < LAST_PAUSE_MS)
		ms *= 2;
	return ms < LAST_PAUSE_MS ? ms : LAST_PAUSE_MS;
}

/* True where another try was put into the queue. */
static bool try_again(wp_get *g)
{
	int most = g->s->net.retries ? g->s->net.retries : RETRIES;
	const char *other;

	if (g->moved >= GOOD_BYTES)
		g->tries = 0;
	if (!is_transient(g) || g->tries >= most)
		return false;
	g->tries++;
	g->moved = 0;
	g->http.error = (wp_error){0};
	other = wp_sibling(g->a, g->url);
	if (other)
		g->url = other;
	enqueue(g, os_now_ms() + (other && g->tries == 1 ? 0 : pause_of(g->tries)));
	return true;
}

/* ---- one try ------------------------------------------------------------------------------ */

static int on_piece(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e)
{
	wp_get *g = user;

	g->moved += n;
	return g->sink(g->user, r, p, n, e);
}

static void advise(const wp_get *g, wp_error *e)
{
	const char *other;

	if (e->code == WP_E_NETWORK && g->tries && (other = wp_sibling(g->a, g->url)))
		wp_err_next(e, "check the connection; '%s' was tried too. A mirror is named with "
			"--variant-index-base URL", wp_url_host(g->a, other));
	if (e->code == WP_E_TLS && g->s->no_ca)
		wp_err_next(e, "name the CA certificates with --cert FILE or SSL_CERT_FILE: none are at the usual places "
			"in /etc/ssl, /etc/pki and /var/lib/ca-certificates");
}

static void on_done(void *user, wp_http_request *r)
{
	wp_get *g = user;

	(void)r;
	g->active = false;
	g->s->active--;
	if (try_again(g))
		return;
	advise(g, &g->http.error);
	g->done(g->user, g);
}

static int open_http(wp_session *s, wp_error *e)
{
	wp_http_options o = {
		.user_agent = s->net.user_agent,
		.ca_file = s->net.ca_file,
		.ca_dir = s->net.ca_dir,
		.proxy = s->net.proxy,
		.no_proxy = s->net.no_proxy,
		.trusted_hosts = s->net.trusted_hosts,
		.ntrusted_hosts = s->net.ntrusted_hosts,
		.connect_timeout_ms = s->net.connect_timeout_ms > 0 ? s->net.connect_timeout_ms : 15000,
		.idle_timeout_ms = s->net.idle_timeout_ms > 0 ? s->net.idle_timeout_ms : 60000,
	};

	if (s->http)
		return 0;
	if (!o.ca_file && !o.ca_dir && !wp_http_knows_ca())
		s->no_ca = !wp_ca_find(s->a, "", &o.ca_file, &o.ca_dir);
	return wp_http_open(&o, &s->http, e);
}

static int ask(wp_get *g)
{
	wp_session *s = g->s;

	if (!g->a)
		g->a = wp_arena_new();
	if (s->net.offline) {
		wp_fail(&g->http.error, WP_E_NETWORK, "offline, and the cache has no answer to this");
		return wp_err_where(&g->http.error, "'%s'", g->url);
	}
	if (open_http(s, &g->http.error))
		return g->http.error.code;
	g->http.a = g->a;
	g->http.url = g->url;
	g->http.userpwd = wp_session_userpwd(s, g->index, g->url);
	g->http.sink = g->sink ? on_piece : NULL;
	g->http.done = on_done;
	g->http.user = g;
	if (wp_http_start(s->http, &g->http, &g->http.error))
		return g->http.error.code;
	g->active = true;
	s->active++;
	return 0;
}

static void try_now(wp_get *g)
{
	wp_get_go go = g->prepare ? g->prepare(g->user, g) : WP_GET_ASK;

	if (go == WP_GET_WAIT) {
		enqueue(g, os_now_ms() + WAIT_MS);
		return;
	}
	if (go == WP_GET_ASK && ask(g) == 0)
		return;
	g->done(g->user, g);
}

/* The next request that is due, off the queue; NULL if there is none. *wait shrinks to when one will be. */
static wp_get *next_due(wp_session *s, int *wait)
{
	uint64_t now = os_now_ms();
	wp_get *g;

	for (g = s->queue; g; g = g->next) {
		if (g->due <= now) {
			dequeue(g);
			return g;
		}
		if (g->due - now < (uint64_t)*wait)
			*wait = (int)(g->due - now);
	}
	return NULL;
}

int wp_pump(wp_session *s, int ms, wp_error *e)
{
	size_t started = 0;
	wp_get *g;

	if (wp_check_cancel(s->ctx, e))
		return e->code;
	while (s->active < MAX_ACTIVE && started < MAX_ACTIVE && (g = next_due(s, &ms))) {
		try_now(g);
		started++;
	}
	if (s->http)
		return wp_http_poll(s->http, started ? 0 : ms, e);
	if (!started && ms > 0)
		os_sleep_ms(ms < 20 ? ms : 20);
	return 0;
}

/* It answers what was asked: other kinds of success have no body, or one that isn't the whole. */
static bool is_answer(const wp_http_request *r, int status)
{
	return status == 200 || (status == 206 && r->range) ||
	       (status == 304 && (r->if_none_match || r->if_modified_since));
}

int wp_get_status(wp_get *g)
{
	int status = g->http.response.status;

	if (g->http.error.code || is_answer(&g->http, status))
		return g->http.error.code;
	if ((status >= 200 && status < 300) || status == 304)
		wp_fail(&g->http.error, WP_E_HTTP, "the server answers with status %d, which is no answer to what was asked",
			status);
	else if (status == 401 || status == 407)
		wp_fail(&g->http.error, WP_E_HTTP, "the server wants other credentials (status %d)", status);
	else if (status == 403)
		wp_fail(&g->http.error, WP_E_HTTP, "the server refuses access (status 403)");
	else
		wp_fail(&g->http.error, WP_E_HTTP, "the server answers with status %d", status);
	return wp_err_where(&g->http.error, "'%s'", g->http.response.final_url);
}

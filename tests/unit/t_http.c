/* SPDX-License-Identifier: MIT */
#include "ext/http.h"
#include "unit/server.h"

typedef struct answer {
	wp_http_request r;
	bool done;
	size_t pieces, bytes, stop_after;
} answer;

static server srv;
static wp_arena *arena;

static int begin(void **state)
{
	(void)state;
	arena = wp_arena_new();
	return server_start(&srv) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	server_stop(&srv);
	wp_arena_free(arena);
	return 0;
}

static void on_done(void *user, wp_http_request *r)
{
	answer *x = user;

	(void)r;
	x->done = true;
}

static int on_piece(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e)
{
	answer *x = user;

	(void)p;
	assert_true(r->status == 200 || r->status == 206);
	x->pieces++;
	x->bytes += n;
	return x->stop_after && x->bytes > x->stop_after ? wp_fail(e, WP_E_DISK_FULL, "no more") : 0;
}

static wp_http *open_with(wp_http_options o)
{
	wp_error err = {0};
	wp_http *h;

	o.connect_timeout_ms = o.connect_timeout_ms ? o.connect_timeout_ms : 5000;
	assert_ok(wp_http_open(&o, &h, &err));
	return h;
}

static void prepare(answer *x, const char *path)
{
	x->r.a = arena;
	x->r.url = strstr(path, "://") ? path : wp_sprintf(arena, "%s%s", srv.base, path);
	x->r.max_body = x->r.max_body ? x->r.max_body : 1 << 20;
	x->r.done = on_done;
	x->r.user = x;
}

/* Ask and wait for the end; the code of a request that could not even start. */
static int ask_on(wp_http *h, answer *x, const char *path)
{
	wp_error err = {0};

	prepare(x, path);
	if (wp_http_start(h, &x->r, &x->r.error))
		return x->r.error.code;
	while (!x->done)
		assert_ok(wp_http_poll(h, 100, &err));
	return x->r.error.code;
}

static int ask(answer *x, const char *path)
{
	wp_http *h = open_with((wp_http_options){0});
	int rc = ask_on(h, x, path);

	wp_http_close(h);
	return rc;
}

static const char *seen(void)
{
	answer x = {0};

	assert_int_equal(ask(&x, "/log"), 0);
	return x.r.response.body.p;
}

static void forget(void)
{
	answer x = {0};

	assert_int_equal(ask(&x, "/log/reset"), 0);
}

/* ---- tests -------------------------------------------------------------------------------- */

static void a_page_and_its_headers(void **state)
{
	answer x = {.r.accept = "text/html"};

	(void)state;
	assert_int_equal(ask(&x, "/with/maxage=60/simple/filelock/"), 0);
	assert_int_equal(x.r.response.status, 200);
	assert_string_equal(x.r.response.content_type, "text/html");
	assert_string_equal(x.r.response.cache_control, "max-age=60, public");
	assert_true(x.r.response.content_length == (int64_t)x.r.response.body.n);
	assert_non_null(x.r.response.etag);
	assert_non_null(strstr(x.r.response.body.p, "filelock-3.18.0-py3-none-any.whl"));
	assert_non_null(strstr(seen(), "\"user-agent\": \"wheelpack/"));
}

static void a_status_is_no_failure(void **state)
{
	answer x = {0}, y = {0};

	(void)state;
	assert_int_equal(ask(&x, "/simple/no-such-thing/"), 0);
	assert_int_equal(x.r.response.status, 404);
	assert_int_equal(x.r.response.body.n, 0);
	assert_int_equal(ask(&y, "/whl/cu126/no-such-thing/"), 0);
	assert_int_equal(y.r.response.status, 403);
}

static void ranges(void **state)
{
	answer x = {.r.range = "0-3"}, y = {.r.range = "-4", .r.sink = on_piece},
	       z = {.r.range = "9-9", .r.if_range = "\"x\""};

	(void)state;
	assert_int_equal(ask(&x, "/files/filelock-3.18.0-py3-none-any.whl"), 0);
	assert_int_equal(x.r.response.status, 206);
	assert_true(x.r.response.body.n == 4 && memcmp(x.r.response.body.p, "PK\3\4", 4) == 0);
	assert_int_equal(ask(&y, "/files/filelock-3.18.0-py3-none-any.whl"), 0);
	assert_true(y.bytes == 4 && y.r.response.range_from + 4 == (uint64_t)y.r.response.range_total);
	assert_int_equal(ask(&z, "/files/filelock-3.18.0-py3-none-any.whl"), 0);
	assert_int_equal(z.r.response.status, 200);
}

static void compressed_pages_are_decoded(void **state)
{
	answer x = {.r.compressed = true}, y = {0};

	(void)state;
	assert_int_equal(ask(&x, "/with/gzip/simple/torch/"), 0);
	assert_true(x.r.response.content_length == -1);
	assert_int_equal(ask(&y, "/with/gzip/simple/torch/"), 0);
	assert_true(wp_str_eq(x.r.response.body, y.r.response.body));
}

static void what_is_compressed_comes_whole_or_not_at_all(void **state)
{
	answer page = {.r.compressed = true}, text = {.r.compressed = true}, lie = {.r.compressed = true},
	       other = {.r.compressed = true}, large = {.r.compressed = true, .r.max_body = 300};

	(void)state;
	assert_int_equal(ask(&page, "/with/gzip,gzipcut/simple/torch/"), WP_E_NETWORK);
	assert_non_null(strstr(page.r.error.why, "breaks off"));
	assert_int_equal(ask(&text, "/with/gzip,gzipcut/files/filelock-3.18.0-py3-none-any.whl.metadata"), WP_E_NETWORK);
	assert_int_equal(ask(&lie, "/with/encoding=gzip/simple/torch/"), WP_E_NETWORK);
	assert_non_null(strstr(lie.r.error.why, "damaged"));
	assert_int_equal(ask(&other, "/with/encoding=br/simple/torch/"), WP_E_HTTP);
	assert_int_equal(ask(&large, "/with/gzip/simple/torch/"), WP_E_TOO_LARGE);
}

static void what_is_too_large_is_stopped(void **state)
{
	answer x = {.r.max_body = 100}, y = {0};

	(void)state;
	assert_int_equal(ask(&x, "/simple/torch/"), WP_E_TOO_LARGE);
	assert_non_null(strstr(x.r.error.why, "at most 100"));
	assert_int_equal(ask(&y, "/with/huge/simple/torch/"), WP_E_TOO_LARGE);
	assert_non_null(strstr(y.r.error.where, "/with/huge/simple/torch/"));
}

static void a_sink_can_refuse(void **state)
{
	answer x = {.r.sink = on_piece, .stop_after = 1000, .r.max_body = 1 << 30};

	(void)state;
	assert_int_equal(ask(&x, "/files/big_wheel-1.0-py3-none-any.whl"), WP_E_DISK_FULL);
	assert_string_equal(x.r.error.why, "no more");
}

static void a_body_that_breaks_off_is_a_network_fault(void **state)
{
	answer x = {.r.sink = on_piece};

	(void)state;
	assert_int_equal(ask(&x, "/with/cut=100/files/filelock-3.18.0-py3-none-any.whl"), WP_E_NETWORK);
	assert_int_equal(x.bytes, 100);
	assert_true(x.r.error.sys != 0);
}

static void nobody_answers(void **state)
{
	answer x = {0};

	(void)state;
	assert_int_equal(ask(&x, "http://127.0.0.1:1/simple/"), WP_E_NETWORK);
	assert_string_equal(x.r.error.where, "'http://127.0.0.1:1/simple/'");
	assert_true(strlen(x.r.error.why) > 10);
}

static void silence_ends(void **state)
{
	wp_http *h = open_with((wp_http_options){.idle_timeout_ms = 1000});
	answer x = {0};

	(void)state;
	assert_int_equal(ask_on(h, &x, "/with/hang/simple/torch/"), WP_E_NETWORK);
	wp_http_close(h);
}

/* 100 bytes a second: of a page that is as good as silence, of a big body it is a slow line. */
static void dripping_ends_but_for_big_bodies(void **state)
{
	wp_http *h = open_with((wp_http_options){.idle_timeout_ms = 1000});
	answer page = {0}, range = {0}, alone = {.r.alone = true, .r.range = "0-250"};

	(void)state;
	assert_int_equal(ask_on(h, &page, "/with/rate=100/simple/torch/"), WP_E_NETWORK);
	assert_string_equal(page.r.error.why, "fewer than 1024 bytes a second for 1 s");
	assert_int_equal(ask_on(h, &alone, "/with/rate=100/files/filelock-3.13.1-py3-none-any.whl"), 0);
	assert_int_equal(alone.r.response.status, 206);
	range.r.range = "0-250";
	assert_int_equal(ask_on(h, &range, "/with/rate=100/files/filelock-3.13.1-py3-none-any.whl"), WP_E_NETWORK);
	wp_http_close(h);
}

/* Those that share a line may each be slower. */
static void a_shared_line_is_shared(void **state)
{
	enum { N = 4 };
	wp_http *h = open_with((wp_http_options){.idle_timeout_ms = 1000});
	answer x[N] = {0};
	wp_error err = {0};
	int i, left = N;

	(void)state;
	for (i = 0; i < N; i++) {
		prepare(&x[i], wp_sprintf(arena, "/with/rate=700,as=%d/files/filelock-3.13.1-py3-none-any.whl", i));
		assert_ok(wp_http_start(h, &x[i].r, &err));
	}
	while (left) {
		assert_ok(wp_http_poll(h, 100, &err));
		for (i = 0, left = 0; i < N; i++)
			left += !x[i].done;
	}
	for (i = 0; i < N; i++)
		assert_string_equal(x[i].r.error.why, "");
	wp_http_close(h);
}

static void plain_http_is_for_loopback_and_trusted_hosts(void **state)
{
	static const char *const trusted[] = {"index.example.org"};
	wp_http *h = open_with((wp_http_options){.trusted_hosts = trusted, .ntrusted_hosts = 1, .proxy = srv.base});
	answer x = {0}, y = {0}, z = {0};

	(void)state;
	assert_int_equal(ask(&x, "http://index.example.org/simple/"), WP_E_HTTP);
	assert_string_equal(x.r.error.why, "plain http is refused");
	assert_non_null(strstr(x.r.error.where, "index.example.org"));
	assert_int_equal(ask_on(h, &y, "http://index.example.org/simple/filelock/"), 0);
	assert_int_equal(y.r.response.status, 200);
	assert_int_equal(ask_on(h, &z, "http://127.0.0.1.example.org/simple/"), WP_E_HTTP);
	wp_http_close(h);
}

static void other_schemes_are_refused(void **state)
{
	answer x = {0}, y = {0};

	(void)state;
	assert_int_equal(ask(&x, "ftp://127.0.0.1/x"), WP_E_HTTP);
	assert_non_null(strstr(x.r.error.why, "ftp"));
	assert_int_equal(ask(&y, "file:///etc/passwd"), WP_E_HTTP);
}

static void tls_faults_have_their_own_code(void **state)
{
	wp_http *h = open_with((wp_http_options){.ca_file = "/no/such/file.pem"});
	const char *url = wp_sprintf(arena, "https%s/simple/", srv.base + strlen("http"));
	answer x = {0}, y = {0};

	(void)state;
	assert_int_equal(ask(&x, url), WP_E_TLS);
	assert_non_null(strstr(x.r.error.where, "https://127.0.0.1"));
	assert_int_equal(ask_on(h, &y, url), WP_E_TLS);
	assert_non_null(strstr(y.r.error.why, "file.pem"));
	wp_http_close(h);
}

static void credentials_stay_at_home(void **state)
{
	answer x = {.r.userpwd = "lab:secret"}, y = {.r.userpwd = "lab:wrong"}, z = {.r.userpwd = "lab:secret"};
	const char *log;

	(void)state;
	assert_int_equal(ask(&x, "/with/auth=lab:secret/simple/filelock/"), 0);
	assert_int_equal(x.r.response.status, 200);
	assert_int_equal(ask(&y, "/with/auth=lab:secret/simple/filelock/"), 0);
	assert_int_equal(y.r.response.status, 401);
	forget();
	assert_int_equal(ask(&z, "/with/redirect/simple/filelock/"), 0);
	assert_int_equal(z.r.response.status, 200);
	assert_true(wp_starts(z.r.response.final_url, srv.second));
	log = seen();
	assert_non_null(strstr(log, "Basic "));
	assert_null(strstr(strstr(log, "Basic ") + 1, "Basic "));
}

static void many_at_once(void **state)
{
	enum { MANY = 40 };
	wp_http *h = open_with((wp_http_options){0});
	answer x[MANY] = {0};
	wp_error err = {0};
	int i;

	(void)state;
	for (i = 0; i < MANY; i++) {
		prepare(&x[i], i % 2 ? "/simple/numpy/" : "/json/torch/");
		assert_ok(wp_http_start(h, &x[i].r, &err));
	}
	wp_http_abort(h, &x[7].r);
	wp_http_abort(h, &x[8].r);
	for (i = 0; i < MANY; i++)
		while (!x[i].done && i != 7 && i != 8)
			assert_ok(wp_http_poll(h, 100, &err));
	assert_false(x[7].done || x[8].done);
	for (i = 0; i < MANY; i++)
		assert_int_equal(x[i].r.error.code, 0);
	wp_http_close(h);
}

static void closing_drops_what_runs(void **state)
{
	wp_http *h = open_with((wp_http_options){0});
	wp_error err = {0};
	answer x = {0};

	(void)state;
	prepare(&x, "/with/rate=1000/files/filelock-3.18.0-py3-none-any.whl");
	assert_ok(wp_http_start(h, &x.r, &err));
	assert_ok(wp_http_poll(h, 10, &err));
	wp_http_close(h);
	assert_false(x.done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_and_its_headers),
		cmocka_unit_test(a_status_is_no_failure),
		cmocka_unit_test(ranges),
		cmocka_unit_test(compressed_pages_are_decoded),
		cmocka_unit_test(what_is_compressed_comes_whole_or_not_at_all),
		cmocka_unit_test(what_is_too_large_is_stopped),
		cmocka_unit_test(a_sink_can_refuse),
		cmocka_unit_test(a_body_that_breaks_off_is_a_network_fault),
		cmocka_unit_test(nobody_answers),
		cmocka_unit_test(silence_ends),
		cmocka_unit_test(dripping_ends_but_for_big_bodies),
		cmocka_unit_test(a_shared_line_is_shared),
		cmocka_unit_test(plain_http_is_for_loopback_and_trusted_hosts),
		cmocka_unit_test(other_schemes_are_refused),
		cmocka_unit_test(tls_faults_have_their_own_code),
		cmocka_unit_test(credentials_stay_at_home),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(closing_drops_what_runs),
	};

	if (!server_possible())
		return 0;
	return cmocka_run_group_tests_name("http", tests, begin, end);
}

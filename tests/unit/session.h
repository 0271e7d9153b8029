/* SPDX-License-Identifier: MIT */
/* session.h: a fetch session against the index server, with a cache of its own, for one test. */
#ifndef WP_TESTS_SESSION_H
#define WP_TESTS_SESSION_H

#include "ext/http.h"
#include "ext/url.h"
#include "fetch/session.h"
#include "unit/server.h"

enum { MAX_TEST_INDEXES = 4 };

typedef struct lab {
	server *srv;
	wp_ctx ctx;
	const char *cache;
	wp_session_options o;
	wp_index indexes[MAX_TEST_INDEXES];
	wp_session *s;
} lab;

static inline lab *lab_make(server *srv)
{
	lab *l = calloc(1, sizeof *l);

	l->srv = srv;
	wp_ctx_init(&l->ctx, 2);
	l->cache = tmp_make(l->ctx.arena);
	l->o.cache_dir = l->cache;
	l->o.indexes = l->indexes;
	l->o.net.retries = 1;
	return l;
}

static inline void lab_close(lab *l)
{
	wp_session_close(l->s);
	l->s = NULL;
}

static inline void lab_drop(lab *l)
{
	lab_close(l);
	tmp_remove(l->cache);
	wp_ctx_done(&l->ctx);
	free(l);
}

/* path is below the server, or an address, or a folder. */
static inline wp_index *lab_index(lab *l, const char *id, const char *path)
{
	wp_index *x = &l->indexes[l->o.nindexes++];

	*x = (wp_index){.id = id, .url = path};
	if (path[0] == '/' && !wp_starts(id, "find-links"))
		x->url = wp_sprintf(l->ctx.arena, "%s%s", l->srv->base, path);
	x->variant = wp_streq(id, "variant");
	x->find_links = wp_starts(id, "find-links");
	return x;
}

static inline const wp_catalog *lab_open(lab *l)
{
	wp_error err = {0};

	lab_close(l);
	assert_ok(wp_session_open(&l->ctx, &l->o, &l->s, &err));
	return wp_session_catalog(l->s);
}

static inline void lab_answered(void *user, wp_http_request *r)
{
	(void)r;
	*(bool *)user = true;
}

/* A page of the server itself. */
static inline const char *lab_log(lab *l, const char *path)
{
	wp_http_options o = {.connect_timeout_ms = 5000};
	bool done = false;
	wp_http_request r = {.a = l->ctx.arena,
		.url = wp_sprintf(l->ctx.arena, "%s%s", l->srv->base, path),
		.max_body = 1 << 20,
		.done = lab_answered,
		.user = &done};
	wp_error err = {0};
	wp_http *h;

	assert_ok(wp_http_open(&o, &h, &err));
	assert_ok(wp_http_start(h, &r, &err));
	while (!done)
		assert_ok(wp_http_poll(h, 100, &err));
	wp_http_close(h);
	assert_int_equal(r.error.code, 0);
	return r.response.body.p;
}

static inline size_t lab_count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

static inline const wp_file *lab_file(const wp_project *p, const char *filename)
{
	size_t i;

	for (i = 0; p && i < p->nfiles; i++)
		if (!strcmp(p->files[i].filename, filename))
			return &p->files[i];
	return NULL;
}

/* One server for all tests of the program, a lab for each. */
static server lab_server;

static inline int lab_begin(void **state)
{
	(void)state;
	return server_start(&lab_server) ? 0 : -1;
}

static inline int lab_end(void **state)
{
	(void)state;
	server_stop(&lab_server);
	return 0;
}

static inline int lab_set_up(void **state)
{
	*state = lab_make(&lab_server);
	return 0;
}

static inline int lab_tear_down(void **state)
{
	lab_drop(*state);
	return 0;
}

#endif

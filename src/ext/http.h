/* SPDX-License-Identifier: MIT */
/* http.h: many GETs at once over one set of connections (libcurl multi, HTTP/2). One wp_http belongs to one
 * thread; a wake from another thread (wp_http_wake) is allowed. https only; http for loopback and trusted hosts; a
 * redirect never goes from https to http, and credentials never leave their origin. Certificates are always checked but
 * for hosts that the user calls trusted. */
#ifndef WP_EXT_HTTP_H
#define WP_EXT_HTTP_H

#include "base/str.h"

typedef struct wp_http wp_http;

typedef struct wp_http_options {
	const char *user_agent, *ca_file, *ca_dir, *proxy, *no_proxy; /* as in fetch.h */
	const char *const *trusted_hosts;	  /* http allowed, certificates not checked */
	size_t ntrusted_hosts;
	int connect_timeout_ms;
	int idle_timeout_ms; /* no byte for so long, or next to none of a body that isn't `alone`, is a failure */
} wp_http_options;

typedef struct wp_http_response {
	int status;		  /* 200, 206, 304, 404 ... */
	const char *content_type; /* lower case, without parameters; "" unknown */
	const char *etag, *last_modified, *cache_control, *location; /* NULL if absent */
	int64_t content_length;	  /* -1 unknown */
	int64_t range_total;	  /* from Content-Range, -1 unknown */
	uint64_t range_from;
	const char *final_url;
	wp_str body;		  /* where no sink was given; in the request's arena */
	const char *sha256_header; /* x-amz-meta-checksum-sha256 in hex, NULL if absent */
} wp_http_response;

typedef struct wp_http_request wp_http_request;

struct wp_http_request {
	wp_arena *a;		 /* for the response; owned by the caller */
	const char *url;
	const char *accept;	 /* NULL: * / * */
	const char *range;	 /* "0-99", "-65536"; NULL: whole */
	const char *if_range;	 /* with range: only if unchanged */
	const char *if_none_match, *if_modified_since;
	const char *userpwd;	 /* "user:password" for this origin; NULL: none */
	bool compressed;	 /* accept gzip (decoded before the sink); one that breaks off is WP_E_NETWORK */
	bool alone;		 /* a big body: a connection of its own, by HTTP/1.1, which costs less for it */
	uint64_t max_body;	 /* WP_E_TOO_LARGE above */
	/* Every piece of the body of a 200, or of a 206 where a range was asked for, in order; non-zero (with e filled) stops. NULL: into body. */
	int (*sink)(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e);
	/* Called once at the end, from wp_http_poll, with error.code set on failure (where is the address). A status such
	 * as 404 is no failure here. May start and abort requests; the request may be freed or started again. */
	void (*done)(void *user, wp_http_request *r);
	void *user;
	wp_http_response response;
	wp_error error;
	void *private_;
};

/* Without ca_file and ca_dir there are CA certificates all the same: libcurl was built with a place for them, or takes
 * them from the system itself. */
bool wp_http_knows_ca(void);
int wp_http_open(const wp_http_options *o, wp_http **out, wp_error *e);
void wp_http_close(wp_http *h);
/* Start; the request lives until done() was called. */
int wp_http_start(wp_http *h, wp_http_request *r, wp_error *e);
/* Stop without calling done(). */
void wp_http_abort(wp_http *h, wp_http_request *r);
/* Move everything on and wait up to ms for activity. */
int wp_http_poll(wp_http *h, int ms, wp_error *e);
void wp_http_wake(wp_http *h);

#endif

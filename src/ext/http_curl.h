/* SPDX-License-Identifier: MIT */
/* What the three files of http.h behind libcurl share: one transfer, and the handle it belongs to. */
#ifndef WP_EXT_HTTP_CURL_H
#define WP_EXT_HTTP_CURL_H

#include <curl/curl.h>

#include "ext/ca.h"
#include "ext/http.h"
#include "ext/inflate.h"

typedef struct wp_transfer wp_transfer;

struct wp_transfer {
	wp_http *h;
	wp_http_request *r;
	CURL *easy;
	struct curl_slist *headers;
	wp_transfer *prev, *next;
	const char *url;    /* of this hop */
	const char *origin; /* of the first hop: credentials are for it alone */
	int redirects;
	uint64_t received;
	wp_buf text;
	bool encoded, gzip;   /* the body, or all that is told of it */
	wp_inflate *inflate;  /* of a gzip body that was asked for, from its first byte on */
	bool whole;	      /* it came to its end */
	bool enough;	      /* stopped on purpose, the answer stands */
	/* When the speed was looked at last, 0 never; the bytes that had come; the most transfers at once since then. */
	uint64_t since, before, shared;
	char words[CURL_ERROR_SIZE];
};

struct wp_http {
	CURLM *multi;
	wp_arena *a;
	wp_http_options o;
	wp_transfer *first;
	size_t active;
	wp_ca *ca; /* NULL: libcurl reads the certificates */
	bool ca_tried;
};

/* Whether url may be asked for, from being the address that redirects to it or NULL: https, or plain http on loopback or
 * on a host that the user vouches for; never from https to http. Fails with WP_E_HTTP and, where it helps, what to type. */
int wp_transfer_check(wp_transfer *t, const char *from, const char *url, wp_error *e);

/* Every option of t->easy but the address; t->r and t->origin stand. */
void wp_transfer_setup(wp_transfer *t);

/* Aims at url, which was checked and lives as long as t: credentials go to t->origin alone. Forgets the last answer. */
void wp_transfer_aim(wp_transfer *t, const char *url);

/* As the next answer begins: no status, no headers, no body. */
void wp_transfer_forget(wp_transfer *t);

/* libcurl's header and body callbacks, user being the transfer: t->r->response and the sink or t->text are filled; where
 * a body is refused t->r->error says why, or t->enough that the answer stands without it. */
size_t wp_transfer_header(char *p, size_t size, size_t n, void *user);
size_t wp_transfer_body(char *p, size_t size, size_t n, void *user);

/* All has come that will come: fails where the body is not whole, which libcurl can't tell of a compressed one. */
int wp_transfer_whole(wp_transfer *t);

#endif

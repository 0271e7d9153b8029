/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "ext/http_curl.h"

enum {
	MAX_HEADER = 8192,	/* bytes of a header value that is kept */
	MAX_IGNORED = 256 << 10, /* bytes of a body that nobody wants */
	PIECE = 16 << 10
};

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

static void keep_header(wp_transfer *t, const char *name, wp_str v)
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
		const char *coding = wp_str_lower(a, v);

		t->encoded = !wp_streq(coding, "identity");
		t->gzip = wp_streq(coding, "gzip") || wp_streq(coding, "x-gzip");
	} else if (!strcmp(name, "content-length") && wp_str_u64(v, &n) && n <= INT64_MAX) {
		s->content_length = (int64_t)n;
	} else if (!strcmp(name, "x-amz-meta-checksum-sha256")) {
		unsigned char digest[WP_SHA256_HEX / 2];

		if (v.n == WP_SHA256_HEX && wp_unhex(v, digest, sizeof digest))
			s->sha256_header = wp_str_lower(a, v);
	}
}

void wp_transfer_forget(wp_transfer *t)
{
	t->r->response = (wp_http_response){
		.content_type = "", .content_length = -1, .range_total = -1, .final_url = t->url};
	t->encoded = t->gzip = t->whole = false;
	wp_inflate_free(t->inflate);
	t->inflate = NULL;
	t->received = 0;
	t->since = t->before = t->shared = 0;
}

size_t wp_transfer_header(char *p, size_t size, size_t n, void *user)
{
	wp_transfer *t = user;
	wp_str line = wp_str_trim((wp_str){p, size * n});
	size_t colon = wp_str_find(line, ':');
	wp_arena *a = t->r->a;

	if (wp_str_starts(line, "HTTP/")) {
		uint64_t status = 0;

		wp_transfer_forget(t);
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

static int too_large(wp_transfer *t, uint64_t n)
{
	wp_fail(&t->r->error, WP_E_TOO_LARGE, "%llu bytes or more, at most %llu are allowed",
		(unsigned long long)n, (unsigned long long)t->r->max_body);
	return WP_E_TOO_LARGE;
}

/* One piece of a wanted body; non-zero stops the transfer. */
static int take(wp_transfer *t, const char *p, size_t n)
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

/* The same of a piece of a compressed one; what stands behind its end means nothing. */
static int take_gzip(wp_transfer *t, const char *p, size_t n)
{
	const unsigned char *in = (const unsigned char *)p;
	wp_inflate_state s = WP_INFLATE_OUTPUT;

	if (!t->inflate)
		t->inflate = wp_inflate_gzip();
	while (!t->whole && (n || s == WP_INFLATE_OUTPUT)) {
		unsigned char buf[PIECE], *out = buf;
		size_t room = sizeof buf;

		s = wp_inflate_step(t->inflate, &in, &n, &out, &room);
		if (s == WP_INFLATE_ERROR)
			return wp_fail(&t->r->error, WP_E_NETWORK, "the compressed answer is damaged");
		t->whole = s == WP_INFLATE_END;
		if (out > buf && take(t, (const char *)buf, (size_t)(out - buf)))
			return t->r->error.code;
	}
	return wp_inflate_consumed(t->inflate) > t->r->max_body ? too_large(t, wp_inflate_consumed(t->inflate)) : 0;
}

static int take_encoded(wp_transfer *t, const char *p, size_t n)
{
	if (!t->r->compressed || !t->encoded)
		return take(t, p, n);
	if (t->gzip)
		return take_gzip(t, p, n);
	return wp_fail(&t->r->error, WP_E_HTTP, "the answer has a Content-Encoding that was not asked for");
}

int wp_transfer_whole(wp_transfer *t)
{
	if (t->r->response.status != 200 || !t->r->compressed || !t->gzip || t->whole)
		return 0;
	return wp_fail(&t->r->error, WP_E_NETWORK, "the compressed answer breaks off before its end");
}

size_t wp_transfer_body(char *p, size_t size, size_t n, void *user)
{
	wp_transfer *t = user;
	int status = t->r->response.status;

	n *= size;
	if (status == 200 || (status == 206 && t->r->range))
		return take_encoded(t, p, n) ? CURL_WRITEFUNC_ERROR : n;
	t->received += n;
	t->enough = t->received > MAX_IGNORED;
	return t->enough ? CURL_WRITEFUNC_ERROR : n;
}

/* SPDX-License-Identifier: MIT */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "ext/url.h"

static CURLU *parse(const char *url)
{
	CURLU *u = curl_url();

	if (!u)
		abort();
	if (curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE) == CURLUE_OK)
		return u;
	curl_url_cleanup(u);
	return NULL;
}

/* A part in arena a; NULL where the address has none. */
static char *part(wp_arena *a, CURLU *u, CURLUPart which, unsigned flags)
{
	char *s = NULL, *out;

	if (curl_url_get(u, which, &s, flags) != CURLUE_OK)
		return NULL;
	out = wp_strdup(a, s);
	curl_free(s);
	return out;
}

const char *wp_url_join(wp_arena *a, const char *base, const char *relative)
{
	CURLU *u = parse(base);
	const char *out = NULL;

	if (!u)
		return NULL;
	if (!*relative || curl_url_set(u, CURLUPART_URL, relative,
				  CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE) == CURLUE_OK)
		out = part(a, u, CURLUPART_URL, 0);
	curl_url_cleanup(u);
	return out;
}

static const char *lower_part(wp_arena *a, const char *url, CURLUPart which)
{
	CURLU *u = parse(url);
	const char *s;

	if (!u)
		return NULL;
	s = part(a, u, which, 0);
	curl_url_cleanup(u);
	return s ? wp_str_lower(a, wp_str_of(s)) : NULL;
}

const char *wp_url_scheme(wp_arena *a, const char *url)
{
	return lower_part(a, url, CURLUPART_SCHEME);
}

const char *wp_url_host(wp_arena *a, const char *url)
{
	return lower_part(a, url, CURLUPART_HOST);
}

const char *wp_url_origin(wp_arena *a, const char *url)
{
	CURLU *u = parse(url);
	const char *scheme, *host, *port;

	if (!u)
		return NULL;
	scheme = part(a, u, CURLUPART_SCHEME, 0);
	host = part(a, u, CURLUPART_HOST, 0);
	port = part(a, u, CURLUPART_PORT, CURLU_DEFAULT_PORT);
	curl_url_cleanup(u);
	if (!scheme)
		return NULL;
	return wp_str_lower(a, wp_str_of(wp_sprintf(a, "%s://%s%s%s", scheme, host ? host : "",
				       port ? ":" : "", port ? port : "")));
}

const char *wp_url_strip(wp_arena *a, const char *url, const char **userpwd)
{
	CURLU *u = parse(url);
	const char *user, *password, *out;

	if (userpwd)
		*userpwd = NULL;
	if (!u)
		return NULL;
	user = part(a, u, CURLUPART_USER, CURLU_URLDECODE);
	password = part(a, u, CURLUPART_PASSWORD, CURLU_URLDECODE);
	curl_url_set(u, CURLUPART_USER, NULL, 0);
	curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	out = part(a, u, CURLUPART_URL, 0);
	curl_url_cleanup(u);
	if (userpwd && (user || password))
		*userpwd = wp_sprintf(a, "%s:%s", user ? user : "", password ? password : "");
	return out;
}

const char *wp_url_with_host(wp_arena *a, const char *url, const char *host)
{
	CURLU *u = parse(url), *h = parse(wp_sprintf(a, "http://%s/", host));
	const char *name = h ? part(a, h, CURLUPART_HOST, 0) : NULL;
	const char *port = h ? part(a, h, CURLUPART_PORT, 0) : NULL, *out = NULL;

	if (u && name && curl_url_set(u, CURLUPART_HOST, name, 0) == CURLUE_OK &&
		curl_url_set(u, CURLUPART_PORT, port, 0) == CURLUE_OK)
		out = part(a, u, CURLUPART_URL, 0);
	curl_url_cleanup(u);
	curl_url_cleanup(h);
	return out;
}

const char *wp_url_decode(wp_arena *a, wp_str s)
{
	char *out = wp_alloc(a, s.n + 1);
	size_t i, n = 0;

	for (i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '%' && wp_unhex(wp_str_sub(s, i + 1, i + 3), &c, 1))
			i += 2;
		out[n++] = (char)c;
	}
	return wp_utf8_valid((wp_str){out, n}) ? out : NULL;
}

const char *wp_url_last_part(wp_arena *a, const char *url)
{
	wp_str path = {url, strcspn(url, "?#")};
	size_t slash = wp_str_rfind(path, '/');

	return slash == SIZE_MAX ? NULL : wp_url_decode(a, wp_str_sub(path, slash + 1, path.n));
}

const char *wp_url_encode(wp_arena *a, wp_str s)
{
	char *out = wp_alloc_array(a, s.n + 1, 3);
	size_t i, n = 0;

	for (i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (wp_ascii_alnum((char)c) || c == '-' || c == '.' || c == '_' || c == '~')
			out[n++] = (char)c;
		else
			n += (size_t)snprintf(out + n, 4, "%%%02X", c);
	}
	return out;
}

const char *wp_url_of_path(wp_arena *a, const char *path)
{
	const char *url = path[0] == '/' ? "file://" : "file:///";
	wp_str rest = wp_str_of(path), part;
	bool first = true;

	if (wp_ascii_alpha(path[0]) && path[1] == ':' && (path[2] == '/' || path[2] == 0)) {
		url = wp_sprintf(a, "%s%c:", url, path[0]);
		rest = wp_str_of(path + 2);
	}
	while (wp_str_split(&rest, '/', &part)) {
		url = wp_sprintf(a, "%s%s%s", url, first ? "" : "/", wp_url_encode(a, part));
		first = false;
	}
	return url;
}

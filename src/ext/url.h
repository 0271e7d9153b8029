/* SPDX-License-Identifier: MIT */
/* url.h: addresses (libcurl's URL parser, RFC 3986). All results in arena a; NULL where the text is no URL. */
#ifndef WP_EXT_URL_H
#define WP_EXT_URL_H

#include "base/str.h"

/* relative resolved against base, fragment kept. */
const char *wp_url_join(wp_arena *a, const char *base, const char *relative);
const char *wp_url_scheme(wp_arena *a, const char *url);
const char *wp_url_host(wp_arena *a, const char *url); /* lower case, without port */
const char *wp_url_origin(wp_arena *a, const char *url); /* scheme://host:port */
/* Without user and password; *userpwd (may be NULL) gets "user:password" or NULL. */
const char *wp_url_strip(wp_arena *a, const char *url, const char **userpwd);
/* host may carry ":port"; without one the scheme's own port is meant. */
const char *wp_url_with_host(wp_arena *a, const char *url, const char *host);
/* %xx decoded; NULL if the result has NUL or is no UTF-8. */
const char *wp_url_decode(wp_arena *a, wp_str s);
/* What stands behind the last '/' of the path, decoded like that. */
const char *wp_url_last_part(wp_arena *a, const char *url);
/* Percent-encode all but unreserved characters. */
const char *wp_url_encode(wp_arena *a, wp_str s);
/* file:// address of an absolute path with '/', perhaps one of a drive (C:/wheels). */
const char *wp_url_of_path(wp_arena *a, const char *path);

#endif

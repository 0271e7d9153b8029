/* SPDX-License-Identifier: MIT */
/* html.h: the anchors of an index page (PEP 503), from HTML as it is found: any order, case and quoting of attributes,
 * comments, scripts, entities. Not a parser of HTML: tags are read one after the other, nesting means nothing. */
#ifndef WP_FETCH_HTML_H
#define WP_FETCH_HTML_H

#include "base/str.h"

enum { WP_HTML_ATTRS = 24 }; /* attributes of one tag that are kept */

typedef struct wp_html_attr {
	wp_str name;  /* as written; look up with wp_html_get */
	wp_str value; /* as written, entities not decoded */
} wp_html_attr;

typedef struct wp_html_tag {
	const char *name; /* "a", "base" or "meta"; static */
	wp_html_attr attrs[WP_HTML_ATTRS];
	size_t n;
} wp_html_tag;

/* The next a, base or meta tag of *rest; false at the end. */
bool wp_html_next(wp_str *rest, wp_html_tag *out);
/* The first attribute of that name (lower case), or NULL. */
const wp_html_attr *wp_html_get(const wp_html_tag *t, const char *name);
/* Entities decoded, trimmed; NULL where the result holds NUL or is no UTF-8. */
const char *wp_html_text(wp_arena *a, wp_str value);

#endif

/* SPDX-License-Identifier: MIT */
/* page.h: a project page of an index, HTML (PEP 503 with 592, 658, 714) or JSON (PEP 691, 700), read while it comes. Of a
 * JSON page only its list of files is long, and of that no more than one file is held at a time; of an HTML page, the
 * whole. */
#ifndef WP_FETCH_PAGE_H
#define WP_FETCH_PAGE_H

#include "base/str.h"

/* The Accept header of a page request. */
#define WP_PAGE_ACCEPT                                                                             \
	"application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"

typedef struct wp_page_reader wp_page_reader;

/* content_type (lower case, without parameters) decides which form it is; links are relative to url, where the page came
 * from. project is normalised; links that are no wheel or sdist of it are counted in skipped. */
wp_page_reader *wp_page_open(const char *content_type, const char *url, const char *project);
/* The next piece. WP_E_PAGE, WP_E_TOO_LARGE. */
int wp_page_feed(wp_page_reader *r, const void *p, size_t n, wp_error *e);
/* It was the last one: the page's packed text (packed.h), which the caller frees. */
int wp_page_end(wp_page_reader *r, wp_buf *packed, wp_error *e);
void wp_page_close(wp_page_reader *r);

typedef struct wp_page {
	wp_str text;
	const char *content_type, *url; /* as above */
} wp_page;

/* A page that is there as a whole. Everything lives in a and nothing points into the text. */
int wp_page_read(wp_arena *a, const wp_page *page, const char *project, const char *index, wp_project *out,
	wp_error *e);

/* True for the name of a wheel or sdist of the project (normalised); scratch takes what is needed to see it. */
bool wp_page_belongs(wp_arena *scratch, const char *filename, const char *project);

#endif

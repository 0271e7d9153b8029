/* SPDX-License-Identifier: MIT */
/* page.h: a project page of an index, HTML (PEP 503 with 592, 658, 714) or JSON (PEP 691, 700), as a wp_project. */
#ifndef WP_FETCH_PAGE_H
#define WP_FETCH_PAGE_H

#include "wheelpack/types.h"

typedef struct wp_page {
	wp_str text;
	const char *content_type; /* lower case, without parameters: decides which form it is */
	const char *url;	  /* where the page came from: links are relative to it */
} wp_page;

/* The Accept header of a page request. */
#define WP_PAGE_ACCEPT                                                                             \
	"application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"

/* project is normalised; links that are no wheel or sdist of it are counted in skipped. Everything lives in a and
 * nothing points into the text. WP_E_PAGE, WP_E_TOO_LARGE. */
int wp_page_read(wp_arena *a, const wp_page *page, const char *project, const char *index, wp_project *out,
	wp_error *e);

/* True for the name of a wheel or sdist of the project (normalised); scratch takes what is needed to see it. */
bool wp_page_belongs(wp_arena *scratch, const char *filename, const char *project);

#endif

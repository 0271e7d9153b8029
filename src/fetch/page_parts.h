/* SPDX-License-Identifier: MIT */
/* page_parts.h: what the readers of the two forms of a page share; for page*.c alone. */
#ifndef WP_FETCH_PAGE_PARTS_H
#define WP_FETCH_PAGE_PARTS_H

#include "base/json.h"
#include "fetch/page.h"

/* Where the splitter stands in a JSON page. */
typedef struct wp_page_split {
	int depth;
	bool in_text, escaped;	      /* within quotes, behind a backslash */
	bool after_key;		      /* at depth 1, between ':' and ',' */
	bool in_files, in_element;    /* in the list of files, in one of them */
	wp_buf key;		      /* the last text at depth 1, as far as it fits */
	wp_buf element, rest;
	size_t files;		      /* that were read apart */
	wp_json j;		      /* reads one file after the other */
} wp_page_split;

struct wp_page_reader {
	wp_arena *a;	   /* as long as the reader */
	wp_arena *scratch; /* of a few files */
	const char *type;
	bool json;
	const char *base;   /* links are relative to it */
	const char *origin; /* scheme://host of base as it is written there */
	const char *project;
	size_t seen, kept, skipped;
	wp_buf packed;
	wp_buf text; /* HTML */
	wp_page_split split;
	wp_error *e; /* of the call that runs */
};

void wp_page_set_base(wp_page_reader *r, const char *url);
/* Absolute address without credentials and fragment, in scratch; NULL where there is none. */
const char *wp_page_resolve(wp_page_reader *r, wp_str link);
/* 64 hex digits in lower case, NULL for anything else. */
const char *wp_page_digest(wp_page_reader *r, wp_str hex);
/* What was put into r->scratch so far is not needed any more. */
void wp_page_drop_scratch(wp_page_reader *r);
/* One link of the page; the file's texts are in scratch, which this may drop. */
int wp_page_add(wp_page_reader *r, const wp_file *f);
int wp_page_version(wp_page_reader *r, wp_str text);

int wp_page_html(wp_page_reader *r, wp_str text);
void wp_page_json_open(wp_page_reader *r);
int wp_page_json_feed(wp_page_reader *r, const char *p, size_t n);
int wp_page_json_end(wp_page_reader *r);
void wp_page_json_close(wp_page_reader *r);

#endif

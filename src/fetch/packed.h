/* SPDX-License-Identifier: MIT */
/* packed.h: the files of a project page in one compact text: what is left of a page once it was read, in memory and in
 * the cache. Reading it copies nothing. */
#ifndef WP_FETCH_PACKED_H
#define WP_FETCH_PACKED_H

#include "base/str.h"

enum { WP_MAX_PACKED = 2 * WP_MAX_PAGE }; /* bytes */

/* A text of no file yet. */
void wp_packed_begin(wp_buf *b);
/* One more file; its index isn't kept. */
void wp_packed_add(wp_buf *b, const wp_file *f);
/* skipped: as in wp_project. Nothing is added any more. */
void wp_packed_end(wp_buf *b, size_t files, size_t skipped);

/* The texts of the files point into text, which must live as long. False where it is no packed text, whatever it is. */
bool wp_packed_read(wp_arena *a, wp_str text, const char *project, const char *index, wp_project *out);

#endif

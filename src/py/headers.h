/* SPDX-License-Identifier: MIT */
/* headers.h: the mail headers that METADATA and WHEEL are written in. */
#ifndef WP_PY_HEADERS_H
#define WP_PY_HEADERS_H

#include "base/str.h"

/* What must hold before a text file of a wheel is read: UTF-8, no NUL, no byte order mark, not over max bytes.
 * file names it in the message. */
int wp_text_check(wp_str text, const char *file, size_t max, wp_code code, wp_error *e);
/* Cut the next header from *rest; folded lines are joined by one space. False at the blank line that ends the headers,
 * at a line that is no header, and at the end. */
bool wp_header_next(wp_arena *a, wp_str *rest, wp_str *name, const char **value);
/* Bytes of the name before the colon; SIZE_MAX where the line is no header. */
size_t wp_header_name(wp_str line);
/* Does the text begin with a line that goes on from the one before? */
bool wp_header_folded(wp_str text);

#endif

/* SPDX-License-Identifier: MIT */
/* zipwrite.h: writes the bundle file (libzip): stored members, zip64 where needed, fixed times, members in the
 * order in which they were added, so that the same input gives the same bytes. */
#ifndef WP_EXT_ZIPWRITE_H
#define WP_EXT_ZIPWRITE_H

#include "base/str.h"

typedef struct wp_zipwrite wp_zipwrite;

/* path must be new. */
int wp_zipwrite_open(const char *path, wp_zipwrite **out, wp_error *e);
/* The text is copied. */
int wp_zipwrite_text(wp_zipwrite *w, const char *name, wp_str text, wp_error *e);
/* The blob is read when the archive is closed and must live until then; on_read (may be NULL) sees every buffer
 * once, in order, and can refuse it. */
int wp_zipwrite_blob(wp_zipwrite *w, const char *name, const wp_blob *blob,
	int (*on_read)(void *user, const void *p, size_t n, wp_error *e), void *user, wp_error *e);
/* Write everything and close. tick(user, part done) is called now and then; returning non-zero stops. Frees w; the file
 * is removed where this fails. */
int wp_zipwrite_close(wp_zipwrite *w, int (*tick)(void *user, double done), void *user, wp_error *e);
/* Give up: removes the file. */
void wp_zipwrite_discard(wp_zipwrite *w);

#endif

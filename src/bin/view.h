/* SPDX-License-Identifier: MIT */
/* view.h: windows over a blob for readers of binaries: bounds-checked little-endian reads, buffered. */
#ifndef WP_BIN_VIEW_H
#define WP_BIN_VIEW_H

#include "base/str.h"

typedef struct wp_view wp_view;

/* blob is borrowed. Reads in windows of 64 KB; a few are kept. */
wp_view *wp_view_new(wp_arena *a, const wp_blob *blob);
uint64_t wp_view_size(const wp_view *v);
/* The blob's own words where a read failed, else NULL. */
const char *wp_view_fault(const wp_view *v);
/* False past the end; a read error of the blob is kept in the view. */
bool wp_view_bytes(wp_view *v, uint64_t off, void *out, size_t n);
bool wp_view_u16(wp_view *v, uint64_t off, uint16_t *out);
bool wp_view_u32(wp_view *v, uint64_t off, uint32_t *out);
bool wp_view_u64(wp_view *v, uint64_t off, uint64_t *out);
/* NUL-terminated text of at most max bytes, copied into the arena; NULL if it doesn't end. */
const char *wp_view_cstr(wp_view *v, wp_arena *a, uint64_t off, size_t max);

#endif

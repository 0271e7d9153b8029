/* SPDX-License-Identifier: MIT */
/* cache.h: the cache directory. Several processes may use it at once: entries appear by rename, and a download is
 * locked. Layout; all but pages and metadata, which are few, in 256 folders by the first two digits of the key:
 *   wheels/<sha256>     whole wheels
 *   checked/<sha256>    what the check of that wheel's members found
 *   pages/<key>         index pages, packed
 *   metadata/<key>      METADATA texts
 *   digests/<key>       digest of a file for which the index gives none
 * and partial/<key>, partial/<key>.lock for downloads. */
#ifndef WP_FETCH_CACHE_H
#define WP_FETCH_CACHE_H

#include "base/str.h"

/* dir/kind/ab/key, or dir/kind/key */
const char *wp_cache_path(wp_arena *a, const char *dir, const char *kind, const char *key);
/* sha256 of the parts; NULL parts count as empty. */
void wp_cache_key(const char *const *parts, size_t n, char out[WP_SHA256_HEX + 1]);

/* An entry is kept with a sum of its bytes, so that a damaged one is a missing one. */
bool wp_cache_get(wp_arena *a, const char *dir, const char *kind, const char *key, size_t max, wp_str *out);
/* The same on the heap, for what is big: *out is within *file, which is to be freed. */
bool wp_cache_load(const char *dir, const char *kind, const char *key, size_t max, wp_buf *file, wp_str *out);
/* head and body one after the other. A cache that can't be written costs time, and should never be more than a note. */
int wp_cache_put(const char *dir, const char *kind, const char *key, wp_str head, wp_str body, wp_error *e);

/* Writes entries on a thread of its own, so that nobody waits for the disk; without one (threads is false), at once. */
typedef struct wp_cache_writer wp_cache_writer;
wp_cache_writer *wp_cache_writer_open(const char *dir, bool threads);
/* head is copied; kind and body must be there until the writer is closed. */
void wp_cache_write(wp_cache_writer *w, const char *kind, const char *key, wp_str head, wp_str body);
/* When all is written; the first fault, if there was one. w may be NULL. */
int wp_cache_writer_close(wp_cache_writer *w, wp_error *e);

/* The line "word VALUE" of an entry's text, NULL if it has none. */
const char *wp_cache_field(wp_arena *a, wp_str text, const char *word);

/* The wheel of that digest, NULL if it isn't there. */
const char *wp_cache_wheel(wp_arena *a, const char *dir, const char *sha256, uint64_t *size);
/* Where an entry is to lie, what is no file goes: a link, a pipe, an empty directory. False where nothing went. */
bool wp_cache_clear(const char *path);
/* Move a whole file to its place among the wheels. */
int wp_cache_keep_wheel(wp_arena *a, const char *dir, const char *from, const char *sha256, const char **path,
	wp_error *e);

#endif

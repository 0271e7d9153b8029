/* SPDX-License-Identifier: MIT */
/* arena.h: memory with one lifetime. Zeroed, never fails (out of memory ends the process through
 * wp_oom_handler). Blocks of 64 KB; a larger piece gets a block of its own. Not thread-safe: a job
 * has its own arena. */
#ifndef WP_BASE_ARENA_H
#define WP_BASE_ARENA_H

#include <stdarg.h>
#include "wheelpack/types.h"

wp_arena *wp_arena_new(void);
void wp_arena_free(wp_arena *a);
bool wp_arena_is_empty(const wp_arena *a); /* nothing was allocated in it */
/* Aligned for any type. */
void *wp_alloc(wp_arena *a, size_t n);
void *wp_alloc_array(wp_arena *a, size_t n, size_t size); /* overflow checked */
char *wp_strdup(wp_arena *a, const char *s);		   /* NULL stays NULL */
char *wp_str_dup(wp_arena *a, wp_str s);		   /* NUL-terminated copy */
wp_str wp_str_copy(wp_arena *a, wp_str s);
char *wp_sprintf(wp_arena *a, const char *fmt, ...) WP_PRINTF(2, 3);
char *wp_vsprintf(wp_arena *a, const char *fmt, va_list ap);

/* Heap for what grows or is big; never NULL. Free with free(). */
void *wp_xmalloc(size_t n);
void *wp_xrealloc(void *p, size_t n);

#define WP_NEW(a, type) ((type *)wp_alloc((a), sizeof(type)))
#define WP_NEW_ARRAY(a, n, type) ((type *)wp_alloc_array((a), (n), sizeof(type)))

#endif

/* SPDX-License-Identifier: MIT */
/* vec.h: a typed growable array on the heap. Declare with WP_VEC(type), push with WP_PUSH, copy the
 * result into an arena with WP_VEC_TAKE (which frees the vec). */
#ifndef WP_BASE_VEC_H
#define WP_BASE_VEC_H

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

#define WP_VEC(type)                                                                               \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n, cap;                                                                     \
	}

/* New slot for n elements of size bytes; keeps *cap. */
void *wp_vec_grow(void *v, size_t n, size_t *cap, size_t size);

#define WP_PUSH(vec, item)                                                                         \
	((vec)->v = wp_vec_grow((vec)->v, (vec)->n + 1, &(vec)->cap, sizeof *(vec)->v),             \
		(vec)->v[(vec)->n++] = (item))
/* Pointer to a new zeroed element. */
#define WP_PUSH_NEW(vec)                                                                           \
	((vec)->v = wp_vec_grow((vec)->v, (vec)->n + 1, &(vec)->cap, sizeof *(vec)->v),             \
		memset(&(vec)->v[(vec)->n], 0, sizeof *(vec)->v), &(vec)->v[(vec)->n++])
#define WP_VEC_FREE(vec) (free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)

/* Copy of the elements in arena a (NULL where there are none); the caller still frees the vec. */
void *wp_vec_copy(wp_arena *a, const void *v, size_t n, size_t size);
#define WP_VEC_COPY(a, vec) wp_vec_copy((a), (vec)->v, (vec)->n, sizeof *(vec)->v)

#endif

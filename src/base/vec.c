/* SPDX-License-Identifier: MIT */
#include "base/vec.h"

void *wp_vec_grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n <= *cap)
		return v;
	*cap = *cap ? *cap * 2 : 8;
	return wp_xrealloc(v, *cap * size);
}

void *wp_vec_copy(wp_arena *a, const void *v, size_t n, size_t size)
{
	void *p;

	if (n == 0)
		return NULL;
	p = wp_alloc_array(a, n, size);
	return memcpy(p, v, n * size);
}

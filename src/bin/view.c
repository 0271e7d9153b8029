/* SPDX-License-Identifier: MIT */
#include "bin/view.h"

#include <string.h>

enum { WINDOW = 64 << 10, WINDOWS = 4 };

typedef struct window {
	unsigned char *data;
	uint64_t off;
	size_t n; /* 0: nothing read yet */
	uint64_t used;
} window;

struct wp_view {
	const wp_blob *blob;
	window w[WINDOWS];
	uint64_t clock;
	wp_error error;
};

wp_view *wp_view_new(wp_arena *a, const wp_blob *blob)
{
	wp_view *v = WP_NEW(a, wp_view);
	int i;

	v->blob = blob;
	for (i = 0; i < WINDOWS; i++)
		v->w[i].data = wp_alloc(a, WINDOW);
	return v;
}

uint64_t wp_view_size(const wp_view *v)
{
	return v->blob->size;
}

const char *wp_view_fault(const wp_view *v)
{
	return v->error.code ? v->error.why : NULL;
}

static bool load(wp_view *v, window *w, uint64_t off)
{
	uint64_t left = v->blob->size - off;

	w->off = off;
	w->n = left < WINDOW ? (size_t)left : WINDOW;
	if (v->blob->read_at(v->blob->self, w->data, w->n, off, &v->error) != 0) {
		w->n = 0;
		return false;
	}
	return true;
}

/* The window that holds off, reading it over the one that was used longest ago. */
static window *window_at(wp_view *v, uint64_t off)
{
	uint64_t start = off - off % WINDOW;
	window *oldest = &v->w[0];
	int i;

	for (i = 0; i < WINDOWS; i++) {
		window *w = &v->w[i];

		if (w->n && w->off == start) {
			w->used = ++v->clock;
			return w;
		}
		if (w->used < oldest->used)
			oldest = w;
	}
	oldest->used = ++v->clock;
	return load(v, oldest, start) ? oldest : NULL;
}

bool wp_view_bytes(wp_view *v, uint64_t off, void *out, size_t n)
{
	unsigned char *to = out;

	if (v->error.code || off > v->blob->size || n > v->blob->size - off)
		return false;
	while (n > 0) {
		window *w = window_at(v, off);
		size_t at, part;

		if (!w)
			return false;
		at = (size_t)(off - w->off);
		part = w->n - at < n ? w->n - at : n;
		memcpy(to, w->data + at, part);
		to += part;
		off += part;
		n -= part;
	}
	return true;
}

bool wp_view_u16(wp_view *v, uint64_t off, uint16_t *out)
{
	unsigned char b[2];

	if (!wp_view_bytes(v, off, b, sizeof b))
		return false;
	*out = (uint16_t)(b[0] | b[1] << 8);
	return true;
}

bool wp_view_u32(wp_view *v, uint64_t off, uint32_t *out)
{
	unsigned char b[4];

	if (!wp_view_bytes(v, off, b, sizeof b))
		return false;
	*out = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	return true;
}

bool wp_view_u64(wp_view *v, uint64_t off, uint64_t *out)
{
	uint32_t lo, hi;

	if (!wp_view_u32(v, off, &lo) || off > UINT64_MAX - 4 || !wp_view_u32(v, off + 4, &hi))
		return false;
	*out = (uint64_t)hi << 32 | lo;
	return true;
}

const char *wp_view_cstr(wp_view *v, wp_arena *a, uint64_t off, size_t max)
{
	uint64_t at = off;
	size_t n;
	char *out;

	while (at < v->blob->size && at - off <= max) {
		char c;

		if (!wp_view_bytes(v, at, &c, 1))
			return NULL;
		if (c == 0)
			break;
		at++;
	}
	if (at >= v->blob->size || at - off > max)
		return NULL;
	n = (size_t)(at - off);
	out = wp_alloc(a, n + 1);
	return wp_view_bytes(v, off, out, n) ? out : NULL;
}

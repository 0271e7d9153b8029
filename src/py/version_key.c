/* SPDX-License-Identifier: MIT */
#include "py/version_key.h"

#include <string.h>

/* A key is the epoch, the release without trailing zeros, a byte for what follows the release, and then, each only
 * where the byte before announces it, the numbers of pre, post and dev, and the label. Every part ends itself, so no
 * key is the beginning of another one, and places between versions are beginnings of keys, or keys with one more
 * byte. */
enum {
	/* A number is at least SMALL, so that the end of the release, which is less, comes before 1.0.1. */
	DEV_ONLY = 1, ALPHA, BETA, CANDIDATE, FINAL, SMALL = 16, BIG = 0xf0, BEYOND = 0xf9,
	NO_POST = 1, POST, AFTER_POSTS,
	DEV = 1, NO_DEV,
	END_OF_LABEL = 0, WORD, DIGITS, AFTER_LABELS = 0xff
};

/* No part takes more than twice the bytes that it has in the text of a version. */
typedef struct writer {
	unsigned char b[3 * WP_MAX_VERSION + 64];
	size_t n;
} writer;

static void put(writer *w, unsigned byte)
{
	w->b[w->n++] = (unsigned char)byte;
}

/* One byte, or how many bytes follow and then these. */
static void put_number(writer *w, uint64_t v)
{
	int bytes = 1;

	if (v < BIG - SMALL) {
		put(w, SMALL + (unsigned)v);
		return;
	}
	while (bytes < 8 && v >> 8 * bytes)
		bytes++;
	put(w, BIG + (unsigned)bytes);
	while (bytes--)
		put(w, v >> 8 * bytes & 0xff);
}

static void put_release(writer *w, const wp_version *v, size_t n)
{
	size_t i;

	put_number(w, v->epoch);
	while (n && v->release[n - 1] == 0)
		n--;
	for (i = 0; i < n; i++)
		put_number(w, v->release[i]);
}

static void put_pre(writer *w, const wp_version *v)
{
	if (v->pre) {
		put(w, v->pre == 'a' ? ALPHA : v->pre == 'b' ? BETA : CANDIDATE);
		put_number(w, v->pre_n);
	} else {
		put(w, v->dev && !v->post ? DEV_ONLY : FINAL);
	}
}

static void put_post(writer *w, const wp_version *v)
{
	put(w, v->post ? POST : NO_POST);
	if (v->post)
		put_number(w, v->post_n);
}

static void put_public(writer *w, const wp_version *v)
{
	put_release(w, v, v->nrelease);
	put_pre(w, v);
	put_post(w, v);
	put(w, v->dev ? DEV : NO_DEV);
	if (v->dev)
		put_number(w, v->dev_n);
}

/* Numbers stand above words, and since the normal form has no leading zeros the longer number is the greater. */
static void put_label(writer *w, const char *local)
{
	wp_str rest = wp_str_of(local), part;
	size_t i;

	while (local && wp_str_split(&rest, '.', &part)) {
		for (i = 0; i < part.n && wp_ascii_digit(part.p[i]); i++)
			;
		put(w, i == part.n ? DIGITS : WORD);
		if (i == part.n) {
			put(w, (unsigned)(part.n >> 8));
			put(w, part.n & 0xff);
		}
		memcpy(w->b + w->n, part.p, part.n);
		w->n += part.n;
		if (i < part.n)
			put(w, 0);
	}
	put(w, END_OF_LABEL);
}

static wp_key finish(wp_arena *a, const writer *w)
{
	unsigned char *p = wp_alloc(a, w->n);
	wp_key k = {.p = p, .n = w->n};
	size_t i;

	memcpy(p, w->b, w->n);
	for (i = 0; i < 8; i++)
		k.head = k.head << 8 | (i < w->n ? w->b[i] : 0);
	return k;
}

wp_key wp_key_of(wp_arena *a, const wp_version *v)
{
	writer w;

	w.n = 0;
	put_public(&w, v);
	put_label(&w, v->local);
	return finish(a, &w);
}

/* Where one key is the beginning of another, the missing bytes of its head are zeros, and never above the other's. */
int wp_key_cmp(const wp_key *a, const wp_key *b)
{
	size_t n = a->n < b->n ? a->n : b->n;
	int c = 0;

	if (a->head != b->head)
		return a->head < b->head ? -1 : 1;
	if (n > 8)
		c = memcmp(a->p + 8, b->p + 8, n - 8);
	return c ? c : (a->n > b->n) - (a->n < b->n);
}

wp_key wp_key_place(wp_arena *a, const wp_version *v, wp_place place)
{
	writer w;

	w.n = 0;
	switch (place) {
	case WP_PLACE_BEFORE:
		put_public(&w, v);
		break;
	case WP_PLACE_AFTER:
		put_public(&w, v);
		put(&w, AFTER_LABELS);
		break;
	case WP_PLACE_AFTER_EXACT:
		put_public(&w, v);
		put_label(&w, v->local);
		put(&w, 0);
		break;
	case WP_PLACE_BEFORE_DEV:
		put_release(&w, v, v->nrelease);
		if (v->post) {
			put_pre(&w, v);
			put_post(&w, v);
		}
		put(&w, v->post ? DEV : DEV_ONLY);
		break;
	case WP_PLACE_AFTER_POSTS:
		put_release(&w, v, v->nrelease);
		put_pre(&w, v);
		put(&w, AFTER_POSTS);
		break;
	}
	return finish(a, &w);
}

wp_key wp_key_series(wp_arena *a, const wp_version *v, size_t n)
{
	writer w;

	w.n = 0;
	put_release(&w, v, n);
	put(&w, DEV_ONLY);
	return finish(a, &w);
}

/* That is where the next series begins: of 1.2, 1.3. */
wp_key wp_key_series_end(wp_arena *a, const wp_version *v, size_t n)
{
	size_t i;
	writer w;

	w.n = 0;
	put_number(&w, v->epoch);
	for (i = 0; i + 1 < n; i++)
		put_number(&w, v->release[i]);
	if (v->release[n - 1] == UINT64_MAX)
		put(&w, BEYOND);
	else
		put_number(&w, v->release[n - 1] + 1);
	put(&w, DEV_ONLY);
	return finish(a, &w);
}

const wp_key wp_key_first = {0};
const wp_key wp_key_last = {UINT64_MAX, (const unsigned char *)"\xff\xff\xff\xff\xff\xff\xff\xff", 8};

bool wp_version_before(const wp_version *v, const wp_key *place)
{
	return wp_key_cmp(&v->key, place) < 0;
}

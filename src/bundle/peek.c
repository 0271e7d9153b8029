/* SPDX-License-Identifier: MIT */
#include "bundle/peek.h"

#include <string.h>

#include "bundle/source.h"
#include "ext/inflate.h"
#include "os/os.h"

enum { INPUT = 256 << 10, WINDOW = 256 << 10 };

typedef struct peek {
	const wp_blob *wheel;
	uint64_t data, packed, size; /* of the member */
	os_mutex *lock;
	wp_inflate *z;
	uint64_t taken;		     /* packed bytes read so far */
	uint64_t window_at;	     /* place of the window in the member */
	size_t window_n;
	const unsigned char *in;
	size_t nin;
	unsigned char input[INPUT], window[WINDOW];
} peek;

static void restart(peek *p)
{
	wp_inflate_restart(p->z);
	p->taken = p->window_at = 0;
	p->window_n = p->nin = 0;
	p->in = p->input;
}

static int refill(peek *p, wp_error *e)
{
	uint64_t left = p->packed - p->taken;
	size_t n = left < INPUT ? (size_t)left : INPUT;

	if (n == 0)
		return wp_fail(e, WP_E_ZIP, "the member ends at byte %llu of %llu",
			(unsigned long long)(p->window_at + p->window_n), (unsigned long long)p->size);
	if (p->wheel->read_at(p->wheel->self, p->input, n, p->data + p->taken, e))
		return e->code;
	p->in = p->input;
	p->nin = n;
	p->taken += n;
	return 0;
}

/* Replace the window by what follows it. */
static int advance(peek *p, wp_error *e)
{
	uint64_t left;
	unsigned char *out = p->window;
	size_t room;

	p->window_at += p->window_n;
	left = p->size - p->window_at;
	p->window_n = room = left < WINDOW ? (size_t)left : WINDOW;
	while (room) {
		wp_inflate_state s = wp_inflate_step(p->z, &p->in, &p->nin, &out, &room);

		if (s == WP_INFLATE_ERROR || (s == WP_INFLATE_END && room))
			return wp_fail(e, WP_E_ZIP, "damaged deflate data in the member's bytes from %llu",
				(unsigned long long)p->window_at);
		if (s == WP_INFLATE_INPUT && room && refill(p, e))
			return e->code;
	}
	return 0;
}

static int read_some(peek *p, unsigned char *to, size_t n, uint64_t off, wp_error *e)
{
	if (off < p->window_at)
		restart(p);
	while (n > 0) {
		size_t at, part;

		if (off >= p->window_at + p->window_n) {
			if (advance(p, e)) {
				restart(p);
				return e->code;
			}
			continue;
		}
		at = (size_t)(off - p->window_at);
		part = p->window_n - at < n ? p->window_n - at : n;
		memcpy(to, p->window + at, part);
		to += part;
		off += part;
		n -= part;
	}
	return 0;
}

static int peek_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	peek *p = self;

	if (wp_within(p->size, n, off, e))
		return e->code;
	os_mutex_lock(p->lock);
	read_some(p, buf, n, off, e);
	os_mutex_unlock(p->lock);
	return e->code;
}

static void peek_close(void *self)
{
	peek *p = self;

	wp_inflate_free(p->z);
	os_mutex_free(p->lock);
	free(p);
}

wp_blob wp_peek_open(const wp_blob *wheel, const wp_zip_entry *entry)
{
	peek *p = wp_xmalloc(sizeof *p);

	p->wheel = wheel;
	p->data = entry->data_offset;
	p->packed = entry->csize;
	p->size = entry->size;
	p->lock = os_mutex_new();
	p->z = wp_inflate_new();
	restart(p);
	return (wp_blob){p, p->size, peek_read, peek_close};
}

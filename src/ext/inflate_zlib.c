/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"
#include "ext/inflate.h"

struct wp_inflate {
	wp_deflate *own; /* then the rest is not used */
	z_stream z;
	uint64_t consumed;
	wp_inflate_state latched; /* END or ERROR once reached, else INPUT */
};

wp_inflate *wp_inflate_new(void)
{
	wp_inflate *z = wp_xmalloc(sizeof *z);

	*z = (wp_inflate){.own = wp_deflate_new()};
	return z;
}

static wp_inflate *new_zlib(int window_bits)
{
	wp_inflate *z = wp_xmalloc(sizeof *z);

	*z = (wp_inflate){.latched = WP_INFLATE_INPUT};
	if (inflateInit2(&z->z, window_bits) != Z_OK)
		abort();
	return z;
}

wp_inflate *wp_inflate_zlib(void)
{
	return new_zlib(-MAX_WBITS);
}

wp_inflate *wp_inflate_gzip(void)
{
	return new_zlib(16 + MAX_WBITS);
}

void wp_inflate_restart(wp_inflate *z)
{
	if (z->own) {
		wp_deflate_restart(z->own);
		return;
	}
	inflateReset(&z->z);
	z->consumed = 0;
	z->latched = WP_INFLATE_INPUT;
}

static uInt piece(size_t n)
{
	return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

wp_inflate_state wp_inflate_step(wp_inflate *z, const unsigned char **in, size_t *nin, unsigned char **out,
	size_t *nout)
{
	uInt give = piece(*nin), room = piece(*nout);
	int rc;

	if (z->own)
		return wp_deflate_step(z->own, in, nin, out, nout);
	if (z->latched != WP_INFLATE_INPUT)
		return z->latched;
	z->z.next_in = (Bytef *)(uintptr_t)*in;
	z->z.avail_in = give;
	z->z.next_out = *out;
	z->z.avail_out = room;
	rc = inflate(&z->z, Z_NO_FLUSH);
	give -= z->z.avail_in;
	room -= z->z.avail_out;
	*in += give;
	*nin -= give;
	*out += room;
	*nout -= room;
	z->consumed += give;
	if (rc == Z_STREAM_END)
		return z->latched = WP_INFLATE_END;
	if (rc != Z_OK && rc != Z_BUF_ERROR)
		return z->latched = WP_INFLATE_ERROR;
	return *nout == 0 ? WP_INFLATE_OUTPUT : WP_INFLATE_INPUT;
}

uint64_t wp_inflate_consumed(const wp_inflate *z)
{
	return z->own ? wp_deflate_consumed(z->own) : z->consumed;
}

void wp_inflate_free(wp_inflate *z)
{
	if (!z)
		return;
	if (!z->own)
		inflateEnd(&z->z);
	free(z->own);
	free(z);
}

uint32_t wp_crc32(uint32_t crc, const void *p, size_t n)
{
	return (uint32_t)crc32_z(crc, p, n);
}

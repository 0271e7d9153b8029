/* SPDX-License-Identifier: MIT */
/* inflate.h: raw deflate (RFC 1951), or gzip, streaming. Errors latch. The caller treats "need input, none left" as
 * truncated, and after the end requires that consumed, length and crc are as declared. */
#ifndef WP_EXT_INFLATE_H
#define WP_EXT_INFLATE_H

#include "base/deflate.h"

typedef struct wp_inflate wp_inflate;

wp_inflate *wp_inflate_new(void);  /* raw, by our own decoder, twice as fast as zlib's */
wp_inflate *wp_inflate_zlib(void); /* the same by zlib, which ours is held to */
wp_inflate *wp_inflate_gzip(void); /* RFC 1952: one member, whose length and crc are checked here */
void wp_inflate_restart(wp_inflate *z);
/* Takes from *in (*nin bytes) and fills *out (*nout bytes), moving both. WP_INFLATE_INPUT: all input is used;
 * WP_INFLATE_OUTPUT: the output is full. What is behind the bytes given out, up to *nout, may be overwritten too. */
wp_inflate_state wp_inflate_step(wp_inflate *z, const unsigned char **in, size_t *nin, unsigned char **out,
	size_t *nout);
uint64_t wp_inflate_consumed(const wp_inflate *z); /* exact after the end */
void wp_inflate_free(wp_inflate *z);
uint32_t wp_crc32(uint32_t crc, const void *p, size_t n); /* start with 0 */

#endif

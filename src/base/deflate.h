/* SPDX-License-Identifier: MIT */
/* deflate.h: decoder of raw deflate (RFC 1951), streaming, for speed; ext/inflate.h has it beside zlib. It takes and
 * refuses what zlib does, gives the same bytes and ends at the same one. */
#ifndef WP_BASE_DEFLATE_H
#define WP_BASE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct wp_deflate wp_deflate;

typedef enum wp_inflate_state {
	WP_INFLATE_INPUT, WP_INFLATE_OUTPUT, WP_INFLATE_END, WP_INFLATE_ERROR
} wp_inflate_state;

wp_deflate *wp_deflate_new(void); /* 80 KB; free with free() */
void wp_deflate_restart(wp_deflate *d);
/* As wp_inflate_step. Fast where input and output have some hundred bytes left. What lies behind the bytes given out, up
 * to the end of the output, may be overwritten; what was given out before is not looked at again. */
wp_inflate_state wp_deflate_step(wp_deflate *d, const unsigned char **in, size_t *nin, unsigned char **out,
	size_t *nout);
uint64_t wp_deflate_consumed(const wp_deflate *d);

#endif

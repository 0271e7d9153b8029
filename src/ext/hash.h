/* SPDX-License-Identifier: MIT */
/* hash.h: digests (OpenSSL). A wp_hash is one running digest; not thread-safe, one a thread. */
#ifndef WP_EXT_HASH_H
#define WP_EXT_HASH_H

#include "base/str.h"

typedef struct wp_hash wp_hash;

typedef enum wp_hash_kind { WP_SHA256, WP_SHA384, WP_SHA512 } wp_hash_kind;
enum { WP_HASH_MAX = 64 };

wp_hash *wp_hash_new(wp_hash_kind k);
void wp_hash_restart(wp_hash *h);
void wp_hash_add(wp_hash *h, const void *p, size_t n);
size_t wp_hash_end(wp_hash *h, unsigned char out[WP_HASH_MAX]); /* bytes; restart before more */
void wp_hash_free(wp_hash *h);
/* Lower-case hex of sha256, NUL-terminated. */
void wp_sha256_hex(wp_str s, char out[WP_SHA256_HEX + 1]);
int wp_sha256_blob(const wp_blob *b, char out[WP_SHA256_HEX + 1], wp_error *e);

#endif

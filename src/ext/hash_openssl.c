/* SPDX-License-Identifier: MIT */
#include <openssl/evp.h>
#include <stdlib.h>

#include "ext/hash.h"

struct wp_hash {
	EVP_MD_CTX *ctx;
	const EVP_MD *md;
};

wp_hash *wp_hash_new(wp_hash_kind k)
{
	wp_hash *h = wp_xmalloc(sizeof *h);

	h->ctx = EVP_MD_CTX_new();
	h->md = k == WP_SHA512 ? EVP_sha512() : k == WP_SHA384 ? EVP_sha384() : EVP_sha256();
	wp_hash_restart(h);
	return h;
}

/* A digest that silently isn't one would pass anything: without it the process can't go on. */
static void must(int ok)
{
	if (ok != 1)
		abort();
}

void wp_hash_restart(wp_hash *h)
{
	must(h->ctx && EVP_DigestInit_ex(h->ctx, h->md, NULL));
}

void wp_hash_add(wp_hash *h, const void *p, size_t n)
{
	must(EVP_DigestUpdate(h->ctx, p, n));
}

size_t wp_hash_end(wp_hash *h, unsigned char out[WP_HASH_MAX])
{
	unsigned n = 0;

	must(EVP_DigestFinal_ex(h->ctx, out, &n));
	return n;
}

void wp_hash_free(wp_hash *h)
{
	if (!h)
		return;
	EVP_MD_CTX_free(h->ctx);
	free(h);
}

static void end_hex(wp_hash *h, char out[WP_SHA256_HEX + 1])
{
	unsigned char d[WP_HASH_MAX];

	wp_hash_end(h, d);
	wp_hash_free(h);
	wp_hex(d, WP_SHA256_HEX / 2, out);
}

void wp_sha256_hex(wp_str s, char out[WP_SHA256_HEX + 1])
{
	wp_hash *h = wp_hash_new(WP_SHA256);

	wp_hash_add(h, s.p, s.n);
	end_hex(h, out);
}

int wp_sha256_blob(const wp_blob *b, char out[WP_SHA256_HEX + 1], wp_error *e)
{
	enum { PIECE = 1 << 20 };
	wp_hash *h = wp_hash_new(WP_SHA256);
	unsigned char *buf = wp_xmalloc(PIECE);
	uint64_t off = 0;
	int rc = 0;

	while (rc == 0 && off < b->size) {
		size_t n = b->size - off < PIECE ? (size_t)(b->size - off) : PIECE;

		rc = b->read_at(b->self, buf, n, off, e);
		if (rc == 0)
			wp_hash_add(h, buf, n);
		off += n;
	}
	free(buf);
	end_hex(h, out);
	return rc;
}

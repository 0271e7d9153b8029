/* SPDX-License-Identifier: MIT */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "ext/ca.h"
#include "os/os.h"

enum { MAX_FILE = 32 << 20 };

typedef struct cert {
	wp_str der;
	X509_NAME *subject;
} cert;

struct wp_ca {
	wp_arena *a;
	WP_VEC(cert) certs;
	X509_LOOKUP_METHOD *method;
	const char *dir;
};

/* ---- the file ----------------------------------------------------------------------------- */

/* One element of DER at *p: *body is what it holds, *p moves behind it. */
static bool element(const unsigned char **p, const unsigned char *end, wp_str *body)
{
	size_t n, bytes;

	if (end - *p < 2)
		return false;
	n = (*p)[1];
	*p += 2;
	if (n & 0x80) {
		bytes = n & 0x7f;
		if (bytes < 1 || bytes > 4 || (size_t)(end - *p) < bytes)
			return false;
		for (n = 0; bytes--; (*p)++)
			n = n << 8 | **p;
	}
	if ((size_t)(end - *p) < n)
		return false;
	*body = (wp_str){(const char *)*p, n};
	*p += n;
	return true;
}

/* Certificate ::= { tbs { [0] version, serial, algorithm, issuer, validity, subject, ... }, ... } */
static X509_NAME *subject_of(wp_str der)
{
	const unsigned char *p = (const unsigned char *)der.p, *end = p + der.n, *from;
	wp_str body, field;
	int i;

	if (!element(&p, end, &body))
		return NULL;
	p = (const unsigned char *)body.p;
	if (!element(&p, p + body.n, &body))
		return NULL;
	p = (const unsigned char *)body.p;
	end = p + body.n;
	if (p < end && *p == 0xa0 && !element(&p, end, &field))
		return NULL;
	for (i = 0; i < 4; i++)
		if (!element(&p, end, &field))
			return NULL;
	from = p;
	if (!element(&p, end, &field))
		return NULL;
	return d2i_X509_NAME(NULL, &from, (long)(p - from));
}

/* The base64 text of a block, which may have line ends in it. */
static bool decode(wp_arena *a, wp_str text, wp_str *out)
{
	unsigned char *der = wp_alloc(a, text.n + 3);
	char *packed = wp_alloc(a, text.n + 1);
	size_t n = 0, i, padding = 0;
	int got;

	for (i = 0; i < text.n; i++)
		if (!wp_ascii_space(text.p[i]))
			packed[n++] = text.p[i];
	while (padding < n && padding < 2 && packed[n - 1 - padding] == '=')
		padding++;
	if (n == 0 || n % 4)
		return false;
	got = EVP_DecodeBlock(der, (unsigned char *)packed, (int)n);
	if (got < (int)padding)
		return false;
	*out = (wp_str){(const char *)der, (size_t)got - padding};
	return true;
}

static bool add_block(wp_ca *c, wp_str text)
{
	cert x = {0};

	if (!decode(c->a, text, &x.der))
		return false;
	x.subject = subject_of(x.der);
	if (!x.subject)
		return false;
	WP_PUSH(&c->certs, x);
	return true;
}

/* Every block must be a certificate. */
static bool read_blocks(wp_ca *c, wp_str text)
{
	static const char begin[] = "-----BEGIN ", kind[] = "CERTIFICATE-----", end[] = "-----END CERTIFICATE-----";
	size_t at;

	while ((at = wp_str_find_str(text, WP_LIT(begin))) < text.n) {
		text = wp_str_sub(text, at + sizeof begin - 1, text.n);
		if (!wp_str_starts(text, kind))
			return false;
		text = wp_str_sub(text, sizeof kind - 1, text.n);
		at = wp_str_find_str(text, WP_LIT(end));
		if (at == text.n || !add_block(c, wp_str_sub(text, 0, at)))
			return false;
		text = wp_str_sub(text, at + sizeof end - 1, text.n);
	}
	return c->certs.n > 0;
}

/* ---- lookup ------------------------------------------------------------------------------- */

/* All of that name go to the store, as OpenSSL's own lookup by directory does it; *out is one of them, which the store
 * holds. */
static int by_subject(X509_LOOKUP *l, X509_LOOKUP_TYPE type, const X509_NAME *name, X509_OBJECT *out)
{
	wp_ca *c = X509_LOOKUP_get_method_data(l);
	X509_STORE *store = X509_LOOKUP_get_store(l);
	int found = 0;
	size_t i;

	if (type != X509_LU_X509)
		return 0;
	for (i = 0; i < c->certs.n; i++) {
		cert *x = &c->certs.v[i];
		const unsigned char *p = (const unsigned char *)x->der.p;
		X509 *whole;

		if (X509_NAME_cmp(x->subject, name) != 0)
			continue;
		whole = d2i_X509(NULL, &p, (long)x->der.n);
		if (whole && X509_STORE_add_cert(store, whole) && !found && X509_OBJECT_set1_X509(out, whole)) {
			found = 1;
			X509_free(whole); /* out borrows it from the store */
		}
		X509_free(whole);
	}
	return found;
}

/* ---- interface ---------------------------------------------------------------------------- */

/* Two OpenSSLs in one process must not exchange their structures. */
static bool same_openssl(const char *tls)
{
	wp_str text = wp_str_of(tls);

	return wp_str_starts(text, "OpenSSL/") && wp_str_is(wp_str_sub(text, 8, text.n), OpenSSL_version(OPENSSL_VERSION_STRING));
}

wp_ca *wp_ca_open(const char *pem_file, const char *dir, const char *tls)
{
	wp_ca *c;
	wp_error ignored = {0};
	wp_str text;

	if (!pem_file || !same_openssl(tls))
		return NULL;
	c = wp_xmalloc(sizeof *c);
	*c = (wp_ca){.a = wp_arena_new(), .method = X509_LOOKUP_meth_new("PEM file, decoded when asked for")};
	if (c->method && X509_LOOKUP_meth_set_get_by_subject(c->method, by_subject) && os_is_file(pem_file) &&
		!os_read_file(c->a, pem_file, MAX_FILE, &text, &ignored) && read_blocks(c, text)) {
		c->dir = wp_strdup(c->a, dir);
		return c;
	}
	wp_ca_close(c);
	return NULL;
}

/* A store of its own in place of libcurl's, which may hold what OpenSSL trusts by itself or what a variable names; only how
 * libcurl wants chains to be checked is taken over. */
bool wp_ca_use(wp_ca *c, void *ssl_ctx)
{
	X509_STORE *store = X509_STORE_new(), *theirs = SSL_CTX_get_cert_store(ssl_ctx);
	X509_LOOKUP *l = store ? X509_STORE_add_lookup(store, c->method) : NULL;

	if (!l || !X509_LOOKUP_set_method_data(l, c) || !theirs ||
		!X509_STORE_set1_param(store, X509_STORE_get0_param(theirs)) ||
		(c->dir && !X509_STORE_load_path(store, c->dir))) {
		X509_STORE_free(store);
		return false;
	}
	SSL_CTX_set_cert_store(ssl_ctx, store);
	return true;
}

void wp_ca_close(wp_ca *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->certs.n; i++)
		X509_NAME_free(c->certs.v[i].subject);
	WP_VEC_FREE(&c->certs);
	X509_LOOKUP_meth_free(c->method);
	wp_arena_free(c->a);
	free(c);
}

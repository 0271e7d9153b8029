/* SPDX-License-Identifier: MIT */
/* ca.h: the CA certificates of a PEM file for libcurl's OpenSSL, each decoded when a chain asks for its name. Of the more
 * than hundred of a system one or two are needed, and to decode them all takes longer than everything else about a
 * connection. What is trusted is the same. */
#ifndef WP_EXT_CA_H
#define WP_EXT_CA_H

#include "wheelpack/types.h"

typedef struct wp_ca wp_ca;

/* NULL where the file can't be read this way, and libcurl is to do it: it isn't there, has more than plain certificates in
 * it, or something broken. tls is what libcurl says it was built with: only this very OpenSSL will do. */
wp_ca *wp_ca_open(const char *pem_file, const char *dir, const char *tls);
/* Make it, and its directory of hashed names if it has one, all that the SSL_CTX trusts. It must live as long as that. */
bool wp_ca_use(wp_ca *c, void *ssl_ctx);
void wp_ca_close(wp_ca *c);

#endif

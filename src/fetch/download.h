/* SPDX-License-Identifier: MIT */
/* download.h: one wheel into the cache: locked against other processes, resumed where it broke off, hashed while it is
 * written, checked against its digest, moved to its place in one step. */
#ifndef WP_FETCH_DOWNLOAD_H
#define WP_FETCH_DOWNLOAD_H

#include "ext/hash.h"
#include "fetch/session.h"
#include "os/os.h"

typedef struct wp_download wp_download;

struct wp_download {
	/* Zeroed and filled by its owner. */
	wp_session *s;
	const char *url, *index;
	const char *sha256; /* NULL: unknown, the first use decides */
	int64_t size;	    /* as the index says, -1 unknown; only to explain */
	bool fresh;	    /* nothing that the cache has is used */
	void (*done)(void *user, wp_download *d);
	void *user;
	/* What came out; valid until it is dropped. */
	wp_error error;
	char digest[WP_SHA256_HEX + 1];
	const char *path;
	bool cached;	    /* it was there already */
	int64_t total;	    /* bytes of the whole file, -1 as long as it is unknown */
	uint64_t got;	    /* bytes at hand */
	uint64_t downloaded; /* bytes that came over the network */
	/* private */
	wp_get get;
	wp_arena *a;
	os_lock *lock;
	os_file *file;
	wp_hash *hash;
	const char *partial, *lock_path, *validator, *promised;
	char key[WP_SHA256_HEX + 1]; /* of the digest entry */
	bool first;	    /* no byte of this try was seen yet */
	bool adopted;	    /* the partial file is from an earlier run */
	bool other_host;    /* tried after a contradicted digest */
};

/* done comes later, from wp_pump. */
void wp_download_start(wp_download *d);
/* Stop without done, keeping the partial file; or free what a finished one holds. */
void wp_download_drop(wp_download *d);

#endif

/* SPDX-License-Identifier: MIT
 *
 * fetch.h: stage 2, and the catalogue over HTTP that stage 1 reads. Bytes come over HTTPS (http only
 * for loopback or a trusted host), are hashed while they are written, and are kept by digest.
 */
#ifndef WHEELPACK_FETCH_H
#define WHEELPACK_FETCH_H

#include "wheelpack/lock.h"

/* One index or folder, in the order of preference. */
typedef struct wp_index {
	const char *id;	     /* "extra1", "ordinary", "variant", "find-links1" */
	const char *url;	     /* may hold credentials; a directory path or URL for find_links */
	bool variant;	     /* the PyTorch variant's index: 403 means absent, sibling host is tried */
	bool find_links;     /* a folder of wheels on this machine */
	bool must_be_there;  /* such a folder; else its absence is a note */
} wp_index;

/* How to reach the network. */
typedef struct wp_net {
	const char *user_agent;	   /* NULL: wheelpack/VERSION */
	const char *ca_file;	   /* PEM file instead of the system's */
	const char *ca_dir;	   /* directories of hashed names instead; both NULL: the system's */
	const char *proxy;	   /* NULL: the variables that libcurl knows */
	const char *no_proxy;	   /* hosts reached without it, as in NO_PROXY; NULL: that variable */
	const char *const *trusted_hosts; size_t ntrusted_hosts; /* host or host:port */
	int connect_timeout_ms;	   /* 0: 15,000 */
	int idle_timeout_ms;	   /* no byte for so long is a failure, and so is less than 1 KB/s of what is
				    * no wheel; 0: 60,000 */
	int retries;		   /* per file, resumed; 0: 5, -1: none */
	bool offline;		   /* ask nothing, answer from the cache */
	bool refresh;		   /* ask about pages that are fresh too */
} wp_net;

typedef struct wp_session wp_session; /* connections, cache; one per run */

typedef struct wp_session_options {
	wp_net net;
	const char *cache_dir; /* created on demand */
	const wp_index *indexes; size_t nindexes; /* extra..., ordinary, variant, in order */
	const wp_compat *compat; /* routes the torch family */
	bool keeps; /* wheels will be fetched into the cache: one that can't be written is refused at once */
} wp_session_options;

/* Opens no connection yet. */
int wp_session_open(wp_ctx *ctx, const wp_session_options *o, wp_session **out, wp_error *e);
void wp_session_close(wp_session *s);
/* The catalogue over the session's indexes; lives as long as the session. */
const wp_catalog *wp_session_catalog(wp_session *s);
/* What the catalogue saw so far that is worth telling: side files that contradict their digest, a cache that could not
 * be written. Waits until it is written. */
const wp_findings *wp_session_notes(wp_session *s);

typedef struct wp_fetch_request {
	const wp_lock_doc *lock;
	const char *const *refetch; size_t nrefetch; /* projects whose cached wheels are not trusted */
	bool recheck; /* hash what the cache has, whatever an earlier check of it found */
	bool require_index_hashes;
	const char *const *allow_wrong_record; size_t nallow_wrong_record; /* projects, normalised, whose wheels are taken
		* although their RECORD is wrong about files of theirs */
} wp_fetch_request;

typedef struct wp_fetched {
	const char *filename, *sha256, *record_sha256;
	uint64_t size;
	bool cached; /* nothing was downloaded for it */
	wp_exceptions exceptions; /* of a wheel whose RECORD may be wrong */
} wp_fetched;

typedef struct wp_fetch_result {
	wp_findings findings;
	wp_lock_doc lock;	  /* the same lock with first-use digests and sizes filled in */
	const wp_fetched *wheels; /* one per lock wheel, same order */
	size_t nwheels;
	uint64_t bytes_downloaded;
	wp_wheels source;	  /* the cache; lives as long as the session */
} wp_fetch_result;

/* Download every wheel of the lock, several at once, biggest first; check sha256, the members
 * against RECORD, and METADATA against what was solved with. A wheel that is damaged in the cache is
 * fetched again, and noted; one that was checked before is hashed only for recheck. A stopped fetch keeps
 * its partial files. Findings are there after a failure too. WP_E_RECORD: where the option for a wrong RECORD would do, its
 * advice says so. */
int wp_fetch(wp_ctx *ctx, wp_session *s, const wp_fetch_request *in, wp_fetch_result *out,
	wp_error *e);

#endif

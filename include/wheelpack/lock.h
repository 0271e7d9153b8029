/* SPDX-License-Identifier: MIT
 *
 * lock.h: stage 1. A request (requirements, a variant, a target) becomes a lock: the exact wheels.
 * The lock document is `wheelpack.lock/1`: stable order, same input -> same bytes; no credential,
 * no tool version, no time in it. Its sha256 is the environment's id.
 */
#ifndef WHEELPACK_LOCK_H
#define WHEELPACK_LOCK_H

#include "wheelpack/compat.h"
#include "wheelpack/explain.h"
#include "wheelpack/wheelpack.h"

#define WP_LOCK_SCHEMA "wheelpack.lock/1"

/* Who vouches for a wheel's sha256. */
typedef enum wp_digest_state {
	WP_DIGEST_NONE,	     /* unknown yet: sha256 is NULL */
	WP_DIGEST_INDEX,     /* the index gave it */
	WP_DIGEST_LOCAL,     /* a local file that the user named */
	WP_DIGEST_FIRST_USE, /* computed by us on the first download */
	WP_DIGEST_USER	     /* the user gave it with the wheel's address */
} wp_digest_state;

typedef struct wp_lock_require {
	const char *requirement; /* text as written in METADATA */
	const char *project;	 /* normalised */
	const char *const *targets; /* names of the targets where it holds */
	size_t ntargets;
} wp_lock_require;

typedef struct wp_lock_wheel {
	const char *project;	/* normalised */
	const char *version;	/* with local label */
	const char *filename;
	int64_t size;		/* -1 unknown */
	const char *sha256;	/* NULL unknown */
	wp_digest_state digest;
	const char *index;	/* id */
	const char *url;
	const char *requires_python; /* may be NULL */
	bool requested;		/* named in the request */
	const char *metadata_sha256; /* of the METADATA solved with; not in the document; may be NULL */
	wp_lock_require *requires;
	size_t nrequires;
} wp_lock_wheel;

typedef struct wp_lock_index {
	const char *id, *url; /* url without credentials */
} wp_lock_index;

typedef struct wp_lock_target {
	const char *name, *python, *platform, *variant; /* variant may be NULL */
	const char *const *wheels; /* file names, sorted */
	size_t nwheels;
	/* What the CUDA build needs; cuda_version NULL for CPU builds and where unknown. */
	const char *cuda_version, *driver_runs, *driver_full;
	const char *const *arches;
	size_t narches;
} wp_lock_target;

typedef struct wp_lock_doc {
	const char *const *requirements; size_t nrequirements; /* as asked, normalised spelling */
	const char *const *constraints; size_t nconstraints;
	const char *variant; /* NULL: none asked */
	bool prerelease;
	wp_lock_index *indexes; size_t nindexes;
	wp_lock_target *targets; size_t ntargets;
	wp_lock_wheel *wheels; size_t nwheels; /* sorted by project, version, filename */
} wp_lock_doc;

/* Text of the document (NUL-terminated, ends in a newline), in arena a. Deterministic. */
int wp_lock_write(wp_arena *a, const wp_lock_doc *d, wp_str *out, wp_error *e);
/* Hostile input: strict. WP_E_DOCUMENT names the line. */
int wp_lock_read(wp_arena *a, wp_str text, wp_lock_doc *out, wp_error *e);
/* NULL where the lock has no such file. */
const wp_lock_wheel *wp_lock_find(const wp_lock_doc *d, const char *filename);
/* Of a platform such as win_amd64; the strictest of the targets that have this file. */
wp_names wp_names_of(const char *platform);
wp_names wp_lock_names(const wp_lock_doc *d, const char *filename);
/* Leave no other target than this one; false where there is none of that name. */
bool wp_lock_only(wp_lock_doc *d, const char *target);
/* Leave out these projects (normalised): their wheels, from each target too, and what was asked of them. */
void wp_lock_without(wp_arena *a, wp_lock_doc *d, const char *const *projects, size_t n);
/* "cp312-win_amd64, cp312-manylinux_2_28_x86_64", for messages. */
const char *wp_lock_target_names(wp_arena *a, const wp_lock_doc *d);

typedef struct wp_lock_request {
	const char *const *requirements; size_t nrequirements; /* PEP 508 texts; addresses are of wheels */
	const char *const *constraints; size_t nconstraints;   /* the same, never added by themselves; no addresses */
	const wp_target *targets; size_t ntargets;	       /* at least one */
	bool prerelease;				       /* --pre */
	bool require_index_hashes;
	const char *const *explain; size_t nexplain;	       /* projects (normalised) whose choice is to be explained */
	const char *exclude_newer;			       /* date-time (RFC 3339), or a date: all of that day, UTC; NULL */
	const wp_lock_doc *keep;			       /* whose versions are taken where possible; NULL */
	const char *const *update; size_t nupdate;	       /* projects of it (normalised) that are not kept */
	const wp_compat *compat;
	const wp_lock_index *indexes; size_t nindexes;	       /* for the document, which hides their passwords */
} wp_lock_request;

typedef struct wp_lock_result {
	wp_findings findings; /* notes: CPU build, newer source-only versions, yanked, unknown torch ... */
	wp_lock_doc lock;
	const wp_explained *explained; size_t nexplained; /* what was to be explained, in that order, by target */
} wp_lock_result;

/* Solve each target, over the catalogue only: no I/O of its own. Where it is possible a project has one version for
 * all targets; the document does not depend on their order. WP_E_USAGE, WP_E_NO_PROJECT, WP_E_NO_WHEEL, WP_E_CONFLICT
 * with a derivation in why (may have several lines), WP_E_REQUIREMENT, WP_E_METADATA. */
int wp_lock(wp_ctx *ctx, const wp_lock_request *in, const wp_catalog *catalog, wp_lock_result *out,
	wp_error *e);

/* ---- targets ------------------------------------------------------------------------------ */

/* Parse `cpXY[t]-PLATFORM[-VARIANT]` and derive tags and markers (PEP 425, 508, 600, 656). WP_E_TARGET,
 * WP_E_VARIANT. Strings live in a. */
int wp_target_parse(wp_arena *a, const char *text, wp_target *out, wp_error *e);
/* The same from parts. python: 3.12, 3.12.7, cp312, cp313t. platform: win_amd64, linux_x86_64
 * (= manylinux_2_28_x86_64), manylinux_2_17_x86_64, manylinux2014_x86_64, macosx_11_0_arm64, and the
 * everyday words windows and linux. variant may be NULL. */
int wp_target_make(wp_arena *a, const char *python, const char *platform, const char *variant,
	wp_target *out, wp_error *e);
/* cu126, 12.6, cuda12.6, pytorch-cuda=12.6, cpu -> the canonical word; WP_E_VARIANT. */
int wp_variant_parse(wp_arena *a, const char *text, const char **out, wp_error *e);

#endif

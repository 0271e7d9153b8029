/* SPDX-License-Identifier: MIT */
/* pylock.h: lock files of the standard (pylock.toml, PEP 751), version 1: what they say, and what of it an environment
 * installs. The document comes as a tree, whoever read it. */
#ifndef WP_PY_PYLOCK_H
#define WP_PY_PYLOCK_H

#include "py/marker.h"
#include "py/version.h"

/* ---- a TOML document --------------------------------------------------------------------------- */

typedef enum wp_toml_kind {
	WP_TOML_STRING, WP_TOML_INTEGER, WP_TOML_FLOAT, WP_TOML_BOOL, WP_TOML_TIME, WP_TOML_ARRAY, WP_TOML_TABLE
} wp_toml_kind;

typedef struct wp_toml {
	wp_toml_kind kind;
	const char *text; /* string, time */
	int64_t number;
	bool truth;
	const struct wp_toml *items; size_t n; /* array, table */
	const char *const *keys;	       /* table */
} wp_toml;

/* ---- the lock ---------------------------------------------------------------------------------- */

typedef enum wp_pylock_kind {
	WP_PYLOCK_WHEEL, WP_PYLOCK_SDIST, WP_PYLOCK_ARCHIVE, WP_PYLOCK_DIRECTORY, WP_PYLOCK_VCS
} wp_pylock_kind;

typedef struct wp_pylock_hash {
	const char *algorithm, *value;
} wp_pylock_hash;

/* Where one comes from: a wheel, a source distribution, an archive, a directory or a repository. */
typedef struct wp_pylock_source {
	wp_pylock_kind kind;
	const char *filename;	/* of a wheel, source distribution or archive */
	const char *url, *path; /* one of them; of both the path counts */
	const char *subdirectory;
	int64_t size;		/* -1 unknown */
	const wp_pylock_hash *hashes; size_t nhashes;
	bool editable;		/* of a directory */
	const char *vcs, *commit_id, *requested_revision; /* of a repository */
} wp_pylock_source;

typedef struct wp_pylock_package {
	const char *name, *version; /* version may be NULL */
	wp_marker *marker;	    /* may be NULL */
	wp_specifiers requires_python;
	const char *index;	    /* may be NULL */
	const wp_pylock_source *sources; size_t nsources; /* wheels, then the source distribution; or one other source */
} wp_pylock_package;

typedef struct wp_pylock {
	const char *created_by;
	bool has_environments;
	wp_marker *const *environments; size_t nenvironments;
	wp_specifiers requires_python;
	const char *const *extras; size_t nextras;
	const char *const *groups; size_t ngroups;
	const char *const *default_groups; size_t ndefault_groups;
	const wp_pylock_package *packages; size_t npackages;
} wp_pylock;

/* A file name that the standard allows: pylock.toml or pylock.NAME.toml. Directories before it do not count. */
bool wp_pylock_filename(const char *path);
/* Hostile input: strict where the standard is, keys it does not know are skipped. WP_E_DOCUMENT, where names the
 * entry. */
int wp_pylock_read(wp_arena *a, const wp_toml *document, wp_pylock *out, wp_error *e);

typedef struct wp_pylock_ask {
	const wp_markers *env;
	const char *const *tags; size_t ntags; /* in order of preference */
	const char *const *extras; size_t nextras;
	bool default_groups; /* those of the lock, instead of the ones named here */
	const char *const *groups; size_t ngroups;
} wp_pylock_ask;

typedef struct wp_pylock_choice {
	const wp_pylock_package *package;
	const wp_pylock_source *source;
} wp_pylock_choice;

/* What the environment installs, in the order of the lock. WP_E_WRONG_TARGET, WP_E_REQUIRES_PYTHON, WP_E_NO_WHEEL,
 * WP_E_REQUIREMENT where the lock has no such extra or group, and WP_E_DOCUMENT where it leaves two answers. */
int wp_pylock_select(wp_arena *a, const wp_pylock *lock, const wp_pylock_ask *ask, const wp_pylock_choice **out,
	size_t *n, wp_error *e);

#endif

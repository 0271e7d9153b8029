/* SPDX-License-Identifier: MIT */
/* source.h: a bundle as a set of named files, whatever it lies in: a directory, a .wpk, a folder of wheels, or one
 * wheel. Nothing here trusts or judges the contents. */
#ifndef WP_BUNDLE_SOURCE_H
#define WP_BUNDLE_SOURCE_H

#include "base/zip.h"
#include "os/os.h"
#include "wheelpack/bundle.h"

typedef struct wp_bundle_entry {
	const char *path; /* in the bundle */
	uint64_t size;
} wp_bundle_entry;

/* Where an entry's bytes are. */
typedef struct wp_place {
	os_kind kind;
	uint64_t offset; /* in the .wpk */
} wp_place;

/* The trees given out, closed with the bundle (tree.c). */
struct wp_trees {
	struct wp_bundle_tree *first;
};

struct wp_bundle {
	wp_arena *a;
	const char *path;
	const char *dir; /* that entries are relative to; NULL for a .wpk */
	bool loose;	 /* wheels without bundle.json */
	wp_blob file;	 /* of the .wpk */
	wp_bundle_entry *entries; size_t n; /* sorted by path */
	wp_place *places; /* one an entry */
	wp_bundle_doc doc;
	wp_lock_doc lock;
	bool has_lock;
	char id[WP_SHA256_HEX + 1];
	struct wp_trees *trees; /* changes behind a const wp_bundle */
};

/* Find out what path is and list it. *out is to be closed with wp_bundle_close. */
int wp_source_open(const char *path, wp_bundle **out, wp_error *e);
/* Index of the entry, SIZE_MAX where there is none. */
size_t wp_source_find(const wp_bundle *b, const char *path);
int wp_source_blob(const wp_bundle *b, size_t i, wp_blob *out, wp_error *e);
/* WP_E_BUNDLE where the entry is a link or something special. */
int wp_source_plain(const wp_bundle *b, size_t i, wp_error *e);
/* May n bytes be read at off? WP_E_IO where they reach beyond size. */
int wp_within(uint64_t size, size_t n, uint64_t off, wp_error *e);
/* Whole small file into b's arena. */
int wp_source_text(wp_bundle *b, const char *path, wp_str *out, wp_error *e);

/* read.c: the documents. Each of them is a fault of its own for verify, and the first ends an open. */
int wp_bundle_read_manifest(wp_bundle *b, wp_error *e);
/* Parse lock.json, which must be the pinned one, and hold it against the manifest. */
int wp_bundle_read_lock(wp_bundle *b, wp_error *e);
/* What bundle.json says of a wheel; NULL where it doesn't list it, or there is no bundle.json. */
const wp_bundle_wheel *wp_bundle_wheel_of(const wp_bundle *b, const char *filename);
/* bundle.json, or a file that it lists. */
bool wp_bundle_lists(const wp_bundle *b, const char *path);
/* The file is there, is a file, and has that size. */
int wp_bundle_check_listed(const wp_bundle *b, const char *path, uint64_t size, wp_error *e);
/* By its platform tags. */
wp_names wp_bundle_names(const char *filename);
/* tree.c */
void wp_bundle_free_trees(wp_bundle *b);

#endif

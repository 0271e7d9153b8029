/* SPDX-License-Identifier: MIT */
/* zip.h: strict reader of a zip's directory over a blob (APPNOTE 6.3, zip64 included). Refuses what
 * makes two readers of one file disagree: bytes before the first entry or behind the end record, gaps and
 * overlaps, local entries the directory doesn't list, local and central headers that disagree, encrypted or
 * multi-disk archives, methods other than stored and deflate, names with NUL or invalid UTF-8, truncated
 * extra fields. An archive comment, data descriptors (with and without signature) and unneeded zip64 fields
 * are fine. Names are given as they are; what a wheel allows is judged elsewhere. */
#ifndef WP_BASE_ZIP_H
#define WP_BASE_ZIP_H

#include "base/str.h"

typedef struct wp_zip_entry {
	const char *name;
	uint64_t data_offset;	/* of the member's bytes in the blob */
	uint64_t header_offset; /* of its local header */
	uint64_t csize, size;
	uint32_t crc;
	uint16_t method;	/* 0 stored, 8 deflate */
	uint16_t flags;		/* bit 11: the name is marked as UTF-8 */
	uint32_t mode;		/* st_mode from the upper half of the external attributes, 0 if made on DOS */
	bool dir;		/* name ends in '/' */
} wp_zip_entry;

typedef struct wp_zip {
	wp_blob blob;	     /* borrowed */
	wp_zip_entry *entries; /* in directory order */
	size_t n;
} wp_zip;

/* Everything lives in arena a. WP_E_ZIP, WP_E_TOO_LARGE; where names the entry. */
int wp_zip_read(wp_arena *a, const wp_blob *blob, wp_zip *out, wp_error *e);
/* The directory alone, for a blob whose reads are dear: two reads at most, one if the last 64 KB hold it. No local
 * header is looked at, and data_offset is not known yet. */
int wp_zip_read_directory(wp_arena *a, const wp_blob *blob, wp_zip *out, wp_error *e);
/* Hold one entry's local header to the directory and fill data_offset. */
int wp_zip_locate(const wp_zip *z, wp_zip_entry *entry, wp_error *e);

#endif

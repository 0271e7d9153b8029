/* SPDX-License-Identifier: MIT */
/* record.h: RECORD (PEP 376, recording-projects standard): CSV of path, hash, size; and which paths a wheel may
 * write. */
#ifndef WP_PY_RECORD_H
#define WP_PY_RECORD_H

#include "base/str.h"

typedef enum wp_record_hash { WP_RECORD_NONE, WP_RECORD_SHA256, WP_RECORD_SHA384, WP_RECORD_SHA512 } wp_record_hash;

typedef struct wp_record_row {
	const char *path;	/* "./" dropped */
	wp_record_hash kind;
	unsigned char digest[64];
	int64_t size;		/* -1: not given */
	int line;		/* 1 is the first */
} wp_record_row;

typedef struct wp_record {
	wp_record_row *rows; size_t n; /* sorted by path; a row twice counts once */
	const char *const *warnings; size_t nwarnings;
} wp_record;

/* WP_E_RECORD with "RECORD line N" in where: not UTF-8, byte order mark, columns, weak or unknown hash, bad base64,
 * absolute or climbing path, one path with two digests. Blank rows are skipped. */
int wp_record_parse(wp_arena *a, wp_str text, wp_record *out, wp_error *e);
/* The RECORD of an installed distribution, whoever wrote it: rows without a digest, with one that can't be checked (kind
 * NONE then) or with fewer columns are taken; paths stay as written, whatever they are; of two rows of one path the first
 * counts. */
int wp_record_parse_installed(wp_arena *a, wp_str text, wp_record *out, wp_error *e);
const wp_record_row *wp_record_find(const wp_record *r, const char *path);
/* One CSV line "path,sha256=...,size\n" appended to b; digest NULL leaves hash and size empty. */
void wp_record_line(wp_buf *b, const char *path, const unsigned char *sha256, int64_t size);

typedef enum wp_path_verdict { WP_PATH_OK, WP_PATH_WARN, WP_PATH_REFUSE } wp_path_verdict;

/* May a wheel write this member name? Refuses absolute paths, "..", backslashes, control characters, drive letters,
 * components over 255 bytes; names that only Windows can't hold (devices, <>:"|?*, trailing dot or space) are refused
 * for windows and warned of elsewhere; "./" and "//" are tidied with a warning. *tidy is the path to use, *why the
 * reason where the verdict is not OK. */
wp_path_verdict wp_member_path(wp_arena *a, const char *name, bool windows, const char **tidy, const char **why);

#endif

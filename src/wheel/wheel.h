/* SPDX-License-Identifier: MIT */
/* wheel.h: one wheel's bytes, as fetch, verify, install and the doctor's trees need them. Everything that can be
 * decided from the zip directory and dist-info is decided by wp_wheel_open, before any member is unpacked. */
#ifndef WP_WHEEL_WHEEL_H
#define WP_WHEEL_WHEEL_H

#include "base/zip.h"
#include "py/metadata.h"
#include "py/record.h"
#include "py/tag.h"
#include "wheelpack/wheelpack.h"

typedef enum wp_scheme { WP_PURELIB, WP_PLATLIB, WP_HEADERS, WP_SCRIPTS, WP_DATA } wp_scheme;

typedef struct wp_member {
	const wp_zip_entry *entry;
	const char *name;	  /* tidied member name */
	wp_scheme scheme;	  /* root members: purelib or platlib by Root-Is-Purelib */
	const char *path;	  /* below that scheme's place */
	const wp_record_row *row; /* NULL only for RECORD and its signatures; line 0: of an exception */
	bool executable;	  /* mode says so, or a script */
	bool shadowed;		  /* a script that an entry point replaces, or what other tools put beside one */
} wp_member;

typedef struct wp_wheel {
	const char *filename;
	wp_wheel_name name;
	wp_zip zip;
	const char *dist_info;	  /* "torch-2.11.0.dist-info" */
	const char *data_dir;	  /* "torch-2.11.0.data" or NULL */
	wp_wheel_info info;
	wp_metadata metadata;
	wp_str metadata_text;
	wp_record record;
	const char *record_sha256; /* of RECORD's bytes */
	wp_exceptions exceptions;  /* members whose row is not RECORD's, but has what they are */
	wp_entry_points entry_points;
	wp_member *members; size_t n; /* files only, in zip order */
	uint64_t total;		  /* bytes unpacked */
} wp_wheel;

/* What a bundle vouches for. */
typedef struct wp_record_pin {
	const char *sha256;	  /* of RECORD, hex; NULL: any */
	wp_exceptions exceptions; /* exactly the members that are not to be held to RECORD, but to this */
} wp_record_pin;

/* Strings live in a; blob is borrowed and must outlive the wheel. names: of the strictest target.
 * Warnings become findings (code Nxxx, may be NULL). pin (may be NULL): WP_E_RECORD if RECORD's own digest is another, or
 * an exception is of no member or not needed. WP_E_ZIP, WP_E_WHEEL, WP_E_RECORD, WP_E_PATH, WP_E_METADATA; where begins
 * with the file name. */
int wp_wheel_open(wp_arena *a, const char *filename, const wp_blob *blob, wp_names names, const wp_record_pin *pin,
	wp_wheel *out, wp_findings *findings, wp_error *e);
/* Open a wheel whose RECORD may be wrong about its members: those with another digest or size, or without a row, are
 * taken as they are and become its exceptions. All other faults are refused as ever. Every member is read; ctx: to stop
 * that. */
int wp_wheel_open_excepting(const wp_ctx *ctx, wp_arena *a, const char *filename, const wp_blob *blob, wp_names names,
	wp_wheel *out, wp_findings *findings, wp_error *e);
wp_exceptions wp_exceptions_copy(wp_arena *a, const wp_exceptions *x);
/* A finding gets "2 files of 'demo.whl'" for its why, and them. */
void wp_exceptions_tell(wp_finding *f, wp_arena *a, const char *filename, const wp_exceptions *x);
/* The wheel was refused with WP_E_RECORD: where that is all that is wrong with it, next of e says how it can be taken. */
void wp_wheel_advise(const wp_ctx *ctx, const char *filename, const wp_blob *blob, wp_names names, wp_error *e);

/* Does the path below a venv belong to the venv itself: pyvenv.cfg, python, activate, .wheelpack? No distribution has
 * a say in these. */
bool wp_path_is_venvs(wp_arena *scratch, const char *path);

typedef struct wp_unpacker wp_unpacker; /* inflater, digests, buffers; one a thread */
wp_unpacker *wp_unpacker_new(void);
void wp_unpacker_free(wp_unpacker *u);
enum { WP_UNPACK_PIECE = 256 << 10 };
/* What comes out of each member goes to buf, one piece behind the other and from its start again when it is full, so that
 * a sink that gathers it there needn't copy. n: a multiple of the piece. */
void wp_unpacker_into(wp_unpacker *u, unsigned char *buf, size_t n);

/* A piece of a member, in order, WP_UNPACK_PIECE bytes but for the last; p is valid during the call. */
typedef int (*wp_sink)(void *user, const void *p, size_t n, wp_error *e);

/* Stream a member: inflate, hash, hand each buffer to sink (may be NULL), then hold length, crc and the digest and
 * size of RECORD to what came out. sha256 (32 bytes, may be NULL) is filled. WP_E_ZIP, WP_E_RECORD. Nothing beyond the
 * declared size is ever handed out. */
int wp_member_read(wp_unpacker *u, const wp_wheel *w, const wp_member *m, wp_sink sink, void *user,
	unsigned char sha256[32], wp_error *e);
/* Whole small member into arena a. */
int wp_member_text(wp_unpacker *u, wp_arena *a, const wp_wheel *w, const wp_member *m, size_t max, wp_str *out,
	wp_error *e);

/* METADATA of a wheel whose end alone is at hand: read_at of the blob fetches ranges. Finds the dist-info of
 * `filename` in the zip directory and inflates its METADATA. */
int wp_wheel_metadata(wp_arena *a, const char *filename, const wp_blob *blob, wp_str *out, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * types.h: what the stages share: text views, findings, the target, and the three interfaces that
 * keep data flowing one way (wp_catalog, wp_wheels, wp_tree).
 *
 * Strings of type const char * are NUL-terminated UTF-8 and, unless a comment says otherwise, live
 * in the arena of the document they belong to. Text from outside that contains NUL is refused when
 * it is read, so a C string never cuts it. Sizes are bytes, 64 bits. Digests are 64 lower-case hex
 * digits of sha256.
 */
#ifndef WHEELPACK_TYPES_H
#define WHEELPACK_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wheelpack/error.h"

typedef struct wp_arena wp_arena; /* src/base/arena.h */

/* A view of bytes; not NUL-terminated; owned by somebody else. */
typedef struct wp_str {
	const char *p;
	size_t n;
} wp_str;

/* Limits on what comes from outside. */
enum {
	WP_MAX_PAGE = 64 << 20,	    /* bytes of an index page, decompressed */
	WP_MAX_PAGE_FILES = 200000, /* files on one page */
	WP_MAX_METADATA = 4 << 20,  /* bytes of METADATA, WHEEL, entry_points.txt */
	WP_MAX_RECORD = 64 << 20,   /* bytes of RECORD */
	WP_MAX_ZIP_ENTRIES = 1 << 20,
	WP_MAX_ZIP_DIR = 256 << 20, /* bytes of a zip's central directory */
	WP_MAX_DOCUMENT = 64 << 20, /* bytes of lock.json, bundle.json, a manifest */
	WP_MAX_PATH_BYTES = 4096,
	WP_MAX_EXCEPTIONS = 10000,  /* files of one wheel that are not as RECORD has them */
	WP_SHA256_HEX = 64
};

/* ---- findings ---------------------------------------------------------------------------- */

typedef enum wp_severity { WP_NOTE, WP_WARNING, WP_SEVERE } wp_severity; /* WP_SEVERE prints "error" */

/* One thing worth telling. Codes are stable: I1xx P2xx W3xx L4xx D5xx G6xx S7xx C8xx for the
 * doctor and the probe, N1xx lock, N2xx fetch, N3xx pack, N4xx one wheel's oddities, N5xx install,
 * N6xx the command line, N7xx the check of a venv, or a WP_E_ name where an error is reported as one of many. */
typedef struct wp_finding {
	const char *code;
	wp_severity severity;
	const char *title;	  /* one line */
	const char *why;	  /* evidence: path, version, rule */
	const char *next;	  /* remedy; may be NULL */
	const char *const *files; /* may be NULL */
	size_t nfiles;
	const char *const *chain; /* who needs whom, outermost first; may be NULL */
	size_t nchain;
} wp_finding;

typedef struct wp_findings {
	wp_finding *v;
	size_t n, cap; /* grown in the arena that wp_finding_add is given */
} wp_findings;

/* Append a finding; its texts are copied into arena a. Fill files and chain yourself. */
wp_finding *wp_finding_add(wp_findings *f, wp_arena *a, const char *code, wp_severity s,
	const char *title, const char *why, const char *next);
/* Append copies of all of these; files and chains too. */
void wp_findings_append(wp_findings *f, wp_arena *a, const wp_findings *from);
/* Number of findings of severity error. */
size_t wp_findings_errors(const wp_findings *f);

/* ---- target ------------------------------------------------------------------------------ */

/* The marker variables of the dependency-specifier standard (PEP 508), without `extra`. */
typedef struct wp_markers {
	const char *os_name, *sys_platform, *platform_machine, *platform_python_implementation,
		*platform_release, *platform_system, *platform_version, *python_version,
		*python_full_version, *implementation_name, *implementation_version;
} wp_markers;

/* Where an environment will be installed: everything derives from the name, nothing from the host. */
typedef struct wp_target {
	const char *name;	/* cp312-win_amd64-cu126 */
	const char *python;	/* as asked: 3.12 or 3.12.7 */
	const char *python_tag; /* cp312, cp313t */
	int py_major, py_minor, py_micro;
	bool threaded;		/* free-threaded build (cp313t) */
	const char *platform;	/* win_amd64, manylinux_2_28_x86_64, macosx_11_0_arm64 */
	bool windows;
	const char *variant;	/* cu126, cpu, or NULL where none was asked */
	wp_markers markers;
	const char *const *tags; /* "cp312-cp312-win_amd64", in order of preference (PEP 425) */
	size_t ntags;
	const void *tag_index;	/* finds a tag quickly; NULL where tags was filled by hand */
} wp_target;

/* Whose rules the file names of a wheel are held to; the stricter the higher. */
typedef enum wp_names { WP_NAMES_UNIX, WP_NAMES_MACOS, WP_NAMES_WINDOWS } wp_names;

/* A file of a wheel that is not as the wheel's own RECORD has it, or that RECORD doesn't list, and that is taken all the
 * same because somebody decided so. */
typedef struct wp_exception {
	const char *path;   /* its name in the wheel */
	const char *sha256; /* as it is */
	uint64_t size;
} wp_exception;

typedef struct wp_exceptions {
	const wp_exception *v; /* sorted by path */
	size_t n;
} wp_exceptions;

/* ---- interfaces -------------------------------------------------------------------------- */

/* Bytes that can be read at any place. read_at reads exactly n bytes or fails; thread-safe. */
typedef struct wp_blob {
	void *self;
	uint64_t size;
	int (*read_at)(void *self, void *buf, size_t n, uint64_t off, wp_error *e);
	void (*close)(void *self); /* may be NULL */
} wp_blob;

/* One file that an index offers. Optional text is NULL, unknown size is -1. */
typedef struct wp_file {
	const char *filename;	     /* decoded last part of the link */
	const char *url;	     /* absolute, without fragment and without credentials */
	const char *sha256;
	int64_t size;
	const char *requires_python; /* specifier text */
	bool yanked;
	const char *yanked_reason;
	bool has_metadata;	     /* a PEP 658 file is offered at url + ".metadata" */
	const char *metadata_sha256;
	const char *upload_time;
	const char *index;	     /* id of the index that offers it: "ordinary", "extra1", "variant" */
} wp_file;

/* All files of one project, from the one index that answered for it (never a mixture). */
typedef struct wp_project {
	const char *name;  /* normalised (PEP 503) */
	const char *index; /* id */
	const wp_file *files;
	size_t nfiles;
	size_t skipped;	   /* links that are no wheel or sdist of this project */
} wp_project;

/* Which files of a project exist, and their metadata. Answers are immutable and owned by the
 * catalogue. want_* are hints that never block; project() and metadata() block. */
typedef struct wp_catalog {
	void *self;
	void (*want_projects)(void *self, const char *const *names, size_t n);
	void (*want_metadata)(void *self, const wp_file *const *files, size_t n);
	/* *out is NULL where no index has the project. */
	int (*project)(void *self, const char *name, const wp_project **out, wp_error *e);
	/* The METADATA text of exactly this file. */
	int (*metadata)(void *self, const wp_file *file, wp_str *out, wp_error *e);
} wp_catalog;

/* A source of wheels: the cache, a folder, a bundle. open() is thread-safe; the caller closes the
 * blob. sha256 may be NULL (any file of that name); a source never promises that the bytes match. */
typedef struct wp_wheels {
	void *self;
	int (*open)(void *self, const char *filename, const char *sha256, wp_blob *out, wp_error *e);
} wp_wheels;

typedef struct wp_tree_entry {
	const char *path; /* relative, '/' separated */
	uint64_t size;
} wp_tree_entry;

/* A venv, or the wheels of a bundle as they would be installed: all the doctor sees. list() is
 * sorted by path; the entries live as long as the tree. open() is thread-safe; the caller closes the
 * blob. */
typedef struct wp_tree {
	void *self;
	int (*list)(void *self, const wp_tree_entry **out, size_t *n, wp_error *e);
	int (*open)(void *self, const char *path, wp_blob *out, wp_error *e);
} wp_tree;

#endif

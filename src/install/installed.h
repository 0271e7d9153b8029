/* SPDX-License-Identifier: MIT */
/* installed.h: the distributions that a venv has, whoever installed them (recording-projects standard). Read only. */
#ifndef WP_INSTALL_INSTALLED_H
#define WP_INSTALL_INSTALLED_H

#include <stdatomic.h>

#include "os/os.h"
#include "py/record.h"
#include "wheelpack/wheelpack.h"

typedef struct wp_installed {
	const char *dir;       /* name in site-packages: "torch-2.11.0.dist-info", "old-1.0.egg-info" */
	const char *project;   /* normalised */
	const char *version;   /* as the directory has it, but for a _ that stands for +; "" where it has none */
	bool has_record;       /* only then can it be removed file by file */
} wp_installed;

typedef struct wp_site {
	const char *venv;      /* absolute, as wp_site_read was given it */
	const char *path;      /* of site-packages, below venv: "lib/python3.12/site-packages" */
	wp_installed *v; size_t n; /* by project */
	const char *const *leftovers; size_t nleftovers; /* "~orch": what pip leaves when it is stopped */
} wp_site;

/* All lives in a. A venv without site-packages has none. */
int wp_site_read(wp_arena *a, const char *venv, const char *path, wp_site *out, wp_error *e);
/* The first of them where two have one name; NULL. */
const wp_installed *wp_site_find(const wp_site *s, const char *project);

/* One file of an installed distribution. */
typedef struct wp_installed_file {
	const char *path;	   /* below the venv, '/' separated */
	const wp_record_row *row;  /* NULL: RECORD does not list it: bytecode of a file that it lists, RECORD itself */
} wp_installed_file;

typedef struct wp_installed_files {
	wp_installed_file *v; size_t n; /* by path, each once */
	/* Rows that lead out of the venv, through a link or to the venv's own pyvenv.cfg, python, activate, as written: never
	 * touched. */
	const char *const *outside; size_t noutside;
} wp_installed_files;

/* The files that RECORD lists and that bytecode for them which lies there. WP_E_VENV where there is no RECORD, which
 * names the INSTALLER; WP_E_RECORD where it can't be read; what the system can't tell is no file that isn't there. */
int wp_installed_list(wp_arena *a, const wp_site *s, const wp_installed *d, wp_installed_files *out, wp_error *e);
/* Is it of this version, in whatever spelling? */
bool wp_installed_is(wp_arena *a, const wp_installed *d, const char *version);
/* The first line of INSTALLER; "" where there is none. */
const char *wp_installed_by(wp_arena *a, const wp_site *s, const wp_installed *d);

typedef enum wp_file_state { WP_FILE_SAME, WP_FILE_CHANGED, WP_FILE_ABSENT } wp_file_state;

/* Is the file what RECORD says? Without a digest there (bytecode, RECORD itself) any file is. A link or a directory in its
 * place is a change. Bytes are added as they are read, the context's cancel is seen. */
int wp_installed_compare(const wp_ctx *ctx, const wp_site *s, const wp_installed_file *f, wp_file_state *out,
	atomic_uint_fast64_t *bytes, wp_error *e);

#endif

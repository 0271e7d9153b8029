/* SPDX-License-Identifier: MIT */
/* metadata.h: core metadata (METADATA, PEP 566 and after), WHEEL, entry_points.txt: headers as mail headers. */
#ifndef WP_PY_METADATA_H
#define WP_PY_METADATA_H

#include "py/requirement.h"

enum { WP_MAX_REQUIRES = 10000 }; /* lines of Requires-Dist */

typedef struct wp_metadata {
	const char *metadata_version, *name, *version, *requires_python; /* NULL if absent */
	const char *const *requires_dist; size_t nrequires_dist; /* texts */
	const char *const *provides_extra; size_t nprovides_extra; /* normalised */
} wp_metadata;

/* WP_E_METADATA: too long, not UTF-8, a byte order mark, no name or version, major version 3 and above. */
int wp_metadata_parse(wp_arena *a, wp_str text, wp_metadata *out, wp_error *e);

typedef struct wp_wheel_info { /* the WHEEL file */
	const char *wheel_version; int major, minor;
	bool root_is_purelib, has_root;
	const char *const *tags; size_t ntags;
	const char *build;
} wp_wheel_info;

/* WP_E_WHEEL: missing or unsupported Wheel-Version. */
int wp_wheel_info_parse(wp_arena *a, wp_str text, wp_wheel_info *out, wp_error *e);

typedef struct wp_entry_point {
	const char *name, *module, *attr;
	bool gui;
} wp_entry_point;

typedef struct wp_entry_points {
	wp_entry_point *v; size_t n; /* console_scripts and gui_scripts only */
	const char *const *warnings; size_t nwarnings;
} wp_entry_points;

/* WP_E_WHEEL by the rules of entry points: dotted identifiers both sides, no odd names, no name twice in a group,
 * one name in both groups warns and console wins. Names of the venv's own files are the wheel room's to refuse. */
int wp_entry_points_parse(wp_arena *a, wp_str text, wp_entry_points *out, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT */
/* marker.h: environment markers (PEP 508, dependency-specifiers standard). */
#ifndef WP_PY_MARKER_H
#define WP_PY_MARKER_H

#include "base/str.h"

typedef struct wp_marker wp_marker;

enum { WP_MAX_MARKER = 16384, WP_MAX_MARKER_DEPTH = 64 };

/* NULL and e (WP_E_REQUIREMENT) on a fault. */
wp_marker *wp_marker_parse(wp_arena *a, wp_str text, wp_error *e);
/* extras: the active extras, normalised; may be empty. NULL marker is true. */
bool wp_marker_eval(const wp_marker *m, const wp_markers *env, const char *const *extras, size_t nextras);
const char *wp_marker_text(wp_arena *a, const wp_marker *m); /* normal form */
/* True if it reads this variable ("platform_release"). */
bool wp_marker_reads(const wp_marker *m, const char *variable);

#endif

/* SPDX-License-Identifier: MIT */
/* err.h: what the library needs of errors beyond the public header. */
#ifndef WP_BASE_ERR_H
#define WP_BASE_ERR_H

#include "wheelpack/error.h"
#include "wheelpack/types.h"

/* A line of a stage's table of findings, and one made from X(name, code, severity, title). */
typedef struct wp_note_row {
	const char *code;
	wp_severity severity;
	const char *title;
} wp_note_row;

#define WP_NOTE_ROW(name, code, severity, title) {code, WP_##severity, title},

wp_finding *wp_finding_note(wp_findings *f, wp_arena *a, const wp_note_row *row, const char *why, const char *next);
/* Give it these files; their texts are copied into arena a. */
void wp_finding_files(wp_finding *f, wp_arena *a, const char *const *v, size_t n);

/* Copy text into out[size], cut in the middle where it is too long. */
void wp_fit(char *out, size_t size, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* vectors.h: cases of the packaging standards, replayed on the product: our own, in selection.json, and those that the
 * project packaging wrote for its tests, in a file of the same form that is not part of this repository. What the product
 * has no function for, or decides otherwise on purpose, counts as skipped, never as passed. */
#ifndef WP_TESTS_VECTORS_H
#define WP_TESTS_VECTORS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/vec.h"
#include "wheelpack/lock.h"

/* The file as a tree. */
typedef struct value {
	wp_json_kind kind;
	wp_str text; /* string, or the digits of a number */
	bool truth;
	struct value *items; /* array and object */
	wp_str *keys;	     /* object */
	size_t n;
} value;

/* The value of a key; a null where it is absent. */
const value *get(const value *object, const char *key);

typedef enum verdict { PASS, FAIL, SKIP } verdict;

typedef struct row {
	wp_arena *a; /* gone after the row */
	const value *columns, *cells, *out;
	char said[4096]; /* what the product answered instead */
} row;

const value *cell(const row *r, const char *name);
/* The strings of an array. */
const char *const *texts(row *r, const value *list, size_t *n);
bool is_error(const row *r);
/* Set what the product answered; FAIL. */
verdict say(row *r, const char *fmt, ...) WP_PRINTF(2, 3);
/* The product's word against the file's; NULL is null. */
verdict same_text(row *r, const char *what, const char *got, const value *want);
bool same_number(bool there, uint64_t got, const value *want);
/* The product refused: right if the file does too. */
verdict refused(row *r, const char *why);
/* The variables that an environment names. */
void fill_env(const value *env, wp_markers *out);

/* The value as JSON text; the same value, whatever the order of keys. */
wp_str json_text(wp_arena *a, const value *v);
bool same_value(const value *a, const value *b);
bool parse_value(wp_arena *a, wp_str text, value *out);

/* One function a kind, in versions.c, markers.c, tags.c, metadata.c and documents.c. */
verdict do_version(row *r);
verdict do_version_order(row *r);
verdict do_specifier(row *r);
verdict do_specifier_set(row *r);
verdict do_specifier_and(row *r);
verdict do_contains(row *r);
verdict do_filter(row *r);
verdict do_unsatisfiable(row *r);
verdict do_marker(row *r);
verdict do_marker_eval(row *r);
verdict do_requirement(row *r);
verdict do_canonicalize_name(row *r);
verdict do_is_normalized_name(row *r);
verdict do_canonicalize_version(row *r);
verdict do_wheel_filename(row *r);
verdict do_sdist_filename(row *r);
verdict do_parse_tag(row *r);
verdict do_platform_tags(row *r);
verdict do_tags_generate(row *r);
verdict do_metadata_parse(row *r);
verdict do_metadata_email(row *r);
verdict do_metadata_raw(row *r);
verdict do_pylock(row *r);
verdict do_pylock_path(row *r);
verdict do_pylock_select(row *r);
verdict do_direct_url(row *r);
verdict do_strip_url(row *r);

#endif

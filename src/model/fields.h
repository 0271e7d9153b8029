/* SPDX-License-Identifier: MIT */
/* fields.h: objects of our own documents as a table of fields. Strict: an unknown key is a fault, so is a missing
 * key that must be there. All results live in the parser's arena. */
#ifndef WP_MODEL_FIELDS_H
#define WP_MODEL_FIELDS_H

#include "base/json.h"

typedef enum wp_field_kind {
	WP_F_STR,	  /* out: const char ** */
	WP_F_STR_OR_NULL, /* the same; null gives NULL */
	WP_F_STRS,	  /* out: const char *const **, n: size_t * */
	WP_F_BOOL,	  /* out: bool * */
	WP_F_SIZE,	  /* out: int64_t *; null gives -1; 0 to 2^53 */
	WP_F_WORD,	  /* out: char *, the one text that is taken */
	WP_F_CALL,	  /* read(j, out) takes the value */
	WP_F_SKIP	  /* any value, not kept */
} wp_field_kind;

typedef struct wp_field {
	const char *name;
	wp_field_kind kind;
	void *out;
	size_t *n;
	bool (*read)(wp_json *j, void *out);
	bool optional;
	bool seen; /* private */
} wp_field;

/* One object. False on a fault, which is in the parser's error. */
bool wp_fields_read(wp_json *j, wp_field *f, size_t n);
/* One array of values of size bytes each, read by one(); the array goes to *out. At most max values. */
bool wp_fields_each(wp_json *j, size_t size, size_t max, bool (*one)(wp_json *j, void *item), void **out,
	size_t *n);

/* A file name without any path in it: not empty, no slash, backslash, colon or control character, not a dot name. */
bool wp_plain_filename(const char *s);
/* 64 lower-case hex digits. */
bool wp_sha256_text(const char *s);
/* A project name in normal form. */
bool wp_normal_name(const char *s);

#endif

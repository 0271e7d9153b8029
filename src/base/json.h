/* SPDX-License-Identifier: MIT */
/* json.h: pull parser for JSON from elsewhere (RFC 8259). Strict: valid UTF-8, no \u0000, no unpaired
 * surrogate, no duplicate keys in one object and at most 4096, no trailing bytes, depth <= 64. Nothing is built: the caller
 * walks. A value that isn't wanted is skipped with wp_json_skip. */
#ifndef WP_BASE_JSON_H
#define WP_BASE_JSON_H

#include "base/str.h"

typedef enum wp_json_kind {
	WP_JSON_NULL, WP_JSON_BOOL, WP_JSON_NUMBER, WP_JSON_STRING, WP_JSON_ARRAY, WP_JSON_OBJECT
} wp_json_kind;

typedef struct wp_json {
	wp_arena *a;	/* decoded strings and key sets */
	const char *start, *p, *end;
	int depth;
	void *keys;	/* private */
	int widened;	/* private: depth of the last object that had many keys */
	wp_error *e;	/* first fault, with "line N" in where; every later call fails */
	wp_code code;	/* code used for faults: WP_E_PAGE, WP_E_DOCUMENT */
} wp_json;

void wp_json_init(wp_json *j, wp_arena *a, wp_str text, wp_code code, wp_error *e);
/* Another text with the same parser, which costs less than a new one; decoded strings go to arena a. The arena of
 * wp_json_init must be there still, those between need not. */
void wp_json_again(wp_json *j, wp_arena *a, wp_str text, wp_error *e);
/* Kind of the value that comes next; NULL-kind on a fault. */
wp_json_kind wp_json_peek(wp_json *j);
/* Enter an object, then call wp_json_key until it returns false (end or fault). */
bool wp_json_object(wp_json *j);
bool wp_json_key(wp_json *j, wp_str *key); /* a view that lives as long as the text and the arena */
/* Enter an array, then call wp_json_item before each value until it returns false. */
bool wp_json_array(wp_json *j);
bool wp_json_item(wp_json *j);
bool wp_json_string(wp_json *j, wp_str *out); /* NUL-terminated in the arena */
bool wp_json_cstr(wp_json *j, const char **out); /* string; null gives NULL */
bool wp_json_i64(wp_json *j, int64_t *out);   /* integers only, without fraction or exponent */
bool wp_json_bool(wp_json *j, bool *out);
bool wp_json_null(wp_json *j);		      /* consume a null if one is next */
bool wp_json_skip(wp_json *j);
/* Array of strings, at most 65,536. */
bool wp_json_strings(wp_json *j, const char *const **out, size_t *n);
/* The document is over: nothing but white space follows. Returns 0 or the code. */
int wp_json_end(wp_json *j);
/* Set a fault at the present place. */
bool wp_json_fault(wp_json *j, const char *fmt, ...) WP_PRINTF(2, 3);

#endif

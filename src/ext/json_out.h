/* SPDX-License-Identifier: MIT */
/* json_out.h: builds JSON text (cJSON). Keys keep the order in which they were put. A NULL string is left out by
 * wp_jput_str and written as null by wp_jput_str_or_null. */
#ifndef WP_EXT_JSON_OUT_H
#define WP_EXT_JSON_OUT_H

#include "base/str.h"

typedef struct wp_jnode wp_jnode;

wp_jnode *wp_jobject(void);
wp_jnode *wp_jarray(void);
void wp_jput(wp_jnode *object, const char *key, wp_jnode *value); /* takes value */
void wp_jput_str(wp_jnode *object, const char *key, const char *s);
void wp_jput_str_or_null(wp_jnode *object, const char *key, const char *s);
void wp_jput_int(wp_jnode *object, const char *key, int64_t v); /* |v| < 2^53 */
void wp_jput_bool(wp_jnode *object, const char *key, bool v);
void wp_jput_null(wp_jnode *object, const char *key);
void wp_jput_strs(wp_jnode *object, const char *key, const char *const *v, size_t n);
void wp_jadd(wp_jnode *array, wp_jnode *value); /* takes value */
void wp_jadd_str(wp_jnode *array, const char *s);
/* Text with two-space indent and a final newline, in arena a; frees the tree. */
wp_str wp_jtext(wp_arena *a, wp_jnode *n);
void wp_jfree(wp_jnode *n);

#endif

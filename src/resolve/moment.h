/* SPDX-License-Identifier: MIT */
/* moment.h: points in time as indexes write them (RFC 3339). */
#ifndef WP_RESOLVE_MOMENT_H
#define WP_RESOLVE_MOMENT_H

#include "base/str.h"

#define WP_ANY_TIME INT64_MAX

/* Microseconds since 1970 of a date-time with its offset, or of a date: then the end of that day, in UTC. False where
 * the text is neither. */
bool wp_moment_parse(wp_str text, int64_t *out);

#endif

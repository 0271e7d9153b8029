/* SPDX-License-Identifier: MIT */
/* source.h: the wheels that a fetch brought, as a wp_wheels. */
#ifndef WP_FETCH_SOURCE_H
#define WP_FETCH_SOURCE_H

#include "wheelpack/fetch.h"

/* paths[i] is where wheels[i] lies. The arrays and arena must live as long as the source. */
wp_wheels wp_fetched_source(wp_arena *a, const wp_fetched *wheels, const char *const *paths, size_t n);

#endif

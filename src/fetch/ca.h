/* SPDX-License-Identifier: MIT */
/* ca.h: where distributions keep the CA certificates, for a libcurl that was built without a place of its own. */
#ifndef WP_FETCH_CA_H
#define WP_FETCH_CA_H

#include "base/arena.h"

/* The first of the well known places below root ("" for the system) that can be used: *file or *dir is set. False
 * where there is none. */
bool wp_ca_find(wp_arena *a, const char *root, const char **file, const char **dir);

#endif

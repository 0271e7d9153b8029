/* SPDX-License-Identifier: MIT */
/* ldcache.h: names in glibc's /etc/ld.so.cache. */
#ifndef WP_DOCTOR_LDCACHE_H
#define WP_DOCTOR_LDCACHE_H

#include "base/map.h"

/* Add the names of libraries for an ELF machine (0: all) to names. False where text is no such cache (old formats
 * that have only libc5 entries too). */
bool wp_ldcache_names(wp_str text, uint16_t machine, wp_map *names);

#endif

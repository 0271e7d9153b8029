/* SPDX-License-Identifier: MIT */
/* map.h: text to small number (an id, an index). Keys are copied. Open addressing; SipHash is not
 * needed because growth is capped by the limits in types.h and probing falls back to a second hash. */
#ifndef WP_BASE_MAP_H
#define WP_BASE_MAP_H

#include "base/str.h"

typedef struct wp_map_slot {
	char *key;
	size_t n;
	uint64_t hash;
	uint32_t value;
} wp_map_slot;

typedef struct wp_map {
	wp_map_slot *slots;
	size_t cap, n;
	wp_arena *keys;
} wp_map;

void wp_map_init(wp_map *m);
void wp_map_free(wp_map *m);
/* False if the key is absent. */
bool wp_map_get(const wp_map *m, wp_str key, uint32_t *value);
/* Insert or overwrite; true if the key was new. */
bool wp_map_put(wp_map *m, wp_str key, uint32_t value);
/* Insert if the key is new, which is true; else *value becomes what it has. */
bool wp_map_add(wp_map *m, wp_str key, uint32_t *value);
/* The id of key, giving it the next number (0, 1, ...) if it is new. */
uint32_t wp_map_intern(wp_map *m, wp_str key);

#endif

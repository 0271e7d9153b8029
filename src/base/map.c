/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

void wp_map_init(wp_map *m)
{
	*m = (wp_map){0};
	m->keys = wp_arena_new();
}

void wp_map_free(wp_map *m)
{
	free(m->slots);
	wp_arena_free(m->keys);
	*m = (wp_map){0};
}

/* The slot of key, or the free one where it belongs. */
static wp_map_slot *find(const wp_map *m, wp_str key, uint64_t h)
{
	size_t mask = m->cap - 1, i = (size_t)h & mask, step = (size_t)(h >> 48) | 1;

	for (;; i = (i + step) & mask) {
		wp_map_slot *s = &m->slots[i];

		if (!s->key ||
			(s->hash == h && s->n == key.n && memcmp(s->key, key.p, key.n) == 0))
			return s;
	}
}

static void grow(wp_map *m)
{
	wp_map_slot *old = m->slots;
	size_t n = m->cap, i;

	m->cap = n ? n * 2 : 64;
	m->slots = wp_xmalloc(m->cap * sizeof *m->slots);
	memset(m->slots, 0, m->cap * sizeof *m->slots);
	for (i = 0; i < n; i++)
		if (old[i].key)
			*find(m, (wp_str){old[i].key, old[i].n}, old[i].hash) = old[i];
	free(old);
}

bool wp_map_get(const wp_map *m, wp_str key, uint32_t *value)
{
	wp_map_slot *s;

	if (m->n == 0)
		return false;
	s = find(m, key.p ? key : WP_LIT(""), wp_str_hash(key, 0));
	if (!s->key)
		return false;
	*value = s->value;
	return true;
}

static wp_map_slot *find_or_add(wp_map *m, wp_str key, bool *added)
{
	uint64_t h = wp_str_hash(key, 0);
	wp_map_slot *s;

	if (m->n * 2 >= m->cap)
		grow(m);
	if (!key.p)
		key = WP_LIT("");
	s = find(m, key, h);
	*added = !s->key;
	if (*added) {
		s->key = wp_str_dup(m->keys, key);
		s->n = key.n;
		s->hash = h;
		m->n++;
	}
	return s;
}

bool wp_map_put(wp_map *m, wp_str key, uint32_t value)
{
	bool added;

	find_or_add(m, key, &added)->value = value;
	return added;
}

bool wp_map_add(wp_map *m, wp_str key, uint32_t *value)
{
	bool added;
	wp_map_slot *s = find_or_add(m, key, &added);

	if (added)
		s->value = *value;
	else
		*value = s->value;
	return added;
}

uint32_t wp_map_intern(wp_map *m, wp_str key)
{
	uint32_t v = (uint32_t)m->n;

	wp_map_add(m, key, &v);
	return v;
}

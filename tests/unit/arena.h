/* SPDX-License-Identifier: MIT */
/* arena.h: a fresh arena for each test of a program, which is its state too. */
#ifndef WP_TESTS_ARENA_H
#define WP_TESTS_ARENA_H

#include "unit/test.h"

static wp_arena *arena;

static inline int setup(void **state)
{
	*state = arena = wp_arena_new();
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	wp_arena_free(arena);
	return 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/* place.h: a temp directory, a context and its arena for each test of a program. */
#ifndef WP_TESTS_PLACE_H
#define WP_TESTS_PLACE_H

#include "unit/tmp.h"

typedef struct place {
	wp_ctx ctx;
	wp_arena *a;
	const char *dir;
} place;

static inline int set_up(void **state)
{
	place *p = calloc(1, sizeof *p);

	wp_ctx_init(&p->ctx, 2);
	p->a = p->ctx.arena;
	p->dir = tmp_make(p->a);
	*state = p;
	return 0;
}

static inline int tear_down(void **state)
{
	place *p = *state;

	tmp_remove(p->dir);
	wp_ctx_done(&p->ctx);
	free(p);
	return 0;
}

/* Path of a name in it. */
static inline char *at(place *p, const char *name)
{
	return os_join(p->a, p->dir, name);
}

/* A file in it, its directories made. */
static inline void put_file(place *p, const char *name, const char *text)
{
	wp_error err = {0};

	assert_ok(os_mkdirs(os_dirname(p->a, at(p, name)), &err));
	tmp_write(at(p, name), wp_str_of(text));
}

#endif

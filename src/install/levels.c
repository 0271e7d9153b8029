/* SPDX-License-Identifier: MIT */
#include "install/levels.h"

static bool is_below(const char *path, wp_str dir)
{
	return strncmp(path, dir.p, dir.n) == 0 && path[dir.n] == '/';
}

/* From the deepest one that is open and still on the way. */
int wp_levels_enter(wp_levels *l, const char *path, os_dir **out, wp_error *e)
{
	const char *slash;

	while (l->v.n && !is_below(path, l->v.v[l->v.n - 1].path))
		os_dir_close(l->v.v[--l->v.n].dir);
	*out = l->v.n ? l->v.v[l->v.n - 1].dir : l->root;
	slash = path + (l->v.n ? l->v.v[l->v.n - 1].path.n + 1 : 0);
	for (;;) {
		const char *start = slash, *name;
		os_dir *sub;

		slash = strchr(start, '/');
		if (!slash)
			return 0;
		name = wp_str_dup(l->a, (wp_str){start, (size_t)(slash - start)});
		if (os_dir_sub(*out, name, &sub, e))
			return e->code;
		WP_PUSH(&l->v, ((wp_level){{path, (size_t)(slash - path)}, sub}));
		*out = sub;
		slash++;
	}
}

void wp_levels_leave(wp_levels *l)
{
	while (l->v.n)
		os_dir_close(l->v.v[--l->v.n].dir);
	WP_VEC_FREE(&l->v);
}

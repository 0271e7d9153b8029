/* SPDX-License-Identifier: MIT */
#include "fetch/source.h"

#include "base/err.h"
#include "base/str.h"
#include "os/os.h"

typedef struct source {
	const wp_fetched *wheels;
	const char *const *paths;
	size_t n;
} source;

static int open_wheel(void *self, const char *filename, const char *sha256, wp_blob *out, wp_error *e)
{
	const source *s = self;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (wp_streq(s->wheels[i].filename, filename) && (!sha256 || wp_streq(s->wheels[i].sha256, sha256)))
			return os_blob(s->paths[i], out, e);
	wp_fail(e, WP_E_NOT_FOUND, "it was not fetched");
	return wp_err_where(e, "'%s'", filename);
}

wp_wheels wp_fetched_source(wp_arena *a, const wp_fetched *wheels, const char *const *paths, size_t n)
{
	source *s = WP_NEW(a, source);

	*s = (source){.wheels = wheels, .paths = paths, .n = n};
	return (wp_wheels){.self = s, .open = open_wheel};
}

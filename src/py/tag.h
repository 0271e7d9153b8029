/* SPDX-License-Identifier: MIT */
/* tag.h: compatibility tags of a target (PEP 425, 600, 656), and wheel file names. The public target calls of
 * lock.h (wp_target_parse, wp_target_make, wp_variant_parse) are implemented in py/target.c. */
#ifndef WP_PY_TAG_H
#define WP_PY_TAG_H

#include "py/version.h"

typedef struct wp_wheel_name {
	const char *name;	 /* as written */
	const char *project;	 /* normalised */
	wp_version version;
	const char *build;	 /* build tag, NULL if none */
	uint64_t build_n;
	const char *python, *abi, *platform; /* compressed tag sets, as written */
} wp_wheel_name;

/* WP_E_WHEEL, why says what is wrong. A seven-part (variant) name is refused. */
int wp_wheel_name_parse(wp_arena *a, wp_str filename, wp_wheel_name *out, wp_error *e);
/* Lowest index in the target's tags of any tag of the wheel; SIZE_MAX where none fits. */
size_t wp_wheel_rank(const wp_wheel_name *w, const wp_target *t);
enum {
	WP_MAX_TAGS = 4096,   /* of one wheel */
	WP_MAX_FILENAME = 255 /* bytes of a wheel's name */
};

/* The single tags of a compressed set such as "py2.py3-none-any". False on a fault, and where they are more than
 * limit. */
bool wp_tag_set(wp_arena *a, wp_str text, size_t limit, const char *const **out, size_t *n);
/* Do the words of each of its three parts stand in order? The standard wants a file name so. */
bool wp_tag_set_sorted(wp_str text);
/* The tags of the compressed sets, at most WP_MAX_TAGS. */
size_t wp_wheel_tags(wp_arena *a, const wp_wheel_name *w, const char *const **out);
/* A source distribution's name and version (.tar.gz, .zip) for the named project; false if it is none. */
bool wp_sdist_name_parse(wp_arena *a, wp_str filename, const char *project, wp_version *version);
/* All platform tags for a platform in order of preference (manylinux expanded to older levels with legacy names). */
size_t wp_platform_tags(wp_arena *a, const char *platform, const char *const **out);
/* Is the wheel for one of these platforms, or for any, whatever its Python? */
bool wp_wheel_on_platforms(const wp_wheel_name *w, const char *const *platforms, size_t n);
/* All tags of CPython 3.minor on these platforms in order of preference. abis: what a build calls its own ones, such as
 * cp313, or cp313t of a free-threaded build. */
size_t wp_python_tags(wp_arena *a, int minor, const char *const *abis, size_t nabis, const char *const *platforms,
	size_t n, const char *const **out);
/* For wp_target.tag_index. */
const void *wp_tag_index_new(wp_arena *a, const char *const *tags, size_t n);

#endif

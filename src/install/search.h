/* SPDX-License-Identifier: MIT */
/* search.h: the search for an interpreter, shared by interpreter.c and the places of Windows. */
#ifndef WP_INSTALL_SEARCH_H
#define WP_INSTALL_SEARCH_H

#include "install/parts.h"

/* What is looked for; a number below 0 matches any. */
typedef struct wp_python_want {
	const char *spec, *path, *name;
	int major, minor, micro;
	bool threaded, any_threaded;
} wp_python_want;

typedef struct wp_search {
	wp_ctx *ctx;
	wp_arena *a;
	wp_python_want w;
	wp_buf tried;
	wp_map asked;
	wp_interpreter *out;
	bool found;
} wp_search;

/* Ask this file; true if it is what is wanted. What fails or doesn't fit is remembered for the message. */
bool wp_search_file(wp_search *s, const char *path);

/* search_windows.c: the registry, the py launcher, version managers. */
bool wp_search_windows(wp_search *s, const char *path, const char *home);
/* The path at the end of a line of `py -0p`; NULL where there is none. */
const char *wp_search_py_line(wp_arena *a, wp_str line);

#endif

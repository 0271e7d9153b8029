/* SPDX-License-Identifier: MIT */
/* pipconf.h: pip's configuration as text: the INI files and the words of its help. Reading the files and the
 * environment is the program's business. */
#ifndef WP_MODEL_PIPCONF_H
#define WP_MODEL_PIPCONF_H

#include "base/str.h"

/* What matters of pip's settings; a later file or variable replaces an earlier value. Lists are white-space
 * separated text, as pip writes them. NULL: not set. */
typedef struct wp_pipconf {
	const char *index_url, *extra_index_url, *find_links, *cert, *proxy, *trusted_host;
	bool no_index;
} wp_pipconf;

/* Lay one pip.conf over out: first [global], then [command] ("download"). Lines that are no settings are passed
 * over, as are other sections. Text lives in a. */
void wp_pipconf_ini(wp_arena *a, wp_str text, const char *command, wp_pipconf *out);
/* Lay one setting over out; name with '-' or '_'. False where it doesn't matter here. */
bool wp_pipconf_set(wp_arena *a, wp_pipconf *out, wp_str name, wp_str value);
/* The index that pip's own help states: "(default https://...)" behind --index-url. NULL unless it is exactly one
 * https URL. */
const char *wp_pipconf_default_index(wp_arena *a, wp_str help);

#endif

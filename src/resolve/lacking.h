/* SPDX-License-Identifier: MIT */
#ifndef WP_RESOLVE_LACKING_H
#define WP_RESOLVE_LACKING_H

#include "resolve/say.h"

typedef enum wp_lack {
	WP_LACK_PROJECT, /* no index has it */
	WP_LACK_WHEEL	 /* no wheel of it fits */
} wp_lack;

/* A line for each project, or one for several, that is needed as far as was looked. told: projects that are not to be
 * named again; may be NULL. */
void wp_tell_lacking(wp_arena *a, const wp_job *j, wp_lack lack, const bool *told, wp_words *lines);

#endif

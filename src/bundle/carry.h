/* SPDX-License-Identifier: MIT */
/* carry.h: the programs that travel in a bundle and the scripts that start them on the other PC. */
#ifndef WP_BUNDLE_CARRY_H
#define WP_BUNDLE_CARRY_H

#include "bundle/layout.h"

enum { WP_CARRIED = 4 };

/* The files for what in->tool_windows and in->tool_linux hold; returns how many. A program that would not run on
 * another PC stays behind; where a target wants it, or the user named it, that is noted (N304). Paths and scripts are static, programs are in's. */
size_t wp_carry(wp_arena *a, const wp_pack_request *in, wp_text_file out[WP_CARRIED], wp_findings *notes);

#endif

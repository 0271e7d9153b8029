/* SPDX-License-Identifier: MIT */
/* pc.h: facts about a Linux PC below a directory, so that a test can make one. */
#ifndef WP_DOCTOR_PC_H
#define WP_DOCTOR_PC_H

#include "wheelpack/doctor.h"

/* root is "" for this machine. */
void wp_pc_read_below(wp_arena *a, const char *root, wp_pc *out);

#endif

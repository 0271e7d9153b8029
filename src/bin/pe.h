/* SPDX-License-Identifier: MIT */
/* pe.h: what the doctor needs of a PE file (Microsoft PE format): machine, imports, truncation. */
#ifndef WP_BIN_PE_H
#define WP_BIN_PE_H

#include "bin/view.h"

typedef struct wp_pe {
	uint16_t machine;	/* 0x8664 x64, 0x14c x86, 0xaa64 arm64 */
	bool pe32plus;
	bool truncated;		/* a section ends behind the end of the file */
	const char *const *imports; size_t nimports; /* DLL names as written */
} wp_pe;

/* False where it is no PE file or is damaged; *why says so. At most 4,096 imports. */
bool wp_pe_read(wp_arena *a, const wp_blob *b, wp_pe *out, const char **why);

#endif

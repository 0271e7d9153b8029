/* SPDX-License-Identifier: MIT */
/* elf.h: what the doctor needs of an ELF shared object (System V gABI): class, machine, DT_NEEDED, SONAME, RPATH,
 * RUNPATH. */
#ifndef WP_BIN_ELF_H
#define WP_BIN_ELF_H

#include "bin/view.h"

typedef struct wp_elf {
	int bits;		/* 32, 64 */
	uint16_t machine;	/* 62 x86-64, 183 aarch64 */
	const char *soname;	/* NULL if none */
	const char *const *needed; size_t nneeded;
	const char *rpath, *runpath; /* NULL if none */
	bool nodeflib;
	bool truncated;
} wp_elf;

/* False where it is no ELF file or is damaged; *why says so. At most 4,096 needed libraries. */
bool wp_elf_read(wp_arena *a, const wp_blob *b, wp_elf *out, const char **why);

#endif

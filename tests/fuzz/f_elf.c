/* SPDX-License-Identifier: MIT */
#include "bin/elf.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_input in = {data, size};
	wp_blob blob = fuzz_blob(&in);
	wp_arena *a = wp_arena_new();
	const char *why;
	wp_elf elf;
	size_t i;

	MUST(wp_elf_read(a, &blob, &elf, &why) || why);
	for (i = 0; i < elf.nneeded; i++)
		MUST(elf.needed[i]);
	wp_arena_free(a);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "bin/pe.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_input in = {data, size};
	wp_blob blob = fuzz_blob(&in);
	wp_arena *a = wp_arena_new();
	const char *why;
	wp_pe pe;
	size_t i;

	MUST(wp_pe_read(a, &blob, &pe, &why) || why);
	for (i = 0; i < pe.nimports; i++)
		MUST(pe.imports[i][0]);
	wp_arena_free(a);
	return 0;
}

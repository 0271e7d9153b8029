/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "install/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str text = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	const char *library = wp_venv_library(a, text);

	MUST(!library[0] || strncmp(library, "python", 6) == 0);
	MUST(strlen(library) <= n + 8);
	wp_arena_free(a);
	return 0;
}

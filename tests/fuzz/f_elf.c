/* SPDX-License-Identifier: MIT */
#include "bin/elf.h"
#include "fuzz/fuzz.h"

typedef struct input {
	const uint8_t *data;
	size_t size;
} input;

static int read_at(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	const input *in = self;

	(void)e;
	MUST(off <= in->size && n <= in->size - off);
	memcpy(buf, in->data + off, n);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input in = {data, size};
	wp_blob blob = {.self = &in, .size = size, .read_at = read_at};
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

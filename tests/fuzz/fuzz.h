/* SPDX-License-Identifier: MIT */
/* fuzz.h: a fuzz target is one LLVMFuzzerTestOneInput. Built by `make fuzz` with clang's libFuzzer it searches; built
 * as a test it replays the files given as arguments. */
#ifndef WP_TESTS_FUZZ_H
#define WP_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What must hold for every input. */
#define MUST(x)                                                                                    \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			fprintf(stderr, "does not hold: %s\n", #x);                                \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The input as a blob; a read must stay inside of it. */
typedef struct fuzz_input {
	const uint8_t *p;
	size_t n;
} fuzz_input;

static inline int fuzz_read_at(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	const fuzz_input *in = self;

	(void)e;
	MUST(off <= in->n && n <= in->n - off);
	memcpy(buf, in->p + off, n);
	return 0;
}

static inline wp_blob fuzz_blob(fuzz_input *in)
{
	return (wp_blob){.self = in, .size = in->n, .read_at = fuzz_read_at};
}

#ifndef WP_LIBFUZZER
static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		return 1;
	}
	p = malloc((size_t)n + !n); /* no byte more: reading behind the end is seen */
	if (!p || fread(p, 1, (size_t)n, f) != (size_t)n)
		return 1;
	LLVMFuzzerTestOneInput(p, (size_t)n);
	free(p);
	fclose(f);
	return 0;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	for (i = 1; i < argc; i++)
		bad |= replay(argv[i]);
	return bad;
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/* replay.h: the main of a fuzz target built without libFuzzer: runs every file named on the command line. With
 * -DWP_LIBFUZZER (clang -fsanitize=fuzzer) libFuzzer brings its own. */
#ifndef WP_TESTS_REPLAY_H
#define WP_TESTS_REPLAY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef WP_LIBFUZZER
enum { REPLAY_MAX = 16 << 20 };

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	size_t n;

	if (!f) {
		perror(path);
		return 1;
	}
	data = malloc(REPLAY_MAX);
	n = data ? fread(data, 1, REPLAY_MAX, f) : 0;
	fclose(f);
	/* A copy of exact size, so that a read past the end is seen. */
	if (data)
		data = realloc(data, n ? n : 1);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
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

/* SPDX-License-Identifier: MIT */
/* bench_inflate WHEEL [MEMBER]: our decoder beside zlib's on a member, or the largest, alone and with what is computed of
 * each byte while it is unpacked. They take turns; each figure is the best of five, in seconds of the processor (on Windows
 * of the clock). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/zip.h"
#include "ext/hash.h"
#include "ext/inflate.h"
#include "os/os.h"

enum { PIECE = 256 << 10, ROUNDS = 5 };

typedef struct member {
	const unsigned char *p;
	size_t n;
	uint64_t size;
	uint32_t crc;
} member;

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "bench_inflate: %s\n", what);
	exit(1);
}

static member chosen(wp_arena *a, const char *path, const char *name)
{
	wp_error e = {0};
	const wp_zip_entry *big = NULL;
	unsigned char *p;
	wp_blob blob;
	wp_zip z;
	size_t i;

	must(!os_blob(path, &blob, &e) && !wp_zip_read(a, &blob, &z, &e), e.why);
	for (i = 0; i < z.n; i++)
		if (z.entries[i].method && (name ? wp_streq(z.entries[i].name, name)
						 : !big || z.entries[i].csize > big->csize))
			big = &z.entries[i];
	must(big, "no such member is compressed");
	p = wp_xmalloc((size_t)big->csize + 1);
	must(!blob.read_at(blob.self, p, (size_t)big->csize, big->data_offset, &e), e.why);
	blob.close(blob.self);
	printf("%s, %llu bytes in %llu\n", big->name, (unsigned long long)big->size, (unsigned long long)big->csize);
	return (member){p, (size_t)big->csize, big->size, big->crc};
}

/* Seconds for unpacking in pieces as the program does it. */
static double unpack(wp_inflate *z, const member *m, wp_hash *h)
{
	static unsigned char buf[PIECE];
	clock_t start = clock();
	const unsigned char *in = m->p;
	size_t nin = 0, left = m->n;
	uint64_t size = 0;
	wp_inflate_state s;
	uint32_t crc = 0;

	wp_inflate_restart(z);
	do {
		unsigned char *out = buf;
		size_t room = PIECE;

		do {
			if (!nin)
				left -= nin = left < PIECE ? left : PIECE;
			s = wp_inflate_step(z, &in, &nin, &out, &room);
		} while (s == WP_INFLATE_INPUT && left + nin);
		size += PIECE - room;
		if (h) {
			wp_hash_add(h, buf, PIECE - room);
			crc = wp_crc32(crc, buf, PIECE - room);
		}
	} while (s == WP_INFLATE_OUTPUT);
	must(s == WP_INFLATE_END && size == m->size && wp_inflate_consumed(z) == m->n && (!h || crc == m->crc), "damaged");
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void compare(const char *what, const member *m, wp_hash *h)
{
	wp_inflate *z[] = {wp_inflate_new(), wp_inflate_zlib()};
	double best[] = {1e9, 1e9};
	int i, k;

	for (i = 0; i < ROUNDS; i++)
		for (k = 0; k < 2; k++) {
			double t = unpack(z[k], m, h);

			best[k] = t < best[k] ? t : best[k];
		}
	printf("%-22s ours %6.3f s   zlib %6.3f s   %4.2f of its rate\n", what, best[0], best[1], best[1] / best[0]);
	for (k = 0; k < 2; k++)
		wp_inflate_free(z[k]);
}

int main(int argc, char **argv)
{
	wp_arena *a = wp_arena_new();
	wp_hash *h = wp_hash_new(WP_SHA256);
	member m;

	must(argc == 2 || argc == 3, "name a wheel");
	m = chosen(a, argv[1], argv[2]);
	compare("inflate", &m, NULL);
	compare("with crc and sha256", &m, h);
	wp_hash_free(h);
	free((void *)(uintptr_t)m.p);
	wp_arena_free(a);
	return 0;
}

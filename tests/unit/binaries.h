/* SPDX-License-Identifier: MIT */
/* binaries.h: tiny PE and ELF files for tests, and a blob over bytes in memory. */
#ifndef WP_TESTS_BINARIES_H
#define WP_TESTS_BINARIES_H

#include "unit/test.h"

typedef struct bytes {
	unsigned char *p;
	size_t n;
} bytes;

static inline void put(bytes *b, size_t at, uint64_t value, size_t width)
{
	size_t i;

	assert_true(at + width <= b->n);
	for (i = 0; i < width; i++)
		b->p[at + i] = (unsigned char)(value >> (8 * i));
}

static inline size_t put_text(bytes *b, size_t at, const char *s)
{
	assert_true(at + strlen(s) + 1 <= b->n);
	memcpy(b->p + at, s, strlen(s) + 1);
	return at + strlen(s) + 1;
}

static inline int bytes_read_at(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	const bytes *b = self;

	if (off > b->n || n > b->n - off)
		return wp_fail(e, WP_E_IO, "read past the end");
	memcpy(buf, b->p + off, n);
	return 0;
}

static inline wp_blob bytes_blob(bytes *b)
{
	return (wp_blob){.self = b, .size = b->n, .read_at = bytes_read_at};
}

enum { PE_FILE = 4096, PE_SECTION = 512, PE_RVA = 0x1000, PE_TEXT = 1536 };

static inline void pe_names(bytes *b, size_t *text, const char *const *names)
{
	size_t i;

	for (i = 0; names && names[i]; i++) {
		put(b, PE_SECTION + i * 20 + 12, PE_RVA + *text - PE_SECTION, 4);
		*text = put_text(b, *text, names[i]);
	}
}

/* A 64-bit DLL of 4,096 bytes with one section; imports ends in NULL. */
static inline bytes pe_build(wp_arena *a, uint16_t machine, const char *const *imports)
{
	bytes b = {wp_alloc(a, PE_FILE), PE_FILE};
	size_t opt = 64 + 24, text = PE_TEXT;

	put(&b, 0, 0x5a4d, 2);
	put(&b, 0x3c, 64, 4);
	put(&b, 64, 0x4550, 4);
	put(&b, 68, machine, 2);
	put(&b, 70, 1, 2);
	put(&b, 84, 240, 2);
	put(&b, opt, 0x20b, 2);
	put(&b, opt + 108, 16, 4);
	put(&b, opt + 112 + 8, imports ? PE_RVA : 0, 4);
	put(&b, opt + 240 + 8, PE_FILE - PE_SECTION, 4);
	put(&b, opt + 240 + 12, PE_RVA, 4);
	put(&b, opt + 240 + 16, PE_FILE - PE_SECTION, 4);
	put(&b, opt + 240 + 20, PE_SECTION, 4);
	pe_names(&b, &text, imports);
	return b;
}

typedef struct elf_parts {
	uint16_t machine;
	const char *soname, *rpath, *runpath;
	const char *const *needed; /* ends in NULL */
	bool nodeflib;
} elf_parts;

enum { ELF_FILE = 4096, ELF_DYNAMIC = 512, ELF_TEXT = 2048, ELF_ADDR = 0x10000 };

static inline void elf_dyn(bytes *b, size_t *at, uint64_t tag, uint64_t value)
{
	put(b, *at, tag, 8);
	put(b, *at + 8, value, 8);
	*at += 16;
}

static inline void elf_text(bytes *b, size_t *dyn, size_t *text, uint64_t tag, const char *s)
{
	if (!s)
		return;
	elf_dyn(b, dyn, tag, *text - ELF_TEXT);
	*text = put_text(b, *text, s);
}

/* A 64-bit shared object of 4,096 bytes: one PT_LOAD over all of it, one PT_DYNAMIC. */
static inline bytes elf_build(wp_arena *a, const elf_parts *p)
{
	bytes b = {wp_alloc(a, ELF_FILE), ELF_FILE};
	size_t dyn = ELF_DYNAMIC, text = ELF_TEXT + 1, i;

	memcpy(b.p, "\177ELF\2\1\1", 7);
	put(&b, 16, 3, 2);
	put(&b, 18, p->machine, 2);
	put(&b, 32, 64, 8);
	put(&b, 54, 56, 2);
	put(&b, 56, 2, 2);
	put(&b, 64, 1, 4);
	put(&b, 64 + 16, ELF_ADDR, 8);
	put(&b, 64 + 32, ELF_FILE, 8);
	put(&b, 120, 2, 4);
	put(&b, 120 + 8, ELF_DYNAMIC, 8);
	put(&b, 120 + 16, ELF_ADDR + ELF_DYNAMIC, 8);
	put(&b, 120 + 32, ELF_TEXT - ELF_DYNAMIC, 8);
	elf_dyn(&b, &dyn, 5, ELF_ADDR + ELF_TEXT);
	elf_dyn(&b, &dyn, 10, ELF_FILE - ELF_TEXT);
	for (i = 0; p->needed && p->needed[i]; i++)
		elf_text(&b, &dyn, &text, 1, p->needed[i]);
	elf_text(&b, &dyn, &text, 14, p->soname);
	elf_text(&b, &dyn, &text, 15, p->rpath);
	elf_text(&b, &dyn, &text, 29, p->runpath);
	if (p->nodeflib)
		elf_dyn(&b, &dyn, 0x6ffffffb, 0x800);
	return b;
}

#endif

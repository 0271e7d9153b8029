/* SPDX-License-Identifier: MIT */
/* elf.c: program headers and the dynamic section of ELF files (System V gABI), little-endian. The loader never
 * looks at section headers, so neither does this. */
#include "bin/elf.h"

#include "base/vec.h"

enum {
	PT_LOAD = 1,
	PT_DYNAMIC = 2,
	DT_NEEDED = 1,
	DT_STRTAB = 5,
	DT_STRSZ = 10,
	DT_SONAME = 14,
	DT_RPATH = 15,
	DT_RUNPATH = 29,
	MAX_SEGMENTS = 4096,
	MAX_DYNAMIC = 65536,
	MAX_NEEDED = 4096,
	MAX_NAME = 1024,
	MAX_PATHS = 65536 /* bytes of RPATH or RUNPATH */
};
#define DT_FLAGS_1 0x6ffffffbu
#define DF_1_NODEFLIB 0x800u

typedef struct segment {
	uint64_t off, addr, size;
} segment;

typedef struct reader {
	wp_arena *a, *scratch;
	wp_view *v;
	wp_elf *elf;
	segment *loads;
	size_t nloads;
	segment dynamic;
	bool has_dynamic;
	uint64_t strtab, strsz, soname, rpath, runpath; /* strings as offset + 1, 0: none */
	WP_VEC(uint64_t) needed;
	const char *why;
} reader;

static bool fault(reader *r, const char *why)
{
	const char *read = wp_view_fault(r->v);

	if (!r->why)
		r->why = read ? wp_strdup(r->a, read) : why;
	return false;
}

/* A field as wide as an address of this class. */
static bool word(reader *r, uint64_t off, uint64_t *out)
{
	uint32_t half;

	if (r->elf->bits == 64)
		return wp_view_u64(r->v, off, out);
	if (!wp_view_u32(r->v, off, &half))
		return false;
	*out = half;
	return true;
}

static bool read_ident(reader *r)
{
	unsigned char id[16];

	if (wp_view_size(r->v) == 0)
		return fault(r, "the file is empty");
	if (!wp_view_bytes(r->v, 0, id, sizeof id))
		return fault(r, "the file is too short");
	if (id[0] != 0x7f || id[1] != 'E' || id[2] != 'L' || id[3] != 'F')
		return fault(r, "no ELF header");
	if (id[4] != 1 && id[4] != 2)
		return fault(r, "an ELF class that is neither 32 nor 64 bits");
	if (id[5] != 1)
		return fault(r, "not little-endian");
	r->elf->bits = id[4] == 2 ? 64 : 32;
	return true;
}

static bool read_segment(reader *r, uint64_t at)
{
	bool wide = r->elf->bits == 64;
	uint32_t type;
	segment s;

	if (!wp_view_u32(r->v, at, &type) || !word(r, at + (wide ? 8 : 4), &s.off) ||
		!word(r, at + (wide ? 16 : 8), &s.addr) || !word(r, at + (wide ? 32 : 16), &s.size))
		return fault(r, "the file ends inside its program headers");
	if (type != PT_LOAD && type != PT_DYNAMIC)
		return true;
	if (s.off > wp_view_size(r->v) || s.size > wp_view_size(r->v) - s.off)
		r->elf->truncated = true;
	if (type == PT_LOAD) {
		r->loads[r->nloads++] = s;
	} else {
		r->dynamic = s;
		r->has_dynamic = true;
	}
	return true;
}

static bool read_segments(reader *r)
{
	bool wide = r->elf->bits == 64;
	uint16_t size, count;
	uint64_t at;
	size_t i;

	if (!wp_view_u16(r->v, 18, &r->elf->machine) || !word(r, wide ? 32 : 28, &at) ||
		!wp_view_u16(r->v, wide ? 54 : 42, &size) || !wp_view_u16(r->v, wide ? 56 : 44, &count))
		return fault(r, "the file is too short");
	if (count > MAX_SEGMENTS || size < (wide ? 56 : 32) || at > wp_view_size(r->v))
		return fault(r, count ? "impossible program headers" : "no program headers");
	r->loads = WP_NEW_ARRAY(r->scratch, count ? count : 1, segment);
	for (i = 0; i < count; i++)
		if (!read_segment(r, at + i * (uint64_t)size))
			return false;
	return true;
}

static bool address_to_offset(const reader *r, uint64_t addr, uint64_t *off)
{
	size_t i;

	for (i = 0; i < r->nloads; i++) {
		const segment *s = &r->loads[i];

		if (addr >= s->addr && addr - s->addr < s->size) {
			*off = s->off + (addr - s->addr);
			return *off >= s->off;
		}
	}
	return false;
}

static bool take_dynamic(reader *r, uint64_t tag, uint64_t value)
{
	switch (tag) {
	case DT_NEEDED:
		if (r->needed.n == MAX_NEEDED)
			return fault(r, "too many needed libraries");
		WP_PUSH(&r->needed, value);
		break;
	case DT_STRTAB:
		r->strtab = value;
		break;
	case DT_STRSZ:
		r->strsz = value;
		break;
	case DT_SONAME:
		r->soname = value + 1;
		break;
	case DT_RPATH:
		r->rpath = value + 1;
		break;
	case DT_RUNPATH:
		r->runpath = value + 1;
		break;
	case DT_FLAGS_1:
		r->elf->nodeflib = (value & DF_1_NODEFLIB) != 0;
		break;
	}
	return true;
}

static bool read_dynamic(reader *r)
{
	uint64_t step = r->elf->bits == 64 ? 16 : 8, tag, value;
	size_t i;

	for (i = 0; i < MAX_DYNAMIC; i++) {
		uint64_t at = r->dynamic.off + i * step;

		if ((i + 1) * step > r->dynamic.size)
			return true;
		if (!word(r, at, &tag) || !word(r, at + step / 2, &value))
			return fault(r, "the file ends inside its dynamic section");
		if (tag == 0)
			return true;
		if (!take_dynamic(r, tag, value))
			return false;
	}
	return fault(r, "a dynamic section without end");
}

static const char *string_at(reader *r, uint64_t index, size_t max)
{
	uint64_t base;
	const char *s;

	if (index >= r->strsz || !address_to_offset(r, r->strtab, &base) || base > UINT64_MAX - index) {
		fault(r, "a name outside of the string table");
		return NULL;
	}
	s = wp_view_cstr(r->v, r->a, base + index, max);
	if (!s || !wp_utf8_valid(wp_str_of(s))) {
		fault(r, "a name that is too long or not in UTF-8");
		return NULL;
	}
	return s;
}

static bool optional_string(reader *r, uint64_t index_plus_1, size_t max, const char **out)
{
	if (index_plus_1)
		*out = string_at(r, index_plus_1 - 1, max);
	return !index_plus_1 || *out;
}

static bool read_strings(reader *r)
{
	const char **v = WP_NEW_ARRAY(r->a, r->needed.n ? r->needed.n : 1, const char *);
	size_t i;

	for (i = 0; i < r->needed.n; i++)
		if (!(v[i] = string_at(r, r->needed.v[i], MAX_NAME)))
			return false;
	r->elf->needed = v;
	r->elf->nneeded = r->needed.n;
	return optional_string(r, r->soname, MAX_NAME, &r->elf->soname) &&
		optional_string(r, r->rpath, MAX_PATHS, &r->elf->rpath) &&
		optional_string(r, r->runpath, MAX_PATHS, &r->elf->runpath);
}

static bool read_all(reader *r)
{
	if (!read_ident(r) || !read_segments(r))
		return false;
	if (!r->has_dynamic)
		return true;
	return read_dynamic(r) && read_strings(r);
}

bool wp_elf_read(wp_arena *a, const wp_blob *b, wp_elf *out, const char **why)
{
	wp_arena *scratch = wp_arena_new();
	reader r = {.a = a, .scratch = scratch, .v = wp_view_new(scratch, b), .elf = out};
	bool ok;

	*out = (wp_elf){0};
	*why = NULL;
	/* The dynamic section of a cut file may lie in the part that is gone. */
	ok = read_all(&r) || (out->truncated && !wp_view_fault(r.v));
	if (!ok)
		*why = r.why;
	WP_VEC_FREE(&r.needed);
	wp_arena_free(scratch);
	return ok;
}

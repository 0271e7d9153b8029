/* SPDX-License-Identifier: MIT */
/* pe.c: headers, sections and import tables of PE files. Every number comes from the file and is checked before use. */
#include "bin/pe.h"

#include "base/vec.h"

enum {
	DIR_IMPORT = 1,
	MAX_SECTIONS = 4096,
	MAX_IMPORTS = 4096,
	MAX_DLL_NAME = 512,
	IMPORT_SIZE = 20 /* of an import descriptor */
};

typedef struct section {
	uint32_t rva, raw, raw_size;
} section;

typedef struct reader {
	wp_arena *a, *scratch;
	wp_view *v;
	wp_pe *pe;
	uint64_t coff, optional; /* file offsets */
	uint16_t optional_size;
	section *sections;
	uint16_t nsections;
	const char *why;
} reader;

typedef WP_VEC(const char *) names;

static bool fault(reader *r, const char *why)
{
	const char *read = wp_view_fault(r->v);

	if (!r->why)
		r->why = read ? wp_strdup(r->a, read) : why;
	return false;
}

static bool read_headers(reader *r)
{
	uint16_t mz;
	uint32_t at, magic;

	if (!wp_view_u16(r->v, 0, &mz) || mz != 0x5a4d)
		return fault(r, "no MZ header");
	if (!wp_view_u32(r->v, 0x3c, &at) || !wp_view_u32(r->v, at, &magic) || magic != 0x4550)
		return fault(r, "no PE header");
	r->coff = (uint64_t)at + 4;
	r->optional = r->coff + 20;
	if (!wp_view_u16(r->v, r->coff, &r->pe->machine) ||
		!wp_view_u16(r->v, r->coff + 2, &r->nsections) ||
		!wp_view_u16(r->v, r->coff + 16, &r->optional_size))
		return fault(r, "the file ends inside its header");
	return true;
}

static bool read_optional(reader *r)
{
	uint16_t magic;

	if (r->optional_size < 96 || !wp_view_u16(r->v, r->optional, &magic))
		return fault(r, "no optional header");
	if (magic != 0x10b && magic != 0x20b)
		return fault(r, "neither PE32 nor PE32+");
	r->pe->pe32plus = magic == 0x20b;
	return true;
}

static bool read_sections(reader *r)
{
	uint64_t at = r->optional + r->optional_size;
	size_t i;

	if (r->nsections > MAX_SECTIONS)
		return fault(r, "too many sections");
	r->sections = WP_NEW_ARRAY(r->scratch, r->nsections ? r->nsections : 1, section);
	for (i = 0; i < r->nsections; i++, at += 40) {
		section *s = &r->sections[i];

		if (!wp_view_u32(r->v, at + 12, &s->rva) || !wp_view_u32(r->v, at + 16, &s->raw_size) ||
			!wp_view_u32(r->v, at + 20, &s->raw))
			return fault(r, "the file ends inside its section table");
		if (s->raw_size && (uint64_t)s->raw + s->raw_size > wp_view_size(r->v))
			r->pe->truncated = true;
	}
	return true;
}

static bool rva_to_offset(const reader *r, uint32_t rva, uint64_t *off)
{
	size_t i;

	for (i = 0; i < r->nsections; i++) {
		const section *s = &r->sections[i];

		if (rva >= s->rva && rva - s->rva < s->raw_size) {
			*off = (uint64_t)s->raw + (rva - s->rva);
			return true;
		}
	}
	return false;
}

/* RVA of a data directory; 0 where the file has none. */
static uint32_t directory(reader *r, uint32_t index)
{
	uint64_t table = r->optional + (r->pe->pe32plus ? 112 : 96);
	uint32_t count, rva;

	if (!wp_view_u32(r->v, table - 4, &count) || index >= count)
		return 0;
	if (table + 8 * (uint64_t)index + 8 > r->optional + r->optional_size)
		return 0;
	return wp_view_u32(r->v, table + 8 * (uint64_t)index, &rva) ? rva : 0;
}

static bool add_name(reader *r, names *out, uint32_t rva)
{
	uint64_t off;
	const char *name;

	if (!rva_to_offset(r, rva, &off))
		return fault(r, "an import has its name outside of the file");
	name = wp_view_cstr(r->v, r->a, off, MAX_DLL_NAME);
	if (!name || !name[0] || !wp_utf8_valid(wp_str_of(name)))
		return fault(r, "an import has no readable name");
	if (!wp_among(out->v, out->n, name))
		WP_PUSH(out, name);
	return true;
}

/* Import descriptors end with one whose name is 0. */
static bool read_imports(reader *r, names *out)
{
	uint32_t rva = directory(r, DIR_IMPORT), name;
	uint64_t at;
	size_t i;

	if (!rva)
		return true;
	if (!rva_to_offset(r, rva, &at))
		return fault(r, "the import table lies outside of the file");
	for (i = 0; i < MAX_IMPORTS; i++, at += IMPORT_SIZE) {
		if (!wp_view_u32(r->v, at + 12, &name))
			return fault(r, "the file ends inside its import table");
		if (!name)
			return true;
		if (!add_name(r, out, name))
			return false;
	}
	return fault(r, "too many imports");
}

static bool read_all(reader *r)
{
	names imports = {0};
	bool ok = read_headers(r) && read_optional(r) && read_sections(r) && read_imports(r, &imports);

	r->pe->imports = WP_VEC_COPY(r->a, &imports);
	r->pe->nimports = imports.n;
	WP_VEC_FREE(&imports);
	return ok;
}

bool wp_pe_read(wp_arena *a, const wp_blob *b, wp_pe *out, const char **why)
{
	wp_arena *scratch = wp_arena_new();
	reader r = {.a = a, .scratch = scratch, .v = wp_view_new(scratch, b), .pe = out};
	bool ok;

	*out = (wp_pe){0};
	*why = NULL;
	/* The import table of a cut file may lie in the part that is gone. */
	ok = read_all(&r) || (out->truncated && !wp_view_fault(r.v));
	if (!ok)
		*why = r.why;
	wp_arena_free(scratch);
	return ok;
}

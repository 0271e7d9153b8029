/* SPDX-License-Identifier: MIT */
/* zipmake.h: small zips in memory for the tests, byte by byte, so that every field can be wrong. */
#ifndef WP_TESTS_ZIPMAKE_H
#define WP_TESTS_ZIPMAKE_H

#include "base/str.h"
#include "ext/inflate.h"
#include "unit/test.h"

/* A blob over memory that counts its reads and holds them to the contract. */
typedef struct mem_blob {
	const unsigned char *p;
	size_t n, reads, bytes;
	wp_blob blob;
} mem_blob;

static inline int mem_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	mem_blob *m = self;

	if (n == 0 || off > m->n || m->n - off < n)
		return wp_fail(e, WP_E_INTERNAL, "a read of %zu at %llu of %zu", n, (unsigned long long)off, m->n);
	memcpy(buf, m->p + off, n);
	m->reads++;
	m->bytes += n;
	return 0;
}

static inline wp_blob *mem_open(mem_blob *m, const void *p, size_t n)
{
	*m = (mem_blob){.p = p, .n = n};
	m->blob = (wp_blob){.self = m, .size = n, .read_at = mem_read};
	return &m->blob;
}

typedef struct zip_maker {
	wp_buf out, dir;
	unsigned n;
} zip_maker;

typedef struct zip_item {
	const char *name;
	size_t name_n; /* 0: strlen */
	const char *data;
	size_t data_n; /* 0: strlen */
	wp_str packed; /* what is stored in place of data; data gives size and crc */
	unsigned flags, method;
	uint32_t mode;
	wp_str local_extra, central_extra;
	int descriptor; /* bytes: 0, 12, 16, 20, 24 */
} zip_item;

static inline void zip_le(wp_buf *b, uint64_t v, int bytes)
{
	for (; bytes > 0; bytes--, v >>= 8)
		wp_buf_putc(b, (char)(v & 0xff));
}

static inline void zip_begin(zip_maker *z)
{
	*z = (zip_maker){0};
	wp_buf_init(&z->out, 256 << 20);
	wp_buf_init(&z->dir, 64 << 20);
}

static inline void zip_descriptor(wp_buf *b, int bytes, uint32_t crc, size_t n)
{
	int wide = bytes >= 20 ? 8 : 4;

	if (bytes == 0)
		return;
	if (bytes % 8 == 0)
		zip_le(b, 0x08074b50, 4);
	zip_le(b, crc, 4);
	zip_le(b, n, wide);
	zip_le(b, n, wide);
}

static inline void zip_add(zip_maker *z, const zip_item *i)
{
	size_t nname = i->name_n ? i->name_n : strlen(i->name);
	size_t n = i->data_n ? i->data_n : i->data ? strlen(i->data) : 0, offset = z->out.n;
	unsigned flags = i->flags | (i->descriptor ? 8 : 0);
	wp_str stored = i->packed.p ? i->packed : (wp_str){i->data, n};
	uint32_t crc = wp_crc32(0, i->data ? i->data : "", n);

	zip_le(&z->out, 0x04034b50, 4);
	zip_le(&z->out, 20, 2);
	zip_le(&z->out, flags, 2);
	zip_le(&z->out, i->method, 2);
	zip_le(&z->out, 0x00210000, 4);
	zip_le(&z->out, i->descriptor ? 0 : crc, 4);
	zip_le(&z->out, i->descriptor ? 0 : stored.n, 4);
	zip_le(&z->out, i->descriptor ? 0 : n, 4);
	zip_le(&z->out, nname, 2);
	zip_le(&z->out, i->local_extra.n, 2);
	wp_buf_add(&z->out, i->name, nname);
	wp_buf_str(&z->out, i->local_extra);
	wp_buf_str(&z->out, stored);
	zip_descriptor(&z->out, i->descriptor, crc, n);

	zip_le(&z->dir, 0x02014b50, 4);
	zip_le(&z->dir, i->mode ? 0x0314 : 20, 2);
	zip_le(&z->dir, 20, 2);
	zip_le(&z->dir, flags, 2);
	zip_le(&z->dir, i->method, 2);
	zip_le(&z->dir, 0x00210000, 4);
	zip_le(&z->dir, crc, 4);
	zip_le(&z->dir, stored.n, 4);
	zip_le(&z->dir, n, 4);
	zip_le(&z->dir, nname, 2);
	zip_le(&z->dir, i->central_extra.n, 2);
	zip_le(&z->dir, 0, 2);
	zip_le(&z->dir, 0, 4);
	zip_le(&z->dir, (uint64_t)i->mode << 16, 4);
	zip_le(&z->dir, offset, 4);
	wp_buf_add(&z->dir, i->name, nname);
	wp_buf_str(&z->dir, i->central_extra);
	z->n++;
}

/* The directory and end records behind what was added; zip64: with the wide ones too. */
static inline void zip_end(zip_maker *z, bool zip64, const char *comment)
{
	size_t offset = z->out.n, size = z->dir.n;

	wp_buf_str(&z->out, wp_buf_view(&z->dir));
	if (zip64) {
		zip_le(&z->out, 0x06064b50, 4);
		zip_le(&z->out, 44, 8);
		zip_le(&z->out, 45 | 45 << 16, 4);
		zip_le(&z->out, 0, 8);
		zip_le(&z->out, z->n, 8);
		zip_le(&z->out, z->n, 8);
		zip_le(&z->out, size, 8);
		zip_le(&z->out, offset, 8);
		zip_le(&z->out, 0x07064b50, 4);
		zip_le(&z->out, 0, 4);
		zip_le(&z->out, offset + size, 8);
		zip_le(&z->out, 1, 4);
	}
	zip_le(&z->out, 0x06054b50, 4);
	zip_le(&z->out, 0, 4);
	zip_le(&z->out, z->n, 2);
	zip_le(&z->out, z->n, 2);
	zip_le(&z->out, size, 4);
	zip_le(&z->out, offset, 4);
	zip_le(&z->out, strlen(comment), 2);
	wp_buf_puts(&z->out, comment);
	wp_buf_free(&z->dir);
}

static inline void zip_free(zip_maker *z)
{
	wp_buf_free(&z->out);
	wp_buf_free(&z->dir);
}

#endif

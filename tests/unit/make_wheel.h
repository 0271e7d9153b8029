/* SPDX-License-Identifier: MIT */
/* make_wheel.h: small wheels made in memory, correct unless the test asks otherwise. The zip comes from zipmake.h
 * and not from src/ext, so that a fault of the writer can't hide one of the reader. */
#ifndef WP_TESTS_MAKE_WHEEL_H
#define WP_TESTS_MAKE_WHEEL_H

#include <zlib.h>

#include "ext/hash.h"
#include "unit/tmp.h"
#include "unit/zipmake.h"

typedef struct mw_member {
	const char *name;
	const char *data;
	size_t n;	/* 0: strlen(data) */
	bool deflate;
	int mode;	/* st_mode; 0: 0100644 */
	bool unlisted;	/* no row in RECORD */
	const char *row; /* instead of the right row, without newline */
} mw_member;

typedef struct mw_wheel {
	const char *project, *version; /* as in the file name: "torch", "2.11.0+cu126" */
	const char *tag;	       /* NULL: py3-none-any */
	bool platlib;		       /* Root-Is-Purelib: false */
	const char *headers;	       /* more METADATA headers: "Requires-Dist: x\n"; NULL: none */
	const char *metadata, *wheel, *record; /* whole text instead of the right one; NULL: the right one */
	const char *entry_points;	       /* NULL: no such file */
	bool no_metadata, no_wheel, no_record; /* the file is absent */
	const mw_member *members;	       /* packages, .data/, further dist-info files */
	size_t n;
} mw_wheel;

typedef struct mw_made {
	const char *filename;
	wp_str bytes;
	char sha256[WP_SHA256_HEX + 1], record_sha256[WP_SHA256_HEX + 1];
} mw_made;

static inline wp_str mw_deflate(wp_arena *a, wp_str in)
{
	z_stream z = {0};
	char *out = wp_alloc(a, in.n + in.n / 100 + 64);

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)in.p;
	z.avail_in = (uInt)in.n;
	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)(in.n + in.n / 100 + 64);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return (wp_str){out, z.total_out};
}

/* "sha256=<base64url without padding>" */
static inline const char *mw_row_digest(wp_arena *a, wp_str data)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	char hex[WP_SHA256_HEX + 1];
	unsigned char d[33] = {0};
	char *out = wp_alloc(a, 64), *p = out;
	size_t i;

	wp_sha256_hex(data, hex);
	wp_unhex((wp_str){hex, 64}, d, 32);
	memcpy(p, "sha256=", 7);
	p += 7;
	for (i = 0; i < 43; i++) {
		size_t bit = i * 6;
		unsigned v = (unsigned)(d[bit / 8] << 8 | d[bit / 8 + 1]);

		*p++ = set[v >> (10 - bit % 8) & 63];
	}
	return out;
}

static inline const char *mw_row(wp_arena *a, const char *name, wp_str data)
{
	return wp_sprintf(a, "%s,%s,%zu", name, mw_row_digest(a, data), data.n);
}

static inline void mw_add(wp_arena *a, zip_maker *z, wp_buf *record, const mw_member *m)
{
	wp_str data = {m->data, m->n ? m->n : strlen(m->data)};
	zip_item item = {.name = m->name, .data = data.p, .data_n = data.n,
		.mode = (uint32_t)(m->mode ? m->mode : 0100644)};

	if (m->deflate) {
		item.packed = mw_deflate(a, data);
		item.method = 8;
	}
	zip_add(z, &item);
	if (record && !m->unlisted)
		wp_buf_printf(record, "%s\n", m->row ? m->row : mw_row(a, m->name, data));
}

static inline void mw_add_text(wp_arena *a, zip_maker *z, wp_buf *record, const char *dir, const char *name,
	const char *text)
{
	mw_member m = {.name = wp_sprintf(a, "%s/%s", dir, name), .data = text};

	mw_add(a, z, record, &m);
}

/* The wheel's bytes in arena a. */
static inline mw_made mw_make(wp_arena *a, const mw_wheel *w)
{
	const char *tag = w->tag ? w->tag : "py3-none-any";
	const char *dir = wp_sprintf(a, "%s-%s.dist-info", w->project, w->version);
	mw_made out = {.filename = wp_sprintf(a, "%s-%s-%s.whl", w->project, w->version, tag)};
	const char *metadata = w->metadata ? w->metadata
		: wp_sprintf(a, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s\n", w->project, w->version,
			w->headers ? w->headers : "");
	const char *wheel = w->wheel ? w->wheel
		: wp_sprintf(a, "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: %s\nTag: %s\n",
			w->platlib ? "false" : "true", tag);
	wp_buf record;
	wp_str text;
	zip_maker z;
	size_t i;

	zip_begin(&z);
	wp_buf_init(&record, 1 << 20);
	for (i = 0; i < w->n; i++)
		mw_add(a, &z, &record, &w->members[i]);
	if (!w->no_metadata)
		mw_add_text(a, &z, &record, dir, "METADATA", metadata);
	if (!w->no_wheel)
		mw_add_text(a, &z, &record, dir, "WHEEL", wheel);
	if (w->entry_points)
		mw_add_text(a, &z, &record, dir, "entry_points.txt", w->entry_points);
	wp_buf_printf(&record, "%s/RECORD,,\n", dir);
	text = wp_buf_take(&record, a);
	if (w->record)
		text = wp_str_of(w->record);
	if (!w->no_record)
		mw_add_text(a, &z, NULL, dir, "RECORD", text.p);
	zip_end(&z, false, "");
	out.bytes = wp_buf_take(&z.out, a);
	wp_sha256_hex(out.bytes, out.sha256);
	wp_sha256_hex(text, out.record_sha256);
	return out;
}

/* Make it and save it as dir/<file name>. */
static inline mw_made mw_write(wp_arena *a, const char *dir, const mw_wheel *w)
{
	mw_made m = mw_make(a, w);

	tmp_write(wp_sprintf(a, "%s/%s", dir, m.filename), m.bytes);
	return m;
}

#endif

/* SPDX-License-Identifier: MIT */
/* The text: a head, then for each file a byte of flags, its size and its texts, each with its NUL. Where the file name
 * ends the address, which is usual, it stands there only. Numbers are little-endian. */
#include "fetch/packed.h"

#include <string.h>

#define MAGIC "wppage1"
enum { HEAD = 8 + 4 + 4, MIN_FILE = 1 + 8 + 1 };

enum {
	YANKED = 1,
	METADATA = 2,
	SHA256 = 4,
	PYTHON = 8,
	REASON = 16,
	METADATA_SHA256 = 32,
	UPLOADED = 64,
	NAMED = 128 /* the file name stands apart */
};

/* ---- numbers ------------------------------------------------------------------------------ */

static void put_number(char *to, uint64_t v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = (char)(v >> 8 * i & 0xff);
}

static uint64_t number(const char *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | (unsigned char)p[n];
	return v;
}

/* ---- writing ------------------------------------------------------------------------------ */

void wp_packed_begin(wp_buf *b)
{
	char head[HEAD] = MAGIC;

	wp_buf_init(b, WP_MAX_PACKED);
	wp_buf_add(b, head, HEAD);
}

static void put_text(wp_buf *b, const char *text)
{
	if (text)
		wp_buf_add(b, text, strlen(text) + 1);
}

/* The last part of an address as it stands there. */
static const char *name_in(const char *url, const char *behind)
{
	const char *p = behind - 1;

	while (p > url && p[-1] != '/')
		p--;
	return p;
}

static bool ends_address(const wp_file *f)
{
	return !strcmp(name_in(f->url, f->url + strlen(f->url) + 1), f->filename);
}

void wp_packed_add(wp_buf *b, const wp_file *f)
{
	char fixed[9];
	bool named = !ends_address(f);

	fixed[0] = (char)((f->yanked ? YANKED : 0) | (f->has_metadata ? METADATA : 0) | (f->sha256 ? SHA256 : 0) |
		(f->requires_python ? PYTHON : 0) | (f->yanked_reason ? REASON : 0) |
		(f->metadata_sha256 ? METADATA_SHA256 : 0) | (f->upload_time ? UPLOADED : 0) | (named ? NAMED : 0));
	put_number(fixed + 1, (uint64_t)f->size, 8);
	wp_buf_add(b, fixed, sizeof fixed);
	put_text(b, f->url);
	put_text(b, named ? f->filename : NULL);
	put_text(b, f->sha256);
	put_text(b, f->requires_python);
	put_text(b, f->yanked_reason);
	put_text(b, f->metadata_sha256);
	put_text(b, f->upload_time);
}

void wp_packed_end(wp_buf *b, size_t files, size_t skipped)
{
	if (b->n < HEAD)
		return;
	put_number(b->p + 8, files, 4);
	put_number(b->p + 12, skipped, 4);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* The text at *p, NULL where it isn't to be there or has no end; *p moves behind it. */
static const char *text_at(const char **p, const char *end, bool there, bool *bad)
{
	const char *text = *p, *nul;

	if (!there || *bad)
		return NULL;
	nul = memchr(text, 0, (size_t)(end - text));
	*bad = !nul;
	*p = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

static bool read_file(const char **p, const char *end, wp_file *f)
{
	unsigned flags;
	bool bad = false;

	if (end - *p < MIN_FILE)
		return false;
	flags = (unsigned char)**p;
	f->size = (int64_t)number(*p + 1, 8);
	f->yanked = flags & YANKED;
	f->has_metadata = flags & METADATA;
	*p += 9;
	f->url = text_at(p, end, true, &bad);
	f->filename = flags & NAMED || bad ? text_at(p, end, true, &bad) : name_in(f->url, *p);
	f->sha256 = text_at(p, end, flags & SHA256, &bad);
	f->requires_python = text_at(p, end, flags & PYTHON, &bad);
	f->yanked_reason = text_at(p, end, flags & REASON, &bad);
	f->metadata_sha256 = text_at(p, end, flags & METADATA_SHA256, &bad);
	f->upload_time = text_at(p, end, flags & UPLOADED, &bad);
	return !bad && f->size >= -1;
}

bool wp_packed_read(wp_arena *a, wp_str text, const char *project, const char *index, wp_project *out)
{
	const char *p, *end;
	uint64_t files, i;
	wp_file *v;

	if (text.n < HEAD || memcmp(text.p, MAGIC, 8) != 0)
		return false;
	p = text.p + HEAD;
	end = text.p + text.n;
	files = number(text.p + 8, 4);
	if (files > WP_MAX_PAGE_FILES || files > (text.n - HEAD) / MIN_FILE)
		return false;
	v = WP_NEW_ARRAY(a, files, wp_file);
	for (i = 0; i < files; i++) {
		if (!read_file(&p, end, &v[i]))
			return false;
		v[i].index = index;
	}
	*out = (wp_project){.name = wp_strdup(a, project), .index = index, .files = v, .nfiles = (size_t)files,
		.skipped = (size_t)number(text.p + 12, 4)};
	return p == end;
}

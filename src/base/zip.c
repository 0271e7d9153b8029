/* SPDX-License-Identifier: MIT */
#include "base/zip.h"

#include <stdlib.h>
#include <string.h>

enum {
	END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20, CENTRAL_SIZE = 46, LOCAL_SIZE = 30,
	MAX_COMMENT = 0xffff,
	TAIL = 64 << 10,	/* first read from the end; more only for a longer comment */
	WINDOW = 64 << 10,	/* read-ahead over local headers */
	FLAG_DESCRIPTOR = 1 << 3,
	FLAGS_REFUSED = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 13 /* encrypted, patch, strong, masked */
};

#define SIG_LOCAL 0x04034b50u
#define SIG_CENTRAL 0x02014b50u
#define SIG_END 0x06054b50u
#define SIG_END64 0x06064b50u
#define SIG_LOCATOR 0x07064b50u
#define SIG_DESCRIPTOR 0x08074b50u
#define FULL32 0xffffffffu

static unsigned u16(const unsigned char *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

static uint32_t u32(const unsigned char *p)
{
	return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static uint64_t u64(const unsigned char *p)
{
	return u32(p) | (uint64_t)u32(p + 4) << 32;
}

/* ---- the end records ---------------------------------------------------------------------- */

typedef struct tail {
	unsigned char *p;
	uint64_t start; /* place of p[0] in the blob */
	size_t n;
} tail;

typedef struct end_record {
	uint64_t entries, dir_size, dir_offset;
	uint64_t at; /* where the directory must end: the first of the end records */
} end_record;

static int load_tail(const wp_blob *b, size_t want, tail *t, wp_error *e)
{
	t->n = b->size < want ? (size_t)b->size : want;
	t->start = b->size - t->n;
	t->p = wp_xrealloc(t->p, t->n);
	return t->n ? b->read_at(b->self, t->p, t->n, t->start, e) : 0;
}

/* Offsets in the tail at which an end record stands whose comment ends with the file; how many. */
static int find_end(const tail *t, size_t *at)
{
	int found = 0;
	size_t i;

	for (i = t->n < END_SIZE ? 0 : t->n - END_SIZE + 1; i > 0; i--) {
		const unsigned char *p = t->p + i - 1;

		if (p[0] == 'P' && u32(p) == SIG_END && u16(p + 20) == t->n - (i - 1) - END_SIZE) {
			*at = i - 1;
			found++;
		}
	}
	return found;
}

/* Text that says why there is no end record. */
static int no_end(const tail *t, wp_error *e)
{
	size_t i;

	for (i = 0; i + END_SIZE <= t->n; i++)
		if (u32(t->p + i) == SIG_END)
			return wp_fail(e, WP_E_ZIP, "bytes stand behind the zip's end record, or it is cut off");
	if (t->start == 0 && t->n == 0)
		return wp_fail(e, WP_E_ZIP, "the file is empty");
	return wp_fail(e, WP_E_ZIP, "no zip, or cut off: its end record is missing");
}

static int check_single_disk(unsigned disk, unsigned dir_disk, uint64_t here, uint64_t total, wp_error *e)
{
	if (disk != 0 || dir_disk != 0 || here != total)
		return wp_fail(e, WP_E_ZIP, "one part of an archive of several");
	return 0;
}

/* The zip64 record that the locator in front of the end record points to. */
static int read_end64(const wp_blob *b, const tail *t, size_t locator, end_record *r, wp_error *e)
{
	const unsigned char *l = t->p + locator;
	uint64_t at = u64(l + 8), locator_at = t->start + locator;
	unsigned char d[END64_SIZE];
	int rc;

	if (u32(l + 4) != 0 || u32(l + 16) > 1)
		return wp_fail(e, WP_E_ZIP, "one part of an archive of several");
	if (locator_at < END64_SIZE || at != locator_at - END64_SIZE)
		return wp_fail(e, WP_E_ZIP, "the zip64 locator points to %llu, the record must stand right before it",
			(unsigned long long)at);
	if (at >= t->start)
		memcpy(d, t->p + (at - t->start), END64_SIZE);
	else if ((rc = b->read_at(b->self, d, END64_SIZE, at, e)))
		return rc;
	if (u32(d) != SIG_END64 || u64(d + 4) != END64_SIZE - 12)
		return wp_fail(e, WP_E_ZIP, "no zip64 end record where the locator points");
	r->entries = u64(d + 32);
	r->dir_size = u64(d + 40);
	r->dir_offset = u64(d + 48);
	r->at = at;
	return check_single_disk(u32(d + 16), u32(d + 20), u64(d + 24), r->entries, e);
}

/* Fields of the short record are either full, which means "see zip64", or the same. */
static int merge_end64(const end_record *small, const end_record *r, wp_error *e)
{
	if ((small->entries != 0xffff && small->entries != r->entries) ||
		(small->dir_size != FULL32 && small->dir_size != r->dir_size) ||
		(small->dir_offset != FULL32 && small->dir_offset != r->dir_offset))
		return wp_fail(e, WP_E_ZIP, "the zip64 end record and the short one differ");
	return 0;
}

static int parse_end(const wp_blob *b, const tail *t, size_t at, end_record *r, wp_error *e)
{
	const unsigned char *p = t->p + at;
	end_record small = {u16(p + 10), u32(p + 12), u32(p + 16), t->start + at};
	int rc;

	*r = small;
	if (at >= LOCATOR_SIZE && u32(p - LOCATOR_SIZE) == SIG_LOCATOR) {
		rc = read_end64(b, t, at - LOCATOR_SIZE, r, e);
		if (rc == 0)
			rc = merge_end64(&small, r, e);
		if (rc)
			return rc;
	} else if (small.dir_size == FULL32 || small.dir_offset == FULL32) {
		return wp_fail(e, WP_E_ZIP, "the zip64 end record is missing");
	} else if (check_single_disk(u16(p + 4), u16(p + 6), u16(p + 8), small.entries, e)) {
		return e->code;
	}
	if (r->dir_offset > r->at || r->at - r->dir_offset != r->dir_size)
		return wp_fail(e, WP_E_ZIP,
			"the directory is said to be %llu bytes at %llu, but the end record stands at %llu",
			(unsigned long long)r->dir_size, (unsigned long long)r->dir_offset, (unsigned long long)r->at);
	return 0;
}

static int read_end(const wp_blob *b, tail *t, end_record *r, wp_error *e)
{
	size_t at = 0;
	int found, rc = load_tail(b, TAIL, t, e);

	if (rc)
		return rc;
	found = find_end(t, &at);
	if ((found == 0 || at < LOCATOR_SIZE) && b->size > TAIL) {
		rc = load_tail(b, MAX_COMMENT + END_SIZE + LOCATOR_SIZE + END64_SIZE, t, e);
		if (rc)
			return rc;
		found = find_end(t, &at);
	}
	if (found == 0)
		return no_end(t, e);
	if (found > 1)
		return wp_fail(e, WP_E_ZIP, "two end records: which directory counts is not clear");
	return parse_end(b, t, at, r, e);
}

/* ---- the directory ------------------------------------------------------------------------ */

/* Find extra field `id` in [p, p+n). 1 found, 0 absent, -1 where a field is cut off or stands twice. */
static int extra_field(const unsigned char *p, size_t n, unsigned id, const unsigned char **out, size_t *nout)
{
	int found = 0;

	while (n > 0) {
		size_t size;

		if (n < 4 || (size = u16(p + 2)) > n - 4)
			return -1;
		if (u16(p) == id) {
			if (found)
				return -1;
			found = 1;
			*out = p + 4;
			*nout = size;
		}
		p += 4 + size;
		n -= 4 + size;
	}
	return found;
}

/* Values that were full in a header come, in this order, from its zip64 field. */
static bool widen(const unsigned char *extra, size_t n, uint64_t *const *values, size_t nvalues)
{
	const unsigned char *z = NULL;
	size_t nz = 0, i;
	int found = extra_field(extra, n, 1, &z, &nz);

	if (found < 0)
		return false;
	for (i = 0; i < nvalues; i++) {
		if (*values[i] != FULL32)
			continue;
		if (nz < 8)
			return false;
		*values[i] = u64(z);
		z += 8;
		nz -= 8;
	}
	return true;
}

/* Some readers take the name from a "Unicode path" field instead of the header. */
static bool other_name(const unsigned char *extra, size_t n, wp_str name)
{
	const unsigned char *u;
	size_t nu;

	if (extra_field(extra, n, 0x7075, &u, &nu) <= 0)
		return false;
	return nu < 5 || !wp_str_eq((wp_str){(const char *)u + 5, nu - 5}, name);
}

static int check_entry(const wp_zip_entry *en, wp_error *e)
{
	if (en->flags & FLAGS_REFUSED)
		return wp_fail(e, WP_E_ZIP, "the entry is encrypted");
	if (en->method != 0 && en->method != 8)
		return wp_fail(e, WP_E_ZIP, "compression method %u; stored and deflate are supported", en->method);
	if (en->method == 0 && en->csize != en->size)
		return wp_fail(e, WP_E_ZIP, "a stored entry of %llu bytes cannot unpack to %llu",
			(unsigned long long)en->csize, (unsigned long long)en->size);
	if (en->dir && (en->size != 0 || en->csize > 2))
		return wp_fail(e, WP_E_ZIP, "a folder entry with contents");
	return 0;
}

static int entry_name(wp_arena *a, const unsigned char *p, size_t n, wp_zip_entry *en, wp_error *e)
{
	wp_str s = {(const char *)p, n};

	if (n == 0 || n > WP_MAX_PATH_BYTES)
		return wp_fail(e, WP_E_ZIP, "a name of %zu bytes", n);
	if (memchr(p, 0, n))
		return wp_fail(e, WP_E_ZIP, "NUL in a name");
	if (!wp_utf8_valid(s))
		return wp_fail(e, WP_E_ZIP, "a name that is not UTF-8");
	en->name = wp_str_dup(a, s);
	en->dir = s.p[n - 1] == '/';
	return 0;
}

/* One central header at p; *used is its size. */
static int read_central(wp_arena *a, const unsigned char *p, size_t left, wp_zip_entry *en, size_t *used, wp_error *e)
{
	size_t nname, nextra, ncomment;
	const unsigned char *extra;
	uint64_t *const wide[] = {&en->size, &en->csize, &en->header_offset};

	if (left < CENTRAL_SIZE || u32(p) != SIG_CENTRAL)
		return wp_fail(e, WP_E_ZIP, "the directory is damaged");
	nname = u16(p + 28);
	nextra = u16(p + 30);
	ncomment = u16(p + 32);
	*used = CENTRAL_SIZE + nname + nextra + ncomment;
	if (*used > left)
		return wp_fail(e, WP_E_ZIP, "the directory is cut off");
	if (entry_name(a, p + CENTRAL_SIZE, nname, en, e))
		return e->code;
	extra = p + CENTRAL_SIZE + nname;
	en->flags = (uint16_t)u16(p + 8);
	en->method = (uint16_t)u16(p + 10);
	en->crc = u32(p + 16);
	en->csize = u32(p + 20);
	en->size = u32(p + 24);
	en->header_offset = u32(p + 42);
	/* Made on Unix or macOS: only there the upper half is a mode. */
	en->mode = p[5] == 3 || p[5] == 19 ? u32(p + 38) >> 16 : 0;
	if (!widen(extra, nextra, wide, 3))
		wp_fail(e, WP_E_ZIP, "an extra field of the entry is damaged");
	else if (other_name(extra, nextra, (wp_str){(const char *)p + CENTRAL_SIZE, nname}))
		wp_fail(e, WP_E_ZIP, "the entry has a second name");
	else if (u16(p + 34) != 0 && u16(p + 34) != 0xffff)
		wp_fail(e, WP_E_ZIP, "one part of an archive of several");
	else
		check_entry(en, e);
	return e->code ? wp_err_where(e, "'%s'", en->name) : 0;
}

static int read_entries(wp_arena *a, const unsigned char *dir, const end_record *r, wp_zip *out, wp_error *e)
{
	const unsigned char *p = dir;
	size_t left = (size_t)r->dir_size, used = 0, i;

	out->n = (size_t)r->entries;
	out->entries = WP_NEW_ARRAY(a, out->n, wp_zip_entry);
	for (i = 0; i < out->n; i++) {
		if (read_central(a, p, left, &out->entries[i], &used, e)) {
			if (!e->where[0])
				wp_err_where(e, "entry %zu", i + 1);
			return e->code;
		}
		p += used;
		left -= used;
	}
	if (left)
		return wp_fail(e, WP_E_ZIP, "%zu bytes of the directory belong to no entry", left);
	return 0;
}

static int check_caps(const end_record *r, wp_error *e)
{
	if (r->entries > WP_MAX_ZIP_ENTRIES)
		return wp_fail(e, WP_E_TOO_LARGE, "%llu entries, at most %d are read", (unsigned long long)r->entries,
			WP_MAX_ZIP_ENTRIES);
	if (r->dir_size > WP_MAX_ZIP_DIR)
		return wp_fail(e, WP_E_TOO_LARGE, "a zip directory of %llu bytes, at most %d are read",
			(unsigned long long)r->dir_size, WP_MAX_ZIP_DIR);
	if (r->entries > r->dir_size / CENTRAL_SIZE)
		return wp_fail(e, WP_E_ZIP, "a directory of %llu bytes cannot hold %llu entries",
			(unsigned long long)r->dir_size, (unsigned long long)r->entries);
	return 0;
}

static int read_directory(wp_arena *a, const wp_blob *blob, wp_zip *out, end_record *r, wp_error *e)
{
	tail t = {0};
	unsigned char *dir = NULL;
	int rc;

	*out = (wp_zip){.blob = *blob};
	rc = read_end(blob, &t, r, e);
	if (rc == 0)
		rc = check_caps(r, e);
	if (rc == 0 && r->dir_offset >= t.start) {
		rc = read_entries(a, t.p + (r->dir_offset - t.start), r, out, e);
	} else if (rc == 0) {
		dir = wp_xmalloc((size_t)r->dir_size);
		rc = blob->read_at(blob->self, dir, (size_t)r->dir_size, r->dir_offset, e);
		if (rc == 0)
			rc = read_entries(a, dir, r, out, e);
	}
	free(dir);
	free(t.p);
	return rc;
}

int wp_zip_read_directory(wp_arena *a, const wp_blob *blob, wp_zip *out, wp_error *e)
{
	end_record r;

	return read_directory(a, blob, out, &r, e);
}

/* ---- local headers ------------------------------------------------------------------------ */

/* A window of the blob. `ahead` bytes are read where a read is needed, so that one read serves a row of small
 * members and a big one costs no more than its header. */
typedef struct window {
	const wp_blob *blob;
	uint64_t end; /* nothing behind is asked for */
	uint64_t start;
	size_t n, ahead;
	unsigned char *p;
} window;

/* n <= WINDOW bytes at off, NULL on a failure. */
static const unsigned char *look(window *w, uint64_t off, size_t n, wp_error *e)
{
	size_t want = n > w->ahead ? n : w->ahead;

	if (off > w->end || w->end - off < n) {
		wp_fail(e, WP_E_ZIP, "the entry reaches beyond the directory");
		return NULL;
	}
	if (off >= w->start && off - w->start <= w->n && w->n - (off - w->start) >= n)
		return w->p + (off - w->start);
	if (want > w->end - off)
		want = (size_t)(w->end - off);
	w->n = 0;
	if (w->blob->read_at(w->blob->self, w->p, want, off, e))
		return NULL;
	w->start = off;
	w->n = want;
	return w->p;
}

/* With a data descriptor the local fields may be left 0. */
static bool agrees(uint64_t local, uint64_t central, bool descriptor)
{
	return local == central || (descriptor && local == 0);
}

static int compare_header(const unsigned char *p, const unsigned char *name, const wp_zip_entry *en, wp_error *e)
{
	size_t n = strlen(en->name);
	bool later = en->flags & FLAG_DESCRIPTOR;
	uint64_t size = u32(p + 22), csize = u32(p + 18);
	uint64_t *const wide[] = {&size, &csize};

	if (u16(p + 26) != n || memcmp(name, en->name, n) != 0)
		return wp_fail(e, WP_E_ZIP, "the local header and the directory differ in the name");
	if (u16(p + 6) != en->flags || u16(p + 8) != en->method)
		return wp_fail(e, WP_E_ZIP, "the local header and the directory differ in method or flags");
	if (!widen(name + n, u16(p + 28), wide, 2))
		return wp_fail(e, WP_E_ZIP, "an extra field of the local header is damaged");
	if (other_name(name + n, u16(p + 28), (wp_str){en->name, n}))
		return wp_fail(e, WP_E_ZIP, "the entry has a second name");
	if (!agrees(u32(p + 14), en->crc, later))
		return wp_fail(e, WP_E_ZIP, "the local header and the directory differ in the crc");
	if (!agrees(size, en->size, later) || !agrees(csize, en->csize, later))
		return wp_fail(e, WP_E_ZIP, "the local header and the directory differ in the size");
	return 0;
}

static int locate(window *w, wp_zip_entry *en, wp_error *e)
{
	const unsigned char *p = look(w, en->header_offset, LOCAL_SIZE, e);
	size_t all;

	if (!p)
		return e->code;
	if (u32(p) != SIG_LOCAL)
		return wp_fail(e, WP_E_ZIP, "no local header where the directory points");
	all = LOCAL_SIZE + u16(p + 26) + u16(p + 28);
	if (u16(p + 26) > WP_MAX_PATH_BYTES || all > WINDOW)
		return wp_fail(e, WP_E_ZIP, "a local header of %zu bytes", all);
	p = look(w, en->header_offset, all, e);
	if (!p || compare_header(p, p + LOCAL_SIZE, en, e))
		return e->code;
	en->data_offset = en->header_offset + all;
	if (en->csize > w->end - en->data_offset)
		return wp_fail(e, WP_E_ZIP, "the entry reaches beyond the directory");
	return 0;
}

int wp_zip_locate(const wp_zip *z, wp_zip_entry *entry, wp_error *e)
{
	window w = {.blob = &z->blob, .end = z->blob.size, .p = wp_xmalloc(WINDOW)};
	int rc = locate(&w, entry, e);

	free(w.p);
	return rc ? wp_err_where(e, "'%s'", entry->name) : 0;
}

/* The descriptor between a member's end and the next header: four forms, told apart by their length. */
static int check_descriptor(window *w, const wp_zip_entry *en, uint64_t next, wp_error *e)
{
	uint64_t at = en->data_offset + en->csize, room = next - at;
	const unsigned char *p;
	bool wide = room >= 20, same;

	if (!(en->flags & FLAG_DESCRIPTOR))
		return wp_fail(e, WP_E_ZIP, "%llu bytes behind the entry belong to none", (unsigned long long)room);
	if (room != 12 && room != 16 && room != 20 && room != 24)
		return wp_fail(e, WP_E_ZIP, "%llu bytes behind the entry are no data descriptor",
			(unsigned long long)room);
	p = look(w, at, (size_t)room, e);
	if (!p)
		return e->code;
	same = room % 8 != 0 ? true : u32(p) == SIG_DESCRIPTOR;
	p += room % 8 != 0 ? 0 : 4;
	same = same && u32(p) == en->crc;
	same = same && (wide ? u64(p + 4) : u32(p + 4)) == en->csize;
	same = same && (wide ? u64(p + 12) : u32(p + 8)) == en->size;
	return same ? 0 : wp_fail(e, WP_E_ZIP, "the data descriptor and the directory differ");
}

static int by_offset(const void *a, const void *b)
{
	const wp_zip_entry *x = *(wp_zip_entry *const *)a, *y = *(wp_zip_entry *const *)b;

	return x->header_offset < y->header_offset ? -1 : x->header_offset > y->header_offset;
}

static wp_zip_entry **in_file_order(const wp_zip *z)
{
	wp_zip_entry **v = wp_xmalloc(z->n * sizeof *v);
	bool sorted = true;
	size_t i;

	for (i = 0; i < z->n; i++) {
		v[i] = &z->entries[i];
		sorted = sorted && (i == 0 || v[i - 1]->header_offset <= v[i]->header_offset);
	}
	if (!sorted)
		qsort(v, z->n, sizeof *v, by_offset);
	return v;
}

/* How much to read at off so that it serves every header within a window. */
static size_t ahead_of(wp_zip_entry *const *v, size_t n, size_t i, uint64_t off)
{
	enum { HEADER = 512 }; /* longer than nearly every local header */
	uint64_t last = off;

	for (; i < n && v[i]->header_offset >= off && v[i]->header_offset - off < WINDOW - HEADER; i++)
		last = v[i]->header_offset;
	return (size_t)(last - off) + HEADER;
}

/* Entry i of v lies right behind the one before it; its own end must be where the next begins. */
static int check_local(window *w, wp_zip_entry *const *v, size_t n, size_t i, wp_error *e)
{
	wp_zip_entry *en = v[i];
	uint64_t next = i + 1 < n ? v[i + 1]->header_offset : w->end, end;

	w->ahead = ahead_of(v, n, i, en->header_offset);
	if (locate(w, en, e))
		return e->code;
	end = en->data_offset + en->csize;
	if (next < end)
		return wp_fail(e, WP_E_ZIP, "the entry overlaps the one behind it");
	w->ahead = ahead_of(v, n, i + 1, end);
	if (next > end || en->flags & FLAG_DESCRIPTOR)
		return check_descriptor(w, en, next, e);
	return 0;
}

/* Entries must tile the file from its first byte to the directory. */
static int check_locals(const wp_zip *z, const end_record *r, wp_error *e)
{
	window w = {.blob = &z->blob, .end = r->dir_offset, .p = wp_xmalloc(WINDOW)};
	wp_zip_entry **v = in_file_order(z);
	size_t i;
	int rc = 0;

	if ((z->n ? v[0]->header_offset : r->dir_offset) != 0)
		rc = wp_fail(e, WP_E_ZIP, "%llu bytes stand before the first entry",
			(unsigned long long)(z->n ? v[0]->header_offset : r->dir_offset));
	else if (z->n && v[z->n - 1]->header_offset >= r->dir_offset)
		rc = wp_fail(e, WP_E_ZIP, "'%s' is said to begin behind the last entry", v[z->n - 1]->name);
	for (i = 0; rc == 0 && i < z->n; i++)
		if ((rc = check_local(&w, v, z->n, i, e)))
			wp_err_where(e, "'%s'", v[i]->name);
	free(v);
	free(w.p);
	return rc;
}

int wp_zip_read(wp_arena *a, const wp_blob *blob, wp_zip *out, wp_error *e)
{
	end_record r;
	int rc = read_directory(a, blob, out, &r, e);

	return rc ? rc : check_locals(out, &r, e);
}

/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "ext/inflate.h"
#include "wheel/internal.h"

/* Small enough that a buffer is hashed and written while it is still in the processor's cache. */
enum { PIECE = WP_UNPACK_PIECE, SHA256_SIZE = 32 };

struct wp_unpacker {
	wp_inflate *inflate;
	wp_hash *hash[3]; /* by wp_hash_kind, made when first needed */
	unsigned char *in, *own;
	unsigned char *out; /* own, or the caller's */
	size_t size;	    /* of out */
};

wp_unpacker *wp_unpacker_new(void)
{
	wp_unpacker *u = wp_xmalloc(sizeof *u);

	*u = (wp_unpacker){.inflate = wp_inflate_new(), .in = wp_xmalloc(PIECE), .own = wp_xmalloc(PIECE)};
	wp_unpacker_into(u, u->own, PIECE);
	return u;
}

void wp_unpacker_into(wp_unpacker *u, unsigned char *buf, size_t n)
{
	u->out = buf;
	u->size = n;
}

void wp_unpacker_free(wp_unpacker *u)
{
	size_t i;

	if (!u)
		return;
	for (i = 0; i < 3; i++)
		wp_hash_free(u->hash[i]);
	wp_inflate_free(u->inflate);
	free(u->in);
	free(u->own);
	free(u);
}

static wp_hash *hash_for(wp_unpacker *u, wp_hash_kind k)
{
	if (!u->hash[k])
		u->hash[k] = wp_hash_new(k);
	else
		wp_hash_restart(u->hash[k]);
	return u->hash[k];
}

/* ---- one entry ---------------------------------------------------------------------------- */

typedef struct flow {
	wp_unpacker *u;
	const wp_blob *blob;
	const wp_zip_entry *en;
	wp_hash *const *hashes;
	size_t nhashes;
	wp_sink sink;
	void *user;
	uint64_t taken, made; /* compressed bytes read, bytes given out */
	size_t at;	      /* in the output buffer */
	bool starved;	      /* the inflater was asked to go on without input */
	uint32_t crc;
	wp_error *e;
} flow;

/* The piece that n bytes were put into. */
static int give(flow *f, size_t n)
{
	const unsigned char *p = f->u->out + f->at;
	size_t i;

	if (n == 0)
		return 0;
	if (n > f->en->size - f->made)
		return wp_fail(f->e, WP_E_ZIP, "unpacks to more than the %llu bytes that are declared",
			(unsigned long long)f->en->size);
	f->made += n;
	f->at = (f->at + PIECE) % f->u->size;
	f->crc = wp_crc32(f->crc, p, n);
	for (i = 0; i < f->nhashes; i++)
		wp_hash_add(f->hashes[i], p, n);
	return f->sink ? f->sink(f->user, p, n, f->e) : 0;
}

/* The next piece of compressed bytes into buf; *n is 0 at their end. */
static int take(flow *f, unsigned char *buf, size_t *n)
{
	uint64_t left = f->en->csize - f->taken;

	*n = left < PIECE ? (size_t)left : PIECE;
	if (*n == 0)
		return 0;
	f->taken += *n;
	return f->blob->read_at(f->blob->self, buf, *n, f->en->data_offset + f->taken - *n, f->e);
}

static int flow_stored(flow *f)
{
	size_t n;
	int rc;

	do {
		rc = take(f, f->u->out + f->at, &n);
		if (rc == 0)
			rc = give(f, n);
	} while (rc == 0 && n > 0);
	return rc;
}

/* One output buffer's worth. *s is the state after it. */
static int fill(flow *f, const unsigned char **in, size_t *nin, wp_inflate_state *s)
{
	unsigned char *out = f->u->out + f->at;
	size_t room = PIECE;

	do {
		if (*nin == 0) {
			*in = f->u->in;
			if (take(f, f->u->in, nin))
				return f->e->code;
			if (*nin == 0 && f->starved)
				return wp_fail(f->e, WP_E_ZIP, "the compressed data is cut off");
			f->starved = *nin == 0; /* what is left inside may still come out */
		}
		*s = wp_inflate_step(f->u->inflate, in, nin, &out, &room);
	} while (*s == WP_INFLATE_INPUT);
	if (*s == WP_INFLATE_ERROR)
		return wp_fail(f->e, WP_E_ZIP, "the compressed data is damaged");
	if (*s == WP_INFLATE_OUTPUT)
		f->starved = false;
	return give(f, PIECE - room);
}

static int flow_deflate(flow *f)
{
	wp_inflate_state s = WP_INFLATE_INPUT;
	const unsigned char *in = NULL;
	size_t nin = 0;
	int rc = 0;

	wp_inflate_restart(f->u->inflate);
	while (rc == 0 && s != WP_INFLATE_END)
		rc = fill(f, &in, &nin, &s);
	if (rc == 0 && wp_inflate_consumed(f->u->inflate) != f->en->csize)
		rc = wp_fail(f->e, WP_E_ZIP, "%llu bytes stand behind the compressed data",
			(unsigned long long)(f->en->csize - wp_inflate_consumed(f->u->inflate)));
	return rc;
}

/* Sizes and crc are held to the directory, every byte goes to the hashes. */
static int stream(wp_unpacker *u, const wp_blob *blob, const wp_zip_entry *en, wp_hash *const *hashes, size_t nhashes,
	wp_sink sink, void *user, uint32_t *crc, wp_error *e)
{
	flow f = {.u = u, .blob = blob, .en = en, .hashes = hashes, .nhashes = nhashes, .sink = sink, .user = user, .e = e};
	int rc = en->method ? flow_deflate(&f) : flow_stored(&f);

	*crc = f.crc;
	if (rc == 0 && f.made != en->size)
		rc = wp_fail(e, WP_E_ZIP, "unpacks to %llu bytes, %llu are declared", (unsigned long long)f.made,
			(unsigned long long)en->size);
	return rc;
}

static int check_crc(const wp_zip_entry *en, uint32_t crc, wp_error *e)
{
	if (crc == en->crc)
		return 0;
	return wp_fail(e, WP_E_ZIP, "crc is %08x, the zip directory says %08x", (unsigned)crc, (unsigned)en->crc);
}

/* ---- members ------------------------------------------------------------------------------ */

static const struct {
	wp_hash_kind kind;
	const char *name;
} digests[] = {
	[WP_RECORD_SHA256] = {WP_SHA256, "sha256"},
	[WP_RECORD_SHA384] = {WP_SHA384, "sha384"},
	[WP_RECORD_SHA512] = {WP_SHA512, "sha512"},
};

static const char *promiser(const wp_record_row *row)
{
	return row->line ? "RECORD promises" : "its exception from RECORD says";
}

static int check_digest(const wp_record_row *row, const unsigned char *d, size_t n, wp_error *e)
{
	char is[2 * WP_HASH_MAX + 1], promised[2 * WP_HASH_MAX + 1];

	if (memcmp(d, row->digest, n) == 0)
		return 0;
	wp_hex(d, n, is);
	wp_hex(row->digest, n, promised);
	return wp_fail(e, WP_E_RECORD, "%s is %s, %s %s", digests[row->kind].name, is, promiser(row), promised);
}

static int check_row(const wp_record_row *row, wp_hash *h, uint64_t size, unsigned char d[WP_HASH_MAX], wp_error *e)
{
	size_t n = wp_hash_end(h, d);

	if (row->size >= 0 && (uint64_t)row->size != size)
		wp_fail(e, WP_E_RECORD, "size is %llu, %s %lld", (unsigned long long)size, promiser(row),
			(long long)row->size);
	else
		check_digest(row, d, n, e);
	if (!e->code)
		return 0;
	return row->line ? wp_err_where(e, "RECORD line %d, '%s'", row->line, row->path) : wp_err_where(e, "'%s'", row->path);
}

static int finish(const wp_member *m, wp_hash *const *h, size_t nh, uint32_t crc, unsigned char *sha256, wp_error *e)
{
	unsigned char d[WP_HASH_MAX];
	const wp_record_row *row = m->row && m->row->kind ? m->row : NULL;
	int rc = 0;

	if (row)
		rc = check_row(row, h[0], m->entry->size, d, e);
	if (rc == 0 && check_crc(m->entry, crc, e))
		rc = wp_err_where(e, "'%s'", m->name);
	if (sha256) {
		if (!row || row->kind != WP_RECORD_SHA256)
			wp_hash_end(h[nh - 1], d);
		memcpy(sha256, d, SHA256_SIZE);
	}
	return rc;
}

int wheel_member_read(wp_unpacker *u, const wp_blob *blob, const wp_member *m, wp_sink sink, void *user,
	unsigned char *sha256, wp_error *e)
{
	wp_record_hash kind = m->row ? m->row->kind : WP_RECORD_NONE;
	wp_hash *h[2];
	size_t nh = 0;
	uint32_t crc;
	int rc;

	if (kind)
		h[nh++] = hash_for(u, digests[kind].kind);
	if (sha256 && kind != WP_RECORD_SHA256)
		h[nh++] = hash_for(u, WP_SHA256);
	rc = stream(u, blob, m->entry, h, nh, sink, user, &crc, e);
	if (rc)
		return wp_err_where(e, "'%s'", m->name);
	return finish(m, h, nh, crc, sha256, e);
}

int wp_member_read(wp_unpacker *u, const wp_wheel *w, const wp_member *m, wp_sink sink, void *user,
	unsigned char sha256[32], wp_error *e)
{
	int rc = wheel_member_read(u, &w->zip.blob, m, sink, user, sha256, e);

	return rc ? wp_err_where(e, "'%s'", w->filename) : 0;
}

typedef struct text_sink {
	char *p;
	size_t n;
} text_sink;

static int into_text(void *user, const void *p, size_t n, wp_error *e)
{
	text_sink *t = user;

	(void)e;
	memcpy(t->p + t->n, p, n);
	t->n += n;
	return 0;
}

/* Room for an entry's text; nothing beyond its declared size is ever handed to a sink. */
static int text_room(wp_arena *a, const wp_zip_entry *en, size_t max, text_sink *t, wp_error *e)
{
	if (en->size > max)
		return wp_fail(e, WP_E_TOO_LARGE, "%llu bytes, at most %zu are read", (unsigned long long)en->size, max);
	*t = (text_sink){.p = wp_alloc(a, (size_t)en->size + 1)};
	return 0;
}

int wheel_member_text(wp_unpacker *u, wp_arena *a, const wp_blob *blob, const wp_member *m, size_t max, wp_str *out,
	wp_error *e)
{
	text_sink t = {0};
	int rc;

	if (text_room(a, m->entry, max, &t, e))
		return wp_err_where(e, "'%s'", m->name);
	rc = wheel_member_read(u, blob, m, into_text, &t, NULL, e);
	*out = (wp_str){t.p, t.n};
	return rc;
}

int wp_member_text(wp_unpacker *u, wp_arena *a, const wp_wheel *w, const wp_member *m, size_t max, wp_str *out,
	wp_error *e)
{
	int rc = wheel_member_text(u, a, &w->zip.blob, m, max, out, e);

	return rc ? wp_err_where(e, "'%s'", w->filename) : 0;
}

int wheel_stream_text(wp_unpacker *u, wp_arena *a, const wp_blob *blob, const wp_zip_entry *en, size_t max, wp_str *out,
	wp_error *e)
{
	text_sink t = {0};
	uint32_t crc;
	int rc;

	if (text_room(a, en, max, &t, e))
		return e->code;
	rc = stream(u, blob, en, NULL, 0, into_text, &t, &crc, e);
	*out = (wp_str){t.p, t.n};
	return rc ? rc : check_crc(en, crc, e);
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/arena.h"
#include "ext/zipwrite.h"
#include "os/os.h"

/* libzip moves 8 KB at a time; both ends gather that into pieces worth a system call. */
enum { PIECE = 1 << 20, DOS_DATE_1980 = 0x0021 };

struct wp_zipwrite {
	zip_t *za;
	os_file *file;
	const char *path;
	uint64_t at;	     /* where the next byte from libzip belongs */
	uint64_t size;	     /* of what was written so far */
	unsigned char *held; /* bytes not yet in the file, which begin at held_at */
	size_t nheld;
	uint64_t held_at;
	uint64_t done, total; /* bytes of blobs */
	int (*tick)(void *user, double done);
	void *tick_user;
	zip_error_t zerr; /* what libzip is told */
	wp_error err;	  /* what the caller is told */
};

/* ---- the archive: a zip_source over os.h ---------------------------------------------------- */

static zip_int64_t refuse(wp_zipwrite *w)
{
	zip_error_set(&w->zerr, ZIP_ER_WRITE, 0);
	return -1;
}

static bool put_held(wp_zipwrite *w)
{
	size_t n = w->nheld;

	w->nheld = 0;
	return n == 0 || os_pwrite(w->file, w->held, n, w->held_at, &w->err) == 0;
}

static zip_int64_t put(wp_zipwrite *w, const void *p, zip_uint64_t n)
{
	if (n > PIECE)
		return refuse(w);
	if ((w->at != w->held_at + w->nheld || w->nheld + n > PIECE) && !put_held(w))
		return refuse(w);
	if (w->nheld == 0)
		w->held_at = w->at;
	memcpy(w->held + w->nheld, p, (size_t)n);
	w->nheld += (size_t)n;
	w->at += n;
	w->size = w->at > w->size ? w->at : w->size;
	return (zip_int64_t)n;
}

static zip_int64_t seek_to(wp_zipwrite *w, void *data, zip_uint64_t n)
{
	zip_int64_t off = zip_source_seek_compute_offset(w->at, w->size, data, n, &w->zerr);

	if (off < 0)
		return -1;
	w->at = (uint64_t)off;
	return 0;
}

static zip_int64_t no_archive_yet(wp_zipwrite *w)
{
	zip_error_set(&w->zerr, ZIP_ER_READ, ENOENT);
	return -1;
}

static zip_int64_t archive(void *self, void *data, zip_uint64_t n, zip_source_cmd_t cmd)
{
	wp_zipwrite *w = self;

	switch (cmd) {
	case ZIP_SOURCE_WRITE:
		return put(w, data, n);
	case ZIP_SOURCE_SEEK_WRITE:
		return seek_to(w, data, n);
	case ZIP_SOURCE_TELL_WRITE:
		return (zip_int64_t)w->at;
	case ZIP_SOURCE_COMMIT_WRITE:
		return put_held(w) ? 0 : refuse(w);
	case ZIP_SOURCE_BEGIN_WRITE:
	case ZIP_SOURCE_ROLLBACK_WRITE:
	case ZIP_SOURCE_REMOVE:
	case ZIP_SOURCE_CLOSE:
	case ZIP_SOURCE_FREE:
		return 0;
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&w->zerr, data, n);
	case ZIP_SOURCE_SUPPORTS:
		return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
			ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
			ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE,
			ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_WRITE,
			ZIP_SOURCE_REMOVE, -1);
	default: /* asked whether there is an archive, libzip must hear no */
		return no_archive_yet(w);
	}
}

/* ---- members: a zip_source over a blob ------------------------------------------------------ */

typedef struct member {
	wp_zipwrite *w;
	wp_blob blob;
	const char *name;
	int (*on_read)(void *user, const void *p, size_t n, wp_error *e);
	void *user;
	uint64_t off;  /* next byte for libzip */
	uint64_t seen; /* bytes that on_read has seen */
	unsigned char *buf;
	uint64_t start; /* of buf in the blob */
	size_t n;
	zip_error_t zerr;
} member;

static int tell(wp_zipwrite *w)
{
	double done = w->total ? (double)w->done / (double)w->total : 1;

	if (w->tick && w->tick(w->tick_user, done))
		return wp_fail(&w->err, WP_E_INTERRUPTED, "stopped by the user");
	return 0;
}

static int load(member *m)
{
	uint64_t left = m->blob.size - m->off;
	wp_error *e = &m->w->err;

	m->start = m->off;
	m->n = left < PIECE ? (size_t)left : PIECE;
	if (!m->buf)
		m->buf = wp_xmalloc(PIECE);
	if (m->blob.read_at(m->blob.self, m->buf, m->n, m->start, e))
		return e->code;
	if (m->start < m->seen) /* libzip reads it again */
		return 0;
	m->seen = m->start + m->n;
	m->w->done += m->n;
	if (m->on_read && m->on_read(m->user, m->buf, m->n, e))
		return e->code ? (int)e->code : wp_fail(e, WP_E_INTERNAL, "a reader refused without saying why");
	return tell(m->w);
}

static zip_int64_t get(member *m, void *out, zip_uint64_t want)
{
	size_t n;

	if (m->off == m->blob.size)
		return 0;
	if ((m->off < m->start || m->off >= m->start + m->n) && load(m)) {
		wp_err_where(&m->w->err, "'%s'", m->name);
		zip_error_set(&m->zerr, ZIP_ER_READ, 0);
		return -1;
	}
	n = (size_t)(m->start + m->n - m->off);
	n = n < want ? n : (size_t)want;
	memcpy(out, m->buf + (m->off - m->start), n);
	m->off += n;
	return (zip_int64_t)n;
}

static zip_int64_t facts(const member *m, void *data)
{
	zip_stat_t *st = data;

	zip_stat_init(st);
	st->size = m->blob.size;
	st->valid = ZIP_STAT_SIZE;
	return sizeof *st;
}

static void drop_buffer(member *m)
{
	free(m->buf);
	m->buf = NULL;
	m->n = 0;
}

static zip_int64_t blob_source(void *self, void *data, zip_uint64_t n, zip_source_cmd_t cmd)
{
	member *m = self;

	switch (cmd) {
	case ZIP_SOURCE_OPEN:
		m->off = 0;
		return 0;
	case ZIP_SOURCE_READ:
		return get(m, data, n);
	case ZIP_SOURCE_CLOSE:
		drop_buffer(m);
		return 0;
	case ZIP_SOURCE_STAT:
		return facts(m, data);
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&m->zerr, data, n);
	case ZIP_SOURCE_FREE:
		drop_buffer(m);
		free((char *)(uintptr_t)m->name);
		free(m);
		return 0;
	case ZIP_SOURCE_SUPPORTS:
		return ZIP_SOURCE_SUPPORTS_READABLE | ZIP_SOURCE_MAKE_COMMAND_BITMASK(ZIP_SOURCE_SUPPORTS);
	default:
		zip_error_set(&m->zerr, ZIP_ER_OPNOTSUPP, 0);
		return -1;
	}
}

/* ---- the interface -------------------------------------------------------------------------- */

static char *copy(const char *s, size_t n)
{
	char *p = wp_xmalloc(n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = 0;
	return p;
}

static void release(wp_zipwrite *w)
{
	free(w->held);
	free((char *)(uintptr_t)w->path);
	free(w);
}

int wp_zipwrite_open(const char *path, wp_zipwrite **out, wp_error *e)
{
	wp_zipwrite *w = wp_xmalloc(sizeof *w);
	zip_source_t *s;

	*w = (wp_zipwrite){.path = copy(path, strlen(path)), .held = wp_xmalloc(PIECE)};
	if (os_open(path, OS_CREATE_NEW, &w->file, e)) {
		release(w);
		return e->code;
	}
	s = zip_source_function_create(archive, w, &w->zerr);
	w->za = s ? zip_open_from_source(s, ZIP_CREATE | ZIP_TRUNCATE, &w->zerr) : NULL;
	*out = w;
	if (w->za)
		return 0;
	wp_fail(e, WP_E_INTERNAL, "%s", zip_error_strerror(&w->zerr));
	zip_source_free(s);
	wp_zipwrite_discard(w);
	return e->code;
}

static int refused_by_libzip(wp_zipwrite *w, wp_error *e)
{
	if (w->err.code)
		*e = w->err;
	return wp_fail(e, WP_E_INTERNAL, "%s", zip_strerror(w->za));
}

/* Takes s. The same bytes each time: no compression, one date, one mode. */
static int add(wp_zipwrite *w, const char *name, zip_source_t *s, wp_error *e)
{
	zip_int64_t i = s ? zip_file_add(w->za, name, s, ZIP_FL_ENC_UTF_8) : -1;
	zip_uint64_t at = (zip_uint64_t)i;

	if (i >= 0 && zip_set_file_compression(w->za, at, ZIP_CM_STORE, 0) == 0 &&
		zip_file_set_dostime(w->za, at, 0, DOS_DATE_1980, 0) == 0 &&
		zip_file_set_external_attributes(w->za, at, 0, ZIP_OPSYS_UNIX, 0100644u << 16) == 0)
		return 0;
	refused_by_libzip(w, e);
	if (i < 0)
		zip_source_free(s);
	return wp_err_where(e, "'%s'", name);
}

int wp_zipwrite_text(wp_zipwrite *w, const char *name, wp_str text, wp_error *e)
{
	char *p = text.n ? copy(text.p, text.n) : NULL; /* libzip never frees an empty one */
	zip_source_t *s = zip_source_buffer(w->za, p, text.n, 1);

	if (!s)
		free(p);
	return add(w, name, s, e);
}

int wp_zipwrite_blob(wp_zipwrite *w, const char *name, const wp_blob *blob,
	int (*on_read)(void *user, const void *p, size_t n, wp_error *e), void *user, wp_error *e)
{
	member *m = wp_xmalloc(sizeof *m);
	zip_source_t *s;

	*m = (member){.w = w, .blob = *blob, .name = copy(name, strlen(name)), .on_read = on_read, .user = user};
	s = zip_source_function(w->za, blob_source, m);
	if (!s) {
		free((char *)(uintptr_t)m->name);
		free(m);
	}
	w->total += blob->size;
	return add(w, name, s, e);
}

int wp_zipwrite_close(wp_zipwrite *w, int (*tick)(void *user, double done), void *user, wp_error *e)
{
	int rc;

	w->tick = tick;
	w->tick_user = user;
	if (zip_close(w->za)) {
		rc = refused_by_libzip(w, e);
		wp_zipwrite_discard(w);
		return rc;
	}
	rc = os_close(w->file, e);
	if (rc)
		os_unlink(w->path, &(wp_error){0});
	release(w);
	return rc;
}

void wp_zipwrite_discard(wp_zipwrite *w)
{
	wp_error ignored = {0};

	if (!w)
		return;
	if (w->za)
		zip_discard(w->za);
	os_close(w->file, &ignored);
	os_unlink(w->path, &ignored);
	release(w);
}

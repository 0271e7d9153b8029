/* SPDX-License-Identifier: MIT
 *
 * bundle.c: bundle.json as text and as struct. The reader takes only what the writer makes: known keys, sorted
 * unique paths below known places, so that nothing which follows a path of a manifest can leave the bundle. */
#include "base/json.h"
#include "base/map.h"
#include "base/vec.h"
#include "ext/json_out.h"
#include "wheelpack/bundle.h"

/* Sizes are exact in any reader of JSON up to here, and sums of them don't overflow. */
#define SIZE_LIMIT ((uint64_t)1 << 53)

/* ---- write -------------------------------------------------------------------------------- */

static wp_jnode *wheel_node(const wp_bundle_wheel *w)
{
	wp_jnode *n = wp_jobject();

	wp_jput_str(n, "filename", w->filename);
	wp_jput_int(n, "size", (int64_t)w->size);
	wp_jput_str(n, "sha256", w->sha256);
	wp_jput_str(n, "record_sha256", w->record_sha256);
	return n;
}

static wp_jnode *file_node(const wp_bundle_file *f)
{
	wp_jnode *n = wp_jobject();

	wp_jput_str(n, "path", f->path);
	wp_jput_int(n, "size", (int64_t)f->size);
	wp_jput_str(n, "sha256", f->sha256);
	wp_jput_str(n, "role", f->role);
	return n;
}

int wp_bundle_doc_write(wp_arena *a, const wp_bundle_doc *d, wp_str *out, wp_error *e)
{
	wp_jnode *root = wp_jobject(), *wheels = wp_jarray(), *files = wp_jarray();
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		wp_jadd(wheels, wheel_node(&d->wheels[i]));
	for (i = 0; i < d->nfiles; i++)
		wp_jadd(files, file_node(&d->files[i]));
	wp_jput_str(root, "schema", WP_BUNDLE_SCHEMA);
	wp_jput_str(root, "lock_sha256", d->lock_sha256);
	wp_jput(root, "wheels", wheels);
	wp_jput(root, "files", files);
	*out = wp_jtext(a, root);
	if (out->n > WP_MAX_DOCUMENT)
		return wp_fail(e, WP_E_TOO_LARGE, "bundle.json would have %zu bytes, %d are allowed",
			out->n, WP_MAX_DOCUMENT);
	return 0;
}

/* ---- read --------------------------------------------------------------------------------- */

typedef struct reader {
	wp_json j;
	wp_map seen;	/* lower-cased paths: a stick's file system may not tell case */
	uint64_t total;
	const char *last; /* path before this one, within one array */
	const char *schema;
	wp_bundle_doc doc;
} reader;

static bool digest(wp_json *j, const char **out)
{
	size_t i;

	if (!wp_json_cstr(j, out))
		return false;
	for (i = 0; *out && i < WP_SHA256_HEX; i++)
		if (!wp_ascii_digit((*out)[i]) && !((*out)[i] >= 'a' && (*out)[i] <= 'f'))
			break;
	if (!*out || i < WP_SHA256_HEX || (*out)[i])
		return wp_json_fault(j, "a sha256 is 64 lower-case hex digits, not '%s'",
			*out ? *out : "null");
	return true;
}

static bool size(reader *r, uint64_t *out)
{
	int64_t v = 0;

	if (!wp_json_i64(&r->j, &v))
		return false;
	if (v < 0 || (uint64_t)v > SIZE_LIMIT - r->total)
		return wp_json_fault(&r->j, "a size of %lld is out of range", (long long)v);
	r->total += (uint64_t)v;
	*out = (uint64_t)v;
	return true;
}

/* The characters of wheel file names and of our own files. */
static bool plain_name(wp_str s)
{
	size_t i;

	if (s.n == 0 || s.n > 255 || s.p[0] == '.' || s.p[0] == '-')
		return false;
	for (i = 0; i < s.n; i++)
		if (!wp_ascii_alnum(s.p[i]) && !memchr("._+!-", s.p[i], 5))
			return false;
	return true;
}

static bool lock_path(wp_str p)
{
	return wp_str_is(p, "lock.json");
}

static bool sums_path(wp_str p)
{
	return wp_str_is(p, "SHA256SUMS");
}

static bool requirements_path(wp_str p)
{
	return wp_str_starts(p, "requirements.") && wp_str_ends(p, ".txt") && plain_name(p);
}

/* simple/index.html and simple/PROJECT/index.html */
static bool simple_path(wp_str p)
{
	wp_str part;

	if (!wp_str_split(&p, '/', &part) || !wp_str_is(part, "simple") || !p.p)
		return false;
	if (wp_str_is(p, "index.html"))
		return true;
	return wp_str_split(&p, '/', &part) && plain_name(part) && wp_str_is(p, "index.html");
}

static const struct {
	const char *role;
	bool (*path)(wp_str);
} roles[] = {
	{"lock", lock_path},
	{"sums", sums_path},
	{"simple", simple_path},
	{"requirements", requirements_path},
};

static bool check_role(wp_json *j, const wp_bundle_file *f)
{
	size_t i;

	for (i = 0; i < sizeof roles / sizeof *roles; i++)
		if (wp_streq(roles[i].role, f->role))
			break;
	if (i == sizeof roles / sizeof *roles)
		return wp_json_fault(j, "unknown role '%s'", f->role);
	if (!roles[i].path(wp_str_of(f->path)))
		return wp_json_fault(j, "'%s' is no path for a file of role '%s'", f->path, f->role);
	return true;
}

/* Order is part of the format; it also shows what is there twice. */
static bool check_place(reader *r, const char *path, const char *full)
{
	if (r->last && strcmp(r->last, path) == 0)
		return wp_json_fault(&r->j, "'%s' is listed twice", full);
	if (r->last && strcmp(r->last, path) > 0)
		return wp_json_fault(&r->j, "'%s' is out of order", full);
	r->last = path;
	if (!wp_map_put(&r->seen, wp_str_of(wp_str_lower(r->j.a, wp_str_of(full))), 0))
		return wp_json_fault(&r->j, "'%s' differs from another name in case only", full);
	return true;
}

static bool unknown_key(wp_json *j, wp_str key)
{
	return wp_json_fault(j, "unknown key '%s'", wp_str_dup(j->a, key));
}

static bool read_wheel(reader *r, wp_bundle_wheel *w)
{
	wp_json *j = &r->j;
	bool ok = wp_json_object(j), sized = false;
	wp_str key;

	while (ok && wp_json_key(j, &key)) {
		if (wp_str_is(key, "filename"))
			ok = wp_json_cstr(j, &w->filename);
		else if (wp_str_is(key, "size"))
			ok = sized = size(r, &w->size);
		else if (wp_str_is(key, "sha256"))
			ok = digest(j, &w->sha256);
		else if (wp_str_is(key, "record_sha256"))
			ok = digest(j, &w->record_sha256);
		else
			ok = unknown_key(j, key);
	}
	if (j->e->code)
		return false;
	if (!w->filename || !sized || !w->sha256 || !w->record_sha256)
		return wp_json_fault(j, "a wheel has filename, size, sha256 and record_sha256");
	if (!wp_ends(w->filename, ".whl") || !plain_name(wp_str_of(w->filename)))
		return wp_json_fault(j, "'%s' is no wheel's file name", w->filename);
	return check_place(r, w->filename, wp_sprintf(j->a, "wheels/%s", w->filename));
}

static bool read_file(reader *r, wp_bundle_file *f)
{
	wp_json *j = &r->j;
	bool ok = wp_json_object(j), sized = false;
	wp_str key;

	while (ok && wp_json_key(j, &key)) {
		if (wp_str_is(key, "path"))
			ok = wp_json_cstr(j, &f->path);
		else if (wp_str_is(key, "size"))
			ok = sized = size(r, &f->size);
		else if (wp_str_is(key, "sha256"))
			ok = digest(j, &f->sha256);
		else if (wp_str_is(key, "role"))
			ok = wp_json_cstr(j, &f->role);
		else
			ok = unknown_key(j, key);
	}
	if (j->e->code)
		return false;
	if (!f->path || !sized || !f->sha256 || !f->role)
		return wp_json_fault(j, "a file has path, size, sha256 and role");
	return check_role(j, f) && check_place(r, f->path, f->path);
}

static bool read_wheels(reader *r)
{
	WP_VEC(wp_bundle_wheel) v = {0};
	bool ok = wp_json_array(&r->j);

	while (ok && wp_json_item(&r->j))
		ok = read_wheel(r, WP_PUSH_NEW(&v));
	r->doc.wheels = WP_VEC_COPY(r->j.a, &v);
	r->doc.nwheels = v.n;
	WP_VEC_FREE(&v);
	r->last = NULL;
	return ok;
}

static bool read_files(reader *r)
{
	WP_VEC(wp_bundle_file) v = {0};
	bool ok = wp_json_array(&r->j);

	while (ok && wp_json_item(&r->j))
		ok = read_file(r, WP_PUSH_NEW(&v));
	r->doc.files = WP_VEC_COPY(r->j.a, &v);
	r->doc.nfiles = v.n;
	WP_VEC_FREE(&v);
	r->last = NULL;
	return ok;
}

static bool read_schema(reader *r)
{
	if (!wp_json_cstr(&r->j, &r->schema))
		return false;
	if (!wp_streq(r->schema, WP_BUNDLE_SCHEMA))
		return wp_json_fault(&r->j, "its schema is '%s', this program reads '%s'",
			r->schema ? r->schema : "null", WP_BUNDLE_SCHEMA);
	return true;
}

static void read_root(reader *r)
{
	wp_json *j = &r->j;
	bool ok = wp_json_object(j);
	wp_str key;

	while (ok && wp_json_key(j, &key)) {
		if (wp_str_is(key, "schema"))
			ok = read_schema(r);
		else if (wp_str_is(key, "lock_sha256"))
			ok = digest(j, &r->doc.lock_sha256);
		else if (wp_str_is(key, "wheels"))
			ok = read_wheels(r);
		else if (wp_str_is(key, "files"))
			ok = read_files(r);
		else
			ok = unknown_key(j, key);
	}
}

static int check_whole(const wp_bundle_doc *d, wp_error *e)
{
	const wp_bundle_file *lock = NULL;
	size_t i;

	for (i = 0; i < d->nfiles; i++)
		if (wp_streq(d->files[i].role, "lock"))
			lock = &d->files[i];
	if (!d->lock_sha256 || !lock)
		return wp_fail(e, WP_E_DOCUMENT, "it does not pin lock.json");
	if (strcmp(lock->sha256, d->lock_sha256) != 0)
		return wp_fail(e, WP_E_DOCUMENT, "it pins lock.json twice: lock_sha256 is %s, "
						 "in files it is %s", d->lock_sha256, lock->sha256);
	return 0;
}

int wp_bundle_doc_read(wp_arena *a, wp_str text, wp_bundle_doc *out, wp_error *e)
{
	reader r = {0};

	wp_map_init(&r.seen);
	wp_json_init(&r.j, a, text, WP_E_DOCUMENT, e);
	read_root(&r);
	wp_map_free(&r.seen);
	if (wp_json_end(&r.j))
		return e->code;
	if (!r.schema)
		return wp_fail(e, WP_E_DOCUMENT, "it has no schema, so it is no '%s'", WP_BUNDLE_SCHEMA);
	if (check_whole(&r.doc, e))
		return e->code;
	*out = r.doc;
	return 0;
}

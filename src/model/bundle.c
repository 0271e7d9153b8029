/* SPDX-License-Identifier: MIT
 *
 * bundle.c: bundle.json as text and as struct. The reader takes only what the writer makes: known keys, sorted
 * unique paths below known places, so that nothing which follows a path of a manifest can leave the bundle. */
#include "base/map.h"
#include "ext/json_out.h"
#include "model/exceptions.h"
#include "model/fields.h"
#include "py/record.h"
#include "wheelpack/bundle.h"

enum { MAX_WHEELS = 20000, MAX_FILES = 50000 };

/* ---- write -------------------------------------------------------------------------------- */

wp_jnode *wp_exceptions_node(const wp_exceptions *x)
{
	wp_jnode *list = wp_jarray();
	size_t i;

	for (i = 0; i < x->n; i++) {
		wp_jnode *n = wp_jobject();

		wp_jput_str(n, "path", x->v[i].path);
		wp_jput_int(n, "size", (int64_t)x->v[i].size);
		wp_jput_str(n, "sha256", x->v[i].sha256);
		wp_jadd(list, n);
	}
	return list;
}

static wp_jnode *wheel_node(const wp_bundle_wheel *w)
{
	wp_jnode *n = wp_jobject();

	wp_jput_str(n, "filename", w->filename);
	wp_jput_int(n, "size", (int64_t)w->size);
	wp_jput_str(n, "sha256", w->sha256);
	wp_jput_str(n, "record_sha256", w->record_sha256);
	if (w->exceptions.n)
		wp_jput(n, "exceptions", wp_exceptions_node(&w->exceptions));
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

/* ---- one wheel, one file ------------------------------------------------------------------ */

static bool read_digest(wp_json *j, void *out)
{
	const char **hex = out;

	if (!wp_json_cstr(j, hex))
		return false;
	return (*hex && wp_sha256_text(*hex)) ||
	       wp_json_fault(j, "a sha256 is 64 lower-case hex digits, not '%.80s'", *hex ? *hex : "null");
}

static bool read_size(wp_json *j, void *out)
{
	int64_t v = 0;

	if (!wp_json_i64(j, &v))
		return false;
	if (v < 0 || v > (int64_t)1 << 53) /* what any reader of JSON keeps exactly */
		return wp_json_fault(j, "a size of %lld is out of range", (long long)v);
	*(uint64_t *)out = (uint64_t)v;
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

/* A name that a member can have, as it is once it is tidied. */
static bool member_name(wp_json *j, const char *path)
{
	wp_arena *a = wp_arena_new();
	const char *tidy, *why = "";
	bool fine = wp_member_path(a, path, false, &tidy, &why) != WP_PATH_REFUSE && wp_streq(tidy, path);

	wp_arena_free(a);
	return fine || wp_json_fault(j, "'%.128s' is no path of a file in a wheel", path);
}

static bool read_exception(wp_json *j, void *out)
{
	wp_exception *x = out;
	wp_field f[] = {
		{"path", WP_F_STR, &x->path},
		{"size", WP_F_CALL, &x->size, NULL, read_size},
		{"sha256", WP_F_CALL, &x->sha256, NULL, read_digest},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f) && member_name(j, x->path);
}

static bool read_exceptions(wp_json *j, void *out)
{
	wp_exceptions *x = out;
	size_t i;

	if (!wp_fields_each(j, sizeof *x->v, WP_MAX_EXCEPTIONS, read_exception, (void **)&x->v, &x->n))
		return false;
	for (i = 1; i < x->n; i++)
		if (strcmp(x->v[i - 1].path, x->v[i].path) >= 0)
			return wp_json_fault(j, "the exception '%.128s' is %s", x->v[i].path,
				wp_streq(x->v[i - 1].path, x->v[i].path) ? "listed twice" : "out of order");
	return x->n || wp_json_fault(j, "an empty list of exceptions");
}

static bool read_wheel(wp_json *j, void *out)
{
	wp_bundle_wheel *w = out;
	wp_field f[] = {
		{"filename", WP_F_STR, &w->filename},
		{"size", WP_F_CALL, &w->size, NULL, read_size},
		{"sha256", WP_F_CALL, &w->sha256, NULL, read_digest},
		{"record_sha256", WP_F_CALL, &w->record_sha256, NULL, read_digest},
		{"exceptions", WP_F_CALL, &w->exceptions, NULL, read_exceptions, .optional = true},
	};

	if (!wp_fields_read(j, f, sizeof f / sizeof *f))
		return false;
	return (wp_ends(w->filename, ".whl") && plain_name(wp_str_of(w->filename))) ||
	       wp_json_fault(j, "'%.128s' is no wheel's file name", w->filename);
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

static bool tool_path(wp_str p)
{
	return wp_str_is(p, "tools/wheelpack") || wp_str_is(p, "tools/wheelpack.exe");
}

static bool installer_path(wp_str p)
{
	return wp_str_is(p, "install.sh") || wp_str_is(p, "install.cmd");
}

static const struct {
	const char *role;
	bool (*path)(wp_str);
} roles[] = {
	{"lock", lock_path},
	{"sums", sums_path},
	{"simple", simple_path},
	{"requirements", requirements_path},
	{"tool", tool_path},
	{"installer", installer_path},
};

static bool check_role(wp_json *j, const wp_bundle_file *f)
{
	size_t i;

	for (i = 0; i < sizeof roles / sizeof *roles; i++)
		if (wp_streq(roles[i].role, f->role))
			break;
	if (i == sizeof roles / sizeof *roles)
		return wp_json_fault(j, "unknown role '%.64s'", f->role);
	return roles[i].path(wp_str_of(f->path)) ||
	       wp_json_fault(j, "'%.128s' is no path for a file of role '%s'", f->path, f->role);
}

static bool read_file(wp_json *j, void *out)
{
	wp_bundle_file *f = out;
	wp_field fields[] = {
		{"path", WP_F_STR, &f->path},
		{"size", WP_F_CALL, &f->size, NULL, read_size},
		{"sha256", WP_F_CALL, &f->sha256, NULL, read_digest},
		{"role", WP_F_STR, &f->role},
	};

	return wp_fields_read(j, fields, sizeof fields / sizeof *fields) && check_role(j, f);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* Order is part of the format; it also shows what is there twice. A stick's file system may not tell case. */
static int check_name(wp_map *seen, const char *before, const char *name, const char *path, wp_error *e)
{
	int order = before ? strcmp(before, name) : -1;
	wp_arena *a;
	bool fresh;

	if (order == 0)
		return wp_fail(e, WP_E_DOCUMENT, "'%s' is listed twice", path);
	if (order > 0)
		return wp_fail(e, WP_E_DOCUMENT, "'%s' is out of order", path);
	a = wp_arena_new();
	fresh = wp_map_put(seen, wp_str_of(wp_str_lower(a, wp_str_of(path))), 0);
	wp_arena_free(a);
	return fresh ? 0 : wp_fail(e, WP_E_DOCUMENT, "'%s' differs from another name in case only", path);
}

static int check_names(wp_arena *a, const wp_bundle_doc *d, wp_error *e)
{
	wp_map seen;
	size_t i;

	wp_map_init(&seen);
	for (i = 0; i < d->nwheels && !e->code; i++)
		check_name(&seen, i ? d->wheels[i - 1].filename : NULL, d->wheels[i].filename,
			wp_sprintf(a, "wheels/%s", d->wheels[i].filename), e);
	for (i = 0; i < d->nfiles && !e->code; i++)
		check_name(&seen, i ? d->files[i - 1].path : NULL, d->files[i].path, d->files[i].path, e);
	wp_map_free(&seen);
	return e->code;
}

static int check_lock(const wp_bundle_doc *d, wp_error *e)
{
	size_t i;

	for (i = 0; i < d->nfiles; i++)
		if (wp_streq(d->files[i].role, "lock"))
			break;
	if (i == d->nfiles)
		return wp_fail(e, WP_E_DOCUMENT, "it does not list lock.json");
	if (strcmp(d->files[i].sha256, d->lock_sha256) != 0)
		return wp_fail(e, WP_E_DOCUMENT, "lock_sha256 is %s, but among the files lock.json has %s",
			d->lock_sha256, d->files[i].sha256);
	return 0;
}

static bool read_wheels(wp_json *j, void *out)
{
	wp_bundle_doc *d = out;

	return wp_fields_each(j, sizeof *d->wheels, MAX_WHEELS, read_wheel, (void **)&d->wheels, &d->nwheels);
}

static bool read_files(wp_json *j, void *out)
{
	wp_bundle_doc *d = out;

	return wp_fields_each(j, sizeof *d->files, MAX_FILES, read_file, (void **)&d->files, &d->nfiles);
}

int wp_bundle_doc_read(wp_arena *a, wp_str text, wp_bundle_doc *out, wp_error *e)
{
	wp_json j;
	wp_field f[] = {
		{"schema", WP_F_WORD, WP_BUNDLE_SCHEMA},
		{"lock_sha256", WP_F_CALL, &out->lock_sha256, NULL, read_digest},
		{"wheels", WP_F_CALL, out, NULL, read_wheels},
		{"files", WP_F_CALL, out, NULL, read_files},
	};

	*out = (wp_bundle_doc){0};
	wp_json_init(&j, a, text, WP_E_DOCUMENT, e);
	if (!wp_fields_read(&j, f, sizeof f / sizeof *f) || wp_json_end(&j) || check_names(a, out, e))
		return e->code;
	return check_lock(out, e);
}

/* SPDX-License-Identifier: MIT */
#include "py/pylock.h"
#include "py/name.h"
#include "py/tag.h"

#include <string.h>

enum { MAX_ITEMS = 100000 }; /* of one array */

/* First fault wins, so a reader goes on and what it reads then is thrown away. */
typedef struct reader {
	wp_arena *a;
	wp_error *e;
} reader;

static void bad(reader *r, const char *key, const char *what)
{
	wp_fail(r->e, WP_E_DOCUMENT, "%s %s", key, what);
}

static const wp_toml *find(const wp_toml *t, const char *key)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (strcmp(t->keys[i], key) == 0)
			return &t->items[i];
	return NULL;
}

/* The value of a key, which must be of that kind; NULL if it is absent, which is a fault where it is needed. */
static const wp_toml *get(reader *r, const wp_toml *t, const char *key, wp_toml_kind kind, bool needed)
{
	static const char *const kinds[] = {"is not a string", "is not an integer", "is not a float", "is not a boolean",
		"is not a date and time", "is not an array", "is not a table"};
	const wp_toml *v = find(t, key);

	if (v && v->kind != kind) {
		bad(r, key, kinds[kind]);
		return NULL;
	}
	if (!v && needed)
		bad(r, key, "is missing");
	return v;
}

static const char *text(reader *r, const wp_toml *t, const char *key, bool needed)
{
	const wp_toml *v = get(r, t, key, WP_TOML_STRING, needed);

	return v ? v->text : NULL;
}

/* An array whose items are all of one kind; an empty one if it is absent. */
static const wp_toml *array(reader *r, const wp_toml *t, const char *key, wp_toml_kind kind, bool needed)
{
	static const wp_toml none = {.kind = WP_TOML_ARRAY};
	const wp_toml *v = get(r, t, key, WP_TOML_ARRAY, needed);
	size_t i;

	if (!v)
		return &none;
	if (v->n > MAX_ITEMS) {
		bad(r, key, "has too many items");
		return &none;
	}
	for (i = 0; i < v->n; i++)
		if (v->items[i].kind != kind) {
			bad(r, key, kind == WP_TOML_STRING ? "has an item that is not a string" : "has an item that is not a table");
			return &none;
		}
	return v;
}

static const char *const *texts(reader *r, const wp_toml *t, const char *key, size_t *n)
{
	const wp_toml *v = array(r, t, key, WP_TOML_STRING, false);
	const char **out = WP_NEW_ARRAY(r->a, v->n, const char *);
	size_t i;

	for (i = 0; i < v->n; i++)
		out[i] = v->items[i].text;
	*n = v->n;
	return out;
}

static bool normal(reader *r, const char *name)
{
	return wp_name_valid(wp_str_of(name)) && strcmp(wp_name_normalize(r->a, wp_str_of(name)), name) == 0;
}

static void specifiers(reader *r, const wp_toml *t, wp_specifiers *out)
{
	const char *s = text(r, t, "requires-python", false);

	if (s && !wp_specifiers_parse(r->a, wp_str_of(s), out))
		bad(r, "requires-python", "is not a version specifier");
}

/* ---- sources ----------------------------------------------------------------------------------- */

/* The last part of an address without query and fragment, %xx decoded but for NUL, which would end the name. */
static const char *last_part(reader *r, const char *url)
{
	wp_str path = {url, strcspn(url, "?#")}, part = wp_str_sub(path, wp_str_rfind(path, '/') + 1, path.n);
	char *out = wp_alloc(r->a, part.n + 1);
	unsigned char byte;
	size_t i, k = 0;

	for (i = 0; i < part.n; i++)
		if (part.p[i] == '%' && wp_unhex(wp_str_sub(part, i + 1, i + 3), &byte, 1) && byte) {
			out[k++] = (char)byte;
			i += 2;
		} else {
			out[k++] = part.p[i];
		}
	return out;
}

static const char *base_name(const char *path)
{
	const char *p = path + strlen(path);

	while (p > path && p[-1] != '/' && p[-1] != '\\')
		p--;
	return p;
}

static void address(reader *r, const wp_toml *t, wp_pylock_source *out)
{
	out->url = text(r, t, "url", false);
	out->path = text(r, t, "path", false);
	if (out->url && !*out->url)
		out->url = NULL;
	if (out->path && !*out->path)
		out->path = NULL;
	if (!out->url && !out->path)
		bad(r, "url", "is missing, and so is path");
}

static void hashes(reader *r, const wp_toml *t, wp_pylock_source *out)
{
	const wp_toml *v = get(r, t, "hashes", WP_TOML_TABLE, true);
	wp_pylock_hash *h;
	size_t i;

	if (!v)
		return;
	if (v->n == 0)
		bad(r, "hashes", "is empty");
	h = WP_NEW_ARRAY(r->a, v->n, wp_pylock_hash);
	for (i = 0; i < v->n; i++) {
		if (v->items[i].kind != WP_TOML_STRING)
			bad(r, "hashes", "has a value that is not a string");
		h[i] = (wp_pylock_hash){v->keys[i], v->items[i].text};
	}
	out->hashes = h;
	out->nhashes = v->n;
}

/* A file that is fetched: a wheel, a source distribution or an archive. */
static void file(reader *r, const wp_toml *t, wp_pylock_kind kind, wp_pylock_source *out)
{
	const wp_toml *size = get(r, t, "size", WP_TOML_INTEGER, false);
	const char *name = kind == WP_PYLOCK_ARCHIVE ? NULL : text(r, t, "name", false);

	*out = (wp_pylock_source){.kind = kind, .size = size ? size->number : -1};
	if (size && size->number < 0)
		bad(r, "size", "is negative");
	get(r, t, "upload-time", WP_TOML_TIME, false);
	address(r, t, out);
	hashes(r, t, out);
	if (kind == WP_PYLOCK_ARCHIVE)
		out->subdirectory = text(r, t, "subdirectory", false);
	if (name)
		out->filename = name;
	else if (out->path)
		out->filename = base_name(out->path);
	else if (out->url)
		out->filename = last_part(r, out->url);
}

static void directory(reader *r, const wp_toml *t, wp_pylock_source *out)
{
	const wp_toml *editable = get(r, t, "editable", WP_TOML_BOOL, false);

	*out = (wp_pylock_source){.kind = WP_PYLOCK_DIRECTORY, .size = -1};
	out->path = text(r, t, "path", true);
	out->editable = editable && editable->truth;
	out->subdirectory = text(r, t, "subdirectory", false);
}

static void repository(reader *r, const wp_toml *t, wp_pylock_source *out)
{
	*out = (wp_pylock_source){.kind = WP_PYLOCK_VCS, .size = -1};
	out->vcs = text(r, t, "type", true);
	address(r, t, out);
	out->commit_id = text(r, t, "commit-id", true);
	out->requested_revision = text(r, t, "requested-revision", false);
	out->subdirectory = text(r, t, "subdirectory", false);
}

static bool same_version(reader *r, const wp_pylock_package *p, const wp_version *found)
{
	wp_version v;

	return !p->version || !wp_version_parse(r->a, wp_str_of(p->version), &v) || wp_version_cmp(&v, found) == 0;
}

/* Does the file name belong to the package? */
static void check_filename(reader *r, const wp_pylock_package *p, const wp_pylock_source *s)
{
	wp_wheel_name w;
	wp_version v;
	bool ok;

	if (r->e->code)
		return;
	if (s->kind == WP_PYLOCK_WHEEL) {
		if (wp_wheel_name_parse(r->a, wp_str_of(s->filename), &w, r->e)) {
			r->e->code = WP_E_DOCUMENT;
			return;
		}
		ok = strcmp(w.project, p->name) == 0;
		v = w.version;
	} else {
		ok = wp_sdist_name_parse(r->a, wp_str_of(s->filename), p->name, &v);
	}
	if (!ok || !same_version(r, p, &v))
		wp_fail(r->e, WP_E_DOCUMENT, "'%s' is not a file of %s %s", s->filename, p->name, p->version ? p->version : "");
}

/* ---- packages ---------------------------------------------------------------------------------- */

static void one_of_these(reader *r, const wp_toml *t, wp_pylock_package *out, wp_pylock_source *s)
{
	const wp_toml *vcs = get(r, t, "vcs", WP_TOML_TABLE, false), *dir = get(r, t, "directory", WP_TOML_TABLE, false),
		      *archive = get(r, t, "archive", WP_TOML_TABLE, false);

	if (vcs)
		repository(r, vcs, &s[out->nsources++]);
	if (dir)
		directory(r, dir, &s[out->nsources++]);
	if (archive)
		file(r, archive, WP_PYLOCK_ARCHIVE, &s[out->nsources++]);
}

static void sources(reader *r, const wp_toml *t, wp_pylock_package *out)
{
	const wp_toml *wheels = array(r, t, "wheels", WP_TOML_TABLE, false),
		      *sdist = get(r, t, "sdist", WP_TOML_TABLE, false);
	wp_pylock_source *s = WP_NEW_ARRAY(r->a, wheels->n + 4, wp_pylock_source);
	size_t i, direct;

	one_of_these(r, t, out, s);
	direct = out->nsources;
	for (i = 0; i < wheels->n && !r->e->code; i++) {
		file(r, &wheels->items[i], WP_PYLOCK_WHEEL, &s[out->nsources]);
		check_filename(r, out, &s[out->nsources++]);
		if (r->e->code)
			wp_err_where(r->e, "wheels[%zu]", i);
	}
	if (sdist) {
		file(r, sdist, WP_PYLOCK_SDIST, &s[out->nsources]);
		check_filename(r, out, &s[out->nsources++]);
	}
	out->sources = s;
	if (out->nsources == 0)
		bad(r, "vcs, directory, archive, sdist and wheels:", "one is needed, and there is none");
	else if (direct > 1 || (direct && out->nsources > direct))
		bad(r, "vcs, directory, archive, sdist and wheels:", "more than one is there");
}

static void attestations(reader *r, const wp_toml *t)
{
	const wp_toml *v = array(r, t, "attestation-identities", WP_TOML_TABLE, false);
	size_t i;

	for (i = 0; i < v->n; i++)
		text(r, &v->items[i], "kind", true);
}

static wp_marker *marker(reader *r, const char *s)
{
	wp_error e = {0};
	wp_marker *m = wp_marker_parse(r->a, wp_str_of(s), &e);

	if (!m)
		wp_fail(r->e, WP_E_DOCUMENT, "%s", e.why);
	return m;
}

static void package(reader *r, const wp_toml *t, wp_pylock_package *out)
{
	const char *condition = text(r, t, "marker", false);
	wp_version v;

	out->name = text(r, t, "name", true);
	out->version = text(r, t, "version", false);
	out->index = text(r, t, "index", false);
	if (condition)
		out->marker = marker(r, condition);
	specifiers(r, t, &out->requires_python);
	array(r, t, "dependencies", WP_TOML_TABLE, false);
	attestations(r, t);
	get(r, t, "tool", WP_TOML_TABLE, false);
	if (out->name && !normal(r, out->name))
		wp_fail(r->e, WP_E_DOCUMENT, "name '%s' is not in its normal form", out->name);
	if (out->version && !wp_version_parse(r->a, wp_str_of(out->version), &v))
		wp_fail(r->e, WP_E_DOCUMENT, "version '%s' is not a version (PEP 440)", out->version);
	if (!r->e->code)
		sources(r, t, out);
}

static void packages(reader *r, const wp_toml *t, wp_pylock *out)
{
	const wp_toml *v = array(r, t, "packages", WP_TOML_TABLE, true);
	wp_pylock_package *p = WP_NEW_ARRAY(r->a, v->n, wp_pylock_package);

	out->packages = p;
	for (; out->npackages < v->n && !r->e->code; out->npackages++) {
		package(r, &v->items[out->npackages], &p[out->npackages]);
		if (r->e->code)
			wp_err_where(r->e, "packages[%zu]", out->npackages);
	}
}

/* ---- the document ------------------------------------------------------------------------------ */

static void check_lock_version(reader *r, const char *s)
{
	wp_version v;

	if (!s)
		return;
	if (!wp_version_parse(r->a, wp_str_of(s), &v))
		wp_fail(r->e, WP_E_DOCUMENT, "lock-version '%s' is not a version", s);
	else if (v.epoch || v.release[0] != 1)
		wp_fail(r->e, WP_E_DOCUMENT, "lock-version is %s; version 1 is known", s);
}

static void environments(reader *r, const wp_toml *t, wp_pylock *out)
{
	const wp_toml *v = array(r, t, "environments", WP_TOML_STRING, false);
	wp_marker **m = WP_NEW_ARRAY(r->a, v->n, wp_marker *);

	out->has_environments = find(t, "environments") != NULL;
	out->environments = m;
	for (; out->nenvironments < v->n; out->nenvironments++)
		m[out->nenvironments] = marker(r, v->items[out->nenvironments].text);
}

int wp_pylock_read(wp_arena *a, const wp_toml *t, wp_pylock *out, wp_error *e)
{
	reader r = {a, e};
	size_t i;

	*out = (wp_pylock){0};
	if (t->kind != WP_TOML_TABLE)
		return wp_fail(e, WP_E_DOCUMENT, "a lock file is a table");
	check_lock_version(&r, text(&r, t, "lock-version", true));
	out->created_by = text(&r, t, "created-by", true);
	environments(&r, t, out);
	specifiers(&r, t, &out->requires_python);
	out->extras = texts(&r, t, "extras", &out->nextras);
	for (i = 0; i < out->nextras; i++)
		if (!normal(&r, out->extras[i]))
			wp_fail(e, WP_E_DOCUMENT, "extra '%s' is not in its normal form", out->extras[i]);
	out->groups = texts(&r, t, "dependency-groups", &out->ngroups);
	out->default_groups = texts(&r, t, "default-groups", &out->ndefault_groups);
	get(&r, t, "tool", WP_TOML_TABLE, false);
	packages(&r, t, out);
	return e->code;
}

bool wp_pylock_filename(const char *path)
{
	const char *name = base_name(path);
	size_t n;

	if (strcmp(name, "pylock.toml") == 0)
		return true;
	if (!wp_starts(name, "pylock.") || !wp_ends(name, ".toml"))
		return false;
	n = strcspn(name + 7, ".");
	return n > 0 && strcmp(name + 7 + n, ".toml") == 0;
}

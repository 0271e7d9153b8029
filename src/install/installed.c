/* SPDX-License-Identifier: MIT
 *
 * installed.c: what a venv has, by its dist-info directories and their RECORDs. These come from whoever installed
 * there: a path counts only if it leads, without links, to a place below the venv that is not the venv's own.
 */
#include "install/installed.h"

#include <string.h>

#include "ext/hash.h"
#include "ext/unicode.h"
#include "install/parts.h"
#include "py/name.h"
#include "py/version.h"

enum { MAX_INSTALLER = 4096, LONGEST_INSTALLER = 64, BUFFER = 256 << 10 };

/* ---- distributions -------------------------------------------------------------------------- */

/* NAME-VERSION.dist-info, or NAME[-VERSION[-pyX.Y]].egg-info of older installers. */
static bool split_name(wp_str dir, wp_str *name, wp_str *version)
{
	size_t i;

	*version = (wp_str){0};
	if (wp_str_ends(dir, ".dist-info")) {
		dir.n -= strlen(".dist-info");
		i = wp_str_rfind(dir, '-');
	} else if (wp_str_ends(dir, ".egg-info")) {
		dir.n -= strlen(".egg-info");
		i = wp_str_find(dir, '-');
	} else {
		return false;
	}
	*name = wp_str_sub(dir, 0, i);
	if (i < dir.n) {
		*version = wp_str_sub(dir, i + 1, dir.n);
		*version = wp_str_sub(*version, 0, wp_str_find(*version, '-'));
	}
	return wp_name_valid(*name);
}

static const char *info_file(wp_arena *a, const wp_site *s, const wp_installed *d, const char *name)
{
	return wp_sprintf(a, "%s/%s/%s/%s", s->venv, s->path, d->dir, name);
}

static bool is_dist(wp_arena *a, const wp_site *s, const char *dir, wp_installed *out, wp_error *e)
{
	wp_str name, version;
	wp_version v;
	os_kind kind;
	uint64_t size;

	if (!wp_utf8_valid(wp_str_of(dir)) || !split_name(wp_str_of(dir), &name, &version))
		return false;
	*out = (wp_installed){dir, wp_name_normalize(a, name),
		wp_version_parse_folder(a, version, &v) ? v.text : wp_str_dup(a, version), false};
	if (wp_ends(dir, ".dist-info") && !os_stat(info_file(a, s, out, "RECORD"), &kind, &size, e))
		out->has_record = kind == OS_FILE;
	return true;
}

static int by_project(const void *x, const void *y)
{
	const wp_installed *a = x, *b = y;
	int c = strcmp(a->project, b->project);

	return c ? c : strcmp(a->dir, b->dir);
}

int wp_site_read(wp_arena *a, const char *venv, const char *path, wp_site *out, wp_error *e)
{
	const char **names, **leftovers, *site = os_join(a, venv, path);
	size_t i, n;

	*out = (wp_site){.venv = venv, .path = path};
	if (!os_is_dir(site))
		return 0;
	if (os_list(a, site, &names, &n, e))
		return e->code;
	out->v = WP_NEW_ARRAY(a, n + 1, wp_installed);
	leftovers = WP_NEW_ARRAY(a, n + 1, const char *);
	for (i = 0; i < n; i++)
		if (names[i][0] == '~')
			leftovers[out->nleftovers++] = names[i];
		else if (is_dist(a, out, names[i], &out->v[out->n], e))
			out->n++;
	out->leftovers = leftovers;
	qsort(out->v, out->n, sizeof *out->v, by_project);
	return e->code;
}

const wp_installed *wp_site_find(const wp_site *s, const char *project)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(s->v[middle].project, project) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->n && strcmp(s->v[low].project, project) == 0 ? &s->v[low] : NULL;
}

bool wp_installed_is(wp_arena *a, const wp_installed *d, const char *version)
{
	wp_version v, w;

	if (wp_version_parse(a, wp_str_of(d->version), &v) && wp_version_parse(a, wp_str_of(version), &w))
		return wp_version_cmp(&v, &w) == 0;
	return wp_streq(d->version, version);
}

const char *wp_installed_by(wp_arena *a, const wp_site *s, const wp_installed *d)
{
	wp_error ignored = {0};
	wp_str text, line;

	if (os_read_file(a, info_file(a, s, d, "INSTALLER"), MAX_INSTALLER, &text, &ignored) || !wp_utf8_valid(text) ||
		!wp_str_line(&text, &line) || line.n > LONGEST_INSTALLER)
		return "";
	return wp_str_dup(a, wp_str_trim(line));
}

/* ---- where a row leads ---------------------------------------------------------------------- */

typedef struct lister {
	wp_arena *a;
	const wp_site *s;
	wp_error *e;	  /* the first failure: what could not be looked at is not taken for absent */
	const char *real; /* the venv, its links resolved; NULL until asked for */
	bool windows;
	bool lib64;	  /* is a link to lib, as the venv module makes it */
	wp_map seen;	  /* key of a path -> 1 */
	wp_map dirs;	  /* directory -> 1 where no link is on the way */
	wp_map caches;	  /* directories whose bytecode was looked at */
	WP_VEC(wp_installed_file) files;
	WP_VEC(const char *) outside;
} lister;

/* Equal for names that the file system takes for one. */
static wp_str key(const lister *l, const char *path)
{
	return wp_str_of(l->windows ? wp_name_fold(l->a, wp_str_of(path)) : path);
}

/* With '/' where the system takes '\' for it too. */
static const char *forward(const lister *l, const char *path)
{
	char *out = wp_strdup(l->a, path), *p;

	for (p = out; l->windows && *p; p++)
		if (*p == '\\')
			*p = '/';
	return out;
}

static const char *below_dir(const lister *l, const char *path, const char *dir)
{
	const char *start = forward(l, dir);
	wp_str head = wp_str_sub(wp_str_of(path), 0, strlen(start));

	if (path[head.n] != '/' || !(l->windows ? wp_str_is_nocase(head, start) : wp_str_is(head, start)))
		return NULL;
	return path + head.n + 1;
}

/* Some installers write absolute paths; the venv may have been reached through a link then. */
static const char *below_venv(lister *l, const char *path)
{
	const char *in = below_dir(l, path, l->s->venv);

	if (in || (!l->real && os_realpath(l->a, l->s->venv, &l->real, l->e)))
		return in;
	return below_dir(l, path, l->real);
}

/* Append one name to the path, or go one up; false where that leads above the venv. */
static bool step(char *path, size_t *n, wp_str part)
{
	if (part.n == 0 || wp_str_is(part, "."))
		return true;
	if (!wp_str_is(part, "..")) {
		if (*n)
			path[(*n)++] = '/';
		memcpy(path + *n, part.p, part.n);
		*n += part.n;
		return true;
	}
	if (*n == 0)
		return false;
	while (*n && path[--*n] != '/')
		;
	return true;
}

/* Are the directories on the way there no links? */
static bool straight(lister *l, const char *path)
{
	const char *slash;
	uint32_t ok = 1;

	for (slash = strchr(path, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
		wp_str dir = {path, (size_t)(slash - path)};
		os_kind kind;
		uint64_t size;

		if (wp_map_get(&l->dirs, dir, &ok))
			continue;
		ok = !os_stat(os_join(l->a, l->s->venv, wp_str_dup(l->a, dir)), &kind, &size, l->e) &&
			kind != OS_LINK && kind != OS_OTHER;
		wp_map_put(&l->dirs, dir, ok);
	}
	return ok;
}

/* The path below the venv; NULL where the row is none of its files. */
static const char *resolve(lister *l, const char *written)
{
	const char *from = l->s->path, *row = forward(l, written), *tidy, *why;
	wp_str rest, part;
	char *path;
	size_t n = 0;

	if (row[0] == '/' || os_is_absolute(row)) {
		from = "";
		row = below_venv(l, row);
		if (!row)
			return NULL;
	}
	path = wp_alloc(l->a, strlen(from) + strlen(row) + 2);
	rest = wp_str_of(wp_sprintf(l->a, "%s/%s", from, row));
	while (wp_str_split(&rest, '/', &part))
		if (!step(path, &n, part))
			return NULL;
	path[n] = 0;
	if (l->lib64 && wp_under(path, "lib64"))
		path = wp_sprintf(l->a, "lib/%s", wp_under(path, "lib64"));
	if (wp_member_path(l->a, path, l->windows, &tidy, &why) == WP_PATH_REFUSE || !straight(l, path) ||
		wp_path_is_venvs(l->a, path))
		return NULL;
	return path;
}

static os_kind kind_of(const lister *l, const char *path)
{
	os_kind kind = OS_ABSENT;
	uint64_t size;

	os_stat(os_join(l->a, l->s->venv, path), &kind, &size, l->e);
	return kind;
}

static void add(lister *l, const char *path, const wp_record_row *row)
{
	wp_installed_file f = {path, row};

	if (wp_map_put(&l->seen, key(l, path), 1))
		WP_PUSH(&l->files, f);
}

/* Old tools list directories too. */
static void add_row(lister *l, const wp_record_row *row)
{
	const char *path;

	if (!*row->path || wp_ends(row->path, "/"))
		return;
	path = resolve(l, row->path);
	if (!path)
		WP_PUSH(&l->outside, row->path);
	else if (row->kind != WP_RECORD_NONE || kind_of(l, path) != OS_DIR)
		add(l, path, row);
}

/* ---- bytecode ------------------------------------------------------------------------------- */

/* NAME.cpython-312.pyc, NAME.cpython-312.opt-1.pyc: is dir/NAME.py listed? NAME may have dots. */
static bool is_bytecode(lister *l, const char *dir, const char *name)
{
	const char *dot, *last = strrchr(name, '.');
	uint32_t listed;

	if (!wp_utf8_valid(wp_str_of(name)) || !wp_ends(name, ".pyc"))
		return false;
	for (dot = strchr(name, '.'); dot != last; dot = strchr(dot + 1, '.')) {
		const char *stem = wp_str_dup(l->a, (wp_str){name, (size_t)(dot - name)});
		const char *source = wp_sprintf(l->a, "%s/%s.py", dir, stem);

		if (wp_map_get(&l->seen, key(l, source), &listed))
			return true;
	}
	return false;
}

static void add_cached(lister *l, const char *dir)
{
	const char *cache = os_join(l->a, dir, "__pycache__"), *path = os_join(l->a, l->s->venv, cache);
	const char **names;
	size_t i, n;

	if (kind_of(l, cache) != OS_DIR || os_list(l->a, path, &names, &n, l->e))
		return;
	for (i = 0; i < n; i++)
		if (is_bytecode(l, dir, names[i]))
			add(l, os_join(l->a, cache, names[i]), NULL);
}

/* Python writes it when it first imports a module; beside the module only if it was told to. */
static void add_bytecode(lister *l, const char *source)
{
	const char *dir = os_dirname(l->a, source), *beside = wp_sprintf(l->a, "%sc", source);

	if (kind_of(l, beside) == OS_FILE)
		add(l, beside, NULL);
	if (wp_map_put(&l->caches, key(l, dir), 1))
		add_cached(l, dir);
}

/* ---- the files of one ----------------------------------------------------------------------- */

static int no_record(wp_arena *a, const wp_site *s, const wp_installed *d, wp_error *e)
{
	const char *by = wp_installed_by(a, s, d);

	wp_fail(e, WP_E_VENV, "'%s' has no RECORD, so nobody can tell which files are its own; %s%s", d->dir,
		*by ? "it was installed by " : "it names no installer", by);
	return wp_err_next(e, "remove it with %s, or make a new venv", *by ? by : "what installed it");
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const wp_installed_file *)x)->path, ((const wp_installed_file *)y)->path);
}

static void list(lister *l, const wp_record *r, const wp_installed *d, wp_installed_files *out)
{
	size_t i, n;

	for (i = 0; i < r->n; i++)
		add_row(l, &r->rows[i]);
	add(l, wp_sprintf(l->a, "%s/%s/RECORD", l->s->path, d->dir), NULL);
	n = l->files.n;
	for (i = 0; i < n; i++)
		if (wp_ends(l->files.v[i].path, ".py"))
			add_bytecode(l, l->files.v[i].path);
	qsort(l->files.v, l->files.n, sizeof *l->files.v, by_path);
	*out = (wp_installed_files){.v = WP_VEC_COPY(l->a, &l->files), .n = l->files.n,
		.outside = WP_VEC_COPY(l->a, &l->outside), .noutside = l->outside.n};
}

int wp_installed_list(wp_arena *a, const wp_site *s, const wp_installed *d, wp_installed_files *out, wp_error *e)
{
	lister l = {.a = a, .s = s, .e = e, .windows = os_is_windows()};
	wp_record r;
	wp_str text;

	*out = (wp_installed_files){0};
	if (!d->has_record)
		return no_record(a, s, d, e);
	if (os_read_file(a, info_file(a, s, d, "RECORD"), WP_MAX_RECORD, &text, e))
		return e->code;
	if (wp_record_parse_installed(a, text, &r, e))
		return wp_err_where(e, "'%s'", d->dir);
	l.lib64 = wp_under(s->path, "lib") && kind_of(&l, "lib64") == OS_LINK;
	wp_map_init(&l.seen);
	wp_map_init(&l.dirs);
	wp_map_init(&l.caches);
	list(&l, &r, d, out);
	wp_map_free(&l.seen);
	wp_map_free(&l.dirs);
	wp_map_free(&l.caches);
	WP_VEC_FREE(&l.files);
	WP_VEC_FREE(&l.outside);
	return e->code;
}

/* ---- is it as RECORD says? ------------------------------------------------------------------ */

/* The digest of what is there, size bytes. */
static int digest(const wp_ctx *ctx, os_file *f, wp_hash *h, uint64_t size, atomic_uint_fast64_t *bytes, wp_error *e)
{
	size_t piece = size < BUFFER ? (size_t)size : BUFFER;
	char *buf = wp_xmalloc(piece + 1);
	uint64_t off = 0;

	while (off < size && !wp_check_cancel(ctx, e)) {
		size_t n = size - off < piece ? (size_t)(size - off) : piece;

		if (os_pread(f, buf, n, off, e))
			break;
		wp_hash_add(h, buf, n);
		off += n;
		atomic_fetch_add_explicit(bytes, n, memory_order_relaxed);
	}
	free(buf);
	return e->code;
}

static int compare(const wp_ctx *ctx, const char *path, const wp_record_row *row, wp_file_state *out,
	atomic_uint_fast64_t *bytes, wp_error *e)
{
	static const wp_hash_kind kinds[] = {[WP_RECORD_SHA256] = WP_SHA256, [WP_RECORD_SHA384] = WP_SHA384,
		[WP_RECORD_SHA512] = WP_SHA512};
	unsigned char sum[WP_HASH_MAX];
	uint64_t size;
	os_file *f;
	wp_hash *h;

	if (os_open(path, OS_READ, &f, e)) {
		if (e->code == WP_E_BUSY)
			os_name_holders(e, path);
		return e->code;
	}
	h = wp_hash_new(kinds[row->kind]);
	if (!os_size(f, &size, e) && !digest(ctx, f, h, size, bytes, e))
		*out = memcmp(sum, row->digest, wp_hash_end(h, sum)) == 0 ? WP_FILE_SAME : WP_FILE_CHANGED;
	wp_hash_free(h);
	os_close(f, e);
	return e->code;
}

int wp_installed_compare(const wp_ctx *ctx, const wp_site *s, const wp_installed_file *f, wp_file_state *out,
	atomic_uint_fast64_t *bytes, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	const char *path = os_join(a, s->venv, f->path);
	const wp_record_row *row = f->row;
	os_kind kind;
	uint64_t size;

	*out = WP_FILE_CHANGED;
	if (!os_stat(path, &kind, &size, e)) {
		if (kind == OS_ABSENT)
			*out = WP_FILE_ABSENT;
		else if (kind == OS_FILE && (!row || row->kind == WP_RECORD_NONE))
			*out = WP_FILE_SAME;
		else if (kind == OS_FILE && (row->size < 0 || (uint64_t)row->size == size))
			compare(ctx, path, row, out, bytes, e);
	}
	wp_arena_free(a);
	return e->code;
}

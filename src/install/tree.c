/* SPDX-License-Identifier: MIT
 *
 * tree.c: a venv as the doctor sees it: site-packages at the root, the rest below @scripts, @include
 * and @data, as in the tree of a bundle. Links are listed in site-packages only, where some
 * installers make them; those in bin lead out to the base interpreter.
 */
#include "install/parts.h"
#include "os/os.h"

typedef struct venv_tree {
	wp_arena *a;
	const char *venv;
	wp_venv_place at;
	wp_tree_entry *entries;
	size_t n;
} venv_tree;

static const char *shown(const venv_tree *t, const char *path)
{
	const char *in;

	if ((in = wp_under(path, t->at.site)))
		return in;
	if ((in = wp_under(path, t->at.bin)))
		return wp_sprintf(t->a, "@scripts/%s", in);
	if ((in = wp_under(path, t->at.include)))
		return wp_sprintf(t->a, "@include/%s", in);
	return wp_sprintf(t->a, "@data/%s", path);
}

static const char *hidden(const venv_tree *t, wp_arena *a, const char *path)
{
	struct {
		const char *prefix, *dir;
	} map[] = {{"@scripts", t->at.bin}, {"@include", t->at.include}};
	const char *in;
	size_t i;

	if ((in = wp_under(path, "@data")))
		return os_join(a, t->venv, in);
	for (i = 0; i < sizeof map / sizeof *map; i++)
		if ((in = wp_under(path, map[i].prefix)))
			return wp_sprintf(a, "%s/%s/%s", t->venv, map[i].dir, in);
	return wp_sprintf(a, "%s/%s/%s", t->venv, t->at.site, path);
}

const char *wp_venv_setting(wp_arena *a, wp_str config, const char *wanted)
{
	wp_str line, key;

	while (wp_str_line(&config, &line))
		if (wp_str_split(&line, '=', &key) && line.p && wp_str_is(wp_str_trim(key), wanted))
			return wp_str_dup(a, wp_str_trim(line));
	return NULL;
}

const char *wp_venv_library(wp_arena *a, wp_str config)
{
	static const char *const keys[] = {"version", "version_info"};
	wp_str version, major, minor;
	size_t i;

	for (i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *text = wp_venv_setting(a, config, keys[i]);

		version = text ? wp_str_of(text) : (wp_str){0};
		if (text && wp_str_split(&version, '.', &major) && wp_str_split(&version, '.', &minor))
			return wp_sprintf(a, "python%.*s.%.*s", (int)major.n, major.p, (int)minor.n, minor.p);
	}
	return "";
}

wp_str wp_venv_config(wp_arena *a, const char *venv)
{
	enum { MAX_CONFIG = 1 << 20 };
	wp_error ignored = {0};
	wp_str text;

	return os_read_file(a, os_join(a, venv, "pyvenv.cfg"), MAX_CONFIG, &text, &ignored) ? (wp_str){0} : text;
}

static bool is_link(const char *path)
{
	wp_error ignored = {0};
	os_kind kind = OS_ABSENT;
	uint64_t size;

	os_stat(path, &kind, &size, &ignored);
	return kind == OS_LINK;
}

/* lib/python3.12/site-packages. A venv that was moved to another Python has the directory of the one before too, and in a
 * conda environment python3.1 is a link to it. */
static int find_posix_site(wp_arena *a, const char *venv, wp_venv_place *out, wp_error *e)
{
	const char *lib = os_join(a, venv, "lib"), *mine = wp_venv_library(a, wp_venv_config(a, venv));
	const char *free = wp_sprintf(a, "%st", mine), **names;
	size_t i, n = 0;

	out->bin = "bin";
	out->include = "include";
	if (os_is_dir(lib) && os_list(a, lib, &names, &n, e))
		return e->code;
	for (i = 0; i < n; i++) {
		const char *site = wp_sprintf(a, "lib/%s/site-packages", names[i]);
		bool is_mine = wp_streq(names[i], mine) || wp_streq(names[i], free);

		if ((!out->site || is_mine) && wp_starts(names[i], "python") && os_is_dir(os_join(a, venv, site)) &&
			!(out->conda && is_link(os_join(a, lib, names[i]))))
			out->site = site;
	}
	return out->site ? 0 : wp_fail(e, WP_E_VENV, "it has no lib/python*/site-packages");
}

/* What may not be looked into is not absent. */
static int no_venv(const char *path, const char *why, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	if (os_stat(path, &kind, &size, e))
		return e->code;
	return wp_fail(e, WP_E_VENV, "%s", why);
}

static int no_config(wp_arena *a, const char *venv, const char *config, wp_error *e)
{
	wp_prefix x = wp_prefix_look(a, venv);

	if (no_venv(config, x.what, e) == WP_E_VENV && x.kind == WP_PREFIX_INSIDE)
		wp_err_next(e, "name the venv: --venv \"%s\"", x.path);
	return e->code;
}

/* For a moment of a switch there is none. */
static int no_directory(wp_arena *a, const char *venv, wp_error *e)
{
	wp_error ignored = {0};
	const char *place;

	wp_fail(e, WP_E_NOT_FOUND, "there is no directory '%s'", venv);
	if (!wp_switch_place(a, venv, &place, &ignored) && wp_switch_stopped(a, place))
		return wp_err_next(e, "a run was stopped while it switched: `wheelpack repair --venv %s`", venv);
	return e->code;
}

static int look(wp_arena *a, const char *venv, wp_error *e)
{
	const char *config = os_join(a, venv, "pyvenv.cfg");
	os_kind kind;
	uint64_t size;

	if (os_is_dir(venv))
		return os_is_file(config) || wp_prefix_let_in(a, venv) ? 0 : no_config(a, venv, config, e);
	if (os_stat(venv, &kind, &size, e))
		return e->code;
	if (kind == OS_ABSENT || kind == OS_LINK)
		return no_directory(a, venv, e);
	return no_venv(venv, "it is not a directory", e);
}

static int name_another(wp_error *e)
{
	if (e->code == WP_E_VENV)
		wp_err_next(e, "name the directory of a venv, the one that holds pyvenv.cfg");
	return e->code;
}

int wp_venv_look(wp_arena *a, const char *venv, wp_error *e)
{
	return look(a, venv, e) ? name_another(e) : 0;
}

static int find_site(wp_arena *a, const char *venv, wp_venv_place *out, wp_error *e)
{
	*out = (wp_venv_place){0};
	if (look(a, venv, e))
		return e->code;
	out->conda = !os_is_file(os_join(a, venv, "pyvenv.cfg"));
	if (!os_is_dir(os_join(a, venv, "Scripts")))
		return find_posix_site(a, venv, out, e);
	out->site = "Lib/site-packages";
	out->bin = "Scripts";
	out->include = "Include";
	if (os_is_dir(os_join(a, venv, out->site)))
		return 0;
	return wp_fail(e, WP_E_VENV, "it has no Lib/site-packages");
}

int wp_venv_find(wp_arena *a, const char *venv, wp_venv_place *out, wp_error *e)
{
	return find_site(a, venv, out, e) ? name_another(e) : 0;
}

static int link_size(venv_tree *t, os_entry *w, wp_error *e)
{
	os_file *f;

	if (os_open(os_join(t->a, t->venv, w->path), OS_READ, &f, e))
		return e->code;
	os_size(f, &w->size, e);
	return os_close(f, e);
}

static bool is_entry(venv_tree *t, os_entry *w)
{
	wp_error ignored = {0};

	if (wp_under(w->path, ".wheelpack"))
		return false;
	if (w->kind == OS_LINK)
		return wp_under(w->path, t->at.site) && !link_size(t, w, &ignored);
	return w->kind == OS_FILE;
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const wp_tree_entry *)x)->path, ((const wp_tree_entry *)y)->path);
}

static int fill(venv_tree *t, wp_error *e)
{
	os_entry *walked;
	size_t i, n;

	if (wp_venv_find(t->a, t->venv, &t->at, e) || os_walk(t->a, t->venv, &walked, &n, e))
		return e->code;
	t->entries = WP_NEW_ARRAY(t->a, n + 1, wp_tree_entry);
	for (i = 0; i < n; i++)
		if (is_entry(t, &walked[i]))
			t->entries[t->n++] = (wp_tree_entry){shown(t, walked[i].path),
				walked[i].size};
	qsort(t->entries, t->n, sizeof *t->entries, by_path);
	return 0;
}

static int tree_list(void *self, const wp_tree_entry **out, size_t *n, wp_error *e)
{
	const venv_tree *t = self;

	(void)e;
	*out = t->entries;
	*n = t->n;
	return 0;
}

static int tree_open(void *self, const char *path, wp_blob *out, wp_error *e)
{
	const venv_tree *t = self;
	wp_tree_entry key = {path, 0};
	const wp_tree_entry *found =
		bsearch(&key, t->entries, t->n, sizeof *t->entries, by_path);
	wp_arena *a;

	if (!found)
		return wp_fail(e, WP_E_NOT_FOUND, "'%s' is not in the venv", path);
	a = wp_arena_new(); /* threads may open at the same time */
	os_blob(hidden(t, a, path), out, e);
	wp_arena_free(a);
	return e->code;
}

int wp_venv_tree(wp_ctx *ctx, const char *venv, wp_tree *out, wp_error *e)
{
	venv_tree *t = WP_NEW(ctx->arena, venv_tree);

	t->a = wp_arena_new();
	*out = (wp_tree){t, tree_list, tree_open};
	if (!wp_venv_look(t->a, venv, e) && !os_absolute(t->a, venv, &t->venv, e))
		fill(t, e);
	if (!e->code)
		return 0;
	wp_venv_tree_close(out);
	return wp_err_where(e, "'%s'", venv);
}

void wp_venv_tree_close(wp_tree *t)
{
	venv_tree *v = t->self;

	if (v)
		wp_arena_free(v->a);
	*t = (wp_tree){0};
}

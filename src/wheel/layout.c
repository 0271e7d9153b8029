/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "py/name.h"
#include "wheel/internal.h"

enum { MODE_TYPE = 0170000, MODE_FILE = 0100000, MODE_DIR = 0040000, MODE_LINK = 0120000, MODE_EXEC = 0111 };

bool wheel_stem_fits(wp_arena *scratch, wp_str stem, const wp_wheel_name *name)
{
	size_t dash = wp_str_find(stem, '-');
	wp_str project = wp_str_sub(stem, 0, dash), version = wp_str_sub(stem, dash + 1, stem.n);
	wp_version v;

	return dash < stem.n && wp_str_find(version, '-') == version.n && wp_name_valid(project) &&
		wp_streq(wp_name_normalize(scratch, project), name->project) &&
		wp_version_parse_folder(scratch, version, &v) && wp_version_cmp(&v, &name->version) == 0;
}

/* ---- names -------------------------------------------------------------------------------- */

static int check_type(const wp_zip_entry *en, wp_error *e)
{
	uint32_t type = en->mode & MODE_TYPE;

	if (type == MODE_LINK)
		return wp_fail(e, WP_E_PATH, "a symbolic link; wheels hold plain files");
	if (type && type != (en->dir ? MODE_DIR : MODE_FILE))
		return wp_fail(e, WP_E_PATH, "mode %o is that of something else than a %s", (unsigned)en->mode,
			en->dir ? "folder" : "plain file");
	return 0;
}

static bool ascii(const char *s)
{
	while (*s && (unsigned char)*s < 0x80)
		s++;
	return !*s;
}

/* Whether the name may be, and the tidied form of it. A folder's loses its final '/'. */
static int tidy_name(wheel_opening *o, const wp_zip_entry *en, const char **tidy)
{
	enum { UTF8_FLAG = 1 << 11 };
	const char *name = en->name, *why = "";
	wp_path_verdict verdict;

	if (check_type(en, o->e))
		return wp_err_where(o->e, "'%s'", en->name);
	if (en->dir)
		name = wp_str_dup(o->scratch, wp_str_sub(wp_str_of(name), 0, strlen(name) - 1));
	verdict = wp_member_path(o->a, name, o->windows, tidy, &why);
	if (verdict == WP_PATH_REFUSE) {
		wp_fail(o->e, WP_E_PATH, "%s", why);
		return wp_err_where(o->e, "'%s'", en->name);
	}
	if (verdict == WP_PATH_WARN)
		wheel_noted(o, NOTE_TIDIED, "'%s': %s", en->name, why);
	if (!ascii(en->name) && !(en->flags & UTF8_FLAG))
		wheel_noted(o, NOTE_UTF8_FLAG, "'%s'", en->name);
	return 0;
}

static int tidy_names(wheel_opening *o)
{
	wp_wheel *w = o->w;
	size_t i;

	w->members = WP_NEW_ARRAY(o->a, w->zip.n, wp_member);
	o->folders = WP_NEW_ARRAY(o->scratch, w->zip.n, wheel_folder);
	for (i = 0; i < w->zip.n; i++) {
		const wp_zip_entry *en = &w->zip.entries[i];
		const char *tidy = NULL;

		if (tidy_name(o, en, &tidy))
			return o->e->code;
		if (en->dir)
			o->folders[o->nfolders++] = (wheel_folder){en, tidy};
		else
			w->members[w->n++] = (wp_member){.entry = en, .name = tidy};
	}
	return 0;
}

/* ---- dist-info and data folders ----------------------------------------------------------- */

static wp_str top_of(const char *name)
{
	wp_str s = wp_str_of(name);

	return wp_str_sub(s, 0, wp_str_find(s, '/'));
}

/* Let *dir be the one top-level folder of this kind; refuse another, or one of another project. */
static int claim(wheel_opening *o, wp_str top, const char *suffix, const char **dir)
{
	const wp_wheel_name *name = &o->w->name;

	if (*dir && wp_str_is(top, *dir))
		return 0;
	if (*dir)
		return wp_fail(o->e, WP_E_WHEEL, "two such folders: '%s' and '%.*s'", *dir, (int)top.n, top.p);
	if (!wheel_stem_fits(o->scratch, wp_str_sub(top, 0, top.n - strlen(suffix)), name))
		return wp_fail(o->e, WP_E_WHEEL, "'%.*s' is not the folder of %s %s", (int)top.n, top.p, name->project,
			name->version.norm);
	*dir = wp_str_dup(o->a, top);
	return 0;
}

/* Case differs, meaning doesn't: on Windows such a folder is the dist-info of that name. */
static bool is_dist_info(wp_arena *scratch, wp_str name)
{
	return name.n > 10 && wp_ends(wp_str_lower(scratch, wp_str_sub(name, name.n - 10, name.n)), ".dist-info");
}

static int find_dirs(wheel_opening *o)
{
	wp_wheel *w = o->w;
	size_t i;

	for (i = 0; i < w->n; i++) {
		wp_str top = top_of(w->members[i].name);
		int rc = 0;

		if (is_dist_info(o->scratch, top))
			rc = claim(o, top, ".dist-info", &w->dist_info);
		else if (wp_str_ends(top, ".data"))
			rc = claim(o, top, ".data", &w->data_dir);
		if (rc)
			return wp_err_where(o->e, "'%s'", w->members[i].name);
	}
	if (!w->dist_info || !wp_ends(w->dist_info, ".dist-info"))
		return wp_fail(o->e, WP_E_WHEEL, "no folder %s-%s.dist-info at the top", w->name.name,
			w->name.version.norm);
	return 0;
}

/* ---- places ------------------------------------------------------------------------------- */

static const struct {
	const char *dir;
	wp_scheme scheme;
} schemes[] = {{"purelib/", WP_PURELIB}, {"platlib/", WP_PLATLIB}, {"headers/", WP_HEADERS}, {"scripts/", WP_SCRIPTS},
	{"data/", WP_DATA}};

/* "1.0.data/SCHEME/path" to scheme and path. */
static int place_data(const wp_wheel *w, wp_member *m, wp_error *e)
{
	const char *rest = m->name + strlen(w->data_dir);
	size_t i;

	rest += *rest == '/';
	for (i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (wp_starts(rest, schemes[i].dir)) {
			m->scheme = schemes[i].scheme;
			m->path = rest + strlen(schemes[i].dir);
			return 0;
		}
	return wp_fail(e, WP_E_WHEEL, "below '%s' there are purelib, platlib, headers, scripts and data, and nothing else",
		w->data_dir);
}

/* The name begins with `word` and no dash follows: python, python3.12, pythonw.exe, activate.ps1; but not
 * python-argcomplete-check, which is a tool of its own. */
static bool names_tool(const char *file, const char *word)
{
	return wp_starts(file, word) && file[strlen(word)] != '-';
}

bool wheel_script_is_reserved(const char *file)
{
	static const char *const words[] = {"python", "pypy", "activate", "deactivate", "pyvenv.cfg"};
	wp_arena *a = wp_arena_new();
	const char *lower = wp_str_lower(a, top_of(file));
	bool hit = false;
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++)
		hit = hit || names_tool(lower, words[i]);
	wp_arena_free(a);
	return hit;
}

bool wp_path_is_venvs(wp_arena *scratch, const char *path)
{
	const char *lower = wp_str_lower(scratch, wp_str_of(path));

	if (wp_starts(lower, "bin/"))
		return wheel_script_is_reserved(path + 4);
	if (wp_starts(lower, "scripts/"))
		return wheel_script_is_reserved(path + 8);
	return wp_str_is(top_of(lower), ".wheelpack") || wp_str_is(top_of(lower), "conda-meta") || wheel_script_is_reserved(path);
}

/* A dist-info that is not this wheel's own plants a project nobody asked for. */
static bool plants_project(wp_arena *scratch, const wp_member *m)
{
	wp_str rest = wp_str_of(m->path), part, before = {0};

	if (m->scheme == WP_PURELIB || m->scheme == WP_PLATLIB)
		return is_dist_info(scratch, top_of(m->path));
	while (m->scheme == WP_DATA && wp_str_split(&rest, '/', &part)) {
		if (is_dist_info(scratch, part) && wp_streq(wp_str_lower(scratch, before), "site-packages"))
			return true;
		before = part;
	}
	return false;
}

static int check_place(wheel_opening *o, const wp_member *m)
{
	if (plants_project(o->scratch, m))
		return wp_fail(o->e, WP_E_WHEEL, "brings the dist-info of another project");
	if ((m->scheme == WP_SCRIPTS && wheel_script_is_reserved(m->path)) ||
		(m->scheme == WP_DATA && wp_path_is_venvs(o->scratch, m->path)))
		return wp_fail(o->e, WP_E_PATH, "would replace a part of the venv itself");
	if (m->scheme == WP_SCRIPTS && strchr(m->path, '/'))
		wheel_noted(o, NOTE_SCRIPT_SUB, "'%s'", m->name);
	return 0;
}

static int place(wheel_opening *o, wp_member *m)
{
	wp_wheel *w = o->w;
	bool data = w->data_dir && wp_str_is(top_of(m->name), w->data_dir);

	m->path = m->name; /* the scheme of the root is known when WHEEL is read */
	if (data && (place_data(w, m, o->e) || check_place(o, m)))
		return wp_err_where(o->e, "'%s'", m->name);
	m->executable = m->scheme == WP_SCRIPTS || m->entry->mode & MODE_EXEC;
	if (wp_ends(m->path, ".pyc") && strstr(m->path, "__pycache__/"))
		wheel_noted(o, NOTE_PYCACHE, "'%s'", m->name);
	return 0;
}

int wheel_layout(wheel_opening *o)
{
	size_t i;

	if (tidy_names(o) || find_dirs(o))
		return o->e->code;
	for (i = 0; i < o->w->n; i++) {
		if (place(o, &o->w->members[i]))
			return o->e->code;
		if (o->w->members[i].entry->size > UINT64_MAX - o->w->total)
			return wp_fail(o->e, WP_E_TOO_LARGE, "the sizes of its files do not add up");
		o->w->total += o->w->members[i].entry->size;
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/map.h"
#include "ext/unicode.h"
#include "py/name.h"
#include "wheel/internal.h"

enum { KNOWN_METADATA_MAJOR = 2, KNOWN_METADATA_MINOR = 6 };

/* A text of dist-info, checked against RECORD. */
static int read_text(wheel_opening *o, const char *file, wp_code code, wp_str *out)
{
	const wp_member *m = wheel_info_member(o->w, file);

	if (!m)
		return wp_fail(o->e, code, "'%s/%s' is missing", o->w->dist_info, file);
	if (wheel_member_text(o->unpacker, o->a, &o->w->zip.blob, m, WP_MAX_METADATA, out, o->e))
		return o->e->code;
	if (!wp_utf8_valid(*out)) {
		wp_fail(o->e, code, "the text is not UTF-8");
		return wp_err_where(o->e, "'%s'", m->name);
	}
	return 0;
}

static int in_file(wheel_opening *o, const char *file)
{
	return wp_err_where(o->e, "'%s/%s'", o->w->dist_info, file);
}

/* ---- WHEEL -------------------------------------------------------------------------------- */

static bool has_tag(const wp_map *m, const char *tag)
{
	uint32_t ignored;

	return wp_map_get(m, wp_str_of(tag), &ignored);
}

static bool all_there(const wp_map *m, const char *const *tags, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!has_tag(m, tags[i]))
			return false;
	return true;
}

static wp_map set_of(const char *const *v, size_t n)
{
	wp_map m;
	size_t i;

	wp_map_init(&m);
	for (i = 0; i < n; i++)
		wp_map_put(&m, wp_str_of(v[i]), 0);
	return m;
}

static void compare_tags(wheel_opening *o)
{
	const wp_wheel_info *info = &o->w->info;
	const char *const *named = NULL;
	size_t n = wp_wheel_tags(o->scratch, &o->w->name, &named);
	wp_map file = set_of(named, n), inside = set_of(info->tags, info->ntags);

	if (info->ntags == 0)
		wheel_noted(o, NOTE_WHEEL, "it has no Tag");
	else if (!all_there(&file, info->tags, info->ntags) || !all_there(&inside, named, n))
		wheel_noted(o, NOTE_WHEEL, "its tags are not those of the file name, which counts");
	wp_map_free(&file);
	wp_map_free(&inside);
}

static int read_wheel(wheel_opening *o)
{
	wp_wheel_info *info = &o->w->info;
	wp_str text;
	size_t i;

	if (read_text(o, "WHEEL", WP_E_WHEEL, &text))
		return o->e->code;
	if (wp_wheel_info_parse(o->a, text, info, o->e))
		return in_file(o, "WHEEL");
	if (info->minor > 0)
		wheel_noted(o, NOTE_WHEEL, "Wheel-Version %s is newer than 1.0", info->wheel_version);
	if (!info->has_root)
		wheel_noted(o, NOTE_WHEEL, "Root-Is-Purelib is missing");
	compare_tags(o);
	for (i = 0; i < o->w->n; i++)
		if (o->w->members[i].path == o->w->members[i].name)
			o->w->members[i].scheme = info->root_is_purelib ? WP_PURELIB : WP_PLATLIB;
	return 0;
}

/* ---- METADATA ----------------------------------------------------------------------------- */

static int check_identity(wheel_opening *o)
{
	const wp_metadata *md = &o->w->metadata;
	const wp_wheel_name *name = &o->w->name;
	wp_version v;

	if (!wp_streq(wp_name_normalize(o->scratch, wp_str_of(md->name)), name->project))
		return wp_fail(o->e, WP_E_METADATA, "Name is %s, the file name says %s", md->name, name->name);
	if (!wp_version_parse(o->scratch, wp_str_of(md->version), &v))
		return wp_fail(o->e, WP_E_METADATA, "Version '%s' is no version", md->version);
	if (wp_version_cmp(&v, &name->version) != 0)
		return wp_fail(o->e, WP_E_METADATA, "Version is %s, the file name says %s", md->version,
			name->version.text);
	return 0;
}

static void check_metadata_version(wheel_opening *o)
{
	const char *text = o->w->metadata.metadata_version;
	wp_str rest = wp_str_of(text), major, minor;
	uint64_t x, y;

	if (!text)
		wheel_noted(o, NOTE_METADATA, "Metadata-Version is missing");
	else if (!wp_str_split(&rest, '.', &major) || !wp_str_split(&rest, '.', &minor) || !wp_str_u64(major, &x) ||
		!wp_str_u64(minor, &y) || x > KNOWN_METADATA_MAJOR ||
		(x == KNOWN_METADATA_MAJOR && y > KNOWN_METADATA_MINOR))
		wheel_noted(o, NOTE_METADATA, "Metadata-Version %s is not known", text);
}

/* What stands below an extra matters only to who asks for it. */
static bool below_extra(const char *text)
{
	const char *marker = strchr(text, ';');

	return marker && strstr(marker, "extra");
}

static int check_requirements(wheel_opening *o)
{
	const wp_metadata *md = &o->w->metadata;
	size_t i;

	for (i = 0; i < md->nrequires_dist; i++) {
		wp_error fault = {0};
		wp_requirement r;

		if (!wp_requirement_parse_lenient(o->scratch, wp_str_of(md->requires_dist[i]), &r, NULL, &fault))
			continue;
		if (!below_extra(md->requires_dist[i]))
			return wp_fail(o->e, WP_E_METADATA, "Requires-Dist '%s' cannot be read: %s",
				md->requires_dist[i], fault.why);
		wheel_noted(o, NOTE_METADATA, "Requires-Dist '%s' cannot be read", md->requires_dist[i]);
	}
	return 0;
}

static void check_requires_python(wheel_opening *o)
{
	const char *text = o->w->metadata.requires_python;
	wp_str s = wp_str_trim(wp_str_of(text));
	wp_specifiers ignored;

	if (wp_str_ends(s, ","))
		s.n--;
	if (text && !wp_specifiers_parse(o->scratch, s, &ignored))
		wheel_noted(o, NOTE_METADATA, "Requires-Python '%s' is not in the standard's form", text);
}

static int read_metadata(wheel_opening *o)
{
	wp_wheel *w = o->w;

	if (read_text(o, "METADATA", WP_E_METADATA, &w->metadata_text))
		return o->e->code;
	if (wp_metadata_parse(o->a, w->metadata_text, &w->metadata, o->e) || check_identity(o) ||
		check_requirements(o))
		return in_file(o, "METADATA");
	check_metadata_version(o);
	check_requires_python(o);
	return 0;
}

/* ---- entry points ------------------------------------------------------------------------- */

static int check_windows_name(wheel_opening *o, wp_map *names, const wp_entry_point *ep)
{
	const char *tidy, *why = "";

	if (wp_member_path(o->scratch, ep->name, true, &tidy, &why) == WP_PATH_REFUSE)
		return wp_fail(o->e, WP_E_WHEEL, "entry point '%s': %s", ep->name, why);
	if (!wp_map_put(names, wp_str_of(wp_name_fold(o->scratch, wp_str_of(ep->name))), 0))
		return wp_fail(o->e, WP_E_WHEEL, "two entry points are both '%s' on Windows", ep->name);
	return 0;
}

/* The parser takes every byte beyond ASCII for a letter. */
static int check_letters(wheel_opening *o, const wp_entry_point *ep)
{
	const char *const texts[] = {ep->name, ep->module, ep->attr};
	size_t i;

	for (i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!wp_letters(wp_str_of(texts[i])))
			return wp_fail(o->e, WP_E_WHEEL, "'%s' of an entry point has other characters than letters, digits, "
				"dashes, dots and underscores", texts[i]);
	return 0;
}

static int check_names(wheel_opening *o)
{
	const wp_entry_points *eps = &o->w->entry_points;
	wp_map names;
	size_t i;
	int rc = 0;

	wp_map_init(&names);
	for (i = 0; rc == 0 && i < eps->n; i++) {
		if (check_letters(o, &eps->v[i]))
			rc = o->e->code;
		else if (wheel_script_is_reserved(eps->v[i].name))
			rc = wp_fail(o->e, WP_E_WHEEL, "entry point '%s' would replace a part of the venv itself",
				eps->v[i].name);
		else if (o->windows)
			rc = check_windows_name(o, &names, &eps->v[i]);
	}
	wp_map_free(&names);
	return rc;
}

static wp_str script_key(const wheel_opening *o, const char *name)
{
	return o->windows ? wp_str_of(wp_name_fold(o->scratch, wp_str_of(name))) : wp_str_of(name);
}

static void find_shadowed(wheel_opening *o)
{
	static const char *const endings[] = {"", ".exe", "-script.py", "-script.pyw"};
	const wp_wheel *w = o->w;
	wp_map scripts;
	size_t i, k;
	uint32_t at;

	wp_map_init(&scripts);
	for (i = 0; i < w->n; i++)
		if (w->members[i].scheme == WP_SCRIPTS)
			wp_map_put(&scripts, script_key(o, w->members[i].path), (uint32_t)i);
	for (i = 0; scripts.n && i < w->entry_points.n; i++)
		for (k = 0; k < sizeof endings / sizeof *endings; k++) {
			const char *name = wp_sprintf(o->scratch, "%s%s", w->entry_points.v[i].name, endings[k]);

			if (!wp_map_get(&scripts, script_key(o, name), &at))
				continue;
			w->members[at].shadowed = true;
			wheel_noted(o, NOTE_SHADOWED, "'%s'", w->members[at].name);
		}
	wp_map_free(&scripts);
}

static int read_entry_points(wheel_opening *o)
{
	wp_wheel *w = o->w;
	wp_str text;
	size_t i;

	if (!wheel_info_member(w, "entry_points.txt"))
		return 0;
	if (read_text(o, "entry_points.txt", WP_E_WHEEL, &text))
		return o->e->code;
	if (wp_entry_points_parse(o->a, text, &w->entry_points, o->e) || check_names(o))
		return in_file(o, "entry_points.txt");
	for (i = 0; i < w->entry_points.nwarnings; i++)
		wheel_noted(o, NOTE_ENTRY, "%s", w->entry_points.warnings[i]);
	find_shadowed(o);
	return 0;
}

int wheel_texts(wheel_opening *o)
{
	static const char *const ours[] = {"INSTALLER", "REQUESTED", "direct_url.json"};
	size_t i;

	if (read_wheel(o) || read_metadata(o) || read_entry_points(o))
		return o->e->code;
	for (i = 0; i < sizeof ours / sizeof *ours; i++)
		if (wheel_info_member(o->w, ours[i]))
			wheel_noted(o, NOTE_INSTALLER, "'%s/%s'", o->w->dist_info, ours[i]);
	return 0;
}

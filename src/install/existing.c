/* SPDX-License-Identifier: MIT
 *
 * existing.c: what an existing venv has already: distributions that may stay, files that are in
 * the way. Nothing is changed here.
 */
#include "ext/hash.h"
#include "install/notes.h"
#include "os/os.h"
#include "py/name.h"

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
	if (i >= dir.n) {
		*name = dir;
		return true;
	}
	*name = wp_str_sub(dir, 0, i);
	*version = wp_str_sub(dir, i + 1, dir.n);
	*version = wp_str_sub(*version, 0, wp_str_find(*version, '-'));
	return true;
}

static bool same_version(wp_arena *a, wp_str x, const char *y)
{
	wp_version v, w;

	return wp_version_parse_folder(a, x, &v) && wp_version_parse(a, wp_str_of(y), &w) &&
	       wp_version_cmp(&v, &w) == 0;
}

static int keep(wp_plan *p, wp_in_wheel *w, const char *dir, wp_str version, wp_error *e)
{
	const char *record = wp_sprintf(p->a, "%s/%s/%s/RECORD", p->venv, p->python.venv_site, dir);

	if (wp_ends(dir, ".dist-info") && same_version(p->a, version, w->lock->version)) {
		if (!os_is_file(record)) /* left by a stopped commit, which moves RECORD last */
			return 0;
		w->kept = true;
		return 0;
	}
	wp_fail(e, WP_E_COLLISION, "%s %s is to be installed, the venv has it as '%s'",
		w->lock->project, w->lock->version, dir);
	return wp_err_next(e, "install into a new venv: wheelpack does not replace a distribution "
			      "in an existing one");
}

static int keep_if_wanted(wp_plan *p, const char *dir, wp_error *e)
{
	const char *project;
	wp_str name, version;
	size_t i;

	if (!split_name(wp_str_of(dir), &name, &version))
		return 0;
	project = wp_name_normalize(p->a, name);
	for (i = 0; i < p->nwheels; i++)
		if (strcmp(p->wheels[i].lock->project, project) == 0)
			return keep(p, &p->wheels[i], dir, version, e);
	return 0;
}

static int site_names(const wp_plan *p, const char ***names, size_t *n, wp_error *e)
{
	const char *site = os_join(p->a, p->venv, p->python.venv_site);

	*n = 0;
	return os_is_dir(site) ? os_list(p->a, site, names, n, e) : 0;
}

static void tell_kept(const wp_plan *p)
{
	const char *list = "";
	size_t i;

	for (i = 0; i < p->nwheels; i++)
		if (p->wheels[i].kept)
			list = wp_sprintf(p->a, "%s%s%s %s", list, *list ? ", " : "",
				p->wheels[i].lock->project, p->wheels[i].lock->version);
	if (*list)
		wp_plan_note(p, WP_INSTALL_KEPT, list);
}

int wp_existing_kept(wp_plan *p, wp_error *e)
{
	const char **names;
	size_t i, n;

	if (site_names(p, &names, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (keep_if_wanted(p, names[i], e))
			return e->code;
	tell_kept(p);
	return 0;
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool lists(wp_arena *a, const char *record, const char *row)
{
	wp_error ignored = {0};
	wp_str text;

	if (os_read_file(a, record, WP_MAX_RECORD, &text, &ignored))
		return false;
	row = wp_sprintf(a, "%s,", row);
	if (wp_str_starts(text, row))
		return true;
	return wp_str_find_str(text, wp_str_of(wp_sprintf(a, "\n%s", row))) < text.n;
}

/* The dist-info whose RECORD lists the file, for the message. */
static const char *owner(const wp_plan *p, const char *path)
{
	const char *site = p->python.venv_site, *row = wp_record_path(p, path), *found = NULL;
	wp_arena *a = wp_arena_new();
	wp_error ignored = {0};
	const char **names;
	size_t i, n;

	if (site_names(p, &names, &n, &ignored))
		n = 0;
	for (i = 0; i < n && !found; i++)
		if (wp_ends(names[i], ".dist-info") &&
			lists(a, wp_sprintf(a, "%s/%s/%s/RECORD", p->venv, site, names[i]), row))
			found = names[i];
	wp_arena_free(a);
	return found;
}

/* The bytes that would be written are there already: what a stopped commit leaves, or a file that two
 * distributions share. */
static bool has_our_bytes(wp_out_file *f, const char *path, uint64_t size)
{
	wp_error ignored = {0};
	char hex[WP_SHA256_HEX + 1], want[WP_SHA256_HEX + 1];
	wp_blob blob;
	bool same = false;

	if (f->script || size != f->size || (f->member && f->member->row->kind != WP_RECORD_SHA256))
		return false;
	if (f->member)
		wp_hex(f->member->row->digest, 32, want);
	else
		wp_sha256_hex(f->text, want);
	if (os_blob(path, &blob, &ignored))
		return false;
	same = !wp_sha256_blob(&blob, hex, &ignored) && strcmp(hex, want) == 0;
	blob.close(blob.self);
	if (same)
		wp_unhex(wp_str_of(hex), f->sha256, sizeof f->sha256);
	return same;
}

static int in_the_way(const wp_plan *p, const wp_out_file *f, wp_error *e)
{
	const char *by = owner(p, f->path);

	if (by)
		wp_fail(e, WP_E_COLLISION, "'%s' is in the venv already, with other contents; it "
			"belongs to '%s'", f->path, by);
	else
		wp_fail(e, WP_E_COLLISION, "'%s' is in the venv already, with other contents; no "
			"distribution there lists it", f->path);
	return wp_err_where(e, "'%s'", p->wheels[f->wheel].lock->filename);
}

static int check_file(wp_plan *p, wp_out_file *f, wp_error *e)
{
	const char *path = os_join(p->a, p->venv, f->path);
	os_kind kind;
	uint64_t size;

	if (os_stat(path, &kind, &size, e))
		return e->code;
	if (kind == OS_ABSENT)
		return 0;
	if (kind != OS_FILE || !has_our_bytes(f, path, size))
		return in_the_way(p, f, e);
	f->written = false;
	p->bytes -= f->size;
	p->wheels[f->wheel].left -= f->size;
	if (!p->wheels[f->wheel].overlaps)
		wp_plan_note(p, WP_INSTALL_THERE_ALREADY,
			wp_sprintf(p->a, "'%s' of %s", f->path, p->wheels[f->wheel].lock->filename));
	p->wheels[f->wheel].overlaps = true;
	return 0;
}

static int check_dir(const wp_plan *p, const char *dir, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	if (os_stat(os_join(p->a, p->venv, dir), &kind, &size, e))
		return e->code;
	if (kind == OS_LINK)
		return wp_fail(e, WP_E_VENV, "'%s' in the venv is a link: files are not written through "
			"links", dir);
	if (kind != OS_ABSENT && kind != OS_DIR)
		return wp_fail(e, WP_E_COLLISION, "'%s' in the venv is a file, a directory is wanted", dir);
	return 0;
}

/* All that is in the way, of each wheel the first file. */
int wp_existing_check(wp_plan *p, wp_error *e)
{
	bool *told = WP_NEW_ARRAY(p->a, p->nwheels, bool);
	wp_error f = {0};
	size_t i;

	for (i = 0; i < p->dirs.n; i++) {
		check_dir(p, p->dirs.v[i], &f);
		if (wp_plan_refuse(p, SIZE_MAX, &f, e))
			return e->code;
	}
	for (i = 0; i < p->files.n; i++) {
		wp_out_file *file = &p->files.v[i];

		if (!file->written || told[file->wheel])
			continue;
		told[file->wheel] = check_file(p, file, &f) != 0;
		if (wp_plan_refuse(p, file->wheel, &f, e))
			return e->code;
	}
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * files.c: where each member of each wheel goes. Every path below the venv is written once; two
 * wheels that bring one path must bring the same bytes. On Windows names that differ in case are one.
 */
#include "base/err.h"
#include "ext/unicode.h"
#include "install/notes.h"
#include "os/os.h"
#include "py/direct_url.h"

typedef struct layout {
	wp_plan *p;
	wp_map paths; /* path -> index of the file that was first */
	wp_map dirs;
	wp_str last_dir; /* of dirs; a view of a file's path */
	wp_map pairs; /* wheels whose shared files were noted */
	WP_VEC(const char *) lengthy; /* paths of more than MAX_PATH, where that is one too many */
	wp_map refused; /* wheels, and pairs of them, that were refused for their paths: once is enough */
	const char *headers;
	bool any_length; /* programs can open paths of any length */
} layout;

/* Equal for names that the venv's file system takes for one. */
static wp_str key(const wp_plan *p, wp_str path)
{
	return p->windows ? wp_str_of(wp_name_fold(p->a, path)) : path;
}

const char *wp_under(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* Once for each key. */
static void refuse(layout *l, size_t wheel, const char *key, wp_error *f)
{
	wp_error none = {0}; /* no stop by the user comes from here */

	wp_err_where(f, "'%s'", l->p->wheels[wheel].lock->filename);
	if (wp_map_put(&l->refused, wp_str_of(key), 1))
		wp_plan_refuse(l->p, wheel, f, &none);
}

static bool too_long(layout *l, size_t wheel, const char *path)
{
	wp_error f = {0};

	if (strlen(l->p->venv) + strlen(path) + 2 <= WP_MAX_PATH_BYTES)
		return false;
	wp_fail(&f, WP_E_PATH, "below '%s' a path of it has more than %d bytes", l->p->venv, WP_MAX_PATH_BYTES);
	refuse(l, wheel, wp_sprintf(l->p->a, "long %zu", wheel), &f);
	return true;
}

/* Characters as Windows counts them, in UTF-16. */
static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80 ? 1 + ((unsigned char)*s >= 0xf0) : 0;
	return n;
}

/* It is written all the same: we can, and a setting helps the others. */
static void look_at_length(layout *l, const char *path)
{
	enum { MAX_PATH_HERE = 259 };

	if (!l->any_length && strlen(l->p->venv) + strlen(path) > MAX_PATH_HERE - 1 &&
		characters(l->p->venv) + 1 + characters(path) > MAX_PATH_HERE)
		WP_PUSH(&l->lengthy, path);
}

static void tell_lengthy(const layout *l)
{
	wp_arena *a = l->p->ctx->arena;
	wp_finding *f;

	if (!l->lengthy.n)
		return;
	f = wp_plan_note(l->p, WP_INSTALL_LONG_PATHS, wp_sprintf(a, "%zu of them have 260 characters or more, and this PC has "
		"LongPathsEnabled off: Python cannot open these", l->lengthy.n));
	f->next = "take a shorter --venv, or let an admin turn long paths on";
	wp_finding_files(f, a, l->lengthy.v, l->lengthy.n);
}

/* ---- one path once -------------------------------------------------------------------------- */

static bool same_bytes(const wp_out_file *x, const wp_out_file *y)
{
	const wp_record_row *rx, *ry;

	if (!x->member || !y->member)
		return !x->member && !y->member && wp_str_eq(x->text, y->text);
	rx = x->member->row;
	ry = y->member->row;
	return x->script == y->script && rx->kind == WP_RECORD_SHA256 && ry->kind == rx->kind &&
	       memcmp(rx->digest, ry->digest, 32) == 0;
}

static void refuse_pair(layout *l, const wp_out_file *old, const wp_out_file *f)
{
	wp_plan *p = l->p;
	const char *a = p->wheels[old->wheel].lock->filename, *b = p->wheels[f->wheel].lock->filename;
	wp_error fault = {0};

	if (strcmp(old->path, f->path) != 0)
		wp_fail(&fault, WP_E_COLLISION, "'%s' of %s and '%s' of %s are the same name on Windows", old->path, a,
			f->path, b);
	else
		wp_fail(&fault, WP_E_COLLISION, "%s and %s both bring '%s'%s", a, b, f->path,
			old->wheel == f->wheel ? "" : ", with different contents");
	refuse(l, f->wheel, wp_sprintf(p->a, "pair %u %u", (unsigned)old->wheel, (unsigned)f->wheel), &fault);
}

/* False where the two can't be one file. */
static bool share(layout *l, wp_out_file *f, size_t first)
{
	wp_plan *p = l->p;
	wp_out_file *old = &p->files.v[first];
	const char *a = p->wheels[old->wheel].lock->filename, *b = p->wheels[f->wheel].lock->filename;

	if (strcmp(old->path, f->path) != 0 || old->wheel == f->wheel || !same_bytes(old, f)) {
		refuse_pair(l, old, f);
		return false;
	}
	old->executable |= f->executable;
	f->written = false;
	f->same_as = first;
	if (wp_map_put(&l->pairs, wp_str_of(wp_sprintf(p->a, "%s/%s", a, b)), 1))
		wp_plan_note(p, WP_INSTALL_SHARED_FILE, wp_sprintf(p->a, "'%s' of %s and %s", f->path, a, b));
	return true;
}

static void add_dirs(layout *l, const char *path)
{
	const char *slash = strrchr(path, '/');
	wp_str last = {path, slash ? (size_t)(slash - path) : 0};

	/* Neighbours lie in one directory most of the time. */
	if (wp_str_eq(last, l->last_dir))
		return;
	l->last_dir = last;
	for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		wp_str dir = {path, (size_t)(slash - path)};

		if (wp_map_put(&l->dirs, key(l->p, dir), 1))
			WP_PUSH(&l->p->dirs, wp_str_dup(l->p->a, dir));
	}
}

static void add(layout *l, wp_out_file f)
{
	wp_plan *p = l->p;
	uint32_t first = (uint32_t)p->files.n;

	if (too_long(l, f.wheel, f.path))
		return;
	f.written = true;
	f.same_as = p->files.n;
	f.size = f.member ? f.member->entry->size : f.text.n;
	if (!wp_map_add(&l->paths, key(p, wp_str_of(f.path)), &first)) {
		if (!share(l, &f, first))
			return;
	} else {
		add_dirs(l, f.path);
		look_at_length(l, f.path);
		p->bytes += f.size;
	}
	WP_PUSH(&p->files, f);
}

/* ---- members -------------------------------------------------------------------------------- */

static const char *place(const layout *l, const wp_in_wheel *w, const wp_member *m)
{
	wp_arena *a = l->p->a;

	switch (m->scheme) {
	case WP_SCRIPTS:
		return wp_sprintf(a, "%s/%s", l->p->python.venv_bin, m->path);
	case WP_HEADERS:
		return wp_sprintf(a, "%s/%s/%s", l->headers, w->wheel.name.name, m->path);
	case WP_DATA: /* lib64 of a venv is a link of ours to lib */
		if (!l->p->windows && !l->p->conda && wp_under(m->path, "lib64"))
			return wp_sprintf(a, "lib/%s", wp_under(m->path, "lib64"));
		return m->path;
	default:
		return wp_sprintf(a, "%s/%s", l->p->python.venv_site, m->path);
	}
}

bool wp_is_installers(const wp_wheel *w, const wp_member *m)
{
	static const char *const names[] = {"INSTALLER", "REQUESTED", "direct_url.json", "RECORD",
		"RECORD.jws", "RECORD.p7s"};
	const char *name = wp_under(m->name, w->dist_info);

	return wp_among(names, sizeof names / sizeof *names, name);
}

/* What is left out is held to RECORD all the same. RECORD itself was when the wheel was opened. */
static void leave_out(layout *l, uint32_t i, const wp_member *m)
{
	const wp_wheel *w = &l->p->wheels[i].wheel;
	wp_error f = {0}, none = {0};
	wp_unpacker *u;

	if (wp_streq(wp_under(m->name, w->dist_info), "RECORD"))
		return;
	u = wp_unpacker_new();
	wp_member_read(u, w, m, NULL, NULL, NULL, &f);
	wp_unpacker_free(u);
	wp_plan_refuse(l->p, i, &f, &none);
}

static void add_member(layout *l, uint32_t i, const wp_member *m)
{
	const wp_in_wheel *w = &l->p->wheels[i];
	wp_out_file f = {.wheel = i, .member = m, .executable = m->executable,
		.script = m->scheme == WP_SCRIPTS};
	bool root = m->scheme == WP_PURELIB || m->scheme == WP_PLATLIB;

	if (wp_is_installers(&w->wheel, m) || m->shadowed) {
		leave_out(l, i, m);
		return;
	}
	if (root && !strchr(m->path, '/') && wp_ends(m->path, ".pth"))
		wp_plan_note(l->p, WP_INSTALL_PTH, wp_sprintf(l->p->a, "'%s' of %s", m->path, w->lock->filename));
	f.path = place(l, w, m);
	add(l, f);
}

/* ---- what is generated ---------------------------------------------------------------------- */

static void add_text(layout *l, uint32_t i, const char *path, wp_str text, bool executable)
{
	wp_out_file f = {.wheel = i, .path = path, .text = text, .executable = executable};

	add(l, f);
}

/* NAME, or NAME.exe on Windows. */
static void add_entry_point(layout *l, uint32_t i, const wp_entry_point *ep)
{
	wp_plan *p = l->p;
	const char *name = ep->name;

	if (!p->windows) {
		add_text(l, i, wp_sprintf(p->a, "%s/%s", p->python.venv_bin, name), wp_script_entry(p->a, &p->start, ep),
			true);
		return;
	}
	name = wp_sprintf(p->a, "%s.exe", name);
	if (ep->gui && !p->run_pythonw)
		wp_plan_note(p, WP_INSTALL_NO_PYTHONW, wp_sprintf(p->a, "'%s' of %s", name, p->wheels[i].lock->filename));
	add_text(l, i, wp_sprintf(p->a, "%s/%s", p->python.venv_bin, name),
		wp_script_exe(p->a, &p->in->launchers, &p->start, ep), true);
}

/* direct_url.json is for what was asked for by its address. A path in a bundle is one of the PC that it was made on. */
static bool from_address(const wp_plan *p, const wp_lock_wheel *w)
{
	return wp_starts(w->index, "direct") && w->sha256 && (p->in->loose || !wp_starts(w->url, "file:"));
}

static wp_str direct_url(wp_arena *a, const wp_lock_wheel *w)
{
	wp_direct_hash h = {"sha256", w->sha256};
	wp_direct_url d = {.url = w->url, .kind = WP_DIRECT_ARCHIVE, .has_hashes = true, .hashes = &h, .nhashes = 1};

	return wp_direct_url_write(a, &d);
}

static void add_generated(layout *l, uint32_t i)
{
	const wp_in_wheel *w = &l->p->wheels[i];
	wp_arena *a = l->p->a;
	const char *info = wp_sprintf(a, "%s/%s", l->p->python.venv_site, w->wheel.dist_info);
	size_t k;

	for (k = 0; k < w->wheel.entry_points.n; k++)
		add_entry_point(l, i, &w->wheel.entry_points.v[k]);
	if (w->lock->requested)
		add_text(l, i, os_join(a, info, "REQUESTED"), WP_LIT(""), false);
	if (from_address(l->p, w->lock))
		add_text(l, i, os_join(a, info, "direct_url.json"), direct_url(a, w->lock), false);
	add_text(l, i, os_join(a, info, "INSTALLER"), WP_LIT("wheelpack\n"), false);
}

static void add_wheel(layout *l, uint32_t i)
{
	wp_in_wheel *w = &l->p->wheels[i];
	size_t k;

	w->first = l->p->files.n;
	for (k = 0; k < w->wheel.n; k++)
		add_member(l, i, &w->wheel.members[k]);
	add_generated(l, i);
	w->n = l->p->files.n - w->first;
	for (k = w->first; k < l->p->files.n; k++)
		if (l->p->files.v[k].written)
			w->left += l->p->files.v[k].size;
}

static void check_dirs(layout *l)
{
	const wp_plan *p = l->p;
	uint32_t file;
	size_t i;

	for (i = 0; i < p->dirs.n; i++)
		if (wp_map_get(&l->paths, key(p, wp_str_of(p->dirs.v[i])), &file)) {
			wp_error f = {0};

			wp_fail(&f, WP_E_COLLISION, "'%s' is a file here and a directory in another wheel", p->dirs.v[i]);
			refuse(l, p->files.v[file].wheel, wp_sprintf(p->a, "dir %u", file), &f);
		}
}

/* A venv has a place of its own for them; elsewhere they lie among those of Python. */
static const char *headers(const wp_plan *p)
{
	const char *version = p->python.markers.python_version;

	if (!p->conda)
		return wp_sprintf(p->a, "%s/site/python%s", p->windows ? "Include" : "include", version);
	return p->windows ? "Include" : wp_sprintf(p->a, "include/python%s%s", version,
		wp_ends(p->python.soabi_tag, "t") ? "t" : "");
}

static void fill(layout *l)
{
	wp_plan *p = l->p;
	uint32_t i;

	l->headers = headers(p);
	add_dirs(l, wp_sprintf(p->a, "%s/", p->python.venv_site));
	add_dirs(l, wp_sprintf(p->a, "%s/", p->python.venv_bin));
	for (i = 0; i < p->nwheels; i++)
		if (!p->wheels[i].kept && !p->wheels[i].bad)
			add_wheel(l, i);
	check_dirs(l);
}

int wp_plan_files(wp_plan *p, wp_error *e)
{
	layout l = {.p = p, .any_length = os_long_paths()};
	wp_error f = {0};

	if (wp_starter_make(p->a, p->windows, p->run_python, p->run_pythonw, &p->start, &f))
		return wp_plan_refuse(p, SIZE_MAX, &f, e);
	wp_map_init(&l.paths);
	wp_map_init(&l.dirs);
	wp_map_init(&l.pairs);
	wp_map_init(&l.refused);
	fill(&l);
	tell_lengthy(&l);
	WP_VEC_FREE(&l.lengthy);
	wp_map_free(&l.paths);
	wp_map_free(&l.dirs);
	wp_map_free(&l.pairs);
	wp_map_free(&l.refused);
	return 0;
}

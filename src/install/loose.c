/* SPDX-License-Identifier: MIT
 *
 * loose.c: from wheels that lie there to a lock for one interpreter. Which of a folder's wheels are taken is decided here;
 * whether they can be installed is the plan's work, which tells all that is wrong with them at once.
 */
#include "install/loose.h"

#include "ext/hash.h"
#include "ext/url.h"
#include "py/name.h"

/* ---- what is there -------------------------------------------------------------------------- */

static size_t add_index(wp_loosing *l, const char *kind, const char *dir)
{
	wp_arena *a = l->p.ctx->arena;
	wp_lock_index x = {kind, wp_url_of_path(a, wp_sprintf(a, "%s/", dir))};
	size_t i;

	for (i = 0; i < l->indexes.n; i++)
		if (wp_streq(l->indexes.v[i].id, x.id) && wp_streq(l->indexes.v[i].url, x.url))
			return i;
	WP_PUSH(&l->indexes, x);
	return i;
}

static int add_file(wp_loosing *l, const char *path, size_t index, bool named, wp_error *e)
{
	wp_loose_wheel w = {.path = path, .filename = os_basename(path), .index = index, .named = named, .size = -1};

	if (wp_wheel_name_parse(l->p.ctx->arena, wp_str_of(w.filename), &w.name, e))
		return e->code;
	WP_PUSH(&l->found, w);
	return 0;
}

static int add_named(wp_loosing *l, const char *path, wp_error *e)
{
	const char *full;

	if (!os_is_file(path))
		return wp_fail(e, WP_E_NOT_FOUND, "there is no such file or directory");
	if (wp_ends(path, ".wpk")) {
		wp_fail(e, WP_E_USAGE, "a bundle is installed by itself");
		return wp_err_next(e, "name the bundle alone, and then the wheels");
	}
	if (!wp_ends(path, ".whl")) {
		wp_fail(e, WP_E_USAGE, "it is no wheel");
		return wp_err_next(e, "nothing is built here: build a wheel elsewhere (`pip wheel`), and name that");
	}
	if (os_absolute(l->p.ctx->arena, path, &full, e))
		return e->code;
	return add_file(l, full, add_index(l, "direct", os_dirname(l->p.ctx->arena, full)), true, e);
}

/* A bundle that lost its bundle.json is no folder like any other: its wheels would go in with nobody to vouch for them. */
static int check_folder(wp_arena *a, const char *dir, wp_error *e)
{
	os_kind bundle, lock;
	uint64_t size;

	if (os_stat(os_join(a, dir, "bundle.json"), &bundle, &size, e) ||
		os_stat(os_join(a, dir, "lock.json"), &lock, &size, e))
		return e->code;
	if (bundle != OS_ABSENT) {
		wp_fail(e, WP_E_USAGE, "a bundle is installed by itself");
		return wp_err_next(e, "name the bundle alone, and then the wheels");
	}
	if (lock == OS_ABSENT)
		return 0;
	wp_fail(e, WP_E_BUNDLE, "it has lock.json and no bundle.json: it was a bundle, and nothing vouches for it");
	return wp_err_next(e, "copy the bundle again; or name its folder of wheels, to do without");
}

static int list_wheels(wp_loosing *l, const char *dir, size_t index, wp_error *e)
{
	wp_arena *a = l->p.ctx->arena;
	wp_error bad = {0};
	const char **names;
	size_t i, n;

	if (os_list(a, dir, &names, &n, e))
		return e->code;
	for (i = 0; i < n; i++) {
		const char *path = os_join(a, dir, names[i]);

		if (!wp_ends(names[i], ".whl") || !os_is_file(path) || !add_file(l, path, index, false, &bad))
			continue;
		wp_plan_note(&l->p, WP_INSTALL_NO_WHEEL_NAME, wp_sprintf(a, "'%s': %s", path, bad.why));
		bad = (wp_error){0};
	}
	return 0;
}

static int add_folder(wp_loosing *l, const char *path, wp_error *e)
{
	wp_arena *a = l->p.ctx->arena;
	size_t before = l->found.n, index;
	const char *full, *below;

	if (os_absolute(a, path, &full, e) || check_folder(a, full, e))
		return e->code;
	index = add_index(l, "find-links", full);
	below = os_join(a, full, "wheels");
	if (list_wheels(l, full, index, e) || (os_is_dir(below) && list_wheels(l, below, index, e)))
		return e->code;
	if (l->found.n > before)
		return 0;
	wp_fail(e, WP_E_BUNDLE, "it has no bundle.json and no wheels in it");
	return wp_err_next(e, "name a bundle, a wheel, or a folder that has wheels");
}

static int gather(wp_loosing *l, const wp_loose_request *in, wp_error *e)
{
	size_t i;

	for (i = 0; i < in->n; i++) {
		wp_error f = {0};

		if (os_is_dir(in->paths[i]) ? add_folder(l, in->paths[i], &f) : add_named(l, in->paths[i], &f))
			wp_err_where(&f, "'%s'", in->paths[i]);
		if (wp_plan_refuse(&l->p, SIZE_MAX, &f, e))
			return e->code;
	}
	return wp_plan_conclude(&l->p, e);
}

/* ---- one of each project -------------------------------------------------------------------- */

static int newer_first(const wp_wheel_name *x, const wp_wheel_name *y)
{
	bool px = wp_version_prerelease(&x->version), py = wp_version_prerelease(&y->version);

	return px != py ? (px ? 1 : -1) : wp_version_cmp(&y->version, &x->version);
}

/* "2" before "1b" before "1a" before none. */
static int higher_build_first(const wp_wheel_name *x, const wp_wheel_name *y)
{
	if (!x->build || !y->build)
		return (y->build != NULL) - (x->build != NULL);
	if (x->build_n != y->build_n)
		return x->build_n > y->build_n ? -1 : 1;
	return strcmp(y->build, x->build);
}

/* Of one project. */
static int more_wanted_first(const wp_loose_wheel *x, const wp_loose_wheel *y)
{
	int c;

	if (x->named != y->named)
		return x->named ? -1 : 1;
	if ((c = newer_first(&x->name, &y->name)) != 0)
		return c;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if ((c = higher_build_first(&x->name, &y->name)) != 0)
		return c;
	return strcmp(x->path, y->path);
}

static int by_project(const void *x, const void *y)
{
	const wp_loose_wheel *a = x, *b = y;
	int c = strcmp(a->name.project, b->name.project);

	return c ? c : more_wanted_first(a, b);
}

static void read_wheel(wp_loosing *l, wp_loose_wheel *w)
{
	wp_arena *a = l->p.ctx->arena;
	wp_error ignored = {0};
	wp_blob blob;
	wp_str text;

	if (w->read)
		return;
	w->read = true;
	if (os_blob(w->path, &blob, &ignored))
		return;
	w->size = (int64_t)blob.size;
	if (wp_wheel_metadata(a, w->filename, &blob, &text, &ignored) ||
		wp_metadata_parse(a, text, &w->metadata, &ignored))
		w->metadata = (wp_metadata){0};
	blob.close(blob.self);
}

/* Why the wheel can't go to this interpreter; NULL where it can. */
static const char *unfit(wp_loosing *l, wp_loose_wheel *w)
{
	const char *python;

	if (w->rank == SIZE_MAX)
		return "its tags don't fit";
	read_wheel(l, w);
	python = w->metadata.requires_python;
	if (wp_requires_python_met(l->p.ctx->arena, python, l->p.python.version))
		return NULL;
	return wp_sprintf(l->p.ctx->arena, "requires Python %s", python);
}

static void tell_passed(wp_loosing *l, const wp_loose_wheel *v, size_t n, const wp_loose_wheel *taken, const char *why)
{
	wp_arena *a = l->p.ctx->arena;
	const char **files = WP_NEW_ARRAY(a, n + 1, const char *);
	wp_finding *f;
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (&v[i] != taken && (!taken || !wp_streq(v[i].path, taken->path)))
			files[k++] = v[i].filename;
	if (!k)
		return;
	if (taken)
		why = wp_sprintf(a, "'%s' is taken%s%s", taken->filename, *why ? "; " : "", why);
	f = wp_plan_note(&l->p, taken ? WP_INSTALL_PASSED_OVER : WP_INSTALL_NONE_FITS, why);
	f->files = files;
	f->nfiles = k;
}

/* The wheels of one project, the most wanted first. A note says why one that is more wanted was not taken. */
static void choose_one(wp_loosing *l, wp_loose_wheel *v, size_t n)
{
	wp_arena *a = l->p.ctx->arena;
	const char *why = "", *fault;
	size_t i;

	for (i = 0; i < n; i++) {
		fault = v[i].named ? NULL : unfit(l, &v[i]);
		if (!fault)
			break;
		why = wp_sprintf(a, "%s%s%s: %s", why, *why ? "; " : "", v[i].filename, fault);
	}
	tell_passed(l, v, n, i < n ? &v[i] : NULL, why);
	if (i == n)
		return;
	read_wheel(l, &v[i]);
	WP_PUSH(&l->chosen, v[i]);
}

/* One project, two wheels of it by name. */
static void refuse_second(wp_loosing *l, const wp_loose_wheel *v, size_t n)
{
	wp_error f = {0}, stop = {0};
	size_t i;

	for (i = 1; i < n; i++)
		if (v[i - 1].named && v[i].named && !wp_streq(v[i - 1].path, v[i].path)) {
			wp_fail(&f, WP_E_REQUIREMENT, "'%s' and '%s' are both named, and a venv has one version of %s",
				v[i - 1].path, v[i].path, v[i].name.project);
			wp_err_next(&f, "name one of them");
			wp_plan_refuse(&l->p, SIZE_MAX, &f, &stop);
			return;
		}
}

static int choose(wp_loosing *l, wp_error *e)
{
	wp_loose_wheel *v = l->found.v;
	size_t i, k;

	if (!l->found.n)
		return wp_fail(e, WP_E_USAGE, "no wheel is named");
	for (i = 0; i < l->found.n; i++)
		v[i].rank = wp_wheel_rank(&v[i].name, &l->p.real);
	qsort(v, l->found.n, sizeof *v, by_project);
	for (i = 0; i < l->found.n; i = k) {
		for (k = i + 1; k < l->found.n && wp_streq(v[i].name.project, v[k].name.project); k++)
			;
		choose_one(l, v + i, k - i);
		refuse_second(l, v + i, k - i);
		if (wp_check_cancel(l->p.ctx, e))
			return e->code;
	}
	if (!l->chosen.n) {
		wp_fail(e, WP_E_WRONG_TARGET, "none of the wheels fits '%s', which is %s on %s", l->p.python.path,
			l->p.python.soabi_tag, l->p.real.platform);
		return wp_err_next(e, "%s", wp_other_wheel(&l->p));
	}
	return wp_plan_conclude(&l->p, e);
}

/* ---- digests, and what RECORD is wrong about ------------------------------------------------ */

/* The wheels whose RECORD may be wrong. A project that none of them is of was meant for something. */
static int allow(wp_loosing *l, const wp_loose_request *in, wp_error *e)
{
	wp_arena *a = l->p.ctx->arena;
	size_t i, k;

	for (i = 0; i < in->nallow_wrong_record; i++) {
		const char *project = wp_name_normalize(a, wp_str_of(in->allow_wrong_record[i]));

		for (k = 0; k < l->chosen.n && !wp_streq(l->chosen.v[k].name.project, project); k++)
			;
		if (k == l->chosen.n)
			return wp_fail(e, WP_E_USAGE, "--allow-wrong-record names '%s', and no wheel of it is to be installed",
				in->allow_wrong_record[i]);
		l->chosen.v[k].excepting = true;
	}
	return 0;
}

/* A wheel that can't be opened the plan refuses. */
static int find_exceptions(wp_loosing *l, wp_loose_wheel *w, const wp_blob *blob, wp_arena *a, wp_error *e)
{
	wp_error f = {0};
	wp_wheel wheel;

	if (!w->excepting)
		return 0;
	if (!wp_wheel_open_excepting(l->p.ctx, a, w->filename, blob, wp_names_of(l->p.real.platform), &wheel, NULL, &f))
		w->exceptions = wheel.exceptions;
	else if (f.code == WP_E_INTERRUPTED)
		*e = f;
	return e->code;
}

static int hash_one(void *user, size_t i, wp_arena *a, wp_error *e)
{
	wp_loosing *l = user;
	wp_loose_wheel *w = &l->chosen.v[i];
	wp_blob blob;

	if (!w->named && !w->excepting)
		return 0;
	if (!os_blob(w->path, &blob, e)) {
		if (!wp_sha256_blob(&blob, w->sha256, e))
			find_exceptions(l, w, &blob, a, e);
		blob.close(blob.self);
	}
	return e->code ? wp_err_where(e, "'%s'", w->path) : 0;
}

static void keep_exceptions(wp_loosing *l)
{
	wp_arena *a = l->p.ctx->arena;
	size_t i;

	for (i = 0; i < l->chosen.n; i++) {
		wp_loose_wheel *w = &l->chosen.v[i];

		w->exceptions = wp_exceptions_copy(a, &w->exceptions);
		if (w->excepting && !w->exceptions.n)
			wp_plan_note(&l->p, WP_INSTALL_RIGHT, wp_sprintf(a, "'%s': its RECORD is right", w->filename));
	}
}

/* For direct_url.json of those that were named, and where the whole stands for its RECORD. For a folder's nobody asks:
 * each member is held to RECORD. */
static int read_whole(wp_loosing *l, wp_error *e)
{
	wp_par par = {0};

	if (!wp_par_for(l->p.ctx, l->chosen.n, hash_one, NULL, l, true, &par, e))
		keep_exceptions(l);
	wp_par_done(&par);
	return e->code;
}

/* ---- the source ----------------------------------------------------------------------------- */

typedef struct source {
	const char **paths;
	size_t n;
} source;

static int open_path(void *self, const char *filename, const char *sha256, wp_blob *out, wp_error *e)
{
	const source *s = self;
	size_t i;

	(void)sha256;
	for (i = 0; i < s->n; i++)
		if (strcmp(os_basename(s->paths[i]), filename) == 0)
			return os_blob(s->paths[i], out, e);
	return wp_fail(e, WP_E_NOT_FOUND, "there is no such wheel");
}

static wp_wheels source_make(const wp_loosing *l)
{
	wp_arena *a = l->p.ctx->arena;
	source *s = WP_NEW(a, source);

	s->paths = WP_NEW_ARRAY(a, l->chosen.n, const char *);
	for (s->n = 0; s->n < l->chosen.n; s->n++)
		s->paths[s->n] = l->chosen.v[s->n].path;
	return (wp_wheels){s, open_path};
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int find_target(wp_loosing *l, wp_loose *out, wp_error *e)
{
	wp_plan *p = &l->p;

	if (wp_plan_place_free(p, e) || wp_fit_python(p, e)) {
		if (e->code == WP_E_VENV)
			wp_err_where(e, "'%s'", p->in->venv);
		return e->code;
	}
	out->seen = p->is_new ? "" : wp_venv_seen(p->ctx->arena, p->venv);
	if (!p->python.platform_tag[0])
		return wp_fail(e, WP_E_WRONG_TARGET, "'%s' is %s on an unknown platform", p->python.path,
			p->python.soabi_tag);
	return wp_target_make(p->ctx->arena, p->python.soabi_tag, p->python.platform_tag, NULL, &p->real, e);
}

static void loosing_done(wp_loosing *l)
{
	size_t i;

	for (i = 0; i < l->chosen.n; i++)
		WP_VEC_FREE(&l->chosen.v[i].requires);
	WP_VEC_FREE(&l->indexes);
	WP_VEC_FREE(&l->found);
	WP_VEC_FREE(&l->chosen);
	wp_plan_done(&l->p);
}

int wp_loose_make(wp_ctx *ctx, const wp_loose_request *in, wp_loose *out, wp_error *e)
{
	wp_install_request r = {.venv = in->venv, .python = in->python, .search_path = in->search_path, .home = in->home,
		.allow_conda = in->allow_conda,
		.wait = in->wait, .with_pip = in->with_pip};
	wp_loosing l = {.p = {.ctx = ctx, .in = &r, .a = wp_arena_new(), .findings = &out->findings}};

	*out = (wp_loose){0};
	if (!gather(&l, in, e) && !find_target(&l, out, e) && !choose(&l, e) && !allow(&l, in, e) && !read_whole(&l, e) &&
		!wp_loose_needs(&l, e)) {
		out->python = l.p.python;
		out->wheels = source_make(&l);
		wp_loose_lock(&l, out);
	}
	loosing_done(&l);
	return e->code;
}

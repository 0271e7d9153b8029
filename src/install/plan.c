/* SPDX-License-Identifier: MIT
 *
 * plan.c: everything that is decided before the first byte is written.
 */
#include <inttypes.h>

#include "ext/hash.h"
#include "install/notes.h"
#include "os/os.h"

/* ---- the place ----------------------------------------------------------------------------- */

/* pyvenv.cfg and first lines of scripts hold the path: one line, no control characters. PATH holds it in an
 * activated venv. */
static int check_text(const char *path, wp_error *e)
{
	const char *p;

	if (strlen(path) > WP_MAX_PATH_BYTES / 2)
		return wp_fail(e, WP_E_VENV, "its path is longer than %d bytes", WP_MAX_PATH_BYTES / 2);
	for (p = path; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return wp_fail(e, WP_E_VENV, "its path has a control character");
	if (!wp_utf8_valid(wp_str_of(path)))
		return wp_fail(e, WP_E_VENV, "its path is not UTF-8");
	p = os_is_windows() ? strchr(path, ';') : strchr(path, ':');
	if (p)
		return wp_fail(e, WP_E_VENV, "its path has a '%c', which separates the directories in PATH", *p);
	return 0;
}

static int look_into(wp_plan *p, wp_error *e)
{
	const char **names;
	size_t n;

	if (os_list(p->a, p->venv, &names, &n, e))
		return e->code;
	p->is_new = n == 0;
	if (p->is_new || os_is_file(os_join(p->a, p->venv, "pyvenv.cfg")))
		return 0;
	p->conda = p->in->allow_conda && wp_prefix_look(p->a, p->venv).kind == WP_PREFIX_CONDA;
	return p->conda ? 0 : wp_prefix_refuse(p->a, p->venv, e);
}

static bool has_detour(const char *path)
{
	wp_str rest = wp_str_of(path), part;

	while (wp_str_split(&rest, '/', &part))
		if (wp_str_is(part, ".."))
			return true;
	return false;
}

/* Scripts hold the path of the venv: with "a/../env" they would end with the directory a. */
static int without_detour(wp_plan *p, wp_error *e)
{
	const char *there = p->venv, *rest = "";

	if (!has_detour(p->venv))
		return 0;
	while (!os_is_dir(there)) {
		rest = wp_sprintf(p->a, "/%s%s", os_basename(there), rest);
		there = os_dirname(p->a, there);
	}
	if (os_realpath(p->a, there, &there, e))
		return e->code;
	p->venv = wp_sprintf(p->a, "%s%s", wp_streq(there, "/") ? "" : there, rest);
	return 0;
}

int wp_plan_place(wp_plan *p, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	if (p->in->beside && p->in->allow_conda)
		return wp_fail(e, WP_E_USAGE, "what is built beside takes the place of a venv, not of a conda environment");
	if (p->in->beside && p->in->loose)
		return wp_fail(e, WP_E_USAGE, "what is built beside a venv comes from a bundle, which has all of it");
	if (os_absolute(p->a, p->in->venv, &p->venv, e) || os_stat(p->venv, &kind, &size, e))
		return e->code;
	if (kind == OS_LINK) {
		if (!os_is_dir(p->venv))
			return wp_fail(e, WP_E_VENV, "it is a link that leads to no directory");
		if (os_realpath(p->a, p->venv, &p->venv, e))
			return e->code;
		kind = OS_DIR;
	}
	if (without_detour(p, e) || check_text(p->venv, e))
		return e->code;
	if (kind == OS_ABSENT)
		p->is_new = true;
	else if (kind != OS_DIR)
		return wp_fail(e, WP_E_VENV, "it is not a directory");
	else if (look_into(p, e))
		return e->code;
	wp_beside_begin(p);
	return 0;
}

int wp_plan_place_free(wp_plan *p, wp_error *e)
{
	if (wp_plan_place(p, e) || (p->in->wait && wp_stage_wait(p->ctx, p->a, p->venv, e)))
		return e->code;
	return p->in->wait ? wp_plan_place(p, e) : 0;
}

/* A part of the plan of which the first fault counts; true where it had one. */
static bool part(wp_plan *p, int (*make)(wp_plan *p, wp_error *e), wp_error *e)
{
	wp_error f = {0};
	bool failed = make(p, &f) != 0;

	wp_plan_refuse(p, SIZE_MAX, &f, e);
	return failed;
}

/* ---- the wheels ---------------------------------------------------------------------------- */

static int gather(wp_plan *p, const wp_lock_target *target, wp_error *e)
{
	wp_map seen;
	size_t i;

	p->nwheels = target->nwheels;
	p->wheels = WP_NEW_ARRAY(p->a, p->nwheels, wp_in_wheel);
	wp_map_init(&seen);
	for (i = 0; i < p->nwheels && !e->code; i++) {
		const wp_lock_wheel *w = wp_lock_find(p->in->lock, target->wheels[i]);

		if (!w)
			wp_fail(e, WP_E_DOCUMENT, "the lock does not describe '%s'",
				target->wheels[i]);
		else if (!wp_map_put(&seen, wp_str_of(w->project), 1))
			wp_fail(e, WP_E_DOCUMENT, "the lock has two wheels of %s for one target",
				w->project);
		p->wheels[i].lock = w;
	}
	wp_map_free(&seen);
	return e->code;
}

static const wp_bundle_wheel *pin_of(const wp_bundle_doc *m, const char *filename)
{
	size_t i;

	for (i = 0; i < m->nwheels; i++)
		if (strcmp(m->wheels[i].filename, filename) == 0)
			return &m->wheels[i];
	return NULL;
}

/* Without a manifest nothing vouches for RECORD but the digest of the whole wheel. */
static int check_whole(const wp_in_wheel *w, wp_error *e)
{
	char hex[WP_SHA256_HEX + 1];

	if (wp_sha256_blob(&w->blob, hex, e))
		return e->code;
	if (strcmp(hex, w->lock->sha256) == 0)
		return 0;
	return wp_fail(e, WP_E_DIGEST, "its sha256 is %s, the lock promises %s", hex,
		w->lock->sha256);
}

static int check_identity(wp_arena *a, const wp_in_wheel *w, wp_error *e)
{
	wp_version v;

	if (strcmp(w->wheel.name.project, w->lock->project) != 0)
		return wp_fail(e, WP_E_WHEEL, "it is a wheel of %s, the lock says %s",
			w->wheel.name.project, w->lock->project);
	if (!wp_version_parse(a, wp_str_of(w->lock->version), &v) ||
		wp_version_cmp(&v, &w->wheel.name.version) != 0)
		return wp_fail(e, WP_E_WHEEL, "it is version %s, the lock says %s",
			w->wheel.name.version.text, w->lock->version);
	return 0;
}

static int open_wheel(wp_plan *p, wp_in_wheel *w, wp_names names, wp_arena *a, wp_error *e)
{
	const char *name = w->lock->filename;
	wp_record_pin record = {0};
	const wp_bundle_wheel *pin = p->in->manifest ? pin_of(p->in->manifest, name) : NULL;

	if (p->in->manifest && !pin && !wp_streq(name, p->pip))
		return wp_fail(e, WP_E_BUNDLE, "bundle.json does not list it");
	if (p->in->wheels.open(p->in->wheels.self, name, pin ? pin->sha256 : w->lock->sha256,
		    &w->blob, e))
		return e->code;
	if (pin)
		record = (wp_record_pin){pin->record_sha256, pin->exceptions};
	else if (p->in->loose && !wp_streq(name, p->pip)) /* loose.c has read it just now */
		record.exceptions = p->in->loose->exceptions[w->lock - p->in->lock->wheels];
	else if (w->lock->sha256 && check_whole(w, e))
		return e->code;
	return wp_wheel_open(a, name, &w->blob, names, &record, &w->wheel, &w->findings, e);
}

typedef struct ranked {
	size_t wheel;
	uint64_t size;
} ranked;

static int by_size(const void *x, const void *y)
{
	const ranked *a = x, *b = y;

	return a->size != b->size ? (a->size > b->size ? -1 : 1) : a->wheel < b->wheel ? -1 : 1;
}

size_t *wp_largest_first(const wp_plan *p, bool opened)
{
	ranked *v = WP_NEW_ARRAY(p->a, p->nwheels + 1, ranked);
	size_t *out = WP_NEW_ARRAY(p->a, p->nwheels + 1, size_t), i;

	for (i = 0; i < p->nwheels; i++)
		v[i] = (ranked){i, opened ? p->wheels[i].n : p->wheels[i].lock->size > 0 ? (uint64_t)p->wheels[i].lock->size : 0};
	qsort(v, p->nwheels, sizeof *v, by_size);
	for (i = 0; i < p->nwheels; i++)
		out[i] = v[i].wheel;
	return out;
}

typedef struct opening {
	wp_plan *p;
	wp_names names;
	size_t *order;
	wp_error **errors; /* of each wheel */
	wp_error first;
} opening;

static int open_job(void *user, size_t i, wp_arena *a, wp_error *e)
{
	opening *o = user;
	wp_plan *p = o->p;
	wp_in_wheel *w = &p->wheels[o->order[i]];
	int rc = open_wheel(p, w, o->names, a, e);

	if (!rc)
		rc = check_identity(a, w, e);
	if (rc && !strstr(e->where, w->lock->filename))
		wp_err_where(e, "'%s'", w->lock->filename);
	o->errors[o->order[i]] = e;
	return rc;
}

static opening opening_of(wp_plan *p, wp_names names)
{
	return (opening){.p = p, .names = names, .order = wp_largest_first(p, false),
		.errors = WP_NEW_ARRAY(p->a, p->nwheels, wp_error *)};
}

static void open_all(opening *o)
{
	wp_par_for(o->p->ctx, o->p->nwheels, open_job, NULL, o, false, &o->p->opened, &o->first);
}

static void close_all(wp_plan *p)
{
	size_t i;

	for (i = 0; i < p->nwheels; i++)
		if (p->wheels[i].blob.close)
			p->wheels[i].blob.close(p->wheels[i].blob.self);
	wp_par_done(&p->opened);
	p->nwheels = 0;
}

static int judge_opened(const opening *o, wp_error *e)
{
	wp_plan *p = o->p;
	size_t i;

	if (o->first.code == WP_E_INTERRUPTED || o->first.code == WP_E_INTERNAL) {
		*e = o->first;
		return e->code;
	}
	for (i = 0; i < p->nwheels; i++) {
		p->wheels[i].bad = o->errors[i]->code != 0;
		if (!p->wheels[i].bad)
			wp_findings_append(p->findings, p->ctx->arena, &p->wheels[i].findings);
		else if (wp_plan_refuse(p, i, o->errors[i], e))
			return e->code;
	}
	return 0;
}

/* ---- the wheels and the interpreter ---------------------------------------------------------- */

typedef struct asking {
	wp_plan *p;
	wp_error e;
} asking;

static void ask(void *user)
{
	asking *a = user;

	wp_fit_target(a->p, &a->e);
}

/* Of a bundle for one target, and most are, the wheels are known before the interpreter has answered; whose names they may
 * have it says, but seldom other than this system's. */
static const wp_lock_target *only_target(const wp_plan *p)
{
	bool known = p->in->manifest && p->in->lock->ntargets == 1 && !p->in->with_pip && p->ctx->jobs > 1;

	return known ? &p->in->lock->targets[0] : NULL;
}

/* The interpreter starts up while the wheels are being opened. False: they are to be opened still. */
static bool open_meanwhile(opening *o, wp_plan *p, const wp_lock_target *target, wp_error *e)
{
	asking a = {.p = p};
	wp_error ignored = {0};
	os_thread *thread;

	if (gather(p, target, &ignored))
		return false;
	*o = opening_of(p, os_is_windows() ? WP_NAMES_WINDOWS : WP_NAMES_UNIX);
	if (os_thread_start(&thread, ask, &a, &ignored))
		return false;
	open_all(o);
	os_thread_join(thread);
	if (a.e.code)
		*e = a.e;
	else if (p->target == target && wp_names_of(p->real.platform) == o->names)
		return true;
	close_all(p);
	return false;
}

static int open_wheels(wp_plan *p, wp_error *e)
{
	const wp_lock_target *only = only_target(p);
	opening o = {0};
	bool opened = only && open_meanwhile(&o, p, only, e);

	if (e->code || (!p->target && wp_fit_target(p, e)))
		return e->code;
	p->all_users = p->in->all_users || wp_venv_shared(p->a, p->venv);
	p->record = p->in->loose ? &p->in->loose->record : p->in->lock;
	wp_lock_keep(p);
	if (p->in->with_pip)
		part(p, wp_plan_pip, e);
	if (!e->code && !opened && !gather(p, p->target, e)) {
		o = opening_of(p, wp_names_of(p->real.platform));
		open_all(&o);
	}
	return e->code ? (int)e->code : judge_opened(&o, e);
}

static void tell_exceptions(const wp_plan *p)
{
	size_t i;

	for (i = 0; i < p->nwheels; i++) {
		const wp_in_wheel *w = &p->wheels[i];

		if (w->wheel.exceptions.n && !w->bad && !w->kept)
			wp_exceptions_tell(wp_plan_note(p, WP_INSTALL_EXCEPTED, ""), p->ctx->arena, w->lock->filename,
				&w->wheel.exceptions);
	}
}

/* ---- space --------------------------------------------------------------------------------- */

/* In units in which the two differ: what is needed rounded up, what is free rounded down. */
int wp_no_space(uint64_t needed, uint64_t free, wp_error *e)
{
	bool small = needed < 10000000;
	uint64_t unit = small ? 1000 : 1000000;
	const char *name = small ? "kB" : "MB";

	return wp_fail(e, WP_E_DISK_FULL, "%" PRIu64 " %s are needed, %" PRIu64 " %s are free", (needed + unit - 1) / unit,
		name, free / unit, name);
}

static int check_space(wp_plan *p, wp_error *e)
{
	enum { BLOCK = 4096 };
	size_t i;

	for (i = 0; i < p->files.n; i++) {
		uint64_t blocks = (p->files.v[i].size + BLOCK - 1) / BLOCK * BLOCK;

		if (p->files.v[i].written && !wp_store_spares(p, &p->files.v[i]))
			p->space_needed += blocks;
		if (wp_compiles(p, &p->files.v[i])) /* bytecode is about as large */
			p->space_needed += blocks;
	}
	for (i = 0; i < p->dirs.n; i++) {
		if (p->is_new || !os_is_dir(os_join(p->a, p->venv, p->dirs.v[i])))
			p->space_needed += BLOCK;
		if (p->in->bytecode != WP_BYTECODE_NONE)
			p->space_needed += BLOCK; /* its __pycache__ */
	}
	if (wp_store_space(p, e) || os_free_space(p->venv, &p->space_free, e))
		return e->code;
	return p->space_free < p->space_needed ? wp_no_space(p->space_needed, p->space_free, e) : 0;
}

static int may_write(const wp_plan *p, const char *dir, wp_error *e)
{
	while (!os_is_dir(dir) && strcmp(dir, os_dirname(p->a, dir)) != 0)
		dir = os_dirname(p->a, dir);
	if (os_may_write(dir))
		return 0;
	return wp_fail(e, WP_E_PERMISSION, "'%s' can't be written to", dir);
}

static int check_permission(wp_plan *p, wp_error *e)
{
	if (p->beside && wp_beside_check(p, e))
		return e->code;
	if (p->is_new)
		return may_write(p, os_dirname(p->a, p->venv), e);
	if (may_write(p, p->venv, e) || may_write(p, os_join(p->a, p->venv, p->python.venv_site), e))
		return e->code;
	return may_write(p, os_join(p->a, p->venv, p->python.venv_bin), e);
}

int wp_plan_make(wp_plan *p, wp_error *e)
{
	bool judged;

	if (open_wheels(p, e) || wp_fit_wheels(p, e))
		return e->code;
	judged = !p->is_new && !part(p, wp_existing_kept, e);
	if (e->code || wp_plan_files(p, e))
		return e->code;
	tell_exceptions(p);
	if (judged)
		part(p, wp_existing_check, e);
	part(p, check_permission, e);
	part(p, wp_share_check, e);
	part(p, wp_store_plan, e);
	part(p, check_space, e);
	if (p->beside)
		wp_beside_tell(p);
	return e->code ? (int)e->code : wp_plan_conclude(p, e);
}

void wp_plan_done(wp_plan *p)
{
	wp_store_end(p);
	close_all(p);
	WP_VEC_FREE(&p->files);
	WP_VEC_FREE(&p->dirs);
	wp_removal_free(&p->removal);
	WP_VEC_FREE(&p->refusals);
	wp_arena_free(p->a);
}

/* SPDX-License-Identifier: MIT
 *
 * existing.c: what an existing venv has already: distributions that may stay, files that are in
 * the way. Nothing is changed here.
 */
#include "ext/hash.h"
#include "install/notes.h"
#include "os/os.h"

/* ---- distributions -------------------------------------------------------------------------- */

/* Does its RECORD list what this wheel brings to site-packages, with the same digests? */
static bool has_the_same(wp_plan *p, const wp_in_wheel *w, const wp_installed_files *l)
{
	wp_map rows;
	bool same = true;
	size_t i;

	wp_map_init(&rows);
	for (i = 0; i < l->n; i++)
		if (l->v[i].row)
			wp_map_put(&rows, wp_str_of(l->v[i].path), (uint32_t)i);
	for (i = 0; i < w->wheel.n && same; i++) {
		const wp_member *m = &w->wheel.members[i];
		const wp_record_row *row;
		uint32_t at;

		if ((m->scheme != WP_PURELIB && m->scheme != WP_PLATLIB) || wp_is_installers(&w->wheel, m))
			continue;
		same = wp_map_get(&rows, wp_str_of(wp_sprintf(p->a, "%s/%s", p->python.venv_site, m->path)), &at);
		row = same ? l->v[at].row : NULL;
		same = row && (row->kind != m->row->kind || memcmp(row->digest, m->row->digest, 32) == 0);
	}
	wp_map_free(&rows);
	return same;
}

typedef struct holding {
	const wp_plan *p;
	const wp_installed_file *v;
	atomic_bool differs;
	atomic_uint_fast64_t bytes;
} holding;

static int hold_one(void *user, size_t i, wp_arena *a, wp_error *e)
{
	holding *h = user;
	wp_file_state state = WP_FILE_SAME;

	(void)a;
	if (!h->v[i].row || atomic_load_explicit(&h->differs, memory_order_relaxed))
		return 0;
	if (!wp_installed_compare(h->p->ctx, &h->p->site, &h->v[i], &state, &h->bytes, e) && state != WP_FILE_SAME)
		atomic_store_explicit(&h->differs, true, memory_order_relaxed);
	return e->code;
}

/* Is each file as RECORD has it? What is kept is held to the same as what is installed. */
static bool is_whole(const wp_plan *p, const wp_installed_files *l, wp_error *e)
{
	holding h = {.p = p, .v = l->v};
	wp_par par;

	atomic_init(&h.differs, false);
	atomic_init(&h.bytes, 0);
	wp_par_for(p->ctx, l->n, hold_one, NULL, &h, true, &par, e);
	wp_par_done(&par);
	return !e->code && !atomic_load(&h.differs);
}

static int judge(wp_plan *p, wp_in_wheel *w, const wp_installed *d, wp_error *e)
{
	wp_installed_files l;
	bool same = false;
	wp_arena *a;

	if (wp_installed_is(p->a, d, w->lock->version)) {
		if (!d->has_record && wp_ends(d->dir, ".dist-info"))
			return 0; /* left by an installer that was stopped; files that are ours are seen below */
		a = wp_arena_new();
		if (!wp_installed_list(a, &p->site, d, &l, e))
			same = has_the_same(p, w, &l) && is_whole(p, &l, e);
		wp_arena_free(a);
	}
	w->kept = w->kept || same;
	if (e->code || same)
		return e->code;
	w->replaces = d;
	return wp_removal_add(&p->removal, d, false, e);
}

static const char *and_more(const wp_plan *p, const char *list, const char *text)
{
	return *list ? wp_sprintf(p->a, "%s, %s", list, text) : text;
}

static void tell(const wp_plan *p)
{
	const char *kept = "", *replaced = "", *condas = "";
	const wp_removal *r = &p->removal;
	WP_VEC(const char *) changed = {0};
	size_t i;

	for (i = 0; i < r->changed.n; i++)
		if (wp_removal_has(r, r->changed.v[i]))
			WP_PUSH(&changed, r->changed.v[i]);
	for (i = 0; i < p->nwheels; i++) {
		const wp_in_wheel *w = &p->wheels[i];

		if (w->kept)
			kept = and_more(p, kept, wp_sprintf(p->a, "%s %s", w->lock->project, w->lock->version));
		if (w->replaces && wp_installed_is(p->a, w->replaces, w->lock->version))
			replaced = and_more(p, replaced, wp_sprintf(p->a, "%s %s, whose files differ", w->lock->project,
				w->lock->version));
		else if (w->replaces)
			replaced = and_more(p, replaced, wp_sprintf(p->a, "%s %s by %s", w->lock->project,
				w->replaces->version, w->lock->version));
		if (w->replaces && p->conda && wp_streq(wp_installed_by(p->a, &p->site, w->replaces), "conda"))
			condas = and_more(p, condas, w->lock->project);
	}
	if (*kept)
		wp_plan_note(p, WP_INSTALL_KEPT, kept);
	if (*replaced)
		wp_plan_note(p, WP_INSTALL_REPLACED, replaced);
	if (*condas)
		wp_plan_note(p, WP_INSTALL_CONDAS, condas);
	wp_tell_files(p->findings, p->ctx->arena, WP_INSTALL_WAS_CHANGED, changed.v, changed.n);
	wp_tell_files(p->findings, p->ctx->arena, WP_INSTALL_OUTSIDE, r->outside.v, r->outside.n);
	WP_VEC_FREE(&changed);
}

int wp_existing_kept(wp_plan *p, wp_error *e)
{
	size_t i, k;

	if (wp_site_read(p->a, p->venv, p->python.venv_site, &p->site, e))
		return e->code;
	wp_removal_begin(&p->removal, p->ctx, p->a, &p->site, p->windows);
	for (i = 0; i < p->nwheels; i++)
		for (k = 0; k < p->site.n; k++) {
			wp_error f = {0};

			if (!wp_streq(p->site.v[k].project, p->wheels[i].lock->project) || p->wheels[i].bad)
				continue;
			p->wheels[i].unclear |= judge(p, &p->wheels[i], &p->site.v[k], &f) != 0;
			if (wp_plan_refuse(p, i, &f, e))
				return e->code;
		}
	if (!wp_removal_end(&p->removal, e))
		tell(p);
	return e->code;
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool lists(const wp_site *s, const wp_installed *d, const char *path)
{
	wp_arena *a = wp_arena_new();
	wp_error ignored = {0};
	wp_installed_files l;
	bool found = false;
	size_t i;

	if (d->has_record && !wp_installed_list(a, s, d, &l, &ignored))
		for (i = 0; i < l.n && !found; i++)
			found = wp_streq(l.v[i].path, path);
	wp_arena_free(a);
	return found;
}

/* The dist-info whose RECORD lists the file, for the message. */
static const char *owner(const wp_plan *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->site.n; i++)
		if (lists(&p->site, &p->site.v[i], path))
			return p->site.v[i].dir;
	return NULL;
}

/* The bytes that would be written are there already: what an installer that was stopped left, or a
 * file that two distributions share. */
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

	if (os_is_dir(os_join(p->a, p->venv, f->path)))
		wp_fail(e, WP_E_COLLISION, "'%s' is a directory in the venv, a file is wanted", f->path);
	else if (by)
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
	if (kind == OS_ABSENT || wp_removal_has(&p->removal, f->path))
		return 0;
	if (kind == OS_DIR && wp_removal_empties(&p->removal, f->path)) {
		p->over_dirs = true;
		return 0;
	}
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
	if (kind != OS_ABSENT && kind != OS_DIR && !wp_removal_has(&p->removal, dir))
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

		if (!file->written || told[file->wheel] || p->wheels[file->wheel].unclear)
			continue;
		told[file->wheel] = check_file(p, file, &f) != 0;
		if (wp_plan_refuse(p, file->wheel, &f, e))
			return e->code;
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "resolve/notes.h"

#include "base/err.h"
#include "resolve/say.h"

typedef enum note_id {
#define ENUM(name, code, severity, title) NOTE_##name,
	WP_LOCK_NOTES(ENUM)
#undef ENUM
} note_id;

static const wp_note_row table[] = {WP_LOCK_NOTES(WP_NOTE_ROW)};

typedef struct noter {
	wp_locking *s;
	wp_arena *a;
	wp_findings *out;
} noter;

/* Targets often give the same note: it is told once. */
static wp_finding *note(noter *n, note_id id, const char *why, const char *next)
{
	size_t i;

	for (i = 0; i < n->out->n; i++)
		if (wp_streq(n->out->v[i].code, table[id].code) && wp_streq(n->out->v[i].why, why))
			return &n->out->v[i];
	return wp_finding_note(n->out, n->a, &table[id], why, next);
}

static const char *pinned_name(noter *n, const wp_job *j, const wp_chosen *c)
{
	return wp_sprintf(n->a, "%s %s", j->pool.projects.v[c->project]->name, wp_chosen_cand(j, c)->version.norm);
}

/* ---- torch -------------------------------------------------------------------------------- */

static bool for_target(const wp_release_fact *r, const char *platform, const wp_target *t)
{
	bool windows = wp_streq(platform, "win_amd64");

	return windows ? wp_among(r->pythons_win, r->npythons_win, t->python_tag)
		       : wp_among(r->pythons_linux, r->npythons_linux, t->python_tag);
}

/* "cu126, cu130": CUDA variants that have one of these releases, up to the end, for the target, closed ones too or not; NULL. */
static const char *variants_of(noter *n, const wp_job *j, const wp_release_fact *from, const wp_release_fact *end,
	bool closed)
{
	const wp_compat *c = j->pool.compat;
	const char *platform = wp_compat_platform(j->t->platform), *text = NULL;
	const wp_release_fact *r;
	size_t i;

	for (i = 0; platform && i < c->nvariants; i++) {
		for (r = from; r < end; r++)
			if (wp_release_has(r, platform, c->variants[i].name) && for_target(r, platform, j->t))
				break;
		if (r < end && c->variants[i].cuda && (closed || !c->variants[i].closed))
			text = text ? wp_sprintf(n->a, "%s, %s", text, c->variants[i].name) : c->variants[i].name;
	}
	return text;
}

static void note_cpu_build(noter *n, const wp_job *j, const wp_chosen *torch)
{
	const wp_compat *c = j->pool.compat;
	const wp_release_fact *r;
	const char *have;

	if (j->t->variant || !j->t->windows || !wp_streq(wp_torch_variant(j), "cpu"))
		return;
	r = c ? wp_compat_release(c, wp_version_public(n->a, &wp_chosen_cand(j, torch)->version)) : NULL;
	have = r ? variants_of(n, j, r, r + 1, true) : NULL;
	note(n, NOTE_CPU_BUILD,
		wp_sprintf(n->a, "no variant was asked for, and the ordinary index has only the CPU build of %s for Windows",
			pinned_name(n, j, torch)),
		have ? wp_sprintf(n->a, "for NVIDIA GPUs add --cuda and one of: %s", have)
		     : r ? "for NVIDIA GPUs ask for another torch with --cuda; `wheelpack matrix` lists them"
			 : "for NVIDIA GPUs add --cuda and the variant that this torch is built for");
}

static void note_unknown_torch(noter *n, const wp_job *j, const wp_chosen *torch)
{
	const wp_compat *c = j->pool.compat;
	const wp_version *v = &wp_chosen_cand(j, torch)->version;
	wp_version last;

	if (!c || !c->nreleases || wp_compat_release(c, wp_version_public(n->a, v)) ||
		!wp_version_parse(n->a, wp_str_of(c->releases[c->nreleases - 1].torch), &last) ||
		wp_version_cmp(v, &last) <= 0)
		return;
	note(n, NOTE_TORCH_UNKNOWN,
		wp_sprintf(n->a, "%s is newer than %s, the newest known on %s: what fits with it was taken from its "
				 "metadata alone",
			pinned_name(n, j, torch), last.norm, c->as_of),
		NULL);
}

static void note_variant(noter *n, const wp_job *j)
{
	const wp_compat *c = j->pool.compat;
	const char *variant = j->t->variant;
	const wp_variant_fact *f;
	const wp_release_fact *newest;
	const char *newer;

	if (!variant || !c)
		return;
	f = wp_compat_variant(c, variant);
	if (!f) {
		note(n, NOTE_VARIANT_UNKNOWN,
			wp_sprintf(n->a, "'%s' was taken from its index as it is; drivers and architectures are not known",
				variant),
			NULL);
		return;
	}
	newest = wp_compat_newest(c, wp_compat_platform(j->t->platform), variant);
	if (!f->closed || !newest)
		return;
	newer = variants_of(n, j, newest + 1, c->releases + c->nreleases, false);
	note(n, NOTE_CLOSED_VARIANT, wp_sprintf(n->a, "the newest torch for %s is %s", variant, newest->torch),
		newer ? wp_sprintf(n->a, "newer ones need one of: %s", newer) : NULL);
}

/* ---- any project -------------------------------------------------------------------------- */

/* Walk over everything that is required of a project; true where `ask` says so of any. */
typedef bool (*ask_fn)(const wp_dep *d, const wp_version *v);

static bool any_requirement(const wp_job *j, uint32_t project, const wp_version *v, ask_fn ask)
{
	size_t i, k;

	for (i = 0; i < j->nroots; i++)
		if (j->roots[i].project == project && ask(&j->roots[i], v))
			return true;
	for (i = 0; i < j->solution.n; i++) {
		const wp_cand_facts *f = wp_chosen_facts(j, &j->solution.v[i]);

		for (k = 0; k < f->ndeps; k++)
			if (f->deps[k].project == project && wp_in_force(j, &j->solution.v[i], &f->deps[k]) &&
				ask(&f->deps[k], v))
				return true;
	}
	return false;
}

static bool refuses_by_metadata(const wp_dep *d, const wp_version *v)
{
	return !d->reason && wp_refuses(d, v);
}

static void note_source_only(noter *n, const wp_job *j, const wp_chosen *c)
{
	const wp_pooled *p = j->pool.projects.v[c->project];
	const wp_cand *have = wp_chosen_cand(j, c);
	size_t i;

	for (i = 0; i < p->c.nout; i++) {
		const wp_cand *x = &p->c.out[i];

		if (wp_version_cmp(&x->version, &have->version) <= 0)
			return;
		if (x->unfit != WP_UNFIT_SOURCE || (x->pre && !have->pre) ||
			any_requirement(j, c->project, &x->version, wp_refuses))
			continue;
		note(n, NOTE_SOURCE_ONLY,
			wp_sprintf(n->a, "%s %s has only a source distribution; %s was taken", p->name, x->version.norm,
				have->version.norm),
			NULL);
		return;
	}
}

/* Does the request itself name this one version? */
static bool pinned_by_request(const wp_job *j, const wp_chosen *c)
{
	size_t i;

	for (i = 0; i < j->nroots; i++)
		if (j->roots[i].project == c->project && wp_specifiers_pinned(&j->roots[i].req->specifiers))
			return true;
	return false;
}

static const char *rule_against(const wp_job *j, uint32_t project, const wp_version *v)
{
	size_t i, k;

	for (i = 0; i < j->solution.n; i++) {
		const wp_cand_facts *f = wp_chosen_facts(j, &j->solution.v[i]);

		for (k = 0; k < f->ndeps; k++)
			if (f->deps[k].project == project && f->deps[k].reason && wp_refuses(&f->deps[k], v))
				return f->deps[k].reason;
	}
	return NULL;
}

/* A rule of the facts, not a requirement, kept a better version out. */
static void note_held_back(noter *n, const wp_job *j, const wp_chosen *c)
{
	const wp_pooled *p = j->pool.projects.v[c->project];
	const char *reason;
	uint32_t i;

	for (i = 0; i < c->cand; i++) {
		if (p->c.v[i].yanked || any_requirement(j, c->project, &p->c.v[i].version, refuses_by_metadata))
			continue;
		reason = rule_against(j, c->project, &p->c.v[i].version);
		if (!reason)
			return;
		note(n, NOTE_HELD_BACK,
			wp_sprintf(n->a, "%s %s was not taken, but %s: %s", p->name, p->c.v[i].version.norm,
				wp_chosen_cand(j, c)->version.norm, reason),
			NULL);
		return;
	}
}

static void note_extras(noter *n, const wp_job *j, const wp_chosen *c)
{
	const wp_cand_facts *f = wp_chosen_facts(j, c);
	size_t i;

	for (i = 0; i < c->nextras; i++)
		if (!wp_among(f->extras, f->nextras, c->extras[i]))
			note(n, NOTE_NO_EXTRA,
				wp_sprintf(n->a, "%s has no extra '%s'", pinned_name(n, j, c), c->extras[i]), NULL);
}

static void note_wheel(noter *n, const wp_job *j, const wp_chosen *c)
{
	const wp_cand *cand = wp_chosen_cand(j, c);
	const wp_cand_facts *f = wp_chosen_facts(j, c);
	const char *name = pinned_name(n, j, c);

	if (cand->yanked)
		note(n, NOTE_YANKED,
			wp_sprintf(n->a, "%s is yanked (%s), but pinned", name,
				cand->file->yanked_reason && *cand->file->yanked_reason ? cand->file->yanked_reason
											: "no reason given"),
			"pin another version");
	if (cand->pre && !n->s->in->prerelease && !wp_starts(cand->file->index, "direct") && !pinned_by_request(j, c))
		note(n, NOTE_PRERELEASE, wp_sprintf(n->a, "%s: no final release could be taken", name), NULL);
	if (f->host_marker)
		note(n, NOTE_HOST_MARKER,
			wp_sprintf(n->a, "%s has the requirement '%s'; it was read with an empty value, and install looks "
					 "again", name, f->host_marker),
			NULL);
	if (f->repaired)
		note(n, NOTE_REPAIRED, wp_sprintf(n->a, "%s: '%s'", name, f->repaired), NULL);
	note_source_only(n, j, c);
	note_held_back(n, j, c);
	note_extras(n, j, c);
}

/* One note for all files, with their names. */
static void note_digests(noter *n)
{
	WP_VEC(const char *) names = {0};
	wp_finding *f;
	size_t i, k;

	for (i = 0; i < n->s->in->ntargets; i++)
		for (k = 0; k < n->s->jobs[i].solution.n; k++) {
			const wp_file *file = wp_chosen_cand(&n->s->jobs[i], &n->s->jobs[i].solution.v[k])->file;

			if (!file->sha256 && !wp_starts(file->url, "file:") &&
				!wp_among(names.v, names.n, file->filename))
				WP_PUSH(&names, wp_strdup(n->a, file->filename));
		}
	if (names.n) {
		qsort(names.v, names.n, sizeof *names.v, wp_cmp_cstr);
		f = note(n, NOTE_NO_DIGEST,
			wp_sprintf(n->a, "%zu wheel%s: the digest is computed on the first download and recorded", names.n,
				names.n == 1 ? "" : "s"),
			NULL);
		f->files = WP_VEC_COPY(n->a, &names);
		f->nfiles = names.n;
	}
	WP_VEC_FREE(&names);
}

/* ---- the date, the other targets, the earlier lock ---------------------------------------- */

static bool has_undated(const wp_cands *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->v[i].unfit & WP_UNFIT_UNDATED)
			return true;
	for (i = 0; i < c->nout; i++)
		if (c->out[i].unfit & WP_UNFIT_UNDATED)
			return true;
	return false;
}

/* An old version was taken, not because the newer ones are newer than the date, but because nobody knows. */
static void note_undated(noter *n, const wp_job *j)
{
	size_t i;

	for (i = 0; i < j->pool.projects.n; i++) {
		const wp_pooled *p = j->pool.projects.v[i];

		if (p->page && has_undated(&p->c))
			note(n, NOTE_UNDATED,
				wp_sprintf(n->a, "the index '%s' gives no upload time for files of %s; they were not taken, "
						 "because only those from before %s are", p->page->index, p->name,
					n->s->in->exclude_newer),
				NULL);
	}
}

/* "numpy: 2.5 for cp312-win_amd64, 1.26 for cp310-win_amd64". */
static const char *by_target(noter *n, const char *project)
{
	wp_buf b;
	size_t i;

	wp_buf_init(&b, 4096);
	wp_buf_printf(&b, "%s: ", project);
	for (i = 0; i < n->s->in->ntargets; i++) {
		const wp_job *j = &n->s->jobs[i];
		const wp_chosen *c = wp_choice_of(j, project);

		if (c)
			wp_buf_printf(&b, "%s%s for %s", wp_ends(b.p, ": ") ? "" : ", ", wp_chosen_cand(j, c)->version.norm,
				j->t->name);
	}
	return wp_buf_take(&b, n->a).p;
}

static void note_differences(noter *n)
{
	size_t i, k;

	for (i = 0; i < n->s->in->ntargets; i++)
		for (k = 0; k < n->s->jobs[i].solution.n; k++) {
			const wp_job *j = &n->s->jobs[i];
			const char *project = j->pool.projects.v[j->solution.v[k].project]->name;

			if (!wp_in_earlier_job(n->s, i, project) && wp_differs(n->s, project))
				note(n, NOTE_DIFFERS,
					wp_sprintf(n->a, "%s; %s", by_target(n, project),
						wp_common_version(n->s, project)
							? "no version suits all that they require"
							: "no version has a wheel for all of them"),
					NULL);
		}
}

/* Why a version of the earlier lock is no candidate any more; NULL where it is one. */
static const char *lost(const wp_pooled *p, const char *version)
{
	size_t i;

	for (i = 0; i < p->c.n; i++)
		if (wp_streq(p->c.v[i].version.norm, version))
			return p->c.v[i].yanked ? "was yanked" : NULL;
	for (i = 0; i < p->c.nout; i++)
		if (wp_streq(p->c.out[i].version.norm, version))
			return "has no wheel that fits any more";
	return "is not on the index any more";
}

static bool by_date(const wp_pooled *p, const char *version)
{
	size_t i;

	for (i = 0; i < p->c.nout; i++)
		if (wp_streq(p->c.out[i].version.norm, version))
			return p->c.out[i].unfit & (WP_UNFIT_NEWER | WP_UNFIT_UNDATED);
	return false;
}

/* newer: takes those that the date alone leaves out. */
static void note_not_kept(noter *n, const wp_job *j, wp_words *newer)
{
	size_t i;

	for (i = 0; i < j->nkept; i++) {
		const wp_chosen *c = wp_choice_of(j, j->kept[i].project);
		const char *have = c ? wp_chosen_cand(j, c)->version.norm : NULL, *why;

		if (!c || wp_streq(have, j->kept[i].version))
			continue;
		if (by_date(j->pool.projects.v[c->project], j->kept[i].version)) {
			wp_add_word(n->a, newer, wp_str_of(j->kept[i].project));
			continue;
		}
		why = lost(j->pool.projects.v[c->project], j->kept[i].version);
		if (why)
			note(n, NOTE_NOT_KEPT, wp_sprintf(n->a, "%s %s %s", j->kept[i].project, j->kept[i].version, why), NULL);
	}
}

static void note_newer(noter *n, const wp_words *projects)
{
	enum { MAX_NAMES = 12 };

	if (projects->n)
		note(n, NOTE_NEWER_THAN_DATE,
			wp_sprintf(n->a, "only what was uploaded before %s is taken: other versions of %s",
				n->s->in->exclude_newer, wp_join(n->a, projects, MAX_NAMES)),
			NULL);
}

/* A file of the same name with other contents: somebody put it there. */
static void note_replaced(noter *n, const wp_job *j)
{
	const wp_lock_doc *d = n->s->in->keep;
	size_t i;

	for (i = 0; d && i < j->solution.n; i++) {
		const wp_file *f = wp_chosen_cand(j, &j->solution.v[i])->file;
		const wp_lock_wheel *old = wp_lock_find(d, f->filename);

		if (old && old->sha256 && f->sha256 && !wp_streq(old->sha256, f->sha256))
			note(n, NOTE_REPLACED,
				wp_sprintf(n->a, "'%s' has sha256 %s, in the earlier lock it is %s", f->filename, f->sha256,
					old->sha256),
				"ask who runs the index before you use it");
	}
}

void wp_lock_notes(wp_locking *s, wp_findings *out)
{
	noter n = {s, s->ctx->arena, out};
	wp_words newer = {0};
	size_t i, k;

	for (i = 0; i < s->in->ntargets; i++) {
		const wp_job *j = &s->jobs[i];
		const wp_chosen *torch = wp_choice_of(j, "torch");

		if (torch) {
			note_cpu_build(&n, j, torch);
			note_unknown_torch(&n, j, torch);
			note_variant(&n, j);
		}
		for (k = 0; k < j->solution.n; k++)
			note_wheel(&n, j, &j->solution.v[k]);
		note_undated(&n, j);
		note_not_kept(&n, j, &newer);
		note_replaced(&n, j);
	}
	note_newer(&n, &newer);
	note_differences(&n);
	note_digests(&n);
	WP_VEC_FREE(&newer);
}

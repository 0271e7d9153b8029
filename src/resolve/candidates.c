/* SPDX-License-Identifier: MIT */
#include "resolve/candidates.h"

#include "base/map.h"
#include "base/vec.h"

enum { BATCH = 512 }; /* parsed file names are dropped after so many */

typedef WP_VEC(wp_cand) cand_vec;

/* What the file names of a page repeat: "numpy-2.1.0" a few dozen times, "cp312-cp312-win_amd64" with every version. */
typedef struct front {
	uint32_t entry; /* of its version, in all */
	const char *build; uint64_t build_n;
} front;

typedef struct tags {
	size_t rank;
	bool platform; /* is the target's, whatever the Python; known where a label is looked for */
} tags;

typedef struct sieve {
	wp_arena *keep;	   /* versions */
	wp_arena *scratch; /* parsed file names */
	const wp_project *page;
	const wp_target *t;
	const char *label; /* that a version must have, NULL if any will do */
	bool label_needed; /* unlabelled ones are out */
	int64_t before;	   /* uploaded earlier than this */
	wp_map by_text;	   /* version text -> index in all */
	wp_map pythons;	   /* Requires-Python text -> fits or not */
	wp_map by_front, by_tags; /* text -> index in fronts, in tag_sets */
	WP_VEC(front) fronts;
	WP_VEC(tags) tag_sets;
	const char *const *platforms; size_t nplatforms;
	cand_vec all;
} sieve;

bool wp_python_fits(const char *requires_python, const wp_target *t)
{
	wp_arena *a;
	wp_specifiers s;
	wp_version v;
	bool fits = true;

	if (!requires_python || !*requires_python)
		return true;
	a = wp_arena_new();
	if (wp_specifiers_parse(a, wp_str_of(requires_python), &s) &&
		wp_version_parse(a, wp_str_of(t->markers.python_full_version), &v))
		fits = wp_specifiers_match(&s, &v);
	wp_arena_free(a);
	return fits;
}

/* A page says the same few texts thousands of times. */
static bool python_fits(sieve *s, const char *requires_python)
{
	uint32_t fits;
	wp_str key = wp_str_of(requires_python);

	if (!requires_python)
		return true;
	if (!wp_map_get(&s->pythons, key, &fits)) {
		fits = wp_python_fits(requires_python, s->t);
		wp_map_put(&s->pythons, key, fits);
	}
	return fits;
}

/* The entry of this version, whose text was parsed before. */
static uint32_t entry_of(sieve *s, const char *text)
{
	uint32_t i = (uint32_t)s->all.n;
	wp_str key = wp_str_of(text);
	wp_cand *c;

	if (wp_map_get(&s->by_text, key, &i))
		return i;
	wp_map_put(&s->by_text, key, i);
	c = WP_PUSH_NEW(&s->all);
	wp_version_parse(s->keep, key, &c->version);
	c->pre = wp_version_prerelease(&c->version);
	return i;
}

static bool label_fits(const sieve *s, const wp_version *v)
{
	if (!s->label)
		return true;
	return v->local ? wp_streq(v->local, s->label) : !s->label_needed;
}

bool wp_own_file(const wp_file *f)
{
	return wp_starts(f->index, "find-links") || wp_starts(f->index, "direct");
}

/* What keeps the file out because of its date, as a bit. */
static unsigned date_fault(const sieve *s, const wp_file *f)
{
	int64_t uploaded;

	if (s->before == WP_ANY_TIME || wp_own_file(f))
		return 0;
	if (!f->upload_time || !wp_moment_parse(wp_str_of(f->upload_time), &uploaded))
		return WP_UNFIT_UNDATED;
	return uploaded < s->before ? 0 : WP_UNFIT_NEWER;
}

static bool is_earlier(const char *a, const char *b)
{
	int64_t x, y;

	return a && wp_moment_parse(wp_str_of(a), &x) && (!b || (wp_moment_parse(wp_str_of(b), &y) && x < y));
}

static void leave_out_by_date(wp_cand *c, const wp_file *f, unsigned fault)
{
	c->unfit |= fault;
	if (fault == WP_UNFIT_NEWER && is_earlier(f->upload_time, c->uploaded))
		c->uploaded = f->upload_time;
}

static int cmp_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Of two wheels of one version: not yanked, better tag, higher build, and then by name, so that the order of the
 * page does not matter. */
static bool better(const wp_cand *a, const wp_cand *b)
{
	int c;

	if (!b->file)
		return true;
	if (a->yanked != b->yanked)
		return b->yanked;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->build_n != b->build_n)
		return a->build_n > b->build_n;
	c = cmp_text(a->build, b->build);
	if (c == 0)
		c = -strcmp(a->file->filename, b->file->filename);
	return c > 0;
}

static bool take_better(wp_cand *c, const wp_cand *offer)
{
	if (!better(offer, c))
		return false;
	c->file = offer->file;
	c->rank = offer->rank;
	c->build = offer->build;
	c->build_n = offer->build_n;
	c->yanked = offer->yanked;
	return true;
}

static void sift_wheel(sieve *s, const wp_file *f, const front *w, size_t rank)
{
	wp_cand *c = &s->all.v[w->entry];
	wp_cand offer = {.file = f, .rank = rank, .build = w->build, .build_n = w->build_n, .yanked = f->yanked};
	unsigned late;

	if (!label_fits(s, &c->version)) {
		c->unfit |= WP_UNFIT_LABEL;
	} else if (rank == SIZE_MAX) {
		c->unfit |= WP_UNFIT_TAG;
	} else if (!python_fits(s, f->requires_python)) {
		c->unfit |= WP_UNFIT_PYTHON;
		c->requires_python = f->requires_python;
	} else if ((late = date_fault(s, f)) != 0) {
		leave_out_by_date(c, f, late);
	} else {
		take_better(c, &offer);
	}
}

static void sift_source(sieve *s, const wp_file *f)
{
	wp_version v;
	uint32_t entry;
	wp_cand *c;

	if (!wp_sdist_name_parse(s->scratch, wp_str_of(f->filename), s->page->name, &v))
		return;
	entry = entry_of(s, v.text);
	c = &s->all.v[entry];
	if (!f->yanked)
		c->unfit |= date_fault(s, f) ? WP_UNFIT_LATE_SOURCE : WP_UNFIT_SOURCE;
}

/* Around the dash before the tags. */
static bool cut(wp_str name, wp_str *before, wp_str *behind)
{
	size_t i, dashes = 0;

	if (!wp_str_ends(name, ".whl"))
		return false;
	name.n -= 4;
	for (i = name.n; i > 0 && dashes < 3; i--)
		dashes += name.p[i - 1] == '-';
	*before = wp_str_sub(name, 0, i);
	*behind = wp_str_sub(name, i + 1, name.n);
	return dashes == 3;
}

static bool learn_name(sieve *s, wp_str name, wp_str before, wp_str behind, uint32_t *front_no, uint32_t *tags_no)
{
	wp_wheel_name w;
	wp_error e = {0};

	if (wp_wheel_name_parse(s->scratch, name, &w, &e) || !wp_streq(w.project, s->page->name))
		return false;
	if (!wp_map_get(&s->by_front, before, front_no)) {
		*front_no = (uint32_t)s->fronts.n;
		wp_map_put(&s->by_front, before, *front_no);
		WP_PUSH(&s->fronts, ((front){entry_of(s, w.version.text), wp_strdup(s->keep, w.build), w.build_n}));
	}
	if (!wp_map_get(&s->by_tags, behind, tags_no)) {
		*tags_no = (uint32_t)s->tag_sets.n;
		wp_map_put(&s->by_tags, behind, *tags_no);
		WP_PUSH(&s->tag_sets, ((tags){wp_wheel_rank(&w, s->t), wp_wheel_on_platforms(&w, s->platforms, s->nplatforms)}));
	}
	return true;
}

/* False where it is not the name of a wheel of the project. A name is one where both of its halves are from names that
 * are, so each half is looked at once. */
static bool read_name(sieve *s, const wp_file *f, const front **fp, const tags **tp)
{
	wp_str name = wp_str_of(f->filename), before, behind;
	uint32_t front_no, tags_no;

	if (!cut(name, &before, &behind))
		return false;
	if ((name.n > WP_MAX_FILENAME || !wp_map_get(&s->by_front, before, &front_no) ||
		    !wp_map_get(&s->by_tags, behind, &tags_no)) &&
		!learn_name(s, name, before, behind, &front_no, &tags_no))
		return false;
	*fp = &s->fronts.v[front_no];
	*tp = &s->tag_sets.v[tags_no];
	return true;
}

/* Called before file i: pages have up to WP_MAX_PAGE_FILES names. */
static void drop_scratch(sieve *s, size_t i)
{
	if (i % BATCH)
		return;
	wp_arena_free(s->scratch);
	s->scratch = wp_arena_new();
}

/* The rule of labels: only versions with the variant's label, or unlabelled ones where the index has none labelled
 * for that platform. A wheel that the user named by its address is what he wants. */
static void find_label(sieve *s, const wp_compat *compat)
{
	const front *w;
	const tags *t;
	size_t i;

	if (!s->t->variant || !compat || !wp_compat_labelled(compat, s->page->name) ||
		wp_starts(s->page->index, "direct"))
		return;
	s->label = s->t->variant;
	s->nplatforms = wp_platform_tags(s->keep, s->t->platform, &s->platforms);
	for (i = 0; i < s->page->nfiles && !s->label_needed; i++) {
		drop_scratch(s, i);
		s->label_needed = read_name(s, &s->page->files[i], &w, &t) && t->platform &&
			wp_streq(s->all.v[w->entry].version.local, s->label);
	}
}

static int by_version(const void *pa, const void *pb)
{
	const wp_cand *a = pa, *b = pb;
	int c = wp_version_cmp(&b->version, &a->version);

	return c ? c : strcmp(a->version.text, b->version.text);
}

/* 1.0 and 1.0.0 are one version: its best wheel counts. */
static void merge_equals(cand_vec *all)
{
	size_t i, n = 0;

	for (i = 0; i < all->n; i++) {
		wp_cand *c = &all->v[i], *last = n ? &all->v[n - 1] : NULL;

		if (!last || wp_version_cmp(&last->version, &c->version) != 0) {
			all->v[n++] = *c;
			continue;
		}
		last->unfit |= c->unfit;
		if (!last->requires_python)
			last->requires_python = c->requires_python;
		if (is_earlier(c->uploaded, last->uploaded))
			last->uploaded = c->uploaded;
		if (c->file && take_better(last, c))
			last->version = c->version;
	}
	all->n = n;
}

/* Which of the groups that are tried one after the other. */
static int group_of(const wp_cand *c, bool prerelease)
{
	return c->yanked ? 2 : c->pre && !prerelease;
}

static void share_out(wp_arena *a, const cand_vec *all, bool prerelease, wp_cands *out)
{
	size_t i;
	int group;

	for (i = 0; i < all->n; i++)
		*(all->v[i].file ? &out->n : &out->nout) += 1;
	out->v = WP_NEW_ARRAY(a, out->n, wp_cand);
	out->out = WP_NEW_ARRAY(a, out->nout, wp_cand);
	out->n = out->nout = 0;
	for (i = 0; i < all->n; i++)
		if (!all->v[i].file)
			out->out[out->nout++] = all->v[i];
	for (group = 0; group < 3; group++)
		for (i = 0; i < all->n; i++)
			if (all->v[i].file && group_of(&all->v[i], prerelease) == group)
				out->v[out->n++] = all->v[i];
}

const wp_cand *wp_first_newer(const wp_cands *c, const wp_specifiers *s)
{
	const wp_cand *first = NULL;
	size_t i;

	for (i = 0; i < c->nout; i++)
		if ((!s || wp_specifiers_match(s, &c->out[i].version)) &&
			is_earlier(c->out[i].uploaded, first ? first->uploaded : NULL))
			first = &c->out[i];
	return first;
}

static void end(sieve *s)
{
	WP_VEC_FREE(&s->all);
	WP_VEC_FREE(&s->fronts);
	WP_VEC_FREE(&s->tag_sets);
	wp_map_free(&s->by_text);
	wp_map_free(&s->pythons);
	wp_map_free(&s->by_front);
	wp_map_free(&s->by_tags);
	wp_arena_free(s->scratch);
}

void wp_cands_make(wp_arena *a, const wp_project *page, const wp_target *t, const wp_compat *compat,
	bool prerelease, int64_t before, wp_cands *out)
{
	sieve s = {.keep = a, .page = page, .t = t, .before = before};
	const front *w;
	const tags *tg;
	size_t i;

	wp_map_init(&s.by_text);
	wp_map_init(&s.pythons);
	wp_map_init(&s.by_front);
	wp_map_init(&s.by_tags);
	find_label(&s, compat);
	for (i = 0; i < page->nfiles; i++) {
		drop_scratch(&s, i);
		if (read_name(&s, &page->files[i], &w, &tg))
			sift_wheel(&s, &page->files[i], w, tg->rank);
		else
			sift_source(&s, &page->files[i]);
	}
	*out = (wp_cands){0};
	if (s.all.n) {
		qsort(s.all.v, s.all.n, sizeof *s.all.v, by_version);
		merge_equals(&s.all);
		share_out(a, &s.all, prerelease, out);
	}
	end(&s);
}

/* SPDX-License-Identifier: MIT */
/* align.c: one version for all targets, wherever that is possible. Each target was solved for itself. Where versions of
 * a project differ, all are solved again with a preference for a version that as many targets as possible have; what
 * brings the targets nearer to each other stays. Nothing depends on the order of the targets. */
#include "resolve/locking.h"

enum { MAX_ATTEMPTS = 60, MAX_IDLE = 3 /* rounds in a row that brought nothing */ };

/* A version (its public part: labels differ between targets) that a project should have everywhere. */
typedef struct wish {
	const char *project; /* of one of the pools */
	const char *version;
	size_t before; /* different versions of the project before it was made */
} wish;

typedef WP_VEC(wish) wish_vec;

typedef struct aligner {
	wp_locking *s;
	size_t njobs;
	wp_arena *a;
	wp_solution *best; /* of each job */
	size_t spread;	   /* of these */
	wish_vec kept;	   /* in force in them */
	wish_vec tried;	   /* all that were made */
	int attempts;
} aligner;

static const char *public_of(wp_arena *a, const wp_job *j, const wp_chosen *c)
{
	return wp_version_public(a, &wp_chosen_cand(j, c)->version);
}

/* ---- how far apart are they? -------------------------------------------------------------- */

/* Different versions of the project. */
static size_t versions_of(const wp_locking *s, const char *project)
{
	wp_arena *a = wp_arena_new();
	WP_VEC(const char *) seen = {0};
	size_t i, n;

	for (i = 0; i < s->in->ntargets; i++) {
		const wp_chosen *c = wp_choice_of(&s->jobs[i], project);
		const char *version = c ? public_of(a, &s->jobs[i], c) : NULL;

		if (version && !wp_among(seen.v, seen.n, version))
			WP_PUSH(&seen, version);
	}
	n = seen.n;
	WP_VEC_FREE(&seen);
	wp_arena_free(a);
	return n;
}

bool wp_differs(const wp_locking *s, const char *project)
{
	return versions_of(s, project) > 1;
}

static const char *name_of(const wp_job *j, const wp_chosen *c)
{
	return j->pool.projects.v[c->project]->name;
}

bool wp_in_earlier_job(const wp_locking *s, size_t job, const char *project)
{
	size_t i;

	for (i = 0; i < job; i++)
		if (wp_choice_of(&s->jobs[i], project))
			return true;
	return false;
}

/* Versions beyond the first of every project, all together. */
static size_t spread(const aligner *x)
{
	size_t i, k, n = 0;

	for (i = 0; i < x->njobs; i++)
		for (k = 0; k < x->s->jobs[i].solution.n; k++) {
			const char *project = name_of(&x->s->jobs[i], &x->s->jobs[i].solution.v[k]);

			if (!wp_in_earlier_job(x->s, i, project))
				n += versions_of(x->s, project) - 1;
		}
	return n;
}

/* ---- which version might all have? -------------------------------------------------------- */

typedef struct offer {
	const wp_version *version;
	const char *text;
	size_t jobs; /* that have it, and not an older one now */
	size_t last; /* such a job */
} offer;

typedef WP_VEC(offer) offer_vec;

static bool allowed_by_request(wp_job *j, const wp_pooled *one, uint32_t cand)
{
	size_t i;

	for (i = 0; i < j->nroots; i++)
		if (j->pool.projects.v[j->roots[i].project] == one && !set_has(wp_pool_allowed(&j->pool, &j->roots[i]), cand))
			return false;
	return true;
}

static void count_offer(wp_arena *a, offer_vec *offers, wp_map *texts, const wp_version *v, size_t job)
{
	const char *text = wp_version_public(a, v);
	uint32_t at;

	if (!wp_map_get(texts, wp_str_of(text), &at)) {
		at = (uint32_t)offers->n;
		wp_map_put(texts, wp_str_of(text), at);
		WP_PUSH(offers, ((offer){.version = v, .text = text, .last = SIZE_MAX}));
	}
	if (offers->v[at].last != job)
		offers->v[at].jobs++;
	offers->v[at].last = job;
}

/* What this job could take by itself, no newer than what it has. */
static void add_offers(aligner *x, wp_arena *a, offer_vec *offers, wp_map *texts, size_t job, const wp_chosen *c)
{
	wp_job *j = &x->s->jobs[job];
	const wp_pooled *one = j->pool.projects.v[c->project];
	const wp_cand *have = wp_chosen_cand(j, c);
	uint32_t i;

	for (i = 0; i < one->c.n; i++) {
		const wp_cand *o = &one->c.v[i];

		if (o->yanked || (o->pre && !have->pre && !j->pool.prerelease) ||
			wp_version_cmp(&o->version, &have->version) > 0 || !allowed_by_request(j, one, i))
			continue;
		count_offer(a, offers, texts, &o->version, job);
	}
}

bool wp_common_version(const wp_locking *s, const char *project)
{
	wp_arena *a = wp_arena_new();
	offer_vec offers = {0};
	wp_map texts;
	size_t i, k, jobs = 0;
	bool common = false;

	wp_map_init(&texts);
	for (i = 0; i < s->in->ntargets; i++) {
		const wp_chosen *c = wp_choice_of(&s->jobs[i], project);
		const wp_pooled *one = c ? s->jobs[i].pool.projects.v[c->project] : NULL;

		jobs += one != NULL;
		for (k = 0; one && k < one->c.n; k++)
			count_offer(a, &offers, &texts, &one->c.v[k].version, i);
	}
	for (i = 0; i < offers.n; i++)
		common |= offers.v[i].jobs == jobs;
	WP_VEC_FREE(&offers);
	wp_map_free(&texts);
	wp_arena_free(a);
	return common;
}

static bool was_tried(const aligner *x, const char *project, const char *version)
{
	size_t i;

	for (i = 0; i < x->tried.n; i++)
		if (wp_streq(x->tried.v[i].project, project) && wp_streq(x->tried.v[i].version, version))
			return true;
	return false;
}

static bool better(const offer *o, const offer *best)
{
	if (!best || o->jobs != best->jobs)
		return !best || o->jobs > best->jobs;
	return wp_version_cmp(o->version, best->version) > 0;
}

static void propose(aligner *x, wish_vec *out, const char *project)
{
	wp_arena *a = wp_arena_new();
	offer_vec offers = {0};
	const offer *best = NULL;
	wp_map texts;
	size_t i;

	wp_map_init(&texts);
	for (i = 0; i < x->njobs; i++) {
		const wp_chosen *c = wp_choice_of(&x->s->jobs[i], project);

		if (c)
			add_offers(x, a, &offers, &texts, i, c);
	}
	for (i = 0; i < offers.n; i++)
		if (offers.v[i].jobs > 1 && !was_tried(x, project, offers.v[i].text) && better(&offers.v[i], best))
			best = &offers.v[i];
	if (best) {
		wish w = {project, wp_strdup(x->a, best->text), versions_of(x->s, project)};

		WP_PUSH(out, w);
		WP_PUSH(&x->tried, w);
	}
	WP_VEC_FREE(&offers);
	wp_map_free(&texts);
	wp_arena_free(a);
}

static void propose_all(aligner *x, wish_vec *out)
{
	size_t i, k;

	for (i = 0; i < x->njobs; i++)
		for (k = 0; k < x->s->jobs[i].solution.n; k++) {
			const char *project = name_of(&x->s->jobs[i], &x->s->jobs[i].solution.v[k]);

			if (!wp_in_earlier_job(x->s, i, project) && wp_differs(x->s, project))
				propose(x, out, project);
		}
}

/* ---- solving again ------------------------------------------------------------------------ */

/* The job's candidate with that public version, spelled as it has it; NULL where it has none. */
static const char *spelled(const wp_job *j, const wish *w)
{
	wp_arena *a = wp_arena_new();
	const char *found = NULL;
	const wp_pooled *one;
	uint32_t id;
	size_t i;

	if (wp_map_get(&j->pool.ids, wp_str_of(w->project), &id)) {
		one = j->pool.projects.v[id];
		for (i = 0; i < one->c.n && !found; i++)
			if (wp_streq(wp_version_public(a, &one->c.v[i].version), w->version))
				found = one->c.v[i].version.norm;
	}
	wp_arena_free(a);
	return found;
}

/* The wishes, the latest for a project, and what the earlier lock has of other projects. */
static const wp_preference *preferences(const wp_job *j, const wish_vec *wishes, size_t *n)
{
	wp_preference *v = WP_NEW_ARRAY(j->pool.arena, j->nkept + wishes->n, wp_preference);
	size_t i, k;

	*n = 0;
	for (i = wishes->n; i-- > 0;) {
		const char *version = spelled(j, &wishes->v[i]);

		for (k = 0; k < *n && !wp_streq(v[k].project, wishes->v[i].project); k++)
			;
		if (version && k == *n)
			v[(*n)++] = (wp_preference){wp_strdup(j->pool.arena, wishes->v[i].project), version};
	}
	for (i = 0; i < j->nkept; i++) {
		for (k = 0; k < *n && !wp_streq(v[k].project, j->kept[i].project); k++)
			;
		if (k == *n)
			v[(*n)++] = j->kept[i];
	}
	wp_sort_preferences(v, *n);
	return v;
}

/* *solved: all of them. */
static int solve_all(aligner *x, const wish_vec *wishes, bool *solved, wp_error *e)
{
	const wp_preference **v = WP_NEW_ARRAY(x->a, x->njobs, const wp_preference *);
	size_t *n = WP_NEW_ARRAY(x->a, x->njobs, size_t), i;

	*solved = true;
	for (i = 0; i < x->njobs; i++)
		v[i] = preferences(&x->s->jobs[i], wishes, &n[i]);
	for (i = 0; i < x->njobs && *solved; i++) {
		if (wp_solve_job(&x->s->jobs[i], v[i], n[i], e))
			return e->code;
		*solved = x->s->jobs[i].solution.solved;
	}
	return 0;
}

/* Without what brought nothing; true where that is not all. */
static bool drop_idle(const aligner *x, wish_vec *wishes, size_t from)
{
	size_t i, n = from, all = wishes->n;

	for (i = from; i < all; i++) {
		size_t now = versions_of(x->s, wishes->v[i].project);

		if (now <= 1 || now < wishes->v[i].before)
			wishes->v[n++] = wishes->v[i];
	}
	wishes->n = n;
	return n < all;
}

static void copy_wishes(wish_vec *to, const wish_vec *from, size_t first, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		WP_PUSH(to, from->v[first + i]);
}

/* The solutions at hand become the best, if they are nearer to each other than `limit` and no farther than the best. */
static void take_better(aligner *x, const wish_vec *wishes, size_t limit)
{
	size_t i, now = spread(x);

	if (now >= limit || now > x->spread)
		return;
	x->spread = now;
	x->kept.n = 0;
	copy_wishes(&x->kept, wishes, 0, wishes->n);
	for (i = 0; i < x->njobs; i++)
		x->best[i] = x->s->jobs[i].solution;
}

/* Solve with these wishes beside those in force, and then without those of them that bring nothing. */
static int attempt(aligner *x, const wish_vec *added, size_t first, size_t n, wp_error *e)
{
	size_t i, limit = x->spread, kept = x->kept.n;
	wish_vec wishes = {0};
	bool solved = false;

	x->attempts++;
	copy_wishes(&wishes, &x->kept, 0, kept);
	copy_wishes(&wishes, added, first, n);
	if (!solve_all(x, &wishes, &solved, e) && solved) {
		take_better(x, &wishes, limit);
		if (drop_idle(x, &wishes, kept) && !solve_all(x, &wishes, &solved, e) && solved)
			take_better(x, &wishes, limit);
	}
	for (i = 0; i < x->njobs; i++)
		x->s->jobs[i].solution = x->best[i];
	WP_VEC_FREE(&wishes);
	return e->code;
}

/* ---- what is tried ------------------------------------------------------------------------ */

/* The version that most could have, of all projects that differ; where that leads nowhere, of one after the other. */
static int try_common(aligner *x, bool *more, wp_error *e)
{
	wish_vec wishes = {0};
	size_t i, before = x->spread;

	propose_all(x, &wishes);
	*more = wishes.n > 0;
	if (*more)
		attempt(x, &wishes, 0, wishes.n, e);
	for (i = 0; i < wishes.n && wishes.n > 1 && x->spread == before && x->attempts < MAX_ATTEMPTS && !e->code; i++)
		attempt(x, &wishes, i, 1, e);
	WP_VEC_FREE(&wishes);
	return e->code;
}

/* All follow one target as far as they can. */
static int try_leaders(aligner *x, wp_error *e)
{
	wish_vec wishes = {0};
	size_t i, k;

	for (i = 0; i < x->njobs && x->spread && !e->code; i++) {
		const wp_job *j = &x->s->jobs[i];

		wishes.n = 0;
		for (k = 0; k < j->solution.n; k++) {
			const char *project = name_of(j, &j->solution.v[k]);

			WP_PUSH(&wishes, ((wish){project, public_of(x->a, j, &j->solution.v[k]),
					   versions_of(x->s, project)}));
		}
		attempt(x, &wishes, 0, wishes.n, e);
	}
	WP_VEC_FREE(&wishes);
	return e->code;
}

static int bring_nearer(aligner *x, wp_error *e)
{
	bool more = true;
	int idle = 0;

	while (x->spread && more && idle < MAX_IDLE && x->attempts < MAX_ATTEMPTS) {
		size_t before = x->spread;

		if (try_common(x, &more, e) || (x->spread == before && try_leaders(x, e)))
			return e->code;
		idle = x->spread < before ? 0 : idle + 1;
	}
	return 0;
}

int wp_align(wp_locking *s, wp_error *e)
{
	aligner x = {.s = s, .njobs = s->in->ntargets, .a = wp_arena_new()};
	size_t i;

	x.best = WP_NEW_ARRAY(x.a, x.njobs, wp_solution);
	for (i = 0; i < x.njobs; i++)
		x.best[i] = s->jobs[i].solution;
	x.spread = x.njobs > 1 ? spread(&x) : 0;
	bring_nearer(&x, e);
	for (i = 0; i < x.njobs && x.attempts; i++) { /* those that led to the solutions, for who explains them */
		size_t n;
		const wp_preference *v = preferences(&s->jobs[i], &x.kept, &n);

		wp_pool_prefer(&s->jobs[i].pool, v, n);
	}
	WP_VEC_FREE(&x.kept);
	WP_VEC_FREE(&x.tried);
	wp_arena_free(x.a);
	return e->code;
}

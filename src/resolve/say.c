/* SPDX-License-Identifier: MIT */
#include "resolve/say.h"

enum {
	MAX_TEXT = 600,
	MAX_WORDS = 8, /* Pythons or platforms in one list */
	MAX_RUNS = 4,  /* of versions */
	BATCH = 512    /* parsed file names are dropped after so many */
};

void wp_add_word(wp_arena *a, wp_words *w, wp_str s)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (wp_str_is(s, w->v[i]))
			return;
	WP_PUSH(w, wp_str_dup(a, s));
}

const char *wp_join(wp_arena *a, const wp_words *w, size_t max)
{
	size_t i, n = w->n > max ? max : w->n;
	wp_buf b;

	wp_buf_init(&b, MAX_TEXT);
	for (i = 0; i < n; i++)
		wp_buf_printf(&b, "%s%s", !i ? "" : i + 1 == w->n ? " and " : ", ", w->v[i]);
	if (w->n > n)
		wp_buf_printf(&b, " and %zu more", w->n - n);
	return wp_buf_take(&b, a).p;
}

static bool goes_on(const char *line)
{
	return wp_starts(line, "but ") || wp_starts(line, "and ");
}

/* The first few and the last few of n lines, of which `keep` are to be kept. */
static const char *lay_out(wp_arena *a, const wp_words *lines, size_t keep)
{
	size_t i, head = keep / 2, left_out = lines->n - keep;
	wp_buf b;

	wp_buf_init(&b, 1 << 16);
	for (i = 0; i < lines->n; i++) {
		if (left_out && i == head) {
			wp_buf_printf(&b, "\n... (%zu more of this kind)", left_out);
			i += left_out;
		}
		if (i)
			wp_buf_puts(&b, goes_on(lines->v[i]) ? ",\n" : "\n");
		wp_buf_puts(&b, lines->v[i]);
	}
	return wp_buf_take(&b, a).p;
}

const char *wp_lines(wp_arena *a, const wp_words *lines)
{
	enum { MAX_LINES = 8, MAX_WHY = 980 };
	size_t keep = lines->n > MAX_LINES ? MAX_LINES - 1 : lines->n;
	const char *text = lay_out(a, lines, keep);

	while (strlen(text) > MAX_WHY && keep > 2)
		text = lay_out(a, lines, --keep);
	return lines->n ? text : "no set of versions fits";
}

/* ---- versions --------------------------------------------------------------------------------- */

int wp_newest_first(const void *pa, const void *pb)
{
	const wp_cand *a = *(const wp_cand *const *)pa, *b = *(const wp_cand *const *)pb;

	return wp_version_cmp(&b->version, &a->version);
}

static const wp_cand **by_version(wp_arena *a, const wp_pooled *p)
{
	const wp_cand **v = WP_NEW_ARRAY(a, p->c.n, const wp_cand *);
	size_t i;

	for (i = 0; i < p->c.n; i++)
		v[i] = &p->c.v[i];
	if (p->c.n)
		qsort(v, p->c.n, sizeof *v, wp_newest_first);
	return v;
}

static bool in_set(const wp_pooled *p, const uint64_t *set, const wp_cand *c)
{
	return set_has(set, (uint32_t)(c - p->c.v));
}

/* Newest first, each run from its oldest to its newest. */
static void find_runs(wp_arena *a, const wp_pooled *p, const uint64_t *set, wp_words *runs, size_t *beyond)
{
	const wp_cand **v = by_version(a, p);
	size_t i, k;

	for (i = 0; i < p->c.n; i = k + 1) {
		k = i;
		if (!in_set(p, set, v[i]))
			continue;
		while (k + 1 < p->c.n && in_set(p, set, v[k + 1]))
			k++;
		if (k == i + 1)
			k = i;
		if (runs->n == MAX_RUNS)
			*beyond += k + 1 - i;
		else
			WP_PUSH(runs, k == i ? v[i]->version.norm
					     : wp_sprintf(a, "%s to %s", v[k]->version.norm, v[i]->version.norm));
	}
}

const char *wp_say_versions(wp_arena *a, const wp_pooled *p, const uint64_t *set)
{
	wp_words runs = {0};
	size_t i, beyond = 0;
	wp_buf b;

	find_runs(a, p, set, &runs, &beyond);
	wp_buf_init(&b, MAX_TEXT);
	for (i = runs.n; i-- > 0 && !beyond;)
		wp_buf_printf(&b, "%s%s", runs.v[i], !i ? "" : i == 1 ? " and " : ", ");
	for (i = 0; i < runs.n && beyond; i++)
		wp_buf_printf(&b, "%s%s", i ? ", " : "", runs.v[i]);
	if (beyond)
		wp_buf_printf(&b, " and %zu older", beyond);
	WP_VEC_FREE(&runs);
	return wp_buf_take(&b, a).p;
}

const char *wp_say_dep(wp_arena *a, const wp_dep *d)
{
	wp_requirement r = *d->req;

	r.marker = NULL;
	return wp_requirement_text(a, &r);
}

/* ---- wheels of one version ---------------------------------------------------------------------- */

/* A walk over the wheels of a page, which may have up to WP_MAX_PAGE_FILES. */
typedef struct walk {
	const wp_project *page;
	wp_arena *a, *scratch;
	const char *const *tags; size_t ntags; /* of the target's platform */
	size_t next;
	wp_wheel_name w; /* valid until the next one */
} walk;

static walk begin_walk(const wp_job *j, const wp_pooled *p)
{
	walk x = {.page = p->page, .a = wp_arena_new()};

	x.ntags = wp_platform_tags(x.a, j->t->platform, &x.tags);
	return x;
}

/* False at the end, and then the walk is no more. */
static bool next_wheel(walk *x)
{
	while (x->next < x->page->nfiles) {
		const char *name = x->page->files[x->next].filename;
		wp_error ignored = {0};

		if (x->next++ % BATCH == 0) {
			wp_arena_free(x->scratch);
			x->scratch = wp_arena_new();
		}
		if (wp_ends(name, ".whl") && wp_wheel_name_parse(x->scratch, wp_str_of(name), &x->w, &ignored) == 0)
			return true;
	}
	wp_arena_free(x->scratch);
	wp_arena_free(x->a);
	return false;
}

typedef struct wheels {
	wp_words pythons;   /* of those for the target's platform */
	wp_words tags;	    /* whole, of those that are for its Python too */
	wp_words platforms; /* of all */
} wheels;

static bool for_python(wp_arena *a, const wp_target *t, wp_str python)
{
	const char *pure = wp_sprintf(a, "%.*s-none-", (int)python.n, python.p);
	size_t i;

	for (i = 0; i < t->ntags; i++)
		if (wp_starts(t->tags[i], pure))
			return true;
	return false;
}

static void add_pythons(wp_arena *a, const wp_job *j, const wp_wheel_name *w, wheels *out)
{
	wp_str rest = wp_str_of(w->python), one;

	while (wp_str_split(&rest, '.', &one))
		if (for_python(a, j->t, one))
			wp_add_word(a, &out->tags,
				wp_str_of(wp_sprintf(a, "%s-%s-%s", w->python, w->abi, w->platform)));
		else
			wp_add_word(a, &out->pythons, one);
}

static void find_wheels(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_version *v, wheels *out)
{
	walk x = begin_walk(j, p);
	wp_str rest, one;

	while (next_wheel(&x)) {
		if (wp_version_cmp(&x.w.version, v) != 0)
			continue;
		if (wp_wheel_on_platforms(&x.w, x.tags, x.ntags))
			add_pythons(a, j, &x.w, out);
		for (rest = wp_str_of(x.w.platform); wp_str_split(&rest, '.', &one);)
			wp_add_word(a, &out->platforms, one);
	}
}

/* The minor number of cp312; 0 of any other text. */
static uint64_t minor_of(const char *python)
{
	uint64_t n;

	return wp_starts(python, "cp3") && wp_str_u64(wp_str_of(python + 3), &n) ? n : 0;
}

static int by_minor(const void *pa, const void *pb)
{
	const char *a = *(const char *const *)pa, *b = *(const char *const *)pb;
	uint64_t x = minor_of(a), y = minor_of(b);

	if (x && y)
		return x < y ? -1 : x > y;
	return x ? -1 : y ? 1 : strcmp(a, b);
}

/* "cp39 to cp312 and cp313t". */
static const char *say_pythons(wp_arena *a, wp_words *w)
{
	wp_words runs = {0};
	const char *text;
	size_t i, k;

	qsort(w->v, w->n, sizeof *w->v, by_minor);
	for (i = 0; i < w->n; i = k + 1) {
		for (k = i; k + 1 < w->n && minor_of(w->v[k]) && minor_of(w->v[k + 1]) == minor_of(w->v[k]) + 1;)
			k++;
		if (k < i + 2)
			k = i;
		WP_PUSH(&runs, k == i ? w->v[i] : wp_sprintf(a, "%s to %s", w->v[i], w->v[k]));
	}
	text = wp_join(a, &runs, MAX_WORDS);
	WP_VEC_FREE(&runs);
	return text;
}

static const char *system_of(const char *platform)
{
	if (wp_starts(platform, "win"))
		return "Windows";
	if (wp_starts(platform, "macosx"))
		return "macOS";
	return strstr(platform, "linux") ? "Linux" : "";
}

const char *wp_system(const wp_target *t)
{
	return system_of(t->platform);
}

/* "Linux and macOS", where all these are for other systems than the target's; NULL. */
static const char *other_systems(wp_arena *a, const wp_job *j, const wp_words *platforms)
{
	static const char *const all[] = {"Linux", "macOS", "Windows"};
	bool has[3] = {false};
	wp_words names = {0};
	const char *text;
	size_t i, k;

	for (i = 0; i < platforms->n; i++) {
		for (k = 0; k < 3 && !wp_streq(all[k], system_of(platforms->v[i])); k++)
			;
		if (k == 3 || wp_streq(all[k], wp_system(j->t)))
			return NULL;
		has[k] = true;
	}
	for (k = 0; k < 3; k++)
		if (has[k])
			WP_PUSH(&names, all[k]);
	text = names.n ? wp_join(a, &names, 3) : NULL;
	WP_VEC_FREE(&names);
	return text;
}

static void free_wheels(wheels *w)
{
	WP_VEC_FREE(&w->tags);
	WP_VEC_FREE(&w->pythons);
	WP_VEC_FREE(&w->platforms);
}

/* The newest version that the requirement takes with a wheel for the target's platform, whatever its Python. */
static bool newest_for_platform(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_dep *d, wp_version *out)
{
	walk x = begin_walk(j, p);
	bool found = false;

	while (next_wheel(&x)) {
		if (!wp_wheel_on_platforms(&x.w, x.tags, x.ntags) || wp_refuses(d, &x.w.version) ||
			(found && wp_version_cmp(&x.w.version, out) <= 0))
			continue;
		found = wp_version_parse(a, wp_str_of(x.w.version.text), out);
	}
	return found;
}

const char *wp_other_systems_only(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_dep *d)
{
	const wp_cand *c = wp_nearest_unfit(p, d);
	wheels w = {0};
	wp_version v;
	const char *text;

	if (!c || !(c->unfit & WP_UNFIT_TAG) || newest_for_platform(a, j, p, d, &v))
		return NULL;
	find_wheels(a, j, p, &c->version, &w);
	text = other_systems(a, j, &w.platforms);
	free_wheels(&w);
	return text;
}

/* "; the newest for win_amd64 is 2.10.1, for cp37 to cp310": behind a version that is for other systems only. */
static const char *say_older_wheels(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_cand *c,
	const wp_dep *d)
{
	wheels w = {0};
	wp_version v;
	const char *text = "";

	if (newest_for_platform(a, j, p, d, &v) && wp_version_cmp(&v, &c->version) < 0) {
		find_wheels(a, j, p, &v, &w);
		text = wp_sprintf(a, "; the newest for %s is %s%s%s", j->t->platform, v.norm, w.pythons.n ? ", for " : "",
			w.pythons.n ? say_pythons(a, &w.pythons) : "");
		free_wheels(&w);
	}
	return text;
}

static const char *say_tags(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_cand *c)
{
	const char *name = wp_sprintf(a, "%s %s", p->name, c->version.norm), *systems, *text;
	wheels w = {0};

	find_wheels(a, j, p, &c->version, &w);
	systems = other_systems(a, j, &w.platforms);
	if (w.tags.n) /* its ABI does not fit */
		text = wp_sprintf(a, "%s has wheels for %s, and the target is %s on %s", name, wp_join(a, &w.tags, 3),
			j->t->python_tag, j->t->platform);
	else if (w.pythons.n)
		text = wp_sprintf(a, "%s has wheels for %s on %s, and the target is %s", name, say_pythons(a, &w.pythons),
			j->t->platform, j->t->python_tag);
	else
		text = wp_sprintf(a, "%s has wheels for %s only, and the target is %s", name,
			systems ? systems : wp_join(a, &w.platforms, MAX_WORDS), j->t->platform);
	free_wheels(&w);
	return text;
}

const char *wp_say_unfit(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_cand *c)
{
	if (c->unfit & WP_UNFIT_NEWER)
		return wp_sprintf(a, "%s %s was not uploaded before %s", p->name, c->version.norm, j->exclude_newer);
	if (c->unfit & WP_UNFIT_UNDATED)
		return wp_sprintf(a, "the index '%s' gives no upload time for %s %s, and only what is from before %s is taken",
			p->page->index, p->name, c->version.norm, j->exclude_newer);
	if (c->unfit & WP_UNFIT_PYTHON)
		return wp_sprintf(a, "%s %s requires Python %s, and the target has %s", p->name, c->version.norm,
			c->requires_python, j->t->markers.python_full_version);
	if (c->unfit & WP_UNFIT_TAG)
		return say_tags(a, j, p, c);
	if (c->unfit & WP_UNFIT_LABEL)
		return wp_sprintf(a, "%s %s is not labelled +%s", p->name, c->version.norm, j->t->variant);
	if (c->unfit & WP_UNFIT_LATE_SOURCE)
		return wp_sprintf(a, "%s %s has only a source distribution, and none that was uploaded before %s", p->name,
			c->version.norm, j->exclude_newer);
	return wp_sprintf(a, "%s %s has only a source distribution, which is not built here", p->name,
		c->version.norm);
}

/* ---- a project with nothing that serves --------------------------------------------------------- */

const wp_cand *wp_nearest_unfit(const wp_pooled *p, const wp_dep *d)
{
	const wp_cand *source = NULL;
	size_t i;

	for (i = 0; i < p->c.nout; i++) {
		const wp_cand *c = &p->c.out[i];

		if (d && wp_refuses(d, &c->version))
			continue;
		if (c->unfit & ~(unsigned)WP_UNFIT_SOURCE)
			return c;
		source = source ? source : c;
	}
	return source;
}

const char *wp_say_nothing(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_dep *d)
{
	const wp_cand *any = p->page ? wp_nearest_unfit(p, NULL) : NULL, *c = any ? wp_nearest_unfit(p, d) : NULL;
	const wp_cand *first;
	const char *older;

	if (!p->page)
		return wp_sprintf(a, "no index has a project '%s'", p->name);
	if (!any)
		return wp_sprintf(a, "'%s' has no files at all on the index '%s'", p->name, p->page->index);
	if (any->unfit == WP_UNFIT_SOURCE)
		return wp_sprintf(a, "'%s' has only source distributions, which are not built here", p->name);
	if (!c)
		return wp_sprintf(a, "'%s' has no such version as %s, and no wheel of another fits: %s", p->name,
			wp_say_dep(a, d), wp_say_unfit(a, j, p, any));
	first = wp_first_newer(&p->c, !d->negate ? &d->req->specifiers : NULL);
	if (first)
		return wp_sprintf(a, "no wheel of '%s' that fits was uploaded before %s; the first that fits is of %.10s, for %s %s",
			p->name, j->exclude_newer, first->uploaded, p->name, first->version.norm);
	older = c->unfit == WP_UNFIT_TAG ? say_older_wheels(a, j, p, c, d) : "";
	return wp_sprintf(a, "no wheel of '%s' fits: %s%s", p->name, wp_say_unfit(a, j, p, c), older);
}

static const char *flaw(const wp_cand *c)
{
	return c->yanked ? " (yanked)" : c->pre ? " (a pre-release)" : "";
}

static const char *say_there_is(wp_arena *a, const wp_pooled *p)
{
	const wp_cand **v = by_version(a, p), *old = v[p->c.n - 1];
	const char *fit = p->c.nout ? " with wheels that fit" : "";

	if (p->c.n == 1)
		return wp_sprintf(a, "there is no such version%s; the only one is %s%s", fit, v[0]->version.norm, flaw(v[0]));
	return wp_sprintf(a, "there is no such version%s; those that are there are %s%s %s %s%s", fit, old->version.norm,
		flaw(old), p->c.n == 2 ? "and" : "to", v[0]->version.norm, flaw(v[0]));
}

/* For a pin: the versions on both sides of it. */
static const char *say_neighbours(wp_arena *a, const wp_pooled *p, const wp_dep *d)
{
	const wp_cand **v = by_version(a, p);
	size_t i = 0;

	while (i < p->c.n && wp_version_cmp(&v[i]->version, &d->req->specifiers.v[0].version) > 0)
		i++;
	if (i == 0 || i == p->c.n)
		return say_there_is(a, p);
	return wp_sprintf(a, "there is no such version; the nearest%s are %s%s and %s%s",
		p->c.nout ? " with a wheel that fits" : "", v[i]->version.norm, flaw(v[i]), v[i - 1]->version.norm,
		flaw(v[i - 1]));
}

const char *wp_say_no_match(wp_arena *a, const wp_job *j, const wp_dep *d)
{
	const wp_pooled *p = j->pool.projects.v[d->project];
	const wp_specifiers *s = &d->req->specifiers;
	const wp_cand *near, *newest;

	if (!p->page || !p->c.n)
		return wp_say_nothing(a, j, p, d);
	near = wp_nearest_unfit(p, d);
	newest = by_version(a, p)[0];
	if (near)
		return wp_sprintf(a, "%s; the newest with a wheel that fits is %s%s", wp_say_unfit(a, j, p, near),
			newest->version.norm, flaw(newest));
	if (s->n == 1 && s->v[0].op == WP_EQ && !s->v[0].wildcard)
		return say_neighbours(a, p, d);
	return say_there_is(a, p);
}

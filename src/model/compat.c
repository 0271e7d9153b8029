/* SPDX-License-Identifier: MIT */
/* compat.c: pytorch.json, text to struct. A release is written down once; what can be said of a variant by looking
 * at its releases (first and last torch, Pythons, platforms) is derived here. */
#include "base/vec.h"
#include "model/fields.h"
#include "wheelpack/compat.h"

enum { MAX_RECORDS = 10000 };

typedef WP_VEC(const char *) words;

static void add_word(words *w, const char *word)
{
	if (!wp_among(w->v, w->n, word))
		WP_PUSH(w, word);
}

static void add_words(words *w, const char *const *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		add_word(w, v[i]);
}

static const char *const *take_words(wp_arena *a, words *w, size_t *n)
{
	const char *const *v = WP_VEC_COPY(a, w);

	*n = w->n;
	WP_VEC_FREE(w);
	return v;
}

/* ---- records ------------------------------------------------------------------------------ */

static bool read_drivers(wp_json *j, void *out)
{
	const char **linux_windows = out;
	wp_field f[] = {
		{"linux", WP_F_STR_OR_NULL, &linux_windows[0]},
		{"windows", WP_F_STR_OR_NULL, &linux_windows[1]},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_variant(wp_json *j, void *out)
{
	wp_variant_fact *v = out;
	const char *runs[2] = {0}, *full[2] = {0};
	wp_field f[] = {
		{"name", WP_F_STR, &v->name},
		{"cuda", WP_F_STR_OR_NULL, &v->cuda},
		{"closed", WP_F_BOOL, &v->closed},
		{"driver_runs", WP_F_CALL, runs, NULL, read_drivers, true},
		{"driver_full", WP_F_CALL, full, NULL, read_drivers, true},
		{"source", WP_F_SKIP},
	};

	if (!wp_fields_read(j, f, sizeof f / sizeof *f))
		return false;
	v->driver_runs_linux = runs[0];
	v->driver_runs_windows = runs[1];
	v->driver_full_linux = full[0];
	v->driver_full_windows = full[1];
	return true;
}

typedef struct build_list {
	const char *const *pythons, *const *variants;
	size_t npythons, nvariants;
} build_list;

static bool read_builds(wp_json *j, void *out)
{
	build_list *b = out;
	wp_field f[] = {
		{"pythons", WP_F_STRS, &b->pythons, &b->npythons},
		{"variants", WP_F_STRS, &b->variants, &b->nvariants},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_release(wp_json *j, void *out)
{
	wp_release_fact *r = out;
	build_list win = {0}, lin = {0}, arm = {0};
	wp_field f[] = {
		{"torch", WP_F_STR, &r->torch},
		{"torchvision", WP_F_STR_OR_NULL, &r->torchvision},
		{"torchaudio", WP_F_STR_OR_NULL, &r->torchaudio},
		{"default_linux", WP_F_STR_OR_NULL, &r->default_linux},
		{"win_amd64", WP_F_CALL, &win, NULL, read_builds, true},
		{"linux_x86_64", WP_F_CALL, &lin, NULL, read_builds, true},
		{"linux_aarch64", WP_F_CALL, &arm, NULL, read_builds, true},
		{"source", WP_F_SKIP},
	};

	if (!wp_fields_read(j, f, sizeof f / sizeof *f))
		return false;
	r->pythons_win = win.pythons, r->npythons_win = win.npythons;
	r->variants_win = win.variants, r->nvariants_win = win.nvariants;
	r->pythons_linux = lin.pythons, r->npythons_linux = lin.npythons;
	r->variants_linux = lin.variants, r->nvariants_linux = lin.nvariants;
	r->variants_aarch64 = arm.variants, r->nvariants_aarch64 = arm.nvariants;
	return true;
}

static bool read_partner(wp_json *j, void *out)
{
	wp_partner *p = out;
	wp_field f[] = {
		{"project", WP_F_STR, &p->project},
		{"version", WP_F_STR, &p->version},
		{"torch", WP_F_STR, &p->torch},
		{"source", WP_F_SKIP},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_known_bad(wp_json *j, void *out)
{
	wp_known_bad *b = out;
	wp_field f[] = {
		{"id", WP_F_STR, &b->id},
		{"when_project", WP_F_STR, &b->when_project},
		{"when", WP_F_STR, &b->when},
		{"project", WP_F_STR, &b->project},
		{"bad", WP_F_STR, &b->bad},
		{"os", WP_F_STR, &b->os},
		{"why", WP_F_STR, &b->why},
		{"source", WP_F_SKIP},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_absent(wp_json *j, void *out)
{
	wp_absent_fact *x = out;
	wp_field f[] = {
		{"project", WP_F_STR, &x->project},
		{"variant", WP_F_STR, &x->variant},
		{"source", WP_F_SKIP},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

/* A range of releases as it is written; turned into indexes once all releases are there. */
typedef struct arch_text {
	wp_arch_fact fact;
	const char *first, *last;
} arch_text;

static bool read_arch(wp_json *j, void *out)
{
	arch_text *x = out;
	wp_field f[] = {
		{"variants", WP_F_STRS, &x->fact.variants, &x->fact.nvariants},
		{"first", WP_F_STR, &x->first},
		{"last", WP_F_STR, &x->last},
		{"platform", WP_F_STR, &x->fact.platform},
		{"arches", WP_F_STRS, &x->fact.arches, &x->fact.narches},
		{"source", WP_F_SKIP},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

/* ---- the document ------------------------------------------------------------------------- */

typedef struct reading {
	wp_compat *c;
	arch_text *arches;
	size_t narches;
} reading;

#define LIST(fn, one, field, count)                                                                \
	static bool fn(wp_json *j, void *out)                                                      \
	{                                                                                          \
		reading *r = out;                                                                  \
                                                                                                   \
		return wp_fields_each(j, sizeof *r->field, MAX_RECORDS, one, (void **)&r->field,   \
			&r->count);                                                                \
	}

LIST(read_variants, read_variant, c->variants, c->nvariants)
LIST(read_releases, read_release, c->releases, c->nreleases)
LIST(read_partners, read_partner, c->partners, c->npartners)
LIST(read_known_bads, read_known_bad, c->known_bad, c->nknown_bad)
LIST(read_absents, read_absent, c->absent, c->nabsent)
LIST(read_arches, read_arch, arches, narches)

static bool release_index(const wp_compat *c, const char *torch, size_t *out)
{
	for (*out = 0; *out < c->nreleases; ++*out)
		if (wp_streq(c->releases[*out].torch, torch))
			return true;
	return false;
}

static int place_arches(wp_arena *a, reading *r, wp_error *e)
{
	wp_arch_fact *v = WP_NEW_ARRAY(a, r->narches, wp_arch_fact);
	size_t i;

	for (i = 0; i < r->narches; i++) {
		v[i] = r->arches[i].fact;
		if (!release_index(r->c, r->arches[i].first, &v[i].first) ||
			!release_index(r->c, r->arches[i].last, &v[i].last) || v[i].first > v[i].last)
			return wp_fail(e, WP_E_DOCUMENT, "arches: '%s' to '%s' is no range of the releases",
				r->arches[i].first, r->arches[i].last);
	}
	r->c->arches = v;
	r->c->narches = r->narches;
	return 0;
}

static void derive(wp_arena *a, const wp_compat *c, wp_variant_fact *v)
{
	static const char *const platforms[] = {"win_amd64", "linux_x86_64", "linux_aarch64"};
	words win = {0}, lin = {0}, on = {0};
	size_t i, p;

	for (i = 0; i < c->nreleases; i++) {
		const wp_release_fact *r = &c->releases[i];
		bool there = false;

		for (p = 0; p < 3; p++)
			if (wp_release_has(r, platforms[p], v->name)) {
				add_word(&on, platforms[p]);
				there = true;
			}
		if (!there)
			continue;
		v->torch_first = v->torch_first ? v->torch_first : r->torch;
		v->torch_last = r->torch;
		if (wp_release_has(r, platforms[0], v->name))
			add_words(&win, r->pythons_win, r->npythons_win);
		if (wp_release_has(r, platforms[1], v->name))
			add_words(&lin, r->pythons_linux, r->npythons_linux);
	}
	v->pythons_win = take_words(a, &win, &v->npythons_win);
	v->pythons_linux = take_words(a, &lin, &v->npythons_linux);
	v->platforms = take_words(a, &on, &v->nplatforms);
	if (v->torch_last)
		v->arches = wp_compat_arches(c, v->torch_last, "linux_x86_64", v->name, &v->narches);
}

int wp_compat_read(wp_arena *a, wp_str text, wp_compat *out, wp_error *e)
{
	wp_json j;
	reading r = {.c = out};
	wp_variant_fact *v;
	size_t i;
	wp_field f[] = {
		{"schema", WP_F_WORD, WP_COMPAT_SCHEMA},
		{"as_of", WP_F_STR, &out->as_of},
		{"about", WP_F_SKIP},
		{"index_bound", WP_F_STRS, &out->index_bound, &out->nindex_bound},
		{"variant_first", WP_F_STRS, &out->variant_first, &out->nvariant_first},
		{"labelled", WP_F_STRS, &out->labelled, &out->nlabelled},
		{"variants", WP_F_CALL, &r, NULL, read_variants},
		{"releases", WP_F_CALL, &r, NULL, read_releases},
		{"partners", WP_F_CALL, &r, NULL, read_partners},
		{"known_bad", WP_F_CALL, &r, NULL, read_known_bads},
		{"absent", WP_F_CALL, &r, NULL, read_absents},
		{"arches", WP_F_CALL, &r, NULL, read_arches},
	};

	*out = (wp_compat){0};
	wp_json_init(&j, a, text, WP_E_DOCUMENT, e);
	if (!wp_fields_read(&j, f, sizeof f / sizeof *f) || wp_json_end(&j) || place_arches(a, &r, e))
		return e->code;
	v = WP_NEW_ARRAY(a, out->nvariants, wp_variant_fact);
	for (i = 0; i < out->nvariants; i++) {
		v[i] = out->variants[i];
		derive(a, out, &v[i]);
	}
	out->variants = v;
	return 0;
}

/* ---- questions ---------------------------------------------------------------------------- */

const wp_variant_fact *wp_compat_variant(const wp_compat *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->nvariants; i++)
		if (wp_streq(c->variants[i].name, name))
			return &c->variants[i];
	return NULL;
}

const char *wp_compat_variants(wp_arena *a, const wp_compat *c)
{
	const char *text = "", *last = "";
	size_t i;

	for (i = 0; i < c->nvariants; i++)
		if (!c->variants[i].cuda)
			last = c->variants[i].name;
		else
			text = wp_sprintf(a, "%s%s%s", text, *text ? ", " : "", c->variants[i].name);
	return wp_sprintf(a, "%s%s%s", text, *text && *last ? ", " : "", last);
}

const wp_release_fact *wp_compat_release(const wp_compat *c, const char *torch_public_version)
{
	size_t i;

	return release_index(c, torch_public_version, &i) ? &c->releases[i] : NULL;
}

wp_family wp_compat_family(const wp_compat *c, const char *name)
{
	if (wp_among(c->index_bound, c->nindex_bound, name))
		return WP_INDEX_BOUND;
	if (wp_among(c->variant_first, c->nvariant_first, name))
		return WP_VARIANT_FIRST;
	return WP_ORDINARY;
}

bool wp_compat_labelled(const wp_compat *c, const char *name)
{
	return wp_among(c->labelled, c->nlabelled, name);
}

const char *wp_compat_platform(const char *platform)
{
	if (wp_streq(platform, "win_amd64"))
		return "win_amd64";
	if (!wp_starts(platform, "linux_") && !wp_starts(platform, "manylinux"))
		return NULL;
	if (wp_ends(platform, "_x86_64"))
		return "linux_x86_64";
	return wp_ends(platform, "_aarch64") ? "linux_aarch64" : NULL;
}

const char *wp_release_version(const wp_release_fact *r, const char *project)
{
	if (wp_streq(project, "torch"))
		return r->torch;
	if (wp_streq(project, "torchvision"))
		return r->torchvision;
	return wp_streq(project, "torchaudio") ? r->torchaudio : NULL;
}

bool wp_release_has(const wp_release_fact *r, const char *platform, const char *variant)
{
	if (wp_streq(platform, "win_amd64"))
		return wp_among(r->variants_win, r->nvariants_win, variant);
	if (wp_streq(platform, "linux_x86_64"))
		return wp_among(r->variants_linux, r->nvariants_linux, variant);
	return wp_streq(platform, "linux_aarch64") &&
		wp_among(r->variants_aarch64, r->nvariants_aarch64, variant);
}

const wp_release_fact *wp_compat_newest(const wp_compat *c, const char *platform, const char *variant)
{
	size_t i;

	for (i = c->nreleases; i > 0; i--)
		if (wp_release_has(&c->releases[i - 1], platform, variant))
			return &c->releases[i - 1];
	return NULL;
}

const char *const *wp_compat_arches(const wp_compat *c, const char *torch_public_version, const char *platform,
	const char *variant, size_t *n)
{
	size_t i, at;

	*n = 0;
	if (!release_index(c, torch_public_version, &at))
		return NULL;
	for (i = 0; i < c->narches; i++) {
		const wp_arch_fact *x = &c->arches[i];

		if (at >= x->first && at <= x->last && wp_streq(x->platform, platform) &&
			wp_among(x->variants, x->nvariants, variant)) {
			*n = x->narches;
			return x->arches;
		}
	}
	return NULL;
}

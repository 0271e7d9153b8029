/* SPDX-License-Identifier: MIT */
#include "cli/suggest.h"

#include <string.h>

#include "base/vec.h"
#include "os/os.h"
#include "py/requirement.h"

enum {
	MAX_TRIES = 12,
	MAX_MS = 5000,
	OF_A_KIND = 5, /* Pythons or variants */
	FIRST_MINOR = 8
};

/* What stops the tries: the time, or the user. */
typedef struct watch {
	atomic_int stop, done;
	const atomic_int *user;
	uint64_t end;
} watch;

typedef struct tries {
	cli *c;
	wp_arena *a;
	wp_ctx ctx; /* of the tries */
	const cli_request *q;
	const wp_session_options *so;
	const wp_lock_request *lq;
	const wp_requirement *asked; /* those of lq, parsed */
	const wp_catalog *catalog;
	int left;
} tries;

static void keep_watch(void *arg)
{
	watch *w = arg;

	while (!atomic_load(&w->done) && !atomic_load(&w->stop)) {
		if (os_now_ms() >= w->end || (w->user && atomic_load(w->user)))
			atomic_store(&w->stop, 1);
		os_sleep_ms(10);
	}
}

static bool solves(tries *t, const wp_lock_request *lq, const wp_catalog *catalog, wp_lock_result *out)
{
	wp_lock_request plain = *lq;
	wp_error e = {0};

	plain.nexplain = 0;
	if (t->left <= 0 || wp_cancelled(&t->ctx))
		return false;
	t->left--;
	return wp_lock(&t->ctx, &plain, catalog, out, &e) == 0 && out->lock.nwheels;
}

/* ---- another Python ------------------------------------------------------------------------- */

/* The newest Python 3 that any torch is for. */
static int newest_minor(const wp_compat *c)
{
	int newest = FIRST_MINOR;
	uint64_t n;
	size_t i, k;

	for (i = 0; i < c->nreleases; i++)
		for (k = 0; k < c->releases[i].npythons_linux; k++) {
			const char *python = c->releases[i].pythons_linux[k];

			if (wp_starts(python, "cp3") && wp_str_u64(wp_str_of(python + 3), &n) && n < 100 &&
				(int)n > newest)
				newest = (int)n;
		}
	return newest;
}

static bool from_manifest(const cli *c)
{
	size_t i;

	for (i = 0; i < c->o.args.n; i++)
		if (wp_ends(c->o.args.v[i], ".json"))
			return !c->o.python && !c->o.platform;
	return false;
}

/* How to ask for it. */
static const char *target_words(const tries *t, const wp_target *g, const char *else_words)
{
	if (t->c->o.targets.n || from_manifest(t->c))
		return wp_sprintf(t->a, "--target %s", g->name);
	return else_words;
}

static const char *try_python(tries *t, int minor)
{
	const wp_target *old = &t->q->targets[0];
	wp_target g;
	wp_lock_request lq = *t->lq;
	wp_lock_result r;
	wp_error e = {0};
	const char *python = wp_sprintf(t->a, "3.%d", minor);

	lq.targets = &g;
	if (wp_target_make(t->a, python, old->platform, old->variant, &g, &e) || !solves(t, &lq, t->catalog, &r))
		return NULL;
	return wp_sprintf(t->a, "with Python %s it can be locked: %s", python,
		target_words(t, &g, wp_sprintf(t->a, "--python %s", python)));
}

/* The nearest first. */
static const char *try_pythons(tries *t)
{
	int here = t->q->targets[0].py_minor, newest = newest_minor(&t->c->compat), far, side, minor, n = 0;
	const char *text = NULL;

	if (t->q->ntargets != 1)
		return NULL;
	if (t->q->targets[0].threaded)
		text = try_python(t, here);
	for (far = 1; !text && far <= newest - FIRST_MINOR; far++)
		for (side = -1; !text && side <= 1; side += 2) {
			minor = here + side * far;
			if (minor >= FIRST_MINOR && minor <= newest && n++ < OF_A_KIND)
				text = try_python(t, minor);
		}
	return text;
}

/* ---- another variant ------------------------------------------------------------------------ */

/* The variant's own index is the only one that changes. */
static const wp_index *indexes_for(const tries *t, const char *variant)
{
	wp_index *v = WP_NEW_ARRAY(t->a, t->so->nindexes, wp_index);
	const char *old = wp_sprintf(t->a, "/%s/", t->q->variant);
	bool found = false;
	size_t i;

	for (i = 0; i < t->so->nindexes; i++) {
		v[i] = t->so->indexes[i];
		if (!v[i].variant || !wp_ends(v[i].url, old))
			continue;
		found = true;
		v[i].url = wp_sprintf(t->a, "%.*s/%s/", (int)(strlen(v[i].url) - strlen(old)), v[i].url, variant);
	}
	return found ? v : NULL;
}

static const wp_target *targets_for(const tries *t, const char *variant)
{
	wp_target *v = WP_NEW_ARRAY(t->a, t->q->ntargets, wp_target);
	wp_error e = {0};
	size_t i;

	for (i = 0; i < t->q->ntargets; i++)
		if (cli_target_with(t->a, &t->q->targets[i], variant, &v[i], &e))
			return NULL;
	return v;
}

static const char *try_variant(tries *t, const char *variant)
{
	wp_session_options so = *t->so;
	wp_lock_request lq = *t->lq;
	wp_session *session = NULL;
	wp_lock_result r;
	wp_error e = {0};
	bool solved;

	so.indexes = indexes_for(t, variant);
	lq.targets = targets_for(t, variant);
	so.net.retries = 1;
	if (!so.indexes || !lq.targets || wp_session_open(&t->ctx, &so, &session, &e))
		return NULL;
	lq.indexes = cli_lock_indexes(t->a, so.indexes, so.nindexes);
	solved = solves(t, &lq, wp_session_catalog(session), &r);
	wp_session_close(session);
	if (!solved)
		return NULL;
	return wp_sprintf(t->a, "with %s it can be locked: %s", variant,
		t->q->ntargets == 1
			? target_words(t, lq.targets, wp_sprintf(t->a, "--cuda %s", variant))
			: wp_sprintf(t->a, "--cuda %s", variant));
}

/* As far as is known: does one release of the variant have all of the family that is asked for? */
static bool release_serves(const tries *t, const wp_release_fact *r)
{
	wp_version v;
	size_t i;

	for (i = 0; i < t->lq->nrequirements; i++) {
		const wp_requirement *q = &t->asked[i];
		const char *version = wp_release_version(r, q->project);

		if (wp_compat_labelled(&t->c->compat, q->project) &&
			(!version || !wp_version_parse(t->a, wp_str_of(version), &v) ||
				!wp_specifiers_match(&q->specifiers, &v)))
			return false;
	}
	return true;
}

static bool may_serve(const tries *t, const char *variant)
{
	const wp_compat *c = &t->c->compat;
	const char *platform = wp_compat_platform(t->q->targets[0].platform);
	size_t i;

	for (i = 0; platform && i < c->nreleases; i++)
		if (wp_release_has(&c->releases[i], platform, variant) && release_serves(t, &c->releases[i]))
			return true;
	return false;
}

static bool is_cuda(const wp_variant_fact *v)
{
	return v->cuda != NULL;
}

/* The nearest CUDA first, of two as near the newer. */
static const char *try_variants(tries *t)
{
	const wp_compat *c = &t->c->compat;
	const wp_variant_fact *here = t->q->variant ? wp_compat_variant(c, t->q->variant) : NULL;
	size_t at = here ? (size_t)(here - c->variants) : 0, far;
	const char *text = NULL;
	int side, n = 0;

	if (!here || !is_cuda(here))
		return NULL;
	for (far = 1; !text && far < c->nvariants; far++)
		for (side = 1; !text && side >= -1; side -= 2) {
			size_t i = at + (size_t)side * far;

			if (i < c->nvariants && is_cuda(&c->variants[i]) && may_serve(t, c->variants[i].name) &&
				n++ < OF_A_KIND)
				text = try_variant(t, c->variants[i].name);
		}
	return text;
}

/* ---- a looser pin --------------------------------------------------------------------------- */

/* torch==2.5.0 -> torch==2.5.*; NULL where it is no such pin. */
static const char *loosened(const tries *t, const wp_requirement *r)
{
	const wp_specifier *s = r->specifiers.n == 1 ? &r->specifiers.v[0] : NULL;

	if (!s || s->op != WP_EQ || s->wildcard || s->version.nrelease < 3 || s->version.epoch)
		return NULL;
	return wp_sprintf(t->a, "==%llu.%llu.*", (unsigned long long)s->version.release[0],
		(unsigned long long)s->version.release[1]);
}

/* The requirement with other versions; its extras and its marker stay. */
static const char *with_versions(const tries *t, const wp_requirement *r, const char *versions)
{
	wp_requirement other = *r;

	other.specifiers.norm = versions;
	return wp_requirement_text(t->a, &other);
}

/* What somebody types for one version: without a marker. */
static const char *pinned(const tries *t, const wp_requirement *r, const char *version)
{
	wp_requirement plain = *r;

	plain.marker = NULL;
	return with_versions(t, &plain, wp_sprintf(t->a, "==%s", version));
}

/* Without its label, which the variant gives. */
static const char *version_found(const tries *t, const wp_lock_result *r, const char *project)
{
	wp_version v;
	size_t i;

	for (i = 0; i < r->lock.nwheels; i++)
		if (wp_streq(r->lock.wheels[i].project, project) &&
			wp_version_parse(t->a, wp_str_of(r->lock.wheels[i].version), &v))
			return wp_version_public(t->a, &v);
	return NULL;
}

static bool solves_with(tries *t, size_t at, const char *text, wp_lock_result *r)
{
	const char **v = wp_vec_copy(t->a, t->lq->requirements, t->lq->nrequirements, sizeof *v);
	wp_lock_request lq = *t->lq;

	v[at] = text;
	lq.requirements = v;
	return solves(t, &lq, t->catalog, r);
}

static const char *try_requirement(tries *t, size_t at)
{
	const char *looser, *version;
	wp_requirement r = t->asked[at];
	wp_lock_result found = {0};

	if (!r.specifiers.n)
		return NULL;
	looser = loosened(t, &r);
	if (!(looser && solves_with(t, at, with_versions(t, &r, looser), &found)) &&
		!solves_with(t, at, with_versions(t, &r, ""), &found))
		return NULL;
	version = version_found(t, &found, r.project);
	r.marker = NULL;
	return version ? wp_sprintf(t->a, "ask for %s instead of %s", pinned(t, &r, version), wp_requirement_text(t->a, &r))
		       : wp_sprintf(t->a, "leave out %s: the rest can be locked", wp_requirement_text(t->a, &r));
}

static const char *try_constraint(tries *t, size_t at)
{
	const char *const *all = t->lq->constraints, **v = WP_NEW_ARRAY(t->a, t->lq->nconstraints, const char *);
	wp_lock_request lq = *t->lq;
	wp_lock_result found = {0};
	size_t i;

	lq.constraints = v;
	lq.nconstraints = 0;
	for (i = 0; i < t->lq->nconstraints; i++)
		if (i != at)
			v[lq.nconstraints++] = all[i];
	return solves(t, &lq, t->catalog, &found)
		? wp_sprintf(t->a, "leave out the constraint %s: without it the request can be locked", all[at])
		: NULL;
}

static const char *try_pins(tries *t)
{
	const char *text = NULL;
	size_t i;

	for (i = 0; !text && i < t->lq->nconstraints; i++)
		text = try_constraint(t, i);
	for (i = 0; !text && i < t->lq->nrequirements; i++)
		text = try_requirement(t, i);
	return text;
}

/* ---- what goes with torch ------------------------------------------------------------------- */

/* The release of the torch that the request pins; NULL. */
static const wp_release_fact *release_asked(const tries *t)
{
	size_t i;

	for (i = 0; i < t->lq->nrequirements; i++) {
		const wp_specifiers *s = &t->asked[i].specifiers;

		if (wp_streq(t->asked[i].project, "torch") && s->n == 1 && s->v[0].op == WP_EQ && !s->v[0].wildcard)
			return wp_compat_release(&t->c->compat, wp_version_public(t->a, &s->v[0].version));
	}
	return NULL;
}

/* The partner in the version that goes with that torch, where another was asked for; NULL. */
static const char *partner_version(const tries *t, const wp_release_fact *release, const wp_requirement *r)
{
	const char *version = wp_release_version(release, r->project);
	wp_version v;

	if (!version || wp_streq(r->project, "torch") || r->url || !r->specifiers.n ||
		!wp_version_parse(t->a, wp_str_of(version), &v) || wp_specifiers_match(&r->specifiers, &v))
		return NULL;
	return version;
}

static const char *try_partners(tries *t)
{
	const wp_release_fact *release = release_asked(t);
	const char **v = wp_vec_copy(t->a, t->lq->requirements, t->lq->nrequirements, sizeof *v);
	const char *who = NULL, *ask = NULL, *version;
	wp_lock_request lq = *t->lq;
	wp_lock_result found = {0};
	size_t i, n = 0;

	for (i = 0; release && i < lq.nrequirements; i++) {
		const wp_requirement *r = &t->asked[i];

		version = partner_version(t, release, r);
		if (!version)
			continue;
		who = wp_sprintf(t->a, "%s%s%s %s", who ? who : "", who ? " and " : "", r->project, version);
		ask = wp_sprintf(t->a, "%s%s%s", ask ? ask : "", ask ? " and " : "", pinned(t, r, version));
		v[i] = with_versions(t, r, wp_sprintf(t->a, "==%s", version));
		n++;
	}
	lq.requirements = v;
	if (!n || !solves(t, &lq, t->catalog, &found))
		return NULL;
	return wp_sprintf(t->a, "%s go%s with torch %s: ask for %s", who, n == 1 ? "es" : "", release->torch, ask);
}

/* ---- a later date --------------------------------------------------------------------------- */

static bool only_the_date(tries *t)
{
	wp_lock_request lq = *t->lq;
	wp_lock_result found = {0};

	lq.exclude_newer = NULL;
	return t->lq->exclude_newer && solves(t, &lq, t->catalog, &found);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* What most likely helps comes first. advised: the library knows what to do. */
static const char *try_all(tries *t, wp_code code, bool advised)
{
	const char *text;

	if (only_the_date(t))
		return advised ? NULL : wp_sprintf(t->a, "with a later date than %s it can be locked", t->lq->exclude_newer);
	text = try_partners(t);
	if (!text && code == WP_E_NO_WHEEL)
		text = try_pythons(t);
	text = text ? text : try_variants(t);
	if (!text && (t->q->variant || !advised))
		text = try_pins(t);
	return text || code != WP_E_CONFLICT ? text : try_pythons(t);
}

/* False where one cannot be read, which is then what the error is about. */
static bool parse_requirements(tries *t)
{
	wp_requirement *v = WP_NEW_ARRAY(t->a, t->lq->nrequirements, wp_requirement);
	wp_error ignored = {0};
	size_t i;

	for (i = 0; i < t->lq->nrequirements; i++)
		if (wp_requirement_parse(t->a, wp_str_of(t->lq->requirements[i]), &v[i], &ignored))
			return false;
	t->asked = v;
	return true;
}

static void watched(tries *t, wp_error *e)
{
	watch w = {.user = t->c->ctx.cancel, .end = os_now_ms() + MAX_MS};
	atomic_int *user = t->c->ctx.cancel;
	os_thread *thread;
	wp_error ignored = {0};
	const char *text;

	if (os_thread_start(&thread, keep_watch, &w, &ignored))
		return;
	t->c->ctx.cancel = t->ctx.cancel = &w.stop; /* the session that is open looks at the former */
	text = try_all(t, e->code, e->next[0] != 0);
	t->c->ctx.cancel = user;
	atomic_store(&w.done, 1);
	os_thread_join(thread);
	if (text) {
		e->next[0] = 0;
		wp_err_next(e, "%s", text);
	}
}

void cli_suggest(cli *c, const cli_request *q, const wp_session_options *so, const wp_lock_request *lq,
	const wp_catalog *catalog, wp_error *e)
{
	tries t = {.c = c, .a = wp_arena_new(), .ctx = c->ctx, .q = q, .so = so, .lq = lq, .catalog = catalog,
		.left = MAX_TRIES};

	if (!c->o.no_suggest &&
		(e->code == WP_E_NO_PROJECT || e->code == WP_E_NO_WHEEL || e->code == WP_E_CONFLICT) &&
		parse_requirements(&t)) {
		t.ctx.arena = t.a;
		t.ctx.progress = NULL;
		watched(&t, e);
	}
	wp_arena_free(t.a);
}

/* SPDX-License-Identifier: MIT */
/* pool.h: all that is known while one target is solved: projects by number, their candidates, what each candidate
 * requires on this target, and which candidates a requirement allows. The one place where the solver's side meets
 * the catalogue. Everything lives in the pool's arena. */
#ifndef WP_RESOLVE_POOL_H
#define WP_RESOLVE_POOL_H

#include "base/map.h"
#include "base/vec.h"
#include "py/metadata.h"
#include "resolve/candidates.h"
#include "resolve/sets.h"

#define WP_NOBODY UINT32_MAX

/* A requirement as the solver sees it. Its marker, if it has one, holds on the target, except where `conditional`:
 * then it holds with certain extras. */
typedef struct wp_dep {
	uint32_t project;
	const wp_requirement *req;
	bool conditional; /* depends on an extra */
	bool constraint;  /* says nothing unless something else needs the project */
	bool negate;	  /* the versions that match are the ones left out */
	const char *reason; /* of a rule that is in no METADATA; NULL */
	uint32_t line;	  /* its number among the requirements of METADATA */
} wp_dep;

/* What METADATA of one candidate says. */
typedef struct wp_cand_facts {
	const char *broken; /* why the candidate cannot be taken; NULL if it can */
	const wp_dep *deps; size_t ndeps;
	const char *requires_python;
	const char *const *extras; size_t nextras; /* that it offers */
	const char *repaired;	 /* a requirement that was not as the standard wants it; NULL */
	const char *host_marker; /* a requirement whose marker asks for what only the machine itself knows; NULL */
} wp_cand_facts;

typedef struct wp_allowed { /* the candidates that a specifier lets in, as bits */
	struct wp_allowed *next;
	const char *norm;
	uint64_t hash;
	bool negate;
	uint64_t *bits;
} wp_allowed;

typedef struct wp_pooled {
	const char *name;
	bool loaded;
	const wp_project *page; /* NULL: no index has it */
	wp_cands c;
	uint32_t prefer; /* the candidate to try first, WP_NOBODY */
	wp_cand_facts **facts; /* one a candidate, NULL where not read */
	const uint32_t *runs; size_t nruns; /* where the candidates' versions begin to fall; one more, the end */
	wp_allowed **allowed; size_t nbuckets, nallowed; /* by hash */
} wp_pooled;

/* A version to take where it is possible: of an earlier lock, or of another target. */
typedef struct wp_preference {
	const char *project, *version; /* normalised */
} wp_preference;

/* A rule of the compat data, ready to be asked. */
typedef struct wp_pool_rule {
	const char *when_project, *project;
	wp_specifiers when;
	wp_dep dep; /* its project's number is given when the rule is first used */
} wp_pool_rule;

typedef struct wp_pool {
	wp_ctx *ctx;
	wp_arena *arena;
	const wp_catalog *catalog;
	const wp_target *t;
	const wp_compat *compat;
	bool prerelease;
	int64_t before; /* only what was uploaded earlier; set before projects are loaded; WP_ANY_TIME */
	const wp_preference *prefer; size_t nprefer;
	wp_map ids;
	WP_VEC(wp_pooled *) projects;
	wp_pool_rule *rules; size_t nrules;
} wp_pool;

void wp_pool_init(wp_pool *p, wp_ctx *ctx, const wp_catalog *catalog, const wp_target *t, const wp_compat *compat,
	bool prerelease);
void wp_pool_free(wp_pool *p);
/* From now on, also for projects that are loaded already. Sorted by project, no project twice; kept by the caller. */
void wp_pool_prefer(wp_pool *p, const wp_preference *v, size_t n);
void wp_sort_preferences(wp_preference *v, size_t n);
/* The page and the candidates; blocks. */
int wp_pool_load(wp_pool *p, uint32_t id, wp_error *e);
/* What a candidate requires; blocks. Unusable metadata is no error: see broken. */
int wp_pool_facts(wp_pool *p, uint32_t id, uint32_t cand, const wp_cand_facts **out, wp_error *e);
/* Does a conditional requirement hold with this extra? */
bool wp_pool_holds(const wp_pool *p, const wp_dep *d, const char *extra);
/* Is the requirement in force with these extras? */
bool wp_pool_in_force(const wp_pool *p, const wp_dep *d, const char *const *extras, size_t n);
/* Does the requirement leave this version out? */
static inline bool wp_refuses(const wp_dep *d, const wp_version *v)
{
	return wp_specifiers_match(&d->req->specifiers, v) == d->negate;
}
/* The candidates of a loaded project that the requirement leaves, one bit each. */
const uint64_t *wp_pool_allowed(wp_pool *p, const wp_dep *d);
/* A parsed requirement as a dep; nothing about markers. */
wp_dep wp_pool_dep(wp_pool *p, const wp_requirement *r);

/* Walk ahead of the solver, breadth first, along the versions that will most likely be taken, so that pages and
 * metadata are on their way before they are needed. */
int wp_pool_prefetch(wp_pool *p, const wp_dep *roots, size_t n, wp_error *e);

#endif

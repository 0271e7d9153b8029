/* SPDX-License-Identifier: MIT */
/* locking.h: what the files of wp_lock share: the parsed request, and each target with its solution. */
#ifndef WP_RESOLVE_LOCKING_H
#define WP_RESOLVE_LOCKING_H

#include "resolve/direct.h"
#include "resolve/solve.h"

/* One target, from its pool to its choice. */
typedef struct wp_job {
	const wp_target *t;
	wp_direct direct; /* wheels that the request names by their address */
	wp_pool pool;
	const wp_dep *roots; size_t nroots; /* of the request, as far as their markers hold here */
	const wp_lock_index *indexes; size_t nindexes; /* of the request */
	const char *exclude_newer; /* as given; NULL */
	const wp_preference *kept; size_t nkept; /* of the earlier lock; by project */
	wp_solution solution;
} wp_job;

typedef struct wp_locking {
	wp_ctx *ctx;
	const wp_lock_request *in;
	const wp_catalog *catalog;
	const wp_requirement *requirements, *constraints; /* parsed, as many as in the request */
	const wp_direct_wheel *addresses; size_t naddresses; /* of the requirements that have one, in their order */
	int64_t before; /* only what was uploaded earlier */
	wp_job *jobs; /* one a target, by name */
} wp_locking;

/* Solve the target with these preferences, by project, which live as long as its pool. */
int wp_solve_job(wp_job *j, const wp_preference *v, size_t n, wp_error *e);
/* Give the targets the same versions wherever that is possible. */
int wp_align(wp_locking *s, wp_error *e);
/* Has one of the targets before this one the project too? */
bool wp_in_earlier_job(const wp_locking *s, size_t job, const char *project);
/* Do the versions of this project differ between targets? */
bool wp_differs(const wp_locking *s, const char *project);
/* Is there a version of which every target that has the project has a fitting wheel? */
bool wp_common_version(const wp_locking *s, const char *project);

/* Every project that the request names exists and has a wheel that fits; all that don't are named at once. */
int wp_check_roots(wp_job *j, wp_error *e);
/* There is no solution: WP_E_NO_PROJECT, WP_E_NO_WHEEL or WP_E_CONFLICT with a derivation. */
int wp_explain(wp_job *j, wp_error *e);

/* Is the requirement in force with what was chosen? */
bool wp_in_force(const wp_job *j, const wp_chosen *c, const wp_dep *d);
/* What was chosen of the project of that name or number; NULL where it is not in the solution. */
const wp_chosen *wp_choice_of(const wp_job *j, const char *project);
const wp_chosen *wp_choice_at(const wp_job *j, uint32_t project);
/* What was read of a chosen candidate. */
const wp_cand_facts *wp_chosen_facts(const wp_job *j, const wp_chosen *c);
const wp_cand *wp_chosen_cand(const wp_job *j, const wp_chosen *c);
/* The variant that the chosen torch was built for ("cu126", "cpu"), NULL where there is no torch or it is unknown. */
const char *wp_torch_variant(const wp_job *j);

/* An index's address for others to read; a folder has none. */
const char *wp_without_password(wp_arena *a, const char *url);

/* The document, from all targets. */
int wp_build_lock(wp_locking *s, wp_lock_doc *out, wp_error *e);
/* What the request wants explained; WP_E_USAGE where a name is not in the lock, which is there by now. */
int wp_trace(const wp_locking *s, wp_lock_result *out, wp_error *e);
/* What is worth telling although all went well. */
void wp_lock_notes(wp_locking *s, wp_findings *out);

#endif

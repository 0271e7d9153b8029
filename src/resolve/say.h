/* SPDX-License-Identifier: MIT */
/* say.h: versions, files and requirements in words; what may help where a project has nothing that serves. Texts live
 * in the arena that is given. */
#ifndef WP_RESOLVE_SAY_H
#define WP_RESOLVE_SAY_H

#include "resolve/locking.h"

typedef WP_VEC(const char *) wp_words;

void wp_add_word(wp_arena *a, wp_words *w, wp_str s); /* once each */
/* "a, b and c", of which at most max are named. */
const char *wp_join(wp_arena *a, const wp_words *w, size_t max);

/* An error's why: one sentence a line, few enough to be read; what is left out is in the middle. */
const char *wp_lines(wp_arena *a, const wp_words *lines);

/* For sorting arrays of const wp_cand *. */
int wp_newest_first(const void *a, const void *b);
/* "1.0 to 1.4 and 2.0": the candidates of a set of choices. */
const char *wp_say_versions(wp_arena *a, const wp_pooled *p, const uint64_t *set);
/* The requirement in its normal form, without its marker. */
const char *wp_say_dep(wp_arena *a, const wp_dep *d);
/* Why no file of a version without a fitting wheel serves. */
const char *wp_say_unfit(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_cand *c);
/* Why the project has no candidate at all: no index has it, or no wheel of what is asked for fits. */
const char *wp_say_nothing(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_dep *d);
/* "Linux and macOS", where what the requirement asks for has wheels for those only and the target is none; NULL. */
const char *wp_other_systems_only(wp_arena *a, const wp_job *j, const wp_pooled *p, const wp_dep *d);
const char *wp_system(const wp_target *t); /* "Windows" */
/* Why none of the project's candidates is what the requirement asks for. */
const char *wp_say_no_match(wp_arena *a, const wp_job *j, const wp_dep *d);
/* The version without a fitting wheel that comes nearest: one with wheels before one without, newest first. NULL
 * where no version matches; d may be NULL. */
const wp_cand *wp_nearest_unfit(const wp_pooled *p, const wp_dep *d);

/* advise.c: the error's next. d: the requirement that nothing serves. */
void wp_advise(wp_arena *a, const wp_job *j, const wp_dep *d, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT */
/* candidates.h: from an index page to the versions of a project that a target could take, best first, and why the
 * others cannot be taken. Pure: no metadata is read here. */
#ifndef WP_RESOLVE_CANDIDATES_H
#define WP_RESOLVE_CANDIDATES_H

#include "py/tag.h"
#include "resolve/moment.h"
#include "wheelpack/lock.h"

/* Why files of a version do not fit; a version may have several. */
enum {
	WP_UNFIT_TAG = 1,     /* no tag of the target */
	WP_UNFIT_PYTHON = 2,  /* Requires-Python */
	WP_UNFIT_LABEL = 4,   /* not the variant's local label */
	WP_UNFIT_SOURCE = 8,  /* a source distribution */
	WP_UNFIT_NEWER = 16,  /* a wheel that would fit, uploaded at or after the moment that was given */
	WP_UNFIT_UNDATED = 32, /* such a wheel, and the index doesn't say when it was uploaded */
	WP_UNFIT_LATE_SOURCE = 64 /* a source distribution, uploaded too late or nobody knows when */
};

/* One version. Of several wheels of it the best is taken. */
typedef struct wp_cand {
	wp_version version;
	const wp_file *file;	     /* NULL where no wheel of it fits */
	size_t rank;		     /* of its best tag */
	const char *build; uint64_t build_n;
	bool pre, yanked;
	unsigned unfit;		     /* of the files that were left out */
	const char *requires_python; /* that left a file out; NULL if none did */
	const char *uploaded;	     /* when the first of its wheels that are WP_UNFIT_NEWER was; NULL */
} wp_cand;

typedef struct wp_cands {
	wp_cand *v; size_t n;	  /* in order of preference */
	wp_cand *out; size_t nout; /* without a fitting wheel, newest first */
} wp_cands;

/* prerelease: pre-releases stand among the others, else behind them. Yanked versions stand last. before: only what was
 * uploaded earlier (moment.h), WP_ANY_TIME; files that the user named himself need no date. */
void wp_cands_make(wp_arena *a, const wp_project *page, const wp_target *t, const wp_compat *compat,
	bool prerelease, int64_t before, wp_cands *out);
/* Of the versions that nothing but the date leaves out, the one that was uploaded first; NULL where there is none. s:
 * which are meant, NULL for all. */
const wp_cand *wp_first_newer(const wp_cands *c, const wp_specifiers *s);
/* Of a folder, or named by its address: no index stands behind it. */
bool wp_own_file(const wp_file *f);
/* Does the specifier text take the target's Python? Text that is no specifier takes any. */
bool wp_python_fits(const char *requires_python, const wp_target *t);

#endif

/* SPDX-License-Identifier: MIT
 *
 * compat.h: what is known about PyTorch, as data (manifests/pytorch.json): variants, drivers, GPU
 * architectures, partner ranges, the policies of the torch family, known-bad sets. A version that
 * the data doesn't know is "unknown", never a refusal.
 */
#ifndef WHEELPACK_COMPAT_H
#define WHEELPACK_COMPAT_H

#include "wheelpack/types.h"

/* How a project relates to the variant's index once a variant is asked. */
typedef enum wp_family {
	WP_ORDINARY,	  /* an ordinary project */
	WP_INDEX_BOUND,	  /* only ever from the variant's index */
	WP_VARIANT_FIRST  /* the variant's index if it has the project, else the ordinary ones */
} wp_family;

typedef struct wp_variant_fact {
	const char *name;	  /* cu126, cpu */
	const char *cuda;	  /* 12.6, NULL for cpu */
	const char *torch_first, *torch_last; /* stable releases on that index */
	bool closed;		  /* no newer torch will come */
	const char *driver_runs_linux, *driver_runs_windows; /* minor-version floor */
	const char *driver_full_linux, *driver_full_windows; /* the toolkit's own driver */
	const char *const *pythons_win, *const *pythons_linux; size_t npythons_win, npythons_linux;
	const char *const *platforms; size_t nplatforms; /* win_amd64, linux_x86_64, linux_aarch64 */
	const char *const *arches; size_t narches;	 /* sm_50, ... of its newest torch */
} wp_variant_fact;

typedef struct wp_release_fact {
	const char *torch, *torchvision, *torchaudio; /* partners; NULL if none is known */
	const char *const *pythons_win, *const *pythons_linux; size_t npythons_win, npythons_linux;
	const char *const *variants_win, *const *variants_linux; size_t nvariants_win, nvariants_linux;
	const char *default_linux; /* variant of the build on the ordinary index, NULL if unknown */
} wp_release_fact;

/* project must satisfy specifier whenever `when_project` satisfies `when`. os: any, windows, linux */
typedef struct wp_known_bad {
	const char *id, *when_project, *when, *project, *bad, *os, *why;
} wp_known_bad;

/* project (of the labelled trio) that goes with a torch range where metadata doesn't say so. */
typedef struct wp_partner {
	const char *project, *version, *torch; /* version specifier, torch specifier */
} wp_partner;

typedef struct wp_compat {
	const char *as_of;
	const wp_variant_fact *variants; size_t nvariants;
	const wp_release_fact *releases; size_t nreleases; /* oldest first */
	const char *const *index_bound, *const *variant_first, *const *labelled;
	size_t nindex_bound, nvariant_first, nlabelled;
	const wp_partner *partners; size_t npartners;
	const wp_known_bad *known_bad; size_t nknown_bad;
} wp_compat;

/* Parse the text of pytorch.json into arena a. WP_E_DOCUMENT. */
int wp_compat_read(wp_arena *a, wp_str text, wp_compat *out, wp_error *e);
/* NULL where unknown. */
const wp_variant_fact *wp_compat_variant(const wp_compat *c, const char *name);
const wp_release_fact *wp_compat_release(const wp_compat *c, const char *torch_public_version);
/* name is normalised. */
wp_family wp_compat_family(const wp_compat *c, const char *name);
bool wp_compat_labelled(const wp_compat *c, const char *name);

#endif

/* SPDX-License-Identifier: MIT
 *
 * compat.h: what is known about PyTorch, as data (manifests/pytorch.json): variants, drivers, GPU
 * architectures, partner ranges, the policies of the torch family, known-bad sets. A version that
 * the data doesn't know is "unknown", never a refusal.
 */
#ifndef WHEELPACK_COMPAT_H
#define WHEELPACK_COMPAT_H

#include "wheelpack/types.h"

#define WP_COMPAT_SCHEMA "wheelpack.pytorch/1"

/* How a project relates to the variant's index once a variant is asked. */
typedef enum wp_family {
	WP_ORDINARY,	  /* an ordinary project */
	WP_INDEX_BOUND,	  /* only ever from the variant's index */
	WP_VARIANT_FIRST  /* the variant's index if it has the project, else the ordinary ones */
} wp_family;

typedef struct wp_variant_fact {
	const char *name;	  /* cu126, cpu */
	const char *cuda;	  /* 12.6, NULL for cpu */
	const char *torch_first, *torch_last; /* stable releases on that index, NULL if none is known */
	bool closed;		  /* no newer torch will come */
	const char *driver_runs_linux, *driver_runs_windows; /* minor-version floor */
	const char *driver_full_linux, *driver_full_windows; /* the toolkit's own driver */
	const char *const *pythons_win, *const *pythons_linux; size_t npythons_win, npythons_linux; /* cp312, of any
												 of its releases */
	const char *const *platforms; size_t nplatforms; /* win_amd64, linux_x86_64, linux_aarch64 */
	const char *const *arches; size_t narches;	 /* sm_50, ... of its newest torch, on Linux */
} wp_variant_fact;

typedef struct wp_release_fact {
	const char *torch, *torchvision, *torchaudio; /* partners; NULL if none is known */
	const char *const *pythons_win, *const *pythons_linux; size_t npythons_win, npythons_linux;
	const char *const *variants_win, *const *variants_linux; size_t nvariants_win, nvariants_linux;
	const char *const *variants_aarch64; size_t nvariants_aarch64; /* linux above is linux_x86_64 */
	const char *default_linux; /* variant of the x86_64 build on the ordinary index, NULL if unknown */
} wp_release_fact;

/* GPU architectures that the torch wheels of one variant hold code for, over a range of releases. */
typedef struct wp_arch_fact {
	const char *const *variants; size_t nvariants;
	size_t first, last;   /* indexes into wp_compat.releases, both included */
	const char *platform; /* win_amd64, linux_x86_64, linux_aarch64 */
	const char *const *arches; size_t narches;
} wp_arch_fact;

/* A project that a variant's index lacks although torch is there. */
typedef struct wp_absent_fact {
	const char *project, *variant;
} wp_absent_fact;

/* project must not satisfy `bad` whenever `when_project` satisfies `when`. os: any, windows, linux */
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
	const wp_arch_fact *arches; size_t narches;
	const wp_absent_fact *absent; size_t nabsent;
} wp_compat;

/* Parse the text of pytorch.json into arena a. WP_E_DOCUMENT. */
int wp_compat_read(wp_arena *a, wp_str text, wp_compat *out, wp_error *e);
/* NULL where unknown. */
const wp_variant_fact *wp_compat_variant(const wp_compat *c, const char *name);
/* "cu118, cu121, cpu": all of them. */
const char *wp_compat_variants(wp_arena *a, const wp_compat *c);
const wp_release_fact *wp_compat_release(const wp_compat *c, const char *torch_public_version);
/* name is normalised. */
wp_family wp_compat_family(const wp_compat *c, const char *name);
bool wp_compat_labelled(const wp_compat *c, const char *name);
/* The data's word for a target's platform (win_amd64, linux_x86_64, linux_aarch64), NULL for any other. */
const char *wp_compat_platform(const char *platform);
/* The version of torch, torchvision or torchaudio that belongs to the release; NULL where none is known, and for any
 * other project. */
const char *wp_release_version(const wp_release_fact *r, const char *project);
/* platform is the data's word from here on. */
bool wp_release_has(const wp_release_fact *r, const char *platform, const char *variant);
/* Newest release that the variant has for this platform, NULL if none is known. */
const wp_release_fact *wp_compat_newest(const wp_compat *c, const char *platform, const char *variant);
/* sm_50, ... of one torch build; NULL where unknown. */
const char *const *wp_compat_arches(const wp_compat *c, const char *torch_public_version, const char *platform,
	const char *variant, size_t *n);

#endif

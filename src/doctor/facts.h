/* SPDX-License-Identifier: MIT */
/* facts.h: what the dist-info directories and torch's own version files of a tree say. */
#ifndef WP_DOCTOR_FACTS_H
#define WP_DOCTOR_FACTS_H

#include "py/metadata.h"
#include "wheelpack/doctor.h"

typedef struct wp_dist {
	const char *name, *version; /* name normalised; version NULL where METADATA is unusable */
	const char *label;	    /* cu126, cpu: the local label, also from version.py; NULL unknown */
	wp_metadata metadata;
	wp_version parsed;	    /* norm NULL where it is no PEP 440 version */
} wp_dist;

typedef struct wp_facts {
	wp_dist *dists; size_t n;
	const wp_dist *torch, *torchvision, *torchaudio; /* NULL if absent */
	const char *cuda;  /* 13.0; NULL for a build without CUDA and without torch */
	bool cpu_build;	   /* torch is there, without CUDA, ROCm and XPU */
} wp_facts;

/* Strings live in a. Fails where the tree can't be read, not where a file in it is odd. */
int wp_facts_read(wp_arena *a, const wp_tree *tree, wp_facts *out, wp_error *e);

#endif

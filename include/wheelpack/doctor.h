/* SPDX-License-Identifier: MIT
 *
 * doctor.h: stage 6. Looks at a wp_tree with facts about the PC and says what would break, root causes
 * first. The codes are those of the finding table in src/doctor/rules.h; stable, never reused.
 */
#ifndef WHEELPACK_DOCTOR_H
#define WHEELPACK_DOCTOR_H

#include "wheelpack/compat.h"
#include "wheelpack/lock.h"
#include "wheelpack/wheelpack.h"

/* The PC the tree is judged for. */
typedef struct wp_pc {
	bool live;		   /* facts were read from this machine; else from a baseline */
	bool driver_known;	   /* driver_* below mean something (false for a bundle) */
	bool driver_present;
	const char *driver_version; /* 580.65.06, NULL unknown */
	int driver_cuda;	   /* 12040 for 12.4; 0 unknown */
	bool gpu_known, gpu_present; /* an NVIDIA GPU on the bus */
} wp_pc;

/* What this machine's driver files say, without loading the driver. */
int wp_pc_read(wp_ctx *ctx, wp_pc *out, wp_error *e);

typedef struct wp_doctor_request {
	const wp_tree *tree;
	bool windows;		   /* the tree is for Windows */
	const char *variant_asked; /* cu126, cpu, or NULL where nothing was asked */
	const wp_lock_target *target; /* drivers the set needs; may be NULL */
	const wp_pc *pc;
	const wp_compat *compat;
	wp_str windows_baseline;   /* text of windows-baseline.json */
	bool stopped_run;	   /* of a venv: wp_repair_due */
	const char *python_base;   /* directory of the base interpreter, for its own DLLs; may be NULL */
} wp_doctor_request;

typedef struct wp_doctor_result {
	wp_findings findings; /* root causes first */
	size_t libraries;     /* PE or ELF files read */
	size_t edges;	      /* imports resolved */
	const char *torch, *torchvision, *torchaudio; /* versions found, NULL if absent */
	const char *cuda;     /* CUDA of the torch build, NULL for a CPU build or no torch */
	const char *const *good; size_t ngood; /* "wheels: torch 2.11.0, torchvision 0.26.0 belong together" */
} wp_doctor_result;

/* Read every library of the tree, model what the loader would pick, judge. What would break is a finding and no
 * error; errors are a tree that cannot be read, WP_E_TOO_LARGE, WP_E_DOCUMENT (baseline), WP_E_INTERRUPTED. */
int wp_doctor(wp_ctx *ctx, const wp_doctor_request *in, wp_doctor_result *out, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT */
/* report.h: what the probe says about failures of the driver and the GPU. */
#ifndef WP_PROBE_REPORT_H
#define WP_PROBE_REPORT_H

#include "ext/cudrv.h"
#include "probe/check.h"
#include "wheelpack/probe.h"

/* One run of the probe. */
typedef struct wp_probe_run {
	wp_ctx *ctx;
	wp_arena *a; /* of what is returned */
	const wp_probe_request *in;
	wp_probe_report *out;
	wp_cu cu;
	const char *subject; /* "GPU 0 (NVIDIA T4)", "the driver" */
	bool quiet;	     /* cleaning up after a failure: say nothing more */
} wp_probe_run;

/* True if rc is success; else a finding about call. log: what the driver's compiler said, or NULL.
 */
bool wp_probe_ok(wp_probe_run *r, int rc, const char *call, const char *log);
/* The library can't be loaded (e), or lacks a call. */
void wp_probe_no_driver(wp_probe_run *r, const wp_error *e);
void wp_probe_missing_call(wp_probe_run *r);
void wp_probe_no_device(wp_probe_run *r);
/* A product of case c was wrong; again: the same product computed once more. */
void wp_probe_wrong(
	wp_probe_run *r, const wp_case *c, int product, const wp_diff *d, const wp_diff *again);
void wp_probe_proved(wp_probe_run *r, const wp_probe_device *d, int size, int repeat);

#endif

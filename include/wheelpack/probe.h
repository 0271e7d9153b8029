/* SPDX-License-Identifier: MIT
 *
 * probe.h: stage 7. A matrix product on the GPU, checked to the bit, through the driver library alone:
 * no Python, no CUDA toolkit. wp_probe runs in the process that calls it; the CLI runs it in a child.
 */
#ifndef WHEELPACK_PROBE_H
#define WHEELPACK_PROBE_H

#include "wheelpack/wheelpack.h"

typedef struct wp_probe_request {
	wp_str ptx;		    /* the kernel, src/probe/matmul.ptx; NUL behind the end */
	const char *driver_library; /* NULL: libcuda.so.1 or nvcuda.dll by the system's rule */
	const char *visible_devices; /* value of CUDA_VISIBLE_DEVICES, to explain what it hides; NULL: not set */
	int size;		    /* n of the n x n product, at most 8192; 0: 2000 */
	int repeat;		    /* products, each checked; 0: 10 */
} wp_probe_request;

typedef struct wp_probe_device {
	const char *name;
	int major, minor;	  /* compute capability */
	uint64_t memory;	  /* bytes */
	bool exact;		  /* every element of every product equals the integer reference */
	double jit_ms, copy_ms, kernel_ms; /* kernel_ms: mean of the repeats */
	double gflops;
} wp_probe_device;

typedef struct wp_probe_report {
	wp_findings findings;	 /* D501, G601, ...; empty of errors means: proved */
	bool driver_present;
	const char *driver_library;
	int driver_cuda;	 /* cuDriverGetVersion: 13000 */
	const wp_probe_device *devices; size_t ndevices;
} wp_probe_report;

/* A fault of the driver or GPU is a finding, not an error. */
int wp_probe(wp_ctx *ctx, const wp_probe_request *in, wp_probe_report *out, wp_error *e);

#endif

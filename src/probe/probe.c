/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/str.h"
#include "probe/report.h"

enum {
	SIZE = 2000,
	REPEAT = 10,
	MAX_SIZE = 8192,
	MAX_REPEAT = 100000,
	MAX_DEVICES = 64,
	TILE = 16
};
enum { A, B, C, BUFFERS };
enum { START, STOP, EVENTS };

/* What is held on one device while it is tested. */
typedef struct gpu {
	int device;
	wp_cu_t context, module, kernel, event[EVENTS];
	wp_cu_ptr buf[BUFFERS];
} gpu;

/* A driver call; its name goes into the finding. */
#define CALL(r, name, ...) wp_probe_ok((r), (r)->cu.name(__VA_ARGS__), #name, NULL)

/* ---- one product -------------------------------------------------------------------------- */

static void free_buffers(wp_probe_run *r, gpu *g)
{
	int i;

	for (i = 0; i < BUFFERS; i++)
		if (g->buf[i]) {
			r->quiet |= !CALL(r, cuMemFree_v2, g->buf[i]);
			g->buf[i] = 0;
		}
}

static bool elapsed(wp_probe_run *r, gpu *g, double *ms)
{
	float f = 0;

	if (!CALL(r, cuEventRecord, g->event[STOP], NULL) ||
		!CALL(r, cuEventSynchronize, g->event[STOP]) ||
		!CALL(r, cuEventElapsedTime, &f, g->event[START], g->event[STOP]))
		return false;
	*ms += (double)f;
	return true;
}

static bool upload(wp_probe_run *r, gpu *g, const wp_case *c, double *ms)
{
	size_t a = (size_t)c->m * c->k * sizeof(float), b = (size_t)c->k * c->n * sizeof(float);
	size_t out = ((size_t)c->m * c->n + WP_PROBE_GUARD) * sizeof(float);

	return CALL(r, cuMemAlloc_v2, &g->buf[A], a) && CALL(r, cuMemAlloc_v2, &g->buf[B], b) &&
	       CALL(r, cuMemAlloc_v2, &g->buf[C], out) &&
	       CALL(r, cuEventRecord, g->event[START], NULL) &&
	       CALL(r, cuMemcpyHtoD_v2, g->buf[A], c->a, a) &&
	       CALL(r, cuMemcpyHtoD_v2, g->buf[B], c->b, b) && elapsed(r, g, ms);
}

/* Poison C, multiply, bring C back. */
static bool product(wp_probe_run *r, gpu *g, wp_case *c, double *ms)
{
	size_t words = (size_t)c->m * c->n + WP_PROBE_GUARD;
	void *params[] = {&g->buf[A], &g->buf[B], &g->buf[C], &c->m, &c->n, &c->k};
	unsigned gx = (unsigned)(c->n + TILE - 1) / TILE, gy = (unsigned)(c->m + TILE - 1) / TILE;

	return CALL(r, cuMemsetD32_v2, g->buf[C], WP_PROBE_POISON, words) &&
	       CALL(r, cuEventRecord, g->event[START], NULL) &&
	       CALL(r, cuLaunchKernel, g->kernel, gx, gy, 1, TILE, TILE, 1, 0, NULL, params,
		       NULL) &&
	       elapsed(r, g, ms) && CALL(r, cuCtxSynchronize) &&
	       CALL(r, cuMemcpyDtoH_v2, c->c, g->buf[C], words * sizeof(float));
}

/* One product and its check; a wrong one is computed once more, to tell a fault that stays from one
 * that comes and goes. */
static bool checked(wp_probe_run *r, gpu *g, wp_case *c, int number, double *ms)
{
	double ignored = 0;
	wp_diff d, again;

	if (!product(r, g, c, ms))
		return false;
	d = wp_case_compare(c);
	if (!d.wrong && !d.guard)
		return true;
	if (!product(r, g, c, &ignored))
		return false;
	again = wp_case_compare(c);
	wp_probe_wrong(r, c, number, &d, &again);
	return false;
}

/* The first product is not timed: it pays for what the driver puts off until then. */
static bool run_case(wp_probe_run *r, gpu *g, wp_case *c, int repeat, wp_probe_device *dev)
{
	double warm_up = 0, copy = 0, sum = 0;
	bool ok = upload(r, g, c, &copy) && checked(r, g, c, 1, &warm_up);
	int i;

	for (i = 1; ok && i <= repeat && !wp_cancelled(r->ctx); i++)
		ok = checked(r, g, c, i + 1, &sum);
	r->quiet = !ok;
	free_buffers(r, g);
	ok = ok && !r->quiet && i > repeat;
	if (ok && repeat) {
		dev->copy_ms = copy;
		dev->kernel_ms = sum / repeat;
		dev->gflops = sum > 0 ? 2e-6 * c->m * c->n * c->k / dev->kernel_ms : 0;
	}
	return ok;
}

/* ---- one device --------------------------------------------------------------------------- */

static bool describe(wp_probe_run *r, int ordinal, gpu *g, wp_probe_device *dev)
{
	char name[256] = "";
	size_t memory = 0;

	r->subject = wp_sprintf(r->a, "GPU %d", ordinal);
	if (!CALL(r, cuDeviceGet, &g->device, ordinal) ||
		!CALL(r, cuDeviceGetName, name, sizeof name - 1, g->device))
		return false;
	if (!wp_utf8_valid(wp_str_of(name)))
		memset(name, 0, sizeof name);
	dev->name = wp_strdup(r->a, name);
	r->subject = wp_sprintf(r->a, "GPU %d (%s)", ordinal, name);
	if (!CALL(r, cuDeviceTotalMem_v2, &memory, g->device) ||
		!CALL(r, cuDeviceGetAttribute, &dev->major, WP_CU_ATTR_MAJOR, g->device) ||
		!CALL(r, cuDeviceGetAttribute, &dev->minor, WP_CU_ATTR_MINOR, g->device))
		return false;
	dev->memory = memory;
	return true;
}

/* The driver's compiler makes a program for this GPU of the PTX; what it complains of is kept. */
static bool compile(wp_probe_run *r, gpu *g, double *ms)
{
	char log[2048] = "";
	int options[] = {WP_CU_JIT_LOG, WP_CU_JIT_LOG_SIZE}, rc;
	void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
	uint64_t start = os_now_ms();

	rc = r->cu.cuModuleLoadDataEx(&g->module, wp_str_dup(r->a, r->in->ptx), 2, options, values);
	*ms = (double)(os_now_ms() - start);
	log[sizeof log - 1] = 0;
	return wp_probe_ok(r, rc, "cuModuleLoadDataEx", log) &&
	       CALL(r, cuModuleGetFunction, &g->kernel, g->module, "matmul");
}

static bool set_up(wp_probe_run *r, gpu *g, wp_probe_device *dev)
{
	return CALL(r, cuDevicePrimaryCtxRetain, &g->context, g->device) &&
	       CALL(r, cuCtxSetCurrent, g->context) && compile(r, g, &dev->jit_ms) &&
	       CALL(r, cuEventCreate, &g->event[START], 0) &&
	       CALL(r, cuEventCreate, &g->event[STOP], 0);
}

/* A failure while all is given back is told only if nothing failed before. */
static bool tear_down(wp_probe_run *r, gpu *g, bool ok)
{
	int i;

	r->quiet = !ok;
	for (i = 0; i < EVENTS; i++)
		if (g->event[i])
			r->quiet |= !CALL(r, cuEventDestroy_v2, g->event[i]);
	if (g->module)
		r->quiet |= !CALL(r, cuModuleUnload, g->module);
	if (g->context)
		r->quiet |= !CALL(r, cuDevicePrimaryCtxRelease_v2, g->device);
	ok = !r->quiet;
	r->quiet = false;
	return ok;
}

static void probe_device(wp_probe_run *r, int ordinal, wp_case *small, wp_case *big, int repeat,
	wp_probe_device *dev)
{
	gpu g = {0};
	bool ok = describe(r, ordinal, &g, dev) && set_up(r, &g, dev) &&
		  run_case(r, &g, small, 0, dev) && run_case(r, &g, big, repeat, dev);

	dev->exact = tear_down(r, &g, ok);
	if (dev->exact)
		wp_probe_proved(r, dev, big->n, repeat);
}

/* ---- the driver --------------------------------------------------------------------------- */

static int count_devices(wp_probe_run *r)
{
	int n = 0;

	r->subject = "the driver";
	if (!CALL(r, cuDriverGetVersion, &r->out->driver_cuda) || !CALL(r, cuInit, 0) ||
		!CALL(r, cuDeviceGetCount, &n))
		return 0;
	if (n <= 0)
		wp_probe_no_device(r);
	return n < MAX_DEVICES ? n : MAX_DEVICES;
}

static void probe_all(wp_probe_run *r)
{
	int n = count_devices(r), i, size = r->in->size ? r->in->size : SIZE;
	int repeat = r->in->repeat ? r->in->repeat : REPEAT;
	wp_probe_device *v;
	wp_case small, big;

	if (n <= 0)
		return;
	v = WP_NEW_ARRAY(r->a, (size_t)n, wp_probe_device);
	r->out->devices = v;
	r->out->ndevices = (size_t)n;
	small = wp_case_full(61, 97, 129);
	big = wp_case_structured(size);
	for (i = 0; i < n && !wp_cancelled(r->ctx); i++)
		probe_device(r, i, &small, &big, repeat, &v[i]);
	wp_case_free(&small);
	wp_case_free(&big);
}

static int check_request(const wp_probe_request *in, wp_error *e)
{
	if (in->size < 0 || in->size > MAX_SIZE)
		return wp_fail(e, WP_E_USAGE, "a matrix of size %d; 1 to %d can be checked",
			in->size, MAX_SIZE);
	if (in->repeat < 0 || in->repeat > MAX_REPEAT)
		return wp_fail(
			e, WP_E_USAGE, "%d repeats; 1 to %d are possible", in->repeat, MAX_REPEAT);
	return 0;
}

int wp_probe(wp_ctx *ctx, const wp_probe_request *in, wp_probe_report *out, wp_error *e)
{
	wp_probe_run r = {.ctx = ctx, .a = ctx->arena, .in = in, .out = out};
	wp_error load = {0};

	*out = (wp_probe_report){0};
	if (check_request(in, e))
		return wp_err_what(e, "cannot probe the GPU");
	if (wp_cu_open(r.a, in->driver_library, &r.cu, &load)) {
		wp_probe_no_driver(&r, &load);
		return 0;
	}
	out->driver_present = true;
	out->driver_library = r.cu.path;
	if (r.cu.missing)
		wp_probe_missing_call(&r);
	else
		probe_all(&r);
	wp_cu_close(&r.cu);
	if (wp_check_cancel(ctx, e))
		return wp_err_what(e, "cannot probe the GPU");
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * fakecuda.c: a driver library for the tests: the calls of src/ext/cudrv.h, with host memory for
 * device memory and the matrix product by the CPU. The environment says what goes wrong:
 *   FAKE_CUDA_FAIL=CALL:RESULT[:N]  the call (its N-th time only) answers RESULT;
 *                                   998 has no name, 997 no description
 *   FAKE_CUDA_DEVICES=N             number of devices, 1 if not set
 *   FAKE_CUDA_VERSION=N             13000 if not set
 *   FAKE_CUDA_INIT=exit|print|forge  cuInit ends the process, prints first, prints what looks like a report
 *   FAKE_CUDA_WRONG=KIND[:N]        what goes wrong in each launch, or in the N-th only:
 *     off         the last element is off by one
 *     flaky       the same, at another element in each launch
 *     nan         one element is not a number
 *     guard       a word behind C is written
 *     skip        nothing is written
 *     transposed  B is
 *     short       the last k is left out
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { CALLS = 64, INVALID_VALUE = 1, NOT_INITIALIZED = 3, INVALID_IMAGE = 200, NOT_FOUND = 500 };

static struct {
	const char *name;
	int n;
} counts[CALLS];
static int live, launches, initialised;
static char object;    /* what handles point to */
static float *product; /* of what was uploaded last */

EXPORT int fake_cuda_live(void);
EXPORT int fake_cuda_calls(const char *name);
EXPORT void fake_cuda_reset(void);

/* Allocations, events, modules and contexts not given back. */
int fake_cuda_live(void)
{
	return live;
}

static int *counter(const char *name)
{
	int i;

	for (i = 0; i < CALLS - 1 && counts[i].name && strcmp(counts[i].name, name) != 0; i++)
		continue;
	if (!counts[i].name)
		counts[i].name = name;
	return &counts[i].n;
}

int fake_cuda_calls(const char *name)
{
	return *counter(name);
}

void fake_cuda_reset(void)
{
	memset(counts, 0, sizeof counts);
	live = launches = initialised = 0;
}

static int number(const char *name, int otherwise)
{
	const char *s = getenv(name);

	return s ? (int)strtol(s, NULL, 10) : otherwise;
}

static int fails(const char *name)
{
	const char *s = getenv("FAKE_CUDA_FAIL");
	size_t n = strlen(name);
	int nth = ++*counter(name), code;
	char *end;

	if (!s || strncmp(s, name, n) != 0 || s[n] != ':')
		return 0;
	code = (int)strtol(s + n + 1, &end, 10);
	return *end == ':' && strtol(end + 1, NULL, 10) != nth ? 0 : code;
}

#define CALL(name, ...)                                                                            \
	EXPORT int name(__VA_ARGS__);                                                              \
	int name(__VA_ARGS__)
#define BEGIN(name)                                                                                \
	do {                                                                                       \
		int rc_ = fails(#name);                                                            \
		if (rc_)                                                                           \
			return rc_;                                                                \
	} while (0)

/* ---- driver and devices ------------------------------------------------------------------- */

CALL(cuDriverGetVersion, int *version)
{
	BEGIN(cuDriverGetVersion);
	*version = number("FAKE_CUDA_VERSION", 13000);
	return 0;
}

CALL(cuInit, unsigned flags)
{
	const char *init = getenv("FAKE_CUDA_INIT");

	BEGIN(cuInit);
	if (init && *init == 'p')
		printf("\033[31mthe driver says hello {\n");
	if (init && *init == 'f')
		printf("{\n  \"wheelpack\": \"0\"}\n");
	fflush(stdout);
	if (init && *init != 'p')
		_Exit(0);
	initialised = 1;
	return flags ? INVALID_VALUE : 0;
}

CALL(cuGetErrorName, int error, const char **name)
{
	BEGIN(cuGetErrorName);
	if (error == 998)
		return INVALID_VALUE;
	*name = error == 999 ? "CUDA_ERROR_UNKNOWN" : "CUDA_ERROR_SOMETHING";
	return 0;
}

CALL(cuGetErrorString, int error, const char **text)
{
	BEGIN(cuGetErrorString);
	if (error == 997)
		return INVALID_VALUE;
	*text = error == 999 ? "unknown error" : "some\x1b words";
	return 0;
}

CALL(cuDeviceGetCount, int *count)
{
	BEGIN(cuDeviceGetCount);
	*count = number("FAKE_CUDA_DEVICES", 1);
	return initialised ? 0 : NOT_INITIALIZED;
}

CALL(cuDeviceGet, int *device, int ordinal)
{
	BEGIN(cuDeviceGet);
	*device = ordinal + 100;
	return 0;
}

CALL(cuDeviceGetName, char *name, int size, int device)
{
	BEGIN(cuDeviceGetName);
	snprintf(name, (size_t)size, "Fake GPU %d", device);
	return 0;
}

CALL(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
	BEGIN(cuDeviceTotalMem_v2);
	*bytes = (size_t)8 << 30;
	return device >= 100 ? 0 : 101;
}

CALL(cuDeviceGetAttribute, int *value, int attribute, int device)
{
	BEGIN(cuDeviceGetAttribute);
	*value = attribute == 75 ? 8 : attribute == 76 ? 6 : 0;
	return device >= 100 ? 0 : 101;
}

/* ---- context, module, event --------------------------------------------------------------- */

CALL(cuDevicePrimaryCtxRetain, void **context, int device)
{
	BEGIN(cuDevicePrimaryCtxRetain);
	*context = &object;
	live++;
	return device >= 100 ? 0 : 101;
}

CALL(cuDevicePrimaryCtxRelease_v2, int device)
{
	BEGIN(cuDevicePrimaryCtxRelease_v2);
	live--;
	return device >= 100 ? 0 : 101;
}

CALL(cuCtxSetCurrent, void *context)
{
	BEGIN(cuCtxSetCurrent);
	return context == &object ? 0 : 201;
}

CALL(cuCtxSynchronize, void)
{
	BEGIN(cuCtxSynchronize);
	return 0;
}

CALL(cuModuleLoadDataEx, void **module, const void *image, unsigned n, const int *options,
	void **values)
{
	int rc = fails("cuModuleLoadDataEx");
	unsigned i;

	for (i = 0; rc && i < n; i++)
		if (options[i] == 5)
			snprintf(values[i], 100,
				"ptxas application ptx input, line 9; fatal : Unsupported\nsecond");
	if (rc)
		return rc;
	if (!strstr(image, ".version 7.8") || !strstr(image, ".entry matmul("))
		return INVALID_IMAGE;
	*module = &object;
	live++;
	return 0;
}

CALL(cuModuleGetFunction, void **function, void *module, const char *name)
{
	BEGIN(cuModuleGetFunction);
	*function = &object;
	return module == &object && strcmp(name, "matmul") == 0 ? 0 : NOT_FOUND;
}

CALL(cuModuleUnload, void *module)
{
	BEGIN(cuModuleUnload);
	live--;
	return module == &object ? 0 : INVALID_VALUE;
}

CALL(cuEventCreate, void **event, unsigned flags)
{
	BEGIN(cuEventCreate);
	*event = &object;
	live++;
	return flags ? INVALID_VALUE : 0;
}

CALL(cuEventRecord, void *event, void *stream)
{
	BEGIN(cuEventRecord);
	return event == &object && !stream ? 0 : INVALID_VALUE;
}

CALL(cuEventSynchronize, void *event)
{
	BEGIN(cuEventSynchronize);
	return event == &object ? 0 : INVALID_VALUE;
}

CALL(cuEventElapsedTime, float *ms, void *start, void *end)
{
	BEGIN(cuEventElapsedTime);
	*ms = 0.5f;
	return start == &object && end == &object ? 0 : INVALID_VALUE;
}

CALL(cuEventDestroy_v2, void *event)
{
	BEGIN(cuEventDestroy_v2);
	live--;
	return event == &object ? 0 : INVALID_VALUE;
}

/* ---- memory ------------------------------------------------------------------------------- */

CALL(cuMemAlloc_v2, uint64_t *p, size_t bytes)
{
	BEGIN(cuMemAlloc_v2);
	*p = (uint64_t)(uintptr_t)malloc(bytes);
	live++;
	return 0;
}

static void forget_product(void)
{
	free(product);
	product = NULL;
}

CALL(cuMemFree_v2, uint64_t p)
{
	int rc = fails("cuMemFree_v2");

	live--;
	forget_product();
	free((void *)(uintptr_t)p);
	return rc;
}

CALL(cuMemcpyHtoD_v2, uint64_t to, const void *from, size_t bytes)
{
	BEGIN(cuMemcpyHtoD_v2);
	forget_product();
	memcpy((void *)(uintptr_t)to, from, bytes);
	return 0;
}

CALL(cuMemcpyDtoH_v2, void *to, uint64_t from, size_t bytes)
{
	BEGIN(cuMemcpyDtoH_v2);
	memcpy(to, (void *)(uintptr_t)from, bytes);
	return 0;
}

CALL(cuMemsetD32_v2, uint64_t p, unsigned value, size_t words)
{
	uint32_t *q = (uint32_t *)(uintptr_t)p;
	size_t i;

	BEGIN(cuMemsetD32_v2);
	for (i = 0; i < words; i++)
		q[i] = value;
	return 0;
}

/* ---- the product -------------------------------------------------------------------------- */

static int goes_wrong(const char *kind)
{
	const char *s = getenv("FAKE_CUDA_WRONG");
	size_t n = strlen(kind);

	if (!s || strncmp(s, kind, n) != 0 || (s[n] && s[n] != ':'))
		return 0;
	return !s[n] || strtol(s + n + 1, NULL, 10) == launches;
}

static void spoil(float *c, size_t n)
{
	if (goes_wrong("off"))
		c[n - 1] += 1;
	if (goes_wrong("flaky"))
		c[(size_t)launches % n] += 1;
	if (goes_wrong("nan"))
		c[n / 2] = NAN;
	if (goes_wrong("guard"))
		c[n] = 0;
}

static void multiply(const float *a, const float *b, float *c, size_t m, size_t n, size_t k)
{
	int transposed = goes_wrong("transposed");
	size_t i, j, t, last = goes_wrong("short") ? k - 1 : k;

	memset(c, 0, m * n * sizeof *c);
	for (i = 0; i < m; i++)
		for (t = 0; t < last; t++)
			for (j = 0; j < n; j++)
				c[i * n + j] += a[i * k + t] *
						(transposed ? b[(j * k + t) % (n * k)] : b[t * n + j]);
}

/* The repeats of a large product are copies of the first, or a probe of full size would take a minute. */
static void multiply_once(const float *a, const float *b, float *c, size_t m, size_t n, size_t k)
{
	if (!product) {
		multiply(a, b, c, m, n, k);
		if (m * n * k < 1000000 || getenv("FAKE_CUDA_WRONG"))
			return;
		product = malloc(m * n * sizeof *c);
		memcpy(product, c, m * n * sizeof *c);
	}
	memcpy(c, product, m * n * sizeof *c);
}

CALL(cuLaunchKernel, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
	unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **extra)
{
	const float *a = (const float *)(uintptr_t) * (uint64_t *)params[0];
	const float *b = (const float *)(uintptr_t) * (uint64_t *)params[1];
	float *c = (float *)(uintptr_t) * (uint64_t *)params[2];
	int m = *(int *)params[3], n = *(int *)params[4], k = *(int *)params[5];

	BEGIN(cuLaunchKernel);
	if (function != &object || shared || stream || extra || gz != 1 || bx != 16 || by != 16 ||
		bz != 1 || gx != (unsigned)(n + 15) / 16 || gy != (unsigned)(m + 15) / 16)
		return INVALID_VALUE;
	launches++;
	if (goes_wrong("skip"))
		return 0;
	multiply_once(a, b, c, (size_t)m, (size_t)n, (size_t)k);
	spoil(c, (size_t)m * (size_t)n);
	return 0;
}

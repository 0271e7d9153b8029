/* SPDX-License-Identifier: MIT
 *
 * cudrv.h: the calls of NVIDIA's driver library that the probe makes, found at run time; no CUDA header is
 * needed. Names are the exported ones: those in cuda.h are macros that hide a _v2. Results are CUresult
 * numbers, 0 is success.
 */
#ifndef WP_EXT_CUDRV_H
#define WP_EXT_CUDRV_H

#include "base/arena.h"
#include "os/os.h"

typedef uint64_t wp_cu_ptr;	   /* CUdeviceptr */
typedef struct wp_cu_obj *wp_cu_t; /* CUcontext, CUmodule, CUfunction, CUevent, CUstream */

/* X(exported name, parameters). */
#define WP_CU_CALLS(X)                                                                             \
	X(cuDriverGetVersion, (int *version))                                                      \
	X(cuInit, (unsigned flags))                                                                \
	X(cuGetErrorName, (int error, const char **name))                                          \
	X(cuGetErrorString, (int error, const char **text))                                        \
	X(cuDeviceGetCount, (int *count))                                                          \
	X(cuDeviceGet, (int *device, int ordinal))                                                 \
	X(cuDeviceGetName, (char *name, int size, int device))                                     \
	X(cuDeviceTotalMem_v2, (size_t *bytes, int device))                                        \
	X(cuDeviceGetAttribute, (int *value, int attribute, int device))                           \
	X(cuDevicePrimaryCtxRetain, (wp_cu_t *context, int device))                                \
	X(cuDevicePrimaryCtxRelease_v2, (int device))                                              \
	X(cuCtxSetCurrent, (wp_cu_t context))                                                      \
	X(cuCtxSynchronize, (void))                                                                \
	X(cuModuleLoadDataEx,                                                                      \
		(wp_cu_t *module, const void *image, unsigned n, const int *options, void **values)) \
	X(cuModuleGetFunction, (wp_cu_t *function, wp_cu_t module, const char *name))              \
	X(cuModuleUnload, (wp_cu_t module))                                                        \
	X(cuMemAlloc_v2, (wp_cu_ptr *p, size_t bytes))                                             \
	X(cuMemFree_v2, (wp_cu_ptr p))                                                             \
	X(cuMemcpyHtoD_v2, (wp_cu_ptr to, const void *from, size_t bytes))                         \
	X(cuMemcpyDtoH_v2, (void *to, wp_cu_ptr from, size_t bytes))                               \
	X(cuMemsetD32_v2, (wp_cu_ptr p, unsigned value, size_t words))                             \
	X(cuLaunchKernel, (wp_cu_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,   \
		unsigned by, unsigned bz, unsigned shared, wp_cu_t stream, void **params,          \
		void **extra))                                                                     \
	X(cuEventCreate, (wp_cu_t *event, unsigned flags))                                         \
	X(cuEventRecord, (wp_cu_t event, wp_cu_t stream))                                          \
	X(cuEventSynchronize, (wp_cu_t event))                                                     \
	X(cuEventElapsedTime, (float *ms, wp_cu_t start, wp_cu_t end))                             \
	X(cuEventDestroy_v2, (wp_cu_t event))

/* Result numbers that mean something to a user. */
enum {
	WP_CU_OUT_OF_MEMORY = 2,
	WP_CU_STUB_LIBRARY = 34,
	WP_CU_DEVICE_UNAVAILABLE = 46,
	WP_CU_NO_DEVICE = 100,
	WP_CU_ECC_UNCORRECTABLE = 214,
	WP_CU_INVALID_PTX = 218,
	WP_CU_JIT_COMPILER_NOT_FOUND = 221,
	WP_CU_UNSUPPORTED_PTX_VERSION = 222,
	WP_CU_JIT_DISABLED = 223,
	WP_CU_OPERATING_SYSTEM = 304,
	WP_CU_ILLEGAL_ADDRESS = 700,
	WP_CU_LAUNCH_TIMEOUT = 702,
	WP_CU_LAUNCH_FAILED = 719,
	WP_CU_SYSTEM_NOT_READY = 802,
	WP_CU_DRIVER_MISMATCH = 803,
	WP_CU_COMPAT_NOT_SUPPORTED = 804,
	WP_CU_UNKNOWN = 999
};

enum { WP_CU_ATTR_MAJOR = 75, WP_CU_ATTR_MINOR = 76, WP_CU_JIT_LOG = 5, WP_CU_JIT_LOG_SIZE = 6 };

typedef struct wp_cu {
	os_lib *lib;
	const char *path;    /* the file that was loaded */
	const char *missing; /* a call that the library lacks; then no call may be made */
#define WP_CU_FIELD(name, params) int (*name) params;
	WP_CU_CALLS(WP_CU_FIELD)
#undef WP_CU_FIELD
} wp_cu;

/* Load the driver library: name, or if NULL where the system keeps it (libcuda.so.1, nvcuda.dll).
 * WP_E_NOT_FOUND where there is none. Close with wp_cu_close. */
int wp_cu_open(wp_arena *a, const char *name, wp_cu *out, wp_error *e);
void wp_cu_close(wp_cu *cu);

#endif

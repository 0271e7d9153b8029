/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/str.h"
#include "ext/cudrv.h"

/* Never libcuda.so without a number: that is the stub for linking. WSL keeps its own outside the
 * usual places. */
static const char *const usual[] = {
#ifdef _WIN32
	"nvcuda.dll",
#else
	"libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
#endif
};

/* A library that is there but can't be loaded says more than one that isn't. */
static int open_usual(os_lib **lib, wp_error *e)
{
	wp_error first = {0};
	size_t i;

	for (i = 0; i < sizeof usual / sizeof *usual; i++) {
		wp_error own = {0};

		if (os_lib_open(usual[i], lib, &own) == 0)
			return 0;
		if (!first.code || first.code == WP_E_NOT_FOUND)
			first = i == 0 || own.code != WP_E_NOT_FOUND ? own : first;
	}
	if (!e->code)
		*e = first;
	return e->code;
}

int wp_cu_open(wp_arena *a, const char *name, wp_cu *out, wp_error *e)
{
	*out = (wp_cu){0};
	if (name ? os_lib_open(name, &out->lib, e) : open_usual(&out->lib, e))
		return e->code;
	out->path = wp_strdup(a, os_lib_path(out->lib));
	/* An object pointer may not be cast to one to a function in ISO C; POSIX lets its bytes be
	 * one. */
#define FIND(call, params)                                                                         \
	do {                                                                                       \
		void *p_ = os_lib_sym(out->lib, #call);                                            \
                                                                                                   \
		if (!p_ && !out->missing)                                                          \
			out->missing = #call;                                                      \
		memcpy(&out->call, &p_, sizeof p_);                                                \
	} while (0);
	WP_CU_CALLS(FIND)
#undef FIND
	return 0;
}

void wp_cu_close(wp_cu *cu)
{
	os_lib_close(cu->lib);
	*cu = (wp_cu){0};
}

/* SPDX-License-Identifier: MIT */
/* win32_lib.c: this program and the libraries it loads. */
#include "base/str.h"
#include "os/win32.h"

/* On the heap: the file of a loaded module, NULL for none. */
static wchar_t *module_file(HMODULE m)
{
	DWORD n, have = 256;
	wchar_t *w = NULL;

	do {
		free(w);
		have *= 2;
		w = wp_xmalloc(have * sizeof *w);
		n = GetModuleFileNameW(m, w, have);
	} while (n == have);
	if (n)
		return w;
	free(w);
	return NULL;
}

int os_self_path(wp_arena *a, const char **out, wp_error *e)
{
	wchar_t *w = module_file(NULL);

	if (!w)
		return win_fail(e, "wheelpack", "its own path is unknown");
	*out = win_slashes(a, w);
	free(w);
	return 0;
}

struct os_lib {
	HMODULE m;
	wp_arena *a;
	const char *path;
};

static HMODULE load(const char *name, bool full)
{
	wchar_t *w = full ? win_plain(name) : win_wide(name);
	HMODULE m = NULL;
	DWORD sys;

	if (w)
		m = LoadLibraryExW(w, NULL,
			LOAD_LIBRARY_SEARCH_SYSTEM32 | (full ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0));
	sys = GetLastError();
	free(w);
	SetLastError(sys);
	return m;
}

int os_lib_open(const char *name, os_lib **out, wp_error *e)
{
	bool full = os_is_absolute(name);
	wchar_t *w;
	HMODULE m;

	if (!full && strpbrk(name, "/\\:")) {
		wp_fail(e, WP_E_NOT_FOUND, "a library is named by its full path or by its name alone");
		return wp_err_where(e, "'%s'", name);
	}
	m = load(name, full);
	if (!m && GetLastError() == ERROR_MOD_NOT_FOUND && full && os_is_file(name)) {
		wp_fail(e, WP_E_IO, "it cannot be loaded: a library that it needs is missing");
		return wp_err_where(e, "'%s'", name);
	}
	if (!m) {
		DWORD sys = GetLastError();

		wp_fail_sys(e, win_code(sys), (int)sys, "it cannot be loaded");
		return wp_err_where(e, "'%s'", name);
	}
	*out = wp_xmalloc(sizeof **out);
	**out = (os_lib){m, wp_arena_new(), ""};
	w = module_file(m);
	if (w)
		(*out)->path = win_slashes((*out)->a, w);
	free(w);
	return 0;
}

void *os_lib_sym(os_lib *l, const char *name)
{
	FARPROC p = GetProcAddress(l->m, name);
	void *out;

	memcpy(&out, &p, sizeof out);
	return out;
}

const char *os_lib_path(os_lib *l)
{
	return l->path;
}

void os_lib_close(os_lib *l)
{
	if (!l)
		return;
	FreeLibrary(l->m);
	wp_arena_free(l->a);
	free(l);
}

/* System libraries stay loaded once they are. */
void *win_call(const char *library, const char *name)
{
	HMODULE m = load(library, false);
	FARPROC p = m ? GetProcAddress(m, name) : NULL;
	void *out;

	memcpy(&out, &p, sizeof out);
	return out;
}

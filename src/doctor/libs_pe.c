/* SPDX-License-Identifier: MIT */
/* libs_pe.c: the search order of Windows for the imports of a DLL that torch or Python loads (flags 0x1100): names
 * already in memory, the importing file's directory, the application's, the directories that were added, System32. */
#include "model/fields.h"
#include "bin/pe.h"
#include "doctor/graph.h"
#include "os/os.h"

static bool ends_nocase(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix), i;

	if (n < k)
		return false;
	for (i = 0; i < k; i++)
		if (wp_ascii_lower(path[n - k + i]) != suffix[i])
			return false;
	return true;
}

static bool is_library(const char *path)
{
	return ends_nocase(path, ".dll") || ends_nocase(path, ".pyd");
}

static bool is_module(const char *path)
{
	return ends_nocase(path, ".pyd");
}

static void read_pe(wp_arena *a, const wp_blob *blob, wp_lib *lib)
{
	wp_pe pe;
	const char *why;

	if (!wp_pe_read(a, blob, &pe, &why)) {
		lib->damage = why;
		lib->cut = blob->size == 0;
		return;
	}
	lib->machine = pe.machine;
	lib->needs = pe.imports;
	lib->nneeds = pe.nimports;
	if (pe.truncated) {
		lib->damage = wp_sprintf(a, "a section ends behind the end of the file, at %llu bytes",
			(unsigned long long)blob->size);
		lib->cut = true;
	}
}

/* ---- what Windows has --------------------------------------------------------------------- */

static int read_baseline(wp_graph *g, wp_error *e)
{
	const char *const *names = NULL;
	size_t n = 0, i;
	wp_json j;
	wp_field f[] = {
		{"schema", WP_F_WORD, "wheelpack.windows-baseline/1"},
		{"about", WP_F_SKIP},
		{"source", WP_F_SKIP, .optional = true},
		{"dlls", WP_F_STRS, &names, &n},
	};

	wp_json_init(&j, g->a, g->in->windows_baseline, WP_E_DOCUMENT, e);
	wp_fields_read(&j, f, sizeof f / sizeof *f);
	if (wp_json_end(&j))
		return wp_err_where(e, "windows-baseline.json");
	for (i = 0; i < n; i++)
		wp_map_put(&g->system, wp_str_of(names[i]), 0);
	return 0;
}

/* torch adds its own directories; delvewheel's wheels add PACKAGE.libs. Added directories serve everybody. */
static void find_dirs(wp_graph *g)
{
	WP_VEC(const char *) dirs = {0};
	const char *last = "";
	size_t i;

	WP_PUSH(&dirs, "torch/lib");
	WP_PUSH(&dirs, "@data/Library/bin");
	for (i = 0; i < g->n; i++) {
		const char *dir = g->libs[i].dir;

		if (!strchr(dir, '/') && wp_ends(dir, ".libs") && !wp_streq(dir, last)) {
			WP_PUSH(&dirs, dir);
			last = dir;
		}
	}
	g->dirs = WP_VEC_COPY(g->a, &dirs);
	g->ndirs = dirs.n;
	WP_VEC_FREE(&dirs);
}

static int prepare(wp_graph *g, wp_error *e)
{
	find_dirs(g);
	return read_baseline(g, e);
}

/* ---- one name ----------------------------------------------------------------------------- */

/* In memory since the interpreter started, so nothing else is ever looked for: pythonXY.dll, python3.dll and the two
 * runtime files that CPython carries. */
static bool is_pythons_own(const char *name)
{
	const char *p = name + 6;

	if (wp_streq(name, "vcruntime140.dll") || wp_streq(name, "vcruntime140_1.dll"))
		return true;
	if (!wp_starts(name, "python3"))
		return false;
	while (wp_ascii_digit(*p))
		p++;
	return wp_streq(p, ".dll") || wp_streq(p, "t.dll");
}

static bool is_drivers(const char *name)
{
	static const char *const names[] = {"nvcuda.dll", "nvml.dll", "nvapi64.dll", "nvcuvid.dll",
		"nvencodeapi64.dll", "nvoptix.dll", "nvofapi64.dll", "opencl.dll", "vulkan-1.dll"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (wp_streq(name, names[i]))
			return true;
	return false;
}

/* Contracts of the system, not files. */
static bool is_api_set(const char *name)
{
	return wp_starts(name, "api-ms-") || wp_starts(name, "ext-ms-");
}

static bool beside_python(const wp_graph *g, wp_arena *a, const char *name)
{
	return g->in->python_base && !strpbrk(name, "/\\") &&
		os_is_file(os_join(a, g->in->python_base, name));
}

static bool in_system_dir(const wp_graph *g, wp_arena *a, const char *name)
{
	const char *dir = g->in->pc->live ? os_system_dir(a) : NULL;

	return dir && !strpbrk(name, "/\\") && os_is_file(os_join(a, dir, name));
}

static wp_found search(const wp_graph *g, wp_arena *a, uint32_t lib, const char *name)
{
	uint32_t at;
	size_t i;

	if (is_api_set(name))
		return (wp_found){WP_IN_SYSTEM, WP_NO_LIB};
	if (is_pythons_own(name))
		return (wp_found){WP_IN_PYTHON, WP_NO_LIB};
	if (wp_map_get(&g->loaded, wp_str_of(name), &at))
		return (wp_found){WP_IN_TREE, at};
	if ((at = wp_graph_at(g, g->libs[lib].dir, name)) != WP_NO_LIB)
		return (wp_found){WP_IN_TREE, at};
	if (beside_python(g, a, name))
		return (wp_found){WP_IN_PYTHON, WP_NO_LIB};
	for (i = 0; i < g->ndirs; i++)
		if ((at = wp_graph_at(g, g->dirs[i], name)) != WP_NO_LIB)
			return (wp_found){WP_IN_TREE, at};
	if (is_drivers(name))
		return (wp_found){WP_IN_DRIVER, WP_NO_LIB};
	if (wp_map_get(&g->system, wp_str_of(name), &at) || in_system_dir(g, a, name))
		return (wp_found){WP_IN_SYSTEM, WP_NO_LIB};
	/* Other packages add directories of their own by code that isn't read here. */
	if (g->libs[lib].role != WP_ROLE_CORE && wp_map_get(&g->by_name, wp_str_of(name), &at) &&
		!g->libs[at].foreign)
		return (wp_found){WP_IN_TREE, at};
	return (wp_found){WP_NOWHERE, WP_NO_LIB};
}

static wp_found resolve(const wp_graph *g, uint32_t lib, const char *name)
{
	wp_arena *a = wp_arena_new();
	wp_found f = search(g, a, lib, wp_str_lower(a, wp_str_of(name)));

	wp_arena_free(a);
	return f;
}

const wp_loader wp_loader_windows = {is_library, is_module, read_pe, prepare, resolve};

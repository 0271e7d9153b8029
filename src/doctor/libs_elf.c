/* SPDX-License-Identifier: MIT */
/* libs_elf.c: the search order of ld.so(8) for DT_NEEDED: what is loaded, RPATH of the chain of loaders, RUNPATH of the
 * one who asks, the system. Then the directories of NVIDIA's wheels, from which torch itself loads what is missing. */
#include "bin/elf.h"
#include "doctor/graph.h"
#include "doctor/ldcache.h"
#include "os/os.h"

enum { MAX_CACHE = 16 << 20, MAX_PARTS = 256, MAX_LOADERS = 64 };

/* Where site-packages lies below the prefix; the name of the middle part doesn't matter. */
#define SITE "lib/python3/site-packages"

/* libX.so, libX.so.1.2, X.cpython-312-x86_64-linux-gnu.so */
static bool is_library(const char *path)
{
	const char *name = os_basename(path), *so = name, *p;

	while ((so = strstr(so, ".so"))) {
		for (p = so + 3; *p == '.' || wp_ascii_digit(*p); p++)
			;
		if (!*p && (so[3] == 0 || so[3] == '.') && so > name)
			return true;
		so += 3;
	}
	return false;
}

static bool is_module(const char *path)
{
	const char *name = os_basename(path);

	if (!wp_ends(name, ".so"))
		return false;
	return strstr(name, ".cpython-") || wp_ends(name, ".abi3.so") ||
		(!wp_starts(name, "lib") && !wp_starts(path, "nvidia/"));
}

static void read_elf(wp_arena *a, const wp_blob *blob, wp_lib *lib)
{
	wp_elf elf;
	const char *why;

	if (!wp_elf_read(a, blob, &elf, &why)) {
		lib->damage = why;
		lib->cut = blob->size == 0;
		return;
	}
	lib->machine = elf.machine;
	lib->needs = elf.needed;
	lib->nneeds = elf.nneeded;
	lib->soname = elf.soname;
	lib->rpath = elf.rpath;
	lib->runpath = elf.runpath;
	lib->nodeflib = elf.nodeflib;
	if (elf.truncated) {
		lib->damage = wp_sprintf(a, "a segment ends behind the end of the file, at %llu bytes",
			(unsigned long long)blob->size);
		lib->cut = true;
	}
}

/* ---- the system --------------------------------------------------------------------------- */

/* What every glibc desktop or server has: the libraries that manylinux wheels may expect (PEP 600). */
static const char *const baseline[] = {"libanl.so.1", "libatomic.so.1", "libc.so.6", "libcrypt.so.1", "libdl.so.2",
	"libexpat.so.1", "libgcc_s.so.1", "libgio-2.0.so.0", "libGL.so.1", "libglib-2.0.so.0", "libgmodule-2.0.so.0",
	"libgobject-2.0.so.0", "libgthread-2.0.so.0", "libICE.so.6", "libm.so.6", "libmvec.so.1", "libnsl.so.1",
	"libpthread.so.0", "libresolv.so.2", "librt.so.1", "libSM.so.6", "libstdc++.so.6", "libutil.so.1",
	"libX11.so.6", "libXext.so.6", "libXrender.so.1", "libz.so.1", "ld-linux-x86-64.so.2",
	"ld-linux-aarch64.so.1", "ld-linux.so.2"};

static void read_cache(wp_graph *g)
{
	wp_error ignored = {0};
	wp_str text;

	if (os_read_file(g->a, "/etc/ld.so.cache", MAX_CACHE, &text, &ignored) == 0)
		wp_ldcache_names(text, g->machine, &g->system);
}

/* nvidia/COMPONENT/lib and torch/lib, in the order of the tree. */
static void find_dirs(wp_graph *g)
{
	WP_VEC(const char *) dirs = {0};
	wp_map seen;
	size_t i;

	wp_map_init(&seen);
	WP_PUSH(&dirs, "torch/lib");
	for (i = 0; i < g->n; i++) {
		const char *dir = g->libs[i].dir;

		if (wp_starts(dir, "nvidia/") && wp_ends(dir, "/lib") && wp_map_put(&seen, wp_str_of(dir), 0))
			WP_PUSH(&dirs, dir);
	}
	wp_map_free(&seen);
	g->dirs = WP_VEC_COPY(g->a, &dirs);
	g->ndirs = dirs.n;
	WP_VEC_FREE(&dirs);
}

static int prepare(wp_graph *g, wp_error *e)
{
	size_t i;

	(void)e;
	find_dirs(g);
	if (g->in->pc->live)
		read_cache(g);
	else
		for (i = 0; i < sizeof baseline / sizeof *baseline; i++)
			wp_map_put(&g->system, wp_str_of(baseline[i]), 0);
	return 0;
}

static bool in_system(const wp_graph *g, wp_arena *a, const wp_lib *lib, const char *name)
{
	static const char *const dirs[] = {"/lib", "/usr/lib", "/lib64", "/usr/lib64"};
	uint32_t ignored;
	size_t i;

	if (!lib->nodeflib && wp_map_get(&g->system, wp_str_of(name), &ignored))
		return true;
	for (i = 0; i < sizeof dirs / sizeof *dirs && g->in->pc->live && !lib->nodeflib; i++)
		if (os_is_file(os_join(a, dirs[i], name)))
			return true;
	return false;
}

static bool is_drivers(const char *name)
{
	static const char *const stems[] = {"libcuda.so.", "libnvidia-", "libnvcuvid.so.", "libnvoptix.so.",
		"libcudadebugger.so."};
	size_t i;

	for (i = 0; i < sizeof stems / sizeof *stems; i++)
		if (wp_starts(name, stems[i]))
			return true;
	return false;
}

/* ---- paths -------------------------------------------------------------------------------- */

/* Path below the prefix, without . and ..; NULL above the prefix. */
static const char *tidy(wp_arena *a, const char *path)
{
	wp_str parts[MAX_PARTS], rest = wp_str_of(path), part;
	size_t n = 0, i;
	wp_buf out;

	while (wp_str_split(&rest, '/', &part)) {
		if (part.n == 0 || wp_str_is(part, "."))
			continue;
		if (wp_str_is(part, "..")) {
			if (n == 0)
				return NULL;
			n--;
			continue;
		}
		if (n == MAX_PARTS)
			return NULL;
		parts[n++] = part;
	}
	wp_buf_init(&out, 2 * WP_MAX_PATH_BYTES);
	for (i = 0; i < n; i++) {
		if (i)
			wp_buf_putc(&out, '/');
		wp_buf_str(&out, parts[i]);
	}
	return wp_buf_take(&out, a).p;
}

/* A directory relative to origin (of the tree) as the tree spells it; NULL outside of it. */
static const char *tree_dir(wp_arena *a, const char *origin, const char *relative)
{
	const char *base = wp_starts(origin, "@data") ? origin + 5 : wp_sprintf(a, SITE "/%s", origin);
	const char *p = tidy(a, wp_sprintf(a, "%s/%s", base, relative));
	size_t n = sizeof SITE - 1;

	if (!p)
		return NULL;
	if (wp_starts(p, SITE) && (p[n] == 0 || p[n] == '/'))
		return p[n] ? p + n + 1 : "";
	return p[0] ? wp_sprintf(a, "@data/%s", p) : "@data";
}

static const char *after_origin(const char *entry)
{
	if (wp_starts(entry, "$ORIGIN"))
		return entry + 7;
	if (wp_starts(entry, "${ORIGIN}"))
		return entry + 9;
	return NULL;
}

/* One entry of a path list, as seen from the directory of the library that has it. */
static wp_found in_entry(const wp_graph *g, wp_arena *a, const char *origin, const char *entry, const char *name)
{
	const char *rest = after_origin(entry), *dir;
	uint32_t at;

	if (rest && (dir = tree_dir(a, origin, rest)) && (at = wp_graph_at(g, dir, name)) != WP_NO_LIB)
		return (wp_found){WP_IN_TREE, at};
	if (entry[0] == '/' && g->in->pc->live && os_is_file(os_join(a, entry, name)))
		return (wp_found){WP_IN_SYSTEM, WP_NO_LIB};
	return (wp_found){WP_NOWHERE, WP_NO_LIB};
}

static wp_found in_list(const wp_graph *g, wp_arena *a, const wp_lib *owner, const char *list, const char *name)
{
	wp_str rest = wp_str_of(list), part;
	wp_found f = {WP_NOWHERE, WP_NO_LIB};

	while (list && f.where == WP_NOWHERE && wp_str_split(&rest, ':', &part))
		f = in_entry(g, a, owner->dir, wp_str_dup(a, part), name);
	return f;
}

/* RPATH counts for the whole chain of loaders, but not that of one with a RUNPATH. */
static wp_found in_rpaths(const wp_graph *g, wp_arena *a, uint32_t lib, const char *name)
{
	wp_found f = {WP_NOWHERE, WP_NO_LIB};
	int depth = 0;

	if (g->libs[lib].runpath)
		return f;
	for (; lib != WP_NO_LIB && f.where == WP_NOWHERE && depth < MAX_LOADERS; depth++) {
		const wp_lib *l = &g->libs[lib];

		if (!l->runpath)
			f = in_list(g, a, l, l->rpath, name);
		lib = l->parent;
	}
	return f;
}

/* ---- one name ----------------------------------------------------------------------------- */

/* Packages load their own libraries beforehand, by code that isn't read here: torchaudio its libtorchaudio.so. What
 * torch itself does is known, so its libraries get no such credit. */
static bool loads_beforehand(const wp_lib *needer, const wp_lib *found)
{
	size_t package = strcspn(needer->path, "/") + 1;

	if (needer->role != WP_ROLE_CORE)
		return true;
	return !wp_starts(needer->path, "torch/") && !wp_starts(needer->path, "nvidia/") &&
		strncmp(needer->path, found->path, package) == 0;
}

static wp_found in_added_dirs(const wp_graph *g, uint32_t lib, const char *name)
{
	uint32_t at;
	size_t i;

	for (i = 0; i < g->ndirs; i++)
		if ((at = wp_graph_at(g, g->dirs[i], name)) != WP_NO_LIB)
			return (wp_found){WP_IN_TREE, at};
	if (wp_map_get(&g->by_name, wp_str_of(name), &at) && !g->libs[at].foreign &&
		loads_beforehand(&g->libs[lib], &g->libs[at]))
		return (wp_found){WP_IN_TREE, at};
	return (wp_found){WP_NOWHERE, WP_NO_LIB};
}

static wp_found search(const wp_graph *g, wp_arena *a, uint32_t lib, const char *name)
{
	const wp_lib *l = &g->libs[lib];
	wp_found f;
	uint32_t at;

	if (strchr(name, '/') || wp_starts(name, "libc.musl-"))
		return (wp_found){WP_IN_SYSTEM, WP_NO_LIB};
	if (wp_map_get(&g->loaded, wp_str_of(name), &at))
		return (wp_found){WP_IN_TREE, at};
	f = in_rpaths(g, a, lib, name);
	if (f.where == WP_NOWHERE)
		f = in_list(g, a, l, l->runpath, name);
	if (f.where != WP_NOWHERE)
		return f;
	if (is_drivers(name))
		return (wp_found){WP_IN_DRIVER, WP_NO_LIB};
	if (wp_starts(name, "libpython3"))
		return (wp_found){WP_IN_PYTHON, WP_NO_LIB};
	if (in_system(g, a, l, name))
		return (wp_found){WP_IN_SYSTEM, WP_NO_LIB};
	return in_added_dirs(g, lib, name);
}

static wp_found resolve(const wp_graph *g, uint32_t lib, const char *name)
{
	wp_arena *a = wp_arena_new();
	wp_found f = search(g, a, lib, name);

	wp_arena_free(a);
	return f;
}

const wp_loader wp_loader_linux = {is_library, is_module, read_elf, prepare, resolve};

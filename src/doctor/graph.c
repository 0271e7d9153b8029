/* SPDX-License-Identifier: MIT */
#include "doctor/graph.h"

#include "os/os.h"

enum { MAX_LIBRARIES = 1 << 16, MAX_CHAIN = 64 };

/* ---- which files, and how much they matter ------------------------------------------------ */

/* Windows finds files without regard to case. */
static wp_str spell(const wp_graph *g, wp_arena *a, const char *text)
{
	return wp_str_of(g->in->windows ? wp_str_lower(a, wp_str_of(text)) : text);
}

/* The order in which `import torch, torchvision, torchaudio` comes to them; -1 for other packages. */
static int core_order(const char *path)
{
	static const char *const places[] = {"torch/lib/libtorch_global_deps", "torch/_C", "torch/lib/",
		"torchvision/", "torchaudio/"};
	int i;

	for (i = 0; i < (int)(sizeof places / sizeof *places); i++)
		if (wp_starts(path, places[i]))
			return i;
	return -1;
}

static void describe(wp_graph *g, wp_lib *lib, const wp_tree_entry *entry)
{
	const char *path = entry->path, *slash = strrchr(path, '/');
	int order = core_order(path);

	lib->path = path;
	lib->size = entry->size;
	lib->name = slash ? slash + 1 : path;
	lib->dir = wp_str_dup(g->a, (wp_str){path, slash ? (size_t)(slash - path) : 0});
	lib->role = order >= 0 ? WP_ROLE_CORE
		: g->loader->is_module(path) ? WP_ROLE_MODULE : WP_ROLE_PLUGIN;
	lib->order = order >= 0 ? order : 1000;
	lib->parent = WP_NO_LIB;
}

static int list_libraries(wp_graph *g, wp_error *e)
{
	const wp_tree *tree = g->in->tree;
	const wp_tree_entry *v;
	WP_VEC(wp_lib) libs = {0};
	size_t n, i;

	if (tree->list(tree->self, &v, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (g->loader->is_library(v[i].path))
			describe(g, WP_PUSH_NEW(&libs), &v[i]);
	g->libs = WP_VEC_COPY(g->a, &libs);
	g->n = libs.n;
	WP_VEC_FREE(&libs);
	if (g->n > MAX_LIBRARIES)
		return wp_fail(e, WP_E_TOO_LARGE, "%zu libraries, at most %d are examined", g->n,
			MAX_LIBRARIES);
	return 0;
}

static void index_libraries(wp_graph *g)
{
	wp_arena *scratch = wp_arena_new();
	uint32_t i, other;

	for (i = 0; i < g->n; i++) {
		wp_str name = spell(g, scratch, g->libs[i].name);

		wp_map_put(&g->by_path, spell(g, scratch, g->libs[i].path), i);
		if (!wp_map_get(&g->by_name, name, &other))
			wp_map_put(&g->by_name, name, i);
	}
	wp_arena_free(scratch);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* A member that can't be unpacked, or a link to nothing, is a damaged library and no reason to stop. */
static int read_library(wp_graph *g, wp_lib *lib, wp_arena *a, wp_error *e)
{
	const wp_tree *tree = g->in->tree;
	wp_blob blob;

	if (tree->open(tree->self, lib->path, &blob, e)) {
		if (wp_code_exit(e->code) != WP_EXIT_INTEGRITY && e->code != WP_E_NOT_FOUND)
			return e->code;
		lib->damage = wp_strdup(a, e->why);
		*e = (wp_error){0};
		return 0;
	}
	g->loader->read(a, &blob, lib);
	if (blob.close)
		blob.close(blob.self);
	return 0;
}

static int read_job(void *user, size_t i, wp_arena *a, wp_error *e)
{
	wp_graph *g = user;
	wp_lib *lib = &g->libs[g->order[i]];

	if (read_library(g, lib, a, e))
		return e->code;
	atomic_fetch_add(&g->read, 1);
	atomic_fetch_add(&g->bytes, lib->size);
	return 0;
}

static void report(void *user)
{
	wp_graph *g = user;
	wp_progress p = {.stage = "doctor", .bytes = atomic_load(&g->bytes), .bytes_total = g->total,
		.items = atomic_load(&g->read), .items_total = g->n};

	wp_report(g->ctx, &p);
}

typedef struct sized {
	uint64_t size;
	uint32_t index;
} sized;

static int cmp_sized(const void *a, const void *b)
{
	const sized *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Biggest first, so that no thread is left alone with one at the end. */
static int read_libraries(wp_graph *g, wp_error *e)
{
	sized *v = WP_NEW_ARRAY(g->a, g->n + 1, sized);
	uint32_t i;

	for (i = 0; i < g->n; i++) {
		v[i] = (sized){g->libs[i].size, i};
		g->total += v[i].size;
	}
	qsort(v, g->n, sizeof *v, cmp_sized);
	g->order = WP_NEW_ARRAY(g->a, g->n + 1, uint32_t);
	for (i = 0; i < g->n; i++)
		g->order[i] = v[i].index;
	return wp_par_for(g->ctx, g->n, read_job, report, g, true, &g->par, e);
}

static uint16_t machine_of_target(const wp_graph *g)
{
	const char *p = g->in->target ? g->in->target->platform : "";

	if (wp_starts(p, "win"))
		return wp_ends(p, "amd64") ? 0x8664 : wp_ends(p, "arm64") ? 0xaa64
			: wp_streq(p, "win32") ? 0x14c : 0;
	return wp_ends(p, "x86_64") ? 62 : wp_ends(p, "aarch64") ? 183 : 0;
}

/* Without a target, torch's first readable library tells. */
static void mark_foreign(wp_graph *g)
{
	size_t i;

	g->machine = machine_of_target(g);
	for (i = 0; i < g->n && !g->machine; i++)
		if (g->libs[i].role == WP_ROLE_CORE)
			g->machine = g->libs[i].machine;
	for (i = 0; i < g->n && g->machine; i++)
		g->libs[i].foreign = g->libs[i].machine && g->libs[i].machine != g->machine;
}

/* ---- walking ------------------------------------------------------------------------------ */

uint32_t wp_graph_at(const wp_graph *g, const char *dir, const char *name)
{
	char path[2 * WP_MAX_PATH_BYTES];
	int n = snprintf(path, sizeof path, "%s%s%s", dir, dir[0] ? "/" : "", name), k;
	uint32_t i;

	if (n < 0 || n >= (int)sizeof path)
		return WP_NO_LIB;
	for (k = 0; k < n && g->in->windows; k++)
		path[k] = wp_ascii_lower(path[k]);
	if (!wp_map_get(&g->by_path, (wp_str){path, (size_t)n}, &i) || g->libs[i].foreign)
		return WP_NO_LIB;
	return i;
}

/* What torch has loaded serves everybody who asks for the same name later. */
static void remember_loaded(wp_graph *g, uint32_t i)
{
	const wp_lib *lib = &g->libs[i];
	uint32_t other;

	if (lib->role != WP_ROLE_CORE)
		return;
	if (lib->soname && !wp_map_get(&g->loaded, wp_str_of(lib->soname), &other))
		wp_map_put(&g->loaded, wp_str_of(lib->soname), i);
	if (!wp_map_get(&g->loaded, spell(g, g->a, lib->name), &other))
		wp_map_put(&g->loaded, spell(g, g->a, lib->name), i);
}

static void add_missing(wp_graph *g, uint32_t needer, const char *name)
{
	wp_str key = spell(g, g->a, name);
	uint32_t id = wp_map_intern(&g->missing_ids, key), at;
	wp_missing *m;

	if (id == g->missing.n) {
		m = WP_PUSH_NEW(&g->missing);
		m->name = name;
		m->role = g->libs[needer].role;
		if (wp_map_get(&g->by_name, key, &at) && !g->libs[at].foreign)
			m->elsewhere = g->libs[at].path;
	}
	WP_PUSH(&g->missing.v[id].needers, needer);
}

typedef WP_VEC(uint32_t) queue;

static void follow(wp_graph *g, queue *q, uint32_t from, const char *name)
{
	wp_found f = g->loader->resolve(g, from, name);
	wp_lib *to;

	if (f.where == WP_NOWHERE) {
		add_missing(g, from, name);
		return;
	}
	g->edges++;
	if (f.where != WP_IN_TREE)
		return;
	to = &g->libs[f.lib];
	to->reached = true;
	if (to->visited)
		return;
	to->visited = true;
	to->parent = from;
	if (g->libs[from].role < to->role)
		to->role = g->libs[from].role;
	WP_PUSH(q, f.lib);
}

/* Breadth first, so that chains are short. Roots of a stronger role come first: what they reach takes their role. */
static void walk_from(wp_graph *g, uint32_t root)
{
	queue q = {0};
	size_t head, i;

	g->libs[root].visited = true;
	WP_PUSH(&q, root);
	for (head = 0; head < q.n; head++) {
		uint32_t at = q.v[head];
		const wp_lib *lib = &g->libs[at];

		if (lib->foreign || lib->damage)
			continue;
		remember_loaded(g, at);
		for (i = 0; i < lib->nneeds; i++)
			follow(g, &q, at, lib->needs[i]);
	}
	WP_VEC_FREE(&q);
}

typedef struct root {
	const wp_lib *lib;
	uint32_t index;
} root;

static int cmp_root(const void *a, const void *b)
{
	const root *x = a, *y = b;

	if (x->lib->role != y->lib->role)
		return x->lib->role < y->lib->role ? -1 : 1;
	if (x->lib->order != y->lib->order)
		return x->lib->order < y->lib->order ? -1 : 1;
	return strcmp(x->lib->path, y->lib->path);
}

static void walk(wp_graph *g)
{
	root *roots = WP_NEW_ARRAY(g->a, g->n ? g->n : 1, root);
	uint32_t i;

	for (i = 0; i < g->n; i++)
		roots[i] = (root){&g->libs[i], i};
	if (g->n)
		qsort(roots, g->n, sizeof *roots, cmp_root);
	for (i = 0; i < g->n; i++)
		if (!roots[i].lib->visited)
			walk_from(g, roots[i].index);
}

/* ---- the whole ---------------------------------------------------------------------------- */

int wp_graph_build(wp_graph *g, wp_ctx *ctx, const wp_doctor_request *in, wp_error *e)
{
	g->ctx = ctx;
	g->in = in;
	g->a = wp_arena_new();
	g->loader = in->windows ? &wp_loader_windows : &wp_loader_linux;
	wp_map_init(&g->by_path);
	wp_map_init(&g->by_name);
	wp_map_init(&g->loaded);
	wp_map_init(&g->system);
	wp_map_init(&g->missing_ids);
	if (list_libraries(g, e))
		return e->code;
	if (read_libraries(g, e))
		return e->code;
	mark_foreign(g);
	index_libraries(g);
	if (g->loader->prepare(g, e))
		return e->code;
	walk(g);
	return 0;
}

void wp_graph_done(wp_graph *g)
{
	size_t i;

	for (i = 0; i < g->missing.n; i++)
		WP_VEC_FREE(&g->missing.v[i].needers);
	WP_VEC_FREE(&g->missing);
	wp_map_free(&g->by_path);
	wp_map_free(&g->by_name);
	wp_map_free(&g->loaded);
	wp_map_free(&g->system);
	wp_map_free(&g->missing_ids);
	wp_par_done(&g->par);
	wp_arena_free(g->a);
}

size_t wp_graph_chain(const wp_graph *g, wp_arena *a, uint32_t lib, const char *last, const char *const **out)
{
	uint32_t at, steps[MAX_CHAIN];
	size_t n = 0, i;
	const char **v;

	for (at = lib; at != WP_NO_LIB && n < MAX_CHAIN; at = g->libs[at].parent)
		steps[n++] = at;
	v = WP_NEW_ARRAY(a, n + 1, const char *);
	for (i = 0; i < n; i++)
		v[i] = wp_strdup(a, g->libs[steps[n - 1 - i]].path);
	if (last)
		v[n++] = wp_strdup(a, last);
	*out = v;
	return n;
}

/* SPDX-License-Identifier: MIT */
/* graph.h: the libraries of a tree, what each needs, and what the loader would take for it. Reading is the same for
 * both systems; which file is chosen is the loader's rule: libs_pe.c and libs_elf.c. */
#ifndef WP_DOCTOR_GRAPH_H
#define WP_DOCTOR_GRAPH_H

#include "base/map.h"
#include "base/vec.h"
#include "os/par.h"
#include "wheelpack/doctor.h"

/* How much a library matters: what `import torch` (torchvision, torchaudio) loads, what another package's import
 * loads, what only a by-name load at run time may load. The smaller wins along an edge. */
typedef enum wp_role { WP_ROLE_CORE, WP_ROLE_MODULE, WP_ROLE_PLUGIN } wp_role;

enum { WP_NO_LIB = UINT32_MAX };

typedef struct wp_lib {
	const char *path, *dir, *name; /* dir without the last '/', "" at the root */
	uint64_t size;
	wp_role role;		       /* by its place, then the strongest of those who reach it */
	int order;		       /* of roots: torch's own come first */
	const char *damage;	       /* NULL: readable */
	bool cut;		       /* truncated or empty: damaged for certain */
	bool foreign;		       /* for another machine: the loader passes it by */
	bool reached;		       /* somebody needs it */
	bool visited;
	uint16_t machine;
	const char *const *needs; size_t nneeds;
	const char *soname, *rpath, *runpath; /* ELF; NULL if none */
	bool nodeflib;
	uint32_t parent;	       /* who needed it first; WP_NO_LIB for a root */
} wp_lib;

/* What the loader finds for a name. */
typedef enum wp_where {
	WP_NOWHERE,
	WP_IN_TREE,
	WP_IN_SYSTEM,
	WP_IN_DRIVER, /* comes with the driver, never with a wheel: whether it is there is D501's question */
	WP_IN_PYTHON
} wp_where;

typedef struct wp_found {
	wp_where where;
	uint32_t lib; /* WP_IN_TREE */
} wp_found;

/* A name that was found nowhere, once, with all who need it. */
typedef struct wp_missing {
	const char *name;
	wp_role role;		  /* of the first needer, which is the strongest: see walk order */
	WP_VEC(uint32_t) needers;
	const char *elsewhere;	  /* a file of that name that the loader doesn't look at; or NULL */
} wp_missing;

typedef struct wp_graph wp_graph;

/* The rules of one system's loader. */
typedef struct wp_loader {
	bool (*is_library)(const char *path);
	bool (*is_module)(const char *path); /* imported by Python itself */
	void (*read)(wp_arena *a, const wp_blob *blob, wp_lib *lib); /* sets damage where it can't */
	int (*prepare)(wp_graph *g, wp_error *e); /* fills system and dirs, before the walk */
	wp_found (*resolve)(const wp_graph *g, uint32_t lib, const char *name);
} wp_loader;

extern const wp_loader wp_loader_windows, wp_loader_linux;

struct wp_graph {
	wp_ctx *ctx;
	const wp_doctor_request *in;
	wp_arena *a; /* lives as long as the graph */
	const wp_loader *loader;
	wp_lib *libs; size_t n;
	uint16_t machine;	 /* of the target, 0 unknown */
	wp_map by_path;		 /* lower case on Windows */
	wp_map by_name;		 /* base name to the first library of that name */
	wp_map loaded;		 /* names that `import torch` has loaded by now */
	wp_map system;		 /* names that the system provides */
	const char *const *dirs; size_t ndirs; /* of the tree, searched for every library */
	wp_map missing_ids;
	WP_VEC(wp_missing) missing;
	size_t edges;
	uint32_t *order;	 /* libraries, the biggest first: the order of reading */
	uint64_t total;
	atomic_size_t read;	 /* libraries and bytes done, for the progress */
	atomic_ullong bytes;
	wp_par par; /* arenas of the reading jobs */
};

/* List, read and walk. g is zeroed; release with wp_graph_done, also after a failure. */
int wp_graph_build(wp_graph *g, wp_ctx *ctx, const wp_doctor_request *in, wp_error *e);
void wp_graph_done(wp_graph *g);
/* The library at dir/name as this loader spells paths; WP_NO_LIB if there is none that it could load. */
uint32_t wp_graph_at(const wp_graph *g, const char *dir, const char *name);
/* Paths from a root of the walk to lib, then `last`; in arena a. */
size_t wp_graph_chain(const wp_graph *g, wp_arena *a, uint32_t lib, const char *last, const char *const **out);

#endif

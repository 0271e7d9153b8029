/* SPDX-License-Identifier: MIT
 *
 * compile.c: bytecode of what is installed, made in the stage by the target interpreter: several of them at once, each
 * with a slice of the sources. No code of a package is run. Slices depend on the sources alone, and the hash seed is
 * fixed, so that --jobs doesn't change a byte.
 */
#include "install/notes.h"

enum { SLICE_BYTES = 1 << 20, EXIT_FULL = 28, MAX_PYC_TAG = 64 };

/* argv: list, stage, venv, mode. It is not run with -I, which would take PYTHONHASHSEED from it; the caller has unset all
 * other PYTHON* variables, and the current folder is taken off sys.path before anything is imported. Of one that can't
 * be compiled the number is printed. */
static const char script[] =
	"import sys\n"
	"sys.path[:] = [p for p in sys.path if p]\n"
	"import errno, os, py_compile\n"
	"list, stage, venv, mode = sys.argv[1:]\n"
	"tag = sys.implementation.cache_tag\n"
	"print('tag ' + tag)\n"
	"more = {'invalidation_mode': py_compile.PycInvalidationMode[mode]} if mode != 'TIMESTAMP' or \\\n"
	"    hasattr(py_compile, 'PycInvalidationMode') else {}\n"
	"if os.name == 'nt' and not stage.startswith('\\\\\\\\'):\n"
	"    stage = '\\\\\\\\?\\\\' + stage\n" /* paths of any length */
	"with open(list, 'rb') as f:\n"
	"    names = f.read().split(b'\\0')[:-1]\n"
	"for i, name in enumerate(names):\n"
	"    name = (name.decode('utf-8') if os.name == 'nt' else os.fsdecode(name)).replace('/', os.sep)\n"
	"    dir, base = os.path.split(name)\n"
	"    cached = os.path.join(dir, '__pycache__', base[:-3] + '.' + tag + '.pyc')\n"
	"    try:\n"
	"        py_compile.compile(os.path.join(stage, name), os.path.join(stage, cached), os.path.join(venv, name), True, **more)\n"
	"    except OSError as e:\n"
	"        if e.errno in (errno.ENOSPC, errno.EDQUOT if hasattr(errno, 'EDQUOT') else errno.ENOSPC):\n"
	"            sys.stderr.write('%s\\n' % e)\n"
	"            sys.exit(28)\n"
	"        print(i)\n"
	"    except Exception:\n"
	"        print(i)\n"
	"print('done')\n";

typedef struct compiled_source {
	const char *path; /* below the venv */
	uint64_t size;
	bool bad;
} compiled_source;

typedef struct slice {
	size_t first, n;
	const char *tag; /* cpython-312 */
} slice;

typedef struct compiling {
	wp_plan *p;
	const char *stage;
	WP_VEC(compiled_source) sources;
	WP_VEC(slice) slices;
	atomic_size_t done;
} compiling;

/* ---- which ---------------------------------------------------------------------------------- */

bool wp_compiles(const wp_plan *p, const wp_out_file *f)
{
	return p->in->bytecode != WP_BYTECODE_NONE && f->written && f->member && wp_ends(f->path, ".py") &&
	       wp_under(f->path, p->python.venv_site);
}

/* "pkg/mod" of pkg/__pycache__/mod.cpython-312.pyc; NULL of any other path. */
static const char *module_of_cached(wp_arena *a, const char *path)
{
	const char *dir = os_dirname(a, path);
	wp_str name = wp_str_of(os_basename(path));

	if (!wp_str_ends(name, ".pyc") || !wp_streq(os_basename(dir), "__pycache__"))
		return NULL;
	name.n -= strlen(".pyc");
	name = wp_str_sub(name, 0, wp_str_rfind(name, '.'));
	return os_join(a, os_dirname(a, dir), wp_str_dup(a, name));
}

/* A wheel may bring bytecode of its own, which RECORD holds to its digest. */
static void gather(compiling *c)
{
	const wp_plan *p = c->p;
	wp_map brought;
	uint32_t one;
	size_t i;

	wp_map_init(&brought);
	for (i = 0; i < p->files.n; i++) {
		const char *module = module_of_cached(p->a, p->files.v[i].path);

		if (module)
			wp_map_put(&brought, wp_str_of(module), 1);
	}
	for (i = 0; i < p->files.n; i++) {
		const wp_out_file *f = &p->files.v[i];

		if (wp_compiles(p, f) && !wp_map_get(&brought, wp_str_sub(wp_str_of(f->path), 0, strlen(f->path) - 3), &one))
			WP_PUSH(&c->sources, ((compiled_source){f->path, f->size, false}));
	}
	wp_map_free(&brought);
}

static void cut(compiling *c)
{
	uint64_t bytes = SLICE_BYTES;
	size_t i;

	for (i = 0; i < c->sources.n; i++) {
		if (bytes >= SLICE_BYTES) {
			WP_PUSH(&c->slices, ((slice){i, 0, NULL}));
			bytes = 0;
		}
		c->slices.v[c->slices.n - 1].n++;
		bytes += c->sources.v[i].size;
	}
}

/* ---- one slice ------------------------------------------------------------------------------ */

static int write_list(const compiling *c, const slice *s, const char *path, wp_error *e)
{
	os_file *f = NULL;
	uint64_t off = 0;
	size_t i;

	if (os_open(path, OS_CREATE_NEW, &f, e))
		return e->code;
	for (i = s->first; i < s->first + s->n && !e->code; i++) {
		size_t n = strlen(c->sources.v[i].path) + 1;

		os_pwrite(f, c->sources.v[i].path, n, off, e);
		off += n;
	}
	os_close(f, e);
	return e->code;
}

static bool is_tag(wp_str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (!wp_ascii_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_')
			return false;
	return s.n > 0 && s.n <= MAX_PYC_TAG;
}

/* False where it did not come to its end. */
static bool read_answer(compiling *c, slice *s, wp_arena *a, wp_str text)
{
	wp_str line;
	uint64_t i;

	while (wp_str_line(&text, &line)) {
		if (wp_str_is(line, "done"))
			return s->tag != NULL;
		if (wp_str_starts(line, "tag ") && is_tag(wp_str_sub(line, 4, line.n)))
			s->tag = wp_str_dup(a, wp_str_sub(line, 4, line.n));
		else if (wp_str_u64(line, &i) && i < s->n)
			c->sources.v[s->first + i].bad = true;
	}
	return false;
}

static int failed(const compiling *c, const slice *s, const os_run_result *r, wp_error *e)
{
	wp_str rest = r->err, line = {0}, last = {0};

	while (wp_str_line(&rest, &line))
		if (wp_str_trim(line).n)
			last = wp_str_sub(wp_str_trim(line), 0, 200);
	if (r->exit_code == EXIT_FULL)
		wp_fail(e, WP_E_DISK_FULL, "%.*s", (int)last.n, last.n ? last.p : "");
	else if (r->signal)
		wp_fail(e, WP_E_NO_INTERPRETER, "it was ended by signal %d while it compiled '%s' and what comes after it", r->signal,
			c->sources.v[s->first].path);
	else if (r->exit_code == 0)
		wp_fail(e, WP_E_NO_INTERPRETER, "it said nothing usable when it had compiled '%s' and what comes after it",
			c->sources.v[s->first].path);
	else
		wp_fail(e, WP_E_NO_INTERPRETER, "exit %d while it compiled '%s' and what comes after it%s%.*s", r->exit_code,
			c->sources.v[s->first].path, last.n ? ": " : "", (int)last.n, last.n ? last.p : "");
	wp_err_next(e, "install without bytecode: Python makes it when it is needed");
	return wp_err_where(e, "'%s'", c->p->python.path);
}

static int run(compiling *c, slice *s, const char *list, wp_arena *a, wp_error *e)
{
	static const char *const unset[] = {"PYTHON", "__PYVENV_LAUNCHER__", NULL};
	static const char *const set[] = {"PYTHONHASHSEED=0", NULL};
	const wp_plan *p = c->p;
	const char *argv[] = {p->python.path, "-B", "-s", "-S", "-W", "ignore", "-c", script, os_native(a, list),
		os_native(a, c->stage), wp_native_path(a, p->windows, p->venv),
		p->in->bytecode == WP_BYTECODE_HASHES ? "CHECKED_HASH" : "TIMESTAMP", NULL};
	os_run_request r = {.argv = argv, .unset_prefix = unset, .set_env = set, .cwd = os_dirname(a, p->python.path)};
	os_run_result got;

	if (os_run(a, &r, &got, e) || wp_check_cancel(p->ctx, e))
		return e->code;
	if (got.exit_code != 0 || !read_answer(c, s, a, got.out))
		return failed(c, s, &got, e);
	return 0;
}

static int compile_slice(void *user, size_t i, wp_arena *a, wp_error *e)
{
	compiling *c = user;
	slice *s = &c->slices.v[i];
	const char *list = wp_sprintf(a, "%s/.wheelpack/sources-%zu", c->stage, i);

	if (wp_check_cancel(c->p->ctx, e) || write_list(c, s, list, e) || run(c, s, list, a, e))
		return e->code;
	atomic_fetch_add_explicit(&c->done, s->n, memory_order_relaxed);
	return os_unlink(list, e);
}

static void report(void *user)
{
	const compiling *c = user;
	wp_progress g = {.stage = "compile", .items = atomic_load_explicit(&c->done, memory_order_relaxed),
		.items_total = c->sources.n};

	wp_report(c->p->ctx, &g);
}

/* ---- what came of it ------------------------------------------------------------------------ */

static const char *cached_of(wp_arena *a, const char *source, const char *tag)
{
	return wp_sprintf(a, "%s/__pycache__/%.*s.%s.pyc", os_dirname(a, source), (int)strlen(os_basename(source)) - 3,
		os_basename(source), tag);
}

/* Part of what the commit moves. Bytecode that lies there of a source that comes in makes way. */
static int add(compiling *c, wp_map *dirs, const char *path, uint64_t size, wp_error *e)
{
	wp_plan *p = c->p;
	const char *dir = os_dirname(p->a, path);

	if (wp_map_put(dirs, wp_str_of(dir), 1))
		WP_PUSH(&p->dirs, dir);
	if (!p->is_new && wp_removal_take(&p->removal, path, e))
		return e->code;
	WP_PUSH(&p->files, ((wp_out_file){.path = path, .size = size, .written = true, .same_as = p->files.n}));
	return 0;
}

static int collect(compiling *c, wp_receipt *r, wp_error *e)
{
	wp_plan *p = c->p;
	WP_VEC(const char *) bad = {0};
	wp_map dirs;
	size_t i, k;

	wp_map_init(&dirs);
	for (i = 0; i < p->dirs.n; i++)
		wp_map_put(&dirs, wp_str_of(p->dirs.v[i]), 1);
	for (i = 0; i < c->slices.n; i++)
		for (k = c->slices.v[i].first; k < c->slices.v[i].first + c->slices.v[i].n && !e->code; k++) {
			const compiled_source *s = &c->sources.v[k];
			const char *path = cached_of(p->a, s->path, c->slices.v[i].tag);
			os_kind kind = OS_ABSENT;
			uint64_t size = 0;

			if (!s->bad && os_stat(os_join(p->a, c->stage, path), &kind, &size, e))
				break;
			if (kind != OS_FILE)
				WP_PUSH(&bad, s->path);
			else if (!add(c, &dirs, path, size, e))
				r->compiled++;
		}
	wp_map_free(&dirs);
	wp_tell_files(p->findings, p->ctx->arena, WP_INSTALL_NOT_COMPILED, bad.v, bad.n);
	WP_VEC_FREE(&bad);
	return e->code;
}

int wp_compile(wp_plan *p, const char *stage, wp_receipt *r, wp_error *e)
{
	compiling c = {.p = p, .stage = stage};
	uint64_t start = os_now_ms();
	wp_par par;

	if (p->in->bytecode == WP_BYTECODE_NONE)
		return 0;
	gather(&c);
	cut(&c);
	if (!wp_par_for(p->ctx, c.slices.n, compile_slice, report, &c, true, &par, e))
		collect(&c, r, e);
	wp_par_done(&par);
	WP_VEC_FREE(&c.sources);
	WP_VEC_FREE(&c.slices);
	r->compile_ms = os_now_ms() - start;
	return e->code;
}

/* SPDX-License-Identifier: MIT */
/* install_world.h: a store of wheels, a lock, an interpreter that answers, a place to install into. */
#ifndef WP_TESTS_INSTALL_WORLD_H
#define WP_TESTS_INSTALL_WORLD_H

#include "install/parts.h"
#include "unit/make_wheel.h"
#include "unit/tmp.h"

/* Everything a test needs: a store of wheels, the lock and manifest that list them, and a place `home` that is
 * compared before and after. The interpreter is a script that answers like CPython 3.12.7; tests that run
 * something take the machine's own. */
typedef struct world {
	wp_ctx ctx;
	wp_arena *a;
	const char *dir, *store, *home, *venv, *python;
	WP_VEC(wp_lock_wheel) wheels;
	WP_VEC(wp_bundle_wheel) pins;
	WP_VEC(const char *) names;
	wp_lock_target target, second; /* second: only where it has a name */
	wp_lock_doc lock;
	wp_bundle_doc manifest;
	wp_install_request in;
	wp_receipt out;
	atomic_int cancel;
} world;

#define SITE "lib/python3.12/site-packages"

static inline const char *at(world *w, const char *path)
{
	return os_join(w->a, w->dir, path);
}

static inline const char *in_venv(world *w, const char *path)
{
	return os_join(w->a, w->venv, path);
}

static inline void fake_python(world *w, const char *path, const char *tag, const char *version)
{
	wp_error err = {0};

	assert_ok(os_mkdirs(os_dirname(w->a, path), &err));
	tmp_script(path, wp_str_of(wp_sprintf(w->a,
		"#!/bin/sh\ncat <<'END'\n"
		"{\"executable\": \"%s\", "
		"\"version\": \"%s\", \"soabi_tag\": \"%s\", "
		"\"platform_tag\": \"manylinux_2_36_x86_64\", \"bits\": 64, "
		"\"venv_site\": \"" SITE "\", \"venv_bin\": \"bin\", "
		"\"markers\": {\"os_name\": \"posix\", \"sys_platform\": \"linux\", "
		"\"platform_machine\": \"x86_64\", \"platform_python_implementation\": \"CPython\", "
		"\"platform_release\": \"6\", \"platform_system\": \"Linux\", \"platform_version\": \"#1\", "
		"\"python_version\": \"3.12\", \"python_full_version\": \"%s\", "
		"\"implementation_name\": \"cpython\", \"implementation_version\": \"%s\"}}\nEND\n",
		path, version, tag, version, version)));
}

static inline int open_stored(void *self, const char *filename, const char *sha256, wp_blob *out, wp_error *e)
{
	world *w = self;
	wp_arena *a = wp_arena_new();

	(void)sha256;
	os_blob(os_join(a, w->store, filename), out, e);
	wp_arena_free(a);
	return e->code;
}

static inline int setup(void **state)
{
	world *w = calloc(1, sizeof *w);
	wp_error err = {0};

	wp_ctx_init(&w->ctx, 2);
	w->a = w->ctx.arena;
	w->ctx.cancel = &w->cancel;
	w->dir = tmp_make(w->a);
	w->store = at(w, "store");
	w->home = at(w, "home");
	w->venv = at(w, "home/env");
	w->python = at(w, "py/bin/python3.12");
	assert_ok(os_mkdir(w->store, &err));
	assert_ok(os_mkdir(w->home, &err));
	fake_python(w, w->python, "cp312", "3.12.7");
	w->target = (wp_lock_target){.name = "cp312-manylinux_2_28_x86_64", .python = "3.12",
		.platform = "manylinux_2_28_x86_64"};
	w->in = (wp_install_request){.lock = &w->lock, .manifest = &w->manifest,
		.bundle_id = "b", .wheels = {w, open_stored}, .venv = w->venv, .python = w->python,
		.no_sync = true, .time = "2026-01-02T03:04:05Z"};
	*state = w;
	return 0;
}

static inline int teardown(void **state)
{
	world *w = *state;

	tmp_remove(w->dir);
	WP_VEC_FREE(&w->wheels);
	WP_VEC_FREE(&w->pins);
	WP_VEC_FREE(&w->names);
	wp_ctx_done(&w->ctx);
	free(w);
	return 0;
}

/* Put a wheel into the store, the lock and the manifest. Add them in alphabetical order. */
static inline void add(world *w, const mw_wheel *wheel)
{
	mw_made m = mw_write(w->a, w->store, wheel);
	bool first = w->wheels.n == 0;

	WP_PUSH(&w->wheels, ((wp_lock_wheel){.project = wheel->project, .version = wheel->version,
		.filename = m.filename, .size = (int64_t)m.bytes.n,
		.sha256 = wp_strdup(w->a, m.sha256), .digest = WP_DIGEST_INDEX, .index = "ordinary",
		.url = "https://example.org/x.whl", .requested = first}));
	WP_PUSH(&w->pins, ((wp_bundle_wheel){.filename = m.filename,
		.sha256 = wp_strdup(w->a, m.sha256),
		.record_sha256 = wp_strdup(w->a, m.record_sha256), .size = m.bytes.n}));
	WP_PUSH(&w->names, m.filename);
}

static inline void forget(world *w)
{
	w->wheels.n = w->pins.n = w->names.n = 0;
}

/* The request says what was added so far. */
static inline void settle(world *w)
{
	static wp_lock_index index = {"ordinary", "https://example.org/simple/"};
	wp_lock_target *targets = WP_NEW_ARRAY(w->a, 2, wp_lock_target);

	w->target.wheels = w->names.v;
	w->target.nwheels = w->names.n;
	w->lock.indexes = &index;
	w->lock.nindexes = 1;
	targets[0] = targets[1] = w->target;
	targets[1].name = w->second.name;
	w->lock.targets = targets;
	w->lock.ntargets = w->second.name ? 2 : 1;
	w->lock.wheels = w->wheels.v;
	w->lock.nwheels = w->wheels.n;
	w->manifest.wheels = w->pins.v;
	w->manifest.nwheels = w->pins.n;
}

static inline int install(world *w, wp_error *e)
{
	settle(w);
	return wp_install(&w->ctx, &w->in, &w->out, e);
}

static inline void simple(world *w, const char *project, const char *version, const char *file,
	const char *text)
{
	mw_member m = {.name = file, .data = text};
	mw_wheel v = {.project = project, .version = version, .members = &m, .n = 1};

	add(w, &v);
}

/* All of home: names, kinds, modes, contents, targets of links. */
static inline const char *snapshot(world *w)
{
	wp_error err = {0};
	os_entry *v;
	size_t i, n;
	wp_buf b;

	wp_buf_init(&b, 64 << 20);
	assert_ok(os_walk(w->a, w->home, &v, &n, &err));
	for (i = 0; i < n; i++) {
		const char *path = os_join(w->a, w->home, v[i].path), *to = "";
		char hex[WP_SHA256_HEX + 1] = "";
		struct stat st;

#ifdef _WIN32
		assert_int_equal(stat(path, &st), 0);
#else
		assert_int_equal(lstat(path, &st), 0);
#endif
		if (v[i].kind == OS_FILE)
			wp_sha256_hex(tmp_read(w->a, path), hex);
		if (v[i].kind == OS_LINK)
			assert_ok(os_readlink(w->a, path, &to, &err));
		wp_buf_printf(&b, "%s %o %s%s\n", v[i].path, (unsigned)st.st_mode, hex, to);
	}
	return wp_buf_take(&b, w->a).p;
}

/* The install is refused with this code, says this, and leaves everything as it was. */
static inline void refused(world *w, wp_code code, const char *says)
{
	const char *before = snapshot(w), *after;
	wp_error err = {0};

	if (install(w, &err) != (int)code)
		fail_msg("%s wanted, got %s: %s (%s)", wp_code_name(code), wp_code_name(err.code),
			err.why, err.where);
	if (!strstr(err.why, says) && !strstr(err.where, says))
		fail_msg("'%s' is neither in '%s' nor in '%s'", says, err.why, err.where);
	assert_non_null(strstr(err.state, "nothing was changed"));
	after = snapshot(w);
	assert_string_equal(before, after);
}

/* The same into a new venv and into an existing one. */
static inline void refused_everywhere(world *w, wp_code code, const char *says)
{
	wp_error err = {0};

	refused(w, code, says);
	assert_ok(os_mkdir(w->venv, &err));
	refused(w, code, says);
	assert_ok(os_rmdir(w->venv, &err));
	{
		wp_lock_wheel *wheels = w->wheels.v;
		size_t n = w->names.n;

		w->names.n = 0; /* a venv without any distribution */
		assert_ok(install(w, &err));
		w->names.n = n;
		assert_ptr_equal(wheels, w->wheels.v);
	}
	refused(w, code, says);
	assert_ok(os_remove_tree(w->venv, &err));
}

static inline const wp_finding *finding(world *w, const char *code)
{
	size_t i;

	for (i = 0; i < w->out.findings.n; i++)
		if (strcmp(w->out.findings.v[i].code, code) == 0)
			return &w->out.findings.v[i];
	return NULL;
}

static inline void is_text(world *w, const char *path, const char *text)
{
	assert_string_equal(tmp_read(w->a, in_venv(w, path)).p, text);
}

static inline unsigned mode_of(world *w, const char *path)
{
	struct stat st;

	assert_int_equal(stat(in_venv(w, path), &st), 0);
	return st.st_mode & 07777;
}

#endif

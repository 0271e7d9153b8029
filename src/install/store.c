/* SPDX-License-Identifier: MIT
 *
 * store.c: the directory of a store, and who is at work there.
 */
#include <inttypes.h>

#include "base/str.h"
#include "install/store.h"

#define MARK_NAME "wheelpack-store"
#define MARK_TEXT "wheelpack.store/1\n"

enum { GATE_PAUSE_MS = 20, GATE_WAIT_MS = 60000, MAX_INDEX = 256 << 20 };

/* ---- is it one? ----------------------------------------------------------------------------- */

/* An empty mark was left by a run that was killed, or is being written. */
static int check_mark(wp_arena *a, const char *path, bool *there, wp_error *e)
{
	wp_str text;

	if (os_read_file(a, path, 4096, &text, e))
		return e->code;
	*there = text.n > 0;
	if (!text.n || wp_str_is(text, MARK_TEXT))
		return 0;
	wp_fail(e, WP_E_DOCUMENT, "it is a store of another version of wheelpack");
	return wp_err_next(e, "name another directory, or take the wheelpack that made it");
}

/* Behind a link would lie what is nobody's to remove. */
static int check_inside(wp_arena *a, const char *path, wp_error *e)
{
	static const char *const names[] = {"entries", "runs"};
	os_kind kind;
	uint64_t size;
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		if (os_stat(os_join(a, path, names[i]), &kind, &size, e))
			return e->code;
		if (kind == OS_DIR || kind == OS_ABSENT)
			continue;
		wp_fail(e, WP_E_PATH, "'%s' in it is %s, a directory is wanted", names[i], kind == OS_LINK ? "a link" : "a file");
		return wp_err_next(e, "put the directory itself there, or name another store");
	}
	return os_check_private(path, e);
}

static int look_into(wp_arena *a, const char *path, bool *there, wp_error *e)
{
	const char *mark = os_join(a, path, MARK_NAME);
	const char **names;
	size_t n;

	if (os_is_file(mark))
		return check_mark(a, mark, there, e) ? (int)e->code : check_inside(a, path, e);
	if (os_list(a, path, &names, &n, e))
		return e->code;
	if (!n)
		return os_check_private(path, e);
	wp_fail(e, WP_E_EXISTS, "it is not empty, and no store: it has no file " MARK_NAME);
	return wp_err_next(e, "name a directory that is new or empty");
}

/* What is absent will lie below what is there, by its real name. */
static int place_of_new(wp_arena *a, const char **path, wp_error *e)
{
	const char *there = *path, *rest = "";

	while (!os_is_dir(there) && strcmp(there, os_dirname(a, there)) != 0) {
		if (strcmp(os_basename(there), "..") == 0)
			return wp_fail(e, WP_E_PATH, "its path has '..' behind a directory that is not there");
		rest = wp_sprintf(a, "/%s%s", os_basename(there), rest);
		there = os_dirname(a, there);
	}
	if (os_realpath(a, there, &there, e))
		return e->code;
	*path = wp_sprintf(a, "%s%s", wp_streq(there, "/") ? "" : there, rest);
	return 0;
}

int wp_store_look(wp_arena *a, const char *given, const char **path, bool *there, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	*there = false;
	if (os_absolute(a, given, path, e) || os_stat(*path, &kind, &size, e))
		return e->code;
	if (kind == OS_ABSENT)
		return place_of_new(a, path, e);
	if (!os_is_dir(*path))
		return wp_fail(e, WP_E_EXISTS, "it is not a directory");
	if (os_realpath(a, *path, path, e))
		return e->code;
	return look_into(a, *path, there, e);
}

int wp_store_find(wp_arena *a, const char *given, const char **path, wp_error *e)
{
	bool there;

	if (!wp_store_look(a, given, path, &there, e) && there)
		return 0;
	if (e->code == WP_E_EXISTS) {
		*e = (wp_error){0};
		wp_fail(e, WP_E_NOT_FOUND, "it is no store: it has no file " MARK_NAME);
	} else if (!e->code) {
		wp_fail(e, WP_E_NOT_FOUND, os_is_dir(given) ? "it is empty, and no store" : "there is no such directory");
	}
	return e->code == WP_E_NOT_FOUND
		? wp_err_next(e, "name the directory that `wheelpack install --store DIR` was given") : (int)e->code;
}

/* ---- make ----------------------------------------------------------------------------------- */

/* Runs that come at the same time write the same. */
static int put_mark(wp_arena *a, const char *dir, wp_error *e)
{
	os_file *f;

	if (os_open(os_join(a, dir, MARK_NAME), OS_READ_WRITE, &f, e))
		return e->code;
	os_pwrite(f, MARK_TEXT, strlen(MARK_TEXT), 0, e);
	os_close(f, e);
	return e->code;
}

static int make_one(wp_arena *a, const char *dir, const char *name, wp_error *e)
{
	wp_error own = {0};

	if (os_mkdir(os_join(a, dir, name), &own) && own.code != WP_E_EXISTS)
		*e = own;
	return e->code;
}

int wp_store_make(wp_arena *a, const char *dir, wp_error *e)
{
	wp_error own = {0};

	if (!os_is_dir(dir)) {
		if (os_mkdirs(os_dirname(a, dir), e))
			return e->code;
		if (os_mkdir_private(dir, &own) && own.code != WP_E_EXISTS) {
			*e = own;
			return e->code;
		}
	}
	if (put_mark(a, dir, e) || make_one(a, dir, "entries", e))
		return e->code;
	return make_one(a, dir, "runs", e);
}

/* ---- entries -------------------------------------------------------------------------------- */

const char *wp_store_entry(wp_arena *a, const char *dir, const char *key)
{
	return wp_sprintf(a, "%s/entries/%s", dir, key);
}

/* What has another name is not ours. */
int wp_store_keys(wp_arena *a, const char *dir, const char ***out, size_t *n, wp_error *e)
{
	const char *entries = os_join(a, dir, "entries");
	size_t i, all;

	*n = 0;
	if (!os_is_dir(entries))
		return 0;
	if (os_list(a, entries, out, &all, e))
		return e->code;
	for (i = 0; i < all; i++)
		if (wp_stored_is_key((*out)[i]))
			(*out)[(*n)++] = (*out)[i];
	return 0;
}

int wp_store_read(wp_arena *a, const char *entry, wp_stored_wheel *out, wp_error *e)
{
	wp_error own = {0};
	wp_str text;

	if (!os_read_file(a, os_join(a, entry, "index"), MAX_INDEX, &text, &own))
		return wp_stored_read(a, text, out, e);
	if (own.code == WP_E_NOT_FOUND && os_is_dir(entry))
		return wp_fail(e, WP_E_DOCUMENT, "the index is missing");
	*e = own;
	return e->code;
}

int64_t wp_store_used(wp_arena *a, const char *entry)
{
	wp_error ignored = {0};
	uint64_t n;
	wp_str text;

	if (os_read_file(a, os_join(a, entry, "used"), 64, &text, &ignored) || !wp_str_u64(wp_str_trim(text), &n) ||
		n > INT64_MAX)
		return 0;
	return (int64_t)n;
}

/* Ten digits until the year 2286: a second run that writes at the same time writes over them. */
void wp_store_use_now(wp_arena *a, const char *entry)
{
	enum { DAY = 86400 };
	int64_t now = os_unix_time(), was = wp_store_used(a, entry);
	const char *text = wp_sprintf(a, "%" PRId64 "\n", now);
	wp_error ignored = {0};
	os_file *f;

	if (was / DAY == now / DAY || os_open(os_join(a, entry, "used"), OS_READ_WRITE, &f, &ignored))
		return;
	os_pwrite(f, text, strlen(text), 0, &ignored);
	os_close(f, &ignored);
}

int wp_store_drop(wp_arena *a, const char *dir, const char *work, const char *key, wp_error *e)
{
	return os_rename_new(wp_store_entry(a, dir, key), wp_sprintf(a, "%s/dropped-%s", work, key), e);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static int take_gate(const wp_ctx *ctx, wp_arena *a, const char *dir, os_lock **out, wp_error *e)
{
	const char *path = os_join(a, dir, "lock");
	uint64_t start = os_now_ms();
	wp_error own = {0};

	while (os_lock_take(path, out, &own) == WP_E_BUSY && os_now_ms() - start < GATE_WAIT_MS) {
		if (wp_check_cancel(ctx, e))
			return e->code;
		own = (wp_error){0};
		os_sleep_ms(GATE_PAUSE_MS);
	}
	if (own.code)
		*e = own;
	return e->code;
}

/* Who holds the lock lives. */
static void look_at_run(wp_arena *a, const char *dir, size_t *live, size_t *left, wp_error *busy)
{
	const char *path = os_join(a, dir, "lock");
	wp_error own = {0}, ignored = {0};
	os_lock *lock = NULL;

	if (os_is_file(path) && os_lock_take(path, &lock, &own)) {
		*live += 1;
		if (busy && !busy->code)
			*busy = own;
		return;
	}
	os_lock_release(lock);
	*left += os_remove_tree(dir, &ignored) == 0;
}

/* PID or PID-N; what has another name is not ours. */
static bool is_run(wp_arena *a, const char *runs, const char *name)
{
	wp_str rest = wp_str_of(name), pid;
	wp_error ignored = {0};
	os_kind kind = OS_ABSENT;
	uint64_t n;

	os_stat(os_join(a, runs, name), &kind, &n, &ignored);
	return kind == OS_DIR && (wp_str_u64(rest, &n) || (wp_str_split(&rest, '-', &pid) && wp_str_u64(pid, &n) && wp_str_u64(rest, &n)));
}

static int look_at_runs(wp_arena *a, const char *dir, size_t *live, size_t *left, wp_error *busy, wp_error *e)
{
	const char *runs = os_join(a, dir, "runs");
	const char **names;
	size_t i, n;

	*live = *left = 0;
	if (!os_is_dir(runs))
		return 0;
	if (os_list(a, runs, &names, &n, e))
		return e->code;
	for (i = 0; i < n; i++)
		if (is_run(a, runs, names[i]))
			look_at_run(a, os_join(a, runs, names[i]), live, left, busy);
	return 0;
}

int wp_store_gate(const wp_ctx *ctx, wp_arena *a, const char *dir, os_lock **out, size_t *live, size_t *left, wp_error *busy,
	wp_error *e)
{
	if (take_gate(ctx, a, dir, out, e))
		return e->code;
	if (!look_at_runs(a, dir, live, left, busy, e))
		return 0;
	os_lock_release(*out);
	*out = NULL;
	return e->code;
}

/* The number alone may be that of a run on another PC, which has the directory too. */
int wp_store_work(wp_arena *a, const char *dir, wp_store_run *out, wp_error *e)
{
	wp_error own;
	int i;

	for (i = 0; i < 1000; i++) {
		const char *path = wp_sprintf(a, i ? "%s/runs/%d-%d" : "%s/runs/%d", dir, os_pid(), i);

		own = (wp_error){0};
		if (!os_mkdir(path, &own)) {
			out->work = path;
			return os_lock_take(os_join(a, path, "lock"), &out->lock, e);
		}
		if (own.code != WP_E_EXISTS)
			break;
	}
	*e = own;
	return e->code;
}

int wp_store_enter(const wp_ctx *ctx, wp_arena *a, const char *dir, wp_store_run *out, wp_error *e)
{
	size_t live, left;
	os_lock *gate;

	*out = (wp_store_run){0};
	if (wp_store_gate(ctx, a, dir, &gate, &live, &left, NULL, e))
		return e->code;
	wp_store_work(a, dir, out, e);
	os_lock_release(gate);
	if (e->code)
		wp_store_leave(out);
	return e->code;
}

void wp_store_leave(wp_store_run *r)
{
	wp_error ignored = {0}; /* the next run removes it */

	os_lock_release(r->lock);
	if (r->work)
		os_remove_tree(r->work, &ignored);
	*r = (wp_store_run){0};
}

/* SPDX-License-Identifier: MIT
 *
 * os_fault.c: the system layer of MODE=fault, a tool of the tests. Calls are counted; number
 * WHEELPACK_FAULT fails with WP_E_IO, or as WHEELPACK_FAULT_KIND wants it:
 *   full    only calls that take space count, and one fails with WP_E_DISK_FULL
 *   busy    only calls that rename or remove count, and one fails as for a file in use
 *   kill    the process ends there, as if by power loss
 *   denied  Windows only: the call goes through, but below it MoveFileEx number WHEELPACK_FAULT and those after it,
 *   shared  WHEELPACK_FAULT_TIMES in all (1), fail with "access denied" (5) or a sharing violation (32)
 * With WHEELPACK_FAULT_NO_EXCHANGE the system can't exchange two names. The program that WHEELPACK_FAULT_HOLDER names has
 * every file open. WHEELPACK_FAULT_COUNT names a file that gets the
 * number of calls at exit. The one file of the library that reads the environment.
 */
#include <errno.h>
#include <stdatomic.h>

#include "base/str.h"
#ifdef _WIN32
#include "os/win32.h"

enum { BUSY_NUMBER = ERROR_SHARING_VIOLATION, FULL_NUMBER = ERROR_DISK_FULL, IO_NUMBER = ERROR_IO_DEVICE };
#else
#include <unistd.h>

#include "os/posix.h"

enum { BUSY_NUMBER = EBUSY, FULL_NUMBER = ENOSPC, IO_NUMBER = EIO };
#endif

/* Set before main and constant from then on, but for calls. */
static unsigned long fail_at, times;
static bool full, busy, kills, denied, shared, no_exchange;
static const char *holder;
static const char *count_file;
static atomic_ulong calls;

static void write_count(void)
{
	FILE *f = fopen(count_file, "w");

	if (!f)
		return;
	fprintf(f, "%lu\n", atomic_load(&calls));
	fclose(f);
}

__attribute__((constructor)) static void read_settings(void)
{
	const char *n = getenv("WHEELPACK_FAULT"), *kind = getenv("WHEELPACK_FAULT_KIND");
	const char *k = getenv("WHEELPACK_FAULT_TIMES");

	fail_at = n ? strtoul(n, NULL, 10) : 0;
	times = k ? strtoul(k, NULL, 10) : 1;
	full = wp_streq(kind, "full");
	busy = wp_streq(kind, "busy");
	kills = wp_streq(kind, "kill");
	denied = wp_streq(kind, "denied");
	shared = wp_streq(kind, "shared");
	no_exchange = getenv("WHEELPACK_FAULT_NO_EXCHANGE") != NULL;
	holder = getenv("WHEELPACK_FAULT_HOLDER");
	count_file = getenv("WHEELPACK_FAULT_COUNT");
	if (count_file)
		atexit(write_count);
}

/* FILLS: takes space on the disk. FREES: takes a name away, which a file in use can stop. */
typedef enum effect { OTHER, FILLS, FREES, MOVES = FILLS | FREES } effect;

static _Noreturn void end_at_once(void)
{
#ifdef _WIN32
	TerminateProcess(GetCurrentProcess(), 137);
	abort();
#else
	_exit(137);
#endif
}

/* True if this call is the one that fails. */
static bool fault(const char *name, effect x, wp_error *e)
{
	bool first = !e->code;

	if ((busy && !(x & FREES)) || (full && !(x & FILLS)) || denied || shared)
		return false;
	if (atomic_fetch_add(&calls, 1) + 1 != fail_at)
		return false;
	if (kills)
		end_at_once();
	if (busy)
		wp_fail_sys(e, WP_E_BUSY, BUSY_NUMBER, "%s failed", name);
	else if (full)
		wp_fail_sys(e, WP_E_DISK_FULL, FULL_NUMBER, "%s failed", name);
	else
		wp_fail_sys(e, WP_E_IO, IO_NUMBER, "%s failed", name);
	if (busy && first)
		os_name_holders(e, "");
	return true;
}

#ifdef _WIN32
BOOL WINAPI fault_MoveFileExW(const wchar_t *from, const wchar_t *to, DWORD flags);
BOOL WINAPI fault_MoveFileExW(const wchar_t *from, const wchar_t *to, DWORD flags)
{
	unsigned long n = denied || shared ? atomic_fetch_add(&calls, 1) + 1 : 0;

	if (fail_at && n >= fail_at && n - fail_at < times) {
		SetLastError(denied ? ERROR_ACCESS_DENIED : ERROR_SHARING_VIOLATION);
		return FALSE;
	}
	return MoveFileExW(from, to, flags);
}
#endif

int os_real_file_holders(wp_arena *a, const char *path, const char ***out, size_t *n, wp_error *e);
int os_file_holders(wp_arena *a, const char *path, const char ***out, size_t *n, wp_error *e)
{
	if (!holder)
		return os_real_file_holders(a, path, out, n, e);
	*out = WP_NEW_ARRAY(a, 1, const char *);
	(*out)[0] = holder;
	*n = 1;
	return 0;
}

#define CALL(name, effect, params, args)                                                           \
	int os_real_##name params;                                                                 \
	int os_##name params                                                                       \
	{                                                                                          \
		return fault("os_" #name, effect, e) ? (int)e->code : os_real_##name args;          \
	}
#define FILLS(name, params, args) CALL(name, FILLS, params, args)
#define FREES(name, params, args) CALL(name, FREES, params, args)
#define MOVES(name, params, args) CALL(name, MOVES, params, args)
#define OTHER(name, params, args) CALL(name, OTHER, params, args)

/* clang-format off */
CALL(open, m != OS_READ ? FILLS : OTHER, (const char *path, os_open_mode m, os_file **out, wp_error *e),
	(path, m, out, e))
FILLS(create_at, (os_dir *dir, const char *name, int mode, os_file **out, wp_error *e),
	(dir, name, mode, out, e))
OTHER(size, (os_file *f, uint64_t *out, wp_error *e), (f, out, e))
OTHER(pread, (os_file *f, void *buf, size_t n, uint64_t off, wp_error *e), (f, buf, n, off, e))
FILLS(pwrite, (os_file *f, const void *buf, size_t n, uint64_t off, wp_error *e),
	(f, buf, n, off, e))
FILLS(truncate, (os_file *f, uint64_t size, wp_error *e), (f, size, e))
FILLS(preallocate, (os_file *f, uint64_t size, wp_error *e), (f, size, e))
FILLS(flush, (os_file *f, wp_error *e), (f, e))
OTHER(stat, (const char *path, os_kind *kind, uint64_t *size, wp_error *e), (path, kind, size, e))
FILLS(mkdir, (const char *path, wp_error *e), (path, e))
OTHER(share, (const char *path, wp_error *e), (path, e))
OTHER(dir_open, (const char *path, os_dir **out, wp_error *e), (path, out, e))
FILLS(dir_sub, (os_dir *dir, const char *name, os_dir **out, wp_error *e), (dir, name, out, e))
OTHER(walk, (wp_arena *a, const char *root, os_entry **out, size_t *n, wp_error *e),
	(a, root, out, n, e))
OTHER(list, (wp_arena *a, const char *dir, const char ***out, size_t *n, wp_error *e),
	(a, dir, out, n, e))
MOVES(rename, (const char *from, const char *to, wp_error *e), (from, to, e))
MOVES(rename_new, (const char *from, const char *to, wp_error *e), (from, to, e))
FREES(unlink, (const char *path, wp_error *e), (path, e))
FREES(rmdir, (const char *path, wp_error *e), (path, e))
FREES(remove_tree, (const char *path, wp_error *e), (path, e))
FILLS(symlink, (const char *to, const char *path, wp_error *e), (to, path, e))
OTHER(readlink, (wp_arena *a, const char *path, const char **out, wp_error *e), (a, path, out, e))
OTHER(realpath, (wp_arena *a, const char *path, const char **out, wp_error *e), (a, path, out, e))
OTHER(absolute, (wp_arena *a, const char *path, const char **out, wp_error *e), (a, path, out, e))
OTHER(free_space, (const char *path, uint64_t *bytes, wp_error *e), (path, bytes, e))
OTHER(stat_at, (os_dir *dir, const char *path, bool names, os_facts *out, wp_error *e), (dir, path, names, out, e))
FILLS(link_at, (os_dir *dir, const char *path, os_dir *to, const char *name, wp_error *e), (dir, path, to, name, e))
FILLS(mkdir_private, (const char *path, wp_error *e), (path, e))
OTHER(check_private, (const char *path, wp_error *e), (path, e))
FILLS(sync_tree, (const char *path, wp_error *e), (path, e))
FILLS(lock_take, (const char *path, os_lock **out, wp_error *e), (path, out, e))
OTHER(run, (wp_arena *a, const os_run_request *r, os_run_result *out, wp_error *e), (a, r, out, e))
OTHER(self_path, (wp_arena *a, const char **out, wp_error *e), (a, out, e))
OTHER(lib_open, (const char *name, os_lib **out, wp_error *e), (name, out, e))

/* A file system that has no such call. */
int os_real_exchange(const char *a, const char *b, wp_error *e);
int os_exchange(const char *a, const char *b, wp_error *e)
{
	if (no_exchange)
		return wp_fail(e, WP_E_IO, "no two names are exchanged here");
	return fault("os_exchange", MOVES, e) ? (int)e->code : os_real_exchange(a, b, e);
}

/* Frees even when it fails. */
int os_real_close(os_file *f, wp_error *e);
int os_close(os_file *f, wp_error *e)
{
	bool fails = f && f->writable && fault("os_close", FILLS, e);
	int rc = os_real_close(f, e);

	return fails ? (int)e->code : rc;
}

/* SPDX-License-Identifier: MIT */
/* win32_disk.c: the volume below a path, bytes on their way to it, and who has a file open. */
#include "base/str.h"
#include "base/vec.h"
#include "os/win32.h"

#include <restartmanager.h>

/* ---- volume ------------------------------------------------------------------------------- */

/* What isn't there yet will be on the volume of its nearest parent. */
static wchar_t *nearest(const char *path)
{
	wchar_t *w = win_path(path), *cut;

	while (w && GetFileAttributesW(w) == INVALID_FILE_ATTRIBUTES) {
		cut = wcsrchr(w, L'\\');
		if (!cut || cut == w || cut[-1] == L':' || cut[-1] == L'\\' || cut[-1] == L'?')
			break;
		*cut = 0;
		if (cut[-1] == L':') {
			cut[0] = L'\\';
			cut[1] = 0;
			break;
		}
	}
	return w;
}

int os_free_space(const char *path, uint64_t *bytes, wp_error *e)
{
	wchar_t *w = nearest(path);
	ULARGE_INTEGER space;
	bool ok = w && GetDiskFreeSpaceExW(w, &space, NULL, NULL);

	if (ok)
		*bytes = space.QuadPart;
	else
		win_fail(e, path, "its free space is unknown");
	free(w);
	return ok ? 0 : (int)e->code;
}

/* The path below which the volume is mounted. */
static wchar_t *mount_of(const char *path)
{
	wchar_t *w = nearest(path), *root = w ? wp_xmalloc((wcslen(w) + 2) * sizeof *root) : NULL;
	bool ok = w && GetVolumePathNameW(w, root, (DWORD)wcslen(w) + 2);

	free(w);
	if (ok)
		return root;
	free(root);
	return NULL;
}

bool os_same_volume(const char *a, const char *b)
{
	wchar_t *x = mount_of(a), *y = mount_of(b);
	bool same = x && y && _wcsicmp(x, y) == 0;

	free(x);
	free(y);
	return same;
}

static os_volume_kind kind_of_name(const char *name)
{
	if (wp_starts(name, "NTFS") || wp_starts(name, "ReFS"))
		return OS_VOLUME_FULL;
	return wp_starts(name, "exFAT") ? OS_VOLUME_EXFAT : wp_starts(name, "FAT") ? OS_VOLUME_FAT : OS_VOLUME_OTHER;
}

static bool is_network(const wchar_t *w)
{
	wchar_t *root = wp_xmalloc((wcslen(w) + 2) * sizeof *root);
	bool remote = GetVolumePathNameW(w, root, (DWORD)wcslen(w) + 2) && GetDriveTypeW(root) == DRIVE_REMOTE;

	free(root);
	return remote;
}

int os_volume_of(wp_arena *a, const char *path, os_volume *out, wp_error *e)
{
	enum { SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
	wchar_t *w = nearest(path), name[MAX_PATH + 1] = L"";
	HANDLE h = w ? CreateFileW(w, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS,
			       NULL)
		     : INVALID_HANDLE_VALUE;
	bool ok = h != INVALID_HANDLE_VALUE &&
		  GetVolumeInformationByHandleW(h, NULL, 0, NULL, NULL, NULL, name, MAX_PATH + 1);

	if (ok) {
		*out = (os_volume){.name = win_utf8(a, name), .network = is_network(w)};
		out->kind = kind_of_name(out->name);
		out->max_file = out->kind == OS_VOLUME_FAT ? UINT32_MAX : INT64_MAX;
	} else {
		win_fail(e, path, "its volume is unknown");
	}
	if (h != INVALID_HANDLE_VALUE)
		CloseHandle(h);
	free(w);
	return ok ? 0 : (int)e->code;
}

/* ---- to the disk -------------------------------------------------------------------------- */

enum { WORTH_FLUSHING = 1 << 20 };

/* A library that is loaded or a file in use can't be opened for this: it was not written by us just now. */
static int flush_file(const char *path, wp_error *e)
{
	wchar_t *w = win_path(path);
	HANDLE h = w ? CreateFileW(w, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
			       OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL)
		     : INVALID_HANDLE_VALUE;

	free(w);
	if (h == INVALID_HANDLE_VALUE)
		return 0;
	if (!FlushFileBuffers(h))
		win_fail(e, path, "it cannot be written to the disk");
	CloseHandle(h);
	return e->code;
}

static int flush_tree(const char *path, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	os_entry *v;
	size_t n, i;

	if (!os_walk(a, path, &v, &n, e))
		for (i = 0; i < n && !e->code; i++)
			if (v[i].kind == OS_FILE && v[i].size >= WORTH_FLUSHING)
				flush_file(os_join(a, path, v[i].path), e);
	wp_arena_free(a);
	return e->code;
}

int os_sync_tree(const char *path, wp_error *e)
{
	return os_is_dir(path) ? flush_tree(path, e) : flush_file(path, e);
}

/* ---- who has it open ---------------------------------------------------------------------- */

/* Restart Manager, loaded when it is needed. */
enum { MAX_HOLDERS = 16, MAX_ASKED = 4096 };

typedef struct rm {
	DWORD(WINAPI *start)(DWORD *, DWORD, WCHAR *);
	DWORD(WINAPI *add)(DWORD, UINT, LPCWSTR *, UINT, RM_UNIQUE_PROCESS *, UINT, LPCWSTR *);
	DWORD(WINAPI *list)(DWORD, UINT *, UINT *, RM_PROCESS_INFO *, LPDWORD);
	DWORD(WINAPI *end)(DWORD);
} rm;

static bool rm_load(rm *r)
{
	void *p[4] = {win_call("rstrtmgr.dll", "RmStartSession"), win_call("rstrtmgr.dll", "RmRegisterResources"),
		win_call("rstrtmgr.dll", "RmGetList"), win_call("rstrtmgr.dll", "RmEndSession")};

	memcpy(r, p, sizeof p);
	return p[0] && p[1] && p[2] && p[3];
}

typedef WP_VEC(const wchar_t *) wide_list;

/* The manager takes files only: for a directory those in it. */
static void files_of(wp_arena *a, const char *path, wide_list *out)
{
	wp_error ignored = {0};
	wchar_t *w;
	os_entry *v;
	size_t n, i;

	if (!os_is_dir(path)) {
		if ((w = win_plain(path)))
			WP_PUSH(out, w);
		return;
	}
	if (os_walk(a, path, &v, &n, &ignored))
		return;
	for (i = 0; i < n && out->n < MAX_ASKED; i++)
		if (v[i].kind == OS_FILE && (w = win_plain(os_join(a, path, v[i].path))))
			WP_PUSH(out, w);
}

static void ask(wp_arena *a, const rm *r, const wide_list *files, const char **names, size_t *n)
{
	RM_PROCESS_INFO *v = WP_NEW_ARRAY(a, MAX_HOLDERS, RM_PROCESS_INFO);
	WCHAR key[CCH_RM_SESSION_KEY + 1] = L"";
	UINT needed = 0, got = MAX_HOLDERS, i;
	DWORD session, reasons, rc;

	if (!files->n || r->start(&session, 0, key))
		return;
	rc = r->add(session, (UINT)files->n, (LPCWSTR *)files->v, 0, NULL, 0, NULL);
	if (!rc)
		rc = r->list(session, &needed, &got, v, &reasons);
	for (i = 0; !rc && i < got; i++)
		names[(*n)++] = wp_sprintf(a, "%s (process %lu)", win_utf8(a, v[i].strAppName),
			(unsigned long)v[i].Process.dwProcessId);
	r->end(session);
}

int os_file_holders(wp_arena *a, const char *path, const char ***out, size_t *n, wp_error *e)
{
	const char **names = WP_NEW_ARRAY(a, MAX_HOLDERS, const char *);
	wide_list files = {0};
	size_t i;
	rm r;

	(void)e;
	*n = 0;
	*out = names;
	if (!rm_load(&r))
		return 0;
	files_of(a, path, &files);
	ask(a, &r, &files, names, n);
	for (i = 0; i < files.n; i++)
		free((wchar_t *)files.v[i]);
	WP_VEC_FREE(&files);
	return 0;
}

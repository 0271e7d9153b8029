/* SPDX-License-Identifier: MIT */
/* win32_share.c: one file for several places. Who may write to a directory is what it inherits. */
#include "base/str.h"
#include "os/win32.h"

enum {
	SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
	ITSELF = FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS
};

static int fail_at(os_dir *dir, const char *name, const char *why, wp_error *e)
{
	DWORD sys = GetLastError();
	char *path = win_join(dir->path, name);

	SetLastError(sys);
	win_fail(e, path, "%s", why);
	free(path);
	return e->code;
}

static bool is_absence(DWORD sys)
{
	return sys == ERROR_FILE_NOT_FOUND || sys == ERROR_PATH_NOT_FOUND || sys == ERROR_INVALID_NAME ||
	       sys == ERROR_DIRECTORY;
}

/* From 100 ns since 1601. */
static int64_t unix_ns(FILETIME t)
{
	const int64_t between = INT64_C(116444736000000000);
	int64_t n = (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime);

	return (n - between) * 100;
}

static bool count_names(const wchar_t *w, uint64_t *out)
{
	BY_HANDLE_FILE_INFORMATION info;
	HANDLE h = CreateFileW(w, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL, OPEN_EXISTING, ITSELF, NULL);
	bool ok = h != INVALID_HANDLE_VALUE && GetFileInformationByHandle(h, &info);

	if (ok)
		*out = info.nNumberOfLinks;
	if (h != INVALID_HANDLE_VALUE)
		CloseHandle(h);
	return ok;
}

/* A reparse point is no file of ours, whatever it stands for. */
static bool look(const wchar_t *w, bool names, os_facts *out)
{
	WIN32_FILE_ATTRIBUTE_DATA d;

	if (!w || !GetFileAttributesExW(w, GetFileExInfoStandard, &d))
		return false;
	out->kind = d.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT ? OS_LINK : win_kind(d.dwFileAttributes, 0);
	out->size = (uint64_t)d.nFileSizeHigh << 32 | d.nFileSizeLow;
	out->mtime = unix_ns(d.ftLastWriteTime);
	return !names || count_names(w, &out->names);
}

int os_stat_at(os_dir *dir, const char *path, bool names, os_facts *out, wp_error *e)
{
	wchar_t *w = win_child(dir, path);
	int rc = 0;

	*out = (os_facts){.kind = OS_ABSENT};
	if (!look(w, names, out)) {
		*out = (os_facts){.kind = OS_ABSENT};
		if (!is_absence(GetLastError()))
			rc = fail_at(dir, path, "it cannot be examined", e);
	}
	free(w);
	return rc;
}

int os_link_at(os_dir *dir, const char *path, os_dir *to, const char *name, wp_error *e)
{
	wchar_t *from, *w;
	int rc = 0;

	if (win_component(to, name, e))
		return e->code;
	from = win_child(dir, path);
	w = win_child(to, name);
	if (!from || !w || !CreateHardLinkW(w, from, NULL))
		rc = fail_at(to, name, "the hard link cannot be made", e);
	free(from);
	free(w);
	return rc;
}

bool os_clone(os_file *from, os_file *to)
{
	(void)from, (void)to;
	return false;
}

bool os_is_others(const char *path)
{
	(void)path;
	return false;
}

int os_mkdir_private(const char *path, wp_error *e)
{
	return os_mkdir(path, e);
}

int os_check_private(const char *path, wp_error *e)
{
	(void)path, (void)e;
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/str.h"
#include "os/win32.h"

enum {
	SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
	MAX_PIECE = 1 << 30 /* of one call */
};

os_file *win_file(HANDLE h, bool writable, const char *path)
{
	os_file *f = wp_xmalloc(sizeof *f);

	*f = (os_file){h, writable, win_copy(path)};
	return f;
}

/* ---- open --------------------------------------------------------------------------------- */

static HANDLE open_once(const wchar_t *w, os_open_mode m, DWORD flags)
{
	static const DWORD how[] = {OPEN_EXISTING, CREATE_NEW, OPEN_ALWAYS};

	return CreateFileW(w, m == OS_READ ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE, SHARE_ALL, NULL, how[m],
		FILE_ATTRIBUTE_NORMAL | flags, NULL);
}

static HANDLE open_again(const wchar_t *w, os_open_mode m, DWORD flags)
{
	HANDLE h;
	int tries = 0;

	do
		h = open_once(w, m, flags);
	while (h == INVALID_HANDLE_VALUE && win_again(w, false, &tries));
	return h;
}

static int check_kind(HANDLE h, const char *path, wp_error *e)
{
	os_kind kind = OS_OTHER;

	if (GetFileType(h) == FILE_TYPE_DISK && !win_handle_kind(h, &kind))
		return win_fail(e, path, "it cannot be examined");
	if (kind == OS_LINK) {
		wp_fail(e, WP_E_PATH, "it is a link, a file is wanted");
		return wp_err_where(e, "'%s'", path);
	}
	return kind == OS_FILE ? 0 : os_no_file(path, kind == OS_DIR, e);
}

static bool is_directory(const wchar_t *w)
{
	DWORD attributes = GetFileAttributesW(w);

	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

static int open_wide(const wchar_t *w, const char *path, os_open_mode m, HANDLE *h, wp_error *e)
{
	DWORD sys;

	*h = open_again(w, m, m == OS_READ ? FILE_FLAG_BACKUP_SEMANTICS : FILE_FLAG_OPEN_REPARSE_POINT);
	if (*h != INVALID_HANDLE_VALUE)
		return check_kind(*h, path, e);
	sys = GetLastError();
	if (m == OS_READ_WRITE && is_directory(w))
		return os_no_file(path, true, e);
	SetLastError(sys);
	return m == OS_READ ? win_fail(e, path, "it cannot be opened")
			    : win_fail_write(e, path, w, "it cannot be written");
}

int os_open(const char *path, os_open_mode m, os_file **out, wp_error *e)
{
	wchar_t *w = win_path(path);
	HANDLE h = INVALID_HANDLE_VALUE;
	int rc = w ? open_wide(w, path, m, &h, e) : win_fail(e, path, "it cannot be opened");

	free(w);
	if (!rc)
		*out = win_file(h, m != OS_READ, path);
	else if (h != INVALID_HANDLE_VALUE)
		CloseHandle(h);
	return rc;
}

int os_close(os_file *f, wp_error *e)
{
	int rc = 0;

	if (!f)
		return 0;
	if (!CloseHandle(f->h) && f->writable)
		rc = win_fail(e, f->path, "its last bytes were not written");
	free(f->path);
	free(f);
	return rc;
}

/* ---- read and write ----------------------------------------------------------------------- */

int os_size(os_file *f, uint64_t *out, wp_error *e)
{
	LARGE_INTEGER n;

	if (!GetFileSizeEx(f->h, &n))
		return win_fail(e, f->path, "its size cannot be read");
	*out = (uint64_t)n.QuadPart;
	return 0;
}

static int check_range(os_file *f, uint64_t n, uint64_t off, wp_error *e)
{
	if (off <= INT64_MAX && n <= INT64_MAX - off)
		return 0;
	wp_fail(e, WP_E_IO, "%" PRIu64 " bytes at %" PRIu64 " are beyond any file", n, off);
	return wp_err_where(e, "'%s'", f->path);
}

static OVERLAPPED place_of(uint64_t off)
{
	return (OVERLAPPED){.Offset = (DWORD)off, .OffsetHigh = (DWORD)(off >> 32)};
}

static DWORD piece_of(size_t n)
{
	return n < MAX_PIECE ? (DWORD)n : MAX_PIECE;
}

int os_pread(os_file *f, void *buf, size_t n, uint64_t off, wp_error *e)
{
	size_t done = 0;

	if (check_range(f, n, off, e))
		return e->code;
	while (done < n) {
		OVERLAPPED at = place_of(off + done);
		DWORD k = 0;

		if (!ReadFile(f->h, (char *)buf + done, piece_of(n - done), &k, &at) &&
			GetLastError() != ERROR_HANDLE_EOF)
			return win_fail(e, f->path, "it cannot be read");
		if (k == 0) {
			wp_fail(e, WP_E_IO, "it ends at byte %" PRIu64 ", %zu bytes at %" PRIu64 " were wanted",
				off + done, n, off);
			return wp_err_where(e, "'%s'", f->path);
		}
		done += k;
	}
	return 0;
}

int os_pwrite(os_file *f, const void *buf, size_t n, uint64_t off, wp_error *e)
{
	size_t done = 0;

	if (check_range(f, n, off, e))
		return e->code;
	while (done < n) {
		OVERLAPPED at = place_of(off + done);
		DWORD k = 0;

		if (!WriteFile(f->h, (const char *)buf + done, piece_of(n - done), &k, &at))
			return win_fail(e, f->path, "it cannot be written");
		done += k;
	}
	return 0;
}

int os_truncate(os_file *f, uint64_t size, wp_error *e)
{
	FILE_END_OF_FILE_INFO end;

	if (check_range(f, 0, size, e))
		return e->code;
	end.EndOfFile.QuadPart = (LONGLONG)size;
	if (!SetFileInformationByHandle(f->h, FileEndOfFileInfo, &end, sizeof end))
		return win_fail(e, f->path, "its size cannot be set");
	return 0;
}

/* A file system that can't reserve says so in many ways; only a full disk is an answer that counts. */
int os_preallocate(os_file *f, uint64_t size, wp_error *e)
{
	FILE_ALLOCATION_INFO space;
	uint64_t have = 0;

	if (check_range(f, 0, size, e) || os_size(f, &have, e))
		return e->code;
	if (size <= have) /* less than the size would cut the file */
		return 0;
	space.AllocationSize.QuadPart = (LONGLONG)size;
	if (SetFileInformationByHandle(f->h, FileAllocationInfo, &space, sizeof space) ||
		win_code(GetLastError()) != WP_E_DISK_FULL)
		return 0;
	return win_fail(e, f->path, "%" PRIu64 " bytes cannot be reserved", size);
}

/* Windows knows this only when a file is opened. */
bool os_direct(os_file *f, bool on)
{
	(void)f;
	return !on;
}

int os_flush(os_file *f, wp_error *e)
{
	if (!FlushFileBuffers(f->h))
		return win_fail(e, f->path, "it cannot be written to the disk");
	return 0;
}

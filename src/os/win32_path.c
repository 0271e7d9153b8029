/* SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "os/win32.h"

static const wchar_t prefix[] = L"\\\\?\\", unc_prefix[] = L"\\\\?\\UNC\\";
enum { PREFIX = 4, UNC_PREFIX = 8 };

/* ---- text --------------------------------------------------------------------------------- */

static wchar_t *wide_alloc(size_t n)
{
	return wp_xmalloc((n + 1) * sizeof(wchar_t));
}

wchar_t *win_wide(const char *s)
{
	int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, s, -1, NULL, 0);
	wchar_t *w;

	if (n <= 0)
		return NULL;
	w = wide_alloc((size_t)n);
	MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, s, -1, w, n);
	return w;
}

/* Half a surrogate pair, which Windows allows in names, becomes U+FFFD. */
char *win_utf8(wp_arena *a, const wchar_t *w)
{
	int n = WideCharToMultiByte(CP_UTF8, 0, w, -1, NULL, 0, NULL, NULL);
	char *s = wp_alloc(a, (size_t)(n > 0 ? n : 1));

	s[0] = 0;
	if (n > 0)
		WideCharToMultiByte(CP_UTF8, 0, w, -1, s, n, NULL, NULL);
	return s;
}

char *win_copy(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(wp_xmalloc(n), s, n);
}

char *win_join(const char *dir, const char *name)
{
	wp_buf b;

	wp_buf_init(&b, SIZE_MAX / 2);
	wp_buf_printf(&b, "%s%s%s", dir, wp_ends(dir, "/") || wp_ends(dir, "\\") ? "" : "/", name);
	return b.p;
}

static wchar_t *wide_join(const wchar_t *x, const wchar_t *y)
{
	size_t nx = wcslen(x), ny = wcslen(y);
	wchar_t *w = wide_alloc(nx + ny);

	wmemcpy(w, x, nx);
	wmemcpy(w + nx, y, ny + 1);
	return w;
}

wchar_t *win_below(const wchar_t *dir, const wchar_t *name)
{
	size_t n = wcslen(dir), k = wcslen(name);
	wchar_t *w = wide_alloc(n + 1 + k);

	wmemcpy(w, dir, n);
	if (n && w[n - 1] != L'\\')
		w[n++] = L'\\';
	wmemcpy(w + n, name, k + 1);
	return w;
}

/* ---- paths -------------------------------------------------------------------------------- */

static bool wide_starts(const wchar_t *w, const wchar_t *start)
{
	return wcsncmp(w, start, wcslen(start)) == 0;
}

char *win_slashes(wp_arena *a, const wchar_t *w)
{
	char *s, *p;

	if (wide_starts(w, unc_prefix))
		s = wp_sprintf(a, "\\\\%s", win_utf8(a, w + UNC_PREFIX));
	else
		s = win_utf8(a, wide_starts(w, prefix) ? w + PREFIX : w);
	for (p = s; *p; p++)
		if (*p == '\\')
			*p = '/';
	return s;
}

/* What the system makes of it: the current directory in front, "." and ".." gone. */
static wchar_t *full_name(const wchar_t *w)
{
	DWORD n, have = 0;
	wchar_t *out = NULL;

	SetLastError(0);
	while ((n = GetFullPathNameW(w, have, out, NULL)) > have) {
		free(out);
		out = wide_alloc(n);
		have = n;
	}
	if (n > 0)
		return out;
	free(out);
	if (!GetLastError())
		SetLastError(ERROR_PATH_NOT_FOUND);
	return NULL;
}

/* "C:\x\" is "C:\x", "C:\" stays. */
static void cut_tail(wchar_t *w)
{
	size_t n = wcslen(w);

	while (n > 3 && w[n - 1] == L'\\' && w[n - 2] != L':')
		w[--n] = 0;
}

/* Absolute without prefix, unless it was given with one. */
static wchar_t *absolute(const char *path)
{
	wchar_t *w = win_wide(path), *full, *p;

	if (!w)
		return NULL;
	for (p = w; *p; p++)
		if (*p == L'/')
			*p = L'\\';
	if (wide_starts(w, prefix))
		return w;
	full = full_name(w);
	free(w);
	if (full)
		cut_tail(full);
	return full;
}

static wchar_t *with_prefix(wchar_t *full)
{
	wchar_t *out;

	if (wide_starts(full, prefix) || wide_starts(full, L"\\\\.\\"))
		return full;
	out = wide_starts(full, L"\\\\") ? wide_join(unc_prefix, full + 2) : wide_join(prefix, full);
	free(full);
	return out;
}

wchar_t *win_path(const char *path)
{
	wchar_t *full = absolute(path);

	return full ? with_prefix(full) : NULL;
}

wchar_t *win_plain(const char *path)
{
	wchar_t *full = absolute(path);

	return full && wcslen(full) >= MAX_PATH ? with_prefix(full) : full;
}

int os_absolute(wp_arena *a, const char *path, const char **out, wp_error *e)
{
	wchar_t *full = absolute(path);

	if (!full)
		return win_fail(e, path, "its full path is unknown");
	*out = win_slashes(a, full);
	free(full);
	return 0;
}

/* The final name of an open file; NULL where its volume has no letter. */
static wchar_t *final_name(HANDLE h)
{
	DWORD n, have = 0;
	wchar_t *out = NULL;

	while ((n = GetFinalPathNameByHandleW(h, out, have, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS)) >
		have) {
		free(out);
		out = wide_alloc(n);
		have = n;
	}
	if (n > 0)
		return out;
	free(out);
	return NULL;
}

int os_realpath(wp_arena *a, const char *path, const char **out, wp_error *e)
{
	wchar_t *w = win_path(path), *real;
	HANDLE h = w ? CreateFileW(w, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
			       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL)
		     : INVALID_HANDLE_VALUE;

	if (h == INVALID_HANDLE_VALUE) {
		win_fail(e, path, "its full path is unknown");
		free(w);
		return e->code;
	}
	real = final_name(h);
	CloseHandle(h);
	*out = win_slashes(a, real ? real : w);
	free(real);
	free(w);
	return 0;
}

/* ---- errors ------------------------------------------------------------------------------- */

wp_code win_code(DWORD sys)
{
	switch (sys) {
	case ERROR_FILE_NOT_FOUND:
	case ERROR_PATH_NOT_FOUND:
	case ERROR_INVALID_DRIVE:
	case ERROR_BAD_NETPATH:
	case ERROR_BAD_NET_NAME:
	case ERROR_INVALID_NAME:
	case ERROR_DIRECTORY:
	case ERROR_MOD_NOT_FOUND:
		return WP_E_NOT_FOUND;
	case ERROR_ACCESS_DENIED:
	case ERROR_WRITE_PROTECT:
	case ERROR_NETWORK_ACCESS_DENIED:
	case ERROR_PRIVILEGE_NOT_HELD:
		return WP_E_PERMISSION;
	case ERROR_FILE_EXISTS:
	case ERROR_ALREADY_EXISTS:
		return WP_E_EXISTS;
	case ERROR_DISK_FULL:
	case ERROR_HANDLE_DISK_FULL:
	case 1295: /* the quota is used up */
		return WP_E_DISK_FULL;
	case ERROR_CANT_RESOLVE_FILENAME:
		return WP_E_PATH;
	default:
		return win_is_busy(sys) ? WP_E_BUSY : WP_E_IO;
	}
}

/* In the user's language, without the line end and the full stop. */
static const char *words_of(wp_arena *a, DWORD sys)
{
	enum { FLAGS = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK };
	wchar_t text[512];
	DWORD n = FormatMessageW(FLAGS, NULL, sys, 0, text, sizeof text / sizeof *text, NULL);

	while (n && (text[n - 1] <= L' ' || text[n - 1] == L'.'))
		n--;
	text[n] = 0;
	return n ? win_utf8(a, text) : wp_sprintf(a, "system error %lu", (unsigned long)sys);
}

static int fail_v(wp_error *e, wp_code code, DWORD sys, const char *fmt, va_list ap)
{
	wp_arena *a;

	if (e->code)
		return e->code;
	a = wp_arena_new();
	wp_fail(e, code, "%s: %s", wp_vsprintf(a, fmt, ap), words_of(a, sys));
	e->sys = (int)sys;
	wp_arena_free(a);
	return e->code;
}

int wp_fail_sys(wp_error *e, wp_code code, int sys, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_v(e, code, (DWORD)sys, fmt, ap);
	va_end(ap);
	return e->code;
}

int win_fail(wp_error *e, const char *path, const char *fmt, ...)
{
	DWORD sys = GetLastError();
	va_list ap;

	if (e->code)
		return e->code;
	va_start(ap, fmt);
	fail_v(e, win_code(sys), sys, fmt, ap);
	va_end(ap);
	return wp_err_where(e, "'%s'", path);
}

/* Of a directory it means nothing. */
bool win_is_read_only(const wchar_t *w)
{
	DWORD attributes = GetFileAttributesW(w);

	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) &&
	       !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

int win_fail_write(wp_error *e, const char *path, const wchar_t *w, const char *text)
{
	DWORD sys = GetLastError();
	bool read_only = sys == ERROR_ACCESS_DENIED && win_is_read_only(w);

	if (e->code)
		return e->code;
	SetLastError(sys);
	win_fail(e, path, "%s", read_only ? "it is read-only" : text);
	return read_only ? wp_err_next(e, "allow writing to '%s', then run the command again", path) : (int)e->code;
}

bool win_is_busy(DWORD sys)
{
	return sys == ERROR_SHARING_VIOLATION || sys == ERROR_LOCK_VIOLATION || sys == ERROR_BUSY ||
	       sys == ERROR_USER_MAPPED_FILE || sys == ERROR_DELETE_PENDING;
}

/* "Access denied" is the answer for a name that goes away when its last user closes it, and for a directory with an
 * open file in it, but also for what will never be allowed. */
static bool may_pass(DWORD sys, const wchar_t *w, bool directory)
{
	DWORD attributes;

	if (sys == ERROR_DIR_NOT_EMPTY && directory)
		return true;
	if (sys != ERROR_ACCESS_DENIED)
		return win_is_busy(sys) && sys != ERROR_USER_MAPPED_FILE;
	attributes = GetFileAttributesW(w);
	if (attributes == INVALID_FILE_ATTRIBUTES)
		return true;
	return !(attributes & FILE_ATTRIBUTE_READONLY) &&
	       (directory || !(attributes & FILE_ATTRIBUTE_DIRECTORY));
}

bool win_again(const wchar_t *w, bool directory, int *tries)
{
	DWORD sys = GetLastError();
	int pause = 10 << (*tries < 6 ? *tries : 6);
	bool again = may_pass(sys, w, directory) && (*tries)++ < 8;

	if (again)
		Sleep((DWORD)pause);
	SetLastError(sys);
	return again;
}

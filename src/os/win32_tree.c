/* SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "base/vec.h"
#include "os/win32.h"

enum {
	SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
	ITSELF = FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS
};

/* ---- looking ------------------------------------------------------------------------------ */

/* Links are what stands for another name: symbolic links and junctions. Files in a cloud folder or deduplicated ones
 * carry a tag too and are files all the same. */
os_kind win_kind(DWORD attributes, DWORD tag)
{
	if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) && IsReparseTagNameSurrogate(tag))
		return OS_LINK;
	if (attributes & FILE_ATTRIBUTE_DIRECTORY)
		return OS_DIR;
	return attributes & FILE_ATTRIBUTE_DEVICE ? OS_OTHER : OS_FILE;
}

bool win_handle_kind(HANDLE h, os_kind *kind)
{
	BY_HANDLE_FILE_INFORMATION info;
	FILE_ATTRIBUTE_TAG_INFO tag = {0};

	if (!GetFileInformationByHandle(h, &info))
		return false;
	if ((info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
		!GetFileInformationByHandleEx(h, FileAttributeTagInfo, &tag, sizeof tag))
		return false;
	*kind = win_kind(info.dwFileAttributes, tag.ReparseTag);
	return true;
}

/* Kind of the name itself (flags ITSELF) or of what it leads to. */
static bool kind_by_handle(const wchar_t *w, DWORD flags, os_kind *kind)
{
	HANDLE h = CreateFileW(w, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL, OPEN_EXISTING, flags, NULL);
	bool ok = h != INVALID_HANDLE_VALUE && win_handle_kind(h, kind);

	if (h != INVALID_HANDLE_VALUE)
		CloseHandle(h);
	return ok;
}

/* Without opening it where that is enough, since a file may be open in a way that forbids it. */
static bool look(const wchar_t *w, os_kind *kind, uint64_t *size)
{
	WIN32_FILE_ATTRIBUTE_DATA d;

	if (wcsncmp(w, L"\\\\.\\", 4) == 0) { /* a device: NUL, CON, a raw disk */
		*kind = OS_OTHER;
		*size = 0;
		return true;
	}
	if (!GetFileAttributesExW(w, GetFileExInfoStandard, &d))
		return false;
	*size = (uint64_t)d.nFileSizeHigh << 32 | d.nFileSizeLow;
	*kind = win_kind(d.dwFileAttributes, 0);
	return !(d.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) || kind_by_handle(w, ITSELF, kind);
}

static bool is_absence(DWORD sys)
{
	return sys == ERROR_FILE_NOT_FOUND || sys == ERROR_PATH_NOT_FOUND || sys == ERROR_INVALID_NAME ||
	       sys == ERROR_DIRECTORY || sys == ERROR_INVALID_DRIVE || sys == ERROR_BAD_NETPATH ||
	       sys == ERROR_BAD_NET_NAME || sys == ERROR_NOT_READY;
}

int os_stat(const char *path, os_kind *kind, uint64_t *size, wp_error *e)
{
	wchar_t *w = win_path(path);
	int rc = 0;

	if (!w || !look(w, kind, size)) {
		*kind = OS_ABSENT;
		*size = 0;
		if (!is_absence(GetLastError()))
			rc = win_fail(e, path, "it cannot be examined");
	}
	free(w);
	return rc;
}

/* The kind behind links; OS_ABSENT where there is none. */
static os_kind kind_behind(const char *path)
{
	wchar_t *w = win_path(path);
	os_kind kind;
	uint64_t size;

	if (!w || !look(w, &kind, &size) || (kind == OS_LINK && !kind_by_handle(w, FILE_FLAG_BACKUP_SEMANTICS, &kind)))
		kind = OS_ABSENT;
	free(w);
	return kind;
}

bool os_is_file(const char *path)
{
	return kind_behind(path) == OS_FILE;
}

bool os_is_dir(const char *path)
{
	return kind_behind(path) == OS_DIR;
}

bool os_may_write(const char *dir)
{
	(void)dir;
	return true;
}

/* What os_run starts. */
bool os_is_executable(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && (_stricmp(path + n - 4, ".exe") == 0 || _stricmp(path + n - 4, ".com") == 0) &&
	       os_is_file(path);
}

/* ---- directory handles -------------------------------------------------------------------- */

static int not_a_directory(os_kind kind, const char *path, wp_error *e)
{
	if (kind == OS_LINK)
		wp_fail(e, WP_E_PATH, "it is a link, a directory is wanted");
	else
		wp_fail(e, WP_E_EXISTS, "it is a file, a directory is wanted");
	return wp_err_where(e, "'%s'", path);
}

/* The right to list it makes the system keep to the sharing that is asked for. */
static HANDLE hold(const wchar_t *w)
{
	HANDLE h;
	int tries = 0;

	do
		h = CreateFileW(w, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE,
			NULL, OPEN_EXISTING, ITSELF, NULL);
	while (h == INVALID_HANDLE_VALUE && win_again(w, true, &tries));
	return h;
}

/* Takes w, which is freed on a failure. */
static int open_dir(wchar_t *w, const char *path, os_dir **out, wp_error *e)
{
	HANDLE h = w ? hold(w) : INVALID_HANDLE_VALUE;
	os_kind kind;

	if (h == INVALID_HANDLE_VALUE || !win_handle_kind(h, &kind))
		win_fail(e, path, "it cannot be opened as a directory");
	else if (kind != OS_DIR)
		not_a_directory(kind, path, e);
	if (e->code) {
		if (h != INVALID_HANDLE_VALUE)
			CloseHandle(h);
		free(w);
		return e->code;
	}
	*out = wp_xmalloc(sizeof **out);
	**out = (os_dir){h, w, win_copy(path)};
	return 0;
}

int os_dir_open(const char *path, os_dir **out, wp_error *e)
{
	wp_error own = {0};

	if (open_dir(win_path(path), path, out, &own) && !e->code)
		*e = own;
	return own.code;
}

/* With the prefix any name is taken as it is; what other programs could not open again, or would take for something
 * else, must not come to be. */
int win_component(os_dir *dir, const char *name, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	wp_str base = wp_str_trim(wp_str_sub(wp_str_of(name), 0, wp_str_find(wp_str_of(name), '.')));
	const char *lower = wp_str_lower(a, base), *p;
	bool bad = !name[0] || wp_ends(name, ".") || wp_ends(name, " ") || wp_streq(lower, "con") ||
		   wp_streq(lower, "prn") || wp_streq(lower, "aux") || wp_streq(lower, "nul") ||
		   (base.n == 4 && (wp_starts(lower, "com") || wp_starts(lower, "lpt")) && wp_ascii_digit(lower[3]));

	for (p = name; *p; p++)
		bad |= (unsigned char)*p < ' ' || strchr("/\\:*?\"<>|", *p);
	wp_arena_free(a);
	if (!bad)
		return 0;
	wp_fail(e, WP_E_PATH, "'%s' is not the name of one file", name);
	return wp_err_where(e, "'%s'", dir->path);
}

wchar_t *win_child(os_dir *dir, const char *path)
{
	wchar_t *w = win_wide(path), *out, *p;

	for (p = w; p && *p; p++)
		if (*p == L'/')
			*p = L'\\';
	out = w ? win_below(dir->wide, w) : NULL;
	free(w);
	return out;
}

int os_dir_sub(os_dir *dir, const char *name, os_dir **out, wp_error *e)
{
	wchar_t *w;
	char *path;
	int rc;

	if (win_component(dir, name, e))
		return e->code;
	w = win_child(dir, name);
	path = win_join(dir->path, name);
	if (!w || (!CreateDirectoryW(w, NULL) && GetLastError() != ERROR_ALREADY_EXISTS)) {
		rc = win_fail(e, path, "the directory cannot be made");
		free(w);
	} else {
		rc = open_dir(w, path, out, e);
	}
	free(path);
	return rc;
}

void os_dir_close(os_dir *d)
{
	if (!d)
		return;
	CloseHandle(d->h);
	free(d->wide);
	free(d->path);
	free(d);
}

int os_create_at(os_dir *dir, const char *name, int mode, os_file **out, wp_error *e)
{
	HANDLE h = INVALID_HANDLE_VALUE;
	wchar_t *w;
	char *path;
	int tries = 0;

	(void)mode;
	if (win_component(dir, name, e))
		return e->code;
	w = win_child(dir, name);
	path = win_join(dir->path, name);
	while (w && h == INVALID_HANDLE_VALUE) {
		h = CreateFileW(w, GENERIC_READ | GENERIC_WRITE, SHARE_ALL, NULL, CREATE_NEW,
			FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
		if (h == INVALID_HANDLE_VALUE && !win_again(w, false, &tries))
			break;
	}
	if (h == INVALID_HANDLE_VALUE)
		win_fail(e, path, "the file cannot be made");
	else
		*out = win_file(h, true, path);
	free(w);
	free(path);
	return h == INVALID_HANDLE_VALUE ? (int)e->code : 0;
}

static bool is_directory(const wchar_t *w)
{
	DWORD attributes = GetFileAttributesW(w);

	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* ---- changing ----------------------------------------------------------------------------- */

int os_mkdir(const char *path, wp_error *e)
{
	wchar_t *w = win_path(path);
	bool ok = false;
	int tries = 0;

	while (w && !(ok = CreateDirectoryW(w, NULL)) && win_again(w, false, &tries))
		continue;
	if (!ok)
		win_fail(e, path, "the directory cannot be made");
	free(w);
	return ok ? 0 : (int)e->code;
}

/* A directory with an open file in it cannot be renamed, nor a file that is open be replaced: then the error says
 * whose it is. */
static int move_failed(const char *from, const char *to, const wchar_t *x, const wchar_t *y, wp_error *e)
{
	DWORD sys = GetLastError();
	bool there = y && GetFileAttributesW(y) != INVALID_FILE_ATTRIBUTES;

	if (e->code)
		return e->code;
	SetLastError(sys);
	win_fail(e, to, "'%s' cannot be renamed to it", from);
	if (win_is_busy(sys) || sys == ERROR_ACCESS_DENIED)
		os_name_holders(e, there ? to : from);
	if (sys == ERROR_ACCESS_DENIED && x && is_directory(x))
		wp_err_next(e, "close the programs that have files in '%s' open, then run the command again", from);
	return e->code;
}

static int move(const char *from, const char *to, DWORD flags, wp_error *e)
{
	wchar_t *x = win_path(from), *y = win_path(to);
	bool ok = false;
	int tries = 0;

	while (x && y && !(ok = MoveFileExW(x, y, flags)) && win_again(x, true, &tries))
		continue;
	if (!ok)
		move_failed(from, to, x, y, e);
	free(x);
	free(y);
	return ok ? 0 : (int)e->code;
}

bool os_is_mount(const char *dir)
{
	(void)dir;
	return false;
}

bool os_is_read_only(const char *path)
{
	wchar_t *w = win_path(path);
	bool yes = w && win_is_read_only(w);

	free(w);
	return yes;
}

/* A read-only file is not replaced, which is known before anything is tried for seconds. */
int os_rename(const char *from, const char *to, wp_error *e)
{
	wchar_t *y = win_path(to);
	os_kind kind = OS_ABSENT;
	uint64_t size;
	bool there = y && look(y, &kind, &size);

	if (there && win_is_read_only(y)) {
		SetLastError(ERROR_ACCESS_DENIED);
		win_fail_write(e, to, y, "");
		free(y);
		return e->code;
	}
	free(y);
	if (there && kind == OS_DIR) {
		wp_fail(e, WP_E_EXISTS, "'%s' cannot replace a directory", from);
		return wp_err_where(e, "'%s'", to);
	}
	return move(from, to, MOVEFILE_REPLACE_EXISTING, e);
}

int os_rename_new(const char *from, const char *to, wp_error *e)
{
	return move(from, to, 0, e);
}

int os_exchange(const char *a, const char *b, wp_error *e)
{
	(void)b;
	wp_fail(e, WP_E_IO, "Windows cannot exchange two names");
	return wp_err_where(e, "'%s'", a);
}

/* A link to a directory goes as a directory does, without what it leads to. */
static bool unlink_wide(const wchar_t *w)
{
	int tries = 0;
	bool ok;

	while (!(ok = DeleteFileW(w)) && win_again(w, false, &tries))
		continue;
	if (!ok && GetLastError() == ERROR_ACCESS_DENIED) {
		os_kind kind;
		uint64_t size;

		ok = look(w, &kind, &size) && kind == OS_LINK && is_directory(w) && RemoveDirectoryW(w);
		if (!ok)
			SetLastError(ERROR_ACCESS_DENIED);
	}
	return ok;
}

int os_unlink(const char *path, wp_error *e)
{
	wchar_t *w = win_path(path);
	bool ok = w && unlink_wide(w), first = !e->code;

	if (!ok) {
		DWORD sys = GetLastError();

		win_fail_write(e, path, w, "it cannot be removed");
		if (first && win_is_busy(sys))
			os_name_holders(e, path);
	}
	free(w);
	return ok ? 0 : (int)e->code;
}

static bool rmdir_wide(const wchar_t *w, bool emptied)
{
	int tries = 0;
	bool ok;

	while (!(ok = RemoveDirectoryW(w)) && win_again(w, emptied, &tries))
		continue;
	return ok;
}

int os_rmdir(const char *path, wp_error *e)
{
	wchar_t *w = win_path(path);
	bool ok = w && rmdir_wide(w, false);

	if (!ok)
		win_fail(e, path, "the directory cannot be removed");
	free(w);
	return ok ? 0 : (int)e->code;
}

int os_symlink(const char *to, const char *path, wp_error *e)
{
	(void)to;
	wp_fail(e, WP_E_IO, "links are not used on Windows");
	return wp_err_where(e, "'%s'", path);
}

int os_readlink(wp_arena *a, const char *path, const char **out, wp_error *e)
{
	(void)a;
	*out = NULL;
	wp_fail(e, WP_E_IO, "links are not used on Windows");
	return wp_err_where(e, "'%s'", path);
}

/* ---- removing a tree ---------------------------------------------------------------------- */

/* Every directory on the way down is held open, so nobody can put a link in its place. */
typedef struct level {
	HANDLE h;
	wchar_t *path;
} level;

typedef WP_VEC(level) levels;

/* Go into the directory; false where it cannot be opened or is a link by now. Takes w. */
static bool go_down(levels *v, wchar_t *w)
{
	HANDLE h = hold(w);
	os_kind kind;

	if (h == INVALID_HANDLE_VALUE) {
		free(w);
		return false;
	}
	WP_PUSH(v, ((level){h, w}));
	if (!win_handle_kind(h, &kind))
		return false;
	if (kind != OS_DIR)
		SetLastError(ERROR_DIRECTORY);
	return kind == OS_DIR;
}

static void drop(levels *v)
{
	level *l = &v->v[--v->n];

	CloseHandle(l->h);
	free(l->path);
}

static bool go_up(levels *v, wchar_t **bad)
{
	level *l = &v->v[v->n - 1];
	bool ok;

	CloseHandle(l->h);
	v->n--;
	ok = rmdir_wide(l->path, true) || GetLastError() == ERROR_FILE_NOT_FOUND;
	if (ok)
		free(l->path);
	else
		*bad = l->path;
	return ok;
}

/* Nobody else uses what is being removed, so a read-only file is no obstacle. */
static bool remove_one(const wchar_t *w, os_kind kind, DWORD attributes)
{
	if (attributes & FILE_ATTRIBUTE_READONLY)
		SetFileAttributesW(w, FILE_ATTRIBUTE_NORMAL);
	if (kind == OS_LINK && (attributes & FILE_ATTRIBUTE_DIRECTORY))
		return rmdir_wide(w, true);
	return unlink_wide(w) || GetLastError() == ERROR_FILE_NOT_FOUND;
}

/* Remove what is no directory; *down gets the first directory met. False on a failure: *bad is its name. */
static bool empty(const level *l, wchar_t **down, wchar_t **bad)
{
	bool failed = true, ok = true;
	win_listing list;

	*down = NULL;
	if (!win_list_open(&list, l->path))
		return GetLastError() == ERROR_FILE_NOT_FOUND;
	while (ok && !*down && win_list_next(&list, &failed)) {
		wchar_t *w = win_below(l->path, list.d.cFileName);

		if (win_list_kind(&list) == OS_DIR) {
			if (list.d.dwFileAttributes & FILE_ATTRIBUTE_READONLY)
				SetFileAttributesW(w, FILE_ATTRIBUTE_NORMAL);
			*down = w;
			continue;
		}
		ok = remove_one(w, win_list_kind(&list), list.d.dwFileAttributes);
		if (ok)
			free(w);
		else
			*bad = w;
	}
	if (ok && !*down)
		ok = !failed;
	FindClose(list.h);
	return ok;
}

/* Takes root. */
static bool remove_all(wchar_t *root, wchar_t **bad)
{
	levels v = {0};
	wchar_t *down = NULL;
	bool ok = go_down(&v, root);
	DWORD sys;

	while (ok && v.n) {
		ok = empty(&v.v[v.n - 1], &down, bad);
		if (ok)
			ok = down ? go_down(&v, down) : go_up(&v, bad);
	}
	sys = GetLastError();
	while (v.n)
		drop(&v);
	WP_VEC_FREE(&v);
	SetLastError(sys);
	return ok;
}

static int remove_failed(const char *path, const wchar_t *bad, wp_error *e)
{
	DWORD sys = GetLastError();
	wp_arena *a = wp_arena_new();
	const char *name = bad ? win_slashes(a, bad) : path;

	if (!e->code) {
		win_fail(e, path, "'%s' in it cannot be removed", os_basename(name));
		if (win_is_busy(sys) || sys == ERROR_ACCESS_DENIED)
			os_name_holders(e, name);
	}
	wp_arena_free(a);
	return e->code;
}

int os_remove_tree(const char *path, wp_error *e)
{
	wchar_t *w = win_path(path), *bad = NULL;
	os_kind kind;
	uint64_t size;
	bool ok = w && look(w, &kind, &size);

	if (!ok && is_absence(GetLastError())) {
		free(w);
		return 0;
	}
	if (!ok || kind != OS_DIR) {
		if (ok)
			ok = remove_one(w, kind, GetFileAttributesW(w));
		free(w);
	} else {
		ok = remove_all(w, &bad);
	}
	if (!ok)
		remove_failed(path, bad, e);
	free(bad);
	return ok ? 0 : (int)e->code;
}

/* SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "base/vec.h"
#include "os/win32.h"

bool win_list_open(win_listing *l, const wchar_t *dir)
{
	wchar_t *pattern = win_below(dir, L"*");

	l->begun = false;
	l->h = FindFirstFileExW(pattern, FindExInfoBasic, &l->d, FindExSearchNameMatch, NULL, FIND_FIRST_EX_LARGE_FETCH);
	free(pattern);
	return l->h != INVALID_HANDLE_VALUE;
}

static bool is_dots(const wchar_t *name)
{
	return name[0] == L'.' && (!name[1] || (name[1] == L'.' && !name[2]));
}

bool win_list_next(win_listing *l, bool *failed)
{
	*failed = false;
	do {
		if (l->begun && !FindNextFileW(l->h, &l->d)) {
			*failed = GetLastError() != ERROR_NO_MORE_FILES;
			return false;
		}
		l->begun = true;
	} while (is_dots(l->d.cFileName));
	return true;
}

os_kind win_list_kind(const win_listing *l)
{
	return win_kind(l->d.dwFileAttributes, l->d.dwReserved0);
}

typedef WP_VEC(os_entry) entries;

static bool walk_one(wp_arena *a, const wchar_t *root, const char *below, entries *out)
{
	wchar_t *rest = win_wide(below), *dir = rest ? win_below(root, rest) : NULL, *p;
	win_listing l;
	bool failed = true;

	for (p = dir; p && *p; p++)
		if (*p == L'/')
			*p = L'\\';
	if (dir && win_list_open(&l, dir)) {
		while (win_list_next(&l, &failed)) {
			const char *name = win_utf8(a, l.d.cFileName);

			WP_PUSH(out, ((os_entry){.path = *below ? wp_sprintf(a, "%s/%s", below, name) : name,
					     .kind = win_list_kind(&l),
					     .size = (uint64_t)l.d.nFileSizeHigh << 32 | l.d.nFileSizeLow}));
		}
		FindClose(l.h);
	}
	free(dir);
	free(rest);
	return !failed;
}

static int cmp_entry(const void *x, const void *y)
{
	return strcmp(((const os_entry *)x)->path, ((const os_entry *)y)->path);
}

int os_walk(wp_arena *a, const char *root, os_entry **out, size_t *n, wp_error *e)
{
	entries list = {0};
	wchar_t *w = win_path(root);
	size_t i;
	int rc = 0;

	/* The list is its own queue: directories found are read when their turn comes. */
	if (!w || !walk_one(a, w, "", &list))
		rc = win_fail(e, root, "it cannot be opened as a directory");
	for (i = 0; !rc && i < list.n; i++)
		if (list.v[i].kind == OS_DIR && !walk_one(a, w, list.v[i].path, &list))
			rc = win_fail(e, root, "it cannot be listed");
	free(w);
	if (list.n)
		qsort(list.v, list.n, sizeof *list.v, cmp_entry);
	*out = WP_VEC_COPY(a, &list);
	*n = list.n;
	WP_VEC_FREE(&list);
	return rc;
}

int os_list(wp_arena *a, const char *dir, const char ***out, size_t *n, wp_error *e)
{
	WP_VEC(const char *) list = {0};
	wchar_t *w = win_path(dir);
	bool failed = false;
	win_listing l;

	if (!w || !win_list_open(&l, w)) {
		win_fail(e, dir, "it cannot be opened as a directory");
		free(w);
		return e->code;
	}
	free(w);
	while (win_list_next(&l, &failed))
		WP_PUSH(&list, win_utf8(a, l.d.cFileName));
	if (failed)
		win_fail(e, dir, "it cannot be listed");
	FindClose(l.h);
	if (list.n)
		qsort(list.v, list.n, sizeof *list.v, wp_cmp_cstr);
	*out = WP_VEC_COPY(a, &list);
	*n = list.n;
	WP_VEC_FREE(&list);
	return failed ? (int)e->code : 0;
}

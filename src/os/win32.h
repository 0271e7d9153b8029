/* SPDX-License-Identifier: MIT */
/* win32.h: what the win32_*.c files share; nobody else includes it. Wide strings are on the heap. */
#ifndef WP_OS_WIN32_H
#define WP_OS_WIN32_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#ifndef UNICODE
#define UNICODE
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include "os/os.h"

struct os_file {
	HANDLE h;
	bool writable; /* closing can tell of a late error */
	char *path;
};

struct os_dir {
	HANDLE h;      /* held without FILE_SHARE_DELETE: nobody can put another directory in its place */
	wchar_t *wide; /* with prefix, so that names below it mean what they say */
	char *path;
};

/* ---- text and paths (win32_path.c) ---------------------------------------------------------- */

/* UTF-16 of UTF-8; NULL with the last error set where it is no UTF-8. */
wchar_t *win_wide(const char *s);
char *win_utf8(wp_arena *a, const wchar_t *w);
/* A path as the rest of the program writes them: '/', no prefix. */
char *win_slashes(wp_arena *a, const wchar_t *w);
/* Absolute and with the prefix that lifts the limit of 260 characters; NULL with the last error set. */
wchar_t *win_path(const char *path);
/* Absolute; the prefix only where it is needed: for what other programs will see. */
wchar_t *win_plain(const char *path);
/* dir\name. */
wchar_t *win_below(const wchar_t *dir, const wchar_t *name);
/* dir/name on the heap. */
char *win_join(const char *dir, const char *name);
char *win_copy(const char *s);

/* ---- errors (win32_path.c) ------------------------------------------------------------------ */

wp_code win_code(DWORD sys);
/* Fail with the last error: where is the path in quotes, why is text and the system's words. */
int win_fail(wp_error *e, const char *path, const char *fmt, ...) WP_PRINTF(3, 4);
/* The same for a failure to write or replace the file w, which may be read-only. */
int win_fail_write(wp_error *e, const char *path, const wchar_t *w, const char *text);
bool win_is_read_only(const wchar_t *w);
/* True, after a pause, if the call on w that has just failed may go well soon: somebody (a virus scanner most often)
 * has the file open. For about 2 s in all. *tries begins at 0. The last error is kept. */
bool win_again(const wchar_t *w, bool directory, int *tries);
bool win_is_busy(DWORD sys);

/* ---- files and libraries -------------------------------------------------------------------- */

/* WP_E_PATH where name is none that other programs could open. */
int win_component(os_dir *dir, const char *name, wp_error *e);
/* dir\name\name of a path with '/'; NULL with the last error set where it is no UTF-8. */
wchar_t *win_child(os_dir *dir, const char *path);
os_kind win_kind(DWORD attributes, DWORD tag);
/* Kind of an open file or directory. */
bool win_handle_kind(HANDLE h, os_kind *kind);
os_file *win_file(HANDLE h, bool writable, const char *path);
typedef struct win_listing {
	HANDLE h; /* closed with FindClose */
	WIN32_FIND_DATAW d;
	bool begun;
} win_listing;

bool win_list_open(win_listing *l, const wchar_t *dir);
/* The next name is in l->d; false at the end and on a failure, which *failed tells apart. */
bool win_list_next(win_listing *l, bool *failed);
os_kind win_list_kind(const win_listing *l);
/* How often an interrupt arrived so far. */
int win_interrupts(void);
/* A function of a system library that is loaded on its first use; NULL where it is absent. */
void *win_call(const char *library, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/* win32_main.c: the program begins here: UTF-8 arguments, a console that takes UTF-8 and colours, streams that
 * change no byte. */
#include "base/str.h"
#include "os/win32.h"

/* Of io.h and fcntl.h, which name calls that banned.h forbids. */
_CRTIMP int _setmode(int fd, int mode);
enum { _O_BINARY = 0x8000 };

enum { BUFFER = 1 << 16 };

static UINT code_page_before;

static void restore_console(void)
{
	SetConsoleOutputCP(code_page_before);
}

static void enable_colours(DWORD which)
{
	HANDLE h = GetStdHandle(which);
	DWORD mode;

	if (GetConsoleMode(h, &mode))
		SetConsoleMode(h, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

/* A buffer for standard error too: byte by byte the console would not see whole characters. */
static void prepare_streams(void)
{
	_setmode(_fileno(stdin), _O_BINARY);
	_setmode(_fileno(stdout), _O_BINARY);
	_setmode(_fileno(stderr), _O_BINARY);
	setvbuf(stdout, NULL, _IOFBF, BUFFER);
	setvbuf(stderr, NULL, _IOFBF, BUFFER);
	code_page_before = GetConsoleOutputCP();
	if (code_page_before && code_page_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
		atexit(restore_console);
	enable_colours(STD_OUTPUT_HANDLE);
	enable_colours(STD_ERROR_HANDLE);
}

int wmain(int argc, wchar_t **wide);

int wmain(int argc, wchar_t **wide)
{
	wp_arena *a = wp_arena_new();
	char **argv = WP_NEW_ARRAY(a, (size_t)argc + 1, char *);
	int i, rc;

	/* A missing library or a stick that was pulled is told by us, not by a box that waits for a click. */
	SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
	prepare_streams();
	for (i = 0; i < argc; i++)
		argv[i] = win_utf8(a, wide[i]);
	rc = os_main(argc, argv);
	wp_arena_free(a);
	return rc;
}

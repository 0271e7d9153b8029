/* SPDX-License-Identifier: MIT */
/* argv.c: stands for python.exe in the tests of the Windows launchers: prints its own file name, its arguments,
 * one a line, then __PYVENV_LAUNCHER__ where it is set, in UTF-8. The argument exit=N is its exit code; stdin=1 copies standard input to
 * standard output. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

static void print(const wchar_t *name, const wchar_t *text)
{
	static char line[98304];
	int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, line, sizeof line, NULL, NULL);

	printf("%ls%s\n", name, n > 0 ? line : "?");
}

int wmain(int argc, wchar_t **argv)
{
	const wchar_t *launcher = _wgetenv(L"__PYVENV_LAUNCHER__");
	static wchar_t self[32768];
	int i, c, code = 0;

	_setmode(0, _O_BINARY);
	_setmode(1, _O_BINARY);
	GetModuleFileNameW(NULL, self, 32768);
	print(L"program ", wcsrchr(self, L'\\') + 1);
	for (i = 1; i < argc; i++) {
		print(L"arg ", argv[i]);
		if (wcsncmp(argv[i], L"exit=", 5) == 0)
			code = (int)wcstol(argv[i] + 5, NULL, 10);
		if (wcscmp(argv[i], L"stdin=1") == 0)
			while ((c = getchar()) != EOF)
				putchar(c);
	}
	if (launcher)
		print(L"launcher ", launcher);
	return code;
}

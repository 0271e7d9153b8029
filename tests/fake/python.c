/* SPDX-License-Identifier: MIT */
/* python.c: stands for python.exe in the tests of Windows. Asked with -I -B -c as an install asks, it answers as a
 * CPython 3.12.7 that lies where this program does, or, as to -0p, with the text of the file OWN-PATH.answer where there is one; where OWN-PATH.deaf is it takes no Ctrl-C and its time. Asked to compile, it writes for each file of the list the
 * name that its code would bear to where the bytecode belongs. Else it prints its own file name, its arguments, one a line, then
 * __PYVENV_LAUNCHER__ where it is set, in UTF-8. The argument exit=N is its exit code; stdin=1 copies standard input to
 * standard output; hold=PATH has that file open from then on, as most programs have theirs, own=PATH so that nobody
 * else may read it, and load=PATH is loaded as a library is. */
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

/* What a test wants it to say. */
static BOOL told(const wchar_t *self)
{
	static wchar_t path[32800];
	FILE *f;
	int c;

	swprintf(path, sizeof path / sizeof *path, L"%ls.answer", self);
	f = _wfopen(path, L"rb");
	while (f && (c = getc(f)) != EOF)
		putchar(c);
	return f && fclose(f) == 0;
}

static void be_deaf(const wchar_t *self)
{
	static wchar_t path[32800];

	swprintf(path, sizeof path / sizeof *path, L"%ls.deaf", self);
	if (_waccess(path, 0) == 0) {
		SetConsoleCtrlHandler(NULL, TRUE);
		Sleep(20000);
	}
}

static void answer(const wchar_t *self)
{
	static char path[98304];
	const char *p;

	be_deaf(self);
	if (told(self))
		return;
	WideCharToMultiByte(CP_UTF8, 0, self, -1, path, sizeof path, NULL, NULL);
	printf("{\"executable\": \"");
	for (p = path; *p; p++)
		printf(*p == '\\' ? "\\\\" : "%c", *p);
	printf("\", \"version\": \"3.12.7\", \"soabi_tag\": \"cp312\", \"platform_tag\": \"win_amd64\", \"bits\": 64, "
	       "\"venv_site\": \"Lib/site-packages\", \"venv_bin\": \"Scripts\", \"markers\": {\"os_name\": \"nt\", "
	       "\"sys_platform\": \"win32\", \"platform_machine\": \"AMD64\", "
	       "\"platform_python_implementation\": \"CPython\", \"platform_release\": \"10\", "
	       "\"platform_system\": \"Windows\", \"platform_version\": \"10.0.19045\", "
	       "\"python_version\": \"3.12\", \"python_full_version\": \"3.12.7\", "
	       "\"implementation_name\": \"cpython\", \"implementation_version\": \"3.12.7\"}}\r\n");
}

/* STAGE\dir\__pycache__\NAME.cpython-312.pyc of dir/NAME.py. */
static BOOL compile_one(const wchar_t *stage, const wchar_t *venv, wchar_t *source)
{
	static wchar_t path[65536];
	wchar_t *slash;
	FILE *f;

	for (slash = source; *slash; slash++)
		if (*slash == L'/')
			*slash = L'\\';
	slash = wcsrchr(source, L'\\');
	swprintf(path, sizeof path / sizeof *path, L"%ls\\%.*ls\\__pycache__", stage, (int)(slash - source), source);
	CreateDirectoryW(path, NULL);
	swprintf(path + wcslen(path), 32768, L"\\%.*ls.cpython-312.pyc", (int)wcslen(slash + 1) - 3, slash + 1);
	f = _wfopen(path, L"wb");
	return f && fprintf(f, "%ls\\%ls", venv, source) > 0 && fclose(f) == 0;
}

static int compile(wchar_t **argv)
{
	static char name[32768];
	static wchar_t wide[32768];
	FILE *f = _wfopen(argv[0], L"rb");
	int c, i = 0;
	size_t n = 0;

	printf("tag cpython-312\r\n");
	while (f && (c = getc(f)) != EOF) {
		name[n++] = (char)c;
		if (c)
			continue;
		MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, 32768);
		if (!compile_one(argv[1], argv[2], wide))
			printf("%d\r\n", i);
		i++;
		n = 0;
	}
	printf("done\r\n");
	return f ? 0 : 1;
}

/* Nobody else may write or remove it. */
static BOOL hold(const wchar_t *path, DWORD share)
{
	return CreateFileW(path, GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL) != INVALID_HANDLE_VALUE;
}

int wmain(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
	const wchar_t *launcher = _wgetenv(L"__PYVENV_LAUNCHER__");
	static wchar_t self[32768];
	int i, c, code = 0;

	_setmode(0, _O_BINARY);
	_setmode(1, _O_BINARY);
	GetModuleFileNameW(NULL, self, 32768);
	if ((argc > 3 && wcscmp(argv[1], L"-I") == 0 && wcscmp(argv[3], L"-c") == 0) ||
		(argc == 2 && wcscmp(argv[1], L"-0p") == 0)) {
		answer(self);
		return 0;
	}
	if (argc > 10 && wcscmp(argv[1], L"-B") == 0 && wcscmp(argv[6], L"-c") == 0)
		return compile(argv + 8);
	print(L"program ", wcsrchr(self, L'\\') + 1);
	for (i = 1; i < argc; i++) {
		print(L"arg ", argv[i]);
		if (wcsncmp(argv[i], L"exit=", 5) == 0)
			code = (int)wcstol(argv[i] + 5, NULL, 10);
		if ((wcsncmp(argv[i], L"hold=", 5) == 0 && !hold(argv[i] + 5, FILE_SHARE_READ)) ||
			(wcsncmp(argv[i], L"own=", 4) == 0 && !hold(argv[i] + 4, 0)) ||
			(wcsncmp(argv[i], L"load=", 5) == 0 && !LoadLibraryW(argv[i] + 5)))
			print(L"no ", argv[i]);
		if (wcscmp(argv[i], L"stdin=1") == 0)
			while ((c = getchar()) != EOF)
				putchar(c);
	}
	if (launcher)
		print(L"launcher ", launcher);
	return code;
}

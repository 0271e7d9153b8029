/* SPDX-License-Identifier: MIT */
/* ctrlc.c: stands for somebody at a console of Windows: `ctrlc.exe MS[+MS...] PROGRAM ARG...` starts the program there and
 * presses Ctrl-C after so many milliseconds, and again after so many more. Its exit code is the program's. The words are
 * passed on as they are: none may hold a space. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

static BOOL WINAPI ignore(DWORD event)
{
	(void)event;
	return TRUE;
}

static BOOL start(int n, wchar_t **words, PROCESS_INFORMATION *out)
{
	STARTUPINFOW si = {.cb = sizeof si, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = GetStdHandle(STD_INPUT_HANDLE),
		.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE), .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
	static wchar_t line[32768];
	int i;

	for (i = 0; i < n; i++) {
		wcsncat(line, words[i], 32766 - wcslen(line));
		wcscat(line, i < n - 1 ? L" " : L"");
	}
	FreeConsole();
	return AllocConsole() && SetConsoleCtrlHandler(ignore, TRUE) &&
	       CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &si, out);
}

int wmain(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
	PROCESS_INFORMATION p;
	wchar_t *s = argc > 2 ? argv[1] : L"";
	DWORD code = 99;

	if (argc < 3 || !start(argc - 2, argv + 2, &p)) {
		fprintf(stderr, "ctrlc: error %lu\n", GetLastError());
		return 99;
	}
	while (*s) {
		Sleep(wcstoul(s, &s, 10));
		s += *s == '+';
		GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
	}
	WaitForSingleObject(p.hProcess, INFINITE);
	GetExitCodeProcess(p.hProcess, &code);
	return (int)code;
}

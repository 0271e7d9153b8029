/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>

#include "os/win32.h"

static HANDLE stream(int fd)
{
	return fd == 1	 ? GetStdHandle(STD_OUTPUT_HANDLE)
	       : fd == 2 ? GetStdHandle(STD_ERROR_HANDLE)
	       : fd == 0 ? GetStdHandle(STD_INPUT_HANDLE)
			 : INVALID_HANDLE_VALUE;
}

/* The console behind a file descriptor; INVALID_HANDLE_VALUE where it is none. */
static HANDLE console(int fd)
{
	HANDLE h = stream(fd);
	DWORD mode;

	return h != INVALID_HANDLE_VALUE && GetConsoleMode(h, &mode) ? h : INVALID_HANDLE_VALUE;
}

bool os_is_terminal(int fd)
{
	return console(fd) != INVALID_HANDLE_VALUE;
}

int os_terminal_width(int fd)
{
	CONSOLE_SCREEN_BUFFER_INFO info;
	HANDLE h = console(fd);

	if (h == INVALID_HANDLE_VALUE || !GetConsoleScreenBufferInfo(h, &info))
		return 0;
	return info.srWindow.Right - info.srWindow.Left + 1;
}

/* The system calls this on a thread of its own; there is no other way to its facts than file scope. */
static void (*_Atomic interrupt_fn)(void);
static atomic_int interrupt_count;
static atomic_llong interrupt_ms; /* when the first one came */

/* Pressed twice within a second it is one, as on Linux. */
static BOOL WINAPI on_event(DWORD event)
{
	enum { SAME_INTERRUPT_MS = 1000, TO_TIDY_MS = 4500 }; /* the system ends us after 5 s */
	void (*fn)(void) = atomic_load(&interrupt_fn);
	long long now = (long long)os_now_ms();

	if (atomic_load(&interrupt_count) == 0) {
		atomic_store(&interrupt_ms, now);
		atomic_store(&interrupt_count, 1);
		if (fn)
			fn();
	} else if (now - atomic_load(&interrupt_ms) >= SAME_INTERRUPT_MS) {
		ExitProcess(WP_EXIT_INTERRUPTED);
	}
	/* Returning from these ends the process. */
	if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT)
		Sleep(TO_TIDY_MS);
	return TRUE;
}

void os_on_interrupt(void (*fn)(void))
{
	atomic_store(&interrupt_fn, fn);
	SetConsoleCtrlHandler(NULL, FALSE); /* a parent may have switched Ctrl-C off */
	SetConsoleCtrlHandler(on_event, TRUE);
}

int win_interrupts(void)
{
	return atomic_load(&interrupt_count);
}

/* There are no such signals. */
void os_ignore_write_signals(void)
{
}

/* A write to a pipe fails for no other reason; the C library keeps no error that tells. */
bool os_pipe_closed(int fd)
{
	return GetFileType(stream(fd)) == FILE_TYPE_PIPE;
}

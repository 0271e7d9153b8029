/* SPDX-License-Identifier: MIT
 *
 * win32_early.c: what must be so before anything else runs: libraries come from the system's directory alone, never from
 * where the program lies (a stick, a download folder) or where it was started; and the stack protector has its value.
 * With gcc's own library for the latter every start would load a provider of cryptography for this one number.
 */
#include "os/win32.h"

#include <ntsecapi.h>

/* The names that the compiler wants. */
void *__stack_chk_guard;
_Noreturn void __stack_chk_fail(void);

__attribute__((constructor, no_stack_protector)) static void begin(void)
{
	void *value = NULL;

	SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
	if (!RtlGenRandom(&value, sizeof value) || !value)
		value = (void *)((uintptr_t)&value ^ GetCurrentProcessId() ^ (uintptr_t)GetTickCount64());
	__stack_chk_guard = value;
}

void __stack_chk_fail(void)
{
	static const char text[] = "wheelpack: a buffer was overrun; the program ends at once\n";
	DWORD done;

	WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, sizeof text - 1, &done, NULL);
	TerminateProcess(GetCurrentProcess(), STATUS_STACK_BUFFER_OVERRUN);
	abort();
}

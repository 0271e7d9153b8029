/* SPDX-License-Identifier: MIT */
#include <process.h>

#include "base/str.h"
#include "os/win32.h"

/* ---- thread ------------------------------------------------------------------------------- */

struct os_thread {
	HANDLE h;
	void (*fn)(void *);
	void *arg;
};

struct os_mutex {
	SRWLOCK m;
};

struct os_cond {
	CONDITION_VARIABLE c;
};

static unsigned __stdcall thread_main(void *self)
{
	os_thread *t = self;

	t->fn(t->arg);
	return 0;
}

int os_thread_start(os_thread **out, void (*fn)(void *), void *arg, wp_error *e)
{
	os_thread *t = wp_xmalloc(sizeof *t);

	*t = (os_thread){NULL, fn, arg};
	t->h = (HANDLE)_beginthreadex(NULL, 0, thread_main, t, 0, NULL);
	if (!t->h) {
		free(t);
		return wp_fail_sys(e, WP_E_IO, (int)GetLastError(), "no thread can be started");
	}
	*out = t;
	return 0;
}

void os_thread_join(os_thread *t)
{
	if (!t)
		return;
	WaitForSingleObject(t->h, INFINITE);
	CloseHandle(t->h);
	free(t);
}

os_mutex *os_mutex_new(void)
{
	os_mutex *m = wp_xmalloc(sizeof *m);

	InitializeSRWLock(&m->m);
	return m;
}

void os_mutex_free(os_mutex *m)
{
	free(m);
}

void os_mutex_lock(os_mutex *m)
{
	AcquireSRWLockExclusive(&m->m);
}

void os_mutex_unlock(os_mutex *m)
{
	ReleaseSRWLockExclusive(&m->m);
}

os_cond *os_cond_new(void)
{
	os_cond *c = wp_xmalloc(sizeof *c);

	InitializeConditionVariable(&c->c);
	return c;
}

void os_cond_free(os_cond *c)
{
	free(c);
}

void os_cond_wait(os_cond *c, os_mutex *m)
{
	SleepConditionVariableSRW(&c->c, &m->m, INFINITE, 0);
}

bool os_cond_wait_ms(os_cond *c, os_mutex *m, int ms)
{
	return SleepConditionVariableSRW(&c->c, &m->m, (DWORD)ms, 0);
}

void os_cond_signal_all(os_cond *c)
{
	WakeAllConditionVariable(&c->c);
}

/* ---- time --------------------------------------------------------------------------------- */

enum { TICKS = 10000000 };				     /* of a FILETIME in a second */
static const uint64_t epoch = UINT64_C(11644473600) * TICKS; /* 1970 in a FILETIME */

uint64_t os_now_ms(void)
{
	LARGE_INTEGER now, rate;

	QueryPerformanceFrequency(&rate);
	QueryPerformanceCounter(&now);
	return (uint64_t)(now.QuadPart / rate.QuadPart * 1000 + now.QuadPart % rate.QuadPart * 1000 / rate.QuadPart);
}

int64_t os_unix_time(void)
{
	ULARGE_INTEGER n;
	FILETIME t;

	GetSystemTimeAsFileTime(&t);
	n.LowPart = t.dwLowDateTime;
	n.HighPart = t.dwHighDateTime;
	return (int64_t)((n.QuadPart - epoch) / TICKS);
}

void os_rfc3339(int64_t seconds, char out[21])
{
	const int64_t last = 253402300799; /* 9999-12-31T23:59:59Z: four digits of year */
	ULARGE_INTEGER n;
	SYSTEMTIME s;
	FILETIME t;

	if (seconds < 0)
		seconds = os_unix_time();
	if (seconds > last)
		seconds = last;
	n.QuadPart = (uint64_t)seconds * TICKS + epoch;
	t = (FILETIME){n.LowPart, n.HighPart};
	FileTimeToSystemTime(&t, &s);
	snprintf(out, 21, "%04u-%02u-%02uT%02u:%02u:%02uZ", s.wYear % 10000u, s.wMonth % 100u, s.wDay % 100u,
		s.wHour % 100u, s.wMinute % 100u, s.wSecond % 100u);
}

void os_sleep_ms(int ms)
{
	Sleep((DWORD)ms);
}

/* ---- machine ------------------------------------------------------------------------------ */

int os_cpu_count(void)
{
	DWORD_PTR ours, all;
	int n = 0;

	/* Zero where the process runs in more than one group of 64. */
	if (GetProcessAffinityMask(GetCurrentProcess(), &ours, &all))
		for (; ours; ours &= ours - 1)
			n++;
	if (n == 0)
		n = (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
	return n > 0 ? n : 1;
}

const char *os_platform_tag(wp_arena *a)
{
	USHORT process, machine;

	(void)a;
	if (!IsWow64Process2(GetCurrentProcess(), &process, &machine))
		return "";
	return machine == IMAGE_FILE_MACHINE_AMD64   ? "win_amd64"
	       : machine == IMAGE_FILE_MACHINE_ARM64 ? "win_arm64"
	       : machine == IMAGE_FILE_MACHINE_I386  ? "win32"
						     : "";
}

int os_pid(void)
{
	return (int)GetCurrentProcessId();
}

/* ---- environment -------------------------------------------------------------------------- */

/* Every text that was given out, for as long as the process lives. */
typedef struct kept {
	struct kept *next;
	char text[];
} kept;

static kept *all_kept;
static SRWLOCK kept_lock = SRWLOCK_INIT;

static const char *keep(const char *text)
{
	size_t n = strlen(text) + 1;
	kept *k;

	AcquireSRWLockExclusive(&kept_lock);
	for (k = all_kept; k && strcmp(k->text, text) != 0; k = k->next)
		continue;
	if (!k) {
		k = wp_xmalloc(sizeof *k + n);
		memcpy(k->text, text, n);
		k->next = all_kept;
		all_kept = k;
	}
	ReleaseSRWLockExclusive(&kept_lock);
	return k->text;
}

/* On the heap; NULL where it isn't set. */
static wchar_t *variable(const wchar_t *name)
{
	DWORD n, have = 0;
	wchar_t *v = NULL;

	SetLastError(0);
	while ((n = GetEnvironmentVariableW(name, v, have)) > have) {
		free(v);
		v = wp_xmalloc((n + 1) * sizeof *v);
		have = n;
	}
	if (n > 0 || (v == NULL && GetLastError() == 0))
		return v ? v : _wcsdup(L"");
	free(v);
	return NULL;
}

const char *os_getenv(const char *name)
{
	wchar_t *w = win_wide(name), *v = w ? variable(w) : NULL;
	wp_arena *a;
	const char *text = NULL;

	free(w);
	if (!v)
		return NULL;
	a = wp_arena_new();
	text = keep(win_utf8(a, v));
	wp_arena_free(a);
	free(v);
	return text;
}

const char *os_home(void)
{
	wchar_t *v = variable(L"USERPROFILE");
	wp_arena *a;
	const char *text;

	if (!v || !*v) {
		free(v);
		return NULL;
	}
	a = wp_arena_new();
	text = keep(win_slashes(a, v));
	wp_arena_free(a);
	free(v);
	return text;
}

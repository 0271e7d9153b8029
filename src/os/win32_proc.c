/* SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "base/vec.h"
#include "os/win32.h"

typedef WP_VEC(wchar_t) wide_text;

static void put(wide_text *t, const wchar_t *w)
{
	for (; *w; w++)
		WP_PUSH(t, *w);
}

/* ---- command line ------------------------------------------------------------------------- */

static void put_many(wide_text *t, wchar_t c, size_t n)
{
	while (n--)
		WP_PUSH(t, c);
}

/* As the C runtime takes it apart: backslashes count only before a quote. */
static void put_argument(wide_text *t, const wchar_t *w)
{
	size_t slashes = 0;

	WP_PUSH(t, L'"');
	for (; *w; w++) {
		if (*w == L'\\') {
			slashes++;
			continue;
		}
		put_many(t, L'\\', *w == L'"' ? slashes * 2 + 1 : slashes);
		slashes = 0;
		WP_PUSH(t, *w);
	}
	put_many(t, L'\\', slashes * 2);
	WP_PUSH(t, L'"');
}

/* On the heap; NULL with the last error set where an argument is no UTF-8. */
static wchar_t *command_line(const char *const *argv)
{
	wide_text t = {0};

	for (; *argv; argv++) {
		wchar_t *w = win_wide(*argv);

		if (!w) {
			WP_VEC_FREE(&t);
			return NULL;
		}
		if (t.n)
			WP_PUSH(&t, L' ');
		put_argument(&t, w);
		free(w);
	}
	WP_PUSH(&t, 0);
	return t.v;
}

/* ---- environment -------------------------------------------------------------------------- */

/* Names are the same in upper and lower case here. */
static bool same_start(const wchar_t *x, const wchar_t *y, size_t n)
{
	return CompareStringOrdinal(x, (int)wcsnlen(x, n), y, (int)n, TRUE) == CSTR_EQUAL;
}

typedef WP_VEC(wchar_t *) wide_list;

static void free_list(wide_list *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->v[i]);
	WP_VEC_FREE(l);
}

static void widen(const char *const *from, wide_list *to)
{
	wchar_t *w;

	for (; from && *from; from++)
		if ((w = win_wide(*from)))
			WP_PUSH(to, w);
}

static bool is_unset(const wchar_t *entry, const wide_list *set, const wide_list *unset)
{
	const wchar_t *end = wcschr(entry + 1, L'=');
	size_t n = end ? (size_t)(end - entry) + 1 : wcslen(entry), i;

	for (i = 0; i < unset->n; i++)
		if (same_start(entry, unset->v[i], wcslen(unset->v[i])))
			return true;
	for (i = 0; i < set->n; i++)
		if (same_start(set->v[i], entry, n))
			return true;
	return false;
}

/* The system wants the names sorted. */
static int cmp_entry(const void *x, const void *y)
{
	return CompareStringOrdinal(*(wchar_t *const *)x, -1, *(wchar_t *const *)y, -1, TRUE) - CSTR_EQUAL;
}

/* On the heap: the child's environment, as one block. */
static wchar_t *child_env(const os_run_request *r)
{
	wide_list set = {0}, unset = {0}, all = {0};
	wchar_t *ours = GetEnvironmentStringsW(), *p;
	wide_text t = {0};
	size_t i;

	widen(r->set_env, &set);
	widen(r->unset_prefix, &unset);
	for (p = ours; p && *p; p += wcslen(p) + 1)
		if (!is_unset(p, &set, &unset))
			WP_PUSH(&all, _wcsdup(p));
	for (i = 0; i < set.n; i++)
		WP_PUSH(&all, _wcsdup(set.v[i]));
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, cmp_entry);
	for (i = 0; i < all.n; i++) {
		put(&t, all.v[i]);
		WP_PUSH(&t, 0);
	}
	WP_PUSH(&t, 0);
	WP_PUSH(&t, 0);
	FreeEnvironmentStringsW(ours);
	free_list(&set);
	free_list(&unset);
	free_list(&all);
	return t.v;
}

/* ---- streams ------------------------------------------------------------------------------ */

/* One of the child's streams, read by a thread of its own. */
typedef struct stream {
	HANDLE rd, wr;
	os_thread *thread;
	HANDLE done; /* signalled at the end of the stream */
	wp_buf text;
	const os_run_request *r;
	int number;  /* 1 or 2 */
} stream;

static void read_all(void *self)
{
	stream *s = self;
	char buf[16384];
	DWORD n;

	while (ReadFile(s->rd, buf, sizeof buf, &n, NULL) && n) {
		if (s->r->pass)
			s->r->pass(s->r->user, s->number, buf, n);
		wp_buf_add(&s->text, buf, n < s->text.max - s->text.n ? n : s->text.max - s->text.n);
	}
	SetEvent(s->done);
}

static void close_handle(HANDLE *h)
{
	if (*h && *h != INVALID_HANDLE_VALUE)
		CloseHandle(*h);
	*h = NULL;
}

/* Only the child's end can be inherited. */
static bool open_stream(stream *s, size_t max)
{
	SECURITY_ATTRIBUTES inherit = {sizeof inherit, NULL, TRUE};

	wp_buf_init(&s->text, max);
	s->done = CreateEventW(NULL, TRUE, FALSE, NULL);
	return s->done && CreatePipe(&s->rd, &s->wr, &inherit, 0) &&
	       SetHandleInformation(s->rd, HANDLE_FLAG_INHERIT, 0);
}

/* A process that left the job may hold the pipe open for ever: what is there has been read by then. */
static void end_stream(stream *s)
{
	enum { PATIENCE_MS = 2000, STEP_MS = 20 };
	int waited = 0;

	while (s->thread && WaitForSingleObject(s->done, waited < PATIENCE_MS ? PATIENCE_MS : STEP_MS) != WAIT_OBJECT_0) {
		waited = PATIENCE_MS;
		CancelIoEx(s->rd, NULL);
	}
	os_thread_join(s->thread);
	s->thread = NULL;
	close_handle(&s->rd);
	close_handle(&s->wr);
	close_handle(&s->done);
}

/* ---- process ------------------------------------------------------------------------------ */

enum { TO_OUT, TO_ERR, STREAMS };

typedef struct child {
	HANDLE process, job, null;
	stream s[STREAMS];
	DWORD code;
} child;

/* Whatever the child starts ends with it. */
static bool open_job(child *c)
{
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
		.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};

	c->job = CreateJobObjectW(NULL, NULL);
	return c->job &&
	       SetInformationJobObject(c->job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

static bool open_all(child *c, size_t max)
{
	SECURITY_ATTRIBUTES inherit = {sizeof inherit, NULL, TRUE};

	c->null = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherit, OPEN_EXISTING, 0,
		NULL);
	return c->null != INVALID_HANDLE_VALUE && open_stream(&c->s[TO_OUT], max) && open_stream(&c->s[TO_ERR], max) &&
	       open_job(c);
}

/* The child inherits these three handles and none that other threads open meanwhile. */
static bool create(child *c, const wchar_t *path, wchar_t *line, wchar_t *env, const wchar_t *cwd)
{
	HANDLE inherited[3] = {c->null, c->s[TO_OUT].wr, c->s[TO_ERR].wr};
	STARTUPINFOEXW si = {.StartupInfo = {.cb = sizeof si, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = inherited[0],
				     .hStdOutput = inherited[1], .hStdError = inherited[2]}};
	DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT, sys;
	PROCESS_INFORMATION pi;
	SIZE_T size = 0;
	bool ok;

	/* Without a console of ours the child would open a window. */
	if (!GetConsoleCP())
		flags |= CREATE_NO_WINDOW;
	InitializeProcThreadAttributeList(NULL, 1, 0, &size);
	si.lpAttributeList = wp_xmalloc(size);
	ok = InitializeProcThreadAttributeList(si.lpAttributeList, 1, 0, &size);
	if (ok) {
		ok = UpdateProcThreadAttribute(si.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited,
			     sizeof inherited, NULL, NULL) &&
		     CreateProcessW(path, line, NULL, NULL, TRUE, flags, env, cwd, &si.StartupInfo, &pi);
		sys = GetLastError();
		DeleteProcThreadAttributeList(si.lpAttributeList);
		SetLastError(sys);
	}
	free(si.lpAttributeList);
	if (!ok)
		return false;
	c->process = pi.hProcess;
	ok = AssignProcessToJobObject(c->job, pi.hProcess) && ResumeThread(pi.hThread) != (DWORD)-1;
	sys = GetLastError();
	CloseHandle(pi.hThread);
	if (!ok)
		TerminateProcess(pi.hProcess, 1);
	SetLastError(sys);
	return ok;
}

/* The command processor would read the arguments a second time, by rules that no quoting satisfies. */
static bool is_batch(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && (_stricmp(path + n - 4, ".bat") == 0 || _stricmp(path + n - 4, ".cmd") == 0);
}

static int start(child *c, const char *path, const os_run_request *r, wp_error *e)
{
	wchar_t *w, *line, *env, *cwd;

	if (is_batch(path)) {
		wp_fail(e, WP_E_IO, "it is a batch file, which is not started: its arguments could be taken for commands");
		return wp_err_where(e, "'%s'", path);
	}
	w = win_plain(path);
	line = command_line(r->argv);
	env = child_env(r);
	cwd = r->cwd ? win_plain(r->cwd) : NULL;
	if (!w || !line || (r->cwd && !cwd) || !open_all(c, r->max_output ? r->max_output : 1 << 20) ||
		!create(c, w, line, env, cwd))
		win_fail(e, path, "it cannot be started");
	free(w);
	free(line);
	free(env);
	free(cwd);
	close_handle(&c->s[TO_OUT].wr);
	close_handle(&c->s[TO_ERR].wr);
	return e->code;
}

static int start_reading(child *c, wp_error *e)
{
	int i;

	for (i = 0; i < STREAMS; i++)
		if (os_thread_start(&c->s[i].thread, read_all, &c->s[i], e))
			return e->code;
	return 0;
}

/* True on a time-out. Ctrl-C reaches the child by the console; one that doesn't listen is ended after a while. */
static bool supervise(child *c, int timeout_ms)
{
	enum { SLICE_MS = 50, GRACE_MS = 3000 };
	uint64_t now = os_now_ms(), deadline = timeout_ms ? now + (uint64_t)timeout_ms : UINT64_MAX;
	uint64_t grace = UINT64_MAX;
	int interrupts = win_interrupts();

	while (WaitForSingleObject(c->process, SLICE_MS) == WAIT_TIMEOUT) {
		now = os_now_ms();
		if (grace == UINT64_MAX && win_interrupts() != interrupts)
			grace = now + GRACE_MS;
		if (now >= deadline || now >= grace) {
			TerminateJobObject(c->job, 1);
			WaitForSingleObject(c->process, INFINITE);
			return now >= deadline;
		}
	}
	return false;
}

/* The signals that the exceptions stand for elsewhere; 0: none of them. */
static int signal_of(DWORD code)
{
	switch (code) {
	case STATUS_ACCESS_VIOLATION:
	case STATUS_STACK_OVERFLOW:
	case STATUS_IN_PAGE_ERROR:
		return 11;
	case STATUS_ILLEGAL_INSTRUCTION:
	case STATUS_PRIVILEGED_INSTRUCTION:
		return 4;
	case STATUS_INTEGER_DIVIDE_BY_ZERO:
	case STATUS_FLOAT_DIVIDE_BY_ZERO:
		return 8;
	case 0xC0000409: /* fail fast: what abort() of the universal C runtime does */
	case 0xC0000374: /* damaged heap */
		return 6;
	case STATUS_CONTROL_C_EXIT:
		return 2;
	default:
		return 0;
	}
}

static void judge(child *c, os_run_result *out)
{
	GetExitCodeProcess(c->process, &c->code);
	out->signal = out->timed_out ? 9 : signal_of(c->code);
	out->exit_code = out->signal ? -1 : (int)c->code;
}

int os_run(wp_arena *a, const os_run_request *r, os_run_result *out, wp_error *e)
{
	child c = {.s = {{.r = r, .number = 1}, {.r = r, .number = 2}}};
	const char *path;
	int i, rc;

	*out = (os_run_result){.exit_code = -1};
	if (os_absolute(a, r->argv[0], &path, e))
		return e->code;
	rc = start(&c, path, r, e);
	if (!rc)
		rc = start_reading(&c, e);
	if (!rc) {
		out->timed_out = supervise(&c, r->timeout_ms);
		judge(&c, out);
	}
	if (c.job)
		TerminateJobObject(c.job, 1);
	for (i = 0; i < STREAMS; i++)
		end_stream(&c.s[i]);
	close_handle(&c.process);
	close_handle(&c.job);
	close_handle(&c.null);
	out->out = wp_buf_take(&c.s[TO_OUT].text, a);
	out->err = wp_buf_take(&c.s[TO_ERR].text, a);
	return rc;
}

/* ---- lock --------------------------------------------------------------------------------- */

struct os_lock {
	HANDLE h;
};

/* A place far behind the text, which others may read meanwhile. */
static OVERLAPPED lock_place(void)
{
	return (OVERLAPPED){.Offset = 0, .OffsetHigh = 0x40000000};
}

static int busy(HANDLE h, const char *path, wp_error *e)
{
	char text[32];
	OVERLAPPED at = {0};
	DWORD n = 0;
	uint64_t pid;

	if (ReadFile(h, text, sizeof text, &n, &at) && wp_str_u64(wp_str_trim((wp_str){text, n}), &pid))
		wp_fail(e, WP_E_BUSY, "process %d is working there", (int)pid);
	else
		wp_fail(e, WP_E_BUSY, "another process is working there");
	return wp_err_where(e, "'%s'", path);
}

static int lock_once(const wchar_t *w, const char *path, HANDLE *h, wp_error *e)
{
	OVERLAPPED at = lock_place();
	os_kind kind = OS_OTHER;
	int tries = 0, rc;

	do
		*h = CreateFileW(w, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
			NULL, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
	while (*h == INVALID_HANDLE_VALUE && win_again(w, false, &tries));
	if (*h == INVALID_HANDLE_VALUE)
		return win_fail_write(e, path, w, "the lock file cannot be opened");
	if (win_handle_kind(*h, &kind) && kind == OS_LINK) {
		wp_fail(e, WP_E_PATH, "it is a link, a lock file is wanted");
		rc = wp_err_where(e, "'%s'", path);
	} else if (LockFileEx(*h, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)) {
		return 0;
	} else {
		rc = GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING
			     ? busy(*h, path, e)
			     : win_fail(e, path, "it cannot be locked");
	}
	CloseHandle(*h);
	return rc;
}

/* The holder before us may have removed the file: then our lock is on a file without a name. */
static bool still_named(HANDLE h)
{
	FILE_STANDARD_INFO info;

	return !GetFileInformationByHandleEx(h, FileStandardInfo, &info, sizeof info) ||
	       (!info.DeletePending && info.NumberOfLinks > 0);
}

static void empty_file(HANDLE h)
{
	FILE_END_OF_FILE_INFO end = {0};

	SetFileInformationByHandle(h, FileEndOfFileInfo, &end, sizeof end);
}

int os_lock_take(const char *path, os_lock **out, wp_error *e)
{
	wchar_t *w = win_path(path);
	OVERLAPPED at = {0};
	char text[16];
	DWORD done;
	HANDLE h;
	int n, rc = w ? 0 : win_fail(e, path, "the lock file cannot be opened");

	while (!rc && !(rc = lock_once(w, path, &h, e)) && !still_named(h))
		CloseHandle(h);
	free(w);
	if (rc)
		return rc;
	n = snprintf(text, sizeof text, "%d\n", os_pid());
	empty_file(h);
	/* The number is a courtesy to who waits; the lock holds without it. */
	WriteFile(h, text, (DWORD)n, &done, &at);
	*out = wp_xmalloc(sizeof **out);
	(*out)->h = h;
	return 0;
}

void os_lock_release(os_lock *l)
{
	OVERLAPPED at = lock_place();

	if (!l)
		return;
	empty_file(l->h);
	UnlockFileEx(l->h, 0, 1, 0, &at);
	CloseHandle(l->h);
	free(l);
}

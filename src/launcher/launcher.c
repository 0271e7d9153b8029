/* SPDX-License-Identifier: MIT
 *
 * launcher.c: the small program that stands for a script or for python.exe in a Windows environment.
 *
 * With bytes behind its image it is a script: `#!` and the path of the interpreter in UTF-8, quoted where it has
 * spaces, a line end, then a zip with __main__.py. The interpreter is started with this file as its script and the
 * caller's arguments, letter by letter.
 *
 * Without such bytes it is the python.exe of an environment: the pyvenv.cfg beside it or one directory above names
 * the `home` of the base interpreter, which is started with __PYVENV_LAUNCHER__ set to this file.
 *
 * Built twice, with GUI defined for programs without a console. There is no C runtime: KERNEL32, for the GUI one
 * USER32, and nothing else.
 */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#ifdef GUI
enum { IS_GUI = 1 };
#else
enum { IS_GUI = 0 };
#endif

/* Exit codes as the py launcher has them; a child's own code may be the same. */
enum { NO_MEMORY = 100, NOT_STARTED = 101, NO_PYTHON = 103, NO_CONFIG = 106, BAD_CONFIG = 107 };

enum { CHARS = 32768, BYTES = 2 * CHARS };

/* Text that grows up to CHARS - 1 characters; beyond it is marked as cut. */
typedef struct text {
	DWORD n;
	BOOL cut;
	WCHAR v[CHARS];
} text;

typedef struct launcher {
	text self;   /* this program, full path */
	text python; /* the program to start, full path */
	text line;   /* its command line */
	text spare, message;
	DWORD nbytes;
	char bytes[BYTES]; /* the line behind the image, or pyvenv.cfg */
} launcher;

/* A part of bytes. */
typedef struct view {
	const char *p;
	DWORD n;
} view;

/* ---- text ----------------------------------------------------------------------------------- */

static void add_n(text *t, const WCHAR *s, DWORD n)
{
	DWORD i;

	for (i = 0; i < n; i++) {
		if (t->n + 1 >= CHARS) {
			t->cut = TRUE;
			break;
		}
		t->v[t->n++] = s[i];
	}
	t->v[t->n] = 0;
}

static void add(text *t, const WCHAR *s)
{
	add_n(t, s, (DWORD)lstrlenW(s));
}

static void set(text *t, const WCHAR *s)
{
	t->n = 0;
	add(t, s);
}

static void add_number(text *t, DWORD value)
{
	WCHAR digits[12];
	DWORD i = 11;

	digits[i] = 0;
	do
		digits[--i] = (WCHAR)(L'0' + value % 10);
	while (value /= 10);
	add(t, digits + i);
}

static void add_utf8(text *t, view s)
{
	int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, s.p, (int)s.n, t->v + t->n,
		(int)(CHARS - 1 - t->n));

	if (n <= 0 && s.n)
		t->cut = TRUE;
	t->n += (DWORD)n;
	t->v[t->n] = 0;
}

/* Index of the last component of a path. */
static DWORD base_of(const text *path)
{
	DWORD i = path->n;

	while (i && path->v[i - 1] != L'\\' && path->v[i - 1] != L'/')
		i--;
	return i;
}

static void cut_to_dir(text *path)
{
	DWORD i = base_of(path);

	path->n = i ? i - 1 : 0;
	path->v[path->n] = 0;
}

/* Small ASCII letters against a word. */
static BOOL same_letters(const WCHAR *s, const char *word)
{
	for (; *word; s++, word++)
		if ((*s >= L'A' && *s <= L'Z' ? *s + 32 : *s) != *word)
			return FALSE;
	return TRUE;
}

/* ---- messages ------------------------------------------------------------------------------- */

static void write_error(launcher *l)
{
	HANDLE out = GetStdHandle(STD_ERROR_HANDLE);
	DWORD mode, n;

	if (!out || out == INVALID_HANDLE_VALUE)
		return;
	if (GetConsoleMode(out, &mode)) {
		WriteConsoleW(out, l->message.v, l->message.n, &n, NULL);
		return;
	}
	n = (DWORD)WideCharToMultiByte(CP_UTF8, 0, l->message.v, (int)l->message.n, l->bytes, BYTES, NULL, NULL);
	WriteFile(out, l->bytes, n, &n, NULL);
}

static __attribute__((noreturn)) void stop(launcher *l, UINT code)
{
	add(&l->message, L"\r\n");
	write_error(l);
#ifdef GUI
	MessageBoxW(NULL, l->message.v, l->self.v + base_of(&l->self), MB_OK | MB_ICONERROR);
#endif
	ExitProcess(code);
}

/* "tool.exe: WHAT 'PATH'WHY" */
static __attribute__((noreturn)) void fail(launcher *l, UINT code, const WCHAR *what, const WCHAR *path,
	const WCHAR *why)
{
	set(&l->message, l->self.v + base_of(&l->self));
	add(&l->message, L": ");
	add(&l->message, what);
	add(&l->message, L" '");
	add(&l->message, path);
	add(&l->message, L"'");
	add(&l->message, why);
	stop(l, code);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The form in which the system takes more than 260 characters; spare holds it. */
static const WCHAR *system_path(launcher *l, const text *path)
{
	enum { LONG = 240 };

	if (path->n < LONG || (path->v[0] == L'\\' && path->v[1] == L'\\' && path->v[2] == L'?'))
		return path->v;
	if (path->v[0] == L'\\' && path->v[1] == L'\\') {
		set(&l->spare, L"\\\\?\\UNC\\");
		add(&l->spare, path->v + 2);
	} else {
		set(&l->spare, L"\\\\?\\");
		add(&l->spare, path->v);
	}
	return l->spare.v;
}

/* Bytes of a file from an offset on, as many as there is room for. */
static BOOL read_file(launcher *l, const text *path, DWORD offset)
{
	HANDLE f = CreateFileW(system_path(l, path), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
		OPEN_EXISTING, 0, NULL);
	BOOL ok;

	l->nbytes = 0;
	if (f == INVALID_HANDLE_VALUE)
		return FALSE;
	ok = SetFilePointer(f, (LONG)offset, NULL, FILE_BEGIN) == offset && ReadFile(f, l->bytes, BYTES, &l->nbytes, NULL);
	CloseHandle(f);
	return ok;
}

/* Where the image ends in the file: behind its last section. */
static DWORD image_end(void)
{
	const char *base = (const char *)GetModuleHandleW(NULL);
	const IMAGE_NT_HEADERS *nt = (const void *)(base + ((const IMAGE_DOS_HEADER *)(const void *)base)->e_lfanew);
	const IMAGE_SECTION_HEADER *s = IMAGE_FIRST_SECTION(nt);
	DWORD i, end = 0;

	for (i = 0; i < nt->FileHeader.NumberOfSections; i++)
		if (s[i].SizeOfRawData && s[i].PointerToRawData + s[i].SizeOfRawData > end)
			end = s[i].PointerToRawData + s[i].SizeOfRawData;
	return end;
}

/* ---- which interpreter ---------------------------------------------------------------------- */

/* #!C:\env\Scripts\python.exe, or #!"C:\my env\Scripts\python.exe" */
static void from_first_line(launcher *l)
{
	view path = {l->bytes + 2, 0};
	char end = '\n';

	if (l->nbytes > 2 && *path.p == '"') {
		end = '"';
		path.p++;
	}
	while (path.p + path.n < l->bytes + l->nbytes && path.p[path.n] != end)
		path.n++;
	if (l->nbytes < 3 || l->bytes[0] != '#' || l->bytes[1] != '!' || path.p + path.n >= l->bytes + l->nbytes)
		fail(l, BAD_CONFIG, L"there is no #! line behind the program in", l->self.v, L"");
	while (path.n && (path.p[path.n - 1] == '\r' || path.p[path.n - 1] == ' '))
		path.n--;
	add_utf8(&l->python, path);
}

static view trimmed(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (p < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (view){p, (DWORD)(end - p)};
}

static BOOL is_word(view s, const char *word)
{
	DWORD i;

	for (i = 0; i < s.n && word[i]; i++)
		if ((s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] + 32 : s.p[i]) != word[i])
			return FALSE;
	return i == s.n && !word[i];
}

/* The value of a key in pyvenv.cfg; empty where it has none. */
static view config_value(const launcher *l, const char *key)
{
	const char *p = l->bytes, *end = l->bytes + l->nbytes;

	while (p < end) {
		const char *eol = p, *eq = p;

		while (eol < end && *eol != '\n')
			eol++;
		while (eq < eol && *eq != '=')
			eq++;
		if (eq < eol && is_word(trimmed(p, eq), key))
			return trimmed(eq + 1, eol);
		p = eol + 1;
	}
	return (view){p, 0};
}

static BOOL read_config(launcher *l)
{
	text *path = &l->message;
	int up;

	set(path, l->self.v);
	cut_to_dir(path);
	for (up = 0; up < 2; up++) {
		add(path, L"\\pyvenv.cfg");
		if (read_file(l, path, 0))
			return TRUE;
		cut_to_dir(path);
		cut_to_dir(path);
	}
	return FALSE;
}

/* The file name of the base interpreter, python.exe where pyvenv.cfg names none; the one without a console where that is
 * what this program stands for. */
static void add_base_name(launcher *l)
{
	view exe = config_value(l, "executable");
	BOOL windowed = IS_GUI || same_letters(l->self.v + base_of(&l->self), "pythonw");
	const WCHAR *name;

	l->spare.n = 0;
	add_utf8(&l->spare, exe);
	name = exe.n ? l->spare.v + base_of(&l->spare) : L"python.exe";
	if (windowed && same_letters(name, "python") && !same_letters(name, "pythonw")) {
		add(&l->python, L"pythonw");
		name += 6;
	}
	add(&l->python, name);
}

static void from_config(launcher *l)
{
	view home;

	if (!read_config(l))
		fail(l, NO_CONFIG, L"there is no pyvenv.cfg beside or above", l->self.v, L"");
	home = config_value(l, "home");
	if (!home.n)
		fail(l, BAD_CONFIG, L"pyvenv.cfg names no home for", l->self.v, L"");
	add_utf8(&l->python, home);
	if (l->python.v[l->python.n - 1] != L'\\')
		add(&l->python, L"\\");
	add_base_name(l);
	if (lstrcmpiW(l->python.v, l->self.v) == 0)
		fail(l, BAD_CONFIG, L"pyvenv.cfg names as home the directory of", l->self.v, L"");
	SetEnvironmentVariableW(L"__PYVENV_LAUNCHER__", l->self.v);
}

/* ---- the child ------------------------------------------------------------------------------ */

/* What follows the program's own name, spaces and quotes as they are. */
static const WCHAR *own_arguments(void)
{
	const WCHAR *p = GetCommandLineW();
	BOOL quoted = FALSE;

	for (; *p && (quoted || (*p != L' ' && *p != L'\t')); p++)
		if (*p == L'"')
			quoted = !quoted;
	return p;
}

static void add_quoted(text *line, const WCHAR *path)
{
	add(line, L"\"");
	add(line, path);
	add(line, L"\"");
}

/* Ctrl-C and Ctrl-Break are the child's business. When the console closes, the child has its time to end: its end is
 * ours. */
static BOOL WINAPI on_event(DWORD event)
{
	if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
		Sleep(INFINITE);
	return TRUE;
}

/* The child ends when this program does; what the child starts may go on. */
static HANDLE make_job(void)
{
	HANDLE job = CreateJobObjectW(NULL, NULL);
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION info;

	if (!job || !QueryInformationJobObject(job, JobObjectExtendedLimitInformation, &info, sizeof info, NULL))
		return NULL;
	info.BasicLimitInformation.LimitFlags |=
		JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
	if (!SetInformationJobObject(job, JobObjectExtendedLimitInformation, &info, sizeof info))
		return NULL;
	return job;
}

static HANDLE inherited(DWORD which)
{
	HANDLE h = GetStdHandle(which);

	SetHandleInformation(h, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
	return h;
}

/* Window, title and the C runtime's own open files as this program got them. */
static void make_startup(STARTUPINFOW *si)
{
	GetStartupInfoW(si);
	si->lpReserved = NULL;
	si->dwFlags = (si->dwFlags & ~(DWORD)STARTF_USEHOTKEY) | STARTF_USESTDHANDLES;
	si->hStdInput = inherited(STD_INPUT_HANDLE);
	si->hStdOutput = inherited(STD_OUTPUT_HANDLE);
	si->hStdError = inherited(STD_ERROR_HANDLE);
}

static __attribute__((noreturn)) void not_started(launcher *l, BOOL script, DWORD error)
{
	if (error != ERROR_FILE_NOT_FOUND && error != ERROR_PATH_NOT_FOUND) {
		set(&l->spare, L": Windows error ");
		add_number(&l->spare, error);
		fail(l, NOT_STARTED, L"cannot start", l->python.v, l->spare.v);
	}
	fail(l, NO_PYTHON, L"there is no Python", l->python.v,
		script ? L"\r\nIf the environment was moved or renamed, install into a new one."
		       : L"\r\nIf the base Python is gone, install it again or make a new environment.");
}

static __attribute__((noreturn)) void run(launcher *l, BOOL script)
{
	PROCESS_INFORMATION child;
	HANDLE job = make_job();
	STARTUPINFOW si;
	DWORD code = NOT_STARTED;

	make_startup(&si);
	SetConsoleCtrlHandler(on_event, TRUE);
	if (!CreateProcessW(system_path(l, &l->python), l->line.v, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &si,
		    &child))
		not_started(l, script, GetLastError());
	if (job)
		AssignProcessToJobObject(job, child.hProcess);
	ResumeThread(child.hThread);
	CloseHandle(child.hThread);
#ifdef GUI
	{ /* a message taken ends the busy pointer that a started program gets */
		MSG msg;

		PostMessageW(NULL, 0, 0, 0);
		GetMessageW(&msg, NULL, 0, 0);
	}
#endif
	WaitForSingleObject(child.hProcess, INFINITE);
	GetExitCodeProcess(child.hProcess, &code);
	ExitProcess(code);
}

void start(void);

void start(void)
{
	launcher *l = VirtualAlloc(NULL, sizeof *l, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
	BOOL script;

	if (!l)
		ExitProcess(NO_MEMORY);
	l->self.n = GetModuleFileNameW(NULL, l->self.v, CHARS);
	if (!read_file(l, &l->self, image_end()))
		fail(l, NOT_STARTED, L"cannot read", l->self.v, L"");
	script = l->nbytes > 0;
	if (script)
		from_first_line(l);
	else
		from_config(l);
	add_quoted(&l->line, l->python.v);
	if (script) {
		add(&l->line, L" ");
		add_quoted(&l->line, l->self.v);
	}
	add(&l->line, own_arguments());
	if (l->python.cut || l->line.cut)
		fail(l, NOT_STARTED, L"the command line is too long, or not UTF-8, for", l->python.v, L"");
	run(l, script);
}

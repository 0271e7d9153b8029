/* SPDX-License-Identifier: MIT */
/* win32_facts.c: what the registry and the system's settings tell. What can't be read is not there. */
#include "base/str.h"
#include "base/vec.h"
#include "os/win32.h"

#include <setupapi.h>
#include <winhttp.h>

/* ---- registry ----------------------------------------------------------------------------- */

typedef WP_VEC(os_python) pythons;

/* A text value; NULL where there is none. */
static char *value(wp_arena *a, HKEY key, const wchar_t *name)
{
	DWORD size = 0;
	wchar_t *w;
	char *out = NULL;

	if (RegGetValueW(key, NULL, name, RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND, NULL, NULL, &size))
		return NULL;
	w = wp_xmalloc(size + sizeof *w);
	if (!RegGetValueW(key, NULL, name, RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND, NULL, w, &size))
		out = win_utf8(a, w);
	free(w);
	return out;
}

/* Call fn for every key below key. */
static void each_key(HKEY key, REGSAM view, void (*fn)(void *user, HKEY sub, const wchar_t *name), void *user)
{
	wchar_t name[256];
	DWORD i, n;
	HKEY sub;

	for (i = 0; n = sizeof name / sizeof *name, RegEnumKeyExW(key, i, name, &n, NULL, NULL, NULL, NULL) == 0; i++)
		if (RegOpenKeyExW(key, name, 0, KEY_READ | view, &sub) == 0) {
			fn(user, sub, name);
			RegCloseKey(sub);
		}
}

typedef struct scan {
	wp_arena *a;
	REGSAM view;
	const char *company;
	pythons *out;
} scan;

static bool is_known(const pythons *l, const char *executable)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (_stricmp(l->v[i].executable, executable) == 0)
			return true;
	return false;
}

static char *slashes(char *path)
{
	char *p;

	for (p = path; *p; p++)
		if (*p == '\\')
			*p = '/';
	return path;
}

static void on_tag(void *user, HKEY key, const wchar_t *name)
{
	scan *s = user;
	os_python p = {.company = s->company, .tag = win_utf8(s->a, name), .version = value(s->a, key, L"SysVersion")};
	char *dir, *exe;
	HKEY sub;

	if (RegOpenKeyExW(key, L"InstallPath", 0, KEY_READ | s->view, &sub))
		return;
	dir = value(s->a, sub, NULL);
	exe = value(s->a, sub, L"ExecutablePath");
	RegCloseKey(sub);
	if (!exe && dir && wp_streq(p.company, "PythonCore")) /* as PEP 514 has it for old ones */
		exe = os_join(s->a, dir, "python.exe");
	if (!exe || !os_is_absolute(exe) || is_known(s->out, slashes(exe)))
		return;
	p.dir = dir ? slashes(dir) : os_dirname(s->a, exe);
	p.executable = exe;
	if (!p.version)
		p.version = "";
	WP_PUSH(s->out, p);
}

static void on_company(void *user, HKEY key, const wchar_t *name)
{
	scan *s = user;

	s->company = win_utf8(s->a, name);
	if (!wp_streq(s->company, "PyLauncher")) /* PEP 514 keeps that name for the launcher */
		each_key(key, s->view, on_tag, s);
}

void os_registry_pythons(wp_arena *a, os_python **out, size_t *n)
{
	static const REGSAM views[] = {KEY_WOW64_64KEY, KEY_WOW64_32KEY};
	const HKEY roots[] = {HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE};
	pythons list = {0};
	size_t i;
	HKEY key;

	for (i = 0; i < 4; i++) {
		scan s = {.a = a, .view = views[i % 2], .out = &list};

		if (RegOpenKeyExW(roots[i / 2], L"Software\\Python", 0, KEY_READ | s.view, &key))
			continue;
		each_key(key, s.view, on_company, &s);
		RegCloseKey(key);
	}
	*out = WP_VEC_COPY(a, &list);
	*n = list.n;
	WP_VEC_FREE(&list);
}

/* ---- proxy -------------------------------------------------------------------------------- */

/* "host:port" for everything, or "http=host:port;https=host:port". */
static const char *https_proxy(wp_arena *a, const char *list)
{
	wp_str rest = wp_str_of(list), one;

	while (wp_str_split(&rest, ';', &one)) {
		one = wp_str_trim(one);
		if (wp_str_starts(one, "https="))
			one = wp_str_sub(one, 6, one.n);
		if (one.n && wp_str_find(one, '=') == one.n)
			return wp_str_find_str(one, WP_LIT("://")) < one.n
				       ? wp_str_dup(a, one)
				       : wp_sprintf(a, "http://%s", wp_str_dup(a, one));
	}
	return NULL;
}

/* "*.lab.example;10.*;<local>": libcurl takes names with what is below them, no other patterns. */
static const char *bypass_of(wp_arena *a, char *list)
{
	wp_str rest, one;
	char *p;
	wp_buf b;

	for (p = list; *p; p++)
		if (*p == ' ')
			*p = ';';
	rest = wp_str_of(list);
	wp_buf_init(&b, 1 << 16);
	wp_buf_puts(&b, "localhost,127.0.0.1,::1");
	while (wp_str_split(&rest, ';', &one)) {
		one = wp_str_trim(one);
		if (wp_str_starts(one, "*."))
			one = wp_str_sub(one, 1, one.n);
		if (one.n && one.p[0] != '<' && wp_str_find(one, '*') == one.n) {
			wp_buf_putc(&b, ',');
			wp_buf_str(&b, one);
		}
	}
	return wp_buf_take(&b, a).p;
}

const char *os_system_proxy(wp_arena *a, const char **bypass)
{
	BOOL(WINAPI *read)(WINHTTP_CURRENT_USER_IE_PROXY_CONFIG *);
	void *p = win_call("winhttp.dll", "WinHttpGetIEProxyConfigForCurrentUser");
	WINHTTP_CURRENT_USER_IE_PROXY_CONFIG c = {0};
	const char *proxy = NULL;

	*bypass = NULL;
	memcpy(&read, &p, sizeof p);
	if (!read || !read(&c))
		return NULL;
	if (c.lpszProxy)
		proxy = https_proxy(a, win_utf8(a, c.lpszProxy));
	if (proxy)
		*bypass = bypass_of(a, win_utf8(a, c.lpszProxyBypass ? c.lpszProxyBypass : L""));
	GlobalFree(c.lpszProxy);
	GlobalFree(c.lpszProxyBypass);
	GlobalFree(c.lpszAutoConfigUrl);
	return proxy;
}

/* ---- driver and GPU ----------------------------------------------------------------------- */

typedef struct version_calls {
	DWORD(WINAPI *size)(LPCWSTR, DWORD *);
	BOOL(WINAPI *read)(LPCWSTR, DWORD, DWORD, void *);
	BOOL(WINAPI *query)(const void *, LPCWSTR, void **, UINT *);
} version_calls;

static bool read_version(const version_calls *v, const wchar_t *path, unsigned out[4])
{
	DWORD ignored, size = v->size(path, &ignored);
	VS_FIXEDFILEINFO *info = NULL;
	UINT n = 0;
	void *data;
	bool ok;

	if (!size)
		return false;
	data = wp_xmalloc(size);
	ok = v->read(path, 0, size, data) && v->query(data, L"\\", (void **)&info, &n) && n >= sizeof *info;
	if (ok) {
		out[0] = HIWORD(info->dwFileVersionMS);
		out[1] = LOWORD(info->dwFileVersionMS);
		out[2] = HIWORD(info->dwFileVersionLS);
		out[3] = LOWORD(info->dwFileVersionLS);
	}
	free(data);
	return ok;
}

bool os_file_version(const char *path, unsigned out[4])
{
	void *p[3] = {win_call("version.dll", "GetFileVersionInfoSizeW"),
		win_call("version.dll", "GetFileVersionInfoW"), win_call("version.dll", "VerQueryValueW")};
	wchar_t *w = win_plain(path);
	version_calls v;
	bool ok;

	memcpy(&v, p, sizeof p);
	ok = w && p[0] && p[1] && p[2] && read_version(&v, w, out);
	free(w);
	return ok;
}

typedef struct setup_calls {
	HDEVINFO(WINAPI *open)(const GUID *, PCWSTR, HWND, DWORD);
	BOOL(WINAPI *next)(HDEVINFO, DWORD, PSP_DEVINFO_DATA);
	BOOL(WINAPI *id)(HDEVINFO, PSP_DEVINFO_DATA, PWSTR, DWORD, PDWORD);
	BOOL(WINAPI *close)(HDEVINFO);
} setup_calls;

void os_display_adapters(wp_arena *a, const char ***out, size_t *n)
{
	static const GUID display = {0x4d36e968, 0xe325, 0x11ce, {0xbf, 0xc1, 0x08, 0x00, 0x2b, 0xe1, 0x03, 0x18}};
	void *p[4] = {win_call("setupapi.dll", "SetupDiGetClassDevsW"),
		win_call("setupapi.dll", "SetupDiEnumDeviceInfo"),
		win_call("setupapi.dll", "SetupDiGetDeviceInstanceIdW"),
		win_call("setupapi.dll", "SetupDiDestroyDeviceInfoList")};
	SP_DEVINFO_DATA d = {.cbSize = sizeof d};
	WP_VEC(const char *) list = {0};
	wchar_t id[512];
	setup_calls s;
	HDEVINFO set;
	DWORD i;

	*out = NULL;
	*n = 0;
	memcpy(&s, p, sizeof p);
	if (!p[0] || !p[1] || !p[2] || !p[3])
		return;
	set = s.open(&display, NULL, NULL, DIGCF_PRESENT);
	if (set == INVALID_HANDLE_VALUE)
		return;
	for (i = 0; s.next(set, i, &d); i++)
		if (s.id(set, &d, id, sizeof id / sizeof *id, NULL))
			WP_PUSH(&list, win_utf8(a, id));
	s.close(set);
	*out = WP_VEC_COPY(a, &list);
	*n = list.n;
	WP_VEC_FREE(&list);
}

/* ---- others ------------------------------------------------------------------------------- */

bool os_is_elevated(void)
{
	TOKEN_ELEVATION x = {0};
	DWORD n = sizeof x;
	HANDLE token;
	bool ok;

	if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
		return false;
	ok = GetTokenInformation(token, TokenElevation, &x, sizeof x, &n) && x.TokenIsElevated;
	CloseHandle(token);
	return ok;
}

int os_share(const char *path, wp_error *e)
{
	(void)path;
	return e->code;
}

/* What dir becomes with the part of path that comes next; NULL: path is not below it. */
static char *part_below(wp_arena *a, const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (!n || _strnicmp(path, dir, n) != 0 || path[n] != '/' || !path[n + 1])
		return NULL;
	return wp_str_dup(a, wp_str_sub(wp_str_of(path), 0, n + 1 + strcspn(path + n + 1, "/")));
}

typedef struct profile_calls {
	BOOL(WINAPI *all)(wchar_t *dir, DWORD *size);
	BOOL(WINAPI *own)(HANDLE token, wchar_t *dir, DWORD *size);
} profile_calls;

/* This user's profile, which may lie elsewhere; "" unknown. */
static const char *own_profile(wp_arena *a, const profile_calls *c)
{
	wchar_t w[MAX_PATH];
	DWORD n = MAX_PATH;
	HANDLE token;
	bool ok;

	if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
		return "";
	ok = c->own(token, w, &n);
	CloseHandle(token);
	return ok ? win_slashes(a, w) : "";
}

/* C:/Users/anna; but C:/Users/Public is for all. */
const char *os_closed_to_others(wp_arena *a, const char *path)
{
	void *p[2] = {win_call("userenv.dll", "GetProfilesDirectoryW"), win_call("userenv.dll", "GetUserProfileDirectoryW")};
	const char *own, *part;
	wchar_t w[MAX_PATH];
	DWORD n = MAX_PATH;
	profile_calls c;

	memcpy(&c, p, sizeof p);
	if (p[0] && c.all(w, &n) && (part = part_below(a, path, win_slashes(a, w))) && _stricmp(os_basename(part), "Public") != 0)
		return part;
	own = p[1] ? own_profile(a, &c) : "";
	return part_below(a, path, own) ? own : NULL;
}

bool os_long_paths(void)
{
	DWORD on = 0, size = sizeof on;

	return RegGetValueW(HKEY_LOCAL_MACHINE, L"SYSTEM\\CurrentControlSet\\Control\\FileSystem", L"LongPathsEnabled",
		       RRF_RT_REG_DWORD, NULL, &on, &size) == 0 && on;
}

const char *os_system_dir(wp_arena *a)
{
	wchar_t w[MAX_PATH];

	return GetSystemDirectoryW(w, MAX_PATH) ? win_slashes(a, w) : NULL;
}

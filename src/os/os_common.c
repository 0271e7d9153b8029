/* SPDX-License-Identifier: MIT */
/* os_common.c: pure text, and what is made of the other calls, for every system. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "os/os.h"

static bool is_sep(char c)
{
#ifdef _WIN32
	return c == '/' || c == '\\';
#else
	return c == '/';
#endif
}

char *os_join(wp_arena *a, const char *dir, const char *name)
{
	size_t n = strlen(dir);

	if (n == 0 || is_sep(dir[n - 1]))
		return wp_sprintf(a, "%s%s", dir, name);
	return wp_sprintf(a, "%s/%s", dir, name);
}

const char *os_basename(const char *path)
{
	const char *p, *base = path;

	for (p = path; *p; p++)
		if (is_sep(*p))
			base = p + 1;
	return base;
}

char *os_without_tail(wp_arena *a, const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && is_sep(path[n - 1]) && path[n - 2] != ':')
		n--;
	return wp_str_dup(a, (wp_str){path, n});
}

char *os_dirname(wp_arena *a, const char *path)
{
	size_t n = (size_t)(os_basename(path) - path);

	if (n == 0)
		return wp_strdup(a, ".");
	while (n > 1 && is_sep(path[n - 1]))
		n--;
#ifdef _WIN32
	if (n == 2 && path[1] == ':')
		n = 3;
#endif
	return wp_str_dup(a, (wp_str){path, n});
}

bool os_is_absolute(const char *path)
{
#ifdef _WIN32
	if (wp_ascii_alpha(path[0]) && path[1] == ':')
		return is_sep(path[2]);
	return is_sep(path[0]) && is_sep(path[1]);
#else
	return path[0] == '/';
#endif
}

const char *os_native(wp_arena *a, const char *path)
{
	char *s = wp_strdup(a, path);
#ifdef _WIN32
	char *p;

	for (p = s; *p; p++)
		if (*p == '/')
			*p = '\\';
#endif
	return s;
}

bool os_is_windows(void)
{
#ifdef _WIN32
	return true;
#else
	return false;
#endif
}

void os_name_holders(wp_error *e, const char *path)
{
	wp_arena *a = wp_arena_new();
	wp_error ignored = {0};
	const char **names;
	size_t n, i;
	wp_buf b;

	wp_buf_init(&b, sizeof e->next);
	if (os_file_holders(a, path, &names, &n, &ignored) == 0 && n) {
		for (i = 0; i < n; i++)
			wp_buf_printf(&b, "%s%s", i ? ", " : "", names[i]);
		e->code = WP_E_BUSY;
		wp_err_next(e, "close %s, then run the command again", wp_buf_view(&b).p);
	}
	wp_buf_free(&b);
	wp_arena_free(a);
}

int os_lock_holder(const char *path)
{
	enum { MAX_NUMBER = 32 };
	wp_arena *a = wp_arena_new();
	wp_error ignored = {0};
	uint64_t pid = 0;
	wp_str text;

	if (os_read_file(a, path, MAX_NUMBER, &text, &ignored) || !wp_str_u64(wp_str_trim(text), &pid) || pid > INT32_MAX)
		pid = 0;
	wp_arena_free(a);
	return (int)pid;
}

int os_look(const char *path, bool *there, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	os_stat(path, &kind, &size, e);
	*there = kind != OS_ABSENT;
	return e->code;
}

/* All other failures have the system's number. */
bool os_no_exchange(const wp_error *e)
{
	return e->code == WP_E_IO && e->sys == 0;
}

/* One directory; one that is there, by whatever name or link, is fine. */
static int make_dir(const char *path, wp_error *e)
{
	wp_error own = {0};

	if (os_is_dir(path))
		return 0;
	if (os_mkdir(path, &own) == 0 || (own.code == WP_E_EXISTS && os_is_dir(path)))
		return 0;
	if (!e->code)
		*e = own;
	return e->code;
}

int os_mkdirs(const char *path, wp_error *e)
{
	size_t i, n = strlen(path);
	char *p = memcpy(wp_xmalloc(n + 1), path, n + 1);
	int rc = 0;

	for (i = 1; i < n && !rc; i++) {
		if (!is_sep(path[i]) || is_sep(path[i - 1]))
			continue;
		p[i] = 0;
		rc = make_dir(p, e);
		p[i] = path[i];
	}
	if (!rc)
		rc = make_dir(p, e);
	free(p);
	return rc;
}

int os_no_file(const char *path, bool directory, wp_error *e)
{
	wp_fail(e, WP_E_IO, directory ? "it is a directory" : "it is not a regular file");
	wp_err_next(e, "name a file");
	return wp_err_where(e, "'%s'", path);
}

int os_read_file(wp_arena *a, const char *path, size_t max, wp_str *out, wp_error *e)
{
	os_file *f;
	uint64_t size;
	char *p;
	int rc;

	if (os_open(path, OS_READ, &f, e))
		return e->code;
	rc = os_size(f, &size, e);
	if (!rc && size > max) {
		wp_fail(e, WP_E_TOO_LARGE, "it has %" PRIu64 " bytes, at most %zu are read", size,
			max);
		rc = wp_err_where(e, "'%s'", path);
	}
	if (!rc) {
		p = wp_alloc(a, (size_t)size + 1);
		*out = (wp_str){p, (size_t)size};
		rc = os_pread(f, p, (size_t)size, 0, e);
	}
	os_close(f, e);
	return rc;
}

static int fill_new(const char *path, wp_str text, wp_error *e)
{
	os_file *f;
	int rc;

	if (os_open(path, OS_CREATE_NEW, &f, e))
		return e->code;
	rc = os_pwrite(f, text.p, text.n, 0, e);
	if (!rc)
		rc = os_flush(f, e);
	if (os_close(f, e))
		rc = e->code;
	return rc;
}

/* A name nobody else uses: the process, and a count within it. A file left by a killed process of
 * the same number only costs another try. */
static char *beside(wp_arena *a, const char *path)
{
	static atomic_uint count;

	return wp_sprintf(a, "%s.%d-%u.tmp", path, os_pid(), atomic_fetch_add(&count, 1));
}

/* A device is no place for a rename: /dev/null would be a file from then on. */
static int check_replaceable(const char *path, wp_error *e)
{
	os_kind kind;
	uint64_t size;

	if (os_stat(path, &kind, &size, e) || kind == OS_FILE || kind == OS_ABSENT ||
		(kind == OS_LINK && os_is_file(path)))
		return e->code;
	wp_fail(e, WP_E_EXISTS, "it is no ordinary file, and is not replaced");
	return wp_err_where(e, "'%s'", path);
}

int os_write_file(const char *path, wp_str text, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	wp_error own = {0}, later = {0};
	int tries = 0, rc;
	bool made;
	char *tmp;

	rc = check_replaceable(path, &own);
	if (rc) {
		wp_arena_free(a);
		if (!e->code)
			*e = own;
		return e->code;
	}
	do {
		own = (wp_error){0};
		tmp = beside(a, path);
		rc = fill_new(tmp, text, &own);
	} while (rc == WP_E_EXISTS && ++tries < 100);
	made = rc != WP_E_EXISTS;
	if (!rc)
		rc = os_rename(tmp, path, &own);
	if (rc && made)
		os_unlink(tmp, &later);
	if (rc && !e->code) {
		*e = own;
		e->where[0] = 0; /* the name that the caller knows, not the temporary one */
		wp_err_where(e, "'%s'", path);
	}
	wp_arena_free(a);
	return rc ? (int)e->code : 0;
}

static int blob_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	return os_pread(self, buf, n, off, e);
}

static void blob_close(void *self)
{
	wp_error ignored = {0};

	os_close(self, &ignored);
}

int os_blob(const char *path, wp_blob *out, wp_error *e)
{
	os_file *f;
	uint64_t size;

	if (os_open(path, OS_READ, &f, e))
		return e->code;
	if (os_size(f, &size, e)) {
		os_close(f, e);
		return e->code;
	}
	*out = (wp_blob){f, size, blob_read, blob_close};
	return 0;
}

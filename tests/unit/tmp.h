/* SPDX-License-Identifier: MIT */
/* tmp.h: a temp directory for one test, and small files in it. */
#ifndef WP_TESTS_TMP_H
#define WP_TESTS_TMP_H

#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"
#include "unit/test.h"

#ifdef _WIN32
#define lstat stat

static inline int setenv(const char *name, const char *value, int replace)
{
	(void)replace;
	return _putenv_s(name, value);
}

static inline int unsetenv(const char *name)
{
	return _putenv_s(name, "");
}

static inline const char *tmp_make(wp_arena *a)
{
	static int count;
	const char *p, *place = os_getenv("TEMP");
	wp_error err = {0};

	assert_non_null(place);
	assert_ok(os_absolute(a, place, &place, &err));
	do { /* a test that was killed left its own */
		err = (wp_error){0};
		p = wp_sprintf(a, "%s/wheelpack-test-%d-%d", place, os_pid(), ++count);
		os_mkdir(p, &err);
	} while (err.code == WP_E_EXISTS);
	assert_ok(err.code);
	return p;
}
#else
static inline const char *tmp_make(wp_arena *a)
{
	char *p = wp_strdup(a, "/tmp/wheelpack-test-XXXXXX");

	assert_non_null(mkdtemp(p));
	return p;
}
#endif

/* The rest of a test that is about links, which wheelpack doesn't use on Windows. */
static inline void needs_links(void)
{
	if (os_is_windows())
		skip();
}

static inline void tmp_remove(const char *dir)
{
	wp_error err = {0};

	assert_ok(os_remove_tree(dir, &err));
}

static inline wp_str tmp_read(wp_arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	long n;
	char *p;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	p = wp_alloc(a, (size_t)n + 1);
	assert_int_equal(fread(p, 1, (size_t)n, f), n);
	fclose(f);
	return (wp_str){p, (size_t)n};
}

static inline void tmp_write(const char *path, wp_str text)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
	assert_int_equal(fclose(f), 0);
}

static inline void tmp_script(const char *path, wp_str text)
{
	tmp_write(path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

/* One file under two names. (Windows' stat knows no numbers of files.) */
static inline bool tmp_same_file(const char *x, const char *y)
{
	struct stat a, b;

	if (os_is_windows())
		return false;
	return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

#endif

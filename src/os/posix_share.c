/* SPDX-License-Identifier: MIT */
/* posix_share.c: one file for several places, and a directory that is nobody else's. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "os/posix.h"

static int fail_at(os_dir *dir, const char *name, const char *why, wp_error *e)
{
	int sys = errno;
	char *path = posix_join(dir->path, name);

	errno = sys;
	posix_fail(e, path, "%s", why);
	free(path);
	return e->code;
}

int os_stat_at(os_dir *dir, const char *path, bool names, os_facts *out, wp_error *e)
{
	struct stat st;

	(void)names;
	*out = (os_facts){.kind = OS_ABSENT};
	if (fstatat(dir->fd, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : fail_at(dir, path, "it cannot be examined", e);
	*out = (os_facts){.kind = posix_kind(st.st_mode), .size = (uint64_t)st.st_size, .mode = st.st_mode & 0777,
		.mtime = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec, .names = st.st_nlink};
	return 0;
}

int os_link_at(os_dir *dir, const char *path, os_dir *to, const char *name, wp_error *e)
{
	if (posix_component(to, name, e))
		return e->code;
	return linkat(dir->fd, path, to->fd, name, 0) == 0 ? 0 : fail_at(to, name, "the hard link cannot be made", e);
}

bool os_clone(os_file *from, os_file *to)
{
	return ioctl(to->fd, FICLONE, from->fd) == 0;
}

bool os_is_others(const char *path)
{
	wp_arena *a = wp_arena_new();
	struct stat st, above;
	bool yes = lstat(path, &st) == 0 && st.st_uid != geteuid() && st.st_uid != 0 &&
		   (stat(os_dirname(a, path), &above) != 0 || st.st_uid != above.st_uid);

	wp_arena_free(a);
	return yes;
}

int os_mkdir_private(const char *path, wp_error *e)
{
	return mkdir(path, 0700) == 0 ? 0 : posix_fail(e, path, "the directory cannot be made");
}

int os_check_private(const char *path, wp_error *e)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return posix_fail(e, path, "it cannot be examined");
	if (st.st_uid != geteuid())
		wp_fail(e, WP_E_PERMISSION, "it belongs to user %u, and this is user %u", (unsigned)st.st_uid,
			(unsigned)geteuid());
	else if (st.st_mode & 022)
		wp_fail(e, WP_E_PERMISSION, "others may write to it, its mode is %03o", (unsigned)st.st_mode & 0777);
	return e->code ? wp_err_where(e, "'%s'", path) : 0;
}

static bool device_of(const char *path, dev_t *out)
{
	wp_arena *a = wp_arena_new();
	struct stat st;
	bool ok = stat(posix_nearest(a, path), &st) == 0;

	if (ok)
		*out = st.st_dev;
	wp_arena_free(a);
	return ok;
}

bool os_same_volume(const char *a, const char *b)
{
	dev_t x, y;

	return device_of(a, &x) && device_of(b, &y) && x == y;
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "os/posix.h"

os_file *posix_file(int fd, bool writable, const char *path)
{
	os_file *f = wp_xmalloc(sizeof *f);
	size_t n = strlen(path) + 1;

	f->fd = fd;
	f->writable = writable;
	f->path = memcpy(wp_xmalloc(n), path, n);
	return f;
}

char *posix_join(const char *dir, const char *name)
{
	wp_buf b;

	wp_buf_init(&b, SIZE_MAX / 2);
	wp_buf_printf(&b, "%s%s%s", dir, wp_ends(dir, "/") ? "" : "/", name);
	return b.p;
}

/* O_NONBLOCK keeps a named pipe from blocking the open; regular files don't know it. */
static int open_flags(os_open_mode m)
{
	switch (m) {
	case OS_READ:
		return O_RDONLY | O_NONBLOCK;
	case OS_CREATE_NEW:
		return O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
	default:
		return O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
	}
}

int os_open(const char *path, os_open_mode m, os_file **out, wp_error *e)
{
	int fd = TEMP_FAILURE_RETRY(open(path, open_flags(m) | O_CLOEXEC, 0666));
	struct stat st = {0};

	if (fd < 0 && errno == ELOOP && m == OS_READ_WRITE)
		return posix_fail_link(e, path);
	if (fd < 0)
		return posix_fail(
			e, path, m == OS_READ ? "it cannot be opened" : "it cannot be written");
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return os_no_file(path, S_ISDIR(st.st_mode), e);
	}
	*out = posix_file(fd, m != OS_READ, path);
	return 0;
}

int os_close(os_file *f, wp_error *e)
{
	int rc = 0;

	if (!f)
		return 0;
	/* After EINTR the descriptor is gone all the same. */
	if (close(f->fd) != 0 && f->writable && errno != EINTR)
		rc = posix_fail(e, f->path, "its last bytes were not written");
	free(f->path);
	free(f);
	return rc;
}

int os_size(os_file *f, uint64_t *out, wp_error *e)
{
	struct stat st;

	if (fstat(f->fd, &st) != 0)
		return posix_fail(e, f->path, "its size cannot be read");
	*out = (uint64_t)st.st_size;
	return 0;
}

static int check_range(os_file *f, uint64_t n, uint64_t off, wp_error *e)
{
	if (off <= INT64_MAX && n <= INT64_MAX - off)
		return 0;
	wp_fail(e, WP_E_IO, "%" PRIu64 " bytes at %" PRIu64 " are beyond any file", n, off);
	return wp_err_where(e, "'%s'", f->path);
}

int os_pread(os_file *f, void *buf, size_t n, uint64_t off, wp_error *e)
{
	size_t done = 0;

	if (check_range(f, n, off, e))
		return e->code;
	while (done < n) {
		ssize_t k = TEMP_FAILURE_RETRY(
			pread(f->fd, (char *)buf + done, n - done, (off_t)(off + done)));

		if (k < 0)
			return posix_fail(e, f->path, "it cannot be read");
		if (k == 0) {
			wp_fail(e, WP_E_IO,
				"it ends at byte %" PRIu64 ", %zu bytes at %" PRIu64 " were wanted",
				off + done, n, off);
			return wp_err_where(e, "'%s'", f->path);
		}
		done += (size_t)k;
	}
	return 0;
}

int os_pwrite(os_file *f, const void *buf, size_t n, uint64_t off, wp_error *e)
{
	size_t done = 0;

	if (check_range(f, n, off, e))
		return e->code;
	while (done < n) {
		ssize_t k = TEMP_FAILURE_RETRY(
			pwrite(f->fd, (const char *)buf + done, n - done, (off_t)(off + done)));

		if (k < 0)
			return posix_fail(e, f->path, "it cannot be written");
		done += (size_t)k;
	}
	return 0;
}

int os_truncate(os_file *f, uint64_t size, wp_error *e)
{
	if (check_range(f, 0, size, e))
		return e->code;
	if (TEMP_FAILURE_RETRY(ftruncate(f->fd, (off_t)size)) != 0)
		return posix_fail(e, f->path, "its size cannot be set");
	return 0;
}

/* Not posix_fallocate: where the file system can't reserve, that one writes every block instead. */
int os_preallocate(os_file *f, uint64_t size, wp_error *e)
{
	if (check_range(f, 0, size, e))
		return e->code;
	if (size == 0 ||
		TEMP_FAILURE_RETRY(fallocate(f->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size)) == 0)
		return 0;
	if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL || errno == ENODEV)
		return 0;
	return posix_fail(e, f->path, "%" PRIu64 " bytes cannot be reserved", size);
}

bool os_direct(os_file *f, bool on)
{
	int flags = fcntl(f->fd, F_GETFL);

	return flags >= 0 && fcntl(f->fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

int os_flush(os_file *f, wp_error *e)
{
	if (TEMP_FAILURE_RETRY(fsync(f->fd)) != 0)
		return posix_fail(e, f->path, "it cannot be written to the disk");
	return 0;
}

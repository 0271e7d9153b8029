/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"
#include "os/posix.h"

/* ---- looking ------------------------------------------------------------------------------ */

os_kind posix_kind(mode_t mode)
{
	return S_ISREG(mode)   ? OS_FILE
	       : S_ISDIR(mode) ? OS_DIR
	       : S_ISLNK(mode) ? OS_LINK
			       : OS_OTHER;
}

int os_stat(const char *path, os_kind *kind, uint64_t *size, wp_error *e)
{
	struct stat st;

	*kind = OS_ABSENT;
	*size = 0;
	if (lstat(path, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : posix_fail(e, path, "it cannot be examined");
	*kind = posix_kind(st.st_mode);
	*size = (uint64_t)st.st_size;
	return 0;
}

bool os_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool os_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool os_may_write(const char *dir)
{
	return access(dir, W_OK | X_OK) == 0;
}

bool os_is_executable(const char *path)
{
	return os_is_file(path) && access(path, X_OK) == 0;
}

/* What isn't there yet will be on the file system of its parent. */
const char *posix_nearest(wp_arena *a, const char *path)
{
	struct stat st;

	while (stat(path, &st) != 0 && errno == ENOENT && !wp_streq(path, "/") && !wp_streq(path, "."))
		path = os_dirname(a, path);
	return path;
}

int os_free_space(const char *path, uint64_t *bytes, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	struct statvfs s;
	int rc;

	path = posix_nearest(a, path);
	rc = TEMP_FAILURE_RETRY(statvfs(path, &s));
	if (rc == 0)
		*bytes = (uint64_t)s.f_bavail * s.f_frsize;
	else
		posix_fail(e, path, "its free space is unknown");
	wp_arena_free(a);
	return rc == 0 ? 0 : (int)e->code;
}

/* ---- directory handles -------------------------------------------------------------------- */

static os_dir *dir_object(int fd, char *path)
{
	os_dir *d = wp_xmalloc(sizeof *d);

	*d = (os_dir){fd, path};
	return d;
}

/* Open a directory without following a link at the end. */
static int open_dir(int at, const char *name, const char *path, int *fd, wp_error *e)
{
	struct stat st;

	*fd = TEMP_FAILURE_RETRY(openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (*fd >= 0)
		return 0;
	if ((errno == ENOTDIR || errno == ELOOP) &&
		fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISLNK(st.st_mode))
			wp_fail(e, WP_E_PATH, "it is a link, a directory is wanted");
		else
			wp_fail(e, WP_E_EXISTS, "it is a file, a directory is wanted");
		return wp_err_where(e, "'%s'", path);
	}
	return posix_fail(e, path, "it cannot be opened as a directory");
}

int os_dir_open(const char *path, os_dir **out, wp_error *e)
{
	int fd;

	if (open_dir(AT_FDCWD, path, path, &fd, e))
		return e->code;
	*out = dir_object(fd, memcpy(wp_xmalloc(strlen(path) + 1), path, strlen(path) + 1));
	return 0;
}

int posix_component(os_dir *dir, const char *name, wp_error *e)
{
	if (name[0] && !strchr(name, '/') && !wp_streq(name, ".") && !wp_streq(name, ".."))
		return 0;
	wp_fail(e, WP_E_PATH, "'%s' is not the name of one file", name);
	return wp_err_where(e, "'%s'", dir->path);
}

int os_dir_sub(os_dir *dir, const char *name, os_dir **out, wp_error *e)
{
	char *path;
	int fd, rc;

	if (posix_component(dir, name, e))
		return e->code;
	path = posix_join(dir->path, name);
	if (mkdirat(dir->fd, name, 0777) != 0 && errno != EEXIST)
		rc = posix_fail(e, path, "the directory cannot be made");
	else
		rc = open_dir(dir->fd, name, path, &fd, e);
	if (rc)
		free(path);
	else
		*out = dir_object(fd, path);
	return rc;
}

void os_dir_close(os_dir *d)
{
	if (!d)
		return;
	close(d->fd);
	free(d->path);
	free(d);
}

int os_create_at(os_dir *dir, const char *name, int mode, os_file **out, wp_error *e)
{
	char *path;
	int fd;

	if (posix_component(dir, name, e))
		return e->code;
	path = posix_join(dir->path, name);
	fd = TEMP_FAILURE_RETRY(openat(
		dir->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, (mode_t)mode));
	if (fd < 0)
		posix_fail(e, path, "the file cannot be made");
	else
		*out = posix_file(fd, true, path);
	free(path);
	return fd < 0 ? (int)e->code : 0;
}

/* ---- listing ------------------------------------------------------------------------------ */

typedef WP_VEC(os_entry) entries;

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* The next name, NULL at the end; *failed where the directory can't be read. */
static const char *next_name(DIR *d, bool *failed)
{
	struct dirent *ent;

	do {
		errno = 0;
		ent = readdir(d);
	} while (ent && is_dots(ent->d_name));
	*failed = !ent && errno != 0;
	return ent ? ent->d_name : NULL;
}

static DIR *dir_stream(int at, const char *name, int flags)
{
	int fd = TEMP_FAILURE_RETRY(openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags));
	DIR *d;

	if (fd < 0)
		return NULL;
	d = fdopendir(fd);
	if (!d)
		close(fd);
	return d;
}

static int walk_one(wp_arena *a, const char *prefix, DIR *d, entries *list)
{
	const char *name;
	struct stat st;
	bool failed;

	while ((name = next_name(d, &failed))) {
		if (fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
			if (errno == ENOENT)
				continue;
			return -1;
		}
		WP_PUSH(list, ((os_entry){.path = *prefix ? wp_sprintf(a, "%s/%s", prefix, name)
							  : wp_strdup(a, name),
				      .kind = posix_kind(st.st_mode),
				      .size = (uint64_t)st.st_size}));
	}
	return failed ? -1 : 0;
}

static int cmp_entry(const void *x, const void *y)
{
	return strcmp(((const os_entry *)x)->path, ((const os_entry *)y)->path);
}

/* The list is its own queue: directories found are read when their turn comes. */
static int walk_all(wp_arena *a, DIR *root, entries *list)
{
	size_t i;
	int rc = walk_one(a, "", root, list);

	for (i = 0; !rc && i < list->n; i++) {
		const char *path = list->v[i].path;
		DIR *d;

		if (list->v[i].kind != OS_DIR)
			continue;
		d = dir_stream(dirfd(root), path, O_NOFOLLOW);
		if (!d)
			return -1;
		rc = walk_one(a, path, d, list);
		closedir(d);
	}
	return rc;
}

int os_walk(wp_arena *a, const char *root, os_entry **out, size_t *n, wp_error *e)
{
	entries list = {0};
	DIR *d = dir_stream(AT_FDCWD, root, 0);
	int rc = 0;

	if (!d)
		return posix_fail(e, root, "it cannot be opened as a directory");
	if (walk_all(a, d, &list) != 0)
		rc = posix_fail(e, root, "it cannot be listed");
	closedir(d);
	if (list.n)
		qsort(list.v, list.n, sizeof *list.v, cmp_entry);
	*out = WP_VEC_COPY(a, &list);
	*n = list.n;
	WP_VEC_FREE(&list);
	return rc;
}

int os_list(wp_arena *a, const char *dir, const char ***out, size_t *n, wp_error *e)
{
	WP_VEC(const char *) list = {0};
	DIR *d = dir_stream(AT_FDCWD, dir, 0);
	const char *name;
	bool failed;
	int rc = 0;

	if (!d)
		return posix_fail(e, dir, "it cannot be opened as a directory");
	while ((name = next_name(d, &failed)))
		WP_PUSH(&list, wp_strdup(a, name));
	if (failed)
		rc = posix_fail(e, dir, "it cannot be listed");
	closedir(d);
	if (list.n)
		qsort(list.v, list.n, sizeof *list.v, wp_cmp_cstr);
	*out = WP_VEC_COPY(a, &list);
	*n = list.n;
	WP_VEC_FREE(&list);
	return rc;
}

/* ---- changing ----------------------------------------------------------------------------- */

int os_mkdir(const char *path, wp_error *e)
{
	return mkdir(path, 0777) == 0 ? 0 : posix_fail(e, path, "the directory cannot be made");
}

bool os_is_mount(const char *dir)
{
	int fd = TEMP_FAILURE_RETRY(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct stat in, above;
	bool yes = fd >= 0 && fstat(fd, &in) == 0 && fstatat(fd, "..", &above, 0) == 0 && in.st_dev != above.st_dev;

	if (fd >= 0)
		close(fd);
	return yes;
}

bool os_is_read_only(const char *path)
{
	(void)path;
	return false;
}

int os_rename(const char *from, const char *to, wp_error *e)
{
	struct stat st;

	if (lstat(to, &st) == 0 && S_ISDIR(st.st_mode)) {
		wp_fail(e, WP_E_EXISTS, "'%s' cannot replace a directory", from);
		return wp_err_where(e, "'%s'", to);
	}
	return rename(from, to) == 0 ? 0 : posix_fail(e, to, "'%s' cannot be renamed to it", from);
}

static bool no_such_rename(int sys)
{
	return sys == EINVAL || sys == ENOSYS || sys == EOPNOTSUPP;
}

int os_rename_new(const char *from, const char *to, wp_error *e)
{
	struct stat st;
	int rc = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);

	/* Some network file systems don't know the flag: a look before is the best there is. */
	if (rc != 0 && no_such_rename(errno)) {
		if (lstat(to, &st) == 0)
			errno = EEXIST;
		else
			rc = rename(from, to);
	}
	return rc == 0 ? 0 : posix_fail(e, to, "'%s' cannot be renamed to it", from);
}

int os_exchange(const char *a, const char *b, wp_error *e)
{
	if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0)
		return 0;
	if (!no_such_rename(errno))
		return posix_fail(e, a, "it cannot be exchanged with '%s'", b);
	wp_fail(e, WP_E_IO, "this file system cannot exchange two names");
	return wp_err_where(e, "'%s'", a);
}

int os_unlink(const char *path, wp_error *e)
{
	return unlink(path) == 0 ? 0 : posix_fail(e, path, "it cannot be removed");
}

int os_rmdir(const char *path, wp_error *e)
{
	return rmdir(path) == 0 ? 0 : posix_fail(e, path, "the directory cannot be removed");
}

int os_symlink(const char *to, const char *path, wp_error *e)
{
	return symlink(to, path) == 0 ? 0 : posix_fail(e, path, "the link cannot be made");
}

int os_readlink(wp_arena *a, const char *path, const char **out, wp_error *e)
{
	char buf[PATH_MAX];
	ssize_t n = readlink(path, buf, sizeof buf);

	if (n < 0)
		return posix_fail(e, path, "it cannot be read as a link");
	*out = wp_str_dup(a, (wp_str){buf, (size_t)n});
	return 0;
}

int os_realpath(wp_arena *a, const char *path, const char **out, wp_error *e)
{
	char *p = realpath(path, NULL);

	if (!p)
		return posix_fail(e, path, "its full path is unknown");
	*out = wp_strdup(a, p);
	free(p);
	return 0;
}

/* Only "." and doubled slashes go: dropping ".." would be wrong behind a link. */
static const char *tidy(wp_arena *a, const char *path)
{
	wp_str rest = wp_str_of(path), part;
	wp_buf b;

	wp_buf_init(&b, SIZE_MAX / 2);
	while (wp_str_split(&rest, '/', &part))
		if (part.n && !wp_str_is(part, ".")) {
			wp_buf_putc(&b, '/');
			wp_buf_str(&b, part);
		}
	if (b.n == 0)
		wp_buf_putc(&b, '/');
	return wp_buf_take(&b, a).p;
}

int os_absolute(wp_arena *a, const char *path, const char **out, wp_error *e)
{
	char *cwd;

	if (os_is_absolute(path)) {
		*out = tidy(a, path);
		return 0;
	}
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return posix_fail(e, path, "the current directory is unknown");
	*out = tidy(a, wp_sprintf(a, "%s/%s", cwd, path));
	free(cwd);
	return 0;
}

int os_sync_tree(const char *path, wp_error *e)
{
	int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)), rc = 0;

	if (fd < 0)
		return posix_fail(e, path, "it cannot be opened");
	if (syncfs(fd) != 0)
		rc = posix_fail(e, path, "its file system cannot be written to the disk");
	close(fd);
	return rc;
}

/* ---- removing a tree ---------------------------------------------------------------------- */

/* One directory is open at a time, so depth costs no descriptors. The way up is "..", and the
 * directory found there must be the one we came from: nobody can lead us out by moving directories.
 */
typedef struct level {
	dev_t dev;
	ino_t ino;
	char *name; /* by which its parent knows it */
} level;

typedef struct remover {
	wp_arena *a;
	DIR *d;
	WP_VEC(level) up; /* the directories above the open one */
	char *name;	  /* of the open one */
} remover;

/* Go to the directory name of the open one; flags O_NOFOLLOW on the way down. */
static int enter(remover *r, const char *name)
{
	DIR *d = dir_stream(dirfd(r->d), name, O_NOFOLLOW);

	if (!d)
		return -1;
	closedir(r->d);
	r->d = d;
	return 0;
}

static int go_down(remover *r, const char *name)
{
	struct stat st;
	char *copy = wp_strdup(r->a, name);

	if (fstat(dirfd(r->d), &st) != 0 || enter(r, copy) != 0)
		return -1;
	WP_PUSH(&r->up, ((level){st.st_dev, st.st_ino, r->name}));
	r->name = copy;
	return 0;
}

static int go_up(remover *r)
{
	const level *l = &r->up.v[r->up.n - 1];
	struct stat st;

	if (enter(r, "..") != 0 || fstat(dirfd(r->d), &st) != 0)
		return -1;
	if (st.st_dev != l->dev || st.st_ino != l->ino) {
		errno = EXDEV;
		return -1;
	}
	if (unlinkat(dirfd(r->d), r->name, AT_REMOVEDIR) != 0 && errno != ENOENT)
		return -1;
	r->name = l->name;
	r->up.n--;
	return 0;
}

/* Remove what is no directory, and go down into the first directory met: 1 if so, 0 if all is
 * empty. */
static int empty_or_down(remover *r)
{
	const char *name;
	struct stat st;
	bool failed;

	while ((name = next_name(r->d, &failed))) {
		if (fstatat(dirfd(r->d), name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
			if (errno != ENOENT)
				return -1;
		} else if (S_ISDIR(st.st_mode)) {
			return go_down(r, name) != 0 ? -1 : 1;
		} else if (unlinkat(dirfd(r->d), name, 0) != 0 && errno != ENOENT) {
			return -1;
		}
	}
	return failed ? -1 : 0;
}

static int empty_tree(remover *r)
{
	int rc;

	for (;;) {
		rc = empty_or_down(r);
		if (rc < 0)
			return -1;
		if (rc == 0 && r->up.n == 0)
			return 0;
		if (rc == 0 && go_up(r) != 0)
			return -1;
	}
}

int os_remove_tree(const char *path, wp_error *e)
{
	remover r = {0};
	struct stat st;
	int rc;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : posix_fail(e, path, "it cannot be examined");
	if (!S_ISDIR(st.st_mode))
		return os_unlink(path, e);
	r.d = dir_stream(AT_FDCWD, path, O_NOFOLLOW);
	if (!r.d)
		return posix_fail(e, path, "it cannot be opened as a directory");
	r.a = wp_arena_new();
	rc = empty_tree(&r);
	if (rc != 0)
		rc = posix_fail(e, path, "'%s' in it cannot be removed", r.name ? r.name : ".");
	closedir(r.d);
	WP_VEC_FREE(&r.up);
	wp_arena_free(r.a);
	if (!rc && rmdir(path) != 0)
		rc = posix_fail(e, path, "it cannot be removed");
	return rc;
}

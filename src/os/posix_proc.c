/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"
#include "os/posix.h"

/* ---- process ------------------------------------------------------------------------------ */

extern char **environ;

static bool is_unset(const char *entry, const os_run_request *r)
{
	const char *const *p;
	size_t n = strcspn(entry, "=") + 1;

	for (p = r->unset_prefix; p && *p; p++)
		if (wp_starts(entry, *p))
			return true;
	for (p = r->set_env; p && *p; p++)
		if (strncmp(entry, *p, n) == 0)
			return true;
	return false;
}

/* On the heap: the child's environment; the texts belong to others. */
static char **child_env(const os_run_request *r)
{
	WP_VEC(char *) v = {0};
	const char *const *p;
	char **q;

	for (q = environ; *q; q++)
		if (!is_unset(*q, r))
			WP_PUSH(&v, *q);
	for (p = r->set_env; p && *p; p++)
		WP_PUSH(&v, (char *)*p);
	WP_PUSH(&v, NULL);
	return v.v;
}

enum { OUT, ERR, START, PIPES };
enum { GRACE_MS = 2000, LAST_READS = 64 };

typedef struct child {
	const os_run_request *r;
	pid_t pid;
	int rd[PIPES], wr[PIPES];
	wp_buf text[2];
	uint64_t deadline; /* 0: none */
	int interrupts;	   /* seen when it began */
	bool ended, hurried;
	int status;
} child;

static void close_all(int *fd, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
		fd[i] = -1;
	}
}

static int open_pipes(child *c)
{
	int i, fd[2];

	for (i = 0; i < PIPES; i++)
		c->rd[i] = c->wr[i] = -1;
	for (i = 0; i < PIPES; i++) {
		if (pipe2(fd, O_CLOEXEC) != 0)
			return -1;
		c->rd[i] = fd[0];
		c->wr[i] = fd[1];
	}
	return 0;
}

/* In the child, where only async-signal-safe calls are allowed. Its own process group, so that a
 * time-out reaches what it started too; it does not outlive us. */
static _Noreturn void run_child(
	const child *c, const char *path, const os_run_request *r, char **env)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), sys;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null >= 0 && dup2(null, 0) == 0 && dup2(c->wr[OUT], 1) == 1 &&
		dup2(c->wr[ERR], 2) == 2 && (!r->cwd || chdir(r->cwd) == 0))
		execve(path, (char *const *)r->argv, env);
	sys = errno;
	if (write(c->wr[START], &sys, sizeof sys) < 0)
		_exit(126);
	_exit(127);
}

/* The write end of START closes by itself when the program is running; else it brings the errno. */
static int start(child *c, const char *path, const os_run_request *r, wp_error *e)
{
	char **env;
	int sys;

	if (open_pipes(c) != 0)
		return posix_fail(e, path, "it cannot be started");
	env = child_env(r);
	c->pid = fork();
	if (c->pid == 0)
		run_child(c, path, r, env);
	free(env);
	if (c->pid < 0)
		return posix_fail(e, path, "it cannot be started");
	close_all(c->wr, PIPES);
	if (TEMP_FAILURE_RETRY(read(c->rd[START], &sys, sizeof sys)) == sizeof sys) {
		TEMP_FAILURE_RETRY(waitpid(c->pid, NULL, 0));
		errno = sys;
		return posix_fail(e, path, "it cannot be started");
	}
	return 0;
}

/* Take what is there; close at the end of the stream. */
static void drain(child *c, int which)
{
	char buf[16384];
	ssize_t n = TEMP_FAILURE_RETRY(read(c->rd[which], buf, sizeof buf));
	wp_buf *b = &c->text[which];

	if (n <= 0) {
		close_all(&c->rd[which], 1);
		return;
	}
	if (c->r->pass)
		c->r->pass(c->r->user, which + 1, buf, (size_t)n);
	wp_buf_add(b, buf, (size_t)n < b->max - b->n ? (size_t)n : b->max - b->n);
}

/* True if something was read. */
static bool drain_ready(child *c, int wait_ms)
{
	struct pollfd p[2] = {{c->rd[OUT], POLLIN, 0}, {c->rd[ERR], POLLIN, 0}};
	int i;

	if (poll(p, 2, wait_ms) <= 0)
		return false;
	for (i = 0; i < 2; i++)
		if (p[i].revents)
			drain(c, i);
	return true;
}

/* Kill at the deadline; pass an interrupt on once, as a terminal would, and wait little from then on. True on a
 * time-out. */
static bool hurry(child *c)
{
	uint64_t soon = os_now_ms() + GRACE_MS;

	if (!c->hurried && posix_interrupts() != c->interrupts) {
		kill(-c->pid, SIGINT);
		c->hurried = true;
		if (!c->deadline || c->deadline > soon)
			c->deadline = soon;
	}
	if (!c->deadline || os_now_ms() < c->deadline)
		return false;
	if (kill(-c->pid, SIGKILL) != 0)
		kill(c->pid, SIGKILL);
	c->deadline = 0;
	return true;
}

/* A grandchild may hold the pipes open for ever, and write for ever: once the child has ended only what is there is
 * read, which is no more than a pipe can hold. */
static bool supervise(child *c)
{
	bool timed_out = false;
	int slice = 1, left = LAST_READS;

	while (!c->ended) {
		bool open = c->rd[OUT] >= 0 || c->rd[ERR] >= 0;

		if (drain_ready(c, slice))
			slice = 1;
		else if (slice < (open ? 50 : 10))
			slice *= 2;
		c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
		if (!c->ended && hurry(c))
			timed_out = true;
	}
	while (left-- && (c->rd[OUT] >= 0 || c->rd[ERR] >= 0) && drain_ready(c, 0))
		continue;
	return timed_out;
}

int os_run(wp_arena *a, const os_run_request *r, os_run_result *out, wp_error *e)
{
	child c = {.r = r, .interrupts = posix_interrupts()};
	const char *path;
	int i, rc;

	*out = (os_run_result){.exit_code = -1};
	if (os_absolute(a, r->argv[0], &path, e))
		return e->code;
	for (i = 0; i < 2; i++)
		wp_buf_init(&c.text[i], r->max_output ? r->max_output : 1 << 20);
	rc = start(&c, path, r, e);
	if (!rc) {
		c.deadline = r->timeout_ms ? os_now_ms() + (uint64_t)r->timeout_ms : 0;
		out->timed_out = supervise(&c);
		out->exit_code = WIFEXITED(c.status) ? WEXITSTATUS(c.status) : -1;
		out->signal = WIFSIGNALED(c.status) ? WTERMSIG(c.status) : 0;
	}
	close_all(c.rd, PIPES);
	close_all(c.wr, PIPES);
	out->out = wp_buf_take(&c.text[OUT], a);
	out->err = wp_buf_take(&c.text[ERR], a);
	return rc;
}

int os_self_path(wp_arena *a, const char **out, wp_error *e)
{
	return os_readlink(a, "/proc/self/exe", out, e);
}

/* ---- lock --------------------------------------------------------------------------------- */

struct os_lock {
	int fd;
};

/* 0 taken, 1 somebody has it, -1 errno. */
static int try_lock(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_SETLK, &l) == 0)
		return 0;
	if (errno == EINVAL && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return errno == EAGAIN || errno == EACCES ? 1 : -1;
}

static int busy(int fd, const char *path, wp_error *e)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof text, 0);
	wp_str s = wp_str_trim((wp_str){text, n > 0 ? (size_t)n : 0});
	uint64_t pid;

	if (wp_str_u64(s, &pid))
		wp_fail(e, WP_E_BUSY, "process %d is working there", (int)pid);
	else
		wp_fail(e, WP_E_BUSY, "another process is working there");
	return wp_err_where(e, "'%s'", path);
}

/* The holder before us may have removed the file: then our lock is on a file without a name. */
static bool still_named(int fd, const char *path)
{
	struct stat x, y;

	return fstat(fd, &x) == 0 && lstat(path, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static int lock_once(const char *path, int *fd, wp_error *e)
{
	int rc;

	*fd = TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
	if (*fd < 0)
		return errno == ELOOP ? posix_fail_link(e, path) : posix_fail(e, path, "the lock file cannot be opened");
	rc = try_lock(*fd);
	if (rc == 0)
		return 0;
	rc = rc > 0 ? busy(*fd, path, e) : posix_fail(e, path, "it cannot be locked");
	close(*fd);
	return rc;
}

int os_lock_take(const char *path, os_lock **out, wp_error *e)
{
	char text[16];
	int fd, n;

	for (;;) {
		if (lock_once(path, &fd, e))
			return e->code;
		if (still_named(fd, path))
			break;
		close(fd);
	}
	n = snprintf(text, sizeof text, "%d\n", os_pid());
	/* The number is a courtesy to who waits; the lock holds without it. */
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n)
		errno = 0;
	*out = wp_xmalloc(sizeof **out);
	(*out)->fd = fd;
	return 0;
}

void os_lock_release(os_lock *l)
{
	if (!l)
		return;
	if (ftruncate(l->fd, 0) != 0)
		errno = 0;
	close(l->fd);
	free(l);
}

/* ---- dynamic library ---------------------------------------------------------------------- */

struct os_lib {
	void *handle;
};

int os_lib_open(const char *name, os_lib **out, wp_error *e)
{
	const char *words;
	void *h;

	if (strchr(name, '/') && !os_is_absolute(name)) {
		wp_fail(e, WP_E_NOT_FOUND,
			"a library is named by its full path or by its name alone");
		return wp_err_where(e, "'%s'", name);
	}
	h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!h) {
		words = dlerror();
		wp_fail(e, words && strstr(words, "No such file") ? WP_E_NOT_FOUND : WP_E_IO,
			"it cannot be loaded: %s", words ? words : "unknown reason");
		return wp_err_where(e, "'%s'", name);
	}
	*out = wp_xmalloc(sizeof **out);
	(*out)->handle = h;
	return 0;
}

void *os_lib_sym(os_lib *l, const char *name)
{
	return dlsym(l->handle, name);
}

const char *os_lib_path(os_lib *l)
{
	struct link_map *map;

	return dlinfo(l->handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name ? map->l_name : "";
}

void os_lib_close(os_lib *l)
{
	if (!l)
		return;
	dlclose(l->handle);
	free(l);
}

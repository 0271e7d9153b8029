/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/str.h"
#include "os/posix.h"

/* ---- errno -------------------------------------------------------------------------------- */

static wp_code code_of(int sys)
{
	switch (sys) {
	case ENOENT:
	case ELOOP:
		return WP_E_NOT_FOUND;
	case EACCES:
	case EPERM:
	case EROFS:
		return WP_E_PERMISSION;
	case EEXIST:
		return WP_E_EXISTS;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return WP_E_DISK_FULL;
	case EBUSY:
	case ETXTBSY:
		return WP_E_BUSY;
	default:
		return WP_E_IO;
	}
}

static int fail_v(wp_error *e, wp_code code, int sys, const char *fmt, va_list ap)
{
	wp_arena *a;
	char words[128];

	if (e->code)
		return e->code;
	a = wp_arena_new();
	wp_fail(e, code, "%s: %s", wp_vsprintf(a, fmt, ap), strerror_r(sys, words, sizeof words));
	e->sys = sys;
	wp_arena_free(a);
	return e->code;
}

int wp_fail_sys(wp_error *e, wp_code code, int sys, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_v(e, code, sys, fmt, ap);
	va_end(ap);
	return e->code;
}

int posix_fail(wp_error *e, const char *path, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;

	if (e->code)
		return e->code;
	va_start(ap, fmt);
	fail_v(e, code_of(sys), sys, fmt, ap);
	va_end(ap);
	return wp_err_where(e, "'%s'", path);
}

int posix_fail_link(wp_error *e, const char *path)
{
	wp_fail(e, WP_E_PATH, "it is a link, a file is wanted");
	wp_err_next(e, "remove the link");
	return wp_err_where(e, "'%s'", path);
}

/* ---- thread ------------------------------------------------------------------------------- */

struct os_thread {
	pthread_t id;
	void (*fn)(void *);
	void *arg;
};

struct os_mutex {
	pthread_mutex_t m;
};

struct os_cond {
	pthread_cond_t c;
};

static void *thread_main(void *self)
{
	os_thread *t = self;

	t->fn(t->arg);
	return NULL;
}

/* Signals go to the threads that were there before, so a blocking call of a worker isn't cut short.
 */
int os_thread_start(os_thread **out, void (*fn)(void *), void *arg, wp_error *e)
{
	os_thread *t = wp_xmalloc(sizeof *t);
	sigset_t all, old;
	int rc;

	t->fn = fn;
	t->arg = arg;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&t->id, NULL, thread_main, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		free(t);
		return wp_fail_sys(e, WP_E_IO, rc, "no thread can be started");
	}
	*out = t;
	return 0;
}

void os_thread_join(os_thread *t)
{
	if (!t)
		return;
	pthread_join(t->id, NULL);
	free(t);
}

os_mutex *os_mutex_new(void)
{
	os_mutex *m = wp_xmalloc(sizeof *m);

	pthread_mutex_init(&m->m, NULL);
	return m;
}

void os_mutex_free(os_mutex *m)
{
	if (!m)
		return;
	pthread_mutex_destroy(&m->m);
	free(m);
}

void os_mutex_lock(os_mutex *m)
{
	pthread_mutex_lock(&m->m);
}

void os_mutex_unlock(os_mutex *m)
{
	pthread_mutex_unlock(&m->m);
}

os_cond *os_cond_new(void)
{
	os_cond *c = wp_xmalloc(sizeof *c);
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->c, &attr);
	pthread_condattr_destroy(&attr);
	return c;
}

void os_cond_free(os_cond *c)
{
	if (!c)
		return;
	pthread_cond_destroy(&c->c);
	free(c);
}

void os_cond_wait(os_cond *c, os_mutex *m)
{
	pthread_cond_wait(&c->c, &m->m);
}

bool os_cond_wait_ms(os_cond *c, os_mutex *m, int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000L;
	if (t.tv_nsec >= 1000000000L) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000L;
	}
	return pthread_cond_timedwait(&c->c, &m->m, &t) != ETIMEDOUT;
}

void os_cond_signal_all(os_cond *c)
{
	pthread_cond_broadcast(&c->c);
}

/* ---- time --------------------------------------------------------------------------------- */

uint64_t os_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int64_t os_unix_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec;
}

void os_rfc3339(int64_t seconds, char out[21])
{
	const int64_t last = 253402300799; /* 9999-12-31T23:59:59Z: four digits of year */
	time_t t = (time_t)(seconds < 0 ? os_unix_time() : seconds > last ? last : seconds);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(out, 21, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void os_sleep_ms(int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		continue;
}

/* ---- machine ------------------------------------------------------------------------------ */

int os_cpu_count(void)
{
	cpu_set_t set;
	long n;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return CPU_COUNT(&set);
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (int)n : 1;
}

const char *os_platform_tag(wp_arena *a)
{
#ifdef __GLIBC__
	wp_str rest = wp_str_of(gnu_get_libc_version()), major, minor;
	struct utsname u;
	uint64_t x, y;

	if (uname(&u) == 0 && wp_str_split(&rest, '.', &major) &&
		wp_str_split(&rest, '.', &minor) && wp_str_u64(major, &x) && wp_str_u64(minor, &y))
		return wp_sprintf(a, "manylinux_%d_%d_%s", (int)x, (int)y,
			sizeof(void *) == 4 && wp_streq(u.machine, "x86_64") ? "i686" : u.machine);
#endif
	(void)a;
	return "";
}

/* ---- console ------------------------------------------------------------------------------ */

bool os_is_terminal(int fd)
{
	return isatty(fd) == 1;
}

int os_terminal_width(int fd)
{
	struct winsize w;

	return isatty(fd) == 1 && ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

/* A signal handler has no other way to its facts than file scope. */
static void (*_Atomic interrupt_fn)(void);
static atomic_int interrupt_count;
static atomic_llong interrupt_ms; /* when the first one came */

enum { SAME_INTERRUPT_MS = 1000 };

static void on_signal(int sig)
{
	int saved = errno;
	void (*fn)(void) = atomic_load(&interrupt_fn);

	(void)sig;
	/* One Ctrl-C can come twice: from the terminal, and from a parent that passes it on. */
	if (atomic_load(&interrupt_count) > 0 &&
		(long long)os_now_ms() - atomic_load(&interrupt_ms) < SAME_INTERRUPT_MS)
		return;
	if (atomic_load(&interrupt_count) == 0)
		atomic_store(&interrupt_ms, (long long)os_now_ms());
	if (atomic_fetch_add(&interrupt_count, 1) > 0)
		_exit(WP_EXIT_INTERRUPTED);
	if (fn)
		fn();
	errno = saved;
}

void os_on_interrupt(void (*fn)(void))
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	atomic_store(&interrupt_fn, fn);
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

int posix_interrupts(void)
{
	return atomic_load(&interrupt_count);
}

void os_ignore_write_signals(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* errno may be of another call by now. */
bool os_pipe_closed(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

const char *os_getenv(const char *name)
{
	return getenv(name);
}

const char *os_home(void)
{
	const char *home = getenv("HOME");
	struct passwd *pw;

	if (home && home[0])
		return home;
	pw = getpwuid(getuid());
	return pw ? pw->pw_dir : NULL;
}

int os_pid(void)
{
	return (int)getpid();
}

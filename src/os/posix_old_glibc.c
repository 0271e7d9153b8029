/* SPDX-License-Identifier: MIT */
/* posix_old_glibc.c: only in the program that travels in bundles. Calls that later versions of glibc moved or named anew are
 * bound to what glibc 2.28 has, so that the program runs wherever the PyTorch wheels do. */
#include <pthread.h>
#include <signal.h>

/* Seen from outside, it would be the system's too. */
#define OURS(name) __asm__(name) __attribute__((visibility("hidden")))

/* The call `name` of this program and of the libraries in it is the system's `was`, of that version. */
#define BIND(version, type, name, was, params, args)                                                                   \
	type old_##name params;                                                                                        \
	__asm__(".symver old_" #name "," #was "@GLIBC_" version);                                                      \
	type new_##name params OURS(#name);                                                                         \
	type new_##name params                                                                                         \
	{                                                                                                              \
		return old_##name args;                                                                                \
	}

/* ---- moved from libdl and libpthread into libc ------------------------------------------------ */

typedef void destructor(void *);
typedef void *start(void *);

BIND("2.2.5", void *, dlopen, dlopen, (const char *path, int mode), (path, mode))
BIND("2.2.5", void *, dlsym, dlsym, (void *lib, const char *name), (lib, name))
BIND("2.2.5", int, dlclose, dlclose, (void *lib), (lib))
BIND("2.2.5", char *, dlerror, dlerror, (void), ())
BIND("2.3.3", int, dlinfo, dlinfo, (void *lib, int what, void *out), (lib, what, out))
BIND("2.2.5", int, pthread_create, pthread_create, (pthread_t *t, const pthread_attr_t *attr, start *fn, void *arg),
	(t, attr, fn, arg))
BIND("2.2.5", int, pthread_join, pthread_join, (pthread_t t, void **out), (t, out))
BIND("2.2.5", int, pthread_detach, pthread_detach, (pthread_t t), (t))
BIND("2.2.5", int, pthread_once, pthread_once, (pthread_once_t *once, void (*fn)(void)), (once, fn))
BIND("2.2.5", int, pthread_key_create, pthread_key_create, (pthread_key_t *key, destructor *fn), (key, fn))
BIND("2.2.5", int, pthread_key_delete, pthread_key_delete, (pthread_key_t key), (key))
BIND("2.2.5", void *, pthread_getspecific, pthread_getspecific, (pthread_key_t key), (key))
BIND("2.2.5", int, pthread_setspecific, pthread_setspecific, (pthread_key_t key, const void *p), (key, p))
BIND("2.3.3", int, pthread_condattr_setclock, pthread_condattr_setclock, (pthread_condattr_t *attr, clockid_t clock),
	(attr, clock))
BIND("2.2.5", int, pthread_rwlock_init, pthread_rwlock_init, (pthread_rwlock_t *l, const pthread_rwlockattr_t *attr),
	(l, attr))
BIND("2.2.5", int, pthread_rwlock_destroy, pthread_rwlock_destroy, (pthread_rwlock_t *l), (l))
BIND("2.2.5", int, pthread_rwlock_rdlock, pthread_rwlock_rdlock, (pthread_rwlock_t *l), (l))
BIND("2.2.5", int, pthread_rwlock_wrlock, pthread_rwlock_wrlock, (pthread_rwlock_t *l), (l))
BIND("2.2.5", int, pthread_rwlock_unlock, pthread_rwlock_unlock, (pthread_rwlock_t *l), (l))
BIND("2.2.5", int, pthread_sigmask, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old))

/* ---- stat, once a call with the version of its structure; the 64 changes nothing on this machine -- */

enum { STAT_VERSION = 1 };

int old_stat(int version, const char *path, void *out);
int old_lstat(int version, const char *path, void *out);
int old_fstat(int version, int fd, void *out);
int old_fstatat(int version, int fd, const char *path, void *out, int flags);
__asm__(".symver old_stat,__xstat@GLIBC_2.2.5");
__asm__(".symver old_lstat,__lxstat@GLIBC_2.2.5");
__asm__(".symver old_fstat,__fxstat@GLIBC_2.2.5");
__asm__(".symver old_fstatat,__fxstatat@GLIBC_2.4");

#define STAT(name, params, call)                                                                                       \
	int new_##name params OURS(#name);                                                                          \
	int new_##name params                                                                                          \
	{                                                                                                              \
		return call;                                                                                           \
	}

STAT(stat, (const char *path, void *out), old_stat(STAT_VERSION, path, out))
STAT(stat64, (const char *path, void *out), old_stat(STAT_VERSION, path, out))
STAT(lstat, (const char *path, void *out), old_lstat(STAT_VERSION, path, out))
STAT(lstat64, (const char *path, void *out), old_lstat(STAT_VERSION, path, out))
STAT(fstat, (int fd, void *out), old_fstat(STAT_VERSION, fd, out))
STAT(fstat64, (int fd, void *out), old_fstat(STAT_VERSION, fd, out))
STAT(fstatat, (int fd, const char *path, void *out, int flags), old_fstatat(STAT_VERSION, fd, path, out, flags))
STAT(fstatat64, (int fd, const char *path, void *out, int flags), old_fstatat(STAT_VERSION, fd, path, out, flags))

/* ---- the start of the program ---------------------------------------------------------------------- */

typedef int main_function(int argc, char **argv, char **env);
typedef void constructor(int argc, char **argv, char **env);

int old_start(main_function *fn, int argc, char **argv, constructor *init, void (*fini)(void), void (*rtld_fini)(void),
	void *stack_end);
int new_start(main_function *fn, int argc, char **argv, constructor *init, void (*fini)(void), void (*rtld_fini)(void),
	void *stack_end) OURS("__libc_start_main");
__asm__(".symver old_start,__libc_start_main@GLIBC_2.2.5");

extern constructor *__init_array_start[], *__init_array_end[];
void _init(void);

static void construct(int argc, char **argv, char **env)
{
	constructor **p;

	_init();
	for (p = __init_array_start; p < __init_array_end; p++)
		(*p)(argc, argv, env);
}

/* A library before 2.34 runs no constructor that it isn't told of; the object that calls this tells of none. */
int new_start(main_function *fn, int argc, char **argv, constructor *init, void (*fini)(void), void (*rtld_fini)(void),
	void *stack_end)
{
	return old_start(fn, argc, argv, init ? init : construct, fini, rtld_fini, stack_end);
}

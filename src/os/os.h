/* SPDX-License-Identifier: MIT
 *
 * os.h: all that wheelpack asks of the operating system. Paths are UTF-8 with '/' (on Windows '\\' is
 * taken too). Calls return 0 or a wp_code with e filled (sys = errno or GetLastError; PERMISSION, NOT_FOUND,
 * EXISTS, DISK_FULL, BUSY, IO; where = the path). Implemented by posix_*.c; os_common.c holds what is
 * pure text or made of the other calls. In MODE=fault every call below that can fail goes through
 * os_fault.c, which fails the n-th.
 */
#ifndef WP_OS_OS_H
#define WP_OS_OS_H

#include "base/arena.h"
#include "wheelpack/types.h"

/* ---- file --------------------------------------------------------------------------------- */

typedef struct os_file os_file;

typedef enum os_open_mode {
	OS_READ,       /* must exist, must be a regular file */
	OS_CREATE_NEW, /* exclusive: an existing name, link or not, is WP_E_EXISTS; never follows a link */
	OS_READ_WRITE  /* created if absent, kept if present: for partial downloads; a link is WP_E_PATH */
} os_open_mode;

/* A directory handle, so that creation below it can't be redirected. */
typedef struct os_dir os_dir;

int os_open(const char *path, os_open_mode m, os_file **out, wp_error *e);
int os_no_file(const char *path, bool directory, wp_error *e); /* how it fails on what is no regular file */
/* name is one component below dir. mode: 0644 or 0755 (ignored where it has no meaning). */
int os_create_at(os_dir *dir, const char *name, int mode, os_file **out, wp_error *e);
/* Always frees. Closing a file that could be written reports late write errors; OS_READ never fails.
 * f may be NULL. */
int os_close(os_file *f, wp_error *e);
int os_size(os_file *f, uint64_t *out, wp_error *e);
int os_pread(os_file *f, void *buf, size_t n, uint64_t off, wp_error *e); /* exactly n, thread-safe */
int os_pwrite(os_file *f, const void *buf, size_t n, uint64_t off, wp_error *e);
int os_truncate(os_file *f, uint64_t size, wp_error *e);
/* Reserve space, the size stays as it is; WP_E_DISK_FULL if there is none; quietly nothing where not
 * supported. */
int os_preallocate(os_file *f, uint64_t size, wp_error *e);
/* From here on writes go past the page cache: buffer, offset and size must be multiples of OS_DIRECT_ALIGN. on
 * false: the ordinary way again. False where the system or file system can't. */
enum { OS_DIRECT_ALIGN = 4096 };
bool os_direct(os_file *f, bool on);
int os_flush(os_file *f, wp_error *e); /* to the disk */
/* Whole file into arena a; WP_E_TOO_LARGE above max. */
int os_read_file(wp_arena *a, const char *path, size_t max, wp_str *out, wp_error *e);
/* Write to a temporary name beside path, flush, rename: never half a file. */
int os_write_file(const char *path, wp_str text, wp_error *e);
/* A blob over a file; the blob's close closes it. */
int os_blob(const char *path, wp_blob *out, wp_error *e);

/* ---- tree --------------------------------------------------------------------------------- */

typedef enum os_kind { OS_ABSENT, OS_FILE, OS_DIR, OS_LINK, OS_OTHER } os_kind;

/* Never follows a link at the end of the path. Absent is no error. */
int os_stat(const char *path, os_kind *kind, uint64_t *size, wp_error *e);
int os_look(const char *path, bool *there, wp_error *e); /* is anything there? A link is, wherever it leads */
bool os_is_file(const char *path); /* follows links */
bool os_is_dir(const char *path);  /* follows links */
bool os_is_executable(const char *path);
/* Whatever the umask: all may read it, and those may run or enter it whom its owner lets; nobody else may write. Quietly
 * nothing on Windows, where permissions are inherited. */
int os_share(const char *path, wp_error *e);
/* The first part of path, itself among them, that other users of this machine can't pass, or run if it is a program; NULL:
 * none. What isn't there yet is no hindrance. On Windows the directory of the users' profiles, or of this one's. */
const char *os_closed_to_others(wp_arena *a, const char *path);
bool os_may_write(const char *dir); /* names in the directory; true where only trying tells (Windows) */
/* Another file system begins there, so that it can't be renamed; false where only trying tells (Windows). */
bool os_is_mount(const char *dir);
/* It belongs neither to this user, nor to root, nor to whose directory it lies in: anybody may have put it there. Not told on
 * Windows. */
bool os_is_others(const char *path);
int os_mkdir(const char *path, wp_error *e);  /* WP_E_EXISTS if it is there */
int os_mkdirs(const char *path, wp_error *e); /* parents too; existing directories are fine */
int os_dir_open(const char *path, os_dir **out, wp_error *e); /* refuses a link as last component */
/* Open or create one component below dir; a link there is WP_E_PATH. */
int os_dir_sub(os_dir *dir, const char *name, os_dir **out, wp_error *e);
void os_dir_close(os_dir *d);

typedef struct os_entry {
	const char *path; /* relative to the root, '/' separated */
	os_kind kind;
	uint64_t size;
} os_entry;

/* Everything below root, sorted by bytes of path; links are listed and not followed. */
int os_walk(wp_arena *a, const char *root, os_entry **out, size_t *n, wp_error *e);
/* Names in one directory, sorted. */
int os_list(wp_arena *a, const char *dir, const char ***out, size_t *n, wp_error *e);
int os_rename(const char *from, const char *to, wp_error *e); /* replaces a file; not a directory */
/* A file that os_rename does not replace; only Windows has such. */
bool os_is_read_only(const char *path);
/* Rename that refuses an existing name (WP_E_EXISTS). */
int os_rename_new(const char *from, const char *to, wp_error *e);
/* Exchange two names in one step. */
int os_exchange(const char *a, const char *b, wp_error *e);
bool os_no_exchange(const wp_error *e); /* did it fail since the system has no such step? */
int os_unlink(const char *path, wp_error *e);
int os_rmdir(const char *path, wp_error *e); /* an empty directory */
int os_remove_tree(const char *path, wp_error *e); /* absent is fine; never leaves the tree by a link */
int os_symlink(const char *to, const char *path, wp_error *e);
int os_readlink(wp_arena *a, const char *path, const char **out, wp_error *e);
int os_realpath(wp_arena *a, const char *path, const char **out, wp_error *e);
int os_absolute(wp_arena *a, const char *path, const char **out, wp_error *e); /* no link followed */
/* Of the file system that holds path, or its nearest parent that is there. */
int os_free_space(const char *path, uint64_t *bytes, wp_error *e);
bool os_same_volume(const char *a, const char *b); /* of these, or their nearest parents that are there */
/* The file system that holds path, to the disk; on Windows, which has no such call, the files of 1 MB or more at and
 * below path. */
int os_sync_tree(const char *path, wp_error *e);

typedef enum os_volume_kind { OS_VOLUME_OTHER, OS_VOLUME_FULL, OS_VOLUME_FAT, OS_VOLUME_EXFAT } os_volume_kind;

typedef struct os_volume {
	os_volume_kind kind; /* FULL: what the system itself is kept on */
	bool network;
	const char *name;  /* "NTFS", "" unknown */
	uint64_t max_file; /* bytes of the largest file */
} os_volume;

/* Of the volume that holds path, or its nearest parent that is there. */
int os_volume_of(wp_arena *a, const char *path, os_volume *out, wp_error *e);
/* Programs that have the file, or one below the directory, open: "python.exe (process 4242)". Only Windows can tell;
 * elsewhere, and where it doesn't know, there are none. */
int os_file_holders(wp_arena *a, const char *path, const char ***out, size_t *n, wp_error *e);

/* ---- files that are shared ---------------------------------------------------------------- */

typedef struct os_facts {
	os_kind kind;
	uint64_t size;
	int64_t mtime;	/* in ns since 1970; what the system can't hold finer is cut */
	unsigned mode;	/* 0644, 0755; 0 on Windows */
	uint64_t names; /* hard links; 0: not asked for */
} os_facts;

/* path lies below dir, '/' separated; a link at its end is not followed. Absent is no error. names: whether to count
 * them, which costs more on Windows. */
int os_stat_at(os_dir *dir, const char *path, bool names, os_facts *out, wp_error *e);
/* A second name for the file path below dir: a hard link. name is one component, an existing one is WP_E_EXISTS. */
int os_link_at(os_dir *dir, const char *path, os_dir *to, const char *name, wp_error *e);
/* Let the empty file have the bytes of the other without a copy of them: they part where one is written to. False where
 * the system or the file system can't. */
bool os_clone(os_file *from, os_file *to);
/* As os_mkdir, for this user alone; on Windows as its parent says. */
int os_mkdir_private(const char *path, wp_error *e);
/* WP_E_PERMISSION where the directory belongs to another user, or others may write to it; not told on Windows. */
int os_check_private(const char *path, wp_error *e);

/* ---- lock --------------------------------------------------------------------------------- */

typedef struct os_lock os_lock;
/* Exclusive, released when the process ends. WP_E_BUSY names the holder's pid if it wrote one. */
int os_lock_take(const char *path, os_lock **out, wp_error *e);
void os_lock_release(os_lock *l);
int os_lock_holder(const char *path); /* its pid, as the lock's file has it; 0 unknown */

/* ---- process ------------------------------------------------------------------------------ */

typedef struct os_run_request {
	const char *const *argv; /* argv[0] is a path; ends in NULL */
	const char *cwd;	 /* NULL: unchanged */
	const char *const *set_env; /* "NAME=value", ends in NULL; NULL: none */
	const char *const *unset_prefix; /* "PIP_", "PYTHON", ends in NULL; NULL: none */
	int timeout_ms;		 /* 0: none */
	size_t max_output;	 /* bytes kept of each stream; 0: 1 MB */
	/* What the program writes, as it comes; stream 1 or 2. On Windows called by a thread for each. NULL: none. */
	void (*pass)(void *user, int stream, const char *p, size_t n);
	void *user;
} os_run_request;

typedef struct os_run_result {
	int exit_code;	    /* -1 when it was killed */
	int signal;	    /* number of the signal, 0 if none */
	bool timed_out;
	wp_str out, err;    /* in the arena */
} os_run_result;

/* Run and wait; standard input is empty. A program that can't be started is an error. */
int os_run(wp_arena *a, const os_run_request *r, os_run_result *out, wp_error *e);
int os_self_path(wp_arena *a, const char **out, wp_error *e); /* this program */
int os_pid(void);
bool os_is_elevated(void); /* root; on Windows, run as administrator */

/* ---- dynamic library ---------------------------------------------------------------------- */

typedef struct os_lib os_lib;
/* Load by name through the system's rule (never the current directory) or by full path. */
int os_lib_open(const char *name, os_lib **out, wp_error *e);
void *os_lib_sym(os_lib *l, const char *name); /* NULL if absent */
const char *os_lib_path(os_lib *l);	       /* the file that was loaded, "" unknown */
void os_lib_close(os_lib *l);

/* ---- thread, time, machine, console ------------------------------------------------------- */

typedef struct os_thread os_thread;
typedef struct os_mutex os_mutex;
typedef struct os_cond os_cond;
int os_thread_start(os_thread **out, void (*fn)(void *), void *arg, wp_error *e);
void os_thread_join(os_thread *t);
os_mutex *os_mutex_new(void);
void os_mutex_free(os_mutex *m);
void os_mutex_lock(os_mutex *m);
void os_mutex_unlock(os_mutex *m);
os_cond *os_cond_new(void);
void os_cond_free(os_cond *c);
void os_cond_wait(os_cond *c, os_mutex *m);
bool os_cond_wait_ms(os_cond *c, os_mutex *m, int ms); /* false on time-out */
void os_cond_signal_all(os_cond *c);

uint64_t os_now_ms(void); /* monotonic */
/* Seconds since 1970 as RFC 3339 UTC into out[21]; seconds < 0: now. */
void os_rfc3339(int64_t seconds, char out[21]);
int64_t os_unix_time(void);
void os_sleep_ms(int ms);
int os_cpu_count(void);
/* This machine's platform tag: manylinux_2_36_x86_64, win_amd64; "" unknown. */
const char *os_platform_tag(wp_arena *a);

bool os_is_terminal(int fd);
int os_terminal_width(int fd); /* columns, 0 unknown */
/* SIGINT, SIGTERM set *flag (128 + n is not used: the exit class is 130). A second one, a second or more later, ends the
 * process. */
void os_on_interrupt(void (*fn)(void));
/* A broken pipe and a limit on the size of files are errors of the write, not the end of the process. */
void os_ignore_write_signals(void);
/* After a failed write to standard output (1) or error (2): it is a pipe, and nobody reads it any more. */
bool os_pipe_closed(int fd);
const char *os_getenv(const char *name); /* for the CLI only; lives as long as the process */
/* The user's home; NULL unknown. For the CLI only. */
const char *os_home(void);
/* Whether the program runs on Windows: for what differs by more than a system call. */
bool os_is_windows(void);
/* The program's own main, in src/cli; argv is UTF-8. Called by posix_main.c or win32_main.c. */
int os_main(int argc, char **argv);

/* ---- what only Windows tells --------------------------------------------------------------- */

typedef struct os_python {
	const char *company, *tag; /* "PythonCore", "3.12" */
	const char *version;	   /* "3.12", "" unknown */
	const char *dir;	   /* where it is installed */
	const char *executable;	   /* full path */
} os_python;

/* The interpreters that the registry names (PEP 514): of the user, then of the machine, both views. */
void os_registry_pythons(wp_arena *a, os_python **out, size_t *n);
/* The proxy of the system's settings for https; NULL: none. *bypass: hosts that are reached without it, as
 * libcurl wants them; NULL: none. */
const char *os_system_proxy(wp_arena *a, const char **bypass);
/* The four numbers of a program's or library's version resource; false where there are none. */
bool os_file_version(const char *path, unsigned out[4]);
/* Hardware ids of the display adapters that are present: "PCI\VEN_10DE&DEV_2684...". */
void os_display_adapters(wp_arena *a, const char ***out, size_t *n);
/* Whether programs here can open paths of 260 characters and more; on Windows that is a setting. */
bool os_long_paths(void);
/* The system's own directory for libraries; NULL where there is none. */
const char *os_system_dir(wp_arena *a);

/* ---- pure text (os_common.c) -------------------------------------------------------------- */

char *os_join(wp_arena *a, const char *dir, const char *name);
const char *os_basename(const char *path);
char *os_without_tail(wp_arena *a, const char *path); /* without separators at its end; a root keeps its own */
char *os_dirname(wp_arena *a, const char *path); /* "." where there is none */
bool os_is_absolute(const char *path);
/* The path with the system's own separators: for other programs and their files. */
const char *os_native(wp_arena *a, const char *path);
/* After a failure: if programs have path open, the error says so and is of kind WP_E_BUSY. */
void os_name_holders(wp_error *e, const char *path);

#endif

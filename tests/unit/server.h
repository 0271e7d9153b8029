/* SPDX-License-Identifier: MIT */
/* server.h: the index server of tests/index for one test program. It ends with the program, whatever becomes of it. On
 * Windows, whose programs can't start it under Wine, tests/wine_unit.sh has started it: WHEELPACK_TEST_SERVER is what it
 * printed. */
#ifndef WP_TESTS_SERVER_H
#define WP_TESTS_SERVER_H

#include "unit/tmp.h"

typedef struct server {
	int pid;
	int stop;      /* its standard input: it ends when this is closed */
	char base[64]; /* http://127.0.0.1:PORT */
	char second[64];
} server;

#ifdef _WIN32
static inline bool server_possible(void)
{
	if (os_getenv("WHEELPACK_TEST_SERVER"))
		return true;
	puts("skipped: WHEELPACK_TEST_SERVER is not set");
	return false;
}

static inline bool server_begin(server *s)
{
	return sscanf(os_getenv("WHEELPACK_TEST_SERVER"), "%63s %*s %63s", s->base, s->second) == 2;
}

static inline void server_stop(server *s)
{
	(void)s;
}
#else
#include <sys/wait.h>

/* False, with a line that says so, where there is no python3. */
static inline bool server_possible(void)
{
	if (system("python3 -c '' 2>/dev/null") == 0)
		return true;
	puts("skipped: python3 not found");
	return false;
}

static inline void server_child(int in, int out)
{
	dup2(in, 0);
	dup2(out, 1);
	execlp("python3", "python3", "-E", "-B", "tests/index/server.py", "--stdin", (char *)NULL);
	_exit(127);
}

static inline bool server_begin(server *s)
{
	int in[2], out[2];
	FILE *f;
	bool ok;

	if (pipe(in) != 0 || pipe(out) != 0)
		return false;
	s->pid = fork();
	if (s->pid == 0) {
		close(in[1]);
		close(out[0]);
		server_child(in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	s->stop = in[1];
	f = fdopen(out[0], "r");
	ok = f && fscanf(f, "%63s %*s %63s", s->base, s->second) == 2;
	if (f)
		fclose(f);
	return ok;
}

static inline void server_stop(server *s)
{
	close(s->stop);
	if (s->pid > 0)
		waitpid(s->pid, NULL, 0);
}
#endif

/* Variables that name a proxy are taken away. */
static inline bool server_start(server *s)
{
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	unsetenv("no_proxy");
	unsetenv("NO_PROXY");
	return server_begin(s);
}

#endif

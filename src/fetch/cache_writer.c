/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "fetch/cache.h"
#include "os/os.h"

typedef struct entry {
	struct entry *next;
	const char *kind;
	char key[WP_SHA256_HEX + 1];
	wp_str head, body;
} entry;

struct wp_cache_writer {
	wp_arena *a;
	const char *dir;
	os_thread *thread; /* NULL: there is none */
	os_mutex *lock;
	os_cond *changed;
	entry *first, **last; /* what waits */
	bool closing;
	wp_error error;	      /* the first; of the thread until it has ended */
};

/* The next entry; NULL once the writer is being closed and none is left. */
static entry *take(wp_cache_writer *w)
{
	entry *x;

	os_mutex_lock(w->lock);
	while (!w->first && !w->closing)
		os_cond_wait(w->changed, w->lock);
	x = w->first;
	if (x)
		w->first = x->next;
	if (!w->first)
		w->last = &w->first;
	os_mutex_unlock(w->lock);
	return x;
}

static void put(wp_cache_writer *w, const char *kind, const char *key, wp_str head, wp_str body)
{
	wp_error e = {0};

	if (wp_cache_put(w->dir, kind, key, head, body, &e) && !w->error.code)
		w->error = e;
}

static void work(void *arg)
{
	wp_cache_writer *w = arg;
	entry *x;

	while ((x = take(w)))
		put(w, x->kind, x->key, x->head, x->body);
}

wp_cache_writer *wp_cache_writer_open(const char *dir, bool threads)
{
	wp_cache_writer *w = wp_xmalloc(sizeof *w);
	wp_error ignored = {0};

	*w = (wp_cache_writer){.a = wp_arena_new(), .lock = os_mutex_new(), .changed = os_cond_new()};
	w->dir = wp_strdup(w->a, dir);
	w->last = &w->first;
	if (threads && os_thread_start(&w->thread, work, w, &ignored))
		w->thread = NULL;
	return w;
}

void wp_cache_write(wp_cache_writer *w, const char *kind, const char *key, wp_str head, wp_str body)
{
	entry *x;

	if (!w->thread) {
		put(w, kind, key, head, body);
		return;
	}
	x = WP_NEW(w->a, entry);
	x->kind = kind;
	memcpy(x->key, key, sizeof x->key);
	x->head = wp_str_copy(w->a, head);
	x->body = body;
	os_mutex_lock(w->lock);
	*w->last = x;
	w->last = &x->next;
	os_cond_signal_all(w->changed);
	os_mutex_unlock(w->lock);
}

int wp_cache_writer_close(wp_cache_writer *w, wp_error *e)
{
	if (!w)
		return 0;
	os_mutex_lock(w->lock);
	w->closing = true;
	os_cond_signal_all(w->changed);
	os_mutex_unlock(w->lock);
	if (w->thread)
		os_thread_join(w->thread);
	os_cond_free(w->changed);
	os_mutex_free(w->lock);
	if (w->error.code)
		*e = w->error;
	wp_arena_free(w->a);
	free(w);
	return e->code;
}

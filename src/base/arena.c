/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

/* Blocks grow from FIRST to BLOCK: an arena for each of thousands of jobs is small while little is in it. */
enum { FIRST = 2 << 10, BLOCK = 64 << 10, ALIGN = 16 };

typedef struct block {
	struct block *next;
	size_t used, size;
	_Alignas(ALIGN) unsigned char data[];
} block;

struct wp_arena {
	block *head;
};

/* Sizes from outside are held to the limits in types.h before they get here, so running out of memory
 * means the machine has none left; the journal makes ending here safe. */
static _Noreturn void out_of_memory(void)
{
	fputs("wheelpack: out of memory\n", stderr);
	abort();
}

void *wp_xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *wp_xrealloc(void *p, size_t n)
{
	void *q = realloc(p, n ? n : 1);

	if (!q)
		out_of_memory();
	return q;
}

static block *block_new(size_t size)
{
	block *b = wp_xmalloc(sizeof *b + size);

	b->next = NULL;
	b->used = 0;
	b->size = size;
	POISON(b->data, size);
	return b;
}

wp_arena *wp_arena_new(void)
{
	wp_arena *a = wp_xmalloc(sizeof *a);

	a->head = block_new(FIRST);
	return a;
}

void wp_arena_free(wp_arena *a)
{
	block *b, *next;

	if (!a)
		return;
	for (b = a->head; b; b = next) {
		next = b->next;
		UNPOISON(b->data, b->size);
		free(b);
	}
	free(a);
}

bool wp_arena_is_empty(const wp_arena *a)
{
	return a->head->used == 0 && !a->head->next;
}

static size_t grown(size_t size, size_t n)
{
	size_t next = size < BLOCK / 4 ? size * 4 : BLOCK;

	return next > n ? next : BLOCK;
}

void *wp_alloc(wp_arena *a, size_t n)
{
	block *b = a->head;
	void *p;

	if (n > SIZE_MAX - ALIGN)
		out_of_memory();
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (n > BLOCK / 4) { /* a block of its own, behind the head so that the head stays in use */
		b = block_new(n);
		b->next = a->head->next;
		a->head->next = b;
	} else if (b->size - b->used < n) {
		b = block_new(grown(a->head->size, n));
		b->next = a->head;
		a->head = b;
	}
	p = b->data + b->used;
	b->used += n;
	UNPOISON(p, n);
	return memset(p, 0, n);
}

void *wp_alloc_array(wp_arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		out_of_memory();
	return wp_alloc(a, n * size);
}

wp_str wp_str_copy(wp_arena *a, wp_str s)
{
	char *p = wp_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	return (wp_str){p, s.n};
}

char *wp_str_dup(wp_arena *a, wp_str s)
{
	return (char *)wp_str_copy(a, s).p;
}

char *wp_strdup(wp_arena *a, const char *s)
{
	return s ? wp_str_dup(a, (wp_str){s, strlen(s)}) : NULL;
}

char *wp_vsprintf(wp_arena *a, const char *fmt, va_list ap)
{
	va_list again;
	int n;
	char *p;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return wp_strdup(a, "");
	p = wp_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *wp_sprintf(wp_arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = wp_vsprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

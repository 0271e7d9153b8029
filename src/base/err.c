/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

static const struct {
	const char *name;
	int exit;
	const char *text, *advice;
} table[] = {
	{"WP_OK", 0, "no error", ""},
#define ROW(code, exit, text, advice) {"WP_E_" #code, WP_EXIT_##exit, text, advice},
	WP_ERRORS(ROW)
#undef ROW
};

const char *wp_code_name(wp_code code)
{
	return table[code].name;
}

int wp_code_exit(wp_code code)
{
	return table[code].exit;
}

const char *wp_code_text(wp_code code)
{
	return table[code].text;
}

const char *wp_code_advice(wp_code code)
{
	return table[code].advice;
}

/* Long values are cut in the middle, where paths and URLs say least; never inside a UTF-8 sequence. */
void wp_fit(char *out, size_t size, const char *text)
{
	size_t n = strlen(text), head, tail;

	if (n < size) {
		memcpy(out, text, n + 1);
		return;
	}
	head = (size - 4) / 2;
	tail = size - 4 - head;
	while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80)
		head--;
	while (tail > 0 && ((unsigned char)text[n - tail] & 0xc0) == 0x80)
		tail--;
	memcpy(out, text, head);
	memcpy(out + head, "...", 3);
	memcpy(out + head + 3, text + n - tail, tail + 1);
}

static void fill(char *out, size_t size, const char *fmt, va_list ap)
{
	wp_arena *a = wp_arena_new();

	wp_fit(out, size, wp_vsprintf(a, fmt, ap));
	wp_arena_free(a);
}

int wp_fail(wp_error *e, wp_code code, const char *fmt, ...)
{
	va_list ap;

	if (e->code)
		return e->code;
	e->code = code;
	va_start(ap, fmt);
	fill(e->why, sizeof e->why, fmt, ap);
	va_end(ap);
	return code;
}

int wp_err_where(wp_error *e, const char *fmt, ...)
{
	wp_arena *a = wp_arena_new();
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = wp_vsprintf(a, fmt, ap);
	va_end(ap);
	if (e->where[0])
		text = wp_sprintf(a, "%s, %s", text, e->where);
	wp_fit(e->where, sizeof e->where, text);
	wp_arena_free(a);
	return e->code;
}

#define FILL_ONCE(name, field)                                                                     \
	int name(wp_error *e, const char *fmt, ...)                                                \
	{                                                                                          \
		va_list ap;                                                                        \
                                                                                                   \
		if (e->field[0])                                                                   \
			return e->code;                                                            \
		va_start(ap, fmt);                                                                 \
		fill(e->field, sizeof e->field, fmt, ap);                                          \
		va_end(ap);                                                                        \
		return e->code;                                                                    \
	}

FILL_ONCE(wp_err_what, what)
FILL_ONCE(wp_err_next, next)
FILL_ONCE(wp_err_state, state)

wp_finding *wp_finding_add(wp_findings *f, wp_arena *a, const char *code, wp_severity s,
	const char *title, const char *why, const char *next)
{
	if (f->n == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 16;
		wp_finding *v = WP_NEW_ARRAY(a, cap, wp_finding);

		if (f->n)
			memcpy(v, f->v, f->n * sizeof *v);
		f->v = v;
		f->cap = cap;
	}
	f->v[f->n] = (wp_finding){.code = wp_strdup(a, code),
		.severity = s,
		.title = wp_strdup(a, title),
		.why = wp_strdup(a, why),
		.next = wp_strdup(a, next)};
	return &f->v[f->n++];
}

wp_finding *wp_finding_note(wp_findings *f, wp_arena *a, const wp_note_row *row, const char *why, const char *next)
{
	return wp_finding_add(f, a, row->code, row->severity, row->title, why, next);
}

static const char *const *copy_texts(wp_arena *a, const char *const *v, size_t n)
{
	const char **out = n ? WP_NEW_ARRAY(a, n, const char *) : NULL;
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = wp_strdup(a, v[i]);
	return out;
}

void wp_finding_files(wp_finding *f, wp_arena *a, const char *const *v, size_t n)
{
	f->files = copy_texts(a, v, n);
	f->nfiles = n;
}

void wp_findings_append(wp_findings *f, wp_arena *a, const wp_findings *from)
{
	size_t i;

	for (i = 0; i < from->n; i++) {
		const wp_finding *x = &from->v[i];
		wp_finding *d = wp_finding_add(f, a, x->code, x->severity, x->title, x->why, x->next);

		wp_finding_files(d, a, x->files, x->nfiles);
		d->chain = copy_texts(a, x->chain, x->nchain);
		d->nchain = x->nchain;
	}
}

size_t wp_findings_errors(const wp_findings *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		n += f->v[i].severity == WP_SEVERE;
	return n;
}

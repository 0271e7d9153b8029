/* SPDX-License-Identifier: MIT */
#include "bundle/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "ext/hash.h"
#include "ext/url.h"

typedef WP_VEC(wp_text_file) texts;

typedef struct layout {
	wp_arena *a;
	const wp_lock_doc *lock;
	wp_bundle_wheel *wheels; /* sorted by file name */
	size_t nwheels;
	texts texts;
} layout;

static const char *hex_of(wp_arena *a, wp_str text)
{
	char *hex = wp_alloc(a, WP_SHA256_HEX + 1);

	wp_sha256_hex(text, hex);
	return hex;
}

static void add_text(layout *l, const char *path, const char *role, wp_str text)
{
	wp_text_file f = {path, role, text};

	WP_PUSH(&l->texts, f);
}

/* ---- wheels ------------------------------------------------------------------------------- */

static int cmp_wheel(const void *a, const void *b)
{
	const wp_bundle_wheel *x = a, *y = b;

	return strcmp(x->filename, y->filename);
}

static int check_wheel(const wp_lock_wheel *w, const wp_fetched *f, wp_error *e)
{
	if (!w->sha256 || !f->sha256 || !f->record_sha256)
		return wp_fail(e, WP_E_INTERNAL, "the wheel has no digest: it was not fetched");
	if (strcmp(w->sha256, f->sha256) != 0)
		return wp_fail(e, WP_E_DIGEST, "sha256 is %s, the lock promises %s", f->sha256,
			w->sha256);
	if (w->size >= 0 && (uint64_t)w->size != f->size)
		return wp_fail(e, WP_E_DIGEST, "it has %llu bytes, the lock promises %lld",
			(unsigned long long)f->size, (long long)w->size);
	return 0;
}

/* wheels/ is one folder, on some sticks without upper and lower case. */
static int check_names(const wp_lock_doc *d, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	wp_map names;
	uint32_t other;
	size_t i;

	wp_map_init(&names);
	for (i = 0; i < d->nwheels && !e->code; i++) {
		const wp_lock_wheel *w = &d->wheels[i];
		wp_str key = wp_str_of(wp_str_lower(a, wp_str_of(w->filename)));

		if (wp_map_get(&names, key, &other)) {
			const wp_lock_wheel *o = &d->wheels[other];

			wp_fail(e, WP_E_DIGEST, "two wheels have the name '%s', with sha256 %s and %s",
				w->filename, o->sha256 ? o->sha256 : "unknown",
				w->sha256 ? w->sha256 : "unknown");
			wp_err_next(e, "make two bundles, one for each target");
		}
		wp_map_put(&names, key, (uint32_t)i);
	}
	wp_map_free(&names);
	wp_arena_free(a);
	return e->code;
}

static const wp_fetched *find_fetched(const wp_map *names, const wp_fetched *v, const char *filename)
{
	uint32_t i;

	return wp_map_get(names, wp_str_of(filename), &i) ? &v[i] : NULL;
}

static int take_wheels(layout *l, const wp_fetched *fetched, size_t n, wp_error *e)
{
	const wp_lock_doc *d = l->lock;
	wp_map names;
	size_t i;

	wp_map_init(&names);
	for (i = 0; i < n; i++)
		wp_map_put(&names, wp_str_of(fetched[i].filename), (uint32_t)i);
	l->wheels = WP_NEW_ARRAY(l->a, d->nwheels, wp_bundle_wheel);
	for (i = 0; i < d->nwheels && !e->code; i++) {
		const wp_lock_wheel *w = &d->wheels[i];
		const wp_fetched *f = find_fetched(&names, fetched, w->filename);

		if (!f)
			wp_fail(e, WP_E_INTERNAL, "the wheel was not fetched");
		else if (!check_wheel(w, f, e))
			l->wheels[i] = (wp_bundle_wheel){f->filename, f->sha256, f->record_sha256,
				f->size, f->exceptions};
		if (e->code)
			wp_err_where(e, "'%s'", w->filename);
	}
	l->nwheels = d->nwheels;
	wp_map_free(&names);
	if (!e->code && l->nwheels)
		qsort(l->wheels, l->nwheels, sizeof *l->wheels, cmp_wheel);
	return e->code;
}

/* ---- requirements.<target>.txt ------------------------------------------------------------ */

static int add_requirements(layout *l, const wp_lock_target *t, wp_error *e)
{
	const char *path = wp_sprintf(l->a, "requirements.%s.txt", t->name);
	wp_buf b;
	size_t i;

	wp_buf_init(&b, WP_MAX_DOCUMENT);
	wp_buf_printf(&b, "# python -m pip install --no-index --find-links wheels -r %s\n", path);
	for (i = 0; i < t->nwheels; i++) {
		const wp_lock_wheel *w = wp_lock_find(l->lock, t->wheels[i]);

		if (!w) {
			wp_buf_free(&b);
			return wp_fail(e, WP_E_DOCUMENT, "the target '%s' names the wheel '%s', "
							 "which the lock doesn't have", t->name, t->wheels[i]);
		}
		wp_buf_printf(&b, "%s==%s --hash=sha256:%s\n", w->project, w->version, w->sha256);
	}
	add_text(l, path, "requirements", wp_buf_take(&b, l->a));
	return 0;
}

/* ---- simple/ (PEP 503) -------------------------------------------------------------------- */

static void html_text(wp_buf *b, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&':
			wp_buf_puts(b, "&amp;");
			break;
		case '<':
			wp_buf_puts(b, "&lt;");
			break;
		case '>':
			wp_buf_puts(b, "&gt;");
			break;
		case '"':
			wp_buf_puts(b, "&quot;");
			break;
		default:
			wp_buf_putc(b, *s);
		}
}

static void page_begin(wp_buf *b, const char *title)
{
	wp_buf_init(b, WP_MAX_DOCUMENT);
	wp_buf_puts(b, "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"><title>");
	html_text(b, title);
	wp_buf_puts(b, "</title></head>\n<body>\n");
}

static wp_str page_end(wp_buf *b, wp_arena *a)
{
	wp_buf_puts(b, "</body>\n</html>\n");
	return wp_buf_take(b, a);
}

static void file_link(wp_buf *b, wp_arena *a, const wp_lock_wheel *w)
{
	wp_buf_printf(b, "<a href=\"../../wheels/%s#sha256=%s\"",
		wp_url_encode(a, wp_str_of(w->filename)), w->sha256);
	if (w->requires_python) {
		wp_buf_puts(b, " data-requires-python=\"");
		html_text(b, w->requires_python);
		wp_buf_putc(b, '"');
	}
	wp_buf_putc(b, '>');
	html_text(b, w->filename);
	wp_buf_puts(b, "</a><br>\n");
}

static int cmp_project(const void *a, const void *b)
{
	const wp_lock_wheel *x = *(const wp_lock_wheel *const *)a, *y = *(const wp_lock_wheel *const *)b;
	int c = strcmp(x->project, y->project);

	return c ? c : strcmp(x->filename, y->filename);
}

static void add_simple(layout *l)
{
	size_t n = l->lock->nwheels, i, k;
	const wp_lock_wheel **v = WP_NEW_ARRAY(l->a, n, const wp_lock_wheel *);
	wp_buf index, page;

	for (i = 0; i < n; i++)
		v[i] = &l->lock->wheels[i];
	if (n)
		qsort(v, n, sizeof *v, cmp_project);
	page_begin(&index, "Simple index");
	for (i = 0; i < n; i = k) {
		wp_buf_printf(&index, "<a href=\"%s/\">", wp_url_encode(l->a, wp_str_of(v[i]->project)));
		html_text(&index, v[i]->project);
		wp_buf_puts(&index, "</a><br>\n");
		page_begin(&page, v[i]->project);
		for (k = i; k < n && strcmp(v[k]->project, v[i]->project) == 0; k++)
			file_link(&page, l->a, v[k]);
		add_text(l, wp_sprintf(l->a, "simple/%s/index.html", v[i]->project), "simple",
			page_end(&page, l->a));
	}
	add_text(l, "simple/index.html", "simple", page_end(&index, l->a));
}

/* ---- SHA256SUMS, bundle.json -------------------------------------------------------------- */

static int cmp_text(const void *a, const void *b)
{
	const wp_text_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* For sha256sum -c; bundle.json isn't in it, because bundle.json pins this file. */
static void add_sums(layout *l)
{
	wp_buf b;
	size_t i;

	qsort(l->texts.v, l->texts.n, sizeof *l->texts.v, cmp_text);
	wp_buf_init(&b, WP_MAX_DOCUMENT);
	for (i = 0; i < l->texts.n; i++)
		wp_buf_printf(&b, "%s  %s\n", hex_of(l->a, l->texts.v[i].text), l->texts.v[i].path);
	for (i = 0; i < l->nwheels; i++)
		wp_buf_printf(&b, "%s  wheels/%s\n", l->wheels[i].sha256, l->wheels[i].filename);
	add_text(l, "SHA256SUMS", "sums", wp_buf_take(&b, l->a));
	qsort(l->texts.v, l->texts.n, sizeof *l->texts.v, cmp_text);
}

static int make_manifest(layout *l, wp_layout *out, wp_error *e)
{
	wp_bundle_doc *d = &out->doc, back;
	size_t i;

	*d = (wp_bundle_doc){.lock_sha256 = out->lock_id, .wheels = l->wheels, .nwheels = l->nwheels,
		.files = WP_NEW_ARRAY(l->a, l->texts.n, wp_bundle_file), .nfiles = l->texts.n};
	for (i = 0; i < l->texts.n; i++) {
		const wp_text_file *t = &l->texts.v[i];

		d->files[i] = (wp_bundle_file){t->path, hex_of(l->a, t->text), t->role, t->text.n};
		out->bytes += t->text.n;
	}
	for (i = 0; i < l->nwheels; i++)
		out->bytes += l->wheels[i].size;
	if (wp_bundle_doc_write(l->a, d, &out->manifest, e))
		return e->code;
	if (wp_bundle_doc_read(l->a, out->manifest, &back, e))
		return wp_err_where(e, "bundle.json, as it would be written");
	out->id = hex_of(l->a, out->manifest);
	out->bytes += out->manifest.n;
	out->nfiles = 1 + l->texts.n + l->nwheels;
	return 0;
}

static int make_texts(layout *l, wp_layout *out, wp_error *e)
{
	wp_str text;
	size_t i;

	if (wp_lock_write(l->a, l->lock, &text, e))
		return e->code;
	out->lock_id = hex_of(l->a, text);
	add_text(l, "lock.json", "lock", text);
	for (i = 0; i < l->lock->ntargets; i++)
		if (add_requirements(l, &l->lock->targets[i], e))
			return e->code;
	add_simple(l);
	add_sums(l);
	return make_manifest(l, out, e);
}

int wp_layout_make(wp_arena *a, const wp_lock_doc *lock, const wp_fetched *wheels, size_t n,
	const wp_text_file *carried, size_t ncarried, wp_layout *out, wp_error *e)
{
	layout l = {.a = a, .lock = lock};
	size_t i;

	*out = (wp_layout){0};
	if (check_names(lock, e) || take_wheels(&l, wheels, n, e))
		return e->code;
	for (i = 0; i < ncarried; i++)
		WP_PUSH(&l.texts, carried[i]);
	make_texts(&l, out, e);
	out->texts = WP_VEC_COPY(a, &l.texts);
	out->ntexts = l.texts.n;
	WP_VEC_FREE(&l.texts);
	return e->code;
}

/* SPDX-License-Identifier: MIT */
/* fake_catalog.h: an index in memory. Files are added by name; METADATA is made from a few lines of text. */
#ifndef WP_TESTS_FAKE_CATALOG_H
#define WP_TESTS_FAKE_CATALOG_H

#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "py/name.h"
#include "py/tag.h"
#include "wheelpack/lock.h"

typedef struct fake_file {
	wp_file f;
	const char *project;
	const char *metadata;
} fake_file;

typedef struct fake_catalog {
	wp_arena *a;
	WP_VEC(fake_file *) files;
	const char *index; /* for files added from now on */
	bool backwards;	   /* pages list the newest additions first */
	int pages, reads;  /* asked so far */
	wp_catalog api;
} fake_catalog;

static inline void fake_want_projects(void *self, const char *const *names, size_t n)
{
	(void)self, (void)names, (void)n;
}

static inline void fake_want_metadata(void *self, const wp_file *const *files, size_t n)
{
	(void)self, (void)files, (void)n;
}

static inline int fake_project(void *self, const char *name, const wp_project **out, wp_error *e)
{
	fake_catalog *c = self;
	wp_project *p = WP_NEW(c->a, wp_project);
	wp_file *v = WP_NEW_ARRAY(c->a, c->files.n, wp_file);
	size_t i, n = 0;

	(void)e;
	c->pages++;
	for (i = 0; i < c->files.n; i++) {
		fake_file *f = c->files.v[c->backwards ? c->files.n - 1 - i : i];

		if (wp_streq(f->project, name))
			v[n++] = f->f;
	}
	*p = (wp_project){.name = wp_strdup(c->a, name), .index = n ? v[0].index : "", .files = v, .nfiles = n};
	*out = n ? p : NULL;
	return 0;
}

static inline int fake_metadata(void *self, const wp_file *file, wp_str *out, wp_error *e)
{
	fake_catalog *c = self;
	size_t i;

	c->reads++;
	for (i = 0; i < c->files.n; i++)
		if (wp_streq(c->files.v[i]->f.filename, file->filename)) {
			*out = wp_str_of(c->files.v[i]->metadata);
			return 0;
		}
	return wp_fail(e, WP_E_NETWORK, "no such file '%s'", file->filename);
}

static inline void fake_begin(fake_catalog *c)
{
	*c = (fake_catalog){.a = wp_arena_new(), .index = "ordinary"};
	c->api = (wp_catalog){c, fake_want_projects, fake_want_metadata, fake_project, fake_metadata};
}

static inline void fake_end(fake_catalog *c)
{
	WP_VEC_FREE(&c->files);
	wp_arena_free(c->a);
}

static inline fake_file *fake_add(fake_catalog *c, const char *project, const char *filename)
{
	fake_file *f = WP_NEW(c->a, fake_file);

	f->project = wp_strdup(c->a, project);
	f->f = (wp_file){.filename = wp_strdup(c->a, filename),
		.url = wp_sprintf(c->a, "https://index.test/%s/%s", c->index, filename),
		.sha256 = "00000000000000000000000000000000000000000000000000000000000000aa",
		.size = 1000,
		.index = c->index};
	WP_PUSH(&c->files, f);
	return f;
}

/* A wheel. lines: requirements, one a line; a line that starts with '!' is a whole METADATA header. NULL: none. */
static inline fake_file *fake_wheel(fake_catalog *c, const char *filename, const char *lines)
{
	wp_wheel_name w;
	wp_error e = {0};
	wp_str rest = wp_str_of(lines), one;
	wp_buf b;
	fake_file *f;

	if (wp_wheel_name_parse(c->a, wp_str_of(filename), &w, &e))
		abort();
	f = fake_add(c, w.project, filename);
	wp_buf_init(&b, 1 << 20);
	wp_buf_printf(&b, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n", w.name, w.version.text);
	while (lines && wp_str_line(&rest, &one))
		if (wp_str_starts(one, "!"))
			wp_buf_printf(&b, "%.*s\n", (int)one.n - 1, one.p + 1);
		else if (one.n)
			wp_buf_printf(&b, "Requires-Dist: %.*s\n", (int)one.n, one.p);
	f->metadata = wp_buf_take(&b, c->a).p;
	return f;
}

/* name-version-py3-none-any.whl */
static inline fake_file *fake_any(fake_catalog *c, const char *name, const char *version, const char *lines)
{
	return fake_wheel(c, wp_sprintf(c->a, "%s-%s-py3-none-any.whl", name, version), lines);
}

#endif

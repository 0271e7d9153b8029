/* SPDX-License-Identifier: MIT */
#include "py/core_metadata.h"
#include "base/map.h"
#include "base/vec.h"
#include "py/headers.h"

#include <string.h>

const wp_core_field wp_core_fields[WP_CORE_COUNT] = {
	[WP_CORE_METADATA_VERSION] = {"metadata-version", "metadata_version", WP_CORE_TEXT, 10},
	[WP_CORE_NAME] = {"name", "name", WP_CORE_TEXT, 10},
	[WP_CORE_VERSION] = {"version", "version", WP_CORE_TEXT, 10},
	[WP_CORE_DYNAMIC] = {"dynamic", "dynamic", WP_CORE_LIST, 22},
	[WP_CORE_PLATFORM] = {"platform", "platforms", WP_CORE_LIST, 10},
	[WP_CORE_SUPPORTED_PLATFORM] = {"supported-platform", "supported_platforms", WP_CORE_LIST, 11},
	[WP_CORE_SUMMARY] = {"summary", "summary", WP_CORE_TEXT, 10},
	[WP_CORE_DESCRIPTION] = {"description", "description", WP_CORE_TEXT, 10},
	[WP_CORE_CONTENT_TYPE] = {"description-content-type", "description_content_type", WP_CORE_TEXT, 21},
	[WP_CORE_KEYWORD] = {"keywords", "keywords", WP_CORE_KEYWORDS, 10},
	[WP_CORE_HOME_PAGE] = {"home-page", "home_page", WP_CORE_TEXT, 10},
	[WP_CORE_DOWNLOAD_URL] = {"download-url", "download_url", WP_CORE_TEXT, 11},
	[WP_CORE_AUTHOR] = {"author", "author", WP_CORE_TEXT, 10},
	[WP_CORE_AUTHOR_EMAIL] = {"author-email", "author_email", WP_CORE_TEXT, 10},
	[WP_CORE_MAINTAINER] = {"maintainer", "maintainer", WP_CORE_TEXT, 12},
	[WP_CORE_MAINTAINER_EMAIL] = {"maintainer-email", "maintainer_email", WP_CORE_TEXT, 12},
	[WP_CORE_LICENSE] = {"license", "license", WP_CORE_TEXT, 10},
	[WP_CORE_LICENSE_EXPRESSION] = {"license-expression", "license_expression", WP_CORE_TEXT, 24},
	[WP_CORE_LICENSE_FILE] = {"license-file", "license_files", WP_CORE_LIST, 24},
	[WP_CORE_CLASSIFIER] = {"classifier", "classifiers", WP_CORE_LIST, 11},
	[WP_CORE_REQUIRES_DIST] = {"requires-dist", "requires_dist", WP_CORE_LIST, 12},
	[WP_CORE_REQUIRES_PYTHON] = {"requires-python", "requires_python", WP_CORE_TEXT, 12},
	[WP_CORE_REQUIRES_EXTERNAL] = {"requires-external", "requires_external", WP_CORE_LIST, 12},
	[WP_CORE_PROJECT_URL] = {"project-url", "project_urls", WP_CORE_URLS, 12},
	[WP_CORE_PROVIDES_EXTRA] = {"provides-extra", "provides_extra", WP_CORE_LIST, 21},
	[WP_CORE_PROVIDES_DIST] = {"provides-dist", "provides_dist", WP_CORE_LIST, 12},
	[WP_CORE_OBSOLETES_DIST] = {"obsoletes-dist", "obsoletes_dist", WP_CORE_LIST, 12},
	[WP_CORE_REQUIRES] = {"requires", "requires", WP_CORE_LIST, 11},
	[WP_CORE_PROVIDES] = {"provides", "provides", WP_CORE_LIST, 11},
	[WP_CORE_OBSOLETES] = {"obsoletes", "obsoletes", WP_CORE_LIST, 11},
	[WP_CORE_IMPORT_NAME] = {"import-name", "import_names", WP_CORE_LIST, 25},
	[WP_CORE_IMPORT_NAMESPACE] = {"import-namespace", "import_namespaces", WP_CORE_LIST, 25}};

typedef WP_VEC(wp_str) value_list;

typedef struct reader {
	wp_arena *a;
	value_list values[WP_CORE_COUNT];
	WP_VEC(wp_core_odd) odd;
	bool parts; /* the body is a MIME message of several parts */
	wp_core_metadata *out;
} reader;

static void push_odd(reader *r, const char *name, wp_str value)
{
	wp_core_odd one = {name, value};

	WP_PUSH(&r->odd, one);
}

/* Cut the value that begins in this line and goes on in folded ones, whose line breaks belong to it. */
static wp_str cut_value(wp_str line, size_t from, wp_str *rest)
{
	const char *end = line.p + line.n;
	wp_str more;

	while (from < line.n && (line.p[from] == ' ' || line.p[from] == '\t'))
		from++;
	while (wp_header_folded(*rest) && wp_str_line(rest, &more))
		end = more.p + more.n;
	return (wp_str){line.p + from, (size_t)(end - line.p) - from};
}

static void take_header(reader *r, wp_str name, wp_str value)
{
	const char *lower = wp_str_lower(r->a, name);
	size_t i;

	for (i = 0; i < WP_CORE_COUNT; i++)
		if (strcmp(wp_core_fields[i].header, lower) == 0) {
			WP_PUSH(&r->values[i], value);
			return;
		}
	if (strcmp(lower, "content-type") == 0) {
		const char *type = wp_str_lower(r->a, value);

		r->parts |= wp_starts(type, "multipart/") && wp_str_find_str(wp_str_of(type), WP_LIT("boundary=")) < value.n;
	}
	push_odd(r, lower, value);
}

/* The rest is the body: a blank line has ended the headers, or a line that is none. */
static void read_headers(reader *r, wp_str *rest)
{
	wp_str line, before;
	size_t n;

	for (;;) {
		before = *rest;
		if (!wp_str_line(rest, &line) || line.n == 0)
			return;
		if (wp_header_folded(line))
			continue; /* the first line: there is nothing that it could go on */
		n = wp_header_name(line);
		if (n == SIZE_MAX) {
			*rest = before;
			return;
		}
		take_header(r, wp_str_sub(line, 0, n), cut_value(line, n + 1, rest));
	}
}

static bool all_utf8(const value_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!wp_utf8_valid(list->v[i]))
			return false;
	return true;
}

static void set(reader *r, wp_core_id id, const char **v, size_t n)
{
	r->out->field[id] = (wp_core_value){true, v, n};
}

static void set_keywords(reader *r, wp_core_id id, wp_str text)
{
	WP_VEC(const char *) words = {0};
	wp_str word;

	while (wp_str_split(&text, ',', &word))
		WP_PUSH(&words, wp_str_dup(r->a, wp_str_trim(word)));
	set(r, id, WP_VEC_COPY(r->a, &words), words.n);
	WP_VEC_FREE(&words);
}

/* Label, comma, address. False where a label stands twice. */
static bool set_urls(reader *r, wp_core_id id, const value_list *list)
{
	const char **v = WP_NEW_ARRAY(r->a, 2 * list->n, const char *);
	wp_map labels;
	size_t i, comma;
	bool ok = true;

	wp_map_init(&labels);
	for (i = 0; i < list->n && ok; i++) {
		wp_str text = list->v[i], label;

		comma = wp_str_find(text, ',');
		label = wp_str_trim(wp_str_sub(text, 0, comma));
		v[2 * i] = wp_str_dup(r->a, label);
		v[2 * i + 1] = wp_str_dup(r->a, wp_str_trim(wp_str_sub(text, comma + 1, text.n)));
		ok = wp_map_put(&labels, label, 0);
	}
	wp_map_free(&labels);
	if (ok)
		set(r, id, v, 2 * list->n);
	return ok;
}

static bool set_field(reader *r, wp_core_id id, const value_list *list)
{
	const char **v;
	size_t i;

	if (!all_utf8(list))
		return false;
	if (wp_core_fields[id].kind == WP_CORE_URLS)
		return set_urls(r, id, list);
	if (wp_core_fields[id].kind != WP_CORE_LIST && list->n != 1)
		return false;
	if (wp_core_fields[id].kind == WP_CORE_KEYWORDS) {
		set_keywords(r, id, list->v[0]);
		return true;
	}
	/* A lone empty Import-Name says that there is none (PEP 794). */
	if (id == WP_CORE_IMPORT_NAME && list->n == 1 && list->v[0].n == 0) {
		set(r, id, NULL, 0);
		return true;
	}
	v = WP_NEW_ARRAY(r->a, list->n, const char *);
	for (i = 0; i < list->n; i++)
		v[i] = wp_str_dup(r->a, list->v[i]);
	set(r, id, v, list->n);
	return true;
}

static void finish(reader *r)
{
	size_t id, i;

	for (id = 0; id < WP_CORE_COUNT; id++) {
		value_list *list = &r->values[id];

		if (list->n && !set_field(r, id, list))
			for (i = 0; i < list->n; i++)
				push_odd(r, wp_core_fields[id].header, list->v[i]);
		WP_VEC_FREE(list);
	}
	r->out->odd = WP_VEC_COPY(r->a, &r->odd);
	r->out->nodd = r->odd.n;
	WP_VEC_FREE(&r->odd);
}

int wp_core_metadata_parse(wp_arena *a, wp_str text, wp_core_metadata *out, wp_error *e)
{
	reader r = {.a = a, .out = out};

	*out = (wp_core_metadata){0};
	if (text.n > WP_MAX_METADATA)
		return wp_fail(e, WP_E_TOO_LARGE, "METADATA has %zu bytes; %d are allowed", text.n, WP_MAX_METADATA);
	read_headers(&r, &text);
	if (r.parts)
		push_odd(&r, "description", (wp_str){0});
	else if (text.n)
		WP_PUSH(&r.values[WP_CORE_DESCRIPTION], text);
	finish(&r);
	return 0;
}

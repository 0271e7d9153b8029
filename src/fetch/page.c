/* SPDX-License-Identifier: MIT */
#include "fetch/page.h"

#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"
#include "ext/url.h"
#include "fetch/html.h"
#include "py/tag.h"

enum { SCRATCH_FILES = 256 }; /* so many file names share one scratch arena */

typedef struct reader {
	wp_arena *a, *scratch;
	const char *base;   /* links are relative to it */
	const char *origin; /* scheme://host of base as it is written there */
	const char *project, *index;
	WP_VEC(wp_file) files;
	size_t seen, skipped;
	wp_error *e;
} reader;

/* ---- links -------------------------------------------------------------------------------- */

static void set_base(reader *r, const char *url)
{
	const char *host = strstr(url, "//");
	size_t n = host ? (size_t)(host - url) + 2 : 0;

	r->base = url;
	r->origin = wp_str_dup(r->a, (wp_str){url, n + strcspn(url + n, "/?#")});
}

/* Nothing in it that a URL parser would rewrite. */
static bool is_plain(const char *path)
{
	const char *p;

	for (p = path; *p; p++)
		if (*p <= 0x20 || *p >= 0x7f || strchr("\\\"<>^`{|}@", *p) || (p[0] == '/' && p[1] == '.'))
			return false;
	return true;
}

static bool is_web(const char *url)
{
	return wp_starts(url, "https://") || wp_starts(url, "http://");
}

/* Absolute address without credentials; NULL where there is none. Most links take the first two ways. */
static const char *resolve(reader *r, const char *link)
{
	const char *url;

	if (is_web(link) && is_plain(link))
		return link;
	if (link[0] == '/' && link[1] != '/' && is_plain(link))
		return wp_sprintf(r->a, "%s%s", r->origin, link);
	url = wp_url_join(r->a, r->base, link);
	url = url ? wp_url_strip(r->a, url, NULL) : NULL;
	return url && is_web(url) ? url : NULL;
}

static const char *last_part(wp_arena *a, const char *url)
{
	wp_str path = wp_str_sub(wp_str_of(url), 0, strcspn(url, "?"));
	size_t slash = wp_str_rfind(path, '/');

	return slash == SIZE_MAX ? NULL : wp_url_decode(a, wp_str_sub(path, slash + 1, path.n));
}

/* 64 hex digits in lower case, NULL for anything else. */
static const char *digest(wp_arena *a, wp_str hex)
{
	unsigned char bytes[WP_SHA256_HEX / 2];

	if (hex.n != WP_SHA256_HEX || !wp_unhex(hex, bytes, sizeof bytes))
		return NULL;
	return wp_str_lower(a, hex);
}

/* "sha256=HEX", alone or among others. */
static const char *digest_in(wp_arena *a, wp_str words)
{
	wp_str word;

	while (wp_str_split(&words, '&', &word))
		if (wp_str_starts(word, "sha256="))
			return digest(a, wp_str_sub(word, 7, word.n));
	return NULL;
}

/* ---- files -------------------------------------------------------------------------------- */

bool wp_page_belongs(wp_arena *scratch, const char *filename, const char *project)
{
	wp_error ignored = {0};
	wp_wheel_name wheel;
	wp_version version;
	const char *p;

	for (p = filename; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '/' || *p == '\\')
			return false;
	if (wp_ends(filename, ".whl"))
		return !wp_wheel_name_parse(scratch, wp_str_of(filename), &wheel, &ignored) &&
			wp_streq(wheel.project, project);
	return (wp_ends(filename, ".tar.gz") || wp_ends(filename, ".zip")) &&
		wp_sdist_name_parse(scratch, wp_str_of(filename), project, &version);
}

static int add(reader *r, const wp_file *f)
{
	if (++r->seen > WP_MAX_PAGE_FILES)
		return wp_fail(r->e, WP_E_TOO_LARGE, "more than %d files on one page", WP_MAX_PAGE_FILES);
	if (r->seen % SCRATCH_FILES == 0) {
		wp_arena_free(r->scratch);
		r->scratch = wp_arena_new();
	}
	if (!f->filename || !f->url || !wp_page_belongs(r->scratch, f->filename, r->project)) {
		r->skipped++;
		return 0;
	}
	WP_PUSH(&r->files, *f);
	r->files.v[r->files.n - 1].index = r->index;
	return 0;
}

static int check_version(reader *r, wp_str text)
{
	uint64_t major;

	if (wp_str_u64(wp_str_sub(text, 0, wp_str_find(text, '.')), &major) && major == 1)
		return 0;
	return wp_fail(r->e, WP_E_PAGE, "the index speaks version %.*s of the repository API, not 1.x",
		(int)(text.n < 40 ? text.n : 40), text.p);
}

/* ---- HTML --------------------------------------------------------------------------------- */

/* Decoded value of an attribute; NULL where it is absent or empty. *bad where it is no text. */
static const char *value(reader *r, const wp_html_tag *t, const char *name, bool *bad)
{
	const wp_html_attr *attr = wp_html_get(t, name);
	const char *text;

	if (!attr)
		return NULL;
	text = wp_html_text(r->a, attr->value);
	*bad |= !text;
	return text && *text ? text : NULL;
}

static void html_metadata(reader *r, const wp_html_tag *t, wp_file *f, bool *bad)
{
	const char *v = value(r, t, "data-core-metadata", bad);

	if (!v)
		v = value(r, t, "data-dist-info-metadata", bad);
	f->has_metadata = v && strcmp(v, "false") != 0;
	f->metadata_sha256 = v ? digest_in(r->a, wp_str_of(v)) : NULL;
}

static int html_anchor(reader *r, const wp_html_tag *t)
{
	wp_file f = {.size = -1};
	bool bad = false;
	const char *href = value(r, t, "href", &bad), *fragment;
	wp_str link = wp_str_of(href);
	size_t hash = wp_str_find(link, '#');

	if (!href && !bad)
		return 0;
	f.yanked = wp_html_get(t, "data-yanked") != NULL;
	f.yanked_reason = value(r, t, "data-yanked", &bad);
	f.requires_python = value(r, t, "data-requires-python", &bad);
	f.upload_time = value(r, t, "data-upload-time", &bad);
	html_metadata(r, t, &f, &bad);
	if (!bad) {
		fragment = wp_url_decode(r->scratch, wp_str_sub(link, hash + 1, link.n));
		f.sha256 = fragment ? digest_in(r->a, wp_str_of(fragment)) : NULL;
		f.url = resolve(r, wp_str_dup(r->a, wp_str_sub(link, 0, hash)));
		f.filename = f.url ? last_part(r->a, f.url) : NULL;
	}
	return add(r, &f);
}

static int html_meta(reader *r, const wp_html_tag *t)
{
	bool bad = false;
	const char *name = value(r, t, "name", &bad), *content = value(r, t, "content", &bad);

	return wp_streq(name, "pypi:repository-version") && content ? check_version(r, wp_str_of(content)) : 0;
}

static int read_html(reader *r, wp_str text)
{
	bool bad = false, based = false;
	wp_html_tag t;
	const char *href;

	while (!r->e->code && wp_html_next(&text, &t)) {
		if (!strcmp(t.name, "a")) {
			html_anchor(r, &t);
		} else if (!strcmp(t.name, "meta")) {
			html_meta(r, &t);
		} else if (!based && (href = value(r, &t, "href", &bad))) {
			href = wp_url_join(r->a, r->base, href);
			if (href)
				set_base(r, href);
			based = true;
		}
	}
	return r->e->code;
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* {"sha256": "...", ...} */
static void json_hashes(reader *r, wp_json *j, const char **sha256)
{
	wp_str key, hex;

	if (!wp_json_object(j))
		return;
	while (wp_json_key(j, &key))
		if (!wp_str_is(key, "sha256"))
			wp_json_skip(j);
		else if (wp_json_string(j, &hex))
			*sha256 = digest(r->a, hex);
}

/* true, false, or the hashes of the side file. The newer key wins over the older one. */
static void json_metadata(reader *r, wp_json *j, wp_file *f, bool *newer, bool is_newer)
{
	const char *sha256 = NULL;
	bool has = true;

	if (wp_json_peek(j) == WP_JSON_OBJECT)
		json_hashes(r, j, &sha256);
	else if (wp_json_null(j) || !wp_json_bool(j, &has))
		has = false;
	if (*newer && !is_newer)
		return;
	*newer |= is_newer;
	f->has_metadata = has;
	f->metadata_sha256 = sha256;
}

static void json_yanked(wp_json *j, wp_file *f)
{
	if (wp_json_peek(j) == WP_JSON_BOOL) {
		wp_json_bool(j, &f->yanked);
		return;
	}
	wp_json_cstr(j, &f->yanked_reason);
	f->yanked = f->yanked_reason != NULL;
}

static void json_size(wp_json *j, wp_file *f)
{
	if (!wp_json_null(j) && wp_json_i64(j, &f->size) && f->size < 0)
		f->size = -1;
}

static void json_url(reader *r, wp_json *j, wp_file *f)
{
	const char *link;

	if (wp_json_cstr(j, &link) && link)
		f->url = resolve(r, wp_str_dup(r->a, (wp_str){link, strcspn(link, "#")}));
}

static int json_file(reader *r, wp_json *j)
{
	wp_file f = {.size = -1};
	bool newer = false;
	wp_str key;

	if (!wp_json_object(j))
		return r->e->code;
	while (wp_json_key(j, &key)) {
		if (wp_str_is(key, "filename"))
			wp_json_cstr(j, &f.filename);
		else if (wp_str_is(key, "url"))
			json_url(r, j, &f);
		else if (wp_str_is(key, "hashes"))
			json_hashes(r, j, &f.sha256);
		else if (wp_str_is(key, "requires-python"))
			wp_json_cstr(j, &f.requires_python);
		else if (wp_str_is(key, "core-metadata"))
			json_metadata(r, j, &f, &newer, true);
		else if (wp_str_is(key, "dist-info-metadata") || wp_str_is(key, "data-dist-info-metadata"))
			json_metadata(r, j, &f, &newer, false);
		else if (wp_str_is(key, "yanked"))
			json_yanked(j, &f);
		else if (wp_str_is(key, "size"))
			json_size(j, &f);
		else if (wp_str_is(key, "upload-time"))
			wp_json_cstr(j, &f.upload_time);
		else
			wp_json_skip(j);
	}
	return r->e->code ? (int)r->e->code : add(r, &f);
}

static void json_meta(reader *r, wp_json *j)
{
	wp_str key, version;

	if (!wp_json_object(j))
		return;
	while (wp_json_key(j, &key))
		if (!wp_str_is(key, "api-version"))
			wp_json_skip(j);
		else if (wp_json_string(j, &version))
			check_version(r, version);
}

static int read_json(reader *r, wp_str text)
{
	bool has_files = false;
	wp_json j;
	wp_str key;

	wp_json_init(&j, r->a, text, WP_E_PAGE, r->e);
	if (!wp_json_object(&j))
		return r->e->code;
	while (wp_json_key(&j, &key)) {
		if (wp_str_is(key, "meta")) {
			json_meta(r, &j);
		} else if (wp_str_is(key, "files")) {
			has_files = true;
			for (wp_json_array(&j); wp_json_item(&j);)
				json_file(r, &j);
		} else {
			wp_json_skip(&j);
		}
	}
	if (wp_json_end(&j))
		return r->e->code;
	return has_files ? 0 : wp_fail(r->e, WP_E_PAGE, "the page has no list of files");
}

/* ---- either ------------------------------------------------------------------------------- */

static int read_either(reader *r, const wp_page *page)
{
	const char *type = page->content_type;

	if (wp_streq(type, "application/vnd.pypi.simple.v1+json"))
		return read_json(r, page->text);
	if (wp_streq(type, "text/html") || wp_streq(type, "application/vnd.pypi.simple.v1+html") ||
		wp_streq(type, "application/xhtml+xml"))
		return read_html(r, page->text);
	return wp_fail(r->e, WP_E_PAGE, "the answer is of type '%s', neither HTML nor the JSON of an index",
		type && *type ? type : "unknown");
}

int wp_page_read(wp_arena *a, const wp_page *page, const char *project, const char *index, wp_project *out,
	wp_error *e)
{
	reader r = {.a = a, .scratch = wp_arena_new(), .project = project, .index = index, .e = e};

	set_base(&r, page->url);
	if (!read_either(&r, page))
		*out = (wp_project){.name = wp_strdup(a, project),
			.index = index,
			.files = WP_VEC_COPY(a, &r.files),
			.nfiles = r.files.n,
			.skipped = r.skipped};
	WP_VEC_FREE(&r.files);
	wp_arena_free(r.scratch);
	return e->code;
}

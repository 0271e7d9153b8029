/* SPDX-License-Identifier: MIT */
/* What both forms of a page have: links, files, and how it comes piece by piece. */
#include "fetch/page.h"

#include <stdlib.h>

#include "ext/url.h"
#include "fetch/packed.h"
#include "fetch/page_parts.h"
#include "py/tag.h"

enum { SCRATCH_FILES = 256 }; /* so many files share one scratch arena */

/* ---- links -------------------------------------------------------------------------------- */

/* A redirect or a base element may bring credentials. */
void wp_page_set_base(wp_page_reader *r, const char *url)
{
	const char *bare = wp_url_strip(r->a, url, NULL), *host;
	size_t n;

	url = bare ? bare : url;
	host = strstr(url, "//");
	n = host ? (size_t)(host - url) + 2 : 0;
	r->base = wp_strdup(r->a, url);
	r->origin = wp_str_dup(r->a, (wp_str){url, n + strcspn(url + n, "/?#")});
}

/* Nothing in it that a URL parser would rewrite. */
static bool is_plain(wp_str path)
{
	static const bool odd[128] = {['\\'] = true, ['"'] = true, ['<'] = true, ['>'] = true, ['^'] = true, ['`'] = true,
		['{'] = true, ['|'] = true, ['}'] = true, ['@'] = true};
	size_t i;

	for (i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (c <= 0x20 || c >= 0x7f || odd[c] || (c == '/' && i + 1 < path.n && path.p[i + 1] == '.'))
			return false;
	}
	return true;
}

static bool is_web(wp_str url)
{
	return wp_str_starts(url, "https://") || wp_str_starts(url, "http://");
}

static const char *below_origin(wp_page_reader *r, wp_str path)
{
	size_t n = strlen(r->origin);
	char *url = wp_alloc(r->scratch, n + path.n + 1);

	memcpy(url, r->origin, n);
	memcpy(url + n, path.p, path.n);
	return url;
}

/* Most links take the first two ways. */
const char *wp_page_resolve(wp_page_reader *r, wp_str link)
{
	const char *url;

	link = wp_str_sub(link, 0, wp_str_find(link, '#'));
	if (is_web(link) && is_plain(link))
		return wp_str_dup(r->scratch, link);
	if (link.n && link.p[0] == '/' && (link.n == 1 || link.p[1] != '/') && is_plain(link))
		return below_origin(r, link);
	url = wp_url_join(r->scratch, r->base, wp_str_dup(r->scratch, link));
	url = url ? wp_url_strip(r->scratch, url, NULL) : NULL;
	return url && is_web(wp_str_of(url)) ? url : NULL;
}

const char *wp_page_digest(wp_page_reader *r, wp_str hex)
{
	static const char digits[256] = {['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5',
		['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd',
		['e'] = 'e', ['f'] = 'f', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f'};
	char *out;
	size_t i;

	if (hex.n != WP_SHA256_HEX)
		return NULL;
	out = wp_alloc(r->scratch, hex.n + 1);
	for (i = 0; i < hex.n; i++)
		if (!(out[i] = digits[(unsigned char)hex.p[i]]))
			return NULL;
	return out;
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

void wp_page_drop_scratch(wp_page_reader *r)
{
	wp_arena_free(r->scratch);
	r->scratch = wp_arena_new();
}

int wp_page_add(wp_page_reader *r, const wp_file *f)
{
	if (++r->seen > WP_MAX_PAGE_FILES)
		return wp_fail(r->e, WP_E_TOO_LARGE, "more than %d files on one page", WP_MAX_PAGE_FILES);
	if (!f->filename || !f->url || !wp_page_belongs(r->scratch, f->filename, r->project)) {
		r->skipped++;
	} else {
		wp_packed_add(&r->packed, f);
		r->kept++;
	}
	if (r->seen % SCRATCH_FILES == 0)
		wp_page_drop_scratch(r);
	return r->packed.full ? wp_fail(r->e, WP_E_TOO_LARGE, "the files of the page are too many") : 0;
}

int wp_page_version(wp_page_reader *r, wp_str text)
{
	uint64_t major;

	if (wp_str_u64(wp_str_sub(text, 0, wp_str_find(text, '.')), &major) && major == 1)
		return 0;
	return wp_fail(r->e, WP_E_PAGE, "the index speaks version %.*s of the repository API, not 1.x",
		(int)(text.n < 40 ? text.n : 40), text.p);
}

/* ---- piece by piece ----------------------------------------------------------------------- */

static bool is_html(const char *type)
{
	return wp_streq(type, "text/html") || wp_streq(type, "application/vnd.pypi.simple.v1+html") ||
		wp_streq(type, "application/xhtml+xml");
}

wp_page_reader *wp_page_open(const char *content_type, const char *url, const char *project)
{
	wp_page_reader *r = wp_xmalloc(sizeof *r);

	*r = (wp_page_reader){.a = wp_arena_new(), .scratch = wp_arena_new()};
	r->type = wp_strdup(r->a, content_type);
	r->project = wp_strdup(r->a, project);
	r->json = wp_streq(content_type, "application/vnd.pypi.simple.v1+json");
	wp_page_set_base(r, url);
	wp_packed_begin(&r->packed);
	wp_buf_init(&r->text, WP_MAX_PAGE);
	wp_page_json_open(r);
	return r;
}

static int check_type(wp_page_reader *r)
{
	if (r->json || is_html(r->type))
		return 0;
	return wp_fail(r->e, WP_E_PAGE, "the answer is of type '%s', neither HTML nor the JSON of an index",
		r->type && *r->type ? r->type : "unknown");
}

int wp_page_feed(wp_page_reader *r, const void *p, size_t n, wp_error *e)
{
	r->e = e;
	if (check_type(r))
		return e->code;
	if (r->json)
		return wp_page_json_feed(r, p, n);
	wp_buf_add(&r->text, p, n);
	return r->text.full ? wp_fail(e, WP_E_TOO_LARGE, "a page of more than %d bytes", WP_MAX_PAGE) : 0;
}

int wp_page_end(wp_page_reader *r, wp_buf *packed, wp_error *e)
{
	r->e = e;
	if (check_type(r))
		return e->code;
	if (r->json ? wp_page_json_end(r) : wp_page_html(r, wp_buf_view(&r->text)))
		return e->code;
	wp_packed_end(&r->packed, r->kept, r->skipped);
	*packed = r->packed;
	r->packed = (wp_buf){0};
	return 0;
}

void wp_page_close(wp_page_reader *r)
{
	if (!r)
		return;
	wp_page_json_close(r);
	wp_buf_free(&r->packed);
	wp_buf_free(&r->text);
	wp_arena_free(r->scratch);
	wp_arena_free(r->a);
	free(r);
}

int wp_page_read(wp_arena *a, const wp_page *page, const char *project, const char *index, wp_project *out,
	wp_error *e)
{
	wp_page_reader *r = wp_page_open(page->content_type, page->url, project);
	wp_buf packed = {0};

	if (!wp_page_feed(r, page->text.p, page->text.n, e) && !wp_page_end(r, &packed, e) &&
		!wp_packed_read(a, wp_buf_take(&packed, a), project, index, out))
		wp_fail(e, WP_E_INTERNAL, "a page that was read can't be read");
	wp_page_close(r);
	return e->code;
}

/* SPDX-License-Identifier: MIT */
/* A JSON page. It is split while it comes: each file of its list is read and forgotten at once; the rest, with a null for
 * each file, is read at the end. Both are read strictly, so that the page as a whole is. */
#include "fetch/page_parts.h"

enum { MAX_ELEMENT = 1 << 20, MAX_KEY = 64 };

/* {"sha256": "...", ...} */
static void json_hashes(wp_page_reader *r, wp_json *j, const char **sha256)
{
	wp_str key, hex;

	if (!wp_json_object(j))
		return;
	while (wp_json_key(j, &key))
		if (!wp_str_is(key, "sha256"))
			wp_json_skip(j);
		else if (wp_json_string(j, &hex))
			*sha256 = wp_page_digest(r, hex);
}

/* true, false, or the hashes of the side file. The newer key wins over the older one. */
static void json_metadata(wp_page_reader *r, wp_json *j, wp_file *f, bool *newer, bool is_newer)
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

static void json_url(wp_page_reader *r, wp_json *j, wp_file *f)
{
	wp_str link;

	if (!wp_json_null(j) && wp_json_string(j, &link))
		f->url = wp_page_resolve(r, link);
}

static int json_file(wp_page_reader *r, wp_json *j)
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
	return r->e->code ? (int)r->e->code : wp_page_add(r, &f);
}

static void json_meta(wp_page_reader *r, wp_json *j)
{
	wp_str key, version;

	if (!wp_json_object(j))
		return;
	while (wp_json_key(j, &key))
		if (!wp_str_is(key, "api-version"))
			wp_json_skip(j);
		else if (wp_json_string(j, &version))
			wp_page_version(r, version);
}

/* Everything but the files, for each of which a null stands there. Objects are in the list only where its key was written
 * in an odd way, so that the splitter didn't know it. */
static bool json_list(wp_page_reader *r, wp_json *j)
{
	size_t apart = 0;

	for (wp_json_array(j); wp_json_item(j);)
		if (wp_json_null(j))
			apart++;
		else
			json_file(r, j);
	if (!r->e->code && apart != r->split.files)
		wp_fail(r->e, WP_E_PAGE, "the list of files has something else in it");
	return true;
}

static int read_rest(wp_page_reader *r, wp_str text)
{
	wp_arena *a = wp_arena_new();
	bool has_files = false;
	wp_json j;
	wp_str key;

	wp_json_init(&j, a, text, WP_E_PAGE, r->e);
	wp_json_object(&j);
	while (wp_json_key(&j, &key))
		if (wp_str_is(key, "meta"))
			json_meta(r, &j);
		else if (wp_str_is(key, "files"))
			has_files = json_list(r, &j);
		else
			wp_json_skip(&j);
	wp_json_end(&j);
	wp_arena_free(a);
	if (r->e->code || has_files)
		return r->e->code;
	return wp_fail(r->e, WP_E_PAGE, "the page has no list of files");
}

/* ---- splitting ---------------------------------------------------------------------------- */

static int read_element(wp_page_reader *r)
{
	wp_page_split *s = &r->split;

	if (s->element.full)
		return wp_fail(r->e, WP_E_TOO_LARGE, "one file of the page has more than %d bytes", MAX_ELEMENT);
	wp_json_again(&s->j, r->scratch, wp_buf_view(&s->element), r->e);
	s->files++;
	if (json_file(r, &s->j))
		return wp_err_where(r->e, "file %zu", s->files);
	wp_json_end(&s->j);
	if (s->j.widened)
		wp_page_drop_scratch(r);
	return r->e->code;
}

/* The list begins: what came before it is read at once, so that a page of another version is known as such. */
static int begin_files(wp_page_reader *r)
{
	wp_buf b;

	wp_buf_init(&b, WP_MAX_PAGE);
	wp_buf_str(&b, wp_buf_view(&r->split.rest));
	wp_buf_puts(&b, "[]}");
	read_rest(r, wp_buf_view(&b));
	wp_buf_free(&b);
	r->split.in_files = true;
	return r->e->code;
}

/* Up to the end of a text or of the piece. */
static const char *through_text(wp_page_split *s, const char *p, const char *end)
{
	const char *start = p;

	if (s->escaped) {
		s->escaped = false;
		return p + 1;
	}
	while (p < end && *p != '"' && *p != '\\')
		p++;
	if (s->depth == 1)
		wp_buf_add(&s->key, start, (size_t)(p - start));
	if (p == end)
		return p;
	s->escaped = *p == '\\';
	s->in_text = s->escaped;
	if (s->escaped && s->depth == 1)
		wp_buf_putc(&s->key, '\\');
	return p + 1;
}

/* As written: another way to write it is found when the rest is read. */
static bool is_files(const wp_page_split *s)
{
	return !s->key.full && wp_str_is(wp_buf_view(&s->key), "files");
}

/* An opening bracket at p. The run that began at *run ends before a file. */
static void open_bracket(wp_page_reader *r, const char *p, const char **run)
{
	wp_page_split *s = &r->split;

	if (s->in_files && s->depth == 2 && *p == '{') {
		wp_buf_add(&s->rest, *run, (size_t)(p - *run));
		s->in_element = true;
		s->element.n = 0;
		*run = p;
	} else if (s->depth == 1 && *p == '[' && s->after_key && is_files(s)) {
		wp_buf_add(&s->rest, *run, (size_t)(p - *run));
		*run = p;
		begin_files(r);
	}
	s->depth++;
}

/* A closing bracket at p. The run ends behind a file. */
static void close_bracket(wp_page_reader *r, const char *p, const char **run)
{
	wp_page_split *s = &r->split;

	if (s->depth > 0)
		s->depth--;
	if (s->depth == 1)
		s->in_files = false;
	if (!s->in_element || s->depth > 2)
		return;
	wp_buf_add(&s->element, *run, (size_t)(p + 1 - *run));
	s->in_element = false;
	*run = p + 1;
	read_element(r);
	wp_buf_puts(&s->rest, "null");
}

static void mark(wp_page_split *s, char c)
{
	if (c == '"') {
		s->in_text = true;
		s->key.n = 0;
		s->key.full = false;
	} else if (s->depth == 1 && (c == ':' || c == ',')) {
		s->after_key = c == ':';
	}
}

int wp_page_json_feed(wp_page_reader *r, const char *p, size_t n)
{
	wp_page_split *s = &r->split;
	const char *end = p + n, *run = p;

	while (p < end && !r->e->code) {
		if (s->in_text) {
			p = through_text(s, p, end);
			continue;
		}
		if (*p == '{' || *p == '[')
			open_bracket(r, p, &run);
		else if (*p == '}' || *p == ']')
			close_bracket(r, p, &run);
		else
			mark(s, *p);
		p++;
	}
	if (r->e->code)
		return r->e->code;
	wp_buf_add(s->in_element ? &s->element : &s->rest, run, (size_t)(end - run));
	return s->rest.full ? wp_fail(r->e, WP_E_TOO_LARGE, "the page without its files is too large") : 0;
}

/* ---- begin and end ------------------------------------------------------------------------ */

void wp_page_json_open(wp_page_reader *r)
{
	wp_page_split *s = &r->split;

	wp_buf_init(&s->key, MAX_KEY);
	wp_buf_init(&s->element, MAX_ELEMENT);
	wp_buf_init(&s->rest, WP_MAX_PAGE);
	wp_json_init(&s->j, r->a, (wp_str){0}, WP_E_PAGE, r->e);
}

int wp_page_json_end(wp_page_reader *r)
{
	if (r->split.in_element)
		wp_buf_str(&r->split.rest, wp_buf_view(&r->split.element));
	return read_rest(r, wp_buf_view(&r->split.rest));
}

void wp_page_json_close(wp_page_reader *r)
{
	wp_buf_free(&r->split.key);
	wp_buf_free(&r->split.element);
	wp_buf_free(&r->split.rest);
}

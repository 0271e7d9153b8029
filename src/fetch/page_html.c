/* SPDX-License-Identifier: MIT */
#include "ext/url.h"
#include "fetch/html.h"
#include "fetch/page_parts.h"

enum { MAX_BASE = 2048 }; /* bytes; every link costs as much */

/* "sha256=HEX", alone or among others. */
static const char *digest_in(wp_page_reader *r, wp_str words)
{
	wp_str word;

	while (wp_str_split(&words, '&', &word))
		if (wp_str_starts(word, "sha256="))
			return wp_page_digest(r, wp_str_sub(word, 7, word.n));
	return NULL;
}

/* Decoded value of an attribute; NULL where it is absent or empty. *bad where it is no text. */
static const char *value(wp_page_reader *r, const wp_html_tag *t, const char *name, bool *bad)
{
	const wp_html_attr *attr = wp_html_get(t, name);
	const char *text;

	if (!attr)
		return NULL;
	text = wp_html_text(r->scratch, attr->value);
	*bad |= !text;
	return text && *text ? text : NULL;
}

static void html_metadata(wp_page_reader *r, const wp_html_tag *t, wp_file *f, bool *bad)
{
	const char *v = value(r, t, "data-core-metadata", bad);

	if (!v)
		v = value(r, t, "data-dist-info-metadata", bad);
	f->has_metadata = v && strcmp(v, "false") != 0;
	f->metadata_sha256 = v ? digest_in(r, wp_str_of(v)) : NULL;
}

static int html_anchor(wp_page_reader *r, const wp_html_tag *t)
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
		f.sha256 = fragment ? digest_in(r, wp_str_of(fragment)) : NULL;
		f.url = wp_page_resolve(r, link);
		f.filename = f.url ? wp_url_last_part(r->scratch, f.url) : NULL;
	}
	return wp_page_add(r, &f);
}

static int html_meta(wp_page_reader *r, const wp_html_tag *t)
{
	bool bad = false;
	const char *name = value(r, t, "name", &bad), *content = value(r, t, "content", &bad);

	return wp_streq(name, "pypi:repository-version") && content ? wp_page_version(r, wp_str_of(content)) : 0;
}

/* The first base that says anything counts. */
static bool html_base(wp_page_reader *r, const wp_html_tag *t)
{
	bool bad = false;
	const char *href = value(r, t, "href", &bad), *url;

	if (!href)
		return false;
	url = wp_url_join(r->scratch, r->base, href);
	if (url && strlen(url) <= MAX_BASE && (wp_starts(url, "https://") || wp_starts(url, "http://")))
		wp_page_set_base(r, url);
	return true;
}

int wp_page_html(wp_page_reader *r, wp_str text)
{
	bool based = false;
	wp_html_tag t;

	while (!r->e->code && wp_html_next(&text, &t)) {
		if (!strcmp(t.name, "a")) {
			html_anchor(r, &t);
		} else if (!strcmp(t.name, "meta")) {
			html_meta(r, &t);
		} else if (!based) {
			based = html_base(r, &t);
		}
	}
	return r->e->code;
}

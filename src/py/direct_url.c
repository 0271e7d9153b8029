/* SPDX-License-Identifier: MIT */
#include "py/direct_url.h"
#include "base/json.h"
#include "base/vec.h"

#include <string.h>

typedef WP_VEC(wp_direct_hash) hash_list;

enum { MAX_DIRECT_URL = 1 << 20, MAX_HASHES = 64 };

/* ---- reading ---------------------------------------------------------------------------------- */

/* Every string of the object that has one of the names; the rest is skipped. */
typedef struct text_field {
	const char *name;
	const char **out;
} text_field;

static bool take_text(wp_json *j, wp_str key, const text_field *f, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (wp_str_is(key, f[i].name))
			return wp_json_cstr(j, f[i].out);
	return wp_json_skip(j);
}

static bool read_vcs(wp_json *j, wp_direct_url *out)
{
	const text_field f[] = {{"vcs", &out->vcs}, {"commit_id", &out->commit_id},
		{"requested_revision", &out->requested_revision}};
	wp_str key;

	if (!wp_json_object(j))
		return false;
	while (wp_json_key(j, &key))
		take_text(j, key, f, sizeof f / sizeof *f);
	if (!j->e->code && (!out->vcs || !out->commit_id))
		wp_json_fault(j, "vcs_info has no %s", out->vcs ? "commit_id" : "vcs");
	return !j->e->code;
}

static bool read_directory(wp_json *j, wp_direct_url *out)
{
	wp_str key;

	if (!wp_json_object(j))
		return false;
	while (wp_json_key(j, &key)) {
		if (!wp_str_is(key, "editable"))
			wp_json_skip(j);
		else if (!wp_json_null(j))
			out->has_editable = wp_json_bool(j, &out->editable);
	}
	return !j->e->code;
}

static bool read_hashes(wp_json *j, hash_list *list)
{
	wp_direct_hash h;
	wp_str key;

	if (!wp_json_object(j))
		return false;
	while (wp_json_key(j, &key)) {
		wp_str value;

		if (!wp_json_string(j, &value))
			break;
		if (list->n == MAX_HASHES)
			return wp_json_fault(j, "more than %d hashes", MAX_HASHES);
		h.algorithm = wp_str_dup(j->a, key);
		h.value = value.p;
		WP_PUSH(list, h);
	}
	return !j->e->code;
}

/* "sha256=0123...", as it was before there were several. With the others it must be one of them. */
static bool add_old_hash(wp_json *j, hash_list *list, bool others, const char *text)
{
	wp_str value = wp_str_of(text), algorithm;
	wp_direct_hash h;
	size_t i;

	wp_str_split(&value, '=', &algorithm);
	if (!value.p || algorithm.n == 0 || value.n == 0)
		return wp_json_fault(j, "hash '%s' is not written as algorithm=value", text);
	h = (wp_direct_hash){wp_str_dup(j->a, algorithm), value.p};
	for (i = 0; i < list->n; i++)
		if (strcmp(list->v[i].algorithm, h.algorithm) == 0 && strcmp(list->v[i].value, h.value) == 0)
			return true;
	if (others)
		return wp_json_fault(j, "hash '%s' is not one of the hashes", text);
	WP_PUSH(list, h);
	return true;
}

static bool read_archive(wp_json *j, wp_direct_url *out)
{
	const char *old = NULL;
	hash_list list = {0};
	bool others = false;
	wp_str key;

	if (!wp_json_object(j))
		return false;
	while (wp_json_key(j, &key)) {
		if (wp_str_is(key, "hashes") && !wp_json_null(j))
			others = read_hashes(j, &list);
		else if (wp_str_is(key, "hash"))
			wp_json_cstr(j, &old);
		else if (!wp_str_is(key, "hashes"))
			wp_json_skip(j);
	}
	if (old && !j->e->code)
		add_old_hash(j, &list, others, old);
	out->hashes = WP_VEC_COPY(j->a, &list);
	out->nhashes = list.n;
	out->has_hashes = others || list.n;
	WP_VEC_FREE(&list);
	return !j->e->code;
}

static bool read_info(wp_json *j, wp_direct_url *out, wp_str key, size_t *infos)
{
	const text_field f[] = {{"url", &out->url}, {"subdirectory", &out->subdirectory}};
	static const struct {
		const char *name;
		wp_direct_kind kind;
		bool (*read)(wp_json *j, wp_direct_url *out);
	} kinds[] = {{"vcs_info", WP_DIRECT_VCS, read_vcs}, {"archive_info", WP_DIRECT_ARCHIVE, read_archive},
		{"dir_info", WP_DIRECT_DIRECTORY, read_directory}};
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (wp_str_is(key, kinds[i].name) && !wp_json_null(j)) {
			++*infos;
			out->kind = kinds[i].kind;
			return kinds[i].read(j, out);
		} else if (wp_str_is(key, kinds[i].name)) {
			return true;
		}
	return take_text(j, key, f, 2);
}

/* file:/x and FILE:///x are file:///x. False where no absolute path follows. */
static bool normal_file_url(wp_arena *a, wp_str rest, const char **out)
{
	wp_str host = {0};

	if (wp_str_starts(rest, "//")) {
		rest = wp_str_sub(rest, 2, rest.n);
		host = wp_str_sub(rest, 0, wp_str_find(rest, '/'));
		rest = wp_str_sub(rest, host.n, rest.n);
	}
	if (!wp_str_starts(rest, "/"))
		return false;
	*out = wp_sprintf(a, "file://%.*s%.*s", (int)host.n, host.p ? host.p : "", (int)rest.n, rest.p);
	return true;
}

/* Scheme in lower case; NULL where there is none, or where a local directory is not one. */
static const char *normal_url(wp_arena *a, const char *url, wp_direct_kind kind)
{
	wp_str all = wp_str_of(url);
	const char *scheme, *out = url;
	size_t n = wp_str_find(all, ':'), i;

	for (i = 0; i < n; i++)
		if (!wp_ascii_alpha(url[i]) && (i == 0 || (!wp_ascii_alnum(url[i]) && !strchr("+-.", url[i]))))
			return NULL;
	if (n == 0 || n == all.n)
		return NULL;
	scheme = wp_str_lower(a, wp_str_sub(all, 0, n));
	all = wp_str_sub(all, n + 1, all.n);
	if (strcmp(scheme, "file") == 0)
		return normal_file_url(a, all, &out) ? out : NULL;
	return kind == WP_DIRECT_DIRECTORY ? NULL : wp_sprintf(a, "%s:%s", scheme, all.p);
}

static bool check(wp_json *j, wp_direct_url *out, size_t infos)
{
	const char *url;

	if (j->e->code)
		return false;
	if (!out->url)
		return wp_json_fault(j, "there is no url");
	if (infos != 1)
		return wp_json_fault(j, "one of vcs_info, archive_info and dir_info is needed, and there are %zu", infos);
	url = normal_url(j->a, out->url, out->kind);
	if (!url && out->kind == WP_DIRECT_DIRECTORY)
		return wp_json_fault(j, "'%s' is not the file: address of a local directory", out->url);
	if (!url)
		return wp_json_fault(j, "'%s' is not an address", out->url);
	out->url = url;
	return true;
}

int wp_direct_url_read(wp_arena *a, wp_str text, wp_direct_url *out, wp_error *e)
{
	size_t infos = 0;
	wp_json j;
	wp_str key;

	*out = (wp_direct_url){0};
	if (text.n > MAX_DIRECT_URL)
		return wp_fail(e, WP_E_DOCUMENT, "direct_url.json has %zu bytes; %d are allowed", text.n, MAX_DIRECT_URL);
	wp_json_init(&j, a, text, WP_E_DOCUMENT, e);
	if (wp_json_object(&j)) {
		while (wp_json_key(&j, &key))
			read_info(&j, out, key, &infos);
		check(&j, out, infos);
	}
	return wp_json_end(&j);
}

/* ---- secrets ---------------------------------------------------------------------------------- */

/* Take ${NAME} from the front. */
static bool take_variable(wp_str *s)
{
	size_t n = 2;

	if (!wp_str_starts(*s, "${"))
		return false;
	while (n < s->n && (wp_ascii_alnum(s->p[n]) || s->p[n] == '_' || s->p[n] == '-'))
		n++;
	if (n == 2 || n == s->n || s->p[n] != '}')
		return false;
	*s = wp_str_sub(*s, n + 1, s->n);
	return true;
}

static bool variables_only(wp_str user)
{
	if (!take_variable(&user))
		return false;
	if (user.n == 0)
		return true;
	if (user.p[0] != ':')
		return false;
	user = wp_str_sub(user, 1, user.n);
	return take_variable(&user) && user.n == 0;
}

const char *wp_url_without_secrets(wp_arena *a, const char *url, const char *const *safe, size_t n)
{
	wp_str all = wp_str_of(url), authority, user;
	size_t from = wp_str_find_str(all, WP_LIT("://")) + 3, i;

	if (from > all.n)
		return wp_strdup(a, url);
	authority = wp_str_sub(all, from, from + strcspn(url + from, "/?#"));
	i = wp_str_rfind(authority, '@');
	if (i == SIZE_MAX)
		return wp_strdup(a, url);
	user = wp_str_sub(authority, 0, i);
	if (variables_only(user))
		return wp_strdup(a, url);
	for (i = 0; i < n; i++)
		if (wp_str_is(user, safe[i]))
			return wp_strdup(a, url);
	return wp_sprintf(a, "%.*s%s", (int)from, url, user.p + user.n + 1);
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void put_string(wp_buf *b, const char *s)
{
	wp_buf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			wp_buf_putc(b, '\\');
		if ((unsigned char)*s < ' ')
			wp_buf_printf(b, "\\u%04x", (unsigned char)*s);
		else
			wp_buf_putc(b, *s);
	}
	wp_buf_putc(b, '"');
}

/* comma: something stands before it. */
static void put_text(wp_buf *b, bool comma, const char *key, const char *value)
{
	if (!value)
		return;
	wp_buf_puts(b, comma ? ", " : "");
	put_string(b, key);
	wp_buf_puts(b, ": ");
	put_string(b, value);
}

static void put_archive(wp_buf *b, const wp_direct_url *d)
{
	size_t i;

	wp_buf_puts(b, "{\"archive_info\": {");
	if (d->has_hashes)
		wp_buf_puts(b, "\"hashes\": {");
	for (i = 0; i < d->nhashes; i++)
		put_text(b, i > 0, d->hashes[i].algorithm, d->hashes[i].value);
	wp_buf_puts(b, d->has_hashes ? "}}" : "}");
}

wp_str wp_direct_url_write(wp_arena *a, const wp_direct_url *d)
{
	static const char *const safe[] = {"git"};
	wp_buf b;

	wp_buf_init(&b, 8 * MAX_DIRECT_URL);
	switch (d->kind) {
	case WP_DIRECT_ARCHIVE:
		put_archive(&b, d);
		break;
	case WP_DIRECT_DIRECTORY:
		wp_buf_puts(&b, "{\"dir_info\": {");
		if (d->has_editable)
			wp_buf_printf(&b, "\"editable\": %s", d->editable ? "true" : "false");
		wp_buf_puts(&b, "}");
		break;
	case WP_DIRECT_VCS:
		wp_buf_puts(&b, "{\"vcs_info\": {");
		put_text(&b, false, "commit_id", d->commit_id);
		put_text(&b, true, "requested_revision", d->requested_revision);
		put_text(&b, true, "vcs", d->vcs);
		wp_buf_puts(&b, "}");
		break;
	}
	put_text(&b, true, "subdirectory", d->subdirectory);
	put_text(&b, true, "url", wp_url_without_secrets(a, d->url, safe, 1));
	wp_buf_puts(&b, "}");
	return wp_buf_take(&b, a);
}

/* SPDX-License-Identifier: MIT */
#include "fetch/session.h"

#include <stdlib.h>

#include "ext/url.h"
#include "fetch/cache.h"
#include "os/os.h"

static const char **copy_strings(wp_arena *a, const char *const *v, size_t n)
{
	const char **out = WP_NEW_ARRAY(a, n, const char *);
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = wp_strdup(a, v[i]);
	return out;
}

static void copy_net(wp_session *s, const wp_net *net)
{
	s->net = *net;
	s->net.user_agent = wp_strdup(s->a, net->user_agent);
	s->net.ca_file = wp_strdup(s->a, net->ca_file);
	s->net.ca_dir = wp_strdup(s->a, net->ca_dir);
	s->net.proxy = wp_strdup(s->a, net->proxy);
	s->net.no_proxy = wp_strdup(s->a, net->no_proxy);
	s->net.trusted_hosts = copy_strings(s->a, net->trusted_hosts, net->ntrusted_hosts);
}

/* ---- indexes ------------------------------------------------------------------------------ */

/* The user named it for what is in it: without it a stranger's project of the same name would be taken. */
static int check_folder(const char *path, wp_error *e)
{
	bool file = os_is_file(path);

	if (os_is_dir(path))
		return 0;
	wp_fail(e, WP_E_NOT_FOUND, file ? "it is a file, and a folder of wheels is wanted" : "there is no such folder of wheels");
	if (file && wp_ends(path, ".whl"))
		wp_err_next(e, "name the folder that it is in, or the wheel itself where the requirements stand");
	else
		wp_err_next(e, "name a folder that is there with --find-links");
	return wp_err_where(e, "'%s'", path);
}

static int add_folder(wp_session *s, const wp_index *in, wp_source_index *out, wp_error *e)
{
	const char *path = in->url;

	if (strstr(path, "://")) {
		path = wp_file_url_path(s->a, path);
		if (!path) {
			wp_fail(e, WP_E_USAGE, "only a folder on this machine can be used for wheels: '%s'", in->url);
			return wp_err_next(e, "for PyTorch's own pages name the variant instead, for example --cuda cu121");
		}
	}
	out->url = path;
	if (in->must_be_there && check_folder(path, e))
		return e->code;
	return os_absolute(s->a, path, &out->folder, e);
}

static int add_index(wp_session *s, const wp_index *in, wp_source_index *out, wp_error *e)
{
	const char *url, *scheme;

	*out = (wp_source_index){.id = wp_strdup(s->a, in->id), .variant = in->variant};
	if (in->find_links || wp_starts(in->url, "file:"))
		return add_folder(s, in, out, e);
	url = wp_url_strip(s->a, in->url, &out->userpwd);
	scheme = url ? wp_url_scheme(s->a, url) : NULL;
	if (!scheme || (strcmp(scheme, "https") && strcmp(scheme, "http")))
		return wp_fail(e, WP_E_USAGE, "the index '%s' is no https address",
			url ? url : strchr(in->url, '@') ? in->id : in->url);
	out->url = wp_ends(url, "/") ? url : wp_sprintf(s->a, "%s/", url);
	out->origin = wp_url_origin(s->a, url);
	return 0;
}

const char *wp_session_userpwd(const wp_session *s, const char *index, const char *url)
{
	wp_arena *a = wp_arena_new();
	const char *origin = wp_url_origin(a, url), *found = NULL;
	size_t i;

	for (i = 0; i < s->nindexes; i++) {
		const wp_source_index *x = &s->indexes[i];

		if (!x->userpwd || !wp_streq(x->origin, origin))
			continue;
		if (!found || wp_streq(x->id, index))
			found = x->userpwd;
	}
	wp_arena_free(a);
	return found;
}

wp_finding *wp_fetch_note_add(wp_findings *to, wp_arena *a, wp_fetch_note note, const char *why)
{
	static const char *const table[][2] = {
#define ROW(name, code, title) {code, title},
		WP_FETCH_NOTES(ROW)
#undef ROW
	};

	return wp_finding_add(to, a, table[note][0], WP_NOTE, table[note][1], why, NULL);
}

void wp_session_note(wp_session *s, wp_fetch_note note, const char *why)
{
	wp_fetch_note_add(&s->notes, s->a, note, why);
}

struct wp_cache_writer *wp_session_writer(wp_session *s)
{
	if (!s->writer)
		s->writer = wp_cache_writer_open(s->cache, s->ctx->jobs > 1);
	return s->writer;
}

/* What is fetched has no other place than the cache. */
static int check_cache(const wp_session *s, wp_error *e)
{
	const char *dir = os_join(s->a, s->cache, "partial"), *probe = wp_sprintf(s->a, "%s/%d.probe", dir, os_pid());
	os_file *f;

	if (!os_mkdirs(dir, e) && !os_open(probe, OS_CREATE_NEW, &f, e)) {
		os_close(f, e);
		os_unlink(probe, e);
	}
	if (e->code) {
		wp_err_what(e, "cannot keep wheels in the cache '%s'", s->cache);
		wp_err_next(e, "name another place for the cache with --cache-dir DIR");
	}
	return e->code;
}

/* ---- interface ---------------------------------------------------------------------------- */

int wp_session_open(wp_ctx *ctx, const wp_session_options *o, wp_session **out, wp_error *e)
{
	wp_session *s = wp_xmalloc(sizeof *s);
	size_t i;

	*s = (wp_session){.ctx = ctx, .a = wp_arena_new(), .compat = o->compat};
	copy_net(s, &o->net);
	wp_catalog_init(s);
	s->indexes = WP_NEW_ARRAY(s->a, o->nindexes, wp_source_index);
	if (os_absolute(s->a, o->cache_dir, &s->cache, e) || (o->keeps && check_cache(s, e)))
		goto fail;
	for (i = 0; i < o->nindexes; i++, s->nindexes++)
		if (add_index(s, &o->indexes[i], &s->indexes[i], e))
			goto fail;
	*out = s;
	return 0;
fail:
	wp_session_close(s);
	return e->code;
}

void wp_session_close(wp_session *s)
{
	wp_error ignored = {0};

	if (!s)
		return;
	wp_cache_writer_close(s->writer, &ignored); /* it reads what the catalogue holds */
	wp_catalog_free(s);
	wp_http_close(s->http);
	wp_arena_free(s->a);
	free(s);
}

const wp_catalog *wp_session_catalog(wp_session *s)
{
	return &s->catalog;
}

const wp_findings *wp_session_notes(wp_session *s)
{
	wp_error e = {0};

	if (wp_cache_writer_close(s->writer, &e))
		wp_session_note(s, WP_FETCH_NO_CACHE, wp_sprintf(s->a, "%s: %s", e.where, e.why));
	s->writer = NULL;
	return &s->notes;
}

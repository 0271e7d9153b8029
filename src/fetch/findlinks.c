/* SPDX-License-Identifier: MIT */
#include "base/vec.h"
#include "ext/url.h"
#include "fetch/page.h"
#include "fetch/session.h"
#include "os/os.h"

/* C: of file:///C:/wheels */
static bool is_drive(const char *path)
{
	return wp_ascii_alpha(path[0]) && path[1] == ':' && (path[2] == '/' || path[2] == 0);
}

const char *wp_file_url_path(wp_arena *a, const char *url)
{
	const char *path;

	if (!wp_starts(url, "file://"))
		return NULL;
	path = url + strlen("file://");
	if (wp_starts(path, "localhost/"))
		path += strlen("localhost");
	path = path[0] == '/' ? wp_url_decode(a, wp_str_of(path)) : NULL;
	return path && os_is_windows() && is_drive(path + 1) ? path + 1 : path;
}

/* file:// address of a path; '/' stays as it is. */
static const char *file_url(wp_arena *a, const char *path)
{
	wp_str rest = wp_str_of(path), part;
	const char *url = path[0] == '/' ? "file://" : "file:///";
	bool first = true;

	if (is_drive(path)) {
		url = wp_sprintf(a, "%s%c:", url, path[0]);
		rest = wp_str_of(path + 2);
	}
	while (wp_str_split(&rest, '/', &part)) {
		url = wp_sprintf(a, "%s%s%s", url, first ? "" : "/", wp_url_encode(a, part));
		first = false;
	}
	return url;
}

static int list_names(wp_session *s, wp_source_index *x, wp_error *e)
{
	if (x->names)
		return 0;
	if (!os_is_dir(x->folder)) {
		wp_session_note(s, WP_FETCH_NO_FOLDER,
			os_is_file(x->folder) ? wp_sprintf(s->a, "%s is a file", x->folder) : x->folder);
		x->names = WP_NEW(s->a, const char *);
		return 0;
	}
	if (os_list(s->a, x->folder, &x->names, &x->nnames, e))
		return e->code;
	if (!x->names)
		x->names = WP_NEW(s->a, const char *);
	return 0;
}

static wp_file folder_file(wp_session *s, const wp_source_index *x, const char *name)
{
	wp_file f = {.filename = name, .size = -1, .index = x->id};
	const char *path = os_join(s->a, x->folder, name);
	wp_error ignored = {0};
	uint64_t size;
	os_kind kind;

	f.url = file_url(s->a, path);
	if (!os_stat(path, &kind, &size, &ignored) && kind == OS_FILE)
		f.size = (int64_t)size;
	return f;
}

int wp_folder_project(wp_session *s, wp_source_index *x, const char *project, const wp_project **out, wp_error *e)
{
	wp_arena *scratch = wp_arena_new();
	WP_VEC(wp_file) files = {0};
	wp_project *p;
	size_t i;

	*out = NULL;
	if (!list_names(s, x, e)) {
		for (i = 0; i < x->nnames; i++)
			if (wp_utf8_valid(wp_str_of(x->names[i])) && wp_page_belongs(scratch, x->names[i], project))
				WP_PUSH(&files, folder_file(s, x, x->names[i]));
		if (files.n) {
			p = WP_NEW(s->a, wp_project);
			*p = (wp_project){.name = wp_strdup(s->a, project),
				.index = x->id,
				.files = WP_VEC_COPY(s->a, &files),
				.nfiles = files.n};
			*out = p;
		}
	}
	WP_VEC_FREE(&files);
	wp_arena_free(scratch);
	return e->code;
}

/* SPDX-License-Identifier: MIT */
#include "base/vec.h"
#include "ext/url.h"
#include "fetch/page.h"
#include "fetch/session.h"
#include "os/os.h"
#include "py/name.h"
#include "py/tag.h"

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

/* One file of the folder, and a project that it is of: an sdist's name leaves that open. */
typedef struct wp_folder_name {
	const char *project, *name;
} wp_folder_name;

typedef struct listing {
	wp_arena *a, *scratch;
	WP_VEC(wp_folder_name) names;
} listing;

static void add_name(listing *l, const char *name, const char *project)
{
	if (wp_page_belongs(l->scratch, name, project))
		WP_PUSH(&l->names, ((wp_folder_name){wp_strdup(l->a, project), name}));
}

static void add_names(listing *l, const char *name)
{
	wp_str text = wp_str_of(name);
	wp_error ignored = {0};
	wp_wheel_name wheel;
	size_t i;

	if (!wp_utf8_valid(text))
		return;
	if (!wp_ends(name, ".whl")) {
		for (i = 1; i < text.n; i++)
			if (name[i] == '-')
				add_name(l, name, wp_name_normalize(l->scratch, wp_str_sub(text, 0, i)));
	} else if (!wp_wheel_name_parse(l->scratch, text, &wheel, &ignored)) {
		add_name(l, name, wheel.project);
	}
}

static int by_project(const void *x, const void *y)
{
	const wp_folder_name *a = x, *b = y;
	int d = strcmp(a->project, b->project);

	return d ? d : strcmp(a->name, b->name);
}

/* Each name is read once, however many projects are looked for. */
static void sort_names(wp_session *s, wp_source_index *x, const char *const *names, size_t n)
{
	enum { SCRATCH_NAMES = 1000 };
	listing l = {.a = s->a, .scratch = wp_arena_new()};
	size_t i;

	for (i = 0; i < n; i++) {
		add_names(&l, names[i]);
		if (i % SCRATCH_NAMES)
			continue;
		wp_arena_free(l.scratch);
		l.scratch = wp_arena_new();
	}
	wp_arena_free(l.scratch);
	if (l.names.n)
		qsort(l.names.v, l.names.n, sizeof *l.names.v, by_project);
	x->nnames = l.names.n;
	x->names = l.names.n ? WP_VEC_COPY(s->a, &l.names) : WP_NEW(s->a, wp_folder_name);
	WP_VEC_FREE(&l.names);
}

static int list_names(wp_session *s, wp_source_index *x, wp_error *e)
{
	const char **names = NULL;
	size_t n = 0;

	if (x->names)
		return 0;
	if (!os_is_dir(x->folder))
		wp_session_note(s, WP_FETCH_NO_FOLDER,
			os_is_file(x->folder) ? wp_sprintf(s->a, "%s is a file", x->folder) : x->folder);
	else if (os_list(s->a, x->folder, &names, &n, e))
		return e->code;
	sort_names(s, x, names, n);
	return 0;
}

/* The first name of the project, or where it would stand. */
static size_t first_of(const wp_source_index *x, const char *project)
{
	size_t low = 0, high = x->nnames;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(x->names[mid].project, project) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static wp_file folder_file(wp_session *s, const wp_source_index *x, const char *name)
{
	wp_file f = {.filename = name, .size = -1, .index = x->id};
	const char *path = os_join(s->a, x->folder, name);
	wp_error ignored = {0};
	uint64_t size;
	os_kind kind;

	f.url = wp_url_of_path(s->a, path);
	if (!os_stat(path, &kind, &size, &ignored) && kind == OS_FILE)
		f.size = (int64_t)size;
	return f;
}

int wp_folder_project(wp_session *s, wp_source_index *x, const char *project, const wp_project **out, wp_error *e)
{
	WP_VEC(wp_file) files = {0};
	wp_project *p;
	size_t i;

	*out = NULL;
	if (list_names(s, x, e))
		return e->code;
	for (i = first_of(x, project); i < x->nnames && wp_streq(x->names[i].project, project); i++)
		WP_PUSH(&files, folder_file(s, x, x->names[i].name));
	if (files.n) {
		p = WP_NEW(s->a, wp_project);
		*p = (wp_project){.name = wp_strdup(s->a, project),
			.index = x->id,
			.files = WP_VEC_COPY(s->a, &files),
			.nfiles = files.n};
		*out = p;
	}
	WP_VEC_FREE(&files);
	return 0;
}

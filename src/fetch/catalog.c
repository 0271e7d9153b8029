/* SPDX-License-Identifier: MIT */
/* The catalogue over the session's indexes: which index is asked for which project, and what is known already. */
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "fetch/session.h"

enum { WAIT_MS = 100 };

/* A project on its way along the indexes; the first that has it wins. */
typedef struct project_job {
	wp_session *s;
	const char *name;
	wp_source_index **route;
	size_t nroute, at;
	wp_page_job page;
	bool done;
	const wp_project *answer; /* NULL: no index has it */
	wp_error error;
} project_job;

struct wp_catalog_state {
	wp_map projects, files; /* name, key of a file -> place below */
	WP_VEC(project_job *) project_jobs;
	WP_VEC(wp_metadata_job *) file_jobs;
};

/* ---- route -------------------------------------------------------------------------------- */

static void add_step(project_job *j, wp_source_index *x)
{
	size_t i;

	for (i = 0; i < j->nroute; i++)
		if (j->route[i] == x)
			return;
	j->route[j->nroute++] = x;
}

static wp_source_index *variant_index(const wp_session *s)
{
	size_t i;

	for (i = 0; i < s->nindexes; i++)
		if (s->indexes[i].variant)
			return &s->indexes[i];
	return NULL;
}

static void plan_route(project_job *j)
{
	wp_session *s = j->s;
	wp_source_index *variant = variant_index(s);
	wp_family family = variant && s->compat ? wp_compat_family(s->compat, j->name) : WP_ORDINARY;
	size_t i;

	j->route = WP_NEW_ARRAY(s->a, s->nindexes, wp_source_index *);
	if (family != WP_ORDINARY)
		add_step(j, variant);
	if (family != WP_INDEX_BOUND)
		for (i = 0; i < s->nindexes; i++)
			add_step(j, &s->indexes[i]);
}

/* ---- projects ----------------------------------------------------------------------------- */

static void advance(project_job *j);

static void on_page(void *user)
{
	project_job *j = user;

	j->error = j->page.error;
	j->answer = j->page.answer;
	j->at++;
	advance(j);
}

/* True where the index answered at once. */
static bool ask(project_job *j, wp_source_index *x)
{
	if (x->folder) {
		wp_folder_project(j->s, x, j->name, &j->answer, &j->error);
		return true;
	}
	j->page = (wp_page_job){
		.s = j->s, .index = x, .project = j->name, .done = on_page, .user = j};
	if (!wp_page_start(&j->page))
		return false;
	j->error = j->page.error;
	j->answer = j->page.answer;
	return true;
}

/* On along the route until an index has the project, fails, or has to be waited for. */
static void advance(project_job *j)
{
	while (j->at < j->nroute && !j->answer && !j->error.code) {
		if (!ask(j, j->route[j->at]))
			return;
		j->at++;
	}
	j->done = true;
}

static project_job *project_of(wp_session *s, const char *name)
{
	wp_catalog_state *c = s->state;
	project_job *j;
	uint32_t at;

	if (wp_map_get(&c->projects, wp_str_of(name), &at))
		return c->project_jobs.v[at];
	j = WP_NEW(s->a, project_job);
	j->s = s;
	j->name = wp_strdup(s->a, name);
	wp_map_put(&c->projects, wp_str_of(name), (uint32_t)c->project_jobs.n);
	WP_PUSH(&c->project_jobs, j);
	plan_route(j);
	advance(j);
	return j;
}

/* Send off what waits, without waiting: the network is busy while the caller thinks. A fault shows again when
 * somebody waits for the answer. Before anybody had to wait, the cache may have all that is needed: a hint alone opens no
 * connection. */
static void nudge(wp_session *s)
{
	wp_error ignored = {0};

	if (s->http)
		(void)wp_pump(s, 0, &ignored);
}

static void want_projects(void *self, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		project_of(self, names[i]);
	nudge(self);
}

static int get_project(void *self, const char *name, const wp_project **out, wp_error *e)
{
	wp_session *s = self;
	project_job *j = project_of(s, name);

	while (!j->done) {
		wp_page_urgent(&j->page);
		if (wp_pump(s, WAIT_MS, e))
			return e->code;
	}
	*out = j->answer;
	if (!j->error.code)
		return 0;
	*e = j->error;
	return wp_err_where(e, "project '%s'", name);
}

/* ---- metadata ----------------------------------------------------------------------------- */

static wp_metadata_job *metadata_of(wp_session *s, const wp_file *file)
{
	wp_catalog_state *c = s->state;
	char key[WP_SHA256_HEX + 1];
	wp_metadata_job *j;
	uint32_t at;

	wp_metadata_key(file, key);
	if (wp_map_get(&c->files, wp_str_of(key), &at))
		return c->file_jobs.v[at];
	j = wp_metadata_start(s, file, key);
	wp_map_put(&c->files, wp_str_of(key), (uint32_t)c->file_jobs.n);
	WP_PUSH(&c->file_jobs, j);
	return j;
}

static void want_metadata(void *self, const wp_file *const *files, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		metadata_of(self, files[i]);
	nudge(self);
}

static int get_metadata(void *self, const wp_file *file, wp_str *out, wp_error *e)
{
	wp_session *s = self;
	wp_metadata_job *j = metadata_of(s, file);

	while (!wp_metadata_done(j)) {
		wp_metadata_urgent(j);
		if (wp_pump(s, WAIT_MS, e))
			return e->code;
	}
	if (wp_metadata_result(j, out, e))
		return wp_err_where(e, "metadata of '%s'", file->filename);
	return 0;
}

/* ---- life --------------------------------------------------------------------------------- */

void wp_catalog_init(wp_session *s)
{
	s->state = WP_NEW(s->a, wp_catalog_state);
	wp_map_init(&s->state->projects);
	wp_map_init(&s->state->files);
	s->catalog = (wp_catalog){.self = s,
		.want_projects = want_projects,
		.want_metadata = want_metadata,
		.project = get_project,
		.metadata = get_metadata};
}

void wp_catalog_free(wp_session *s)
{
	wp_catalog_state *c = s->state;
	size_t i;

	for (i = 0; i < c->project_jobs.n; i++)
		wp_page_drop(&c->project_jobs.v[i]->page);
	for (i = 0; i < c->file_jobs.n; i++)
		wp_metadata_drop(c->file_jobs.v[i]);
	WP_VEC_FREE(&c->project_jobs);
	WP_VEC_FREE(&c->file_jobs);
	wp_map_free(&c->projects);
	wp_map_free(&c->files);
}

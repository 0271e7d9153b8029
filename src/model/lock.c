/* SPDX-License-Identifier: MIT */
/* lock.c: wheelpack.lock/1, struct to text and back. The order of the keys is part of the format: the
 * document's digest is the environment's id. */
#include "base/map.h"
#include "model/fields.h"
#include "model/lock_json.h"
#include "py/requirement.h"
#include "wheelpack/lock.h"

/* Each wheel that was named by its address has an index of its own. */
enum { MAX_WHEELS = 20000, MAX_TARGETS = 256, MAX_INDEXES = 256 + MAX_WHEELS, MAX_REQUIRES = 10000 };

static const char *const digest_words[] = {"none", "index", "local", "first-use", "user"};

static bool digest_from_word(const char *word, wp_digest_state *out)
{
	size_t i;

	for (i = 0; i < sizeof digest_words / sizeof *digest_words; i++)
		if (wp_streq(word, digest_words[i])) {
			*out = (wp_digest_state)i;
			return true;
		}
	return false;
}

const wp_lock_wheel *wp_lock_find(const wp_lock_doc *d, const char *filename)
{
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		if (wp_streq(d->wheels[i].filename, filename))
			return &d->wheels[i];
	return NULL;
}

wp_names wp_names_of(const char *platform)
{
	return wp_starts(platform, "win") ? WP_NAMES_WINDOWS : wp_starts(platform, "macosx") ? WP_NAMES_MACOS : WP_NAMES_UNIX;
}

wp_names wp_lock_names(const wp_lock_doc *d, const char *filename)
{
	wp_names names = WP_NAMES_UNIX;
	size_t i;

	for (i = 0; i < d->ntargets; i++) {
		const wp_lock_target *t = &d->targets[i];

		if (wp_names_of(t->platform) > names && wp_among(t->wheels, t->nwheels, filename))
			names = wp_names_of(t->platform);
	}
	return names;
}

bool wp_lock_only(wp_lock_doc *d, const char *target)
{
	size_t i;

	for (i = 0; i < d->ntargets; i++)
		if (wp_streq(d->targets[i].name, target)) {
			d->targets += i;
			d->ntargets = 1;
			return true;
		}
	return false;
}

static bool asks_for(wp_arena *a, const char *requirement, const char *const *projects, size_t n)
{
	wp_error ignored = {0};
	wp_requirement r;

	return !wp_requirement_parse(a, wp_str_of(requirement), &r, &ignored) && wp_among(projects, n, r.project);
}

void wp_lock_without(wp_arena *a, wp_lock_doc *d, const char *const *projects, size_t n)
{
	const char **asked = WP_NEW_ARRAY(a, d->nrequirements + 1, const char *);
	wp_lock_target *targets = WP_NEW_ARRAY(a, d->ntargets + 1, wp_lock_target);
	wp_lock_wheel *wheels = WP_NEW_ARRAY(a, d->nwheels + 1, wp_lock_wheel);
	size_t i, k, left = 0;

	for (i = 0; i < d->nrequirements; i++)
		if (!asks_for(a, d->requirements[i], projects, n))
			asked[left++] = d->requirements[i];
	d->requirements = asked;
	d->nrequirements = left;
	for (i = 0; i < d->ntargets; i++) {
		const wp_lock_target *t = &d->targets[i];
		const char **files = WP_NEW_ARRAY(a, t->nwheels + 1, const char *);

		targets[i] = *t;
		targets[i].wheels = files;
		targets[i].nwheels = 0;
		for (k = 0; k < t->nwheels; k++)
			if (!wp_among(projects, n, wp_lock_find(d, t->wheels[k])->project))
				files[targets[i].nwheels++] = t->wheels[k];
	}
	for (i = left = 0; i < d->nwheels; i++)
		if (!wp_among(projects, n, d->wheels[i].project))
			wheels[left++] = d->wheels[i];
	d->targets = targets;
	d->wheels = wheels;
	d->nwheels = left;
}

const char *wp_lock_target_names(wp_arena *a, const wp_lock_doc *d)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < d->ntargets; i++)
		text = wp_sprintf(a, "%s%s%s", text, i ? ", " : "", d->targets[i].name);
	return text;
}

/* ---- write -------------------------------------------------------------------------------- */

static wp_jnode *put_request(const wp_lock_doc *d)
{
	wp_jnode *o = wp_jobject();

	wp_jput_strs(o, "requirements", d->requirements, d->nrequirements);
	wp_jput_strs(o, "constraints", d->constraints, d->nconstraints);
	wp_jput_str_or_null(o, "variant", d->variant);
	wp_jput_bool(o, "prerelease", d->prerelease);
	return o;
}

static wp_jnode *put_indexes(const wp_lock_doc *d)
{
	wp_jnode *list = wp_jarray(), *o;
	size_t i;

	for (i = 0; i < d->nindexes; i++) {
		o = wp_jobject();
		wp_jput_str(o, "id", d->indexes[i].id);
		wp_jput_str(o, "url", d->indexes[i].url);
		wp_jadd(list, o);
	}
	return list;
}

static wp_jnode *put_cuda(const wp_lock_target *t)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "version", t->cuda_version);
	wp_jput_str_or_null(o, "driver_runs", t->driver_runs);
	wp_jput_str_or_null(o, "driver_full", t->driver_full);
	wp_jput_strs(o, "arches", t->arches, t->narches);
	return o;
}

static wp_jnode *put_target(const wp_lock_target *t)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "name", t->name);
	wp_jput_str(o, "python", t->python);
	wp_jput_str(o, "platform", t->platform);
	wp_jput_str_or_null(o, "variant", t->variant);
	wp_jput_strs(o, "wheels", t->wheels, t->nwheels);
	if (t->cuda_version)
		wp_jput(o, "cuda", put_cuda(t));
	else
		wp_jput_null(o, "cuda");
	return o;
}

static wp_jnode *put_requires(const wp_lock_wheel *w)
{
	wp_jnode *list = wp_jarray(), *o;
	size_t i;

	for (i = 0; i < w->nrequires; i++) {
		o = wp_jobject();
		wp_jput_str(o, "requirement", w->requires[i].requirement);
		wp_jput_str(o, "project", w->requires[i].project);
		wp_jput_strs(o, "targets", w->requires[i].targets, w->requires[i].ntargets);
		wp_jadd(list, o);
	}
	return list;
}

static wp_jnode *put_wheel(const wp_lock_wheel *w)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "project", w->project);
	wp_jput_str(o, "version", w->version);
	wp_jput_str(o, "filename", w->filename);
	if (w->size >= 0)
		wp_jput_int(o, "size", w->size);
	else
		wp_jput_null(o, "size");
	wp_jput_str_or_null(o, "sha256", w->sha256);
	wp_jput_str(o, "digest", digest_words[w->digest]);
	wp_jput_str(o, "index", w->index);
	wp_jput_str(o, "url", w->url);
	wp_jput_str_or_null(o, "requires_python", w->requires_python);
	wp_jput_bool(o, "requested", w->requested);
	wp_jput(o, "requires", put_requires(w));
	return o;
}

wp_jnode *wp_lock_json(const wp_lock_doc *d)
{
	wp_jnode *o = wp_jobject(), *targets = wp_jarray(), *wheels = wp_jarray();
	size_t i;

	wp_jput_str(o, "schema", WP_LOCK_SCHEMA);
	wp_jput(o, "request", put_request(d));
	wp_jput(o, "indexes", put_indexes(d));
	for (i = 0; i < d->ntargets; i++)
		wp_jadd(targets, put_target(&d->targets[i]));
	wp_jput(o, "targets", targets);
	for (i = 0; i < d->nwheels; i++)
		wp_jadd(wheels, put_wheel(&d->wheels[i]));
	wp_jput(o, "wheels", wheels);
	return o;
}

int wp_lock_write(wp_arena *a, const wp_lock_doc *d, wp_str *out, wp_error *e)
{
	*out = wp_jtext(a, wp_lock_json(d));
	if (out->n > WP_MAX_DOCUMENT)
		return wp_fail(e, WP_E_TOO_LARGE, "the lock has %zu bytes, %d are allowed", out->n,
			(int)WP_MAX_DOCUMENT);
	return 0;
}

/* ---- read --------------------------------------------------------------------------------- */

static bool read_request(wp_json *j, void *out)
{
	wp_lock_doc *d = out;
	wp_field f[] = {
		{"requirements", WP_F_STRS, &d->requirements, &d->nrequirements},
		{"constraints", WP_F_STRS, &d->constraints, &d->nconstraints},
		{"variant", WP_F_STR_OR_NULL, &d->variant},
		{"prerelease", WP_F_BOOL, &d->prerelease},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_index(wp_json *j, void *out)
{
	wp_lock_index *x = out;
	wp_field f[] = {
		{"id", WP_F_STR, &x->id},
		{"url", WP_F_STR, &x->url},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_indexes(wp_json *j, void *out)
{
	wp_lock_doc *d = out;

	return wp_fields_each(j, sizeof *d->indexes, MAX_INDEXES, read_index, (void **)&d->indexes,
		&d->nindexes);
}

static bool read_cuda(wp_json *j, void *out)
{
	wp_lock_target *t = out;
	wp_field f[] = {
		{"version", WP_F_STR, &t->cuda_version},
		{"driver_runs", WP_F_STR_OR_NULL, &t->driver_runs},
		{"driver_full", WP_F_STR_OR_NULL, &t->driver_full},
		{"arches", WP_F_STRS, &t->arches, &t->narches},
	};

	if (wp_json_peek(j) == WP_JSON_NULL)
		return wp_json_null(j);
	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_target(wp_json *j, void *out)
{
	wp_lock_target *t = out;
	wp_field f[] = {
		{"name", WP_F_STR, &t->name},
		{"python", WP_F_STR, &t->python},
		{"platform", WP_F_STR, &t->platform},
		{"variant", WP_F_STR_OR_NULL, &t->variant},
		{"wheels", WP_F_STRS, &t->wheels, &t->nwheels},
		{"cuda", WP_F_CALL, t, NULL, read_cuda},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_targets(wp_json *j, void *out)
{
	wp_lock_doc *d = out;

	return wp_fields_each(j, sizeof *d->targets, MAX_TARGETS, read_target, (void **)&d->targets,
		&d->ntargets);
}

static bool read_require(wp_json *j, void *out)
{
	wp_lock_require *r = out;
	wp_field f[] = {
		{"requirement", WP_F_STR, &r->requirement},
		{"project", WP_F_STR, &r->project},
		{"targets", WP_F_STRS, &r->targets, &r->ntargets},
	};

	if (!wp_fields_read(j, f, sizeof f / sizeof *f))
		return false;
	return wp_normal_name(r->project) || wp_json_fault(j, "'%.64s' is no project name", r->project);
}

static bool read_requires(wp_json *j, void *out)
{
	wp_lock_wheel *w = out;

	return wp_fields_each(j, sizeof *w->requires, MAX_REQUIRES, read_require, (void **)&w->requires,
		&w->nrequires);
}

static bool read_digest(wp_json *j, void *out)
{
	const char *word;

	if (!wp_json_cstr(j, &word))
		return false;
	return (word && digest_from_word(word, out)) ||
		wp_json_fault(j, "'%.64s' is no digest state", word ? word : "null");
}

static bool check_wheel(wp_json *j, const wp_lock_wheel *w)
{
	if (!wp_normal_name(w->project))
		return wp_json_fault(j, "'%.64s' is no project name", w->project);
	if (!wp_plain_filename(w->filename) || !wp_ends(w->filename, ".whl"))
		return wp_json_fault(j, "'%.128s' is no wheel's file name", w->filename);
	if (w->sha256 && !wp_sha256_text(w->sha256))
		return wp_json_fault(j, "'%.80s' is no sha256", w->sha256);
	if ((w->sha256 != NULL) != (w->digest != WP_DIGEST_NONE))
		return wp_json_fault(j, "digest is '%s' %s a sha256", digest_words[w->digest],
			w->sha256 ? "with" : "without");
	return true;
}

static bool read_wheel(wp_json *j, void *out)
{
	wp_lock_wheel *w = out;
	wp_field f[] = {
		{"project", WP_F_STR, &w->project},
		{"version", WP_F_STR, &w->version},
		{"filename", WP_F_STR, &w->filename},
		{"size", WP_F_SIZE, &w->size},
		{"sha256", WP_F_STR_OR_NULL, &w->sha256},
		{"digest", WP_F_CALL, &w->digest, NULL, read_digest},
		{"index", WP_F_STR, &w->index},
		{"url", WP_F_STR, &w->url},
		{"requires_python", WP_F_STR_OR_NULL, &w->requires_python},
		{"requested", WP_F_BOOL, &w->requested},
		{"requires", WP_F_CALL, w, NULL, read_requires},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f) && check_wheel(j, w);
}

static bool read_wheels(wp_json *j, void *out)
{
	wp_lock_doc *d = out;

	return wp_fields_each(j, sizeof *d->wheels, MAX_WHEELS, read_wheel, (void **)&d->wheels, &d->nwheels);
}

static int check_indexes(const wp_lock_doc *d, wp_error *e)
{
	wp_map ids;
	uint32_t seen;
	size_t i;
	int rc = 0;

	wp_map_init(&ids);
	for (i = 0; i < d->nindexes && !rc; i++)
		if (!wp_map_put(&ids, wp_str_of(d->indexes[i].id), 0))
			rc = wp_fail(e, WP_E_DOCUMENT, "index '%.64s' is listed twice", d->indexes[i].id);
	for (i = 0; i < d->nwheels && !rc; i++)
		if (!wp_map_get(&ids, wp_str_of(d->wheels[i].index), &seen))
			rc = wp_fail(e, WP_E_DOCUMENT, "'%.128s' names index '%.64s', which is not listed",
				d->wheels[i].filename, d->wheels[i].index);
	wp_map_free(&ids);
	return rc;
}

static int check_target(const wp_lock_target *t, const wp_map *files, wp_error *e)
{
	uint32_t seen;
	size_t i;

	for (i = 0; i < t->nwheels; i++) {
		if (!wp_map_get(files, wp_str_of(t->wheels[i]), &seen))
			return wp_fail(e, WP_E_DOCUMENT, "target '%.64s' names '%.128s', which is not among the wheels",
				t->name, t->wheels[i]);
		if (i > 0 && strcmp(t->wheels[i - 1], t->wheels[i]) >= 0)
			return wp_fail(e, WP_E_DOCUMENT, "target '%.64s': wheels are not sorted at '%.128s'",
				t->name, t->wheels[i]);
	}
	return 0;
}

/* What no single value shows: every name that is used is there, and none is there twice. */
static int check_links(const wp_lock_doc *d, wp_error *e)
{
	wp_map files;
	size_t i;
	int rc = check_indexes(d, e);

	wp_map_init(&files);
	for (i = 0; i < d->nwheels && !rc; i++)
		if (!wp_map_put(&files, wp_str_of(d->wheels[i].filename), 0))
			rc = wp_fail(e, WP_E_DOCUMENT, "'%.128s' is listed twice", d->wheels[i].filename);
	for (i = 0; i < d->ntargets && !rc; i++)
		rc = check_target(&d->targets[i], &files, e);
	wp_map_free(&files);
	return rc;
}

int wp_lock_read(wp_arena *a, wp_str text, wp_lock_doc *out, wp_error *e)
{
	wp_json j;
	wp_field f[] = {
		{"schema", WP_F_WORD, WP_LOCK_SCHEMA},
		{"request", WP_F_CALL, out, NULL, read_request},
		{"indexes", WP_F_CALL, out, NULL, read_indexes},
		{"targets", WP_F_CALL, out, NULL, read_targets},
		{"wheels", WP_F_CALL, out, NULL, read_wheels},
	};

	*out = (wp_lock_doc){0};
	if (text.n > WP_MAX_DOCUMENT)
		return wp_fail(e, WP_E_TOO_LARGE, "the lock has %zu bytes, %d are allowed", text.n,
			(int)WP_MAX_DOCUMENT);
	wp_json_init(&j, a, text, WP_E_DOCUMENT, e);
	if (!wp_fields_read(&j, f, sizeof f / sizeof *f))
		return e->code;
	if (wp_json_end(&j))
		return e->code;
	return check_links(out, e);
}

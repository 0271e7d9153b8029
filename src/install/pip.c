/* SPDX-License-Identifier: MIT
 *
 * pip.c: the pip that the base interpreter brings goes into the venv as one more wheel of the plan. It lies where
 * ensurepip has it; what the venv keeps as its lock has it too.
 */
#include "base/json.h"
#include "ext/hash.h"
#include "ext/url.h"
#include "install/notes.h"
#include "py/tag.h"

#define INDEX "ensurepip"

static const char script[] =
	"import glob, json, os, sysconfig\n"
	"dirs = [sysconfig.get_config_var('WHEEL_PKG_DIR')]\n" /* of systems that keep them elsewhere */
	"try:\n"
	"    import ensurepip\n"
	"    dirs.append(os.path.join(os.path.dirname(ensurepip.__file__), '_bundled'))\n"
	"except ImportError:\n"
	"    pass\n"
	"found = [sorted(glob.glob(os.path.join(glob.escape(d), 'pip-*.whl'))) for d in dirs if d]\n"
	"print('\\n' + json.dumps({'wheels': [os.path.abspath(path) for paths in found for path in paths]}))\n";

/* The wheels of the lock, and pip's. */
typedef struct source {
	wp_wheels others;
	const char *pip, *path;
} source;

static int open_any(void *self, const char *filename, const char *sha256, wp_blob *out, wp_error *e)
{
	const source *s = self;

	if (wp_streq(filename, s->pip))
		return os_blob(s->path, out, e);
	return s->others.open(s->others.self, filename, sha256, out, e);
}

static int none(const wp_plan *p, wp_error *e)
{
	wp_fail(e, WP_E_NO_INTERPRETER, "'%s' brings no pip for --with-pip: it has no ensurepip with a wheel of it", p->python.path);
	if (p->windows)
		return wp_err_next(e, "change its installation and tick pip, or name pip among the requirements of the bundle");
	return wp_err_next(e, "install its package python%s-venv, or name pip among the requirements of the bundle",
		p->python.markers.python_version);
}

static int ask(const wp_plan *p, const char *const **paths, size_t *n, wp_error *e)
{
	wp_str line, key;
	wp_json j;

	if (wp_python_tell(p->ctx, p->python.path, script, &line, e))
		return e->code;
	*n = 0;
	wp_json_init(&j, p->a, line, WP_E_NO_INTERPRETER, e);
	if (wp_json_object(&j))
		while (wp_json_key(&j, &key)) {
			if (wp_str_is(key, "wheels"))
				wp_json_strings(&j, paths, n);
			else
				wp_json_skip(&j);
		}
	return wp_json_end(&j);
}

/* The newest of the wheels of pip. */
static int find(const wp_plan *p, const char **path, wp_wheel_name *name, wp_error *e)
{
	const char *const *paths = NULL;
	size_t i, n;

	if (ask(p, &paths, &n, e))
		return e->code;
	*path = NULL;
	for (i = 0; i < n; i++) {
		wp_error ignored = {0};
		wp_wheel_name w;

		if (!os_is_absolute(paths[i]) || wp_wheel_name_parse(p->a, wp_str_of(os_basename(paths[i])), &w, &ignored) ||
			!wp_streq(w.project, "pip") || (*path && wp_version_cmp(&w.version, &name->version) <= 0))
			continue;
		*path = paths[i];
		*name = w;
	}
	return *path ? 0 : none(p, e);
}

/* ---- locks ---------------------------------------------------------------------------------- */

static const wp_lock_wheel *wheel_of(const wp_lock_doc *d, const wp_lock_target *t)
{
	size_t i;

	for (i = 0; i < t->nwheels; i++) {
		const wp_lock_wheel *w = wp_lock_find(d, t->wheels[i]);

		if (w && wp_streq(w->project, "pip"))
			return w;
	}
	return NULL;
}

/* A lock of this wheel alone. */
static wp_lock_doc lock_of(wp_arena *a, const wp_lock_wheel *w, const wp_lock_index *x)
{
	const char **asked = WP_NEW_ARRAY(a, 1, const char *);
	wp_lock_doc d = {.requirements = asked, .nrequirements = 1, .nindexes = 1, .nwheels = 1};

	asked[0] = "pip";
	d.wheels = WP_NEW(a, wp_lock_wheel);
	d.wheels[0] = *w;
	d.indexes = WP_NEW(a, wp_lock_index);
	d.indexes[0] = *x;
	return d;
}

/* What the venv keeps has pip too. */
static void record(wp_plan *p, const wp_lock_wheel *w, const char *index_url)
{
	wp_lock_doc *old = WP_NEW(p->a, wp_lock_doc), *out = WP_NEW(p->a, wp_lock_doc), more;
	wp_lock_wheel row = *w;
	wp_lock_index x;

	*old = *p->record;
	wp_lock_only(old, p->in->loose ? old->targets[0].name : p->target->name);
	x = (wp_lock_index){wp_lock_free_id(p->a, old, INDEX, index_url), index_url};
	row.index = x.id;
	more = lock_of(p->a, &row, &x);
	wp_lock_join(p->a, old, &more, out);
	p->record = out;
}

static int lock_wheel(const wp_plan *p, const char *path, const wp_wheel_name *name, wp_lock_wheel *w, wp_error *e)
{
	char hex[WP_SHA256_HEX + 1];
	wp_blob blob;

	if (os_blob(path, &blob, e))
		return e->code;
	*w = (wp_lock_wheel){.project = "pip", .version = name->version.norm, .filename = wp_strdup(p->a, os_basename(path)),
		.size = (int64_t)blob.size, .digest = WP_DIGEST_LOCAL, .index = INDEX, .url = wp_url_of_path(p->a, path),
		.requested = true};
	wp_sha256_blob(&blob, hex, e);
	blob.close(blob.self);
	w->sha256 = wp_strdup(p->a, hex);
	return e->code;
}

/* The request with one wheel more, behind the others. */
static void add(wp_plan *p, const wp_lock_wheel *w, const char *path)
{
	wp_install_request *in = WP_NEW(p->a, wp_install_request);
	wp_lock_doc *d = WP_NEW(p->a, wp_lock_doc);
	wp_lock_target *t = WP_NEW(p->a, wp_lock_target);
	const char **files = WP_NEW_ARRAY(p->a, p->target->nwheels + 1, const char *);
	source *s = WP_NEW(p->a, source);
	size_t i;

	*in = *p->in;
	*d = *in->lock;
	*t = *p->target;
	d->wheels = WP_NEW_ARRAY(p->a, d->nwheels + 1, wp_lock_wheel);
	for (i = 0; i < d->nwheels; i++)
		d->wheels[i] = in->lock->wheels[i];
	d->wheels[d->nwheels++] = *w;
	for (i = 0; i < t->nwheels; i++)
		files[i] = t->wheels[i];
	files[t->nwheels++] = w->filename;
	t->wheels = files;
	*s = (source){in->wheels, w->filename, path};
	in->wheels = (wp_wheels){s, open_any};
	in->lock = d;
	p->in = in;
	p->target = t;
	p->pip = w->filename;
}

/* ---- the venv -------------------------------------------------------------------------------- */

int wp_plan_pip(wp_plan *p, wp_error *e)
{
	const wp_installed *d;
	wp_wheel_name name;
	wp_lock_wheel w;
	const char *path;
	wp_site site;

	if (wheel_of(p->in->lock, p->target)) {
		wp_plan_note(p, WP_INSTALL_PIP_OF_LOCK, wheel_of(p->in->lock, p->target)->filename);
		return 0;
	}
	if (!p->is_new) {
		if (wp_site_read(p->a, p->venv, p->python.venv_site, &site, e))
			return e->code;
		if ((d = wp_site_find(&site, "pip"))) {
			wp_plan_note(p, WP_INSTALL_HAS_PIP, wp_sprintf(p->a, "pip %s", d->version));
			return 0;
		}
	}
	if (find(p, &path, &name, e) || lock_wheel(p, path, &name, &w, e))
		return e->code;
	record(p, &w, wp_url_of_path(p->a, wp_sprintf(p->a, "%s/", os_dirname(p->a, path))));
	add(p, &w, path);
	return 0;
}

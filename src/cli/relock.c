/* SPDX-License-Identifier: MIT */
/* A lock that is there already: what of it is kept, and what became of it. */
#include "base/map.h"
#include "base/near.h"
#include "base/vec.h"
#include "cli/relock.h"
#include "os/os.h"
#include "py/name.h"
#include "py/requirement.h"
#include "py/version.h"

static int no_lock(const char *path, const wp_error *why, wp_error *e)
{
	wp_fail(e, WP_E_EXISTS, "'%s' is there already, and is no lock: %s", path, why->why);
	return wp_err_next(e, "choose another name with -o, or remove the file first");
}

int cli_earlier_lock(cli *c, const char *path, const wp_lock_doc **out, wp_error *e)
{
	wp_lock_doc *d = WP_NEW(c->ctx.arena, wp_lock_doc);
	wp_error own = {0};
	uint64_t size;
	os_kind kind;
	wp_str text;

	*out = NULL;
	if (!path)
		return 0;
	if (!os_is_dir(os_dirname(c->ctx.arena, path))) {
		wp_fail(e, WP_E_NOT_FOUND, "there is no such directory to write '%s' into", os_basename(path));
		wp_err_next(e, "make the directory, or choose another place with -o");
		return wp_err_where(e, "'%s'", os_dirname(c->ctx.arena, path));
	}
	if (os_stat(path, &kind, &size, e) || kind == OS_ABSENT)
		return e->code;
	if (!os_is_file(path)) {
		wp_fail(e, WP_E_EXISTS, "'%s' is no ordinary file, and is not replaced", path);
		return wp_err_next(e, "-o names the file that the lock is written to");
	}
	if (os_read_file(c->ctx.arena, path, WP_MAX_DOCUMENT, &text, &own)) {
		if (own.code == WP_E_TOO_LARGE)
			return no_lock(path, &own, e);
		*e = own;
		return wp_err_what(e, "cannot read the lock that is there");
	}
	if (!text.n)
		return 0; /* nothing is lost */
	if (wp_lock_read(c->ctx.arena, text, d, &own))
		return no_lock(path, &own, e);
	*out = d;
	return 0;
}

/* ---- --update ----------------------------------------------------------------------------- */

static const wp_lock_wheel *wheel_of(const wp_lock_doc *d, const char *project)
{
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		if (wp_streq(d->wheels[i].project, project))
			return &d->wheels[i];
	return NULL;
}

int cli_near_project(cli *c, const wp_lock_doc *d, const char *name, wp_error *e)
{
	const char **names = WP_NEW_ARRAY(c->ctx.arena, d->nwheels, const char *), *near;
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		names[i] = d->wheels[i].project;
	near = wp_near(name, names, d->nwheels);
	return near ? wp_err_next(e, "did you mean `%s`?", near) : (int)e->code;
}

static bool is_asked_for(cli *c, const cli_list *requirements, const char *project)
{
	wp_requirement r;
	wp_error ignored = {0};
	size_t i;

	for (i = 0; i < requirements->n; i++)
		if (wp_requirement_parse(c->ctx.arena, wp_str_of(requirements->v[i]), &r, &ignored) == 0 &&
			wp_streq(r.project, project))
			return true;
	return false;
}

/* "--update torch numpy" may be meant as an update of all, with torch as a requirement. */
static int check_name(cli *c, const wp_lock_doc *earlier, const cli_list *requirements, const char *project,
	wp_error *e)
{
	const wp_lock_wheel *w = earlier ? wheel_of(earlier, project) : NULL;

	if (!earlier) {
		wp_fail(e, WP_E_USAGE, "--update names '%s', but there is no earlier lock", project);
		return wp_err_next(e, "-o names the lock to update");
	}
	if (!w) {
		wp_fail(e, WP_E_USAGE, "--update names '%s', which is not in '%s'", project, c->o.out);
		return cli_near_project(c, earlier, project, e);
	}
	if (w->requested && !is_asked_for(c, requirements, project)) {
		wp_fail(e, WP_E_USAGE, "--update names '%s', which would then not be asked for any more", project);
		return wp_err_next(e, "name the requirements before --update, as they were: %s",
			earlier->nrequirements ? earlier->requirements[0] : project);
	}
	return 0;
}

int cli_kept(cli *c, const wp_lock_doc *earlier, const cli_list *requirements, wp_lock_request *q, wp_error *e)
{
	const char **names = WP_NEW_ARRAY(c->ctx.arena, c->o.update.n, const char *);
	bool all = c->o.upgrade;
	size_t i;

	for (i = 0; i < c->o.update.n; i++) {
		const char *given = c->o.update.v[i];

		if (!*given) {
			all = true;
			continue;
		}
		names[q->nupdate] = wp_name_normalize(c->ctx.arena, wp_str_of(given));
		if (check_name(c, earlier, requirements, names[q->nupdate++], e))
			return e->code;
	}
	q->update = names;
	q->keep = all ? NULL : earlier;
	return 0;
}

/* ---- other targets ------------------------------------------------------------------------ */

static bool is_target_of(const cli_request *q, const char *name)
{
	size_t i;

	for (i = 0; i < q->ntargets; i++)
		if (wp_streq(q->targets[i].name, name))
			return true;
	return false;
}

/* "cp312-win_amd64, cp312-manylinux_2_28_x86_64-cu126". */
static void add_name(wp_buf *b, const char *name)
{
	wp_buf_printf(b, "%s%s", b->n ? ", " : "", name);
}

void cli_retargeted(cli *c, const wp_lock_doc *earlier, const cli_request *q)
{
	wp_findings told = {0};
	bool same = earlier && earlier->ntargets == q->ntargets;
	wp_buf was, now;
	size_t i;

	if (!earlier)
		return;
	wp_buf_init(&was, 1 << 16);
	wp_buf_init(&now, 1 << 16);
	for (i = 0; i < earlier->ntargets; i++) {
		add_name(&was, earlier->targets[i].name);
		same = same && is_target_of(q, earlier->targets[i].name);
	}
	for (i = 0; i < q->ntargets; i++)
		add_name(&now, q->targets[i].name);
	if (!same) {
		wp_finding_add(&told, c->ctx.arena, "N601", WP_WARNING, "the lock changes its targets",
			wp_sprintf(c->ctx.arena, "'%s' was for %s, it is now for %s", c->o.out, was.n ? was.p : "none", now.p),
			"to keep its targets leave --target, --python, --platform, --cuda and --cpu out");
		cli_findings(c, &told);
	}
	wp_buf_free(&was);
	wp_buf_free(&now);
}

/* ---- what changed ------------------------------------------------------------------------- */

/* A wheel before the i-th has its project and version. */
static bool is_told(const wp_lock_doc *d, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (wp_streq(d->wheels[k].project, d->wheels[i].project) && wp_streq(d->wheels[k].version, d->wheels[i].version))
			return true;
	return false;
}

/* "1.0", or "1.0, 2.0" where targets differ; NULL where the project is not in it. */
static const char *versions_in(cli *c, const wp_lock_doc *d, const char *project)
{
	const char *text = NULL;
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		if (wp_streq(d->wheels[i].project, project) && !is_told(d, i))
			text = text ? wp_sprintf(c->ctx.arena, "%s, %s", text, d->wheels[i].version) : d->wheels[i].version;
	return text;
}

static void add_change(cli *c, wp_jnode *list, const char *project, const char *from, const char *to)
{
	wp_jnode *o = wp_jobject();

	if (from && to)
		cli_say(c, "%s %s -> %s\n", project, from, to);
	else if (from)
		cli_say(c, "%s %s is not needed any more\n", project, from);
	else
		cli_say(c, "%s %s is new\n", project, to);
	wp_jput_str(o, "project", project);
	wp_jput_str_or_null(o, "from", from);
	wp_jput_str_or_null(o, "to", to);
	wp_jadd(list, o);
}

/* Projects of both, once each, sorted. */
static const char **all_projects(cli *c, const wp_lock_doc *x, const wp_lock_doc *y, size_t *n)
{
	const char **v = WP_NEW_ARRAY(c->ctx.arena, x->nwheels + y->nwheels, const char *);
	size_t i, k = 0;

	*n = 0;
	for (i = 0; i < x->nwheels; i++)
		v[(*n)++] = x->wheels[i].project;
	for (i = 0; i < y->nwheels; i++)
		v[(*n)++] = y->wheels[i].project;
	if (*n)
		qsort(v, *n, sizeof *v, wp_cmp_cstr);
	for (i = 0; i < *n; i++)
		if (!k || !wp_streq(v[k - 1], v[i]))
			v[k++] = v[i];
	*n = k;
	return v;
}

wp_jnode *cli_changes(cli *c, const wp_lock_doc *from, const wp_lock_doc *to)
{
	wp_jnode *list = wp_jarray();
	const char **projects;
	size_t i, n, changed = 0;

	projects = all_projects(c, from, to, &n);
	for (i = 0; i < n; i++) {
		const char *old = versions_in(c, from, projects[i]), *now = versions_in(c, to, projects[i]);

		if (wp_streq(old, now))
			continue;
		add_change(c, list, projects[i], old, now);
		changed++;
	}
	if (!changed)
		cli_say(c, "no version changed\n");
	return list;
}

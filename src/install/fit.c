/* SPDX-License-Identifier: MIT
 *
 * fit.c: may these wheels go to this interpreter on this machine? The target of the lock promises
 * tags and marker values; here they are held to what the interpreter says of itself.
 */
#include "install/parts.h"
#include "os/os.h"

/* ---- the target ---------------------------------------------------------------------------- */

static bool platform_fits(wp_arena *a, const char *machine, const char *platform)
{
	const char *const *tags;
	size_t n = machine[0] ? wp_platform_tags(a, machine, &tags) : 0;

	return n && wp_among(tags, n, platform);
}

static bool runs(const wp_plan *p, const wp_target *t)
{
	return wp_streq(t->python_tag, p->python.soabi_tag) && platform_fits(p->a, p->python.platform_tag, t->platform);
}

static bool wanted(const wp_plan *p, const wp_lock_target *t)
{
	return !p->in->target || strcmp(p->in->target, t->name) == 0;
}

static int check_named(const wp_plan *p, wp_error *e)
{
	const wp_lock_doc *d = p->in->lock;
	size_t i;

	for (i = 0; i < d->ntargets; i++)
		if (wanted(p, &d->targets[i]))
			return 0;
	if (!p->in->target)
		return wp_fail(e, WP_E_DOCUMENT, "the lock has no target");
	wp_fail(e, WP_E_TARGET, "the lock has no target '%s', it has: %s", p->in->target, wp_lock_target_names(p->a, d));
	return wp_err_next(e, "name one of these, or leave --target out");
}

/* The base of the venv that the new one is to take the place of. */
static bool find_old_base(wp_plan *p)
{
	const wp_lock_doc *d = p->in->lock;
	wp_interpreter own;
	wp_error ignored = {0};
	wp_target t;
	size_t i;

	if (!p->beside || wp_interpreter_ask(p->ctx, wp_venv_python(p->a, p->venv), &own, &ignored) ||
		wp_interpreter_ask(p->ctx, own.executable, &p->python, &ignored))
		return false;
	for (i = 0; i < d->ntargets; i++)
		if (wanted(p, &d->targets[i]) && !wp_target_parse(p->a, d->targets[i].name, &t, &ignored) &&
			runs(p, &t))
			return true;
	return false;
}

/* No interpreter was named: the first target of this machine for which there is one. */
static int find_for_targets(wp_plan *p, wp_error *e)
{
	const char *machine = os_platform_tag(p->a);
	const wp_lock_doc *d = p->in->lock;
	wp_error first = {0};
	wp_target t;
	size_t i;

	for (i = 0; i < d->ntargets; i++) {
		wp_error err = {0};

		if (!wanted(p, &d->targets[i]))
			continue;
		if (wp_target_parse(p->a, d->targets[i].name, &t, e))
			return e->code;
		if (!platform_fits(p->a, machine, t.platform))
			continue;
		if (!wp_interpreter_find(p->ctx, t.python_tag, p->in->search_path, p->in->home,
			    &p->python, &err))
			return 0;
		if (!first.code)
			first = err;
	}
	if (!first.code)
		return wp_fail(e, WP_E_WRONG_TARGET, "made for %s, this machine is %s",
			wp_lock_target_names(p->a, d), machine[0] ? machine : "of an unknown platform");
	*e = first;
	return e->code;
}

/* Is the interpreter that was named for a venv that is there one of its kind? */
static int check_asked(const wp_plan *p, wp_error *e)
{
	static const char next[] = "leave --python out, or choose a new directory for --venv";
	const char *asked = p->in->python;
	wp_error ignored = {0};
	wp_interpreter named;

	if (!asked)
		return 0;
	if (!strchr(asked, '/')) {
		if (wp_python_spec_fits(asked, &p->python))
			return 0;
		wp_fail(e, WP_E_VENV, "it has Python %s, '%s' was asked for", p->python.version, asked);
		return wp_err_next(e, "%s", next);
	}
	if (!os_is_file(asked))
		return wp_fail(e, WP_E_NO_INTERPRETER, "there is no '%s'", asked);
	if (wp_interpreter_ask(p->ctx, asked, &named, &ignored) || wp_streq(named.soabi_tag, p->python.soabi_tag))
		return 0;
	wp_fail(e, WP_E_VENV, "it has Python %s (%s), and '%s' is Python %s (%s)", p->python.version, p->python.soabi_tag,
		asked, named.version, named.soabi_tag);
	return wp_err_next(e, "%s", next);
}

int wp_fit_python(wp_plan *p, wp_error *e)
{
	const char *own = wp_venv_python(p->a, p->venv);
	wp_error err = {0};

	if (p->is_new && (p->in->python || !p->in->lock))
		return wp_interpreter_find(p->ctx, p->in->python, p->in->search_path, p->in->home,
			&p->python, e);
	if (p->is_new)
		return find_old_base(p) ? 0 : find_for_targets(p, e);
	if (wp_interpreter_ask(p->ctx, own, &p->python, &err)) {
		wp_check_cancel(p->ctx, e); /* the child heard the signal too */
		return e->code ? (int)e->code : wp_venv_no_python(p->a, p->venv, own, err.why, e);
	}
	return wp_venv_check_version(p->a, p->venv, &p->python, e) ? (int)e->code : check_asked(p, e);
}

/* The name has no patch level of Python; the markers were evaluated with that of the target's `python`, which has no
 * word of threads. */
static int take_target(wp_plan *p, const wp_lock_target *t, const wp_target *named, wp_error *e)
{
	const char *python = named->threaded ? wp_sprintf(p->a, "%st", t->python) : t->python;

	p->target = t;
	if (wp_target_make(p->a, python, named->platform, NULL, &p->want, e))
		return e->code;
	if (!wp_streq(p->want.python_tag, named->python_tag))
		return wp_fail(e, WP_E_DOCUMENT, "the lock says Python %s of its target '%s'", t->python, t->name);
	return 0;
}

static int choose_target(wp_plan *p, wp_error *e)
{
	const wp_lock_doc *d = p->in->lock;
	wp_target t;
	size_t i;

	for (i = 0; i < d->ntargets; i++) {
		if (!wanted(p, &d->targets[i]))
			continue;
		if (wp_target_parse(p->a, d->targets[i].name, &t, e))
			return e->code;
		if (!runs(p, &t))
			continue;
		if (p->target)
			return wp_fail(e, WP_E_TARGET, "both %s and %s fit: name one with --target",
				p->target->name, d->targets[i].name);
		if (take_target(p, &d->targets[i], &t, e))
			return e->code;
	}
	if (!p->target)
		return wp_fail(e, WP_E_WRONG_TARGET, "made for %s, '%s' is %s on %s",
			wp_lock_target_names(p->a, d), p->python.path, p->python.soabi_tag,
			p->python.platform_tag[0] ? p->python.platform_tag
						  : "an unknown platform");
	return 0;
}

/* What an install into a venv of Windows needs. */
static int check_windows(const wp_plan *p, wp_error *e)
{
	const char *pth = p->is_new ? wp_venv_blinded(p->a, &p->python) : NULL;

	if (pth) {
		wp_fail(e, WP_E_NO_INTERPRETER, "'%s' imports no site, so that '%s' sees no packages of a venv", pth,
			p->python.path);
		return wp_err_next(e, "take the # off the line `import site` in that file, or choose another --python");
	}
	if (p->in->launchers.console.n && p->in->launchers.gui.n)
		return 0;
	wp_fail(e, WP_E_WRONG_TARGET, "'%s' is a Python for Windows, and this wheelpack was built without the launchers "
		"that scripts need there", p->python.path);
	return wp_err_next(e, "use a wheelpack that was built where there is x86_64-w64-mingw32-gcc");
}

/* How the venv's interpreter is, or will be, named in scripts. */
static int name_python(wp_plan *p, wp_error *e)
{
	const char *bin = p->conda ? os_dirname(p->a, wp_venv_python(p->a, p->venv)) : os_join(p->a, p->venv, p->python.venv_bin);
	const char *windowed = os_join(p->a, bin, "pythonw.exe");

	p->windows = wp_python_windows(&p->python);
	p->run_python = wp_native_path(p->a, p->windows, os_join(p->a, bin, p->windows ? "python.exe" : "python"));
	if (!p->windows)
		return 0;
	if (p->is_new ? wp_venv_windowed(p->a, &p->python) : os_is_file(windowed))
		p->run_pythonw = wp_native_path(p->a, true, windowed);
	return check_windows(p, e);
}

/* Of a lock that was made for this interpreter. */
static int fit_loose(wp_plan *p, wp_error *e)
{
	p->python = p->in->loose->python;
	p->target = p->in->lock->targets;
	return wp_target_make(p->a, p->python.soabi_tag, p->python.platform_tag, NULL, &p->want, e);
}

int wp_fit_target(wp_plan *p, wp_error *e)
{
	if (p->in->loose ? fit_loose(p, e) : check_named(p, e) || wp_fit_python(p, e) || choose_target(p, e))
		return e->code;
	if (name_python(p, e))
		return e->code;
	return wp_target_make(p->a, p->python.soabi_tag, p->python.platform_tag, NULL, &p->real, e);
}

/* ---- each wheel ---------------------------------------------------------------------------- */

const char *wp_other_wheel(const wp_plan *p)
{
	return p->is_new ? "take a wheel that was built for it, or choose another --python"
			 : "take a wheel that was built for it, or another venv";
}

static int check_tags(const wp_plan *p, const wp_in_wheel *w, wp_error *e)
{
	if (wp_wheel_rank(&w->wheel.name, &p->real) != SIZE_MAX)
		return 0;
	wp_fail(e, WP_E_WRONG_TARGET, "its tags %s-%s-%s don't fit %s on %s", w->wheel.name.python,
		w->wheel.name.abi, w->wheel.name.platform, p->python.soabi_tag, p->real.platform);
	if (p->in->loose)
		wp_err_next(e, "%s", wp_other_wheel(p));
	return wp_err_where(e, "'%s'", w->wheel.filename);
}

/* Read as a requirement on `python`, so that old spellings are repaired in one place. */
bool wp_requires_python_met(wp_arena *a, const char *requires_python, const char *version)
{
	wp_error ignored = {0};
	wp_requirement r;
	wp_version v;

	if (!requires_python || !requires_python[0])
		return true;
	if (wp_requirement_parse_lenient(a, wp_str_of(wp_sprintf(a, "python %s", requires_python)), &r, NULL, &ignored))
		return true;
	return wp_version_parse(a, wp_str_of(version), &v) && wp_specifiers_match(&r.specifiers, &v);
}

static int check_requires_python(const wp_plan *p, const wp_in_wheel *w, wp_error *e)
{
	if (wp_requires_python_met(p->a, w->wheel.metadata.requires_python, p->python.version))
		return 0;
	wp_fail(e, WP_E_REQUIRES_PYTHON, "it requires Python %s, '%s' is %s",
		w->wheel.metadata.requires_python, p->python.path, p->python.version);
	return wp_err_where(e, "'%s'", w->wheel.filename);
}

/* ---- the set under the real markers --------------------------------------------------------- */

typedef struct need {
	const char *project, *extra; /* extra NULL: the project itself */
	const char *why;
} need;

typedef struct closure {
	wp_plan *p;
	const wp_markers *env;
	wp_map seen; /* "project" and "project[extra]" */
	WP_VEC(need) queue;
} closure;

static void push(closure *c, const char *project, const char *extra, const char *why)
{
	const char *key = extra ? wp_sprintf(c->p->a, "%s[%s]", project, extra) : project;

	if (wp_map_put(&c->seen, wp_str_of(key), 1))
		WP_PUSH(&c->queue, ((need){project, extra, why}));
}

/* A text that cannot be read was judged when the lock was made. */
static void require(closure *c, const char *text, const char *extra, const char *who)
{
	wp_error ignored = {0};
	wp_requirement r;
	const char *why;
	size_t i;

	if (wp_requirement_parse_lenient(c->p->a, wp_str_of(text), &r, NULL, &ignored) ||
		!wp_marker_eval(r.marker, c->env, &extra, extra ? 1 : 0))
		return;
	why = wp_sprintf(c->p->a, "%s requires '%s'", who, text);
	push(c, r.project, NULL, why);
	for (i = 0; i < r.nextras; i++)
		push(c, r.project, r.extras[i], why);
}

static const wp_in_wheel *wheel_of(const wp_plan *p, const char *project)
{
	size_t i;

	for (i = 0; i < p->nwheels; i++)
		if (strcmp(p->wheels[i].lock->project, project) == 0)
			return &p->wheels[i];
	return NULL;
}

static void closure_make(closure *c, wp_plan *p, const wp_markers *env)
{
	const wp_lock_doc *d = p->in->lock;
	size_t i, k;

	*c = (closure){.p = p, .env = env};
	wp_map_init(&c->seen);
	for (i = 0; i < d->nrequirements; i++)
		require(c, d->requirements[i], NULL, "the request");
	for (i = 0; i < c->queue.n; i++) {
		need n = c->queue.v[i];
		const wp_in_wheel *w = wheel_of(p, n.project);

		for (k = 0; w && k < w->wheel.metadata.nrequires_dist; k++)
			require(c, w->wheel.metadata.requires_dist[k], n.extra,
				wp_sprintf(p->a, "%s %s", w->lock->project, w->lock->version));
	}
}

static void closure_free(closure *c)
{
	wp_map_free(&c->seen);
	WP_VEC_FREE(&c->queue);
}

/* Each need of c that other has not. */
static int differences(const closure *c, const closure *other, bool real, wp_error *e)
{
	uint32_t ignored;
	size_t i;

	for (i = 0; i < c->queue.n; i++) {
		const need *n = &c->queue.v[i];
		wp_error f = {0};

		if (n->extra || wp_map_get(&other->seen, wp_str_of(n->project), &ignored))
			continue;
		if (real)
			wp_fail(&f, WP_E_WRONG_TARGET, "'%s' needs %s as well: %s, which holds there and not for %s",
				c->p->python.path, n->project, n->why, c->p->target->name);
		else
			wp_fail(&f, WP_E_WRONG_TARGET, "'%s' does not need %s: %s, which holds for %s and not there",
				c->p->python.path, n->project, n->why, c->p->target->name);
		if (wp_plan_refuse(c->p, SIZE_MAX, &f, e))
			return e->code;
	}
	return 0;
}

/* The first need of c for which the lock names no wheel. */
static const need *without_wheel(const closure *c)
{
	size_t i;

	for (i = 0; i < c->queue.n; i++)
		if (!wheel_of(c->p, c->queue.v[i].project))
			return &c->queue.v[i];
	return NULL;
}

static int check_markers(wp_plan *p, wp_error *e)
{
	closure want, real;
	const need *n;

	closure_make(&want, p, &p->want.markers);
	closure_make(&real, p, &p->python.markers);
	if ((n = without_wheel(&want))) {
		wp_error f = {0};

		wp_fail(&f, WP_E_DOCUMENT, "the lock has no wheel of %s for %s: %s", n->project, p->target->name, n->why);
		wp_plan_refuse(p, SIZE_MAX, &f, e);
	} else {
		differences(&real, &want, true, e);
		differences(&want, &real, false, e);
	}
	closure_free(&want);
	closure_free(&real);
	return e->code;
}

int wp_fit_wheels(wp_plan *p, wp_error *e)
{
	size_t i;

	for (i = 0; i < p->nwheels; i++) {
		wp_error f = {0};

		if (p->wheels[i].bad)
			continue;
		check_tags(p, &p->wheels[i], &f);
		if (wp_plan_refuse(p, i, &f, e))
			return e->code;
		check_requires_python(p, &p->wheels[i], &f);
		if (wp_plan_refuse(p, i, &f, e))
			return e->code;
	}
	return p->in->loose ? 0 : check_markers(p, e); /* loose.c has judged them by the real markers */
}

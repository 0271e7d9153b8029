/* SPDX-License-Identifier: MIT */
#include "resolve/direct.h"

#include "base/vec.h"
#include "ext/url.h"
#include "py/tag.h"

/* ---- the address -------------------------------------------------------------------------- */

static bool sha256_text(wp_str s)
{
	unsigned char bytes[WP_SHA256_HEX / 2];

	return wp_unhex(s, bytes, sizeof bytes);
}

/* "sha256=..." and names that mean nothing for a wheel; a digest of another kind would be a promise that nobody
 * keeps. */
static int read_fragment(wp_arena *a, wp_str rest, wp_direct_wheel *out, wp_error *e)
{
	wp_str part;

	while (wp_str_split(&rest, '&', &part)) {
		if (!part.n || wp_str_starts(part, "egg="))
			continue;
		if (!wp_str_starts(part, "sha256="))
			return wp_fail(e, WP_E_REQUIREMENT, "'#%s' is not understood; '#sha256=' and 64 hex digits are",
				wp_str_dup(a, part));
		part = wp_str_sub(part, strlen("sha256="), part.n);
		if (!sha256_text(part))
			return wp_fail(e, WP_E_REQUIREMENT, "'%s' is no sha256", wp_str_dup(a, part));
		out->file.sha256 = wp_str_lower(a, part);
	}
	return 0;
}

static int check_scheme(wp_arena *a, const char *url, wp_error *e)
{
	const char *scheme = strstr(url, "://") ? wp_url_scheme(a, url) : NULL, *userpwd;

	if (wp_starts(url, "file:///") || wp_starts(url, "file://localhost/"))
		return 0;
	if (wp_starts(url, "file://"))
		return wp_fail(e, WP_E_REQUIREMENT, "'%s' names another machine", url);
	if (scheme && (strchr(scheme, '+') || wp_streq(scheme, "git"))) {
		wp_fail(e, WP_E_REQUIREMENT, "'%s' is a source repository, which is not built here", url);
		return wp_err_next(e, "build a wheel of it elsewhere (`pip wheel`), and name that");
	}
	if (!scheme || !(wp_streq(scheme, "https") || wp_streq(scheme, "http"))) {
		wp_fail(e, WP_E_REQUIREMENT, "'%s' is no address of a wheel", url);
		return wp_err_next(e, "give an https:// or file:/// address that ends in .whl, or the wheel's path alone");
	}
	if (!wp_url_strip(a, url, &userpwd) || !userpwd)
		return 0;
	wp_fail(e, WP_E_REQUIREMENT, "the address holds a password, which the lock would hand on");
	return wp_err_next(e, "leave it out: the one of an index on the same host (--extra-index-url) is used there too");
}

static int read_name(wp_arena *a, const wp_requirement *r, wp_direct_wheel *out, wp_error *e)
{
	static const char *const sources[] = {".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz"};
	wp_str path = {out->file.url, strcspn(out->file.url, "?")};
	const char *name = wp_url_last_part(a, out->file.url);
	wp_wheel_name w;
	size_t i;

	for (i = 0; name && i < sizeof sources / sizeof *sources; i++)
		if (wp_ends(name, sources[i])) {
			wp_fail(e, WP_E_REQUIREMENT, "'%s' is a source distribution, which is not built here", name);
			return wp_err_next(e, "build a wheel of it elsewhere (`pip wheel`), and name that");
		}
	if (!name || !wp_ends(name, ".whl") || strpbrk(name, "/\\"))
		return wp_fail(e, WP_E_REQUIREMENT, "the address does not end in the name of a wheel");
	if (wp_wheel_name_parse(a, wp_str_of(name), &w, e)) {
		e->code = WP_E_REQUIREMENT;
		return e->code;
	}
	if (!wp_streq(w.project, r->project))
		return wp_fail(e, WP_E_REQUIREMENT, "'%s' is a wheel of '%s', not of '%s'", name, w.project, r->project);
	out->file.filename = name;
	out->folder = wp_str_dup(a, wp_str_sub(path, 0, wp_str_rfind(path, '/') + 1));
	return 0;
}

int wp_direct_parse(wp_arena *a, const wp_requirement *r, size_t number, wp_direct_wheel *out, wp_error *e)
{
	wp_str url = wp_str_of(r->url), address = wp_str_sub(url, 0, wp_str_find(url, '#'));

	*out = (wp_direct_wheel){.file = {.size = -1, .index = wp_sprintf(a, "direct%zu", number)}};
	out->file.url = wp_str_dup(a, address);
	if (check_scheme(a, out->file.url, e) || read_fragment(a, wp_str_sub(url, address.n + 1, url.n), out, e) ||
		read_name(a, r, out, e))
		return e->code;
	out->page = (wp_project){.name = r->project, .index = out->file.index, .files = &out->file, .nfiles = 1};
	return 0;
}

/* ---- the catalogue ------------------------------------------------------------------------ */

static const wp_direct_wheel *find(const wp_direct *d, const char *project)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (wp_streq(d->v[i]->page.name, project))
			return d->v[i];
	return NULL;
}

static void want_projects(void *self, const char *const *names, size_t n)
{
	const wp_direct *d = self;
	WP_VEC(const char *) others = {0};
	size_t i;

	for (i = 0; i < n; i++)
		if (!find(d, names[i]))
			WP_PUSH(&others, names[i]);
	if (others.n)
		d->below->want_projects(d->below->self, others.v, others.n);
	WP_VEC_FREE(&others);
}

static void want_metadata(void *self, const wp_file *const *files, size_t n)
{
	const wp_direct *d = self;

	d->below->want_metadata(d->below->self, files, n);
}

static int get_project(void *self, const char *name, const wp_project **out, wp_error *e)
{
	const wp_direct *d = self;
	const wp_direct_wheel *w = find(d, name);

	if (!w)
		return d->below->project(d->below->self, name, out, e);
	*out = &w->page;
	return 0;
}

static int get_metadata(void *self, const wp_file *file, wp_str *out, wp_error *e)
{
	const wp_direct *d = self;

	return d->below->metadata(d->below->self, file, out, e);
}

void wp_direct_init(wp_direct *d, wp_arena *a, const wp_catalog *below, size_t room)
{
	*d = (wp_direct){.below = below, .v = WP_NEW_ARRAY(a, room, const wp_direct_wheel *)};
	d->api = (wp_catalog){d, want_projects, want_metadata, get_project, get_metadata};
}

int wp_direct_add(wp_direct *d, const wp_direct_wheel *w, wp_error *e)
{
	const wp_direct_wheel *other = find(d, w->page.name);

	if (!other) {
		d->v[d->n++] = w;
		return 0;
	}
	if (wp_streq(other->file.url, w->file.url) && wp_streq(other->file.sha256, w->file.sha256))
		return 0;
	return wp_fail(e, WP_E_REQUIREMENT, "'%s' is asked for from '%s' and from '%s' at once", w->page.name,
		other->file.url, w->file.url);
}

/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli/cli.h"
#include "py/version.h"

typedef struct filter {
	wp_version torch, driver;
	bool by_torch, by_driver;
	const char *python; /* cp312 */
} filter;

static int read_version(cli *c, const char *option, const char *example, const char *text, wp_version *out, bool *given,
	wp_error *e)
{
	if (!text)
		return 0;
	if (!wp_version_parse(c->ctx.arena, wp_str_of(text), out))
		return wp_fail(e, WP_E_USAGE, "--%s takes a version such as %s, not '%s'", option, example, text);
	*given = true;
	return 0;
}

static int read_python(cli *c, filter *f, wp_error *e)
{
	wp_target t;

	if (!c->o.python)
		return 0;
	if (wp_target_make(c->ctx.arena, c->o.python, "linux", NULL, &t, e))
		return e->code;
	f->python = t.python_tag;
	return 0;
}

static int cmp_text(wp_arena *a, const char *x, const wp_version *y)
{
	wp_version v;

	return x && wp_version_parse(a, wp_str_of(x), &v) ? wp_version_cmp(&v, y) : 0;
}

/* Unknown facts don't exclude. */
static bool variant_fits(cli *c, const wp_variant_fact *v, const filter *f)
{
	wp_arena *a = c->ctx.arena;

	if (f->by_torch && (cmp_text(a, v->torch_first, &f->torch) > 0 ||
				   (v->closed && cmp_text(a, v->torch_last, &f->torch) < 0)))
		return false;
	if (f->by_driver && cmp_text(a, v->driver_runs_linux, &f->driver) > 0 &&
		cmp_text(a, v->driver_runs_windows, &f->driver) > 0)
		return false;
	if (f->python && v->npythons_linux + v->npythons_win &&
		!wp_among(v->pythons_linux, v->npythons_linux, f->python) && !wp_among(v->pythons_win, v->npythons_win, f->python))
		return false;
	return true;
}

static const char *or_dash(const char *s)
{
	return s ? s : "-";
}

static const char *joined(wp_arena *a, const char *const *v, size_t n)
{
	wp_buf b;
	size_t i;

	wp_buf_init(&b, 4096);
	for (i = 0; i < n; i++)
		wp_buf_printf(&b, "%s%s", i ? " " : "", v[i]);
	return wp_buf_take(&b, a).p;
}

static const char *span(wp_arena *a, const char *const *v, size_t n)
{
	return n > 1 ? wp_sprintf(a, "%s to %s", v[0], v[n - 1]) : n ? v[0] : "-";
}

static wp_jnode *variant_json(const wp_variant_fact *v)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "variant", v->name);
	wp_jput_str(o, "cuda", v->cuda);
	wp_jput_str(o, "torch_first", v->torch_first);
	wp_jput_str(o, "torch_last", v->torch_last);
	wp_jput_bool(o, "closed", v->closed);
	wp_jput_strs(o, "platforms", v->platforms, v->nplatforms);
	wp_jput_str(o, "driver_runs_linux", v->driver_runs_linux);
	wp_jput_str(o, "driver_runs_windows", v->driver_runs_windows);
	wp_jput_str(o, "driver_full_linux", v->driver_full_linux);
	wp_jput_str(o, "driver_full_windows", v->driver_full_windows);
	wp_jput_strs(o, "arches", v->arches, v->narches);
	return o;
}

static wp_jnode *say_variants(cli *c, const filter *f)
{
	wp_jnode *list = wp_jarray();
	size_t i;

	cli_answer(c, "%-8s %-20s %-7s %-23s %s\n", "variant", "torch", "", "driver that runs it", "GPU architectures");
	for (i = 0; i < c->compat.nvariants; i++) {
		const wp_variant_fact *v = &c->compat.variants[i];

		if (!variant_fits(c, v, f))
			continue;
		cli_answer(c, "%-8s %-8s to %-8s %-7s %-10s / %-10s %s\n", v->name, or_dash(v->torch_first),
			or_dash(v->torch_last), v->closed ? "closed" : "", or_dash(v->driver_runs_linux),
			or_dash(v->driver_runs_windows), joined(c->ctx.arena, v->arches, v->narches));
		wp_jadd(list, variant_json(v));
	}
	cli_answer(c, "(drivers: Linux / Windows; closed: no newer torch will come)\n\n");
	return list;
}

static bool release_fits(cli *c, const wp_release_fact *r, const filter *f)
{
	if (f->by_torch && cmp_text(c->ctx.arena, r->torch, &f->torch) != 0)
		return false;
	return !f->python || wp_among(r->pythons_linux, r->npythons_linux, f->python) ||
		wp_among(r->pythons_win, r->npythons_win, f->python);
}

/* The variants of one release that the driver leaves, for one system: out has room for n. */
static size_t variants_left(cli *c, const char *const *v, size_t n, const filter *f, const char **out)
{
	const filter driver_only = {.by_driver = f->by_driver, .driver = f->driver};
	size_t i, left = 0;

	for (i = 0; i < n; i++) {
		const wp_variant_fact *fact = wp_compat_variant(&c->compat, v[i]);

		if (!fact || variant_fits(c, fact, &driver_only))
			out[left++] = v[i];
	}
	return left;
}

static wp_jnode *say_release(cli *c, const wp_release_fact *r, const filter *f)
{
	wp_arena *a = c->ctx.arena;
	const char **win = WP_NEW_ARRAY(a, r->nvariants_win + 1, const char *);
	const char **lin = WP_NEW_ARRAY(a, r->nvariants_linux + 1, const char *);
	size_t nwin = variants_left(c, r->variants_win, r->nvariants_win, f, win);
	size_t nlin = variants_left(c, r->variants_linux, r->nvariants_linux, f, lin);
	wp_jnode *o = wp_jobject();

	cli_answer(c, "%-8s %-12s %-11s %-15s %-32s %s\n", r->torch, or_dash(r->torchvision), or_dash(r->torchaudio),
		span(a, r->pythons_win, r->npythons_win), joined(a, win, nwin), joined(a, lin, nlin));
	wp_jput_str(o, "torch", r->torch);
	wp_jput_str(o, "torchvision", r->torchvision);
	wp_jput_str(o, "torchaudio", r->torchaudio);
	wp_jput_strs(o, "pythons_windows", r->pythons_win, r->npythons_win);
	wp_jput_strs(o, "pythons_linux", r->pythons_linux, r->npythons_linux);
	wp_jput_strs(o, "variants_windows", win, nwin);
	wp_jput_strs(o, "variants_linux", lin, nlin);
	return o;
}

static wp_jnode *say_releases(cli *c, const filter *f)
{
	wp_jnode *list = wp_jarray();
	size_t i, n = 0;

	cli_answer(c, "%-8s %-12s %-11s %-15s %-32s %s\n", "torch", "torchvision", "torchaudio", "Python", "variants, Windows",
		"variants, Linux");
	for (i = c->compat.nreleases; i > 0; i--)
		if (release_fits(c, &c->compat.releases[i - 1], f)) {
			wp_jadd(list, say_release(c, &c->compat.releases[i - 1], f));
			n++;
		}
	if (!n)
		cli_answer(c, "none that is known\n");
	cli_answer(c, "(as known on %s; a release that isn't listed is unknown here, not refused)\n", c->compat.as_of);
	return list;
}

static bool is_known(cli *c, const wp_version *torch)
{
	size_t i;

	for (i = 0; i < c->compat.nreleases; i++)
		if (cmp_text(c->ctx.arena, c->compat.releases[i].torch, torch) == 0)
			return true;
	return false;
}

static void say_unknown(cli *c)
{
	const wp_compat *d = &c->compat;

	cli_answer(c, "no torch %s is known; those that are known on %s are %s to %s\n", c->o.torch, d->as_of,
		d->releases[0].torch, d->releases[d->nreleases - 1].torch);
	wp_jput(c->result, "variants", wp_jarray());
	wp_jput(c->result, "releases", wp_jarray());
}

static int run(cli *c, wp_error *e)
{
	filter f = {0};

	wp_err_what(e, "cannot show the matrix");
	if (c->o.args.n)
		return wp_fail(e, WP_E_USAGE, "`wheelpack matrix` takes options only, not '%s'", c->o.args.v[0]);
	if (read_version(c, "torch", "2.6.0", c->o.torch, &f.torch, &f.by_torch, e) ||
		read_version(c, "driver", "528.33", c->o.driver, &f.driver, &f.by_driver, e) || read_python(c, &f, e))
		return e->code;
	c->result = wp_jobject();
	if (f.by_torch && !is_known(c, &f.torch)) {
		say_unknown(c);
		return 0;
	}
	wp_jput(c->result, "variants", say_variants(c, &f));
	wp_jput(c->result, "releases", say_releases(c, &f));
	return 0;
}

static const char *const options[] = {"torch", "python", "driver", NULL};

const cli_command cmd_matrix = {
	.name = "matrix",
	.summary = "which variant has which torch for which Python, and the drivers they need",
	.usage = "[--torch V] [--python V] [--driver V]",
	.about = "Prints the table that comes with wheelpack, or what a given driver, Python or torch leaves of it.\n\n"
		 "  wheelpack matrix\n"
		 "  wheelpack matrix --driver 528.33\n"
		 "  wheelpack matrix --python 3.13 --torch 2.6.0\n",
	.options = options,
	.run = run,
};

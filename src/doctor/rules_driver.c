/* SPDX-License-Identifier: MIT */
/* rules_driver.c: is there a driver, and is it new enough for the CUDA of this torch. */
#include "doctor/rules.h"

/* Dotted numbers; a missing part counts as 0, anything else ends the comparison. */
static int cmp_dotted(const char *a, const char *b)
{
	wp_str x = wp_str_of(a), y = wp_str_of(b), p = {0}, q = {0};
	bool more_x = true, more_y = true;

	while (more_x || more_y) {
		uint64_t m = 0, n = 0;

		more_x = more_x && wp_str_split(&x, '.', &p) && wp_str_u64(p, &m);
		more_y = more_y && wp_str_split(&y, '.', &q) && wp_str_u64(q, &n);
		if (m != n)
			return m < n ? -1 : 1;
	}
	return 0;
}

static const char *runs_on(const wp_exam *x, const wp_variant_fact *v)
{
	return x->in->windows ? v->driver_runs_windows : v->driver_runs_linux;
}

static const wp_variant_fact *variant_of_cuda(const wp_compat *c, const char *cuda)
{
	size_t i;

	for (i = 0; c && i < c->nvariants; i++)
		if (wp_streq(c->variants[i].cuda, cuda))
			return &c->variants[i];
	return NULL;
}

/* The lowest driver that runs this build; NULL unknown. */
static const char *needed_driver(const wp_exam *x)
{
	const wp_lock_target *t = x->in->target;
	const wp_variant_fact *v;

	if (t && t->driver_runs)
		return t->driver_runs;
	v = variant_of_cuda(x->in->compat, x->facts->cuda);
	return v ? runs_on(x, v) : NULL;
}

/* The newest variant that the present driver runs. */
static const char *variant_that_runs(const wp_exam *x)
{
	const wp_compat *c = x->in->compat;
	const wp_variant_fact *best = NULL;
	size_t i;

	for (i = 0; c && i < c->nvariants; i++) {
		const wp_variant_fact *v = &c->variants[i];

		if (!v->cuda || !runs_on(x, v) || cmp_dotted(runs_on(x, v), x->in->pc->driver_version) > 0)
			continue;
		if (!best || cmp_dotted(v->cuda, best->cuda) > 0)
			best = v;
	}
	return best ? best->name : NULL;
}

static const char *kernel_module(const wp_exam *x)
{
	const char *v = x->in->pc->driver_version;

	return v ? wp_sprintf(x->ctx->arena, ", though its kernel module %s is loaded", v) : "";
}

static void no_driver(wp_exam *x)
{
	wp_arena *a = x->ctx->arena;
	const wp_pc *pc = x->in->pc;
	const char *library = x->in->windows ? "nvcuda.dll" : "libcuda.so.1", *needed = needed_driver(x);
	const char *gpu = !pc->gpu_known ? "" : pc->gpu_present ? "; the PC has an NVIDIA GPU"
		: "; no NVIDIA GPU is on the PC's bus";
	wp_finding *f;

	if (!x->facts->cuda) {
		if (!wp_streq(x->in->variant_asked, "cpu"))
			wp_rule_add(x, WP_RULE_NO_DRIVER_NOTE, NULL, "%s, the driver's library, is not on this PC%s",
				library, gpu);
		return;
	}
	f = wp_rule_add(x, WP_RULE_NO_DRIVER, NULL,
		"torch is built for CUDA %s, and %s, the driver's library, is not on this PC%s%s", x->facts->cuda,
		library, kernel_module(x), gpu);
	if (pc->gpu_known && !pc->gpu_present)
		f->next = "use a PC with an NVIDIA GPU, or bundle again with `--cpu` for this one";
	else if (needed)
		f->next = wp_sprintf(a, "install NVIDIA driver %s or newer on the PC", needed);
}

static void old_driver(wp_exam *x)
{
	const wp_pc *pc = x->in->pc;
	const char *needed = needed_driver(x), *variant;
	wp_finding *f;

	if (!pc->driver_version || !needed)
		return;
	if (cmp_dotted(pc->driver_version, needed) >= 0) {
		wp_rule_good(x, "driver: %s runs CUDA %s (which needs %s)", pc->driver_version,
			x->facts->cuda, needed);
		return;
	}
	f = wp_rule_add(x, WP_RULE_OLD_DRIVER, NULL, "driver %s is installed, CUDA %s needs %s or newer",
		pc->driver_version, x->facts->cuda, needed);
	variant = variant_that_runs(x);
	f->next = variant
		? wp_sprintf(x->ctx->arena, "install driver %s or newer, or bundle again with `--cuda %s`, "
			"which this driver runs", needed, variant)
		: wp_sprintf(x->ctx->arena, "install driver %s or newer", needed);
}

void wp_rules_driver(wp_exam *x)
{
	const wp_pc *pc = x->in->pc;

	if (!x->facts->torch || !pc->driver_known)
		return;
	if (!pc->driver_present)
		no_driver(x);
	else if (x->facts->cuda)
		old_driver(x);
}

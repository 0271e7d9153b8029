/* SPDX-License-Identifier: MIT */
/* rules_set.c: is the venv whole, is it the build that was asked for, and do torch, torchvision and torchaudio belong together. */
#include "doctor/rules.h"
#include "py/requirement.h"

/* ---- C801 --------------------------------------------------------------------------------- */

static void cpu_build(wp_exam *x)
{
	const wp_dist *torch = x->facts->torch;
	const char *asked = x->in->variant_asked, *gpu = "";

	if (!torch || !x->facts->cpu_build || (asked && !wp_starts(asked, "cu")))
		return;
	if (x->in->pc->gpu_known && x->in->pc->gpu_present)
		gpu = ", and this PC has an NVIDIA GPU";
	if (asked)
		wp_rule_add(x, WP_RULE_CPU_BUILD, NULL, "%s was asked, torch %s was built without CUDA%s",
			asked, torch->version, gpu);
	else
		wp_rule_add(x, WP_RULE_CPU_BUILD_NOTE, NULL,
			"no variant was asked, torch %s was built without CUDA%s", torch->version, gpu);
}

/* ---- C802 --------------------------------------------------------------------------------- */

/* The requirement on torch that holds without an extra. *out.text is NULL where there is none. */
static void torch_pin(wp_arena *a, const wp_dist *d, wp_requirement *out)
{
	size_t i;

	for (i = 0; i < d->metadata.nrequires_dist; i++) {
		wp_error ignored = {0};
		wp_requirement r;

		if (wp_requirement_parse_lenient(a, wp_str_of(d->metadata.requires_dist[i]), &r, NULL,
			    &ignored) == 0 &&
			wp_streq(r.project, "torch") && !r.marker) {
			*out = r;
			return;
		}
	}
	*out = (wp_requirement){0};
}

static bool matches(wp_arena *a, const char *specifier, const wp_version *v)
{
	wp_specifiers s;

	return wp_specifiers_parse(a, wp_str_of(specifier), &s) && wp_specifiers_match(&s, v);
}

/* torchaudio 2.11 and later names no torch in its metadata: the table of partners does. */
static const wp_partner *partner_broken(wp_exam *x, const wp_dist *d)
{
	const wp_compat *c = x->in->compat;
	const wp_dist *torch = x->facts->torch;
	size_t i;

	for (i = 0; c && i < c->npartners; i++) {
		const wp_partner *p = &c->partners[i];

		if (wp_streq(p->project, d->name) && matches(x->ctx->arena, p->version, &d->parsed) &&
			!matches(x->ctx->arena, p->torch, &torch->parsed))
			return p;
	}
	return NULL;
}

static bool versions_differ(wp_exam *x, const wp_dist *d)
{
	const wp_dist *torch = x->facts->torch;
	const char *subject = wp_sprintf(x->ctx->arena, "torch and %s", d->name);
	const wp_partner *p;
	wp_requirement pin;

	if (!torch->parsed.norm || !d->parsed.norm)
		return false;
	torch_pin(x->ctx->arena, d, &pin);
	if (pin.text && !pin.url && !wp_specifiers_match(&pin.specifiers, &torch->parsed)) {
		wp_rule_add(x, WP_RULE_NOT_TOGETHER, subject, "%s %s requires torch%s, torch is %s", d->name,
			d->version, pin.specifiers.norm, torch->version);
		return true;
	}
	p = pin.text ? NULL : partner_broken(x, d);
	if (p)
		wp_rule_add(x, WP_RULE_NOT_TOGETHER, subject, "%s %s goes with torch%s, torch is %s",
			d->name, d->version, p->torch, torch->version);
	return p != NULL;
}

static bool build_label(const char *label)
{
	return label && (wp_streq(label, "cpu") || wp_starts(label, "cu"));
}

static bool labels_differ(wp_exam *x, const wp_dist *d)
{
	const char *a = x->facts->torch->label, *b = d->label;

	if (!build_label(a) || !build_label(b) || wp_streq(a, b))
		return false;
	wp_rule_add(x, WP_RULE_NOT_TOGETHER, wp_sprintf(x->ctx->arena, "torch and %s", d->name),
		"torch %s is a +%s build, %s %s a +%s build", x->facts->torch->version, a, d->name, d->version,
		b);
	return true;
}

static void belong_together(wp_exam *x)
{
	const wp_dist *partners[2];
	wp_buf names;
	bool good = true;
	size_t n = 0, i;

	if (x->facts->torchvision)
		partners[n++] = x->facts->torchvision;
	if (x->facts->torchaudio)
		partners[n++] = x->facts->torchaudio;
	wp_buf_init(&names, 1000);
	for (i = 0; i < n; i++) {
		good = !versions_differ(x, partners[i]) && !labels_differ(x, partners[i]) && good;
		wp_buf_printf(&names, ", %s %s", partners[i]->name, partners[i]->version);
	}
	if (good && n)
		wp_rule_good(x, "wheels: torch %s%s belong together", x->facts->torch->version, names.p);
	wp_buf_free(&names);
}

void wp_rules_set(wp_exam *x)
{
	const wp_facts *f = x->facts;

	if (x->in->stopped_run)
		wp_rule_add(x, WP_RULE_STOPPED_RUN, NULL, "what is left to be done is written down in it or beside it");
	if (!f->torch) {
		wp_rule_good(x, "wheels: %zu distributions, torch is not one of them", f->n);
		return;
	}
	cpu_build(x);
	if (f->cuda)
		wp_rule_good(x, "build: torch %s with CUDA %s", f->torch->version, f->cuda);
	belong_together(x);
}

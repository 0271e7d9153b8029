/* SPDX-License-Identifier: MIT */
#include "doctor/rules.h"

static const struct {
	const char *code;
	wp_severity severity;
	const char *title, *remedy;
} table[] = {
#define ROW(id, code, severity, title, remedy) {code, severity, title, remedy},
	WP_RULES(ROW)
#undef ROW
};

wp_finding *wp_rule_add(wp_exam *x, wp_rule rule, const char *subject, const char *why, ...)
{
	wp_arena *a = x->ctx->arena;
	const char *title = table[rule].title, *text;
	va_list ap;

	va_start(ap, why);
	text = wp_vsprintf(a, why, ap);
	va_end(ap);
	if (subject)
		title = wp_sprintf(a, "%s: %s", title, subject);
	return wp_finding_add(&x->out->findings, a, table[rule].code, table[rule].severity, title, text,
		table[rule].remedy);
}

static int rank(const char *code)
{
	int i;

	for (i = 0; i < WP_RULE_COUNT && !wp_streq(table[i].code, code); i++)
		;
	return i;
}

typedef struct ranked {
	wp_finding f;
	int rank;
	size_t at;
} ranked;

static int cmp_ranked(const void *a, const void *b)
{
	const ranked *x = a, *y = b;

	if (x->f.severity != y->f.severity)
		return x->f.severity > y->f.severity ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void wp_rules_sort(wp_exam *x)
{
	wp_findings *f = &x->out->findings;
	ranked *v = wp_xmalloc((f->n + 1) * sizeof *v);
	size_t i;

	for (i = 0; i < f->n; i++)
		v[i] = (ranked){f->v[i], rank(f->v[i].code), i};
	qsort(v, f->n, sizeof *v, cmp_ranked);
	for (i = 0; i < f->n; i++)
		f->v[i] = v[i].f;
	free(v);
}

void wp_rule_good(wp_exam *x, const char *fmt, ...)
{
	wp_doctor_result *out = x->out;
	const char **v = WP_NEW_ARRAY(x->ctx->arena, out->ngood + 1, const char *);
	va_list ap;

	if (out->ngood)
		memcpy(v, out->good, out->ngood * sizeof *v);
	va_start(ap, fmt);
	v[out->ngood++] = wp_vsprintf(x->ctx->arena, fmt, ap);
	va_end(ap);
	out->good = v;
}

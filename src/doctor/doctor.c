/* SPDX-License-Identifier: MIT */
/* doctor.c: facts, then the graph of libraries, then the rules over both. */
#include "wheelpack/doctor.h"

#include "doctor/rules.h"

static const char *version_of(wp_ctx *ctx, const wp_dist *d)
{
	return d ? wp_strdup(ctx->arena, d->version ? d->version : "unknown") : NULL;
}

static void apply(wp_exam *x)
{
	wp_doctor_result *out = x->out;

	wp_rules_set(x);
	wp_rules_driver(x);
	wp_rules_libs(x);
	wp_rules_sort(x);
	out->libraries = x->graph->n;
	out->edges = x->graph->edges;
	out->torch = version_of(x->ctx, x->facts->torch);
	out->torchvision = version_of(x->ctx, x->facts->torchvision);
	out->torchaudio = version_of(x->ctx, x->facts->torchaudio);
	out->cuda = wp_strdup(x->ctx->arena, x->facts->cuda);
}

int wp_doctor(wp_ctx *ctx, const wp_doctor_request *in, wp_doctor_result *out, wp_error *e)
{
	wp_arena *a = wp_arena_new();
	wp_facts facts;
	wp_graph graph = {0};
	wp_exam x = {.ctx = ctx, .in = in, .facts = &facts, .graph = &graph, .out = out};

	*out = (wp_doctor_result){0};
	if (wp_facts_read(a, in->tree, &facts, e) == 0) {
		if (wp_graph_build(&graph, ctx, in, e) == 0)
			apply(&x);
		wp_graph_done(&graph);
	}
	wp_arena_free(a);
	return e->code;
}

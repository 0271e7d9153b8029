/* SPDX-License-Identifier: MIT */
#include "wheelpack/request.h"

#include "model/fields.h"

enum { MAX_TARGETS = 256 };

static bool read_target(wp_json *j, void *out)
{
	wp_request_target *t = out;
	wp_field f[] = {
		{"python", WP_F_STR, &t->python},
		{"platform", WP_F_STR, &t->platform},
	};

	return wp_fields_read(j, f, sizeof f / sizeof *f);
}

static bool read_targets(wp_json *j, void *out)
{
	wp_request_doc *d = out;

	return wp_fields_each(j, sizeof *d->targets, MAX_TARGETS, read_target, (void **)&d->targets,
		&d->ntargets);
}

int wp_request_read(wp_arena *a, wp_str text, wp_request_doc *out, wp_error *e)
{
	wp_json j;
	wp_field f[] = {
		{"schema", WP_F_WORD, WP_REQUEST_SCHEMA},
		{"about", WP_F_STR_OR_NULL, &out->about, .optional = true},
		{"requirements", WP_F_STRS, &out->requirements, &out->nrequirements},
		{"constraints", WP_F_STRS, &out->constraints, &out->nconstraints, .optional = true},
		{"cuda", WP_F_STR_OR_NULL, &out->cuda, .optional = true},
		{"targets", WP_F_CALL, out, NULL, read_targets},
	};

	*out = (wp_request_doc){0};
	if (text.n > WP_MAX_DOCUMENT)
		return wp_fail(e, WP_E_TOO_LARGE, "the manifest has %zu bytes, %d are allowed", text.n,
			(int)WP_MAX_DOCUMENT);
	wp_json_init(&j, a, text, WP_E_DOCUMENT, e);
	if (!wp_fields_read(&j, f, sizeof f / sizeof *f) || wp_json_end(&j))
		return e->code;
	if (out->nrequirements == 0 || out->ntargets == 0)
		return wp_fail(e, WP_E_DOCUMENT, "there is no %s in it",
			out->nrequirements ? "target" : "requirement");
	return 0;
}

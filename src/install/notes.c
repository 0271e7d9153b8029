/* SPDX-License-Identifier: MIT */
#include "install/notes.h"

static const struct {
	const char *code;
	wp_severity severity;
	const char *title;
} table[] = {
#define ROW(name, code, severity, title) {code, WP_##severity, title},
	WP_INSTALL_NOTES(ROW)
#undef ROW
};

wp_finding *wp_plan_note(const wp_plan *p, wp_install_note note, const char *why)
{
	return wp_finding_add(p->findings, p->ctx->arena, table[note].code, table[note].severity, table[note].title, why,
		NULL);
}

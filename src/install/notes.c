/* SPDX-License-Identifier: MIT */
#include "install/notes.h"

#include "base/err.h"

static const wp_note_row table[] = {WP_INSTALL_NOTES(WP_NOTE_ROW)};

wp_finding *wp_install_note_add(wp_findings *f, wp_arena *a, wp_install_note note, const char *why)
{
	return wp_finding_note(f, a, &table[note], why, NULL);
}

wp_finding *wp_plan_note(const wp_plan *p, wp_install_note note, const char *why)
{
	return wp_install_note_add(p->findings, p->ctx->arena, note, why);
}

void wp_tell_files(wp_findings *f, wp_arena *a, wp_install_note note, const char *const *v, size_t n)
{
	const char *why;

	if (!n)
		return;
	why = n > 1 ? wp_sprintf(a, "'%s' and %zu more", v[0], n - 1) : wp_sprintf(a, "'%s'", v[0]);
	wp_finding_files(wp_install_note_add(f, a, note, why), a, v, n);
}

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

wp_finding *wp_install_note_add(wp_findings *f, wp_arena *a, wp_install_note note, const char *why)
{
	return wp_finding_add(f, a, table[note].code, table[note].severity, table[note].title, why, NULL);
}

wp_finding *wp_plan_note(const wp_plan *p, wp_install_note note, const char *why)
{
	return wp_install_note_add(p->findings, p->ctx->arena, note, why);
}

void wp_tell_files(wp_findings *f, wp_arena *a, wp_install_note note, const char *const *v, size_t n)
{
	const char **files, *why;
	wp_finding *one;
	size_t i;

	if (!n)
		return;
	why = n > 1 ? wp_sprintf(a, "'%s' and %zu more", v[0], n - 1) : wp_sprintf(a, "'%s'", v[0]);
	one = wp_install_note_add(f, a, note, why);
	files = WP_NEW_ARRAY(a, n, const char *);
	for (i = 0; i < n; i++)
		files[i] = wp_strdup(a, v[i]);
	one->files = files;
	one->nfiles = n;
}

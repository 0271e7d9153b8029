/* SPDX-License-Identifier: MIT */
#include <stdarg.h>

#include "wheel/internal.h"

static const struct {
	const char *code, *title;
} kinds[NOTE_KINDS] = {
	[NOTE_TIDIED] = {"N401", "has odd names"},
	[NOTE_UTF8_FLAG] = {"N402", "has names in UTF-8 that are not marked as such"},
	[NOTE_TWICE] = {"N403", "has the same file twice"},
	[NOTE_CASE] = {"N404", "has names that Windows and macOS take for the same"},
	[NOTE_PYCACHE] = {"N405", "brings compiled files"},
	[NOTE_SCRIPT_SUB] = {"N406", "has scripts in a sub folder, which is not on PATH"},
	[NOTE_SHADOWED] = {"N407", "has scripts beside entry points of the same name; the entry points win"},
	[NOTE_RECORD] = {"N408", "has an odd RECORD"},
	[NOTE_WHEEL] = {"N409", "has an odd WHEEL file"},
	[NOTE_METADATA] = {"N410", "has odd METADATA"},
	[NOTE_ENTRY] = {"N411", "has odd entry points"},
	[NOTE_INSTALLER] = {"N412", "brings files that belong to the installer, which are left out"},
};

void wheel_noted(wheel_opening *o, wheel_note kind, const char *fmt, ...)
{
	va_list ap;

	if (o->notes[kind].n < NOTE_SHOWN) {
		va_start(ap, fmt);
		o->notes[kind].shown[o->notes[kind].n] = wp_vsprintf(o->scratch, fmt, ap);
		va_end(ap);
	}
	o->notes[kind].n++;
}

void wheel_notes_out(const wheel_opening *o, wp_findings *out)
{
	size_t k, i;

	for (k = 0; out && k < NOTE_KINDS; k++) {
		size_t n = o->notes[k].n;
		wp_buf b;

		if (n == 0)
			continue;
		wp_buf_init(&b, SIZE_MAX / 4);
		for (i = 0; i < n && i < NOTE_SHOWN; i++)
			wp_buf_printf(&b, "%s%s", i ? "; " : "", o->notes[k].shown[i]);
		if (n > NOTE_SHOWN)
			wp_buf_printf(&b, "; and %zu more", n - NOTE_SHOWN);
		wp_finding_add(out, o->a, kinds[k].code, WP_WARNING,
			wp_sprintf(o->scratch, "'%s' %s", o->w->filename, kinds[k].title), b.p, NULL);
		wp_buf_free(&b);
	}
}

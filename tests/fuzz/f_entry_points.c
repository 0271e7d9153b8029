/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "install/parts.h"
#include "py/metadata.h"

/* The names become files, module and attribute become code. */
static void check_point(wp_arena *a, const wp_entry_point *ep)
{
	wp_starter posix = {.line = WP_LIT("#!/venv/bin/python\n")}, windows = {.windows = true, .line = WP_LIT("#!python.exe\n")};
	const char *p;
	wp_str text;

	MUST(ep->name[0] && ep->module[0] && ep->attr[0]);
	MUST(!strpbrk(ep->name, "/\\\r\n") && strcmp(ep->name, ".") != 0 && strcmp(ep->name, "..") != 0);
	for (p = ep->module; *p; p++)
		MUST((unsigned char)*p >= 0x80 || *p == '_' || *p == '.' || wp_ascii_alnum(*p));
	for (p = ep->attr; *p; p++)
		MUST((unsigned char)*p >= 0x80 || *p == '_' || *p == '.' || wp_ascii_alnum(*p));
	text = wp_script_entry(a, &posix, ep);
	MUST(wp_str_starts(text, "#!/venv/bin/python\nimport sys\n"));
	text = wp_script_entry(a, &windows, ep);
	MUST(wp_str_starts(text, "import sys\n"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str text = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	wp_entry_points eps;
	wp_error e = {0};
	size_t i;

	if (wp_entry_points_parse(a, text, &eps, &e) == 0)
		for (i = 0; i < eps.n; i++)
			check_point(a, &eps.v[i]);
	wp_arena_free(a);
	return 0;
}

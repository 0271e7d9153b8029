/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "py/marker.h"

static const wp_markers envs[] = {
	{.os_name = "posix", .sys_platform = "linux", .platform_machine = "x86_64",
		.platform_python_implementation = "CPython", .platform_release = "5.15.0-100-generic",
		.platform_system = "Linux", .platform_version = "#110-Ubuntu SMP", .python_version = "3.12",
		.python_full_version = "3.12.7+", .implementation_name = "cpython", .implementation_version = "3.12.7"},
	{.os_name = "nt", .sys_platform = "win32", .platform_machine = "AMD64",
		.platform_python_implementation = "CPython", .platform_release = "10", .platform_system = "Windows",
		.platform_version = "10.0.19045", .python_version = "3.9", .python_full_version = "3.9.0rc1",
		.implementation_name = "cpython", .implementation_version = "3.9.0rc1"},
	{0}};

static const char *const extras[] = {"", "cuda", "test-all"};

enum { NENVS = sizeof envs / sizeof *envs, NEXTRAS = sizeof extras / sizeof *extras };

/* Two that must mean the same. */
static void check_same(const wp_marker *m, const wp_marker *again)
{
	static const char *const variables[] = {"platform_release", "python_version", "extra", "os_name"};
	size_t i, k;

	for (i = 0; i < NENVS; i++)
		for (k = 0; k <= NEXTRAS; k++)
			MUST(wp_marker_eval(m, &envs[i], extras, k) == wp_marker_eval(again, &envs[i], extras, k));
	for (i = 0; i < sizeof variables / sizeof *variables; i++)
		MUST(wp_marker_reads(m, variables[i]) == wp_marker_reads(again, variables[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str text = {(const char *)data, n};
	wp_arena *a = wp_arena_new();
	wp_error e = {0};
	wp_marker *m = wp_marker_parse(a, text, &e), *again;
	const char *norm;

	MUST(!m == (e.code == WP_E_REQUIREMENT));
	if (m) {
		norm = wp_marker_text(a, m);
		MUST(strlen(norm) <= 6 * n);
		check_same(m, m);
		if (wp_utf8_valid(text) && strlen(norm) <= WP_MAX_MARKER) {
			again = wp_marker_parse(a, wp_str_of(norm), &e);
			MUST(again && wp_streq(wp_marker_text(a, again), norm));
			check_same(m, again);
		}
	}
	wp_arena_free(a);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "py/metadata.h"

static void check_metadata(wp_arena *a, wp_str text)
{
	wp_error e = {0};
	wp_metadata m;
	size_t i;

	if (wp_metadata_parse(a, text, &m, &e))
		return;
	MUST(m.name && m.version);
	for (i = 0; i < m.nrequires_dist; i++) {
		wp_error bad = {0};
		wp_requirement r;

		if (wp_requirement_parse_lenient(a, wp_str_of(m.requires_dist[i]), &r, NULL, &bad) == 0)
			MUST(r.name && r.project && wp_requirement_text(a, &r));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_arena *a = wp_arena_new();

	check_metadata(a, (wp_str){(const char *)data, n});
	wp_arena_free(a);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"
#include "wheel/wheel.h"

/* Entries tile the file, as the reader promises. */
static void check_tiles(const wp_zip *z, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < z->n; i++) {
		const wp_zip_entry *en = &z->entries[i];

		MUST(en->data_offset >= en->header_offset + 30 + strlen(en->name));
		MUST(en->data_offset <= n && en->csize <= n - en->data_offset);
		sum += en->data_offset - en->header_offset + en->csize;
	}
	MUST(sum <= n);
}

static int count(void *user, const void *p, size_t n, wp_error *e)
{
	(void)p, (void)e;
	*(uint64_t *)user += n;
	return 0;
}

static void read_wheel(const wp_blob *blob, bool windows)
{
	wp_arena *a = wp_arena_new();
	wp_unpacker *u = wp_unpacker_new();
	wp_findings f = {0};
	wp_error e = {0};
	wp_wheel w;
	size_t i;

	if (wp_wheel_open(a, "demo-1.0-py3-none-any.whl", blob, windows ? WP_NAMES_WINDOWS : WP_NAMES_UNIX, NULL, &w, &f, &e) == 0)
		for (i = 0; i < w.n && !e.code; i++) {
			uint64_t seen = 0;

			wp_member_read(u, &w, &w.members[i], count, &seen, NULL, &e);
			MUST(seen <= w.members[i].entry->size);
		}
	wp_unpacker_free(u);
	wp_arena_free(a);
}

/* What is taken in spite of RECORD is taken again by what was written down. */
static void read_excepting(const wp_blob *blob)
{
	wp_ctx ctx = {.jobs = 1};
	wp_arena *a = wp_arena_new();
	wp_record_pin pin = {0};
	wp_error e = {0};
	wp_wheel w;

	if (wp_wheel_open_excepting(&ctx, a, "demo-1.0-py3-none-any.whl", blob, WP_NAMES_UNIX, &w, NULL, &e) == 0) {
		pin.exceptions = w.exceptions;
		MUST(wp_wheel_open(a, "demo-1.0-py3-none-any.whl", blob, WP_NAMES_UNIX, &pin, &w, NULL, &e) == 0);
	}
	wp_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_input in = {data, n};
	wp_blob blob = fuzz_blob(&in);
	wp_arena *a = wp_arena_new();
	wp_error e = {0};
	wp_str text;
	wp_zip z;

	if (wp_zip_read(a, &blob, &z, &e) == 0)
		check_tiles(&z, n);
	e = (wp_error){0};
	wp_wheel_metadata(a, "demo-1.0-py3-none-any.whl", &blob, &text, &e);
	wp_arena_free(a);
	read_wheel(&blob, false);
	read_wheel(&blob, true);
	read_excepting(&blob);
	return 0;
}

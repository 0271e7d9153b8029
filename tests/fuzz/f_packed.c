/* SPDX-License-Identifier: MIT */
#include "fetch/packed.h"
#include "fuzz/page.h"

static size_t text(const char *s)
{
	return s ? strlen(s) : 0;
}

/* What is read, written again: a text of the same files. */
static void check_again(wp_arena *a, const wp_project *p)
{
	wp_project q;
	wp_buf b;
	size_t i;

	wp_packed_begin(&b);
	for (i = 0; i < p->nfiles; i++)
		wp_packed_add(&b, &p->files[i]);
	wp_packed_end(&b, p->nfiles, p->skipped);
	MUST(wp_packed_read(a, wp_buf_take(&b, a), "torch", "ordinary", &q));
	MUST(q.nfiles == p->nfiles && q.skipped == p->skipped);
	for (i = 0; i < p->nfiles; i++)
		fuzz_check_same(&p->files[i], &q.files[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_arena *a = wp_arena_new();
	size_t i, sum = 0;
	wp_project p;

	if (wp_packed_read(a, (wp_str){(const char *)data, n}, "torch", "ordinary", &p)) {
		for (i = 0; i < p.nfiles; i++)
			sum += text(p.files[i].url) + text(p.files[i].sha256) + text(p.files[i].requires_python) +
				text(p.files[i].yanked_reason) + text(p.files[i].metadata_sha256) +
				text(p.files[i].upload_time);
		MUST(sum <= n);
		check_again(a, &p);
	}
	wp_arena_free(a);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* vectors FILE: replays the cases of FILE and prints one line a kind. */
#include "vectors.h"

#include <stdarg.h>

/* ---- rows ------------------------------------------------------------------------------------ */

const value *cell(const row *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->columns->n; i++)
		if (wp_str_is(r->columns->items[i].text, name))
			return &r->cells->items[i];
	return get(NULL, name);
}

const char *const *texts(row *r, const value *list, size_t *n)
{
	const char **v = WP_NEW_ARRAY(r->a, list->n, const char *);
	size_t i;

	for (i = 0; i < list->n; i++)
		v[i] = list->items[i].text.p;
	*n = list->n;
	return v;
}

bool is_error(const row *r)
{
	return get(r->out, "error")->kind != WP_JSON_NULL;
}

verdict say(row *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->said, sizeof r->said, fmt, ap);
	va_end(ap);
	return FAIL;
}

verdict same_text(row *r, const char *what, const char *got, const value *want)
{
	if (want->kind == WP_JSON_NULL ? !got : got && wp_str_is(want->text, got))
		return PASS;
	return say(r, "%s is %s", what, got ? got : "null");
}

bool same_number(bool there, uint64_t got, const value *want)
{
	uint64_t n;

	if (want->kind == WP_JSON_NULL)
		return !there;
	return there && wp_str_u64(want->text, &n) && n == got;
}

verdict refused(row *r, const char *why)
{
	return is_error(r) ? PASS : say(r, "refused: %s", why);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static const struct {
	const char *kind;
	verdict (*replay)(row *r);
} kinds[] = {{"version", do_version}, {"version_order", do_version_order}, {"version_sort", do_version_order},
	{"specifier", do_specifier}, {"specifier_set", do_specifier_set}, {"specifier_and", do_specifier_and},
	{"contains", do_contains}, {"filter", do_filter}, {"unsatisfiable", do_unsatisfiable}, {"marker", do_marker},
	{"marker_eval", do_marker_eval}, {"requirement", do_requirement}, {"canonicalize_name", do_canonicalize_name},
	{"is_normalized_name", do_is_normalized_name}, {"canonicalize_version", do_canonicalize_version},
	{"wheel_filename", do_wheel_filename}, {"sdist_filename", do_sdist_filename}, {"parse_tag", do_parse_tag},
	{"platform_tags", do_platform_tags}, {"tags_generate", do_tags_generate}, {"metadata_parse", do_metadata_parse},
	{"metadata_email", do_metadata_email}, {"metadata_raw", do_metadata_raw}, {"pylock", do_pylock},
	{"pylock_path", do_pylock_path}, {"pylock_select", do_pylock_select}, {"direct_url", do_direct_url},
	{"strip_url", do_strip_url}};

enum { SHOW = 10 }; /* failures of one kind that are shown */

static verdict replay_row(verdict (*replay)(row *r), const char *kind, const value *columns, const value *cells,
	bool show)
{
	row r = {.a = wp_arena_new(), .columns = columns, .cells = cells, .out = &cells->items[columns->n - 2]};
	verdict v;

	v = replay(&r);
	wp_arena_free(r.a);
	if (v == FAIL && show) {
		size_t i;

		printf("  %s", kind);
		for (i = 0; i + 1 < columns->n; i++)
			if (cells->items[i].kind == WP_JSON_STRING)
				printf(" | %.200s", cells->items[i].text.p);
		printf(" | %s\n", r.said);
	}
	return v;
}

static void replay_kind(const char *kind, const value *v, size_t total[3])
{
	const value *columns = get(v, "columns"), *rows = get(v, "rows");
	size_t i, k, count[3] = {0};

	for (k = 0; k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].kind, kind) != 0; k++)
		;
	if (k == sizeof kinds / sizeof *kinds) {
		printf("%s: skipped, %zu rows\n", kind, rows->n);
		return;
	}
	for (i = 0; i < rows->n; i++)
		count[replay_row(kinds[k].replay, kind, columns, &rows->items[i], count[FAIL] < SHOW)]++;
	printf("%s: %zu passed, %zu failed", kind, count[PASS], count[FAIL]);
	if (count[SKIP])
		printf(", %zu skipped", count[SKIP]);
	printf("\n");
	for (i = 0; i < 3; i++)
		total[i] += count[i];
}

/* False too where nothing was replayed. */
static bool replay_text(wp_str text)
{
	wp_arena *a = wp_arena_new();
	size_t i, total[3] = {0};
	const value *all;
	value root;

	if (parse_value(a, text, &root)) {
		all = get(&root, "kinds");
		for (i = 0; i < all->n; i++)
			replay_kind(all->keys[i].p, &all->items[i], total);
	}
	wp_arena_free(a);
	return total[PASS] && !total[FAIL];
}

int main(int argc, char **argv)
{
	FILE *f;
	wp_buf b;
	char part[65536];
	size_t n;
	bool good;

	if (argc < 2) {
		fprintf(stderr, "usage: vectors FILE\n");
		return 2;
	}
	f = fopen(argv[1], "rb");
	if (!f) {
		perror(argv[1]);
		return 2;
	}
	wp_buf_init(&b, WP_MAX_DOCUMENT);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		wp_buf_add(&b, part, n);
	fclose(f);
	good = replay_text(wp_buf_view(&b));
	wp_buf_free(&b);
	return good ? 0 : 1;
}

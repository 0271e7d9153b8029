/* SPDX-License-Identifier: MIT */
/* The first line is a set of specifiers, the others are versions. */
#include "fuzz/fuzz.h"
#include "py/version.h"

enum { MAX_LINES = 8, MAX_PART = 900 };

static bool matches(wp_arena *a, wp_str text, const wp_version *v)
{
	wp_specifiers s;

	MUST(wp_specifiers_parse(a, text, &s));
	return wp_specifiers_match(&s, v);
}

/* The set holds where each of its parts does. */
static void check_set(wp_arena *a, wp_str text, const wp_specifiers *s, const wp_version *v)
{
	bool all = true;
	wp_str part;

	while (wp_str_split(&text, ',', &part))
		all &= matches(a, part, v);
	MUST(wp_specifiers_match(s, v) == all);
	MUST(matches(a, wp_str_of(s->norm), v) == all);
}

/* A version and the specifiers made of it. */
static void check_own(wp_arena *a, const wp_version *v)
{
	const char *bare = wp_version_public(a, v);
	static const struct {
		const char *op;
		bool own;
	} table[] = {{"==", true}, {"!=", false}, {">=", true}, {"<=", true}, {">", false}, {"<", false}};
	size_t i;

	for (i = 0; i < sizeof table / sizeof *table; i++)
		MUST(matches(a, wp_str_of(wp_sprintf(a, "%s%s", table[i].op, bare)), v) == table[i].own);
	MUST(matches(a, wp_str_of(wp_sprintf(a, "==%s", v->norm)), v));
	MUST(!matches(a, wp_str_of(wp_sprintf(a, "!=%s", v->norm)), v));
}

/* What is read leniently is itself well written afterwards, and what was well written stays as it is. */
static void check_lenient(wp_arena *a, wp_str text, bool strict, const wp_specifiers *s)
{
	wp_specifiers lenient, again;
	bool repaired;

	if (!wp_specifiers_parse_lenient(a, text, &lenient, &repaired)) {
		MUST(!strict);
		return;
	}
	MUST(repaired == !strict);
	if (strict)
		MUST(wp_streq(lenient.norm, s->norm));
	MUST(wp_specifiers_parse(a, wp_str_of(lenient.norm), &again) && wp_streq(again.norm, lenient.norm));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	wp_str rest = {(const char *)data, n}, text, line;
	wp_arena *a = wp_arena_new();
	wp_specifiers s, again;
	wp_version v;
	bool known;
	int left = MAX_LINES;

	wp_str_split(&rest, '\n', &text);
	known = wp_specifiers_parse(a, text, &s);
	check_lenient(a, text, known, &s);
	if (known) {
		MUST(strlen(s.norm) <= text.n);
		MUST(wp_specifiers_parse(a, wp_str_of(s.norm), &again) && wp_streq(again.norm, s.norm));
		MUST(wp_specifiers_pinned(&again) == wp_specifiers_pinned(&s));
	}
	while (left-- && wp_str_split(&rest, '\n', &line))
		if (line.n < MAX_PART && wp_version_parse(a, line, &v)) {
			check_own(a, &v);
			if (known)
				check_set(a, text, &s, &v);
		}
	wp_arena_free(a);
	return 0;
}

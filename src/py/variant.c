/* SPDX-License-Identifier: MIT */
#include "base/near.h"
#include "base/str.h"
#include "wheelpack/lock.h"

#include <string.h>

/* cu126 from the digits "126": two for CUDA's major version, the rest for the minor one. */
static const char *from_digits(wp_arena *a, wp_str s)
{
	uint64_t n;

	if ((s.n != 3 && s.n != 4) || s.p[0] == '0' || !wp_str_u64(s, &n))
		return NULL;
	return wp_sprintf(a, "cu%s", wp_str_dup(a, s));
}

/* cu126 from "12.6" or "12.6.3". */
static const char *from_release(wp_arena *a, wp_str s)
{
	uint64_t major, minor, patch;
	wp_str part[3];
	size_t n = 0;

	while (n < 3 && wp_str_split(&s, '.', &part[n]))
		n++;
	if (n < 2 || s.p || !wp_str_u64(part[0], &major) || !wp_str_u64(part[1], &minor))
		return NULL;
	if (major < 10 || major > 99 || minor > 99 || (n == 3 && !wp_str_u64(part[2], &patch)))
		return NULL;
	return wp_sprintf(a, "cu%d%d", (int)major, (int)minor);
}

static const char *read_variant(wp_arena *a, wp_str s)
{
	static const char *const prefixes[] = {"pytorch-cuda", "cuda", "cu"};
	bool named = false;
	size_t i;

	if (wp_str_is(s, "cpu"))
		return "cpu";
	for (i = 0; i < sizeof prefixes / sizeof *prefixes && !named; i++)
		if (wp_str_starts(s, prefixes[i])) {
			s = wp_str_sub(s, strlen(prefixes[i]), s.n);
			named = true;
		}
	while (named && s.n && strchr("=- ", s.p[0]))
		s = wp_str_sub(s, 1, s.n);
	if (wp_str_find(s, '.') < s.n)
		return from_release(a, s);
	return named ? from_digits(a, s) : NULL;
}

/* Only for advice: which variants exist is the business of the compatibility data. */
static int refuse(wp_arena *a, const char *text, wp_error *e)
{
	static const char *const usual[] = {"cpu", "cu118", "cu121", "cu124", "cu126", "cu128", "cu129", "cu130"};
	const char *lower = wp_str_lower(a, wp_str_of(text)), *near;

	wp_fail(e, WP_E_VARIANT, "'%s' is not a variant", text);
	if (strcmp(lower, "gpu") == 0 || strcmp(lower, "cuda") == 0 || strcmp(lower, "cu") == 0)
		return wp_err_next(e, "name the CUDA version, such as cu126");
	if (wp_starts(lower, "rocm") || wp_starts(lower, "xpu") || wp_starts(lower, "hip"))
		return wp_err_next(e, "wheelpack knows cpu and the CUDA variants, such as cu126");
	if (from_digits(a, wp_str_of(lower)))
		return wp_err_next(e, "did you mean `cu%s`?", lower);
	near = wp_near(lower, usual, sizeof usual / sizeof *usual);
	if (near)
		return wp_err_next(e, "did you mean `%s`?", near);
	return e->code;
}

int wp_variant_parse(wp_arena *a, const char *text, const char **out, wp_error *e)
{
	wp_str s = wp_str_trim(wp_str_of(text));

	*out = read_variant(a, wp_str_of(wp_str_lower(a, s)));
	return *out ? 0 : refuse(a, text, e);
}

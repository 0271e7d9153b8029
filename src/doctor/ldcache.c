/* SPDX-License-Identifier: MIT */
#include "doctor/ldcache.h"

#include <string.h>

enum { HEADER = 48, ENTRY = 24, OLD_HEADER = 16, OLD_ENTRY = 12 };

static uint32_t u32(wp_str t, size_t at)
{
	const unsigned char *p = (const unsigned char *)t.p + at;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The present format may stand behind the old one, aligned to 8 bytes. */
static bool present_format(wp_str text, wp_str *out)
{
	static const char magic[] = "glibc-ld.so.cache1.1";
	uint64_t skip = 0;

	if (wp_str_starts(text, "ld.so-1.7.0") && text.n >= OLD_HEADER)
		skip = (OLD_HEADER + (uint64_t)u32(text, 12) * OLD_ENTRY + 7) / 8 * 8;
	if (skip > text.n)
		return false;
	*out = wp_str_sub(text, (size_t)skip, text.n);
	return out->n >= HEADER && memcmp(out->p, magic, sizeof magic - 1) == 0;
}

/* The upper byte of an entry's flags names the ABI. */
static bool fits(uint32_t flags, uint16_t machine)
{
	if (machine == 62)
		return (flags & 0xff00) == 0x0300;
	if (machine == 183)
		return (flags & 0xff00) == 0x0a00;
	return true;
}

bool wp_ldcache_names(wp_str text, uint16_t machine, wp_map *names)
{
	wp_str t;
	size_t n, i;

	if (!present_format(text, &t))
		return false;
	n = u32(t, 20);
	if (n > (t.n - HEADER) / ENTRY)
		n = (t.n - HEADER) / ENTRY;
	for (i = 0; i < n; i++) {
		size_t at = HEADER + i * ENTRY, key = u32(t, at + 4);
		const char *end;

		if (!fits(u32(t, at), machine) || key >= t.n)
			continue;
		end = memchr(t.p + key, 0, t.n - key);
		if (end)
			wp_map_put(names, (wp_str){t.p + key, (size_t)(end - (t.p + key))}, 0);
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

wp_str wp_str_of(const char *s)
{
	return (wp_str){s, s ? strlen(s) : 0};
}

bool wp_str_eq(wp_str a, wp_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool wp_str_is(wp_str a, const char *b)
{
	return wp_str_eq(a, wp_str_of(b));
}

bool wp_str_is_nocase(wp_str a, const char *b)
{
	size_t i;

	for (i = 0; i < a.n && b[i] && wp_ascii_lower(a.p[i]) == wp_ascii_lower(b[i]); i++)
		;
	return i == a.n && !b[i];
}

bool wp_streq(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool wp_among(const char *const *v, size_t n, const char *word)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (wp_streq(v[i], word))
			return true;
	return false;
}

int wp_str_cmp(wp_str a, wp_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}

bool wp_str_starts(wp_str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

bool wp_str_ends(wp_str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

bool wp_starts(const char *s, const char *prefix)
{
	return wp_str_starts(wp_str_of(s), prefix);
}

bool wp_ends(const char *s, const char *suffix)
{
	return wp_str_ends(wp_str_of(s), suffix);
}

wp_str wp_str_sub(wp_str s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from > to)
		from = to;
	return (wp_str){s.p ? s.p + from : NULL, to - from};
}

wp_str wp_str_trim(wp_str s)
{
	while (s.n && wp_ascii_space(s.p[0]))
		s.p++, s.n--;
	while (s.n && wp_ascii_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

size_t wp_str_find(wp_str s, char c)
{
	const char *p = s.n ? memchr(s.p, c, s.n) : NULL;

	return p ? (size_t)(p - s.p) : s.n;
}

size_t wp_str_rfind(wp_str s, char c)
{
	size_t i;

	for (i = s.n; i > 0; i--)
		if (s.p[i - 1] == c)
			return i - 1;
	return SIZE_MAX;
}

size_t wp_str_find_str(wp_str s, wp_str needle)
{
	size_t i;

	if (needle.n == 0)
		return 0;
	for (i = 0; i + needle.n <= s.n; i++) {
		const char *p = memchr(s.p + i, needle.p[0], s.n - needle.n - i + 1);

		if (!p)
			break;
		i = (size_t)(p - s.p);
		if (memcmp(p, needle.p, needle.n) == 0)
			return i;
	}
	return s.n;
}

bool wp_str_line(wp_str *rest, wp_str *line)
{
	size_t i;

	if (rest->n == 0)
		return false;
	i = wp_str_find(*rest, '\n');
	*line = wp_str_sub(*rest, 0, i);
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	*rest = wp_str_sub(*rest, i + 1, rest->n);
	return true;
}

bool wp_str_split(wp_str *rest, char sep, wp_str *part)
{
	size_t i;

	if (!rest->p)
		return false;
	i = wp_str_find(*rest, sep);
	*part = wp_str_sub(*rest, 0, i);
	if (i == rest->n)
		*rest = (wp_str){NULL, 0};
	else
		*rest = wp_str_sub(*rest, i + 1, rest->n);
	return true;
}

bool wp_str_u64(wp_str s, uint64_t *out)
{
	uint64_t v = 0;
	size_t i;

	if (s.n == 0)
		return false;
	for (i = 0; i < s.n; i++) {
		unsigned d = (unsigned char)s.p[i] - '0';

		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

char *wp_str_lower(wp_arena *a, wp_str s)
{
	char *p = wp_str_dup(a, s);
	size_t i;

	for (i = 0; i < s.n; i++)
		p[i] = wp_ascii_lower(p[i]);
	return p;
}

/* Length of the sequence at p, 0 if there is none. */
static size_t utf8_step(const unsigned char *p, size_t n)
{
	static const unsigned lowest[5] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned c = p[0], v;
	size_t len, i;

	if (c < 0x80)
		return c ? 1 : 0;
	len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
	if (len == 0 || c > 0xf4 || len > n)
		return 0;
	v = c & (0xffu >> (len + 1));
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < lowest[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	return len;
}

bool wp_utf8_valid(wp_str s)
{
	size_t i = 0, k;

	while (i < s.n) {
		k = utf8_step((const unsigned char *)s.p + i, s.n - i);
		if (k == 0)
			return false;
		i += k;
	}
	return true;
}

void wp_hex(const unsigned char *in, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n; i++) {
		out[2 * i] = digits[in[i] >> 4];
		out[2 * i + 1] = digits[in[i] & 15];
	}
	out[2 * n] = 0;
}

static int hex_digit(char c)
{
	if (wp_ascii_digit(c))
		return c - '0';
	c = wp_ascii_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool wp_unhex(wp_str in, unsigned char *out, size_t n)
{
	size_t i;

	if (in.n != 2 * n)
		return false;
	for (i = 0; i < n; i++) {
		int hi = hex_digit(in.p[2 * i]), lo = hex_digit(in.p[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		out[i] = (unsigned char)(hi << 4 | lo);
	}
	return true;
}

uint64_t wp_str_hash(wp_str s, uint64_t seed)
{
	uint64_t h = 0xcbf29ce484222325u ^ seed, word; /* FNV-1a, by eight bytes first; then a finisher for the low bits */
	size_t i;

	for (i = 0; s.n - i >= sizeof word; i += sizeof word) {
		memcpy(&word, s.p + i, sizeof word);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	for (; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

int wp_cmp_cstr(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void wp_buf_init(wp_buf *b, size_t max)
{
	*b = (wp_buf){.max = max};
}

void wp_buf_free(wp_buf *b)
{
	free(b->p);
	*b = (wp_buf){.max = b->max};
}

void wp_buf_add(wp_buf *b, const void *p, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;

	if (b->full || n > b->max || b->n > b->max - n) {
		b->full = true;
		return;
	}
	while (cap < b->n + n + 1)
		cap *= 2;
	if (cap != b->cap) {
		b->p = wp_xrealloc(b->p, cap);
		b->cap = cap;
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = 0;
}

void wp_buf_str(wp_buf *b, wp_str s)
{
	wp_buf_add(b, s.p, s.n);
}

void wp_buf_puts(wp_buf *b, const char *s)
{
	wp_buf_add(b, s, strlen(s));
}

void wp_buf_putc(wp_buf *b, char c)
{
	wp_buf_add(b, &c, 1);
}

void wp_buf_u64(wp_buf *b, uint64_t n)
{
	char text[20], *p = text + sizeof text;

	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	wp_buf_add(b, p, (size_t)(text + sizeof text - p));
}

void wp_buf_printf(wp_buf *b, const char *fmt, ...)
{
	char small[512], *big;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof small) {
		wp_buf_add(b, small, (size_t)n);
		return;
	}
	big = wp_xmalloc((size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(big, (size_t)n + 1, fmt, ap);
	va_end(ap);
	wp_buf_add(b, big, (size_t)n);
	free(big);
}

wp_str wp_buf_view(const wp_buf *b)
{
	return (wp_str){b->p ? b->p : "", b->n};
}

wp_str wp_buf_take(wp_buf *b, wp_arena *a)
{
	wp_str s = wp_str_copy(a, wp_buf_view(b));

	wp_buf_free(b);
	return s;
}

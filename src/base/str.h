/* SPDX-License-Identifier: MIT */
/* str.h: views of text, a cursor-free set of helpers on them, and a capped builder. */
#ifndef WP_BASE_STR_H
#define WP_BASE_STR_H

#include "base/arena.h"

#define WP_LIT(s) ((wp_str){(s), sizeof(s) - 1})

/* Of ASCII, whatever the locale; here because names are read byte by byte, thousands a page. */
static inline bool wp_ascii_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool wp_ascii_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool wp_ascii_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool wp_ascii_alnum(char c)
{
	return wp_ascii_alpha(c) || wp_ascii_digit(c);
}

static inline char wp_ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

wp_str wp_str_of(const char *s); /* NULL gives an empty view */
bool wp_str_eq(wp_str a, wp_str b);
bool wp_str_is(wp_str a, const char *b);
bool wp_str_is_nocase(wp_str a, const char *b); /* ASCII letters of either case */
bool wp_streq(const char *a, const char *b); /* two NULLs are equal, NULL and text are not */
bool wp_among(const char *const *v, size_t n, const char *word);
int wp_str_cmp(wp_str a, wp_str b);	     /* bytes, then length */
bool wp_str_starts(wp_str s, const char *prefix);
bool wp_str_ends(wp_str s, const char *suffix);
bool wp_starts(const char *s, const char *prefix);
bool wp_ends(const char *s, const char *suffix);
wp_str wp_str_sub(wp_str s, size_t from, size_t to); /* clamped */
wp_str wp_str_trim(wp_str s);			     /* ASCII space, tab, CR, LF, FF, VT */
/* Index of c, or s.n. */
size_t wp_str_find(wp_str s, char c);
size_t wp_str_rfind(wp_str s, char c); /* SIZE_MAX if absent */
size_t wp_str_find_str(wp_str s, wp_str needle); /* s.n if absent */
/* Cut the next line (without CR LF) from *rest; false at the end. */
bool wp_str_line(wp_str *rest, wp_str *line);
/* Cut up to sep from *rest; false once *rest is used up. "a,,b" gives three parts. */
bool wp_str_split(wp_str *rest, char sep, wp_str *part);
/* Decimal digits only, no sign; false on anything else or overflow. */
bool wp_str_u64(wp_str s, uint64_t *out);
char *wp_str_lower(wp_arena *a, wp_str s); /* ASCII only */
/* Valid UTF-8 without NUL (RFC 3629: no surrogates, no overlong forms). */
bool wp_utf8_valid(wp_str s);
/* n bytes as lower-case hex into out[2n+1]; and back: false unless exactly 2n hex digits. */
void wp_hex(const unsigned char *in, size_t n, char *out);
bool wp_unhex(wp_str in, unsigned char *out, size_t n);
/* Equal text and seed, equal number; every bit of it is good. Not secret: who knows the seed can make texts collide. */
uint64_t wp_str_hash(wp_str s, uint64_t seed);
/* For sorting arrays of const char *. */
int wp_cmp_cstr(const void *a, const void *b);

/* A growing text with a maximum named at birth. Past the cap it stays as it is and `full` is set.
 * Always NUL-terminated. Heap; release with wp_buf_free. */
typedef struct wp_buf {
	char *p;
	size_t n, cap, max;
	bool full;
} wp_buf;

void wp_buf_init(wp_buf *b, size_t max);
void wp_buf_free(wp_buf *b);
void wp_buf_add(wp_buf *b, const void *p, size_t n);
void wp_buf_str(wp_buf *b, wp_str s);
void wp_buf_puts(wp_buf *b, const char *s);
void wp_buf_putc(wp_buf *b, char c);
void wp_buf_u64(wp_buf *b, uint64_t n); /* decimal */
void wp_buf_printf(wp_buf *b, const char *fmt, ...) WP_PRINTF(2, 3);
wp_str wp_buf_view(const wp_buf *b);
/* Copy into the arena and free the buffer. */
wp_str wp_buf_take(wp_buf *b, wp_arena *a);

#endif

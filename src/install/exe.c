/* SPDX-License-Identifier: MIT
 *
 * exe.c: NAME.exe of an entry point on Windows: a launcher, behind it the `#!` line that it reads, behind that a
 * zip with __main__.py, which Python runs when it is given the whole file as its script. Other tools write the same
 * layout and know it again by it. The zip bears no time, so that the file is the same on every PC.
 */
#include "ext/inflate.h"
#include "install/parts.h"

enum { DOS_1980_JANUARY_1 = 0x21, STORED_NEEDS = 10, MAX_EXE = 1 << 20 };

static const char name[] = "__main__.py";
enum { NAME_BYTES = sizeof name - 1, LOCAL_BYTES = 30 + NAME_BYTES, CENTRAL_BYTES = 46 + NAME_BYTES };

static void put16(wp_buf *b, unsigned v)
{
	wp_buf_putc(b, (char)(v & 0xff));
	wp_buf_putc(b, (char)(v >> 8));
}

static void put32(wp_buf *b, uint32_t v)
{
	put16(b, v & 0xffff);
	put16(b, v >> 16);
}

/* What the local and the central header have in common, from the version on. */
static void put_common(wp_buf *b, wp_str text)
{
	put16(b, STORED_NEEDS);
	put16(b, 0); /* flags */
	put16(b, 0); /* stored */
	put16(b, 0); /* time */
	put16(b, DOS_1980_JANUARY_1);
	put32(b, wp_crc32(0, text.p, text.n));
	put32(b, (uint32_t)text.n);
	put32(b, (uint32_t)text.n);
	put16(b, NAME_BYTES);
	put16(b, 0); /* extra field */
}

static void put_zip(wp_buf *b, wp_str text)
{
	wp_buf_puts(b, "PK\x03\x04");
	put_common(b, text);
	wp_buf_puts(b, name);
	wp_buf_str(b, text);
	wp_buf_puts(b, "PK\x01\x02");
	put16(b, STORED_NEEDS);
	put_common(b, text);
	put16(b, 0); /* comment */
	put16(b, 0); /* disk */
	put16(b, 0); /* internal attributes */
	put32(b, 0); /* external attributes */
	put32(b, 0); /* offset of the local header, from the beginning of the zip */
	wp_buf_puts(b, name);
	wp_buf_puts(b, "PK\x05\x06");
	put16(b, 0);
	put16(b, 0);
	put16(b, 1);
	put16(b, 1);
	put32(b, CENTRAL_BYTES);
	put32(b, (uint32_t)(LOCAL_BYTES + text.n));
	put16(b, 0); /* comment */
}

wp_str wp_script_exe(wp_arena *a, const wp_launchers *l, const wp_starter *s, const wp_entry_point *ep)
{
	wp_buf b;

	wp_buf_init(&b, MAX_EXE);
	wp_buf_str(&b, ep->gui ? l->gui : l->console);
	wp_buf_str(&b, ep->gui ? s->windowed : s->line);
	put_zip(&b, wp_script_entry(a, s, ep));
	return wp_buf_take(&b, a);
}

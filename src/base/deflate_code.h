/* SPDX-License-Identifier: MIT */
/* deflate_code.h: Huffman codes of RFC 1951 as tables that are looked up by the next bits, first come first. An entry
 * says all that its symbol needs: how many bits the code has, how many with its extra bits, and what it stands for. A
 * code longer than the table's index leads on to a part of the table behind. */
#ifndef WP_BASE_DEFLATE_CODE_H
#define WP_BASE_DEFLATE_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	DEFLATE_SYMBOLS = 288, DEFLATE_DISTANCES = 32, DEFLATE_LENGTH_CODES = 19, /* at most, in the fixed codes */
	DEFLATE_SYMBOL_BITS = 11, DEFLATE_DISTANCE_BITS = 8, DEFLATE_LENGTH_CODE_BITS = 7,
	/* What the largest of all complete codes of so many symbols and 15 bits needs. */
	DEFLATE_SYMBOL_ENTRIES = 2342, DEFLATE_DISTANCE_ENTRIES = 402
};

/* Bits 0 to 5: bits of code and extra together (of a LONGER entry: of the index of what is behind); 8 to 11: bits of
 * the code; 16 to 30: the value (of a LONGER entry: where in the table it goes on). */
#define DEFLATE_LONGER (UINT32_C(1) << 13)
#define DEFLATE_END (UINT32_C(1) << 14)
#define DEFLATE_INVALID (UINT32_C(1) << 15)
#define DEFLATE_LITERAL (UINT32_C(1) << 31)
#define DEFLATE_ODD (DEFLATE_LONGER | DEFLATE_END | DEFLATE_INVALID)

static inline unsigned deflate_bits(uint32_t entry)
{
	return entry & 63;
}

static inline unsigned deflate_code_bits(uint32_t entry)
{
	return entry >> 8 & 15;
}

static inline unsigned deflate_value(uint32_t entry)
{
	return entry >> 16 & 0x7fff;
}

/* What bits, of which at least those of the entry are there, say with their extra bits. */
static inline unsigned deflate_extended(uint32_t entry, uint64_t bits)
{
	return deflate_value(entry) +
		(unsigned)((bits & ((UINT64_C(1) << deflate_bits(entry)) - 1)) >> deflate_code_bits(entry));
}

static inline uint32_t deflate_find(const uint32_t *table, unsigned root, uint64_t bits)
{
	return table[bits & ((1u << root) - 1)];
}

static inline uint32_t deflate_find_longer(const uint32_t *table, unsigned root, uint32_t entry, uint64_t bits)
{
	return table[deflate_value(entry) + (bits >> root & ((1u << deflate_bits(entry)) - 1))];
}

/* The table of the code whose n symbols have these lengths (0: not used). False for what zlib refuses too: more codes
 * than fit, or fewer, but for a single one of one bit. Without any, and beside a single one, the entries are invalid. */
bool deflate_symbols(uint32_t *table, const uint8_t *lengths, unsigned n);
bool deflate_distances(uint32_t *table, const uint8_t *lengths, unsigned n);
/* The code in which lengths are written: no single one; without any, each bit is a 0. */
bool deflate_length_codes(uint32_t *table, const uint8_t *lengths, unsigned n);

#endif

/* SPDX-License-Identifier: MIT */
#include "base/deflate_code.h"

#include <string.h>

enum { MAX_BITS = 15 };

/* How a kind of code is to be read. */
typedef struct kind {
	unsigned root;		/* bits of the table's index */
	unsigned plain;		/* symbols below stand for themselves */
	const uint32_t *others; /* entries of those from there on, without their code's bits */
	bool single;		/* a single code of one bit will do */
} kind;

#define BASE(value, extra) (UINT32_C(value) << 16 | (extra))

static const uint32_t lengths_meant[] = {
	DEFLATE_END,
	BASE(3, 0), BASE(4, 0), BASE(5, 0), BASE(6, 0), BASE(7, 0), BASE(8, 0), BASE(9, 0), BASE(10, 0),
	BASE(11, 1), BASE(13, 1), BASE(15, 1), BASE(17, 1), BASE(19, 2), BASE(23, 2), BASE(27, 2), BASE(31, 2),
	BASE(35, 3), BASE(43, 3), BASE(51, 3), BASE(59, 3), BASE(67, 4), BASE(83, 4), BASE(99, 4), BASE(115, 4),
	BASE(131, 5), BASE(163, 5), BASE(195, 5), BASE(227, 5), BASE(258, 0), DEFLATE_INVALID, DEFLATE_INVALID,
};

static const uint32_t distances_meant[] = {
	BASE(1, 0), BASE(2, 0), BASE(3, 0), BASE(4, 0), BASE(5, 1), BASE(7, 1), BASE(9, 2), BASE(13, 2),
	BASE(17, 3), BASE(25, 3), BASE(33, 4), BASE(49, 4), BASE(65, 5), BASE(97, 5), BASE(129, 6), BASE(193, 6),
	BASE(257, 7), BASE(385, 7), BASE(513, 8), BASE(769, 8), BASE(1025, 9), BASE(1537, 9),
	BASE(2049, 10), BASE(3073, 10), BASE(4097, 11), BASE(6145, 11), BASE(8193, 12), BASE(12289, 12),
	BASE(16385, 13), BASE(24577, 13), DEFLATE_INVALID, DEFLATE_INVALID,
};

static const kind symbols = {DEFLATE_SYMBOL_BITS, 256, lengths_meant, true};
static const kind distances = {DEFLATE_DISTANCE_BITS, 0, distances_meant, true};
static const kind length_codes = {DEFLATE_LENGTH_CODE_BITS, DEFLATE_LENGTH_CODES, NULL, false};

/* A code being turned into a table. */
typedef struct builder {
	const kind *k;
	uint32_t *table;
	unsigned used;			/* entries */
	unsigned count[MAX_BITS + 1];	/* codes of each length that are not in the table yet */
	uint16_t sorted[DEFLATE_SYMBOLS]; /* the symbols by their code */
	const uint16_t *next;
	unsigned code;			/* of *next, its first bit lowest */
} builder;

static uint32_t entry_of(const kind *k, unsigned symbol, unsigned length)
{
	uint32_t e = symbol < k->plain ? DEFLATE_LITERAL | symbol << 16 : k->others[symbol - k->plain];

	return e + length * 0x101;
}

/* True if they are all codes there can be, or what else is allowed. */
static bool is_whole(const builder *b, unsigned longest)
{
	int left = 1;
	unsigned n;

	for (n = 1; n <= MAX_BITS; n++) {
		left = left * 2 - (int)b->count[n];
		if (left < 0)
			return false;
	}
	return left == 0 || (b->k->single && longest == 1);
}

static void sort(builder *b, const uint8_t *lengths, unsigned n)
{
	unsigned at[MAX_BITS + 1], i;

	at[0] = at[1] = 0;
	for (i = 1; i < MAX_BITS; i++)
		at[i + 1] = at[i] + b->count[i];
	for (i = 0; i < n; i++)
		if (lengths[i])
			b->sorted[at[lengths[i]]++] = (uint16_t)i;
	b->next = b->sorted;
	b->code = 0;
}

/* The symbol that is next, of a code of this length, and on to the code behind it. */
static uint32_t take(builder *b, unsigned length)
{
	unsigned bit = 1u << (length - 1);

	while (b->code & bit)
		bit >>= 1;
	b->code = bit ? (b->code & (bit - 1)) | bit : 0;
	b->count[length]--;
	return entry_of(b->k, *b->next++, length);
}

/* Codes that the index holds whole. The table is doubled with each bit, and so every code fills all of its places. */
static void fill_root(builder *b)
{
	unsigned length, size;

	b->table[0] = DEFLATE_INVALID | 0x101;
	for (length = size = 1; length <= b->k->root; length++, size *= 2) {
		memcpy(b->table + size, b->table, size * sizeof *b->table);
		while (b->count[length]) {
			unsigned code = b->code;

			b->table[code] = take(b, length);
		}
	}
	b->used = size;
}

/* Index bits of the part that goes on from a prefix, whose first code has this length: until what is left fills it. */
static unsigned part_bits(const builder *b, unsigned length)
{
	unsigned bits = length - b->k->root;
	int left = 1 << bits;

	while ((left -= (int)b->count[length]) > 0) {
		left *= 2;
		bits++;
		length++;
	}
	return bits;
}

static void fill_longer(builder *b, unsigned longest)
{
	unsigned root = b->k->root, prefix = 1u << root, bits = 0, length, i;
	uint32_t *part = NULL;

	for (length = root + 1; length <= longest; length++)
		while (b->count[length]) {
			unsigned code = b->code;
			uint32_t e;

			if ((code & ((1u << root) - 1)) != prefix) {
				prefix = code & ((1u << root) - 1);
				bits = part_bits(b, length);
				part = b->table + b->used;
				b->table[prefix] = DEFLATE_LONGER | b->used << 16 | bits;
				b->used += 1u << bits;
			}
			e = take(b, length);
			for (i = code >> root; i < 1u << bits; i += 1u << (length - root))
				part[i] = e;
		}
}

static bool build(const kind *k, uint32_t *table, const uint8_t *lengths, unsigned n)
{
	builder b = {.k = k, .table = table};
	unsigned longest = MAX_BITS, i;

	for (i = 0; i < n; i++)
		b.count[lengths[i]]++;
	while (longest && !b.count[longest])
		longest--;
	if (longest && !is_whole(&b, longest))
		return false;
	sort(&b, lengths, n);
	fill_root(&b);
	fill_longer(&b, longest);
	return true;
}

bool deflate_symbols(uint32_t *table, const uint8_t *lengths, unsigned n)
{
	return build(&symbols, table, lengths, n);
}

bool deflate_distances(uint32_t *table, const uint8_t *lengths, unsigned n)
{
	return build(&distances, table, lengths, n);
}

bool deflate_length_codes(uint32_t *table, const uint8_t *lengths, unsigned n)
{
	return build(&length_codes, table, lengths, n);
}

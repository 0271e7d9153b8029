/* SPDX-License-Identifier: MIT */
#include "fuzz/inflate.h"

/* The first byte chooses the pieces, the rest is the stream. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static fuzz_inflater f[2]; /* made once: what one stream leaves behind must not matter to the next */

	if (!f[0].z) {
		f[0] = fuzz_inflater_new(wp_inflate_new());
		f[1] = fuzz_inflater_new(wp_inflate_zlib());
	}
	if (n)
		fuzz_inflate_both(f, data + 1, n - 1, data[0] * UINT64_C(0x9e3779b97f4a7c15));
	return 0;
}

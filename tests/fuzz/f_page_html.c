/* SPDX-License-Identifier: MIT */
#include "fuzz/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_page(data, n, "text/html");
	return 0;
}

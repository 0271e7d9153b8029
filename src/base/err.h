/* SPDX-License-Identifier: MIT */
/* err.h: what the library needs of errors beyond the public header. */
#ifndef WP_BASE_ERR_H
#define WP_BASE_ERR_H

#include "wheelpack/error.h"
#include "wheelpack/types.h"

/* Copy text into out[size], cut in the middle where it is too long. */
void wp_fit(char *out, size_t size, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* unicode.h: names that a file system may take for the same, and letters (utf8proc). */
#ifndef WP_EXT_UNICODE_H
#define WP_EXT_UNICODE_H

#include "base/str.h"

/* NFC + full case folding of valid UTF-8, in arena a: equal keys collide on Windows or macOS. */
const char *wp_name_fold(wp_arena *a, wp_str name);
/* Valid UTF-8: all that is not ASCII is letters, with their marks, and digits. */
bool wp_letters(wp_str s);

#endif

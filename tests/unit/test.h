/* SPDX-License-Identifier: MIT */
/* test.h: what every unit test needs. */
#ifndef WP_TESTS_TEST_H
#define WP_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __MINGW32__ /* cmocka means the printf of C, not Microsoft's old one */
#define __printf__ __gnu_printf__
#include <cmocka.h>
#undef __printf__
#else
#include <cmocka.h>
#endif

#include "base/str.h"
#include "base/vec.h"
#include "wheelpack/wheelpack.h"

/* Fail with the error's own words. */
#define assert_ok(call)                                                                            \
	do {                                                                                       \
		int code_ = (call);                                                                \
		if (code_)                                                                         \
			fail_msg("%s: %s (%s)", #call, wp_code_name(code_), err.why);              \
	} while (0)

#endif

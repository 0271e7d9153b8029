/* SPDX-License-Identifier: MIT */
/* banned.h: included on the compiler's command line after no other header; calls that cut, overflow or
 * read past the end do not compile. */
#ifndef WP_BASE_BANNED_H
#define WP_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok atoi atol atof
#pragma GCC poison localtime gmtime asctime ctime tmpnam mktemp

#endif

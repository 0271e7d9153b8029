/* SPDX-License-Identifier: MIT */
/* name.h: project names and extras (PEP 503, PEP 685). */
#ifndef WP_PY_NAME_H
#define WP_PY_NAME_H

#include "base/str.h"

bool wp_name_valid(wp_str name);		      /* letters, digits, . _ - and alnum at both ends */
const char *wp_name_normalize(wp_arena *a, wp_str name); /* lower case, runs of -_. become one - */

#endif

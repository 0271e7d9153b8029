/* SPDX-License-Identifier: MIT */
/* exceptions.h: what bundle.json and a receipt say of files that are not as RECORD has them. */
#ifndef WP_MODEL_EXCEPTIONS_H
#define WP_MODEL_EXCEPTIONS_H

#include "ext/json_out.h"

/* [{"path", "size", "sha256"}, ...] */
wp_jnode *wp_exceptions_node(const wp_exceptions *x);

#endif

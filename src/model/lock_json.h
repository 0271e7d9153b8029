/* SPDX-License-Identifier: MIT */
/* lock_json.h: the lock document where it is a part of another one. */
#ifndef WP_MODEL_LOCK_JSON_H
#define WP_MODEL_LOCK_JSON_H

#include "ext/json_out.h"
#include "wheelpack/lock.h"

/* What wp_lock_write writes. */
wp_jnode *wp_lock_json(const wp_lock_doc *d);

#endif

/* SPDX-License-Identifier: MIT */
/* write.h: a layout and its wheels written to a new name. Every wheel is hashed on the way. */
#ifndef WP_BUNDLE_WRITE_H
#define WP_BUNDLE_WRITE_H

#include <stdatomic.h>

#include "bundle/layout.h"

typedef struct wp_packing {
	wp_ctx *ctx;
	const wp_layout *layout;
	wp_wheels source;
	atomic_ullong bytes, items; /* of wheels, so far */
} wp_packing;

/* path is new. What a failed write leaves there is removed by the caller. */
int wp_write_dir(wp_packing *p, const char *path, wp_error *e);
int wp_write_file(wp_packing *p, const char *path, wp_error *e);

/* Open the wheel from the source; its size is as the manifest says. */
int wp_packing_open(wp_packing *p, const wp_bundle_wheel *w, wp_blob *out, wp_error *e);
/* The digest of what went through: WP_E_DIGEST where it isn't the promised one. */
int wp_packing_digest(const wp_bundle_wheel *w, const unsigned char sha256[32], wp_error *e);
void wp_packing_report(wp_packing *p);

#endif

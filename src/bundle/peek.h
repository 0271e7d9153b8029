/* SPDX-License-Identifier: MIT */
/* peek.h: a big deflated member as a blob that is inflated only as far as it is read. A read behind the present place
 * goes on from there; one before it starts over. For readers that want a few places, mostly in order (bin/). Neither
 * crc nor RECORD is checked: that is verify's work. */
#ifndef WP_BUNDLE_PEEK_H
#define WP_BUNDLE_PEEK_H

#include "base/zip.h"

/* wheel is borrowed. The blob is thread-safe. */
wp_blob wp_peek_open(const wp_blob *wheel, const wp_zip_entry *entry);

#endif

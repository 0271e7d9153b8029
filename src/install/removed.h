/* SPDX-License-Identifier: MIT */
/* removed.h: what was uninstalled from a venv since its receipt was written. */
#ifndef WP_INSTALL_REMOVED_H
#define WP_INSTALL_REMOVED_H

#include "install/journal.h"
#include "wheelpack/install.h"

#define WP_REMOVED_PATH ".wheelpack/removed.json"

/* Leave out of the lock of a venv what was uninstalled from it. A list that can't be read names nothing. */
int wp_removed_apply(wp_arena *a, const char *venv, wp_lock_doc *lock, wp_error *e);
/* These projects (normalised) are uninstalled: those of them that the venv's lock has are added to the list, which goes into
 * the stage and the journal. */
int wp_removed_stage(wp_arena *a, const char *venv, const char *const *projects, size_t n, wp_journal *j,
	wp_error *e);

#endif

/* SPDX-License-Identifier: MIT */
/* relock.h: a lock that is there already, and is made again. */
#ifndef WP_CLI_RELOCK_H
#define WP_CLI_RELOCK_H

#include "cli/cli.h"

/* The lock in that file; NULL where there is none, or an empty one. WP_E_EXISTS for anything else: it is not
 * overwritten. path may be NULL. */
int cli_earlier_lock(cli *c, const char *path, const wp_lock_doc **out, wp_error *e);
/* What of it is kept, after --update. */
int cli_kept(cli *c, const wp_lock_doc *earlier, const cli_list *requirements, wp_lock_request *q, wp_error *e);
/* After a refusal of that name: suggests the project of the lock that is meant. Returns e->code. */
int cli_near_project(cli *c, const wp_lock_doc *d, const char *name, wp_error *e);
/* Warns where the lock was for other targets. earlier may be NULL. */
void cli_retargeted(cli *c, const wp_lock_doc *earlier, const cli_request *q);
/* Says a line for each project whose versions changed. */
wp_jnode *cli_changes(cli *c, const wp_lock_doc *from, const wp_lock_doc *to);

#endif

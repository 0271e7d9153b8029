/* SPDX-License-Identifier: MIT */
#ifndef WP_CLI_EXPLAIN_TREE_H
#define WP_CLI_EXPLAIN_TREE_H

#include "cli/cli.h"

/* --explain: the names as the library takes them; what was found, as text and for --json (NULL if there is nothing). */
void cli_explain_names(cli *c, wp_lock_request *lq);
wp_jnode *cli_explained(cli *c, const wp_lock_result *r);

#endif

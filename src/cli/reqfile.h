/* SPDX-License-Identifier: MIT */
/* reqfile.h: requirements files in pip's format. */
#ifndef WP_CLI_REQFILE_H
#define WP_CLI_REQFILE_H

#include "cli/cli.h"

/* Add what the file says to c->o (indexes, --pre, -c) and to requirements. Other files that it names with -r and -c are
 * relative to it. WP_E_USAGE and WP_E_REQUIREMENT name file and line. */
int cli_reqfile(cli *c, const char *path, cli_list *requirements, cli_list *constraints, wp_error *e);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef WP_CLI_SUGGEST_H
#define WP_CLI_SUGGEST_H

#include "cli/cli.h"

/* The request has no solution: try others that are near it, and say in the error's next which one has. Asks the same
 * catalogue, but for other variants, whose index is another. At most 12 tries or 5 seconds; no trouble of theirs is told. */
void cli_suggest(cli *c, const cli_request *q, const wp_session_options *so, const wp_lock_request *lq,
	const wp_catalog *catalog, wp_error *e);

#endif

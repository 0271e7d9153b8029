/* SPDX-License-Identifier: MIT
 *
 * wait.c: a lock that another run holds is taken when it is free.
 */
#include "install/parts.h"

enum { LOOK_MS = 200 };

static void tell(wp_ctx *ctx, const char *path)
{
	int pid = os_lock_holder(path);
	char who[32] = "another process";

	if (pid)
		snprintf(who, sizeof who, "process %d", pid);
	wp_report(ctx, &(wp_progress){.stage = "wait", .item = who, .item_done = true});
}

int wp_lock_take(wp_ctx *ctx, const char *path, bool wait, os_lock **out, wp_error *e)
{
	bool told = false;

	for (;;) {
		wp_error f = {0};

		if (!os_lock_take(path, out, &f))
			return 0;
		if (f.code != WP_E_BUSY || !wait) {
			*e = f;
			return e->code;
		}
		if (!told)
			tell(ctx, path);
		told = true;
		if (wp_check_cancel(ctx, e))
			return e->code;
		os_sleep_ms(LOOK_MS);
	}
}

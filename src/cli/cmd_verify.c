/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "os/os.h"

static wp_jnode *result_json(const wp_verify_result *r)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "id", r->id);
	wp_jput_str(o, "lock", r->lock_id);
	wp_jput_int(o, "files", (int64_t)r->files);
	wp_jput_int(o, "wheels", (int64_t)r->wheels);
	wp_jput_int(o, "bytes", (int64_t)r->bytes);
	return o;
}

static int run(cli *c, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_verify_request q = {.deep = c->o.deep};
	wp_verify_result r = {0};
	uint64_t start = os_now_ms();

	if (c->o.args.n != 1) {
		wp_err_what(e, "cannot verify");
		return wp_fail(e, WP_E_USAGE, "`wheelpack verify` takes one bundle: a .wpk file or a directory");
	}
	q.path = c->o.args.v[0];
	if (wp_verify(&c->ctx, &q, &r, e))
		cli_advise_bundle(c, q.path, e);
	if (e->code && r.findings.n == 1)
		c->findings = r.findings; /* the error says the same */
	else
		cli_findings(c, &r.findings);
	wp_err_what(e, "cannot vouch for '%s'", q.path);
	if (e->code)
		return e->code;
	c->result = result_json(&r);
	cli_say(c, "'%s' is as it was written: %s, %s, %s, in %s\n", q.path, cli_count(a, r.files, "file"),
		cli_count(a, r.wheels, "wheel"), cli_bytes(a, r.bytes), cli_seconds(a, os_now_ms() - start));
	if (r.id)
		cli_say(c, "bundle id %s\nlock id   %s\n", r.id, r.lock_id);
	return 0;
}

static const char *const options[] = {"deep", NULL};

const cli_command cmd_verify = {
	.name = "verify",
	.summary = "check every byte of a bundle",
	.usage = "[--deep] BUNDLE",
	.about = "Hashes every file of the bundle against bundle.json on all cores and refuses what isn't listed. For a\n"
		 "wheel that failed, names the member. A folder of wheels is checked against their RECORDs.\n\n"
		 "  wheelpack verify torch-cu126.wpk\n"
		 "  wheelpack verify --deep E:\\torch-cu126.wpk\n"
		 "  wheelpack verify wheels/\n",
	.options = options,
	.run = run,
};

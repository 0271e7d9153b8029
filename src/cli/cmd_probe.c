/* SPDX-License-Identifier: MIT */
/* The probe runs in a child process: a driver that crashes or hangs takes only the child with it. The child prints its
 * report as JSON, the parent reads it back. */
#include <stdio.h>

#include "base/json.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "cli/embed.h"
#include "os/os.h"

enum { CHILD_TIMEOUT_MS = 120000 };

/* ---- the report as JSON --------------------------------------------------------------------- */

static wp_jnode *device_json(const wp_probe_device *d)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "name", d->name);
	wp_jput_int(o, "major", d->major);
	wp_jput_int(o, "minor", d->minor);
	wp_jput_int(o, "memory", (int64_t)d->memory);
	wp_jput_bool(o, "exact", d->exact);
	wp_jput_int(o, "jit_us", (int64_t)(d->jit_ms * 1000));
	wp_jput_int(o, "copy_us", (int64_t)(d->copy_ms * 1000));
	wp_jput_int(o, "kernel_us", (int64_t)(d->kernel_ms * 1000));
	wp_jput_int(o, "gflops", (int64_t)d->gflops);
	return o;
}

static wp_jnode *report_json(const wp_probe_report *r)
{
	wp_jnode *o = wp_jobject(), *list = wp_jarray();
	size_t i;

	wp_jput_bool(o, "driver_present", r->driver_present);
	wp_jput_str(o, "driver_library", r->driver_library);
	wp_jput_int(o, "driver_cuda", r->driver_cuda);
	for (i = 0; i < r->ndevices; i++)
		wp_jadd(list, device_json(&r->devices[i]));
	wp_jput(o, "devices", list);
	return o;
}

static double micro(wp_json *j)
{
	int64_t v = 0;

	wp_json_i64(j, &v);
	return (double)v / 1000;
}

static int integer(wp_json *j)
{
	int64_t v = 0;

	wp_json_i64(j, &v);
	return (int)v;
}

static void read_device(wp_json *j, wp_probe_device *d)
{
	int64_t n = 0;
	wp_str key;

	for (wp_json_object(j); wp_json_key(j, &key);) {
		if (wp_str_is(key, "name"))
			wp_json_cstr(j, &d->name);
		else if (wp_str_is(key, "major"))
			d->major = integer(j);
		else if (wp_str_is(key, "minor"))
			d->minor = integer(j);
		else if (wp_str_is(key, "memory") && wp_json_i64(j, &n))
			d->memory = (uint64_t)n;
		else if (wp_str_is(key, "exact"))
			wp_json_bool(j, &d->exact);
		else if (wp_str_is(key, "jit_us"))
			d->jit_ms = micro(j);
		else if (wp_str_is(key, "copy_us"))
			d->copy_ms = micro(j);
		else if (wp_str_is(key, "kernel_us"))
			d->kernel_ms = micro(j);
		else if (wp_str_is(key, "gflops"))
			d->gflops = integer(j);
		else
			wp_json_skip(j);
	}
}

static void read_devices(wp_json *j, wp_arena *a, wp_probe_report *r)
{
	WP_VEC(wp_probe_device) v = {0};

	for (wp_json_array(j); wp_json_item(j);)
		read_device(j, WP_PUSH_NEW(&v));
	r->devices = WP_VEC_COPY(a, &v);
	r->ndevices = v.n;
	WP_VEC_FREE(&v);
}

static void read_finding(wp_json *j, wp_arena *a, wp_findings *f)
{
	const char *code = "", *severity = "", *title = "", *why = NULL, *next = NULL;
	wp_str key;

	for (wp_json_object(j); wp_json_key(j, &key);) {
		if (wp_str_is(key, "code"))
			wp_json_cstr(j, &code);
		else if (wp_str_is(key, "severity"))
			wp_json_cstr(j, &severity);
		else if (wp_str_is(key, "title"))
			wp_json_cstr(j, &title);
		else if (wp_str_is(key, "why"))
			wp_json_cstr(j, &why);
		else if (wp_str_is(key, "next"))
			wp_json_cstr(j, &next);
		else
			wp_json_skip(j);
	}
	wp_finding_add(f, a, code ? code : "",
		wp_streq(severity, "note") ? WP_NOTE : wp_streq(severity, "warning") ? WP_WARNING : WP_SEVERE,
		title ? title : "", why, next);
}

static void read_result(wp_json *j, wp_arena *a, wp_probe_report *r)
{
	wp_str key;

	for (wp_json_object(j); wp_json_key(j, &key);) {
		if (wp_str_is(key, "driver_present"))
			wp_json_bool(j, &r->driver_present);
		else if (wp_str_is(key, "driver_library"))
			wp_json_cstr(j, &r->driver_library);
		else if (wp_str_is(key, "driver_cuda"))
			r->driver_cuda = integer(j);
		else if (wp_str_is(key, "devices"))
			read_devices(j, a, r);
		else
			wp_json_skip(j);
	}
}

static int read_report(wp_arena *a, wp_str text, wp_probe_report *r, wp_error *e)
{
	wp_json j;
	wp_str key;

	wp_json_init(&j, a, text, WP_E_INTERNAL, e);
	for (wp_json_object(&j); wp_json_key(&j, &key);) {
		if (wp_str_is(key, "findings")) {
			for (wp_json_array(&j); wp_json_item(&j);)
				read_finding(&j, a, &r->findings);
		} else if (wp_str_is(key, "result")) {
			read_result(&j, a, r);
		} else {
			wp_json_skip(&j);
		}
	}
	return wp_json_end(&j);
}

/* ---- child and parent ----------------------------------------------------------------------- */

static int child(cli *c, wp_error *e)
{
	wp_probe_request q = {.ptx = {(const char *)wp_data_matmul_ptx, wp_data_matmul_ptx_size}};
	wp_probe_report r = {0};

	/* The library to load instead of the system's: for tests against a stand-in driver. */
	q.driver_library = os_getenv("WHEELPACK_DRIVER_LIBRARY");
	if (q.driver_library)
		q.size = 128;
	q.visible_devices = os_getenv("CUDA_VISIBLE_DEVICES");
	if (wp_probe(&c->ctx, &q, &r, e))
		return e->code;
	c->findings = r.findings;
	c->result = report_json(&r);
	return 0;
}

static void child_broke(cli *c, const os_run_result *r, wp_probe_report *out)
{
	wp_arena *a = c->ctx.arena;
	const char *why = r->timed_out
		? wp_sprintf(a, "the probe's process gave no answer within %d seconds and was ended", CHILD_TIMEOUT_MS / 1000)
		: r->signal ? wp_sprintf(a, "the probe's process ended by signal %d inside the driver", r->signal)
		: r->exit_code == 0 || r->exit_code == WP_EXIT_FINDINGS
			? "the probe's process ended inside the driver, without a report"
			: wp_sprintf(a, "the probe's process ended with code %d", r->exit_code);

	wp_finding_add(&out->findings, a, "G609", WP_SEVERE, "the GPU probe hung or crashed", why,
		"reboot, then install the NVIDIA driver again if it happens once more");
}

/* The driver may print as well: the report is what begins last as one does. */
static wp_str report_in(wp_str text)
{
	static const char begin[] = "{\n  \"wheelpack\":";
	wp_str found = {0};
	size_t at;

	while ((at = wp_str_find_str(text, wp_str_of(begin))) < text.n) {
		found = wp_str_sub(text, at, text.n);
		text = wp_str_sub(text, at + 1, text.n);
	}
	return found;
}

/* A report without a device says what is wrong. */
static bool take_report(wp_arena *a, wp_str text, wp_probe_report *out)
{
	wp_error err = {0};

	return !read_report(a, report_in(text), out, &err) && (out->ndevices || wp_findings_errors(&out->findings));
}

static int ask_child(cli *c, wp_probe_report *out, wp_error *e)
{
	/* Without its cache the driver's compiler really works. */
	static const char *const env[] = {"CUDA_CACHE_DISABLE=1", NULL};
	const char *self;
	os_run_result r = {0};

	if (os_self_path(c->ctx.arena, &self, e))
		return e->code;
	const char *argv[] = {self, "probe", "--child", "--json", NULL};
	os_run_request q = {.argv = argv, .set_env = env, .timeout_ms = CHILD_TIMEOUT_MS};
	if (os_run(c->ctx.arena, &q, &r, e) || wp_check_cancel(&c->ctx, e))
		return e->code;
	if (r.timed_out || r.signal || (r.exit_code != 0 && r.exit_code != WP_EXIT_FINDINGS) ||
		!take_report(c->ctx.arena, r.out, out)) {
		*out = (wp_probe_report){0};
		child_broke(c, &r, out);
	}
	return 0;
}

static void say_device(cli *c, const wp_probe_device *d)
{
	cli_say(c, "%s (compute capability %d.%d, %s): %s\n", d->name, d->major, d->minor,
		cli_bytes(c->ctx.arena, d->memory),
		d->exact ? "matrix product exact to the bit" : "matrix product NOT proved");
	if (d->exact)
		cli_say(c, "  kernel %.2f ms (%.0f GFLOP/s), compiled by the driver in %.0f ms, copies %.1f ms\n",
			d->kernel_ms, d->gflops, d->jit_ms, d->copy_ms);
}

int cli_probe(cli *c, wp_probe_report *out, wp_error *e)
{
	size_t i;

	if (ask_child(c, out, e))
		return e->code;
	for (i = 0; i < out->ndevices; i++)
		say_device(c, &out->devices[i]);
	cli_findings(c, &out->findings);
	if (!wp_findings_errors(&out->findings))
		cli_say(c, "the driver takes CUDA %d.%d; this proves driver and GPU, not torch's own kernels\n",
			out->driver_cuda / 1000, out->driver_cuda % 1000 / 10);
	return 0;
}

static int run(cli *c, wp_error *e)
{
	wp_probe_report r = {0};

	if (c->o.args.n)
		return wp_fail(e, WP_E_USAGE, "`wheelpack probe` takes no argument, not '%s'", c->o.args.v[0]);
	wp_err_what(e, "cannot probe the GPU");
	if (c->o.child)
		return child(c, e);
	if (cli_probe(c, &r, e))
		return e->code;
	c->result = report_json(&r);
	return 0;
}

static const char *const options[] = {"child", NULL};

const cli_command cmd_probe = {
	.name = "probe",
	.summary = "multiply matrices on the GPU through the driver alone, checked to the bit",
	.usage = "[--json]",
	.about = "Needs no Python and no CUDA toolkit. Exit code 1 where the GPU can't be proved: no driver is "
		 "such a case.\n\n"
		 "  wheelpack probe\n"
		 "  wheelpack probe --json\n",
	.options = options,
	.run = run,
	.findings_fail = true,
};

/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/str.h"
#include "probe/report.h"

#define RESTART "restart the PC"
#define DRIVER "install the current driver for this GPU from NVIDIA; a CUDA toolkit is not needed"

/* What a result number means to whoever sits before the PC. */
static const struct {
	int error;
	const char *code, *title, *next;
} causes[] = {
	{WP_CU_OUT_OF_MEMORY, "G607", "the GPU has no memory left for a small test",
		"close other programs that use the GPU, then run the probe again"},
	{WP_CU_STUB_LIBRARY, "D513", "a stub was loaded in place of the NVIDIA driver",
		"take the toolkit's stubs directory off the library path"},
	{WP_CU_DEVICE_UNAVAILABLE, "G604", "the GPU is reserved by another program",
		"end the program that holds the GPU, or set its compute mode to default with "
		"`nvidia-smi -c 0`"},
	{WP_CU_ECC_UNCORRECTABLE, "G606", "the GPU's memory has an error that cannot be corrected",
		RESTART "; if it comes back the GPU has to be replaced"},
	{WP_CU_INVALID_PTX, "D504", "the driver does not take the test program",
		"update the driver: CUDA 11.8 or newer is needed (driver 520 or newer)"},
	{WP_CU_UNSUPPORTED_PTX_VERSION, "D504", "the driver is too old for the test program",
		"update the driver: CUDA 11.8 or newer is needed (driver 520 or newer)"},
	{WP_CU_JIT_COMPILER_NOT_FOUND, "D514", "the driver's compiler library is missing",
		"install the whole driver; on Linux libnvidia-ptxjitcompiler belongs to it"},
	{WP_CU_JIT_DISABLED, "D514", "the driver's compiler is switched off",
		"remove CUDA_DISABLE_PTX_JIT from the environment"},
	{WP_CU_OPERATING_SYSTEM, "D512", "the operating system refused the driver",
		"check the permissions of /dev/nvidia*, and the limits of the container or "
		"sandbox"},
	{WP_CU_ILLEGAL_ADDRESS, "G609", "the test program crashed on the GPU",
		RESTART
		" and probe again; if it comes back, update the driver, then suspect the GPU"},
	{WP_CU_LAUNCH_TIMEOUT, "G608",
		"the system stopped the test program because it ran too long",
		"close other programs that use the GPU; a GPU without a display has no such limit"},
	{WP_CU_LAUNCH_FAILED, "G609", "the test program crashed on the GPU",
		RESTART
		" and probe again; if it comes back, update the driver, then suspect the GPU"},
	{WP_CU_SYSTEM_NOT_READY, "D509", "the GPUs are not ready: the fabric manager does not run",
		"start the service nvidia-fabricmanager, of the driver's own version"},
	{WP_CU_DRIVER_MISMATCH, "D506",
		"the driver's libraries and its kernel part have different versions",
		RESTART ": the driver was updated and the old one is still loaded"},
	{WP_CU_COMPAT_NOT_SUPPORTED, "D508",
		"a forward-compatibility driver library does not suit this GPU",
		"take the CUDA compat directory off the library path"},
	{WP_CU_UNKNOWN, "D505", "the driver failed with an unknown error",
		RESTART "; on Linux after suspend, reloading the module nvidia_uvm is enough"},
};

/* Text from the driver's compiler is cut to its first line, of plain characters. */
static const char *first_line(wp_arena *a, const char *log)
{
	char *p = wp_str_dup(a, wp_str_sub(wp_str_of(log), 0, strcspn(log, "\r\n")));
	size_t i;

	for (i = 0; p[i]; i++)
		if ((unsigned char)p[i] < ' ' || (unsigned char)p[i] > '~')
			p[i] = '?';
	return p;
}

static const char *version(wp_probe_run *r)
{
	int v = r->out->driver_cuda;

	return v ? wp_sprintf(r->a, "; the driver is for CUDA %d.%d", v / 1000, v % 1000 / 10) : "";
}

static const char *error_words(wp_probe_run *r, int rc)
{
	const char *name = NULL, *text = NULL;

	if (r->cu.cuGetErrorName(rc, &name) != 0 || !name)
		return wp_sprintf(r->a, "error %d", rc);
	if (r->cu.cuGetErrorString(rc, &text) != 0 || !text)
		return wp_sprintf(r->a, "error %d, %s", rc, first_line(r->a, name));
	return wp_sprintf(
		r->a, "error %d, %s: %s", rc, first_line(r->a, name), first_line(r->a, text));
}

static void add(
	wp_probe_run *r, const char *code, const char *title, const char *why, const char *next)
{
	wp_finding_add(&r->out->findings, r->a, code, WP_SEVERE, title, why, next);
}

bool wp_probe_ok(wp_probe_run *r, int rc, const char *call, const char *log)
{
	const char *why;
	size_t i;

	if (rc == 0 || r->quiet)
		return rc == 0;
	if (rc == WP_CU_NO_DEVICE) {
		wp_probe_no_device(r);
		return false;
	}
	why = wp_sprintf(r->a, "%s: %s answered %s%s%s%s", r->subject, call, error_words(r, rc),
		version(r), log && log[0] ? "; its compiler says: " : "",
		log && log[0] ? first_line(r->a, log) : "");
	for (i = 0; i < sizeof causes / sizeof *causes; i++)
		if (causes[i].error == rc) {
			add(r, causes[i].code, causes[i].title, why, causes[i].next);
			return false;
		}
	add(r, "G609", "the driver failed during the test", why,
		RESTART " and probe again; if it comes back, " DRIVER);
	return false;
}

void wp_probe_no_driver(wp_probe_run *r, const wp_error *e)
{
	if (e->code == WP_E_NOT_FOUND)
		add(r, "D501",
			"there is no NVIDIA driver on this PC, so CUDA builds of PyTorch cannot "
			"use a GPU",
			wp_sprintf(r->a, "the driver library %s is not there", e->where),
			DRIVER ". A PC without an NVIDIA GPU takes a CPU build");
	else
		add(r, "D501",
			"the NVIDIA driver cannot be loaded, so CUDA builds of PyTorch cannot use "
			"a GPU",
			wp_sprintf(r->a, "%s: %s", e->where, e->why), DRIVER);
}

void wp_probe_missing_call(wp_probe_run *r)
{
	add(r, "D503", "the driver is too old, or not NVIDIA's",
		wp_sprintf(r->a, "'%s' lacks %s", r->cu.path, r->cu.missing), DRIVER);
}

void wp_probe_no_device(wp_probe_run *r)
{
	const char *visible = r->in->visible_devices;

	if (visible)
		add(r, "G603", "CUDA_VISIBLE_DEVICES hides every GPU",
			wp_sprintf(r->a, "its value is '%s', and the driver sees no GPU",
				first_line(r->a, visible)),
			"remove it from the environment, then probe again");
	else
		add(r, "D502", "the NVIDIA driver is there and sees no GPU",
			wp_sprintf(r->a, "'%s' reports no device", r->cu.path),
			"check that the PC has an NVIDIA GPU, that it is enabled, and, in a "
			"container, that "
			"the GPU is passed through (/dev/nvidia*); else take a CPU build");
}

static bool same_diff(const wp_diff *x, const wp_diff *y)
{
	return x->wrong == y->wrong && x->nan == y->nan && x->guard == y->guard &&
	       x->first == y->first && memcmp(&x->got, &y->got, sizeof x->got) == 0;
}

static const char *wrong_words(wp_probe_run *r, const wp_case *c, const wp_diff *d)
{
	size_t n = (size_t)c->n;

	if (!d->wrong)
		return wp_sprintf(r->a, "%zu words behind the result were overwritten", d->guard);
	return wp_sprintf(r->a,
		"%zu of %zu elements are wrong (%zu of them NaN), the first at row %zu, "
		"column %zu: %.9g and not %d",
		d->wrong, (size_t)c->m * n, d->nan, d->first / n + 1, d->first % n + 1,
		(double)d->got, (int)d->expected);
}

void wp_probe_wrong(
	wp_probe_run *r, const wp_case *c, int product, const wp_diff *d, const wp_diff *again)
{
	bool clean = !again->wrong && !again->guard;

	add(r, "G601", "the GPU computes wrong results",
		wp_sprintf(r->a,
			"%s: product %d of %d x %d by %d x %d: %s; computed once more it is %s",
			r->subject, product, c->m, c->k, c->k, c->n, wrong_words(r, c, d),
			clean		      ? "right"
			: same_diff(d, again) ? "wrong in the same way"
					      : "wrong in another way"),
		"do not trust results of this GPU: take back any overclocking, update the driver, "
		"probe again, "
		"then test the hardware. A result that changes points to the hardware, one that "
		"stays to the "
		"driver");
}

void wp_probe_proved(wp_probe_run *r, const wp_probe_device *d, int size, int repeat)
{
	wp_finding_add(&r->out->findings, r->a, "G611", WP_NOTE,
		wp_sprintf(r->a, "%s computes right", r->subject),
		wp_sprintf(r->a,
			"compute capability %d.%d, %.1f GB: %d products of %d x %d equal the "
			"integer "
			"reference in every element, %.3f ms each (%.0f GFLOP/s). This proves the "
			"GPU, "
			"its driver and the driver's compiler, not the libraries that PyTorch "
			"brings",
			d->major, d->minor, (double)d->memory / 1e9, repeat, size, size,
			d->kernel_ms, d->gflops),
		NULL);
}

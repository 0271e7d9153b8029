/* SPDX-License-Identifier: MIT */
#include "ext/cudrv.h"
#include "os/os.h"
#include "probe/check.h"
#include "unit/tmp.h"
#include "wheelpack/probe.h"

enum { SIZE = 40, REPEAT = 3 };

typedef struct fake {
	os_lib *lib; /* held, so that what it counts outlives the probe */
	int (*live)(void);
	int (*calls)(const char *);
	void (*reset)(void);
	const char *path;
	wp_str ptx;
	wp_ctx ctx;
	wp_probe_report report;
} fake;

static int set_up(void **state)
{
	fake *f = calloc(1, sizeof *f);
	wp_error err = {0};
	const char *self;

	*state = f;
	wp_ctx_init(&f->ctx, 1);
	if (os_self_path(f->ctx.arena, &self, &err))
		return -1;
	f->path = os_join(f->ctx.arena, os_dirname(f->ctx.arena, self), "libfakecuda.so");
	if (os_lib_open(f->path, &f->lib, &err) ||
		os_read_file(f->ctx.arena, "src/probe/matmul.ptx", 1 << 20, &f->ptx, &err)) {
		print_error("%s: %s\n", err.where, err.why);
		return -1;
	}
	*(void **)&f->live = os_lib_sym(f->lib, "fake_cuda_live");
	*(void **)&f->calls = os_lib_sym(f->lib, "fake_cuda_calls");
	*(void **)&f->reset = os_lib_sym(f->lib, "fake_cuda_reset");
	f->reset();
	return 0;
}

static int tear_down(void **state)
{
	fake *f = *state;

	unsetenv("FAKE_CUDA_FAIL");
	unsetenv("FAKE_CUDA_WRONG");
	unsetenv("FAKE_CUDA_DEVICES");
	unsetenv("FAKE_CUDA_VERSION");
	os_lib_close(f->lib);
	wp_ctx_done(&f->ctx);
	free(f);
	return 0;
}

static wp_probe_request request(fake *f)
{
	return (wp_probe_request){
		.ptx = f->ptx, .driver_library = f->path, .size = SIZE, .repeat = REPEAT};
}

/* A probe that must end well as a call, whatever it finds. */
static const wp_probe_report *probe(fake *f, wp_probe_request in)
{
	wp_error err = {0};

	f->reset();
	assert_ok(wp_probe(&f->ctx, &in, &f->report, &err));
	return &f->report;
}

/* The one finding, an error of that code. */
static const wp_finding *only(const wp_probe_report *r, const char *code)
{
	assert_int_equal(r->findings.n, 1);
	assert_string_equal(r->findings.v[0].code, code);
	assert_int_equal(r->findings.v[0].severity, WP_SEVERE);
	assert_non_null(r->findings.v[0].next);
	return &r->findings.v[0];
}

static const wp_finding *failing(fake *f, const char *fail, const char *code)
{
	setenv("FAKE_CUDA_FAIL", fail, 1);
	return only(probe(f, request(f)), code);
}

static const wp_finding *wrong(fake *f, const char *kind)
{
	setenv("FAKE_CUDA_WRONG", kind, 1);
	return only(probe(f, request(f)), "G601");
}

static void a_good_gpu_is_proved(void **state)
{
	fake *f = *state;
	const wp_probe_report *r = probe(f, request(f));
	const wp_probe_device *d = &r->devices[0];

	assert_int_equal(wp_findings_errors(&r->findings), 0);
	assert_string_equal(r->findings.v[0].code, "G611");
	assert_true(r->driver_present && r->driver_cuda == 13000);
	assert_int_equal(r->ndevices, 1);
	assert_string_equal(d->name, "Fake GPU 100");
	assert_true(d->exact && d->major == 8 && d->minor == 6 && d->memory == (uint64_t)8 << 30);
	assert_true(d->kernel_ms > 0.49 && d->kernel_ms < 0.51 && d->gflops > 0);
	assert_int_equal(f->calls("cuLaunchKernel"), 1 + 1 + REPEAT);
	assert_int_equal(f->live(), 0);
}

static void every_device_is_tested(void **state)
{
	fake *f = *state;
	const wp_probe_report *r;

	setenv("FAKE_CUDA_DEVICES", "3", 1);
	r = probe(f, request(f));
	assert_int_equal(r->ndevices, 3);
	assert_int_equal(r->findings.n, 3);
	assert_true(r->devices[0].exact && r->devices[2].exact);
	assert_int_equal(f->live(), 0);
}

static void one_bad_device_does_not_hide_the_others(void **state)
{
	fake *f = *state;
	const wp_probe_report *r;

	setenv("FAKE_CUDA_DEVICES", "2", 1);
	setenv("FAKE_CUDA_WRONG", "off:2", 1);
	r = probe(f, request(f));
	assert_int_equal(wp_findings_errors(&r->findings), 1);
	assert_false(r->devices[0].exact);
	assert_true(r->devices[1].exact);
}

static void no_driver_is_a_finding_in_plain_words(void **state)
{
	fake *f = *state;
	wp_probe_request in = request(f);
	const wp_probe_report *r;

	in.driver_library = "/nonexistent/libcuda.so.1";
	r = probe(f, in);
	only(r, "D501");
	assert_non_null(strstr(r->findings.v[0].title, "no NVIDIA driver"));
	assert_non_null(strstr(r->findings.v[0].why, "/nonexistent/libcuda.so.1"));
	assert_false(r->driver_present);
	assert_int_equal(r->ndevices, 0);
}

static void the_usual_names_are_tried(void **state)
{
	fake *f = *state;
	wp_probe_request in = request(f);
	const wp_probe_report *r;

	in.driver_library = NULL;
	r = probe(f, in);
	if (r->driver_present)
		skip();
	only(r, "D501");
	assert_non_null(strstr(r->findings.v[0].why, os_is_windows() ? "nvcuda.dll" : "libcuda.so.1"));
}

static void a_broken_driver_library_is_told_from_none(void **state)
{
	fake *f = *state;
	wp_probe_request in = request(f);

	in.driver_library = wp_sprintf(f->ctx.arena, "%s.broken", f->path);
	tmp_write(in.driver_library, WP_LIT("not a library"));
	assert_non_null(strstr(only(probe(f, in), "D501")->title, "cannot be loaded"));
}

static void a_library_without_the_calls_is_no_driver(void **state)
{
	fake *f = *state;
	wp_probe_request in = request(f);

	in.driver_library = os_is_windows() ? "version.dll" : "libm.so.6";
	assert_non_null(strstr(only(probe(f, in), "D503")->why, "lacks cuDriverGetVersion"));
}

static void hidden_devices_are_told_from_absent_ones(void **state)
{
	fake *f = *state;
	wp_probe_request in = request(f);

	setenv("FAKE_CUDA_DEVICES", "0", 1);
	only(probe(f, in), "D502");
	in.visible_devices = "7";
	assert_non_null(strstr(only(probe(f, in), "G603")->why, "'7'"));
	in.visible_devices = "";
	only(probe(f, in), "G603");
	setenv("FAKE_CUDA_FAIL", "cuInit:100", 1);
	only(probe(f, in), "G603");
	in.visible_devices = NULL;
	only(probe(f, in), "D502");
}

static void known_faults_have_their_own_codes(void **state)
{
	static const char *const cases[][2] = {
		{"cuInit:34", "D513"},
		{"cuInit:802", "D509"},
		{"cuInit:803", "D506"},
		{"cuInit:804", "D508"},
		{"cuInit:999", "D505"},
		{"cuInit:304", "D512"},
		{"cuDevicePrimaryCtxRetain:46", "G604"},
		{"cuModuleLoadDataEx:222", "D504"},
		{"cuModuleLoadDataEx:218", "D504"},
		{"cuModuleLoadDataEx:221", "D514"},
		{"cuModuleLoadDataEx:223", "D514"},
		{"cuMemAlloc_v2:2:2", "G607"},
		{"cuEventSynchronize:700", "G609"},
		{"cuEventSynchronize:702", "G608"},
		{"cuEventSynchronize:719", "G609"},
		{"cuEventSynchronize:214", "G606"},
		{"cuEventSynchronize:12345", "G609"},
	};
	fake *f = *state;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		const wp_finding *d = failing(f, cases[i][0], cases[i][1]);
		const char *code = strchr(cases[i][0], ':') + 1;

		assert_non_null(strstr(
			d->why, wp_sprintf(f->ctx.arena, "error %d", (int)strtol(code, NULL, 10))));
		assert_int_equal(f->live(), 0);
	}
}

static void an_old_driver_is_named_with_its_version_and_log(void **state)
{
	const wp_finding *d;

	setenv("FAKE_CUDA_VERSION", "11040", 1);
	d = failing(*state, "cuModuleLoadDataEx:222", "D504");
	assert_non_null(strstr(d->why, "the driver is for CUDA 11.4"));
	assert_non_null(strstr(d->why, "line 9; fatal : Unsupported"));
	assert_null(strstr(d->why, "second"));
}

static void words_of_the_driver_cannot_steer_the_terminal(void **state)
{
	assert_null(strchr(failing(*state, "cuInit:7", "G609")->why, '\x1b'));
}

/* Each call fails each time it is made in a good run: never a crash, never a pass, nothing kept. */
static void whichever_call_fails_the_probe_says_so(void **state)
{
	static const char *const names[] = {
#define NAME(name, params) #name,
		WP_CU_CALLS(NAME)
#undef NAME
	};
	fake *f = *state;
	size_t i;
	int n, made;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		unsetenv("FAKE_CUDA_FAIL");
		probe(f, request(f));
		made = f->calls(names[i]);
		assert_true(made > 0 || wp_starts(names[i], "cuGetError"));
		for (n = 1; n <= made; n++) {
			const wp_probe_report *r;

			setenv("FAKE_CUDA_FAIL", wp_sprintf(f->ctx.arena, "%s:999:%d", names[i], n),
				1);
			r = probe(f, request(f));
			only(r, "D505");
			assert_non_null(strstr(r->findings.v[0].why, names[i]));
			assert_true(r->ndevices == 0 || !r->devices[0].exact);
			if (!strstr(names[i], "Release") && !strstr(names[i], "Unload") &&
				!strstr(names[i], "Destroy"))
				assert_int_equal(f->live(), 0);
		}
	}
}

static void a_nameless_error_keeps_its_number(void **state)
{
	assert_non_null(
		strstr(failing(*state, "cuInit:998", "G609")->why, "cuInit answered error 998;"));
	assert_non_null(strstr(
		failing(*state, "cuInit:997", "G609")->why, "error 997, CUDA_ERROR_SOMETHING;"));
}

static void one_wrong_element_is_found(void **state)
{
	const wp_finding *d = wrong(*state, "off");

	assert_non_null(strstr(d->why, "product 1 of 61 x 129 by 129 x 97: 1 of 5917 elements"));
	assert_non_null(strstr(d->why, "row 61, column 97"));
	assert_non_null(strstr(d->why, "wrong in the same way"));
}

static void a_wrong_product_late_in_the_run_is_found(void **state)
{
	const wp_finding *d = wrong(*state, "off:5");

	assert_non_null(strstr(d->why, "product 4 of 40 x 40"));
	assert_non_null(strstr(d->why, "computed once more it is right"));
}

static void not_a_number_never_passes(void **state)
{
	assert_non_null(strstr(wrong(*state, "nan")->why, "(1 of them NaN)"));
}

static void a_kernel_that_did_not_run_never_passes(void **state)
{
	assert_non_null(strstr(
		wrong(*state, "skip")->why, "5917 of 5917 elements are wrong (5917 of them NaN)"));
}

static void words_behind_the_result_are_watched(void **state)
{
	assert_non_null(
		strstr(wrong(*state, "guard")->why, "1 words behind the result were overwritten"));
}

static void mistakes_of_a_kernel_are_found(void **state)
{
	wrong(*state, "transposed");
	wrong(*state, "short");
	wrong(*state, "transposed:2");
	wrong(*state, "short:2");
}

static void a_fault_that_moves_is_told_from_one_that_stays(void **state)
{
	assert_non_null(strstr(wrong(*state, "flaky")->why, "wrong in another way"));
}

/* The cheap reference against the definition, and the limits that make it exact. */
static void the_structured_reference_is_the_product(void **state)
{
	wp_case c = wp_case_structured(53);
	int i, j, t;

	(void)state;
	for (i = 0; i < 53; i++)
		for (j = 0; j < 53; j++) {
			int sum = 0;

			assert_true(c.a[i * 53 + j] >= -8 && c.a[i * 53 + j] <= 8);
			assert_true(c.b[i * 53 + j] >= -8 && c.b[i * 53 + j] <= 8);
			for (t = 0; t < 53; t++)
				sum += (int)c.a[i * 53 + t] * (int)c.b[t * 53 + j];
			assert_int_equal(c.ref[i * 53 + j], sum);
		}
	wp_case_free(&c);
}

static void other_text_than_ptx_is_a_finding(void **state)
{
	fake *f = *state;
	wp_probe_request in = request(f);

	in.ptx = WP_LIT("");
	only(probe(f, in), "G609");
	assert_int_equal(f->live(), 0);
}

static void sizes_out_of_range_are_refused(void **state)
{
	fake *f = *state;
	wp_probe_request in = request(f);
	wp_error err = {0}, err2 = {0};

	in.size = 8193;
	assert_int_equal(wp_probe(&f->ctx, &in, &f->report, &err), WP_E_USAGE);
	in.size = 0;
	in.repeat = -1;
	assert_int_equal(wp_probe(&f->ctx, &in, &f->report, &err2), WP_E_USAGE);
}

static void an_interrupt_is_no_pass(void **state)
{
	fake *f = *state;
	wp_probe_request in = request(f);
	atomic_int cancel = 1;
	wp_error err = {0};

	f->ctx.cancel = &cancel;
	assert_int_equal(wp_probe(&f->ctx, &in, &f->report, &err), WP_E_INTERRUPTED);
	assert_int_equal(f->live(), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_good_gpu_is_proved),
		T(every_device_is_tested),
		T(one_bad_device_does_not_hide_the_others),
		T(no_driver_is_a_finding_in_plain_words),
		T(the_usual_names_are_tried),
		T(a_broken_driver_library_is_told_from_none),
		T(a_library_without_the_calls_is_no_driver),
		T(hidden_devices_are_told_from_absent_ones),
		T(known_faults_have_their_own_codes),
		T(an_old_driver_is_named_with_its_version_and_log),
		T(words_of_the_driver_cannot_steer_the_terminal),
		T(whichever_call_fails_the_probe_says_so),
		T(a_nameless_error_keeps_its_number),
		T(one_wrong_element_is_found),
		T(a_wrong_product_late_in_the_run_is_found),
		T(not_a_number_never_passes),
		T(a_kernel_that_did_not_run_never_passes),
		T(words_behind_the_result_are_watched),
		T(mistakes_of_a_kernel_are_found),
		T(a_fault_that_moves_is_told_from_one_that_stays),
		T(the_structured_reference_is_the_product),
		T(other_text_than_ptx_is_a_finding),
		T(sizes_out_of_range_are_refused),
		T(an_interrupt_is_no_pass),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "os/os.h"
#include "unit/make_wheel.h"
#include "wheel/wheel.h"

#define INFO "torch-1.10.0.dist-info"
#define OTHER_DIGEST "sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static wp_ctx ctx;
static wp_arena *a;
static wp_error err;
static mem_blob mem;
static const char *filename;

static int setup(void **state)
{
	(void)state;
	wp_ctx_init(&ctx, 1);
	a = ctx.arena;
	err = (wp_error){0};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wp_ctx_done(&ctx);
	return 0;
}

static const wp_blob *make(const mw_member *members, size_t n)
{
	mw_made m = mw_make(a, &(mw_wheel){.project = "torch", .version = "1.10.0", .members = members, .n = n});

	filename = m.filename;
	return mem_open(&mem, m.bytes.p, m.bytes.n);
}

/* RECORD has another digest of one, another size of one, sha512 of other bytes of one, and doesn't list the last. */
static const wp_blob *wrong(void)
{
	static mw_member v[] = {
		{.name = "torch/right.py", .data = "right\n"},
		{.name = "torch/late.py", .data = "late\n", .unlisted = true},
		{.name = "torch/digest.py", .data = "digest\n", .row = "torch/digest.py," OTHER_DIGEST ",7"},
		{.name = "torch/strong.py", .data = "strong\n", .row = "torch/strong.py,sha512="
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA,"},
		{.name = "torch/size.py", .data = "size\n", .row = "torch/size.py," OTHER_DIGEST ",6"},
	};

	return make(v, sizeof v / sizeof *v);
}

static int read_all(const wp_wheel *w)
{
	wp_unpacker *u = wp_unpacker_new();
	size_t i;

	for (i = 0; i < w->n && !err.code; i++)
		wp_member_read(u, w, &w->members[i], NULL, NULL, NULL, &err);
	wp_unpacker_free(u);
	return err.code;
}

static wp_exceptions found(const wp_blob *blob)
{
	wp_wheel w;

	assert_ok(wp_wheel_open_excepting(&ctx, a, filename, blob, WP_NAMES_UNIX, &w, NULL, &err));
	assert_ok(read_all(&w));
	return w.exceptions;
}

static void refuse(const wp_blob *blob, wp_exceptions x, const char *why)
{
	wp_record_pin pin = {.exceptions = x};
	wp_wheel w;

	err = (wp_error){0};
	if (!wp_wheel_open(a, filename, blob, WP_NAMES_UNIX, &pin, &w, NULL, &err))
		read_all(&w);
	assert_int_equal(err.code, WP_E_RECORD);
	if (!strstr(err.why, why))
		fail_msg("'%s' is not in '%s'", why, err.why);
}

static void what_record_is_wrong_about_is_found_and_no_more(void **state)
{
	static const char *const paths[] = {"torch/digest.py", "torch/late.py", "torch/size.py", "torch/strong.py"};
	char hex[WP_SHA256_HEX + 1];
	wp_exceptions x;
	size_t i;

	(void)state;
	x = found(wrong());
	assert_int_equal(x.n, 4);
	for (i = 0; i < 4; i++)
		assert_string_equal(x.v[i].path, paths[i]);
	wp_sha256_hex(WP_LIT("digest\n"), hex);
	assert_string_equal(x.v[0].sha256, hex);
	assert_int_equal(x.v[2].size, 5);
}

/* One module, and a RECORD that is wrong about METADATA; more: further rows. */
static const wp_blob *wrong_metadata(const char *more)
{
	static const mw_member m = {.name = "torch/a.py", .data = "a\n"};
	static const char wheel[] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
	const char *record = wp_sprintf(a, "%s\n" INFO "/METADATA," OTHER_DIGEST ",3\n%s\n" INFO "/RECORD,,\n%s",
		mw_row(a, "torch/a.py", WP_LIT("a\n")), mw_row(a, INFO "/WHEEL", WP_LIT(wheel)), more);
	mw_made made = mw_make(a, &(mw_wheel){.project = "torch", .version = "1.10.0", .wheel = wheel, .record = record,
		.members = &m, .n = 1});

	filename = made.filename;
	return mem_open(&mem, made.bytes.p, made.bytes.n);
}

static void metadata_that_record_is_wrong_about_is_read(void **state)
{
	wp_wheel w;

	(void)state;
	assert_ok(wp_wheel_open_excepting(&ctx, a, filename, wrong_metadata(""), WP_NAMES_UNIX, &w, NULL, &err));
	assert_int_equal(w.exceptions.n, 1);
	assert_string_equal(w.exceptions.v[0].path, INFO "/METADATA");
	assert_string_equal(w.metadata.version, "1.10.0");
}

static void what_was_found_opens_the_wheel(void **state)
{
	const wp_blob *blob = wrong();
	wp_record_pin pin = {.exceptions = found(blob)};
	wp_wheel w;

	(void)state;
	assert_ok(wp_wheel_open(a, filename, blob, WP_NAMES_WINDOWS, &pin, &w, NULL, &err));
	assert_int_equal(w.exceptions.n, 4);
	assert_ok(read_all(&w));
	blob = wrong_metadata("");
	pin.exceptions = found(blob);
	assert_ok(wp_wheel_open(a, filename, blob, WP_NAMES_UNIX, &pin, &w, NULL, &err));
	assert_ok(read_all(&w));
}

static void a_right_record_has_no_exceptions(void **state)
{
	static const mw_member m = {.name = "torch/a.py", .data = "a\n"};

	(void)state;
	assert_int_equal(found(make(&m, 1)).n, 0);
}

static wp_exceptions changed(wp_exceptions x, size_t i, wp_exception one)
{
	wp_exceptions out = wp_exceptions_copy(a, &x);

	((wp_exception *)out.v)[i] = one;
	return out;
}

static void an_exception_is_a_promise_too(void **state)
{
	const wp_blob *blob = wrong();
	wp_exceptions x = found(blob), more;
	char hex[WP_SHA256_HEX + 1];
	wp_exception *v;

	(void)state;
	wp_sha256_hex(WP_LIT("other"), hex);
	refuse(blob, changed(x, 0, (wp_exception){"torch/digest.py", hex, 7}), "its exception from RECORD says");
	refuse(blob, changed(x, 0, (wp_exception){"torch/digest.py", x.v[0].sha256, 8}), "size is 7, 8 was promised");
	refuse(blob, changed(x, 0, (wp_exception){"torch/digest.py", "beef", 7}), "is no sha256");
	refuse(blob, changed(x, 0, (wp_exception){"torch/absent.py", hex, 7}), "1 of 4 exceptions");
	refuse(blob, (wp_exceptions){x.v, 1}, "not listed in RECORD");
	v = WP_NEW_ARRAY(a, 5, wp_exception);
	memcpy(v, x.v, x.n * sizeof *v);
	more = (wp_exceptions){v, 5};
	v[4] = (wp_exception){"torch/z.py", hex, 1};
	refuse(blob, more, "1 of 5 exceptions from RECORD are of files that the wheel doesn't have");
	wp_sha256_hex(WP_LIT("right\n"), hex);
	v[4] = v[3];
	v[3] = v[2];
	v[2] = (wp_exception){"torch/right.py", hex, 6};
	refuse(blob, more, "says the same as RECORD");
}

static void record_itself_has_no_exception(void **state)
{
	static const mw_member v[] = {{.name = "torch/a.py", .data = "a\n"},
		{.name = INFO "/RECORD.jws", .data = "{}", .unlisted = true}};
	const wp_blob *blob = make(v, 2);
	char hex[WP_SHA256_HEX + 1];
	wp_exception one;

	(void)state;
	assert_int_equal(found(blob).n, 0);
	wp_sha256_hex(WP_LIT("{}"), hex);
	one = (wp_exception){INFO "/RECORD.jws", hex, 2};
	refuse(blob, (wp_exceptions){&one, 1}, "or that need none");
}

static void other_faults_are_refused_as_ever(void **state)
{
	const wp_blob *blob = wrong_metadata("torch/absent.py," OTHER_DIGEST ",3\n");
	wp_wheel w;

	(void)state;
	assert_int_equal(wp_wheel_open_excepting(&ctx, a, filename, blob, WP_NAMES_UNIX, &w, NULL, &err), WP_E_RECORD);
	assert_non_null(strstr(err.where, "torch/absent.py"));
	err = (wp_error){0};
	blob = wrong_metadata("torch/a.py,md5=rL0Y20zC-Fzt72VPzMSk2A,2\n");
	assert_int_equal(wp_wheel_open_excepting(&ctx, a, filename, blob, WP_NAMES_UNIX, &w, NULL, &err), WP_E_RECORD);
	assert_non_null(strstr(err.why, "too weak"));
}

static void damage_is_no_exception(void **state)
{
	const wp_blob *blob = wrong();
	unsigned char *bytes = (unsigned char *)mem.p;
	wp_wheel w;
	size_t i;

	(void)state;
	assert_ok(wp_wheel_open_excepting(&ctx, a, filename, blob, WP_NAMES_UNIX, &w, NULL, &err));
	for (i = 0; i < w.n; i++) {
		wp_error f = {0};
		wp_wheel again;
		unsigned char *p = bytes + w.members[i].entry->data_offset;

		*p ^= 1;
		assert_int_not_equal(wp_wheel_open_excepting(&ctx, a, filename, blob, WP_NAMES_UNIX, &again, NULL, &f), 0);
		*p ^= 1;
	}
}

static void a_stop_is_heard(void **state)
{
	atomic_int cancel = 1;
	wp_wheel w;

	(void)state;
	ctx.cancel = &cancel;
	assert_int_equal(wp_wheel_open_excepting(&ctx, a, filename, wrong(), WP_NAMES_UNIX, &w, NULL, &err),
		WP_E_INTERRUPTED);
}

static const char *advice(const wp_blob *blob)
{
	wp_wheel w;

	err = (wp_error){0};
	if (!wp_wheel_open(a, filename, blob, WP_NAMES_UNIX, NULL, &w, NULL, &err))
		read_all(&w);
	assert_int_equal(err.code, WP_E_RECORD);
	wp_wheel_advise(&ctx, filename, blob, WP_NAMES_UNIX, &err);
	return err.next;
}

static void advice_is_given_where_it_helps(void **state)
{
	(void)state;
	assert_string_equal(advice(wrong_metadata("")), "all that is wrong is what RECORD says of '" INFO "/METADATA': where the "
		"wheel is known for that (pip and uv don't look), take it as it is with --allow-wrong-record torch");
	assert_non_null(strstr(advice(wrong()), "'torch/digest.py', 'torch/late.py', 'torch/size.py' and 1 more"));
	assert_string_equal(advice(wrong_metadata("torch/absent.py," OTHER_DIGEST ",3\n")), "");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(what_record_is_wrong_about_is_found_and_no_more),
		T(metadata_that_record_is_wrong_about_is_read),
		T(what_was_found_opens_the_wheel),
		T(a_right_record_has_no_exceptions),
		T(an_exception_is_a_promise_too),
		T(record_itself_has_no_exception),
		T(other_faults_are_refused_as_ever),
		T(damage_is_no_exception),
		T(a_stop_is_heard),
		T(advice_is_given_where_it_helps),
	};

	return cmocka_run_group_tests_name("except", tests, NULL, NULL);
}

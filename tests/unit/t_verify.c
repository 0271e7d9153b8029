/* SPDX-License-Identifier: MIT */
#include "unit/make_bundle.h"

/* ---- helpers ------------------------------------------------------------------------------ */

static wp_verify_result good(mb *m, const char *path, bool deep)
{
	wp_verify_request q = {path, deep};
	wp_verify_result r;
	wp_error err = {0};

	if (wp_verify(&m->ctx, &q, &r, &err))
		fail_msg("%s: %s: %s", wp_code_name(err.code), err.where, err.why);
	assert_int_equal(r.findings.n, 0);
	return r;
}

/* One fault: the finding and the error tell the same. */
static wp_verify_result bad(mb *m, const char *path, bool deep, wp_code code, const char *place, const char *why)
{
	wp_verify_request q = {path, deep};
	wp_verify_result r;

	m->err = (wp_error){0};
	if (wp_verify(&m->ctx, &q, &r, &m->err) != (int)code)
		fail_msg("%s instead of %s: %s: %s", wp_code_name(m->err.code), wp_code_name(code), m->err.where,
			m->err.why);
	if (!strstr(m->err.why, why))
		fail_msg("refused with '%s', not with '%s'", m->err.why, why);
	if (!strstr(m->err.where, place))
		fail_msg("'%s' does not name '%s'", m->err.where, place);
	assert_true(r.findings.n > 0);
	assert_string_equal(r.findings.v[0].code, wp_code_name(code));
	assert_string_equal(r.findings.v[0].why, m->err.why);
	assert_int_equal(wp_findings_errors(&r.findings), r.findings.n);
	return r;
}

static const char *wheel_in(mb *m, const char *bundle, const mw_made *w)
{
	return wp_sprintf(m->a, "%s/wheels/%s", bundle, w->filename);
}

/* ---- good bundles ------------------------------------------------------------------------- */

static void an_unchanged_bundle_passes(void **state)
{
	static const char *const names[] = {"b", "b.wpk"};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		wp_verify_result r;
		wp_pack_result p;
		mb m;

		mb_init(&m);
		p = mb_pack_result(&m, names[i], false);
		good(&m, p.path, true);
		r = good(&m, p.path, false);
		assert_int_equal(r.files, p.nfiles);
		assert_int_equal(r.wheels, 2);
		assert_true(r.bytes == p.bytes);
		assert_string_equal(r.id, p.id);
		assert_string_equal(r.lock_id, p.lock_id);
		mb_done(&m);
	}
}

static void a_folder_of_wheels_is_held_against_its_records(void **state)
{
	mb m;
	wp_verify_result r;

	(void)state;
	mb_init(&m);
	r = good(&m, m.cache, false);
	assert_int_equal(r.wheels, 2);
	assert_null(r.id);
	r = good(&m, os_join(m.a, m.cache, m.native.filename), false);
	assert_int_equal(r.wheels, 1);
	assert_true(r.bytes == m.native.bytes.n);
	mb_done(&m);
}

static void keep_last(void *user, const wp_progress *p)
{
	*(wp_progress *)user = *p;
}

static void progress_ends_at_the_total(void **state)
{
	wp_progress last = {0};
	mb m;

	(void)state;
	mb_init(&m);
	mb_pack(&m, "b");
	m.ctx.progress = keep_last;
	m.ctx.progress_user = &last;
	good(&m, mb_path(&m, "b"), false);
	assert_string_equal(last.stage, "verify");
	assert_true(last.bytes == last.bytes_total && last.bytes > 0);
	assert_true(last.items == last.items_total && last.items > 0);
	good(&m, mb_path(&m, "b"), true);
	assert_true(last.bytes > m.native.bytes.n + (2 << 20));
	mb_done(&m);
}

/* ---- damage ------------------------------------------------------------------------------- */

static void a_flipped_byte_names_its_member(void **state)
{
	static const char *const names[] = {"b", "b.wpk"};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const char *path, *damaged;
		wp_verify_result r;
		mb m;

		mb_init(&m);
		path = mb_pack(&m, names[i]);
		damaged = i ? path : wheel_in(&m, path, &m.pure);
		mb_flip(&m, damaged, mb_find(&m, damaged, WP_LIT("long enough")));
		r = bad(&m, path, false, WP_E_DIGEST, "'plain/text.txt'", "RECORD");
		assert_int_equal(r.findings.n, 1);
		assert_non_null(strstr(m.err.where, m.pure.filename));
		assert_non_null(strstr(m.err.why, m.pure.sha256));
		assert_non_null(strstr(m.err.next, "copy the bundle again"));
		assert_string_equal(r.findings.v[0].files[0], wp_sprintf(m.a, "wheels/%s", m.pure.filename));
		mb_done(&m);
	}
}

static void no_changed_byte_of_a_wheel_passes(void **state)
{
	mb m;
	const char *dir, *path;
	size_t i;

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	path = wheel_in(&m, dir, &m.pure);
	for (i = 0; i < m.pure.bytes.n; i += 3) {
		mb_flip(&m, path, i);
		bad(&m, dir, false, WP_E_DIGEST, m.pure.filename, "");
		mb_flip(&m, path, i);
	}
	good(&m, dir, false);
	mb_done(&m);
}

static void no_changed_byte_of_a_document_passes(void **state)
{
	static const char *const docs[] = {"bundle.json", "lock.json", "SHA256SUMS", "requirements." MB_WIN ".txt",
		"simple/torch/index.html"};
	mb m;
	const char *dir;
	size_t i, k, n;

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	for (i = 0; i < sizeof docs / sizeof *docs; i++) {
		const char *path = os_join(m.a, dir, docs[i]);

		n = tmp_read(m.a, path).n;
		for (k = 0; k < n; k += 7) {
			wp_verify_request q = {dir, false};
			wp_verify_result r;
			wp_error err = {0};

			mb_flip(&m, path, k);
			if (!wp_verify(&m.ctx, &q, &r, &err))
				fail_msg("%s passes with byte %zu changed", docs[i], k);
			assert_int_equal(wp_code_exit(err.code), WP_EXIT_INTEGRITY);
			assert_true(r.findings.n > 0);
			mb_flip(&m, path, k);
		}
	}
	good(&m, dir, false);
	mb_done(&m);
}

static void cut_missing_and_unlisted_files_are_each_named(void **state)
{
	mb m;
	const char *dir, *wheel;
	wp_verify_result r;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	wheel = wheel_in(&m, dir, &m.pure);
	tmp_write(wheel, wp_str_sub(m.pure.bytes, 0, 100));
	bad(&m, dir, false, WP_E_BUNDLE, m.pure.filename, "it has 100 bytes");
	unlink(wheel);
	bad(&m, dir, false, WP_E_BUNDLE, m.pure.filename, "it is missing");
	if (!os_is_windows()) {
		assert_ok(os_symlink(os_join(m.a, m.cache, m.pure.filename), wheel, &err));
		bad(&m, dir, false, WP_E_BUNDLE, m.pure.filename, "it is a link");
		unlink(wheel);
	}
	tmp_write(wheel, m.pure.bytes);
	tmp_write(os_join(m.a, dir, "wheels/extra-1-py3-none-any.whl"), m.pure.bytes);
	r = bad(&m, dir, false, WP_E_BUNDLE, "wheels/extra-1-py3-none-any.whl", "not listed");
	assert_int_equal(r.findings.n, 1);
	assert_non_null(strstr(r.findings.v[0].next, "remove the file"));
	mb_done(&m);
}

static void all_faults_are_told_in_the_order_of_the_plan(void **state)
{
	mb m;
	const char *dir, *path;
	wp_verify_result r;
	int jobs;

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	path = wheel_in(&m, dir, &m.native);
	mb_flip(&m, path, mb_find(&m, path, WP_LIT("pragma")));
	mb_flip(&m, path, mb_find(&m, path, WP_LIT("version = ")));
	mb_flip(&m, wheel_in(&m, dir, &m.pure), mb_find(&m, wheel_in(&m, dir, &m.pure), WP_LIT("x = 1")));
	mb_edit(&m, os_join(m.a, dir, "simple/index.html"), "Simple", "Sample");
	tmp_write(os_join(m.a, dir, "README"), WP_LIT("hello"));
	for (jobs = 1; jobs <= 4; jobs += 3) {
		m.ctx.jobs = jobs;
		r = bad(&m, dir, false, WP_E_DIGEST, "simple/index.html", "bundle.json promises");
		assert_int_equal(r.findings.n, 5);
		assert_non_null(strstr(m.err.state, "5 faults"));
		assert_non_null(strstr(r.findings.v[1].title, "plain/__init__.py"));
		assert_non_null(strstr(r.findings.v[2].title, "torch/__init__.py"));
		assert_non_null(strstr(r.findings.v[3].title, "torch.h"));
		assert_non_null(strstr(r.findings.v[4].title, "README"));
	}
	mb_done(&m);
}

static void a_wheel_that_cannot_be_opened_says_so(void **state)
{
	mb m;
	const char *dir, *path;

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	path = wheel_in(&m, dir, &m.pure);
	mb_flip(&m, path, m.pure.bytes.n - 22);
	bad(&m, dir, false, WP_E_DIGEST, m.pure.filename, m.pure.sha256);
	mb_done(&m);
}

static void bytes_that_no_member_holds_are_told_apart(void **state)
{
	mb m;
	const char *dir, *path;

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	path = os_join(m.a, dir, "bundle.json");
	mb_edit(&m, path, m.pure.sha256, m.native.sha256);
	bad(&m, dir, false, WP_E_BUNDLE, m.pure.filename, "lock.json promises sha256");
	mb_edit(&m, path, m.native.sha256, m.pure.sha256);
	good(&m, dir, false);
	mb_edit(&m, path, m.pure.record_sha256, m.native.record_sha256);
	bad(&m, dir, false, WP_E_RECORD, m.pure.filename, m.pure.record_sha256);
	mb_done(&m);
}

static void a_cut_bundle_file_says_to_copy_it_again(void **state)
{
	mb m;
	wp_str whole;
	wp_verify_request q;
	wp_verify_result r;

	(void)state;
	mb_init(&m);
	whole = tmp_read(m.a, mb_pack(&m, "b.wpk"));
	tmp_write(mb_path(&m, "cut.wpk"), wp_str_sub(whole, 0, whole.n / 2));
	q = (wp_verify_request){mb_path(&m, "cut.wpk"), false};
	assert_int_equal(wp_verify(&m.ctx, &q, &r, &m.err), WP_E_ZIP);
	assert_non_null(strstr(m.err.next, "copy the file again"));
	assert_non_null(strstr(m.err.what, "cut.wpk"));
	mb_done(&m);
}

static void what_is_not_there_is_not_found(void **state)
{
	mb m;
	wp_verify_request q;
	wp_verify_result r;

	(void)state;
	mb_init(&m);
	q = (wp_verify_request){mb_path(&m, "none.wpk"), false};
	assert_int_equal(wp_verify(&m.ctx, &q, &r, &m.err), WP_E_NOT_FOUND);
	mb_done(&m);
}

/* ---- members ------------------------------------------------------------------------------ */

/* What the bundle says of the file counts instead of RECORD, for the members that are looked at and for the tree. */
static void hold_to_exceptions(mb *m)
{
	char hex[WP_SHA256_HEX + 1], other[WP_SHA256_HEX + 1];
	wp_exception x = {"plain/__init__.py", hex, 6};
	wp_bundle *b;
	wp_blob blob;
	wp_error err = {0};
	wp_tree t;

	wp_sha256_hex(WP_LIT("x = 1\n"), hex);
	m->fetched[0].exceptions = (wp_exceptions){&x, 1};
	mb_pack(m, "x");
	mb_pack(m, "x.wpk");
	good(m, mb_path(m, "x"), true);
	good(m, mb_path(m, "x.wpk"), true);
	assert_ok(wp_bundle_open(&m->ctx, mb_path(m, "x"), &b, &err));
	assert_ok(wp_bundle_tree(&m->ctx, b, NULL, &t, &err));
	assert_ok(t.open(t.self, "plain/__init__.py", &blob, &err));
	assert_int_equal(blob.size, 6);
	blob.close(blob.self);
	wp_bundle_close(b);
	wp_sha256_hex(WP_LIT("other"), other);
	x.sha256 = other;
	mb_pack(m, "y");
	bad(m, mb_path(m, "y"), true, WP_E_RECORD, "plain/__init__.py", "its exception from RECORD says");
	x = (wp_exception){"plain/absent.py", hex, 6};
	mb_pack(m, "z");
	bad(m, mb_path(m, "z"), false, WP_E_RECORD, "plain-1.0", "the wheel doesn't have");
}

/* A wheel with the right digest whose RECORD does not fit: only a look at the members shows it. */
static void deep_looks_into_wheels_whose_digest_is_right(void **state)
{
	static const mw_member members[] = {{.name = "plain/__init__.py", .data = "x = 1\n",
		.row = "plain/__init__.py,sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA,6"}};
	const mw_wheel w = {.project = "plain", .version = "1.0", .members = members, .n = 1};
	mb m;
	wp_verify_result r;

	(void)state;
	mb_init(&m);
	m.pure = mw_write(m.a, m.cache, &w);
	m.lock.wheels[0] = mb_lock_wheel(&m.pure, "plain", "1.0");
	m.fetched[0] = (wp_fetched){m.pure.filename, m.pure.sha256, m.pure.record_sha256, m.pure.bytes.n, true};
	wp_bundle_close(m.folder);
	assert_int_equal(wp_bundle_open(&m.ctx, m.cache, &m.folder, &m.err), 0);
	m.source = wp_bundle_wheels(m.folder);
	mb_pack(&m, "b");
	good(&m, mb_path(&m, "b"), false);
	r = bad(&m, mb_path(&m, "b"), true, WP_E_RECORD, "plain/__init__.py", "");
	assert_int_equal(r.findings.n, 1);
	bad(&m, m.cache, false, WP_E_RECORD, "plain/__init__.py", "");
	hold_to_exceptions(&m);
	mb_done(&m);
}

static void a_damaged_wheel_of_a_folder_is_named(void **state)
{
	mb m;
	const char *path;
	wp_verify_result r;

	(void)state;
	mb_init(&m);
	path = os_join(m.a, m.cache, m.native.filename);
	mb_flip(&m, path, mb_find(&m, path, WP_LIT("pragma")));
	r = bad(&m, m.cache, false, WP_E_RECORD, "torch.h", "");
	assert_int_equal(r.findings.n, 1);
	bad(&m, path, false, WP_E_RECORD, "torch.h", "");
	tmp_write(path, WP_LIT("not a wheel"));
	bad(&m, m.cache, false, WP_E_ZIP, m.native.filename, "");
	mb_done(&m);
}

static void a_flood_of_damage_is_summed_up(void **state)
{
	enum { MANY = 50 };
	mw_member members[MANY];
	mw_wheel w = {.project = "plain", .version = "1.0", .members = members, .n = MANY};
	mb m;
	wp_verify_result r;
	const char *path;
	size_t i;

	(void)state;
	mb_init(&m);
	for (i = 0; i < MANY; i++)
		members[i] = (mw_member){.name = wp_sprintf(m.a, "plain/m%02zu.py", i),
			.data = wp_sprintf(m.a, "marker%02zu\n", i)};
	m.pure = mw_write(m.a, m.cache, &w);
	path = os_join(m.a, m.cache, m.pure.filename);
	for (i = 0; i < MANY; i++)
		mb_edit(&m, path, wp_sprintf(m.a, "marker%02zu\n", i), wp_sprintf(m.a, "market%02zu\n", i));
	r = bad(&m, path, false, WP_E_RECORD, "plain/m00.py", "");
	assert_int_equal(r.findings.n, 21);
	assert_non_null(strstr(r.findings.v[20].why, "30 more members"));
	mb_done(&m);
}

static void a_stopped_run_says_so(void **state)
{
	atomic_int cancel = 1;
	mb m;
	wp_verify_request q;
	wp_verify_result r;

	(void)state;
	mb_init(&m);
	q = (wp_verify_request){mb_pack(&m, "b"), true};
	m.ctx.cancel = &cancel;
	assert_int_equal(wp_verify(&m.ctx, &q, &r, &m.err), WP_E_INTERRUPTED);
	assert_int_equal(r.findings.n, 0);
	mb_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unchanged_bundle_passes),
		cmocka_unit_test(a_folder_of_wheels_is_held_against_its_records),
		cmocka_unit_test(progress_ends_at_the_total),
		cmocka_unit_test(a_flipped_byte_names_its_member),
		cmocka_unit_test(no_changed_byte_of_a_wheel_passes),
		cmocka_unit_test(no_changed_byte_of_a_document_passes),
		cmocka_unit_test(cut_missing_and_unlisted_files_are_each_named),
		cmocka_unit_test(all_faults_are_told_in_the_order_of_the_plan),
		cmocka_unit_test(a_wheel_that_cannot_be_opened_says_so),
		cmocka_unit_test(bytes_that_no_member_holds_are_told_apart),
		cmocka_unit_test(a_cut_bundle_file_says_to_copy_it_again),
		cmocka_unit_test(what_is_not_there_is_not_found),
		cmocka_unit_test(deep_looks_into_wheels_whose_digest_is_right),
		cmocka_unit_test(a_damaged_wheel_of_a_folder_is_named),
		cmocka_unit_test(a_flood_of_damage_is_summed_up),
		cmocka_unit_test(a_stopped_run_says_so),
	};

	return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}

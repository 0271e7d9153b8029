/* SPDX-License-Identifier: MIT */
#include "base/zip.h"
#include "unit/make_bundle.h"

/* ---- helpers ------------------------------------------------------------------------------ */

/* Nothing but these names lies in the temp directory: no temporary bundle, no lock file. */
static void only_names(mb *m, const char *names)
{
	const char **v;
	wp_error err = {0};
	wp_buf b;
	size_t n, i;

	assert_ok(os_list(m->a, m->dir, &v, &n, &err));
	wp_buf_init(&b, 4096);
	for (i = 0; i < n; i++)
		wp_buf_printf(&b, "%s%s", i ? " " : "", v[i]);
	assert_string_equal(wp_buf_view(&b).p, names);
	wp_buf_free(&b);
}

static void refuse(mb *m, const char *name, bool replace, wp_code code, const char *why)
{
	wp_pack_result r;

	if (mb_try_pack(m, name, replace, &r) != (int)code)
		fail_msg("%s instead of %s: %s", wp_code_name(m->err.code), wp_code_name(code), m->err.why);
	if (!strstr(m->err.why, why))
		fail_msg("refused with '%s', not with '%s'", m->err.why, why);
	assert_string_equal(m->err.state, "no bundle was written");
}

static wp_str file_in(mb *m, const char *bundle, const char *path)
{
	return tmp_read(m->a, os_join(m->a, bundle, path));
}

/* ---- what is written ---------------------------------------------------------------------- */

static void a_directory_holds_all_that_pip_and_uv_need(void **state)
{
	mb m;
	wp_pack_result r;
	const char *dir;
	wp_str text;

	(void)state;
	mb_init(&m);
	r = mb_pack_result(&m, "b", false);
	dir = r.path;
	text = file_in(&m, dir, "requirements." MB_WIN ".txt");
	assert_non_null(strstr(text.p, wp_sprintf(m.a, "\ntorch==2.11.0+cu126 --hash=sha256:%s\n", m.native.sha256)));
	assert_non_null(strstr(text.p, "\nplain==1.0 --hash=sha256:"));
	text = file_in(&m, dir, "requirements." MB_LINUX ".txt");
	assert_null(strstr(text.p, "torch=="));
	text = file_in(&m, dir, "simple/index.html");
	assert_non_null(strstr(text.p, "<a href=\"torch/\">torch</a>"));
	text = file_in(&m, dir, "simple/torch/index.html");
	assert_non_null(strstr(text.p, wp_sprintf(m.a,
		"<a href=\"../../wheels/torch-2.11.0%%2Bcu126-cp312-cp312-win_amd64.whl#sha256=%s\" "
		"data-requires-python=\"&gt;=3.10,&lt;4\">torch-2.11.0+cu126-cp312-cp312-win_amd64.whl</a>",
		m.native.sha256)));
	assert_true(wp_str_eq(file_in(&m, dir, wp_sprintf(m.a, "wheels/%s", m.native.filename)), m.native.bytes));
	assert_int_equal(r.nfiles, 10);
	only_names(&m, "b cache");
	mb_done(&m);
}

static void the_sums_check_with_sha256sum(void **state)
{
	mb m;

	(void)state;
	mb_init(&m);
	if (system("command -v sha256sum >/dev/null") != 0)
		skip();
	assert_int_equal(system(wp_sprintf(m.a, "cd '%s' && sha256sum --quiet --strict -c SHA256SUMS", mb_pack(&m, "b"))), 0);
	mb_done(&m);
}

static void ids_are_digests_of_the_documents(void **state)
{
	mb m;
	wp_pack_result r;
	char hex[WP_SHA256_HEX + 1];

	(void)state;
	mb_init(&m);
	r = mb_pack_result(&m, "b", false);
	wp_sha256_hex(file_in(&m, r.path, "bundle.json"), hex);
	assert_string_equal(r.id, hex);
	wp_sha256_hex(file_in(&m, r.path, "lock.json"), hex);
	assert_string_equal(r.lock_id, hex);
	mb_done(&m);
}

static void a_bundle_file_is_a_stored_zip_with_bundle_json_first(void **state)
{
	mb m;
	wp_pack_result r;
	wp_error err = {0};
	wp_blob blob;
	wp_zip z;
	size_t i;

	(void)state;
	mb_init(&m);
	r = mb_pack_result(&m, "b.wpk", false);
	assert_ok(os_blob(r.path, &blob, &err));
	assert_ok(wp_zip_read(m.a, &blob, &z, &err));
	assert_int_equal(z.n, 10);
	assert_string_equal(z.entries[0].name, "bundle.json");
	for (i = 0; i < z.n; i++) {
		assert_int_equal(z.entries[i].method, 0);
		if (i > 1)
			assert_true(strcmp(z.entries[i - 1].name, z.entries[i].name) < 0);
	}
	blob.close(blob.self);
	only_names(&m, "b.wpk cache");
	mb_done(&m);
}

static void same_trees(wp_arena *a, const char *x, const char *y)
{
	wp_error err = {0};
	os_entry *p, *q;
	size_t n, k, i;

	assert_ok(os_walk(a, x, &p, &n, &err));
	assert_ok(os_walk(a, y, &q, &k, &err));
	assert_int_equal(n, k);
	for (i = 0; i < n; i++) {
		assert_string_equal(p[i].path, q[i].path);
		assert_int_equal(p[i].kind, q[i].kind);
		if (p[i].kind == OS_FILE)
			assert_true(wp_str_eq(tmp_read(a, os_join(a, x, p[i].path)), tmp_read(a, os_join(a, y, q[i].path))));
	}
}

static void the_same_input_gives_the_same_bytes(void **state)
{
	mb m;
	wp_fetched swap;

	(void)state;
	mb_init(&m);
	mb_pack(&m, "a.wpk");
	mb_pack(&m, "a");
	swap = m.fetched[0];
	m.fetched[0] = m.fetched[1];
	m.fetched[1] = swap;
	m.ctx.jobs = 1;
	mb_pack(&m, "b.wpk");
	mb_pack(&m, "b");
	assert_true(wp_str_eq(tmp_read(m.a, mb_path(&m, "a.wpk")), tmp_read(m.a, mb_path(&m, "b.wpk"))));
	same_trees(m.a, mb_path(&m, "a"), mb_path(&m, "b"));
	mb_done(&m);
}

static void the_bundle_has_bytes_of_its_own(void **state)
{
	mb m;
	struct stat st;

	(void)state;
	mb_init(&m);
	assert_int_equal(stat(wp_sprintf(m.a, "%s/wheels/%s", mb_pack(&m, "b"), m.pure.filename), &st), 0);
	assert_int_equal(st.st_nlink, 1);
	assert_false(tmp_same_file(wp_sprintf(m.a, "%s/wheels/%s", mb_path(&m, "b"), m.pure.filename),
		wp_sprintf(m.a, "%s/%s", m.cache, m.pure.filename)));
	mb_done(&m);
}

static void keep_last(void *user, const wp_progress *p)
{
	*(wp_progress *)user = *p;
}

static void progress_ends_at_the_total(void **state)
{
	static const char *const names[] = {"b", "b.wpk"};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		wp_progress last = {0};
		mb m;

		mb_init(&m);
		m.ctx.progress = keep_last;
		m.ctx.progress_user = &last;
		mb_pack(&m, names[i]);
		assert_string_equal(last.stage, "pack");
		assert_true(last.bytes == m.pure.bytes.n + m.native.bytes.n);
		assert_true(last.bytes == last.bytes_total);
		assert_int_equal(last.items, 2);
		assert_int_equal(last.items_total, 2);
		mb_done(&m);
	}
}

/* ---- names that are taken ----------------------------------------------------------------- */

static void an_existing_bundle_is_kept_unless_replaced(void **state)
{
	static const char *const names[] = {"b", "b.wpk"};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		wp_pack_result first, second;
		mb m;

		mb_init(&m);
		first = mb_pack_result(&m, names[i], false);
		m.lock.prerelease = true;
		refuse(&m, names[i], false, WP_E_EXISTS, "of that name is there already");
		second = mb_pack_result(&m, names[i], true);
		assert_string_not_equal(first.lock_id, second.lock_id);
		only_names(&m, i ? "b.wpk cache" : "b cache");
		if (i == 0) {
			char hex[WP_SHA256_HEX + 1];

			wp_sha256_hex(file_in(&m, mb_path(&m, "b"), "bundle.json"), hex);
			assert_string_equal(hex, second.id);
		}
		mb_done(&m);
	}
}

static void only_bundles_are_replaced(void **state)
{
	mb m;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	assert_ok(os_mkdir(mb_path(&m, "mine"), &err));
	tmp_write(mb_path(&m, "mine/thesis.txt"), WP_LIT("years of work"));
	refuse(&m, "mine", true, WP_E_EXISTS, "no bundle.json");
	tmp_write(mb_path(&m, "mine.wpk"), WP_LIT("not a bundle, and longer than the head of one would be"));
	refuse(&m, "mine.wpk", true, WP_E_EXISTS, "is no bundle");
	tmp_write(mb_path(&m, "file"), WP_LIT("text"));
	refuse(&m, "file", true, WP_E_EXISTS, "no bundle directory");
	if (!os_is_windows()) {
		assert_ok(os_symlink("mine", mb_path(&m, "link"), &err));
		refuse(&m, "link", true, WP_E_EXISTS, "no bundle directory");
	}
	mb_done(&m);
}

static void files_of_the_user_in_a_bundle_stop_the_replacing(void **state)
{
	mb m;

	(void)state;
	mb_init(&m);
	tmp_write(os_join(m.a, mb_pack(&m, "b"), "notes.txt"), WP_LIT("mine"));
	refuse(&m, "b", true, WP_E_EXISTS, "'notes.txt' in it is no part of the bundle");
	assert_true(os_is_file(mb_path(&m, "b/notes.txt")));
	mb_done(&m);
}

static void a_bundle_needs_a_name_in_a_directory(void **state)
{
	mb m;

	(void)state;
	mb_init(&m);
	refuse(&m, "none/b.wpk", false, WP_E_NOT_FOUND, "no such directory");
	refuse(&m, ".", true, WP_E_EXISTS, "a name of its own");
	refuse(&m, "cache/..", true, WP_E_EXISTS, "a name of its own");
	mb_done(&m);
}

static void two_runs_on_one_name_do_not_mix(void **state)
{
	mb m;
	os_lock *lock;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	assert_ok(os_lock_take(mb_path(&m, ".b.wheelpack.lock"), &lock, &err));
	refuse(&m, "b", false, WP_E_BUSY, "is working there");
	os_lock_release(lock);
	mb_pack(&m, "b");
	only_names(&m, "b cache");
	mb_done(&m);
}

static void leftovers_of_a_killed_run_are_removed(void **state)
{
	mb m;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	assert_ok(os_mkdirs(mb_path(&m, ".b.wheelpack-999999.tmp/wheels"), &err));
	tmp_write(mb_path(&m, ".b.wheelpack-999999.tmp/wheels/half.whl"), WP_LIT("half"));
	tmp_write(mb_path(&m, ".b.wheelpack-12.tmp"), WP_LIT("half"));
	tmp_write(mb_path(&m, ".b.wheelpack-x.tmp"), WP_LIT("mine"));
	tmp_write(mb_path(&m, ".c.wheelpack-12.tmp"), WP_LIT("another bundle's"));
	mb_pack(&m, "b");
	only_names(&m, ".b.wheelpack-x.tmp .c.wheelpack-12.tmp b cache");
	mb_done(&m);
}

static void a_bundle_that_was_moved_aside_comes_back(void **state)
{
	mb m;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	assert_ok(os_rename_new(mb_pack(&m, "b"), mb_path(&m, ".b.wheelpack.old"), &err));
	refuse(&m, "b", false, WP_E_EXISTS, "there already");
	only_names(&m, "b cache");
	assert_ok(os_mkdir(mb_path(&m, ".b.wheelpack.old"), &err));
	refuse(&m, "b", false, WP_E_EXISTS, "there already");
	only_names(&m, "b cache");
	mb_done(&m);
}

/* ---- bad input ---------------------------------------------------------------------------- */

static void a_wheel_that_changed_is_named_and_nothing_is_left(void **state)
{
	static const char *const names[] = {"b", "b.wpk"};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		mb m;

		mb_init(&m);
		mb_flip(&m, os_join(m.a, m.cache, m.native.filename), 3 << 19);
		refuse(&m, names[i], false, WP_E_DIGEST, m.native.sha256);
		assert_non_null(strstr(m.err.where, m.native.filename));
		only_names(&m, "cache");
		tmp_write(os_join(m.a, m.cache, m.native.filename), wp_str_sub(m.native.bytes, 0, 1000));
		refuse(&m, names[i], false, WP_E_DIGEST, "it has 1000 bytes");
		unlink(os_join(m.a, m.cache, m.native.filename));
		refuse(&m, names[i], false, WP_E_NOT_FOUND, "");
		assert_non_null(strstr(m.err.where, m.native.filename));
		only_names(&m, "cache");
		mb_done(&m);
	}
}

static void the_lock_and_what_was_fetched_must_agree(void **state)
{
	mb m;

	(void)state;
	mb_init(&m);
	m.fetched[0].sha256 = m.native.sha256;
	refuse(&m, "b", false, WP_E_DIGEST, "the lock promises");
	m.fetched[0].sha256 = m.pure.sha256;
	m.fetched[0].size++;
	refuse(&m, "b", false, WP_E_DIGEST, "bytes, the lock promises");
	m.fetched[0].filename = "other-1-py3-none-any.whl";
	refuse(&m, "b", false, WP_E_INTERNAL, "was not fetched");
	m.lock.wheels[0].sha256 = NULL;
	refuse(&m, "b", false, WP_E_INTERNAL, "was not fetched");
	mb_done(&m);
}

static void one_name_with_two_digests_needs_two_bundles(void **state)
{
	wp_lock_wheel twice[3];
	mb m;

	(void)state;
	mb_init(&m);
	memcpy(twice, m.lock.wheels, 2 * sizeof *twice);
	twice[2] = twice[1];
	twice[2].sha256 = m.pure.sha256;
	m.lock.wheels = twice;
	m.lock.nwheels = 3;
	refuse(&m, "b", false, WP_E_DIGEST, "two wheels have the name");
	assert_non_null(strstr(m.err.why, m.pure.sha256));
	assert_non_null(strstr(m.err.next, "two bundles"));
	twice[2].filename = "TORCH-2.11.0+cu126-cp312-cp312-win_amd64.whl";
	refuse(&m, "b", false, WP_E_DIGEST, "two wheels have the name");
	mb_done(&m);
}

static void no_name_of_a_lock_leads_out_of_the_bundle(void **state)
{
	mb m;

	(void)state;
	mb_init(&m);
	m.lock.targets[0].name = "x/../../../evil";
	refuse(&m, "b", false, WP_E_DOCUMENT, "no path for a file of role 'requirements'");
	m.lock.targets[0].name = MB_WIN;
	m.lock.wheels[0].project = "../evil";
	refuse(&m, "b", false, WP_E_DOCUMENT, "no path for a file of role 'simple'");
	m.lock.wheels[0].project = "plain";
	m.lock.wheels[0].filename = m.fetched[0].filename = "../evil.whl";
	m.lock.ntargets = 0;
	refuse(&m, "b", false, WP_E_DOCUMENT, "is no wheel's file name");
	only_names(&m, "cache");
	mb_done(&m);
}

/* ---- stopped ------------------------------------------------------------------------------ */

/* A source whose wheels ask to stop at the first read. */
typedef struct stopping {
	wp_wheels real;
	atomic_int *cancel;
	wp_blob blob;
} stopping;

static int stop_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	stopping *s = self;

	atomic_store(s->cancel, 1);
	return s->blob.read_at(s->blob.self, buf, n, off, e);
}

static void stop_close(void *self)
{
	stopping *s = self;

	s->blob.close(s->blob.self);
}

static int stop_open(void *self, const char *filename, const char *sha256, wp_blob *out, wp_error *e)
{
	stopping *s = self;

	if (s->real.open(s->real.self, filename, sha256, &s->blob, e))
		return e->code;
	*out = (wp_blob){s, s->blob.size, stop_read, stop_close};
	return 0;
}

static void a_stopped_run_leaves_nothing(void **state)
{
	static const char *const names[] = {"b", "b.wpk"};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		atomic_int cancel = 0;
		stopping s;
		mb m;

		mb_init(&m);
		s = (stopping){.real = m.source, .cancel = &cancel};
		m.source = (wp_wheels){&s, stop_open};
		m.ctx.cancel = &cancel;
		m.ctx.jobs = 1;
		refuse(&m, names[i], false, WP_E_INTERRUPTED, "stopped");
		only_names(&m, "cache");
		mb_done(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_holds_all_that_pip_and_uv_need),
		cmocka_unit_test(the_sums_check_with_sha256sum),
		cmocka_unit_test(ids_are_digests_of_the_documents),
		cmocka_unit_test(a_bundle_file_is_a_stored_zip_with_bundle_json_first),
		cmocka_unit_test(the_same_input_gives_the_same_bytes),
		cmocka_unit_test(the_bundle_has_bytes_of_its_own),
		cmocka_unit_test(progress_ends_at_the_total),
		cmocka_unit_test(an_existing_bundle_is_kept_unless_replaced),
		cmocka_unit_test(only_bundles_are_replaced),
		cmocka_unit_test(files_of_the_user_in_a_bundle_stop_the_replacing),
		cmocka_unit_test(a_bundle_needs_a_name_in_a_directory),
		cmocka_unit_test(two_runs_on_one_name_do_not_mix),
		cmocka_unit_test(leftovers_of_a_killed_run_are_removed),
		cmocka_unit_test(a_bundle_that_was_moved_aside_comes_back),
		cmocka_unit_test(a_wheel_that_changed_is_named_and_nothing_is_left),
		cmocka_unit_test(the_lock_and_what_was_fetched_must_agree),
		cmocka_unit_test(one_name_with_two_digests_needs_two_bundles),
		cmocka_unit_test(no_name_of_a_lock_leads_out_of_the_bundle),
		cmocka_unit_test(a_stopped_run_leaves_nothing),
	};

	return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}

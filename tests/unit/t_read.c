/* SPDX-License-Identifier: MIT */
#include "bundle/source.h"
#include "os/par.h"
#include "unit/make_bundle.h"

/* ---- helpers ------------------------------------------------------------------------------ */

static wp_bundle *open_ok(mb *m, const char *path)
{
	wp_bundle *b = NULL;
	wp_error err = {0};

	if (wp_bundle_open(&m->ctx, path, &b, &err))
		fail_msg("%s: %s: %s", wp_code_name(err.code), err.where, err.why);
	return b;
}

static void refuse(mb *m, const char *path, wp_code code, const char *why)
{
	wp_bundle *b = NULL;

	m->err = (wp_error){0};
	if (wp_bundle_open(&m->ctx, path, &b, &m->err) != (int)code)
		fail_msg("%s instead of %s: %s", wp_code_name(m->err.code), wp_code_name(code), m->err.why);
	if (!strstr(m->err.why, why))
		fail_msg("refused with '%s', not with '%s'", m->err.why, why);
	if (!strstr(m->err.where, path))
		fail_msg("'%s' does not name '%s'", m->err.where, path);
}

static void same_bytes(const wp_blob *b, wp_str want)
{
	char *p = malloc(want.n + 1);
	wp_error err = {0};

	assert_true(b->size == want.n);
	assert_ok(b->read_at(b->self, p, want.n, 0, &err));
	assert_memory_equal(p, want.p, want.n);
	assert_ok(b->read_at(b->self, p, 10, want.n - 10, &err));
	assert_memory_equal(p, want.p + want.n - 10, 10);
	assert_int_not_equal(b->read_at(b->self, p, 11, want.n - 10, &err), 0);
	err = (wp_error){0};
	assert_int_not_equal(b->read_at(b->self, p, 1, UINT64_MAX, &err), 0);
	free(p);
	if (b->close)
		b->close(b->self);
}

static void check_wheels(const wp_bundle *b, const mb *m)
{
	wp_wheels w = wp_bundle_wheels(b);
	wp_error err = {0};
	wp_blob blob;

	assert_ok(w.open(w.self, m->native.filename, NULL, &blob, &err));
	same_bytes(&blob, m->native.bytes);
	assert_ok(w.open(w.self, m->pure.filename, m->pure.sha256, &blob, &err));
	same_bytes(&blob, m->pure.bytes);
	assert_int_equal(w.open(w.self, "none-1-py3-none-any.whl", NULL, &blob, &err), WP_E_NOT_FOUND);
	err = (wp_error){0};
	assert_int_equal(w.open(w.self, "../bundle.json", NULL, &blob, &err), WP_E_NOT_FOUND);
}

/* ---- forms -------------------------------------------------------------------------------- */

static void both_forms_of_a_bundle_open(void **state)
{
	static const char *const names[] = {"b", "b.wpk"};
	size_t i, k;

	(void)state;
	for (i = 0; i < 2; i++) {
		wp_error err = {0};
		wp_bundle *b;
		wp_blob blob;
		mb m;

		mb_init(&m);
		b = open_ok(&m, mb_pack(&m, names[i]));
		assert_int_equal(wp_bundle_manifest(b)->nwheels, 2);
		assert_string_equal(wp_bundle_manifest(b)->wheels[1].record_sha256, m.native.record_sha256);
		assert_string_equal(wp_bundle_lock(b)->targets[0].name, MB_WIN);
		assert_int_equal(strlen(wp_bundle_id(b)), 64);
		assert_string_equal(wp_bundle_path(b), mb_path(&m, names[i]));
		assert_int_equal(b->n, 10);
		for (k = 1; k < b->n; k++)
			assert_true(strcmp(b->entries[k - 1].path, b->entries[k].path) < 0);
		check_wheels(b, &m);
		assert_int_equal(wp_bundle_wheels(b).open(wp_bundle_wheels(b).self, m.pure.filename, m.native.sha256, &blob,
			&err), WP_E_DIGEST);
		err = (wp_error){0};
		wp_bundle_close(b);
		mb_done(&m);
	}
}

static void a_folder_of_wheels_opens(void **state)
{
	mb m;
	wp_bundle *b;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	b = open_ok(&m, m.cache);
	assert_null(wp_bundle_manifest(b));
	assert_null(wp_bundle_lock(b));
	assert_null(wp_bundle_id(b));
	check_wheels(b, &m);
	wp_bundle_close(b);
	assert_ok(os_mkdir(mb_path(&m, "f"), &err));
	assert_ok(os_rename_new(m.cache, mb_path(&m, "f/wheels"), &err));
	tmp_write(mb_path(&m, "f/notes.txt"), WP_LIT("not a wheel"));
	b = open_ok(&m, mb_path(&m, "f"));
	check_wheels(b, &m);
	assert_int_equal(b->n, 2);
	wp_bundle_close(b);
	mb_done(&m);
}

static void one_wheel_opens_as_a_folder_with_it(void **state)
{
	mb m;
	wp_bundle *b;

	(void)state;
	mb_init(&m);
	b = open_ok(&m, os_join(m.a, m.cache, m.pure.filename));
	assert_int_equal(b->n, 1);
	assert_string_equal(b->entries[0].path, m.pure.filename);
	wp_bundle_close(b);
	mb_done(&m);
}

static int read_wheel(void *user, size_t i, wp_arena *a, wp_error *e)
{
	const mb *m = ((void **)user)[0];
	wp_wheels w = wp_bundle_wheels(((void **)user)[1]);
	const mw_made *made = i % 2 ? &m->native : &m->pure;
	char *p = wp_alloc(a, made->bytes.n);
	wp_blob blob;

	if (w.open(w.self, made->filename, NULL, &blob, e) || blob.read_at(blob.self, p, made->bytes.n, 0, e))
		return e->code;
	blob.close(blob.self);
	return memcmp(p, made->bytes.p, made->bytes.n) ? wp_fail(e, WP_E_INTERNAL, "mixed up") : 0;
}

static void wheels_of_a_file_are_read_by_many_threads(void **state)
{
	mb m;
	void *user[2];
	wp_par par;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	user[0] = &m;
	user[1] = open_ok(&m, mb_pack(&m, "b.wpk"));
	m.ctx.jobs = 4;
	assert_ok(wp_par_for(&m.ctx, 20, read_wheel, NULL, user, true, &par, &err));
	wp_par_done(&par);
	wp_bundle_close(user[1]);
	mb_done(&m);
}

/* ---- refusals ----------------------------------------------------------------------------- */

static void what_is_no_bundle_is_refused_in_plain_words(void **state)
{
	mb m;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	refuse(&m, mb_path(&m, "none.wpk"), WP_E_NOT_FOUND, "no such file or directory");
	assert_ok(os_mkdir(mb_path(&m, "empty"), &err));
	refuse(&m, mb_path(&m, "empty"), WP_E_BUNDLE, "no bundle.json and no wheels in it");
	tmp_write(mb_path(&m, "zero.wpk"), WP_LIT(""));
	refuse(&m, mb_path(&m, "zero.wpk"), WP_E_BUNDLE, "empty");
	tmp_write(mb_path(&m, "page.wpk"), WP_LIT("<html>not found</html>"));
	refuse(&m, mb_path(&m, "page.wpk"), WP_E_BUNDLE, "does not begin as a zip file does");
	mb_done(&m);
}

static void a_cut_file_says_to_copy_it_again(void **state)
{
	mb m;
	wp_str whole;
	size_t i;

	(void)state;
	mb_init(&m);
	whole = tmp_read(m.a, mb_pack(&m, "b.wpk"));
	for (i = 1; i < 20; i++) {
		tmp_write(mb_path(&m, "cut.wpk"), wp_str_sub(whole, 0, whole.n * i / 20));
		refuse(&m, mb_path(&m, "cut.wpk"), WP_E_ZIP, "");
		assert_non_null(strstr(m.err.next, "copy the file again"));
	}
	tmp_write(mb_path(&m, "cut.wpk"), wp_str_sub(whole, 0, whole.n - 1));
	refuse(&m, mb_path(&m, "cut.wpk"), WP_E_ZIP, "");
	mb_done(&m);
}

/* A zip of these stored members (the first is deflated where packed) is refused. */
static void refuse_zip(mb *m, const char *const *names, bool packed, const char *why)
{
	zip_maker z;

	zip_begin(&z);
	for (; *names; names++, packed = false)
		mw_add(m->a, &z, NULL, &(mw_member){.name = *names, .data = wp_ends(*names, "/") ? "" : "{}", .deflate = packed});
	zip_end(&z, false, "");
	tmp_write(mb_path(m, "z.wpk"), wp_buf_view(&z.out));
	zip_free(&z);
	refuse(m, mb_path(m, "z.wpk"), WP_E_BUNDLE, why);
}

static void zip_files_that_are_no_bundle_are_refused(void **state)
{
	mb m;

	(void)state;
	mb_init(&m);
	refuse_zip(&m, (const char *const[]){"photo.jpg", "bundle.json", NULL}, false, "first member is not bundle.json");
	refuse_zip(&m, (const char *const[]){"bundle.json", NULL}, true, "compressed");
	refuse_zip(&m, (const char *const[]){"bundle.json", "wheels/", NULL}, false, "a directory");
	refuse_zip(&m, (const char *const[]){"bundle.json", "lock.json", "lock.json", NULL}, false, "is there twice");
	mb_done(&m);
}

static void changed_documents_are_refused(void **state)
{
	mb m;

	(void)state;
	mb_init(&m);
	mb_edit(&m, os_join(m.a, mb_pack(&m, "a"), "lock.json"), "manylinux_2_28", "manylinux_2_27");
	refuse(&m, mb_path(&m, "a"), WP_E_BUNDLE, "bundle.json promises");
	assert_non_null(strstr(m.err.where, "lock.json"));
	mb_edit(&m, os_join(m.a, mb_pack(&m, "b"), "bundle.json"), "\"lock_sha256\"", "\"lock_sha257\"");
	refuse(&m, mb_path(&m, "b"), WP_E_DOCUMENT, "unknown key");
	assert_non_null(strstr(m.err.where, "bundle.json"));
	mb_edit(&m, os_join(m.a, mb_pack(&m, "c"), "bundle.json"), m.pure.sha256, m.native.sha256);
	refuse(&m, mb_path(&m, "c"), WP_E_BUNDLE, "lock.json promises sha256");
	mb_done(&m);
}

/* A bundle whose lock is pinned, but says something else than bundle.json. */
static void lock_and_manifest_must_have_the_same_wheels(void **state)
{
	mb m;
	char old[WP_SHA256_HEX + 1], new[WP_SHA256_HEX + 1];
	const char *dir, *lock, *manifest;
	wp_lock_doc fewer;
	wp_error err = {0};
	wp_str text;

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	lock = os_join(m.a, dir, "lock.json");
	manifest = os_join(m.a, dir, "bundle.json");
	wp_sha256_hex(tmp_read(m.a, lock), old);
	fewer = m.lock;
	fewer.nwheels = 1;
	fewer.ntargets = 0;
	assert_ok(wp_lock_write(m.a, &fewer, &text, &err));
	tmp_write(lock, text);
	wp_sha256_hex(text, new);
	mb_edit(&m, manifest, old, new);
	mb_edit(&m, manifest, old, new);
	refuse(&m, dir, WP_E_BUNDLE, "lock.json doesn't");
	mb_done(&m);
}

static void missing_and_cut_files_are_named_at_opening(void **state)
{
	mb m;
	const char *wheel, *dir;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	wheel = wp_sprintf(m.a, "%s/wheels/%s", dir, m.pure.filename);
	tmp_write(wheel, wp_str_sub(m.pure.bytes, 0, 100));
	refuse(&m, dir, WP_E_BUNDLE, "it has 100 bytes, bundle.json promises");
	assert_non_null(strstr(m.err.where, m.pure.filename));
	unlink(wheel);
	refuse(&m, dir, WP_E_BUNDLE, "it is missing");
	if (!os_is_windows()) {
		assert_ok(os_symlink(os_join(m.a, m.cache, m.pure.filename), wheel, &err));
		refuse(&m, dir, WP_E_BUNDLE, "it is a link");
	}
	unlink(os_join(m.a, dir, "lock.json"));
	refuse(&m, dir, WP_E_BUNDLE, "not in the bundle");
	mb_done(&m);
}

/* ---- trees -------------------------------------------------------------------------------- */

static wp_str tree_text(mb *m, const wp_tree *t, const char *path)
{
	wp_error err = {0};
	wp_blob b;
	char *p;

	if (t->open(t->self, path, &b, &err))
		fail_msg("%s: %s: %s", path, err.where, err.why);
	p = wp_alloc(m->a, b.size + 1);
	assert_ok(b.read_at(b.self, p, b.size, 0, &err));
	assert_int_not_equal(b.read_at(b.self, p, 1, b.size, &err), 0);
	b.close(b.self);
	return (wp_str){p, b.size};
}

static bool listed(const wp_tree *t, const char *path)
{
	const wp_tree_entry *v;
	wp_error err = {0};
	size_t n, i;

	assert_ok(t->list(t->self, &v, &n, &err));
	for (i = 0; i < n; i++) {
		if (i)
			assert_true(strcmp(v[i - 1].path, v[i].path) < 0);
		if (strcmp(v[i].path, path) == 0)
			return true;
	}
	return false;
}

static void a_tree_shows_wheels_as_installed(void **state)
{
	static const char *const names[] = {"b", "b.wpk"};
	wp_error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		wp_bundle *b;
		wp_tree t;
		mb m;

		mb_init(&m);
		b = open_ok(&m, mb_pack(&m, names[i]));
		assert_ok(wp_bundle_tree(&m.ctx, b, &wp_bundle_lock(b)->targets[0], &t, &err));
		assert_string_equal(tree_text(&m, &t, "torch/__init__.py").p, "version = '2.11.0'\n");
		assert_string_equal(tree_text(&m, &t, "@scripts/torchrun").p, "#!python\n");
		assert_string_equal(tree_text(&m, &t, "@data/share/note.txt").p, "note\n");
		assert_string_equal(tree_text(&m, &t, "@include/torch/torch.h").p, "#pragma once\n");
		assert_string_equal(tree_text(&m, &t, "torchgen/x.py").p, "x = 1\n");
		assert_true(wp_starts(tree_text(&m, &t, "plain-1.0.dist-info/METADATA").p, "Metadata-Version"));
		assert_true(listed(&t, "torch-2.11.0+cu126.dist-info/RECORD"));
		assert_memory_equal(tree_text(&m, &t, "torch/lib/c10.dll").p, mb_big_bytes, sizeof mb_big_bytes);
		assert_memory_equal(tree_text(&m, &t, "torch/lib/stored.dll").p, mb_big_bytes, sizeof mb_big_bytes);
		assert_ok(wp_bundle_tree(&m.ctx, b, &wp_bundle_lock(b)->targets[1], &t, &err));
		assert_false(listed(&t, "torch/__init__.py"));
		assert_true(listed(&t, "plain/__init__.py"));
		wp_bundle_close(b);
		mb_done(&m);
	}
}

static void a_folder_without_lock_gives_a_tree_of_all_wheels(void **state)
{
	mb m;
	wp_tree t;
	wp_blob blob;
	wp_error err = {0};

	(void)state;
	mb_init(&m);
	assert_ok(wp_bundle_tree(&m.ctx, m.folder, NULL, &t, &err));
	assert_true(listed(&t, "torch/lib/c10.dll"));
	assert_true(listed(&t, "plain/text.txt"));
	assert_int_equal(t.open(t.self, "plain/none.txt", &blob, &err), WP_E_NOT_FOUND);
	err = (wp_error){0};
	assert_int_equal(t.open(t.self, "zzz", &blob, &err), WP_E_NOT_FOUND);
	mb_done(&m);
}

static void a_damaged_member_cannot_be_viewed(void **state)
{
	mb m;
	wp_tree t;
	wp_bundle *b;
	wp_blob blob;
	wp_error err = {0};
	const char *dir, *path;

	(void)state;
	mb_init(&m);
	dir = mb_pack(&m, "b");
	path = wp_sprintf(m.a, "%s/wheels/%s", dir, m.pure.filename);
	mb_flip(&m, path, mb_find(&m, path, WP_LIT("long enough")));
	b = open_ok(&m, dir);
	assert_ok(wp_bundle_tree(&m.ctx, b, NULL, &t, &err));
	assert_int_not_equal(t.open(t.self, "plain/text.txt", &blob, &err), 0);
	assert_int_equal(wp_code_exit(err.code), WP_EXIT_INTEGRITY);
	wp_bundle_close(b);
	mb_flip(&m, path, m.pure.bytes.n - 20);
	b = open_ok(&m, dir);
	err = (wp_error){0};
	assert_int_not_equal(wp_bundle_tree(&m.ctx, b, NULL, &t, &err), 0);
	assert_non_null(strstr(err.where, m.pure.filename));
	wp_bundle_close(b);
	mb_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms_of_a_bundle_open),
		cmocka_unit_test(a_folder_of_wheels_opens),
		cmocka_unit_test(one_wheel_opens_as_a_folder_with_it),
		cmocka_unit_test(wheels_of_a_file_are_read_by_many_threads),
		cmocka_unit_test(what_is_no_bundle_is_refused_in_plain_words),
		cmocka_unit_test(a_cut_file_says_to_copy_it_again),
		cmocka_unit_test(zip_files_that_are_no_bundle_are_refused),
		cmocka_unit_test(changed_documents_are_refused),
		cmocka_unit_test(lock_and_manifest_must_have_the_same_wheels),
		cmocka_unit_test(missing_and_cut_files_are_named_at_opening),
		cmocka_unit_test(a_tree_shows_wheels_as_installed),
		cmocka_unit_test(a_folder_without_lock_gives_a_tree_of_all_wheels),
		cmocka_unit_test(a_damaged_member_cannot_be_viewed),
	};

	return cmocka_run_group_tests_name("read", tests, NULL, NULL);
}

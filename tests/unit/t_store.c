/* SPDX-License-Identifier: MIT */
#include <fcntl.h>

#include "install/store.h"
#include "os/os.h"
#include "unit/install_world.h"
#include "wheelpack/store.h"

static const mw_member pkg_members[] = {
	{.name = "pkg/__init__.py", .data = "x = 1\n"},
	{.name = "pkg/sub/data.txt", .data = "some text, packed some text, packed some text\n", .deflate = true},
	{.name = "pkg/run.sh", .data = "#!/bin/sh\n", .mode = 0100755},
	{.name = "pkg/empty.py", .data = ""},
	{.name = "pkg-1.0.data/scripts/tool", .data = "#!python\n"},
	{.name = "pkg-1.0.data/data/share/note.txt", .data = "note\n"},
};

static const char *shared(world *w)
{
	return at(w, "shared");
}

static void add_pkg(world *w)
{
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = pkg_members,
		.n = sizeof pkg_members / sizeof *pkg_members, .entry_points = "[console_scripts]\ncmd = pkg:main\n"};

	add(w, &v);
	w->in.store = shared(w);
}

/* Into another venv. */
static void into(world *w, const char *venv)
{
	wp_error err = {0};

	w->venv = w->in.venv = at(w, venv);
	w->out = (wp_receipt){0};
	assert_ok(install(w, &err));
}

static struct stat stat_of(world *w, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		fail_msg("%s is not there", path);
	(void)w;
	return st;
}

static const char *only_entry(world *w)
{
	const char **keys;
	wp_error err = {0};
	size_t n;

	assert_ok(wp_store_keys(w->a, shared(w), &keys, &n, &err));
	assert_int_equal(n, 1);
	return wp_store_entry(w->a, shared(w), keys[0]);
}

static const char *in_store(world *w, const char *member)
{
	return wp_sprintf(w->a, "%s/files/%s", only_entry(w), member);
}

static bool is_linked(world *w, const char *path, const char *member)
{
	struct stat x = stat_of(w, in_venv(w, path)), y = stat_of(w, in_store(w, member));

	return x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

static void nothing_is_left(world *w)
{
	wp_error err = {0};
	const char **names;
	size_t n;

	assert_ok(os_list(w->a, os_join(w->a, shared(w), "runs"), &names, &n, &err));
	assert_int_equal(n, 0);
}

static void whole(world *w)
{
	wp_drift d = {0};
	wp_error err = {0};

	assert_ok(wp_venv_check(&w->ctx, w->venv, NULL, &d, &err));
	assert_int_equal(d.missing + d.changed + d.added, 0);
	assert_int_equal(wp_findings_errors(&d.findings), 0);
}

/* ---- fill and take -------------------------------------------------------------------------- */

static void the_second_venv_has_the_same_files(void **state)
{
	world *w = *state;
	const char *record;

	add_pkg(w);
	into(w, "home/env");
	assert_int_equal(w->out.store.added, 1);
	/* 5 members, METADATA, WHEEL, entry_points.txt */
	assert_int_equal(w->out.store.linked, 8);
	assert_string_equal(w->out.store.dir, shared(w));
	assert_true(is_linked(w, SITE "/pkg/__init__.py", "pkg/__init__.py"));
	whole(w);
	record = tmp_read(w->a, in_venv(w, SITE "/pkg-1.0.dist-info/RECORD")).p;
	nothing_is_left(w);
	into(w, "home/env2");
	assert_int_equal(w->out.store.added, 0);
	assert_int_equal(w->out.store.linked, 8);
	assert_int_equal(w->out.store.copied + w->out.store.cloned, 0);
	assert_true(is_linked(w, SITE "/pkg/__init__.py", "pkg/__init__.py"));
	assert_true(is_linked(w, "share/note.txt", "pkg-1.0.data/data/share/note.txt"));
	assert_int_equal(stat_of(w, in_venv(w, SITE "/pkg/run.sh")).st_nlink, 3);
	assert_int_equal(mode_of(w, SITE "/pkg/run.sh"), 0755);
	assert_int_equal(mode_of(w, SITE "/pkg/empty.py"), 0644);
	is_text(w, "bin/tool", wp_sprintf(w->a, "#!%s/bin/python\n", w->venv));
	assert_int_equal(stat_of(w, in_venv(w, "bin/tool")).st_nlink, 1);
	/* The script names the venv. */
	assert_int_equal(strlen(tmp_read(w->a, in_venv(w, SITE "/pkg-1.0.dist-info/RECORD")).p), strlen(record));
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json")).p, "\"linked\": 8"));
	whole(w);
	nothing_is_left(w);
}

static void an_existing_venv_takes_from_it_too(void **state)
{
	world *w = *state;
	const mw_member v2 = {.name = "pkg/__init__.py", .data = "x = 2\n"};
	mw_wheel v = {.project = "pkg", .version = "2.0", .members = &v2, .n = 1};

	add_pkg(w);
	into(w, "home/env");
	forget(w);
	add(w, &v);
	into(w, "home/env2");
	into(w, "home/env");
	assert_int_equal(w->out.replaced, 1);
	assert_int_equal(w->out.store.linked, 3);
	is_text(w, SITE "/pkg/__init__.py", "x = 2\n");
	assert_false(os_is_file(in_venv(w, "share/note.txt")));
	whole(w);
	/* What made way in the venv stays in the store. */
	assert_int_equal(tmp_read(w->a, wp_sprintf(w->a, "%s/files/pkg/__init__.py",
		wp_store_entry(w->a, shared(w), wp_stored_key(w->a, "pkg-2.0-py3-none-any.whl", w->pins.v[0].record_sha256)))).n, 6);
}

static void without_a_store_nothing_is_told_of_one(void **state)
{
	world *w = *state;

	add_pkg(w);
	w->in.store = NULL;
	into(w, "home/env");
	assert_null(w->out.store.dir);
	assert_null(strstr(tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json")).p, "\"store\""));
}

static void a_preview_tells_what_it_has_and_makes_nothing(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_preview p;

	add_pkg(w);
	settle(w);
	assert_ok(wp_install_preview(&w->ctx, &w->in, &p, &err));
	assert_int_equal(p.store_files, 0);
	assert_int_equal(p.store_added, 1);
	assert_false(os_is_dir(shared(w)));
	into(w, "home/env");
	w->in.venv = at(w, "home/env2");
	assert_ok(wp_install_preview(&w->ctx, &w->in, &p, &err));
	assert_int_equal(p.store_files, 8);
	assert_int_equal(p.store_added, 0);
	assert_true(p.space_needed < (uint64_t)100 << 10);
}

static void only_its_wheel_and_its_record_find_an_entry(void **state)
{
	world *w = *state;
	const char *a = wp_stored_key(w->a, "x.whl", "00"), *b = wp_stored_key(w->a, "y.whl", "00");

	assert_true(wp_stored_is_key(a) && wp_stored_is_key(b));
	assert_string_not_equal(a, b);
	assert_string_not_equal(a, wp_stored_key(w->a, "x.whl", "01"));
	assert_false(wp_stored_is_key("dropped"));
}

/* The mode is not in RECORD, and a venv's has to be right all the same. */
static void a_file_whose_mode_differs_is_a_copy(void **state)
{
	world *w = *state;

	add_pkg(w);
	into(w, "home/env");
	assert_int_equal(chmod(in_store(w, "pkg/__init__.py"), 0600), 0);
	into(w, "home/env2");
	assert_int_equal(w->out.store.copied, 1);
	assert_int_equal(w->out.store.linked, 7);
	assert_int_equal(mode_of(w, SITE "/pkg/__init__.py"), 0644);
	whole(w);
}

typedef struct racer {
	wp_ctx ctx;
	wp_install_request in;
	wp_receipt out;
	wp_error e;
	os_thread *thread;
} racer;

static void race(void *user)
{
	racer *r = user;

	wp_install(&r->ctx, &r->in, &r->out, &r->e);
}

static void several_at_once_all_end_well(void **state)
{
	enum { RUNS = 6 };
	world *w = *state;
	racer *r = WP_NEW_ARRAY(w->a, RUNS, racer);
	wp_error err = {0};
	wp_store_facts f;
	int i;

	add_pkg(w);
	simple(w, "solo", "1.0", "solo.py", "s");
	settle(w);
	for (i = 0; i < RUNS; i++) {
		wp_ctx_init(&r[i].ctx, 2);
		r[i].in = w->in;
		r[i].in.venv = at(w, wp_sprintf(w->a, "home/env%d", i));
	}
	for (i = 0; i < RUNS; i++)
		assert_ok(os_thread_start(&r[i].thread, race, &r[i], &err));
	for (i = 0; i < RUNS; i++) {
		os_thread_join(r[i].thread);
		err = r[i].e;
		assert_ok(err.code);
		assert_int_equal(r[i].out.store.linked, 11);
		assert_int_equal(r[i].out.findings.n, 0);
		wp_ctx_done(&r[i].ctx);
	}
	assert_ok(wp_store_info(&w->ctx, shared(w), &f, &err));
	assert_int_equal(f.n, 2);
	assert_int_equal(f.alone, 0);
	nothing_is_left(w);
}

/* ---- what is not as it was put there -------------------------------------------------------- */

/* The next install tells of it, unpacks anew, and the one after that finds all in order. */
static void is_put_right(world *w, const char *says)
{
	static int count;
	const wp_finding *f;

	into(w, wp_sprintf(w->a, "home/again%d", count++));
	f = finding(w, "N540");
	if (!f || !strstr(f->why, says))
		fail_msg("'%s' was to be told, and '%s' was", says, f ? f->why : "nothing");
	assert_int_equal(w->out.store.added, 1);
	assert_int_equal(w->out.store.linked, 8);
	whole(w);
	nothing_is_left(w);
	into(w, wp_sprintf(w->a, "home/again%d", count++));
	assert_null(finding(w, "N540"));
	assert_int_equal(w->out.store.added, 0);
	whole(w);
}

static void set_times(const char *path, struct timespec t)
{
	struct timespec both[2] = {t, t};

	assert_int_equal(utimensat(AT_FDCWD, path, both, 0), 0);
}

static void an_edited_file_is_seen(void **state)
{
	world *w = *state;
	const char *path;
	struct stat st;

	add_pkg(w);
	into(w, "home/env");
	tmp_write(in_venv(w, SITE "/pkg/__init__.py"), WP_LIT("x = 1 # one\n"));
	is_put_right(w, "'pkg/__init__.py' has 12 bytes, not 6");
	path = in_venv(w, SITE "/pkg/__init__.py");
	st = stat_of(w, path);
	st.st_mtim.tv_nsec ^= 1;
	set_times(path, st.st_mtim);
	is_put_right(w, "'pkg/__init__.py' was written to");
	assert_int_equal(unlink(in_store(w, "pkg/empty.py")), 0);
	is_put_right(w, "'pkg/empty.py' is missing");
	assert_int_equal(unlink(in_store(w, "pkg/empty.py")), 0);
	assert_int_equal(symlink("/etc/hostname", in_store(w, "pkg/empty.py")), 0);
	is_put_right(w, "'pkg/empty.py' is no file");
}

static void a_damaged_index_is_seen(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *path;
	size_t i, n;
	wp_str text;
	char *copy;

	add_pkg(w);
	into(w, "home/env");
	path = os_join(w->a, only_entry(w), "index");
	n = tmp_read(w->a, path).n;
	for (i = 0; i < 7; i++) {
		text = tmp_read(w->a, path);
		copy = wp_str_dup(w->a, text);
		copy[i * (text.n - 1) / 6] ^= 1;
		tmp_write(path, (wp_str){copy, text.n});
		is_put_right(w, "the index is damaged");
	}
	tmp_write(path, WP_LIT(""));
	is_put_right(w, "the index is damaged");
	text = tmp_read(w->a, path);
	tmp_write(path, wp_str_sub(text, 0, n / 2));
	is_put_right(w, "the index is damaged");
	assert_int_equal(unlink(path), 0);
	is_put_right(w, "the index is missing");
	assert_int_equal(unlink(path), 0);
	assert_ok(os_mkdir(path, &err));
	is_put_right(w, "it is a directory");
	assert_ok(os_remove_tree(wp_sprintf(w->a, "%s/files", only_entry(w)), &err));
	is_put_right(w, "cannot be opened as a directory");
}

/* A right digest over wrong rows: RECORD has the say. */
static void an_index_that_promises_other_bytes_than_record_is_seen(void **state)
{
	world *w = *state;
	wp_stored_wheel x;
	wp_error err = {0};
	const char *path;

	add_pkg(w);
	into(w, "home/env");
	path = os_join(w->a, only_entry(w), "index");
	assert_ok(wp_stored_read(w->a, tmp_read(w->a, path), &x, &err));
	x.v[0].sha256[0] ^= 1;
	tmp_write(path, wp_stored_write(w->a, &x));
	is_put_right(w, "the index is that of another wheel");
	assert_ok(wp_stored_read(w->a, tmp_read(w->a, path), &x, &err));
	x.filename = "other-1.0-py3-none-any.whl";
	tmp_write(path, wp_stored_write(w->a, &x));
	is_put_right(w, "the index is that of another wheel");
	/* What it does not have comes from the wheel. */
	assert_ok(wp_stored_read(w->a, tmp_read(w->a, path), &x, &err));
	x.v++;
	x.n--;
	tmp_write(path, wp_stored_write(w->a, &x));
	into(w, "home/last");
	assert_int_equal(w->out.store.linked, 7);
	whole(w);
}

static void what_was_not_flushed_is_only_for_who_does_not_flush(void **state)
{
	world *w = *state;

	add_pkg(w);
	into(w, "home/env");
	into(w, "home/env2");
	assert_int_equal(w->out.store.added, 0);
	w->in.no_sync = false;
	into(w, "home/env3");
	assert_int_equal(w->out.store.added, 1);
	assert_non_null(finding(w, "N541"));
	into(w, "home/env4");
	assert_int_equal(w->out.store.added, 0);
	assert_null(finding(w, "N541"));
	w->in.no_sync = true;
	into(w, "home/env5");
	assert_int_equal(w->out.store.added, 0);
	nothing_is_left(w);
}

static void a_wheel_that_is_not_as_record_says_is_not_put_there(void **state)
{
	world *w = *state;
	const char **keys;
	wp_error err = {0};
	size_t n;
	const mw_member m[] = {{.name = "a.py", .data = "a"},
		{.name = "bad.py", .data = "b", .row = "bad.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,1"}};
	mw_wheel v = {.project = "bad", .version = "1.0", .members = m, .n = 2};

	add(w, &v);
	w->in.store = shared(w);
	refused(w, WP_E_RECORD, "bad.py");
	assert_ok(wp_store_keys(w->a, shared(w), &keys, &n, &err));
	assert_int_equal(n, 0);
	nothing_is_left(w);
}

static void a_stop_leaves_nothing_half(void **state)
{
	world *w = *state;
	wp_error err = {0};

	add_pkg(w);
	into(w, "home/env");
	w->in.venv = at(w, "home/env2");
	atomic_store(&w->cancel, 1);
	assert_int_equal(install(w, &err), WP_E_INTERRUPTED);
	assert_false(os_is_dir(w->in.venv));
	nothing_is_left(w);
}

/* ---- the place ------------------------------------------------------------------------------ */

static void what_is_no_store_is_refused(void **state)
{
	world *w = *state;
	wp_error err = {0};

	add_pkg(w);
	assert_ok(os_mkdir(shared(w), &err));
	tmp_write(os_join(w->a, shared(w), "file"), WP_LIT("x"));
	refused(w, WP_E_EXISTS, "it is not empty, and no store");
	w->in.store = os_join(w->a, shared(w), "file");
	refused(w, WP_E_EXISTS, "it is not a directory");
	w->in.store = shared(w);
	tmp_write(os_join(w->a, shared(w), "wheelpack-store"), WP_LIT("wheelpack.store/2\n"));
	refused(w, WP_E_DOCUMENT, "another version");
	assert_int_equal(unlink(os_join(w->a, shared(w), "file")), 0);
	/* A run was killed when it had just begun. */
	tmp_write(os_join(w->a, shared(w), "wheelpack-store"), WP_LIT(""));
	into(w, "home/env");
	into(w, "home/env2");
	assert_int_equal(w->out.store.added, 0);
}

static void it_must_be_this_users_alone(void **state)
{
	world *w = *state;

	add_pkg(w);
	into(w, "home/env");
	assert_int_equal(stat_of(w, shared(w)).st_mode & 0777, 0700);
	w->venv = w->in.venv = at(w, "home/env2");
	assert_int_equal(chmod(shared(w), 0770), 0);
	refused(w, WP_E_PERMISSION, "others may write to it, its mode is 770");
	assert_int_equal(chmod(shared(w), 0755), 0);
	into(w, "home/env2");
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(shared(w), 12345, 12345), 0);
	w->in.venv = at(w, "home/env3");
	refused(w, WP_E_PERMISSION, "it belongs to user 12345, and this is user 0");
}

static void it_lies_outside_of_the_venv(void **state)
{
	world *w = *state;
	wp_error err = {0};

	add_pkg(w);
	w->in.store = at(w, "home/env/store");
	refused(w, WP_E_USAGE, "the store lies in the venv");
	w->in.store = w->in.venv;
	refused(w, WP_E_USAGE, "the store lies in the venv");
	w->in.store = shared(w);
	w->in.venv = os_join(w->a, shared(w), "entries/env");
	refused(w, WP_E_USAGE, "the venv lies in the store");
	w->in.venv = w->venv;
	into(w, "home/env");
	/* By another name. */
	assert_int_equal(symlink(in_venv(w, "lib"), at(w, "link")), 0);
	w->in.store = at(w, "link/new/store");
	refused(w, WP_E_USAGE, "the store lies in the venv");
	assert_ok(os_mkdir(at(w, "a"), &err));
	w->in.store = at(w, "a/b/../../home/env/x");
	refused(w, WP_E_PATH, "'..' behind a directory that is not there");
}

/* tmpfs, where the tests are not on it themselves. */
static const char *elsewhere(world *w)
{
	char *dir = wp_strdup(w->a, "/dev/shm/wheelpack-test-XXXXXX");

	if (os_same_volume("/dev/shm", w->dir) || !mkdtemp(dir)) {
		print_message("skipped: there is no second volume to write to\n");
		return NULL;
	}
	return dir;
}

static void across_volumes_files_are_copied_and_held_to_their_digests(void **state)
{
	world *w = *state;
	const char *dir = elsewhere(w), *path, **keys;
	wp_error err = {0};
	struct stat st;
	size_t n;

	if (!dir)
		skip();
	add_pkg(w);
	w->in.store = os_join(w->a, dir, "s");
	into(w, "home/env");
	assert_int_equal(w->out.store.copied, 8);
	assert_int_equal(w->out.store.linked, 0);
	assert_int_equal(mode_of(w, SITE "/pkg/run.sh"), 0755);
	whole(w);
	assert_ok(wp_store_keys(w->a, w->in.store, &keys, &n, &err));
	path = wp_sprintf(w->a, "%s/files/pkg/sub/data.txt", wp_store_entry(w->a, w->in.store, keys[0]));
	st = stat_of(w, path);
	tmp_write(path, WP_LIT("some text, packed some text, packed some TEXT\n"));
	set_times(path, st.st_mtim);
	into(w, "home/env2");
	assert_non_null(finding(w, "N540"));
	assert_int_equal(w->out.store.copied, 7);
	whole(w);
	into(w, "home/env3");
	assert_int_equal(w->out.store.added, 1);
	assert_int_equal(w->out.store.copied, 8);
	whole(w);
	tmp_remove(dir);
}

/* ---- looking after it ----------------------------------------------------------------------- */

static void info_tells_what_no_venv_has(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_store_facts f;

	add_pkg(w);
	simple(w, "solo", "1.0", "solo.py", "s");
	into(w, "home/env");
	assert_ok(wp_store_info(&w->ctx, shared(w), &f, &err));
	assert_int_equal(f.n, 2);
	assert_string_equal(f.v[0].filename, "pkg-1.0-py3-none-any.whl");
	assert_int_equal(f.v[0].files, 8);
	assert_int_equal(f.files, 11);
	assert_int_equal(f.alone, 0);
	assert_true(os_unix_time() - f.v[0].used < 1000);
	assert_ok(os_remove_tree(w->venv, &err));
	assert_ok(wp_store_info(&w->ctx, shared(w), &f, &err));
	assert_int_equal(f.alone, f.bytes);
	tmp_write(wp_sprintf(w->a, "%s/index", wp_store_entry(w->a, shared(w), wp_stored_key(w->a, f.v[0].filename,
		w->pins.v[0].record_sha256))), WP_LIT("x"));
	assert_ok(wp_store_info(&w->ctx, shared(w), &f, &err));
	assert_null(f.v[0].filename);
	assert_string_equal(f.findings.v[0].code, "N543");
}

static void what_is_no_store_is_not_looked_after(void **state)
{
	world *w = *state;
	wp_store_verified v;
	wp_store_pruned p;
	wp_store_facts f;
	wp_error err = {0};

	assert_int_equal(wp_store_info(&w->ctx, at(w, "nope"), &f, &err), WP_E_NOT_FOUND);
	err = (wp_error){0};
	assert_int_equal(wp_store_prune(&w->ctx, w->home, INT64_MAX, &p, &err), WP_E_NOT_FOUND);
	err = (wp_error){0};
	assert_int_equal(wp_store_verify(&w->ctx, w->dir, &v, &err), WP_E_NOT_FOUND);
	assert_non_null(strstr(err.why, "it is no store"));
	assert_non_null(strstr(err.next, "--store DIR"));
}

static void prune_removes_what_was_not_used(void **state)
{
	world *w = *state;
	wp_store_pruned p;
	wp_error err = {0};
	const char *used;

	add_pkg(w);
	into(w, "home/env");
	assert_ok(wp_store_prune(&w->ctx, shared(w), os_unix_time() - 1000, &p, &err));
	assert_int_equal(p.n, 0);
	assert_int_equal(p.kept, 1);
	used = os_join(w->a, only_entry(w), "used");
	tmp_write(used, WP_LIT("1000000000\n"));
	into(w, "home/env2"); /* uses it */
	assert_int_not_equal(wp_store_used(w->a, only_entry(w)), 1000000000);
	tmp_write(used, WP_LIT("1000000000\n"));
	/* A run that was killed, and one that lives. */
	assert_ok(os_mkdirs(os_join(w->a, shared(w), "runs/99999/half"), &err));
	assert_ok(wp_store_prune(&w->ctx, shared(w), os_unix_time() - 1000, &p, &err));
	assert_int_equal(p.n, 1);
	assert_int_equal(p.kept, 0);
	assert_int_equal(p.left, 1);
	assert_int_equal(p.bytes, 0);
	assert_string_equal(p.removed[0], "pkg-1.0-py3-none-any.whl");
	nothing_is_left(w);
	whole(w); /* the venv keeps its files */
	into(w, "home/env3");
	assert_int_equal(w->out.store.added, 1);
}

static void nothing_is_removed_while_an_install_is_at_work(void **state)
{
	world *w = *state;
	wp_store_verified v;
	wp_store_run run;
	wp_store_pruned p;
	wp_error err = {0};

	add_pkg(w);
	into(w, "home/env");
	assert_ok(wp_store_enter(&w->ctx, w->a, shared(w), &run, &err));
	assert_int_equal(wp_store_prune(&w->ctx, shared(w), INT64_MAX, &p, &err), WP_E_BUSY);
	assert_non_null(strstr(err.why, wp_sprintf(w->a, "process %d", os_pid())));
	err = (wp_error){0};
	assert_int_equal(unlink(in_store(w, "pkg/empty.py")), 0);
	assert_ok(wp_store_verify(&w->ctx, shared(w), &v, &err));
	assert_int_equal(v.damaged, 1);
	assert_non_null(strstr(v.findings.v[0].next, "it stays"));
	assert_true(os_is_dir(only_entry(w)));
	wp_store_leave(&run);
	assert_ok(wp_store_prune(&w->ctx, shared(w), INT64_MAX, &p, &err));
	assert_int_equal(p.n, 1);
}

/* Of the same size, with the same time: only who reads it sees it. */
static void what_no_run_has_made_is_not_removed(void **state)
{
	world *w = *state;
	wp_store_pruned p;
	wp_error err = {0};

	add_pkg(w);
	into(w, "home/one");
	assert_ok(os_mkdirs(at(w, "shared/runs/mine"), &err));
	tmp_write(at(w, "shared/runs/mine/file"), wp_str_of("x"));
	tmp_write(at(w, "shared/runs/note"), wp_str_of("x"));
	assert_ok(os_mkdirs(at(w, "shared/runs/77-1/of-a-dead-run"), &err));
	assert_ok(wp_store_prune(&w->ctx, shared(w), 0, &p, &err));
	assert_int_equal(p.left, 1);
	into(w, "home/two");
	assert_true(os_is_file(at(w, "shared/runs/mine/file")));
	assert_true(os_is_file(at(w, "shared/runs/note")));
	assert_false(os_is_dir(at(w, "shared/runs/77-1")));
}

static void links_in_it_are_not_followed(void **state)
{
	static const char *const names[] = {"runs", "entries"};
	world *w = *state;
	size_t i;

	add_pkg(w);
	into(w, "home/one");
	for (i = 0; i < 2; i++) {
		const char *path = at(w, wp_sprintf(w->a, "shared/%s", names[i])), *away = at(w, wp_sprintf(w->a, "away-%s", names[i]));
		wp_error err = {0};
		wp_store_pruned p;

		assert_ok(os_rename(path, away, &err));
		assert_ok(os_mkdirs(wp_sprintf(w->a, "%s/5", away), &err));
		tmp_write(wp_sprintf(w->a, "%s/5/file", away), wp_str_of("x"));
		assert_ok(os_symlink(away, path, &err));
		assert_int_equal(wp_store_prune(&w->ctx, shared(w), INT64_MAX, &p, &err), WP_E_PATH);
		w->venv = w->in.venv = at(w, "home/two");
		err = (wp_error){0};
		assert_int_equal(install(w, &err), WP_E_PATH);
		assert_true(os_is_file(wp_sprintf(w->a, "%s/5/file", away)));
		assert_ok(os_unlink(path, (&(wp_error){0})));
		assert_ok(os_rename(away, path, (&(wp_error){0})));
	}
}

static void verify_reads_every_byte(void **state)
{
	world *w = *state;
	wp_store_verified v;
	wp_error err = {0};
	const char **keys, *path;
	struct stat st;
	size_t n;

	add_pkg(w);
	into(w, "home/env");
	assert_ok(wp_store_verify(&w->ctx, shared(w), &v, &err));
	assert_int_equal(v.wheels, 1);
	assert_int_equal(v.files, 8);
	assert_int_equal(v.damaged, 0);
	path = in_store(w, "pkg/__init__.py");
	st = stat_of(w, path);
	tmp_write(path, WP_LIT("x = 7\n"));
	set_times(path, st.st_mtim);
	assert_ok(wp_store_verify(&w->ctx, shared(w), &v, &err));
	assert_int_equal(v.damaged, 1);
	assert_int_equal(wp_findings_errors(&v.findings), 1);
	assert_string_equal(v.findings.v[0].why, "pkg-1.0-py3-none-any.whl: 'pkg/__init__.py' has other bytes");
	assert_ok(wp_store_keys(w->a, shared(w), &keys, &n, &err));
	assert_int_equal(n, 0);
	nothing_is_left(w);
	into(w, "home/env2");
	whole(w);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_second_venv_has_the_same_files),
		T(an_existing_venv_takes_from_it_too),
		T(without_a_store_nothing_is_told_of_one),
		T(a_preview_tells_what_it_has_and_makes_nothing),
		T(only_its_wheel_and_its_record_find_an_entry),
		T(a_file_whose_mode_differs_is_a_copy),
		T(several_at_once_all_end_well),
		T(an_edited_file_is_seen),
		T(a_damaged_index_is_seen),
		T(an_index_that_promises_other_bytes_than_record_is_seen),
		T(what_was_not_flushed_is_only_for_who_does_not_flush),
		T(a_wheel_that_is_not_as_record_says_is_not_put_there),
		T(a_stop_leaves_nothing_half),
		T(what_is_no_store_is_refused),
		T(it_must_be_this_users_alone),
		T(it_lies_outside_of_the_venv),
		T(across_volumes_files_are_copied_and_held_to_their_digests),
		T(info_tells_what_no_venv_has),
		T(what_is_no_store_is_not_looked_after),
		T(prune_removes_what_was_not_used),
		T(nothing_is_removed_while_an_install_is_at_work),
		T(what_no_run_has_made_is_not_removed),
		T(links_in_it_are_not_followed),
		T(verify_reads_every_byte),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "unit/place.h"
#include "wheelpack/install.h"

/* sha256 of nothing */
#define EMPTY "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
#define SITE "lib/python3.12/site-packages"

/* A venv with one distribution, demo 1.0, whole. */
static int with_venv(void **state)
{
	int rc = set_up(state);
	place *w = *state;

	put_file(w, "pyvenv.cfg", "home = /usr/bin\n");
	put_file(w, "bin/python3.12", "");
	put_file(w, "bin/activate", "");
	put_file(w, "bin/demo", "");
	put_file(w, SITE "/demo/__init__.py", "");
	put_file(w, SITE "/demo/a.py", "");
	put_file(w, SITE "/demo-1.0.dist-info/INSTALLER", "");
	put_file(w, SITE "/demo-1.0.dist-info/RECORD",
		"../../../bin/demo," EMPTY ",0\ndemo/__init__.py," EMPTY ",0\ndemo/a.py," EMPTY ",0\n"
		"demo/__pycache__/a.cpython-312.pyc,,\ndemo-1.0.dist-info/INSTALLER," EMPTY ",0\ndemo-1.0.dist-info/RECORD,,\n");
	return rc;
}

static wp_drift check(place *w, const wp_lock_doc *lock)
{
	wp_error err = {0};
	wp_drift d;

	assert_ok(wp_venv_check(&w->ctx, w->dir, lock, &d, &err));
	return d;
}

/* The one finding with this code. */
static const wp_finding *the(const wp_drift *d, const char *code)
{
	const wp_finding *found = NULL;
	size_t i;

	for (i = 0; i < d->findings.n; i++)
		if (strcmp(d->findings.v[i].code, code) == 0) {
			assert_null(found);
			found = &d->findings.v[i];
		}
	if (!found)
		fail_msg("no finding %s", code);
	return found;
}

/* Only the note that there is no lock. */
static void assert_good(const wp_drift *d)
{
	assert_int_equal(d->findings.n, 1);
	assert_string_equal(d->findings.v[0].code, "N713");
}

/* ---- files ---------------------------------------------------------------------------------- */

static void a_venv_as_it_was_installed_is_good(void **state)
{
	wp_drift d = check(*state, NULL);

	assert_good(&d);
	assert_int_equal(d.distributions, 1);
	assert_int_equal(d.files, 6);
	assert_null(d.target);
}

static void what_makers_of_venvs_and_python_itself_write_is_not_added(void **state)
{
	place *w = *state;
	wp_drift d;

	put_file(w, SITE "/_virtualenv.py", "");
	put_file(w, SITE "/_virtualenv.pth", "");
	put_file(w, SITE "/demo/__pycache__/a.cpython-312.pyc", "any");
	put_file(w, SITE "/demo/__pycache__/a.cpython-312.opt-2.pyc", "any");
	put_file(w, SITE "/__pycache__/_virtualenv.cpython-312.pyc", "any");
	put_file(w, "bin/Activate.ps1", "");
	put_file(w, "bin/deactivate.bat", "");
	put_file(w, "bin/pydoc.bat", "");
	put_file(w, "share/anything", "");
	put_file(w, ".wheelpack/lock", "");
	d = check(w, NULL);
	assert_good(&d);
}

static void missing_files_are_listed_by_distribution(void **state)
{
	place *w = *state;
	const wp_finding *f;
	wp_error err = {0};
	wp_drift d;

	assert_ok(os_unlink(at(w, "bin/demo"), &err));
	assert_ok(os_unlink(at(w, SITE "/demo/a.py"), &err));
	d = check(w, NULL);
	f = the(&d, "N704");
	assert_int_equal(d.missing, 2);
	assert_int_equal(f->severity, WP_SEVERE);
	assert_string_equal(f->title, "demo 1.0: files are missing");
	assert_string_equal(f->why, "2 of its 6 files");
	assert_int_equal(f->nfiles, 2);
	assert_string_equal(f->files[0], "bin/demo");
	assert_string_equal(f->files[1], SITE "/demo/a.py");
	assert_string_equal(f->next, "install it again");
}

static void a_directory_or_a_link_in_the_place_of_a_file_is_a_change(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_drift d;

	needs_links();
	assert_ok(os_unlink(at(w, SITE "/demo/a.py"), &err));
	assert_ok(os_mkdir(at(w, SITE "/demo/a.py"), &err));
	assert_ok(os_unlink(at(w, "bin/demo"), &err));
	assert_ok(os_symlink("activate", at(w, "bin/demo"), &err));
	put_file(w, SITE "/demo/__init__.py", "x");
	d = check(w, NULL);
	assert_int_equal(d.changed, 3);
	assert_int_equal(the(&d, "N705")->nfiles, 3);
	assert_int_equal(d.missing, 0);
}

static void a_file_of_two_distributions_is_held_to_both(void **state)
{
	place *w = *state;
	wp_drift d;

	put_file(w, SITE "/other-1.dist-info/RECORD", "demo/a.py," EMPTY ",0\nother-1.dist-info/RECORD,,\n");
	put_file(w, SITE "/demo/a.py", "x");
	d = check(w, NULL);
	assert_int_equal(d.changed, 2);
}

static void added_files_are_told_by_their_directory(void **state)
{
	place *w = *state;
	wp_drift d;

	put_file(w, SITE "/demo/more.py", "");
	put_file(w, SITE "/demo/deep/er.py", "");
	put_file(w, SITE "/alone.pth", "");
	put_file(w, SITE "/demo.py", "");
	put_file(w, "bin/tool", "");
	d = check(w, NULL);
	assert_int_equal(d.added, 5);
	assert_int_equal(d.findings.n, 4);
	assert_string_equal(d.findings.v[0].title, "'" SITE "/demo': files that no RECORD lists");
	assert_int_equal(d.findings.v[0].nfiles, 2);
	assert_int_equal(d.findings.v[0].severity, WP_WARNING);
	assert_string_equal(d.findings.v[1].title, "'" SITE "': files that no RECORD lists");
	assert_string_equal(d.findings.v[1].files[0], SITE "/alone.pth");
	assert_string_equal(d.findings.v[2].files[0], "bin/tool");
}

static void many_files_are_all_looked_at(void **state)
{
	enum { MANY = 700 };
	place *w = *state;
	wp_drift d;
	wp_buf b;
	int i;

	wp_buf_init(&b, 1 << 20);
	for (i = 0; i < MANY; i++) {
		put_file(w, wp_sprintf(w->a, SITE "/many/f%d", i), i % 100 ? "" : "x");
		wp_buf_printf(&b, "many/f%d," EMPTY ",0\n", i);
	}
	put_file(w, SITE "/many-1.dist-info/RECORD", wp_buf_take(&b, w->a).p);
	d = check(w, NULL);
	assert_int_equal(d.files, MANY + 1 + 6);
	assert_int_equal(d.changed, 7);
	assert_int_equal(d.added, 0);
}

/* ---- RECORDs -------------------------------------------------------------------------------- */

static void what_cannot_be_checked_is_told(void **state)
{
	place *w = *state;
	const wp_finding *f;
	wp_drift d;

	put_file(w, SITE "/old-1.0.egg-info/PKG-INFO", "");
	put_file(w, SITE "/~emo/__init__.py", "");
	put_file(w, SITE "/bad-2.dist-info/RECORD", "\"open");
	put_file(w, SITE "/wide-3.dist-info/RECORD", "/etc/passwd,,\n../../../pyvenv.cfg,,\n../../../../out,,\nwide-3.dist-info/RECORD,,\n");
	d = check(w, NULL);
	assert_int_equal(d.distributions, 4);
	assert_int_equal(d.added, 0);
	assert_non_null(strstr(the(&d, "N707")->why, "RECORD line 1"));
	assert_string_equal(the(&d, "N710")->title, "old 1.0: it has no RECORD to be held to");
	assert_string_equal(the(&d, "N710")->why, "'old-1.0.egg-info' names no installer");
	f = the(&d, "N711");
	assert_int_equal(f->nfiles, 3);
	assert_string_equal(the(&d, "N712")->files[0], "~emo");
}

static void the_user_may_stop_it(void **state)
{
	place *w = *state;
	atomic_int stop;
	wp_error err = {0};
	wp_drift d;

	atomic_init(&stop, 1);
	w->ctx.cancel = &stop;
	assert_int_equal(wp_venv_check(&w->ctx, w->dir, NULL, &d, &err), WP_E_INTERRUPTED);
}

/* ---- locks ---------------------------------------------------------------------------------- */

static const char *const demo[] = {"demo-1.0-py3-none-any.whl"};
static const char *const both[] = {"demo-1.0-py3-none-any.whl", "more-2.0-py3-none-any.whl"};

static wp_lock_wheel wheels[] = {
	{.project = "demo", .version = "1.0.0", .filename = "demo-1.0-py3-none-any.whl"},
	{.project = "more", .version = "2.0", .filename = "more-2.0-py3-none-any.whl"},
};

static wp_lock_doc lock_of(wp_lock_target *t, size_t n)
{
	return (wp_lock_doc){.targets = t, .ntargets = n, .wheels = wheels, .nwheels = 2};
}

static void the_same_version_may_be_written_otherwise(void **state)
{
	wp_lock_target t = {.name = "cp312-manylinux_2_28_x86_64", .wheels = demo, .nwheels = 1};
	wp_lock_doc lock = lock_of(&t, 1);
	wp_drift d = check(*state, &lock);

	assert_int_equal(d.findings.n, 0);
	assert_string_equal(d.target, "cp312-manylinux_2_28_x86_64");
}

static void a_local_version_may_be_written_otherwise(void **state)
{
	wp_lock_wheel wheel = {.project = "local", .version = "2.0+cu126", .filename = "local-2.0+cu126-py3-none-any.whl"};
	wp_lock_target t = {.name = "cp312-manylinux_2_28_x86_64", .wheels = &wheel.filename, .nwheels = 1};
	wp_lock_doc lock = {.targets = &t, .ntargets = 1, .wheels = &wheel, .nwheels = 1};
	place *w = *state;

	put_file(w, SITE "/local-2.0_cu126.dist-info/RECORD", "");
	assert_int_equal(check(w, &lock).nother, 0);
}

static void distributions_are_held_to_the_lock(void **state)
{
	wp_lock_target t = {.name = "cp312-manylinux_2_28_x86_64", .wheels = both, .nwheels = 2};
	wp_lock_doc lock = lock_of(&t, 1);
	place *w = *state;
	wp_drift d;

	put_file(w, SITE "/pip-24.0.dist-info/RECORD", "");
	put_file(w, SITE "/pip-24.0.dist-info/INSTALLER", "ensurepip\n");
	put_file(w, SITE "/demo-0.9.dist-info/RECORD", "");
	d = check(w, &lock);
	assert_string_equal(the(&d, "N702")->title, "more 2.0: in the lock, not in the venv");
	assert_string_equal(d.absent[0], "more");
	assert_string_equal(the(&d, "N703")->why, "the lock has demo 1.0.0, the venv 'demo-0.9.dist-info'");
	assert_int_equal(d.nother, 1);
	assert_string_equal(the(&d, "N708")->title, "pip 24.0: in the venv, not in the lock");
	assert_string_equal(the(&d, "N708")->why, "it was installed by ensurepip");
	assert_int_equal(the(&d, "N708")->severity, WP_WARNING);
	assert_string_equal(d.foreign[0], "pip");
}

static void the_target_is_the_one_that_fits_the_venv(void **state)
{
	wp_lock_target t[] = {
		{.name = "cp312-win_amd64", .wheels = both, .nwheels = 2},
		{.name = "cp311-manylinux_2_28_x86_64", .wheels = both, .nwheels = 2},
		{.name = "cp312-manylinux_2_28_x86_64", .wheels = demo, .nwheels = 1},
		{.name = "cp312-manylinux_2_28_x86_64-cpu", .wheels = both, .nwheels = 2},
	};
	wp_lock_doc lock = lock_of(t, 3);
	place *w = *state;
	wp_error err = {0};
	wp_drift d = check(w, &lock);

	assert_int_equal(d.findings.n, 0);
	lock.ntargets = 4;
	assert_int_equal(wp_venv_check(&w->ctx, w->dir, &lock, &d, &err), WP_E_TARGET);
	assert_non_null(strstr(err.why, "both cp312-manylinux_2_28_x86_64 and cp312-manylinux_2_28_x86_64-cpu"));
	err = (wp_error){0};
	lock.ntargets = 2;
	assert_int_equal(wp_venv_check(&w->ctx, w->dir, &lock, &d, &err), WP_E_WRONG_TARGET);
	assert_non_null(strstr(err.why, "the lock is for cp312-win_amd64, cp311-manylinux_2_28_x86_64"));
}

static void a_receipt_without_its_lock_is_an_error(void **state)
{
	place *w = *state;
	wp_drift d;

	put_file(w, ".wheelpack/receipt.json", "{}");
	d = check(w, NULL);
	assert_int_equal(the(&d, "N701")->severity, WP_SEVERE);
	assert_int_equal(d.findings.n, 1);
}

/* ---- no venv -------------------------------------------------------------------------------- */

static void what_is_no_venv_is_refused(void **state)
{
	place *w = *state;
	wp_error err = {0};
	wp_drift d;

	assert_int_equal(wp_venv_check(&w->ctx, at(w, "none"), NULL, &d, &err), WP_E_NOT_FOUND);
	err = (wp_error){0};
	assert_int_equal(wp_venv_check(&w->ctx, at(w, "lib"), NULL, &d, &err), WP_E_VENV);
	assert_non_null(strstr(err.why, "it is a directory of the venv"));
	assert_non_null(strstr(err.next, "name the venv: --venv"));
	err = (wp_error){0};
	put_file(w, "lib/pyvenv.cfg", "");
	assert_int_equal(wp_venv_check(&w->ctx, at(w, "lib"), NULL, &d, &err), WP_E_VENV);
	assert_non_null(strstr(err.why, "site-packages"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, with_venv, tear_down)
		T(a_venv_as_it_was_installed_is_good),
		T(what_makers_of_venvs_and_python_itself_write_is_not_added),
		T(missing_files_are_listed_by_distribution),
		T(a_directory_or_a_link_in_the_place_of_a_file_is_a_change),
		T(a_file_of_two_distributions_is_held_to_both),
		T(added_files_are_told_by_their_directory),
		T(many_files_are_all_looked_at),
		T(what_cannot_be_checked_is_told),
		T(the_user_may_stop_it),
		T(the_same_version_may_be_written_otherwise),
		T(a_local_version_may_be_written_otherwise),
		T(distributions_are_held_to_the_lock),
		T(the_target_is_the_one_that_fits_the_venv),
		T(a_receipt_without_its_lock_is_an_error),
		T(what_is_no_venv_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

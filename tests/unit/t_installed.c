/* SPDX-License-Identifier: MIT */
#include "install/installed.h"
#include "unit/place.h"

/* sha256 of nothing, and of "x = 1\n" */
#define EMPTY "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
#define X1 "sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q"
#define SITE "lib/python3.12/site-packages"

static wp_site site(place *w)
{
	wp_error err = {0};
	wp_site s;

	assert_ok(wp_site_read(w->a, w->dir, SITE, &s, &err));
	return s;
}

static wp_installed_files files_of(place *w, const char *project)
{
	wp_site s = site(w);
	const wp_installed *d = wp_site_find(&s, project);
	wp_installed_files f;
	wp_error err = {0};

	assert_non_null(d);
	assert_ok(wp_installed_list(w->a, &s, d, &f, &err));
	return f;
}

/* The files of demo 1.0 with this RECORD. */
static wp_installed_files listed(place *w, const char *record)
{
	put_file(w, SITE "/demo-1.0.dist-info/RECORD", record);
	return files_of(w, "demo");
}

static const wp_installed_file *file(const wp_installed_files *f, const char *path)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(f->v[i].path, path) == 0)
			return &f->v[i];
	return NULL;
}

static wp_file_state state_of(place *w, const wp_installed_files *f, const char *path)
{
	const wp_installed_file *one = file(f, path);
	wp_site s = site(w);
	wp_file_state st;
	atomic_uint_fast64_t bytes;
	wp_error err = {0};
	wp_ctx ctx = {0};

	if (!one)
		fail_msg("'%s' is not among the files", path);
	atomic_init(&bytes, 0);
	assert_ok(wp_installed_compare(&ctx, &s, one, &st, &bytes, &err));
	return st;
}

/* ---- distributions -------------------------------------------------------------------------- */

static void distributions_are_found_by_their_directories(void **state)
{
	place *w = *state;
	wp_site s;

	put_file(w, SITE "/Torch_Vision-2.0+cu126.dist-info/RECORD", "");
	put_file(w, SITE "/my-old-name-1.5.dist-info/METADATA", "");
	put_file(w, SITE "/setup_made-0.3-py3.12.egg-info", "");
	put_file(w, SITE "/bare.egg-info/PKG-INFO", "");
	put_file(w, SITE "/torchvision/__init__.py", "");
	s = site(w);
	assert_int_equal(s.n, 4);
	assert_string_equal(s.v[0].project, "bare");
	assert_string_equal(s.v[0].version, "");
	assert_false(s.v[0].has_record);
	assert_string_equal(s.v[1].project, "my-old-name");
	assert_string_equal(s.v[1].version, "1.5");
	assert_false(s.v[1].has_record);
	assert_string_equal(s.v[2].project, "setup-made");
	assert_string_equal(s.v[2].version, "0.3");
	assert_string_equal(wp_site_find(&s, "torch-vision")->version, "2.0+cu126");
	assert_true(wp_site_find(&s, "torch-vision")->has_record);
	assert_null(wp_site_find(&s, "torch"));
}

static void a_local_version_may_be_written_with_an_underscore(void **state)
{
	place *w = *state;
	wp_site s;

	put_file(w, SITE "/torch-2.0_cu126.dist-info/RECORD", "");
	s = site(w);
	assert_string_equal(s.v[0].version, "2.0+cu126");
	assert_string_equal(s.v[0].dir, "torch-2.0_cu126.dist-info");
	assert_true(wp_installed_is(w->a, &s.v[0], "2.0.0+cu126"));
	assert_false(wp_installed_is(w->a, &s.v[0], "2.0"));
}

static void what_is_no_name_is_no_distribution(void **state)
{
	place *w = *state;

	put_file(w, SITE "/-1.0.dist-info/RECORD", "");
	put_file(w, SITE "/.dist-info/RECORD", "");
	put_file(w, SITE "/a b-1.0.dist-info/RECORD", "");
	put_file(w, SITE "/demo-1.0.dist-inf/RECORD", "");
	assert_int_equal(site(w).n, 0);
}

static void leftovers_of_a_stopped_pip_are_none(void **state)
{
	place *w = *state;
	wp_site s;

	put_file(w, SITE "/~emo-1.0.dist-info/RECORD", "");
	put_file(w, SITE "/~emo/__init__.py", "");
	s = site(w);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.nleftovers, 2);
	assert_string_equal(s.leftovers[0], "~emo");
}

static void a_venv_without_site_packages_has_none(void **state)
{
	assert_int_equal(site(*state).n, 0);
}

static void a_record_that_is_a_link_is_none(void **state)
{
	place *w = *state;
	wp_error err = {0};

	needs_links();
	put_file(w, "secret", "x,,\n");
	put_file(w, SITE "/demo-1.0.dist-info/METADATA", "");
	assert_ok(os_symlink(at(w, "secret"), at(w, SITE "/demo-1.0.dist-info/RECORD"), &err));
	assert_false(site(w).v[0].has_record);
}

static void the_installer_is_named_where_there_is_no_record(void **state)
{
	place *w = *state;
	wp_installed_files f;
	wp_error err = {0};
	wp_site s;

	put_file(w, SITE "/demo-1.0.dist-info/INSTALLER", "conda\r\n");
	put_file(w, SITE "/plain-1.0.egg-info", "");
	s = site(w);
	assert_string_equal(wp_installed_by(w->a, &s, &s.v[0]), "conda");
	assert_string_equal(wp_installed_by(w->a, &s, &s.v[1]), "");
	assert_int_equal(wp_installed_list(w->a, &s, &s.v[0], &f, &err), WP_E_VENV);
	assert_non_null(strstr(err.why, "'demo-1.0.dist-info' has no RECORD"));
	assert_non_null(strstr(err.why, "installed by conda"));
	assert_non_null(strstr(err.next, "remove it with conda"));
	err = (wp_error){0};
	assert_int_equal(wp_installed_list(w->a, &s, &s.v[1], &f, &err), WP_E_VENV);
	assert_non_null(strstr(err.why, "names no installer"));
}

/* ---- files ---------------------------------------------------------------------------------- */

static void the_record_of_pip_is_read(void **state)
{
	place *w = *state;
	wp_installed_files f = listed(w, "../../../bin/demo," EMPTY ",0\r\n"
					 "../../../share/man/demo.1," EMPTY ",0\r\n"
					 "demo-1.0.dist-info/INSTALLER," EMPTY ",4\r\n"
					 "demo-1.0.dist-info/RECORD,,\r\n"
					 "demo/__init__.py," X1 ",6\r\n"
					 "demo/__pycache__/__init__.cpython-312.pyc,,\r\n");

	assert_int_equal(f.n, 6);
	assert_int_equal(f.noutside, 0);
	assert_string_equal(f.v[0].path, "bin/demo");
	assert_string_equal(f.v[1].path, SITE "/demo-1.0.dist-info/INSTALLER");
	assert_string_equal(f.v[5].path, "share/man/demo.1");
	assert_int_equal(file(&f, SITE "/demo/__init__.py")->row->size, 6);
	assert_int_equal(file(&f, SITE "/demo/__pycache__/__init__.cpython-312.pyc")->row->kind, WP_RECORD_NONE);
}

static void odd_rows_of_others_are_taken(void **state)
{
	place *w = *state;
	wp_installed_files f;

	put_file(w, SITE "/demo/dir/inner", "");
	f = listed(w, "demo/md5.py,md5=1B2M2Y8AsgTpgAmY7PhCfg,0\n"
		      "demo/odd.py,sha256=short,six\n"
		      "demo/alone.py\n"
		      "\n"
		      "demo/,,\n"
		      "demo/dir,,\n"
		      "./demo//twice.py," X1 ",6\n"
		      "demo/twice.py," X1 ",6\n"
		      "demo/x/../twice.py," EMPTY ",0\n"
		      "\"demo/a,b.py\"," X1 ",6\n");
	assert_int_equal(f.n, 6);
	assert_int_equal(f.noutside, 0);
	assert_int_equal(file(&f, SITE "/demo/md5.py")->row->kind, WP_RECORD_NONE);
	assert_int_equal(file(&f, SITE "/demo/odd.py")->row->size, -1);
	assert_int_equal(file(&f, SITE "/demo/alone.py")->row->kind, WP_RECORD_NONE);
	assert_non_null(file(&f, SITE "/demo/a,b.py"));
	assert_non_null(file(&f, SITE "/demo/twice.py"));
}

static void record_is_a_file_of_it_even_if_it_does_not_say_so(void **state)
{
	wp_installed_files f = listed(*state, "");

	assert_int_equal(f.n, 1);
	assert_string_equal(f.v[0].path, SITE "/demo-1.0.dist-info/RECORD");
	assert_null(f.v[0].row);
}

static void absolute_paths_into_the_venv_are_below_it(void **state)
{
	place *w = *state;
	wp_installed_files f = listed(w, wp_sprintf(w->a, "%s/bin/demo," EMPTY ",0\n%s/bin/../../out,,\n", w->dir, w->dir));

	assert_int_equal(f.n, 2);
	assert_non_null(file(&f, "bin/demo"));
	assert_int_equal(f.noutside, 1);
}

static void absolute_paths_may_name_the_venv_without_its_links(void **state)
{
	place *w = *state;
	wp_installed_files f;
	wp_error err = {0};
	wp_site s;

	needs_links();
	put_file(w, "real/" SITE "/demo-1.0.dist-info/RECORD", wp_sprintf(w->a, "%s/real/bin/demo,,\n", w->dir));
	assert_ok(os_symlink("real", at(w, "env"), &err));
	assert_ok(wp_site_read(w->a, at(w, "env"), SITE, &s, &err));
	assert_ok(wp_installed_list(w->a, &s, &s.v[0], &f, &err));
	assert_non_null(file(&f, "bin/demo"));
}

static void rows_out_of_the_venv_are_never_files_of_it(void **state)
{
	wp_installed_files f = listed(*state, "../../../../out,,\n/etc/passwd,,\n../../../../../../../../etc/passwd,,\n"
					      "../../..,,\n//server/share,,\ndemo/\x01.py,,\n");

	assert_int_equal(f.n, 1);
	assert_int_equal(f.noutside, 6);
}

static void the_venvs_own_files_are_nobodys(void **state)
{
	wp_installed_files f = listed(*state, "../../../pyvenv.cfg,,\n../../../bin/python,,\n../../../bin/Activate.ps1,,\n"
					      "../../../.wheelpack/journal,,\n../../../bin/python3.12,,\n"
					      "../../../bin/python-tool,,\n");

	assert_int_equal(f.noutside, 5);
	assert_non_null(file(&f, "bin/python-tool"));
}

static void what_lies_behind_a_link_is_not_of_the_venv(void **state)
{
	place *w = *state;
	wp_installed_files f;
	wp_error err = {0};

	needs_links();
	put_file(w, "outer/x.py", "");
	put_file(w, "outer/__pycache__/x.cpython-312.pyc", "");
	put_file(w, SITE "/demo/y.py", "");
	assert_ok(os_symlink(at(w, "outer"), at(w, SITE "/evil"), &err));
	assert_ok(os_symlink(at(w, "outer/__pycache__"), at(w, SITE "/demo/__pycache__"), &err));
	f = listed(w, "evil/x.py,,\nevil/sub/x.py,,\ndemo/y.py,,\ndemo/__pycache__/x.cpython-312.pyc,,\n");
	assert_int_equal(f.n, 2);
	assert_int_equal(f.noutside, 3);
	assert_non_null(file(&f, SITE "/demo/y.py"));
}

static void lib64_is_lib_where_it_is_a_link(void **state)
{
	place *w = *state;
	wp_installed_files f;
	wp_error err = {0};

	needs_links();
	put_file(w, SITE "/demo/x.py", "");
	assert_ok(os_symlink("lib", at(w, "lib64"), &err));
	f = listed(w, "../../../lib64/python3.12/site-packages/demo/x.py,,\n");
	assert_non_null(file(&f, SITE "/demo/x.py"));
}

static void bytecode_of_listed_modules_belongs_to_them(void **state)
{
	place *w = *state;
	wp_installed_files f;

	put_file(w, SITE "/demo/x.py", "");
	put_file(w, SITE "/demo/x.pyc", "");
	put_file(w, SITE "/demo/__pycache__/x.cpython-312.pyc", "");
	put_file(w, SITE "/demo/__pycache__/x.cpython-312.opt-1.pyc", "");
	put_file(w, SITE "/demo/__pycache__/x.y.cpython-312-pytest-8.3.2.pyc", "");
	put_file(w, SITE "/demo/__pycache__/x.pyc", "");
	put_file(w, SITE "/demo/__pycache__/other.cpython-312.pyc", "");
	put_file(w, SITE "/demo/__pycache__/x.cpython-312.so", "");
	put_file(w, SITE "/demo/__pycache__/.pyc", "");
	put_file(w, SITE "/demo/__pycache__/x", "");
	f = listed(w, "demo/x.py,,\ndemo/x.y.py,,\ndemo/__pycache__/x.cpython-312.pyc,,\n");
	assert_int_equal(f.n, 7);
	assert_null(file(&f, SITE "/demo/__pycache__/x.cpython-312.opt-1.pyc")->row);
	assert_null(file(&f, SITE "/demo/__pycache__/x.y.cpython-312-pytest-8.3.2.pyc")->row);
	assert_null(file(&f, SITE "/demo/x.pyc")->row);
	assert_non_null(file(&f, SITE "/demo/__pycache__/x.cpython-312.pyc")->row);
}

static void on_windows_case_and_backslashes_do_not_matter(void **state)
{
	place *w = *state;
	wp_installed_files f;

	if (!os_is_windows())
		skip();
	put_file(w, SITE "/Demo/__pycache__/MOD.cpython-312.pyc", "");
	f = listed(w, "Demo/Mod.py,,\ndemo\\mod.py,,\n..\\..\\..\\Scripts\\demo.exe,,\n..\\..\\..\\Scripts\\Python.exe,,\n"
		      "C:demo,,\n\\demo,,\ndemo/x.py:stream,,\ndemo/nul.py,,\n");
	assert_non_null(file(&f, "Scripts/demo.exe"));
	assert_non_null(file(&f, SITE "/Demo/Mod.py"));
	assert_int_equal(f.n, 4);
	assert_int_equal(f.noutside, 5);
}

static void a_record_that_cannot_be_read_is_refused(void **state)
{
	static const char *const records[] = {"demo/x.py,,,\n", "\"demo/x.py,,\n", "demo/\xff.py,,\n"};
	place *w = *state;
	wp_installed_files f;
	size_t i;

	for (i = 0; i < 3; i++) {
		wp_error err = {0};
		wp_site s;

		put_file(w, SITE "/demo-1.0.dist-info/RECORD", records[i]);
		s = site(w);
		assert_int_equal(wp_installed_list(w->a, &s, &s.v[0], &f, &err), WP_E_RECORD);
		assert_non_null(strstr(err.where, "'demo-1.0.dist-info'"));
	}
}

/* ---- state ---------------------------------------------------------------------------------- */

static void a_file_is_held_to_its_row(void **state)
{
	place *w = *state;
	wp_installed_files f;
	wp_error err = {0};

	put_file(w, SITE "/same.py", "x = 1\n");
	put_file(w, SITE "/bytes.py", "x = 2\n");
	put_file(w, SITE "/size.py", "x = 12\n");
	put_file(w, SITE "/any.py", "whatever");
	put_file(w, SITE "/strong.py", "");
	assert_ok(os_mkdirs(at(w, SITE "/dir.py"), &err));
	f = listed(w, "same.py," X1 ",6\nbytes.py," X1 ",6\nsize.py," X1 ",6\nany.py,,\ngone.py," X1 ",6\ngone/x.py,,\n"
		      "dir.py," X1 ",6\nstrong.py,sha512=z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg_SpIdNs6c5H0NE8XYXysP-DGNKHfuwv"
		      "Y7kxvUdBeoGlODJ6-SfaPg,\n");
	assert_int_equal(state_of(w, &f, SITE "/same.py"), WP_FILE_SAME);
	assert_int_equal(state_of(w, &f, SITE "/bytes.py"), WP_FILE_CHANGED);
	assert_int_equal(state_of(w, &f, SITE "/size.py"), WP_FILE_CHANGED);
	assert_int_equal(state_of(w, &f, SITE "/any.py"), WP_FILE_SAME);
	assert_int_equal(state_of(w, &f, SITE "/strong.py"), WP_FILE_SAME);
	assert_int_equal(state_of(w, &f, SITE "/gone.py"), WP_FILE_ABSENT);
	assert_int_equal(state_of(w, &f, SITE "/gone/x.py"), WP_FILE_ABSENT);
	assert_int_equal(state_of(w, &f, SITE "/dir.py"), WP_FILE_CHANGED);
}

static void a_link_in_a_files_place_is_a_change(void **state)
{
	place *w = *state;
	wp_installed_files f;
	wp_error err = {0};

	needs_links();
	put_file(w, SITE "/same.py", "x = 1\n");
	assert_ok(os_symlink("same.py", at(w, SITE "/link.py"), &err));
	f = listed(w, "link.py," X1 ",6\n");
	assert_int_equal(state_of(w, &f, SITE "/link.py"), WP_FILE_CHANGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		T(distributions_are_found_by_their_directories),
		T(a_local_version_may_be_written_with_an_underscore),
		T(what_is_no_name_is_no_distribution),
		T(leftovers_of_a_stopped_pip_are_none),
		T(a_venv_without_site_packages_has_none),
		T(a_record_that_is_a_link_is_none),
		T(the_installer_is_named_where_there_is_no_record),
		T(the_record_of_pip_is_read),
		T(odd_rows_of_others_are_taken),
		T(record_is_a_file_of_it_even_if_it_does_not_say_so),
		T(absolute_paths_into_the_venv_are_below_it),
		T(absolute_paths_may_name_the_venv_without_its_links),
		T(rows_out_of_the_venv_are_never_files_of_it),
		T(the_venvs_own_files_are_nobodys),
		T(what_lies_behind_a_link_is_not_of_the_venv),
		T(lib64_is_lib_where_it_is_a_link),
		T(bytecode_of_listed_modules_belongs_to_them),
		T(on_windows_case_and_backslashes_do_not_matter),
		T(a_record_that_cannot_be_read_is_refused),
		T(a_file_is_held_to_its_row),
		T(a_link_in_a_files_place_is_a_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

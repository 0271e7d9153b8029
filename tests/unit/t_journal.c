/* SPDX-License-Identifier: MIT */
#include "unit/test.h"

#include "install/journal.h"
#include "unit/tmp.h"

/* A venv with `a` and `d/b`, of which `b` goes and `a` is replaced; `d/e/c` is new. */
typedef struct place {
	wp_arena *a;
	const char *venv;
	wp_journal j;
} place;

static const char *at(place *p, const char *path)
{
	return os_join(p->a, p->venv, path);
}

static void put(place *p, const char *path, const char *text)
{
	wp_error err = {0};

	assert_ok(os_mkdirs(os_dirname(p->a, at(p, path)), &err));
	tmp_write(at(p, path), wp_str_of(text));
}

static int begin(void **state)
{
	place *p = calloc(1, sizeof *p);

	p->a = wp_arena_new();
	p->venv = tmp_make(p->a);
	put(p, "a", "old");
	put(p, "d/b", "b");
	put(p, ".wheelpack/stage/a", "new");
	put(p, ".wheelpack/stage/n/e/c", "c");
	p->j = (wp_journal){.venv = p->venv, .aside = "aside"};
	WP_PUSH(&p->j.olds, "a");
	WP_PUSH(&p->j.olds, "d/b");
	WP_PUSH(&p->j.dirs, "n");
	WP_PUSH(&p->j.dirs, "n/e");
	WP_PUSH(&p->j.news, "a");
	WP_PUSH(&p->j.news, "n/e/c");
	WP_PUSH(&p->j.empty, "d");
	*state = p;
	return 0;
}

static int end(void **state)
{
	place *p = *state;

	tmp_remove(p->venv);
	wp_journal_free(&p->j);
	wp_arena_free(p->a);
	free(p);
	return 0;
}

static void is_text(place *p, const char *path, const char *text)
{
	assert_string_equal(tmp_read(p->a, at(p, path)).p, text);
}

static void is_new(place *p)
{
	is_text(p, "a", "new");
	is_text(p, "n/e/c", "c");
	assert_false(os_is_dir(at(p, "d")));
}

static void is_old(place *p)
{
	is_text(p, "a", "old");
	is_text(p, "d/b", "b");
	assert_false(os_is_dir(at(p, "n")));
}

static void what_is_written_can_be_read(void **state)
{
	place *p = *state;
	wp_error err = {0};
	wp_journal got;
	bool there = true;

	assert_ok(wp_journal_read(p->a, p->venv, &got, &there, &err));
	assert_false(there);
	assert_ok(wp_journal_write(p->a, &p->j, &err));
	assert_ok(wp_journal_read(p->a, p->venv, &got, &there, &err));
	assert_true(there);
	assert_string_equal(got.aside, "aside");
	assert_int_equal(got.olds.n, 2);
	assert_string_equal(got.olds.v[1], "d/b");
	assert_int_equal(got.dirs.n, 2);
	assert_string_equal(got.news.v[1], "n/e/c");
	assert_string_equal(got.empty.v[0], "d");
	wp_journal_free(&got);
}

static void moves_can_be_done_again_and_taken_back(void **state)
{
	place *p = *state;
	wp_error err = {0};
	int i;

	for (i = 0; i < 2; i++) {
		assert_ok(wp_journal_forward(&p->j, &err));
		is_new(p);
		assert_ok(wp_journal_forward(&p->j, &err));
		is_new(p);
		assert_ok(wp_journal_back(&p->j, &err));
		is_old(p);
		assert_ok(wp_journal_back(&p->j, &err));
		is_old(p);
	}
}

static void a_stop_between_two_moves_is_no_matter(void **state)
{
	place *p = *state;
	wp_error err = {0};

	assert_ok(os_mkdirs(at(p, ".wheelpack/aside"), &err));
	assert_ok(os_rename_new(at(p, "a"), at(p, ".wheelpack/aside/a"), &err));
	assert_ok(wp_journal_back(&p->j, &err));
	is_old(p);
	assert_ok(os_rename_new(at(p, "a"), at(p, ".wheelpack/aside/a"), &err));
	assert_ok(wp_journal_forward(&p->j, &err));
	is_new(p);
	assert_ok(wp_journal_back(&p->j, &err));
	assert_ok(wp_journal_write(p->a, &p->j, &err));
	assert_ok(wp_journal_end(p->a, &p->j, &err));
	is_old(p);
	assert_false(os_is_dir(at(p, ".wheelpack/stage")));
	assert_false(os_is_file(at(p, ".wheelpack/journal")));
}

static void what_is_in_neither_state_stops_the_moves(void **state)
{
	place *p = *state;
	wp_error err = {0}, err2 = {0}, err3 = {0};

	assert_ok(os_unlink(at(p, "d/b"), &err));
	assert_int_equal(wp_journal_forward(&p->j, &err), WP_E_VENV);
	assert_non_null(strstr(err.why, "'d/b'"));
	put(p, "d/b", "b");
	assert_ok(os_unlink(at(p, ".wheelpack/stage/n/e/c"), &err2));
	assert_int_equal(wp_journal_forward(&p->j, &err2), WP_E_VENV);
	assert_non_null(strstr(err2.why, "'n/e/c'"));
	put(p, "n/e/c", "of somebody");
	put(p, ".wheelpack/stage/n/e/c", "c");
	assert_int_equal(wp_journal_forward(&p->j, &err3), WP_E_EXISTS);
	is_text(p, "n/e/c", "of somebody");
}

static void a_directory_that_is_used_stays(void **state)
{
	place *p = *state;
	wp_error err = {0};

	put(p, "d/mine", "m");
	assert_ok(wp_journal_forward(&p->j, &err));
	is_text(p, "d/mine", "m");
	is_text(p, "a", "new");
	assert_ok(wp_journal_back(&p->j, &err));
	is_old(p);
}

/* An old Pack/Deep/x becomes pack/deep/x; on Linux these are others. */
static void a_directory_gets_the_letters_of_its_new_name(void **state)
{
	place *p = *state;
	const char **names;
	wp_error err = {0};
	size_t n;
	int i;

	put(p, "Pack/Deep/x", "x");
	put(p, ".wheelpack/stage/pack/deep/x", "y");
	WP_PUSH(&p->j.olds, "Pack/Deep/x");
	WP_PUSH(&p->j.dirs, "pack");
	WP_PUSH(&p->j.dirs, "pack/deep");
	WP_PUSH(&p->j.news, "pack/deep/x");
	WP_PUSH(&p->j.empty, "Pack/Deep");
	WP_PUSH(&p->j.empty, "Pack");
	for (i = 0; i < 2; i++) {
		assert_ok(wp_journal_forward(&p->j, &err));
		is_text(p, "pack/deep/x", "y");
		assert_ok(os_list(p->a, p->venv, &names, &n, &err));
		assert_string_equal(names[n - 1], "pack");
		assert_ok(os_list(p->a, at(p, "pack"), &names, &n, &err));
		assert_string_equal(names[0], "deep");
		assert_ok(wp_journal_forward(&p->j, &err));
		assert_ok(wp_journal_back(&p->j, &err));
		is_text(p, "Pack/Deep/x", "x");
		assert_ok(os_list(p->a, at(p, "Pack"), &names, &n, &err));
		assert_string_equal(names[0], "Deep");
	}
}

/* What lies behind it is somebody else's, and the moves that can be made are taken back. */
static void nothing_is_moved_through_links(void **state)
{
	static const char *const links[] = {"d", "n", ".wheelpack/stage/n", ".wheelpack/stage", ".wheelpack/aside"};
	place *p = *state;
	const char *other;
	size_t i;

	if (os_is_windows()) { /* it can't make links without a right that few have */
		print_message("skipped: no links are made on Windows\n");
		skip();
	}
	other = tmp_make(p->a);
	tmp_write(os_join(p->a, other, "b"), WP_LIT("theirs"));
	for (i = 0; i < sizeof links / sizeof *links; i++) {
		wp_error err = {0}, ignored = {0};
		const char *link = at(p, links[i]), *kept = wp_sprintf(p->a, "%s.kept", link), **names;
		size_t n;

		os_rename(link, kept, &ignored);
		assert_ok(os_symlink(other, link, &err));
		if (i != 1) {
			assert_int_equal(wp_journal_write(p->a, &p->j, &err), WP_E_VENV);
			err = (wp_error){0};
		}
		assert_int_equal(wp_journal_forward(&p->j, &err), WP_E_VENV);
		assert_non_null(strstr(err.why, i == 1 ? "is something else" : "is a link"));
		err = (wp_error){0};
		assert_int_equal(wp_journal_back(&p->j, &err), WP_E_VENV);
		err = (wp_error){0};
		assert_ok(os_list(p->a, other, &names, &n, &err));
		assert_int_equal(n, 1);
		assert_ok(os_unlink(link, &err));
		ignored = (wp_error){0};
		os_rename(kept, link, &ignored);
		assert_ok(wp_journal_back(&p->j, &err));
		is_old(p);
	}
	tmp_remove(other);
}

/* It could not be read again. */
static void what_no_journal_may_have_is_not_written(void **state)
{
	static const char *const paths[] = {"x\n- a", "../x", "bin/python", "pyvenv.cfg", ".wheelpack/journal"};
	place *p = *state;
	size_t i;

	for (i = 0; i < sizeof paths / sizeof *paths; i++) {
		wp_error err = {0};

		p->j.olds.v[1] = paths[i];
		assert_int_equal(wp_journal_write(p->a, &p->j, &err), WP_E_VENV);
		assert_false(os_is_file(at(p, ".wheelpack/journal")));
	}
}

static void strange_journals_are_refused(void **state)
{
	static const char *const texts[] = {"", "wheelpack.journal/2\nend\n", "wheelpack.journal/1\nend\n",
		"wheelpack.journal/1\na aside\n- x\n", "wheelpack.journal/1\na aside\n- ../x\nend\n",
		"wheelpack.journal/1\na aside\n+ /etc/passwd\nend\n", "wheelpack.journal/1\na aside\n+ .wheelpack/journal\nend\n",
		"wheelpack.journal/1\na ../x\nend\n", "wheelpack.journal/1\na aside/../..\nend\n",
		"wheelpack.journal/1\na aside\n? x\nend\n", "wheelpack.journal/1\na aside\n+ a/../b\nend\n",
		"wheelpack.journal/1\na aside\n+ a//b\nend\n", "wheelpack.journal/1\na aside\n- bin/python3\nend\n",
		"wheelpack.journal/1\na aside\n- pyvenv.cfg\nend\n", "wheelpack.journal/1\na aside\n\nend\n"};
	place *p = *state;
	size_t i;

	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		wp_error err = {0};
		wp_journal got;
		bool there;

		put(p, ".wheelpack/journal", texts[i]);
		assert_int_equal(wp_journal_read(p->a, p->venv, &got, &there, &err), WP_E_DOCUMENT);
	}
}

static void a_file_comes_where_a_directory_goes(void **state)
{
	place *p = *state;
	wp_error err = {0};
	int i;

	put(p, ".wheelpack/stage/d", "a file");
	WP_PUSH(&p->j.news, "d");
	for (i = 0; i < 2; i++) {
		assert_ok(wp_journal_forward(&p->j, &err));
		assert_ok(wp_journal_forward(&p->j, &err));
		is_text(p, "d", "a file");
		is_text(p, "a", "new");
		assert_ok(wp_journal_back(&p->j, &err));
		assert_ok(wp_journal_back(&p->j, &err));
		is_text(p, "d/b", "b");
		is_text(p, "a", "old");
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_is_written_can_be_read),
		T(moves_can_be_done_again_and_taken_back),
		T(a_stop_between_two_moves_is_no_matter),
		T(what_is_in_neither_state_stops_the_moves),
		T(a_directory_that_is_used_stays),
		T(a_directory_gets_the_letters_of_its_new_name),
		T(a_file_comes_where_a_directory_goes),
		T(nothing_is_moved_through_links),
		T(what_no_journal_may_have_is_not_written),
		T(strange_journals_are_refused),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}

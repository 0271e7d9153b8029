/* SPDX-License-Identifier: MIT
 *
 * journal.c: the moves of a commit, written down before the first is made.
 */
#include "install/journal.h"

#include <string.h>

#include "base/map.h"
#include "ext/unicode.h"
#include "install/removed.h"
#include "py/record.h"
#include "wheel/wheel.h"

#define HEAD "wheelpack.journal/1\n"
#define TAIL "end\n"

enum { MAX_JOURNAL = 256 << 20, MAX_ASIDES = 1000 };

void wp_journal_free(wp_journal *j)
{
	WP_VEC_FREE(&j->olds);
	WP_VEC_FREE(&j->dirs);
	WP_VEC_FREE(&j->news);
	WP_VEC_FREE(&j->empty);
}

static const char *meta_path(wp_arena *a, const char *venv, const char *name)
{
	return wp_sprintf(a, "%s/.wheelpack/%s", venv, name);
}

/* No path of it may lead out of the venv, or to what keeps the venv. */
static bool is_ours(wp_arena *a, const char *path)
{
	static const char *const kept[] = {".wheelpack/receipt.json", ".wheelpack/lock.json", WP_REMOVED_PATH};
	const char *tidy, *why;

	if (wp_among(kept, sizeof kept / sizeof *kept, path))
		return true;
	return wp_member_path(a, path, os_is_windows(), &tidy, &why) != WP_PATH_REFUSE && wp_streq(tidy, path) &&
		!wp_path_is_venvs(a, path);
}

/* ---- the text ------------------------------------------------------------------------------- */

static bool take_line(wp_arena *a, wp_str line, wp_journal *j)
{
	const char *path = wp_str_dup(a, wp_str_sub(line, 2, line.n));

	if (line.n < 3 || line.p[1] != ' ')
		return false;
	if (line.p[0] == 'a') {
		j->aside = path;
		return !strpbrk(path, "/\\") && wp_starts(path, "aside");
	}
	if (!is_ours(a, path))
		return false;
	switch (line.p[0]) {
	case '-':
		WP_PUSH(&j->olds, path);
		return true;
	case 'd':
		WP_PUSH(&j->dirs, path);
		return true;
	case '+':
		WP_PUSH(&j->news, path);
		return true;
	case 'e':
		WP_PUSH(&j->empty, path);
		return true;
	default:
		return false;
	}
}

int wp_journal_read(wp_arena *a, const char *venv, wp_journal *out, bool *there, wp_error *e)
{
	const char *path = meta_path(a, venv, "journal");
	wp_str text, line;
	size_t n = 1;

	*out = (wp_journal){.venv = venv};
	if (os_look(path, there, e) || !*there || os_read_file(a, path, MAX_JOURNAL, &text, e))
		return e->code;
	if (wp_str_starts(text, HEAD) && wp_str_ends(text, TAIL)) {
		bool good = true;

		text = wp_str_sub(text, strlen(HEAD), text.n - strlen(TAIL));
		for (; good && text.n && wp_str_line(&text, &line); n++)
			good = take_line(a, line, out);
		if (good && out->aside)
			return 0;
	}
	wp_journal_free(out);
	wp_fail(e, WP_E_DOCUMENT, "line %zu of it is not one of a journal", n);
	wp_err_next(e, "`wheelpack check --venv` says whether files are missing; where none are, remove the journal");
	return wp_err_where(e, "'%s'", path);
}

/* ---- moves ---------------------------------------------------------------------------------- */

/* One go over the journal. */
typedef struct pass {
	const wp_journal *j;
	wp_map dirs; /* below the venv, no links */
} pass;

/* The places of one path. */
typedef struct places {
	const char *here, *stage, *aside; /* in the venv; where it comes from; where it goes */
} places;

static int through_link(wp_str dir, wp_error *e)
{
	wp_fail(e, WP_E_VENV, "'%.*s' in the venv is a link: nothing is moved through links", (int)dir.n, dir.p);
	return wp_err_next(e, "put the directory itself in the place of the link, or make a new venv");
}

/* A link on the way would lead a move out of the venv. */
static int check_way(wp_arena *a, pass *w, const char *path, wp_error *e)
{
	const char *slash;

	for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		wp_str dir = {path, (size_t)(slash - path)};
		uint32_t seen;
		os_kind kind;
		uint64_t size;

		if (wp_map_get(&w->dirs, dir, &seen))
			continue;
		if (os_stat(os_join(a, w->j->venv, wp_str_dup(a, dir)), &kind, &size, e))
			return e->code;
		if (kind == OS_LINK || kind == OS_OTHER)
			return through_link(dir, e);
		if (kind == OS_ABSENT)
			return 0; /* with all below */
		if (kind == OS_DIR)
			wp_map_put(&w->dirs, dir, 1);
	}
	return 0;
}

static const char *aside_of(wp_arena *a, const pass *w, const char *path)
{
	return wp_sprintf(a, ".wheelpack/%s/%s", w->j->aside, path);
}

static int places_of(wp_arena *a, pass *w, const char *path, places *out, wp_error *e)
{
	const char *stage = wp_sprintf(a, ".wheelpack/stage/%s", path);
	const char *aside = aside_of(a, w, path), *venv = w->j->venv;

	*out = (places){os_join(a, venv, path), os_join(a, venv, stage), os_join(a, venv, aside)};
	if (check_way(a, w, path, e) || check_way(a, w, stage, e))
		return e->code;
	return check_way(a, w, aside, e);
}

static int move(const char *from, const char *to, wp_error *e)
{
	if (os_rename_new(from, to, e))
		os_name_holders(e, from);
	return e->code;
}

/* One path after the other, with a scratch arena of its own. */
typedef int (*step)(wp_arena *a, pass *w, const char *path, wp_error *e);

static int each(pass *w, const char *const *v, size_t n, bool backwards, step f, wp_error *e)
{
	size_t i;

	for (i = 0; i < n && !e->code; i++) {
		wp_arena *a = wp_arena_new();

		f(a, w, v[backwards ? n - 1 - i : i], e);
		wp_arena_free(a);
	}
	return e->code;
}

/* ---- the beginning -------------------------------------------------------------------------- */

/* What could not be read again, or not be moved, is refused while all is as it was. */
static int check_path(wp_arena *a, pass *w, const char *path, wp_error *e)
{
	places ignored;

	if (is_ours(a, path))
		return places_of(a, w, path, &ignored, e);
	wp_fail(e, WP_E_VENV, "'%s' is no name that a file may be moved under", path);
	return wp_err_next(e, "remove the file if nothing needs it, or make a new venv");
}

static void put(wp_buf *b, char kind, const char *const *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		wp_buf_putc(b, kind);
		wp_buf_putc(b, ' ');
		wp_buf_puts(b, v[i]);
		wp_buf_putc(b, '\n');
	}
}

static int check_all(const wp_journal *j, wp_error *e)
{
	pass w = {.j = j};

	wp_map_init(&w.dirs);
	if (!each(&w, j->olds.v, j->olds.n, false, check_path, e) && !each(&w, j->dirs.v, j->dirs.n, false, check_path, e) &&
		!each(&w, j->news.v, j->news.n, false, check_path, e))
		each(&w, j->empty.v, j->empty.n, false, check_path, e);
	wp_map_free(&w.dirs);
	return e->code;
}

int wp_journal_write(wp_arena *a, const wp_journal *j, wp_error *e)
{
	wp_buf b;

	if (check_all(j, e))
		return e->code;
	wp_buf_init(&b, MAX_JOURNAL);
	wp_buf_puts(&b, HEAD);
	put(&b, 'a', &j->aside, 1);
	put(&b, '-', j->olds.v, j->olds.n);
	put(&b, 'd', j->dirs.v, j->dirs.n);
	put(&b, '+', j->news.v, j->news.n);
	put(&b, 'e', j->empty.v, j->empty.n);
	wp_buf_puts(&b, TAIL);
	if (b.full)
		wp_fail(e, WP_E_TOO_LARGE, "a journal of more than %d MB", MAX_JOURNAL >> 20);
	else
		os_write_file(meta_path(a, j->venv, "journal"), wp_buf_view(&b), e);
	wp_buf_free(&b);
	return e->code;
}

/* ---- there and back -------------------------------------------------------------------------- */

static int put_aside(wp_arena *a, pass *w, const char *path, wp_error *e)
{
	bool here, aside;
	uint32_t seen;
	places p;

	if (places_of(a, w, path, &p, e) || os_look(p.aside, &aside, e) || aside || os_look(p.here, &here, e))
		return e->code;
	if (!here)
		return wp_fail(e, WP_E_VENV, "'%s' is neither in its place nor set aside", path);
	if (!wp_map_get(&w->dirs, wp_str_of(os_dirname(a, aside_of(a, w, path))), &seen) &&
		os_mkdirs(os_dirname(a, p.aside), e))
		return e->code;
	return move(p.here, p.aside, e);
}

static int make_dir(wp_arena *a, pass *w, const char *path, wp_error *e)
{
	const char *dir = os_join(a, w->j->venv, path);
	os_kind kind;
	uint64_t size;

	if (check_way(a, w, path, e) || os_stat(dir, &kind, &size, e))
		return e->code;
	if (kind == OS_ABSENT)
		return os_mkdir(dir, e);
	return kind == OS_DIR ? 0 : wp_fail(e, WP_E_VENV, "'%s' is to be a directory, and is something else", path);
}

static int move_in(wp_arena *a, pass *w, const char *path, wp_error *e)
{
	bool here, staged;
	places p;

	if (places_of(a, w, path, &p, e) || os_look(p.stage, &staged, e))
		return e->code;
	if (staged)
		return move(p.stage, p.here, e);
	if (os_look(p.here, &here, e))
		return e->code;
	return here ? 0 : wp_fail(e, WP_E_VENV, "'%s' is neither in its place nor staged", path);
}

/* Somebody may have put something there. */
static int drop_empty(wp_arena *a, pass *w, const char *path, wp_error *e)
{
	const char *dir = os_join(a, w->j->venv, path);
	wp_error ignored = {0}, f = {0};
	const char **names;
	size_t n;

	if (check_way(a, w, path, e))
		return e->code;
	if (!os_rmdir(dir, &f) || !os_is_dir(dir) || os_list(a, dir, &names, &n, &ignored) || n)
		return 0;
	*e = f;
	os_name_holders(e, dir);
	if (e->code == WP_E_BUSY)
		wp_err_next(e, "close the programs that are in '%s', as a terminal can be, then run the command again", dir);
	return e->code;
}

/* What is staged still never came in. */
static int move_out(wp_arena *a, pass *w, const char *path, wp_error *e)
{
	bool here, staged;
	places p;

	if (places_of(a, w, path, &p, e) || os_look(p.stage, &staged, e) || staged || os_look(p.here, &here, e))
		return e->code;
	return here ? move(p.here, p.stage, e) : wp_fail(e, WP_E_VENV, "'%s' is neither in its place nor staged", path);
}

static int put_back(wp_arena *a, pass *w, const char *path, wp_error *e)
{
	bool here, aside;
	places p;

	if (places_of(a, w, path, &p, e) || os_look(p.aside, &aside, e))
		return e->code;
	if (aside)
		return os_mkdirs(os_dirname(a, p.here), e) ? (int)e->code : move(p.aside, p.here, e);
	if (os_look(p.here, &here, e))
		return e->code;
	return here ? 0 : wp_fail(e, WP_E_VENV, "'%s' is neither in its place nor set aside", path);
}

/* Equal for names that the file system takes for one. */
static wp_str key(wp_arena *a, const char *path)
{
	return wp_str_of(os_is_windows() ? wp_name_fold(a, wp_str_of(path)) : path);
}

static bool has_any(wp_arena *a, const wp_map *names, const char *const *v, size_t n)
{
	uint32_t ignored;
	size_t i;

	for (i = 0; i < n; i++)
		if (wp_map_get(names, key(a, v[i]), &ignored))
			return true;
	return false;
}

/* A directory that goes has to go first: where it was a file comes, or the same directory in letters of the other case. */
static bool is_in_the_way(const wp_journal *j)
{
	wp_arena *a = wp_arena_new();
	wp_map goes;
	bool found;
	size_t i;

	wp_map_init(&goes);
	for (i = 0; i < j->empty.n; i++)
		wp_map_put(&goes, key(a, j->empty.v[i]), 1);
	found = has_any(a, &goes, j->dirs.v, j->dirs.n) || has_any(a, &goes, j->news.v, j->news.n);
	wp_map_free(&goes);
	wp_arena_free(a);
	return found;
}

static int make_way(pass *w, wp_error *e)
{
	return is_in_the_way(w->j) ? each(w, w->j->empty.v, w->j->empty.n, false, drop_empty, e) : 0;
}

int wp_journal_forward(const wp_journal *j, wp_error *e)
{
	pass w = {.j = j};

	wp_map_init(&w.dirs);
	if (!each(&w, j->olds.v, j->olds.n, false, put_aside, e) && !make_way(&w, e) &&
		!each(&w, j->dirs.v, j->dirs.n, false, make_dir, e) && !each(&w, j->news.v, j->news.n, false, move_in, e))
		each(&w, j->empty.v, j->empty.n, false, drop_empty, e);
	wp_map_free(&w.dirs);
	return e->code;
}

int wp_journal_back(const wp_journal *j, wp_error *e)
{
	pass w = {.j = j};

	wp_map_init(&w.dirs);
	if (!each(&w, j->news.v, j->news.n, true, move_out, e) && !each(&w, j->dirs.v, j->dirs.n, true, drop_empty, e))
		each(&w, j->olds.v, j->olds.n, true, put_back, e);
	wp_map_free(&w.dirs);
	return e->code;
}

/* ---- the end -------------------------------------------------------------------------------- */

int wp_journal_end(wp_arena *a, const wp_journal *j, wp_error *e)
{
	wp_error ignored = {0};

	if (os_unlink(meta_path(a, j->venv, "journal"), e))
		return e->code;
	wp_journal_clean(a, j->venv, &ignored);
	return 0;
}

/* What a run leaves that is stopped while it writes the journal. */
static int drop_drafts(wp_arena *a, const char *venv, wp_error *e)
{
	const char *meta = meta_path(a, venv, ""), **names;
	size_t i, n;

	if (os_list(a, meta, &names, &n, e))
		return e->code;
	for (i = 0; i < n && !e->code; i++)
		if (wp_starts(names[i], "journal."))
			os_unlink(meta_path(a, venv, names[i]), e);
	return e->code;
}

const char *wp_journal_clean(wp_arena *a, const char *venv, wp_error *e)
{
	wp_error ignored = {0};
	const char *name = "aside";
	int i;

	if (drop_drafts(a, venv, e) || os_remove_tree(meta_path(a, venv, "stage"), e))
		return NULL;
	for (i = 1; i < MAX_ASIDES; i++) {
		bool there;

		os_remove_tree(meta_path(a, venv, name), &ignored);
		if (os_look(meta_path(a, venv, name), &there, e))
			return NULL;
		if (!there)
			return name;
		name = wp_sprintf(a, "aside-%d", i);
	}
	wp_fail(e, WP_E_BUSY, "%d directories of earlier runs in '%s' can't be removed", MAX_ASIDES,
		meta_path(a, venv, ""));
	return NULL;
}

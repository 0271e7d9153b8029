/* SPDX-License-Identifier: MIT */
#include "fetch/cache.h"
#include "unit/session.h"

static const wp_project *project(const wp_catalog *c, const char *name)
{
	wp_error err = {0};
	const wp_project *p;

	assert_ok(c->project(c->self, name, &p, &err));
	return p;
}

static wp_code refused(const wp_catalog *c, const char *name, wp_error *e)
{
	const wp_project *p;

	*e = (wp_error){0};
	c->project(c->self, name, &p, e);
	return e->code;
}

static const char *metadata(const wp_catalog *c, const wp_project *p, const char *filename)
{
	const wp_file *f = lab_file(p, filename);
	wp_error err = {0};
	wp_str text;

	assert_non_null(f);
	assert_ok(c->metadata(c->self, f, &text, &err));
	assert_int_equal(text.p[text.n], 0);
	return text.p;
}

#define NUMPY_WIN "numpy-2.2.6-cp312-cp312-win_amd64.whl"
#define TORCH_WIN "torch-2.7.1+cu126-cp312-cp312-win_amd64.whl"

/* ---- indexes ------------------------------------------------------------------------------ */

static void html_and_json_say_the_same(void **state)
{
	lab *l = *state;
	const wp_catalog *c;
	const wp_project *p;
	const char *first;
	size_t i;

	lab_index(l, "ordinary", "/simple/");
	p = project(lab_open(l), "numpy");
	assert_true(p->nfiles == 27 && p->skipped == 0);
	assert_string_equal(p->index, "ordinary");
	first = wp_strdup(l->ctx.arena, p->files[0].url);
	l->o.nindexes = 0;
	lab_index(l, "ordinary", "/json");
	c = lab_open(l);
	p = project(c, "numpy");
	assert_int_equal(p->nfiles, 27);
	assert_string_equal(p->files[0].url, first);
	for (i = 0; i < p->nfiles; i++)
		assert_true(p->files[i].size > 0);
	assert_string_equal(lab_file(p, NUMPY_WIN)->requires_python, ">=3.10");
	assert_null(project(c, "no-such-project"));
}

static void the_first_index_that_has_it_wins(void **state)
{
	lab *l = *state;
	const wp_catalog *c;
	const wp_project *p;

	lab_index(l, "extra1", "/extra/");
	lab_index(l, "ordinary", "/simple/");
	lab_index(l, "variant", "/whl/cu126/");
	c = lab_open(l);
	p = project(c, "filelock");
	assert_string_equal(p->index, "extra1");
	assert_int_equal(p->nfiles, 1);
	assert_string_equal(project(c, "numpy")->index, "ordinary");
	assert_null(project(c, "no-such-project")); /* 404 twice, 403 from the variant's */
}

static wp_compat family(void)
{
	static const char *const bound[] = {"torch", "torchvision", "triton"}, *const first[] = {"torchao", "numpy"};

	return (wp_compat){.index_bound = bound, .nindex_bound = 3, .variant_first = first, .nvariant_first = 2};
}

static void the_torch_family_comes_from_its_index(void **state)
{
	wp_compat compat = family();
	lab *l = *state;
	const wp_catalog *c;
	const wp_project *p;

	l->o.compat = &compat;
	lab_index(l, "extra1", "/extra/");
	lab_index(l, "ordinary", "/simple/");
	lab_index(l, "variant", "/whl/cu126/");
	c = lab_open(l);
	p = project(c, "torch");
	assert_string_equal(p->index, "variant");
	assert_non_null(lab_file(p, TORCH_WIN));
	assert_true(wp_starts(lab_file(p, TORCH_WIN)->url, lab_server.second));
	assert_string_equal(project(c, "torchao")->index, "variant");
	assert_string_equal(project(c, "filelock")->index, "extra1");
	assert_non_null(strstr(metadata(c, p, TORCH_WIN), "Version: 2.7.1+cu126"));
}

static void what_its_index_lacks(void **state)
{
	wp_compat compat = family();
	lab *l = *state;
	const wp_catalog *c;

	l->o.compat = &compat;
	lab_index(l, "ordinary", "/simple/");
	lab_index(l, "variant", "/whl/cpu/");
	c = lab_open(l);
	assert_null(project(c, "triton")); /* bound: never from elsewhere */
	assert_string_equal(project(c, "torchao")->index, "ordinary"); /* variant first: then elsewhere */
}

static void without_a_variant_there_is_no_family(void **state)
{
	wp_compat compat = family();
	lab *l = *state;

	l->o.compat = &compat;
	lab_index(l, "ordinary", "/simple/");
	assert_string_equal(project(lab_open(l), "torch")->index, "ordinary");
}

static void many_in_flight(void **state)
{
	static const char *const names[] = {"torch", "numpy", "filelock", "sympy", "mpmath", "no-such", "pillow"};
	const wp_file *wanted[27];
	lab *l = *state;
	const wp_catalog *c;
	const wp_project *p;
	size_t i, n = 0;

	lab_index(l, "ordinary", "/simple/");
	c = lab_open(l);
	c->want_projects(c->self, names, 7);
	p = project(c, "numpy");
	for (i = 0; i < p->nfiles; i++)
		if (wp_ends(p->files[i].filename, ".whl"))
			wanted[n++] = &p->files[i];
	c->want_metadata(c->self, wanted, n);
	assert_non_null(strstr(metadata(c, p, NUMPY_WIN), "Name: numpy"));
	assert_ptr_equal(project(c, "numpy"), p);
	assert_non_null(project(c, "torch"));
	assert_null(project(c, "no-such"));
}

static void a_folder_of_wheels(void **state)
{
	lab *l = *state;
	const char *dir = os_join(l->ctx.arena, l->cache, "my wheels");
	wp_error err = {0};
	const wp_catalog *c;
	const wp_project *p;

	assert_ok(os_mkdir(dir, &err));
	tmp_write(os_join(l->ctx.arena, dir, "lab_thing-1.0+x-py3-none-any.whl"), WP_LIT("no wheel"));
	tmp_write(os_join(l->ctx.arena, dir, "lab-thing-1.0.tar.gz"), WP_LIT("x"));
	tmp_write(os_join(l->ctx.arena, dir, "lab-2-thing-1.0.zip"), WP_LIT("x"));
	tmp_write(os_join(l->ctx.arena, dir, "lab-1.0-py3-none-any.whl"), WP_LIT("x"));
	tmp_write(os_join(l->ctx.arena, dir, "lab-.whl"), WP_LIT("x"));
	tmp_write(os_join(l->ctx.arena, dir, "notes.txt"), WP_LIT("x"));
	lab_index(l, "find-links1", dir);
	lab_index(l, "ordinary", "/simple/");
	c = lab_open(l);
	p = project(c, "lab-thing");
	assert_int_equal(p->nfiles, 2);
	assert_string_equal(p->index, "find-links1");
	assert_non_null(lab_file(p, "lab_thing-1.0+x-py3-none-any.whl"));
	assert_true(wp_ends(lab_file(p, "lab_thing-1.0+x-py3-none-any.whl")->url,
		"/my%20wheels/lab_thing-1.0%2Bx-py3-none-any.whl"));
	assert_true(p->files[0].size > 0);
	assert_int_equal(project(c, "lab")->nfiles, 1);
	assert_int_equal(project(c, "lab-2-thing")->nfiles, 1);
	assert_null(project(c, "lab-2"));
	assert_null(project(c, "notes-txt"));
	assert_string_equal(project(c, "filelock")->index, "ordinary");
	l->o.nindexes = 0;
	lab_index(l, "find-links1", "/nowhere/at/all");
	c = lab_open(l);
	assert_null(project(c, "lab-thing"));
	assert_int_equal(wp_session_notes(l->s)->n, 1);
}

/* ---- failures ----------------------------------------------------------------------------- */

static void failures_are_no_absence(void **state)
{
	static const struct {
		const char *index, *id;
		wp_code code;
		const char *why;
	} cases[] = {
		{"/with/status=403/simple/", "ordinary", WP_E_HTTP, "403"},
		{"/with/status=401/simple/", "ordinary", WP_E_HTTP, "credentials"},
		{"/with/status=500/simple/", "ordinary", WP_E_HTTP, "500"},
		{"/with/status=203,type=text-html/simple/", "ordinary", WP_E_HTTP, "203"},
		{"/with/status=204,type=text-html/simple/", "ordinary", WP_E_HTTP, "204"},
		{"/with/status=206,type=text-html/simple/", "ordinary", WP_E_HTTP, "206"},
		{"/with/status=304/simple/", "ordinary", WP_E_HTTP, "304"},
		{"/with/status=404/whl/cu126/", "ordinary", WP_OK, ""},
		{"/with/status=403/whl/cu126/", "variant", WP_OK, ""},
		{"/with/status=500/whl/cu126/", "variant", WP_E_HTTP, "500"},
		{"/with/type=text-plain/simple/", "ordinary", WP_E_PAGE, "text/plain"},
		{"/with/type=application/vnd.pypi.simple.v1+json/simple/", "ordinary", WP_OK, ""},
		{"/with/huge/simple/", "ordinary", WP_E_TOO_LARGE, "67108864"},
		{"http://127.0.0.1:1/simple/", "ordinary", WP_E_NETWORK, ""},
		{"http://index.example.org/simple/", "ordinary", WP_E_HTTP, "plain http is refused"},
	};
	lab *l = *state;
	wp_error e;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		l->o.nindexes = 0;
		lab_index(l, cases[i].id, cases[i].index);
		assert_int_equal(refused(lab_open(l), "filelock", &e), cases[i].code);
		if (!strstr(e.why, cases[i].why))
			fail_msg("'%s' is not in: %s", cases[i].why, e.why);
		if (e.code && !strstr(e.where, "project 'filelock', 'http"))
			fail_msg("%s", e.where);
	}
}

static void an_address_that_is_none(void **state)
{
	wp_error err = {0};
	lab *l = *state;

	lab_index(l, "ordinary", "gopher://x/");
	assert_int_equal(wp_session_open(&l->ctx, &l->o, &l->s, &err), WP_E_USAGE);
}

static void a_server_out_of_order_is_asked_again(void **state)
{
	lab *l = *state;

	l->o.net.retries = 3;
	lab_index(l, "ordinary", "/with/fail=2,as=again/simple/");
	assert_int_equal(project(lab_open(l), "filelock")->nfiles, 2);
}

static void ctrl_c_ends_the_waiting(void **state)
{
	atomic_int stop = 1;
	lab *l = *state;
	wp_error e;

	l->ctx.cancel = &stop;
	lab_index(l, "ordinary", "/with/hang/simple/");
	assert_int_equal(refused(lab_open(l), "filelock", &e), WP_E_INTERRUPTED);
}

static void credentials_go_to_their_index_only(void **state)
{
	lab *l = *state;
	const wp_catalog *c;
	const wp_project *p;
	const char *log;

	lab_log(l, "/log/reset");
	lab_index(l, "ordinary", wp_sprintf(l->ctx.arena, "http://lab:se%%40cret@%s/with/auth=lab:se%%40cret/simple/",
					 lab_server.base + strlen("http://")));
	c = lab_open(l);
	p = project(c, "filelock");
	assert_non_null(p);
	assert_null(strstr(p->files[0].url, "cret@"));
	metadata(c, p, "filelock-3.18.0-py3-none-any.whl");
	log = lab_log(l, "/log");
	assert_int_equal(lab_count(log, "Basic "), 2);
	lab_log(l, "/log/reset");
	l->o.nindexes = 0;
	lab_index(l, "ordinary", wp_sprintf(l->ctx.arena, "http://lab:secret@%s/with/redirect/simple/",
					 lab_server.base + strlen("http://")));
	c = lab_open(l);
	metadata(c, project(c, "filelock"), "filelock-3.18.0-py3-none-any.whl");
	log = lab_log(l, "/log");
	assert_int_equal(lab_count(log, "Basic "), 1); /* not to where it was sent on */
}

/* ---- the PyTorch index's two hosts -------------------------------------------------------- */

static const char *const pytorch[] = {"download.pytorch.org", "download-r2.pytorch.org"};

static const wp_catalog *open_pytorch(lab *l, const char *with)
{
	l->o.net.proxy = lab_server.base;
	l->o.net.trusted_hosts = pytorch;
	l->o.net.ntrusted_hosts = 2;
	l->o.nindexes = 0;
	lab_index(l, "variant", wp_sprintf(l->ctx.arena, "http://download.pytorch.org%s/whl/cu126/", with));
	return lab_open(l);
}

static void the_other_host_is_tried(void **state)
{
	lab *l = *state;
	const wp_catalog *c;
	const wp_project *p;

	l->o.net.retries = 2;
	c = open_pytorch(l, "/with/downhost=download.pytorch.org");
	p = project(c, "torch");
	assert_non_null(p);
	assert_non_null(project(c, "filelock"));
	c = open_pytorch(l, "/with/downhost=download-r2.pytorch.org");
	p = project(c, "torch");
	assert_true(wp_starts(p->files[0].url, "http://download-r2.pytorch.org/"));
	assert_non_null(strstr(metadata(c, p, TORCH_WIN), "Name: torch"));
}

static void siblings_are_two_names(void **state)
{
	lab *l = *state;
	wp_arena *a = l->ctx.arena;

	assert_string_equal(wp_sibling(a, "https://download.pytorch.org/whl/a%2Bb?x"),
		"https://download-r2.pytorch.org/whl/a%2Bb?x");
	assert_string_equal(wp_sibling(a, "https://download-r2.pytorch.org/whl/"), "https://download.pytorch.org/whl/");
	assert_null(wp_sibling(a, "https://download.pytorch.org.example.org/whl/"));
	assert_null(wp_sibling(a, "https://example.org/download.pytorch.org/"));
}

/* ---- metadata ----------------------------------------------------------------------------- */

static void metadata_with(lab *l, const char *words, size_t notes)
{
	const wp_catalog *c;
	const char *text;

	l->o.nindexes = 0;
	lab_index(l, "ordinary", wp_sprintf(l->ctx.arena, "/with/%s/json/", words));
	c = lab_open(l);
	text = metadata(c, project(c, "schemes"), "schemes-1.0-py3-none-any.whl");
	assert_true(wp_starts(text, "Metadata-Version: 2.1\nName: schemes\nVersion: 1.0\n"));
	text = metadata(c, project(c, "big-wheel"), "big_wheel-1.0-py3-none-any.whl");
	assert_non_null(strstr(text, "Name: big-wheel"));
	assert_int_equal(wp_session_notes(l->s)->n, notes);
}

static void metadata_by_every_way(void **state)
{
	lab *l = *state;
	const char *log;

	metadata_with(l, "as=side", 0);
	lab_log(l, "/log/reset");
	metadata_with(l, "nometa", 0);
	log = lab_log(l, "/log");
	assert_int_equal(lab_count(log, "\"bytes=-131072\""), 2);
	metadata_with(l, "lostmeta", 0);
	metadata_with(l, "badmeta", 2);
	metadata_with(l, "badmetadigest", 2);
	metadata_with(l, "nometa,noetag", 0);
	metadata_with(l, "nometa,changed", 0);
	metadata_with(l, "nometa,norange", 0);
	metadata_with(l, "nometa,norange,nodigest", 0);
	metadata_with(l, "nometa,cutonce=1000", 0);
}

static void metadata_of_a_big_wheel_reads_little(void **state)
{
	lab *l = *state;
	const wp_catalog *c;
	const char *log;

	lab_index(l, "ordinary", "/with/nometa/simple/");
	c = lab_open(l);
	lab_log(l, "/log/reset");
	metadata(c, project(c, "big-wheel"), "big_wheel-1.0-py3-none-any.whl");
	log = lab_log(l, "/log");
	assert_int_equal(lab_count(log, "big_wheel-1.0-py3-none-any.whl"), 1);
}

static void metadata_that_cannot_be_had(void **state)
{
	lab *l = *state;
	const wp_catalog *c;
	wp_error err = {0};
	wp_str text;

	lab_index(l, "ordinary", "/with/nometa/simple/");
	c = lab_open(l);
	assert_int_equal(c->metadata(c->self, lab_file(project(c, "damaged"), "damaged-1.0-py3-none-any.whl"), &text, &err),
		WP_E_ZIP);
	assert_non_null(strstr(err.where, "metadata of 'damaged-1.0-py3-none-any.whl'"));
	l->o.nindexes = 0;
	lab_index(l, "ordinary", "/with/nometa,filestatus=404/simple/");
	c = lab_open(l);
	err = (wp_error){0};
	assert_int_equal(
		c->metadata(c->self, lab_file(project(c, "schemes"), "schemes-1.0-py3-none-any.whl"), &text, &err),
		WP_E_HTTP);
}

/* ---- cache -------------------------------------------------------------------------------- */

static void pages_are_kept_for_a_while(void **state)
{
	lab *l = *state;
	const wp_catalog *c;

	lab_index(l, "ordinary", "/with/as=kept/simple/");
	lab_log(l, "/log/reset");
	c = lab_open(l);
	metadata(c, project(c, "filelock"), "filelock-3.18.0-py3-none-any.whl");
	assert_null(project(c, "no-such"));
	assert_int_equal(lab_count(lab_log(l, "/log"), "as=kept"), 3);
	c = lab_open(l);
	metadata(c, project(c, "filelock"), "filelock-3.18.0-py3-none-any.whl");
	assert_null(project(c, "no-such"));
	assert_int_equal(lab_count(lab_log(l, "/log"), "as=kept"), 3);
}

static void stale_pages_are_asked_for_again(void **state)
{
	lab *l = *state;
	const char *log;

	lab_index(l, "ordinary", "/with/maxage=0/simple/");
	assert_non_null(project(lab_open(l), "filelock"));
	lab_log(l, "/log/reset");
	assert_int_equal(project(lab_open(l), "filelock")->nfiles, 2);
	log = lab_log(l, "/log");
	assert_int_equal(lab_count(log, "if-none-match"), 1);
	l->o.nindexes = 0;
	lab_index(l, "ordinary", "/with/nocache/simple/");
	assert_non_null(project(lab_open(l), "filelock"));
	lab_log(l, "/log/reset");
	assert_non_null(project(lab_open(l), "filelock"));
	log = lab_log(l, "/log");
	assert_int_equal(lab_count(log, "/simple/filelock/"), 1);
	assert_int_equal(lab_count(log, "if-none-match"), 0);
}

static void a_hint_alone_asks_nobody(void **state)
{
	lab *l = *state;
	const wp_catalog *c;
	const wp_file *f;
	const char *names[] = {"numpy"};

	lab_index(l, "ordinary", "/with/as=hint/simple/");
	assert_non_null(project(lab_open(l), "filelock"));
	c = lab_open(l);
	lab_log(l, "/log/reset");
	f = &project(c, "filelock")->files[0];
	c->want_metadata(c->self, &f, 1);
	c->want_projects(c->self, names, 1);
	os_sleep_ms(50);
	assert_int_equal(lab_count(lab_log(l, "/log"), "as=hint"), 0);
	/* Now they go out; the one nobody waits for may still be on its way. */
	assert_non_null(project(c, "numpy"));
	assert_true(lab_count(lab_log(l, "/log"), "as=hint") >= 1);
}

static void refreshed_pages_are_asked_for_by_their_etag(void **state)
{
	lab *l = *state;
	const char *log;

	lab_index(l, "ordinary", "/with/as=refresh/simple/");
	assert_non_null(project(lab_open(l), "filelock"));
	lab_log(l, "/log/reset");
	l->o.net.refresh = true;
	assert_int_equal(project(lab_open(l), "filelock")->nfiles, 2);
	log = lab_log(l, "/log");
	assert_int_equal(lab_count(log, "if-none-match"), 1);
	l->o.net.refresh = false;
	lab_log(l, "/log/reset");
	assert_int_equal(project(lab_open(l), "filelock")->nfiles, 2);
	assert_int_equal(lab_count(lab_log(l, "/log"), "as=refresh"), 0);
}

/* The only entry of the cache's pages. */
static const char *page_entry(lab *l)
{
	wp_arena *a = l->ctx.arena;
	const char *dir = wp_sprintf(a, "%s/pages", l->cache), **names;
	wp_error err = {0};
	size_t n;

	lab_close(l);
	assert_ok(os_list(a, dir, &names, &n, &err));
	assert_int_equal(n, 1);
	return os_join(a, dir, names[0]);
}

static void asked_again(lab *l, const char *path, wp_str text)
{
	tmp_write(path, text);
	lab_log(l, "/log/reset");
	assert_int_equal(project(lab_open(l), "filelock")->nfiles, 2);
	assert_int_equal(lab_count(lab_log(l, "/log"), "as=damaged"), 1);
	lab_close(l);
	lab_log(l, "/log/reset");
	assert_int_equal(project(lab_open(l), "filelock")->nfiles, 2);
	assert_int_equal(lab_count(lab_log(l, "/log"), "as=damaged"), 0);
	lab_close(l);
}

/* And the fresh answer takes its place. */
static void a_damaged_page_is_fetched_again(void **state)
{
	lab *l = *state;
	const char *path, *key;
	wp_str good, odd;
	wp_error err = {0};

	lab_index(l, "ordinary", "/with/as=damaged/json/");
	assert_non_null(project(lab_open(l), "filelock"));
	path = page_entry(l);
	key = os_basename(path);
	good = wp_str_copy(l->ctx.arena, tmp_read(l->ctx.arena, path));
	asked_again(l, path, wp_str_sub(good, 0, good.n / 2));
	asked_again(l, path, WP_LIT(""));
	asked_again(l, path, WP_LIT("garbage"));
	odd = wp_str_copy(l->ctx.arena, good);
	((char *)odd.p)[odd.n - 9] ^= 4;
	asked_again(l, path, odd);
	/* whole, but what another wheelpack kept there */
	assert_ok(wp_cache_put(l->cache, "pages", key, WP_LIT("status 200\nurl https://h.test/\ntime 1\nttl 9999999999\n\n"),
		WP_LIT("{\"files\": []}"), &err));
	asked_again(l, path, tmp_read(l->ctx.arena, path));
	assert_ok(wp_cache_put(l->cache, "pages", key, WP_LIT("status 200\nurl https://h.test/\ntime 1\nttl 0\netag \"x\"\n\n"),
		WP_LIT("{\"files\": []}"), &err));
	asked_again(l, path, tmp_read(l->ctx.arena, path));
}

/* The clock was wrong then, or is now. */
static void a_page_from_the_future_is_asked_about(void **state)
{
	static const char *const times[] = {"4102444800", "18446744073709551615", "1"};
	lab *l = *state;
	wp_arena *a = l->ctx.arena;
	const char *path;
	wp_error err = {0};
	size_t i, from, to;
	wp_str good;

	lab_index(l, "ordinary", "/with/as=damaged/json/");
	assert_non_null(project(lab_open(l), "filelock"));
	path = page_entry(l);
	assert_true(wp_cache_get(a, l->cache, "pages", os_basename(path), 1 << 20, &good));
	from = wp_str_find_str(good, WP_LIT("time ")) + 5;
	to = wp_str_find_str(good, WP_LIT("\nttl "));
	assert_true(from < to && to < good.n);
	for (i = 0; i < sizeof times / sizeof *times; i++) {
		const char *head = wp_sprintf(a, "%.*s%s", (int)from, good.p, times[i]);

		assert_ok(wp_cache_put(l->cache, "pages", os_basename(path), wp_str_of(head),
			wp_str_sub(good, to, good.n), &err));
		asked_again(l, path, tmp_read(a, path));
	}
}

static void a_cache_that_cannot_be_written_is_told_of(void **state)
{
	lab *l = *state;
	const wp_catalog *c;

	l->o.cache_dir = wp_sprintf(l->ctx.arena, "%s/file", l->cache);
	tmp_write(l->o.cache_dir, WP_LIT("x"));
	lab_index(l, "ordinary", "/json/");
	c = lab_open(l);
	metadata(c, project(c, "schemes"), "schemes-1.0-py3-none-any.whl");
	assert_int_equal(wp_session_notes(l->s)->n, 1);
	assert_string_equal(wp_session_notes(l->s)->v[0].code, "N203");
}

static void offline_the_cache_answers_alone(void **state)
{
	lab *l = *state;
	const wp_catalog *c;
	wp_error e;

	lab_index(l, "ordinary", "/with/maxage=0/simple/");
	assert_non_null(project(lab_open(l), "filelock"));
	l->o.net.offline = true;
	c = lab_open(l);
	assert_int_equal(project(c, "filelock")->nfiles, 2);
	assert_int_equal(refused(c, "numpy", &e), WP_E_NETWORK);
	assert_non_null(strstr(e.why, "offline"));
	assert_non_null(strstr(e.where, "/simple/numpy/"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, lab_set_up, lab_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(html_and_json_say_the_same),
		T(the_first_index_that_has_it_wins),
		T(the_torch_family_comes_from_its_index),
		T(what_its_index_lacks),
		T(without_a_variant_there_is_no_family),
		T(many_in_flight),
		T(a_folder_of_wheels),
		T(failures_are_no_absence),
		T(an_address_that_is_none),
		T(a_server_out_of_order_is_asked_again),
		T(ctrl_c_ends_the_waiting),
		T(credentials_go_to_their_index_only),
		T(the_other_host_is_tried),
		T(siblings_are_two_names),
		T(metadata_by_every_way),
		T(metadata_of_a_big_wheel_reads_little),
		T(metadata_that_cannot_be_had),
		T(pages_are_kept_for_a_while),
		T(stale_pages_are_asked_for_again),
		T(a_hint_alone_asks_nobody),
		T(refreshed_pages_are_asked_for_by_their_etag),
		T(a_damaged_page_is_fetched_again),
		T(a_page_from_the_future_is_asked_about),
		T(a_cache_that_cannot_be_written_is_told_of),
		T(offline_the_cache_answers_alone),
	};

	if (!server_possible())
		return 0;
	return cmocka_run_group_tests_name("catalog", tests, lab_begin, lab_end);
}

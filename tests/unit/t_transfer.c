/* SPDX-License-Identifier: MIT */
#include "ext/hash.h"
#include "fetch/cache.h"
#include "unit/make_wheel.h"
#include "unit/session.h"

static void forget(lab *l, const char *kind, const char *sha256)
{
	assert_int_equal(unlink(wp_cache_path(l->ctx.arena, l->cache, kind, sha256)), 0);
}

/* A lock of these files, as the catalogue over `index` knows them. With solved their METADATA is read and pinned. */
static wp_lock_doc lock_of(lab *l, const char *index, const char *const *names, size_t n, bool solved)
{
	wp_arena *a = l->ctx.arena;
	wp_lock_wheel *wheels = WP_NEW_ARRAY(a, n, wp_lock_wheel);
	const wp_catalog *c;
	size_t i;

	l->o.nindexes = 0;
	lab_index(l, "ordinary", index);
	c = lab_open(l);
	for (i = 0; i < n; i++) {
		wp_str stem = wp_str_sub(wp_str_of(names[i]), 0, wp_str_find(wp_str_of(names[i]), '-'));
		char *project = wp_str_dup(a, stem), *p, digest[WP_SHA256_HEX + 1];
		const wp_project *found;
		const wp_file *f;
		wp_error err = {0};
		wp_str text;

		for (p = project; *p; p++)
			*p = *p == '_' ? '-' : *p;
		assert_ok(c->project(c->self, project, &found, &err));
		f = lab_file(found, names[i]);
		assert_non_null(f);
		wheels[i] = (wp_lock_wheel){.project = project,
			.version = "1.0",
			.filename = names[i],
			.size = f->size,
			.sha256 = wp_strdup(a, f->sha256),
			.digest = f->sha256 ? WP_DIGEST_INDEX : WP_DIGEST_NONE,
			.index = "ordinary",
			.url = wp_strdup(a, f->url)};
		if (!solved)
			continue;
		assert_ok(c->metadata(c->self, f, &text, &err));
		wp_sha256_hex(text, digest);
		wheels[i].metadata_sha256 = wp_strdup(a, digest);
	}
	return (wp_lock_doc){.wheels = wheels, .nwheels = n};
}

static int fetch(lab *l, const wp_lock_doc *lock, wp_fetch_result *out, wp_error *e)
{
	wp_fetch_request in = {.lock = lock};

	*e = (wp_error){0};
	return wp_fetch(&l->ctx, l->s, &in, out, e);
}

static size_t partial_files(lab *l)
{
	const char *dir = os_join(l->ctx.arena, l->cache, "partial");
	wp_error err = {0};
	const char **names;
	size_t n = 0;

	if (os_is_dir(dir))
		assert_ok(os_list(l->ctx.arena, dir, &names, &n, &err));
	return n;
}

static void refused(lab *l, const wp_lock_doc *lock, wp_code code, const char *word)
{
	wp_fetch_result out;
	wp_error e;

	assert_int_equal(fetch(l, lock, &out, &e), code);
	if (!strstr(e.why, word))
		fail_msg("'%s' is not in: %s", word, e.why);
	assert_non_null(strstr(e.what, "cannot fetch '"));
	assert_non_null(strstr(e.state, "complete in the cache"));
}

#define BIG "big_wheel-1.0-py3-none-any.whl"
#define SCHEMES "schemes-1.0-py3-none-any.whl"
#define FILELOCK "filelock-3.18.0-py3-none-any.whl"
#define OTHER "other_metadata-1.0-py3-none-any.whl"
#define BAD_RECORD "bad_record-1.0-py3-none-any.whl"
#define WRONG_RECORD "wrong_record-1.0-py3-none-any.whl"
#define DAMAGED "damaged-1.0-py3-none-any.whl"
#define ESCAPES "escapes-1.0-py3-none-any.whl"

static const char *const one[] = {FILELOCK}, *const big[] = {BIG}, *const three[] = {BIG, FILELOCK, SCHEMES};

/* ---- what works --------------------------------------------------------------------------- */

typedef struct watched {
	size_t done, cached, calls;
	uint64_t last_bytes;
	bool total_known;
} watched;

static void watch(void *user, const wp_progress *p)
{
	watched *w = user;

	assert_string_equal(p->stage, "fetch");
	assert_int_equal(p->items_total, 3);
	assert_true(p->bytes_total == 0 || p->bytes <= p->bytes_total);
	w->calls++;
	w->done += p->item_done;
	w->cached += p->item_done && p->item_cached;
	w->last_bytes = p->bytes;
	w->total_known = p->bytes_total > 0;
}

static void wheels_come_and_are_checked(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", three, 3, true);
	wp_fetch_result out;
	watched w = {0};
	wp_error e;
	wp_blob blob;
	size_t i;

	l->ctx.progress = watch;
	l->ctx.progress_user = &w;
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(w.done == 3 && w.cached == 0 && w.total_known);
	assert_true(w.last_bytes == out.bytes_downloaded);
	assert_true(out.nwheels == 3 && out.findings.n == 0);
	for (i = 0; i < 3; i++) {
		char digest[WP_SHA256_HEX + 1];

		assert_string_equal(out.wheels[i].filename, three[i]);
		assert_string_equal(out.wheels[i].sha256, lock.wheels[i].sha256);
		assert_int_equal(strlen(out.wheels[i].record_sha256), WP_SHA256_HEX);
		assert_false(out.wheels[i].cached);
		assert_int_equal(out.source.open(out.source.self, three[i], out.wheels[i].sha256, &blob, &e), 0);
		assert_true(blob.size == out.wheels[i].size);
		assert_int_equal(wp_sha256_blob(&blob, digest, &e), 0);
		assert_string_equal(digest, out.wheels[i].sha256);
		blob.close(blob.self);
	}
	assert_int_equal(out.source.open(out.source.self, "x.whl", NULL, &blob, &e), WP_E_NOT_FOUND);
	assert_int_equal(partial_files(l), 0);
	w = (watched){0};
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(w.done == 3 && w.cached == 3 && out.bytes_downloaded == 0);
	assert_int_equal(strlen(out.wheels[0].record_sha256), WP_SHA256_HEX);
}

static void one_job_is_enough(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/simple/", three, 3, true);
	wp_fetch_result out;
	wp_error e;

	l->ctx.jobs = 1;
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(out.wheels[0].size > 3 << 20);
}

static void nothing_to_fetch(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/simple/", one, 0, false);
	wp_fetch_result out;
	wp_error e;

	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_int_equal(out.nwheels, 0);
}

static void a_missing_digest_is_filled_in(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/with/nodigest,nosize,as=fill/json/", one, 1, true);
	wp_fetch_result out;
	wp_error e;

	assert_null(lock.wheels[0].sha256);
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_int_equal(out.lock.wheels[0].digest, WP_DIGEST_FIRST_USE);
	assert_string_equal(out.lock.wheels[0].sha256, out.wheels[0].sha256);
	assert_true(out.lock.wheels[0].size == (int64_t)out.wheels[0].size);
	assert_null(lock.wheels[0].sha256);
	lab_log(l, "/log/reset");
	assert_int_equal(fetch(l, &lock, &out, &e), 0); /* 304: it is still that file */
	assert_true(out.bytes_downloaded == 0 && out.wheels[0].cached);
	assert_int_equal(lab_count(lab_log(l, "/log"), "if-none-match"), 1);
	l->o.net.offline = true;
	lab_open(l);
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(out.wheels[0].cached);
}

static void required_digests(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/with/nodigest/json/", one, 1, false);
	wp_fetch_request in = {.lock = &lock, .require_index_hashes = true};
	wp_fetch_result out;
	wp_error err = {0};

	assert_int_equal(wp_fetch(&l->ctx, l->s, &in, &out, &err), WP_E_DIGEST);
	assert_non_null(strstr(err.where, FILELOCK));
}

static void a_folder_of_wheels_stays_where_it_is(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/simple/", one, 1, true);
	wp_arena *a = l->ctx.arena;
	const char *path = wp_sprintf(a, "%s/folder/" FILELOCK, l->cache);
	wp_fetch_result out;
	wp_error err = {0};

	assert_ok(fetch(l, &lock, &out, &err));
	assert_ok(os_mkdirs(os_dirname(a, path), &err));
	tmp_write(path, tmp_read(a, wp_cache_path(a, l->cache, "wheels", out.wheels[0].sha256)));
	lock.wheels[0].url = wp_sprintf(a, path[0] == '/' ? "file://%s" : "file:///%s", path);
	lock.wheels[0].sha256 = NULL;
	assert_ok(fetch(l, &lock, &out, &err));
	assert_int_equal(out.lock.wheels[0].digest, WP_DIGEST_LOCAL);
	assert_int_equal(strlen(out.wheels[0].sha256), WP_SHA256_HEX);
	lock.wheels[0].sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
	refused(l, &lock, WP_E_DIGEST, "the lock says 0000");
}

/* ---- transport ---------------------------------------------------------------------------- */

static void fetched_with(lab *l, const char *words, uint64_t more)
{
	wp_lock_doc lock = lock_of(l, wp_sprintf(l->ctx.arena, "/with/%s/json/", words), big, 1, false);
	wp_fetch_result out;
	wp_error e;

	if (fetch(l, &lock, &out, &e))
		fail_msg("%s: %s %s %s", words, wp_code_name(e.code), e.where, e.why);
	assert_true(out.bytes_downloaded == out.wheels[0].size + more);
	assert_int_equal(partial_files(l), 0);
	forget(l, "wheels", out.wheels[0].sha256);
}

static void what_breaks_off_goes_on(void **state)
{
	lab *l = *state;
	const char *log;

	l->o.net.retries = 4;
	lab_log(l, "/log/reset");
	fetched_with(l, "cutonce=1000000", 0);
	log = lab_log(l, "/log");
	assert_non_null(strstr(log, "\"range\": \"bytes=1000000-\""));
	assert_int_equal(lab_count(log, "if-range"), 1);
	fetched_with(l, "cut=1200000", 0);
	fetched_with(l, "cutonce=1000000,noetag", 0);
	fetched_with(l, "cutonce=1000000,norange", 1000000);
	fetched_with(l, "cutonce=1000000,changed", 1000000);
	fetched_with(l, "cutonce=1000000,nodigest", 0);
	fetched_with(l, "fail=2,as=big", 0);
	fetched_with(l, "redirectfiles", 0);
}

static void what_always_breaks_off_is_given_up(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/with/cut=1000/json/", big, 1, false);

	refused(l, &lock, WP_E_NETWORK, "");
	assert_int_equal(partial_files(l), 1); /* kept */
}

static void the_next_run_goes_on(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/with/cut=400000/json/", big, 1, false);
	wp_fetch_result out;
	wp_error e;

	refused(l, &lock, WP_E_NETWORK, "");
	lock = lock_of(l, "/json/", big, 1, false);
	lab_log(l, "/log/reset");
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(out.bytes_downloaded == out.wheels[0].size - 800000);
	assert_non_null(strstr(lab_log(l, "/log"), "\"range\": \"bytes=800000-\""));
}

static void a_partial_file_of_something_else(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", big, 1, false);
	wp_arena *a = l->ctx.arena;
	const char *path = wp_sprintf(a, "%s/partial/%s", l->cache, lock.wheels[0].sha256);
	wp_fetch_result out;
	wp_error err = {0};
	wp_buf b;

	assert_ok(os_mkdirs(os_dirname(a, path), &err));
	tmp_write(path, WP_LIT("this is not the start of that wheel"));
	assert_ok(fetch(l, &lock, &out, &err));
	forget(l, "wheels", out.wheels[0].sha256);
	wp_buf_init(&b, 8 << 20);
	while (b.n < out.wheels[0].size + 5)
		wp_buf_puts(&b, "longer than that wheel ");
	tmp_write(path, wp_buf_view(&b));
	wp_buf_free(&b);
	assert_ok(fetch(l, &lock, &out, &err));
	assert_true(out.bytes_downloaded == out.wheels[0].size);
}

static void a_partial_file_that_is_whole(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", big, 1, false);
	wp_arena *a = l->ctx.arena;
	const char *path = wp_sprintf(a, "%s/partial/%s", l->cache, lock.wheels[0].sha256);
	wp_fetch_result out;
	wp_error err = {0};

	assert_ok(fetch(l, &lock, &out, &err));
	assert_ok(os_rename(wp_cache_path(a, l->cache, "wheels", out.wheels[0].sha256), path, &err));
	assert_ok(fetch(l, &lock, &out, &err));
	assert_true(out.bytes_downloaded == 0);
}

static const char *const pytorch[] = {"download.pytorch.org", "download-r2.pytorch.org"};

static wp_lock_doc lock_pytorch(lab *l, const char *words)
{
	static const char *const torch[] = {"torch-2.7.1+cu126-cp312-cp312-win_amd64.whl"};

	l->o.net.proxy = lab_server.base;
	l->o.net.trusted_hosts = pytorch;
	l->o.net.ntrusted_hosts = 2;
	return lock_of(l, wp_sprintf(l->ctx.arena, "http://download.pytorch.org%s/whl/cu126/", words), torch, 1, true);
}

static void the_other_host_has_the_right_bytes(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_pytorch(l, "/with/badhost=download-r2.pytorch.org");
	wp_fetch_result out;
	wp_error e;

	assert_non_null(strstr(lock.wheels[0].url, "download-r2"));
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(out.bytes_downloaded == 2 * out.wheels[0].size);
	lock = lock_pytorch(l, "/with/downhost=download-r2.pytorch.org");
	forget(l, "wheels", out.wheels[0].sha256);
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(out.bytes_downloaded == out.wheels[0].size);
}

static void ctrl_c_keeps_what_has_come(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/with/rate=2000000/json/", big, 1, false);
	atomic_int stop = 0;
	wp_fetch_result out;
	wp_error e;

	l->ctx.cancel = &stop;
	atomic_store(&stop, 1);
	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_INTERRUPTED);
	assert_int_equal(partial_files(l), 0); /* nothing had come */
	assert_non_null(strstr(e.state, "0 of 1 wheel is complete"));
}

static void stop_later(void *user, const wp_progress *p)
{
	if (p->bytes > 200000)
		atomic_store((atomic_int *)user, 1);
}

static void ctrl_c_in_the_middle(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/with/rate=2000000/json/", big, 1, false);
	atomic_int stop = 0;
	wp_fetch_result out;
	wp_error e;

	l->ctx.cancel = &stop;
	l->ctx.progress = stop_later;
	l->ctx.progress_user = &stop;
	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_INTERRUPTED);
	assert_int_equal(partial_files(l), 1);
	atomic_store(&stop, 0);
	l->ctx.progress = NULL;
	lock = lock_of(l, "/json/", big, 1, false);
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(out.bytes_downloaded < out.wheels[0].size - 200000);
}

static void stop_soon(void *user)
{
	os_sleep_ms(30);
	atomic_store((atomic_int *)user, 1);
}

/* The check hears of it first, and ends before anybody else has looked. */
static void ctrl_c_in_a_check(void **state)
{
	enum { SIZE = 64 << 20 };
	lab *l = *state;
	wp_arena *a = l->ctx.arena;
	const char *zeros = memset(wp_alloc(a, SIZE), 0, SIZE);
	mw_member member = {.name = "slow/zeros", .data = zeros, .n = SIZE};
	mw_wheel wheel = {.project = "slow", .version = "1.0", .members = &member, .n = 1};
	mw_made made = mw_write(a, l->cache, &wheel);
	wp_lock_wheel w = {.project = "slow", .version = "1.0", .filename = made.filename, .size = -1,
		.url = wp_sprintf(a, l->cache[0] == '/' ? "file://%s/%s" : "file:///%s/%s", l->cache, made.filename)};
	wp_lock_doc lock = {.wheels = &w, .nwheels = 1};
	atomic_int stop = 0;
	os_thread *thread;
	wp_fetch_result out;
	wp_error e, err = {0};

	lab_open(l);
	l->ctx.cancel = &stop;
	assert_ok(os_thread_start(&thread, stop_soon, &stop, &err));
	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_INTERRUPTED);
	os_thread_join(thread);
	assert_string_equal(e.why, "stopped by the user");
	assert_non_null(strstr(e.state, "0 of 1 wheel is complete"));
}

/* What this program does when it is started as `t_transfer BASE CACHE`: 10 where it fetched the wheel, 20 where it found it. */
static int somebody_else(const char *base, const char *cache)
{
	lab *l = lab_make(&lab_server);
	wp_fetch_result out;
	wp_lock_doc lock;
	wp_error err;
	int code;

	snprintf(lab_server.base, sizeof lab_server.base, "%s", base);
	l->o.cache_dir = cache;
	lock = lock_of(l, "/with/rate=4000000/json/", big, 1, false);
	code = fetch(l, &lock, &out, &err) ? 1 : out.bytes_downloaded > 0 ? 10 : 20;
	lab_drop(l);
	return code;
}

typedef struct other {
	wp_arena *a;
	const char *cache;
	os_run_result result;
	wp_error err;
} other;

static void run_other(void *arg)
{
	other *o = arg;
	const char *self;

	if (os_self_path(o->a, &self, &o->err) == 0)
		os_run(o->a, &(os_run_request){.argv = (const char *const[]){self, lab_server.base, o->cache, NULL}},
			&o->result, &o->err);
}

static void somebody_else_fetches_the_same(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/with/rate=4000000/json/", big, 1, false);
	other o = {.a = wp_arena_new(), .cache = l->cache};
	wp_fetch_result out;
	wp_error err = {0};
	os_thread *t;

	assert_ok(os_thread_start(&t, run_other, &o, &err));
	assert_ok(fetch(l, &lock, &out, &err));
	os_thread_join(t);
	assert_ok(o.err.code);
	assert_int_equal(o.result.exit_code, out.bytes_downloaded > 0 ? 20 : 10); /* one of the two */
	wp_arena_free(o.a);
}

/* ---- what is wrong ------------------------------------------------------------------------ */

static void bad_wheels(void **state)
{
	static const struct {
		const char *index, *file;
		bool solved;
		wp_code code;
		const char *why;
	} cases[] = {
		{"/with/wrongdigest/json/", FILELOCK, false, WP_E_DIGEST, "the index promises 0000"},
		{"/json/", BAD_RECORD, false, WP_E_RECORD, "RECORD"},
		{"/json/", DAMAGED, false, WP_E_ZIP, ""},
		{"/json/", ESCAPES, false, WP_E_PATH, ""},
		{"/json/", OTHER, true, WP_E_METADATA, "is not the one that was solved with"},
		{"/with/filestatus=404/json/", FILELOCK, false, WP_E_HTTP, "404"},
		{"/with/filestatus=403/json/", FILELOCK, false, WP_E_HTTP, "403"},
		{"/with/filestatus=203/json/", FILELOCK, false, WP_E_HTTP, "203"},
		{"/with/filestatus=206/json/", FILELOCK, false, WP_E_HTTP, "206"},
		{"/with/filestatus=304/json/", FILELOCK, false, WP_E_HTTP, "304"},
	};
	lab *l = *state;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		wp_lock_doc lock = lock_of(l, cases[i].index, &cases[i].file, 1, cases[i].solved);

		refused(l, &lock, cases[i].code, cases[i].why);
		assert_int_equal(partial_files(l), 0);
	}
}

static void a_size_that_cannot_be_names_who_says_so(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/with/length=4000000000000000000/json/", one, 1, false);
	wp_fetch_result out;
	wp_error e;

	if (os_is_windows()) /* nothing is reserved there */
		skip();
	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_HTTP);
	assert_non_null(strstr(e.why, "has 4000000000000000000 bytes, the index says "));
	assert_non_null(strstr(e.where, "/files/" FILELOCK));
	lock = lock_of(l, "/with/length=4000000000000000000,nosize/json/", one, 1, false);
	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_DISK_FULL);
	assert_non_null(strstr(e.why, "has 4000000000000000000 bytes, and "));
	assert_non_null(strstr(e.why, " bytes are free"));
	assert_non_null(strstr(e.where, "/files/" FILELOCK));
}

static void the_error_names_member_and_file(void **state)
{
	static const char *const names[] = {BAD_RECORD};
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", names, 1, false);
	wp_fetch_result out;
	wp_error e;

	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_RECORD);
	assert_non_null(strstr(e.where, BAD_RECORD));
	assert_non_null(strstr(e.where, "bad_record/b.py"));
}

static void a_wrong_record_is_taken_where_it_is_allowed(void **state)
{
	static const char *const names[] = {FILELOCK, WRONG_RECORD}, *const allowed[] = {"wrong-record", "filelock"};
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", names, 2, true);
	wp_fetch_request in = {.lock = &lock, .allow_wrong_record = allowed, .nallow_wrong_record = 2};
	wp_fetch_result out;
	wp_error err = {0}, e;
	int round;

	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_RECORD);
	assert_non_null(strstr(e.next, "--allow-wrong-record wrong-record"));
	for (round = 0; round < 2; round++) { /* the second from the cache */
		assert_ok(wp_fetch(&l->ctx, l->s, &in, &out, &err));
		assert_int_equal(out.wheels[0].exceptions.n, 0);
		assert_int_equal(out.wheels[1].exceptions.n, 2);
		assert_string_equal(out.wheels[1].exceptions.v[0].path, "wrong_record-1.0.dist-info/METADATA");
		assert_int_equal(out.findings.n, 2);
		assert_string_equal(out.findings.v[0].code, "N205");
		assert_int_equal(out.findings.v[0].severity, WP_WARNING);
		assert_string_equal(out.findings.v[0].files[1], "wrong_record/late.py");
		assert_string_equal(out.findings.v[1].code, "N206");
	}
	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_RECORD); /* what was allowed once isn't for ever */
}

static void bad_wheels_do_not_stop_the_others(void **state)
{
	static const char *const names[] = {FILELOCK, DAMAGED, BIG, BAD_RECORD};
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", names, 4, false);
	wp_fetch_result out;
	uint64_t size;
	wp_error e;

	assert_int_equal(fetch(l, &lock, &out, &e), WP_E_ZIP); /* the first in the lock */
	assert_int_equal(out.findings.n, 2);
	assert_int_equal(wp_findings_errors(&out.findings), 2);
	assert_string_equal(out.findings.v[1].code, "WP_E_RECORD");
	assert_non_null(wp_cache_wheel(l->ctx.arena, l->cache, lock.wheels[2].sha256, &size));
	assert_non_null(strstr(e.state, "2 of 4"));
}

static void noted_as_damaged(const wp_fetch_result *out, const char *word)
{
	assert_true(out->bytes_downloaded == out->wheels[0].size && !out->wheels[0].cached);
	assert_int_equal(out->findings.n, 1);
	assert_string_equal(out->findings.v[0].code, "N204");
	assert_non_null(strstr(out->findings.v[0].why, word));
}

/* The wheel in the cache with other bytes and of n more bytes. */
static void damage(lab *l, const char *sha256, size_t n)
{
	const char *path = wp_cache_path(l->ctx.arena, l->cache, "wheels", sha256);
	wp_str text = tmp_read(l->ctx.arena, path);
	wp_buf b;

	wp_buf_init(&b, 1 << 20);
	wp_buf_add(&b, text.p, text.n);
	b.p[40] ^= 1;
	while (n--)
		wp_buf_putc(&b, 'x');
	tmp_write(path, wp_buf_view(&b));
	wp_buf_free(&b);
}

static void a_cached_wheel_that_went_bad_is_fetched_again(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", one, 1, true);
	wp_fetch_request in = {.lock = &lock, .recheck = true};
	wp_fetch_result out;
	wp_error e;

	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	damage(l, lock.wheels[0].sha256, 0);
	forget(l, "checked", out.wheels[0].sha256);
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	noted_as_damaged(&out, "its sha256 is ");
	damage(l, lock.wheels[0].sha256, 0); /* checked before: hashed for recheck alone */
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	assert_true(out.wheels[0].cached);
	assert_int_equal(wp_fetch(&l->ctx, l->s, &in, &out, &e), 0);
	noted_as_damaged(&out, "its sha256 is ");
	assert_int_equal(wp_fetch(&l->ctx, l->s, &in, &out, &e), 0);
	assert_true(out.wheels[0].cached && out.findings.n == 0);
	damage(l, lock.wheels[0].sha256, 3);
	assert_int_equal(fetch(l, &lock, &out, &e), 0);
	noted_as_damaged(&out, " bytes, not ");
	damage(l, lock.wheels[0].sha256, 3);
	l->o.net.offline = true;
	lab_open(l);
	refused(l, &lock, WP_E_NETWORK, "offline");
}

static void refetch_trusts_no_cache(void **state)
{
	static const char *const projects[] = {"filelock"};
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", three, 3, false);
	wp_fetch_request in = {.lock = &lock, .refetch = projects, .nrefetch = 1};
	wp_fetch_result out;
	wp_error err = {0};

	assert_ok(fetch(l, &lock, &out, &err));
	assert_ok(wp_fetch(&l->ctx, l->s, &in, &out, &err));
	assert_true(out.bytes_downloaded == out.wheels[1].size);
	assert_true(out.wheels[0].cached && !out.wheels[1].cached);
}

static void no_room_for_the_cache(void **state)
{
	lab *l = *state;
	wp_lock_doc lock = lock_of(l, "/json/", one, 1, false);
	wp_fetch_result out;
	wp_error e;

	tmp_write(os_join(l->ctx.arena, l->cache, "partial"), WP_LIT("in the way"));
	assert_int_not_equal(fetch(l, &lock, &out, &e), 0);
	assert_int_equal(wp_code_exit(e.code), WP_EXIT_ENVIRONMENT);
}

#define T(f) cmocka_unit_test_setup_teardown(f, lab_set_up, lab_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T(wheels_come_and_are_checked),
		T(one_job_is_enough),
		T(nothing_to_fetch),
		T(a_missing_digest_is_filled_in),
		T(required_digests),
		T(a_folder_of_wheels_stays_where_it_is),
		T(what_breaks_off_goes_on),
		T(what_always_breaks_off_is_given_up),
		T(the_next_run_goes_on),
		T(a_partial_file_of_something_else),
		T(a_partial_file_that_is_whole),
		T(the_other_host_has_the_right_bytes),
		T(ctrl_c_keeps_what_has_come),
		T(ctrl_c_in_the_middle),
		T(ctrl_c_in_a_check),
		T(somebody_else_fetches_the_same),
		T(bad_wheels),
		T(a_size_that_cannot_be_names_who_says_so),
		T(the_error_names_member_and_file),
		T(a_wrong_record_is_taken_where_it_is_allowed),
		T(bad_wheels_do_not_stop_the_others),
		T(a_cached_wheel_that_went_bad_is_fetched_again),
		T(refetch_trusts_no_cache),
		T(no_room_for_the_cache),
	};

	if (argc == 3)
		return somebody_else(argv[1], argv[2]);
	if (!server_possible())
		return 0;
	return cmocka_run_group_tests_name("transfer", tests, lab_begin, lab_end);
}

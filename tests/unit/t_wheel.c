/* SPDX-License-Identifier: MIT */
#include "ext/hash.h"
#include "unit/tmp.h"
#include "unit/zipmake.h"
#include "wheel/wheel.h"
#include "wheelpack/lock.h"

static wp_arena *a;
static wp_error err;

static int setup(void **state)
{
	(void)state;
	a = wp_arena_new();
	err = (wp_error){0};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wp_arena_free(a);
	return 0;
}

/* ---- the odd wheels of tests/wheels/make_odd.py -------------------------------------------- */

static int read_members(const wp_wheel *w)
{
	wp_unpacker *u = wp_unpacker_new();
	size_t i;

	for (i = 0; i < w->n && !err.code; i++)
		wp_member_read(u, w, &w->members[i], NULL, NULL, NULL, &err);
	wp_unpacker_free(u);
	return err.code;
}

static const char *codes(const wp_findings *f)
{
	const char *text = f->n ? f->v[0].code : "ok";
	size_t i;

	for (i = 1; i < f->n; i++)
		text = wp_sprintf(a, "%s,%s", text, f->v[i].code);
	return text;
}

/* "ok", the codes of the warnings or the name of that of the refusal. */
static const char *verdict(const char *path, wp_names names, wp_findings *findings)
{
	wp_blob blob;
	wp_wheel w;

	err = (wp_error){0};
	*findings = (wp_findings){0};
	if (os_blob(path, &blob, &err))
		return "no such file";
	if (!wp_wheel_open(a, os_basename(path), &blob, names, NULL, &w, findings, &err))
		read_members(&w);
	blob.close(blob.self);
	if (err.code)
		return wp_code_name(err.code);
	return codes(findings);
}

/* One line of list.txt; false where the verdict is another. */
static bool judge(const char *dir, wp_str line)
{
	wp_str file, target, want;
	wp_findings f;
	const char *is, *name;

	wp_str_split(&line, '\t', &file);
	wp_str_split(&line, '\t', &target);
	wp_str_split(&line, '\t', &want);
	name = wp_sprintf(a, "'%s'", os_basename(wp_str_dup(a, file)));
	is = verdict(os_join(a, dir, wp_str_dup(a, file)), wp_names_of(wp_str_dup(a, target)), &f);
	/* A refusal names the wheel first, and says why. */
	if (wp_str_is(want, is) && (!err.code || (wp_starts(err.where, name) && err.why[0])))
		return true;
	print_message("%.*s for %.*s: %s instead of %.*s %s | %s | %s\n", (int)file.n, file.p, (int)target.n, target.p,
		is, (int)want.n, want.p, err.where, err.why, f.n ? f.v[0].why : "");
	return false;
}

#ifdef _WIN32
/* tests/wine_unit.sh has made them. */
static const char *odd_wheels(void)
{
	const char *dir = os_getenv("WHEELPACK_TEST_ODD");

	if (!dir)
		skip();
	return dir;
}
#else
static const char *odd_wheels(void)
{
	const char *dir = tmp_make(a);
	const char *argv[] = {"/usr/bin/env", "python3", "tests/wheels/make_odd.py", dir, NULL};
	os_run_request request = {.argv = argv};
	os_run_result result;

	assert_ok(os_run(a, &request, &result, &err));
	if (result.exit_code == 127)
		skip();
	if (result.exit_code)
		fail_msg("%.*s", (int)result.err.n, result.err.p);
	return dir;
}
#endif

static void every_odd_wheel_gets_its_verdict(void **state)
{
	const char *dir = odd_wheels();
	wp_str list, line;
	size_t bad = 0, n = 0;

	(void)state;
	assert_ok(os_read_file(a, os_join(a, dir, "list.txt"), 1 << 20, &list, &err));
	for (; wp_str_line(&list, &line); n++)
		bad += !judge(dir, line);
	tmp_remove(dir);
	assert_true(n > 400);
	assert_int_equal(bad, 0);
}

/* ---- one wheel in detail ------------------------------------------------------------------- */

static const char filename[] = "demo-1.0-py3-none-any.whl";
static mem_blob mem;
static zip_maker zip;

static void put_row(wp_buf *record, const char *name, wp_str data)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	wp_hash *h = wp_hash_new(WP_SHA256);
	unsigned char d[WP_HASH_MAX + 1] = {0};
	size_t i;

	wp_hash_add(h, data.p, data.n);
	wp_hash_end(h, d);
	wp_hash_free(h);
	d[32] = 0;
	wp_buf_printf(record, "%s,sha256=", name);
	for (i = 0; i < 43; i++) {
		size_t bit = i * 6;
		unsigned two = (unsigned)d[bit / 8] << 8 | d[bit / 8 + 1];

		wp_buf_putc(record, digits[two >> (10 - bit % 8) & 63]);
	}
	wp_buf_printf(record, ",%zu\n", data.n);
}

static void put_member(wp_buf *record, const char *name, wp_str data, uint32_t mode)
{
	zip_add(&zip, &(zip_item){.name = name, .data = data.p, .data_n = data.n, .mode = mode});
	put_row(record, name, data);
}

/* A wheel with one 1.5 MB member, a script and an entry point. */
static wp_blob *make(void)
{
	static char big[1500000];
	wp_buf record;
	size_t i;

	for (i = 0; i < sizeof big; i++)
		big[i] = (char)(i * 31 >> 3);
	wp_buf_init(&record, 1 << 20);
	zip_begin(&zip);
	put_member(&record, "demo/big.bin", (wp_str){big, sizeof big}, 0100644);
	put_member(&record, "demo/tool", WP_LIT("x"), 0100755);
	put_member(&record, "demo-1.0.data/scripts/run", WP_LIT("#!python\n"), 0100644);
	put_member(&record, "demo-1.0.data/headers/d.h", WP_LIT("int x;\n"), 0100644);
	put_member(&record, "demo-1.0.dist-info/WHEEL",
		WP_LIT("Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n"), 0100644);
	put_member(&record, "demo-1.0.dist-info/METADATA", WP_LIT("Metadata-Version: 2.1\nName: Demo\nVersion: 1.0\n"
								  "Requires-Dist: filelock\n"), 0100644);
	put_member(&record, "demo-1.0.dist-info/entry_points.txt", WP_LIT("[console_scripts]\ndemo = demo:main\n"),
		0100644);
	wp_buf_puts(&record, "demo-1.0.dist-info/RECORD,,\n");
	zip_add(&zip, &(zip_item){.name = "demo-1.0.dist-info/RECORD", .data = record.p, .data_n = record.n});
	wp_buf_free(&record);
	zip_end(&zip, false, "");
	return mem_open(&mem, zip.out.p, zip.out.n);
}

static const wp_member *member(const wp_wheel *w, const char *name)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (wp_streq(w->members[i].name, name))
			return &w->members[i];
	fail_msg("no member %s", name);
	return NULL;
}

static void an_open_wheel_tells_what_goes_where(void **state)
{
	wp_findings f = {0};
	wp_wheel w;

	(void)state;
	assert_ok(wp_wheel_open(a, filename, make(), WP_NAMES_WINDOWS, NULL, &w, &f, &err));
	assert_int_equal(f.n, 0);
	assert_string_equal(w.dist_info, "demo-1.0.dist-info");
	assert_string_equal(w.data_dir, "demo-1.0.data");
	assert_string_equal(w.name.project, "demo");
	assert_string_equal(w.metadata.name, "Demo");
	assert_int_equal(w.metadata.nrequires_dist, 1);
	assert_int_equal(w.entry_points.n, 1);
	assert_int_equal(w.n, 8);
	assert_true(w.total > 1500000 && w.total < 1502000);
	assert_int_equal(member(&w, "demo/big.bin")->scheme, WP_PLATLIB);
	assert_false(member(&w, "demo/big.bin")->executable);
	assert_true(member(&w, "demo/tool")->executable);
	assert_int_equal(member(&w, "demo-1.0.data/scripts/run")->scheme, WP_SCRIPTS);
	assert_string_equal(member(&w, "demo-1.0.data/scripts/run")->path, "run");
	assert_true(member(&w, "demo-1.0.data/scripts/run")->executable);
	assert_int_equal(member(&w, "demo-1.0.data/headers/d.h")->scheme, WP_HEADERS);
	assert_null(member(&w, "demo-1.0.dist-info/RECORD")->row);
	assert_non_null(member(&w, "demo-1.0.dist-info/WHEEL")->row);
	zip_free(&zip);
}

typedef struct collector {
	size_t n, calls;
	bool refuse;
} collector;

static int collect(void *user, const void *p, size_t n, wp_error *e)
{
	collector *c = user;

	(void)p;
	c->n += n;
	c->calls++;
	return c->refuse ? wp_fail(e, WP_E_DISK_FULL, "no room") : 0;
}

static void a_member_is_streamed_and_hashed(void **state)
{
	unsigned char sum[32];
	wp_unpacker *u = wp_unpacker_new();
	const wp_member *m;
	collector c = {0};
	wp_wheel w;
	wp_str text;

	(void)state;
	assert_ok(wp_wheel_open(a, filename, make(), WP_NAMES_UNIX, NULL, &w, NULL, &err));
	m = member(&w, "demo/big.bin");
	assert_ok(wp_member_read(u, &w, m, collect, &c, sum, &err));
	assert_int_equal(c.n, 1500000);
	assert_memory_equal(sum, m->row->digest, 32);
	assert_true(c.calls > 3);
	assert_ok(wp_member_text(u, a, &w, member(&w, "demo-1.0.data/headers/d.h"), 100, &text, &err));
	assert_string_equal(text.p, "int x;\n");
	assert_int_equal(wp_member_text(u, a, &w, m, 100, &text, &err), WP_E_TOO_LARGE);
	err = (wp_error){0};
	c.refuse = true;
	assert_int_equal(wp_member_read(u, &w, m, collect, &c, sum, &err), WP_E_DISK_FULL);
	assert_string_equal(err.where, "'demo-1.0-py3-none-any.whl', 'demo/big.bin'");
	wp_unpacker_free(u);
	zip_free(&zip);
}

static void a_changed_byte_is_named_with_its_line(void **state)
{
	wp_unpacker *u = wp_unpacker_new();
	const wp_member *m;
	wp_wheel w;

	(void)state;
	assert_ok(wp_wheel_open(a, filename, make(), WP_NAMES_UNIX, NULL, &w, NULL, &err));
	m = member(&w, "demo/tool");
	zip.out.p[m->entry->data_offset] = 'y';
	assert_int_equal(wp_member_read(u, &w, m, NULL, NULL, NULL, &err), WP_E_RECORD);
	assert_string_equal(err.where, "'demo-1.0-py3-none-any.whl', RECORD line 2, 'demo/tool'");
	assert_string_equal(err.why, "sha256 is a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa, RECORD "
				     "promises 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881");
	wp_unpacker_free(u);
	zip_free(&zip);
}

static void the_promised_record_is_held(void **state)
{
	char other[WP_SHA256_HEX + 1];
	wp_record_pin pin = {0};
	wp_wheel w;

	(void)state;
	assert_ok(wp_wheel_open(a, filename, make(), WP_NAMES_UNIX, NULL, &w, NULL, &err));
	pin.sha256 = w.record_sha256;
	assert_ok(wp_wheel_open(a, filename, &mem.blob, WP_NAMES_UNIX, &pin, &w, NULL, &err));
	wp_sha256_hex(WP_LIT("other"), other);
	pin.sha256 = other;
	assert_int_equal(wp_wheel_open(a, filename, &mem.blob, WP_NAMES_UNIX, &pin, &w, NULL, &err), WP_E_RECORD);
	assert_string_equal(err.where, "'demo-1.0-py3-none-any.whl', 'demo-1.0.dist-info/RECORD'");
	zip_free(&zip);
}

static void metadata_takes_two_reads_of_the_end(void **state)
{
	wp_str text;

	(void)state;
	make();
	assert_ok(wp_wheel_metadata(a, filename, &mem.blob, &text, &err));
	assert_true(wp_str_starts(text, "Metadata-Version: 2.1\nName: Demo\n"));
	if (mem.reads != 1 || mem.bytes > 65536) /* all of dist-info is in the last 64 KB */
		fail_msg("%zu reads of %zu bytes", mem.reads, mem.bytes);
	assert_int_equal(wp_wheel_metadata(a, "demo-2.0-py3-none-any.whl", &mem.blob, &text, &err), WP_E_METADATA);
	zip_free(&zip);
}

static void metadata_far_from_the_end_takes_one_more_read(void **state)
{
	static char padding[200000];
	char name[40];
	wp_str text;
	int i;

	(void)state;
	zip_begin(&zip);
	zip_add(&zip, &(zip_item){.name = "demo-1.0.dist-info/METADATA", .data = "Name: demo\n"});
	zip_add(&zip, &(zip_item){.name = "demo/big", .data = padding, .data_n = sizeof padding});
	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof name, "demo/%d.py", i);
		zip_add(&zip, &(zip_item){.name = name, .data = "x"});
	}
	zip_end(&zip, false, "");
	assert_ok(wp_wheel_metadata(a, filename, mem_open(&mem, zip.out.p, zip.out.n), &text, &err));
	assert_true(wp_str_is(text, "Name: demo\n"));
	assert_int_equal(mem.reads, 3);
	zip_free(&zip);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_odd_wheel_gets_its_verdict),
		T(an_open_wheel_tells_what_goes_where),
		T(a_member_is_streamed_and_hashed),
		T(a_changed_byte_is_named_with_its_line),
		T(the_promised_record_is_held),
		T(metadata_takes_two_reads_of_the_end),
		T(metadata_far_from_the_end_takes_one_more_read),
	};

	return cmocka_run_group_tests_name("wheel", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "unit/install_world.h"

/* ---- what is installed ---------------------------------------------------------------------- */

static void each_scheme_has_its_place(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m[] = {
		{.name = "pkg/__init__.py", .data = "x = 1\n"},
		{.name = "pkg/run.sh", .data = "#!/bin/sh\n", .mode = 0104777},
		{.name = "pkg/ro.txt", .data = "r", .mode = 0100444},
		{.name = "pkg-1.0.data/platlib/pkg/lib.so", .data = "ELF"},
		{.name = "pkg-1.0.data/purelib/pkg/pure.py", .data = "y = 2\n"},
		{.name = "pkg-1.0.data/scripts/tool", .data = "#!python -u\nprint(1)\n"},
		{.name = "pkg-1.0.data/data/share/doc/pkg.txt", .data = "doc"},
		{.name = "pkg-1.0.data/data/lib64/extra.txt", .data = "64"},
		{.name = "pkg-1.0.data/headers/pkg.h", .data = "int x;\n"},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = sizeof m / sizeof *m,
		.entry_points = "[console_scripts]\ncmd = pkg.cli:main.run\n[gui_scripts]\nwin = pkg:win\n"};

	add(w, &v);
	assert_ok(install(w, &err));
	is_text(w, SITE "/pkg/__init__.py", "x = 1\n");
	is_text(w, SITE "/pkg/lib.so", "ELF");
	is_text(w, SITE "/pkg/pure.py", "y = 2\n");
	is_text(w, "bin/tool", wp_sprintf(w->a, "#!%s/bin/python\nprint(1)\n", w->venv));
	is_text(w, "share/doc/pkg.txt", "doc");
	is_text(w, "lib/extra.txt", "64");
	is_text(w, "include/site/python3.12/pkg/pkg.h", "int x;\n");
	is_text(w, "bin/cmd", wp_sprintf(w->a, "#!%s/bin/python\nimport sys\n\nfrom pkg.cli import main\n\n"
		"if __name__ == \"__main__\":\n    sys.exit(main.run())\n", w->venv));
	assert_true(os_is_file(in_venv(w, "bin/win")));
	is_text(w, SITE "/pkg-1.0.dist-info/INSTALLER", "wheelpack\n");
	is_text(w, SITE "/pkg-1.0.dist-info/REQUESTED", "");
	assert_int_equal(mode_of(w, SITE "/pkg/run.sh"), 0755);
	assert_int_equal(mode_of(w, SITE "/pkg/ro.txt"), 0644);
	assert_int_equal(mode_of(w, "bin/tool"), 0755);
	assert_int_equal(mode_of(w, "bin/cmd"), 0755);
	assert_true(w->out.created);
	assert_int_equal(w->out.distributions, 1);
	assert_int_equal(w->out.scripts, 3);
	assert_string_equal(w->out.venv, w->venv);
}

/* Every row of RECORD is a file with that digest and size, sorted, and RECORD itself stands there bare. */
static size_t check_record(world *w, const char *dist_info)
{
	wp_str text = tmp_read(w->a, in_venv(w, wp_sprintf(w->a, SITE "/%s/RECORD", dist_info))), line;
	const char *last = "";
	size_t n = 0;

	assert_null(strchr(text.p, '\r'));
	while (wp_str_line(&text, &line)) {
		wp_str path, digest, size, rest = line;
		wp_str body;

		assert_true(wp_str_split(&rest, ',', &path) && wp_str_split(&rest, ',', &digest) &&
			wp_str_split(&rest, ',', &size));
		assert_true(strcmp(last, wp_str_dup(w->a, path)) < 0);
		last = wp_str_dup(w->a, path);
		body = tmp_read(w->a, in_venv(w, wp_sprintf(w->a, SITE "/%s", last)));
		n++;
		if (wp_ends(last, "/RECORD")) {
			assert_int_equal(digest.n + size.n, 0);
			continue;
		}
		assert_string_equal(wp_str_dup(w->a, digest), mw_row_digest(w->a, body));
		assert_string_equal(wp_str_dup(w->a, size), wp_sprintf(w->a, "%zu", body.n));
	}
	return n;
}

static void the_record_is_what_lies_there(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m[] = {
		{.name = "pkg/b.py", .data = "b"},
		{.name = "pkg/a.py", .data = "a", .deflate = true},
		{.name = "pkg-1.0.data/scripts/tool", .data = "#!python\n"},
		{.name = "pkg-1.0.data/data/etc/x.conf", .data = "c"},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = 4,
		.entry_points = "[console_scripts]\ncmd = pkg:main\n"};

	add(w, &v);
	assert_ok(install(w, &err));
	/* 4 members, METADATA, WHEEL, entry_points.txt, cmd, INSTALLER, REQUESTED, RECORD */
	assert_int_equal(check_record(w, "pkg-1.0.dist-info"), 11);
	assert_int_equal(w->out.files, 11);
}

static void big_members_arrive_whole(void **state)
{
	enum { BIG = (5 << 20) + 12345 };
	world *w = *state;
	wp_error err = {0};
	char *data = wp_alloc(w->a, BIG);
	mw_member m[] = {
		{.name = "pkg/stored.bin", .data = data, .n = BIG},
		{.name = "pkg/packed.bin", .data = data, .n = BIG, .deflate = true},
		{.name = "pkg/page.bin", .data = data, .n = 2 << 20, .deflate = true},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = 3};
	uint32_t x = 1;
	size_t i;

	for (i = 0; i < BIG; i++)
		data[i] = (char)((x = x * 1664525 + 1013904223) >> 28);
	add(w, &v);
	w->in.no_sync = false;
	assert_ok(install(w, &err));
	assert_int_equal(check_record(w, "pkg-1.0.dist-info"), 3 + 5);
	assert_true(wp_str_eq(tmp_read(w->a, in_venv(w, SITE "/pkg/packed.bin")), (wp_str){data, BIG}));
}

static void the_receipt_tells_what_was_done(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_lock_doc lock;
	wp_str text, again;

	simple(w, "one", "1.0", "one.py", "1");
	simple(w, "two", "2.0", "two.py", "2");
	assert_ok(install(w, &err));
	assert_false(os_is_file(in_venv(w, SITE "/two-2.0.dist-info/REQUESTED")));
	text = tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json"));
	assert_non_null(strstr(text.p, "\"wheelpack.receipt/1\""));
	assert_non_null(strstr(text.p, "2026-01-02T03:04:05Z"));
	assert_true(wp_venv_lock(&w->ctx, w->venv, &lock));
	assert_int_equal(lock.nwheels, 2);
	assert_ok(wp_lock_write(w->a, &w->lock, &text, &err));
	again = tmp_read(w->a, in_venv(w, ".wheelpack/lock.json"));
	assert_true(wp_str_eq(text, again));
	tmp_write(in_venv(w, ".wheelpack/lock.json"), WP_LIT("{}"));
	assert_false(wp_venv_lock(&w->ctx, w->venv, &lock));
}

/* This one tells of itself whatever it is asked. */
static void bytecode_that_cannot_be_made_is_a_refusal(void **state)
{
	world *w = *state;

	simple(w, "pkg", "1.0", "pkg.py", "x = 1\n");
	w->in.bytecode = WP_BYTECODE_TIMESTAMPS;
	refused_everywhere(w, WP_E_NO_INTERPRETER, "said nothing usable when it had compiled '" SITE "/pkg.py'");
}

static void a_disk_that_is_full_of_bytecode_is_told_so(void **state)
{
	world *w = *state;
	wp_str text = tmp_read(w->a, w->python), line;

	assert_true(wp_str_line(&text, &line));
	tmp_script(w->python, wp_str_of(wp_sprintf(w->a, "#!/bin/sh\ncase \"$*\" in *py_compile*) "
		"echo \"[Errno 28] No space left on device: 'x.pyc'\" >&2; exit 28;; esac\n%s", text.p)));
	simple(w, "pkg", "1.0", "pkg.py", "x = 1\n");
	w->in.bytecode = WP_BYTECODE_TIMESTAMPS;
	refused_everywhere(w, WP_E_DISK_FULL, "No space left on device: 'x.pyc'");
}

static void scripts_start_the_venvs_python(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const char *first = wp_sprintf(w->a, "#!%s/bin/python\n", w->venv);
	const mw_member m[] = {
		{.name = "pkg-1.0.data/scripts/crlf", .data = "#!python\r\nx\r\n"},
		{.name = "pkg-1.0.data/scripts/alone", .data = "#!pythonw"},
		{.name = "pkg-1.0.data/scripts/env", .data = "#!/usr/bin/env python\nx\n"},
		{.name = "pkg-1.0.data/scripts/bom", .data = "\xef\xbb\xbf#!python\n"},
		{.name = "pkg-1.0.data/scripts/sub/deep", .data = "#!python3\nx\n"},
		{.name = "pkg-1.0.data/scripts/cmd", .data = "shadowed"},
		{.name = "pkg-1.0.data/scripts/cmd-script.py", .data = "shadowed"},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = 7,
		.entry_points = "[console_scripts]\ncmd = pkg:main\n"};

	add(w, &v);
	assert_ok(install(w, &err));
	is_text(w, "bin/crlf", wp_sprintf(w->a, "%sx\r\n", first));
	is_text(w, "bin/alone", first);
	is_text(w, "bin/env", "#!/usr/bin/env python\nx\n");
	is_text(w, "bin/bom", "\xef\xbb\xbf#!python\n");
	is_text(w, "bin/sub/deep", wp_sprintf(w->a, "%sx\n", first));
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, "bin/cmd")).p, "from pkg import main"));
	assert_false(os_is_file(in_venv(w, "bin/cmd-script.py")));
	assert_non_null(finding(w, "N503"));
	assert_int_equal(check_record(w, "pkg-1.0.dist-info"), 5 + 1 + 6);
}

static void a_path_with_a_space_gets_the_long_start(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m = {.name = "pkg-1.0.data/scripts/tool", .data = "#!python\nx\n"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1};

	add(w, &v);
	w->in.venv = w->venv = at(w, "home/my env");
	assert_ok(install(w, &err));
	is_text(w, "bin/tool", wp_sprintf(w->a,
		"#!/bin/sh\n'''exec' \"%s/bin/python\" \"$0\" \"$@\"\n' '''\nx\n", w->venv));
	w->in.venv = w->venv = at(w, "home/my $env");
	refused(w, WP_E_VENV, "first line");
	w->in.venv = w->venv = at(w, "home/my\nenv");
	refused(w, WP_E_VENV, "control character");
}

static void one_file_of_two_wheels_is_written_once(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "one", "1.0", "ns/__init__.py", "same");
	simple(w, "two", "1.0", "ns/__init__.py", "same");
	assert_ok(install(w, &err));
	assert_non_null(finding(w, "N501"));
	assert_int_equal(check_record(w, "one-1.0.dist-info"), 6);
	assert_int_equal(check_record(w, "two-1.0.dist-info"), 5);
	assert_int_equal(w->out.files, 10);
}

static void installer_files_of_a_wheel_are_left_out(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m[] = {
		{.name = "pkg-1.0.dist-info/INSTALLER", .data = "evil"},
		{.name = "pkg-1.0.dist-info/direct_url.json", .data = "{}"},
		{.name = "start.pth", .data = "import pkg\n"},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = 3};

	add(w, &v);
	assert_ok(install(w, &err));
	is_text(w, SITE "/pkg-1.0.dist-info/INSTALLER", "wheelpack\n");
	assert_false(os_is_file(in_venv(w, SITE "/pkg-1.0.dist-info/direct_url.json")));
	assert_non_null(finding(w, "N502"));
	check_record(w, "pkg-1.0.dist-info");
}

static void what_was_asked_for_by_address_says_so(void **state)
{
	world *w = *state;
	wp_error err = {0};
	const mw_member m = {.name = "pkg-1.0.dist-info/direct_url.json", .data = "{}"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1};

	add(w, &v);
	simple(w, "stick", "1.0", "stick.py", "x");
	w->wheels.v[0].index = "direct1";
	w->wheels.v[1].index = "direct2";
	w->wheels.v[1].url = "file:///media/stick/stick-1.0-py3-none-any.whl";
	assert_ok(install(w, &err));
	is_text(w, SITE "/pkg-1.0.dist-info/direct_url.json", wp_sprintf(w->a,
		"{\"archive_info\": {\"hashes\": {\"sha256\": \"%s\"}}, \"url\": \"https://example.org/x.whl\"}",
		w->wheels.v[0].sha256));
	assert_int_equal(check_record(w, "pkg-1.0.dist-info"), 6);
	assert_false(os_is_file(in_venv(w, SITE "/stick-1.0.dist-info/direct_url.json")));
}

static void an_empty_directory_and_missing_parents_are_fine(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "pkg", "1.0", "pkg.py", "x");
	assert_ok(os_mkdir(w->venv, &err));
	assert_ok(install(w, &err));
	assert_true(w->out.created);
	w->in.venv = w->venv = at(w, "home/a/b/../b/env/");
	assert_ok(install(w, &err));
	assert_true(os_is_file(at(w, "home/a/b/env/pyvenv.cfg")));
}

/* ---- refusals ------------------------------------------------------------------------------- */

typedef struct bad_wheel {
	wp_code code;
	const char *says;
	mw_member m[2];
	const char *headers, *tag, *entry_points;
} bad_wheel;

static void hostile_wheels_change_nothing(void **state)
{
	static const bad_wheel t[] = {
		{WP_E_PATH, "../evil.py", {{.name = "../evil.py", .data = "x"}}},
		{WP_E_PATH, "a/../../evil.py", {{.name = "a/../../evil.py", .data = "x"}}},
		{WP_E_PATH, "/tmp/evil.py", {{.name = "/tmp/evil.py", .data = "x"}}},
		{WP_E_PATH, "link", {{.name = "link", .data = "/etc", .mode = 0120777}}},
		{WP_E_PATH, "python3", {{.name = "pkg-1.0.data/scripts/python3", .data = "x"}}},
		{WP_E_PATH, "Activate.ps1", {{.name = "pkg-1.0.data/data/bin/Activate.ps1", .data = "x"}}},
		{WP_E_PATH, "pyvenv.cfg", {{.name = "pkg-1.0.data/data/pyvenv.cfg", .data = "x"}}},
		{WP_E_PATH, ".wheelpack", {{.name = "pkg-1.0.data/data/.wheelpack/lock", .data = "x"}}},
		{WP_E_WHEEL, "dist-info",
			{{.name = "pkg-1.0.data/data/" SITE "/other-1.0.dist-info/METADATA", .data = "x"}}},
		{WP_E_RECORD, "pkg.py", {{.name = "pkg.py", .data = "x", .unlisted = true}}},
		{WP_E_RECORD, "promises", {{.name = "pkg.py", .data = "x", .row = "pkg.py,sha256="
			"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,1"}}},
		{WP_E_REQUIRES_PYTHON, ">=3.13", {{.name = "pkg.py", .data = "x"}}, "Requires-Python: >=3.13\n"},
		{WP_E_WRONG_TARGET, "cp312-cp312-win_amd64", {{.name = "pkg.py", .data = "x"}}, NULL,
			"cp312-cp312-win_amd64"},
		{WP_E_WRONG_TARGET, "manylinux_2_38", {{.name = "pkg.py", .data = "x"}}, NULL,
			"cp312-cp312-manylinux_2_38_x86_64"},
		{WP_E_WHEEL, "entry_points", {{.name = "pkg.py", .data = "x"}}, NULL, NULL,
			"[console_scripts]\npython3 = pkg:main\n"},
	};
	world *w = *state;
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		mw_wheel v = {.project = "pkg", .version = "1.0", .members = t[i].m, .n = 1,
			.headers = t[i].headers, .tag = t[i].tag, .entry_points = t[i].entry_points};

		forget(w);
		add(w, &v);
		refused_everywhere(w, t[i].code, t[i].says);
	}
}

static void one_name_with_two_contents_is_refused(void **state)
{
	world *w = *state;
	const mw_member m[] = {
		{.name = "pkg.py", .data = "x"},
		{.name = "pkg.py", .data = "y", .unlisted = true},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = 2};
	const char *before;
	wp_error err = {0};

	add(w, &v);
	before = snapshot(w);
	assert_true(install(w, &err) != 0);
	assert_int_equal(wp_code_exit(err.code), WP_EXIT_INTEGRITY);
	assert_string_equal(before, snapshot(w));
}

static void the_manifest_vouches_for_the_record(void **state)
{
	world *w = *state;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	w->pins.v[0].record_sha256 = w->pins.v[0].sha256;
	refused_everywhere(w, WP_E_RECORD, "pkg-1.0");
	w->manifest.nwheels = w->pins.n = 0;
	refused(w, WP_E_BUNDLE, "does not list it");
}

static void the_manifest_vouches_for_what_record_is_wrong_about(void **state)
{
	world *w = *state;
	const mw_member m[] = {
		{.name = "pkg/a.py", .data = "a", .row = "pkg/a.py,sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA,1"},
		{.name = "pkg/b.py", .data = "b", .unlisted = true},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = 2};
	char a[WP_SHA256_HEX + 1], b[WP_SHA256_HEX + 1];
	wp_exception x[] = {{"pkg/a.py", a, 1}, {"pkg/b.py", b, 1}};
	wp_error err = {0};
	wp_drift drift;

	add(w, &v);
	wp_sha256_hex(WP_LIT("a"), a);
	wp_sha256_hex(WP_LIT("b"), b);
	refused_everywhere(w, WP_E_RECORD, "'pkg/b.py'");
	w->pins.v[0].exceptions = (wp_exceptions){x, 2};
	x[0].sha256 = b;
	refused_everywhere(w, WP_E_RECORD, "its exception from RECORD says");
	x[0].sha256 = a;
	assert_ok(install(w, &err));
	check_record(w, "pkg-1.0.dist-info");
	assert_int_equal(finding(w, "N550")->severity, WP_WARNING);
	assert_int_equal(finding(w, "N550")->nfiles, 2);
	assert_string_equal(finding(w, "N550")->why, "2 files of 'pkg-1.0-py3-none-any.whl'");
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, ".wheelpack/receipt.json")).p, b));
	assert_ok(wp_venv_check(&w->ctx, w->venv, NULL, &drift, &err));
	assert_int_equal(drift.findings.n, 0);
	assert_ok(install(w, &err));
	assert_int_equal(w->out.kept, 1);
	assert_null(finding(w, "N550"));
}

static void without_a_manifest_the_whole_wheel_is_hashed(void **state)
{
	world *w = *state;
	wp_error err = {0};
	char *zeros = wp_alloc(w->a, 65);

	simple(w, "pkg", "1.0", "pkg.py", "x");
	w->in.manifest = NULL;
	memset(zeros, '0', 64);
	w->wheels.v[0].sha256 = zeros;
	refused(w, WP_E_DIGEST, zeros);
	w->wheels.v[0].sha256 = w->pins.v[0].sha256;
	assert_ok(install(w, &err));
}

static void a_damaged_byte_is_found_while_unpacking(void **state)
{
	world *w = *state;
	const mw_member m = {.name = "pkg/data.bin", .data = "0123456789abcdef"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1};
	const char *path;
	wp_str bytes;

	add(w, &v);
	path = os_join(w->a, w->store, w->names.v[0]);
	bytes = tmp_read(w->a, path);
	((char *)bytes.p)[wp_str_find_str(bytes, WP_LIT("456789ab"))] ^= 1;
	tmp_write(path, bytes);
	refused_everywhere(w, WP_E_RECORD, "pkg/data.bin");
}

static void another_project_or_version_than_locked_is_refused(void **state)
{
	world *w = *state;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	w->wheels.v[0].version = "1.1";
	refused(w, WP_E_WHEEL, "1.1");
	w->wheels.v[0].version = "1.0";
	w->wheels.v[0].project = "other";
	refused(w, WP_E_WHEEL, "other");
}

static void a_missing_wheel_is_refused(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "pkg", "1.0", "pkg.py", "x");
	assert_ok(os_unlink(os_join(w->a, w->store, w->names.v[0]), &err));
	refused_everywhere(w, WP_E_NOT_FOUND, "pkg-1.0");
}

static void wheels_that_disagree_about_a_path_collide(void **state)
{
	world *w = *state;

	simple(w, "one", "1.0", "ns/x.py", "one");
	simple(w, "two", "1.0", "ns/x.py", "two");
	refused_everywhere(w, WP_E_COLLISION, "one-1.0-py3-none-any.whl and two-1.0-py3-none-any.whl");
	forget(w);
	simple(w, "one", "1.0", "ns", "file");
	simple(w, "two", "1.0", "ns/x.py", "two");
	refused_everywhere(w, WP_E_COLLISION, "a directory in another wheel");
}

static void another_target_is_refused(void **state)
{
	world *w = *state;
	const char *target = w->target.name;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	w->target.name = "cp313-manylinux_2_28_x86_64";
	refused(w, WP_E_WRONG_TARGET, "cp313-manylinux_2_28_x86_64");
	w->target.name = "cp312t-manylinux_2_28_x86_64";
	refused(w, WP_E_TARGET, "free-threaded");
	w->target.name = "cp312-win_amd64";
	refused(w, WP_E_WRONG_TARGET, "manylinux_2_36_x86_64");
	w->in.python = NULL;
	refused(w, WP_E_WRONG_TARGET, "this machine is");
	w->in.python = w->python;
	w->target.name = "cp312-manylinux_2_38_x86_64";
	refused(w, WP_E_WRONG_TARGET, "manylinux_2_38_x86_64");
	w->target.name = target;
	w->in.target = "cp312-win_amd64";
	refused(w, WP_E_TARGET, "has no target");
	w->in.target = NULL;
	w->in.python = at(w, "no/such/python");
	refused(w, WP_E_NO_INTERPRETER, "there is no file");
}

static void a_venv_of_another_python_than_the_one_that_is_named_is_refused(void **state)
{
	const char *other, *same;
	world *w = *state;
	wp_error err = {0};

	simple(w, "pkg", "1.0", "pkg.py", "x");
	other = at(w, "py/bin/python3.13");
	same = at(w, "py/bin/python");
	fake_python(w, other, "cp313", "3.13.1");
	fake_python(w, same, "cp312", "3.12.1");
	assert_ok(install(w, &err));
	w->in.python = other;
	refused(w, WP_E_VENV, "it has Python 3.12.7 (cp312), and ");
	refused(w, WP_E_VENV, "is Python 3.13.1 (cp313)");
	w->in.python = "3.13";
	refused(w, WP_E_VENV, "it has Python 3.12.7, '3.13' was asked for");
	w->in.python = at(w, "no/such/python");
	refused(w, WP_E_NO_INTERPRETER, "there is no '");
	w->in.python = same;
	assert_ok(install(w, &err));
}

static void of_two_targets_that_fit_one_is_named(void **state)
{
	world *w = *state;
	wp_error err = {0};
	wp_lock_doc lock;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	w->second.name = "cp312-manylinux_2_28_x86_64-cu126";
	refused(w, WP_E_TARGET, "cp312-manylinux_2_28_x86_64-cu126");
	w->second.name = "cp312-win_amd64";
	assert_ok(install(w, &err));
	w->in.venv = w->venv = at(w, "home/env2");
	w->second.name = "cp312-manylinux_2_28_x86_64-cu126";
	w->in.target = w->second.name;
	assert_ok(install(w, &err));
	assert_true(wp_venv_lock(&w->ctx, w->venv, &lock));
	assert_int_equal(lock.ntargets, 1);
	assert_string_equal(lock.targets[0].name, w->second.name);
}

static void markers_are_evaluated_on_the_real_interpreter(void **state)
{
	static const char *const request[] = {"pkg[gpu]"};
	world *w = *state;
	wp_error err = {0};
	const mw_member m = {.name = "pkg.py", .data = "x"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1};

	w->lock.requirements = request;
	w->lock.nrequirements = 1;
	v.headers = "Provides-Extra: gpu\nRequires-Dist: late; python_full_version >= \"3.12.3\" and extra == "
		    "\"gpu\"\nRequires-Dist: never; extra == \"cpu\"\n";
	add(w, &v);
	refused(w, WP_E_WRONG_TARGET, "needs late as well: pkg 1.0 requires 'late");
	forget(w);
	v.headers = "Requires-Dist: early; python_full_version < \"3.12.3\"\n";
	simple(w, "early", "1.0", "early.py", "x");
	add(w, &v);
	refused(w, WP_E_WRONG_TARGET, "does not need early: pkg 1.0 requires 'early");
	fake_python(w, w->python, "cp312", "3.12.1");
	assert_ok(install(w, &err));
}

static void the_patch_level_of_the_lock_counts(void **state)
{
	static const char *const request[] = {"pkg"};
	world *w = *state;
	wp_error err = {0};
	const mw_member m = {.name = "pkg.py", .data = "x"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1,
		.headers = "Requires-Dist: late; python_full_version >= \"3.12.3\"\n"};

	w->lock.requirements = request;
	w->lock.nrequirements = 1;
	w->target.python = "3.12.7";
	simple(w, "late", "1.0", "late.py", "x");
	add(w, &v);
	assert_ok(install(w, &err));
	w->target.python = "3.11.7";
	assert_int_equal(install(w, &err), WP_E_DOCUMENT);
}

static void a_lock_without_a_wheel_that_is_needed_is_refused(void **state)
{
	static const char *const request[] = {"pkg"};
	world *w = *state;
	const mw_member m = {.name = "pkg.py", .data = "x"};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = &m, .n = 1,
		.headers = "Requires-Dist: other\n"};

	w->lock.requirements = request;
	w->lock.nrequirements = 1;
	add(w, &v);
	refused(w, WP_E_DOCUMENT, "no wheel of other for cp312-manylinux_2_28_x86_64: pkg 1.0 requires 'other'");
	forget(w);
	refused(w, WP_E_DOCUMENT, "no wheel of pkg");
}

/* ---- the place ------------------------------------------------------------------------------ */

static void what_is_no_venv_is_left_alone(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "pkg", "1.0", "pkg.py", "x");
	tmp_write(w->venv, WP_LIT("a file"));
	refused(w, WP_E_VENV, "not a directory");
	assert_ok(os_unlink(w->venv, &err));
	assert_ok(os_mkdir(w->venv, &err));
	tmp_write(in_venv(w, "thesis.txt"), WP_LIT("only copy"));
	refused(w, WP_E_VENV, "no pyvenv.cfg");
	w->in.venv = w->venv = at(w, "home/link");
	assert_ok(os_symlink("nowhere", w->venv, &err));
	refused(w, WP_E_VENV, "leads to no directory");
	w->in.venv = w->venv = at(w, "home/a:b");
	refused(w, WP_E_VENV, "':'");
	w->in.venv = w->venv = at(w, "home/broken");
	assert_ok(os_mkdir(w->venv, &err));
	tmp_write(in_venv(w, "pyvenv.cfg"), WP_LIT("home = /nowhere\n"));
	refused(w, WP_E_VENV, "bin/python");
}

static void a_conda_environment_is_one_of_python_where_it_is_allowed(void **state)
{
	world *w = *state;
	const mw_member m[] = {
		{.name = "pkg/a.py", .data = "a"},
		{.name = "pkg-1.0.data/headers/pkg.h", .data = "h"},
		{.name = "pkg-1.0.data/data/lib64/x", .data = "x"},
	};
	mw_wheel v = {.project = "pkg", .version = "1.0", .members = m, .n = 3,
		.entry_points = "[console_scripts]\ncmd = pkg:main\n"};
	wp_error err = {0};
	wp_drift drift;

	add(w, &v);
	fake_python(w, in_venv(w, "bin/python"), "cp312", "3.12.7");
	assert_ok(os_mkdirs(in_venv(w, "conda-meta"), &err));
	assert_ok(os_mkdirs(in_venv(w, SITE), &err));
	assert_ok(os_symlink("python3.12", in_venv(w, "lib/python3.1"), &err));
	refused(w, WP_E_VENV, "it is a conda environment");
	w->in.allow_conda = w->in.beside = true;
	refused(w, WP_E_USAGE, "not of a conda environment");
	w->in.beside = false;
	assert_ok(install(w, &err));
	is_text(w, SITE "/pkg/a.py", "a");
	is_text(w, "include/python3.12/pkg/pkg.h", "h");
	is_text(w, "lib64/x", "x");
	assert_true(wp_starts(tmp_read(w->a, in_venv(w, "bin/cmd")).p, wp_sprintf(w->a, "#!%s/bin/python\n", w->venv)));
	assert_string_equal(w->out.python, in_venv(w, "bin/python"));
	assert_false(os_is_file(in_venv(w, "pyvenv.cfg")));
	check_record(w, "pkg-1.0.dist-info");
	assert_ok(wp_venv_check(&w->ctx, w->venv, NULL, &drift, &err));
	assert_int_equal(drift.findings.n, 0);
	assert_ok(install(w, &err));
	assert_int_equal(w->out.kept, 1);
}

static void a_wheel_has_no_say_in_the_account_of_conda(void **state)
{
	world *w = *state;
	const mw_member m = {.name = "pkg-1.0.data/data/conda-meta/x-1-0.json", .data = "{}"};

	add(w, &(mw_wheel){.project = "pkg", .version = "1.0", .members = &m, .n = 1});
	refused(w, WP_E_PATH, "a part of the venv itself");
}

static void parents_that_were_made_go_again(void **state)
{
	world *w = *state;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	w->pins.v[0].record_sha256 = w->pins.v[0].sha256;
	w->in.venv = w->venv = at(w, "home/a/b/env");
	refused(w, WP_E_RECORD, "pkg-1.0");
}

static void a_second_run_at_the_same_venv_is_refused(void **state)
{
	world *w = *state;
	wp_error err = {0};
	os_lock *lock;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	assert_ok(os_mkdirs(at(w, "home/.env.wheelpack-4"), &err));
	assert_ok(os_lock_take(at(w, "home/.env.wheelpack-4/lock"), &lock, &err));
	refused(w, WP_E_BUSY, wp_sprintf(w->a, "process %d", os_pid()));
	os_lock_release(lock);
	/* the same, left by a run that was killed */
	assert_ok(os_mkdirs(at(w, "home/.env.wheelpack-5"), &err));
	assert_ok(os_mkdirs(at(w, "home/.env.wheelpack-5x"), &err));
	assert_ok(install(w, &err));
	assert_false(os_is_dir(at(w, "home/.env.wheelpack-4")));
	assert_false(os_is_dir(at(w, "home/.env.wheelpack-5")));
	assert_true(os_is_dir(at(w, "home/.env.wheelpack-5x")));
	assert_ok(os_lock_take(in_venv(w, ".wheelpack/lock"), &lock, &err));
	forget(w);
	simple(w, "new", "1.0", "new.py", "x");
	refused(w, WP_E_BUSY, wp_sprintf(w->a, "process %d", os_pid()));
	os_lock_release(lock);
}

static void stop_at_first_bytes(void *user, const wp_progress *p)
{
	world *w = user;

	if (p->bytes)
		atomic_store(&w->cancel, 1);
}

static void a_stop_before_the_commit_changes_nothing(void **state)
{
	world *w = *state;
	int jobs;

	simple(w, "pkg", "1.0", "pkg.py", "x");
	w->ctx.progress = stop_at_first_bytes;
	w->ctx.progress_user = w;
	for (jobs = 1; jobs < 4; jobs++) {
		w->ctx.jobs = jobs;
		atomic_store(&w->cancel, 0);
		refused(w, WP_E_INTERRUPTED, "stopped");
	}
	atomic_store(&w->cancel, 1);
	refused(w, WP_E_INTERRUPTED, "stopped");
}

static void progress_counts_every_wheel_and_byte(void **state);

/* ---- an existing venv ------------------------------------------------------------------------ */

static void an_existing_venv_keeps_what_fits(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	simple(w, "two", "2.0", "two/__init__.py", "2");
	assert_ok(install(w, &err));
	assert_false(w->out.created);
	assert_int_equal(w->out.distributions, 1);
	assert_int_equal(w->out.kept, 1);
	assert_non_null(finding(w, "N504"));
	is_text(w, SITE "/two/__init__.py", "2");
	assert_false(os_is_dir(in_venv(w, ".wheelpack/stage")));
	check_record(w, "two-2.0.dist-info");
	assert_non_null(strstr(tmp_read(w->a, in_venv(w, ".wheelpack/lock.json")).p, "two-2.0"));
}

static void another_version_makes_way(void **state)
{
	const mw_member old[] = {{.name = "one.py", .data = "1"}, {.name = "one/gone/x.py", .data = "x"}};
	const mw_member new[] = {{.name = "one.py", .data = "22"}, {.name = "one/y.py", .data = "y"}};
	mw_wheel v1 = {.project = "one", .version = "1.0", .members = old, .n = 2};
	mw_wheel v2 = {.project = "one", .version = "1.1", .members = new, .n = 2};
	world *w = *state;
	wp_error err = {0};

	add(w, &v1);
	assert_ok(install(w, &err));
	assert_ok(os_mkdir(in_venv(w, SITE "/one/gone/__pycache__"), &err));
	tmp_write(in_venv(w, SITE "/one/gone/__pycache__/x.cpython-312.pyc"), WP_LIT("code"));
	tmp_write(in_venv(w, SITE "/one-1.0.dist-info/note"), WP_LIT("of somebody"));
	assert_ok(os_mkdirs(in_venv(w, SITE "/one-1.0.dist-info/empty/too"), &err));
	forget(w);
	add(w, &v2);
	assert_ok(install(w, &err));
	assert_int_equal(w->out.replaced, 1);
	assert_non_null(finding(w, "N508"));
	is_text(w, SITE "/one.py", "22");
	is_text(w, SITE "/one/y.py", "y");
	assert_false(os_is_dir(in_venv(w, SITE "/one/gone")));
	assert_false(os_is_dir(in_venv(w, SITE "/one-1.0.dist-info")));
	assert_false(os_is_dir(in_venv(w, ".wheelpack/aside")));
	assert_false(os_is_dir(in_venv(w, ".wheelpack/stage")));
	assert_false(os_is_file(in_venv(w, ".wheelpack/journal")));
	check_record(w, "one-1.1.dist-info");
}

static void a_file_takes_the_place_of_a_directory_that_goes(void **state)
{
	const mw_member old[] = {{.name = "one/x/y/z.py", .data = "1"}, {.name = "one/stays/a.py", .data = "1"}};
	const mw_member new[] = {{.name = "one/x", .data = "22"}, {.name = "one/stays/a.py", .data = "2"}};
	mw_wheel v1 = {.project = "one", .version = "1.0", .members = old, .n = 2};
	mw_wheel v2 = {.project = "one", .version = "1.1", .members = new, .n = 2};
	world *w = *state;
	wp_error err = {0};

	add(w, &v1);
	assert_ok(install(w, &err));
	forget(w);
	add(w, &v2);
	tmp_write(in_venv(w, SITE "/one/x/mine"), WP_LIT("of somebody"));
	refused(w, WP_E_COLLISION, "one/x' is a directory in the venv");
	assert_ok(os_unlink(in_venv(w, SITE "/one/x/mine"), &err));
	assert_ok(install(w, &err));
	is_text(w, SITE "/one/x", "22");
	is_text(w, SITE "/one/stays/a.py", "2");
	check_record(w, "one-1.1.dist-info");
	forget(w);
	add(w, &v1);
	assert_ok(install(w, &err));
	is_text(w, SITE "/one/x/y/z.py", "1");
}

static void edited_files_are_put_right(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "one", "1.0", "one.py", "1");
	simple(w, "two", "1.0", "two.py", "2");
	assert_ok(install(w, &err));
	tmp_write(in_venv(w, SITE "/one.py"), WP_LIT("edited"));
	assert_ok(os_unlink(in_venv(w, SITE "/two.py"), &err));
	assert_ok(install(w, &err));
	assert_int_equal(w->out.replaced, 2);
	assert_non_null(strstr(finding(w, "N509")->why, "one.py"));
	is_text(w, SITE "/one.py", "1");
	is_text(w, SITE "/two.py", "2");
	assert_ok(install(w, &err));
	assert_int_equal(w->out.kept, 2);
	assert_int_equal(w->out.replaced, 0);
}

/* As an installer that was stopped leaves it: two versions, of which the one that is wanted is whole. */
static void a_second_version_makes_way_too(void **state)
{
	static const char *const others[] = {"one-0.9", "one-2.0"};
	world *w = *state;
	wp_error err = {0};
	size_t i;

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	for (i = 0; i < 2; i++) {
		const char *info = wp_sprintf(w->a, SITE "/%s.dist-info", others[i]);

		assert_ok(os_mkdir(in_venv(w, info), &err));
		tmp_write(in_venv(w, os_join(w->a, info, "RECORD")), WP_LIT("one.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"));
	}
	assert_ok(install(w, &err));
	assert_int_equal(w->out.kept, 1);
	assert_null(finding(w, "N509"));
	is_text(w, SITE "/one.py", "1");
	for (i = 0; i < 2; i++)
		assert_false(os_is_dir(in_venv(w, wp_sprintf(w->a, SITE "/%s.dist-info", others[i]))));
	check_record(w, "one-1.0.dist-info");
}

/* As some installers put them, to files of their cache: these stay as they are. */
static void links_in_the_place_of_files_make_way(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	tmp_write(at(w, "cached.py"), WP_LIT("1"));
	assert_ok(os_unlink(in_venv(w, SITE "/one.py"), &err));
	assert_ok(os_symlink(at(w, "cached.py"), in_venv(w, SITE "/one.py"), &err));
	forget(w);
	simple(w, "one", "2.0", "one.py", "2");
	assert_ok(install(w, &err));
	is_text(w, SITE "/one.py", "2");
	assert_string_equal(tmp_read(w->a, at(w, "cached.py")).p, "1");
	check_record(w, "one-2.0.dist-info");
}

/* Neither the new nor what stays loses it. */
static void a_file_of_another_distribution_stays(void **state)
{
	const mw_member m[] = {{.name = "ns/x.py", .data = "same"}, {.name = "one.py", .data = "1"}};
	mw_wheel one = {.project = "one", .version = "1.0", .members = m, .n = 2};
	world *w = *state;
	wp_error err = {0};

	add(w, &one);
	simple(w, "two", "1.0", "ns/x.py", "same");
	assert_ok(install(w, &err));
	forget(w);
	simple(w, "one", "2.0", "one.py", "2");
	assert_ok(install(w, &err));
	is_text(w, SITE "/ns/x.py", "same");
	is_text(w, SITE "/one.py", "2");
	check_record(w, "two-1.0.dist-info");
}

static void what_has_no_record_is_not_replaced(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	forget(w);
	simple(w, "old", "1.0", "old.py", "1");
	assert_ok(os_mkdir(in_venv(w, SITE "/Old-1.0-py3.12.egg-info"), &err));
	refused(w, WP_E_VENV, "Old-1.0-py3.12.egg-info");
}

static void a_file_in_the_way_is_named_with_its_owner(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "one", "1.0", "ns/x.py", "1");
	assert_ok(install(w, &err));
	forget(w);
	simple(w, "two", "1.0", "ns/x.py", "2");
	refused(w, WP_E_COLLISION, "belongs to 'one-1.0.dist-info'");
	tmp_write(in_venv(w, SITE "/loose.py"), WP_LIT("mine"));
	forget(w);
	simple(w, "two", "1.0", "loose.py", "2");
	refused(w, WP_E_COLLISION, "no distribution there lists it");
	forget(w);
	simple(w, "two", "1.0", "ns", "2");
	refused(w, WP_E_COLLISION, "is a directory in the venv");
	forget(w);
	simple(w, "two", "1.0", "loose.py", "mine");
	assert_ok(install(w, &err));
	assert_non_null(finding(w, "N505"));
	check_record(w, "two-1.0.dist-info");
}

static void links_inside_are_not_followed(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	forget(w);
	simple(w, "two", "1.0", "sub/two.py", "2");
	assert_ok(os_symlink(w->store, in_venv(w, SITE "/sub"), &err));
	refused(w, WP_E_VENV, "is a link");
}

/* The terminal sends the interrupt to the interpreter too. */
static void a_stop_while_the_interpreter_is_asked_is_no_fault_of_the_venv(void **state)
{
	world *w = *state;
	wp_error err = {0};

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	tmp_write(w->python, WP_LIT("#!/bin/sh\nkill -INT $$\n"));
	refused(w, WP_E_VENV, "signal 2");
	atomic_store(&w->cancel, 1);
	refused(w, WP_E_INTERRUPTED, "stopped");
}

/* Another program writes a file of ours between plan and commit. */
static void get_in_the_way(void *user, const wp_progress *p)
{
	world *w = user;

	if (p->bytes && p->bytes == p->bytes_total && !os_is_file(in_venv(w, SITE "/zz.py")))
		tmp_write(in_venv(w, SITE "/zz.py"), WP_LIT("theirs"));
}

static void a_commit_that_fails_midway_is_taken_back(void **state)
{
	const mw_member m[] = {{.name = "aa/new.py", .data = "a"}, {.name = "zz.py", .data = "z"}};
	mw_wheel v = {.project = "two", .version = "1.0", .members = m, .n = 2};
	world *w = *state;
	wp_error err = {0}, err2 = {0};
	const char *before;

	simple(w, "one", "1.0", "one.py", "1");
	assert_ok(install(w, &err));
	forget(w);
	add(w, &v);
	before = snapshot(w);
	w->ctx.progress = get_in_the_way;
	w->ctx.progress_user = w;
	assert_int_equal(install(w, &err2), WP_E_EXISTS);
	is_text(w, SITE "/zz.py", "theirs");
	assert_ok(os_unlink(in_venv(w, SITE "/zz.py"), &err));
	assert_string_equal(before, snapshot(w));
	w->ctx.progress = NULL;
	assert_ok(install(w, &err));
	check_record(w, "two-1.0.dist-info");
}

typedef struct counted {
	size_t wheels;
	uint64_t bytes, total;
} counted;

static void count_progress(void *user, const wp_progress *p)
{
	counted *c = user;

	assert_string_equal(p->stage, "install");
	c->wheels += p->item_done;
	c->bytes = p->bytes;
	c->total = p->bytes_total;
}

static void progress_counts_every_wheel_and_byte(void **state)
{
	world *w = *state;
	wp_error err = {0};
	counted c = {0};

	simple(w, "one", "1.0", "one.py", "1");
	simple(w, "two", "1.0", "two.py", "22");
	w->ctx.progress = count_progress;
	w->ctx.progress_user = &c;
	assert_ok(install(w, &err));
	assert_int_equal(c.wheels, 2);
	assert_true(c.total > 0 && c.bytes == c.total);
}

/* ---- real Python ----------------------------------------------------------------------------- */

static wp_str run_ok(world *w, const char *const *argv)
{
	static const char *const unset[] = {"PYTHON", "PIP_", "VIRTUAL_ENV", NULL};
	static const char *const set[] = {"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INDEX=1",
		"PIP_CONFIG_FILE=/dev/null", NULL};
	os_run_request r = {.argv = argv, .unset_prefix = unset, .set_env = set, .cwd = w->dir};
	os_run_result out;
	wp_error err = {0};

	assert_ok(os_run(w->a, &r, &out, &err));
	if (out.exit_code)
		fail_msg("%s: exit %d: %s", argv[0], out.exit_code, out.err.p);
	return out.out;
}

/* The lock for this machine's own Python; false (and the test is skipped) where there is none. */
static wp_interpreter real_python(world *w)
{
	wp_interpreter p;
	wp_error err = {0};

	if (wp_interpreter_find(&w->ctx, NULL, getenv("PATH"), getenv("HOME"), &p, &err)) {
		print_message("skipped: no python3 here\n");
		skip();
	}
	w->in.python = p.path;
	w->target.python = p.markers.python_version;
	w->target.platform = p.platform_tag;
	w->target.name = wp_sprintf(w->a, "%s-%s", p.soabi_tag, p.platform_tag);
	return p;
}

static void add_demo(world *w)
{
	const mw_member m[] = {
		{.name = "demo/__init__.py", .data = "def main():\n    print('hello from demo')\n"},
		{.name = "demo-1.0.data/scripts/demo-tool", .data = "#!python\nimport demo\ndemo.main()\n"},
	};
	mw_wheel v = {.project = "demo", .version = "1.0", .members = m, .n = 2,
		.headers = "Requires-Dist: helper>=1\n",
		.entry_points = "[console_scripts]\ndemo-cmd = demo:main\n"};

	add(w, &v);
	simple(w, "helper", "1.5", "helper.py", "x = 1\n");
}

static void python_runs_what_was_installed(void **state)
{
	static const char *const places[] = {"home/env", "home/env with space"};
	world *w = *state;
	wp_error err = {0};
	size_t i;

	real_python(w);
	add_demo(w);
	for (i = 0; i < 2; i++) {
		w->in.venv = w->venv = at(w, places[i]);
		assert_ok(install(w, &err));
		assert_string_equal(
			run_ok(w, (const char *const[]){in_venv(w, "bin/demo-cmd"), NULL}).p,
			"hello from demo\n");
		assert_string_equal(
			run_ok(w, (const char *const[]){in_venv(w, "bin/demo-tool"), NULL}).p,
			"hello from demo\n");
		run_ok(w, (const char *const[]){in_venv(w, "bin/python"), "-c",
			"import demo, helper, importlib.metadata as m\n"
			"assert m.version('demo') == '1.0'\n"
			"assert m.distribution('demo').read_text('INSTALLER') == 'wheelpack\\n'", NULL});
	}
}

static void pip_lists_checks_and_uninstalls(void **state)
{
	world *w = *state;
	wp_error err = {0};
	os_run_result out;
	const char *python, *env_python = in_venv(w, "bin/python");
	const char *probe[] = {NULL, "-m", "pip", "--python", "/no/such", "list", NULL};
	os_run_request r = {.argv = probe};
	wp_str text;

	python = probe[0] = real_python(w).executable;
	assert_ok(os_run(w->a, &r, &out, &err));
	if (!strstr(out.err.p, "/no/such") || strstr(out.err.p, "no such option")) {
		print_message("skipped: pip of python3 is absent or has no --python\n");
		skip();
	}
	add_demo(w);
	assert_ok(install(w, &err));
	text = run_ok(w, (const char *const[]){python, "-m", "pip", "--python", env_python, "list",
		"--format=freeze", NULL});
	assert_string_equal(text.p, "demo==1.0\nhelper==1.5\n");
	run_ok(w, (const char *const[]){python, "-m", "pip", "--python", env_python, "check", NULL});
	run_ok(w, (const char *const[]){python, "-m", "pip", "--python", env_python, "uninstall", "-y",
		"demo", "helper", NULL});
	assert_false(os_is_file(in_venv(w, "bin/demo-cmd")));
	assert_false(os_is_file(in_venv(w, "bin/demo-tool")));
	text = run_ok(w, (const char *const[]){python, "-m", "pip", "--python", env_python, "list",
		"--format=freeze", NULL});
	assert_string_equal(text.p, "");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(each_scheme_has_its_place),
		T(the_record_is_what_lies_there),
		T(big_members_arrive_whole),
		T(the_receipt_tells_what_was_done),
		T(bytecode_that_cannot_be_made_is_a_refusal),
		T(a_disk_that_is_full_of_bytecode_is_told_so),
		T(scripts_start_the_venvs_python),
		T(a_path_with_a_space_gets_the_long_start),
		T(one_file_of_two_wheels_is_written_once),
		T(installer_files_of_a_wheel_are_left_out),
		T(what_was_asked_for_by_address_says_so),
		T(an_empty_directory_and_missing_parents_are_fine),
		T(hostile_wheels_change_nothing),
		T(one_name_with_two_contents_is_refused),
		T(the_manifest_vouches_for_the_record),
		T(the_manifest_vouches_for_what_record_is_wrong_about),
		T(without_a_manifest_the_whole_wheel_is_hashed),
		T(a_damaged_byte_is_found_while_unpacking),
		T(another_project_or_version_than_locked_is_refused),
		T(a_missing_wheel_is_refused),
		T(wheels_that_disagree_about_a_path_collide),
		T(another_target_is_refused),
		T(a_venv_of_another_python_than_the_one_that_is_named_is_refused),
		T(of_two_targets_that_fit_one_is_named),
		T(markers_are_evaluated_on_the_real_interpreter),
		T(the_patch_level_of_the_lock_counts), T(a_lock_without_a_wheel_that_is_needed_is_refused),
		T(what_is_no_venv_is_left_alone),
		T(a_conda_environment_is_one_of_python_where_it_is_allowed),
		T(a_wheel_has_no_say_in_the_account_of_conda),
		T(parents_that_were_made_go_again),
		T(a_second_run_at_the_same_venv_is_refused),
		T(a_stop_before_the_commit_changes_nothing),
		T(progress_counts_every_wheel_and_byte),
		T(an_existing_venv_keeps_what_fits),
		T(another_version_makes_way), T(a_file_takes_the_place_of_a_directory_that_goes),
		T(edited_files_are_put_right),
		T(a_second_version_makes_way_too),
		T(links_in_the_place_of_files_make_way),
		T(a_file_of_another_distribution_stays),
		T(what_has_no_record_is_not_replaced),
		T(a_file_in_the_way_is_named_with_its_owner),
		T(links_inside_are_not_followed),
		T(a_stop_while_the_interpreter_is_asked_is_no_fault_of_the_venv),
		T(a_commit_that_fails_midway_is_taken_back),
		T(python_runs_what_was_installed),
		T(pip_lists_checks_and_uninstalls),
	};

	return cmocka_run_group_tests_name("install", tests, NULL, NULL);
}

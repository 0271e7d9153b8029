/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "py/pylock.h"
#include "unit/arena.h"

/* ---- documents are written as JSON here ------------------------------------------------------- */

static wp_toml read_toml(wp_json *j)
{
	wp_toml out = {.kind = WP_TOML_STRING};
	WP_VEC(wp_toml) items = {0};
	WP_VEC(const char *) keys = {0};
	bool table = wp_json_peek(j) == WP_JSON_OBJECT;
	wp_str key = {0};

	switch (wp_json_peek(j)) {
	case WP_JSON_BOOL:
		out.kind = WP_TOML_BOOL;
		wp_json_bool(j, &out.truth);
		break;
	case WP_JSON_NUMBER:
		out.kind = WP_TOML_INTEGER;
		wp_json_i64(j, &out.number);
		break;
	case WP_JSON_ARRAY:
	case WP_JSON_OBJECT:
		out.kind = table ? WP_TOML_TABLE : WP_TOML_ARRAY;
		assert_true(table ? wp_json_object(j) : wp_json_array(j));
		while (table ? wp_json_key(j, &key) : wp_json_item(j)) {
			const char *name = wp_str_dup(arena, key);
			wp_toml item = read_toml(j);

			WP_PUSH(&keys, name);
			WP_PUSH(&items, item);
		}
		out.items = WP_VEC_COPY(arena, &items);
		out.keys = WP_VEC_COPY(arena, &keys);
		out.n = items.n;
		break;
	default:
		wp_json_cstr(j, &out.text);
	}
	WP_VEC_FREE(&items);
	WP_VEC_FREE(&keys);
	return out;
}

/* Apostrophes stand for quotes; rest is put behind the keys that every lock has. */
static int read_lock(const char *rest, wp_pylock *out, wp_error *e)
{
	char *text = wp_sprintf(arena, "{'lock-version':'1.0','created-by':'t',%s}", rest), *p;
	wp_toml *t = WP_NEW(arena, wp_toml);
	wp_error err = {0};
	wp_json j;

	for (p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p == '`' ? '\'' : *p;
	wp_json_init(&j, arena, wp_str_of(text), WP_E_DOCUMENT, &err);
	*t = read_toml(&j);
	assert_ok(wp_json_end(&j));
	return wp_pylock_read(arena, t, out, e);
}

#define HASH "'hashes':{'sha256':'aa'}"
#define WHEEL(file) "{'url':'https://x.test/p/" file "?x#y'," HASH "}"

static void refused(const char *rest, const char *why)
{
	wp_pylock lock;
	wp_error err = {0};

	assert_int_equal(read_lock(rest, &lock, &err), WP_E_DOCUMENT);
	if (!strstr(err.why, why))
		fail_msg("%s: %s", rest, err.why);
}

static void a_lock_is_read(void **state)
{
	wp_pylock lock;
	wp_error err = {0};
	const wp_pylock_package *p;

	(void)state;
	assert_ok(read_lock("'requires-python':'>=3.9','extras':['gpu'],'packages':[{'name':'torch','version':'2.6.0+cu126',"
			    "'marker':'sys_platform == `win32`','wheels':[" WHEEL("torch-2.6.0%2Bcu126-cp312-cp312-win_amd64.whl") "],"
			    "'sdist':{'path':'../torch-2.6.0+cu126.tar.gz','size':7," HASH "}},"
			    "{'name':'b','directory':{'path':'.','editable':true}},"
			    "{'name':'c','vcs':{'type':'git','url':'https://x.test/c','commit-id':'c0ffee'}},"
			    "{'name':'d','archive':{'path':'d.zip'," HASH "}}]", &lock, &err));
	assert_int_equal(lock.npackages, 4);
	p = lock.packages;
	assert_string_equal(p[0].sources[0].filename, "torch-2.6.0+cu126-cp312-cp312-win_amd64.whl");
	assert_int_equal(p[0].nsources, 2);
	assert_int_equal(p[0].sources[1].kind, WP_PYLOCK_SDIST);
	assert_int_equal(p[0].sources[1].size, 7);
	assert_true(p[1].sources[0].editable);
	assert_string_equal(p[2].sources[0].commit_id, "c0ffee");
	assert_string_equal(p[3].sources[0].hashes[0].value, "aa");
}

static void faults_are_told(void **state)
{
	(void)state;
	refused("'packages':[7]", "not a table");
	refused("'other':1", "packages is missing");
	refused("'packages':[],'environments':['x == `1`']", "marker");
	refused("'packages':[],'extras':['GPU']", "normal form");
	refused("'packages':[],'requires-python':'3'", "not a version specifier");
	refused("'packages':[{'version':'1'}]", "name is missing");
	refused("'packages':[{'name':'A'}]", "normal form");
	refused("'packages':[{'name':'a','version':'x'}]", "not a version");
	refused("'packages':[{'name':'a'}]", "there is none");
	refused("'packages':[{'name':'a','directory':{'path':'.'},'sdist':{'path':'a-1.tar.gz'," HASH "}}]", "more than one");
	refused("'packages':[{'name':'a','directory':{'path':'.'},'vcs':{'type':'git','path':'.','commit-id':'1'}}]",
		"more than one");
	refused("'packages':[{'name':'a','wheels':[" WHEEL("b-1-py3-none-any.whl") "]}]", "not a file of a");
	refused("'packages':[{'name':'a','version':'2','wheels':[" WHEEL("a-1-py3-none-any.whl") "]}]", "not a file of a 2");
	refused("'packages':[{'name':'a','wheels':[" WHEEL("a-1.whl") "]}]", "not a wheel file name");
	refused("'packages':[{'name':'a','wheels':[" WHEEL("a-1-py3-none-any.whl%00.exe") "]}]", "not a wheel file name");
	refused("'packages':[{'name':'a','sdist':{'path':'a.tar.gz'," HASH "}}]", "not a file of a");
	refused("'packages':[{'name':'a','sdist':{'path':'a-1.tar.gz'}}]", "hashes is missing");
	refused("'packages':[{'name':'a','sdist':{'path':'a-1.tar.gz','hashes':{}}}]", "hashes is empty");
	refused("'packages':[{'name':'a','sdist':{'path':'a-1.tar.gz','hashes':{'md5':1}}}]", "not a string");
	refused("'packages':[{'name':'a','sdist':{" HASH "}}]", "url is missing");
	refused("'packages':[{'name':'a','vcs':{'type':'git','url':'','commit-id':'1'}}]", "url is missing");
	refused("'packages':[{'name':'a','archive':{'path':'a','size':-1," HASH "}}]", "negative");
	refused("'packages':[{'name':'a','directory':{'path':'.'},'attestation-identities':[{}]}]", "kind is missing");
}

/* ---- selection ---------------------------------------------------------------------------------- */

static const wp_markers windows = {.os_name = "nt", .sys_platform = "win32", .platform_machine = "AMD64",
	.python_version = "3.12", .python_full_version = "3.12.4"};
static const char *const tags[] = {"cp312-cp312-win_amd64", "py3-none-win_amd64", "py3-none-any"};

/* What is chosen, as text, or the name of the error's code. */
static const char *chosen(const char *rest, wp_pylock_ask ask)
{
	const wp_pylock_choice *v;
	wp_pylock lock;
	wp_error err = {0};
	const char *all = "";
	size_t n, i;

	ask.env = &windows;
	ask.tags = tags;
	ask.ntags = 3;
	assert_ok(read_lock(rest, &lock, &err));
	if (wp_pylock_select(arena, &lock, &ask, &v, &n, &err))
		return wp_code_name(err.code);
	for (i = 0; i < n; i++)
		all = wp_sprintf(arena, "%s%s%s", all, i ? " " : "",
			v[i].source->filename ? v[i].source->filename : v[i].package->name);
	return all;
}

static void the_best_file_for_the_environment_is_taken(void **state)
{
	wp_pylock_ask ask = {.default_groups = true};

	(void)state;
	assert_string_equal(chosen("'packages':[{'name':'a','wheels':[" WHEEL("a-1-py3-none-any.whl") ","
					WHEEL("a-1-cp312-cp312-win_amd64.whl") "," WHEEL("a-1-cp313-cp313-win_amd64.whl") "]},"
				   "{'name':'b','marker':'sys_platform == `linux`','directory':{'path':'.'}},"
				   "{'name':'c','wheels':[" WHEEL("c-1-py2-none-any.whl") "],'sdist':{'path':'c-1.zip'," HASH "}},"
				   "{'name':'d','directory':{'path':'.'}}]", ask),
		"a-1-cp312-cp312-win_amd64.whl c-1.zip d");
	assert_string_equal(chosen("'packages':[]", ask), "");
}

static void what_does_not_fit_is_refused(void **state)
{
	wp_pylock_ask ask = {.default_groups = true};

	(void)state;
	assert_string_equal(chosen("'packages':[],'requires-python':'>=3.13'", ask), "WP_E_REQUIRES_PYTHON");
	assert_string_equal(chosen("'packages':[],'environments':['sys_platform == `linux`']", ask), "WP_E_WRONG_TARGET");
	assert_string_equal(chosen("'packages':[],'environments':[]", ask), "WP_E_WRONG_TARGET");
	assert_string_equal(chosen("'packages':[{'name':'a','directory':{'path':'.'},'requires-python':'<3'}]", ask),
		"WP_E_REQUIRES_PYTHON");
	assert_string_equal(chosen("'packages':[{'name':'a','wheels':[" WHEEL("a-1-py2-none-any.whl") "]}]", ask),
		"WP_E_NO_WHEEL");
	assert_string_equal(chosen("'packages':[{'name':'a','directory':{'path':'.'}},{'name':'a','directory':{'path':'.'}}]",
				    ask), "WP_E_DOCUMENT");
	assert_string_equal(chosen("'packages':[{'name':'a','directory':{'path':'.'},'marker':'extra == `x`'}]", ask),
		"WP_E_REQUIREMENT");
}

static void extras_and_groups_choose(void **state)
{
	static const char *const gpu[] = {"GPU"}, *const docs[] = {"docs"};
	const char *lock = "'extras':['gpu'],'dependency-groups':['dev','docs'],'default-groups':['dev'],'packages':["
			   "{'name':'a','directory':{'path':'.'},'marker':'`gpu` in extras'},"
			   "{'name':'b','directory':{'path':'.'},'marker':'`dev` in dependency_groups'},"
			   "{'name':'c','directory':{'path':'.'},'marker':'`docs` in dependency_groups'}]";

	(void)state;
	assert_string_equal(chosen(lock, (wp_pylock_ask){.default_groups = true}), "b");
	assert_string_equal(chosen(lock, (wp_pylock_ask){.extras = gpu, .nextras = 1}), "a");
	assert_string_equal(chosen(lock, (wp_pylock_ask){.groups = docs, .ngroups = 1}), "c");
	assert_string_equal(chosen(lock, (wp_pylock_ask){.extras = docs, .nextras = 1}), "WP_E_REQUIREMENT");
	assert_string_equal(chosen(lock, (wp_pylock_ask){.groups = gpu, .ngroups = 1}), "WP_E_REQUIREMENT");
}

static void file_names_of_locks(void **state)
{
	(void)state;
	assert_true(wp_pylock_filename("pylock.toml"));
	assert_true(wp_pylock_filename("a.b/pylock.win-cu126.toml"));
	assert_true(wp_pylock_filename("C:\\a.b\\pylock.toml"));
	assert_false(wp_pylock_filename("pylock.a.b.toml"));
	assert_false(wp_pylock_filename("pylock..toml"));
	assert_false(wp_pylock_filename("pylock"));
	assert_false(wp_pylock_filename("Pylock.toml"));
	assert_false(wp_pylock_filename("x-pylock.toml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_is_read),
		cmocka_unit_test(faults_are_told),
		cmocka_unit_test(the_best_file_for_the_environment_is_taken),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(extras_and_groups_choose),
		cmocka_unit_test(file_names_of_locks),
	};

	return cmocka_run_group_tests_name("pylock", tests, setup, teardown);
}

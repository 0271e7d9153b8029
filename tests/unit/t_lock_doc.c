/* SPDX-License-Identifier: MIT */
#include "unit/test.h"
#include "wheelpack/lock.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char text[] =
	"{\"schema\": \"wheelpack.lock/1\",\n"
	"\"request\": {\"requirements\": [\"torch\"], \"constraints\": [], \"variant\": \"cu126\", \"prerelease\": false},\n"
	"\"indexes\": [{\"id\": \"variant\", \"url\": \"https://example.org/whl/cu126/\"}],\n"
	"\"targets\": [{\"name\": \"cp312-win_amd64-cu126\", \"python\": \"3.12\", \"platform\": \"win_amd64\",\n"
	" \"variant\": \"cu126\", \"wheels\": [\"torch-2.11.0+cu126-cp312-cp312-win_amd64.whl\"],\n"
	" \"cuda\": {\"version\": \"12.6\", \"driver_runs\": \"528.33\", \"driver_full\": null, \"arches\": [\"sm_50\"]}}],\n"
	"\"wheels\": [{\"project\": \"torch\", \"version\": \"2.11.0+cu126\",\n"
	" \"filename\": \"torch-2.11.0+cu126-cp312-cp312-win_amd64.whl\", \"size\": 12, \"sha256\": \"" SHA "\",\n"
	" \"digest\": \"index\", \"index\": \"variant\", \"url\": \"https://example.org/t.whl\",\n"
	" \"requires_python\": null, \"requested\": true,\n"
	" \"requires\": [{\"requirement\": \"filelock\", \"project\": \"filelock\","
	" \"targets\": [\"cp312-win_amd64-cu126\"]}]}]}\n";

static void a_lock_survives_the_round_trip(void **state)
{
	wp_arena *a = wp_arena_new();
	wp_lock_doc d, again;
	wp_error err = {0};
	wp_str one, two;

	(void)state;
	assert_ok(wp_lock_read(a, wp_str_of(text), &d, &err));
	assert_int_equal(d.nwheels, 1);
	assert_int_equal(d.wheels[0].size, 12);
	assert_int_equal(d.wheels[0].digest, WP_DIGEST_INDEX);
	assert_string_equal(d.targets[0].cuda_version, "12.6");
	assert_null(d.targets[0].driver_full);
	assert_ok(wp_lock_write(a, &d, &one, &err));
	assert_ok(wp_lock_read(a, one, &again, &err));
	assert_ok(wp_lock_write(a, &again, &two, &err));
	assert_true(wp_str_eq(one, two));
	assert_true(one.n > 0 && one.p[one.n - 1] == '\n');
	assert_non_null(wp_lock_find(&again, "torch-2.11.0+cu126-cp312-cp312-win_amd64.whl"));
	assert_null(wp_lock_find(&again, "other.whl"));
	wp_arena_free(a);
}

static void many_wheels_named_by_their_address_can_be_read_again(void **state)
{
	enum { MANY = 1000 };
	wp_arena *a = wp_arena_new();
	wp_lock_index *v = WP_NEW_ARRAY(a, MANY, wp_lock_index);
	wp_lock_doc d, again;
	wp_error err = {0};
	wp_str out;
	size_t i;

	(void)state;
	assert_ok(wp_lock_read(a, wp_str_of(text), &d, &err));
	v[0] = d.indexes[0];
	for (i = 1; i < MANY; i++)
		v[i] = (wp_lock_index){wp_sprintf(a, "direct%zu", i), "file:///wheels/"};
	d.indexes = v;
	d.nindexes = MANY;
	assert_ok(wp_lock_write(a, &d, &out, &err));
	assert_ok(wp_lock_read(a, out, &again, &err));
	assert_int_equal(again.nindexes, MANY);
	wp_arena_free(a);
}

static void keys_stand_in_the_order_of_the_format(void **state)
{
	static const char *const order[] = {"\"schema\"", "\"request\"", "\"requirements\"", "\"constraints\"",
		"\"prerelease\"", "\"indexes\"", "\"targets\"", "\"cuda\"", "\"driver_runs\"", "\"driver_full\"",
		"\"arches\"", "\"project\"", "\"version\"", "\"filename\"", "\"size\"", "\"sha256\"", "\"digest\"",
		"\"index\"", "\"url\"", "\"requires_python\"", "\"requested\"", "\"requires\""};
	wp_arena *a = wp_arena_new();
	wp_lock_doc d;
	wp_error err = {0};
	wp_str out;
	size_t i, at = 0, next;

	(void)state;
	assert_ok(wp_lock_read(a, wp_str_of(text), &d, &err));
	assert_ok(wp_lock_write(a, &d, &out, &err));
	for (i = 0; i < sizeof order / sizeof *order; i++) {
		next = wp_str_find_str(wp_str_sub(out, at, out.n), wp_str_of(order[i]));
		if (next == out.n - at)
			fail_msg("%s is not where it belongs", order[i]);
		at += next;
	}
	wp_arena_free(a);
}

/* The sample with `from` replaced by `to` is refused. */
static void refused(const char *from, const char *to)
{
	wp_arena *a = wp_arena_new();
	wp_lock_doc d;
	wp_error err = {0};
	const char *at = strstr(text, from);
	wp_str changed;

	assert_non_null(at);
	changed = wp_str_of(wp_sprintf(a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)));
	if (wp_lock_read(a, changed, &d, &err) != WP_E_DOCUMENT)
		fail_msg("'%s' for '%s' was taken", to, from);
	assert_true(err.why[0] != 0);
	wp_arena_free(a);
}

static void hostile_locks_are_refused(void **state)
{
	(void)state;
	refused("wheelpack.lock/1", "wheelpack.lock/2");
	refused("\"prerelease\": false", "\"prerelease\": false, \"more\": 1");
	refused("\"size\": 12, ", "");
	refused("\"size\": 12", "\"size\": -5");
	refused("\"size\": 12", "\"size\": 1e3");
	refused("\"filename\": \"torch", "\"filename\": \"../torch");
	refused("\"filename\": \"torch", "\"filename\": \"a\\\\torch");
	refused(SHA, "ABCD");
	refused("\"digest\": \"index\"", "\"digest\": \"none\"");
	refused("\"digest\": \"index\"", "\"digest\": \"guess\"");
	refused("\"index\": \"variant\"", "\"index\": \"other\"");
	refused("\"project\": \"torch\"", "\"project\": \"Torch\"");
	refused("\"wheels\": [\"torch", "\"wheels\": [\"numpy");
	refused("\"version\": \"2.11.0+cu126\"", "\"version\": null");
	refused("}]}]}\n", "}]}]} x");
}

static void a_list_without_end_is_refused(void **state)
{
	wp_buf b;

	(void)state;
	wp_buf_init(&b, 1 << 20);
	wp_buf_puts(&b, "\"requirements\": [");
	while (b.n < 300000)
		wp_buf_puts(&b, "\"a\",");
	wp_buf_puts(&b, "\"a\",");
	refused("\"requirements\": [", wp_buf_view(&b).p);
	wp_buf_free(&b);
}

static void a_digest_may_be_unknown(void **state)
{
	wp_arena *a = wp_arena_new();
	wp_lock_doc d;
	wp_error err = {0};
	const char *at = strstr(text, "12, \"sha256\": \"" SHA "\",\n \"digest\": \"index\"");
	wp_str changed;

	(void)state;
	assert_non_null(at);
	changed = wp_str_of(wp_sprintf(a, "%.*snull, \"sha256\": null, \"digest\": \"none\"%s", (int)(at - text),
		text, strstr(at, ", \"index\"")));
	assert_ok(wp_lock_read(a, changed, &d, &err));
	assert_int_equal(d.wheels[0].size, -1);
	assert_null(d.wheels[0].sha256);
	wp_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_survives_the_round_trip),
		cmocka_unit_test(many_wheels_named_by_their_address_can_be_read_again),
		cmocka_unit_test(keys_stand_in_the_order_of_the_format),
		cmocka_unit_test(hostile_locks_are_refused),
		cmocka_unit_test(a_list_without_end_is_refused),
		cmocka_unit_test(a_digest_may_be_unknown),
	};

	return cmocka_run_group_tests_name("lock_doc", tests, NULL, NULL);
}

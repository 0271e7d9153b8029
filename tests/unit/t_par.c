/* SPDX-License-Identifier: MIT */
#include "os/os.h"
#include "os/par.h"
#include "unit/test.h"

typedef struct work {
	atomic_int started, ticks;
	size_t order[64];
	atomic_int *cancel;
	size_t fail_at, bad_at, cancel_at; /* SIZE_MAX: never */
	int sleep_ms;
} work;

static work new_work(void)
{
	return (work){.fail_at = SIZE_MAX, .bad_at = SIZE_MAX, .cancel_at = SIZE_MAX};
}

static int job(void *user, size_t i, wp_arena *a, wp_error *e)
{
	work *w = user;

	w->order[atomic_fetch_add(&w->started, 1)] = i;
	if (w->sleep_ms)
		os_sleep_ms(w->sleep_ms);
	if (i == w->cancel_at)
		atomic_store(w->cancel, 1);
	if (i == w->bad_at)
		return wp_fail(e, WP_E_DIGEST, "bad %zu", i);
	if (i >= w->fail_at)
		return wp_fail(e, WP_E_IO, "failed %zu", i);
	if (i % 2)
		wp_strdup(a, "odd jobs make something");
	return 0;
}

static void tick(void *user)
{
	atomic_fetch_add(&((work *)user)->ticks, 1);
}

static int go(int jobs, size_t n, bool stop, work *w, wp_par *p, wp_error *e)
{
	wp_ctx ctx;
	int rc;

	wp_ctx_init(&ctx, jobs);
	ctx.cancel = w->cancel;
	rc = wp_par_for(&ctx, n, job, tick, w, stop, p, e);
	wp_ctx_done(&ctx);
	return rc;
}

static void every_job_runs_once(void **state)
{
	int jobs;

	(void)state;
	for (jobs = 1; jobs <= 9; jobs += 4) {
		work w = new_work();
		wp_error err = {0};
		bool seen[40] = {0};
		wp_par p;
		size_t i;

		assert_ok(go(jobs, 40, true, &w, &p, &err));
		for (i = 0; i < 40; i++) {
			assert_false(seen[w.order[i]]);
			seen[w.order[i]] = true;
			assert_int_equal(p.arenas[i] != NULL, i % 2);
			assert_int_equal(p.errors[i].code, 0);
		}
		assert_true(w.started == 40 && w.ticks >= 1);
		wp_par_done(&p);
	}
}

static void one_thread_works_in_order(void **state)
{
	work w = new_work();
	wp_error err = {0};
	wp_par p;
	size_t i;

	(void)state;
	assert_ok(go(1, 20, true, &w, &p, &err));
	for (i = 0; i < 20; i++)
		assert_int_equal(w.order[i], i);
	wp_par_done(&p);
}

static void no_jobs_is_no_work(void **state)
{
	work w = new_work();
	wp_error err = {0};
	wp_par p;

	(void)state;
	assert_ok(go(4, 0, true, &w, &p, &err));
	assert_int_equal(w.started, 0);
	wp_par_done(&p);
}

static void the_lowest_failed_job_is_reported(void **state)
{
	int jobs;

	(void)state;
	for (jobs = 1; jobs <= 4; jobs += 3) {
		work w = new_work();
		wp_error err = {0};
		wp_par p;

		w.fail_at = 7;
		assert_int_equal(go(jobs, 20, false, &w, &p, &err), WP_E_IO);
		assert_string_equal(err.why, "failed 7");
		assert_int_equal(w.started, 20);
		assert_string_equal(p.errors[19].why, "failed 19");
		wp_par_done(&p);
	}
}

static void integrity_comes_before_a_lower_index(void **state)
{
	work w = new_work();
	wp_error err = {0};
	wp_par p;

	(void)state;
	w.fail_at = 3;
	w.bad_at = 9;
	assert_int_equal(go(2, 20, false, &w, &p, &err), WP_E_DIGEST);
	assert_string_equal(err.why, "bad 9");
	wp_par_done(&p);
}

static void no_job_starts_after_a_failure(void **state)
{
	work w = new_work();
	wp_error err = {0};
	wp_par p;

	(void)state;
	w.fail_at = 2;
	assert_int_equal(go(1, 20, true, &w, &p, &err), WP_E_IO);
	assert_int_equal(w.started, 3);
	wp_par_done(&p);
}

static void an_interrupt_stops_the_rest(void **state)
{
	int jobs;

	(void)state;
	for (jobs = 1; jobs <= 2; jobs++) {
		work w = new_work();
		atomic_int cancel = 0;
		wp_error err = {0};
		wp_par p;

		w.cancel = &cancel;
		w.cancel_at = 3;
		w.sleep_ms = 5;
		assert_int_equal(go(jobs, 30, true, &w, &p, &err), WP_E_INTERRUPTED);
		assert_true(w.started < 10);
		wp_par_done(&p);
	}
}

static void an_interrupt_after_the_last_job_is_none(void **state)
{
	work w = new_work();
	atomic_int cancel = 0;
	wp_error err = {0};
	wp_par p;

	(void)state;
	w.cancel = &cancel;
	w.cancel_at = 9;
	assert_ok(go(1, 10, true, &w, &p, &err));
	wp_par_done(&p);
}

static void the_caller_ticks_while_others_work(void **state)
{
	work w = new_work();
	wp_error err = {0};
	wp_par p;

	(void)state;
	w.sleep_ms = 350;
	assert_ok(go(2, 2, true, &w, &p, &err));
	assert_true(w.ticks >= 3);
	wp_par_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_runs_once),
		cmocka_unit_test(one_thread_works_in_order),
		cmocka_unit_test(no_jobs_is_no_work),
		cmocka_unit_test(the_lowest_failed_job_is_reported),
		cmocka_unit_test(integrity_comes_before_a_lower_index),
		cmocka_unit_test(no_job_starts_after_a_failure),
		cmocka_unit_test(an_interrupt_stops_the_rest),
		cmocka_unit_test(an_interrupt_after_the_last_job_is_none),
		cmocka_unit_test(the_caller_ticks_while_others_work),
	};

	return cmocka_run_group_tests_name("par", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* lock_world.h: for each test of a program an index in memory, locks made from it, and what came of the last one. */
#ifndef WP_TESTS_LOCK_WORLD_H
#define WP_TESTS_LOCK_WORLD_H

#include "unit/fake_catalog.h"
#include "unit/tmp.h"
#include "wheelpack/compat.h"

#define LIN "cp312-manylinux_2_28_x86_64"
#define WIN "cp312-win_amd64"

static fake_catalog cat;
static wp_ctx ctx;
static wp_compat compat;
static wp_lock_request ask; /* what the locks of a test ask for beyond requirements and targets */
static wp_lock_result got;
static wp_error err;

static inline int begin(void **state)
{
	static const wp_lock_index indexes[] = {{"ordinary", "https://index.test/simple/"},
		{"variant", "https://index.test/whl/"}};

	(void)state;
	fake_begin(&cat);
	wp_ctx_init(&ctx, 1);
	err = (wp_error){0};
	ask = (wp_lock_request){.compat = &compat, .indexes = indexes, .nindexes = 2};
	return wp_compat_read(ctx.arena, tmp_read(ctx.arena, "manifests/pytorch.json"), &compat, &err);
}

static inline int end(void **state)
{
	(void)state;
	fake_end(&cat);
	wp_ctx_done(&ctx);
	return 0;
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Requirements separated by '|', targets by ' '. */
static inline int lock(const char *requirements, const char *targets)
{
	const char **texts = WP_NEW_ARRAY(ctx.arena, strlen(requirements) + 1, const char *);
	wp_target *t = WP_NEW_ARRAY(ctx.arena, strlen(targets) + 1, wp_target);
	wp_str rest = wp_str_of(requirements), one;
	wp_lock_request in = ask;

	in.requirements = texts;
	in.targets = t;
	while (wp_str_split(&rest, '|', &one))
		texts[in.nrequirements++] = wp_str_dup(ctx.arena, one);
	rest = wp_str_of(targets);
	err = (wp_error){0};
	while (wp_str_split(&rest, ' ', &one))
		assert_ok(wp_target_parse(ctx.arena, wp_str_dup(ctx.arena, one), &t[in.ntargets++], &err));
	return wp_lock(&ctx, &in, &cat.api, &got, &err);
}

/* One text for a list of the request. */
static inline const char *const *just(const char *text)
{
	const char **v = WP_NEW(ctx.arena, const char *);

	*v = text;
	return v;
}

/* The locks from now on have this constraint. */
static inline void constrain(const char *requirement)
{
	ask.constraints = just(requirement);
	ask.nconstraints = 1;
}

/* They explain this project. */
static inline void explain(const char *project)
{
	ask.explain = just(project);
	ask.nexplain = 1;
}

/* "a 1.0, b 2.0": the wheels of the lock. */
static inline void chosen(const char *want)
{
	wp_buf b;
	size_t i;

	assert_ok(err.code);
	wp_buf_init(&b, 4096);
	for (i = 0; i < got.lock.nwheels; i++)
		wp_buf_printf(&b, "%s%s %s", i ? ", " : "", got.lock.wheels[i].project, got.lock.wheels[i].version);
	assert_string_equal(b.p ? b.p : "", want);
	wp_buf_free(&b);
}

static inline void says(const char *all, const char *text)
{
	if (!strstr(all, text))
		fail_msg("'%s' is not in: %s", text, all);
}

static inline void why_says(const char *text)
{
	says(err.why, text);
}

static inline void next_says(const char *text)
{
	says(err.next, text);
}

/* NULL: it is not. */
static inline const wp_finding *noted(const char *code)
{
	size_t i;

	for (i = 0; i < got.findings.n; i++)
		if (wp_streq(got.findings.v[i].code, code))
			return &got.findings.v[i];
	return NULL;
}

static inline void note_says(const char *code, const char *text)
{
	const wp_finding *f = noted(code);

	if (!f)
		fail_msg("%s is not noted", code);
	else
		says(f->why, text);
}

#endif

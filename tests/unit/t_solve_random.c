/* SPDX-License-Identifier: MIT */
/* Small random catalogues, solved by wp_lock and by trying everything: both must find a solution or none, and what
 * wp_lock finds must hold. Where there is none, each step of the proof must follow from the two before it. */
#include "unit/test.h"

#include "resolve/solve.h"
#include "unit/fake_catalog.h"

enum { PROJECTS = 5, VERSIONS = 3, MAX_REQS = 3, ROUNDS = 600 };

typedef struct req {
	int project;
	char op; /* 'a' any, '=' pin, '<', '>' (with or equal), '!' not */
	int version;
	bool extra; /* asks for the extra */
	bool under_extra;
} req;

typedef struct release {
	bool there, yanked;
	req reqs[MAX_REQS];
	int n;
} release;

static release world[PROJECTS][VERSIONS + 1]; /* versions 1.. */
static req roots[2];
static uint32_t seed;

static int rnd(int n)
{
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 16) % (uint32_t)n);
}

static req random_req(bool may_be_under_extra)
{
	req r = {.project = rnd(PROJECTS), .op = "aa==<>!"[rnd(7)], .version = 1 + rnd(VERSIONS)};

	r.extra = rnd(3) == 0;
	r.under_extra = may_be_under_extra && rnd(3) == 0;
	return r;
}

static void make_world(void)
{
	int p, v, i;

	for (p = 0; p < PROJECTS; p++)
		for (v = 1; v <= VERSIONS; v++) {
			release *x = &world[p][v];

			x->there = rnd(6) != 0;
			x->yanked = rnd(5) == 0;
			x->n = rnd(MAX_REQS + 1);
			for (i = 0; i < x->n; i++)
				x->reqs[i] = random_req(true);
		}
	roots[0] = random_req(false);
	roots[1] = random_req(false);
}

static bool takes(const req *r, int v)
{
	switch (r->op) {
	case '=':
		return v == r->version;
	case '<':
		return v <= r->version;
	case '>':
		return v >= r->version;
	case '!':
		return v != r->version;
	default:
		return true;
	}
}

/* Does the choice (0: not there) hold? Only what is reached from the request counts. */
static bool holds(const int *choice)
{
	bool reached[PROJECTS] = {0}, extra[PROJECTS] = {0}, pinned[PROJECTS] = {0}, again = true;
	int p, i;

	while (again) {
		again = false;
		for (p = -1; p < PROJECTS; p++) {
			const req *v = p < 0 ? roots : world[p][choice[p]].reqs;
			int n = p < 0 ? 2 : world[p][choice[p]].n;

			if (p >= 0 && !reached[p])
				continue;
			for (i = 0; i < n; i++) {
				if (p >= 0 && v[i].under_extra && !extra[p])
					continue;
				if (choice[v[i].project] == 0 || !takes(&v[i], choice[v[i].project]))
					return false;
				again |= !reached[v[i].project] || (v[i].extra && !extra[v[i].project]);
				reached[v[i].project] = true;
				extra[v[i].project] |= v[i].extra;
				pinned[v[i].project] |= v[i].op == '=';
			}
		}
	}
	for (p = 0; p < PROJECTS; p++)
		if (reached[p] && (!world[p][choice[p]].there || (world[p][choice[p]].yanked && !pinned[p])))
			return false;
	return true;
}

static bool any_holds(void)
{
	int choice[PROJECTS] = {0}, i;

	for (;;) {
		if (holds(choice))
			return true;
		for (i = 0; i < PROJECTS && choice[i] == VERSIONS; i++)
			choice[i] = 0;
		if (i == PROJECTS)
			return false;
		choice[i]++;
	}
}

static const char *req_text(wp_arena *a, const req *r)
{
	const char *op = r->op == '=' ? "==" : r->op == '<' ? "<=" : r->op == '>' ? ">=" : "!=";

	return wp_sprintf(a, "p%d%s%s%s", r->project, r->extra ? "[x]" : "",
		r->op == 'a' ? "" : wp_sprintf(a, "%s%d", op, r->version),
		r->under_extra ? "; extra == 'x'" : "");
}

static void fill(fake_catalog *c)
{
	int p, v, i;

	for (p = 0; p < PROJECTS; p++)
		for (v = 1; v <= VERSIONS; v++) {
			release *x = &world[p][v];
			const char *lines = "!Provides-Extra: x";

			if (!x->there)
				continue;
			for (i = 0; i < x->n; i++)
				lines = wp_sprintf(c->a, "%s\n%s", lines, req_text(c->a, &x->reqs[i]));
			fake_any(c, wp_sprintf(c->a, "p%d", p), wp_sprintf(c->a, "%d", v), lines)->f.yanked =
				x->yanked;
		}
}

static void read_choice(const wp_lock_doc *d, int *choice)
{
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		choice[d->wheels[i].project[1] - '0'] = d->wheels[i].version[0] - '0';
}

/* ---- proofs --------------------------------------------------------------------------------- */

static uint64_t set_of(const wp_proof *p, const wp_fact *f, uint32_t no)
{
	uint32_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].package == no)
			return f->v[i].set[0];
	return ((uint64_t)2 << p->packages[no].n) - 1;
}

/* Left and right hold: so does this, if one of its sets is what either has, and the others are what both have. */
static bool follows(const wp_proof *p, const wp_fact *f)
{
	uint32_t i, k;

	for (i = 0; i < p->npackages; i++) {
		if (set_of(p, f, i) != (set_of(p, f->left, i) | set_of(p, f->right, i)))
			continue;
		for (k = 0; k < p->npackages; k++)
			if (k != i && set_of(p, f, k) != (set_of(p, f->left, k) & set_of(p, f->right, k)))
				break;
		if (k == p->npackages)
			return true;
	}
	return false;
}

/* All candidates of the owner that it speaks of have the requirement, and it leaves out what it says. */
static void check_required(wp_pool *pool, const wp_proof *p, const wp_fact *f)
{
	const wp_dep *d = f->claim.dep;
	uint32_t i, k;

	for (i = 0; i < f->n; i++) {
		const wp_package *x = &p->packages[f->v[i].package];

		for (k = 0; !x->extra && k < x->n; k++) {
			const wp_cand_facts *c = pool->projects.v[x->project]->facts[k];
			bool in = f->v[i].set[0] >> k & 1, has = false;
			size_t r;

			if (x->project == f->claim.project && in && c)
				for (r = 0; r < c->ndeps; r++)
					has |= c->deps[r].project == d->project;
			if (x->project == f->claim.project)
				assert_true(!in || has || d->project == x->project);
			else if (in && !d->req->nextras)
				assert_false(set_has(wp_pool_allowed(pool, d), k));
		}
	}
}

static void check_fact(wp_pool *pool, const wp_proof *p, const wp_fact *f, int depth)
{
	assert_true(depth < 2000);
	if (f->because == WP_BECAUSE_REQUIRED)
		check_required(pool, p, f);
	if (f->because != WP_BECAUSE_FOLLOWS)
		return;
	assert_true(follows(p, f));
	check_fact(pool, p, f->left, depth + 1);
	check_fact(pool, p, f->right, depth + 1);
}

static void check_proof(wp_ctx *ctx, const fake_catalog *c, const wp_target *t, const char *const texts[2])
{
	wp_requirement r[2];
	wp_solution out;
	wp_dep deps[2];
	wp_error err = {0};
	wp_pool pool;
	int i;

	wp_pool_init(&pool, ctx, &c->api, t, NULL, false);
	for (i = 0; i < 2; i++) {
		assert_ok(wp_requirement_parse(c->a, wp_str_of(texts[i]), &r[i], &err));
		deps[i] = wp_pool_dep(&pool, &r[i]);
	}
	assert_ok(wp_solve(&pool, deps, 2, &out, &err));
	assert_false(out.solved);
	assert_non_null(out.proof.root);
	assert_int_equal(out.proof.root->n, 0);
	check_fact(&pool, &out.proof, out.proof.root, 0);
	wp_pool_free(&pool);
}

static void one_round(void)
{
	int choice[PROJECTS] = {0}, rc;
	const char *texts[2];
	wp_lock_result r;
	wp_error err = {0};
	wp_target t;
	fake_catalog c;
	wp_ctx ctx;
	bool want;

	make_world();
	want = any_holds();
	fake_begin(&c);
	fill(&c);
	wp_ctx_init(&ctx, 1);
	texts[0] = req_text(c.a, &roots[0]);
	texts[1] = req_text(c.a, &roots[1]);
	assert_ok(wp_target_parse(c.a, "cp312-win_amd64", &t, &err));
	rc = wp_lock(&ctx, &(wp_lock_request){.requirements = texts, .nrequirements = 2, .targets = &t, .ntargets = 1},
		&c.api, &r, &err);
	if (!rc != want)
		fail_msg("%s, %s: %s, and trying everything says %d", texts[0], texts[1], rc ? err.why : "solved", want);
	if (!rc) {
		read_choice(&r.lock, choice);
		if (!holds(choice))
			fail_msg("%s, %s: the answer does not hold", texts[0], texts[1]);
	}
	if (rc)
		check_proof(&ctx, &c, &t, texts);
	if (rc && !err.why[0])
		fail_msg("no reason was given");
	wp_ctx_done(&ctx);
	fake_end(&c);
}

static void the_solver_agrees_with_trying_everything(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < ROUNDS; i++) {
		seed = (uint32_t)i * 7919u + 1u;
		one_round();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_solver_agrees_with_trying_everything),
	};

	return cmocka_run_group_tests_name("solve_random", tests, NULL, NULL);
}

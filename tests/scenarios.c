/* SPDX-License-Identifier: MIT */
/* scenarios.c: replays resolver scenarios (a JSON file in packse's format, see `make scenarios`) through wp_lock over an
 * index in memory. One line a scenario, counts at the end; exit 1 if an answer is not the expected one, or there is none. */
#include <stdio.h>

#include "unit/fake_catalog.h"

#include "base/json.h"
#include "wheelpack/wheelpack.h"

typedef struct pair {
	const char *key, *value; /* project and version; or extra and requirement */
} pair;

typedef struct answer {
	const char *target;
	bool satisfiable, given;
	WP_VEC(pair) packages;
	bool listed; /* packages are given */
} answer;

typedef struct version_fact {
	const char *requires_python;
	const char *const *requires; size_t nrequires;
	const char *const *tags; size_t ntags;
	WP_VEC(pair) extras;
	bool yanked, no_wheel, no_sdist;
} version_fact;

typedef struct scenario {
	const char *name, *basis;
	const char *const *requires; size_t nrequires;
	const char *const *targets; size_t ntargets;
	bool prerelease;
	answer expected, pip_side, upstream_side;
	WP_VEC(answer) pip;
	fake_catalog cat;
} scenario;

static struct {
	int right, wrong, with_pip, with_upstream, with_both, with_none;
} total;

/* ---- reading ------------------------------------------------------------------------------ */

static void read_packages(wp_json *j, answer *a)
{
	wp_str key;

	if (wp_json_null(j))
		return;
	a->listed = true;
	wp_json_object(j);
	while (wp_json_key(j, &key)) {
		pair p = {.key = wp_str_dup(j->a, key)};

		wp_json_cstr(j, &p.value);
		WP_PUSH(&a->packages, p);
	}
}

static void read_answer(wp_json *j, answer *a)
{
	wp_str key;

	a->given = true;
	wp_json_object(j);
	while (wp_json_key(j, &key)) {
		if (wp_str_is(key, "satisfiable"))
			wp_json_bool(j, &a->satisfiable);
		else if (wp_str_is(key, "packages"))
			read_packages(j, a);
		else
			wp_json_skip(j);
	}
}

static void read_wheel_only(wp_json *j, scenario *s)
{
	wp_str key;

	wp_json_object(j);
	while (wp_json_key(j, &key)) {
		if (wp_str_is(key, "basis"))
			wp_json_cstr(j, &s->basis);
		else if (wp_str_is(key, "satisfiable"))
			wp_json_bool(j, &s->expected.satisfiable);
		else if (wp_str_is(key, "packages"))
			read_packages(j, &s->expected);
		else if (wp_str_is(key, "pip"))
			read_answer(j, &s->pip_side);
		else if (wp_str_is(key, "upstream"))
			read_answer(j, &s->upstream_side);
		else
			wp_json_skip(j);
	}
}

static void read_extras(wp_json *j, version_fact *f)
{
	wp_str key, req;

	wp_json_object(j);
	while (wp_json_key(j, &key)) {
		const char *extra = wp_str_dup(j->a, key);

		wp_json_array(j);
		while (wp_json_item(j)) {
			wp_json_string(j, &req);
			WP_PUSH(&f->extras, ((pair){extra, req.p}));
		}
	}
}

static void read_version(wp_json *j, version_fact *f)
{
	wp_str key;
	bool yes;

	*f = (version_fact){.requires_python = ">=3.12"};
	wp_json_object(j);
	while (wp_json_key(j, &key)) {
		if (wp_str_is(key, "requires"))
			wp_json_strings(j, &f->requires, &f->nrequires);
		else if (wp_str_is(key, "wheel_tags"))
			wp_json_strings(j, &f->tags, &f->ntags);
		else if (wp_str_is(key, "requires_python"))
			wp_json_cstr(j, &f->requires_python);
		else if (wp_str_is(key, "extras"))
			read_extras(j, f);
		else if (wp_str_is(key, "yanked"))
			wp_json_bool(j, &f->yanked);
		else if (wp_str_is(key, "wheel"))
			f->no_wheel = wp_json_bool(j, &yes) && !yes;
		else if (wp_str_is(key, "sdist"))
			f->no_sdist = wp_json_bool(j, &yes) && !yes;
		else
			wp_json_skip(j);
	}
}

static const char *lines_of(wp_arena *a, const version_fact *f)
{
	wp_buf b;
	size_t i;

	wp_buf_init(&b, 1 << 16);
	if (f->requires_python && *f->requires_python)
		wp_buf_printf(&b, "!Requires-Python: %s\n", f->requires_python);
	for (i = 0; i < f->nrequires; i++)
		wp_buf_printf(&b, "%s\n", f->requires[i]);
	for (i = 0; i < f->extras.n; i++) {
		wp_str req = wp_str_of(f->extras.v[i].value);
		size_t semi = wp_str_find(req, ';');

		wp_buf_printf(&b, "!Provides-Extra: %s\n", f->extras.v[i].key);
		if (semi < req.n)
			wp_buf_printf(&b, "%.*s ; (%s) and extra == \"%s\"\n", (int)semi, req.p, req.p + semi + 1,
				f->extras.v[i].key);
		else
			wp_buf_printf(&b, "%s ; extra == \"%s\"\n", req.p, f->extras.v[i].key);
	}
	return wp_buf_take(&b, a).p;
}

static void add_version(fake_catalog *c, const char *project, const char *version, const version_fact *f)
{
	static const char *const any[] = {"py3-none-any"};
	const char *const *tags = f->ntags ? f->tags : any;
	const char *lines = lines_of(c->a, f);
	char *stem = wp_strdup(c->a, project), *p;
	size_t i, n = f->ntags ? f->ntags : 1;
	fake_file *file;

	for (p = stem; *p; p++)
		if (*p == '-')
			*p = '_';
	for (i = 0; !f->no_wheel && i < n; i++) {
		file = fake_wheel(c, wp_sprintf(c->a, "%s-%s-%s.whl", stem, version, tags[i]), lines);
		file->f.yanked = f->yanked;
		file->f.requires_python = f->requires_python;
	}
	if (!f->no_sdist)
		fake_add(c, wp_name_normalize(c->a, wp_str_of(project)),
			wp_sprintf(c->a, "%s-%s.tar.gz", stem, version))->f.yanked = f->yanked;
}

static void read_index(wp_json *j, fake_catalog *c)
{
	wp_str name, version;
	version_fact f;

	wp_json_object(j);
	while (wp_json_key(j, &name)) {
		const char *project = wp_str_dup(c->a, name);

		wp_json_object(j);
		while (wp_json_key(j, &version)) {
			const char *v = wp_str_dup(c->a, version);

			read_version(j, &f);
			add_version(c, project, v, &f);
			WP_VEC_FREE(&f.extras);
		}
	}
}

static void read_pip(wp_json *j, scenario *s)
{
	wp_str key;

	wp_json_object(j);
	while (wp_json_key(j, &key)) {
		answer *a = WP_PUSH_NEW(&s->pip);

		a->target = wp_str_dup(j->a, key);
		read_answer(j, a);
	}
}

static void read_part(wp_json *j, const char *want, const char *const **v, size_t *n, bool *flag)
{
	wp_str key;

	wp_json_object(j);
	while (wp_json_key(j, &key)) {
		if (!wp_str_is(key, want))
			wp_json_skip(j);
		else if (flag)
			wp_json_bool(j, flag);
		else
			wp_json_strings(j, v, n);
	}
}

static void read_scenario(wp_json *j, scenario *s)
{
	wp_str key;

	wp_json_object(j);
	while (wp_json_key(j, &key)) {
		if (wp_str_is(key, "name"))
			wp_json_cstr(j, &s->name);
		else if (wp_str_is(key, "packages"))
			read_index(j, &s->cat);
		else if (wp_str_is(key, "pip"))
			read_pip(j, s);
		else if (wp_str_is(key, "root"))
			read_part(j, "requires", &s->requires, &s->nrequires, NULL);
		else if (wp_str_is(key, "resolver_options"))
			read_part(j, "prereleases", NULL, NULL, &s->prerelease);
		else if (wp_str_is(key, "targets"))
			wp_json_strings(j, &s->targets, &s->ntargets);
		else if (wp_str_is(key, "wheel_only"))
			read_wheel_only(j, s);
		else
			wp_json_skip(j);
	}
}

/* ---- solving ------------------------------------------------------------------------------ */

static int make_target(wp_arena *a, const char *text, wp_target *t)
{
	const char *at = strchr(text, '@'), *platform = "manylinux_2_35_x86_64";
	wp_error e = {0};

	if (strstr(text, "-win-"))
		platform = "win_amd64";
	if (strstr(text, "-macos-"))
		platform = "macosx_14_0_arm64";
	return at ? wp_target_make(a, at + 1, platform, NULL, t, &e) : -1;
}

static bool same(const wp_lock_result *r, const answer *a)
{
	size_t i, k;

	if (r->lock.nwheels != a->packages.n)
		return false;
	for (i = 0; i < a->packages.n; i++) {
		for (k = 0; k < r->lock.nwheels; k++)
			if (wp_streq(r->lock.wheels[k].project, a->packages.v[i].key) &&
				wp_streq(r->lock.wheels[k].version, a->packages.v[i].value))
				break;
		if (k == r->lock.nwheels)
			return false;
	}
	return true;
}

static bool agrees(int rc, const wp_lock_result *r, const answer *a)
{
	if (!a->satisfiable || rc)
		return !a->satisfiable == !!rc;
	return !a->listed || same(r, a);
}

static void print_outcome(int rc, const wp_lock_result *r, const wp_error *e)
{
	size_t i;

	if (rc)
		printf("    %s: %s\n", wp_code_name(rc), e->why);
	else
		for (i = 0; i < r->lock.nwheels; i++)
			printf("    %s %s\n", r->lock.wheels[i].project, r->lock.wheels[i].version);
}

static const answer *pip_of(const scenario *s, const char *target)
{
	size_t i, n = strcspn(target, "@");

	for (i = 0; i < s->pip.n; i++)
		if (strlen(s->pip.v[i].target) == n && memcmp(s->pip.v[i].target, target, n) == 0)
			return &s->pip.v[i];
	return NULL;
}

static void judge_disputed(const scenario *s, int rc, const wp_lock_result *r)
{
	bool pip = agrees(rc, r, &s->pip_side), upstream = agrees(rc, r, &s->upstream_side);

	total.with_both += pip && upstream;
	total.with_pip += pip && !upstream;
	total.with_upstream += upstream && !pip;
	total.with_none += !pip && !upstream;
	printf("%-8s %s\n", pip ? upstream ? "both" : "pip" : upstream ? "upstream" : "neither", s->name);
}

static void judge(const scenario *s, const char *target, bool verbose)
{
	const answer *want = wp_streq(s->basis, "per target") ? pip_of(s, target) : &s->expected;
	wp_ctx ctx;
	wp_error e = {0};
	wp_target t;
	wp_lock_result r = {0};
	int rc;
	bool right;

	wp_ctx_init(&ctx, 1);
	if (make_target(ctx.arena, target, &t))
		exit(2);
	rc = wp_lock(&ctx, &(wp_lock_request){.requirements = s->requires, .nrequirements = s->nrequires,
			.targets = &t, .ntargets = 1, .prerelease = s->prerelease,
			.indexes = &(wp_lock_index){"ordinary", "https://index.test/simple/"}, .nindexes = 1},
		&s->cat.api, &r, &e);
	if (wp_streq(s->basis, "disputed")) {
		judge_disputed(s, rc, &r);
	} else {
		right = want && agrees(rc, &r, want);
		total.right += right;
		total.wrong += !right;
		printf("%-8s %s %s\n", right ? "ok" : "WRONG", s->name, target);
		if (!right || verbose)
			print_outcome(rc, &r, &e);
	}
	wp_ctx_done(&ctx);
}

static void replay(wp_json *j, bool verbose)
{
	scenario s = {0};
	size_t i;

	fake_begin(&s.cat);
	read_scenario(j, &s);
	for (i = 0; i < s.ntargets && !j->e->code; i++)
		judge(&s, s.targets[i], verbose);
	for (i = 0; i < s.pip.n; i++)
		WP_VEC_FREE(&s.pip.v[i].packages);
	WP_VEC_FREE(&s.pip);
	WP_VEC_FREE(&s.expected.packages);
	WP_VEC_FREE(&s.pip_side.packages);
	WP_VEC_FREE(&s.upstream_side.packages);
	fake_end(&s.cat);
}

int main(int argc, char **argv)
{
	enum { MAX_FILE = 64 << 20 };
	wp_arena *a = wp_arena_new();
	wp_error e = {0};
	wp_json j;
	wp_str key;
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	char *text = wp_xmalloc(MAX_FILE);
	size_t n;

	if (!f) {
		fprintf(stderr, "usage: scenarios FILE [-v]\n");
		return 2;
	}
	n = fread(text, 1, MAX_FILE, f);
	fclose(f);
	wp_json_init(&j, a, (wp_str){text, n}, WP_E_DOCUMENT, &e);
	wp_json_object(&j);
	while (wp_json_key(&j, &key)) {
		if (!wp_str_is(key, "scenarios")) {
			wp_json_skip(&j);
			continue;
		}
		wp_json_array(&j);
		while (wp_json_item(&j))
			replay(&j, argc > 2);
	}
	if (wp_json_end(&j))
		fprintf(stderr, "%s: %s\n", e.where, e.why);
	printf("%d as expected, %d not; disputed: %d as pip, %d as upstream, %d as both, %d as neither\n", total.right,
		total.wrong, total.with_pip, total.with_upstream, total.with_both, total.with_none);
	wp_arena_free(a);
	free(text);
	return e.code || total.wrong || !total.right;
}

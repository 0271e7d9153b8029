/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "cli/embed.h"
#include "os/os.h"
#include "py/tag.h"

static bool is_source(const char *word)
{
	return wp_ends(word, ".tar.gz") || wp_ends(word, ".tgz") || wp_ends(word, ".tar.bz2");
}

/* What is no bundle may be something that people take for one. */
static void advise_one(cli *c, const char *word, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_error ignored = {0};
	wp_wheel_name w;

	if (strstr(word, "://"))
		wp_err_next(e, "install fetches nothing: name a file of this PC, or make a bundle on one with internet");
	else if (is_source(word))
		wp_err_next(e, "%s", CLI_NOT_BUILT);
	else if (os_is_file(os_join(a, word, "pyvenv.cfg")))
		wp_err_next(e, "it is a venv: name the bundle, the wheel or the folder of wheels to be installed into it");
	else if (e->code == WP_E_WHEEL && wp_wheel_name_parse(a, wp_str_of(os_basename(word)), &w, &ignored))
		wp_err_next(e, "a wheel's name tells what it is for: give it the name back that it had");
	cli_advise_bundle(c, word, e);
}

/* `install torch torchvision`, as pip has it. */
static void advise(cli *c, wp_error *e)
{
	const char *words = "";
	size_t i;

	if (c->o.args.n == 1 && (e->code == WP_E_BUNDLE || e->code == WP_E_NOT_FOUND || e->code == WP_E_WHEEL))
		advise_one(c, c->o.args.v[0], e);
	for (i = 0; i < c->o.args.n; i++) {
		const char *word = c->o.args.v[i];

		if (strpbrk(word, "/\\") || wp_ends(word, ".wpk") || wp_ends(word, ".whl"))
			return;
		words = wp_sprintf(c->ctx.arena, "%s %s", words, word);
	}
	if (e->code == WP_E_NOT_FOUND)
		wp_err_next(e, "check the path; a bundle is made on a PC with internet: wheelpack bundle%s -o FILE.wpk", words);
}

int cli_interpreter(cli *c, const char *spec, wp_interpreter *out, wp_error *e)
{
	return wp_interpreter_find(&c->ctx, spec, os_getenv("PATH"), os_home(), out, e);
}

static wp_jnode *store_json(const wp_from_store *s)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "dir", s->dir);
	wp_jput_int(o, "linked", (int64_t)s->linked);
	wp_jput_int(o, "cloned", (int64_t)s->cloned);
	wp_jput_int(o, "copied", (int64_t)s->copied);
	wp_jput_int(o, "bytes", (int64_t)s->bytes);
	wp_jput_int(o, "added", (int64_t)s->added);
	return o;
}

static wp_jnode *receipt_json(const wp_receipt *r)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "venv", r->venv);
	wp_jput_str(o, "python", r->python);
	wp_jput_bool(o, "created", r->created);
	wp_jput_int(o, "distributions", (int64_t)r->distributions);
	wp_jput_int(o, "kept", (int64_t)r->kept);
	wp_jput_int(o, "replaced", (int64_t)r->replaced);
	wp_jput_int(o, "files", (int64_t)r->files);
	wp_jput_int(o, "scripts", (int64_t)r->scripts);
	wp_jput_int(o, "bytes", (int64_t)r->bytes);
	wp_jput_bool(o, "beside", r->before != NULL);
	if (r->before) {
		wp_jput_str(o, "before", r->before);
		wp_jput_int(o, "before_bytes", (int64_t)r->before_bytes);
	}
	wp_jput_int(o, "compiled", (int64_t)r->compiled);
	wp_jput_int(o, "compile_ms", (int64_t)r->compile_ms);
	if (r->store.dir)
		wp_jput(o, "store", store_json(&r->store));
	return o;
}

static wp_bytecode bytecode(const cli *c)
{
	if (c->o.compile_hashes)
		return WP_BYTECODE_HASHES;
	return c->o.compile ? WP_BYTECODE_TIMESTAMPS : WP_BYTECODE_NONE;
}

wp_install_request cli_install_request(cli *c, const wp_bundle *b)
{
	wp_install_request q = {.venv = c->o.venv, .python = c->o.python, .search_path = os_getenv("PATH"),
		.home = os_home(), .no_sync = c->o.no_sync, .wait = c->o.wait, .store = c->o.store,
		.bytecode = bytecode(c), .with_pip = c->o.with_pip, .all_users = c->o.all_users,
		.allow_conda = c->o.allow_conda, .target = cli_named_target(c),
		.launchers = {{(const char *)wp_data_launcher_console_exe, wp_data_launcher_console_exe_size},
			{(const char *)wp_data_launcher_gui_exe, wp_data_launcher_gui_exe_size}}};

	if (b) {
		q.lock = wp_bundle_lock(b);
		q.manifest = wp_bundle_manifest(b);
		q.bundle_id = wp_bundle_id(b);
		q.wheels = wp_bundle_wheels(b);
	}
	return q;
}

static void tell_before(cli *c, const wp_receipt *r)
{
	wp_arena *a = c->ctx.arena;

	cli_say(c, "the one before is kept in '%s' (%s)\n", r->before, cli_bytes(a, r->before_bytes));
	cli_say(c, "back to it: %s rollback --venv %s\n", c->program, cli_word(a, c->o.venv));
	cli_say(c, "when it isn't needed any more, remove the folder '%s'\n", os_dirname(a, r->before));
}

/* "from the store 'DIR': 12 files linked, 3 copied, 4.81 GB; 2 wheels were put there first" */
static void tell_store(cli *c, const wp_from_store *s)
{
	static const char *const words[] = {"linked", "cloned", "copied"};
	const size_t n[] = {s->linked, s->cloned, s->copied};
	wp_arena *a = c->ctx.arena;
	const char *text = "";
	size_t i;

	if (!s->dir || !(s->linked + s->cloned + s->copied + s->added)) /* all was there already */
		return;
	for (i = 0; i < sizeof n / sizeof *n; i++)
		if (n[i])
			text = wp_sprintf(a, "%s%s %s, ", text, *text ? wp_sprintf(a, "%zu", n[i]) : cli_count(a, n[i], "file"),
				words[i]);
	cli_say(c, "from the store '%s': %s%s%s\n", c->o.store, text, cli_bytes(a, s->bytes),
		s->added ? wp_sprintf(a, "; %s put there first", cli_count(a, s->added, "wheel")) : "");
}

static void tell_installed(cli *c, const wp_receipt *r, uint64_t start)
{
	wp_arena *a = c->ctx.arena;

	cli_findings(c, &r->findings);
	c->result = receipt_json(r);
	cli_say(c, "installed %s (%s, %s) into %s'%s' in %s\n", cli_count(a, r->distributions, "distribution"),
		cli_count(a, r->files, "file"), cli_bytes(a, r->bytes),
		r->created ? "the new venv " : r->before ? "a new venv, which is now " : "", c->o.venv,
		cli_seconds(a, os_now_ms() - start));
	if (r->before)
		tell_before(c, r);
	if (c->o.compile || c->o.compile_hashes)
		cli_say(c, "made bytecode of %s in %s of that\n", cli_count(a, r->compiled, "file"),
			cli_seconds(a, r->compile_ms));
	if (r->kept)
		cli_say(c, "%zu more %s there already\n", r->kept, r->kept == 1 ? "was" : "were");
	tell_store(c, &r->store);
	cli_say(c, "next: %s doctor --venv %s\n", c->program, cli_word(a, c->o.venv));
}

void cli_refusals(cli *c, const wp_findings *f)
{
	wp_findings severe = {0};
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].severity == WP_SEVERE)
			*wp_finding_add(&severe, c->ctx.arena, f->v[i].code, WP_SEVERE, "", "", NULL) = f->v[i];
	if (severe.n > 1)
		cli_all_findings(c, &severe);
	else
		wp_findings_append(&c->findings, c->ctx.arena, &severe);
}

static const char *const planned_words[] = {"install", "keep", "replace"};

static wp_jnode *preview_json(const wp_preview *p)
{
	wp_jnode *o = wp_jobject(), *list = wp_jarray();
	size_t i;

	wp_jput_bool(o, "dry_run", true);
	wp_jput_str(o, "venv", p->venv);
	wp_jput_bool(o, "create", p->create);
	wp_jput_bool(o, "beside", p->beside);
	wp_jput_str(o, "python", p->python);
	wp_jput_str(o, "interpreter", p->base);
	wp_jput_str(o, "version", p->version);
	wp_jput_str(o, "target", p->target);
	for (i = 0; i < p->n; i++) {
		const wp_planned_dist *d = &p->v[i];
		wp_jnode *x = wp_jobject();

		wp_jput_str(x, "action", planned_words[d->what]);
		wp_jput_str(x, "project", d->project);
		wp_jput_str(x, "version", d->version);
		wp_jput_str(x, "was", d->was);
		wp_jput_str(x, "filename", d->filename);
		wp_jput_int(x, "files", (int64_t)d->files);
		wp_jput_int(x, "bytes", (int64_t)d->bytes);
		wp_jadd(list, x);
	}
	wp_jput(o, "distributions", list);
	wp_jput_int(o, "files", (int64_t)p->files);
	wp_jput_int(o, "bytes", (int64_t)p->bytes);
	wp_jput_int(o, "space_needed", (int64_t)p->space_needed);
	wp_jput_int(o, "space_free", (int64_t)p->space_free);
	if (p->store) {
		list = wp_jobject();
		wp_jput_str(list, "dir", p->store);
		wp_jput_int(list, "files", (int64_t)p->store_files);
		wp_jput_int(list, "bytes", (int64_t)p->store_bytes);
		wp_jput_int(list, "added", (int64_t)p->store_added);
		wp_jput(o, "store", list);
	}
	return o;
}

/* The same version again is one whose files differ. */
static const char *planned_versions(wp_arena *a, const wp_planned_dist *d)
{
	if (!d->was)
		return d->version;
	if (strcmp(d->was, d->version) == 0)
		return wp_sprintf(a, "%s, whose files differ", d->version);
	return wp_sprintf(a, "%s by %s", d->was, d->version);
}

static void tell_preview(cli *c, const wp_preview *p)
{
	wp_arena *a = c->ctx.arena;
	size_t i;

	cli_findings(c, &p->findings);
	c->result = preview_json(p);
	cli_answer(c, "would install into %s'%s', with Python %s of '%s', for %s:\n",
		p->create ? "the new venv " : p->beside ? "a new venv in place of " : "", c->o.venv, p->version, p->base, p->target);
	for (i = 0; i < p->n; i++) {
		const wp_planned_dist *d = &p->v[i];

		if (d->what == WP_PLANNED_KEEP)
			cli_answer(c, "  %-8s %s %s\n", planned_words[d->what], d->project, d->version);
		else
			cli_answer(c, "  %-8s %s %s (%s, %s)\n", planned_words[d->what], d->project, planned_versions(a, d),
				cli_count(a, d->files, "file"), cli_bytes(a, d->bytes));
	}
	cli_answer(c, "%s, %s; %s of space are needed, %s are free\n", cli_count(a, p->files, "file"),
		cli_bytes(a, p->bytes), cli_bytes(a, p->space_needed), cli_bytes(a, p->space_free));
	if (p->store)
		cli_answer(c, "%s, %s, would come from the store '%s', and %s would be put there\n",
			cli_count(a, p->store_files, "file"), cli_bytes(a, p->store_bytes), c->o.store,
			cli_count(a, p->store_added, "wheel"));
	if (c->o.compile || c->o.compile_hashes)
		cli_say(c, "bytecode would be made of them\n");
	if (p->beside)
		cli_say(c, "the venv that is there would be kept beside it%s\n", c->o.trial ? "; nothing was tried now" : "");
	cli_say(c, "nothing was changed: this is what the command does without --dry-run\n");
}

static int preview(cli *c, const wp_install_request *q, wp_error *e)
{
	wp_preview p = {0};

	if (wp_install_preview(&c->ctx, q, &p, e))
		cli_refusals(c, &p.findings);
	else
		tell_preview(c, &p);
	return e->code;
}

static int carry_out(cli *c, wp_install_request *q, wp_receipt *r, wp_error *e)
{
	uint64_t start = os_now_ms();
	char now[21];

	q->beside = c->o.beside;
	if (c->o.trial)
		q->trial = (wp_trial){cli_trial, c};
	if (c->o.dry_run)
		return preview(c, q, e);
	os_rfc3339(-1, now);
	q->time = now;
	if (!wp_install(&c->ctx, q, r, e))
		tell_installed(c, r, start);
	else if (e->code == WP_E_TRIAL)
		cli_findings(c, &r->findings);
	else
		cli_refusals(c, &r->findings);
	return e->code;
}

static int install_bundle(cli *c, const wp_bundle *b, wp_error *e)
{
	wp_install_request q = cli_install_request(c, b);
	wp_receipt r = {0};

	if (c->o.allow_wrong_record.n) {
		wp_fail(e, WP_E_USAGE, "--allow-wrong-record is for wheels without a bundle");
		return wp_err_next(e, "leave it out: a bundle that was made with it has the exceptions in it");
	}
	return carry_out(c, &q, &r, e);
}

static int loose_once(cli *c, wp_install_request *q, bool first, wp_receipt *r, wp_error *e)
{
	wp_loose_request lq = {.paths = c->o.args.v, .n = c->o.args.n, .venv = q->venv, .python = q->python,
		.search_path = q->search_path, .home = q->home, .wait = q->wait, .with_pip = q->with_pip,
		.allow_conda = q->allow_conda, .allow_wrong_record = c->o.allow_wrong_record.v,
		.nallow_wrong_record = c->o.allow_wrong_record.n};
	wp_loose l = {0};

	if (wp_loose_make(&c->ctx, &lq, &l, e)) {
		cli_refusals(c, &l.findings);
		return e->code;
	}
	if (first)
		cli_findings(c, &l.findings);
	q->lock = &l.lock;
	q->loose = &l;
	q->wheels = l.wheels;
	return carry_out(c, q, r, e);
}

static int install_loose(cli *c, wp_error *e)
{
	wp_install_request q = cli_install_request(c, NULL);
	wp_receipt r = {0};

	if (c->o.beside && c->o.args.n > 1 && !wp_ends(c->o.args.v[0], ".whl")) {
		wp_fail(e, WP_E_USAGE, "--beside takes one bundle, and '%s' is a word more", c->o.args.v[1]);
		return wp_err_next(e, "what is to be tried stands behind --, at the end: --try -- %s ...", c->o.args.v[1]);
	}
	if (c->o.beside) {
		wp_fail(e, WP_E_USAGE, "--beside builds the whole venv anew, and wheels are not all that it has");
		return wp_err_next(e, "name a bundle of all that it is to have, or leave --beside out");
	}
	if (q.target) {
		wp_fail(e, WP_E_USAGE, "--target names one of a bundle's targets, and wheels go to the interpreter");
		return wp_err_next(e, "name the interpreter: --python PATH, or --python 3.12");
	}
	loose_once(c, &q, true, &r, e);
	while (e->code == WP_E_BUSY && r.stale) { /* what was seen of the venv was true before another run ended */
		*e = (wp_error){0};
		cli_findings(c, &r.findings);
		r = (wp_receipt){0};
		loose_once(c, &q, false, &r, e);
	}
	return e->code;
}

/* A bundle stands alone. */
static int install(cli *c, wp_error *e)
{
	wp_bundle *b = NULL;

	if (c->o.args.n > 1 || wp_ends(c->o.args.v[0], ".whl"))
		return install_loose(c, e);
	if (wp_bundle_open(&c->ctx, c->o.args.v[0], &b, e))
		return e->code;
	if (wp_bundle_lock(b))
		install_bundle(c, b, e);
	else
		install_loose(c, e);
	wp_bundle_close(b);
	return e->code;
}

static int run(cli *c, wp_error *e)
{
	if (!c->o.args.n || !c->o.venv || !c->o.venv[0]) {
		wp_err_what(e, "cannot install");
		wp_fail(e, WP_E_USAGE, "`wheelpack install` takes a bundle, or wheels and folders of them, and --venv DIR");
		return wp_err_next(e, "for example: wheelpack install %s", cli_example(c, "torch.wpk"));
	}
	if (c->o.targets.n > 1) {
		wp_err_what(e, "cannot install");
		return wp_fail(e, WP_E_USAGE, "`wheelpack install` takes one --target");
	}
	if (c->o.trial && !c->o.beside) {
		wp_err_what(e, "cannot install");
		wp_fail(e, WP_E_USAGE, "--try tries a venv before it takes its place, and without --beside none is built");
		return wp_err_next(e, "add --beside: %s install %s --beside --try", c->program, cli_example(c, "torch.wpk"));
	}
	if (!install(c, e))
		return 0;
	advise(c, e);
	wp_err_what(e, "cannot install '%s'", c->o.args.v[0]);
	return wp_err_state(e, "nothing was changed in '%s'", c->o.venv);
}

static const char *const options[] = {"venv", "python", "target", "store", "beside", "try", "dry-run", "wait", "compile",
	"compile-hashes", "with-pip", "all-users", "no-sync", "allow-conda", "allow-wrong-record", NULL};

const cli_command cmd_install = {
	.name = "install",
	.summary = "install a bundle, or wheels, offline into a venv, all or nothing",
	.usage = "BUNDLE --venv DIR [OPTIONS]\n"
		 "       wheelpack install BUNDLE --venv DIR --beside [--try [-- WORDS...]] [OPTIONS]\n"
		 "       wheelpack install WHEEL... | FOLDER... --venv DIR [OPTIONS]",
	.about = "Makes the venv if DIR is new. Every member is held to its RECORD in the pass that writes it; a refusal or a\n"
		 "stop leaves the venv as it was. In a venv that is there another version makes way, what was edited is put\n"
		 "right, and what is as it was installed is kept. One run at a time works at a venv: a second one is refused,\n"
		 "or with --wait comes after it.\n\n"
		 "With --beside the venv is built anew beside the one that is there, which stays as it is until the new one takes\n"
		 "its place in one step, and is kept then: `wheelpack rollback` goes back to it. With --try the new one is tried\n"
		 "first; where it fails nothing is switched, and the exit code is 1. Words behind -- go to its python.\n\n"
		 "Wheels without a bundle need no index and fetch nothing: of a folder each project goes in with its newest\n"
		 "version that fits, and what they require and nobody has is named.\n\n"
		 "  wheelpack install torch.wpk --venv ./env --python python3.12\n"
		 "  wheelpack install E:\\torch-cu126.wpk --venv C:\\envs\\torch\n"
		 "  wheelpack install torch.wpk --venv ./env --dry-run\n"
		 "  wheelpack install torch.wpk --venv ./env --beside --try\n"
		 "  wheelpack install torch.wpk --venv ./env --beside --try -- -c \"import torch; print(torch.ones(2).sum())\"\n"
		 "  wheelpack install torch.wpk --venv ./env2 --store ~/wheels     one copy for many venvs\n"
		 "  wheelpack install demo-1.0-py3-none-any.whl other-2.0-py3-none-any.whl --venv env\n"
		 "  wheelpack install E:\\wheels --venv C:\\envs\\torch\n",
	.options = options,
	.run = run,
};

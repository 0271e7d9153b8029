/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "cli/explain_tree.h"
#include "cli/relock.h"
#include "cli/suggest.h"
#include "model/lock_json.h"
#include "os/os.h"

static void first_line(cli *c, const cli_request *q)
{
	size_t i;

	for (i = 0; i < q->ntargets; i++)
		cli_say(c, "for %s%s%s\n", q->targets[i].name, q->as_before ? ", as in " : "",
			q->as_before ? c->o.out : "");
}

static bool is_unknown(const cli *c, const char *variant)
{
	return variant && !wp_compat_variant(&c->compat, variant);
}

/* New variants appear; a misspelt one is told before the network is asked. */
static void early_word(cli *c, const cli_request *q)
{
	if (is_unknown(c, q->variant))
		cli_say(c, "'%s' is not known here (known: %s); asking its index all the same\n", q->variant,
			wp_compat_variants(c->ctx.arena, &c->compat));
}

/* A wheel that is named by its path or address is a place too. */
static int check_places(const cli_request *q, const cli_sources *s, wp_error *e)
{
	size_t i;

	for (i = 0; i < q->requirements.n; i++)
		if (strstr(q->requirements.v[i], "://"))
			return 0;
	return s->nindexes ? 0
			   : wp_fail(e, WP_E_USAGE, "--no-index without --find-links leaves no place to look for wheels");
}

/* What the library cannot know: which options the request came from. */
static void advise(cli *c, const cli_request *q, const cli_sources *s, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	size_t i;

	if (is_unknown(c, q->variant) && (e->code == WP_E_NETWORK || e->code == WP_E_HTTP) &&
		strstr(e->where, wp_sprintf(a, "/%s/", q->variant))) {
		e->next[0] = 0;
		wp_err_next(e, "the variant '%s' is probably wrong; those that are known are %s. If it is right, check the connection",
			q->variant, wp_compat_variants(a, &c->compat));
	}
	for (i = 0; i < s->nindexes && s->indexes[i].find_links; i++)
		;
	if (e->code == WP_E_NO_PROJECT && i == s->nindexes)
		wp_err_next(e, "check the spelling, or name the folder that has its wheel with --find-links");
}

int cli_lock(cli *c, const wp_lock_doc *earlier, wp_session **session, wp_lock_result *out, wp_error *e)
{
	cli_request q = {0};
	cli_sources s;
	wp_session_options so;
	wp_lock_request lq;

	if (cli_request_read(c, earlier, &q, e))
		return e->code;
	first_line(c, &q);
	early_word(c, &q);
	cli_retargeted(c, earlier, &q);
	if (cli_sources_read(c, q.variant, &s, e) || check_places(&q, &s, e))
		return e->code;
	so = cli_session_options(c, &s);
	if (wp_session_open(&c->ctx, &so, session, e))
		return e->code;
	lq = (wp_lock_request){.requirements = q.requirements.v, .nrequirements = q.requirements.n,
		.constraints = q.constraints.v, .nconstraints = q.constraints.n, .targets = q.targets,
		.ntargets = q.ntargets, .prerelease = q.pre, .require_index_hashes = c->o.require_index_hashes,
		.exclude_newer = c->o.exclude_newer, .compat = &c->compat, .indexes = cli_lock_indexes(c->ctx.arena, s.indexes, s.nindexes),
		.nindexes = s.nindexes};
	cli_explain_names(c, &lq);
	if (cli_kept(c, earlier, &q.requirements, &lq, e))
		return e->code;
	wp_lock(&c->ctx, &lq, wp_session_catalog(*session), out, e);
	cli_findings(c, wp_session_notes(*session));
	if (e->code) {
		advise(c, &q, &s, e);
		cli_suggest(c, &q, &so, &lq, wp_session_catalog(*session), e);
		wp_err_what(e, "cannot find wheels for '%s'", q.requirements.v[0]);
		return e->code;
	}
	cli_findings(c, &out->findings);
	if (!out->lock.nwheels) {
		wp_fail(e, WP_E_USAGE, "nothing is left to bundle: the markers of all requirements are false for the target");
		return wp_err_next(e, "`wheelpack target %s` shows the target's markers", q.targets[0].name);
	}
	return 0;
}

/* The width of a column; a line that is far longer than the others breaks it alone. */
static size_t longest(size_t width, const char *text)
{
	enum { WIDEST = 60 };
	size_t n = strlen(text);

	return n > width && n <= WIDEST ? n : width;
}

static bool is_for(const wp_lock_target *t, const char *filename)
{
	size_t i;

	for (i = 0; i < t->nwheels; i++)
		if (wp_streq(t->wheels[i], filename))
			return true;
	return false;
}

/* Where there are several: whose wheel it is. */
static const char *targets_of(wp_arena *a, const wp_lock_doc *d, const char *filename)
{
	const char *text = "";
	size_t i, n = 0;

	for (i = 0; i < d->ntargets; i++)
		if (is_for(&d->targets[i], filename))
			text = wp_sprintf(a, "%s%s%s", text, n++ ? ", " : "  for ", d->targets[i].name);
	return d->ntargets == 1 ? "" : n == d->ntargets ? "  for all targets" : text;
}

/* The answer, where it is not written to a file. */
static void say_wheels(cli *c, const wp_lock_doc *d)
{
	void (*say)(cli *, const char *, ...) = c->o.out || c->o.explain.n ? cli_say : cli_answer;
	size_t i, project = 28, version = 20;

	for (i = 0; i < d->nwheels; i++) {
		project = longest(project, d->wheels[i].project);
		version = longest(version, d->wheels[i].version);
	}
	for (i = 0; i < d->nwheels; i++) {
		const wp_lock_wheel *w = &d->wheels[i];

		say(c, "  %-*s %-*s %s%s%s\n", (int)project, w->project, (int)version, w->version,
			w->size >= 0 ? cli_bytes(c->ctx.arena, (uint64_t)w->size) : "size unknown",
			w->requested ? "  (asked for)" : "", targets_of(c->ctx.arena, d, w->filename));
	}
}

static uint64_t total_size(const wp_lock_doc *d)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		n += d->wheels[i].size > 0 ? (uint64_t)d->wheels[i].size : 0;
	return n;
}

/* "2.75 GB", "13 kB and 2 of unknown size". */
static const char *say_size(wp_arena *a, const wp_lock_doc *d)
{
	size_t i, unknown = 0;

	for (i = 0; i < d->nwheels; i++)
		unknown += d->wheels[i].size < 0;
	if (unknown == d->nwheels)
		return "size unknown";
	return wp_sprintf(a, unknown ? "%s and %zu of unknown size" : "%s", cli_bytes(a, total_size(d)), unknown);
}

/* The file has these bytes already: it is not touched, so that what is made from it is not made again. It is read anew,
 * since another run may have written it meanwhile. */
static bool is_in(cli *c, const char *path, wp_str text)
{
	wp_error ignored = {0};
	wp_str there;

	return !os_read_file(c->ctx.arena, path, text.n, &there, &ignored) && wp_str_eq(there, text);
}

static int write_lock(cli *c, const wp_lock_doc *d, bool *written, wp_error *e)
{
	wp_str text;

	*written = false;
	if (wp_lock_write(c->ctx.arena, d, &text, e))
		return e->code;
	if (!c->o.out || is_in(c, c->o.out, text))
		return 0;
	if (os_write_file(c->o.out, text, e))
		return wp_err_what(e, "cannot write the lock");
	*written = true;
	return 0;
}

static int run(cli *c, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_session *session = NULL;
	wp_lock_result r = {0};
	const wp_lock_doc *earlier;
	uint64_t start = os_now_ms();
	wp_jnode *explained, *changes;
	bool written;

	if (cli_earlier_lock(c, c->o.out, &earlier, e) == 0)
		cli_lock(c, earlier, &session, &r, e);
	wp_session_close(session);
	wp_err_what(e, "cannot lock");
	if (e->code || write_lock(c, &r.lock, &written, e))
		return e->code;
	say_wheels(c, &r.lock);
	explained = cli_explained(c, &r);
	cli_say(c, "%s, %s, in %s\n", cli_count(a, r.lock.nwheels, "wheel"), say_size(a, &r.lock),
		cli_seconds(a, os_now_ms() - start));
	changes = earlier ? cli_changes(c, earlier, &r.lock) : NULL;
	if (c->o.out)
		cli_say(c, "%s%s; next: %s bundle --lock %s\n", written ? "wrote " : c->o.out,
			written ? c->o.out : " stays as it was", c->program, cli_word(a, c->o.out));
	else
		cli_say(c, "nothing was written; -o FILE keeps the lock\n");
	c->result = wp_lock_json(&r.lock);
	wp_jput_str(c->result, "path", c->o.out);
	wp_jput_int(c->result, "bytes", (int64_t)total_size(&r.lock));
	if (explained)
		wp_jput(c->result, "explained", explained);
	if (changes)
		wp_jput(c->result, "changes", changes);
	return 0;
}

static const char *const options[] = {"cuda", "cpu", "python", "python-version", "platform", "target", "requirement",
	"constraint", "out", "output", "no-suggest", "explain", "update", "pre", "exclude-newer", "index-url", "extra-index-url",
	"find-links", "no-index",
	"variant-index-base", "require-index-hashes", "cert", "proxy", "trusted-host", "timeout", "retries",
	"cache-dir", "no-cache-dir", "offline", "refresh", "upgrade", NULL};

const cli_command cmd_lock = {
	.name = "lock",
	.summary = "find the exact wheels for a target, without fetching them",
	.usage = "[OPTIONS] REQUIREMENT... | MANIFEST.json | -r FILE",
	.about = "Resolves for the target, not for this machine: its markers, its tags. The lock is the same, byte for\n"
		 "byte, for the same answers of the index. Without --python, --platform, --target and --cuda it is for the targets\n"
		 "of the lock that -o names, if it is there, else for this machine.\n"
		 "Several targets get the same versions wherever that is possible. A wheel may be named by its path or its\n"
		 "address. Where -o names a lock that is there, its versions are kept as far as they can be; --update takes\n"
		 "the newest of all, --update PROJECT of that one.\n\n"
		 "  wheelpack lock torch torchvision torchaudio --cuda cu126 --python 3.12 --platform win_amd64 \\\n"
		 "            -o torch.lock.json\n"
		 "  wheelpack lock \"torch>=2.6,<2.8\" --target cp311-manylinux_2_28_x86_64-cu118\n"
		 "  wheelpack lock torch torchvision --cuda cu126 --explain torch --explain numpy\n"
		 "  wheelpack lock torch numpy -o torch.lock.json --update numpy\n"
		 "  wheelpack lock torch ./our-1.0-py3-none-any.whl --target cp312-win_amd64 --target cp312-linux_x86_64\n"
		 "  wheelpack lock torch --index-url https://download.pytorch.org/whl/cu121   (pip's words work)\n",
	.options = options,
	.run = run,
};

/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "cli/relock.h"
#include "os/os.h"
#include "py/name.h"

/* A session for a lock that was made earlier: its own indexes, the network as given now. */
static int session_of_lock(cli *c, const wp_lock_doc *d, wp_session **out, wp_error *e)
{
	wp_session_options so;
	cli_sources s;

	if (cli_sources_read(c, d->variant, &s, e))
		return e->code;
	so = cli_session_options(c, &s);
	return wp_session_open(&c->ctx, &so, out, e);
}

static int read_lock(cli *c, wp_lock_doc *out, wp_error *e)
{
	wp_str text;

	if (os_read_file(c->ctx.arena, c->o.lock, WP_MAX_DOCUMENT, &text, e))
		return wp_err_what(e, "cannot read the lock");
	if (wp_lock_read(c->ctx.arena, text, out, e)) {
		wp_err_where(e, "'%s'", c->o.lock);
		return wp_err_what(e, "cannot read the lock");
	}
	return 0;
}

/* A lock says what, for which target and of which variant. */
static int lock_alone(const cli_options *o, wp_error *e)
{
	if (o->args.n || o->requirement_files.n || o->constraint_files.n)
		return wp_fail(e, WP_E_USAGE, "--lock and requirements don't go together");
	if (!o->targets.n && !o->python && !o->platform && !o->cuda && !o->cpu && !o->pre && !o->exclude_newer)
		return 0;
	wp_fail(e, WP_E_USAGE, "--lock stands alone: the lock says for which target and variant it is");
	return wp_err_next(e, "leave --target, --python, --platform, --cuda, --pre and --exclude-newer out, or lock again with them");
}

static int get_lock(cli *c, wp_session **session, wp_lock_doc *out, wp_error *e)
{
	wp_lock_result r = {0};
	size_t i;

	if (c->o.lock) {
		if (lock_alone(&c->o, e) || read_lock(c, out, e) || session_of_lock(c, out, session, e))
			return e->code;
		for (i = 0; i < out->ntargets; i++)
			cli_say(c, "for %s\n", out->targets[i].name);
		return 0;
	}
	if (cli_lock(c, NULL, session, &r, e))
		return e->code;
	*out = r.lock;
	return 0;
}

/* torch-cp312-win_amd64-cu126.wpk: what was asked first, and the target. */
static const char *default_out(cli *c, const wp_lock_doc *d)
{
	const char *first = "bundle";
	size_t i;

	for (i = 0; i < d->nwheels; i++)
		if (d->wheels[i].requested && d->nrequirements &&
			wp_starts(d->requirements[0], d->wheels[i].project))
			first = d->wheels[i].project;
	return wp_sprintf(c->ctx.arena, "%s-%s.wpk", first, d->ntargets == 1 ? d->targets[0].name : "all");
}

/* The names of projects that an option takes, normalised. One that isn't there was meant for something. */
static int check_projects(cli *c, const wp_lock_doc *d, const char *option, cli_list *names, wp_error *e)
{
	size_t i, k;

	for (i = 0; i < names->n; i++) {
		const char *given = names->v[i];

		names->v[i] = wp_name_normalize(c->ctx.arena, wp_str_of(given));
		for (k = 0; k < d->nwheels && !wp_streq(d->wheels[k].project, names->v[i]); k++)
			;
		if (k == d->nwheels) {
			wp_fail(e, WP_E_USAGE, "%s names '%s', which is not among the wheels", option, given);
			cli_near_project(c, d, names->v[i], e);
			return wp_err_next(e, "name a project: `wheelpack lock` lists them");
		}
	}
	return 0;
}

/* One program for the bundle; absent is fine where the user named no folder. */
static int read_tool(cli *c, const char *dir, const char *name, wp_str *out, wp_error *e)
{
	enum { MAX_TOOL = 32 << 20 };
	const char *path = os_join(c->ctx.arena, dir, name);

	return os_is_file(path) ? os_read_file(c->ctx.arena, path, MAX_TOOL, out, e) : 0;
}

static int read_tools(cli *c, wp_pack_request *q, wp_error *e)
{
	const char *self = NULL, *dir = c->o.tools;

	q->tools_named = dir != NULL;
	if (!dir && os_self_path(c->ctx.arena, &self, e) == 0)
		dir = os_dirname(c->ctx.arena, self);
	if (e->code || read_tool(c, dir, "wheelpack.exe", &q->tool_windows, e) ||
		read_tool(c, dir, "wheelpack", &q->tool_linux, e))
		return e->code;
	if (q->tools_named && !q->tool_windows.n && !q->tool_linux.n) {
		wp_fail(e, WP_E_NOT_FOUND, "neither wheelpack nor wheelpack.exe is in it");
		return wp_err_where(e, "'%s'", dir);
	}
	return 0;
}

static int pack(cli *c, const wp_fetch_result *f, wp_pack_request *q, wp_pack_result *p, wp_error *e)
{
	q->lock = &f->lock;
	q->wheels = f->wheels;
	q->nwheels = f->nwheels;
	q->source = f->source;
	if (wp_pack(&c->ctx, q, p, e))
		return e->code;
	cli_findings(c, &p->findings);
	return 0;
}

static int fetch(cli *c, wp_session *s, const wp_fetch_request *q, wp_fetch_result *out, wp_error *e)
{
	int rc = wp_fetch(&c->ctx, s, q, out, e);

	cli_findings(c, &out->findings);
	if (!rc)
		return 0;
	wp_err_what(e, "cannot fetch the wheels");
	return wp_err_state(e, "no bundle was written; what was fetched is kept in the cache");
}

/* A wheel that was checked long ago is not hashed before it is packed: where it went bad in the cache since then, it is
 * fetched again, once. */
static int pack_whole(cli *c, wp_session *s, wp_fetch_result *f, wp_pack_request *pq, wp_pack_result *p,
	wp_error *e)
{
	wp_fetch_request q = {.lock = &f->lock, .recheck = true, .allow_wrong_record = c->o.allow_wrong_record.v,
		.nallow_wrong_record = c->o.allow_wrong_record.n};
	wp_fetch_result again = {0};
	wp_error own = {0};

	if (pack(c, f, pq, p, &own) == WP_E_DIGEST) {
		if (fetch(c, s, &q, &again, e))
			return e->code;
		again.bytes_downloaded += f->bytes_downloaded;
		*f = again;
		own = (wp_error){0};
		pack(c, f, pq, p, &own);
	}
	*e = own;
	return e->code;
}

static void report(cli *c, const wp_fetch_result *f, const wp_pack_result *p, uint64_t start)
{
	wp_arena *a = c->ctx.arena;

	cli_say(c, "wrote %s%s: %s, %s (%s downloaded), in %s\n", wp_ends(p->path, ".wpk") ? "" : "the directory ", p->path,
		cli_count(a, f->nwheels, "wheel"), cli_bytes(a, p->bytes), cli_bytes(a, f->bytes_downloaded),
		cli_seconds(a, os_now_ms() - start));
	cli_say(c, "bundle id %s\nlock id   %s\nnext: %s verify %s\n", p->id, p->lock_id, c->program,
		cli_word(a, p->path));
	c->result = wp_jobject();
	wp_jput_str(c->result, "path", p->path);
	wp_jput_str(c->result, "id", p->id);
	wp_jput_str(c->result, "lock", p->lock_id);
	wp_jput_int(c->result, "wheels", (int64_t)f->nwheels);
	wp_jput_int(c->result, "bytes", (int64_t)p->bytes);
	wp_jput_int(c->result, "downloaded", (int64_t)f->bytes_downloaded);
}

/* Before gigabytes are fetched. Where the name is that of a file, but the bundle will be a directory, that is said. */
static int check_out(cli *c, const char *out, wp_error *e)
{
	static const char *const ends[] = {".wpk", ".zip", ".whl", ".tar", ".gz", ".tgz", ".7z", ".json"};
	const char *lower = wp_str_lower(c->ctx.arena, wp_str_of(out));
	size_t i;

	for (i = 0; i < sizeof ends / sizeof *ends; i++)
		if (wp_ends(lower, ends[i]) && !wp_ends(out, ".wpk"))
			cli_say(c, "%s will be a directory; a bundle is one file where the name ends in .wpk\n", out);
	return wp_pack_check(&c->ctx, out, c->o.force, e);
}

static int fetch_and_pack(cli *c, wp_session **session, wp_error *e)
{
	wp_lock_doc lock = {0};
	wp_fetch_result f = {0};
	wp_pack_result p = {0};
	wp_pack_request pq = {.out = c->o.out ? c->o.out : c->o.dest, .replace = c->o.force};
	uint64_t start = os_now_ms();

	if (read_tools(c, &pq, e) || (pq.out && check_out(c, pq.out, e)) || get_lock(c, session, &lock, e))
		return e->code;
	if (!pq.out) {
		pq.out = default_out(c, &lock);
		if (check_out(c, pq.out, e))
			return e->code;
	}
	if (check_projects(c, &lock, "--refetch", &c->o.refetch, e) ||
		check_projects(c, &lock, "--allow-wrong-record", &c->o.allow_wrong_record, e))
		return e->code;
	wp_fetch_request q = {.lock = &lock, .refetch = c->o.refetch.v, .nrefetch = c->o.refetch.n,
		.require_index_hashes = c->o.require_index_hashes, .allow_wrong_record = c->o.allow_wrong_record.v,
		.nallow_wrong_record = c->o.allow_wrong_record.n};
	if (fetch(c, *session, &q, &f, e) || pack_whole(c, *session, &f, &pq, &p, e))
		return e->code;
	report(c, &f, &p, start);
	return 0;
}

static int run(cli *c, wp_error *e)
{
	wp_session *session = NULL;

	fetch_and_pack(c, &session, e);
	wp_session_close(session);
	return wp_err_what(e, "cannot make the bundle");
}

static const char *const options[] = {"cuda", "cpu", "python", "python-version", "platform", "target", "requirement",
	"constraint", "lock", "out", "output", "dest", "force", "tools", "no-suggest", "pre", "exclude-newer", "index-url",
	"extra-index-url", "find-links",
	"no-index", "variant-index-base", "require-index-hashes", "refetch", "allow-wrong-record", "cert", "proxy",
	"trusted-host", "timeout",
	"retries", "cache-dir", "no-cache-dir", "offline", "refresh", "upgrade", NULL};

const cli_command cmd_bundle = {
	.name = "bundle",
	.summary = "fetch torch and all it needs for a target into one file or directory",
	.usage = "[OPTIONS] REQUIREMENT... | MANIFEST.json | -r FILE | --lock FILE",
	.about = "Locks, downloads, verifies and writes a bundle: a .wpk file where -o ends in .wpk, else a directory that\n"
		 "pip and uv install from too (--no-index --find-links DIR/wheels). Without -o the name is made of the first\n"
		 "requirement and the target. Without --python, --platform and --target it is for this machine.\n\n"
		 "  wheelpack bundle torch torchvision torchaudio --cuda cu126 --python 3.12 \\\n"
		 "            --platform win_amd64 -o torch-cu126.wpk\n"
		 "  wheelpack bundle torch==2.11.0 --python 3.12 --platform manylinux_2_28_x86_64 -o torch.wpk\n"
		 "  wheelpack bundle manifests/torch-cu126-win.json\n"
		 "  wheelpack bundle torch ./our-1.0-py3-none-any.whl \"tool @ https://host/tool-2.1-py3-none-any.whl\"\n"
		 "  wheelpack bundle --lock torch.lock.json -o DIR/\n"
		 "  wheelpack bundle torch --index-url https://download.pytorch.org/whl/cu121   (pip's words work)\n",
	.options = options,
	.run = run,
};

/* SPDX-License-Identifier: MIT
 *
 * receipt.c: what was installed, when and for which machine, beside a copy of the lock.
 */
#include "base/json.h"
#include "ext/hash.h"
#include "ext/json_out.h"
#include "install/parts.h"
#include "install/removed.h"
#include "model/exceptions.h"
#include "os/os.h"

static wp_jnode *python_json(const wp_interpreter *p)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "executable", p->executable);
	wp_jput_str(o, "version", p->version);
	wp_jput_str(o, "tag", p->soabi_tag);
	wp_jput_str(o, "platform", p->platform_tag);
	wp_jput_str(o, "system", p->markers.platform_system);
	wp_jput_str(o, "release", p->markers.platform_release);
	return o;
}

static wp_jnode *distributions_json(const wp_plan *p)
{
	wp_jnode *list = wp_jarray();
	size_t i;

	for (i = 0; i < p->nwheels; i++) {
		const wp_in_wheel *w = &p->wheels[i];
		wp_jnode *o = wp_jobject();

		wp_jput_str(o, "project", w->lock->project);
		wp_jput_str(o, "version", w->lock->version);
		wp_jput_str(o, "filename", w->lock->filename);
		wp_jput_str(o, "record_sha256", w->wheel.record_sha256);
		wp_jput_bool(o, "requested", w->lock->requested);
		wp_jput_bool(o, "kept", w->kept);
		if (w->wheel.exceptions.n)
			wp_jput(o, "exceptions", wp_exceptions_node(&w->wheel.exceptions));
		wp_jadd(list, o);
	}
	return list;
}

static wp_jnode *store_json(const wp_from_store *s)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "dir", s->dir);
	wp_jput_int(o, "linked", (int64_t)s->linked);
	wp_jput_int(o, "cloned", (int64_t)s->cloned);
	wp_jput_int(o, "copied", (int64_t)s->copied);
	return o;
}

static wp_str receipt_text(wp_plan *p, const wp_receipt *r, wp_str lock)
{
	char id[WP_SHA256_HEX + 1];
	wp_jnode *o = wp_jobject();

	wp_sha256_hex(lock, id);
	wp_jput_str(o, "schema", WP_RECEIPT_SCHEMA);
	wp_jput_str(o, "lock", id);
	wp_jput_str_or_null(o, "bundle", p->in->bundle_id);
	wp_jput_str(o, "target", p->in->loose ? p->in->loose->record.targets[0].name : p->target->name);
	wp_jput_str_or_null(o, "time", p->in->time);
	wp_jput(o, "python", python_json(&p->python));
	wp_jput(o, "distributions", distributions_json(p));
	wp_jput_bool(o, "elevated", os_is_elevated());
	if (p->all_users)
		wp_jput_bool(o, "all_users", true);
	if (p->in->bytecode != WP_BYTECODE_NONE)
		wp_jput_str(o, "bytecode", p->in->bytecode == WP_BYTECODE_HASHES ? "hashes" : "timestamps");
	wp_jput_int(o, "files", (int64_t)r->files);
	wp_jput_int(o, "bytes", (int64_t)r->bytes);
	if (r->store.dir)
		wp_jput(o, "store", store_json(&r->store));
	return wp_jtext(p->a, o);
}

static int put(const wp_plan *p, const char *dir, const char *name, wp_str text, wp_error *e)
{
	if (p->in->no_sync)
		return wp_put_text(p->a, dir, name, text, e);
	return os_write_file(os_join(p->a, dir, name), text, e);
}

int wp_receipt_write(wp_plan *p, const wp_receipt *r, const char *dir, wp_error *e)
{
	wp_str lock;

	if (wp_lock_write(p->a, p->record, &lock, e) || put(p, dir, "lock.json", lock, e))
		return e->code;
	return put(p, dir, "receipt.json", receipt_text(p, r, lock), e);
}

/* What a receipt says; NULL where it says nothing. */
typedef struct told {
	const char *lock, *target;
	bool all_users;
} told;

static told read_receipt(wp_arena *a, wp_str text)
{
	told t = {0};
	wp_error ignored = {0};
	wp_json j;
	wp_str key;

	wp_json_init(&j, a, text, WP_E_DOCUMENT, &ignored);
	if (wp_json_object(&j))
		while (wp_json_key(&j, &key)) {
			if (wp_str_is(key, "lock"))
				wp_json_cstr(&j, &t.lock);
			else if (wp_str_is(key, "target"))
				wp_json_cstr(&j, &t.target);
			else if (wp_str_is(key, "all_users"))
				wp_json_bool(&j, &t.all_users);
			else
				wp_json_skip(&j);
		}
	return wp_json_end(&j) ? (told){0} : t;
}

const char *wp_venv_seen(wp_arena *a, const char *venv)
{
	char *hex = wp_alloc(a, WP_SHA256_HEX + 1);
	wp_error ignored = {0};
	wp_str text;

	if (os_read_file(a, os_join(a, venv, ".wheelpack/receipt.json"), WP_MAX_DOCUMENT, &text, &ignored))
		return os_is_file(os_join(a, venv, "pyvenv.cfg")) ? "no receipt" : "";
	wp_sha256_hex(text, hex);
	return hex;
}

bool wp_venv_shared(wp_arena *a, const char *venv)
{
	wp_error ignored = {0};
	wp_str text;

	return !os_read_file(a, os_join(a, venv, ".wheelpack/receipt.json"), WP_MAX_DOCUMENT, &text, &ignored) &&
	       read_receipt(a, text).all_users;
}

/* What the system can't read is no file that isn't there. */
static int read_text(wp_arena *a, const char *venv, const char *name, wp_str *out, wp_error *e)
{
	wp_error f = {0};

	*out = (wp_str){0};
	if (os_read_file(a, wp_sprintf(a, "%s/.wheelpack/%s", venv, name), WP_MAX_DOCUMENT, out, &f) && f.code != WP_E_NOT_FOUND)
		*e = f;
	return e->code;
}

int wp_venv_lock_read(wp_arena *a, const char *venv, wp_lock_doc *out, bool *there, wp_error *e)
{
	char have[WP_SHA256_HEX + 1];
	wp_error ignored = {0};
	wp_str receipt, lock;
	told t;

	*there = false;
	if (read_text(a, venv, "receipt.json", &receipt, e) || read_text(a, venv, "lock.json", &lock, e))
		return e->code;
	t = read_receipt(a, receipt);
	wp_sha256_hex(lock, have);
	if (!t.lock || !t.target || strcmp(t.lock, have) != 0 || wp_lock_read(a, lock, out, &ignored) ||
		!wp_lock_only(out, t.target))
		return 0;
	*there = true;
	return wp_removed_apply(a, venv, out, e);
}

bool wp_venv_lock(wp_ctx *ctx, const char *venv, wp_lock_doc *out)
{
	wp_error ignored = {0};
	bool there;

	wp_venv_lock_read(ctx->arena, venv, out, &there, &ignored);
	return there;
}

/* SPDX-License-Identifier: MIT
 *
 * removed.c: projects of the venv's lock that were uninstalled on purpose. The lock and the receipt stay what was
 * installed; the list beside them says what is no longer to be there, until the next install writes a receipt.
 */
#include "base/json.h"
#include "ext/json_out.h"
#include "install/parts.h"
#include "install/removed.h"
#include "os/os.h"

#define SCHEMA "wheelpack.removed/1"

static int read_list(wp_arena *a, const char *venv, const char *const **out, size_t *n, wp_error *e)
{
	wp_error f = {0}, ignored = {0};
	wp_str text, key;
	wp_json j;

	*n = 0;
	if (os_read_file(a, os_join(a, venv, WP_REMOVED_PATH), WP_MAX_DOCUMENT, &text, &f)) {
		if (f.code != WP_E_NOT_FOUND)
			*e = f;
		return e->code;
	}
	wp_json_init(&j, a, text, WP_E_DOCUMENT, &ignored);
	if (wp_json_object(&j))
		while (wp_json_key(&j, &key)) {
			if (wp_str_is(key, "projects"))
				wp_json_strings(&j, out, n);
			else
				wp_json_skip(&j);
		}
	if (wp_json_end(&j))
		*n = 0;
	return 0;
}

int wp_removed_apply(wp_arena *a, const char *venv, wp_lock_doc *lock, wp_error *e)
{
	const char *const *gone;
	size_t n;

	if (!read_list(a, venv, &gone, &n, e) && n)
		wp_lock_without(a, lock, gone, n);
	return e->code;
}

static bool has_project(const wp_lock_doc *lock, const char *project)
{
	size_t i;

	for (i = 0; i < lock->nwheels; i++)
		if (wp_streq(lock->wheels[i].project, project))
			return true;
	return false;
}

static wp_str list_text(wp_arena *a, const char *const *v, size_t n)
{
	wp_jnode *o = wp_jobject();

	wp_jput_str(o, "schema", SCHEMA);
	wp_jput_strs(o, "projects", v, n);
	return wp_jtext(a, o);
}

int wp_removed_stage(wp_arena *a, const char *venv, const char *const *projects, size_t n, wp_journal *j,
	wp_error *e)
{
	const char *const *before, **all;
	wp_lock_doc lock;
	size_t i, nbefore, k;
	bool there;

	if (wp_venv_lock_read(a, venv, &lock, &there, e) || !there || read_list(a, venv, &before, &nbefore, e))
		return e->code;
	all = WP_NEW_ARRAY(a, nbefore + n, const char *);
	for (k = 0; k < nbefore; k++)
		all[k] = before[k];
	for (i = 0; i < n; i++)
		if (has_project(&lock, projects[i]))
			all[k++] = projects[i];
	if (k == nbefore)
		return 0;
	if (os_mkdirs(wp_sprintf(a, "%s/.wheelpack/stage/.wheelpack", venv), e) ||
		os_write_file(wp_sprintf(a, "%s/.wheelpack/stage/" WP_REMOVED_PATH, venv), list_text(a, all, k), e))
		return e->code;
	if (os_is_file(os_join(a, venv, WP_REMOVED_PATH)))
		WP_PUSH(&j->olds, WP_REMOVED_PATH);
	WP_PUSH(&j->news, WP_REMOVED_PATH);
	return 0;
}

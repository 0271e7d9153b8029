/* SPDX-License-Identifier: MIT */
#include "py/metadata.h"
#include "base/map.h"
#include "base/vec.h"
#include "py/headers.h"
#include "py/name.h"

#include <string.h>

typedef WP_VEC(const char *) text_list;

static const char *const *finish(wp_arena *a, text_list *list, size_t *n)
{
	const char *const *v = WP_VEC_COPY(a, list);

	*n = list->n;
	WP_VEC_FREE(list);
	return v;
}

/* For a field that stands once: twice with different values leaves open which one counts. */
static int set_once(const char **field, wp_str name, const char *value, wp_error *e)
{
	if (!*field)
		*field = value;
	else if (strcmp(*field, value) != 0)
		return wp_fail(e, WP_E_METADATA, "METADATA has %.*s twice: '%s' and '%s'", (int)name.n, name.p,
			*field, value);
	return 0;
}

/* The fields that may stand more than once. */
typedef struct lists {
	text_list requires, extras;
	wp_map seen; /* extras */
} lists;

static int take_field(wp_arena *a, wp_metadata *m, wp_str name, const char *value, lists *l, wp_error *e)
{
	if (wp_str_is_nocase(name, "metadata-version"))
		return set_once(&m->metadata_version, name, value, e);
	if (wp_str_is_nocase(name, "name"))
		return set_once(&m->name, name, value, e);
	if (wp_str_is_nocase(name, "version"))
		return set_once(&m->version, name, value, e);
	if (wp_str_is_nocase(name, "requires-python"))
		return set_once(&m->requires_python, name, value, e);
	if (wp_str_is_nocase(name, "requires-dist"))
		WP_PUSH(&l->requires, value);
	if (wp_str_is_nocase(name, "provides-extra")) {
		value = wp_name_normalize(a, wp_str_of(value));
		if (wp_map_put(&l->seen, wp_str_of(value), 0))
			WP_PUSH(&l->extras, value);
	}
	if (l->requires.n > WP_MAX_REQUIRES)
		return wp_fail(e, WP_E_METADATA, "METADATA has more than %d requirements", WP_MAX_REQUIRES);
	return 0;
}

/* "1.10" to 1 and 10. */
static bool two_numbers(const char *text, int *major, int *minor)
{
	wp_str rest = wp_str_of(text), first;
	uint64_t a, b;

	if (!wp_str_split(&rest, '.', &first) || !rest.p)
		return false;
	if (!wp_str_u64(first, &a) || !wp_str_u64(rest, &b) || a > 9999 || b > 9999)
		return false;
	*major = (int)a;
	*minor = (int)b;
	return true;
}

static int check_version_of_format(const wp_metadata *m, wp_error *e)
{
	int major, minor;

	if (!m->metadata_version)
		return 0;
	if (!two_numbers(m->metadata_version, &major, &minor))
		return wp_fail(e, WP_E_METADATA, "Metadata-Version '%s' is not two numbers", m->metadata_version);
	if (major < 1 || major > 2)
		return wp_fail(e, WP_E_METADATA, "Metadata-Version is %s; versions 1 and 2 are known",
			m->metadata_version);
	return 0;
}

static int check_identity(wp_arena *a, const wp_metadata *m, wp_error *e)
{
	wp_version v;

	if (!m->name || !m->version)
		return wp_fail(e, WP_E_METADATA, "METADATA has no %s", m->name ? "Version" : "Name");
	if (!wp_name_valid(wp_str_of(m->name)))
		return wp_fail(e, WP_E_METADATA, "Name '%s' is not a project name", m->name);
	if (!wp_version_parse(a, wp_str_of(m->version), &v))
		return wp_fail(e, WP_E_METADATA, "Version '%s' is not a version (PEP 440)", m->version);
	return 0;
}

int wp_metadata_parse(wp_arena *a, wp_str text, wp_metadata *out, wp_error *e)
{
	lists l = {0};
	const char *value;
	wp_str name;
	int rc;

	*out = (wp_metadata){0};
	wp_map_init(&l.seen);
	rc = wp_text_check(text, "METADATA", WP_MAX_METADATA, WP_E_METADATA, e);
	while (rc == 0 && wp_header_next(a, &text, &name, &value))
		rc = take_field(a, out, name, value, &l, e);
	wp_map_free(&l.seen);
	out->requires_dist = finish(a, &l.requires, &out->nrequires_dist);
	out->provides_extra = finish(a, &l.extras, &out->nprovides_extra);
	if (rc || check_version_of_format(out, e))
		return e->code;
	return check_identity(a, out, e);
}

/* ---- WHEEL ---------------------------------------------------------------------------------- */

static int check_wheel_version(wp_wheel_info *out, wp_error *e)
{
	if (!out->wheel_version || !*out->wheel_version)
		return wp_fail(e, WP_E_WHEEL, "WHEEL has no Wheel-Version");
	if (!two_numbers(out->wheel_version, &out->major, &out->minor))
		return wp_fail(e, WP_E_WHEEL, "Wheel-Version '%s' is not two numbers", out->wheel_version);
	if (out->major != 1)
		return wp_fail(e, WP_E_WHEEL, "Wheel-Version is %s; version 1 is known", out->wheel_version);
	return 0;
}

int wp_wheel_info_parse(wp_arena *a, wp_str text, wp_wheel_info *out, wp_error *e)
{
	text_list tags = {0};
	const char *value;
	wp_str name;

	*out = (wp_wheel_info){0};
	if (wp_text_check(text, "WHEEL", WP_MAX_METADATA, WP_E_WHEEL, e))
		return e->code;
	while (wp_header_next(a, &text, &name, &value)) {
		if (wp_str_is_nocase(name, "wheel-version") && !out->wheel_version)
			out->wheel_version = value;
		if (wp_str_is_nocase(name, "build") && !out->build)
			out->build = value;
		if (wp_str_is_nocase(name, "tag"))
			WP_PUSH(&tags, value);
		if (wp_str_is_nocase(name, "root-is-purelib") && !out->has_root) {
			out->has_root = true;
			out->root_is_purelib = wp_str_is_nocase(wp_str_of(value), "true");
		}
	}
	out->tags = finish(a, &tags, &out->ntags);
	return check_wheel_version(out, e);
}

/* SPDX-License-Identifier: MIT */
#include "doctor/facts.h"

#include "base/vec.h"
#include "py/name.h"

enum { MAX_VERSION_PY = 64 << 10 };

/* *out is empty where the file is absent, too large or damaged. */
static int read_text(wp_arena *a, const wp_tree *tree, const char *path, size_t max, wp_str *out, wp_error *e)
{
	wp_blob blob;
	char *p = NULL;

	*out = (wp_str){0};
	if (tree->open(tree->self, path, &blob, e)) {
		if (wp_code_exit(e->code) != WP_EXIT_INTEGRITY && e->code != WP_E_NOT_FOUND)
			return e->code;
		*e = (wp_error){0};
		return 0;
	}
	if (blob.size <= max) {
		p = wp_alloc(a, (size_t)blob.size + 1);
		blob.read_at(blob.self, p, (size_t)blob.size, 0, e);
		*out = (wp_str){p, (size_t)blob.size};
	}
	if (blob.close)
		blob.close(blob.self);
	return e->code;
}

/* "NAME-VERSION.dist-info/METADATA" at the root of the tree; *dir is NAME-VERSION. */
static bool is_metadata(const char *path, wp_str *dir)
{
	wp_str s = wp_str_of(path);
	size_t slash = wp_str_find(s, '/');

	if (!wp_str_is(wp_str_sub(s, slash, s.n), "/METADATA"))
		return false;
	s = wp_str_sub(s, 0, slash);
	if (!wp_str_ends(s, ".dist-info"))
		return false;
	*dir = wp_str_sub(s, 0, s.n - 10);
	return true;
}

static void set_version(wp_arena *a, wp_dist *d)
{
	if (!d->version || !wp_version_parse(a, wp_str_of(d->version), &d->parsed)) {
		d->parsed = (wp_version){0};
		return;
	}
	d->label = d->parsed.local;
}

/* The directory's name serves where METADATA can't be used. */
static int read_dist(wp_arena *a, const wp_tree *tree, const char *path, wp_str dir, wp_dist *d, wp_error *e)
{
	size_t dash = wp_str_rfind(dir, '-');
	wp_error ignored = {0};
	wp_str text;

	if (read_text(a, tree, path, WP_MAX_METADATA, &text, e))
		return e->code;
	if (wp_metadata_parse(a, text, &d->metadata, &ignored) == 0) {
		d->name = wp_name_normalize(a, wp_str_of(d->metadata.name));
		d->version = d->metadata.version;
	} else {
		d->metadata = (wp_metadata){0};
		d->name = wp_name_normalize(a, wp_str_sub(dir, 0, dash));
		d->version = dash < dir.n ? wp_str_dup(a, wp_str_sub(dir, dash + 1, dir.n)) : NULL;
	}
	set_version(a, d);
	return 0;
}

/* The text between quotes of `name = '...'` or `name: Optional[str] = '...'`; NULL for None and where there is none. */
static const char *assigned(wp_arena *a, wp_str text, const char *name)
{
	wp_str line;

	while (wp_str_line(&text, &line)) {
		size_t n = strlen(name), eq;
		char quote;

		if (!wp_str_starts(line, name) || line.n <= n || !strchr(" :=", line.p[n]))
			continue;
		eq = wp_str_find(line, '=');
		line = wp_str_trim(wp_str_sub(line, eq + 1, line.n));
		quote = line.n ? line.p[0] : 0;
		if (quote != '\'' && quote != '"')
			return NULL;
		line = wp_str_sub(line, 1, line.n);
		return wp_str_dup(a, wp_str_sub(line, 0, wp_str_find(line, quote)));
	}
	return NULL;
}

/* The ordinary index renames versions: METADATA says 2.11.0 where version.py says 2.11.0+cu130. */
static int read_label(wp_arena *a, const wp_tree *tree, wp_dist *d, wp_str *text, wp_error *e)
{
	const char *version;
	wp_version v;

	if (read_text(a, tree, wp_sprintf(a, "%s/version.py", d->name), MAX_VERSION_PY, text, e))
		return e->code;
	version = assigned(a, *text, "__version__");
	if (!d->label && version && wp_version_parse(a, wp_str_of(version), &v))
		d->label = v.local;
	return 0;
}

/* cu130 is 13.0, cu118 11.8. */
static const char *cuda_of_label(wp_arena *a, const char *label)
{
	size_t n = label ? strlen(label) : 0, i;

	if (n < 4 || !wp_starts(label, "cu"))
		return NULL;
	for (i = 2; i < n; i++)
		if (!wp_ascii_digit(label[i]))
			return NULL;
	return wp_sprintf(a, "%.*s.%c", (int)(n - 3), label + 2, label[n - 1]);
}

static void judge_build(wp_arena *a, wp_facts *f, wp_str version_py)
{
	f->cuda = assigned(a, version_py, "cuda");
	if (!f->cuda)
		f->cuda = cuda_of_label(a, f->torch->label);
	f->cpu_build = !f->cuda && !assigned(a, version_py, "hip") && !assigned(a, version_py, "xpu");
	/* Without version.py only a label could tell. */
	if (!version_py.n && !wp_streq(f->torch->label, "cpu"))
		f->cpu_build = false;
}

static int read_trio(wp_arena *a, const wp_tree *tree, wp_facts *f, wp_error *e)
{
	wp_str text;
	size_t i;

	for (i = 0; i < f->n; i++) {
		wp_dist *d = &f->dists[i];
		const wp_dist **slot = wp_streq(d->name, "torch") ? &f->torch
			: wp_streq(d->name, "torchvision") ? &f->torchvision
			: wp_streq(d->name, "torchaudio") ? &f->torchaudio : NULL;

		if (!slot)
			continue;
		*slot = d;
		if (read_label(a, tree, d, &text, e))
			return e->code;
		if (slot == &f->torch)
			judge_build(a, f, text);
	}
	return 0;
}

int wp_facts_read(wp_arena *a, const wp_tree *tree, wp_facts *out, wp_error *e)
{
	WP_VEC(wp_dist) v = {0};
	const wp_tree_entry *entries;
	size_t n, i;
	wp_str dir;

	*out = (wp_facts){0};
	if (tree->list(tree->self, &entries, &n, e))
		return e->code;
	for (i = 0; i < n && !e->code; i++)
		if (is_metadata(entries[i].path, &dir))
			read_dist(a, tree, entries[i].path, dir, WP_PUSH_NEW(&v), e);
	out->dists = WP_VEC_COPY(a, &v);
	out->n = v.n;
	WP_VEC_FREE(&v);
	if (!e->code)
		read_trio(a, tree, out, e);
	return e->code;
}

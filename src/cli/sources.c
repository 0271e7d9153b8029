/* SPDX-License-Identifier: MIT */
/* Where wheels come from: the indexes that the user names, else those of pip's configuration, else the one that pip
 * has built in. */
#include <string.h>

#include "cli/cli.h"
#include "model/pipconf.h"
#include "os/os.h"

#define VARIANT_BASE "https://download.pytorch.org/whl/"

const char *cli_variant_of_url(wp_arena *a, const char *url)
{
	static const char *const bases[] = {VARIANT_BASE, "https://download-r2.pytorch.org/whl/"};
	wp_error e = {0};
	const char *variant;
	size_t i;

	for (i = 0; i < sizeof bases / sizeof bases[0]; i++)
		if (wp_starts(url, bases[i])) {
			wp_str rest = wp_str_of(url + strlen(bases[i]));

			while (rest.n && rest.p[rest.n - 1] == '/')
				rest.n--;
			if (wp_variant_parse(a, wp_str_dup(a, rest), &variant, &e) == 0)
				return variant;
		}
	return NULL;
}

/* ---- pip's configuration -------------------------------------------------------------------- */

static void lay_file(cli *c, const char *path, wp_pipconf *conf)
{
	wp_error ignored = {0};
	wp_str text;

	if (os_is_file(path) && os_read_file(c->ctx.arena, path, 1 << 20, &text, &ignored) == 0)
		wp_pipconf_ini(c->ctx.arena, text, "download", conf);
}

/* dir/name, where there is a dir. */
static void lay_below(cli *c, const char *dir, const char *name, wp_pipconf *conf)
{
	if (dir)
		lay_file(c, os_join(c->ctx.arena, dir, name), conf);
}

static void lay_windows_files(cli *c, wp_pipconf *conf)
{
	lay_below(c, os_getenv("ProgramData"), "pip/pip.ini", conf);
	lay_below(c, os_home(), "pip/pip.ini", conf);
	lay_below(c, os_getenv("APPDATA"), "pip/pip.ini", conf);
	lay_below(c, os_getenv("VIRTUAL_ENV"), "pip.ini", conf);
}

static void lay_posix_files(cli *c, wp_pipconf *conf)
{
	const char *home = os_home(), *config = os_getenv("XDG_CONFIG_HOME");

	lay_file(c, "/etc/xdg/pip/pip.conf", conf);
	lay_file(c, "/etc/pip.conf", conf);
	lay_below(c, home, ".pip/pip.conf", conf);
	if (config)
		lay_below(c, config, "pip/pip.conf", conf);
	else
		lay_below(c, home, ".config/pip/pip.conf", conf);
	lay_below(c, os_getenv("VIRTUAL_ENV"), "pip.conf", conf);
}

static void lay_files(cli *c, wp_pipconf *conf)
{
	const char *named = os_getenv("PIP_CONFIG_FILE");

	if (named && (wp_streq(named, "/dev/null") || wp_streq(named, CLI_NULL_DEVICE)))
		return; /* pip's way to say: none of them */
	if (os_is_windows())
		lay_windows_files(c, conf);
	else
		lay_posix_files(c, conf);
	if (named)
		lay_file(c, named, conf);
}

static void lay_environment(cli *c, wp_pipconf *conf)
{
	static const char *const names[] = {"INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "CERT", "PROXY",
		"TRUSTED_HOST", "NO_INDEX"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *v = os_getenv(wp_sprintf(c->ctx.arena, "PIP_%s", names[i]));

		if (v && *v)
			wp_pipconf_set(c->ctx.arena, conf, wp_str_of(names[i]), wp_str_of(v));
	}
}

/* ---- the list ------------------------------------------------------------------------------- */

typedef struct list {
	wp_index v[256];
	size_t n;
} list;

static int add(list *l, const char *id, const char *url, bool variant, bool find_links, wp_error *e)
{
	if (l->n == sizeof l->v / sizeof l->v[0])
		return wp_fail(e, WP_E_USAGE, "more than %zu indexes", l->n);
	l->v[l->n++] = (wp_index){.id = id, .url = url, .variant = variant, .find_links = find_links};
	return 0;
}

/* Named by the user, not by pip's configuration. */
static int add_named(list *l, const char *id, const char *url, bool find_links, wp_error *e)
{
	if (add(l, id, url, false, find_links, e))
		return e->code;
	l->v[l->n - 1].must_be_there = true;
	return 0;
}

/* White-space separated, as pip keeps them. */
static int add_words(cli *c, list *l, const char *text, const char *id, bool find_links, wp_error *e)
{
	wp_str rest = wp_str_of(text), word;
	int n = 0;

	while (text && wp_str_split(&rest, ' ', &word))
		if (wp_str_trim(word).n && add(l, wp_sprintf(c->ctx.arena, "%s%d", id, ++n),
						   wp_str_dup(c->ctx.arena, wp_str_trim(word)), false, find_links, e))
			return e->code;
	return 0;
}

static int add_given(cli *c, list *l, const cli_list *given, const char *id, bool find_links, wp_error *e)
{
	size_t i, n = 0;

	for (i = 0; i < given->n; i++) {
		if (!find_links && cli_variant_of_url(c->ctx.arena, given->v[i]))
			continue; /* it became --cuda */
		if (add_named(l, wp_sprintf(c->ctx.arena, "%s%zu", id, ++n), given->v[i], find_links, e))
			return e->code;
	}
	return 0;
}

static const char *named_index(cli *c)
{
	const char *url = c->o.index_url;

	return url && !cli_variant_of_url(c->ctx.arena, url) ? url : NULL;
}

static int ordinary(cli *c, list *l, const wp_pipconf *conf, bool named, const char *cache, wp_error *e)
{
	const char *url = named_index(c);

	if (c->o.no_index || (!named && conf->no_index))
		return 0;
	if (url)
		return add_named(l, "ordinary", url, false, e);
	if (!named)
		url = conf->index_url;
	if (!url && cli_pip_index(c, cache, &url, e))
		return e->code;
	return add(l, "ordinary", url, false, false, e);
}

static const char *with_slash(wp_arena *a, const char *url)
{
	return wp_ends(url, "/") ? url : wp_sprintf(a, "%s/", url);
}

static int variant_index(cli *c, list *l, const char *variant, wp_error *e)
{
	const char *base = c->o.variant_index_base ? c->o.variant_index_base : VARIANT_BASE;
	wp_arena *a = c->ctx.arena;

	if (!variant || c->o.no_index)
		return 0;
	return add(l, "variant", wp_sprintf(a, "%s%s/", with_slash(a, base), variant), true, false, e);
}

static int read_indexes(cli *c, const wp_pipconf *conf, const char *variant, const char *cache, list *l, wp_error *e)
{
	/* What the user names replaces pip's; a PyTorch address is a variant and replaces nothing. */
	bool named = named_index(c) || c->o.no_index;
	cli_list extra = c->o.extra_index_urls;

	if (add_given(c, l, &c->o.find_links, "find-links", true, e))
		return e->code;
	if (!c->o.find_links.n && !named && add_words(c, l, conf->find_links, "find-links", true, e))
		return e->code;
	if (!c->o.no_index && add_given(c, l, &extra, "extra", false, e))
		return e->code;
	if (!extra.n && !named && !conf->no_index && add_words(c, l, conf->extra_index_url, "extra", false, e))
		return e->code;
	if (ordinary(c, l, conf, named, cache, e))
		return e->code;
	return variant_index(c, l, variant, e);
}

const wp_lock_index *cli_lock_indexes(wp_arena *a, const wp_index *v, size_t n)
{
	wp_lock_index *out = WP_NEW_ARRAY(a, n, wp_lock_index);
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = (wp_lock_index){v[i].id, v[i].url};
	return out;
}

/* ---- network -------------------------------------------------------------------------------- */

static int seconds(const char *option, const char *text, int *out, int scale, wp_error *e)
{
	uint64_t n;

	if (!text)
		return 0;
	if (!wp_str_u64(wp_str_of(text), &n) || n > 86400)
		return wp_fail(e, WP_E_USAGE, "--%s takes a whole number, not '%s'", option, text);
	*out = (int)n * scale;
	return 0;
}

static void trusted_hosts(cli *c, const wp_pipconf *conf, wp_net *net)
{
	cli_list l = c->o.trusted_hosts;
	wp_str rest = wp_str_of(conf->trusted_host), word;

	while (!l.n && conf->trusted_host && wp_str_split(&rest, ' ', &word))
		if (wp_str_trim(word).n)
			cli_list_add(c->ctx.arena, &c->o.trusted_hosts, wp_str_dup(c->ctx.arena, word));
	net->trusted_hosts = c->o.trusted_hosts.v;
	net->ntrusted_hosts = c->o.trusted_hosts.n;
}

/* libcurl reads the variables by itself; what Windows' own settings say comes after them. */
static void choose_proxy(cli *c, const wp_pipconf *conf, wp_net *net)
{
	static const char *const variables[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
	const char *bypass;
	size_t i;

	net->proxy = c->o.proxy ? c->o.proxy : conf->proxy;
	for (i = 0; i < sizeof variables / sizeof *variables && !net->proxy; i++)
		if (os_getenv(variables[i]))
			return;
	if (net->proxy)
		return;
	net->proxy = os_system_proxy(c->ctx.arena, &bypass);
	if (!os_getenv("NO_PROXY") && !os_getenv("no_proxy"))
		net->no_proxy = bypass;
}

static const char *not_empty(const char *text)
{
	return text && *text ? text : NULL;
}

/* OpenSSL's variables come after what is said to this program; on Windows the system's own store does. A stale one
 * counts only where a server's certificate is to be checked. */
static int choose_ca(cli *c, const wp_pipconf *conf, wp_net *net, wp_error *e)
{
	net->ca_file = c->o.cert ? c->o.cert : conf->cert;
	if (!net->ca_file && !os_is_windows()) {
		net->ca_file = not_empty(os_getenv("SSL_CERT_FILE"));
		net->ca_dir = not_empty(os_getenv("SSL_CERT_DIR"));
		return 0;
	}
	if (!net->ca_file || os_is_file(net->ca_file))
		return 0;
	wp_err_where(e, "'%s'", net->ca_file);
	return wp_fail(e, WP_E_NOT_FOUND, "the file of CA certificates isn't there");
}

static const char *cache_place(cli *c, wp_error *e)
{
	const char *xdg = os_getenv("XDG_CACHE_HOME"), *own = os_getenv("WHEELPACK_CACHE_DIR"), *home = os_home(),
		   *local = os_is_windows() ? os_getenv("LOCALAPPDATA") : NULL;
	wp_arena *a = c->ctx.arena;

	if (c->o.no_cache)
		cli_say(c, "--no-cache-dir is not needed here: the cache is by digest; --cache-dir DIR puts it elsewhere\n");
	if (c->o.cache_dir)
		return c->o.cache_dir;
	if (own && *own)
		return own;
	if (xdg && *xdg)
		return os_join(a, xdg, "wheelpack");
	if (local && *local)
		return os_join(a, local, "wheelpack/cache");
	if (home)
		return os_join(a, home, ".cache/wheelpack");
	wp_fail(e, WP_E_NOT_FOUND, "there is no home directory to keep the cache in");
	wp_err_next(e, "name a place with --cache-dir DIR");
	return NULL;
}

int cli_sources_read(cli *c, const char *variant, cli_sources *out, wp_error *e)
{
	wp_arena *a = c->ctx.arena;
	wp_pipconf conf = {0};
	list *l = WP_NEW(a, list);

	lay_files(c, &conf);
	lay_environment(c, &conf);
	if (c->o.offline && c->o.refresh)
		return wp_fail(e, WP_E_USAGE, "--offline asks no server, --refresh wants it asked");
	*out = (cli_sources){.indexes = l->v, .cache_dir = cache_place(c, e)};
	if (!out->cache_dir || read_indexes(c, &conf, variant, out->cache_dir, l, e))
		return e->code;
	out->nindexes = l->n;
	choose_proxy(c, &conf, &out->net);
	out->net.offline = c->o.offline;
	out->net.refresh = c->o.refresh;
	trusted_hosts(c, &conf, &out->net);
	if (seconds("timeout", c->o.timeout_text, &out->net.idle_timeout_ms, 1000, e) ||
		seconds("retries", c->o.retries_text, &out->net.retries, 1, e) ||
		choose_ca(c, &conf, &out->net, e))
		return e->code;
	if (c->o.retries_text && !out->net.retries)
		out->net.retries = -1;
	return 0;
}

wp_session_options cli_session_options(const cli *c, const cli_sources *s)
{
	return (wp_session_options){.net = s->net, .cache_dir = s->cache_dir, .indexes = s->indexes, .nindexes = s->nindexes,
		.compat = &c->compat, .keeps = c->command == &cmd_bundle && !c->o.offline && !c->o.no_index};
}

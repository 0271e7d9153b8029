/* SPDX-License-Identifier: MIT
 *
 * ask.c: what one Python interpreter says of itself. It is run with -I by its full path, so neither
 * the current folder nor PYTHON* variables have a say, and with -B, so that nothing is written; the answer is the
 * last line of its output.
 */
#include "base/json.h"
#include "install/parts.h"
#include "os/os.h"

enum { ASK_TIMEOUT_MS = 60000 };

static const char script[] =
	"import json, os, platform, struct, sys, sysconfig\n"
	"impl = sys.implementation\n"
	"bits = struct.calcsize('P') * 8\n"
	"def impl_version(v):\n"
	"    text = '%d.%d.%d' % (v.major, v.minor, v.micro)\n"
	"    return text if v.releaselevel == 'final' else text + v.releaselevel[0] + str(v.serial)\n"
	"def base_executable():\n"
	"    own = getattr(sys, '_base_executable', None) or sys.executable\n"
	"    if sys.prefix == sys.base_prefix or os.path.dirname(own) != os.path.dirname(sys.executable):\n"
	"        return own\n"
	"    for name in ('python%d.%d' % sys.version_info[:2], 'python3', 'python'):\n"
	"        path = os.path.join(sys.base_prefix, 'bin', name)\n"
	"        if os.path.isfile(path):\n"
	"            return path\n"
	"    return own\n"
	"def platform_tag():\n"
	"    tag = sysconfig.get_platform().replace('-', '_').replace('.', '_')\n"
	"    if tag.startswith('macosx'):\n"
	"        v = [int(x) for x in platform.mac_ver()[0].split('.')[:2]] + [0]\n"
	"        return 'macosx_%d_%d_%s' % (v[0], v[1] if v[0] == 10 else 0, platform.machine())\n"
	"    if not tag.startswith('linux_'):\n"
	"        return tag\n"
	"    arch = tag[6:]\n"
	"    if bits == 32:\n"
	"        arch = {'x86_64': 'i686', 'aarch64': 'armv7l'}.get(arch, arch)\n"
	"    try:\n"
	"        name, version = os.confstr('CS_GNU_LIBC_VERSION').split()\n"
	"        major, minor = version.split('.')[:2]\n"
	"        return 'manylinux_%d_%d_%s' % (int(major), int(minor), arch)\n"
	"    except Exception:\n"
	"        return 'linux_' + arch\n"
	"names = sysconfig.get_scheme_names()\n"
	"scheme = 'venv' if 'venv' in names else 'nt' if os.name == 'nt' else 'posix_prefix'\n"
	"inside = sysconfig.get_paths(scheme, vars=dict((k, '@') for k in\n"
	"    ('base', 'platbase', 'installed_base', 'installed_platbase')))\n"
	"inside = dict((k, v.replace(os.sep, '/')[2:]) for k, v in inside.items())\n"
	"tag = {'cpython': 'cp', 'pypy': 'pp'}.get(impl.name, impl.name) + '%d%d' % sys.version_info[:2]\n"
	"if sysconfig.get_config_var('Py_GIL_DISABLED'):\n"
	"    tag += 't'\n"
	"print('\\n' + json.dumps({\n"
	"    'executable': base_executable(), 'version': '%d.%d.%d' % sys.version_info[:3],\n"
	"    'soabi_tag': tag, 'platform_tag': platform_tag(), 'bits': bits,\n"
	"    'venv_site': inside['purelib'], 'venv_bin': inside['scripts'],\n"
	"    'markers': {\n"
	"        'os_name': os.name, 'sys_platform': sys.platform,\n"
	"        'platform_machine': platform.machine(),\n"
	"        'platform_python_implementation': platform.python_implementation(),\n"
	"        'platform_release': platform.release(), 'platform_system': platform.system(),\n"
	"        'platform_version': platform.version(),\n"
	"        'python_version': '%d.%d' % sys.version_info[:2],\n"
	"        'python_full_version': platform.python_version(),\n"
	"        'implementation_name': impl.name,\n"
	"        'implementation_version': impl_version(impl.version)}}))\n";

typedef struct field {
	const char *key;
	size_t offset;
} field;

#define FACT(name) {#name, offsetof(wp_interpreter, name)}
static const field facts[] = {FACT(executable), FACT(version), FACT(soabi_tag), FACT(platform_tag), FACT(venv_site),
	FACT(venv_bin)};

#define MARKER(name) {#name, offsetof(wp_markers, name)}
static const field marker_facts[] = {MARKER(os_name), MARKER(sys_platform), MARKER(platform_machine),
	MARKER(platform_python_implementation), MARKER(platform_release), MARKER(platform_system),
	MARKER(platform_version), MARKER(python_version), MARKER(python_full_version),
	MARKER(implementation_name), MARKER(implementation_version)};

enum { NFACTS = sizeof facts / sizeof *facts, NMARKERS = sizeof marker_facts / sizeof *marker_facts };

static const char **slot(void *base, size_t offset)
{
	return (const char **)((char *)base + offset);
}

/* A text of the table goes to its field; anything else is left to the caller. */
static bool take_text(wp_json *j, const field *f, size_t n, wp_str key, void *out)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (wp_str_is(key, f[i].key))
			return wp_json_cstr(j, slot(out, f[i].offset));
	return false;
}

static void read_markers(wp_json *j, wp_markers *out)
{
	wp_str key;

	if (!wp_json_object(j))
		return;
	while (wp_json_key(j, &key))
		if (!take_text(j, marker_facts, NMARKERS, key, out) && !wp_json_skip(j))
			return;
}

static void read_fact(wp_json *j, wp_str key, wp_interpreter *out)
{
	int64_t bits = 0;

	if (wp_str_is(key, "markers"))
		read_markers(j, &out->markers);
	else if (wp_str_is(key, "bits"))
		wp_json_i64(j, &bits), out->bits = bits == 32 || bits == 64 ? (int)bits : 0;
	else if (!take_text(j, facts, NFACTS, key, out))
		wp_json_skip(j);
}

static int all_there(const field *f, size_t n, void *base, wp_error *e)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!*slot(base, f[i].offset))
			return wp_fail(e, WP_E_NO_INTERPRETER, "it does not tell its %s", f[i].key);
	return 0;
}

static bool inside_a_venv(const char *path)
{
	wp_str rest = wp_str_of(path), part;

	while (wp_str_split(&rest, '/', &part))
		if (part.n == 0 || wp_str_is(part, ".."))
			return false;
	return true;
}

static int read_answer(wp_arena *a, wp_str text, wp_interpreter *out, wp_error *e)
{
	wp_json j;
	wp_str key;

	wp_json_init(&j, a, text, WP_E_NO_INTERPRETER, e);
	if (wp_json_object(&j))
		while (wp_json_key(&j, &key))
			read_fact(&j, key, out);
	if (wp_json_end(&j) || all_there(facts, NFACTS, out, e) ||
		all_there(marker_facts, NMARKERS, &out->markers, e))
		return e->code;
	if (!os_is_absolute(out->executable) || !inside_a_venv(out->venv_site) ||
		!inside_a_venv(out->venv_bin))
		return wp_fail(e, WP_E_NO_INTERPRETER, "its paths are not usable");
	return 0;
}

/* sitecustomize may print before us. */
static wp_str last_line(wp_str text)
{
	wp_str line, last = {0};

	while (wp_str_line(&text, &line))
		if (wp_str_starts(line, "{"))
			last = line;
	return last;
}

static int bad_exit(const os_run_result *r, wp_error *e)
{
	wp_str rest = r->err, line = {0}, last = {0};

	while (wp_str_line(&rest, &line))
		if (wp_str_trim(line).n)
			last = wp_str_sub(wp_str_trim(line), 0, 160);
	if (r->timed_out)
		return wp_fail(e, WP_E_NO_INTERPRETER, "no answer within %d s", ASK_TIMEOUT_MS / 1000);
	if (r->signal)
		return wp_fail(e, WP_E_NO_INTERPRETER, "ended by signal %d", r->signal);
	return wp_fail(e, WP_E_NO_INTERPRETER, "exit %d%s%.*s", r->exit_code, last.n ? ": " : "",
		(int)last.n, last.n ? last.p : "");
}

int wp_python_tell(wp_ctx *ctx, const char *path, const char *text, wp_str *line, wp_error *e)
{
	static const char *const unset[] = {"PYTHON", "__PYVENV_LAUNCHER__", NULL};
	const char *argv[] = {path, "-I", "-B", "-c", text, NULL};
	os_run_request r = {.argv = argv, .unset_prefix = unset, .timeout_ms = ASK_TIMEOUT_MS};
	os_run_result got = {0};

	r.cwd = os_dirname(ctx->arena, path);
	if (os_run(ctx->arena, &r, &got, e))
		return e->code;
	if (wp_check_cancel(ctx, e)) /* an interrupt ends the child too */
		return e->code;
	if (got.timed_out || got.signal || got.exit_code)
		return bad_exit(&got, e);
	*line = last_line(got.out);
	return line->n ? 0 : wp_fail(e, WP_E_NO_INTERPRETER, "it gives no answer");
}

int wp_interpreter_ask(wp_ctx *ctx, const char *path, wp_interpreter *out, wp_error *e)
{
	wp_str line;

	*out = (wp_interpreter){.path = wp_strdup(ctx->arena, path)};
	if (wp_python_tell(ctx, path, script, &line, e))
		return e->code;
	return read_answer(ctx->arena, line, out, e);
}

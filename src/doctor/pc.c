/* SPDX-License-Identifier: MIT */
/* pc.c: what the system and its files tell about driver and GPU. The driver itself is not loaded: that is the
 * probe's work. What can't be read is unknown, never an error. */
#include "doctor/pc.h"

#include "doctor/ldcache.h"
#include "os/os.h"

enum { MAX_PSEUDO = 1024, MAX_CACHE = 16 << 20 };

/* Files of /proc and /sys don't know their size. */
static const char *pseudo_file(wp_arena *a, const char *root, const char *path)
{
	char *text = wp_alloc(a, MAX_PSEUDO + 1);
	wp_error ignored = {0};
	os_file *f;
	size_t n = 0;

	if (os_open(wp_sprintf(a, "%s%s", root, path), OS_READ, &f, &ignored))
		return NULL;
	while (n < MAX_PSEUDO && os_pread(f, text + n, 1, n, &ignored) == 0)
		n++;
	text[n] = 0;
	ignored = (wp_error){0};
	os_close(f, &ignored);
	return wp_str_dup(a, wp_str_trim((wp_str){text, strlen(text)}));
}

static bool looks_like_driver(wp_str word)
{
	size_t i, dots = 0;

	for (i = 0; i < word.n; i++) {
		if (word.p[i] == '.')
			dots++;
		else if (!wp_ascii_digit(word.p[i]))
			return false;
	}
	return dots > 0 && word.n > dots && wp_ascii_digit(word.p[0]);
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 ..." */
static const char *version_word(wp_arena *a, const char *text)
{
	wp_str rest = wp_str_of(text), line, word;

	if (!text || !wp_str_line(&rest, &line))
		return NULL;
	while (wp_str_split(&line, ' ', &word))
		if (looks_like_driver(word))
			return wp_str_dup(a, word);
	return NULL;
}

/* libcuda.so.1 is a link to libcuda.so.580.65.06. */
static const char *version_of_link(wp_arena *a, const char *path)
{
	static const char stem[] = "libcuda.so.";
	wp_error ignored = {0};
	const char *to, *name;

	if (os_readlink(a, path, &to, &ignored))
		return NULL;
	name = os_basename(to);
	if (!wp_starts(name, stem) || !looks_like_driver(wp_str_of(name + sizeof stem - 1)))
		return NULL;
	return name + sizeof stem - 1;
}

static const char *find_libcuda(wp_arena *a, const char *root)
{
	static const char *const dirs[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
		"/usr/lib", "/lib64", "/lib", "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
		"/run/opengl-driver/lib"};
	size_t i;

	for (i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		const char *path = wp_sprintf(a, "%s%s/libcuda.so.1", root, dirs[i]);

		if (os_is_file(path))
			return path;
	}
	return NULL;
}

static bool cached_libcuda(wp_arena *a, const char *root)
{
	wp_error ignored = {0};
	uint32_t value;
	bool found = false;
	wp_str text;
	wp_map names;

	if (os_read_file(a, wp_sprintf(a, "%s/etc/ld.so.cache", root), MAX_CACHE, &text, &ignored))
		return false;
	wp_map_init(&names);
	if (wp_ldcache_names(text, 0, &names))
		found = wp_map_get(&names, WP_LIT("libcuda.so.1"), &value);
	wp_map_free(&names);
	return found;
}

static void read_driver(wp_arena *a, const char *root, wp_pc *out)
{
	const char *library = find_libcuda(a, root);

	out->driver_known = true;
	out->driver_present = library || cached_libcuda(a, root);
	out->driver_version = version_word(a, pseudo_file(a, root, "/sys/module/nvidia/version"));
	if (!out->driver_version)
		out->driver_version = version_word(a, pseudo_file(a, root, "/proc/driver/nvidia/version"));
	if (!out->driver_version && library)
		out->driver_version = version_of_link(a, library);
}

/* Vendor 10de with a display class (03xxxx). Under WSL the GPU is not on the bus: /dev/dxg stands for it. */
static void read_gpu(wp_arena *a, const char *root, wp_pc *out)
{
	const char *dir = wp_sprintf(a, "%s/sys/bus/pci/devices", root), **names;
	wp_error ignored = {0};
	bool there;
	size_t n, i;

	if (!os_look(wp_sprintf(a, "%s/dev/dxg", root), &there, &ignored) && there)
		return;
	ignored = (wp_error){0};
	if (os_list(a, dir, &names, &n, &ignored))
		return;
	out->gpu_known = true;
	for (i = 0; i < n && !out->gpu_present; i++) {
		const char *vendor = pseudo_file(a, dir, wp_sprintf(a, "/%s/vendor", names[i]));
		const char *class = pseudo_file(a, dir, wp_sprintf(a, "/%s/class", names[i]));

		out->gpu_present = wp_streq(vendor, "0x10de") && class && wp_starts(class, "0x03");
	}
}

/* ---- Windows ------------------------------------------------------------------------------- */

/* 32.0.15.6094 is driver 560.94: the last five digits. */
static const char *driver_of_file(wp_arena *a, const char *path)
{
	unsigned v[4], digits;

	if (!os_file_version(path, v) || v[3] > 9999)
		return NULL;
	digits = v[2] % 10 * 10000 + v[3];
	return wp_sprintf(a, "%u.%02u", digits / 100, digits % 100);
}

static bool is_nvidia(const char *hardware_id)
{
	wp_arena *a = wp_arena_new();
	bool found = wp_starts(wp_str_lower(a, wp_str_of(hardware_id)), "pci\\ven_10de");

	wp_arena_free(a);
	return found;
}

static void read_windows(wp_arena *a, wp_pc *out)
{
	const char *dir = os_system_dir(a), **ids;
	size_t n, i;

	if (dir) {
		const char *library = os_join(a, dir, "nvcuda.dll");

		out->driver_known = true;
		out->driver_present = os_is_file(library);
		if (out->driver_present)
			out->driver_version = driver_of_file(a, library);
	}
	os_display_adapters(a, &ids, &n);
	out->gpu_known = n > 0;
	for (i = 0; i < n; i++)
		out->gpu_present |= is_nvidia(ids[i]);
}

void wp_pc_read_below(wp_arena *a, const char *root, wp_pc *out)
{
	*out = (wp_pc){.live = true};
	/* Elsewhere than on Linux these places don't exist and nothing is known. */
	if (!os_is_dir(wp_sprintf(a, "%s/proc", root)))
		return;
	read_driver(a, root, out);
	read_gpu(a, root, out);
}

int wp_pc_read(wp_ctx *ctx, wp_pc *out, wp_error *e)
{
	if (os_is_windows()) {
		*out = (wp_pc){.live = true};
		read_windows(ctx->arena, out);
	} else {
		wp_pc_read_below(ctx->arena, "", out);
	}
	return wp_check_cancel(ctx, e);
}

/* SPDX-License-Identifier: MIT */
/* posix_facts.c: the volume below a path, whether others can reach it, and the answers to what only Windows tells. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/str.h"
#include "os/posix.h"

/* Of statfs(2). */
static const struct {
	unsigned magic;
	os_volume_kind kind;
	bool network;
	const char *name;
} known[] = {
	{0x4d44, OS_VOLUME_FAT, false, "FAT"},
	{0x2011bab0, OS_VOLUME_EXFAT, false, "exFAT"},
	{0xef53, OS_VOLUME_FULL, false, "ext4"},
	{0x58465342, OS_VOLUME_FULL, false, "XFS"},
	{0x9123683e, OS_VOLUME_FULL, false, "Btrfs"},
	{0x6969, OS_VOLUME_FULL, true, "NFS"},
	{0xff534d42, OS_VOLUME_OTHER, true, "SMB"},
	{0xfe534d42, OS_VOLUME_OTHER, true, "SMB"},
};

int os_volume_of(wp_arena *a, const char *path, os_volume *out, wp_error *e)
{
	struct statfs s;
	size_t i;

	path = posix_nearest(a, path);
	if (statfs(path, &s) != 0)
		return posix_fail(e, path, "its file system is unknown");
	*out = (os_volume){.name = "", .max_file = INT64_MAX};
	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].magic == (unsigned)s.f_type) {
			out->kind = known[i].kind;
			out->network = known[i].network;
			out->name = known[i].name;
		}
	if (out->kind == OS_VOLUME_FAT)
		out->max_file = UINT32_MAX;
	return 0;
}

/* ---- others --------------------------------------------------------------------------------- */

bool os_is_elevated(void)
{
	return geteuid() == 0;
}

int os_share(const char *path, wp_error *e)
{
	struct stat s;
	mode_t mode;

	if (stat(path, &s) != 0)
		return posix_fail(e, path, "its permissions are unknown");
	mode = (s.st_mode & 07000) | (s.st_mode & S_IXUSR ? 0755 : 0644);
	if ((s.st_mode & 07777) != mode && chmod(path, mode) != 0)
		return posix_fail(e, path, "it can't be opened to others");
	return 0;
}

static const char *closed_part(wp_arena *a, const char *path)
{
	wp_str all = wp_str_of(path);
	size_t i;

	for (i = 1; i <= all.n; i++) {
		char *part;
		struct stat s;

		if (i < all.n && path[i] != '/')
			continue;
		part = wp_str_dup(a, wp_str_sub(all, 0, i));
		if (stat(part, &s) != 0)
			return NULL;
		if (!(s.st_mode & S_IXOTH))
			return part;
	}
	return NULL;
}

/* Of a link both count: where it lies and where it leads. */
const char *os_closed_to_others(wp_arena *a, const char *path)
{
	const char *there = path, *part = closed_part(a, path);
	wp_error ignored = {0};
	struct stat s;

	while (!part && stat(there, &s) != 0 && !wp_streq(there, "/") && !wp_streq(there, "."))
		there = os_dirname(a, there);
	if (part || os_realpath(a, there, &there, &ignored))
		return part;
	return closed_part(a, there);
}

int os_file_holders(wp_arena *a, const char *path, const char ***out, size_t *n, wp_error *e)
{
	(void)a, (void)path, (void)e;
	*out = NULL;
	*n = 0;
	return 0;
}

void os_registry_pythons(wp_arena *a, os_python **out, size_t *n)
{
	(void)a;
	*out = NULL;
	*n = 0;
}

const char *os_system_proxy(wp_arena *a, const char **bypass)
{
	(void)a;
	*bypass = NULL;
	return NULL;
}

bool os_file_version(const char *path, unsigned out[4])
{
	(void)path, (void)out;
	return false;
}

void os_display_adapters(wp_arena *a, const char ***out, size_t *n)
{
	(void)a;
	*out = NULL;
	*n = 0;
}

bool os_long_paths(void)
{
	return true;
}

const char *os_system_dir(wp_arena *a)
{
	(void)a;
	return NULL;
}

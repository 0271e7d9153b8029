/* SPDX-License-Identifier: MIT */
/* posix_facts.c: the volume below a path, and the answers to what only Windows tells. */
#include <errno.h>
#include <sys/statfs.h>

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
	int rc;

	while ((rc = statfs(path, &s)) != 0 && errno == ENOENT && !wp_streq(path, "/") && !wp_streq(path, "."))
		path = os_dirname(a, path);
	if (rc != 0)
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

/* SPDX-License-Identifier: MIT */
#include "fetch/ca.h"

#include "base/str.h"
#include "os/os.h"

static const char *const files[] = {
	"/etc/ssl/certs/ca-certificates.crt",		     /* Debian, Arch, Gentoo, Alpine */
	"/etc/pki/tls/certs/ca-bundle.crt",		     /* Fedora, RHEL */
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora, RHEL: what the one above leads to */
	"/etc/ssl/ca-bundle.pem",			     /* SUSE */
	"/etc/ssl/cert.pem",				     /* Alpine */
	"/var/lib/ca-certificates/ca-bundle.pem",	     /* SUSE, what the one above leads to */
};
static const char hashed[] = "/etc/ssl/certs";

static bool has_text(const char *path)
{
	wp_error ignored = {0};
	uint64_t size = 0;
	os_file *f;

	if (os_open(path, OS_READ, &f, &ignored))
		return false;
	os_size(f, &size, &ignored);
	os_close(f, &ignored);
	return size > 0;
}

/* Names as OpenSSL looks them up: the hash of a subject, then ".0". */
static bool has_hashes(wp_arena *a, const char *dir)
{
	wp_error ignored = {0};
	const char **names;
	size_t n, i;

	if (os_list(a, dir, &names, &n, &ignored))
		return false;
	for (i = 0; i < n; i++)
		if (wp_ends(names[i], ".0"))
			return true;
	return false;
}

bool wp_ca_find(wp_arena *a, const char *root, const char **file, const char **dir)
{
	const char *path;
	size_t i;

	for (i = 0; i < sizeof files / sizeof *files; i++) {
		path = wp_sprintf(a, "%s%s", root, files[i]);
		if (has_text(path)) {
			*file = path;
			return true;
		}
	}
	path = wp_sprintf(a, "%s%s", root, hashed);
	if (!has_hashes(a, path))
		return false;
	*dir = path;
	return true;
}

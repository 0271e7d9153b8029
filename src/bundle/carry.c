/* SPDX-License-Identifier: MIT */
#include "bundle/carry.h"

#include <string.h>

#include "bin/elf.h"
#include "bin/pe.h"

/* A program that is on a stick may lack its execute bit, or lie where nothing may be executed. */
static const char install_sh[] =
	"#!/bin/sh\n"
	"# Install this bundle without internet; `sh install.sh --help` says more.\n"
	"set -eu\n"
	"here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
	"case ${1-} in\n"
	"-h | --help)\n"
	"\techo 'usage: sh install.sh [VENV] [OPTIONS of `wheelpack install`]'\n"
	"\techo '       sh install.sh --run COMMAND ...'\n"
	"\techo\n"
	"\techo 'Installs this bundle into the venv VENV, else into ~/wheelpack-env. With --run it starts'\n"
	"\techo 'another command of the wheelpack that lies here: verify, doctor, probe, help.'\n"
	"\texit\n"
	"\t;;\n"
	"--run) shift ;;\n"
	"'' | -*) set -- install \"$here\" --venv \"$HOME/wheelpack-env\" \"$@\" ;;\n"
	"*)\n"
	"\tvenv=$1\n"
	"\tshift\n"
	"\tset -- install \"$here\" --venv \"$venv\" \"$@\"\n"
	"\t;;\n"
	"esac\n"
	"case $(uname -s)-$(uname -m) in\n"
	"Linux-x86_64) ;;\n"
	"*)\n"
	"\techo \"install.sh: tools/wheelpack is for Linux on x86_64; this is $(uname -s) on $(uname -m)\" >&2\n"
	"\texit 6\n"
	"\t;;\n"
	"esac\n"
	"copy=$(mktemp -d)\n"
	"trap 'rm -rf \"$copy\"' EXIT\n"
	"cp \"$here/tools/wheelpack\" \"$copy/wheelpack\"\n"
	"chmod 755 \"$copy/wheelpack\"\n"
	"rc=0\n"
	"said=$(LC_ALL=C \"$copy/wheelpack\" --version 2>&1) || rc=$?\n"
	"case $rc-$said in\n"
	"0-*) ;;\n"
	"126-*)\n"
	"\techo \"install.sh: no program may be started in ${TMPDIR:-/tmp}: $said\" >&2\n"
	"\techo \"Name a directory where one may: TMPDIR=DIR sh install.sh\" >&2\n"
	"\texit 6\n"
	"\t;;\n"
	"*)\n"
	"\techo \"install.sh: tools/wheelpack does not start here: $said\" >&2\n"
	"\thas=$(getconf GNU_LIBC_VERSION 2>/dev/null) || has='another C library'\n"
	"\techo \"It needs glibc 2.28 or later, as PyTorch's wheels do; this system has $has.\" >&2\n"
	"\techo \"pip can install from this bundle: python3 -m pip install --no-index --find-links '$here/wheels' NAME\" >&2\n"
	"\texit 6\n"
	"\t;;\n"
	"esac\n"
	"WHEELPACK_SCRIPT=$here/install.sh \"$copy/wheelpack\" \"$@\"\n";

static const char install_cmd[] =
	"@echo off\r\n"
	"rem Install this bundle without internet: double click, or install.cmd --help\r\n"
	"setlocal DisableDelayedExpansion\r\n"
	"set \"here=%~dp0\"\r\n"
	"set \"venv=%~1\"\r\n"
	"if not defined venv set \"venv=%USERPROFILE%\\wheelpack-env\"\r\n"
	"set \"rc=2\"\r\n"
	"if \"%venv%\"==\"/?\" set \"rc=0\"\r\n"
	"if \"%venv%\"==\"-h\" set \"rc=0\"\r\n"
	"if \"%venv%\"==\"--help\" set \"rc=0\"\r\n"
	"if \"%rc%\"==\"0\" goto usage\r\n"
	"if \"%venv:~0,1%\"==\"-\" goto usage\r\n"
	"set \"log=%TEMP%\\wheelpack-install.log\"\r\n"
	"echo Installing into \"%venv%\" ...\r\n"
	"\"%here%tools\\wheelpack.exe\" install \"%here%.\" --venv \"%venv%\" >\"%log%\" 2>&1\r\n"
	"set \"rc=%ERRORLEVEL%\"\r\n"
	"type \"%log%\"\r\n"
	"if not \"%rc%\"==\"0\" (\r\n"
	"\techo.\r\n"
	"\techo It failed with exit code %rc%. The text above is in \"%log%\".\r\n"
	"\tif not defined WHEELPACK_NO_PAUSE pause\r\n"
	")\r\n"
	"exit /b %rc%\r\n"
	":usage\r\n"
	"echo usage: install.cmd [VENV]\r\n"
	"echo Installs this bundle into the venv VENV, else into \"%USERPROFILE%\\wheelpack-env\".\r\n"
	"echo Other commands: \"%here%tools\\wheelpack.exe\" --help\r\n"
	"exit /b %rc%\r\n";

static int text_read(void *self, void *buf, size_t n, uint64_t off, wp_error *e)
{
	const wp_str *text = self;

	if (off > text->n || n > text->n - off)
		return wp_fail(e, WP_E_IO, "a read beyond the end");
	memcpy(buf, text->p + off, n);
	return 0;
}

static const char *not_for_windows(wp_arena *a, const wp_blob *b)
{
	const char *why = NULL;
	wp_pe pe;

	if (!wp_pe_read(a, b, &pe, &why))
		return why;
	return pe.machine == 0x8664 ? NULL : "it is not for x64";
}

/* Of the C library and its parts alone: these every glibc system has. */
static bool everywhere(const char *library)
{
	static const char *const names[] = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
		"ld-linux-x86-64.so.2"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], library) == 0)
			return true;
	return false;
}

static const char *not_for_linux(wp_arena *a, const wp_blob *b)
{
	const char *why = NULL;
	wp_elf elf;
	size_t i;

	if (!wp_elf_read(a, b, &elf, &why))
		return why;
	if (elf.machine != 62)
		return "it is not for x86-64";
	for (i = 0; i < elf.nneeded; i++)
		if (!everywhere(elf.needed[i]))
			return wp_sprintf(a, "it needs this machine's %s", elf.needed[i]);
	return NULL;
}

/* The targets want it. */
static bool is_wanted(const wp_lock_doc *d, bool windows)
{
	size_t i;

	for (i = 0; i < d->ntargets; i++) {
		const char *platform = d->targets[i].platform;

		if (windows ? wp_starts(platform, "win") : strstr(platform, "linux") && wp_ends(platform, "_x86_64"))
			return true;
	}
	return false;
}

static bool travels(wp_arena *a, const wp_pack_request *in, bool windows, wp_findings *notes)
{
	wp_str program = windows ? in->tool_windows : in->tool_linux;
	wp_blob b = {.self = &program, .size = program.n, .read_at = text_read};
	const char *why;

	if (!program.n)
		why = in->tools_named ? "it is not in the folder that --tools names" : "it is not beside the wheelpack that runs";
	else
		why = windows ? not_for_windows(a, &b) : not_for_linux(a, &b);
	if (why && (is_wanted(in->lock, windows) || (in->tools_named && program.n)))
		wp_finding_add(notes, a, "N304", WP_NOTE,
			windows ? "wheelpack.exe does not travel in this bundle" :
				  "the wheelpack for Linux does not travel in this bundle",
			why, "build what runs elsewhere with `make tools` and add --tools build/tools, or bring it another way");
	return !why;
}

size_t wp_carry(wp_arena *a, const wp_pack_request *in, wp_text_file out[WP_CARRIED], wp_findings *notes)
{
	size_t n = 0;

	if (travels(a, in, false, notes)) {
		out[n++] = (wp_text_file){"tools/wheelpack", "tool", in->tool_linux};
		out[n++] = (wp_text_file){"install.sh", "installer", wp_str_of(install_sh)};
	}
	if (travels(a, in, true, notes)) {
		out[n++] = (wp_text_file){"tools/wheelpack.exe", "tool", in->tool_windows};
		out[n++] = (wp_text_file){"install.cmd", "installer", wp_str_of(install_cmd)};
	}
	return n;
}

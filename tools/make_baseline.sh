#!/bin/sh
# SPDX-License-Identifier: MIT
# make_baseline.sh [DIR] > manifests/windows-baseline.json: the DLL names that mingw-w64's import libraries stand for
# (Debian package mingw-w64-x86-64-dev), as the list of what Windows itself has. Left out: the Visual C++ runtime and
# the DirectX runtime of old, which come with installers of their own; drivers; programs and kernel modules.
set -eu
export LC_ALL=C
dir=${1:-/usr/x86_64-w64-mingw32/lib}
dlltool=${DLLTOOL:-x86_64-w64-mingw32-dlltool}

names() {
	for lib in "$dir"/lib*.a; do
		"$dlltool" -I "$lib" 2>/dev/null || :
	done | tr 'A-Z' 'a-z' | grep -E '^[a-z0-9_.-]+\.(dll|drv|cpl|ocx)$' | sort -u
}

# api-ms- and ext-ms- names are contracts, known by their form.
foreign='^(api|ext)-ms-'
runtime='^(msvcp|msvcr|vcruntime|concrt|vccorlib|vcomp|vcamp)[0-9]|^mfcm?[0-9]{3}|_app\.dll$'
directx='^(d3dx(9|10|11)_|d3dcompiler_([0-3]|4[0-6])|d3dcsx|x3daudio|xapofx|xaudio2_[0-7]|xinput1_[1-3])'
other='^(opencl|libwinpthread-1|hgfs|vmx_mode)\.dll$'

# Windows 10 and later have these, which mingw-w64 has no library for.
added='bcp47langs.dll bcryptprimitives.dll combase.dll coremessaging.dll d3d10_1.dll d3d10core.dll d3d11on12.dll
dbgcore.dll directml.dll dsrole.dll dxcore.dll gdi32full.dll icu.dll icuin.dll icuuc.dll kernelbase.dll locationapi.dll
logoncli.dll magnification.dll mscoree.dll msvcp_win.dll netutils.dll ninput.dll nsi.dll profapi.dll sensorsapi.dll
srvcli.dll twinapi.appcore.dll uiautomationcore.dll webservices.dll win32u.dll winbio.dll windows.storage.dll
windowscodecsext.dll winnsi.dll wintypes.dll wkscli.dll xmllite.dll xpsprint.dll'

# msvcp60.dll, msvcirt.dll and msvcrt.dll are old parts of Windows itself.
keep='msvcp60.dll'

version=$(dpkg-query -W -f '${Version}' mingw-w64-x86-64-dev 2>/dev/null || echo unknown)
{
	names | grep -vE "$foreign|$runtime|$directx|$other"
	names | grep -xF "$keep"
	for name in $added; do echo "$name"; done
} | sort -u | awk -v version="$version" '
	BEGIN {
		print "{"
		print "  \"schema\": \"wheelpack.windows-baseline/1\","
		print "  \"about\": \"DLLs that Windows 10 and 11 (x64) are taken to have in System32; no Visual C++ runtime. A name that is not here may still be there.\","
		print "  \"source\": \"import libraries of mingw-w64 (Debian package mingw-w64-x86-64-dev " version "), by tools/make_baseline.sh; a few newer names by hand\","
		printf "  \"dlls\": ["
	}
	{ printf "%s\n    \"%s\"", (NR > 1 ? "," : ""), $0 }
	END { print "\n  ]\n}" }'

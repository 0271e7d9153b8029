#!/bin/sh
# SPDX-License-Identifier: MIT
# latelib.sh NAME OUT.a: an import library of NAME.dll whose functions are looked up at their first call. A start of the
# program then loads only what it uses.
set -e
name=$1 out=$2
prefix=x86_64-w64-mingw32
library=$($prefix-gcc -print-file-name="lib$name.a")
{
	echo "LIBRARY $name.dll"
	echo EXPORTS
	$prefix-nm "$library" 2>/dev/null | sed -n 's/^[0-9a-f]* T //p' | LC_ALL=C sort -u
} >"$out.def"
$prefix-dlltool -d "$out.def" -y "$out"
rm "$out.def"

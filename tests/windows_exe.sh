#!/bin/sh
# SPDX-License-Identifier: MIT
# windows_exe.sh: what build/win/wheelpack.exe is made of: DLLs that every Windows 10 has, the protections, no time and no
# path of the machine that built it, size, manifest; built anew it has the same bytes.
exe=build/win/wheelpack.exe
again=build/win-again
most=8000000
bad=0
fault() {
	echo "windows_exe: $*"
	bad=1
}

headers=$(TZ=UTC x86_64-w64-mingw32-objdump -p $exe) || exit 1
late=$(cd build/win/late && ls lib*.a | sed 's/^lib\(.*\)\.a$/\1.dll/')
for dll in $(echo "$headers" | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]') $late; do
	case $dll in
	advapi32.dll | bcrypt.dll | crypt32.dll | iphlpapi.dll | kernel32.dll | msvcrt.dll | normaliz.dll | ole32.dll) ;;
	rstrtmgr.dll | shell32.dll | user32.dll | userenv.dll | version.dll | winhttp.dll | ws2_32.dll) ;;
	*) fault "it wants $dll" ;;
	esac
done
for flag in HIGH_ENTROPY_VA DYNAMIC_BASE NX_COMPAT; do
	echo "$headers" | grep -q "^[[:space:]]*$flag$" || fault "$flag is not set"
done
echo "$headers" | grep -q '^Time/Date.* 00:00:00 1970$' || fault "it has a time of building"
for word in activeCodePage longPathAware; do
	grep -qa "<$word .*>[^<]*</$word>" $exe || fault "its manifest has no $word"
done
for dll in $late; do
	! echo "$headers" | grep -qi "DLL Name: $dll" || fault "$dll is loaded at every start"
done
size=$(wc -c <$exe)
[ "$size" -le $most ] || fault "it has $size bytes, at most $most are allowed"
for path in "$PWD/" "$HOME/" "${XDG_CACHE_HOME:-$HOME/.cache}"; do
	! grep -qaF "$path" $exe || fault "it names $path"
done
rm -rf $again
make -s -j"$(nproc)" OS=win32 B=$again $again/wheelpack.exe >/dev/null || fault "it can't be built again"
cmp $exe $again/wheelpack.exe || fault "built again it has other bytes"
rm -rf $again
[ $bad -eq 0 ] && echo "windows_exe: ok ($size bytes)"
exit $bad

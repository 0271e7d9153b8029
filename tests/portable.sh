#!/bin/sh
# SPDX-License-Identifier: MIT
# portable.sh: the Linux program that travels in bundles: it wants nothing but the C library, and no newer one than the
# PyTorch wheels themselves do.
program=build/portable/wheelpack
most=2.28
bad=0
fault() {
	echo "portable: $*"
	bad=1
}

for library in $(ldd $program | awk '{ print $1 }'); do
	case ${library##*/} in
	libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | ld-linux-x86-64.so.2 | linux-vdso.so.1) ;;
	*) fault "it wants $library" ;;
	esac
done
newest=$(objdump -T $program | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1)
[ "$(printf '%s\n' "$newest" $most | sort -V | tail -n 1)" = $most ] || {
	fault "it wants glibc $newest, at most $most is allowed:"
	objdump -T $program | grep "GLIBC_$newest"
}
for path in "$PWD/" "$HOME/" "${XDG_CACHE_HOME:-$HOME/.cache}"; do
	! grep -qaF "$path" $program || fault "it names $path"
done
[ "$($program --version)" = "$(build/release/wheelpack --version)" ] || fault "it doesn't start"
# Its libcurl knows no certificates: it looks for them itself.
COUNTS= python3 tests/run_cases.py "$PWD/$program" tests/cases/lock/tls*.case || fault "TLS"
[ $bad -eq 0 ] && echo "portable: ok (glibc $newest, $(wc -c <$program) bytes)"
exit $bad

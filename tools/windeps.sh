#!/bin/sh
# SPDX-License-Identifier: MIT
# windeps.sh [--print-path] [windows|linux]: the static libraries of wheelpack.exe and of the Linux program that travels in
# bundles, built from the distribution's source packages (Debian, Ubuntu) into a cache outside the clone. Installs what
# is missing for that. A tree is named after the hash of this script and appears only when it is whole; its file
# `versions` says what went into it. --print-path says where a tree is or will be, and builds nothing.
# Flags and lists of options are meant to be split into words.
# shellcheck disable=SC2086
set -eu

packages="openssl zlib nghttp2 curl libzip cjson utf8proc"
host=x86_64-w64-mingw32
cache=${XDG_CACHE_HOME:-$HOME/.cache}/wheelpack-build
key=$(sha256sum "$0" | cut -c 1-12)
jobs=$(nproc 2>/dev/null || echo 2)

tree() { echo "$cache/$1-$key"; }

die() {
	echo "windeps: $*" >&2
	exit 1
}

# ---- tools -------------------------------------------------------------------------------------

missing=
need() { # PACKAGE COMMAND...: the command succeeds where the package isn't needed
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
have() { command -v "$1"; }

install_tools() { # TARGET
	need gcc have gcc
	need make have make
	if [ "$1" = windows ]; then
		need gcc-mingw-w64-x86-64 have $host-gcc
		need wine64 sh -c 'test -x /usr/lib/wine/wine64 || command -v wine64'
		need libgnutls30 sh -c 'ls /usr/lib/*/libgnutls.so.30'
	fi
	if [ ! -d "$(tree "$1")" ]; then
		need perl have perl
		need dpkg-dev have dpkg-source
		need cmake have cmake
		need ninja-build have ninja
	fi
	[ -z "$missing" ] && return
	have apt-get >/dev/null || die "missing:$missing (Debian's names), and there is no apt-get"
	sudo=
	if [ "$(id -u)" -ne 0 ]; then
		sudo=sudo
		sudo -n true 2>/dev/null || die "missing packages; run this once, then the same command again:
  sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing"
	fi
	echo "windeps: installing:$missing"
	export DEBIAN_FRONTEND=noninteractive
	$sudo apt-get update -qq
	for package in $missing; do
		$sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null ||
			die "package $package can't be installed"
	done
	missing=
}

# ---- sources -----------------------------------------------------------------------------------

sources=$cache/sources-$key
apt=$sources/apt
with_apt() { # COMMAND ARG...: with the system's source lists, for source packages, and state of its own
	command=$1
	shift
	"$command" -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/sources" \
		-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root "$@"
}

list_sources() {
	have apt-get >/dev/null || die "the sources come through apt-get, which is not here"
	rm -rf "$apt"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/sources"
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -e "$f" ] || continue
		sed 's/^Types:.*/Types: deb-src/' "$f" >"$apt/sources/${f##*/}"
	done
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -e "$f" ] || continue
		sed -nE 's/^[[:space:]]*deb(-src)?[[:space:]]/deb-src /p' "$f" | sort -u >"$apt/sources/${f##*/}.list"
	done
	with_apt apt-get -q update >"$apt/log" 2>&1 || true # one package's answer counts, not one list's
}

# The newest version whose files really are there: a list may name what its server lacks.
fetch() { # PACKAGE
	[ -e "$sources/$1/version" ] && return
	[ -e "$apt/log" ] || list_sources
	for v in $(with_apt apt-cache showsrc --only-source "$1" 2>/dev/null | sed -n 's/^Version: //p' | sort -ruV); do
		rm -rf "${sources:?}/$1"
		mkdir -p "$sources/$1"
		(cd "$sources/$1" && with_apt apt-get -q source --download-only --only-source "$1=$v") \
			>>"$apt/log" 2>&1 || continue
		echo "$v" >"$sources/$1/version"
		return
	done
	tail -n 5 "$apt/log" >&2
	die "the source of package $1 can't be had"
}

# With the distribution's patches applied.
unpack() { # PACKAGE
	[ -d "$work/src/$1" ] && return
	dpkg-source --no-check -x "$sources/$1"/*.dsc "$work/src/$1" >"$work/log" 2>&1 || failed "$1"
}

version_of() { sed 's/^[0-9]*://; s/[-+~].*//' "$sources/$1/version"; }

# ---- one library each; in its own directory $work/TARGET/LIBRARY, into $out -----------------------
# No path of this machine may get into an object: sources are named relative to that directory.

# What wheelpack never asks of OpenSSL. It reads no configuration and loads nothing.
openssl_without="shared tests legacy module dso engine capieng autoload-config async comp ssl3 dtls srp srtp cms cmp ts ct \
	camellia seed idea rc2 rc4 rc5 bf cast md4 mdc2 rmd160 whirlpool aria sm2 sm3 sm4 gost ec2m scrypt rfc3779 ui-console"

build_openssl() {
	# On Windows no such directory can exist, on Linux it holds the certificates.
	dirs="--prefix=/nonexistent --openssldir=/etc/ssl"
	[ "$target" = windows ] && dirs="mingw64 --cross-compile-prefix=$host- --prefix=C:/nonexistent --openssldir=C:/nonexistent"
	# shellcheck disable=SC2046
	../../src/openssl/Configure $dirs --libdir=lib $(printf ' no-%s' $openssl_without) $flags
	make -s -j"$jobs" build_libs
	cp libcrypto.a libssl.a "$out/lib"
	mkdir -p "$out/include/openssl"
	cp ../../src/openssl/include/openssl/*.h include/openssl/*.h "$out/include/openssl"
}

build_zlib() {
	cp -r ../../src/zlib/. .
	CHOST=${cross%-} CFLAGS="-O3 $flags" ./configure --static --prefix="$out"
	make -j"$jobs" libz.a
	cp libz.a "$out/lib"
	cp zlib.h zconf.h "$out/include"
}

# Its own build wants a C++ compiler even for the C library.
build_nghttp2() {
	src=../../src/nghttp2/lib v=$(version_of nghttp2)
	mkdir -p nghttp2
	cp $src/includes/nghttp2/nghttp2.h nghttp2
	# shellcheck disable=SC2046,SC2183
	sed "s/@PACKAGE_VERSION@/$v/; s/@PACKAGE_VERSION_NUM@/$(printf '0x%02x%02x%02x' $(echo "$v" | tr . ' '))/" \
		$src/includes/nghttp2/nghttp2ver.h.in >nghttp2/nghttp2ver.h
	defines="-DNGHTTP2_STATICLIB -DBUILDING_NGHTTP2 -DHAVE_STDINT_H -DHAVE_TIME_H"
	[ "$target" = linux ] && defines="$defines -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -DHAVE_CLOCK_GETTIME"
	printf '%s\n' $src/*.c | xargs -P"$jobs" -n6 "${cross}gcc" -O2 $flags $defines -I. -I$src -c
	"${cross}ar" rcs "$out/lib/libnghttp2.a" ./*.o
	cp -r nghttp2 "$out/include"
}

build_curl() {
	if [ "$target" = linux ]; then
		build_curl_linux
		return
	fi
	cp -r ../../src/curl/lib ../../src/curl/include .
	mkdir -p lib/$host
	# Flags in the environment: on the command line they would replace the makefile's own.
	CFLAGS="-O2 $flags" CPPFLAGS="-DHTTP_ONLY -DCURL_STATICLIB -DNGHTTP2_STATICLIB" \
		make -C lib -j"$jobs" -f Makefile.mk CROSSPREFIX="$cross" CFG=-ssl-zlib-nghttp2-ipv6-winidn-unicode \
		OPENSSL_PATH="$out" ZLIB_PATH="$out" NGHTTP2_PATH="$out" libcurl.a
	cp lib/libcurl.a "$out/lib"
	cp -r include/curl "$out/include"
}

# Certificates where OpenSSL looks for them: the directory's name differs between distributions.
build_curl_linux() {
	CFLAGS="$flags -ffile-prefix-map=$work=." cmake -G Ninja -S ../../src/curl -B . $cmake_common -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DHTTP_ONLY=ON \
		-DENABLE_MANUAL=OFF -DENABLE_UNIX_SOCKETS=OFF -DCURL_ENABLE_EXPORT_TARGET=OFF \
		-DCURL_USE_OPENSSL=ON -DCURL_DISABLE_OPENSSL_AUTO_LOAD_CONFIG=ON -DOPENSSL_ROOT_DIR="$out" \
		-DOPENSSL_USE_STATIC_LIBS=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_CA_FALLBACK=ON \
		-DUSE_NGHTTP2=ON -DNGHTTP2_LIBRARY="$out/lib/libnghttp2.a" -DNGHTTP2_INCLUDE_DIR="$out/include" \
		-DCURL_ZLIB=ON -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DUSE_LIBIDN2=OFF -DCURL_USE_LIBPSL=OFF \
		-DCURL_USE_LIBSSH2=OFF -DCURL_USE_GSSAPI=OFF
	cmake --build . -j "$jobs"
	cp lib/libcurl.a "$out/lib"
	cp -r ../../src/curl/include/curl "$out/include"
}

# arc4random would ask for a newer C library than all the rest.
build_libzip() {
	CFLAGS="$flags -ffile-prefix-map=$work=." cmake -G Ninja -S ../../src/libzip -B . $cmake_common -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF \
		-DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF -DENABLE_WINDOWS_CRYPTO=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF \
		-DENABLE_ZSTD=OFF -DHAVE_ARC4RANDOM=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
	cmake --build . -j "$jobs"
	cmake --install .
}

build_cjson() {
	"${cross}gcc" -O2 $flags -DCJSON_HIDE_SYMBOLS -c ../../src/cjson/cJSON.c
	"${cross}ar" rcs "$out/lib/libcjson.a" cJSON.o
	mkdir -p "$out/include/cjson"
	cp ../../src/cjson/cJSON.h "$out/include/cjson"
}

build_utf8proc() {
	"${cross}gcc" -O2 $flags -DUTF8PROC_STATIC -c ../../src/utf8proc/utf8proc.c
	"${cross}ar" rcs "$out/lib/libutf8proc.a" utf8proc.o
	cp ../../src/utf8proc/utf8proc.h "$out/include"
}

build_cmocka() {
	for header in ASSERT INTTYPES IO MALLOC MEMORY SETJMP SIGNAL STDARG STDDEF STDINT STDIO STDLIB STRINGS STRING TIME; do
		echo "#define HAVE_${header}_H 1"
	done >config.h
	echo "#define HAVE_GCC_THREAD_LOCAL_STORAGE 1" >>config.h
	"${cross}gcc" -O2 $flags -D__USE_MINGW_ANSI_STDIO=1 -DHAVE_CONFIG_H -I. -I../../src/cmocka/include \
		-c ../../src/cmocka/src/cmocka.c
	"${cross}ar" rcs "$out/lib/libcmocka.a" cmocka.o
	sed 's/__printf__/gnu_printf/' ../../src/cmocka/include/cmocka.h >"$out/include/cmocka.h"
}

# ---- a tree ------------------------------------------------------------------------------------

failed() { # PACKAGE
	tail -n 25 "$work/log" >&2
	die "package $1 can't be built for $target"
}

toolchain() {
	cat <<-END
		set(CMAKE_SYSTEM_NAME Windows)
		set(CMAKE_SYSTEM_PROCESSOR x86_64)
		set(CMAKE_C_COMPILER $host-gcc)
		set(CMAKE_RC_COMPILER $host-windres)
		set(CMAKE_FIND_ROOT_PATH $out /usr/$host)
		set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
		set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
		set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
		set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
	END
}

prepare() { # TARGET
	target=$1 out=$work/$1/out
	mkdir -p "$out/lib" "$out/include"
	cmake_common="-DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=$out -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF \
		-DZLIB_LIBRARY=$out/lib/libz.a -DZLIB_INCLUDE_DIR=$out/include"
	if [ "$target" = windows ]; then
		cross=$host- flags=-D_WIN32_WINNT=0x0A00
		toolchain >"$work/toolchain.cmake"
		cmake_common="$cmake_common -DCMAKE_TOOLCHAIN_FILE=$work/toolchain.cmake"
	else
		cross='' flags="-fPIC -fstack-protector-strong -D_FORTIFY_SOURCE=2"
	fi
}

build_tree() { # TARGET PACKAGE...
	prepare "$1"
	shift
	[ "$target" = linux ] || set -- "$@" cmocka
	for package in "$@"; do
		fetch "$package"
	done
	for package in "$@"; do
		echo "windeps: $target: $package $(cat "$sources/$package/version")"
		unpack "$package"
		mkdir -p "$work/$target/$package"
		set +e # a function left of || would not stop at its first error
		(set -ex; cd "$work/$target/$package"; "build_$package") >"$work/log" 2>&1
		rc=$?
		set -e
		[ $rc -eq 0 ] || failed "$package"
		echo "$package $(cat "$sources/$package/version")" >>"$out/versions"
	done
	rm -rf "${out:?}/lib/pkgconfig" "$out/lib/cmake" "${out:?}/bin" "$out/share"
	mv "$out" "$(tree "$target")"
}

print=
if [ "${1:-}" = --print-path ]; then
	print=yes
	shift
fi
case ${1:-all} in
windows | linux) targets=$1 ;;
all) targets="windows linux" ;;
*) die "usage: windeps.sh [--print-path] [windows|linux]" ;;
esac
if [ -n "$print" ]; then
	for t in $targets; do
		tree "$t"
	done
	exit 0
fi

mkdir -p "$cache"
exec 9>"$cache/lock" # two at once: the second waits, and finds the tree
flock 9
work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/src"
export SOURCE_DATE_EPOCH=0 LC_ALL=C
for t in $targets; do
	install_tools "$t"
	[ -d "$(tree "$t")" ] || build_tree "$t" $packages
done

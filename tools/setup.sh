#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh [test]: install what is missing to build wheelpack (and to test it), on Debian and Ubuntu, by name. Where it
# may not, print the one command to run. Anything that is there already, from wherever it came, is left alone.
set -eu
missing=

need() { # PACKAGE COMMAND...: the command succeeds where the package isn't needed
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
have() { command -v "$1"; }

need gcc have gcc
need libc6-dev test -e /usr/include/stdio.h
need pkg-config have pkg-config
need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
need python3 have python3
need python3-pip python3 -m pip --version
for pair in libcurl:libcurl4-openssl-dev libzip:libzip-dev libcrypto:libssl-dev libcjson:libcjson-dev \
	libutf8proc:libutf8proc-dev zlib:zlib1g-dev; do
	need "${pair#*:}" pkg-config --exists "${pair%%:*}"
done
if [ "${1:-}" = test ]; then
	need libcmocka-dev pkg-config --exists cmocka
	need valgrind have valgrind
	need openssl have openssl
fi
[ -z "$missing" ] && exit 0

if ! have apt-get >/dev/null; then
	echo "missing:$missing (Debian's names); install them with this system's package manager" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
	sudo=sudo
	if ! sudo -n true 2>/dev/null; then
		echo "missing packages; run this once, then the same command again:" >&2
		echo "  sudo apt-get update && sudo apt-get install -y$missing" >&2
		exit 1
	fi
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null

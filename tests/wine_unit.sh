#!/bin/sh
# SPDX-License-Identifier: MIT
# wine_unit.sh PROGRAM: run a unit test under Wine. What a test makes with Python, which programs there can't start, is made
# for it: WHEELPACK_TEST_SERVER is what an index server of its own has printed, WHEELPACK_TEST_ODD a directory of odd wheels.
place=$(mktemp -d)
server=
trap 'rm -rf "$place"; [ -z "$server" ] || kill "$server"' EXIT
if grep -q WHEELPACK_TEST_SERVER "$1"; then
	python3 -E -B tests/index/server.py >"$place/said" &
	server=$!
	until [ "$(wc -l <"$place/said")" -ge 2 ]; do
		kill -0 $server || exit 1
		sleep 0.05
	done
	export WHEELPACK_TEST_SERVER="$(tr '\n' ' ' <"$place/said")"
fi
if grep -q WHEELPACK_TEST_ODD "$1"; then
	export WHEELPACK_TEST_ODD="$place/odd"
	python3 -B tests/wheels/make_odd.py "$place/odd" || exit 1
fi
sh tests/wine.sh "$@"

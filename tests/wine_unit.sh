#!/bin/sh
# SPDX-License-Identifier: MIT
# wine_unit.sh PROGRAM: run a unit test under Wine; one that talks to the index server gets one for itself.
if ! grep -q WHEELPACK_TEST_SERVER "$1"; then
	exec sh tests/wine.sh "$@"
fi
said=$(mktemp)
python3 -E -B tests/index/server.py >"$said" &
server=$!
trap 'kill $server; rm -f "$said"' EXIT
until [ "$(wc -l <"$said")" -ge 2 ]; do
	kill -0 $server || exit 1
	sleep 0.05
done
WHEELPACK_TEST_SERVER=$(tr '\n' ' ' <"$said") sh tests/wine.sh "$@"

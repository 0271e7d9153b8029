#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD-DIR UNIT-PROGRAM...: all tests against one build; the last line is the total.
dir=$1
shift
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
passed=0 failed=0 skipped=0

# tally COMMAND...: run a part that writes "passed failed skipped" to $COUNTS.
tally() {
	: >"$counts"
	COUNTS=$counts "$@"
	read -r p f s <"$counts" || { p=0 f=1 s=0; echo "FAILED: $* ended without a verdict"; }
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}
# check NAME COMMAND...: a part that passes or fails as a whole.
check() {
	name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $name"
	fi
}

check layers sh tests/layers.sh
tally sh tests/ptx.sh
tally sh tests/run_unit.sh "$@"
if [ -n "${VECTORS:-}" ]; then
	check vectors "$dir/tests/vectors" "$VECTORS"
else
	"$dir/tests/vectors"
	skipped=$((skipped + 1))
fi
for fuzz in "$dir"/tests/fuzz_*; do
	[ -x "$fuzz" ] || continue
	name=${fuzz##*/fuzz_}
	check "fuzz corpus $name" "$fuzz" tests/fuzz/corpus/"$name"/*
done
# shellcheck disable=SC2046
tally python3 tests/run_cases.py "$dir/wheelpack" $(find tests/cases -name '*.case' | sort)
tally python3 tests/stop.py "$dir/wheelpack"
tally python3 tests/launcher.py build/launcher build/launcher/python.exe
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

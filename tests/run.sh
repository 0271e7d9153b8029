#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD-DIR UNIT-PROGRAM...: all tests against one build; the last line is the total.
dir=$1
shift
. tests/tally.sh
trap 'rm -f "$counts"' EXIT

check layers sh tests/layers.sh
tally sh tests/ptx.sh
tally sh tests/run_unit.sh "$@"
check vectors "$dir/tests/vectors" tests/vectors/selection.json
if [ -n "${VECTORS:-}" ]; then
	check "vectors of packaging" "$dir/tests/vectors" "$VECTORS"
else
	echo "skipped: vectors of packaging (name the file: make test VECTORS=packaging.json)"
	skipped=$((skipped + 1))
fi
check scenarios "$dir/tests/scenarios" tests/vectors/scenarios.json
[ -z "${SCENARIOS:-}" ] || check "scenarios of packse" "$dir/tests/scenarios" "$SCENARIOS"
for fuzz in "$dir"/tests/fuzz_*; do
	[ -x "$fuzz" ] || continue
	name=${fuzz##*/fuzz_}
	check "fuzz corpus $name" "$fuzz" tests/fuzz/corpus/"$name"/*
done
# shellcheck disable=SC2046
tally python3 tests/run_cases.py "$dir/wheelpack" $(find tests/cases -name '*.case' | sort)
tally python3 tests/conformance.py "$dir/wheelpack" build/launcher
tally python3 tests/stop.py "$dir/wheelpack"
tally python3 tests/launcher.py build/launcher build/launcher/python.exe
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

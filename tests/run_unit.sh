#!/bin/sh
# SPDX-License-Identifier: MIT
# run_unit.sh PROGRAM...: run unit test programs; print what failed or was skipped and one line of totals.
# WRAP is put in front of each program (valgrind); COUNTS names a file that gets "passed failed skipped".
passed=0 failed=0 skipped=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for prog in "$@"; do
	CMOCKA_MESSAGE_OUTPUT=TAP ${WRAP:-} "$prog" >"$out" 2>&1
	rc=$?
	p=$(grep -c '^ok ' "$out")
	s=$(grep -c '^ok .*# SKIP\|^not ok .*# SKIP' "$out")
	f=$(grep '^not ok ' "$out" | grep -vc '# SKIP')
	okskip=$(grep -c '^ok .*# SKIP' "$out")
	# A program that ends without a verdict (crash, sanitizer) is a failure of its own.
	if [ $rc -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "FAILED $(basename "$prog"): exit $rc"
		tail -30 "$out"
	elif [ "$f" -ne 0 ]; then
		echo "FAILED $(basename "$prog")"
		grep -v '^ok ' "$out" | head -60
	fi
	grep '^skipped: ' "$out"
	passed=$((passed + p - okskip)) failed=$((failed + f)) skipped=$((skipped + s))
done
[ -n "${COUNTS:-}" ] && echo "$passed $failed $skipped" >"$COUNTS"
echo "unit tests: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

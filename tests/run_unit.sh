#!/bin/sh
# SPDX-License-Identifier: MIT
# run_unit.sh PROGRAM...: run unit test programs, as many at once as there are cores; print what failed or was skipped and one
# line of totals. WRAP is put in front of each program (valgrind); COUNTS names a file that gets "passed failed skipped".
if [ "$1" = --one ]; then # run_unit.sh --one DIR PROGRAM
	said=$2/$(basename "$3")
	CMOCKA_MESSAGE_OUTPUT=TAP ${WRAP:-} "$3" >"$said" 2>&1
	echo $? >"$said.rc"
	exit 0
fi
passed=0 failed=0 skipped=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh "$0" --one "$dir"
for prog in "$@"; do
	name=$(basename "$prog")
	out=$dir/$name
	rc=$(cat "$out.rc" 2>/dev/null || echo 'none')
	p=$(grep -c '^ok ' "$out")
	s=$(grep -c '^ok .*# SKIP\|^not ok .*# SKIP' "$out")
	f=$(grep '^not ok ' "$out" | grep -vc '# SKIP')
	okskip=$(grep -c '^ok .*# SKIP' "$out")
	# A program that ends without a verdict (crash, sanitizer) is a failure of its own.
	if [ "$rc" != 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "FAILED $name: exit $rc"
		tail -30 "$out"
	elif [ "$f" -ne 0 ]; then
		echo "FAILED $name"
		grep -v '^ok ' "$out" | head -60
	fi
	grep '^skipped: ' "$out"
	passed=$((passed + p - okskip)) failed=$((failed + f)) skipped=$((skipped + s))
done
[ -n "${COUNTS:-}" ] && echo "$passed $failed $skipped" >"$COUNTS"
echo "unit tests: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

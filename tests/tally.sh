# SPDX-License-Identifier: MIT
# tally.sh: sourced by the scripts that run several parts and add up what passed.
counts=$(mktemp)
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

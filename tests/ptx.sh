#!/bin/sh
# SPDX-License-Identifier: MIT
# ptx.sh: src/probe/matmul.ptx is what tools/make_ptx.sh makes of matmul.cu (where its library is at hand, see there),
# and ptxas, where there is one, assembles it for each architecture it knows. COUNTS: as in run_unit.sh.
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0 skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -f build/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2 ]; then
	if sh tools/make_ptx.sh "$work/new.ptx" && cmp "$work/new.ptx" src/probe/matmul.ptx; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED ptx: run tools/make_ptx.sh"
	fi
else
	skipped=$((skipped + 1))
	echo "skipped: PTX against its source (NVRTC 11.8 is not in build/nvrtc; tools/make_ptx.sh fetches it)"
fi

if ptxas=$(command -v ptxas); then
	for arch in 50 60 70 75 80 86 89 90 100 103 120 121; do
		"$ptxas" --help | grep -q "'sm_$arch'" || continue
		if "$ptxas" -arch "sm_$arch" -o "$work/matmul.cubin" src/probe/matmul.ptx; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAILED ptx: sm_$arch"
		fi
	done
else
	skipped=$((skipped + 1))
	echo "skipped: PTX through ptxas (no ptxas here)"
fi
[ -n "${COUNTS:-}" ] && echo "$passed $failed $skipped" >"$COUNTS"
echo "ptx: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

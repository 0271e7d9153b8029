#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh WHEELPACK: the main job on real wheels, step by step. Each step says what it did, how long it took, and how to
# repeat it. Everything is written below build/demo.
set -u
wheelpack=$1
dir=build/demo
rm -rf "$dir"
mkdir -p "$dir"

# step WANTED-EXIT TITLE COMMAND...
step() {
	wanted=$1
	title=$2
	shift 2
	echo
	echo "== $title"
	echo "\$ $*"
	start=$(date +%s.%N)
	"$@"
	rc=$?
	took=$(echo "$(date +%s.%N) $start" | awk '{printf "%.1f", $1 - $2}')
	echo "-- exit $rc, $took s"
	if [ "$rc" -ne "$wanted" ]; then
		echo "demo: stopped: exit $wanted was expected" >&2
		exit 1
	fi
}

step 0 "bundle PyTorch for a Windows PC with Python 3.12" \
	"$wheelpack" bundle torch torchvision torchaudio --target cp312-win_amd64 -o $dir/torch-win.wpk
step 0 "verify the bundle, every byte" "$wheelpack" verify $dir/torch-win.wpk
step 0 "what would break on that PC" "$wheelpack" doctor $dir/torch-win.wpk
step 0 "bundle a small set for this machine's own Python" \
	"$wheelpack" bundle numpy filelock jinja2 -o $dir/small.wpk
step 0 "install it offline into a fresh venv" "$wheelpack" install $dir/small.wpk --venv $dir/env
step 0 "import it there" $dir/env/bin/python -c \
	"import numpy, jinja2; print('numpy', numpy.__version__, 'from', numpy.__file__)"
if [ -e /proc/driver/nvidia/version ]; then
	step 0 "prove the GPU" "$wheelpack" probe
else
	step 1 "prove the GPU (there is no NVIDIA driver here, so the probe must say so)" "$wheelpack" probe
fi
echo
echo "demo: done. Everything is in $dir; repeat a step with the command behind its \$."

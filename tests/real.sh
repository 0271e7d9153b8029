#!/bin/sh
# SPDX-License-Identifier: MIT
# real.sh WHEELPACK: the full-size trip on real wheels: Linux, CUDA, 33 wheels, 2.75 GB, from the package index that
# pip is configured for. Needs python3.12 and 10 GB below build/real. Prints wall time and peak memory of every stage.
set -eu
wheelpack=$(realpath "$1")
mkdir -p build/real
cd build/real
rm -rf torch.wpk env

stage() {
	echo "\$ $*"
	if [ -x /usr/bin/time ]; then
		/usr/bin/time -f '   %e s wall, %U s user, %S s system, %M kB peak' "$@"
	else
		"$@"
	fi
}

stage "$wheelpack" bundle torch==2.11.0 torchvision torchaudio --target cp312-manylinux_2_28_x86_64 -o torch.wpk
stage "$wheelpack" verify torch.wpk
stage "$wheelpack" install torch.wpk --venv env --python python3.12
stage env/bin/python -c "import torch, torchvision, torchaudio; print(torch.__version__, torch.version.cuda)"
stage "$wheelpack" doctor --venv env || true
echo "real: done"

#!/bin/sh
# SPDX-License-Identifier: MIT
# make_ptx.sh [OUTPUT]: PTX of src/probe/matmul.cu, by default into src/probe/matmul.ptx. Uses NVRTC 11.8, for its
# PTX (7.8, sm_50) loads on every driver that a CUDA 11.8 build of PyTorch runs on; fetched through pip once, into
# build/nvrtc. No GPU is needed.
set -eu
cd "$(dirname "$0")/.."
out=${1:-src/probe/matmul.ptx}
dir=build/nvrtc
lib=$dir/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2
if [ ! -f "$lib" ]; then
	mkdir -p "$dir"
	python3 -m pip download -q --no-deps --only-binary=:all: -d "$dir" nvidia-cuda-nvrtc-cu11==11.8.89
	python3 -m zipfile -e "$dir"/nvidia_cuda_nvrtc_cu11-*.whl "$dir"
fi
python3 tools/nvrtc.py "$lib" src/probe/matmul.cu compute_50 >"$out.tmp"
mv "$out.tmp" "$out"

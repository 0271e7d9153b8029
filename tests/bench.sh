#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh WHEELPACK: the full-size trip beside its peers, in one run on one machine, on real wheels (2.75 GB, about 20 GB
# of disk below build/bench). UV=PATH names uv, PYTHON=PATH a Python 3.12 with pip; a peer that is absent is skipped and said
# so. Prints wall seconds, CPU seconds and peak memory; what counts are the ratios.
set -u
wheelpack=$(realpath "$1")
python=${PYTHON:-$(command -v python3.12)}
uv=${UV:-$(command -v uv || true)}
mkdir -p build/bench
cd build/bench || exit 1
rm -rf cache torch.wpk wheels pipdl env-* ./*.txt
printf 'torch==2.11.0\ntorchvision\ntorchaudio==2.11.0\n' >request.txt
target="--python 3.12 --platform manylinux_2_28_x86_64"
words="torch==2.11.0 torchvision torchaudio==2.11.0"

# row NAME COMMAND...
row() {
	name=$1
	shift
	sync
	if /usr/bin/time -o time.txt -f '%e %U %S %M' "$@" >out.txt 2>&1; then
		awk -v n="$name" '{printf "%-34s %7.2f s wall %7.2f s CPU %7.1f MB peak\n", n, $1, $2 + $3, $4 / 1024}' time.txt
	else
		echo "$name: failed"
		tail -3 out.txt
	fi
}
skip() {
	echo "skipped: $1: $2"
}

# shellcheck disable=SC2086
{
	row "lock, cold: wheelpack" "$wheelpack" lock $words $target --cache-dir cache/lock
	row "lock, warm: wheelpack" "$wheelpack" lock $words $target --cache-dir cache/lock
	if [ -n "$uv" ]; then
		row "lock, cold: uv" "$uv" pip compile -q --no-cache --python "$python" --python-platform x86_64-manylinux_2_28 \
			--python-version 3.12 request.txt -o uv.txt
	else
		skip "uv" "not on PATH; name it with UV="
	fi
	row "bundle: wheelpack" "$wheelpack" bundle $words $target -o torch.wpk --cache-dir cache/bundle
	row "bundle to a directory, warm" "$wheelpack" bundle $words $target -o wheels --cache-dir cache/bundle
	row "download: pip" "$python" -m pip download -q --no-deps --no-cache-dir --only-binary=:all: --python-version 3.12 \
		$(for level in 28 27 25 24 18 17 12 5; do printf -- '--platform manylinux_2_%s_x86_64 ' $level; done) \
		--platform manylinux2014_x86_64 --platform manylinux2010_x86_64 --platform manylinux1_x86_64 \
		-r wheels/requirements.*.txt -d pipdl
	rm -rf pipdl cache
	row "verify: wheelpack" "$wheelpack" verify torch.wpk
	row "sha256, 2 processes: openssl" sh -c 'ls wheels/wheels/*.whl | xargs -P2 -n4 openssl dgst -sha256'
	for i in 1 2; do
		rm -rf env-wheelpack env-uv
		row "install: wheelpack" "$wheelpack" install torch.wpk --venv env-wheelpack --python "$python"
		if [ -n "$uv" ]; then
			"$uv" venv -q --python "$python" env-uv
			row "install: uv" "$uv" pip install -q --python env-uv/bin/python --no-cache --no-index \
				--find-links wheels/wheels -r request.txt
		fi
	done
	rm -rf env-uv
	"$python" -m venv --without-pip env-pip
	row "install: pip" "$python" -m pip --python env-pip/bin/python install -q --no-index --find-links wheels/wheels \
		-r request.txt
	rm -rf env-pip
	row "import of the result" env-wheelpack/bin/python -c "import torch, torchvision, torchaudio"
	row "doctor on the venv: wheelpack" sh -c "'$wheelpack' doctor --venv env-wheelpack || true"
	row "doctor on the bundle: wheelpack" sh -c "'$wheelpack' doctor torch.wpk || true"
}

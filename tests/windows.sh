#!/bin/sh
# SPDX-License-Identifier: MIT
# windows.sh WHEELPACK UNIT-PROGRAM...: the Windows program's tests under Wine, in a fresh prefix; the last line is the total.
# WHEELPACK is the Linux program; make test-windows has built everything.
wheelpack=$1
shift
exe=$PWD/build/win/wheelpack.exe
. tests/tally.sh
trap 'rm -f "$counts"; sh tests/wine.sh --stop' EXIT

check windows_exe sh tests/windows_exe.sh
check portable sh tests/portable.sh
sh tests/wine.sh --fresh || exit 1
tally env WRAP="sh tests/wine_unit.sh" sh tests/run_unit.sh "$@"

# The command cases call `wheelpack`: here that is the Windows program.
mkdir -p build/win/cases
printf '#!/bin/sh\nexec sh "%s/tests/wine.sh" "%s" "$@"\n' "$PWD" "$exe" >build/win/cases/wheelpack
chmod +x build/win/cases/wheelpack
# shellcheck disable=SC2046
tally env WHEELPACK_CASES=windows python3 tests/run_cases.py build/win/cases/wheelpack \
	$(find tests/cases -name '*.case' | sort)
tally python3 tests/windows_bytes.py "$wheelpack" "$exe"
tally python3 tests/windows_install.py "$wheelpack" "$exe" build/launcher/python.exe
tally python3 tests/windows_upgrade.py "$exe" build/launcher/python.exe
tally python3 tests/windows_driver.py "$wheelpack" "$exe" build/launcher/python.exe build/launcher/nvcuda.dll
tally python3 tests/windows_fault.py "$wheelpack" build/win-fault/wheelpack.exe build/launcher/python.exe
echo "windows: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
